/*
 * Strings as JSON text: bytes are copied sixteen (SSE2) or eight at a time while none needs an escape; UTF-8 is
 * checked where it stops being ASCII.
 */
#include "json/write_out.h"

#include "codec/utf8.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A clean block may be stored in whole before it is known how much of it is clean. */
#define SLACK 16
/* Of room: the longest escape, a quote, what put_string() leaves, the slack. */
#define SPARE (12 + 1 + 2 + SLACK)

/* So that what calls it needs no registers saved. */
#define NOT_INLINE __attribute__((noinline))

/* What stands behind the backslash for a byte that can't stand as it is: 'u' is a code, 0 nothing. */
static const char escapes[256] = {
    'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'b', 't', 'n', 'u', 'f', 'r', 'u', 'u', 'u',  'u', 'u',
    'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 0,   0,   '"', 0,    0,   0,
    0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,    0,   0,
    0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,    0,   0,
    0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   '\\',
};

/* What stops a copy. */
struct stops {
    unsigned char slash; /* '/', or '"' once more */
    unsigned char high;  /* 0x80: bytes beyond ASCII do; 0: they don't */
};

static inline int stops_at(unsigned char c, struct stops stops)
{
    return escapes[c] || c == stops.slash || (c & stops.high);
}

/* --- blocks ------------------------------------------------------------------------------------ */

#ifdef __SSE2__

#define BLOCK 16

/* A bit for each byte that stops. */
static inline unsigned stop_mask(__m128i bytes, struct stops stops)
{
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    __m128i slash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8((char)stops.slash));
    __m128i high = _mm_and_si128(bytes, _mm_set1_epi8((char)stops.high));
    __m128i all = _mm_or_si128(_mm_or_si128(control, quote), _mm_or_si128(backslash, slash));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(all, high));
}

/* Copies a block and tells how many bytes at its front are clean. */
static inline size_t copy_block(char *to, const unsigned char *from, struct stops stops)
{
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)from);
    _mm_storeu_si128((__m128i *)(void *)to, bytes);
    unsigned mask = stop_mask(bytes, stops);
    return mask ? (size_t)__builtin_ctz(mask) : BLOCK;
}

#else

#define BLOCK 8

/* Nonzero if a byte of the eight stops. */
static inline uint64_t stops_in(uint64_t eight, struct stops stops)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t low = eight & ~tops; /* without the top bits no sum carries into the next byte */
    uint64_t quote = low ^ ones * '"', backslash = low ^ ones * '\\',
             slash = low ^ ones * stops.slash;
    /* A top bit stays 0 where the byte is below 0x20, or equals one of the three. */
    uint64_t clean = (low + ones * 0x60) & (quote + ones * 0x7f) & (backslash + ones * 0x7f) &
                     (slash + ones * 0x7f) & tops;
    return (~clean & ~eight & tops) | (eight & ones * stops.high);
}

static inline size_t copy_block(char *to, const unsigned char *from, struct stops stops)
{
    uint64_t eight;
    size_t n = 0;
    memcpy(&eight, from, 8);
    memcpy(to, &eight, 8);
    if (!stops_in(eight, stops))
        return BLOCK;
    while (!stops_at(from[n], stops))
        n++;
    return n;
}

#endif

/* Copies clean bytes, less than a block of them; stops at the first that is not. */
static inline size_t copy_rest(char *to, const unsigned char *from, size_t len, struct stops stops)
{
    size_t n = 0;
#ifdef __SSE2__
    /* Two loads that overlap, so that nothing behind the string is read. */
    if (len >= 8) {
        uint64_t first, last;
        memcpy(&first, from, 8);
        memcpy(&last, from + len - 8, 8);
        if (!stop_mask(_mm_set_epi64x((int64_t)last, (int64_t)first), stops)) {
            memcpy(to, &first, 8);
            memcpy(to + len - 8, &last, 8);
            return len;
        }
    } else if (len >= 4) {
        uint32_t first, last;
        memcpy(&first, from, 4);
        memcpy(&last, from + len - 4, 4);
        if (!stop_mask(_mm_set1_epi64x((int64_t)((uint64_t)last << 32 | first)), stops)) {
            memcpy(to, &first, 4);
            memcpy(to + len - 4, &last, 4);
            return len;
        }
    }
#endif
    for (; n < len && !stops_at(from[n], stops); n++)
        to[n] = (char)from[n];
    return n;
}

/* --- escapes ------------------------------------------------------------------------------------ */

static char *put_code(char *to, uint32_t code)
{
    static const char digits[] = "0123456789ABCDEF";
    *to++ = '\\';
    *to++ = 'u';
    for (int shift = 12; shift >= 0; shift -= 4)
        *to++ = digits[code >> shift & 15];
    return to;
}

static inline char *put_escape(char *to, unsigned char c)
{
    char kind = escapes[c];
    if (kind == 'u')
        return put_code(to, c);
    *to++ = '\\';
    *to++ = kind ? kind : (char)c;
    return to;
}

/* The code of the character at `p`, which is known to be right; `*ret_len` is its length. */
static uint32_t decode(const unsigned char *p, size_t *ret_len)
{
    size_t len = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    uint32_t code = p[0] & (0xffu >> (len + 1));
    for (size_t i = 1; i < len; i++)
        code = code << 6 | (p[i] & 0x3f);
    *ret_len = len;
    return code;
}

static char *put_character(char *to, uint32_t code)
{
    if (code < 0x10000)
        return put_code(to, code);
    code -= 0x10000;
    return put_code(put_code(to, 0xd800 + (code >> 10)), 0xdc00 + (code & 0x3ff));
}

/* --- strings ------------------------------------------------------------------------------------ */

/* What is left to do of a string. */
struct rest {
    const unsigned char *from;
    const unsigned char *end;
    struct stops stops;
    int checked; /* the UTF-8 from here on is right */
};

/* At a byte that stops. 0, or HOOP_EINVAL. */
static int pass_stop(struct hoop__json_out *out, struct rest *r)
{
    if (*r->from < 0x80) {
        out->next = put_escape(out->next, *r->from++);
        return 0;
    }
    if (!r->checked) {
        hoop_str left = hoop_str_n((const char *)r->from, (size_t)(r->end - r->from));
        if (!hoop__utf8_is_valid(left))
            return HOOP_EINVAL;
        r->checked = 1;
        if (!(out->flags & HOOP__JSON_ASCII)) {
            r->stops.high = 0;
            return 0;
        }
    }
    size_t len;
    out->next = put_character(out->next, decode(r->from, &len));
    r->from += len;
    return 0;
}

/* Copies what is clean at the front of `left` bytes. */
static inline size_t copy_clean(char *to, const unsigned char *from, size_t left,
                                struct stops stops)
{
    size_t done = 0;
    while (left - done >= BLOCK) {
        size_t n = copy_block(to + done, from + done, stops);
        done += n;
        if (n < BLOCK)
            return done;
    }
    return done + copy_rest(to + done, from + done, left - done, stops);
}

/* Encodes up to `end`, which no character crosses. 0 or a code. */
static int encode(struct hoop__json_out *out, struct rest *r)
{
    for (;;) {
        size_t left = (size_t)(r->end - r->from);
        if (hoop__json_room(out, left + SPARE))
            return out->code;
        size_t n = copy_clean(out->next, r->from, left, r->stops);
        out->next += n;
        r->from += n;
        if (n == left)
            return 0;
        int rc = pass_stop(out, r);
        if (rc)
            return rc;
    }
}

/* A string that is too long for the buffer that is flushed. */
static int encode_pieces(struct hoop__json_out *out, struct rest *r)
{
    const unsigned char *end = r->end;
    if (!hoop__utf8_is_valid(hoop_str_n((const char *)r->from, (size_t)(end - r->from))))
        return HOOP_EINVAL;
    r->checked = 1;
    if (!(out->flags & HOOP__JSON_ASCII))
        r->stops.high = 0;
    while (r->from < end) {
        size_t left = (size_t)(end - r->from), part = left < out->piece ? left : out->piece;
        /* No piece ends within a character. */
        while (part < left && (r->from[part] & 0xc0) == 0x80)
            part--;
        r->end = r->from + part;
        int rc = encode(out, r);
        if (rc)
            return rc;
    }
    return 0;
}

#ifdef __SSE2__

/* stop_mask() for the usual stops: signed, bytes beyond ASCII are less than a blank, too. */
static inline unsigned usual_mask(__m128i bytes)
{
    __m128i control = _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20));
    __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    __m128i backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(control, quote), backslash));
}

/* Copies less than 16 bytes, whatever they are. Nonzero if all are clean by the usual stops. */
static inline int copy_short(char *to, const unsigned char *from, size_t len)
{
    if (len >= 8) {
        uint64_t first, last;
        memcpy(&first, from, 8);
        memcpy(&last, from + len - 8, 8);
        memcpy(to, &first, 8);
        memcpy(to + len - 8, &last, 8);
        return !usual_mask(_mm_set_epi64x((int64_t)last, (int64_t)first));
    }
    if (len >= 4) {
        uint32_t first, last;
        memcpy(&first, from, 4);
        memcpy(&last, from + len - 4, 4);
        memcpy(to, &first, 4);
        memcpy(to + len - 4, &last, 4);
        return !usual_mask(_mm_set1_epi64x((int64_t)((uint64_t)last << 32 | first)));
    }
    if (len == 0)
        return 1;
    unsigned char first = from[0], middle = from[len / 2], last = from[len - 1];
    to[0] = (char)first;
    to[len / 2] = (char)middle;
    to[len - 1] = (char)last;
    return !(usual_mask(_mm_cvtsi32_si128(first | middle << 8 | last << 16)) & 7);
}

/* Copies bytes and tells whether all are clean by the usual stops; if not, the copy is of no use. */
static inline int copy_usual(char *to, const unsigned char *from, size_t len)
{
    if (len < 16)
        return copy_short(to, from, len);
    size_t last = len - 16, at = 0;
    unsigned mask = 0;
    /* The last block begins where it ends in time; what it shares with the one before is the same. */
    for (;;) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(from + at));
        _mm_storeu_si128((__m128i *)(void *)(to + at), bytes);
        mask |= usual_mask(bytes);
        if (mask || at == last)
            return !mask;
        at = at + 16 < last ? at + 16 : last;
    }
}

#else

static inline int copy_usual(char *to, const unsigned char *from, size_t len)
{
    struct stops stops = { '"', 0x80 };
    return copy_clean(to, from, len, stops) == len;
}

#endif

/* A string that needs more than to be copied, or more room than there is. */
static NOT_INLINE int put_hard(struct hoop__json_out *out, const unsigned char *from, size_t len)
{
    if (hoop__json_room(out, 1 + SPARE))
        return out->code;
    struct stops stops = { out->flags & HOOP__JSON_SLASH ? '/' : '"', 0x80 };
    struct rest r = { from, from + len, stops, 0 };
    *out->next++ = '"';
    int rc = len <= out->piece ? encode(out, &r) : encode_pieces(out, &r);
    if (rc == 0)
        *out->next++ = '"';
    return rc;
}

int hoop__json_put_string(struct hoop__json_out *out, const char *data, size_t len)
{
    const unsigned char *from = (const unsigned char *)data;
    /* Most strings need nothing but to be copied; this calls nobody, so that no register is saved. */
    if ((size_t)(out->end - out->next) >= len + 1 + SPARE && !(out->flags & HOOP__JSON_SLASH)) {
        char *to = out->next;
        *to++ = '"';
        if (copy_usual(to, from, len)) {
            to[len] = '"';
            out->next = to + len + 1;
            return 0;
        }
    }
    return put_hard(out, from, len);
}
