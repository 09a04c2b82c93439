/* Fields: which bytes may stand in names and values, finding, and the numbers of methods. */
#include "support.h"

#include "value/value.h"

static void test_tokens(void **state)
{
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (int c = 0; c < 256; c++) {
        char text[2] = { (char)c, 'a' };
        int alnum = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
        int want = alnum || (c && strchr(others, c));
        assert_int_equal(!!hoop__is_token(hoop_str_n(text, 1)), want);
        assert_int_equal(!!hoop__is_token(hoop_str_n(text, 2)), want);
    }
    assert_false(hoop__is_token(hoop_str_c("")));
}

static void test_values(void **state)
{
    for (int c = 0; c < 256; c++) {
        char text[3] = { 'a', (char)c, 'b' };
        int want = (c >= 0x20 && c != 0x7f) || c == '\t';
        assert_int_equal(!!hoop__is_field_value(hoop_str_n(text, 3)), want);
    }
    assert_true(hoop__is_field_value(hoop_str_c("")));
}

static void test_finding(void **state)
{
    static const hoop_field fields[] = { { { "accept", 6 }, { "a", 1 } },
                                         { { "Host", 4 }, { "h", 1 } },
                                         { { "Accept", 6 }, { "b", 1 } } };
    assert_int_equal(hoop__field_find(fields, 3, 0, hoop_str_c("ACCEPT")), 0);
    assert_int_equal(hoop__field_find(fields, 3, 1, hoop_str_c("accept")), 2);
    assert_int_equal(hoop__field_find(fields, 3, 3, hoop_str_c("accept")), 3);
    assert_int_equal(hoop__field_find(fields, 3, 0, hoop_str_c("accep")), 3);
    assert_int_equal(hoop__field_find(NULL, 0, 0, hoop_str_c("accept")), 0);
}

static void test_methods(void **state)
{
    static const char *const names[] = { "GET",     "HEAD",  "POST",  "PUT",    "DELETE",
                                         "OPTIONS", "PATCH", "TRACE", "CONNECT" };
    for (size_t i = 0; i < HOOP_COUNT(names); i++)
        assert_int_equal(hoop__method_number(hoop_str_c(names[i])), i + 1);
    assert_int_equal(hoop__method_number(hoop_str_c("get")), HOOP_METHOD_OTHER);
    assert_int_equal(hoop__method_number(hoop_str_c("GETS")), HOOP_METHOD_OTHER);
    assert_int_equal(hoop__method_number(hoop_str_c("")), HOOP_METHOD_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_finding),
        cmocka_unit_test(test_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
