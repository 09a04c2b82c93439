/* The Cookie header, read as browsers send it; see hoop/cookie.h. Writing is in set_cookie.c. */
#include "codec/chars.h"
#include "codec/form.h"
#include "codec/percent.h"

#include <hoop/cookie.h>

/* Nonzero if there is a control character other than the tab. */
static int has_control(hoop_str text)
{
    for (size_t at = 0; at < text.len; at++) {
        unsigned char c = (unsigned char)text.data[at];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return 1;
    }
    return 0;
}

/* Without the quotes, if there are two. What stands between them is no quoted string: no escapes. */
static hoop_str unquoted(hoop_str value)
{
    if (value.len >= 2 && value.data[0] == '"' && value.data[value.len - 1] == '"')
        return hoop_str_n(value.data + 1, value.len - 2);
    return value;
}

static int read_pair(hoop_str text, hoop_cookie_pair *ret_pair)
{
    const char *equals = memchr(text.data, '=', text.len);
    if (!equals || has_control(text))
        return 0;
    size_t len = (size_t)(equals - text.data);
    hoop_str name = hoop_str_trim(hoop_str_n(text.data, len));
    if (!name.len)
        return 0;
    ret_pair->name = name;
    ret_pair->value = unquoted(hoop_str_trim(hoop_str_n(equals + 1, text.len - len - 1)));
    return 1;
}

int hoop_cookie_next(hoop_str *rest, hoop_cookie_pair *ret_pair)
{
    while (rest->len) {
        const char *stop = memchr(rest->data, ';', rest->len);
        size_t len = stop ? (size_t)(stop - rest->data) : rest->len;
        hoop_str text = hoop_str_n(rest->data, len);
        size_t used = len + (stop != NULL);
        *rest = hoop_str_n(rest->data + used, rest->len - used);
        if (read_pair(text, ret_pair))
            return 1;
    }
    return 0;
}

hoop_str hoop_cookie_at(hoop_str header, const char *name, size_t index)
{
    hoop_cookie_pair pair;
    while (hoop_cookie_next(&header, &pair))
        if (hoop_str_eq_c(pair.name, name) && index-- == 0)
            return pair.value;
    return hoop_str_none();
}

int hoop_cookie_list(hoop_str header, hoop_cookie_pair *pairs, size_t cap, size_t *ret_count)
{
    hoop_cookie_pair pair;
    size_t count = 0;
    while (hoop_cookie_next(&header, &pair)) {
        if (count == cap) {
            *ret_count = count;
            return HOOP_ETOOBIG;
        }
        pairs[count++] = pair;
    }
    *ret_count = count;
    return 0;
}

int hoop_cookie_decode(hoop_arena *arena, hoop_str value, uint32_t encoding, hoop_str *ret_text)
{
    size_t size = value.len;
    int rc = 0;
    if (!arena || encoding > HOOP_COOKIE_FORM)
        return HOOP_EINVAL;
    char *text = hoop_arena_alloc(arena, value.len + 1);
    if (!text)
        return HOOP_ENOMEM;
    if (encoding == HOOP_COOKIE_PERCENT)
        rc = hoop__percent_decode(value, text, &size);
    else if (encoding == HOOP_COOKIE_FORM)
        rc = hoop__form_decode(value, text, &size);
    else
        memcpy(text, value.data, value.len);
    if (rc)
        return rc;
    text[size] = 0;
    *ret_text = hoop_str_n(text, size);
    return 0;
}
