/* SipHash-1-3; see hash.h. */
#include "base/hash.h"

#include <string.h>

static inline uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void mix(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = rotate(v[1], 13) ^ v[0];
    v[3] = rotate(v[3], 16) ^ v[2];
    v[0] = rotate(v[0], 32) + v[3];
    v[2] += v[1];
    v[3] = rotate(v[3], 21) ^ v[0];
    v[1] = rotate(v[1], 17) ^ v[2];
    v[2] = rotate(v[2], 32);
}

/* Eight bytes, the first one lowest, whatever the machine's order. */
static inline uint64_t eight(const unsigned char *p)
{
    uint64_t w;
    memcpy(&w, p, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}

/* The same of fewer. */
static inline uint64_t rest(const unsigned char *p, size_t len)
{
    uint64_t w = 0;
    for (size_t i = 0; i < len; i++)
        w |= (uint64_t)p[i] << 8 * i;
    return w;
}

uint64_t hoop__hash(const uint64_t key[2], const void *data, size_t len)
{
    uint64_t v[4] = {
        key[0] ^ 0x736f6d6570736575u,
        key[1] ^ 0x646f72616e646f6du,
        key[0] ^ 0x6c7967656e657261u,
        key[1] ^ 0x7465646279746573u,
    };
    const unsigned char *p = data;
    size_t left = len;
    for (; left >= 8; left -= 8, p += 8) {
        uint64_t w = eight(p);
        v[3] ^= w;
        mix(v);
        v[0] ^= w;
    }
    uint64_t last = (uint64_t)len << 56 | rest(p, left);
    v[3] ^= last;
    mix(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    mix(v);
    mix(v);
    mix(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
