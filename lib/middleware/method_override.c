/* Middleware "method_override": see hoop/middleware/method_override.h. */
#include "middleware/middleware.h"

#include "codec/list.h"

#include <hoop/middleware/method_override.h>
#include <hoop/param.h>

/* What is asked for; absent if nothing is. */
static hoop_str asked(const hoop_request *req, const hoop_method_override_options *options)
{
    hoop_str method = hoop_str_none();
    if (*options->header)
        method = hoop_str_trim(hoop_header(req, options->header));
    if (!method.len && *options->field)
        method = hoop_param_in(req, HOOP_IN_FORM, options->field);
    return method;
}

/* The listed method that is meant, as it is written there; absent if there is none. */
static hoop_str listed(const hoop_method_override_options *options, hoop_str method)
{
    hoop_str rest = hoop_str_c(options->methods), item;
    while (hoop__list_next(&rest, &item) > 0)
        if (hoop_str_eq_nocase(item, method))
            return item;
    return hoop_str_none();
}

static const hoop_request *with_method(const hoop_request *req,
                                       const hoop_method_override_options *options,
                                       const hoop_response **ret_answer)
{
    if (req->method_number != HOOP_METHOD_POST)
        return req;
    hoop_str method = asked(req, options);
    if (!method.len || hoop_str_eq_nocase(method, hoop_str_n("POST", 4)))
        return req;
    method = listed(options, method);
    if (hoop_str_is_none(method)) {
        *ret_answer =
            hoop_problem(req, 400, "the method asked for in place of POST is not allowed");
        return NULL;
    }
    hoop_str copy = hoop_arena_copy(req->arena, method);
    return hoop_str_is_none(copy) ? hoop__fail_memory(req) : hoop_with_method(req, copy.data);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_response *answer = NULL;
    const hoop_request *more = with_method(req, value, &answer);
    return more ? hoop_call(next, more) : answer;
}

static int check_methods(const char *methods, hoop_error *error)
{
    hoop_str rest = hoop_str_c(methods), item;
    int rc;
    while ((rc = hoop__list_next(&rest, &item)) > 0)
        if (!hoop__is_token(item))
            break;
    return rc ? hoop_error_set(error, HOOP_EINVAL, "method_override: '%s' is no list of methods",
                               methods)
              : 0;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_method_override_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (!own->methods)
        own->methods = "PUT, PATCH, DELETE";
    if (!own->field)
        own->field = "_method";
    if (!own->header)
        own->header = "X-HTTP-Method-Override";
    int rc = check_methods(own->methods, error);
    if (!rc)
        *ret_value = own;
    return rc;
}

const hoop_middleware_type hoop_method_override_type = {
    .name = "method_override",
    .needs = "params",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_method_override_request_sized(const hoop_request *req,
                                                       const hoop_response **ret_answer,
                                                       const hoop_method_override_options *options,
                                                       size_t options_size)
{
    const hoop_response *answer = NULL;
    const void *value = hoop__options_value(req, &hoop_method_override_type, options, options_size);
    const hoop_request *more = value ? with_method(req, value, &answer) : NULL;
    if (!more && answer && ret_answer)
        *ret_answer = answer;
    return more;
}
