/* Statuses: their reason phrases (IANA's registry), and the constant responses that errors are answered
 * with when nothing can be allocated. */
#include "value/value.h"

static const struct {
    int status;
    const char *reason;
} reasons[] = {
    { 100, "Continue" },
    { 101, "Switching Protocols" },
    { 102, "Processing" },
    { 103, "Early Hints" },
    { 200, "OK" },
    { 201, "Created" },
    { 202, "Accepted" },
    { 203, "Non-Authoritative Information" },
    { 204, "No Content" },
    { 205, "Reset Content" },
    { 206, "Partial Content" },
    { 207, "Multi-Status" },
    { 208, "Already Reported" },
    { 226, "IM Used" },
    { 300, "Multiple Choices" },
    { 301, "Moved Permanently" },
    { 302, "Found" },
    { 303, "See Other" },
    { 304, "Not Modified" },
    { 305, "Use Proxy" },
    { 307, "Temporary Redirect" },
    { 308, "Permanent Redirect" },
    { 400, "Bad Request" },
    { 401, "Unauthorized" },
    { 402, "Payment Required" },
    { 403, "Forbidden" },
    { 404, "Not Found" },
    { 405, "Method Not Allowed" },
    { 406, "Not Acceptable" },
    { 407, "Proxy Authentication Required" },
    { 408, "Request Timeout" },
    { 409, "Conflict" },
    { 410, "Gone" },
    { 411, "Length Required" },
    { 412, "Precondition Failed" },
    { 413, "Content Too Large" },
    { 414, "URI Too Long" },
    { 415, "Unsupported Media Type" },
    { 416, "Range Not Satisfiable" },
    { 417, "Expectation Failed" },
    { 421, "Misdirected Request" },
    { 422, "Unprocessable Content" },
    { 423, "Locked" },
    { 424, "Failed Dependency" },
    { 425, "Too Early" },
    { 426, "Upgrade Required" },
    { 428, "Precondition Required" },
    { 429, "Too Many Requests" },
    { 431, "Request Header Fields Too Large" },
    { 451, "Unavailable For Legal Reasons" },
    { 500, "Internal Server Error" },
    { 501, "Not Implemented" },
    { 502, "Bad Gateway" },
    { 503, "Service Unavailable" },
    { 504, "Gateway Timeout" },
    { 505, "HTTP Version Not Supported" },
    { 506, "Variant Also Negotiates" },
    { 507, "Insufficient Storage" },
    { 508, "Loop Detected" },
    { 511, "Network Authentication Required" },
};

const char *hoop_reason(int status)
{
    size_t low = 0, high = HOOP_COUNT(reasons);
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (reasons[middle].status < status)
            low = middle + 1;
        else
            high = middle;
    }
    return low < HOOP_COUNT(reasons) && reasons[low].status == status ? reasons[low].reason : "";
}

#define STR(text)              \
    {                          \
        text, sizeof(text) - 1 \
    }

static const hoop_field plain_text[] = { { STR("Content-Type"),
                                           STR("text/plain; charset=utf-8") } };

#define CANNED(status_, text)                    \
    {                                            \
        .pub = { .headers = plain_text,          \
                 .header_count = 1,              \
                 .body = STR(text),              \
                 .status = (status_),            \
                 .body_kind = HOOP_BODY_BYTES }, \
        .head = HOOP_STR_NONE,                   \
    }

/* The last row stands for every status that has none. */
static const struct hoop__response canned[] = {
    CANNED(400, "Bad Request\n"),           CANNED(404, "Not Found\n"),
    CANNED(413, "Content Too Large\n"),     CANNED(503, "Service Unavailable\n"),
    CANNED(500, "Internal Server Error\n"),
};

const struct hoop__response *hoop__canned(int status)
{
    size_t i = 0;
    while (i + 1 < HOOP_COUNT(canned) && canned[i].pub.status != status)
        i++;
    return &canned[i];
}

static const struct hoop__response pass = {
    .pub = { .body = HOOP_STR_NONE, .status = 404 },
    .head = HOOP_STR_NONE,
    .kind = HOOP__PASS,
};

const hoop_response *hoop_pass(const hoop_request *req)
{
    return req ? &pass.pub : NULL;
}

int hoop_is_pass(const hoop_response *res)
{
    return res == &pass.pub;
}

int hoop_is_pending(const hoop_response *res)
{
    return res && hoop__response_of(res)->kind == HOOP__PENDING;
}
