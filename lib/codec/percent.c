/* Percent-encoding by the table of byte classes; see percent.h. */
#include "codec/percent.h"

int hoop__percent_is_encoded(hoop_str text)
{
    return memchr(text.data, '%', text.len) != NULL;
}

/* Nonzero if an escape stands at `at`. */
static int is_escape(hoop_str text, size_t at)
{
    return text.data[at] == '%' && text.len - at >= 3 &&
           hoop__char_is(text.data[at + 1], HOOP__CHAR_HEX) &&
           hoop__char_is(text.data[at + 2], HOOP__CHAR_HEX);
}

static char unescape(const char *escape)
{
    return (char)(unsigned char)(hoop__hex_value(escape[1]) << 4 | hoop__hex_value(escape[2]));
}

int hoop__percent_decode(hoop_str text, char *out, size_t *ret_size)
{
    size_t size = 0;
    for (size_t at = 0; at < text.len; at++) {
        char c = text.data[at];
        if (c == '%') {
            if (!is_escape(text, at))
                return HOOP_EPARSE;
            c = unescape(text.data + at);
            at += 2;
        }
        if (c == '\0')
            return HOOP_EPARSE;
        out[size++] = c;
    }
    *ret_size = size;
    return 0;
}

size_t hoop__percent_decode_lenient(hoop_str text, char *out)
{
    size_t size = 0;
    for (size_t at = 0; at < text.len; at++) {
        if (is_escape(text, at)) {
            out[size++] = unescape(text.data + at);
            at += 2;
        } else {
            out[size++] = text.data[at];
        }
    }
    return size;
}

size_t hoop__percent_size(hoop_str text, unsigned keep)
{
    size_t escapes = 0;
    for (size_t at = 0; at < text.len; at++)
        escapes += !hoop__char_is(text.data[at], keep);
    return escapes > (SIZE_MAX - text.len) / 2 ? SIZE_MAX : text.len + escapes * 2;
}

size_t hoop__percent_encode(hoop_str text, unsigned keep, char *out)
{
    static const char digits[] = "0123456789ABCDEF";
    char *next = out;
    for (size_t at = 0; at < text.len; at++) {
        unsigned char c = (unsigned char)text.data[at];
        if (hoop__char_is((char)c, keep)) {
            *next++ = (char)c;
        } else {
            *next++ = '%';
            *next++ = digits[c >> 4];
            *next++ = digits[c & 15];
        }
    }
    return (size_t)(next - out);
}
