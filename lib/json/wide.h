/* Products of 128 bits, with every compiler. */
#ifndef HOOP_JSON_WIDE_H
#define HOOP_JSON_WIDE_H

#include <stdint.h>

struct hoop__product {
    uint64_t high;
    uint64_t low;
};

/* By halves, where the compiler has no integers of 128 bits. */
static inline struct hoop__product hoop__multiply_halves(uint64_t a, uint64_t b)
{
    uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    uint64_t low = a0 * b0, mid = a1 * b0 + (low >> 32), mid2 = a0 * b1 + (uint32_t)mid;
    return (struct hoop__product){ a1 * b1 + (mid >> 32) + (mid2 >> 32),
                                   mid2 << 32 | (uint32_t)low };
}

static inline struct hoop__product hoop__multiply(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 wide;
    wide p = (wide)a * b;
    return (struct hoop__product){ (uint64_t)(p >> 64), (uint64_t)p };
#else
    return hoop__multiply_halves(a, b);
#endif
}

#endif
