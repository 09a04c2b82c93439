/* The walk over a comma-separated list; see list.h. */
#include "codec/list.h"

#include "codec/chars.h"

/* The index behind the quoted string that opens at `at`; 0 if it does not end. */
static size_t quoted_end(hoop_str text, size_t at)
{
    for (at++; at < text.len; at++) {
        if (text.data[at] == '"')
            return at + 1;
        if (text.data[at] == '\\')
            at++;
    }
    return 0;
}

int hoop__list_next(hoop_str *rest, hoop_str *ret_item)
{
    const char *p = rest->data;
    size_t len = rest->len, at = 0;

    while (at < len && (p[at] == ',' || hoop__char_is_ows(p[at])))
        at++;
    if (at == len) {
        *rest = hoop_str_n(p + len, 0);
        return 0;
    }
    size_t start = at;
    while (at < len && p[at] != ',') {
        if (p[at] == '"')
            at = quoted_end(*rest, at);
        else
            at++;
        if (at == 0)
            return HOOP_EPARSE;
    }
    size_t end = at;
    while (hoop__char_is_ows(p[end - 1]))
        end--;
    *ret_item = hoop_str_n(p + start, end - start);
    *rest = hoop_str_n(p + at, len - at);
    return 1;
}

int hoop__list_has(hoop_str list, hoop_str token)
{
    hoop_str item;
    while (hoop__list_next(&list, &item) > 0) {
        if (hoop_str_eq_nocase(item, token))
            return 1;
    }
    return 0;
}
