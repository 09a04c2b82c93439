/* The check of UTF-8, eight bytes at a time while they are ASCII; see utf8.h. */
#include "codec/utf8.h"

/* What may follow a first byte (Unicode 3.9, table 3-7). */
struct lead {
    unsigned char length;    /* of the whole sequence; 0: the byte can't be first */
    unsigned char low, high; /* bounds of the second byte; those behind it are 80 to BF */
};

static struct lead lead_of(unsigned char c)
{
    static const struct lead two = { 2, 0x80, 0xbf }, three = { 3, 0x80, 0xbf };
    static const struct lead four = { 4, 0x80, 0xbf };

    if (c < 0xc2)
        return (struct lead){ 0, 0, 0 };
    if (c < 0xe0)
        return two;
    if (c == 0xe0) /* below A0 would be overlong */
        return (struct lead){ 3, 0xa0, 0xbf };
    if (c == 0xed) /* from A0 on are the surrogates */
        return (struct lead){ 3, 0x80, 0x9f };
    if (c < 0xf0)
        return three;
    if (c == 0xf0) /* below 90 would be overlong */
        return (struct lead){ 4, 0x90, 0xbf };
    if (c < 0xf4)
        return four;
    if (c == 0xf4) /* from 90 on is behind U+10FFFF */
        return (struct lead){ 4, 0x80, 0x8f };
    return (struct lead){ 0, 0, 0 };
}

/*
 * The length of the sequence at `p` that begins with a byte from 0x80 on. `*ret_right` tells whether
 * it is a character; if not, the length is that of the maximal wrong part, at least one byte.
 */
static size_t sequence(const unsigned char *p, size_t left, int *ret_right)
{
    struct lead lead = lead_of(p[0]);
    size_t n = 1;

    if (lead.length > 0 && left > 1 && p[1] >= lead.low && p[1] <= lead.high) {
        n = 2;
        while (n < lead.length && n < left && (p[n] & 0xc0) == 0x80)
            n++;
    }
    *ret_right = n == lead.length;
    return n;
}

/* The bytes of ASCII at the front. */
static size_t ascii_front(const unsigned char *p, size_t left)
{
    size_t n = 0;
    for (; left - n >= 8; n += 8) {
        uint64_t eight;
        memcpy(&eight, p + n, 8);
        if (eight & UINT64_C(0x8080808080808080))
            break;
    }
    while (n < left && p[n] < 0x80)
        n++;
    return n;
}

size_t hoop__utf8_front(hoop_str text)
{
    const unsigned char *p = (const unsigned char *)text.data;
    size_t at = 0;
    for (;;) {
        at += ascii_front(p + at, text.len - at);
        /* Text outside ASCII comes in runs, which go without the look for eight ASCII bytes. */
        while (at < text.len && p[at] >= 0x80) {
            int right;
            size_t n = sequence(p + at, text.len - at, &right);
            if (!right)
                return at;
            at += n;
        }
        if (at == text.len)
            return at;
    }
}

/* Writes the repaired text, or only counts it if `out` is NULL. */
static size_t repair(hoop_str text, char *out)
{
    size_t size = 0;
    while (text.len > 0) {
        size_t front = hoop__utf8_front(text);
        if (out)
            memcpy(out + size, text.data, front);
        size += front;
        text = hoop_str_n(text.data + front, text.len - front);
        if (text.len == 0)
            break;
        int right;
        size_t wrong = sequence((const unsigned char *)text.data, text.len, &right);
        if (out)
            memcpy(out + size, "\xef\xbf\xbd", 3);
        size += 3;
        text = hoop_str_n(text.data + wrong, text.len - wrong);
    }
    return size;
}

size_t hoop__utf8_repaired_size(hoop_str text)
{
    return text.len > SIZE_MAX / 3 ? SIZE_MAX : repair(text, NULL);
}

size_t hoop__utf8_repair(hoop_str text, char *out)
{
    return repair(text, out);
}
