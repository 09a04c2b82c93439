/* Doubles as text: the shortest that reads back, the nearest of those, laid out as promised. */
#include "tools.h"

#include "json/double.h"
#include "json/wide.h"

#include <math.h>
#include <stdio.h>

static void expect(double value, const char *want)
{
    char text[HOOP__DOUBLE_SIZE + 1];
    memset(text, 'x', sizeof text);
    char *end = hoop__double_text(value, text);
    assert_bytes(text, (size_t)(end - text), want, strlen(want));
    assert_int_equal(text[HOOP__DOUBLE_SIZE], 'x');
}

static double of_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void test_layout(void **state)
{
    expect(0.0, "0.0");
    expect(-0.0, "-0.0");
    expect(1, "1.0");
    expect(-1, "-1.0");
    expect(10, "10.0");
    expect(1234567, "1234567.0");
    expect(0.1, "0.1");
    expect(0.5, "0.5");
    expect(-12.75, "-12.75");
    expect(0.001, "0.001");
    expect(0.0001, "0.0001");
    expect(0.00001, "1e-5");
    expect(0.000123, "0.000123");
    expect(0.0000123, "1.23e-5");
    expect(1e15, "1000000000000000.0");
    expect(1e16, "10000000000000000.0");
    expect(1e17, "1e17");
    expect(12345678901234567.0, "12345678901234568.0");
    expect(123456789012345678.0, "1.2345678901234568e17");
    expect(1e21, "1e21");
    expect(1e22, "1e22");
    expect(1e23, "1e23");
    expect(1e100, "1e100");
    expect(1e300, "1e300");
    expect(1e-300, "1e-300");
    expect(1.5e-10, "1.5e-10");
}

/* What other ways to the shortest text got wrong, and the ends of the range. */
static void test_hard_cases(void **state)
{
    expect(5e-324, "5e-324");
    expect(1e-323, "1e-323");
    expect(1.5e-323, "1.5e-323");
    expect(2.2250738585072009e-308, "2.225073858507201e-308");
    expect(2.2250738585072011e-308, "2.225073858507201e-308");
    expect(2.2250738585072014e-308, "2.2250738585072014e-308");
    expect(1.7976931348623157e308, "1.7976931348623157e308");
    expect(9007199254740991, "9007199254740991.0");
    expect(9007199254740992, "9007199254740992.0");
    expect(9007199254740993, "9007199254740992.0");
    expect(9.5367431640625e-7, "9.5367431640625e-7"); /* 2^-20 */
    expect(1.0 / 3, "0.3333333333333333");
    expect(2.0 / 3, "0.6666666666666666");
    expect(0.1 + 0.2, "0.30000000000000004");
    expect(0.3, "0.3");
    expect(100.0 / 3, "33.333333333333336");
    expect(3.141592653589793, "3.141592653589793");
    expect(2.718281828459045, "2.718281828459045");
    expect(9.109383e-31, "9.109383e-31");
    expect(4.35, "4.35");
    expect(4.349999999999999, "4.349999999999999");
    expect(5.764607523034235e39, "5.764607523034235e39"); /* 2^132 x 1.0588... */
    expect(1.152921504606847e40, "1.152921504606847e40");
    expect(2.305843009213694e40, "2.305843009213694e40");
    expect(9.007199254740992e18, "9.007199254740992e18");
    expect(1.2379400392853803e27, "1.2379400392853803e27");  /* 2^90 and its upper neighbour */
    expect(2.98023223876953125e-8, "2.9802322387695312e-8"); /* 2^-25: the even of two */
    expect(2.0019531250000004, "2.0019531250000004");
    expect(1.8014398509481984e16, "18014398509481984.0");
    expect(2.9802322387695312e-8, "2.9802322387695312e-8");
    expect(5.9604644775390625e-8, "5.960464477539063e-8");
    expect(of_bits(UINT64_C(0x4830f0cf064dd592)), "5.764607523034235e39");
    expect(of_bits(UINT64_C(0x4840f0cf064dd592)), "1.152921504606847e40");
    expect(of_bits(UINT64_C(0x4850f0cf064dd592)), "2.305843009213694e40");
}

/* The digits of a text without sign, point, exponent and zeros at both ends. Returns how many. */
static size_t digits_of(const char *text, char *digits)
{
    size_t n = 0;
    for (; *text && *text != 'e'; text++)
        if (*text >= '0' && *text <= '9' && (n > 0 || *text != '0'))
            digits[n++] = *text;
    while (n > 0 && digits[n - 1] == '0')
        n--;
    return n;
}

/*
 * The text reads back; no text with one digit less does, the nearest one nor its neighbours; and if the
 * nearest of the same length reads back, that is what was written.
 */
static void check(double value)
{
    char text[64], other[64], digits[64], other_digits[64];
    *hoop__double_text(value, text) = '\0';
    double again = strtod(text, NULL);
    if (memcmp(&again, &value, sizeof value) != 0)
        fail_msg("%a was written as %s", value, text);
    assert_true(strlen(text) <= 25);
    assert_non_null(strpbrk(text, ".e"));
    size_t n = digits_of(text, digits);
    if (n == 0)
        return;
    snprintf(other, sizeof other, "%.*e", (int)n - 1, value);
    if (strtod(other, NULL) == value &&
        (digits_of(other, other_digits) != n || memcmp(digits, other_digits, n) != 0))
        fail_msg("%a was written as %s, but %s is nearer", value, text, other);
    if (n == 1)
        return;
    snprintf(other, sizeof other, "%.*e", (int)n - 2, value);
    if (strtod(other, NULL) == value)
        fail_msg("%a was written as %s, but %s is shorter", value, text, other);
}

static void test_powers_and_neighbours(void **state)
{
    for (uint64_t exponent = 0; exponent < 2047; exponent++)
        for (int near = -3; near <= 3; near++) {
            uint64_t bits = (exponent << 52) + (uint64_t)near;
            if (bits >> 63 == 0 && bits >> 52 < 2047)
                check(of_bits(bits));
        }
    for (int exponent = -323; exponent <= 308; exponent++) {
        char text[16];
        snprintf(text, sizeof text, "1e%d", exponent);
        double value = strtod(text, NULL);
        check(value);
        uint64_t bits;
        memcpy(&bits, &value, sizeof bits);
        check(of_bits(bits - 1));
        check(of_bits(bits + 1));
    }
}

/* HOOP_TEST_ROUNDS: how many thousand of each kind (the default takes a second). */
static void test_random(void **state)
{
    const char *asked = getenv("HOOP_TEST_ROUNDS");
    uint64_t seed = 754, rounds = asked ? strtoull(asked, NULL, 10) : 60;
    for (uint64_t i = 0; i < rounds * 1000; i++) {
        uint64_t bits = (uint64_t)random_below(&seed, 1u << 31) << 33 ^
                        (uint64_t)random_below(&seed, 1u << 31) << 11 ^ random_below(&seed, 2048);
        double value = of_bits(bits);
        if (isfinite(value))
            check(value);
        /* Prices and the like, integers, and sums that just miss a short text. */
        check((double)random_below(&seed, 100000000) / 100);
        check((double)(bits >> (bits & 63)));
        check((double)random_below(&seed, 1000) * 0.1 + (double)random_below(&seed, 1000) * 0.01);
    }
}

/* The products without integers of 128 bits, which other compilers need. */
static void test_products(void **state)
{
    uint64_t seed = 64;
    static const uint64_t ends[] = { 0, 1, UINT32_MAX, UINT64_C(1) << 32, UINT64_MAX };
    for (size_t i = 0; i < 10000; i++) {
        uint64_t a =
            (uint64_t)random_below(&seed, UINT32_MAX) << 32 | random_below(&seed, UINT32_MAX);
        uint64_t b = i < 25 ? ends[i % 5] : a * UINT64_C(0x9e3779b97f4a7c15);
        a = i < 25 ? ends[i / 5] : a;
        struct hoop__product want = hoop__multiply(a, b), got = hoop__multiply_halves(a, b);
        assert_true(got.high == want.high && got.low == want.low);
    }
}

static void test_integers(void **state)
{
    char text[24];
    for (uint64_t power = 1, n = 1; n <= 20; n++, power *= 10) {
        uint64_t values[] = { power, power - 1, power + 1 };
        for (size_t i = 0; i < HOOP_COUNT(values); i++) {
            char want[24];
            snprintf(want, sizeof want, "%llu", (unsigned long long)values[i]);
            *hoop__uint_text(values[i], text) = '\0';
            assert_string_equal(text, want);
        }
    }
    *hoop__uint_text(UINT64_MAX, text) = '\0';
    assert_string_equal(text, "18446744073709551615");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_layout),
        cmocka_unit_test(test_hard_cases),
        cmocka_unit_test(test_powers_and_neighbours),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_integers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
