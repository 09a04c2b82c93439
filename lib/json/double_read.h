/* Decimals as doubles: the nearest one, ties to even. In whole numbers only: no locale, no rounding mode. */
#ifndef HOOP_JSON_DOUBLE_READ_H
#define HOOP_JSON_DOUBLE_READ_H

#include <hoop/str.h>

#include <stdint.h>

#define HOOP__DOUBLE_FRACTION 52 /* bits */
#define HOOP__DOUBLE_INFINITE (UINT64_C(0x7ff) << HOOP__DOUBLE_FRACTION)

/* The exponent behind the 'e'; one beyond all doubles is cut there. */
static inline int64_t hoop__exponent_of(const char *p, const char *end)
{
    int64_t n = 0, negative = *p == '-';
    for (p += *p == '-' || *p == '+'; p < end; p++)
        if (n < INT64_C(1000000000000000))
            n = n * 10 + (*p - '0');
    return negative ? -n : n;
}

/* value * 10^exponent, or, if digits other than 0 were cut off, up to a `value` of one more. */
struct hoop__digits {
    uint64_t value; /* of the first 19 digits behind leading zeros */
    int64_t exponent;
    int cut; /* nonzero or 0 */
};

/* The bits of the nearest double, which may be infinite. `text` is where the digits, without sign, are from. */
uint64_t hoop__double_read(const struct hoop__digits *digits, hoop_str text);

/*
 * Where the number in `text` (no sign, not 0) lies: below, at or above the middle between the double `bits`
 * and the next; negative, 0 or positive. Of any length, exactly. It is near `bits`.
 */
int hoop__double_compare(hoop_str text, uint64_t bits);

#endif
