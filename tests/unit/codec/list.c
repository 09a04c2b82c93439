/* Comma-separated lists: their elements, quoted strings, and the search for a token. */
#include "tools.h"

#include "codec/list.h"

#include <stdio.h>

/* The elements in angle brackets, and the code at the end if it is not 0. */
static void expect_bytes(const char *value, size_t len, const char *want)
{
    hoop_str text = tight(value, len), rest = text, item;
    char got[512] = "";
    size_t used = 0;
    int rc;
    while ((rc = hoop__list_next(&rest, &item)) > 0) {
        assert_true(item.len > 0);
        used += (size_t)snprintf(got + used, sizeof got - used, "<%.*s>", (int)item.len, item.data);
    }
    if (rc == HOOP_EPARSE)
        snprintf(got + used, sizeof got - used, "broken");
    else
        assert_int_equal(rest.len, 0);
    assert_string_equal(got, want);
    drop(text);
}

static void expect(const char *value, const char *want)
{
    expect_bytes(value, strlen(value), want);
}

static void test_elements(void **state)
{
    expect("", "");
    expect(" \t ", "");
    expect(",", "");
    expect(" , ,,\t,", "");
    expect("a", "<a>");
    expect(" a ", "<a>");
    expect("a,b", "<a><b>");
    expect("a ,\tb", "<a><b>");
    expect(",a,,b , , c,", "<a><b><c>");
    expect("a b, c", "<a b><c>");
    expect("a;q=0.5, b;q=1", "<a;q=0.5><b;q=1>");
    expect("keep-alive, Upgrade", "<keep-alive><Upgrade>");
}

static void test_quoted(void **state)
{
    expect("\"a,b\"", "<\"a,b\">");
    expect("x=\"a,b\" ; y, z", "<x=\"a,b\" ; y><z>");
    expect("\"a\\\",b\",c", "<\"a\\\",b\"><c>");
    expect("\"a\\\\\",c", "<\"a\\\\\"><c>");
    expect("\"\",a", "<\"\"><a>");
    expect("a\"b,c\"d\"e,f\"", "<a\"b,c\"d\"e,f\">");
}

static void test_broken(void **state)
{
    expect("\"", "broken");
    expect("a,\"b", "<a>broken");
    expect("a,\"b\\\"", "<a>broken");
    expect("a,\"b\\", "<a>broken");
    hoop_str rest = hoop_str_c("\"b"), item = hoop_str_c("kept");
    assert_int_equal(hoop__list_next(&rest, &item), HOOP_EPARSE);
    assert_str(rest, "\"b");
    assert_str(item, "kept");
}

static void test_nul_is_a_byte(void **state)
{
    hoop_str rest = hoop_str_n("a\0,b", 4), item;
    assert_int_equal(hoop__list_next(&rest, &item), 1);
    assert_bytes(item.data, item.len, "a\0", 2);
    assert_int_equal(hoop__list_next(&rest, &item), 1);
    assert_str(item, "b");
}

static int has(const char *value, const char *token)
{
    hoop_str text = tight_c(value);
    int found = hoop__list_has(text, hoop_str_c(token));
    drop(text);
    return found;
}

static void test_has(void **state)
{
    assert_true(has("close", "close"));
    assert_true(has("Close", "close"));
    assert_true(has("keep-alive, CLOSE", "close"));
    assert_true(has("keep-alive,close\t", "close"));
    assert_true(has(",,close", "close"));
    assert_false(has("", "close"));
    assert_false(has("closed", "close"));
    assert_false(has("clos", "close"));
    assert_false(has("not close", "close"));
    assert_false(has("\"close\"", "close"));
    assert_false(has("\"a, close, b\"", "close"));
    assert_true(has("close, \"broken", "close"));
    assert_false(has("\"broken, close", "close"));
}

/* Each element lies within the text, behind the one before, and holds no comma outside quotes. */
static void test_random(void **state)
{
    uint64_t seed = 561;
    for (int i = 0; i < 200000; i++) {
        hoop_str text = random_text(&seed, 32, "a, \t\"\\,;"), rest = text, item;
        const char *behind = text.data;
        int rc;
        while ((rc = hoop__list_next(&rest, &item)) > 0) {
            assert_true(item.len > 0 && item.data >= behind);
            behind = item.data + item.len;
            assert_true(behind <= text.data + text.len);
            assert_true(rest.data >= behind && rest.data + rest.len == text.data + text.len);
            assert_true(item.data[0] != ' ' && item.data[0] != '\t' && item.data[0] != ',');
            hoop_str again = item, same;
            assert_int_equal(hoop__list_next(&again, &same), 1);
            assert_true(same.data == item.data && same.len == item.len);
        }
        assert_true(rc == 0 || rc == HOOP_EPARSE);
        drop(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_elements), cmocka_unit_test(test_quoted),
        cmocka_unit_test(test_broken),   cmocka_unit_test(test_nul_is_a_byte),
        cmocka_unit_test(test_has),      cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
