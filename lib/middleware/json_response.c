/* Middleware "json_response": see hoop/middleware/json_response.h. */
#include "middleware/middleware.h"

#include "middleware/value.h"

#include <hoop/middleware/json_response.h>

struct json_response {
    size_t flags; /* jansson's */
};

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    const struct json_response *own = value;
    const json_t *body = hoop__value_unwritten(res);
    hoop_str text;
    hoop_error error;
    if (!body)
        return res;
    int rc = hoop_json_dump(req->arena, body, own->flags, &text, &error);
    if (rc)
        return hoop_fail(req, rc, "json_response: %s", error.text);
    return hoop__value_written(req, res, hoop_str_n("application/json", 16), text);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    return hoop_then(req, hoop_call(next, req), respond, value);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    struct json_response *own = hoop_arena_zalloc(arena, sizeof *own);
    const hoop_json_response_options *copy =
        hoop__options_copy(arena, options, options_size, sizeof *copy, error);
    if (!own || !copy)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    if (copy->indent > 31)
        return hoop_error_set(error, HOOP_EINVAL, "json_response: an indent of %lu is over 31",
                              (unsigned long)copy->indent);
    own->flags = JSON_ENCODE_ANY | (copy->indent ? JSON_INDENT(copy->indent) : JSON_COMPACT) |
                 (copy->ascii ? JSON_ENSURE_ASCII : 0) | (copy->sort ? JSON_SORT_KEYS : 0);
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_json_response_type = {
    .name = "json_response",
    .provides = "value",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_response *hoop_json_response_response_sized(const hoop_request *req,
                                                       const hoop_response *res,
                                                       const hoop_json_response_options *options,
                                                       size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_json_response_type, options, options_size);
    return value ? hoop_then(req, res, respond, value) : NULL;
}
