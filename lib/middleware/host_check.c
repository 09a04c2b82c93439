/* Middleware "host_check": see hoop/middleware/host_check.h. */
#include "middleware/middleware.h"

#include "codec/host.h"

#include <hoop/middleware/host_check.h>

/* An entry of the list, read. */
struct pattern {
    hoop_str host; /* behind "*." */
    uint32_t port; /* 0: any */
    int any;       /* "*" */
    int below;     /* "*.": subdomains */
};

struct patterns {
    size_t count;
    struct pattern items[];
};

static int matches(const struct pattern *pattern, hoop_str host, uint32_t port)
{
    hoop_str end = host;
    if (pattern->any)
        return 1;
    if (pattern->port && pattern->port != port)
        return 0;
    if (!pattern->below)
        return hoop_str_eq_nocase(host, pattern->host);
    if (host.len < pattern->host.len + 2)
        return 0;
    end.data += host.len - pattern->host.len;
    end.len = pattern->host.len;
    return end.data[-1] == '.' && hoop_str_eq_nocase(end, pattern->host);
}

/* Nonzero if the request names a host of the list. */
static int is_ours(const hoop_request *req, const struct patterns *patterns)
{
    hoop_str host;
    uint32_t port;
    if (hoop__host_split(hoop_header(req, "host"), &host, &port) || !host.len)
        return 0;
    if (host.data[host.len - 1] == '.')
        host.len--;
    if (!port)
        port = hoop_str_eq_c(req->scheme, "https") ? 443 : 80;
    for (size_t i = 0; i < patterns->count; i++)
        if (matches(&patterns->items[i], host, port))
            return 1;
    return 0;
}

static const hoop_response *refuse(const hoop_request *req)
{
    return hoop_problem(req, 421, "this server does not answer for that host");
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    return is_ours(req, value) ? hoop_call(next, req) : refuse(req);
}

static int read_pattern(const char *text, struct pattern *pattern)
{
    hoop_str rest = hoop_str_c(text);
    pattern->any = hoop_str_eq_c(rest, "*");
    pattern->below = rest.len > 2 && rest.data[0] == '*' && rest.data[1] == '.';
    if (pattern->any)
        return 0;
    if (pattern->below)
        rest = hoop_str_c(text + 2);
    return hoop__host_split(rest, &pattern->host, &pattern->port) || !pattern->host.len ||
           memchr(rest.data, '*', rest.len);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    const hoop_host_check_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (!own->count)
        return hoop_error_set(error, HOOP_EINVAL, "host_check: the list of hosts is empty");
    struct patterns *patterns =
        hoop_arena_zalloc(arena, sizeof *patterns + own->count * sizeof patterns->items[0]);
    if (!patterns)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    for (; patterns->count < own->count; patterns->count++) {
        const char *text = own->hosts[patterns->count];
        if (!text || read_pattern(text, &patterns->items[patterns->count]))
            return hoop_error_set(error, HOOP_EINVAL, "host_check: '%s' is no host",
                                  text ? text : "NULL");
    }
    *ret_value = patterns;
    return 0;
}

const hoop_middleware_type hoop_host_check_type = {
    .name = "host_check",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_host_check_request_sized(const hoop_request *req,
                                                  const hoop_response **ret_answer,
                                                  const hoop_host_check_options *options,
                                                  size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_host_check_type, options, options_size);
    if (!value || is_ours(req, value))
        return value ? req : NULL;
    return hoop__refused(ret_answer, refuse(req));
}
