/* Middleware "cors": see hoop/middleware/cors.h. */
#include "middleware/middleware.h"

#include "codec/chars.h"
#include "codec/host.h"
#include "codec/list.h"
#include "handler/router.h"
#include "value/response.h"

#include <hoop/middleware/cors.h>

#include <stdio.h>
#include <string.h>

struct cors {
    hoop_cors_options options;
    int anyone; /* "*" is among the origins */
    char max_age[24];
};

#define NAME(text) hoop_str_n((text), sizeof(text) - 1)

/* --- origins --------------------------------------------------------------------------------- */

/* "https://" and "." around what a star stands for: names below, that is, and no port or path. */
static int fits_star(hoop_str pattern, hoop_str origin)
{
    const char *star = pattern.len > 1 ? memchr(pattern.data, '*', pattern.len) : NULL;
    size_t before = star ? (size_t)(star - pattern.data) : 0;
    size_t behind = star ? pattern.len - before - 1 : 0;
    if (!star || origin.len <= before + behind || memcmp(origin.data, pattern.data, before) ||
        memcmp(origin.data + origin.len - behind, star + 1, behind))
        return 0;
    for (size_t i = before; i < origin.len - behind; i++)
        if (!hoop__char_is(origin.data[i], HOOP__CHAR_UNRESERVED))
            return 0;
    return 1;
}

static int is_listed(const struct cors *cors, hoop_str origin)
{
    for (const char *const *known = cors->options.origins; known && *known; known++) {
        hoop_str pattern = hoop_str_c(*known);
        if (hoop_str_eq(pattern, origin) || fits_star(pattern, origin))
            return 1;
    }
    return cors->anyone && !hoop_str_eq_c(origin, "null");
}

static int may_read(const struct cors *cors, const hoop_request *req, hoop_str origin)
{
    return is_listed(cors, origin) || (cors->options.allow && !hoop_str_eq_c(origin, "null") &&
                                       cors->options.allow(req, origin, cors->options.data));
}

/* --- answers --------------------------------------------------------------------------------- */

static const hoop_response *add(const hoop_request *req, const hoop_response *res, hoop_str name,
                                hoop_str value)
{
    return res ? hoop__response_with(req, res, name, value, /* replace= */ 0) : NULL;
}

/* Who may read, and whether with cookies: what a preflight and an answer have in common. */
static const hoop_response *add_origin(const struct cors *cors, const hoop_request *req,
                                       const hoop_response *res, hoop_str origin)
{
    res = add(req, res, NAME("Access-Control-Allow-Origin"), cors->anyone ? NAME("*") : origin);
    if (cors->options.credentials)
        res = add(req, res, NAME("Access-Control-Allow-Credentials"), NAME("true"));
    return res;
}

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    const struct cors *cors = value;
    hoop_str origin = hoop_header(req, "origin");
    res = hoop__add_vary(req, res, "Origin");
    if (hoop_str_is_none(origin) || !res ||
        !hoop_str_is_none(hoop_response_header(res, "access-control-allow-origin")) ||
        !may_read(cors, req, origin))
        return res;
    res = add_origin(cors, req, res, origin);
    if (cors->options.expose)
        res =
            add(req, res, NAME("Access-Control-Expose-Headers"), hoop_str_c(cors->options.expose));
    return res;
}

/* --- preflights ------------------------------------------------------------------------------ */

static int is_preflight(const hoop_request *req)
{
    return req->method_number == HOOP_METHOD_OPTIONS &&
           !hoop_str_is_none(hoop_header(req, "origin")) &&
           !hoop_str_is_none(hoop_header(req, "access-control-request-method"));
}

/* Methods have a case. */
static int allows_method(const struct cors *cors, hoop_str method)
{
    hoop_str rest = hoop_str_c(cors->options.methods), item;
    while (hoop__list_next(&rest, &item) > 0)
        if (hoop_str_eq(item, method))
            return 1;
    return 0;
}

/* All that are asked for must be allowed, and be names at all, since they may be sent back. */
static int allows_headers(const struct cors *cors, hoop_str asked)
{
    hoop_str item;
    int rc;
    while ((rc = hoop__list_next(&asked, &item)) > 0)
        if (!hoop__is_token(item) ||
            (cors->options.headers && !hoop__list_has(hoop_str_c(cors->options.headers), item)))
            return 0;
    return rc == 0;
}

static const char preflight_vary[] =
    "Origin, Access-Control-Request-Method, Access-Control-Request-Headers";
static const char private_vary[] =
    "Origin, Access-Control-Request-Method, Access-Control-Request-Headers, "
    "Access-Control-Request-Private-Network";

static const hoop_response *refuse(const hoop_request *req, const char *what)
{
    return hoop_problemf(req, 403, "%s may not ask for this from another origin", what);
}

static const hoop_response *preflight_allowed(const struct cors *cors, const hoop_request *req,
                                              hoop_str headers)
{
    const hoop_cors_options *options = &cors->options;
    const hoop_response *res = hoop_respond(req, 200);
    res = add_origin(cors, req, res, hoop_header(req, "origin"));
    res = add(req, res, NAME("Access-Control-Allow-Methods"), hoop_str_c(options->methods));
    if (headers.len)
        res = add(req, res, NAME("Access-Control-Allow-Headers"),
                  options->headers ? hoop_str_c(options->headers) : headers);
    if (*cors->max_age)
        res = add(req, res, NAME("Access-Control-Max-Age"), hoop_str_c(cors->max_age));
    if (options->private_network &&
        hoop_str_eq_c(hoop_header(req, "access-control-request-private-network"), "true"))
        res = add(req, res, NAME("Access-Control-Allow-Private-Network"), NAME("true"));
    return res;
}

static const hoop_response *preflight(const struct cors *cors, const hoop_request *req)
{
    hoop_str headers = hoop_header_joined(req, "access-control-request-headers");
    const hoop_response *res;
    if (!may_read(cors, req, hoop_header(req, "origin")))
        res = refuse(req, "this origin");
    else if (!allows_method(cors, hoop_header(req, "access-control-request-method")))
        res = refuse(req, "this method");
    else if (!allows_headers(cors, headers))
        res = refuse(req, "a request with these headers");
    else
        res = preflight_allowed(cors, req, headers);
    return add(req, res, NAME("Vary"),
               cors->options.private_network ? NAME(private_vary) : NAME(preflight_vary));
}

/* --- the middleware -------------------------------------------------------------------------- */

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    if (is_preflight(req))
        return preflight(value, req);
    if (hoop__exchange_on_canned(req, respond, value))
        return NULL;
    return hoop_then(req, hoop_call(next, req), respond, value);
}

static int is_scheme(hoop_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!hoop__char_is(text.data[i], HOOP__CHAR_UNRESERVED) && text.data[i] != '+')
            return 0;
    return text.len > 0;
}

/* "null", "*", or scheme://host[:port] in lower case, where the host may begin with "*.". */
static int is_origin(const char *text)
{
    const char *colon = strstr(text, "://");
    hoop_str host;
    uint32_t port;
    if (strcmp(text, "*") == 0 || strcmp(text, "null") == 0)
        return 1;
    if (!colon || !is_scheme(hoop_str_n(text, (size_t)(colon - text))) ||
        strpbrk(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        return 0;
    const char *name = colon + 3;
    name += strncmp(name, "*.", 2) == 0 ? 2 : 0;
    return !strchr(name, '*') && !hoop__host_split(hoop_str_c(name), &host, &port) && host.len;
}

static int check_origins(struct cors *cors, hoop_error *error)
{
    const hoop_cors_options *options = &cors->options;
    for (const char *const *origin = options->origins; origin && *origin; origin++) {
        if (!is_origin(*origin))
            return hoop_error_set(error, HOOP_EINVAL, "cors: '%s' is no origin", *origin);
        cors->anyone |= strcmp(*origin, "*") == 0;
        if (strcmp(*origin, "null") == 0 && options->credentials)
            return hoop_error_set(error, HOOP_EINVAL,
                                  "cors: the origin 'null' can't go together with credentials");
    }
    if (cors->anyone && options->credentials)
        return hoop_error_set(error, HOOP_EINVAL,
                              "cors: the origin '*' can't go together with credentials");
    if (!options->allow && !(options->origins && *options->origins))
        return hoop_error_set(error, HOOP_EMISSING, "cors: no origins are given");
    return 0;
}

/* A star is a method name by its grammar, but here it would be taken for a wildcard, which it is not with
 * credentials. */
static int check_list(const char *what, const char *list, hoop_error *error)
{
    hoop_str rest = hoop_str_c(list), item;
    int rc;
    while ((rc = hoop__list_next(&rest, &item)) > 0)
        if (!hoop__is_token(item) || hoop_str_eq_c(item, "*"))
            break;
    return rc ? hoop_error_set(error, HOOP_EINVAL, "cors: '%s' is no list of %s", list, what) : 0;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    struct cors *own = hoop_arena_zalloc(arena, sizeof *own);
    const hoop_cors_options *copy =
        hoop__options_copy(arena, options, options_size, sizeof *copy, error);
    if (!own || !copy)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    own->options = *copy;
    if (!own->options.methods)
        own->options.methods = "GET, HEAD, POST";
    if (own->options.max_age_s)
        snprintf(own->max_age, sizeof own->max_age, "%llu",
                 (unsigned long long)own->options.max_age_s);
    int rc = check_origins(own, error);
    if (!rc)
        rc = check_list("methods", own->options.methods, error);
    if (!rc && own->options.headers)
        rc = check_list("headers", own->options.headers, error);
    if (!rc && own->options.expose)
        rc = check_list("headers", own->options.expose, error);
    if (!rc)
        *ret_value = own;
    return rc;
}

const hoop_middleware_type hoop_cors_type = {
    .name = "cors",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_cors_request_sized(const hoop_request *req,
                                            const hoop_response **ret_answer,
                                            const hoop_cors_options *options, size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_cors_type, options, options_size);
    if (!value)
        return NULL;
    if (!is_preflight(req))
        return req;
    const hoop_response *answer = preflight(value, req);
    if (answer && ret_answer)
        *ret_answer = answer;
    return NULL;
}

const hoop_response *hoop_cors_response_sized(const hoop_request *req, const hoop_response *res,
                                              const hoop_cors_options *options, size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_cors_type, options, options_size);
    return value ? hoop_then(req, res, respond, value) : NULL;
}
