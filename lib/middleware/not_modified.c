/* Middleware "not_modified": see hoop/middleware/not_modified.h. */
#include "middleware/middleware.h"

#include "codec/date.h"
#include "value/conditional.h"
#include "value/response.h"

#include <hoop/middleware/not_modified.h>

static int reads(const hoop_request *req)
{
    return req->method_number == HOOP_METHOD_GET || req->method_number == HOOP_METHOD_HEAD;
}

/* A date that some clients put in quotes. */
static hoop_str date_of(const hoop_request *req, const char *name)
{
    hoop_str value = hoop_str_trim(hoop_header(req, name));
    char first = value.len > 1 ? value.data[0] : 0;
    if ((first == '"' || first == '\'') && value.data[value.len - 1] == first)
        return hoop_str_n(value.data + 1, value.len - 2);
    return value;
}

static int has(const hoop_request *req, const char *name)
{
    return !hoop_str_is_none(hoop_header(req, name));
}

/* Most requests have none. */
static int has_conditions(const hoop_request *req)
{
    return has(req, "if-none-match") || has(req, "if-modified-since") || has(req, "if-match") ||
           has(req, "if-unmodified-since");
}

/* The conditions that lead to 304 or 412. 0, or HOOP_ENOMEM (noted). */
static int conditions_of(const hoop_request *req, struct hoop__conditions *ret)
{
    ret->if_match = hoop_header_joined(req, "if-match");
    ret->if_none_match = hoop_header_joined(req, "if-none-match");
    ret->if_modified_since = date_of(req, "if-modified-since");
    ret->if_unmodified_since = date_of(req, "if-unmodified-since");
    ret->if_range = hoop_str_none();
    if (hoop_str_is_none(ret->if_match) == has(req, "if-match") ||
        hoop_str_is_none(ret->if_none_match) == has(req, "if-none-match")) {
        hoop__fail_memory(req);
        return HOOP_ENOMEM;
    }
    return 0;
}

static int validators_of(const hoop_response *res, int64_t now, struct hoop__validators *ret)
{
    hoop_str tag = hoop_str_trim(hoop_response_header(res, "etag"));
    hoop_str modified = hoop_str_trim(hoop_response_header(res, "last-modified"));
    ret->exists = 1;
    ret->has_etag = !hoop__etag_parse(tag, &ret->etag);
    ret->has_modified = !hoop__date_parse(modified, now, &ret->modified);
    return ret->has_etag || ret->has_modified;
}

/* The response without body, and without the headers that speak of it. */
static const hoop_response *not_modified(const hoop_request *req, const hoop_response *res)
{
    static const char *const gone[] = { "content-type", "content-length", "content-encoding",
                                        "content-language", "content-range" };
    res = hoop__response_bare(req, res);
    for (size_t i = 0; res && i < HOOP_COUNT(gone); i++)
        if (!hoop_str_is_none(hoop_response_header(res, gone[i])))
            res = hoop__response_with(req, res, hoop_str_c(gone[i]), hoop_str_none(),
                                      /* replace= */ 1);
    return hoop_with_status(req, res, 304);
}

static const hoop_response *failed(const hoop_request *req, const hoop_response *res)
{
    if (!hoop__response_bare(req, res)) /* for a stream's sake */
        return NULL;
    const hoop_response *answer = hoop_respond(req, 412);
    for (size_t i = 0; i < res->header_count; i++)
        if (hoop_str_eq_nocase(res->headers[i].name, hoop_str_n("vary", 4)) && answer)
            answer = hoop__response_with(req, answer, res->headers[i].name, res->headers[i].value,
                                         /* replace= */ 0);
    return answer;
}

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    (void)value;
    struct hoop__conditions conditions;
    struct hoop__validators validators;
    if (!reads(req) || res->status < 200 || res->status > 299 || !has_conditions(req))
        return res;
    int64_t now = hoop__wall_of(req);
    if (!validators_of(res, now, &validators))
        return res;
    if (conditions_of(req, &conditions))
        return NULL;
    switch (hoop__condition_check(&conditions, &validators, /* reads= */ 1, now)) {
    case HOOP__NOT_MODIFIED:
        return not_modified(req, res);
    case HOOP__FAILED:
        return failed(req, res);
    case HOOP__PROCEED:
        break;
    }
    return res;
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    return hoop_then(req, hoop_call(next, req), respond, value);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    const void *own =
        hoop__options_copy(arena, options, options_size, sizeof(hoop_not_modified_options), error);
    if (!own)
        return HOOP_ENOMEM;
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_not_modified_type = {
    .name = "not_modified",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_response *hoop_not_modified_response_sized(const hoop_request *req,
                                                      const hoop_response *res,
                                                      const hoop_not_modified_options *options,
                                                      size_t options_size)
{
    (void)options;
    (void)options_size;
    return hoop_then(req, res, respond, NULL);
}
