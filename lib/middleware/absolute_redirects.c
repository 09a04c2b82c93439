/* Middleware "absolute_redirects": see hoop/middleware/absolute_redirects.h. */
#include "middleware/middleware.h"

#include "codec/host.h"
#include "codec/reference.h"
#include "value/response.h"

#include <hoop/middleware/absolute_redirects.h>

#include <string.h>

static int has_location(int status)
{
    return status == 201 || status == 301 || status == 302 || status == 303 || status == 307 ||
           status == 308;
}

/* The authority to name: the Host header, if it may be. Absent if not. */
static hoop_str authority(const hoop_request *req, const hoop_absolute_redirects_options *options)
{
    hoop_str value = hoop_header(req, "host"), host;
    uint32_t port;
    if (hoop__host_split(value, &host, &port) || !host.len)
        return hoop_str_none();
    for (const char *const *known = options->hosts; known && *known; known++)
        if (hoop_str_eq_nocase(host, hoop_str_c(*known)))
            return value;
    return options->hosts ? hoop_str_none() : value;
}

/* The URL that a reference means. Absent: out of memory. */
static hoop_str absolute(const hoop_request *req, hoop_str host, hoop_str reference)
{
    if (hoop__reference_has_authority(reference))
        return hoop__join(req, (hoop_str[]){ req->scheme, hoop_str_n(":", 1), reference }, 3);
    size_t prefix = req->scheme.len + 3 + host.len;
    char *url =
        hoop_alloc(req, prefix + hoop__reference_room(req->uri, req->query_string, reference) + 1);
    if (!url)
        return hoop_str_none();
    memcpy(url, req->scheme.data, req->scheme.len);
    memcpy(url + req->scheme.len, "://", 3);
    memcpy(url + req->scheme.len + 3, host.data, host.len);
    size_t len =
        hoop__reference_resolve(req->uri, req->query_string, reference, url + prefix) + prefix;
    url[len] = 0;
    return hoop_str_n(url, len);
}

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    hoop_str location = hoop_response_header(res, "location");
    if (!has_location(res->status) || hoop_str_is_none(location) ||
        hoop__reference_is_absolute(location))
        return res;
    hoop_str host = authority(req, value);
    if (hoop_str_is_none(host))
        return res;
    hoop_str url = absolute(req, host, location);
    if (hoop_str_is_none(url))
        return hoop__fail_memory(req);
    return hoop__response_with(req, res, hoop_str_n("Location", 8), url, /* replace= */ 1);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    return hoop_then(req, hoop_call(next, req), respond, value);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_absolute_redirects_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    for (const char *const *name = own->hosts; name && *name; name++) {
        hoop_str host;
        uint32_t port;
        if (hoop__host_split(hoop_str_c(*name), &host, &port) || !host.len || port)
            return hoop_error_set(error, HOOP_EINVAL,
                                  "absolute_redirects: '%s' is no host without port", *name);
    }
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_absolute_redirects_type = {
    .name = "absolute_redirects",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_response *hoop_absolute_redirects_response_sized(
    const hoop_request *req, const hoop_response *res,
    const hoop_absolute_redirects_options *options, size_t options_size)
{
    const void *value =
        hoop__options_value(req, &hoop_absolute_redirects_type, options, options_size);
    return value ? hoop_then(req, res, respond, value) : NULL;
}
