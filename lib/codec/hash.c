/* Four lanes of multiply, rotate, multiply over 32 bytes at a time; see hash.h. */
#include "codec/hash.h"

enum { LANES = 4, STRIDE = LANES * 8 };

static const uint64_t odd = 0x9e3779b97f4a7c15u; /* the golden ratio's fraction */
static const uint64_t other = 0xd6e8feb86659fd93u;

/* Eight bytes, the first one lowest, whatever the machine. */
static uint64_t load(const char *p)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | (unsigned char)p[i];
    return value;
}

static uint64_t rotate(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

/* The rotation brings the upper bits, which one product leaves where they are, down for the other. */
static uint64_t mix(uint64_t lane, uint64_t value)
{
    return rotate((lane ^ value) * odd, 29) * other;
}

/* Spreads every bit over all. */
static uint64_t finish(uint64_t h)
{
    h ^= h >> 32;
    h *= odd;
    h ^= h >> 29;
    h *= other;
    return h ^ h >> 32;
}

uint64_t hoop__hash64(hoop_str text)
{
    const char *p = text.data;
    size_t left = text.len;
    uint64_t lanes[LANES] = { 1, 2, 3, 4 };
    for (; left >= STRIDE; p += STRIDE, left -= STRIDE)
        for (int i = 0; i < LANES; i++)
            lanes[i] = mix(lanes[i], load(p + i * 8));
    char rest[STRIDE] = { 0 };
    memcpy(rest, p, left);
    uint64_t h = text.len;
    for (int i = 0; i < LANES; i++)
        h = finish(h ^ mix(lanes[i], load(rest + i * 8)));
    return h;
}
