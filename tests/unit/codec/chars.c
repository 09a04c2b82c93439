/* The table of byte classes, against the grammars' own words. */
#include "tools.h"

#include "codec/chars.h"

static int in(int c, const char *set)
{
    return c != 0 && strchr(set, c) != NULL;
}

static int is_alnum(int c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static void test_each_class(void **state)
{
    for (int c = 0; c < 256; c++) {
        unsigned want = 0;
        want |= is_alnum(c) || in(c, "!#$%&'*+-.^_`|~") ? HOOP__CHAR_TOKEN : 0;
        want |= is_alnum(c) || in(c, "-._~") ? HOOP__CHAR_UNRESERVED : 0;
        want |= in(c, "!$&'()*+,;=") ? HOOP__CHAR_SUB_DELIM : 0;
        want |= in(c, "0123456789abcdefABCDEF") ? HOOP__CHAR_HEX : 0;
        want |= in(c, "@:") ? HOOP__CHAR_AT_COLON : 0;
        want |= c == '/' ? HOOP__CHAR_SLASH : 0;
        want |= c == '?' ? HOOP__CHAR_QUESTION : 0;
        want |= is_alnum(c) || in(c, "*-._") ? HOOP__CHAR_FORM : 0;
        assert_int_equal(hoop__chars[c], want);
        assert_int_equal(hoop__char_is((char)c, 0xff), want);
    }
}

static void test_hex_value(void **state)
{
    const char *digits = "0123456789abcdefABCDEF";
    for (unsigned i = 0; i < 22; i++)
        assert_int_equal(hoop__hex_value(digits[i]), i < 16 ? i : i - 6);
}

static void test_ows(void **state)
{
    for (int c = 0; c < 256; c++)
        assert_int_equal(hoop__char_is_ows((char)c), c == ' ' || c == '\t');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_class),
        cmocka_unit_test(test_hex_value),
        cmocka_unit_test(test_ows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
