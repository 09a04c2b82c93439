/* The head of a response: what is decided when it is written, and its bytes; bodies are body_out.c's. */
#include "http1/http1.h"

#include <string.h>

/* --- status lines ---------------------------------------------------------------------------- */

/* RFC 9110 15 and IANA's registry; the phrases are those of hoop_reason(), which a test compares. */
#define STATUSES(X)                           \
    X(100, "Continue")                        \
    X(101, "Switching Protocols")             \
    X(102, "Processing")                      \
    X(103, "Early Hints")                     \
    X(200, "OK")                              \
    X(201, "Created")                         \
    X(202, "Accepted")                        \
    X(203, "Non-Authoritative Information")   \
    X(204, "No Content")                      \
    X(205, "Reset Content")                   \
    X(206, "Partial Content")                 \
    X(207, "Multi-Status")                    \
    X(208, "Already Reported")                \
    X(226, "IM Used")                         \
    X(300, "Multiple Choices")                \
    X(301, "Moved Permanently")               \
    X(302, "Found")                           \
    X(303, "See Other")                       \
    X(304, "Not Modified")                    \
    X(305, "Use Proxy")                       \
    X(307, "Temporary Redirect")              \
    X(308, "Permanent Redirect")              \
    X(400, "Bad Request")                     \
    X(401, "Unauthorized")                    \
    X(402, "Payment Required")                \
    X(403, "Forbidden")                       \
    X(404, "Not Found")                       \
    X(405, "Method Not Allowed")              \
    X(406, "Not Acceptable")                  \
    X(407, "Proxy Authentication Required")   \
    X(408, "Request Timeout")                 \
    X(409, "Conflict")                        \
    X(410, "Gone")                            \
    X(411, "Length Required")                 \
    X(412, "Precondition Failed")             \
    X(413, "Content Too Large")               \
    X(414, "URI Too Long")                    \
    X(415, "Unsupported Media Type")          \
    X(416, "Range Not Satisfiable")           \
    X(417, "Expectation Failed")              \
    X(421, "Misdirected Request")             \
    X(422, "Unprocessable Content")           \
    X(423, "Locked")                          \
    X(424, "Failed Dependency")               \
    X(425, "Too Early")                       \
    X(426, "Upgrade Required")                \
    X(428, "Precondition Required")           \
    X(429, "Too Many Requests")               \
    X(431, "Request Header Fields Too Large") \
    X(451, "Unavailable For Legal Reasons")   \
    X(500, "Internal Server Error")           \
    X(501, "Not Implemented")                 \
    X(502, "Bad Gateway")                     \
    X(503, "Service Unavailable")             \
    X(504, "Gateway Timeout")                 \
    X(505, "HTTP Version Not Supported")      \
    X(506, "Variant Also Negotiates")         \
    X(507, "Insufficient Storage")            \
    X(508, "Loop Detected")                   \
    X(511, "Network Authentication Required")

struct status_line {
    uint8_t len;
    char text[63];
};

#define LINE(code_, reason_)  "HTTP/1.1 " #code_ " " reason_ "\r\n"
#define ROW(code_, reason_)   { sizeof LINE(code_, reason_) - 1, LINE(code_, reason_) },
#define PLACE(code_, reason_) PLACE_##code_,
#define INDEX(code_, reason_) [code_ - 100] = PLACE_##code_ + 1,

enum { STATUSES(PLACE) STATUS_COUNT };

static const struct status_line lines[STATUS_COUNT] = { STATUSES(ROW) };
static const uint8_t line_index[500] = { STATUSES(INDEX) }; /* from one; 0: none */

hoop_str hoop__h1_status_line(int status)
{
    unsigned at = (unsigned)status - 100;
    if (at >= sizeof line_index || !line_index[at])
        return hoop_str_none();
    const struct status_line *line = &lines[line_index[at] - 1];
    return hoop_str_n(line->text, line->len);
}

/* --- what is written ------------------------------------------------------------------------- */

/* How a response's length is told. */
enum told { TOLD_NOT, TOLD_LENGTH, TOLD_TEXT, TOLD_CHUNKED };

struct plan {
    size_t size;        /* of the whole head, or a little less than this */
    size_t first;       /* the first field to write: those before are in `frozen` */
    hoop_str frozen;    /* status line, fields and length; else absent */
    hoop_str user_text; /* a Content-Length of the handler's; else absent */
    uint64_t length;
    uint8_t told; /* enum told */
    uint8_t date; /* the handler set one */
    uint8_t server;
    uint8_t close;
};

static int is_name(hoop_str name, const char *text)
{
    for (size_t i = 0; i < name.len; i++)
        if ((name.data[i] | 0x20) != text[i])
            return 0;
    return 1;
}

/* Fields that only the engine writes. */
static inline int is_ours(hoop_str name)
{
    switch (name.len) {
    case 10:
        return is_name(name, "connection");
    case 14:
        return is_name(name, "content-length");
    case 17:
        return is_name(name, "transfer-encoding");
    default:
        return 0;
    }
}

static int has_close(hoop_str value)
{
    size_t i = 0;
    while (i < value.len) {
        while (i < value.len &&
               (value.data[i] == ' ' || value.data[i] == '\t' || value.data[i] == ','))
            i++;
        size_t start = i;
        while (i < value.len && value.data[i] != ',' && value.data[i] != ' ' &&
               value.data[i] != '\t')
            i++;
        if (i - start == 5 && is_name(hoop_str_n(value.data + start, 5), "close"))
            return 1;
    }
    return 0;
}

static int is_number(hoop_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.data[i] < '0' || s.data[i] > '9')
            return 0;
    return s.len > 0 && s.len < 20;
}

static void look_at(struct plan *plan, const hoop_field *f)
{
    switch (f->name.len) {
    case 4:
        plan->date |= (uint8_t)is_name(f->name, "date");
        break;
    case 6:
        plan->server |= (uint8_t)is_name(f->name, "server");
        break;
    case 10:
        if (is_name(f->name, "connection"))
            plan->close |= (uint8_t)has_close(f->value);
        break;
    case 14:
        if (is_name(f->name, "content-length") && is_number(f->value) && !plan->user_text.len)
            plan->user_text = f->value;
        break;
    default:
        break;
    }
    plan->size += f->name.len + f->value.len + 4;
}

/* Statuses that have no body, whatever the handler gave (RFC 9110 15.2, 15.3.5, 15.3.6, 15.4.5). */
static int is_bodyless(int status)
{
    return status < 200 || status == 204 || status == 205 || status == 304;
}

/* Framing of the body and what the head tells of its length (RFC 9110 8.6, RFC 9112 6.3). */
static void decide_framing(struct hoop__h1_exchange *h, struct plan *plan)
{
    const hoop_response *res = &h->res->pub;
    int head = h->method_number == HOOP_METHOD_HEAD, user = plan->user_text.len != 0;
    plan->told = TOLD_LENGTH;
    plan->length = 0;
    h->framing = HOOP__H1_NO_BODY;
    if (!plan->frozen.len && is_bodyless(res->status)) {
        if (res->status != 205)
            plan->told = res->status == 304 && user ? TOLD_TEXT : TOLD_NOT;
        return;
    }
    if (res->body_kind == HOOP_BODY_NONE) {
        if (head && user)
            plan->told = TOLD_TEXT;
        return;
    }
    if (res->body_kind == HOOP_BODY_BYTES) {
        plan->length = res->body.len;
        h->framing = res->body.len ? HOOP__H1_LENGTH : HOOP__H1_NO_BODY;
    } else if (h->res->source->length != HOOP__LENGTH_UNKNOWN) {
        plan->length = h->res->source->length;
        h->framing = HOOP__H1_LENGTH;
    } else if (h->minor > 0) {
        plan->told = TOLD_CHUNKED;
        h->framing = HOOP__H1_CHUNKED;
    } else {
        plan->told = TOLD_NOT;
        h->framing = HOOP__H1_UNTIL_CLOSE;
    }
    if (head)
        h->framing = HOOP__H1_NO_BODY;
}

static int asks_for_more(const struct hoop__h1_exchange *h)
{
    return !h->noted.asks_close && (h->minor > 0 || h->noted.asks_keep);
}

/* Counts the limit by which a connection ends that the client would have kept, if it was one. */
static void count_close(const struct hoop__h1_exchange *h)
{
    if (!asks_for_more(h))
        return;
    if (h->engine->requests >= h->limits->max_requests)
        HOOP__H1_REACHED(h, limit_requests);
    else if (!h->body_done && !h->chunked && !h->expect && h->body.left > h->limits->max_discard)
        HOOP__H1_REACHED(h, limit_discard);
}

/*
 * Whether the connection can stay open. A rest of the request's body is read and dropped if it
 * is announced and small; a client that waits for 100 Continue may or may not send it, so that what
 * comes next could not be told (RFC 9110 10.1.1).
 */
static int may_keep(const struct hoop__h1_exchange *h)
{
    const struct hoop__h1 *e = h->engine;
    const hoop_limits *limits = h->limits;
    if (!asks_for_more(h))
        return 0;
    if (e->draining || h->broken || e->requests >= limits->max_requests)
        return 0;
    if (e->eof && !e->unread)
        return 0;
    /* A stream may well be made of what still comes, as an echo is; complete() looks again. */
    if (h->pull.source && h->x.body.state == HOOP__BODY_READING)
        return 1;
    return h->body_done || (!h->chunked && !h->expect && h->body.left <= limits->max_discard);
}

static struct plan make_plan(struct hoop__h1_exchange *h)
{
    const struct hoop__response *res = h->res;
    const char *server = h->x.service->server_name;
    struct plan plan = { 0 };
    plan.frozen = res->head;
    if (res->head.len && !is_bodyless(res->pub.status)) {
        plan.first = res->head_count;
        plan.size = res->head.len;
    } else {
        plan.frozen = hoop_str_none();
    }
    for (size_t i = plan.first; i < res->pub.header_count; i++)
        look_at(&plan, &res->pub.headers[i]);
    decide_framing(h, &plan);
    h->keep = (uint8_t)(!plan.close && h->framing != HOOP__H1_UNTIL_CLOSE && may_keep(h));
    plan.server |= (uint8_t)!server;
    /* The status line, Date, Connection, the length, and the empty line, at their longest. */
    plan.size += sizeof(struct status_line) + HOOP__H1_DATE_LEN + 24 + 40 + 2;
    if (!plan.server)
        plan.size += h->engine->server_len + 10;
    return plan;
}

#define SHORT_BODY 4096 /* goes behind a frozen head at once */

/* --- writing --------------------------------------------------------------------------------- */

#define PUT(p, text) (memcpy((p), (text), sizeof(text) - 1), (p) + sizeof(text) - 1)

static inline char *put_str(char *p, hoop_str s)
{
    memcpy(p, s.data, s.len);
    return p + s.len;
}

static char *put_number(char *p, uint64_t n)
{
    char digits[20], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + n % 10);
    while (n /= 10);
    size_t len = (size_t)(digits + sizeof digits - at);
    memcpy(p, at, len);
    return p + len;
}

char *hoop__h1_put_date(char *p, struct hoop_loop *loop)
{
    memcpy(p, "Date: ", 6);
    memcpy(p + 6, hoop__loop_date(loop), HOOP__DATE_LEN);
    memcpy(p + 6 + HOOP__DATE_LEN, "\r\n", 2);
    return p + HOOP__H1_DATE_LEN;
}

static char *put_status(char *p, int status)
{
    hoop_str line = hoop__h1_status_line(status);
    if (line.len)
        return put_str(p, line);
    p = PUT(p, "HTTP/1.1 ");
    p = put_number(p, (unsigned)status);
    return PUT(p, " \r\n");
}

static char *put_length(char *p, const struct plan *plan)
{
    switch (plan->told) {
    case TOLD_LENGTH:
        p = PUT(p, "Content-Length: ");
        p = put_number(p, plan->length);
        return PUT(p, "\r\n");
    case TOLD_TEXT:
        p = PUT(p, "Content-Length: ");
        p = put_str(p, plan->user_text);
        return PUT(p, "\r\n");
    case TOLD_CHUNKED:
        return PUT(p, "Transfer-Encoding: chunked\r\n");
    default:
        return p;
    }
}

static char *put_fields(char *p, const hoop_response *res, size_t first)
{
    for (size_t i = first; i < res->header_count; i++) {
        const hoop_field *f = &res->headers[i];
        if (is_ours(f->name))
            continue;
        p = put_str(p, f->name);
        *p++ = ':';
        *p++ = ' ';
        p = put_str(p, f->value);
        *p++ = '\r';
        *p++ = '\n';
    }
    return p;
}

static char *put_head(char *p, struct hoop__h1_exchange *h, const struct plan *plan)
{
    const hoop_response *res = &h->res->pub;
    if (!h->keep)
        count_close(h);
    if (plan->frozen.len) {
        p = put_str(p, plan->frozen);
        p = put_fields(p, res, plan->first);
    } else {
        p = put_status(p, res->status);
        p = put_fields(p, res, 0);
        p = put_length(p, plan);
    }
    if (!plan->date)
        p = hoop__h1_put_date(p, h->x.loop);
    if (!plan->server) {
        p = PUT(p, "Server: ");
        memcpy(p, h->x.service->server_name, h->engine->server_len);
        p += h->engine->server_len;
        p = PUT(p, "\r\n");
    }
    if (!h->keep)
        p = PUT(p, "Connection: close\r\n");
    else if (h->minor == 0)
        p = PUT(p, "Connection: keep-alive\r\n");
    return PUT(p, "\r\n");
}

/* What follows the head. */
static uint8_t body_state(struct hoop__h1_exchange *h)
{
    if (h->framing == HOOP__H1_NO_BODY)
        return HOOP__H1_OUT_DONE;
    if (h->res->pub.body_kind == HOOP_BODY_BYTES)
        return HOOP__H1_OUT_BYTES;
    hoop__pull_begin(&h->pull, &h->x);
    return HOOP__H1_OUT_SOURCE;
}

/*
 * The usual: a frozen head that nothing was added to, a short body of bytes, room for both, and a
 * connection that stays. Nonzero if it was that, and is written.
 */
static inline int write_frozen(struct hoop__h1_exchange *h, struct hoop__out *out)
{
    const struct hoop__response *res = h->res;
    hoop_str body = res->pub.body;
    size_t server_len = h->engine->server_len;
    size_t size = res->head.len + HOOP__H1_DATE_LEN + server_len + 12 + body.len;
    if (!res->head.len || res->head_count != res->pub.header_count ||
        res->pub.body_kind != HOOP_BODY_BYTES || body.len - 1 >= SHORT_BODY || !server_len ||
        h->minor == 0 || h->method_number == HOOP_METHOD_HEAD || is_bodyless(res->pub.status) ||
        size > hoop__out_room(out) || !may_keep(h))
        return 0;
    char *p = put_str(out->data + out->len, res->head);
    p = hoop__h1_put_date(p, h->x.loop);
    p = PUT(p, "Server: ");
    p = put_str(p, hoop_str_n(h->x.service->server_name, server_len));
    p = PUT(p, "\r\n\r\n");
    put_str(p, body);
    out->len += size;
    h->x.body_out += body.len;
    h->framing = HOOP__H1_LENGTH;
    h->keep = 1;
    h->out = HOOP__H1_OUT_DONE;
    return 1;
}

int hoop__h1_write_head(struct hoop__h1_exchange *h, struct hoop__out *out)
{
    if (write_frozen(h, out))
        return 1;
    struct plan plan = make_plan(h);
    if (plan.size <= hoop__out_room(out)) {
        char *p = out->data + out->len;
        out->len += (size_t)(put_head(p, h, &plan) - p);
        h->out = body_state(h);
        return 1;
    }
    if (out->len || out->ref_len)
        return 0;
    /* Larger than out can ever take: by reference, from the arena. */
    char *text = hoop__arena_alloc(h->x.arena, plan.size);
    if (!text)
        return HOOP_ENOMEM;
    h->ref = text;
    h->ref_left = (size_t)(put_head(text, h, &plan) - text);
    h->after_ref = body_state(h);
    h->out = HOOP__H1_OUT_REF;
    return 1;
}
