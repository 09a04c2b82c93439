/* Numbers: exact integers, and doubles that are the nearest, also in other locales. */
#include "support.h"

#include "json/number.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>

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

/* As printed and as strtod() reads them: random bits, and random short decimals. */
static void test_random(void **state)
{
    uint64_t seed = 12345;
    for (int i = 0; i < 200000; i++) {
        char text[64];
        double want;
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint64_t bits = seed ^ seed >> 29;
        memcpy(&want, &bits, sizeof want);
        if (i % 2)
            want = (double)(int64_t)(bits >> 20) / 1e5 * (i % 4 == 1 ? 1 : 1e-7);
        if (!isfinite(want))
            continue;
        if (i % 3)
            sprintf(text, "%.17g", want);
        else
            sprintf(text, "%.*e", i % 25, want);
        double nearest = strtod(text, NULL), got;
        if (isinf(nearest))
            continue;
        assert_int_equal(hoop__number_double(hoop_str_c(text), &got), 0);
        if (memcmp(&got, &nearest, sizeof got) != 0)
            fail_msg("%s", text);
    }
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
        cmocka_unit_test(test_integers),    cmocka_unit_test(test_doubles),
        cmocka_unit_test(test_many_digits), cmocka_unit_test(test_random),
        cmocka_unit_test(test_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
