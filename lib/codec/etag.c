/* The reader of entity tags and their two comparisons; see etag.h. */
#include "codec/etag.h"

#include "codec/chars.h"

/* etagc of RFC 9110 8.8.3. */
static int is_etagc(char c)
{
    unsigned char u = (unsigned char)c;
    return u == 0x21 || (u >= 0x23 && u != 0x7f);
}

/* Reads a tag at the front. The size of its text, or 0. */
static size_t read_etag(hoop_str text, struct hoop__etag *ret_etag)
{
    size_t at = 0;
    int weak = text.len >= 2 && text.data[0] == 'W' && text.data[1] == '/';
    if (weak)
        at = 2;
    if (at == text.len || text.data[at] != '"')
        return 0;
    size_t start = ++at;
    while (at < text.len && is_etagc(text.data[at]))
        at++;
    if (at == text.len || text.data[at] != '"')
        return 0;
    ret_etag->opaque = hoop_str_n(text.data + start, at - start);
    ret_etag->weak = weak;
    return at + 1;
}

int hoop__etag_parse(hoop_str text, struct hoop__etag *ret_etag)
{
    struct hoop__etag etag;
    size_t size = read_etag(text, &etag);
    if (!size || size != text.len)
        return HOOP_EPARSE;
    *ret_etag = etag;
    return 0;
}

int hoop__etag_next(hoop_str *rest, struct hoop__etag *ret_etag)
{
    struct hoop__etag etag;
    const char *p = rest->data;
    size_t at = 0, len = rest->len;
    while (at < len && (p[at] == ',' || hoop__char_is_ows(p[at])))
        at++;
    if (at == len) {
        *rest = hoop_str_n(p + len, 0);
        return 0;
    }
    size_t size = read_etag(hoop_str_n(p + at, len - at), &etag);
    at += size;
    size_t next = at;
    while (next < len && hoop__char_is_ows(p[next]))
        next++;
    if (!size || (next < len && p[next] != ','))
        return HOOP_EPARSE;
    *ret_etag = etag;
    *rest = hoop_str_n(p + next, len - next);
    return 1;
}

int hoop__etag_equal_weak(const struct hoop__etag *a, const struct hoop__etag *b)
{
    return hoop_str_eq(a->opaque, b->opaque);
}

int hoop__etag_equal_strong(const struct hoop__etag *a, const struct hoop__etag *b)
{
    return !a->weak && !b->weak && hoop_str_eq(a->opaque, b->opaque);
}

int hoop__etag_list_has(hoop_str list, const struct hoop__etag *etag, int strong)
{
    struct hoop__etag other;
    while (hoop__etag_next(&list, &other) > 0) {
        if (strong ? hoop__etag_equal_strong(etag, &other) : hoop__etag_equal_weak(etag, &other))
            return 1;
    }
    return 0;
}

int hoop__etag_list_is_any(hoop_str list)
{
    size_t at = 0, end = list.len;
    while (at < end && hoop__char_is_ows(list.data[at]))
        at++;
    while (end > at && hoop__char_is_ows(list.data[end - 1]))
        end--;
    return end - at == 1 && list.data[at] == '*';
}
