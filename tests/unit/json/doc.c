/* Trees: what is in them, limits, members of one name, large containers, pointers, memory. */
#include "reader_tools.h"

#include "json/from_doc.h"

static const hoop_json_doc *parse(hoop_arena *arena, const char *text)
{
    const hoop_json_doc *doc = NULL;
    hoop_json_error error;
    if (hoop_doc_parse(arena, hoop_str_c(text), &doc, &error, NULL))
        fail_msg("%s: %s", text, error.text);
    return doc;
}

static void refuses(const char *text, const hoop_doc_options *options, int code, const char *what)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_json_doc *doc = NULL;
    hoop_json_error error;
    hoop_str exact = exactly(text, strlen(text));
    assert_int_equal(hoop_doc_parse(arena, exact, &doc, &error, options), code);
    assert_string_equal(error.text, what);
    assert_int_equal(error.code, code);
    assert_null(doc);
    assert_int_equal(hoop_doc_parse(arena, exact, &doc, NULL, options), code);
    drop_exact(exact);
    hoop_arena_free(arena);
}

static void test_walk(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_json_node *root = hoop_doc_root(parse(
        arena,
        " {\"a\": [1, -2.5e3, \"x\\n\\ud83d\\ude00\", true, false, null], \"\": {}, \"b\" :\"\"} "));
    assert_int_equal(hoop_doc_type(root), HOOP_DOC_OBJECT);
    assert_int_equal(hoop_doc_size(root), 3);
    const hoop_json_node *a = hoop_doc_get(root, "a");
    assert_int_equal(hoop_doc_type(a), HOOP_DOC_ARRAY);
    assert_int_equal(hoop_doc_size(a), 6);
    assert_str(hoop_doc_number(hoop_doc_at(a, 0)), "1");
    assert_str(hoop_doc_number(hoop_doc_at(a, 1)), "-2.5e3");
    assert_str(hoop_doc_str(hoop_doc_at(a, 2)), "x\n\xf0\x9f\x98\x80");
    assert_int_equal(hoop_doc_type(hoop_doc_at(a, 3)), HOOP_DOC_TRUE);
    assert_int_equal(hoop_doc_type(hoop_doc_at(a, 4)), HOOP_DOC_FALSE);
    assert_int_equal(hoop_doc_type(hoop_doc_at(a, 5)), HOOP_DOC_NULL);
    assert_null(hoop_doc_at(a, 6));
    assert_null(hoop_doc_at(root, 0));
    assert_int_equal(hoop_doc_type(hoop_doc_get(root, "")), HOOP_DOC_OBJECT);
    assert_str(hoop_doc_str(hoop_doc_get(root, "b")), "");
    assert_false(hoop_str_is_none(hoop_doc_str(hoop_doc_get(root, "b"))));
    assert_null(hoop_doc_get(root, "c"));
    assert_null(hoop_doc_get(a, "a"));
    assert_null(hoop_doc_get(root, NULL));
    assert_true(hoop_str_is_none(hoop_doc_str(a)));
    assert_true(hoop_str_is_none(hoop_doc_number(a)));

    static const char *const keys[] = { "a", "", "b" };
    hoop_str key;
    const hoop_json_node *value;
    size_t count = 0;
    hoop_json_iter iter = hoop_doc_iter(root);
    while (hoop_doc_next(&iter, &key, &value)) {
        assert_str(key, keys[count]);
        assert_ptr_equal(value, hoop_doc_get(root, keys[count++]));
    }
    assert_int_equal(count, 3);
    count = 0;
    for (iter = hoop_doc_iter(a); hoop_doc_next(&iter, &key, &value); count++) {
        assert_true(hoop_str_is_none(key));
        assert_ptr_equal(value, hoop_doc_at(a, count));
    }
    assert_int_equal(count, 6);
    assert_int_equal(hoop_doc_next(&iter, NULL, NULL), 0);
    hoop_arena_free(arena);
}

static void test_null(void **state)
{
    hoop_json_iter iter = hoop_doc_iter(NULL);
    int64_t i = 7;
    assert_int_equal(hoop_doc_next(&iter, NULL, NULL), 0);
    assert_int_equal(hoop_doc_next(NULL, NULL, NULL), 0);
    assert_null(hoop_doc_root(NULL));
    assert_null(hoop_doc_get(NULL, "a"));
    assert_null(hoop_doc_at(NULL, 0));
    assert_null(hoop_doc_find(NULL, ""));
    assert_int_equal(hoop_doc_type(NULL), 0);
    assert_int_equal(hoop_doc_size(NULL), 0);
    assert_true(hoop_str_is_none(hoop_doc_str(NULL)));
    assert_int_equal(hoop_doc_to_int64(NULL, &i), HOOP_EINVAL);
    assert_int_equal(i, 7);
    hoop_json_error error;
    const hoop_json_doc *doc = NULL;
    hoop_arena *arena = hoop_arena_new();
    hoop_doc_options options = { .duplicates = 3 };
    assert_int_equal(hoop_doc_parse(NULL, hoop_str_c("1"), &doc, &error, NULL), HOOP_EINVAL);
    assert_string_equal(error.text, "the arena is NULL");
    assert_int_equal(hoop_doc_parse(arena, hoop_str_c("1"), NULL, &error, NULL), HOOP_EINVAL);
    assert_int_equal(hoop_doc_parse(arena, hoop_str_c("1"), &doc, &error, &options), HOOP_EINVAL);
    assert_true(hoop_str_is_none(hoop_doc_pointer(arena, NULL, NULL)));
    assert_null(hoop_doc_to_json(NULL, NULL));
    hoop_arena_free(arena);
}

static void test_values(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_json_node *root = hoop_doc_root(
        parse(arena, "[-9223372036854775808,18446744073709551615,1.0,1e999,true,\"1\",-1,-0]"));
    int64_t i = 5;
    uint64_t u = 5;
    double d = 5;
    int b = 5;
    assert_int_equal(hoop_doc_to_int64(hoop_doc_at(root, 0), &i), 0);
    assert_true(i == INT64_MIN);
    assert_int_equal(hoop_doc_to_int64(hoop_doc_at(root, 1), &i), HOOP_ETOOBIG);
    assert_int_equal(hoop_doc_to_uint64(hoop_doc_at(root, 1), &u), 0);
    assert_true(u == UINT64_MAX);
    assert_int_equal(hoop_doc_to_uint64(hoop_doc_at(root, 6), &u), HOOP_ETOOBIG);
    assert_int_equal(hoop_doc_to_int64(hoop_doc_at(root, 2), &i), HOOP_EINVAL);
    assert_int_equal(hoop_doc_to_double(hoop_doc_at(root, 2), &d), 0);
    assert_true(d == 1.0);
    assert_int_equal(hoop_doc_to_double(hoop_doc_at(root, 3), &d), HOOP_ETOOBIG);
    assert_int_equal(hoop_doc_to_double(hoop_doc_at(root, 5), &d), HOOP_EINVAL);
    assert_true(d == 1.0);
    assert_int_equal(hoop_doc_to_bool(hoop_doc_at(root, 4), &b), 0);
    assert_int_equal(b, 1);
    assert_int_equal(hoop_doc_to_bool(hoop_doc_at(root, 5), &b), HOOP_EINVAL);
    assert_int_equal(hoop_doc_to_uint64(hoop_doc_at(root, 7), &u), 0);
    assert_true(u == 0);
    hoop_arena_free(arena);
}

static void test_errors(void **state)
{
    refuses("", NULL, HOOP_EPARSE, "line 1, column 1: expected a value, found the end");
    refuses("[1,\n\xc3\xa4", NULL, HOOP_EPARSE,
            "line 2, column 1: expected a value, found byte 0xc3");
    refuses("[\"\xc3\xa4\",x]", NULL, HOOP_EPARSE, "line 1, column 6: expected a value, found 'x'");
    refuses("{\"a\" 1}", NULL, HOOP_EPARSE, "line 1, column 6: expected ':', found '1'");
    refuses("{\"a\":1,}", NULL, HOOP_EPARSE,
            "line 1, column 8: expected a key in quotes, found '}'");
    refuses("[1 2]", NULL, HOOP_EPARSE, "line 1, column 4: expected ',' or ']', found '2'");
    refuses("[01]", NULL, HOOP_EPARSE, "line 1, column 3: expected ',' or ']', found '1'");
    refuses("[1.]", NULL, HOOP_EPARSE, "line 1, column 4: expected a digit, found ']'");
    refuses("[tru]", NULL, HOOP_EPARSE, "line 1, column 5: expected true, found ']'");
    refuses("\"\\x\"", NULL, HOOP_EPARSE,
            "line 1, column 3: expected one of \"\\/bfnrtu behind a backslash, found 'x'");
    refuses("\"\\ud800x\"", NULL, HOOP_EPARSE,
            "line 1, column 8: expected the second half of a surrogate pair, found 'x'");
    refuses("\"a\nb\"", NULL, HOOP_EPARSE,
            "line 1, column 3: expected control characters as \\u escapes, found a line's end");
    refuses("\"abc", NULL, HOOP_EPARSE,
            "line 1, column 5: expected the string's closing quote, found the end");
    hoop_doc_options nul = { .allow_nul = 1 };
    refuses("\"\\u0000", &nul, HOOP_EPARSE,
            "line 1, column 8: expected the string's closing quote, found the end");
}

static void test_limits(void **state)
{
    refuses("[1,2]", &(hoop_doc_options){ .max_bytes = 4 }, HOOP_ETOOBIG,
            "the text has more than 4 bytes");
    refuses("[1,2]", &(hoop_doc_options){ .max_values = 2 }, HOOP_ETOOBIG,
            "line 1, column 4: more than 2 values");
    refuses("[[{}]]", &(hoop_doc_options){ .max_depth = 2 }, HOOP_ETOOBIG,
            "line 1, column 3: more than 2 arrays and objects within each other");
    hoop_arena *arena = hoop_arena_new();
    const hoop_json_doc *doc;
    assert_int_equal(hoop_doc_parse(arena, hoop_str_c("[1,2]"), &doc, NULL,
                                    &(hoop_doc_options){ .max_bytes = 5, .max_values = 3 }),
                     0);
    assert_int_equal(hoop_doc_parse(arena, hoop_str_c("[[{}]]"), &doc, NULL,
                                    &(hoop_doc_options){ .max_depth = 3 }),
                     0);
    /* Levels beyond those that need no memory, up to the last. */
    char text[10001];
    for (size_t depth = 1; depth <= 5000; depth = depth * 3 + 1) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        hoop_str s = hoop_str_n(text, depth * 2);
        hoop_json_error error;
        assert_int_equal(
            hoop_doc_parse(arena, s, &doc, NULL, &(hoop_doc_options){ .max_depth = depth }), 0);
        const hoop_json_node *node = hoop_doc_root(doc);
        for (size_t i = 1; i < depth; i++)
            node = hoop_doc_at(node, 0);
        assert_int_equal(hoop_doc_type(node), HOOP_DOC_ARRAY);
        assert_int_equal(hoop_doc_size(node), 0);
        if (depth > 1) {
            assert_int_equal(hoop_doc_parse(arena, s, &doc, &error,
                                            &(hoop_doc_options){ .max_depth = depth - 1 }),
                             HOOP_ETOOBIG);
            assert_int_equal(error.offset, depth - 1);
        }
    }
    hoop_arena_free(arena);
}

static void test_twice(void **state)
{
    refuses("{\"a\":1,\n \"b\":{\"a\":2},\"a\":3}", NULL, HOOP_EPARSE,
            "line 2, column 14: the object has two members named 'a'");
    refuses("[{\"k\\u0061\":1,\"x\":0,\"ka\":1}]", NULL, HOOP_EPARSE,
            "line 1, column 21: the object has two members named 'ka'");
    refuses("[{\"ka\":1,\"x\":0,\"k\\u0061\":1}]", NULL, HOOP_EPARSE,
            "line 1, column 16: the object has two members named 'ka'");
    hoop_arena *arena = hoop_arena_new();
    for (uint32_t policy = HOOP_DOC_FIRST; policy <= HOOP_DOC_LAST; policy++) {
        hoop_doc_options options = { .duplicates = policy };
        const hoop_json_doc *doc;
        assert_int_equal(hoop_doc_parse(arena, hoop_str_c("{\"a/\":1,\"b\":2,\"a/\":[3],\"c\":4}"),
                                        &doc, NULL, &options),
                         0);
        const hoop_json_node *root = hoop_doc_root(doc);
        uint32_t want = policy == HOOP_DOC_FIRST ? HOOP_DOC_NUMBER : HOOP_DOC_ARRAY;
        assert_int_equal(hoop_doc_size(root), 4);
        assert_int_equal(hoop_doc_type(hoop_doc_get(root, "a/")), want);
        assert_int_equal(hoop_doc_type(hoop_doc_find(root, "/a~1")), want);
        assert_str(hoop_doc_number(hoop_doc_get(root, "c")), "4");
    }
    hoop_arena_free(arena);
}

/* A large object with a member of each number, `twice` once more; and a large array of arrays. */
static hoop_str large_object(hoop_arena *arena, int count, int twice)
{
    char *text = hoop_arena_alloc(arena, (size_t)count * 40 + 64), *p = text;
    p += sprintf(p, "{");
    for (int i = 0; i < count; i++)
        p += sprintf(p, "%s\"key number %d\":[%d]", i ? "," : "", i, i);
    if (twice >= 0)
        p += sprintf(p, ",\"key number %d\":[-1]", twice);
    p += sprintf(p, "}");
    return hoop_str_n(text, (size_t)(p - text));
}

static void test_large_object(void **state)
{
    for (int count = 30; count < 5000; count = count < 36 ? count + 1 : count * 3) {
        hoop_arena *arena = hoop_arena_new();
        const hoop_json_doc *doc;
        hoop_json_error error;
        assert_int_equal(hoop_doc_parse(arena, large_object(arena, count, -1), &doc, NULL, NULL),
                         0);
        for (int i = 0; i < count; i++) {
            char key[40];
            int64_t value;
            sprintf(key, "key number %d", i);
            const hoop_json_node *node = hoop_doc_get(hoop_doc_root(doc), key);
            assert_int_equal(hoop_doc_to_int64(hoop_doc_at(node, 0), &value), 0);
            assert_int_equal(value, i);
            sprintf(key, "/key number %d/0", i);
            assert_ptr_equal(hoop_doc_find(hoop_doc_root(doc), key), hoop_doc_at(node, 0));
            assert_str(hoop_doc_pointer(arena, doc, hoop_doc_at(node, 0)), key);
        }
        assert_null(hoop_doc_get(hoop_doc_root(doc), "key number"));
        hoop_str text = large_object(arena, count, count / 2);
        assert_int_equal(hoop_doc_parse(arena, text, &doc, &error, NULL), HOOP_EPARSE);
        assert_int_equal(error.line, 1);
        assert_string_equal(strstr(text.data + error.offset - 1, ",\"") + 2,
                            text.data + error.offset + 1);
        assert_null(strstr(text.data + error.offset + 1, ",\""));
        for (uint32_t policy = HOOP_DOC_FIRST; policy <= HOOP_DOC_LAST; policy++) {
            char key[40];
            int64_t value;
            hoop_doc_options options = { .duplicates = policy };
            assert_int_equal(hoop_doc_parse(arena, text, &doc, NULL, &options), 0);
            sprintf(key, "/key number %d/0", count / 2);
            hoop_doc_to_int64(hoop_doc_find(hoop_doc_root(doc), key), &value);
            assert_int_equal(value, policy == HOOP_DOC_FIRST ? count / 2 : -1);
        }
        hoop_arena_free(arena);
    }
}

/* Arrays of all lengths around the borders of segments, flat and not, by index and by iteration. */
static void test_large_array(void **state)
{
    for (size_t count = 1; count < 3000; count = count < 40 ? count + 1 : count + 97) {
        for (int flat = 0; flat < 2; flat++) {
            hoop_arena *arena = hoop_arena_new();
            char *text = malloc(count * 12 + 3), *p = text;
            for (size_t i = 0; i < count; i++)
                p += sprintf(p, flat ? "%c%zu" : "%c[%zu]", i ? ',' : '[', i);
            p += sprintf(p, "]");
            const hoop_json_doc *doc;
            assert_int_equal(
                hoop_doc_parse(arena, hoop_str_n(text, (size_t)(p - text)), &doc, NULL, NULL), 0);
            const hoop_json_node *root = hoop_doc_root(doc), *node;
            hoop_json_iter iter = hoop_doc_iter(root);
            for (size_t i = 0; i < count; i++) {
                int64_t value = -1;
                assert_int_equal(hoop_doc_next(&iter, NULL, &node), 1);
                assert_ptr_equal(node, hoop_doc_at(root, i));
                hoop_doc_to_int64(flat ? node : hoop_doc_at(node, 0), &value);
                assert_int_equal(value, i);
            }
            assert_int_equal(hoop_doc_next(&iter, NULL, &node), 0);
            assert_null(hoop_doc_at(root, count));
            free(text);
            hoop_arena_free(arena);
        }
    }
}

/* The examples of RFC 6901 5. */
static void test_pointer(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_json_doc *doc =
        parse(arena, "{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"c%d\":2,\"e^f\":3,\"g|h\":4,"
                     "\"i\\\\j\":5,\"k\\\"l\":6,\" \":7,\"m~n\":8}");
    static const char *const pointers[] = { "/",     "/a~1b", "/c%d", "/e^f", "/g|h",
                                            "/i\\j", "/k\"l", "/ ",   "/m~0n" };
    const hoop_json_node *root = hoop_doc_root(doc);
    assert_ptr_equal(hoop_doc_find(root, ""), root);
    assert_str(hoop_doc_str(hoop_doc_find(root, "/foo/0")), "bar");
    assert_str(hoop_doc_str(hoop_doc_find(root, "/foo/1")), "baz");
    for (size_t i = 0; i < HOOP_COUNT(pointers); i++) {
        int64_t value = -1;
        const hoop_json_node *node = hoop_doc_find(root, pointers[i]);
        assert_int_equal(hoop_doc_to_int64(node, &value), 0);
        assert_int_equal(value, i);
        assert_str(hoop_doc_pointer(arena, doc, node), pointers[i]);
    }
    static const char *const wrong[] = {
        "foo",  "/foo/2", "/foo/01", "/foo/-", "/foo/+1",          "/foo/",          "/foo/0/",
        "/m~n", "/m~2n",  "/m~",     "/x",     "/foo/99999999999", "/foo/4294967296"
    };
    for (size_t i = 0; i < HOOP_COUNT(wrong); i++)
        assert_null(hoop_doc_find(root, wrong[i]));
    assert_null(hoop_doc_find(root, NULL));
    assert_str(hoop_doc_pointer(arena, doc, root), "");
    const hoop_json_doc *other = parse(arena, "[1]");
    assert_true(hoop_str_is_none(hoop_doc_pointer(arena, doc, hoop_doc_root(other))));
    /* More levels than the walk begins with. */
    doc = parse(arena, "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[0,1]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]");
    const hoop_json_node *deep = hoop_doc_root(doc);
    while (hoop_doc_size(deep) == 1)
        deep = hoop_doc_at(deep, 0);
    assert_str(hoop_doc_pointer(arena, doc, hoop_doc_at(deep, 1)),
               "/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/0/1");
    hoop_arena_free(arena);
}

static void test_to_json(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str text = data_file("body-4k.json");
    const hoop_json_doc *doc;
    hoop_error error;
    assert_int_equal(hoop_doc_parse(arena, text, &doc, NULL, NULL), 0);
    json_t *value = hoop_doc_to_json(hoop_doc_root(doc), &error);
    json_t *peer = json_loadb(text.data, text.len, 0, NULL);
    assert_true(json_equal(value, peer));
    json_decref(value);
    json_decref(peer);
    doc = parse(arena, "[1,{\"a\":[9223372036854775808]}]");
    assert_null(hoop_doc_to_json(hoop_doc_root(doc), &error));
    assert_string_equal(error.text, "the number 9223372036854775808 does not fit a json_t");
    assert_int_equal(error.code, HOOP_ETOOBIG);
    assert_null(hoop_doc_to_json(hoop_doc_root(parse(arena, "-1e400")), &error));
    assert_string_equal(error.text, "the number -1e400 does not fit a json_t");
    drop_exact(text);
    hoop_arena_free(arena);
}

/* Through a tree and back a value stays what it is, and the tree is written as the value. */
static void test_from_json(void **state)
{
    static const hoop_json_writer_options forms[] = { { .indent = 0 },
                                                      { .indent = 3 },
                                                      { .ascii = 1 } };
    uint64_t seed = 6902;
    for (int i = 0; i < 3000; i++) {
        hoop_arena *arena = hoop_arena_new();
        json_t *value = random_json(&seed, 5);
        const hoop_json_doc *doc = NULL;
        hoop_error error;
        assert_int_equal(hoop_doc_from_json(arena, value, &doc, &error), 0);
        json_t *again = hoop_doc_to_json(hoop_doc_root(doc), &error);
        assert_true(json_equal(again, value));
        json_decref(again);
        hoop_str by_node, by_value;
        hoop_json_writer *w = hoop_json_writer_new_with(arena, &forms[i % 3]);
        hoop_json_write_node(w, hoop_doc_root(doc));
        assert_int_equal(hoop_json_writer_finish(w, &by_node, &error), 0);
        w = hoop_json_writer_new_with(arena, &forms[i % 3]);
        hoop_json_write_value(w, value);
        assert_int_equal(hoop_json_writer_finish(w, &by_value, &error), 0);
        assert_bytes(by_node.data, by_node.len, by_value.data, by_value.len);
        json_decref(value);
        hoop_arena_free(arena);
    }
}

static void refuse_from_json(json_t *value, const char *want)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_json_doc *doc = NULL;
    hoop_error error;
    assert_int_equal(hoop_doc_from_json(arena, value, &doc, &error), HOOP_EINVAL);
    assert_string_equal(error.text, want);
    assert_null(doc);
    json_decref(value);
    hoop_arena_free(arena);
}

static void test_from_json_refused(void **state)
{
    refuse_from_json(NULL, "$: the value is NULL");
    refuse_from_json(json_pack("[o]", json_string_nocheck("\xff")), "$[0]: the text is no UTF-8");
    hoop_error error;
    assert_int_equal(hoop_doc_from_json(NULL, NULL, NULL, &error), HOOP_EINVAL);
    assert_string_equal(error.text, "arena and ret_doc may not be NULL");
}

/* A tree may be deeper than what is written; numbers stay as they are. */
static void test_write_node(void **state)
{
    static char text[6000];
    hoop_arena *arena = hoop_arena_new();
    const hoop_json_node *root = hoop_doc_root(parse(
        arena, " { \"a\\n\" : [ 1.50 , -0e+5, 123456789012345678901234567890, \"\", {} , [] ] } "));
    hoop_json_writer *w = hoop_json_writer_new(arena);
    hoop_json_begin_array(w);
    hoop_json_write_node(w, root);
    hoop_json_write_node(w, hoop_doc_find(root, "/a\n/0"));
    hoop_json_end_array(w);
    hoop_str written;
    hoop_error error;
    assert_int_equal(hoop_json_writer_finish(w, &written, &error), 0);
    assert_str(written, "[{\"a\\n\":[1.50,-0e+5,123456789012345678901234567890,\"\",{},[]]},1.50]");

    w = hoop_json_writer_new(arena);
    hoop_json_write_node(w, NULL);
    assert_int_equal(hoop_json_writer_finish(w, NULL, &error), HOOP_EINVAL);
    assert_string_equal(error.text, "$: the node is NULL");
    hoop_json_write_node(NULL, root);

    for (size_t depth = 2048; depth <= 2049; depth++) {
        const hoop_json_doc *doc;
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(hoop_doc_parse(arena, hoop_str_n(text, 2 * depth), &doc, NULL,
                                        &(hoop_doc_options){ .max_depth = HOOP_OFF }),
                         0);
        w = hoop_json_writer_new_with(arena,
                                      &(hoop_json_writer_options){ .max_depth = HOOP_OFF32 });
        hoop_json_write_node(w, hoop_doc_root(doc));
        assert_int_equal(hoop_json_writer_finish(w, &written, &error),
                         depth == 2048 ? 0 : HOOP_EINVAL);
    }
    assert_non_null(strstr(error.text, "too many levels of arrays and objects"));
    hoop_arena_free(arena);
}

/* Values are made, written and freed level by level on the stack, trees are not. */
static void test_deep_to_json(void **state)
{
    static char text[200001];
    hoop_arena *arena = hoop_arena_new();
    const hoop_json_doc *doc;
    hoop_error error;
    for (size_t depth = 2048; depth <= 100000; depth = depth == 2048 ? 2049 : depth * 22) {
        memset(text, '[', depth);
        memset(text + depth, ']', depth);
        assert_int_equal(hoop_doc_parse(arena, hoop_str_n(text, 2 * depth), &doc, NULL,
                                        &(hoop_doc_options){ .max_depth = HOOP_OFF }),
                         0);
        json_t *value = hoop_doc_to_json(hoop_doc_root(doc), &error);
        if (depth == 2048) {
            assert_non_null(value);
            json_decref(value);
            continue;
        }
        assert_null(value);
        assert_int_equal(error.code, HOOP_ETOOBIG);
        assert_string_equal(error.text, "the tree has over 2048 levels");
    }
    hoop_arena_free(arena);
}

/* --- memory and chance ------------------------------------------------------------------------- */

static void parse_once(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = failing_arena(allocator);
    const hoop_json_doc *doc;
    hoop_json_error error;
    hoop_str text = hoop_str_c(data);
    if (!arena)
        return;
    jansson_memory = allocator;
    int rc = hoop_doc_parse(arena, text, &doc, &error, NULL);
    if (rc == 0) {
        json_decref(hoop_doc_to_json(hoop_doc_root(doc), NULL));
        hoop_doc_pointer(arena, doc, hoop_doc_at(hoop_doc_root(doc), 1));
    } else {
        assert_true(rc == HOOP_ENOMEM || (rc == HOOP_EPARSE && !strchr(data, '}')));
        assert_string_equal(error.text, rc == HOOP_ENOMEM ? "out of memory" : error.text);
    }
    hoop_arena_free(arena);
    jansson_memory = NULL;
}

/* A value into a tree, and that into a text. */
static void rewrite_once(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = failing_arena(allocator);
    const hoop_json_doc *doc = NULL;
    hoop_error error;
    if (!arena)
        return;
    int rc = hoop_doc_from_json(arena, data, &doc, &error);
    if (rc == 0) {
        hoop_json_writer *w = hoop_json_writer_new(arena);
        hoop_json_write_node(w, hoop_doc_root(doc));
        rc = hoop_json_writer_finish(w, NULL, &error);
    }
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    assert_true(rc == 0 || error.code == HOOP_ENOMEM);
    hoop_arena_free(arena);
}

static void test_allocations(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    json_t *value = json_array();
    for (int i = 0; i < 300; i++)
        json_array_append_new(value, json_pack("{s:i,s:[s]}", "a", i, "b\n", "a text, and more"));
    test_each_allocation(rewrite_once, value);
    json_decref(value);
    char *deep = hoop_arena_zalloc(arena, 1200);
    memset(deep, '[', 600);
    json_set_alloc_funcs(jansson_alloc, jansson_free);
    test_each_allocation(parse_once, (char *)(uintptr_t)large_object(arena, 100, -1).data);
    test_each_allocation(parse_once, "[{\"a\\n\":1,\"b\":\"\\u00e4 with more text\"},[2,null]]");
    test_each_allocation(parse_once, deep);
    json_set_alloc_funcs(malloc, free);
    hoop_arena_free(arena);
}

/* Random text near JSON: taken by us exactly if jansson takes it, and as the same value. */
static void test_random(void **state)
{
    uint64_t seed = 99;
    const char *alphabet = "[]{}:,\"\"\\1ea.-u0 \n\xc3\xa4tn";
    int taken = 0;
    for (int i = 0; i < 200000; i++) {
        hoop_arena *arena = hoop_arena_new();
        hoop_str text = random_of(&seed, arena, 14, alphabet);
        hoop_str exact = exactly(text.data, text.len);
        const hoop_json_doc *doc = NULL;
        hoop_json_error error;
        int rc = hoop_doc_parse(arena, exact, &doc, &error, NULL);
        json_t *peer =
            json_loadb(exact.data, exact.len, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL);
        json_t *value = rc ? NULL : hoop_doc_to_json(hoop_doc_root(doc), NULL);
        if ((value != NULL) != (peer != NULL) || (value && !json_equal(value, peer)))
            fail_msg("differs from jansson: %s", text.data);
        taken += rc == 0;
        json_decref(peer);
        json_decref(value);
        drop_exact(exact);
        hoop_arena_free(arena);
    }
    assert_true(taken > 1000);
}

/* Random values written, read again, and cut at each place. */
static void test_written(void **state)
{
    uint64_t seed = 31;
    for (int i = 0; i < 300; i++) {
        hoop_arena *arena = hoop_arena_new();
        json_t *value = random_json(&seed, 5);
        char *text = json_dumps(value, i % 2 ? JSON_ENCODE_ANY | JSON_INDENT(20)
                                             : JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
        const hoop_json_doc *doc;
        hoop_str exact = exactly(text, strlen(text));
        assert_int_equal(hoop_doc_parse(arena, exact, &doc, NULL, NULL), 0);
        json_t *again = hoop_doc_to_json(hoop_doc_root(doc), NULL);
        assert_true(json_equal(value, again));
        drop_exact(exact);
        for (size_t len = 0; len < strlen(text) && len < 300; len++) {
            hoop_json_error error;
            exact = exactly(text, len);
            if (hoop_doc_parse(arena, exact, &doc, &error, NULL))
                assert_int_equal(error.offset, len);
            else
                assert_true(json_is_number(value));
            drop_exact(exact);
        }
        json_decref(again);
        json_decref(value);
        free(text);
        hoop_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walk),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_large_object),
        cmocka_unit_test(test_large_array),
        cmocka_unit_test(test_pointer),
        cmocka_unit_test(test_to_json),
        cmocka_unit_test(test_deep_to_json),
        cmocka_unit_test(test_from_json),
        cmocka_unit_test(test_from_json_refused),
        cmocka_unit_test(test_write_node),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
