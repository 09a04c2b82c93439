/* Bodies as trees: read once, typed values, and the 400 that lists what is wrong. */
#include "tools.h"

#include "base/arena.h"

static const hoop_request *post(hoop_arena *arena, const char *body)
{
    return hoop_mock_body(hoop_mock(arena, "POST", "/?n=x", NULL), "application/json",
                          hoop_str_c(body));
}

static const hoop_json_node *root_of(const hoop_request *req)
{
    const hoop_response *problem = NULL;
    const hoop_json_doc *doc = hoop_request_doc(req, &problem);
    assert_non_null(doc);
    assert_null(problem);
    return hoop_doc_root(doc);
}

static void test_right(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req =
        post(arena,
             "{\"i\":-5,\"u\":18446744073709551615,\"d\":1e2,\"b\":true,\"s\":\"a\\tb\",\"l\":[1],"
             "\"o\":{\"x\":{}},\"z\":null}");
    const hoop_json_node *root = root_of(req), *node = NULL;
    const hoop_response *bad = NULL;
    int64_t i = 0;
    uint64_t u = 0;
    double d = 0;
    int b = 0;
    hoop_str s = hoop_str_none();
    assert_int_equal(hoop_doc_read_int64(req, root, HOOP_REQUIRED, "/i", &i, &bad), 1);
    assert_int_equal(i, -5);
    assert_int_equal(hoop_doc_read_uint64(req, root, 0, "/u", &u, &bad), 1);
    assert_true(u == UINT64_MAX);
    assert_int_equal(hoop_doc_read_double(req, root, 0, "/d", &d, &bad), 1);
    assert_true(d == 100);
    assert_int_equal(hoop_doc_read_double(req, root, 0, "/i", &d, &bad), 1);
    assert_true(d == -5);
    assert_int_equal(hoop_doc_read_bool(req, root, 0, "/b", &b, &bad), 1);
    assert_int_equal(b, 1);
    assert_int_equal(hoop_doc_read_str(req, root, 0, "/s", &s, &bad), 1);
    assert_string_equal(s.data, "a\tb");
    assert_int_equal(hoop_doc_read_array(req, root, 0, "/l", &node, &bad), 1);
    assert_ptr_equal(node, hoop_doc_get(root, "l"));
    assert_int_equal(hoop_doc_read_object(req, root, 0, "/o/x", &node, &bad), 1);
    assert_ptr_equal(node, hoop_doc_find(root, "/o/x"));
    assert_int_equal(hoop_doc_read_object(req, root, HOOP_REQUIRED, "", &node, &bad), 1);
    assert_ptr_equal(node, root);

    /* What is not there, or null, leaves the default. */
    assert_int_equal(hoop_doc_read_int64(req, root, 0, "/none", &i, &bad), 0);
    assert_int_equal(hoop_doc_read_int64(req, root, 0, "/z", &i, &bad), 0);
    assert_int_equal(hoop_doc_read_int64(req, root, 0, "/l/1/x", &i, &bad), 0);
    assert_int_equal(hoop_doc_read_int64(req, NULL, 0, "/l", &i, &bad), 0);
    assert_int_equal(i, -5);
    assert_null(bad);

    assert_int_equal(hoop_doc_read_int64(NULL, root, 0, "/i", &i, &bad), HOOP_EINVAL);
    assert_int_equal(hoop_doc_read_int64(req, root, 0, NULL, &i, &bad), HOOP_EINVAL);
    assert_int_equal(hoop_doc_read_int64(req, root, 0, "i", &i, &bad), HOOP_EINVAL);
    assert_int_equal(hoop_doc_read_int64(req, root, 0, "/i", NULL, &bad), HOOP_EINVAL);
    assert_int_equal(hoop_doc_read_int64(req, root, 1, "/i", &i, &bad), HOOP_EINVAL);
    assert_int_equal(hoop_doc_refuse(req, root, "/i", NULL, &bad), HOOP_EINVAL);
    assert_null(bad);
    hoop_arena_free(arena);
}

static void test_wrong(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req =
        post(arena,
             "{\"items\":[{\"n\":1},{\"n\":\"two\",\"k~/\":1.5}],\"d\":1e999,\"s\":7,\"z\":null}");
    const hoop_json_node *root = root_of(req), *second = hoop_doc_find(root, "/items/1");
    const hoop_json_node *node = NULL;
    const hoop_response *bad = NULL;
    int64_t i = 3;
    double d = 3;
    hoop_str s = hoop_str_none();
    int b = 3;
    assert_int_equal(hoop_doc_read_int64(req, second, 0, "/n", &i, &bad), HOOP_EPARSE);
    assert_int_equal(bad->status, 400);
    assert_str(hoop_response_header(bad, "content-type"), "application/problem+json");
    assert_str(
        bad->body,
        "{\"title\":\"Bad Request\",\"status\":400,\"detail\":\"body pointer '/items/1/n' is "
        "'two', expected an integer\",\"errors\":[{\"in\":\"body\",\"pointer\":\"/items/1/n\","
        "\"value\":\"two\",\"expected\":\"an integer\"}]}");
    assert_int_equal(hoop_doc_read_int64(req, second, 0, "/k~0~1", &i, &bad), HOOP_EPARSE);
    assert_int_equal(hoop_doc_read_double(req, root, 0, "/d", &d, &bad), HOOP_EPARSE);
    assert_int_equal(hoop_doc_read_str(req, root, 0, "/s", &s, &bad), HOOP_EPARSE);
    assert_int_equal(hoop_doc_read_bool(req, root, HOOP_REQUIRED, "/z", &b, &bad), HOOP_EPARSE);
    assert_int_equal(hoop_doc_read_object(req, root, HOOP_REQUIRED, "/o", &node, &bad),
                     HOOP_EMISSING);
    assert_int_equal(hoop_doc_read_array(req, root, HOOP_REQUIRED, "", &node, &bad), HOOP_EPARSE);
    assert_int_equal(hoop_doc_refuse(req, root, "/s", "1 to 5", &bad), HOOP_EPARSE);
    /* Parameters go into the same list. */
    assert_int_equal(hoop_param_int64(req, HOOP_IN_QUERY, "n", &i, &bad), HOOP_EPARSE);
    assert_str(
        bad->body,
        "{\"title\":\"Bad Request\",\"status\":400,\"detail\":\"body pointer '/items/1/n' is 'two', "
        "expected an integer (and more, see errors)\",\"errors\":["
        "{\"in\":\"body\",\"pointer\":\"/items/1/n\",\"value\":\"two\",\"expected\":\"an integer\"},"
        "{\"in\":\"body\",\"pointer\":\"/items/1/k~0~1\",\"value\":\"1.5\",\"expected\":\"an integer\"},"
        "{\"in\":\"body\",\"pointer\":\"/d\",\"value\":\"1e999\",\"expected\":\"a number\"},"
        "{\"in\":\"body\",\"pointer\":\"/s\",\"value\":\"7\",\"expected\":\"a string\"},"
        "{\"in\":\"body\",\"pointer\":\"/z\",\"value\":\"null\",\"expected\":\"true or false\"},"
        "{\"in\":\"body\",\"pointer\":\"/o\",\"expected\":\"an object\"},"
        "{\"in\":\"body\",\"pointer\":\"\",\"value\":\"an object\",\"expected\":\"an array\"},"
        "{\"in\":\"body\",\"pointer\":\"/s\",\"value\":\"7\",\"expected\":\"1 to 5\"},"
        "{\"in\":\"query\",\"parameter\":\"n\",\"value\":\"x\",\"expected\":\"an integer\"}]}");
    assert_int_equal(i, 3);
    assert_int_equal(b, 3);
    assert_true(d == 3);
    assert_true(hoop_str_is_none(s));
    /* Without a place for the answer only the code. */
    assert_int_equal(hoop_doc_read_int64(req, root, 0, "/items", &i, NULL), HOOP_EPARSE);
    hoop_arena_free(arena);
}

/* The list ends somewhere, whatever a client sends. */
static void test_many_wrong(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    char body[4000] = "[", *p = body + 1;
    for (int i = 0; i < 100; i++)
        p += sprintf(p, "%s\"\\u0001\"", i ? "," : "");
    strcpy(p, "]");
    const hoop_request *req = post(arena, body);
    const hoop_json_node *root = root_of(req), *node;
    const hoop_response *bad = NULL;
    hoop_json_iter iter = hoop_doc_iter(root);
    const char *full = NULL;
    for (int i = 0; hoop_doc_next(&iter, NULL, &node); i++) {
        int64_t value;
        assert_int_equal(hoop_doc_read_int64(req, node, 0, "", &value, &bad), HOOP_EPARSE);
        assert_int_equal(hoop_doc_refuse(req, node, "", "a number", i < 32 ? NULL : &bad),
                         HOOP_EPARSE);
        assert_int_equal(hoop_doc_refuse(req, node, "/x", "a number", i < 32 ? NULL : &bad),
                         HOOP_EMISSING);
        /* What is not listed costs nothing: neither memory nor a walk through the tree. */
        if (i >= 31)
            assert_ptr_equal(req->arena->next, full ? full : req->arena->next);
        full = i >= 31 ? req->arena->next : NULL;
    }
    json_t *problem = json_loadb(bad->body.data, bad->body.len, 0, NULL);
    json_t *errors = json_object_get(problem, "errors");
    assert_int_equal(json_array_size(errors), 32);
    json_t *last = json_array_get(errors, 31);
    assert_string_equal(json_string_value(json_object_get(last, "pointer")), "/31");
    assert_string_equal(json_string_value(json_object_get(last, "value")), "\x01");
    json_decref(problem);
    hoop_arena_free(arena);
}

/* A tree that is not the body's: the pointer begins at the node. */
static void test_other_tree(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = post(arena, "[1]");
    const hoop_json_doc *doc;
    const hoop_response *bad = NULL;
    int64_t value;
    root_of(req);
    hoop_doc_parse(arena, hoop_str_c("[{\"a\":\"\\u00e4\"}]"), &doc, NULL, NULL);
    const hoop_json_node *node = hoop_doc_at(hoop_doc_root(doc), 0);
    assert_int_equal(hoop_doc_read_int64(req, node, 0, "/a", &value, &bad), HOOP_EPARSE);
    assert_non_null(strstr(bad->body.data, "\"pointer\":\"/a\",\"value\":\"\xc3\xa4\""));
    hoop_arena_free(arena);
}

/* --- the body ---------------------------------------------------------------------------------- */

struct seen {
    int calls;
};

static const hoop_response *on_doc(const hoop_request *req, const hoop_json_doc *doc, void *data)
{
    struct seen *seen = data;
    const hoop_response *problem = NULL;
    seen->calls++;
    assert_ptr_equal(hoop_request_doc(req, &problem), doc);
    assert_ptr_equal(hoop_request_doc(hoop_assoc(req, seen, seen), &problem), doc);
    /* The value is made of the same tree, once. */
    json_t *value = hoop_request_json(req, &problem);
    assert_non_null(value);
    assert_ptr_equal(hoop_request_json(req, &problem), value);
    assert_null(problem);
    return hoop_json(req, 200, json_incref(value));
}

static const hoop_response *read_at_head(const hoop_request *req, void *data)
{
    assert_null(hoop_request_doc(req, NULL));
    return hoop_read_doc(req, 20, on_doc, data);
}

static const hoop_response *call_head(hoop_arena *arena, const char *body, struct seen *seen)
{
    seen->calls = 0;
    return hoop_call_sync(hoop_streaming(arena, hoop_fn(read_at_head, seen)),
                          hoop_mock(arena, "POST", "/", body));
}

static void test_read(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    struct seen seen;
    assert_str(call_head(arena, "{\"a\":[1,2]}", &seen)->body, "{\"a\":[1,2]}");
    assert_int_equal(seen.calls, 1);
    const hoop_response *res = call_head(arena, "{\"a\":[1,2}", &seen);
    assert_int_equal(res->status, 400);
    assert_str(res->body, "{\"title\":\"Bad Request\",\"status\":400,\"detail\":"
                          "\"line 1, column 10: expected ',' or ']', found '}'\"}");
    assert_int_equal(call_head(arena, "", &seen)->status, 400);
    assert_int_equal(call_head(arena, "[1,2,3,4,5,6,7,8,9,10]", &seen)->status, 413);
    assert_int_equal(seen.calls, 0);
    assert_null(hoop_read_doc(NULL, 0, on_doc, &seen));
    const hoop_request *req = hoop_app_request(arena);
    assert_null(hoop_read_doc(req, 0, NULL, NULL));
    assert_string_equal(hoop_failure(req)->text, "hoop_read_doc() needs a function");
    const hoop_response *problem = res;
    assert_null(hoop_request_doc(NULL, &problem));
    assert_null(problem);
    hoop_arena_free(arena);
}

/* A number that a json_t can't hold is none of the tree's business. */
static void test_misfit(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = post(arena, "[1,\n18446744073709551616]");
    const hoop_response *problem = NULL;
    assert_int_equal(hoop_doc_size(root_of(req)), 2);
    assert_null(hoop_request_json(req, &problem));
    assert_str(problem->body, "{\"title\":\"Bad Request\",\"status\":400,\"detail\":"
                              "\"line 2, column 1: the integer is beyond 64 bits\"}");
    assert_int_equal(hoop_doc_size(root_of(req)), 2);
    hoop_arena_free(arena);
}

/* --- memory ------------------------------------------------------------------------------------ */

static const hoop_response *typed(const hoop_request *req, void *data)
{
    const hoop_response *problem = NULL, *bad = NULL;
    const hoop_json_doc *doc = hoop_request_doc(req, &problem);
    int64_t i = 0;
    hoop_str s;
    if (!doc)
        return problem;
    int rc = hoop_doc_read_str(req, hoop_doc_root(doc), HOOP_REQUIRED, "/s", &s, &bad);
    assert_true(rc == 1 || (rc == HOOP_ENOMEM && bad->status == 503));
    if (rc == 1)
        assert_int_equal(
            hoop_doc_read_int64(req, hoop_doc_get(hoop_doc_root(doc), "o"), 0, "/n", &i, &bad),
            HOOP_EPARSE);
    hoop_doc_refuse(req, hoop_doc_root(doc), "/s", "another", &bad);
    assert_true(bad->status == 400 || rc == HOOP_ENOMEM);
    return bad;
}

static void read_once(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = failing_arena(allocator);
    if (!arena)
        return;
    const hoop_request *req = hoop_mock(arena, "POST", "/", data);
    const hoop_response *res = hoop_call_sync(hoop_fn(typed, NULL), req);
    if (res)
        assert_true(res->status == 400 || res->status == 503);
    hoop_arena_free(arena);
}

static void test_allocations(void **state)
{
    test_each_allocation(read_once, "{\"s\":\"text\",\"o\":{\"n\":\"x\"}}");
    test_each_allocation(read_once, "{\"s\":\"text\",\"o\":{\"n\":\"x\"}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),       cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_many_wrong),  cmocka_unit_test(test_other_tree),
        cmocka_unit_test(test_read),        cmocka_unit_test(test_misfit),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
