/* Fields of a head that the engine looks into: Connection, Content-Length, Expect. */
#include "http1/field.h"

#include <string.h>

int hoop__h1_field(char *line, char *eol, hoop_field *ret, char *ret_cut)
{
    return hoop__h1_split_field(line, eol, ret, ret_cut);
}

/* Once. */
int hoop__h1_read_length(struct hoop__h1_exchange *h, hoop_str value)
{
    if (h->has_length || hoop__length_read(value, &h->length))
        return 400;
    h->has_length = 1;
    return 0;
}

static int read_option(struct hoop__h1_exchange *h, hoop_str option)
{
    if (hoop__h1_is_text(option, "close", 5))
        return h->noted.asks_close = 1;
    if (hoop__h1_is_text(option, "keep-alive", 10))
        return h->noted.asks_keep = 1;
    return 0;
}

/* RFC 9110 7.6.1: a list of tokens. What is no known option says nothing to us. */
void hoop__h1_read_connection(struct hoop__h1_exchange *h, hoop_str value)
{
    if (read_option(h, value))
        return; /* nearly always one alone */
    const char *p = value.data, *end = p + value.len;
    while (p < end) {
        const char *comma = memchr(p, ',', (size_t)(end - p));
        const char *next = comma ? comma + 1 : end, *last = comma ? comma : end;
        while (p < last && hoop__h1_is_blank(*p))
            p++;
        while (last > p && hoop__h1_is_blank(last[-1]))
            last--;
        read_option(h, hoop_str_n(p, (size_t)(last - p)));
        p = next;
    }
}

/* The one expectation there is (RFC 9110 10.1.1). */
int hoop__h1_is_expectation(hoop_str value)
{
    return value.len == 12 && memcmp(value.data, "100-", 4) == 0 &&
           hoop__h1_is_text(hoop_str_n(value.data + 4, 8), "continue", 8);
}
