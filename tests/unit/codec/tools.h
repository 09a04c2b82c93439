/* What the tests of the codecs share: buffers of the exact size, and repeatable random bytes. */
#ifndef HOOP_TEST_CODEC_TOOLS_H
#define HOOP_TEST_CODEC_TOOLS_H

#include "support.h"

/* A copy that ends where its memory ends, so that a read behind it is seen by the sanitizers. */
static inline hoop_str tight(const char *data, size_t len)
{
    char *copy = malloc(len ? len : 1);
    assert_non_null(copy);
    memcpy(copy, data, len);
    return hoop_str_n(copy, len);
}

static inline hoop_str tight_c(const char *text)
{
    return tight(text, strlen(text));
}

static inline void drop(hoop_str s)
{
    free((void *)(uintptr_t)s.data);
}

/* xorshift64*; the state is the seed. */
static inline uint32_t random_below(uint64_t *state, uint32_t bound)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * UINT64_C(2685821657736338717)) >> 33) % bound;
}

/* Up to `max` bytes, taken from `alphabet` nine times in ten, else any. */
static inline hoop_str random_text(uint64_t *state, size_t max, const char *alphabet)
{
    size_t len = random_below(state, (uint32_t)max + 1);
    char *data = malloc(len ? len : 1);
    assert_non_null(data);
    for (size_t i = 0; i < len; i++) {
        if (random_below(state, 10) > 0)
            data[i] = alphabet[random_below(state, (uint32_t)strlen(alphabet))];
        else
            data[i] = (char)random_below(state, 256);
    }
    return hoop_str_n(data, len);
}

#endif
