/*
 * The shortest decimal of a double, after Raffaello Giulietti's Schubfach ("The Schubfach way to render
 * doubles", 2020), and its layout as JSON. Exact: no floating point, no allocation, no locale.
 */
#include "json/double.h"
#include "json/wide.h"

#include <string.h>

#define FRACTION_BITS 52
#define HIDDEN_BIT    (UINT64_C(1) << FRACTION_BITS)
#define EXPONENT_BIAS 1075 /* of the fraction read as an integer: value = c * 2^(biased - 1075) */

/* --- powers of ten --------------------------------------------------------------------------- */

/* The highest 64 of the 192 bits of power * factor, its last bit set if anything follows it. */
static inline uint64_t round_to_odd(struct hoop__power power, uint64_t factor)
{
    uint64_t carried = hoop__multiply(power.low, factor).high;
    struct hoop__product p = hoop__multiply(power.high, factor);
    p.low += carried;
    p.high += p.low < carried;
    return p.high | (p.low > 1);
}

/* --- logarithms ------------------------------------------------------------------------------- */

/* >> of a negative number is arithmetic with every compiler that builds this; a test would see else. */

/* floor(log10(2^e)), for |e| up to 1700 */
static inline int floor_log10_pow2(int e)
{
    return (int)((e * INT64_C(1262611)) >> 22);
}

/* floor(log10(3/4 * 2^e)) */
static inline int floor_log10_three_quarters_pow2(int e)
{
    return (int)((e * INT64_C(1262611) - 524031) >> 22);
}

/* --- Schubfach --------------------------------------------------------------------------------- */

/*
 * The value is c * 2^q. All is scaled by four, so that the borders to the neighbouring doubles are whole
 * numbers, and by 10^-k, where k is chosen so that the interval between the borders is from 1 (4) to below
 * 10 (40) wide: then at least one whole number lies in it, and at most one multiple of ten.
 */
struct hoop__decimal hoop__double_decimal(uint64_t bits)
{
    uint64_t fraction = bits & (HIDDEN_BIT - 1);
    int biased = (int)(bits >> FRACTION_BITS) & 0x7ff;
    uint64_t c = biased ? fraction | HIDDEN_BIT : fraction;
    int q = (biased ? biased : 1) - EXPONENT_BIAS;

    /* Below a power of two doubles lie twice as close. A border counts if reading rounds it to c. */
    int narrow = fraction == 0 && biased > 1;
    uint64_t excluded = c & 1;
    int k = narrow ? floor_log10_three_quarters_pow2(q) : floor_log10_pow2(q);
    int h = q + hoop__log2_pow10(-k) + 1;
    struct hoop__power power = hoop__powers[-k - HOOP__POWER_FIRST];
    uint64_t value = round_to_odd(power, (4 * c) << h);
    uint64_t lower = round_to_odd(power, (4 * c - 2 + (uint64_t)narrow) << h) + excluded;
    uint64_t upper = round_to_odd(power, (4 * c + 2) << h) - excluded;

    uint64_t s = value / 4;
    if (s >= 10) {
        /* One digit less, if exactly one of the multiples of ten around the value is inside. */
        uint64_t tens = s / 10;
        int down = lower <= 40 * tens, up = 40 * tens + 40 <= upper;
        if (down != up)
            return (struct hoop__decimal){ tens + (uint64_t)up, k + 1 };
    }
    int down = lower <= 4 * s, up = 4 * s + 4 <= upper;
    if (down == up) {
        /* Both inside: the nearer one, the even one in the middle. */
        uint64_t middle = 4 * s + 2;
        up = value > middle || (value == middle && (s & 1));
    }
    return (struct hoop__decimal){ s + (uint64_t)up, k };
}

/* --- digits --------------------------------------------------------------------------------------- */

static const char pairs[] = "00010203040506070809"
                            "10111213141516171819"
                            "20212223242526272829"
                            "30313233343536373839"
                            "40414243444546474849"
                            "50515253545556575859"
                            "60616263646566676869"
                            "70717273747576777879"
                            "80818283848586878889"
                            "90919293949596979899";

static inline void put_pair(char *out, uint32_t value)
{
    memcpy(out, pairs + 2 * (size_t)value, 2);
}

/* Exactly eight digits. */
static inline void put_eight(char *out, uint32_t value)
{
    uint32_t high = value / 10000, low = value % 10000;
    put_pair(out, high / 100);
    put_pair(out + 2, high % 100);
    put_pair(out + 4, low / 100);
    put_pair(out + 6, low % 100);
}

/* One to eight digits. */
static char *put_up_to_eight(char *out, uint32_t value)
{
    char text[8];
    if (value < 10) {
        *out = (char)('0' + value);
        return out + 1;
    }
    if (value < 100) {
        put_pair(out, value);
        return out + 2;
    }
    put_eight(text, value);
    size_t skip = value < 10000      ? value < 1000 ? 5 : 4
                  : value < 1000000  ? value < 100000 ? 3 : 2
                  : value < 10000000 ? 1
                                     : 0;
    memcpy(out, text + skip, 8 - skip);
    return out + 8 - skip;
}

char *hoop__uint_text(uint64_t value, char *out)
{
    const uint64_t eight = 100000000;
    if (value < eight)
        return put_up_to_eight(out, (uint32_t)value);
    if (value < eight * eight) {
        out = put_up_to_eight(out, (uint32_t)(value / eight));
    } else {
        out = put_up_to_eight(out, (uint32_t)(value / (eight * eight)));
        put_eight(out, (uint32_t)(value / eight % eight));
        out += 8;
    }
    put_eight(out, (uint32_t)(value % eight));
    return out + 8;
}

/* --- layout ----------------------------------------------------------------------------------------- */

#define PLAIN_FROM  (-4) /* the least and */
#define PLAIN_BELOW 17   /* the first exponent of ten that is written as such */

static char *put_exponent(char *out, int exponent)
{
    *out++ = 'e';
    if (exponent < 0)
        *out++ = '-';
    return put_up_to_eight(out, (uint32_t)(exponent < 0 ? -exponent : exponent));
}

/* d.ddd of the `count` digits with the point behind the first `whole`, between 1 and `count` - 1. */
static char *put_point(char *out, const char *digits, int count, int whole)
{
    memcpy(out, digits, (size_t)whole);
    out[whole] = '.';
    memcpy(out + whole + 1, digits + whole, (size_t)(count - whole));
    return out + count + 1;
}

/* The `count` digits, of which the first stands for 10^exponent. */
static char *lay_out(char *out, const char *digits, int count, int exponent)
{
    if (exponent < PLAIN_FROM || exponent >= PLAIN_BELOW) {
        if (count == 1)
            *out++ = *digits;
        else
            out = put_point(out, digits, count, 1);
        return put_exponent(out, exponent);
    }
    if (exponent < 0) {
        memcpy(out, "0.0000", 6);
        out += 1 - exponent;
        memcpy(out, digits, (size_t)count);
        return out + count;
    }
    if (exponent < count - 1)
        return put_point(out, digits, count, exponent + 1);
    memcpy(out, digits, (size_t)count);
    memset(out + count, '0', (size_t)(exponent + 1 - count));
    memcpy(out + exponent + 1, ".0", 2);
    return out + exponent + 3;
}

char *hoop__double_text(double value, char *out)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (bits >> 63)
        *out++ = '-';
    bits &= UINT64_MAX >> 1;
    if (bits == 0) {
        memcpy(out, "0.0", 3);
        return out + 3;
    }
    struct hoop__decimal decimal = hoop__double_decimal(bits);
    char digits[24];
    int count = (int)(hoop__uint_text(decimal.digits, digits) - digits);
    int exponent = decimal.exponent + count - 1;
    while (digits[count - 1] == '0')
        count--;
    return lay_out(out, digits, count, exponent);
}
