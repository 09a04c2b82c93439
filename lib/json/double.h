/* Doubles as the shortest decimal that reads back as the same double; nothing about JSON values. */
#ifndef HOOP_JSON_DOUBLE_H
#define HOOP_JSON_DOUBLE_H

#include <stddef.h>
#include <stdint.h>

#define HOOP__DOUBLE_SIZE 32 /* bytes that hoop__double_text() may write, the longest text is 25 */

/* The powers of ten in the table, as exponents. */
#define HOOP__POWER_FIRST (-342)
#define HOOP__POWER_LAST  324

/* The last that has no more than 128 bits. */
#define HOOP__POWER_EXACT 55

/* The highest 128 bits of a power of ten, rounded up; exact from 0 to HOOP__POWER_EXACT. */
struct hoop__power {
    uint64_t high;
    uint64_t low;
};

extern const struct hoop__power hoop__powers[HOOP__POWER_LAST - HOOP__POWER_FIRST + 1];

/* floor(log2(10^e)), for |e| up to 1200. >> of a negative number is arithmetic with every compiler. */
static inline int hoop__log2_pow10(int e)
{
    return (int)((e * INT64_C(1741647)) >> 19);
}

/* digits * 10^exponent */
struct hoop__decimal {
    uint64_t digits; /* up to 17 digits; may end in zeros */
    int exponent;
};

/*
 * Of the decimals that read back (to nearest, ties to even) as the double whose sign is left out and whose
 * bits are `bits`, one of the shortest, and of those the nearest. For finite numbers above zero.
 */
struct hoop__decimal hoop__double_decimal(uint64_t bits);

/*
 * Writes a finite double as JSON to `out`, HOOP__DOUBLE_SIZE bytes, and returns the end; what is behind it
 * is overwritten, too. The digits are laid out as printf's %.17g would, so as jansson does: plain from 1e-4
 * to below 1e17, else with an exponent that has no plus and no leading zeros; ".0" follows if the
 * text would read as an integer.
 */
char *hoop__double_text(double value, char *out);

/* Writes an integer, up to 20 bytes, and returns the end. */
char *hoop__uint_text(uint64_t value, char *out);

#endif
