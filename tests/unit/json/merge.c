/* JSON Merge Patch: RFC 7396's examples; the document is never touched. */
#include "tools.h"

/* The document, the patch, the result. */
static const char *const examples[][3] = {
    /* Section 1 and 3. */
    { "{\"a\":\"b\",\"c\":{\"d\":\"e\",\"f\":\"g\"}}", "{\"a\":\"z\",\"c\":{\"f\":null}}",
      "{\"a\":\"z\",\"c\":{\"d\":\"e\"}}" },
    { "{\"title\":\"Goodbye!\",\"author\":{\"givenName\":\"John\",\"familyName\":\"Doe\"},"
      "\"tags\":[\"example\",\"sample\"],\"content\":\"This will be unchanged\"}",
      "{\"title\":\"Hello!\",\"phoneNumber\":\"+01-123-456-7890\",\"author\":{\"familyName\":null},"
      "\"tags\":[\"example\"]}",
      "{\"title\":\"Hello!\",\"author\":{\"givenName\":\"John\"},\"tags\":[\"example\"],"
      "\"content\":\"This will be unchanged\",\"phoneNumber\":\"+01-123-456-7890\"}" },
    /* Appendix A. */
    { "{\"a\":\"b\"}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
    { "{\"a\":\"b\"}", "{\"b\":\"c\"}", "{\"a\":\"b\",\"b\":\"c\"}" },
    { "{\"a\":\"b\"}", "{\"a\":null}", "{}" },
    { "{\"a\":\"b\",\"b\":\"c\"}", "{\"a\":null}", "{\"b\":\"c\"}" },
    { "{\"a\":[\"b\"]}", "{\"a\":\"c\"}", "{\"a\":\"c\"}" },
    { "{\"a\":\"c\"}", "{\"a\":[\"b\"]}", "{\"a\":[\"b\"]}" },
    { "{\"a\":{\"b\":\"c\"}}", "{\"a\":{\"b\":\"d\",\"c\":null}}", "{\"a\":{\"b\":\"d\"}}" },
    { "{\"a\":[{\"b\":\"c\"}]}", "{\"a\":[1]}", "{\"a\":[1]}" },
    { "[\"a\",\"b\"]", "[\"c\",\"d\"]", "[\"c\",\"d\"]" },
    { "{\"a\":\"b\"}", "[\"c\"]", "[\"c\"]" },
    { "{\"a\":\"foo\"}", "null", "null" },
    { "{\"a\":\"foo\"}", "\"bar\"", "\"bar\"" },
    { "{\"e\":null}", "{\"a\":1}", "{\"e\":null,\"a\":1}" },
    { "[1,2]", "{\"a\":\"b\",\"c\":null}", "{\"a\":\"b\"}" },
    { "{}", "{\"a\":{\"bb\":{\"ccc\":null}}}", "{\"a\":{\"bb\":{}}}" },
    /* Others. */
    { "{\"a\":1}", "{}", "{\"a\":1}" },
    { "7", "{}", "{}" },
    { "{\"a\":{\"b\":1,\"c\":2}}", "{\"a\":{\"b\":{\"d\":[null],\"e\":null}}}",
      "{\"a\":{\"b\":{\"d\":[null]},\"c\":2}}" },
};

static json_t *read(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY, NULL);
    assert_non_null(value);
    return value;
}

/* Takes the reference. */
static void expect_text(json_t *value, const char *want)
{
    char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
    assert_string_equal(text, want);
    jansson_free(text);
    json_decref(value);
}

static void test_the_examples(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(examples); i++) {
        json_t *document = read(examples[i][0]), *patch = read(examples[i][1]), *result = NULL;
        assert_int_equal(hoop_json_merge_patch(document, patch, &result, NULL), 0);
        expect_text(result, examples[i][2]);
        expect_text(document, examples[i][0]);
        expect_text(patch, examples[i][1]);
    }
}

static void test_no_document(void **state)
{
    json_t *patch = read("{\"a\":1,\"b\":null}"), *result = NULL;
    assert_int_equal(hoop_json_merge_patch(NULL, patch, &result, NULL), 0);
    expect_text(result, "{\"a\":1}");
    hoop_error error;
    assert_int_equal(hoop_json_merge_patch(patch, NULL, &result, &error), HOOP_EINVAL);
    assert_string_equal(error.text, "patch and ret_document may not be NULL");
    assert_int_equal(hoop_json_merge_patch(patch, patch, NULL, &error), HOOP_EINVAL);
    json_decref(patch);
}

static void test_depth(void **state)
{
    for (int levels = 2048; levels <= 2049; levels++) {
        json_t *patch = json_object(), *result = NULL;
        for (int i = 1; i < levels; i++) {
            json_t *outer = json_object();
            json_object_set_new(outer, "a", patch);
            patch = outer;
        }
        hoop_error error = { 0, "" };
        int rc = hoop_json_merge_patch(NULL, patch, &result, &error);
        assert_int_equal(rc, levels == 2048 ? 0 : HOOP_ETOOBIG);
        if (rc)
            assert_string_equal(error.text, "the patch has over 2048 levels");
        assert_true((result != NULL) == (rc == 0));
        json_decref(result);
        json_decref(patch);
    }
}

static void merge_once(struct test_allocator *allocator, void *data)
{
    json_t *const *values = data;
    json_t *result = NULL;
    jansson_memory = allocator;
    int rc = hoop_json_merge_patch(values[0], values[1], &result, NULL);
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    assert_true((result != NULL) == (rc == 0));
    json_decref(result);
    jansson_memory = NULL;
}

static void test_allocations(void **state)
{
    json_t *values[] = { read(examples[1][0]), read(examples[1][1]) };
    test_each_allocation(merge_once, values);
    expect_text(values[0], examples[1][0]);
    expect_text(values[1], examples[1][1]);
}

int main(void)
{
    json_set_alloc_funcs(jansson_alloc, jansson_free);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_examples),
        cmocka_unit_test(test_no_document),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
