/* What middleware that reads bodies asks of a request; see body.h. */
#include "middleware/body.h"

#include "codec/list.h"

#include <hoop/router.h>

int hoop__body_is_utf8(const hoop_request *req)
{
    hoop_str charset = hoop_request_charset(req);
    return hoop_str_is_none(charset) || hoop_str_eq_nocase(charset, hoop_str_n("utf-8", 5)) ||
           hoop_str_eq_nocase(charset, hoop_str_n("us-ascii", 8));
}

int hoop__body_is_streamed(const hoop_request *req)
{
    const hoop_route *route = hoop_request_route(req);
    return route && route->body == HOOP_REQUEST_STREAM;
}

static int has_suffix(hoop_str subtype, hoop_str suffix)
{
    return subtype.len > suffix.len &&
           hoop_str_eq_nocase(hoop_str_n(subtype.data + subtype.len - suffix.len, suffix.len),
                              suffix);
}

int hoop__media_means(const struct hoop__media *media, hoop_str list)
{
    struct hoop__media known;
    hoop_str item;
    while (hoop__list_next(&list, &item) > 0) {
        if (item.data[0] == '+') {
            if (has_suffix(media->subtype, item))
                return 1;
        } else if (!hoop__media_parse(item, &known) &&
                   hoop_str_eq_nocase(media->type, known.type) &&
                   hoop_str_eq_nocase(media->subtype, known.subtype)) {
            return 1;
        }
    }
    return 0;
}
