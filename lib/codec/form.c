/* Reading and writing urlencoded forms; see form.h. */
#include "codec/form.h"

#include "codec/percent.h"

int hoop__form_next(hoop_str *rest, hoop_str *ret_name, hoop_str *ret_value)
{
    const char *p = rest->data, *end = rest->data + rest->len;

    while (p < end && *p == '&')
        p++;
    if (p == end) {
        *rest = hoop_str_n(end, 0);
        return 0;
    }
    const char *stop = memchr(p, '&', (size_t)(end - p));
    if (!stop)
        stop = end;
    const char *equals = memchr(p, '=', (size_t)(stop - p));
    if (equals) {
        *ret_name = hoop_str_n(p, (size_t)(equals - p));
        *ret_value = hoop_str_n(equals + 1, (size_t)(stop - equals) - 1);
    } else {
        *ret_name = hoop_str_n(p, (size_t)(stop - p));
        *ret_value = hoop_str_none();
    }
    *rest = hoop_str_n(stop, (size_t)(end - stop));
    return 1;
}

int hoop__form_is_encoded(hoop_str text)
{
    return memchr(text.data, '+', text.len) != NULL || hoop__percent_is_encoded(text);
}

/* A '+' that comes out of an escape stays, so spaces are made first; this also moves to `out`. */
static hoop_str with_spaces(hoop_str text, char *out)
{
    for (size_t at = 0; at < text.len; at++)
        out[at] = text.data[at] == '+' ? ' ' : text.data[at];
    return hoop_str_n(out, text.len);
}

int hoop__form_decode(hoop_str text, char *out, size_t *ret_size)
{
    return hoop__percent_decode(with_spaces(text, out), out, ret_size);
}

size_t hoop__form_decode_lenient(hoop_str text, char *out)
{
    return hoop__percent_decode_lenient(with_spaces(text, out), out);
}

static size_t spaces_of(hoop_str text)
{
    size_t spaces = 0;
    for (size_t at = 0; at < text.len; at++)
        spaces += text.data[at] == ' ';
    return spaces;
}

size_t hoop__form_size(const hoop_str *pairs, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) {
        size_t size = hoop__percent_size(pairs[i], HOOP__CHAR_FORM);
        size_t separator = i > 0;
        if (size == SIZE_MAX)
            return SIZE_MAX;
        /* A space takes one byte, not three. */
        size -= spaces_of(pairs[i]) * 2;
        if (size > SIZE_MAX - 1 - total - separator)
            return SIZE_MAX;
        total += size + separator;
    }
    return total;
}

static char *put(hoop_str text, char *out)
{
    size_t from = 0;
    for (size_t at = 0; at <= text.len; at++) {
        if (at < text.len && text.data[at] != ' ')
            continue;
        out += hoop__percent_encode(hoop_str_n(text.data + from, at - from), HOOP__CHAR_FORM, out);
        if (at < text.len)
            *out++ = '+';
        from = at + 1;
    }
    return out;
}

size_t hoop__form_encode(const hoop_str *pairs, size_t count, char *out)
{
    char *next = out;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *next++ = i % 2 ? '=' : '&';
        next = put(pairs[i], next);
    }
    return (size_t)(next - out);
}
