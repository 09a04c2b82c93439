/* Scanning of JSON text, sixteen bytes at a time where the machine can, else eight: white space and plain text. */
#ifndef HOOP_JSON_READ_SCAN_H
#define HOOP_JSON_READ_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static inline int hoop__json_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Nonzero if a byte can't stand in a string as it is, or ends it. */
static inline int hoop__json_is_special(char c)
{
    return c == '"' || c == '\\' || (unsigned char)c < 0x20;
}

#if defined(__SSE2__)

/* A bit for each of sixteen bytes that is special. */
static inline unsigned hoop__json_specials(__m128i bytes)
{
    __m128i quotes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    __m128i slashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
    __m128i controls = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quotes, slashes), controls));
}

static inline unsigned hoop__json_spaces(__m128i bytes)
{
    __m128i a = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(' ')),
                             _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\n')));
    __m128i b = _mm_or_si128(_mm_cmpeq_epi8(bytes, _mm_set1_epi8('\r')),
                             _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\t')));
    return (unsigned)_mm_movemask_epi8(_mm_or_si128(a, b));
}

#endif

/* Nonzero if one of eight bytes is special. */
static inline uint64_t hoop__json_specials_of(uint64_t eight)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t low = eight & ~tops; /* without the top bits no sum carries into the next byte */
    uint64_t quote = low ^ ones * '"', backslash = low ^ ones * '\\';
    /* A top bit stays 0 where the byte is below 0x20, or equals one of the two. */
    uint64_t plain = (low + ones * 0x60) & (quote + ones * 0x7f) & (backslash + ones * 0x7f);
    return ~plain & ~eight & tops;
}

/* hoop__json_plain() on any machine. */
static inline const char *hoop__json_plain_words(const char *p, const char *end, unsigned *high)
{
    uint64_t eight, seen = 0;
    for (; end - p >= 8; p += 8) {
        memcpy(&eight, p, 8);
        if (hoop__json_specials_of(eight))
            break;
        seen |= eight;
    }
    *high |= (seen & UINT64_C(0x8080808080808080)) != 0;
    for (; p < end && !hoop__json_is_special(*p); p++)
        *high |= (unsigned char)*p & 0x80u;
    return p;
}

/*
 * The first special byte from `p` on, or `end`. A bit of `*high` is set if there is a byte beyond ASCII
 * before it (else the bits stay as they were).
 */
static inline const char *hoop__json_plain(const char *p, const char *end, unsigned *high)
{
#if defined(__SSE2__)
    while (end - p >= 16) {
        __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        unsigned specials = hoop__json_specials(bytes);
        unsigned highs = (unsigned)_mm_movemask_epi8(bytes);
        if (specials) {
            *high |= highs & (specials - 1) & ~specials;
            return p + __builtin_ctz(specials);
        }
        *high |= highs;
        p += 16;
    }
#endif
    return hoop__json_plain_words(p, end, high);
}

/* Behind white space. */
static inline const char *hoop__json_space(const char *p, const char *end)
{
    if (p < end && (unsigned char)*p > ' ')
        return p;
#if defined(__SSE2__)
    /* The usual run is a line's end and its indent. */
    while (end - p >= 16) {
        unsigned others =
            0xffffu ^ hoop__json_spaces(_mm_loadu_si128((const __m128i *)(const void *)p));
        if (others)
            return p + __builtin_ctz(others);
        p += 16;
    }
#endif
    while (p < end && hoop__json_is_space(*p))
        p++;
    return p;
}

#endif
