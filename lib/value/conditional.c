/* Conditional requests: the conditions of a request against what a response says of itself. */
#include "value/conditional.h"

#include "base/clock.h"
#include "value/pending.h"

#include <hoop/range.h>

int64_t hoop__wall_of(const hoop_request *req)
{
    struct hoop__exchange *x = hoop__exchange_of(req);
    if (!x)
        return 0;
    /* Another thread must not look at the loop, which may be closing. */
    return hoop__on_loop(req) ? x->loop->wall(x->loop) : hoop__clock_wall();
}

/* The value of a list, its lines joined. 0, or HOOP_ENOMEM (noted). */
static int list_of(const hoop_request *req, const char *name, hoop_str *ret)
{
    *ret = hoop_header(req, name);
    if (hoop_str_is_none(*ret))
        return 0;
    *ret = hoop_header_joined(req, name);
    return hoop_str_is_none(*ret) ? HOOP_ENOMEM : 0;
}

int hoop__conditions_of(const hoop_request *req, struct hoop__conditions *ret)
{
    if (list_of(req, "if-match", &ret->if_match) ||
        list_of(req, "if-none-match", &ret->if_none_match))
        return HOOP_ENOMEM;
    ret->if_modified_since = hoop_header(req, "if-modified-since");
    ret->if_unmodified_since = hoop_header(req, "if-unmodified-since");
    ret->if_range = hoop_header(req, "if-range");
    return 0;
}

int hoop__ranges_of(const hoop_request *req, const struct hoop__conditions *conditions,
                    const struct hoop__validators *validators, uint64_t size,
                    struct hoop__range *ret_ranges)
{
    hoop_str range = hoop_header(req, "range");
    if (hoop_str_is_none(range) || req->method_number != HOOP_METHOD_GET ||
        !hoop_str_is_none(hoop_header_at(req, "range", 1)) ||
        !hoop__condition_range(conditions, validators, hoop__wall_of(req)))
        return 0;
    return hoop__range_parse(range, size, ret_ranges);
}

static int reads(const hoop_request *req)
{
    return req->method_number == HOOP_METHOD_GET || req->method_number == HOOP_METHOD_HEAD;
}

/* RFC 9110 13.2.1: methods that select nothing have no conditions. */
static int selects(const hoop_request *req)
{
    return req->method_number != HOOP_METHOD_CONNECT && req->method_number != HOOP_METHOD_OPTIONS &&
           req->method_number != HOOP_METHOD_TRACE;
}

int hoop_precondition(const hoop_request *req, const char *etag, int64_t modified)
{
    struct hoop__conditions conditions;
    struct hoop__validators v = { 0 };
    if (!req || !selects(req) || hoop__conditions_of(req, &conditions))
        return 0;
    if (etag && hoop__etag_parse(hoop_str_c(etag), &v.etag))
        return 0;
    v.has_etag = etag != NULL;
    v.has_modified = modified != HOOP_NO_TIME;
    v.modified = modified;
    v.exists = v.has_etag || v.has_modified;
    switch (hoop__condition_check(&conditions, &v, reads(req), hoop__wall_of(req))) {
    case HOOP__NOT_MODIFIED:
        return 304;
    case HOOP__FAILED:
        return 412;
    default:
        return 0;
    }
}
