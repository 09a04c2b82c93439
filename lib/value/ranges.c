/* Responses cut to what the request asks for: 304, 412, 206 and 416; see hoop/range.h. */
#include "codec/date.h"
#include "value/conditional.h"
#include "value/response.h"

#include <hoop/deferred.h>
#include <hoop/range.h>

#include <string.h>
#include <sys/random.h>

#define BOUNDARY_SIZE 24

/* --- what is there --------------------------------------------------------------------------- */

static struct hoop__validators validators_of(const hoop_request *req, const hoop_response *res)
{
    struct hoop__validators v = { .exists = 1 };
    hoop_str etag = hoop_response_header(res, "etag");
    hoop_str modified = hoop_response_header(res, "last-modified");
    v.has_etag = !hoop_str_is_none(etag) && hoop__etag_parse(etag, &v.etag) == 0;
    v.has_modified = !hoop_str_is_none(modified) &&
                     hoop__date_parse(modified, hoop__wall_of(req), &v.modified) == 0;
    return v;
}

/* Nonzero, and how long the body is, if it can be cut. */
static int can_be_cut(const hoop_response *res, uint64_t *ret_size)
{
    const struct hoop__source *source = hoop__response_of(res)->source;
    if (hoop_str_eq_nocase(hoop_response_header(res, "accept-ranges"), hoop_str_c("none")))
        return 0;
    switch (res->body_kind) {
    case HOOP_BODY_NONE:
    case HOOP_BODY_BYTES:
        *ret_size = res->body_kind == HOOP_BODY_BYTES ? res->body.len : 0;
        return 1;
    case HOOP_BODY_STREAM:
        *ret_size = source->length;
        return source->length != UINT64_MAX && source->extra && source->extra->seek;
    default:
        return 0;
    }
}

/* --- 304, 412, 416 --------------------------------------------------------------------------- */

/* What tells of the content and not of the resource (RFC 9110 8, 15.4.5). */
static int is_of_content(hoop_str name)
{
    static const char *const names[] = { "content-type",     "content-length", "content-encoding",
                                         "content-language", "content-range",  "accept-ranges" };
    for (size_t i = 0; i < HOOP_COUNT(names); i++)
        if (hoop_str_eq_nocase(name, hoop_str_c(names[i])))
            return 1;
    return 0;
}

/* Its source, if there is one, ends with the arena. */
static const hoop_response *not_modified(const hoop_request *req, const hoop_response *res)
{
    struct hoop__response *fresh = hoop__response_new(req, 304);
    if (!fresh)
        return NULL;
    fresh->attributes = hoop__response_of(res)->attributes;
    for (size_t i = 0; i < res->header_count; i++)
        if (!is_of_content(res->headers[i].name) &&
            hoop__response_append(req, fresh, res->headers[i].name, res->headers[i].value))
            return NULL;
    return &fresh->pub;
}

static const hoop_response *not_satisfiable(const hoop_request *req, uint64_t size)
{
    char *text = hoop_alloc(req, HOOP__CONTENT_RANGE_SIZE);
    if (!text)
        return NULL;
    hoop_str value = hoop_str_n(text, hoop__content_range_write_none(size, text));
    const hoop_response *res = hoop_problem(req, 416, NULL);
    return res ? hoop__response_with(req, res, hoop_str_c("Content-Range"), value, 1) : NULL;
}

/* --- 206 ------------------------------------------------------------------------------------- */

/* The response as a part of itself, with nothing rendered, and the body still the whole. */
static struct hoop__response *partial(const hoop_request *req, const hoop_response *res,
                                      const char *name, hoop_str value)
{
    const hoop_response *next = res;
    if (!hoop_str_is_none(hoop_response_header(res, "content-length")))
        next = hoop_with_header(req, res, "Content-Length", NULL);
    if (next)
        next = hoop_with_status(req, next, 206);
    if (next)
        next = hoop__response_with(req, next, hoop_str_c(name), value, 1);
    struct hoop__response *cut = next ? hoop__response_derive(req, next) : NULL;
    if (!cut)
        return NULL;
    cut->head = hoop_str_none();
    cut->head_count = 0;
    return cut;
}

static const hoop_response *cut_one(const hoop_request *req, const hoop_response *res,
                                    const struct hoop__range *range, uint64_t size)
{
    char *text = hoop_alloc(req, HOOP__CONTENT_RANGE_SIZE);
    if (!text)
        return NULL;
    hoop_str value = hoop_str_n(text, hoop__content_range_write(range, size, text));
    struct hoop__response *cut = partial(req, res, "Content-Range", value);
    if (!cut)
        return NULL;
    if (res->body_kind == HOOP_BODY_BYTES) {
        cut->pub.body = hoop_str_n(res->body.data + range->from, (size_t)range->len);
        return &cut->pub;
    }
    int code = cut->source->extra->seek(cut->source, range->from, range->len);
    return code ? hoop_fail(req, code, "the body can't be cut") : &cut->pub;
}

/* Random, so that nobody can write content that has it. */
static int make_boundary(char *out)
{
    static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_";
    if (getentropy(out, BOUNDARY_SIZE))
        return HOOP_EUNSUPPORTED;
    for (size_t i = 0; i < BOUNDARY_SIZE; i++)
        out[i] = digits[(unsigned char)out[i] & 63];
    return 0;
}

static const hoop_response *cut_many(const hoop_request *req, const hoop_response *res,
                                     const struct hoop__range *ranges, int count, uint64_t size)
{
    static const char multipart[] = "multipart/byteranges; boundary=";
    char *type = hoop_alloc(req, sizeof multipart + BOUNDARY_SIZE);
    if (!type)
        return NULL;
    memcpy(type, multipart, sizeof multipart);
    type[sizeof multipart - 1 + BOUNDARY_SIZE] = 0;
    char *boundary = type + sizeof multipart - 1;
    if (make_boundary(boundary))
        return hoop_fail(req, HOOP_EUNSUPPORTED, "the system gives no random bytes");
    hoop_str value = hoop_str_n(type, sizeof multipart - 1 + BOUNDARY_SIZE);
    struct hoop__response *cut = partial(req, res, "Content-Type", value);
    if (!cut)
        return NULL;
    struct hoop__source *inner =
        res->body_kind == HOOP_BODY_STREAM ? hoop__response_of(res)->source : NULL;
    cut->source = hoop__byteranges_new(req, res->body, inner, ranges, count, size,
                                       hoop_str_n(boundary, BOUNDARY_SIZE),
                                       hoop_response_header(res, "content-type"));
    if (!cut->source)
        return NULL;
    cut->pub.body = hoop_str_none();
    cut->pub.body_kind = HOOP_BODY_STREAM;
    return &cut->pub;
}

/* --- all together ---------------------------------------------------------------------------- */

static const hoop_response *cut(const hoop_request *req, const hoop_response *res,
                                const struct hoop__conditions *conditions,
                                const struct hoop__validators *validators)
{
    struct hoop__range ranges[HOOP__RANGES_MAX];
    uint64_t size;
    if (!can_be_cut(res, &size))
        return res;
    int count = hoop__ranges_of(req, conditions, validators, size, ranges);
    if (count < 0)
        return not_satisfiable(req, size);
    if (hoop_str_is_none(hoop_response_header(res, "accept-ranges")))
        res = hoop__response_with(req, res, hoop_str_c("Accept-Ranges"), hoop_str_c("bytes"), 1);
    if (!res || !count)
        return res;
    return count == 1 ? cut_one(req, res, ranges, size) : cut_many(req, res, ranges, count, size);
}

static const hoop_response *apply(const hoop_request *req, const hoop_response *res,
                                  const void *value)
{
    (void)value;
    struct hoop__conditions conditions;
    if (res->status != 200)
        return res;
    if (hoop__conditions_of(req, &conditions))
        return NULL;
    struct hoop__validators validators = validators_of(req, res);
    switch (hoop__condition_check(&conditions, &validators, 1, hoop__wall_of(req))) {
    case HOOP__NOT_MODIFIED:
        return not_modified(req, res);
    case HOOP__FAILED:
        return hoop_problem(req, 412, NULL);
    default:
        return cut(req, res, &conditions, &validators);
    }
}

const hoop_response *hoop_with_ranges(const hoop_request *req, const hoop_response *res)
{
    if (!req || !res)
        return NULL;
    if (req->method_number != HOOP_METHOD_GET && req->method_number != HOOP_METHOD_HEAD)
        return res;
    return hoop_then(req, res, apply, NULL);
}
