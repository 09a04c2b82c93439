/* Reading and matching of the Accept headers; see accept.h and hoop/accept.h. */
#include "codec/accept.h"

#include "codec/chars.h"
#include "codec/list.h"

#include <hoop/error.h>

#define CLOSE_STAR 1u
#define CLOSE_MORE 2u /* a language that is less than what was asked for */
#define CLOSE_NAME 3u

static int is_star(hoop_str s)
{
    return s.len == 1 && s.data[0] == '*';
}

/* --- weights --------------------------------------------------------------------------------- */

/* In thousandths (RFC 9110 12.4.2); ".5", which old clients send, is a half. */
static uint32_t weight_of(hoop_str value)
{
    uint32_t weight = 0, unit = 100;
    size_t at = value.len && value.data[0] == '0';
    if (at == value.len)
        return at ? 0 : HOOP__FULL_QUALITY;
    if (value.data[at++] != '.')
        return HOOP__FULL_QUALITY;
    for (; at < value.len; at++, unit /= 10) {
        uint32_t digit = (uint32_t)(unsigned char)value.data[at] - '0';
        if (digit > 9)
            return HOOP__FULL_QUALITY;
        weight += digit * unit;
    }
    return weight;
}

uint32_t hoop__accept_weight(hoop_str params)
{
    struct hoop__param param;
    while (hoop__param_next(&params, &param) > 0)
        if (hoop_str_eq_nocase(param.name, hoop_str_c("q")))
            return weight_of(param.value);
    return HOOP__FULL_QUALITY;
}

/* The bytes of an element in front of its weight; those of all of it if it has none. */
static size_t weighed_len(hoop_str item, size_t head)
{
    hoop_str rest = hoop_str_n(item.data + head, item.len - head);
    struct hoop__param param;
    size_t end = head;
    while (hoop__param_next(&rest, &param) > 0) {
        if (hoop_str_eq_nocase(param.name, hoop_str_c("q")))
            return end;
        end = (size_t)(rest.data - item.data);
    }
    return rest.len ? item.len : end;
}

/* Splits an element into what stands in front of its parameters and these. */
static size_t head_len(hoop_str item)
{
    size_t at = 0;
    while (at < item.len &&
           (hoop__char_is(item.data[at], HOOP__CHAR_TOKEN) || item.data[at] == '/'))
        at++;
    return at;
}

static hoop_str behind(hoop_str item, size_t head)
{
    return hoop_str_n(item.data + head, item.len - head);
}

/* --- media types ----------------------------------------------------------------------------- */

/* Nonzero if a type has the parameter, values compared without case. */
static int has_param(const struct hoop__media *media, const struct hoop__param *wanted)
{
    hoop_str rest = media->params;
    struct hoop__param found;
    while (hoop__param_next(&rest, &found) > 0)
        if (hoop_str_eq_nocase(found.name, wanted->name) &&
            hoop_str_eq_nocase(found.value, wanted->value))
            return 1;
    return 0;
}

uint32_t hoop__accept_closeness(const struct hoop__media *range, const struct hoop__media *media)
{
    if (is_star(range->type))
        return is_star(range->subtype) ? CLOSE_STAR : 0;
    if (!hoop_str_eq_nocase(range->type, media->type))
        return 0;
    if (is_star(range->subtype))
        return CLOSE_STAR + 1;
    if (!hoop_str_eq_nocase(range->subtype, media->subtype))
        return 0;
    uint32_t closeness = CLOSE_NAME;
    hoop_str rest = range->params;
    struct hoop__param wanted;
    while (hoop__param_next(&rest, &wanted) > 0) {
        if (hoop_str_eq_nocase(wanted.name, hoop_str_c("q")))
            break;
        if (!has_param(media, &wanted))
            return 0;
        closeness++;
    }
    return closeness;
}

void hoop__accept_media(hoop_str line, const struct hoop__media *media,
                        struct hoop__accept_match *match)
{
    hoop_str item;
    struct hoop__media range;
    while (hoop__list_next(&line, &item) > 0) {
        if (hoop__media_parse(item, &range))
            continue;
        uint32_t closeness = hoop__accept_closeness(&range, media);
        if (closeness > match->closeness) {
            match->closeness = closeness;
            match->quality = hoop__accept_weight(range.params);
        }
    }
}

/* --- tokens ---------------------------------------------------------------------------------- */

/* "x-gzip" and "x-compress" are old names of the codings without "x-" (RFC 9110 8.4.1). */
static hoop_str coding_name(hoop_str name)
{
    hoop_str plain = name.len > 2 ? hoop_str_n(name.data + 2, name.len - 2) : name;
    if (name.len > 2 && (name.data[0] | 0x20) == 'x' && name.data[1] == '-' &&
        (hoop_str_eq_nocase(plain, hoop_str_c("gzip")) ||
         hoop_str_eq_nocase(plain, hoop_str_c("compress"))))
        return plain;
    return name;
}

/* Nonzero if `tag` is `start`, or goes on behind it with "-". */
static int begins_with(hoop_str tag, hoop_str start)
{
    return tag.len >= start.len && (tag.len == start.len || tag.data[start.len] == '-') &&
           hoop_str_eq_nocase(hoop_str_n(tag.data, start.len), start);
}

static uint32_t token_closeness(uint32_t kind, hoop_str range, hoop_str offer)
{
    if (is_star(range))
        return CLOSE_STAR;
    if (kind == HOOP_ACCEPT_LANGUAGE) {
        if (begins_with(offer, range))
            return CLOSE_NAME + (uint32_t)range.len;
        return begins_with(range, offer) ? CLOSE_MORE : 0;
    }
    if (kind == HOOP_ACCEPT_ENCODING)
        return hoop_str_eq_nocase(coding_name(range), coding_name(offer)) ? CLOSE_NAME : 0;
    return hoop_str_eq_nocase(range, offer) ? CLOSE_NAME : 0;
}

/* Takes an element as the closest if it is. */
static void match_token(uint32_t closeness, uint32_t quality, struct hoop__accept_match *match)
{
    if (closeness == CLOSE_MORE) {
        /* Who refuses "en-GB" has said nothing of "en". Of several the most wanted counts. */
        if (quality == 0 || closeness < match->closeness)
            return;
        quality -= quality > 1;
        if (closeness > match->closeness || quality > match->quality)
            *match = (struct hoop__accept_match){ closeness, quality };
    } else if (closeness > match->closeness) {
        *match = (struct hoop__accept_match){ closeness, quality };
    }
}

static void accept_token(uint32_t kind, hoop_str line, hoop_str offer,
                         struct hoop__accept_match *match)
{
    hoop_str item;
    while (hoop__list_next(&line, &item) > 0) {
        size_t head = head_len(item);
        uint32_t closeness = token_closeness(kind, hoop_str_n(item.data, head), offer);
        if (head && closeness && closeness >= match->closeness)
            match_token(closeness, hoop__accept_weight(behind(item, head)), match);
    }
}

/* --- what is public -------------------------------------------------------------------------- */

static uint32_t encoding_quality(hoop_str header, hoop_str offer)
{
    struct hoop__accept_match match = { 0, 0 };
    int identity = hoop_str_eq_nocase(offer, hoop_str_c("identity"));
    if (!hoop_str_trim(header).len)
        return identity ? HOOP__FULL_QUALITY : (uint32_t)hoop_str_is_none(header);
    accept_token(HOOP_ACCEPT_ENCODING, header, offer, &match);
    return match.closeness ? match.quality : (uint32_t)identity;
}

uint32_t hoop_accept_quality(uint32_t kind, hoop_str header, hoop_str offer)
{
    struct hoop__accept_match match = { 0, 0 };
    struct hoop__media media;
    if (kind == HOOP_ACCEPT_ENCODING)
        return encoding_quality(header, offer);
    if (!hoop_str_trim(header).len)
        return HOOP__FULL_QUALITY;
    if (kind != HOOP_ACCEPT_MEDIA)
        accept_token(kind, header, offer, &match);
    else if (hoop__media_parse(offer, &media) == 0)
        hoop__accept_media(header, &media, &match);
    return match.quality;
}

/* Nonzero if an offer can be made: a media type or a token, its weight apart. */
static int is_offer(uint32_t kind, hoop_str value)
{
    struct hoop__media media;
    if (kind == HOOP_ACCEPT_MEDIA)
        return hoop__media_parse(value, &media) == 0;
    return value.len > 0 && kind <= HOOP_ACCEPT_LANGUAGE && !memchr(value.data, '/', value.len) &&
           head_len(value) == value.len;
}

int hoop_accept_best(uint32_t kind, hoop_str header, const char *const *offers, size_t count,
                     size_t *ret_index)
{
    uint32_t best = 0;
    size_t index = 0;
    for (size_t i = 0; i < count; i++) {
        hoop_str item = hoop_str_c(offers[i]);
        size_t head = head_len(item);
        hoop_str value = hoop_str_n(item.data, weighed_len(item, head));
        if (!is_offer(kind, value))
            return HOOP_EINVAL;
        uint32_t quality = hoop_accept_quality(kind, header, value);
        quality *= hoop__accept_weight(behind(item, head));
        if (quality > best) {
            best = quality;
            index = i;
        }
    }
    if (best == 0)
        return HOOP_EMISSING;
    *ret_index = index;
    return 0;
}

/* Nonzero if `a` stands in front of `b` in the list. */
static int goes_first(const hoop_accept_item *a, const hoop_accept_item *b)
{
    return a->quality != b->quality ? a->quality > b->quality : a->place < b->place;
}

/* Lets items[at] sink in a heap whose top is what goes last. */
static void sink(hoop_accept_item *items, size_t count, size_t at)
{
    hoop_accept_item item = items[at];
    for (size_t child; (child = at * 2 + 1) < count; at = child) {
        if (child + 1 < count && goes_first(&items[child], &items[child + 1]))
            child++;
        if (!goes_first(&item, &items[child]))
            break;
        items[at] = items[child];
    }
    items[at] = item;
}

/* A heap sort: no memory, and no input that makes it slow. */
static void sort(hoop_accept_item *items, size_t count)
{
    for (size_t at = count / 2; at-- > 0;)
        sink(items, count, at);
    for (size_t left = count; left-- > 1;) {
        hoop_accept_item last = items[0];
        items[0] = items[left];
        items[left] = last;
        sink(items, left, 0);
    }
}

size_t hoop_accept_list(hoop_str header, hoop_accept_item *items, size_t cap)
{
    size_t count = 0;
    uint32_t place = 0;
    hoop_str item;
    while (count < cap && hoop__list_next(&header, &item) > 0) {
        size_t head = head_len(item);
        if (head) {
            items[count].value = hoop_str_n(item.data, weighed_len(item, head));
            items[count].quality = hoop__accept_weight(behind(item, head));
            items[count].place = place;
            count++;
        }
        place++;
    }
    sort(items, count);
    return count;
}
