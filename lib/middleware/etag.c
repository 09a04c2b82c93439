/* Middleware "etag": see hoop/middleware/etag.h. */
#include "middleware/middleware.h"

#include "codec/hash.h"
#include "value/response.h"

#include <hoop/middleware/etag.h>

static int reads(const hoop_request *req)
{
    return req->method_number == HOOP_METHOD_GET || req->method_number == HOOP_METHOD_HEAD;
}

/* The digits of a number, at least so many. */
static char *put_hex(char *out, uint64_t number, int digits)
{
    while (digits < 16 && number >> (digits * 4))
        digits++;
    while (digits-- > 0)
        *out++ = "0123456789abcdef"[number >> (digits * 4) & 15];
    return out;
}

/* W/"LENGTH-HASH". Absent: out of memory, noted. */
static hoop_str tag_of(const hoop_request *req, hoop_str body, int weak)
{
    char *tag = hoop_alloc(req, 40), *end = tag;
    if (!tag)
        return hoop_str_none();
    if (weak) {
        *end++ = 'W';
        *end++ = '/';
    }
    *end++ = '"';
    end = put_hex(end, body.len, 1);
    *end++ = '-';
    end = put_hex(end, hoop__hash64(body), 16);
    *end++ = '"';
    *end = 0;
    return hoop_str_n(tag, (size_t)(end - tag));
}

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    const hoop_etag_options *options = value;
    if (!reads(req) || res->status != 200 || res->body_kind != HOOP_BODY_BYTES ||
        res->body.len > options->max_size || !hoop_str_is_none(hoop_response_header(res, "etag")))
        return res;
    hoop_str tag = tag_of(req, res->body, options->weak != 0);
    return hoop_str_is_none(tag) ? NULL
                                 : hoop__response_with(req, res, hoop_str_n("ETag", 4), tag,
                                                       /* replace= */ 0);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    return hoop_then(req, hoop_call(next, req), respond, value);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_etag_options *own = hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (!own->max_size)
        own->max_size = (uint64_t)1 << 20;
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_etag_type = {
    .name = "etag",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_response *hoop_etag_response_sized(const hoop_request *req, const hoop_response *res,
                                              const hoop_etag_options *options, size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_etag_type, options, options_size);
    return value ? hoop_then(req, res, respond, value) : NULL;
}
