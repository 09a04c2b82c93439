/* Lint: whether requests and responses keep the rules; it looks and changes nothing. */
#include "value/exchange.h"

#include <hoop/lint.h>

/* A value as an error text shows it. */
struct shown {
    char text[64];
};

/* Control characters become '?', what is too long is cut in front of a character. */
static struct shown show(hoop_str s)
{
    struct shown shown;
    size_t room = sizeof shown.text - sizeof "...", len = s.len;
    if (len > room) {
        len = room;
        while (len > 0 && ((unsigned char)s.data[len] & 0xc0) == 0x80)
            len--;
    }
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)s.data[i];
        shown.text[i] = c < 0x20 || c == 0x7f ? '?' : (char)c;
    }
    memcpy(shown.text + len, len < s.len ? "..." : "", len < s.len ? sizeof "..." : 1);
    return shown;
}

/* The first byte that is a blank, a control character or one of `more`; s.len if there is none. */
static size_t find_unfit(hoop_str s, const char *more)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if (c <= 0x20 || c == 0x7f || strchr(more, c))
            return i;
    }
    return s.len;
}

static int has_blanks_around(hoop_str s)
{
    return hoop_str_trim(s).len != s.len;
}

/* --- requests -------------------------------------------------------------------------------- */

static int lint_method(const hoop_request *req, hoop_error *error)
{
    if (!hoop__is_token(req->method))
        return hoop_error_set(error, HOOP_EINVAL, "the method '%s' is no token",
                              show(req->method).text);
    if (req->method_number != hoop__method_number(req->method))
        return hoop_error_set(error, HOOP_EINVAL, "the method '%s' does not have the number %u",
                              show(req->method).text, (unsigned)req->method_number);
    return 0;
}

static int lint_scheme(const hoop_request *req, hoop_error *error)
{
    static const char *const schemes[] = { "http", "https", "ws", "wss" };
    for (size_t i = 0; i < HOOP_COUNT(schemes); i++) {
        if (hoop_str_eq_c(req->scheme, schemes[i]))
            return 0;
    }
    return hoop_error_set(error, HOOP_EINVAL, "the scheme '%s' is not http, https, ws or wss",
                          show(req->scheme).text);
}

/* "HTTP/" and a version, of one number or two (RFC 9110 2.5). */
static int lint_protocol(const hoop_request *req, hoop_error *error)
{
    const char *p = req->protocol.data;
    size_t len = req->protocol.len;
    int right = (len == 6 || (len == 8 && p[6] == '.' && p[7] >= '0' && p[7] <= '9')) &&
                memcmp(p, "HTTP/", 5) == 0 && p[5] >= '0' && p[5] <= '9';
    if (!right)
        return hoop_error_set(error, HOOP_EINVAL, "the protocol '%s' is not like 'HTTP/1.1'",
                              show(req->protocol).text);
    return 0;
}

static int lint_uri(const hoop_request *req, hoop_error *error)
{
    hoop_str uri = req->uri;
    if (hoop_str_eq_c(uri, "*")) {
        if (req->method_number != HOOP_METHOD_OPTIONS)
            return hoop_error_set(error, HOOP_EINVAL, "the uri '*' is for OPTIONS, not for '%s'",
                                  show(req->method).text);
        return 0;
    }
    if (uri.len == 0 || uri.data[0] != '/')
        return hoop_error_set(error, HOOP_EINVAL, "the uri '%s' does not begin with '/'",
                              show(uri).text);
    if (find_unfit(uri, "?#") < uri.len)
        return hoop_error_set(error, HOOP_EINVAL,
                              "the uri '%s' has a blank, a control character, '?' or '#'",
                              show(uri).text);
    return 0;
}

static int lint_query(const hoop_request *req, hoop_error *error)
{
    hoop_str query = req->query_string;
    if (find_unfit(query, "#") < query.len)
        return hoop_error_set(error, HOOP_EINVAL,
                              "the query string '%s' has a blank, a control character or '#'",
                              show(query).text);
    return 0;
}

static int lint_value(const hoop_field *field, hoop_error *error)
{
    if (!hoop__is_field_value(field->value))
        return hoop_error_set(error, HOOP_EINVAL,
                              "the value of header '%s' has a control character: '%s'",
                              show(field->name).text, show(field->value).text);
    if (has_blanks_around(field->value))
        return hoop_error_set(error, HOOP_EINVAL,
                              "the value of header '%s' has blanks around it: '%s'",
                              show(field->name).text, show(field->value).text);
    return 0;
}

static int lint_request_field(const hoop_field *field, hoop_error *error)
{
    if (!hoop__is_token(field->name))
        return hoop_error_set(error, HOOP_EINVAL, "the header name '%s' is no token",
                              show(field->name).text);
    for (size_t i = 0; i < field->name.len; i++) {
        if (field->name.data[i] >= 'A' && field->name.data[i] <= 'Z')
            return hoop_error_set(error, HOOP_EINVAL, "the header name '%s' is not in lower case",
                                  show(field->name).text);
    }
    return lint_value(field, error);
}

int hoop_lint_request(const hoop_request *req, hoop_error *error)
{
    if (!req)
        return hoop_error_set(error, HOOP_EINVAL, "there is no request");
    if (!req->arena)
        return hoop_error_set(error, HOOP_EINVAL, "the request has no arena");
    if (!req->headers && req->header_count > 0)
        return hoop_error_set(error, HOOP_EINVAL, "the request counts %zu headers, but has none",
                              req->header_count);

    static int (*const rules[])(const hoop_request *, hoop_error *) = {
        lint_method, lint_scheme, lint_protocol, lint_uri, lint_query,
    };
    for (size_t i = 0; i < HOOP_COUNT(rules); i++) {
        int rc = rules[i](req, error);
        if (rc < 0)
            return rc;
    }
    for (size_t i = 0; i < req->header_count; i++) {
        int rc = lint_request_field(&req->headers[i], error);
        if (rc < 0)
            return rc;
    }
    return 0;
}

/* --- responses ------------------------------------------------------------------------------- */

static int lint_response_field(const hoop_field *field, hoop_error *error)
{
    /* What frames the message and manages the connection (RFC 9110 7.6.1, RFC 9112 6.1). */
    static const char *const servers[] = { "transfer-encoding", "keep-alive", "upgrade",
                                           "proxy-connection",  "te",         "trailer" };
    if (!hoop__is_token(field->name))
        return hoop_error_set(error, HOOP_EINVAL, "the header name '%s' is no token",
                              show(field->name).text);
    for (size_t i = 0; i < HOOP_COUNT(servers); i++) {
        if (hoop_str_eq_nocase(field->name, hoop_str_c(servers[i])))
            return hoop_error_set(error, HOOP_EINVAL, "the header '%s' belongs to the server",
                                  show(field->name).text);
    }
    return lint_value(field, error);
}

/* 0 and the number, or HOOP_EPARSE. */
static int read_length(hoop_str text, uint64_t *ret)
{
    uint64_t value = 0;
    if (text.len == 0)
        return HOOP_EPARSE;
    for (size_t i = 0; i < text.len; i++) {
        unsigned digit = (unsigned)(unsigned char)text.data[i] - '0';
        if (digit > 9 || value > (UINT64_MAX - digit) / 10)
            return HOOP_EPARSE;
        value = value * 10 + digit;
    }
    *ret = value;
    return 0;
}

/* The length of the body, UINT64_MAX if that of a stream is unknown. */
static uint64_t body_length(const hoop_response *res)
{
    const struct hoop__source *source = hoop__response_of(res)->source;
    if (res->body_kind == HOOP_BODY_STREAM)
        return source ? source->length : UINT64_MAX;
    return res->body_kind == HOOP_BODY_BYTES ? res->body.len : 0;
}

static int lint_length(const hoop_request *req, const hoop_response *res, hoop_error *error)
{
    hoop_str name = hoop_str_c("content-length");
    size_t count = res->header_count, at = hoop__field_find(res->headers, count, 0, name);
    if (at == count)
        return 0;
    if (hoop__field_find(res->headers, count, at + 1, name) < count)
        return hoop_error_set(error, HOOP_EINVAL, "there is more than one Content-Length");
    hoop_str text = res->headers[at].value;
    uint64_t length, actual = body_length(res);
    if (read_length(text, &length) < 0)
        return hoop_error_set(error, HOOP_EINVAL, "the Content-Length '%s' is no number",
                              show(text).text);
    if (res->status == 204)
        return hoop_error_set(error, HOOP_EINVAL,
                              "a response with status 204 has a Content-Length");
    /* Without a body it tells the length that the answer to a GET has, or would have (RFC 9110 8.6). */
    int head = req && req->method_number == HOOP_METHOD_HEAD;
    if (res->body_kind == HOOP_BODY_NONE && (head || res->status == 304))
        return 0;
    if (actual != UINT64_MAX && length != actual)
        return hoop_error_set(error, HOOP_EINVAL,
                              "the Content-Length '%s' does not fit the body of %llu bytes",
                              show(text).text, (unsigned long long)actual);
    return 0;
}

int hoop_lint_response(const hoop_request *req, const hoop_response *res, hoop_error *error)
{
    if (!res)
        return hoop_error_set(error, HOOP_EINVAL, "there is no response");
    if (hoop_is_pass(res))
        return hoop_error_set(error, HOOP_EINVAL, "hoop_pass() is no response yet");
    if (hoop_is_pending(res))
        return hoop_error_set(error, HOOP_EINVAL, "the response is pending");
    if (res->status < 200 || res->status > 599)
        return hoop_error_set(error, HOOP_EINVAL, "the status %d is not between 200 and 599",
                              (int)res->status);
    if (!res->headers && res->header_count > 0)
        return hoop_error_set(error, HOOP_EINVAL, "the response counts %zu headers, but has none",
                              res->header_count);
    if (res->body_kind > HOOP_BODY_STREAM)
        return hoop_error_set(error, HOOP_EINVAL, "%u is no kind of body",
                              (unsigned)res->body_kind);

    for (size_t i = 0; i < res->header_count; i++) {
        int rc = lint_response_field(&res->headers[i], error);
        if (rc < 0)
            return rc;
    }
    int rc = lint_length(req, res, error);
    if (rc < 0)
        return rc;
    int bodiless = res->status == 204 || res->status == 205 || res->status == 304;
    if (bodiless && (res->body_kind == HOOP_BODY_STREAM || body_length(res) > 0))
        return hoop_error_set(error, HOOP_EINVAL, "a response with status %d has a body",
                              (int)res->status);
    return 0;
}
