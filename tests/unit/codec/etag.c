/* Entity tags: what is one, lists of them, and the two comparisons. */
#include "tools.h"

#include "codec/etag.h"

#include <stdio.h>

static void expect(const char *value, const char *opaque, int weak)
{
    hoop_str text = tight_c(value);
    struct hoop__etag etag;
    assert_int_equal(hoop__etag_parse(text, &etag), 0);
    assert_str(etag.opaque, opaque);
    assert_int_equal(etag.weak, weak);
    drop(text);
}

static void refuse(const char *value, size_t len)
{
    hoop_str text = tight(value, len);
    struct hoop__etag etag = { hoop_str_c("kept"), 7 };
    assert_int_equal(hoop__etag_parse(text, &etag), HOOP_EPARSE);
    assert_str(etag.opaque, "kept");
    assert_int_equal(etag.weak, 7);
    drop(text);
}

static void test_parse(void **state)
{
    expect("\"\"", "", 0);
    expect("\"a\"", "a", 0);
    expect("W/\"a\"", "a", 1);
    expect("W/\"\"", "", 1);
    expect("\"a\\\"", "a\\", 0);
    expect("\"!#,;W/'\xff\"", "!#,;W/'\xff", 0);
    static const char *const wrong[] = { "",        "\"",        "a",       "W",      "W/",
                                         "W/\"",    "w/\"a\"",   "W \"a\"", "\"a",    "a\"",
                                         "\"a b\"", "*",         "W/a",     " \"a\"", "\"a\" ",
                                         "\"a\"\"", "\"a\x7f\"", "\"a\tb\"" };
    for (size_t i = 0; i < HOOP_COUNT(wrong); i++)
        refuse(wrong[i], strlen(wrong[i]));
    refuse("\"a\0b\"", 5);
}

/* Which bytes may stand in a tag: all of them tried. */
static void test_each_byte(void **state)
{
    for (int c = 0; c < 256; c++) {
        char text[3] = { '"', (char)c, '"' };
        struct hoop__etag etag;
        int want = c == 0x21 || (c >= 0x23 && c <= 0x7e) || c >= 0x80;
        assert_int_equal(hoop__etag_parse(hoop_str_n(text, 3), &etag) == 0, want);
    }
}

/* The tags in brackets, weak ones with a tilde, and whether the list breaks. */
static void expect_list(const char *value, const char *want)
{
    hoop_str text = tight_c(value), rest = text;
    struct hoop__etag etag;
    char got[256] = "";
    size_t used = 0;
    int rc;
    while ((rc = hoop__etag_next(&rest, &etag)) > 0)
        used += (size_t)snprintf(got + used, sizeof got - used, "%s<%.*s>", etag.weak ? "~" : "",
                                 (int)etag.opaque.len, etag.opaque.data);
    if (rc)
        snprintf(got + used, sizeof got - used, "broken");
    else
        assert_int_equal(rest.len, 0);
    assert_string_equal(got, want);
    drop(text);
}

static void test_list(void **state)
{
    expect_list("", "");
    expect_list(" , ,\t", "");
    expect_list("\"a\"", "<a>");
    expect_list("\"a\",\"b\"", "<a><b>");
    expect_list(",, \"a\" ,,\tW/\"b\" , ", "<a>~<b>");
    expect_list("\"a,b\", \"c\"", "<a,b><c>");
    expect_list("\"a\\\", \"b\"", "<a\\><b>");
    expect_list("\"a\" \"b\"", "broken");
    expect_list("\"a\", b", "<a>broken");
    expect_list("\"a\", *", "<a>broken");
    expect_list("\"a\";q=1", "broken");
}

static int has(const char *list, const char *tag, int strong)
{
    struct hoop__etag etag;
    assert_int_equal(hoop__etag_parse(hoop_str_c(tag), &etag), 0);
    return hoop__etag_list_has(hoop_str_c(list), &etag, strong);
}

/* The table of RFC 9110 8.8.3.2. */
static void test_compare(void **state)
{
    assert_false(has("W/\"1\"", "W/\"1\"", HOOP__ETAG_STRONG));
    assert_true(has("W/\"1\"", "W/\"1\"", HOOP__ETAG_WEAK));
    assert_false(has("W/\"1\"", "W/\"2\"", HOOP__ETAG_STRONG));
    assert_false(has("W/\"1\"", "W/\"2\"", HOOP__ETAG_WEAK));
    assert_false(has("W/\"1\"", "\"1\"", HOOP__ETAG_STRONG));
    assert_true(has("W/\"1\"", "\"1\"", HOOP__ETAG_WEAK));
    assert_true(has("\"1\"", "\"1\"", HOOP__ETAG_STRONG));
    assert_true(has("\"1\"", "\"1\"", HOOP__ETAG_WEAK));
    assert_false(has("\"A\"", "\"a\"", HOOP__ETAG_WEAK));
    assert_true(has("\"x\", \"y\", W/\"z\"", "\"z\"", HOOP__ETAG_WEAK));
    assert_true(has("\"x\", \"y\", \"z\" broken", "\"y\"", HOOP__ETAG_STRONG));
    assert_false(has("\"x\" broken, \"y\"", "\"y\"", HOOP__ETAG_STRONG));
}

static void test_any(void **state)
{
    assert_true(hoop__etag_list_is_any(hoop_str_c("*")));
    assert_true(hoop__etag_list_is_any(hoop_str_c(" *\t")));
    assert_false(hoop__etag_list_is_any(hoop_str_c("")));
    assert_false(hoop__etag_list_is_any(hoop_str_c("**")));
    assert_false(hoop__etag_list_is_any(hoop_str_c("\"*\"")));
    assert_false(hoop__etag_list_is_any(hoop_str_c("*, \"a\"")));
}

static void test_random(void **state)
{
    uint64_t seed = 883;
    for (int i = 0; i < 200000; i++) {
        hoop_str text = random_text(&seed, 24, "\"\"W/a, *\\"), rest = text;
        struct hoop__etag etag, same;
        int rc;
        while ((rc = hoop__etag_next(&rest, &etag)) > 0) {
            assert_true(etag.opaque.data > text.data);
            const char *end = etag.opaque.data + etag.opaque.len + 1;
            assert_true(end <= text.data + text.len);
            const char *start = etag.opaque.data - (etag.weak ? 3 : 1);
            assert_int_equal(hoop__etag_parse(hoop_str_n(start, (size_t)(end - start)), &same), 0);
            assert_true(hoop__etag_equal_weak(&etag, &same));
        }
        assert_true(rc == 0 || rc == HOOP_EPARSE);
        drop(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse), cmocka_unit_test(test_each_byte),
        cmocka_unit_test(test_list),  cmocka_unit_test(test_compare),
        cmocka_unit_test(test_any),   cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
