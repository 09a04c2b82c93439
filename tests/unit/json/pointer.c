/* JSON Pointer: RFC 6901's examples, and what is refused. */
#include "tools.h"

#include <stdio.h>

static json_t *document;

static int set_up(void **state)
{
    /* Section 5. */
    document =
        json_loads("{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,"
                   "\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8}",
                   0, NULL);
    return document ? 0 : -1;
}

static int tear_down(void **state)
{
    json_decref(document);
    return 0;
}

static void expect_integer(const char *pointer, json_int_t want)
{
    hoop_error error = { 0, "" };
    json_t *found = hoop_json_pointer_get(document, pointer, &error);
    if (!found)
        fail_msg("%s: %s", pointer, error.text);
    assert_true(json_is_integer(found));
    assert_int_equal(json_integer_value(found), want);
}

static void test_the_examples(void **state)
{
    assert_ptr_equal(hoop_json_pointer_get(document, "", NULL), document);
    json_t *foo = hoop_json_pointer_get(document, "/foo", NULL);
    assert_ptr_equal(foo, json_object_get(document, "foo"));
    assert_string_equal(json_string_value(hoop_json_pointer_get(document, "/foo/0", NULL)), "bar");
    static const char *const pointers[] = { "/",     "/a~1b", "/c%d", "/e^f", "/g|h",
                                            "/i\\j", "/k\"l", "/ ",   "/m~0n" };
    for (size_t i = 0; i < HOOP_COUNT(pointers); i++)
        expect_integer(pointers[i], (json_int_t)i);
}

/* Section 6. */
static void test_the_examples_as_fragments(void **state)
{
    assert_ptr_equal(hoop_json_pointer_get(document, "#", NULL), document);
    assert_string_equal(json_string_value(hoop_json_pointer_get(document, "#/foo/0", NULL)), "bar");
    static const char *const pointers[] = { "#/",      "#/a~1b",  "#/c%25d", "#/e%5Ef", "#/g%7Ch",
                                            "#/i%5Cj", "#/k%22l", "#/%20",   "#/m~0n" };
    for (size_t i = 0; i < HOOP_COUNT(pointers); i++)
        expect_integer(pointers[i], (json_int_t)i);
    expect_integer("#%2Fm%7E0n", 8);
}

static void test_others(void **state)
{
    json_t *value = json_pack("{s:{s:[i,i,i]},s:i}", "a~1", "b", 1, 2, 3, "~/", 9);
    json_t *found = hoop_json_pointer_get(value, "/a~01/b/2", NULL);
    assert_int_equal(json_integer_value(found), 3);
    assert_int_equal(json_integer_value(hoop_json_pointer_get(value, "/~0~1", NULL)), 9);
    json_decref(value);
    value = json_pack("[[i]]", 7);
    assert_int_equal(json_integer_value(hoop_json_pointer_get(value, "/0/0", NULL)), 7);
    json_decref(value);
}

static void refuse(const char *pointer, int code, const char *want)
{
    hoop_error error = { 0, "" };
    assert_null(hoop_json_pointer_get(document, pointer, &error));
    assert_string_equal(error.text, want);
    assert_int_equal(error.code, code);
    assert_null(hoop_json_pointer_get(document, pointer, NULL));
}

static void test_refused(void **state)
{
    static const char index[] = "an array has indexes only, without leading zeros";
    char text[200];
    refuse(NULL, HOOP_EINVAL, "the pointer is NULL");
    refuse("foo", HOOP_EPARSE, "'foo': a pointer is empty or begins with '/'");
    refuse("/a~", HOOP_EPARSE, "'/a~': a '~' has neither 0 nor 1 behind it");
    refuse("/a~2/b", HOOP_EPARSE, "'/a~2/b': a '~' has neither 0 nor 1 behind it");
    refuse("#/%4", HOOP_EPARSE, "'#/%4': a '%' has no two hexadecimal digits behind it, or is NUL");
    refuse("#/%00", HOOP_EPARSE,
           "'#/%00': a '%' has no two hexadecimal digits behind it, or is NUL");
    refuse("#/%ff", HOOP_EPARSE, "'#/%ff': the pointer is no UTF-8");
    refuse("#foo", HOOP_EPARSE, "'#foo': a pointer is empty or begins with '/'");
    refuse("/none", HOOP_EMISSING, "'/none': nothing is there");
    refuse("/foo/2", HOOP_EMISSING, "'/foo/2': nothing is there");
    refuse("/foo/18446744073709551616", HOOP_EMISSING,
           "'/foo/18446744073709551616': an array has indexes only, without leading zeros");
    refuse("/foo/0/a", HOOP_EMISSING, "'/foo/0/a': what it goes through is no array or object");
    static const char *const wrong[] = { "-", "00", "01", "", "+1", "-1", "1 ", "1.0", "1e0", "a" };
    for (size_t i = 0; i < HOOP_COUNT(wrong); i++) {
        snprintf(text, sizeof text, "'/foo/%s': %s", wrong[i], index);
        char pointer[32];
        snprintf(pointer, sizeof pointer, "/foo/%s", wrong[i]);
        refuse(pointer, HOOP_EMISSING, text);
    }
    hoop_error error;
    assert_null(hoop_json_pointer_get(NULL, "/a", &error));
    assert_string_equal(error.text, "'/a': there is no value");
}

static void find_once(struct test_allocator *allocator, void *data)
{
    jansson_memory = allocator;
    hoop_error error = { 0, "" };
    json_t *found = hoop_json_pointer_get(document, "/foo/1", &error);
    jansson_memory = NULL;
    assert_true(found || error.code == HOOP_ENOMEM);
}

static void test_allocations(void **state)
{
    test_each_allocation(find_once, NULL);
}

int main(void)
{
    json_set_alloc_funcs(jansson_alloc, jansson_free);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_examples), cmocka_unit_test(test_the_examples_as_fragments),
        cmocka_unit_test(test_others),       cmocka_unit_test(test_refused),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
