/* The order and the meaning of the preconditions; see condition.h. */
#include "codec/condition.h"

#include "codec/date.h"

/* RFC 9110 13.1.1. */
static int if_match(hoop_str list, const struct hoop__validators *v)
{
    if (hoop__etag_list_is_any(list))
        return v->exists;
    return v->exists && v->has_etag && hoop__etag_list_has(list, &v->etag, HOOP__ETAG_STRONG);
}

/* RFC 9110 13.1.2. */
static int if_none_match(hoop_str list, const struct hoop__validators *v)
{
    if (hoop__etag_list_is_any(list))
        return !v->exists;
    return !v->exists || !v->has_etag || !hoop__etag_list_has(list, &v->etag, HOOP__ETAG_WEAK);
}

/* Nonzero if the field is there, is a date, and can be compared (RFC 9110 13.1.3 and 13.1.4). */
static int is_date(hoop_str value, const struct hoop__validators *v, int64_t now, int64_t *ret_date)
{
    return !hoop_str_is_none(value) && v->exists && v->has_modified &&
           hoop__date_parse(value, now, ret_date) == 0;
}

enum hoop__verdict hoop__condition_check(const struct hoop__conditions *c,
                                         const struct hoop__validators *v, int reads, int64_t now)
{
    int64_t date;
    if (!hoop_str_is_none(c->if_match)) {
        if (!if_match(c->if_match, v))
            return HOOP__FAILED;
    } else if (is_date(c->if_unmodified_since, v, now, &date) && v->modified > date) {
        return HOOP__FAILED;
    }
    if (!hoop_str_is_none(c->if_none_match)) {
        if (!if_none_match(c->if_none_match, v))
            return reads ? HOOP__NOT_MODIFIED : HOOP__FAILED;
    } else if (reads && is_date(c->if_modified_since, v, now, &date) && v->modified <= date) {
        return HOOP__NOT_MODIFIED;
    }
    return HOOP__PROCEED;
}

int hoop__condition_range(const struct hoop__conditions *c, const struct hoop__validators *v,
                          int64_t now)
{
    struct hoop__etag etag;
    int64_t date;
    if (hoop_str_is_none(c->if_range))
        return 1;
    if (hoop__etag_parse(c->if_range, &etag) == 0)
        return v->exists && v->has_etag && hoop__etag_equal_strong(&etag, &v->etag);
    return is_date(c->if_range, v, now, &date) && date == v->modified && v->modified < now;
}
