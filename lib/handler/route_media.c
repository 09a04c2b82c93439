/* Media types of routes: what a body may be (415), what may be answered (406), and Vary. */
#include "handler/router.h"

#include "codec/accept.h"
#include "codec/list.h"

#include <hoop/body.h>
#include <hoop/deferred.h>

#include <string.h>

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
        if (hoop__accept_closeness(&row->consumes[i].media, &media))
            return 1;
    return 0;
}

/* --- what is produced ------------------------------------------------------------------------ */

/* The quality of a type by all lines of Accept: that of the range that says most closely what it means. */
static uint32_t quality(const hoop_request *req, const struct hoop__media *media)
{
    struct hoop__accept_match match = { 0, 0 };
    hoop_str line;
    for (size_t i = 0; !hoop_str_is_none(line = hoop_header_at(req, "accept", i)); i++)
        hoop__accept_media(line, media, &match);
    return match.quality;
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
    uint32_t best_quality = 0;
    for (uint32_t i = 0; i < row->produce_count; i++) {
        uint32_t q = quality(req, &row->produces[i].media);
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
