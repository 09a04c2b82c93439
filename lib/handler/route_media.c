/* Media types of routes: what a body may be (415), what may be answered (406), and Vary. */
#include "handler/router.h"

#include "codec/list.h"

#include <hoop/body.h>
#include <hoop/deferred.h>

#include <string.h>

#define FULL 1000 /* a quality of 1, in thousandths */

/* --- lists in tables ------------------------------------------------------------------------- */

int hoop__route_media_parse(hoop_arena *arena, const char *list,
                            const struct hoop__route_media **ret_media, uint32_t *ret_count,
                            hoop_error *error)
{
    hoop_str text = hoop_arena_copy(arena, hoop_str_c(list)), rest = text, item;
    uint32_t cap = 1, count = 0;
    for (size_t i = 0; i < text.len; i++)
        cap += text.data[i] == ',';
    struct hoop__route_media *media = hoop_arena_zalloc(arena, cap * sizeof *media);
    if (!media || hoop_str_is_none(text))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    int more;
    while ((more = hoop__list_next(&rest, &item)) > 0) {
        struct hoop__route_media *m = &media[count++];
        m->text = hoop_arena_copy(arena, item);
        if (hoop_str_is_none(m->text))
            return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
        if (hoop__media_parse(m->text, &m->media))
            return hoop_error_set(error, HOOP_EINVAL,
                                  "'%s' is no media type: write type/subtype, several by commas",
                                  m->text.data);
    }
    if (more < 0 || !count)
        return hoop_error_set(error, HOOP_EINVAL, "'%s' is no list of media types", list);
    *ret_media = media;
    *ret_count = count;
    return 0;
}

static int is_star(hoop_str s)
{
    return s.len == 1 && s.data[0] == '*';
}

/* Nonzero if the parameters of `range` are all among those of `media`. */
static int has_params(const struct hoop__media *media, hoop_str range)
{
    struct hoop__param wanted, found;
    while (hoop__param_next(&range, &wanted) > 0) {
        if (hoop_str_eq_nocase(wanted.name, hoop_str_c("q")))
            break;
        hoop_str rest = media->params;
        int same = 0;
        while (!same && hoop__param_next(&rest, &found) > 0)
            same = hoop_str_eq_nocase(found.name, wanted.name) &&
                   hoop_str_eq_nocase(found.value, wanted.value);
        if (!same)
            return 0;
    }
    return 1;
}

/* How well a range fits a type: 0 not at all, more the closer it says what it means. */
static int closeness(const struct hoop__media *range, const struct hoop__media *media)
{
    if (is_star(range->type))
        return is_star(range->subtype);
    if (!hoop_str_eq_nocase(range->type, media->type))
        return 0;
    if (is_star(range->subtype))
        return 2;
    if (!hoop_str_eq_nocase(range->subtype, media->subtype) || !has_params(media, range->params))
        return 0;
    struct hoop__param first;
    hoop_str rest = range->params;
    int has =
        hoop__param_next(&rest, &first) > 0 && !hoop_str_eq_nocase(first.name, hoop_str_c("q"));
    return has ? 4 : 3;
}

/* --- what is consumed ------------------------------------------------------------------------ */

int hoop__route_consumes(const struct hoop__row *row, const hoop_request *req)
{
    hoop_str value = hoop_header(req, "content-type");
    if (hoop_str_is_none(value))
        return !row->needs_body_type && !hoop_has_body(req);
    struct hoop__media media;
    if (hoop__media_parse(hoop_str_trim(value), &media))
        return 0;
    for (uint32_t i = 0; i < row->consume_count; i++)
        if (closeness(&row->consumes[i].media, &media))
            return 1;
    return 0;
}

/* --- what is produced ------------------------------------------------------------------------ */

/* In thousandths (RFC 9110 12.4.2). What is no weight counts as 1, what is above as 1. */
static int weight_of(hoop_str value)
{
    if (!value.len || (value.data[0] != '0' && value.data[0] != '1'))
        return FULL;
    if (value.data[0] == '1' || value.len == 1)
        return value.data[0] == '1' ? FULL : 0;
    if (value.data[1] != '.')
        return FULL;
    int weight = 0, unit = 100;
    for (size_t i = 2; i < value.len; i++, unit /= 10) {
        if ((unsigned char)(value.data[i] - '0') > 9)
            return FULL;
        weight += (value.data[i] - '0') * unit;
    }
    return weight;
}

static int quality_of(const struct hoop__media *range)
{
    hoop_str rest = range->params;
    struct hoop__param param;
    while (hoop__param_next(&rest, &param) > 0)
        if (hoop_str_eq_nocase(param.name, hoop_str_c("q")))
            return weight_of(param.value);
    return FULL;
}

/* Goes on to the next range of all Accept headers; 0 at the end. What is no range is passed over. */
static int next_range(const hoop_request *req, size_t *header, hoop_str *rest,
                      struct hoop__media *ret_range)
{
    hoop_str item;
    for (;;) {
        while (hoop__list_next(rest, &item) > 0)
            if (hoop__media_parse(item, ret_range) == 0)
                return 1;
        *rest = hoop_header_at(req, "accept", (*header)++);
        if (hoop_str_is_none(*rest))
            return 0;
    }
}

/* The quality of a type: that of the range that says most closely what it means. */
static int quality(const hoop_request *req, const struct hoop__media *media)
{
    size_t header = 0;
    hoop_str rest = hoop_str_c("");
    struct hoop__media range;
    int best = 0, q = 0;
    while (next_range(req, &header, &rest, &range)) {
        int close = closeness(&range, media);
        if (close > best) {
            best = close;
            q = quality_of(&range);
        }
    }
    return q;
}

/* Nonzero if Accept says anything at all. */
static int has_accept(const hoop_request *req)
{
    size_t header = 0;
    hoop_str value;
    while (!hoop_str_is_none(value = hoop_header_at(req, "accept", header++)))
        if (hoop_str_trim(value).len)
            return 1;
    return 0;
}

const struct hoop__route_media *hoop__route_produces(const struct hoop__row *row,
                                                     const hoop_request *req)
{
    if (!has_accept(req))
        return &row->produces[0];
    const struct hoop__route_media *best = NULL;
    int best_quality = 0;
    for (uint32_t i = 0; i < row->produce_count; i++) {
        int q = quality(req, &row->produces[i].media);
        if (q > best_quality) {
            best_quality = q;
            best = &row->produces[i];
        }
    }
    return best;
}

/* --- Vary ------------------------------------------------------------------------------------ */

static const hoop_response *vary(const hoop_request *req, const hoop_response *res,
                                 const void *value)
{
    const char *name = value;
    for (size_t i = 0; i < res->header_count; i++)
        if (hoop_str_eq_nocase(res->headers[i].name, hoop_str_c("vary")) &&
            (hoop__list_has(res->headers[i].value, hoop_str_c(name)) ||
             hoop__list_has(res->headers[i].value, hoop_str_c("*"))))
            return res;
    return hoop_add_header(req, res, "Vary", name);
}

const hoop_response *hoop__add_vary(const hoop_request *req, const hoop_response *res,
                                    const char *name)
{
    return hoop_then(req, res, vary, name);
}
