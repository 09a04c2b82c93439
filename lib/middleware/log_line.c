/* A line of the access log; see log_line.h. */
#include "middleware/log_line.h"

#include "base/digits.h"
#include "codec/utf8.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_ESCAPE 6

void hoop__line_bytes(struct hoop__line *line, const char *bytes, size_t len)
{
    size_t room = sizeof line->data - 1 - line->len;
    if (len > room)
        len = room;
    memcpy(line->data + line->len, bytes, len);
    line->len += len;
    line->data[line->len] = 0;
}

void hoop__line_put(struct hoop__line *line, const char *text)
{
    hoop__line_bytes(line, text, strlen(text));
}

void hoop__line_number(struct hoop__line *line, uint64_t number)
{
    char digits[HOOP__DIGITS];
    hoop__line_bytes(line, digits, hoop__digits(number, digits));
}

/* How many bytes at the front of the text may stand as they are: a character, or 0. */
static size_t plain(hoop_str text)
{
    unsigned char c = (unsigned char)text.data[0];
    if (c < 0x80)
        return c >= 0x20 && c != 0x7f && c != '"' && c != '\\';
    for (size_t len = 2; len <= 4 && len <= text.len; len++)
        if (hoop__utf8_is_valid(hoop_str_n(text.data, len)))
            return len;
    return 0;
}

/* One byte of a client's that must not stand as it is. */
static void put_escape(struct hoop__line *line, char c)
{
    char text[LONGEST_ESCAPE + 1];
    if (!line->json)
        snprintf(text, sizeof text, "\\x%02X", (unsigned char)c);
    else if (c == '"' || c == '\\')
        snprintf(text, sizeof text, "\\%c", c);
    else if ((unsigned char)c < 0x80)
        snprintf(text, sizeof text, "\\u%04x", (unsigned)c);
    else
        snprintf(text, sizeof text, "%s", "\\ufffd");
    hoop__line_put(line, text);
}

/* As much of the text as the value at hand may have; if that is not all, nothing may follow. */
static void put_value(struct hoop__line *line, hoop_str text)
{
    while (text.len && line->left) {
        size_t n = plain(text), before = line->len;
        if (n)
            hoop__line_bytes(line, text.data, n);
        else
            put_escape(line, text.data[0]);
        n += !n;
        text = hoop_str_n(text.data + n, text.len - n);
        size_t taken = line->len - before;
        line->left = line->left > taken ? line->left - taken : 0;
        if (!line->left)
            hoop__line_put(line, "...");
    }
}

void hoop__line_text(struct hoop__line *line, hoop_str text)
{
    line->left = HOOP__LINE_VALUE;
    put_value(line, text);
}

static int is_secret(const struct hoop__line *line, hoop_str name)
{
    for (size_t i = 0; i < line->redact_count; i++)
        if (hoop_str_eq_nocase(name, hoop_str_c(line->redact[i])))
            return 1;
    return 0;
}

void hoop__line_query(struct hoop__line *line, hoop_str query)
{
    const char *end = query.data + query.len;
    line->left = HOOP__LINE_VALUE;
    for (const char *p = query.data; p < end && line->left;) {
        const char *amp = memchr(p, '&', (size_t)(end - p)), *last = amp ? amp : end;
        const char *equals = memchr(p, '=', (size_t)(last - p));
        if (equals && is_secret(line, hoop_str_n(p, (size_t)(equals - p)))) {
            put_value(line, hoop_str_n(p, (size_t)(equals + 1 - p)));
            put_value(line, hoop_str_c("[redacted]"));
        } else {
            put_value(line, hoop_str_n(p, (size_t)(last - p)));
        }
        if (amp)
            put_value(line, hoop_str_c("&"));
        p = last + 1;
    }
}

void hoop__line_url(struct hoop__line *line, hoop_str url)
{
    const char *mark = url.len ? memchr(url.data, '?', url.len) : NULL;
    size_t len = mark ? (size_t)(mark - url.data) : url.len;
    hoop__line_text(line, hoop_str_n(url.data, len));
    if (!mark)
        return;
    hoop__line_put(line, "?");
    hoop__line_query(line, hoop_str_n(mark + 1, url.len - len - 1));
}
