/* Middleware "ssl_redirect": see hoop/middleware/ssl_redirect.h. */
#include "middleware/middleware.h"

#include "base/digits.h"
#include "codec/host.h"

#include <hoop/middleware/ssl_redirect.h>

#include <string.h>

static int is_secure(const hoop_request *req)
{
    return hoop_str_eq_c(req->scheme, "https");
}

/* The host to go to, without port; empty if there is none. */
static hoop_str host_of(const hoop_request *req, const hoop_ssl_redirect_options *options)
{
    hoop_str host = hoop_str_c("");
    uint32_t port;
    if (options->host)
        return hoop_str_c(options->host);
    hoop__host_split(hoop_header(req, "host"), &host, &port);
    return host;
}

static const hoop_response *redirect(const hoop_request *req,
                                     const hoop_ssl_redirect_options *options)
{
    hoop_str host = host_of(req, options);
    if (!host.len || req->uri.data[0] != '/')
        return hoop_problem(req, 403, "this is served by https only");
    char port[1 + HOOP__DIGITS] = ":";
    size_t port_len = options->port == 443 ? 0 : 1 + hoop__digits(options->port, port + 1);
    const hoop_str parts[] = {
        hoop_str_n("https://", 8),
        host,
        hoop_str_n(port, port_len),
        req->uri,
        hoop_str_n("?", hoop_str_is_none(req->query_string) ? 0 : 1),
        req->query_string,
    };
    hoop_str location = hoop__join(req, parts, HOOP_COUNT(parts));
    int safe = req->method_number == HOOP_METHOD_GET || req->method_number == HOOP_METHOD_HEAD;
    return location.len ? hoop_redirect(req, safe ? 301 : 307, location.data) : NULL;
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    return is_secure(req) ? hoop_call(next, req) : redirect(req, value);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_ssl_redirect_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    hoop_str host;
    uint32_t port;
    if (!own)
        return HOOP_ENOMEM;
    if (!own->port)
        own->port = 443;
    if (own->port > 65535)
        return hoop_error_set(error, HOOP_EINVAL, "ssl_redirect: there is no port %u",
                              (unsigned)own->port);
    if (own->host && (hoop__host_split(hoop_str_c(own->host), &host, &port) || !host.len || port ||
                      host.len != strlen(own->host)))
        return hoop_error_set(error, HOOP_EINVAL, "ssl_redirect: '%s' is no host without port",
                              own->host);
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_ssl_redirect_type = {
    .name = "ssl_redirect",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_ssl_redirect_request_sized(const hoop_request *req,
                                                    const hoop_response **ret_answer,
                                                    const hoop_ssl_redirect_options *options,
                                                    size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_ssl_redirect_type, options, options_size);
    if (!value || is_secure(req))
        return value ? req : NULL;
    return hoop__refused(ret_answer, redirect(req, value));
}
