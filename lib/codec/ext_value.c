/* Reading extended parameter values; see ext_value.h. */
#include "codec/ext_value.h"

#include "codec/percent.h"
#include "codec/utf8.h"

/* attr-char is what a token has, but for three; the third, the percent sign, is looked at apart. */
static int is_attr_char(char c)
{
    return hoop__char_is(c, HOOP__CHAR_TOKEN) && c != '*' && c != '\'';
}

static int is_control(unsigned char c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0);
}

/* Makes UTF-8 of checked, encoded ISO-8859-1: an escape of three bytes gives two at most. */
static size_t from_latin1(hoop_str text, char *out)
{
    size_t size = 0;
    for (size_t at = 0; at < text.len; at++) {
        unsigned char c = (unsigned char)text.data[at];
        if (c == '%') {
            c = (unsigned char)(hoop__hex_value(text.data[at + 1]) << 4 |
                                hoop__hex_value(text.data[at + 2]));
            at += 2;
        }
        if (c >= 0x80)
            out[size++] = (char)(0xc0 | c >> 6);
        out[size++] = (char)(c < 0x80 ? c : (0x80 | (c & 0x3f)));
    }
    return size;
}

/* Nonzero if there is nothing but attr-chars and right escapes, none of them a control character. */
static int is_encoded_text(hoop_str text, int latin1)
{
    for (size_t at = 0; at < text.len; at++) {
        if (is_attr_char(text.data[at]) && text.data[at] != '%')
            continue;
        if (text.data[at] != '%' || text.len - at < 3 ||
            !hoop__char_is(text.data[at + 1], HOOP__CHAR_HEX) ||
            !hoop__char_is(text.data[at + 2], HOOP__CHAR_HEX))
            return 0;
        unsigned char c = (unsigned char)(hoop__hex_value(text.data[at + 1]) << 4 |
                                          hoop__hex_value(text.data[at + 2]));
        if (latin1 ? is_control(c) : c < 0x20 || c == 0x7f)
            return 0;
        at += 2;
    }
    return 1;
}

int hoop__ext_value_decode(hoop_str value, char *out, size_t *ret_size)
{
    const char *first = memchr(value.data, '\'', value.len);
    size_t len = first ? (size_t)(first - value.data) : 0;
    const char *second = first ? memchr(first + 1, '\'', value.len - len - 1) : NULL;
    if (!second)
        return HOOP_EPARSE;
    hoop_str charset = hoop_str_n(value.data, len);
    size_t behind = (size_t)(second - value.data) + 1, size;
    hoop_str text = hoop_str_n(second + 1, value.len - behind);
    int latin1 = hoop_str_eq_nocase(charset, hoop_str_c("iso-8859-1"));
    if ((!latin1 && !hoop_str_eq_nocase(charset, hoop_str_c("utf-8"))) ||
        !is_encoded_text(text, latin1))
        return HOOP_EPARSE;
    if (latin1) {
        *ret_size = from_latin1(text, out);
        return 0;
    }
    if (hoop__percent_decode(text, out, &size) || hoop__utf8_front(hoop_str_n(out, size)) != size)
        return HOOP_EPARSE;
    *ret_size = size;
    return 0;
}
