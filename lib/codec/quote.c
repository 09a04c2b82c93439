/* Writing quoted strings; see quote.h. */
#include "codec/quote.h"

static int needs_backslash(char c)
{
    return c == '"' || c == '\\';
}

size_t hoop__quote_size(hoop_str text)
{
    size_t size = 2;
    for (size_t at = 0; at < text.len; at++) {
        if (!hoop__is_quotable(text.data[at]))
            return 0;
        size += needs_backslash(text.data[at]) ? 2 : 1;
    }
    return size;
}

size_t hoop__quote(hoop_str text, char *out)
{
    char *next = out;
    *next++ = '"';
    for (size_t at = 0; at < text.len; at++) {
        if (needs_backslash(text.data[at]))
            *next++ = '\\';
        *next++ = text.data[at];
    }
    *next++ = '"';
    return (size_t)(next - out);
}
