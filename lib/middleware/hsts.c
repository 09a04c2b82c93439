/* Middleware "hsts": see hoop/middleware/hsts.h. */
#include "middleware/middleware.h"

#include "value/response.h"

#include <hoop/middleware/hsts.h>

#define YEAR 31536000u

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    const hoop_str *policy = value;
    if (!hoop_str_eq_c(req->scheme, "https") ||
        !hoop_str_is_none(hoop_response_header(res, "strict-transport-security")))
        return res;
    return hoop__response_with(req, res, hoop_str_c("Strict-Transport-Security"), *policy,
                               /* replace= */ 0);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    if (hoop_str_eq_c(req->scheme, "https") && hoop__exchange_on_canned(req, respond, value))
        return NULL;
    return hoop_then(req, hoop_call(next, req), respond, value);
}

/* Why the preload list would refuse the options; NULL if it would not. */
static const char *preload_fault(const hoop_hsts_options *options)
{
    if (options->forget)
        return "hsts: 'preload' and 'forget' exclude each other";
    if (options->this_host_only)
        return "hsts: 'preload' includes the subdomains, 'this_host_only' excludes them";
    return options->max_age < YEAR ? "hsts: 'preload' needs a max_age of a year or more" : NULL;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_hsts_options *own = hoop__options_copy(arena, options, options_size, sizeof *own, error);
    hoop_str *policy = own ? hoop_arena_alloc(arena, sizeof *policy) : NULL;
    if (!policy)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    if (!own->max_age)
        own->max_age = YEAR;
    const char *fault = own->preload ? preload_fault(own) : NULL;
    if (fault)
        return hoop_error_set(error, HOOP_EINVAL, "%s", fault);
    *policy = hoop_arena_printf(
        arena, "max-age=%llu%s%s", own->forget ? 0 : (unsigned long long)own->max_age,
        own->this_host_only ? "" : "; includeSubDomains", own->preload ? "; preload" : "");
    if (hoop_str_is_none(*policy))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    *ret_value = policy;
    return 0;
}

const hoop_middleware_type hoop_hsts_type = {
    .name = "hsts",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_response *hoop_hsts_response_sized(const hoop_request *req, const hoop_response *res,
                                              const hoop_hsts_options *options, size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_hsts_type, options, options_size);
    return value ? hoop_then(req, res, respond, value) : NULL;
}
