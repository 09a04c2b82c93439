/*
 * Fuzz target: bytes as the target, the Host and a header of a request. The checks of the parts must agree with
 * what the engine lets through, and what it lets through must be what the handler sees.
 */
#include "../unit/http1/driver.h"

#include "codec/host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct texts {
    hoop_str target, host, value;
};

static int called;

/* A value without the blanks around it, which are none of it. */
static hoop_str trim(hoop_str s)
{
    while (s.len && (*s.data == ' ' || *s.data == '\t')) {
        s.data++;
        s.len--;
    }
    while (s.len && (s.data[s.len - 1] == ' ' || s.data[s.len - 1] == '\t'))
        s.len--;
    return s;
}

static const hoop_response *look(const hoop_request *req, void *data)
{
    const struct texts *t = data;
    hoop_str value = hoop_header(req, "x-value");
    called++;
    check_nul(req->uri);
    check_nul(value);
    if (req->uri.data[0] != '/' && !hoop_str_eq_c(req->uri, "*"))
        abort();
    if (t->target.data[0] == '/') {
        size_t query = hoop_str_is_none(req->query_string) ? 0 : req->query_string.len + 1;
        if (req->uri.len + query != t->target.len ||
            memcmp(t->target.data, req->uri.data, req->uri.len) != 0)
            abort();
    }
    if (!hoop_str_eq(value, trim(t->value)))
        abort();
    if (t->target.data[0] == '/' && !hoop_str_eq(hoop_header(req, "host"), trim(t->host)))
        abort();
    hoop_server_name(req);
    hoop_server_port(req);
    hoop_request_url(req);
    hoop_lint_request(req, NULL);
    return hoop_text(req, 200, "ok");
}

static hoop_str cut(const char **at, const char *end)
{
    const char *start = *at, *stop = memchr(start, '\n', (size_t)(end - start));
    *at = stop ? stop + 1 : end;
    return hoop_str_n(start, (size_t)((stop ? stop : end) - start));
}

/* Nonzero for bytes that may stand in a target as it is sent (RFC 3986 2, and what all clients send). */
static int is_plain(hoop_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.data[i] <= ' ' || s.data[i] >= 0x7f || s.data[i] == '#')
            return 0;
    return s.len > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data, *end = at + size;
    if (size < 4 || size > 4000)
        return 0;
    struct texts t;
    t.target = cut(&at, end);
    t.host = cut(&at, end);
    t.value = cut(&at, end);
    /* From memory of exactly their sizes, where reading beyond shows. */
    char *host = malloc(t.host.len + !t.host.len), *input = malloc(size + 200);
    if (t.host.len)
        memcpy(host, t.host.data, t.host.len);
    hoop_str name = hoop_str_none();
    uint32_t port = 0;
    int host_rc = hoop__host_split(hoop_str_n(host, t.host.len), &name, &port);
    if (!host_rc && (port > 65535 || name.len > t.host.len))
        abort();
    free(host);
    int value_ok = hoop__is_field_value(t.value);
    size_t n = (size_t)sprintf(input, "GET ");
    memcpy(input + n, t.target.data, t.target.len);
    n += t.target.len;
    n += (size_t)sprintf(input + n, " HTTP/1.1\r\nHost:");
    memcpy(input + n, t.host.data, t.host.len);
    n += t.host.len;
    n += (size_t)sprintf(input + n, "\r\nX-Value:");
    memcpy(input + n, t.value.data, t.value.len);
    n += t.value.len;
    n += (size_t)sprintf(input + n, "\r\n\r\n");
    struct driver d;
    called = 0;
    driver_init(&d, look, &t, NULL);
    driver_feed(&d, input, n);
    int blanks =
        t.host.len && (strchr(" \t", t.host.data[0]) || strchr(" \t", t.host.data[t.host.len - 1]));
    if (!blanks && host_rc && called)
        abort(); /* a Host that is none came through */
    if (!value_ok && called)
        abort(); /* and so did a control character */
    if (!blanks && !host_rc && value_ok && t.target.data[0] == '/' && is_plain(t.target) && !called)
        abort(); /* what is right was refused */
    if (called > 1 || (!called && !d.closed && d.got_len))
        abort();
    driver_done(&d);
    free(input);
    return 0;
}
