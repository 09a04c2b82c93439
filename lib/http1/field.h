/* A field of a head: its line split, and what it means to the engine; lines and limits are head.c's. */
#ifndef HOOP_HTTP1_FIELD_H
#define HOOP_HTTP1_FIELD_H

#include "http1/http1.h"
#include "http1/scan.h"

/* What the rarer fields mean; see field.c. */
void hoop__h1_read_connection(struct hoop__h1_exchange *h, hoop_str value);
int hoop__h1_read_length(struct hoop__h1_exchange *h, hoop_str value);
int hoop__h1_is_expectation(hoop_str value);

static inline int hoop__h1_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static HOOP__H1_HOT int hoop__h1_split_field(char *line, char *eol, hoop_field *ret, char *ret_cut)
{
    size_t n = hoop__h1_lower_name(line, eol);
    if (!n)
        return 400;
    char *value = line + n + 1, *end = eol;
    line[n] = 0;
    if (*value == ' ')
        value++;
    while (hoop__h1_is_blank(*value))
        value++; /* the CR stops it */
    while (hoop__h1_is_blank(end[-1]) && end > value)
        end--;
    *ret_cut = end < eol ? *end : 0;
    *end = 0;
    ret->name.data = line;
    ret->name.len = n;
    ret->value.data = value;
    ret->value.len = (size_t)(end - value);
    return 0;
}

/* Eight bytes as a number, letters in lower case. What else that changes is no printable byte. */
static inline uint64_t hoop__h1_fold8(const char *p)
{
    uint64_t word;
    memcpy(&word, p, 8);
    return word | 0x2020202020202020u;
}

/* Compares with a lower-case text of letters and '-', of up to 16 bytes. */
static inline int hoop__h1_is_text(hoop_str s, const char *text, size_t len)
{
    if (s.len != len)
        return 0;
    if (len >= 8)
        return hoop__h1_fold8(s.data) == hoop__h1_fold8(text) &&
               hoop__h1_fold8(s.data + len - 8) == hoop__h1_fold8(text + len - 8);
    for (size_t i = 0; i < len; i++)
        if ((s.data[i] | 0x20) != text[i])
            return 0;
    return 1;
}

/*
 * What a field means to the engine; what it notes of fields that the memo may hold belongs in `noted`.
 * `cut`: see hoop__h1_field(). */
static HOOP__H1_HOT int hoop__h1_note_field(struct hoop__h1_exchange *h, const hoop_field *f,
                                            char cut)
{
    const char *name = f->name.data;
    switch (f->name.len) {
    case 4:
        if (memcmp(name, "host", 4) != 0)
            return 0;
        if (h->noted.host_count++)
            return 400;
        h->noted.host = (uint32_t)(f - h->fields);
        return 0;
    case 6:
        if (memcmp(name, "expect", 6) != 0 || h->minor == 0)
            return 0;
        if (!hoop__h1_is_expectation(f->value))
            return 417;
        h->expect = 1;
        return 0;
    case 10:
        if (memcmp(name, "connection", 10) != 0)
            return 0;
        if (hoop__h1_is_text(f->value, "keep-alive", 10))
            h->noted.asks_keep = 1;
        else
            hoop__h1_read_connection(h, f->value);
        return 0;
    case 14:
        if (memcmp(name, "content-length", 14) != 0)
            return 0;
        /* Versions of llhttp differ about a tab there, so nobody gets one through. */
        return cut == '\t' ? 400 : hoop__h1_read_length(h, f->value);
    case 17:
        if (memcmp(name, "transfer-encoding", 17) != 0)
            return 0;
        /* No coding but this one, nothing beside it, and not in HTTP/1.0 (RFC 9112 6.1). */
        if (h->chunked || h->minor == 0 || cut == '\t' || !hoop__h1_is_text(f->value, "chunked", 7))
            return 400;
        h->chunked = 1;
        return 0;
    default:
        return 0;
    }
}

#endif
