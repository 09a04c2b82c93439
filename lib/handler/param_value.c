/* Readers of typed values: strict, without blanks around, in one notation each. */
#include "handler/param_value.h"

#include "codec/chars.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static size_t digits_at(hoop_str text, size_t at)
{
    size_t count = 0;
    while (at + count < text.len && is_digit(text.data[at + count]))
        count++;
    return count;
}

int hoop__value_int64(hoop_str text, int64_t *ret_value)
{
    size_t at = text.len && text.data[0] == '-';
    if (at == text.len || digits_at(text, at) != text.len - at)
        return HOOP_EPARSE;
    uint64_t limit = at ? (uint64_t)INT64_MAX + 1 : INT64_MAX, n = 0;
    size_t first = at;
    for (; at < text.len; at++) {
        uint64_t digit = (uint64_t)(text.data[at] - '0');
        if (n > (limit - digit) / 10)
            return HOOP_EPARSE;
        n = n * 10 + digit;
    }
    if (first && n == limit)
        *ret_value = INT64_MIN;
    else
        *ret_value = first ? -(int64_t)n : (int64_t)n;
    return 0;
}

/* Nonzero if the text is [-] digits [. digits] [e [+-] digits]. */
static int is_number(hoop_str text)
{
    size_t at = text.len && text.data[0] == '-', digits = digits_at(text, at);
    if (!digits)
        return 0;
    at += digits;
    if (at < text.len && text.data[at] == '.') {
        digits = digits_at(text, at + 1);
        if (!digits)
            return 0;
        at += 1 + digits;
    }
    if (at < text.len && (text.data[at] == 'e' || text.data[at] == 'E')) {
        at++;
        if (at < text.len && (text.data[at] == '+' || text.data[at] == '-'))
            at++;
        digits = digits_at(text, at);
        if (!digits)
            return 0;
        at += digits;
    }
    return at == text.len;
}

int hoop__value_double(hoop_str text, double *ret_value)
{
    char copy[512];
    const char *point = localeconv()->decimal_point;
    size_t point_len = strlen(point), len = 0;
    if (!is_number(text) || text.len + point_len >= sizeof copy)
        return HOOP_EPARSE;
    /* strtod() wants the point of the locale that the program has set. */
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] == '.') {
            memcpy(copy + len, point, point_len);
            len += point_len;
        } else {
            copy[len++] = text.data[i];
        }
    }
    copy[len] = 0;
    double value = strtod(copy, NULL);
    if (!isfinite(value))
        return HOOP_EPARSE;
    *ret_value = value;
    return 0;
}

int hoop__value_bool(hoop_str text, int *ret_value)
{
    static const struct {
        const char *word;
        int value;
    } words[] = {
        { "true", 1 }, { "false", 0 }, { "1", 1 }, { "0", 0 }, { "on", 1 }, { "off", 0 }
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (hoop_str_eq_c(text, words[i].word)) {
            *ret_value = words[i].value;
            return 0;
        }
    }
    return HOOP_EPARSE;
}

int hoop__value_uuid(hoop_str text, uint8_t ret_value[16])
{
    uint8_t bytes[16];
    size_t count = 0;
    if (text.len != 36)
        return HOOP_EPARSE;
    for (size_t i = 0; i < 36;) {
        if (i == 8 || i == 13 || i == 18 || i == 23) {
            if (text.data[i++] != '-')
                return HOOP_EPARSE;
            continue;
        }
        if (!hoop__char_is(text.data[i], HOOP__CHAR_HEX) ||
            !hoop__char_is(text.data[i + 1], HOOP__CHAR_HEX))
            return HOOP_EPARSE;
        bytes[count++] =
            (uint8_t)(hoop__hex_value(text.data[i]) << 4 | hoop__hex_value(text.data[i + 1]));
        i += 2;
    }
    memcpy(ret_value, bytes, 16);
    return 0;
}

/* --- dates and times --------------------------------------------------------------------------- */

/* Days from 1970-01-01, in the proleptic Gregorian calendar. */
static int64_t days_from_civil(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - era * 400;
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

/* `count` digits at `*at` within limits; -1 if they are not there. */
static int64_t number(hoop_str text, size_t *at, size_t count, int64_t least, int64_t most)
{
    int64_t n = 0;
    for (size_t i = 0; i < count; i++, ++*at) {
        if (*at >= text.len || !is_digit(text.data[*at]))
            return -1;
        n = n * 10 + (text.data[*at] - '0');
    }
    return n < least || n > most ? -1 : n;
}

static int is_byte(hoop_str text, size_t *at, char c)
{
    if (*at >= text.len || (text.data[*at] | 0x20) != (c | 0x20))
        return 0;
    ++*at;
    return 1;
}

static int64_t days_of(int64_t year, int64_t month)
{
    static const uint8_t days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    int leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

/* The milliseconds of a fraction that may follow; -1 if it is none. */
static int64_t fraction(hoop_str text, size_t *at)
{
    int64_t ms = 0, unit = 100;
    if (!is_byte(text, at, '.'))
        return 0;
    if (!digits_at(text, *at))
        return -1;
    for (; *at < text.len && is_digit(text.data[*at]); ++*at, unit /= 10)
        ms += (text.data[*at] - '0') * unit;
    return ms;
}

/* The offset from UTC in minutes; INT64_MAX if it is none. */
static int64_t offset(hoop_str text, size_t *at)
{
    if (is_byte(text, at, 'Z'))
        return 0;
    int negative = *at < text.len && text.data[*at] == '-';
    if (*at >= text.len || (!negative && text.data[*at] != '+'))
        return INT64_MAX;
    ++*at;
    int64_t hours = number(text, at, 2, 0, 23);
    int64_t minutes = is_byte(text, at, ':') ? number(text, at, 2, 0, 59) : -1;
    if (hours < 0 || minutes < 0)
        return INT64_MAX;
    return negative ? -(hours * 60 + minutes) : hours * 60 + minutes;
}

int hoop__value_time(hoop_str text, int64_t *ret_value)
{
    size_t at = 0;
    int64_t year = number(text, &at, 4, 0, 9999);
    int64_t month = is_byte(text, &at, '-') ? number(text, &at, 2, 1, 12) : -1;
    if (year < 0 || month < 0)
        return HOOP_EPARSE;
    int64_t day = is_byte(text, &at, '-') ? number(text, &at, 2, 1, days_of(year, month)) : -1;
    int64_t hour = is_byte(text, &at, 'T') ? number(text, &at, 2, 0, 23) : -1;
    int64_t minute = is_byte(text, &at, ':') ? number(text, &at, 2, 0, 59) : -1;
    int64_t second = is_byte(text, &at, ':') ? number(text, &at, 2, 0, 60) : -1;
    if (day < 0 || hour < 0 || minute < 0 || second < 0)
        return HOOP_EPARSE;
    int64_t ms = fraction(text, &at), east = offset(text, &at);
    if (ms < 0 || east == INT64_MAX || at != text.len)
        return HOOP_EPARSE;
    int64_t minutes = days_from_civil(year, month, day) * 1440 + hour * 60 + minute - east;
    /* A leap second ends a day of UTC, and counts as the second behind it. */
    if (second == 60 && (minutes + 1) % 1440 != 0)
        return HOOP_EPARSE;
    *ret_value = (minutes * 60 + second) * 1000 + ms;
    return 0;
}
