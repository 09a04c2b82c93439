/*
 * The nearest double of a decimal: two products of 64 bits tell between which bounds it lies, and nearly always
 * both bounds have the same nearest double. After Lemire ("Number parsing at a gigabyte per second",
 * 2021), with bounds instead of his proof.
 */
#include "json/double_read.h"

#include "json/double.h"
#include "json/wide.h"

#define EXPONENT_BIAS 1023
#define GREATEST      308 /* power of ten that a double may have */

/* high.mid low, read as a number from 1 to below 4 behind its second bit, times 2^exponent. */
struct scaled {
    uint64_t high, mid, low;
    int exponent;
};

/* digits * 10^power, with the power rounded up; the digits are moved to the top, `*digits`. */
static struct scaled scale(uint64_t *digits, int power)
{
    struct hoop__power p = hoop__powers[power - HOOP__POWER_FIRST];
    int zeros = __builtin_clzll(*digits);
    *digits <<= zeros;
    struct hoop__product low = hoop__multiply(*digits, p.low);
    struct hoop__product high = hoop__multiply(*digits, p.high);
    uint64_t mid = high.low + low.high;
    return (struct scaled){ high.high + (mid < low.high), mid, low.low,
                            hoop__log2_pow10(power) + 63 - zeros };
}

/* The bits of the nearest double, ties to even. It never falls while the number grows. */
static uint64_t nearest(struct scaled s)
{
    uint64_t top = s.high, more = s.mid | s.low;
    int exponent = s.exponent;
    if (top >> 63) {
        exponent++;
    } else {
        top = top << 1 | s.mid >> 63;
        more = s.mid << 1 | s.low;
    }
    /* Small numbers have fewer bits: those of the double are the ones from 2^-1074 on. */
    int biased = exponent + EXPONENT_BIAS, shift = 63 - HOOP__DOUBLE_FRACTION;
    if (biased < 1) {
        shift += 1 - biased;
        biased = 1;
    }
    if (shift > 64)
        return 0;
    uint64_t kept = shift < 64 ? top >> shift : 0;
    uint64_t rest = shift < 64 ? top & ((UINT64_C(1) << shift) - 1) : top;
    uint64_t half = UINT64_C(1) << (shift - 1);
    kept += rest > half || (rest == half && (more || (kept & 1)));
    /* The highest bit kept, and a carry, add to the exponent. */
    uint64_t bits = ((uint64_t)(biased - 1) << HOOP__DOUBLE_FRACTION) + kept;
    return bits < HOOP__DOUBLE_INFINITE ? bits : HOOP__DOUBLE_INFINITE;
}

/* The product less what rounding the power up may have added: below the number, if that is not exact. */
static struct scaled lower_bound(struct scaled s, uint64_t digits)
{
    uint64_t low = s.low - digits, mid = s.mid - (s.low < digits);
    return (struct scaled){ s.high - (s.mid < mid), mid, low, s.exponent };
}

uint64_t hoop__double_read(const struct hoop__digits *d, hoop_str text)
{
    if (d->value == 0 || d->exponent < HOOP__POWER_FIRST)
        return 0;
    if (d->exponent > GREATEST)
        return HOOP__DOUBLE_INFINITE;
    int power = (int)d->exponent;
    uint64_t digits = d->value, above = d->value + 1;
    struct scaled s = scale(&digits, power);
    /* Usually both bounds are the same from the bits on that decide. */
    if (!d->cut && (s.mid << 1) > 2)
        return nearest(s);
    uint64_t high = nearest(d->cut ? scale(&above, power) : s);
    if (power < 0 || power > HOOP__POWER_EXACT)
        s = lower_bound(s, digits);
    uint64_t low = nearest(s);
    if (low == high)
        return low;
    /* One middle lies between the bounds. */
    int order = hoop__double_compare(text, low);
    return order < 0 || (order == 0 && !(low & 1)) ? low : high;
}
