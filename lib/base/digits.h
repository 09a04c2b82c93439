/* Numbers as decimal text. */
#ifndef HOOP_BASE_DIGITS_H
#define HOOP_BASE_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HOOP__DIGITS 20u /* of the largest number */

/* Writes a number's digits, without a NUL. Returns how many. */
static inline size_t hoop__digits(uint64_t number, char out[HOOP__DIGITS])
{
    char text[HOOP__DIGITS], *from = text + sizeof text;
    do
        *--from = (char)('0' + number % 10);
    while (number /= 10);
    size_t len = (size_t)(text + sizeof text - from);
    memcpy(out, from, len);
    return len;
}

#endif
