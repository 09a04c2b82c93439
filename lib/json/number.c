/* Numbers read from their text, exactly; see number.h. */
#include "json/number.h"

#include "json/double_read.h"

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

/* The digits from `p` on; behind them. */
static const char *take_digits(const char *p, const char *end, int after_point,
                               struct hoop__digits *d)
{
    for (; p < end && (unsigned char)(*p - '0') < 10; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (d->value < UINT64_C(1000000000000000000)) {
            d->value = d->value * 10 + digit;
            d->exponent -= after_point;
        } else {
            d->cut |= digit != 0;
            d->exponent += !after_point;
        }
    }
    return p;
}

int hoop__number_double(hoop_str text, double *ret_value)
{
    uint64_t sign = text.data[0] == '-';
    const char *end = text.data + text.len, *p = text.data + sign;
    hoop_str unsigned_text = hoop_str_n(p, text.len - (size_t)sign);
    struct hoop__digits d = { 0, 0, 0 };
    p = take_digits(p, end, 0, &d);
    if (p < end && *p == '.')
        p = take_digits(p + 1, end, 1, &d);
    if (p < end)
        d.exponent += hoop__exponent_of(p + 1, end);
    uint64_t bits = hoop__double_read(&d, unsigned_text);
    if (bits == HOOP__DOUBLE_INFINITE)
        return HOOP_ETOOBIG;
    bits |= sign << 63;
    memcpy(ret_value, &bits, sizeof bits);
    return 0;
}
