/* Numbers read from their text, exactly; see number.h. */
#include "json/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- integers ---------------------------------------------------------------------------------- */

/* The digits as a number; HOOP_ETOOBIG over 64 bits. */
static int magnitude(hoop_str text, uint64_t *ret_value)
{
    uint64_t n = 0;
    for (size_t i = text.data[0] == '-'; i < text.len; i++) {
        uint64_t digit = (uint64_t)(text.data[i] - '0');
        if (n > (UINT64_MAX - digit) / 10)
            return HOOP_ETOOBIG;
        n = n * 10 + digit;
    }
    *ret_value = n;
    return 0;
}

int hoop__number_int64(hoop_str text, int64_t *ret_value)
{
    uint64_t n, negative = text.data[0] == '-';
    if (magnitude(text, &n) < 0 || n > (uint64_t)INT64_MAX + negative)
        return HOOP_ETOOBIG;
    if (negative)
        *ret_value = n ? -(int64_t)(n - 1) - 1 : 0;
    else
        *ret_value = (int64_t)n;
    return 0;
}

int hoop__number_uint64(hoop_str text, uint64_t *ret_value)
{
    uint64_t n;
    if (magnitude(text, &n) < 0 || (text.data[0] == '-' && n))
        return HOOP_ETOOBIG;
    *ret_value = n;
    return 0;
}

/* --- doubles ----------------------------------------------------------------------------------- */

/*
 * So many significant digits tell between which doubles a number lies, if it is also known whether digits
 * other than 0 follow: the border between two doubles has at most 767.
 */
#define DIGITS 800

/* A number as significant digits, times a power of ten. */
struct decimal {
    char text[DIGITS + 32]; /* a sign, digits, and room for the exponent */
    size_t len;             /* of sign and digits */
    size_t digits;          /* without leading zeros */
    uint64_t value;         /* of the digits, if they are 19 or fewer */
    int64_t exponent;
};

/* A digit of the mantissa. */
static void add_digit(struct decimal *d, char digit, int64_t after_point)
{
    if (digit == '0' && d->digits == 0) {
        d->exponent -= after_point;
        return;
    }
    if (d->digits < DIGITS) {
        d->text[d->len++] = digit;
        d->value = d->value * 10 + (uint64_t)(digit - '0');
        d->digits++;
        d->exponent -= after_point;
    } else {
        /* What is cut off counts as a 1 behind, if it is anything. */
        if (digit != '0')
            d->text[d->len - 1] |= 1;
        d->exponent += 1 - after_point;
    }
}

/* The exponent behind the 'e'; one beyond all doubles is cut there. */
static int64_t exponent_of(const char *p, const char *end)
{
    int64_t n = 0, negative = *p == '-';
    for (p += *p == '-' || *p == '+'; p < end; p++)
        if (n < INT64_C(1000000000000000))
            n = n * 10 + (*p - '0');
    return negative ? -n : n;
}

static void take_apart(hoop_str text, struct decimal *d)
{
    const char *p = text.data, *end = p + text.len;
    d->len = d->digits = 0;
    d->value = 0;
    d->exponent = 0;
    if (*p == '-')
        d->text[d->len++] = *p++;
    int64_t after_point = 0;
    for (; p < end && (*p | 0x20) != 'e'; p++) {
        if (*p == '.')
            after_point = 1;
        else
            add_digit(d, *p, after_point);
    }
    if (p < end)
        d->exponent += exponent_of(p + 1, end);
}

/*
 * Integers below 2^53 and powers of ten up to 10^22 are exact as doubles, so one multiplication or
 * division of them rounds once (Clinger 1990). Nonzero if that was possible.
 */
static int is_easy(const struct decimal *d, double *ret_value)
{
    static const double powers[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                     1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    if (d->digits > 19 || d->value > UINT64_C(1) << 53 || d->exponent < -22 || d->exponent > 22)
        return 0;
    double value = (double)d->value;
    *ret_value = d->exponent < 0 ? value / powers[-d->exponent] : value * powers[d->exponent];
    return 1;
}

int hoop__number_double(hoop_str text, double *ret_value)
{
    struct decimal d;
    double value;
    take_apart(text, &d);
    if (d.digits == 0)
        value = 0;
    else if (is_easy(&d, &value))
        ;
    else {
        /* Without a point the text is the same in all locales. */
        int64_t exponent = d.exponent > 100000    ? 100000
                           : d.exponent < -100000 ? -100000
                                                  : d.exponent;
        snprintf(d.text + d.len, sizeof d.text - d.len, "e%d", (int)exponent);
        value = strtod(d.text[0] == '-' ? d.text + 1 : d.text, NULL);
    }
    if (isinf(value))
        return HOOP_ETOOBIG;
    *ret_value = text.data[0] == '-' ? -value : value;
    return 0;
}
