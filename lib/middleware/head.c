/* Middleware "head": see hoop/middleware/head.h. */
#include "middleware/middleware.h"

#include "handler/router.h"
#include "value/response.h"

#include <hoop/middleware/head.h>

/* The length that the body would have; UINT64_MAX if it is not known. */
static uint64_t length_of(const hoop_response *res)
{
    if (res->body_kind == HOOP_BODY_BYTES)
        return res->body.len;
    const struct hoop__source *source = hoop__response_of(res)->source;
    return source ? source->length : UINT64_MAX;
}

static const hoop_response *with_length(const hoop_request *req, const hoop_response *res,
                                        uint64_t length)
{
    if (length == UINT64_MAX || res->status == 204 || res->status == 205 || res->status == 304 ||
        !hoop_str_is_none(hoop_response_header(res, "content-length")))
        return res;
    hoop_str text = hoop__number_text(req, length);
    return hoop_str_is_none(text)
               ? NULL
               : hoop__response_with(req, res, hoop_str_n("Content-Length", 14), text,
                                     /* replace= */ 0);
}

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    (void)value;
    if (req->method_number != HOOP_METHOD_HEAD || res->body_kind == HOOP_BODY_NONE)
        return res;
    const hoop_response *bare = hoop__response_bare(req, res);
    return bare ? with_length(req, bare, length_of(res)) : NULL;
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    if (req->method_number != HOOP_METHOD_HEAD)
        return hoop_call(next, req);
    const hoop_request *inner = hoop__router_of(next) ? req : hoop_with_method(req, "GET");
    return hoop_then(req, hoop_call(next, inner), respond, value);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    const void *own =
        hoop__options_copy(arena, options, options_size, sizeof(hoop_head_options), error);
    if (!own)
        return HOOP_ENOMEM;
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_head_type = {
    .name = "head",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_head_request_sized(const hoop_request *req,
                                            const hoop_response **ret_answer,
                                            const hoop_head_options *options, size_t options_size)
{
    (void)ret_answer;
    (void)options;
    (void)options_size;
    return req && req->method_number == HOOP_METHOD_HEAD ? hoop_with_method(req, "GET") : req;
}

const hoop_response *hoop_head_response_sized(const hoop_request *req, const hoop_response *res,
                                              const hoop_head_options *options, size_t options_size)
{
    (void)options;
    (void)options_size;
    return hoop_then(req, res, respond, NULL);
}
