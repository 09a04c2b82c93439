/* Middleware "timeout": see hoop/middleware/timeout.h. */
#include "middleware/middleware.h"

#include <hoop/middleware/timeout.h>

static const hoop_response *too_late(const hoop_request *req, const void *value)
{
    const hoop_timeout_options *options = value;
    hoop__exchange_cancel(hoop__exchange_of(req));
    const hoop_response *res =
        hoop_problem(req, options->status, "the answer did not come in time");
    if (!options->retry_after)
        return res;
    const char *seconds = hoop_printf(req, "%llu", (unsigned long long)options->retry_after);
    return seconds ? hoop_with_header(req, res, "Retry-After", seconds) : NULL;
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_timeout_options *options = value;
    return hoop_timeout(req, hoop_call(next, req), options->ms, too_late, value);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_timeout_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (!own->ms)
        own->ms = 10000;
    if (!own->status)
        own->status = 503;
    if (own->status < 400 || own->status > 599)
        return hoop_error_set(error, HOOP_EINVAL, "timeout: status %d is not between 400 and 599",
                              (int)own->status);
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_timeout_type = {
    .name = "timeout",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

const hoop_response *hoop_timeout_response_sized(const hoop_request *req, const hoop_response *res,
                                                 const hoop_timeout_options *options,
                                                 size_t options_size)
{
    const hoop_timeout_options *value =
        hoop__options_value(req, &hoop_timeout_type, options, options_size);
    return value ? hoop_timeout(req, res, value->ms, too_late, value) : NULL;
}
