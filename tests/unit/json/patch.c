/* JSON Patch: RFC 6902's examples, each way to fail, limits; the document is never touched. */
#include "tools.h"

#include "json/patch.h"

struct example {
    const char *document;
    const char *patch;
    const char *result; /* or the error */
    int code;
};

static const struct example examples[] = {
    /* Appendix A, in its order. */
    { "{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\"}]",
      "{\"foo\":\"bar\",\"baz\":\"qux\"}", 0 },
    { "{\"foo\":[\"bar\",\"baz\"]}", "[{\"op\":\"add\",\"path\":\"/foo/1\",\"value\":\"qux\"}]",
      "{\"foo\":[\"bar\",\"qux\",\"baz\"]}", 0 },
    { "{\"baz\":\"qux\",\"foo\":\"bar\"}", "[{\"op\":\"remove\",\"path\":\"/baz\"}]",
      "{\"foo\":\"bar\"}", 0 },
    { "{\"foo\":[\"bar\",\"qux\",\"baz\"]}", "[{\"op\":\"remove\",\"path\":\"/foo/1\"}]",
      "{\"foo\":[\"bar\",\"baz\"]}", 0 },
    { "{\"baz\":\"qux\",\"foo\":\"bar\"}",
      "[{\"op\":\"replace\",\"path\":\"/baz\",\"value\":\"boo\"}]",
      "{\"baz\":\"boo\",\"foo\":\"bar\"}", 0 },
    { "{\"foo\":{\"bar\":\"baz\",\"waldo\":\"fred\"},\"qux\":{\"corge\":\"grault\"}}",
      "[{\"op\":\"move\",\"from\":\"/foo/waldo\",\"path\":\"/qux/thud\"}]",
      "{\"foo\":{\"bar\":\"baz\"},\"qux\":{\"corge\":\"grault\",\"thud\":\"fred\"}}", 0 },
    { "{\"foo\":[\"all\",\"grass\",\"cows\",\"eat\"]}",
      "[{\"op\":\"move\",\"from\":\"/foo/1\",\"path\":\"/foo/3\"}]",
      "{\"foo\":[\"all\",\"cows\",\"eat\",\"grass\"]}", 0 },
    { "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}",
      "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"qux\"},"
      "{\"op\":\"test\",\"path\":\"/foo/1\",\"value\":2}]",
      "{\"baz\":\"qux\",\"foo\":[\"a\",2,\"c\"]}", 0 },
    { "{\"baz\":\"qux\"}", "[{\"op\":\"test\",\"path\":\"/baz\",\"value\":\"bar\"}]",
      "operation 0 (test '/baz'): the value is not the one that is tested for", HOOP_ECONFLICT },
    { "{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/child\",\"value\":{\"grandchild\":{}}}]",
      "{\"foo\":\"bar\",\"child\":{\"grandchild\":{}}}", 0 },
    { "{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz\",\"value\":\"qux\",\"xyz\":123}]",
      "{\"foo\":\"bar\",\"baz\":\"qux\"}", 0 },
    { "{\"foo\":\"bar\"}", "[{\"op\":\"add\",\"path\":\"/baz/bat\",\"value\":\"qux\"}]",
      "operation 0 (add '/baz/bat'): nothing is there", HOOP_EMISSING },
    /* A.13 is refused by the parser: a member twice. */
    { "{\"/\":9,\"~1\":10}", "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":10}]",
      "{\"/\":9,\"~1\":10}", 0 },
    { "{\"/\":9,\"~1\":10}", "[{\"op\":\"test\",\"path\":\"/~01\",\"value\":\"10\"}]",
      "operation 0 (test '/~01'): the value is not the one that is tested for", HOOP_ECONFLICT },
    { "{\"foo\":[\"bar\"]}", "[{\"op\":\"add\",\"path\":\"/foo/-\",\"value\":[\"abc\",\"def\"]}]",
      "{\"foo\":[\"bar\",[\"abc\",\"def\"]]}", 0 },

    /* The whole document. */
    { "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"\",\"value\":[1]}]", "[1]", 0 },
    { "{\"a\":1}", "[{\"op\":\"replace\",\"path\":\"\",\"value\":7}]", "7", 0 },
    { "{\"a\":[1]}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"\"}]", "[1]", 0 },
    { "{\"a\":1}", "[{\"op\":\"copy\",\"from\":\"\",\"path\":\"/b\"}]", "{\"a\":1,\"b\":{\"a\":1}}",
      0 },
    { "{\"a\":1}", "[{\"op\":\"test\",\"path\":\"\",\"value\":{\"a\":1.0}}]", "{\"a\":1}", 0 },
    { "{\"a\":1}", "[{\"op\":\"remove\",\"path\":\"\"}]",
      "operation 0 (remove ''): the whole document can't be removed", HOOP_EINVAL },
    { "{\"a\":1}", "[{\"op\":\"move\",\"from\":\"\",\"path\":\"/b\"}]",
      "operation 0 (move '/b'): a value can't be moved into itself", HOOP_EINVAL },

    /* Copies and what they share. */
    { "{\"a\":{\"x\":[1]}}",
      "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"},"
      "{\"op\":\"add\",\"path\":\"/b/x/0\",\"value\":0},{\"op\":\"remove\",\"path\":\"/a/x/0\"}]",
      "{\"a\":{\"x\":[]},\"b\":{\"x\":[0,1]}}", 0 },
    { "{\"a\":[1,2]}",
      "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/a/1\"},"
      "{\"op\":\"replace\",\"path\":\"/a/1/0\",\"value\":9}]",
      "{\"a\":[1,[9,2],2]}", 0 },
    { "[1]", "[]", "[1]", 0 },
    { "{\"a\":1,\"b\":2}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a\"}]",
      "{\"a\":1,\"b\":2}", 0 },
    { "{\"a\":1,\"b\":2}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/b\"}]", "{\"b\":1}", 0 },
    { "{\"a\":{}}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/ab\"}]", "{\"ab\":{}}", 0 },
    { "{\"a\":null}", "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":null}]", "{\"a\":null}", 0 },
    { "[1,2,3]", "[{\"op\":\"add\",\"path\":\"/3\",\"value\":4}]", "[1,2,3,4]", 0 },
    { "[1,2,3]", "[{\"op\":\"replace\",\"path\":\"/0\",\"value\":4}]", "[4,2,3]", 0 },
    { "{\"a\":[1,{\"b\":[true,null]}]}",
      "[{\"op\":\"test\",\"path\":\"/a\",\"value\":[1.0,{\"b\":[true,null]}]}]",
      "{\"a\":[1,{\"b\":[true,null]}]}", 0 },

    /* A failure undoes what went before. */
    { "{\"a\":[1]}",
      "[{\"op\":\"add\",\"path\":\"/a/-\",\"value\":2},{\"op\":\"remove\",\"path\":\"/a/0\"},"
      "{\"op\":\"remove\",\"path\":\"/b\"}]",
      "operation 2 (remove '/b'): nothing is there", HOOP_EMISSING },

    { "[1]", "[{\"op\":\"add\",\"path\":\"/2\",\"value\":1}]",
      "operation 0 (add '/2'): the index is beyond the array's end", HOOP_EMISSING },
    { "[1]", "[{\"op\":\"add\",\"path\":\"/01\",\"value\":1}]",
      "operation 0 (add '/01'): an array has indexes only, without leading zeros, and '-'",
      HOOP_EMISSING },
    { "[1]", "[{\"op\":\"remove\",\"path\":\"/1\"}]", "operation 0 (remove '/1'): nothing is there",
      HOOP_EMISSING },
    { "[1]", "[{\"op\":\"remove\",\"path\":\"/-\"}]",
      "operation 0 (remove '/-'): an array has indexes only, without leading zeros",
      HOOP_EMISSING },
    { "[1]", "[{\"op\":\"replace\",\"path\":\"/1\",\"value\":0}]",
      "operation 0 (replace '/1'): nothing is there", HOOP_EMISSING },
    { "{}", "[{\"op\":\"replace\",\"path\":\"/a\",\"value\":0}]",
      "operation 0 (replace '/a'): nothing is there", HOOP_EMISSING },
    { "{\"a\":1}", "[{\"op\":\"add\",\"path\":\"/a/b\",\"value\":0}]",
      "operation 0 (add '/a/b'): what it goes through is no array or object", HOOP_EMISSING },
    { "1", "[{\"op\":\"add\",\"path\":\"/a\",\"value\":0}]",
      "operation 0 (add '/a'): what it goes through is no array or object", HOOP_EMISSING },
    { "{}", "[{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/b\"}]",
      "operation 0 (copy '/b'): nothing is at 'from'", HOOP_EMISSING },
    { "{\"a\":{\"b\":{}}}", "[{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/a/b/c\"}]",
      "operation 0 (move '/a/b/c'): a value can't be moved into itself", HOOP_EINVAL },
    { "{}", "[{\"op\":\"test\",\"path\":\"/a\",\"value\":null}]",
      "operation 0 (test '/a'): nothing is there", HOOP_EMISSING },

    { "{}", "{}", "the patch is no array", HOOP_EPARSE },
    { "{}", "[7]", "operation 0: it is no object", HOOP_EPARSE },
    { "{}", "[{\"path\":\"\"}]",
      "operation 0: 'op' is none of add, remove, replace, move, copy and test", HOOP_EPARSE },
    { "{}", "[{\"op\":\"ADD\",\"path\":\"\"}]",
      "operation 0: 'op' is none of add, remove, replace, move, copy and test", HOOP_EPARSE },
    { "{}", "[{\"op\":\"add\",\"value\":1}]", "operation 0: 'path' is missing or no string",
      HOOP_EPARSE },
    { "{}", "[{\"op\":\"add\",\"path\":null,\"value\":1}]",
      "operation 0: 'path' is missing or no string", HOOP_EPARSE },
    { "{}", "[{\"op\":\"add\",\"path\":\"/a\"}]", "operation 0 (add '/a'): 'value' is missing",
      HOOP_EPARSE },
    { "{}", "[{\"op\":\"copy\",\"path\":\"/a\",\"from\":1}]",
      "operation 0 (copy '/a'): 'from' is missing or no string", HOOP_EPARSE },
    { "{}", "[{\"op\":\"add\",\"path\":\"a\",\"value\":1}]",
      "operation 0 (add 'a'): a pointer is empty or begins with '/'", HOOP_EPARSE },
    { "{}", "[{\"op\":\"copy\",\"path\":\"/a\",\"from\":\"b\"}]",
      "operation 0 (copy '/a'): 'from' is no JSON Pointer", HOOP_EPARSE },
};

static json_t *read(const char *text)
{
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
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
        const struct example *e = &examples[i];
        json_t *document = read(e->document), *patch = read(e->patch), *result = NULL;
        hoop_error error = { 0, "" };
        int rc = hoop_json_patch(document, patch, &result, &error, NULL);
        if (rc != e->code)
            fail_msg("%s: %s", e->patch, error.text);
        if (rc) {
            assert_string_equal(error.text, e->result);
            assert_int_equal(error.code, e->code);
            assert_null(result);
        } else {
            expect_text(result, e->result);
        }
        expect_text(document, e->document);
        expect_text(patch, e->patch);
    }
}

/* A pointer as a URI's fragment is not what RFC 6902 has: another program would refuse it. */
static void test_no_fragments(void **state)
{
    static const char *const patches[] = {
        "[{\"op\":\"remove\",\"path\":\"#/a\"}]",
        "[{\"op\":\"copy\",\"from\":\"#/a\",\"path\":\"/b\"}]",
        "[{\"op\":\"test\",\"path\":\"#\",\"value\":{\"a\":1}}]",
    };
    static const char *const errors[] = {
        "operation 0 (remove '#/a'): a pointer is empty or begins with '/'",
        "operation 0 (copy '/b'): 'from' is no JSON Pointer",
        "operation 0 (test '#'): a pointer is empty or begins with '/'",
    };
    for (size_t i = 0; i < HOOP_COUNT(patches); i++) {
        json_t *document = read("{\"a\":1}"), *patch = read(patches[i]), *result = NULL;
        hoop_error error;
        assert_int_equal(hoop_json_patch(document, patch, &result, &error, NULL), HOOP_EPARSE);
        assert_string_equal(error.text, errors[i]);
        json_decref(patch);
        json_decref(document);
    }
}

static void test_arguments(void **state)
{
    json_t *value = json_array(), *result = NULL;
    hoop_error error;
    assert_int_equal(hoop_json_patch(NULL, value, &result, &error, NULL), HOOP_EINVAL);
    assert_string_equal(error.text, "document and ret_document may not be NULL");
    assert_int_equal(hoop_json_patch(value, value, NULL, &error, NULL), HOOP_EINVAL);
    assert_int_equal(hoop_json_patch(value, NULL, &result, &error, NULL), HOOP_EPARSE);
    json_decref(value);
}

/* --- limits ---------------------------------------------------------------------------------------- */

static void test_operations(void **state)
{
    json_t *document = json_array(), *patch = json_array(), *result = NULL;
    hoop_error error;
    for (int i = 0; i < 1001; i++)
        json_array_append_new(patch, read("{\"op\":\"add\",\"path\":\"/-\",\"value\":1}"));
    assert_int_equal(hoop_json_patch(document, patch, &result, &error, NULL), HOOP_ETOOBIG);
    assert_string_equal(error.text, "the patch has 1001 operations, over 1000");
    assert_int_equal(hoop_json_patch(document, patch, &result, &error,
                                     &(hoop_json_patch_options){ .max_operations = HOOP_OFF }),
                     0);
    assert_int_equal(json_array_size(result), 1001);
    json_decref(result);
    json_decref(patch);
    json_decref(document);
}

/* Each operation doubles the document. */
static void test_doubling(void **state)
{
    json_t *document = json_array(), *patch = json_array(), *result = NULL;
    hoop_error error;
    for (int i = 0; i < 100; i++)
        json_array_append_new(patch, read("{\"op\":\"copy\",\"from\":\"\",\"path\":\"/-\"}"));
    assert_int_equal(hoop_json_patch(document, patch, &result, &error, NULL), HOOP_ETOOBIG);
    assert_string_equal(error.text,
                        "operation 19 (copy '/-'): the patch copies more values than max_nodes");
    assert_int_equal(hoop_json_patch(document, patch, &result, &error,
                                     &(hoop_json_patch_options){ .max_nodes = 10 }),
                     HOOP_ETOOBIG);
    assert_string_equal(error.text,
                        "operation 3 (copy '/-'): the patch copies more values than max_nodes");
    json_decref(patch);
    json_decref(document);
}

static void test_wide_copies(void **state)
{
    json_t *document = json_array(), *result = NULL;
    for (int i = 0; i < 100; i++)
        json_array_append_new(document, json_integer(i));
    json_t *patch = read("[{\"op\":\"add\",\"path\":\"/-\",\"value\":1}]");
    hoop_error error;
    assert_int_equal(hoop_json_patch(document, patch, &result, &error,
                                     &(hoop_json_patch_options){ .max_nodes = 100 }),
                     HOOP_ETOOBIG);
    assert_int_equal(hoop_json_patch(document, patch, &result, &error,
                                     &(hoop_json_patch_options){ .max_nodes = 101 }),
                     0);
    json_decref(result);
    json_decref(patch);
    json_decref(document);
}

/* Values are put into each other until there are too many levels. */
static void test_depth(void **state)
{
    json_t *document = read("{\"a\":[]}"), *patch = json_array(), *result = NULL;
    hoop_error error;
    for (int i = 0; i < 2100; i++) {
        json_array_append_new(patch, read("{\"op\":\"add\",\"path\":\"/b\",\"value\":[]}"));
        json_array_append_new(patch, read("{\"op\":\"move\",\"from\":\"/a\",\"path\":\"/b/0\"}"));
        json_array_append_new(patch, read("{\"op\":\"move\",\"from\":\"/b\",\"path\":\"/a\"}"));
    }
    hoop_json_patch_options options = { .max_operations = HOOP_OFF, .max_nodes = HOOP_OFF };
    assert_int_equal(hoop_json_patch(document, patch, &result, &error, &options), HOOP_ETOOBIG);
    assert_string_equal(error.text,
                        "operation 6139 (move '/b/0'): too many levels of arrays and objects");
    json_decref(patch);
    json_decref(document);
}

/* --- memory ---------------------------------------------------------------------------------------- */

static void patch_once(struct test_allocator *allocator, void *data)
{
    json_t *const *values = data;
    json_t *result = NULL;
    jansson_memory = allocator;
    int rc = hoop_json_patch(values[0], values[1], &result, NULL, NULL);
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    assert_true((result != NULL) == (rc == 0));
    json_decref(result);
    jansson_memory = NULL;
}

static void test_allocations(void **state)
{
    static const char document[] = "{\"a\":{\"b\":[1,2,{\"c\":3}]},\"d\":[],\"e\":{}}";
    static const char patch[] = "[{\"op\":\"add\",\"path\":\"/a/b/2/x\",\"value\":{}},"
                                "{\"op\":\"copy\",\"from\":\"/a\",\"path\":\"/d/-\"},"
                                "{\"op\":\"replace\",\"path\":\"/d/0/b/0\",\"value\":7},"
                                "{\"op\":\"move\",\"from\":\"/a/b\",\"path\":\"/e/b\"},"
                                "{\"op\":\"test\",\"path\":\"/e/b/2/x\",\"value\":{}},"
                                "{\"op\":\"remove\",\"path\":\"/e/b/2\"}]";
    json_t *values[] = { read(document), read(patch) };
    test_each_allocation(patch_once, values);
    expect_text(values[0], document);
    expect_text(values[1], patch);
}

/* --- equality -------------------------------------------------------------------------------------- */

static void test_equality(void **state)
{
    static const struct {
        const char *a, *b;
        int equal;
    } cases[] = {
        { "1", "1.0", 1 },
        { "1", "1.5", 0 },
        { "-0.0", "0", 1 },
        { "9007199254740993", "9007199254740992.0", 0 },
        { "9007199254740992", "9007199254740992.0", 1 },
        { "9223372036854775807", "9223372036854775808.0", 0 },
        { "-9223372036854775808", "-9223372036854775808.0", 1 },
        { "1", "1e300", 0 },
        { "1", "true", 0 },
        { "null", "false", 0 },
        { "\"a\"", "\"a\"", 1 },
        { "\"a\"", "\"A\"", 0 },
        { "[1,2]", "[2,1]", 0 },
        { "[1]", "[1,1]", 0 },
        { "{\"a\":1,\"b\":[]}", "{\"b\":[],\"a\":1.0}", 1 },
        { "{\"a\":1}", "{\"b\":1}", 0 },
        { "{\"a\":1}", "{\"a\":1,\"b\":1}", 0 },
        { "[]", "{}", 0 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        json_t *a = read(cases[i].a), *b = read(cases[i].b);
        if (hoop__json_equal(a, b) != cases[i].equal || hoop__json_equal(b, a) != cases[i].equal)
            fail_msg("%s and %s", cases[i].a, cases[i].b);
        json_decref(a);
        json_decref(b);
    }
}

int main(void)
{
    json_set_alloc_funcs(jansson_alloc, jansson_free);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_examples), cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_no_fragments), cmocka_unit_test(test_operations),
        cmocka_unit_test(test_doubling),     cmocka_unit_test(test_wide_copies),
        cmocka_unit_test(test_depth),        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_equality),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
