/* Decimals of any length against the middle of two doubles, with all their digits; rarely needed. */
#include "json/double_read.h"

#include <string.h>

/*
 * So many significant digits tell on which side of a middle between two doubles a number lies, if it is also
 * known whether digits other than 0 follow: a middle has at most 767.
 */
#define DIGITS 800

/* 800 digits have 2658 bits; the other side, which is about as large, has a few more at most. */
#define LIMBS 100

struct big {
    size_t count;
    uint32_t limbs[LIMBS]; /* the lowest first */
};

static void multiply(struct big *b, uint32_t by, uint32_t plus)
{
    uint64_t carry = plus;
    for (size_t i = 0; i < b->count; i++) {
        carry += (uint64_t)b->limbs[i] * by;
        b->limbs[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        b->limbs[b->count++] = (uint32_t)carry;
}

static void multiply_by_five(struct big *b, int64_t times)
{
    for (; times >= 13; times -= 13)
        multiply(b, 1220703125, 0); /* 5^13 */
    for (; times > 0; times--)
        multiply(b, 5, 0);
}

static void shift_left(struct big *b, int64_t bits)
{
    size_t whole = (size_t)bits / 32;
    multiply(b, UINT32_C(1) << bits % 32, 0);
    memmove(b->limbs + whole, b->limbs, b->count * sizeof b->limbs[0]);
    memset(b->limbs, 0, whole * sizeof b->limbs[0]);
    b->count += whole;
}

static int compare(const struct big *a, const struct big *b)
{
    if (a->count != b->count)
        return a->count > b->count ? 1 : -1;
    for (size_t i = a->count; i-- > 0;)
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] > b->limbs[i] ? 1 : -1;
    return 0;
}

/* The digits of a text as a whole number. The power of ten that it is to be multiplied by. */
static int64_t read_digits(hoop_str text, struct big *b)
{
    const char *p = text.data, *end = p + text.len;
    int64_t exponent = 0, after_point = 0;
    uint32_t nine = 0, scale = 1;
    size_t digits = 0;
    b->count = 0;
    for (; p < end && (*p | 0x20) != 'e'; p++) {
        uint32_t digit = (uint32_t)(*p - '0');
        if (*p == '.') {
            after_point = 1;
            continue;
        }
        digits += digits || digit;
        if (digits > DIGITS) {
            /* What is cut off counts as a 1 behind, if it is anything. */
            b->limbs[0] |= digit != 0;
            exponent += !after_point;
            continue;
        }
        exponent -= after_point;
        nine = nine * 10 + digit;
        scale *= 10;
        if (scale < 1000000000 && digits < DIGITS)
            continue;
        multiply(b, scale, nine);
        nine = 0;
        scale = 1;
    }
    multiply(b, scale, nine);
    return p < end ? exponent + hoop__exponent_of(p + 1, end) : exponent;
}

int hoop__double_compare(hoop_str text, uint64_t bits)
{
    struct big number, middle;
    int64_t tens = read_digits(text, &number);

    /* The middle is twice the double's whole number and one, times 2^(exponent - 1). */
    uint64_t whole = bits & ((UINT64_C(1) << HOOP__DOUBLE_FRACTION) - 1);
    int64_t biased = (int64_t)(bits >> HOOP__DOUBLE_FRACTION);
    if (biased)
        whole |= UINT64_C(1) << HOOP__DOUBLE_FRACTION;
    int64_t twos = (biased ? biased : 1) - 1076;
    whole = 2 * whole + 1;
    middle.limbs[0] = (uint32_t)whole;
    middle.limbs[1] = (uint32_t)(whole >> 32);
    middle.count = middle.limbs[1] ? 2 : 1;

    /* Both are made whole, and what they have in common is left out. */
    if (tens > 0)
        multiply_by_five(&number, tens);
    else
        multiply_by_five(&middle, -tens);
    if (tens > twos)
        shift_left(&number, tens - twos);
    else
        shift_left(&middle, twos - tens);
    return compare(&number, &middle);
}
