/*
 * Scanning and copying bytes sixteen at a time, with a portable way beside each; no grammar here
 * beyond classes of bytes.
 */
#ifndef HOOP_HTTP1_SCAN_H
#define HOOP_HTTP1_SCAN_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__) && defined(__GNUC__) && !defined(HOOP__NO_SIMD)
#include <emmintrin.h>
#define HOOP__H1_SSE2 1
#endif

/*
 * Room behind the bytes of a line: what copying may write too much, CR and LF, and the zeros behind
 * them, HOOP__H1_PAD, that scanning in steps may read.
 */
#define HOOP__H1_SLACK 48
#define HOOP__H1_PAD   16

/* The lower case of a token character (RFC 9110 5.6.2), 0 for every other byte. */
extern const uint8_t hoop__h1_lower[256];

/* A control character other than TAB (RFC 9110 5.5). */
static inline int hoop__h1_is_control(char c)
{
    unsigned char u = (unsigned char)c;
    return (u < 0x20 && u != '\t') || u == 0x7f;
}

#ifdef HOOP__H1_SSE2
/* A bit for each byte that hoop__h1_is_control() is true for. */
static inline unsigned hoop__h1_controls(__m128i v)
{
    /* One comparison finds them all, and TAB and bytes beyond ASCII, which are rare. */
    __m128i some = _mm_cmplt_epi8(_mm_add_epi8(v, _mm_set1_epi8(1)), _mm_set1_epi8(0x21));
    unsigned mask = (unsigned)_mm_movemask_epi8(some);
    if (!mask)
        return 0;
    __m128i spared = _mm_or_si128(_mm_cmplt_epi8(v, _mm_setzero_si128()),
                                  _mm_cmpeq_epi8(v, _mm_set1_epi8('\t')));
    return mask & ~(unsigned)_mm_movemask_epi8(spared);
}
#endif

/*
 * Copies up to the first control character other than TAB, or to `end`, and returns where it stopped.
 * May write up to 15 bytes of garbage behind what it copied.
 */
static inline const char *hoop__h1_copy_line(char *to, const char *from, const char *end)
{
#ifdef HOOP__H1_SSE2
    for (; (size_t)(end - from) >= 16; from += 16, to += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)from);
        _mm_storeu_si128((__m128i *)(void *)to, v);
        unsigned controls = hoop__h1_controls(v);
        if (controls)
            return from + __builtin_ctz(controls);
    }
    if (end - from >= 4) {
        /* The rest in one step, too, with zeros behind it that count as control characters. */
        char rest[16] = { 0 };
        memcpy(rest, from, (size_t)(end - from));
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)rest);
        _mm_storeu_si128((__m128i *)(void *)to, v);
        return from + __builtin_ctz(hoop__h1_controls(v));
    }
#endif
    while (from < end && !hoop__h1_is_control(*from))
        *to++ = *from++;
    return from;
}

/*
 * The first byte from `p` on that a target does not simply go on with: a blank, '#', '?', a byte
 * beyond ASCII. There must be one, and 15 readable bytes behind it.
 */
static inline char *hoop__h1_target_stop(char *p)
{
#ifdef HOOP__H1_SSE2
    const __m128i first = _mm_set1_epi8(0x21), hash = _mm_set1_epi8('#');
    const __m128i question = _mm_set1_epi8('?');
    for (;; p += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        /* Signed: bytes beyond ASCII are negative. */
        __m128i stop = _mm_cmplt_epi8(v, first);
        stop = _mm_or_si128(stop, _mm_cmpeq_epi8(v, hash));
        stop = _mm_or_si128(stop, _mm_cmpeq_epi8(v, question));
        unsigned mask = (unsigned)_mm_movemask_epi8(stop);
        if (mask)
            return p + __builtin_ctz(mask);
    }
#else
    while (*p > 0x20 && *p < 0x7f && *p != '#' && *p != '?')
        p++;
    return p;
#endif
}

/*
 * The length of the field name at `p`, which ends in front of a colon, lower-cased in place; 0 if
 * there is none. `eol` stands behind the line; 15 bytes behind it can be read and are written back.
 */
static inline size_t hoop__h1_lower_name(char *p, const char *eol)
{
#ifdef HOOP__H1_SSE2
    /* Letters and '-' up to a colon among the first sixteen bytes: nearly every name. */
    static const uint8_t masks[32] = {32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 32,
                                      32, 32, 32, 32, 32, 0};
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i folded = _mm_or_si128(v, _mm_set1_epi8(0x20));
    unsigned colons = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(':')));
    if (colons) {
        unsigned n = (unsigned)__builtin_ctz(colons);
        __m128i from_a = _mm_sub_epi8(folded, _mm_set1_epi8('a'));
        __m128i letter = _mm_cmpeq_epi8(_mm_min_epu8(from_a, _mm_set1_epi8(25)), from_a);
        __m128i good = _mm_or_si128(letter, _mm_cmpeq_epi8(v, _mm_set1_epi8('-')));
        unsigned others = ~(unsigned)_mm_movemask_epi8(good) & ((1u << n) - 1);
        if (!others && n && p + n < eol) {
            __m128i bits = _mm_loadu_si128((const __m128i *)(const void *)(masks + 16 - n));
            _mm_storeu_si128((__m128i *)(void *)p, _mm_or_si128(v, bits));
            return n;
        }
    }
#endif
    char *at = p;
    while (at < eol) {
        uint8_t c = hoop__h1_lower[(unsigned char)*at];
        if (!c)
            break;
        *at++ = (char)c;
    }
    return at < eol && *at == ':' ? (size_t)(at - p) : 0;
}

#endif
