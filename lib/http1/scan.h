/*
 * Scanning and copying bytes sixteen at a time, with a portable way beside each; no grammar here
 * beyond classes of bytes.
 */
#ifndef HOOP_HTTP1_SCAN_H
#define HOOP_HTTP1_SCAN_H

#include "codec/chars.h"

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
#define HOOP__H1_SLACK 64
#define HOOP__H1_PAD   16

/* What the way of every request must not pay a call for, and what must stay out of its way. */
#ifdef __GNUC__
#define HOOP__H1_HOT  __attribute__((always_inline)) inline
#define HOOP__H1_COLD __attribute__((noinline))
#else
#define HOOP__H1_HOT inline
#define HOOP__H1_COLD
#endif

/* The lower case of a token character (RFC 9110 5.6.2), 0 for every other byte. */
extern const uint8_t hoop__h1_lower[256];

/* A control character other than TAB (RFC 9110 5.5). */
static inline int hoop__h1_is_control(char c)
{
    unsigned char u = (unsigned char)c;
    return (u < 0x20 && u != '\t') || u == 0x7f;
}

#ifdef HOOP__H1_SSE2
/* A bit for each of 32 bytes that is a control character, TAB, or beyond ASCII. */
static inline unsigned hoop__h1_suspects(__m128i v, __m128i w)
{
    /* The others are found, since there is an instruction for "greater" alone. */
    const __m128i one = _mm_set1_epi8(1), blank = _mm_set1_epi8(0x20);
    v = _mm_cmpgt_epi8(_mm_add_epi8(v, one), blank);
    w = _mm_cmpgt_epi8(_mm_add_epi8(w, one), blank);
    return ~((unsigned)_mm_movemask_epi8(v) | (unsigned)_mm_movemask_epi8(w) << 16);
}

/* Copies 32 bytes and returns their suspects: no control character is missing. */
static inline unsigned hoop__h1_copy_32(char *to, const char *from)
{
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)from);
    __m128i w = _mm_loadu_si128((const __m128i *)(const void *)(from + 16));
    _mm_storeu_si128((__m128i *)(void *)to, v);
    _mm_storeu_si128((__m128i *)(void *)(to + 16), w);
    return hoop__h1_suspects(v, w);
}

/*
 * The same for the beginning of a field line. If it begins with a name of up to 15 letters and '-',
 * and a colon, as nearly all do, the copy of that is in lower case and `*ret_name_len` its length; else
 * that is 0.
 */
static inline unsigned hoop__h1_copy_named(char *to, const char *from, size_t *ret_name_len)
{
    static const uint8_t masks[32] = { 32, 32, 32, 32, 32, 32, 32, 32, 32,
                                       32, 32, 32, 32, 32, 32, 32, 0 };
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)from);
    __m128i w = _mm_loadu_si128((const __m128i *)(const void *)(from + 16));
    __m128i colon = _mm_cmpeq_epi8(v, _mm_set1_epi8(':'));
    __m128i from_a = _mm_sub_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
    __m128i good = _mm_cmpeq_epi8(_mm_min_epu8(from_a, _mm_set1_epi8(25)), from_a);
    good = _mm_or_si128(good, _mm_cmpeq_epi8(v, _mm_set1_epi8('-')));
    /* The first byte that is neither letter nor '-' must be the colon. */
    unsigned n = (unsigned)__builtin_ctz(~(unsigned)_mm_movemask_epi8(good));
    _mm_storeu_si128((__m128i *)(void *)(to + 16), w);
    if ((unsigned)_mm_movemask_epi8(colon) >> n & 1 && n) {
        __m128i bits = _mm_loadu_si128((const __m128i *)(const void *)(masks + 16 - n));
        _mm_storeu_si128((__m128i *)(void *)to, _mm_or_si128(v, bits));
        *ret_name_len = n;
    } else {
        _mm_storeu_si128((__m128i *)(void *)to, v);
        *ret_name_len = 0;
    }
    return hoop__h1_suspects(v, w);
}
#else
/* A bit for each of 8 bytes that is a control character, or one of a few others. */
static inline unsigned hoop__h1_suspects_8(uint64_t word)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    const uint64_t ones = 0x0101010101010101u;
    word = (((word - 0x20 * ones) | word | (word + ones)) >> 7) & ones;
    return (unsigned)(word * 0x0102040810204080u >> 56);
}

static inline unsigned hoop__h1_copy_32(char *to, const char *from)
{
    uint64_t words[4];
    unsigned mask = 0;
    memcpy(words, from, 32);
    memcpy(to, words, 32);
    for (unsigned i = 0; i < 4; i++)
        mask |= hoop__h1_suspects_8(words[i]) << 8 * i;
    return mask;
}

static inline unsigned hoop__h1_copy_named(char *to, const char *from, size_t *ret_name_len)
{
    *ret_name_len = 0;
    return hoop__h1_copy_32(to, from);
}
#endif

/*
 * Copies up to the first control character other than TAB, or to `end`, and returns where it stopped.
 * May write up to 31 bytes of garbage behind what it copied.
 */
static HOOP__H1_HOT const char *hoop__h1_copy_line(char *to, const char *from, const char *end)
{
#ifdef HOOP__H1_SSE2
    for (; (size_t)(end - from) >= 32; from += 32, to += 32) {
        unsigned mask = hoop__h1_copy_32(to, from);
        for (; mask; mask &= mask - 1) {
            const char *at = from + __builtin_ctz(mask);
            if (*at == '\r' || hoop__h1_is_control(*at))
                return at;
        }
    }
    if (end - from >= 4) {
        /* The rest in one step, too; the zeros behind it are suspects. */
        char rest[32] = { 0 };
        memcpy(rest, from, (size_t)(end - from));
        unsigned mask = hoop__h1_copy_32(to, rest);
        for (;; mask &= mask - 1) {
            const char *at = from + __builtin_ctz(mask);
            if (at == end || hoop__h1_is_control(*at))
                return at;
        }
    }
#endif
    while (from < end && !hoop__h1_is_control(*from))
        *to++ = *from++;
    return from;
}

/*
 * How many of the 16 bytes at `p`, which can be read, are such as a host's name has: letters, digits,
 * '.' and '-', or a few more that may stand there, too.
 */
static inline size_t hoop__h1_plain_len(const char *p)
{
#ifdef HOOP__H1_SSE2
    __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m128i from_a = _mm_sub_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8('a'));
    __m128i from_0 = _mm_sub_epi8(v, _mm_set1_epi8('0'));
    __m128i good = _mm_cmpeq_epi8(_mm_min_epu8(from_a, _mm_set1_epi8(25)), from_a);
    good = _mm_or_si128(good, _mm_cmpeq_epi8(_mm_min_epu8(from_0, _mm_set1_epi8(9)), from_0));
    good = _mm_or_si128(good, _mm_cmpeq_epi8(v, _mm_set1_epi8('.')));
    good = _mm_or_si128(good, _mm_cmpeq_epi8(v, _mm_set1_epi8('-')));
    return (size_t)__builtin_ctz(~(unsigned)_mm_movemask_epi8(good));
#else
    size_t n = 0;
    while (n < 16 && hoop__char_is(p[n], HOOP__CHAR_UNRESERVED))
        n++;
    return n;
#endif
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
    static const uint8_t masks[32] = { 32, 32, 32, 32, 32, 32, 32, 32, 32,
                                       32, 32, 32, 32, 32, 32, 32, 0 };
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
