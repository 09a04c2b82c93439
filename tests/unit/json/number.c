/* Numbers: exact integers, and doubles that are the nearest, also in other locales. */
#include "tools.h"

#include "json/number.h"

#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double read_double(const char *text)
{
    double value = -7;
    assert_int_equal(hoop__number_double(hoop_str_c(text), &value), 0);
    return value;
}

static void test_integers(void **state)
{
    int64_t i = 3;
    uint64_t u = 3;
    assert_int_equal(hoop__number_int64(hoop_str_c("9223372036854775807"), &i), 0);
    assert_true(i == INT64_MAX);
    assert_int_equal(hoop__number_int64(hoop_str_c("-9223372036854775808"), &i), 0);
    assert_true(i == INT64_MIN);
    assert_int_equal(hoop__number_int64(hoop_str_c("-0"), &i), 0);
    assert_true(i == 0);
    assert_int_equal(hoop__number_int64(hoop_str_c("-1"), &i), 0);
    assert_true(i == -1);
    assert_int_equal(hoop__number_int64(hoop_str_c("9223372036854775808"), &i), HOOP_ETOOBIG);
    assert_int_equal(hoop__number_int64(hoop_str_c("-9223372036854775809"), &i), HOOP_ETOOBIG);
    assert_int_equal(hoop__number_int64(hoop_str_c("99999999999999999999999"), &i), HOOP_ETOOBIG);
    assert_true(i == -1);
    assert_int_equal(hoop__number_uint64(hoop_str_c("18446744073709551615"), &u), 0);
    assert_true(u == UINT64_MAX);
    assert_int_equal(hoop__number_uint64(hoop_str_c("18446744073709551616"), &u), HOOP_ETOOBIG);
    assert_int_equal(hoop__number_uint64(hoop_str_c("-1"), &u), HOOP_ETOOBIG);
}

static void test_doubles(void **state)
{
    static const char *const texts[] = {
        "0",
        "1",
        "-1",
        "0.1",
        "0.3",
        "1e22",
        "1e23",
        "123456789012345678",
        "9007199254740993",
        "9007199254740992.5",
        "9007199254740993.0000000000000000000000000000000001",
        "2.5e-3",
        "1.7976931348623157e308",
        "2.2250738585072014e-308",
        "2.2250738585072011e-308",
        "5e-324",
        "2.4703282292062327e-324",
        "2.4703282292062328e-324",
        "1e-400",
        "0.000001e6",
        "100e-2",
        "0.30000000000000004",
        "-37.3159",
        "8.41e-320",
        "6.9294956446009195e15",
        "1E+2",
        "0e999999",
        "1.00000000000000011102230246251565404236316680908203125",
        "1.00000000000000011102230246251565404236316680908203124",
        "1.00000000000000011102230246251565404236316680908203126"
    };
    for (size_t i = 0; i < HOOP_COUNT(texts); i++) {
        double want = strtod(texts[i], NULL);
        if (read_double(texts[i]) != want)
            fail_msg("%s", texts[i]);
    }
    assert_true(signbit(read_double("-0")));
    assert_true(signbit(read_double("-0.0e5")));
    double value = 1;
    assert_int_equal(hoop__number_double(hoop_str_c("1e309"), &value), HOOP_ETOOBIG);
    assert_int_equal(hoop__number_double(hoop_str_c("-1e99999999999999999999"), &value),
                     HOOP_ETOOBIG);
    assert_int_equal(hoop__number_double(hoop_str_c("1e-99999999999999999999"), &value), 0);
    assert_true(value == 0);
}

/* More digits than are kept: those cut off still decide between two doubles. */
static void test_many_digits(void **state)
{
    char text[3000];
    /* Halfway between 1 and the next double, whose digits end after 54; then zeros, then maybe a 1. */
    int len = sprintf(text, "%s", "1.00000000000000011102230246251565404236316680908203125");
    memset(text + len, '0', 2000);
    text[len + 2000] = 0;
    assert_true(read_double(text) == 1.0);
    text[len + 1999] = '1';
    assert_true(read_double(text) == nextafter(1.0, 2.0));
    /* Zeros in front of the point and behind it count as exponents. */
    memset(text, '0', sizeof text);
    memcpy(text, "1", 1);
    memcpy(text + 1001, "e-1000", 7);
    assert_true(read_double(text) == 1.0);
    memset(text, '0', sizeof text);
    text[1] = '.';
    memcpy(text + 1001, "1e1000", 7);
    assert_true(read_double(text) == 1.0);
}

/* What strtod() reads, which the C library's tests hold to be exact, whether it fits or not. */
static void compare(const char *text)
{
    double want = strtod(text, NULL), got = -7;
    int rc = hoop__number_double(hoop_str_c(text), &got);
    if (isinf(want) ? rc != HOOP_ETOOBIG || got != -7 : rc || memcmp(&got, &want, sizeof got))
        fail_msg("%s", text);
}

static double of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* HOOP_TEST_ROUNDS: how many thousand of each kind (the default takes half a second). */
static uint64_t rounds(void)
{
    const char *asked = getenv("HOOP_TEST_ROUNDS");
    return (asked ? strtoull(asked, NULL, 10) : 60) * 1000;
}

static uint64_t random_bits(uint64_t *seed)
{
    return (uint64_t)random_below(seed, 1u << 31) << 33 ^
           (uint64_t)random_below(seed, 1u << 31) << 11 ^ random_below(seed, 2048);
}

/* As doubles are printed: by 17 digits, by fewer, by more, and prices. */
static void test_random_doubles(void **state)
{
    uint64_t seed = 12345, count = rounds();
    for (uint64_t i = 0; i < count; i++) {
        char text[64];
        double value = of_bits(random_bits(&seed));
        if (i % 2)
            value = (double)random_below(&seed, 1u << 31) / (i % 4 == 1 ? 100 : 1e7);
        if (!isfinite(value))
            continue;
        sprintf(text, "%.17g", value);
        compare(text);
        sprintf(text, "%.*e", (int)(i % 25), value);
        compare(text);
    }
}

/* Digits of any number, a point and an exponent anywhere, also beyond all doubles. */
static void test_random_digits(void **state)
{
    uint64_t seed = 3141, count = rounds();
    for (uint64_t i = 0; i < count; i++) {
        char text[100];
        uint32_t digits = 1 + random_below(&seed, i % 8 ? 22 : 60), at = 0;
        uint32_t point = random_below(&seed, digits + 4);
        if (i % 3 == 0)
            text[at++] = '-';
        for (uint32_t d = 0; d < digits; d++) {
            text[at++] = (char)('0' + random_below(&seed, 10));
            if (d == point && d + 1 < digits)
                text[at++] = '.';
        }
        text[at] = 0;
        if (i % 5)
            sprintf(text + at, "%s%d", i & 1 ? "e" : "E", (int)random_below(&seed, 700) - 360);
        compare(text);
    }
}

/*
 * The middle between a double and the next, all its digits, and what is just below and just above it. Printed by
 * way of long double, where that has the bit more.
 */
static void compare_middle(double value)
{
#if LDBL_MANT_DIG >= DBL_MANT_DIG + 1
    static char text[2000];
    long double next = nextafter(value, INFINITY);
    if (isinf((double)next))
        next = ldexpl(1, DBL_MAX_EXP);
    int len = sprintf(text, "%.*Le", 800, (value + next) / 2);
    compare(text);
    char *e = memchr(text, 'e', (size_t)len), tail[16];
    strcpy(tail, e);
    /* Behind the last digit that is not 0 all is 0: a 1 there, or one less. */
    e[-1] = '1';
    compare(text);
    e[-1] = '0';
    char *last = e - 1;
    while (*last == '0')
        last--;
    strcpy(last + 1, tail);
    compare(text);
    *last -= 1;
    strcpy(last + 1, "9");
    strcpy(last + 2, tail);
    compare(text);
#endif
}

static void test_middles(void **state)
{
    uint64_t seed = 1075, count = rounds() / 20;
    for (uint64_t bits = 0; bits < 40; bits++)
        compare_middle(of_bits(bits));
    compare_middle(DBL_MAX);
    for (uint64_t exponent = 1; exponent < 2047; exponent += 13)
        for (uint64_t near = 0; near < 4; near++)
            compare_middle(of_bits((exponent << 52) - 2 + near));
    for (uint64_t i = 0; i < count; i++) {
        double value = fabs(of_bits(random_bits(&seed)));
        /* Around 1 the middles are short, below the normal ones they are long. */
        if (i % 3 == 0)
            value = (double)(random_bits(&seed) >> 11) / (double)(1u << (i & 31));
        else if (i % 3 == 1)
            value = of_bits(random_bits(&seed) >> (12 + (i & 31)));
        if (isfinite(value))
            compare_middle(value);
    }
}

/* The host's way to round is none of ours. */
static void test_rounding_mode(void **state)
{
    fesetround(FE_UPWARD);
    double up = read_double("0.1"), third = read_double("0.33333333333333333333333333333");
    fesetround(FE_TONEAREST);
    assert_true(up == 0.1);
    assert_true(third == 1.0 / 3);
}

static void test_locale(void **state)
{
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8") && !setlocale(LC_NUMERIC, "fr_FR.UTF-8"))
        skip();
    double hard = read_double("1.7976931348623157e308"), easy = read_double("0.5");
    setlocale(LC_NUMERIC, "C");
    assert_true(hard == 1.7976931348623157e308);
    assert_true(easy == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),      cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_many_digits),   cmocka_unit_test(test_random_doubles),
        cmocka_unit_test(test_random_digits), cmocka_unit_test(test_middles),
        cmocka_unit_test(test_rounding_mode), cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
