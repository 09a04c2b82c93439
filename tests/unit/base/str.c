/* hoop_str: absent and empty, comparing, trimming. */
#include "support.h"

static void test_absent_is_told_from_empty(void **state)
{
    hoop_str none = hoop_str_none(), empty = hoop_str_c("");
    static const hoop_str constant = HOOP_STR_NONE;
    assert_true(hoop_str_is_none(none));
    assert_true(hoop_str_is_none(constant));
    assert_true(hoop_str_is_none(hoop_str_c(NULL)));
    assert_false(hoop_str_is_none(empty));
    assert_false(hoop_str_is_none(hoop_str_n(NULL, 0)));
    assert_true(hoop_str_eq(none, empty));
    assert_int_equal(none.len, 0);
    assert_int_equal(none.data[0], 0);
}

static void test_data_is_never_null(void **state)
{
    assert_non_null(hoop_str_none().data);
    assert_non_null(hoop_str_c(NULL).data);
    assert_non_null(hoop_str_n(NULL, 5).data);
    assert_int_equal(hoop_str_n(NULL, 5).len, 0);
}

static void test_equal_is_by_bytes(void **state)
{
    assert_true(hoop_str_eq(hoop_str_n("a\0b", 3), hoop_str_n("a\0b", 3)));
    assert_false(hoop_str_eq(hoop_str_n("a\0b", 3), hoop_str_n("a\0c", 3)));
    assert_false(hoop_str_eq(hoop_str_c("ab"), hoop_str_c("abc")));
    assert_true(hoop_str_eq_c(hoop_str_n("abcd", 3), "abc"));
    assert_false(hoop_str_eq_c(hoop_str_c("abc"), "ABC"));
}

static void test_nocase_folds_ascii_letters_alone(void **state)
{
    assert_true(hoop_str_eq_nocase(hoop_str_c("Content-TYPE"), hoop_str_c("cOntent-type")));
    assert_false(hoop_str_eq_nocase(hoop_str_c("a"), hoop_str_c("ab")));
    for (int a = 0; a < 256; a++)
        for (int b = 0; b < 256; b++) {
            char x = (char)a, y = (char)b;
            int fold_a = a >= 'A' && a <= 'Z' ? a + 32 : a;
            int fold_b = b >= 'A' && b <= 'Z' ? b + 32 : b;
            assert_int_equal(hoop_str_eq_nocase(hoop_str_n(&x, 1), hoop_str_n(&y, 1)),
                             fold_a == fold_b);
        }
}

static void test_secrets(void **state)
{
    assert_true(hoop_str_eq_secret(hoop_str_c("secret"), hoop_str_c("secret")));
    assert_true(hoop_str_eq_secret(hoop_str_c(""), hoop_str_none()));
    assert_false(hoop_str_eq_secret(hoop_str_c("secret"), hoop_str_c("secreT")));
    assert_false(hoop_str_eq_secret(hoop_str_c("secret"), hoop_str_c("")));
    assert_false(hoop_str_eq_secret(hoop_str_c(""), hoop_str_c("secret")));
    assert_false(hoop_str_eq_secret(hoop_str_c("aa"), hoop_str_c("a")));
    assert_false(hoop_str_eq_secret(hoop_str_c("a"), hoop_str_c("aa")));
    /* Differences must not cancel out. */
    assert_false(hoop_str_eq_secret(hoop_str_c("ab"), hoop_str_c("ba")));
}

static void test_trim(void **state)
{
    assert_str(hoop_str_trim(hoop_str_c(" \t a b\t ")), "a b");
    assert_str(hoop_str_trim(hoop_str_c("ab")), "ab");
    assert_str(hoop_str_trim(hoop_str_c(" \t")), "");
    assert_str(hoop_str_trim(hoop_str_c("\r\nx\n")), "\r\nx\n");
    assert_true(hoop_str_is_none(hoop_str_trim(hoop_str_none())));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_absent_is_told_from_empty),
        cmocka_unit_test(test_data_is_never_null),
        cmocka_unit_test(test_equal_is_by_bytes),
        cmocka_unit_test(test_nocase_folds_ascii_letters_alone),
        cmocka_unit_test(test_secrets),
        cmocka_unit_test(test_trim),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
