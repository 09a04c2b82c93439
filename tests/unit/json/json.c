/* JSON responses and JSON mock requests: what they hold, and who owns the value. */
#include "tools.h"

static void test_response(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_app_request(arena);
    json_t *value = json_pack("{s:s}", "message", "Hello, World!");
    json_incref(value);
    const hoop_response *res = hoop_json(req, 201, value);
    assert_non_null(res);
    assert_int_equal(value->refcount, 1);
    json_decref(value);
    assert_int_equal(res->status, 201);
    assert_int_equal(res->body_kind, HOOP_BODY_BYTES);
    assert_str(res->body, "{\"message\":\"Hello, World!\"}");
    assert_int_equal(res->body.data[res->body.len], 0);
    assert_int_equal(res->header_count, 1);
    assert_str(res->headers[0].name, "Content-Type");
    assert_str(res->headers[0].value, "application/json");
    assert_ptr_equal(res->arena, arena);
    assert_str(hoop_json(req, 200, json_string("x"))->body, "\"x\"");
    assert_null(hoop_failure(req));
    hoop_arena_free(arena);
}

/* Takes the reference whatever happens; the note says why. */
static void fails(const hoop_request *req, int status, json_t *value, int code, const char *text)
{
    if (value)
        json_incref(value);
    assert_null(hoop_json(req, status, value));
    if (value) {
        assert_int_equal(value->refcount, 1);
        json_decref(value);
    }
    if (!req)
        return;
    assert_non_null(hoop_failure(req));
    assert_int_equal(hoop_failure(req)->code, code);
    assert_string_equal(hoop_failure(req)->text, text);
}

static void test_failures(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    fails(NULL, 200, json_array(), 0, "");
    fails(hoop_app_request(arena), 200, NULL, HOOP_EINVAL, "the JSON value is NULL");
    fails(hoop_app_request(arena), 100, json_array(), HOOP_EINVAL,
          "status 100 is not between 200 and 599");
    fails(hoop_app_request(arena), 200, json_string_nocheck("\xff"), HOOP_EINVAL,
          "JSON $: the text is no UTF-8");
    hoop_arena_free(arena);
}

static void test_pack(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_app_request(arena);
    const hoop_response *res =
        hoop_json_pack(req, 200, "{s:s, s:[i,b,n], s:o}", "a", "b", "c", 1, 0, "d", json_array());
    assert_str(res->body, "{\"a\":\"b\",\"c\":[1,false,null],\"d\":[]}");
    assert_str(hoop_response_header(res, "content-type"), "application/json");
    assert_str(hoop_json_pack(req, 200, "s", "x")->body, "\"x\"");
    hoop_arena_free(arena);
}

static void test_pack_failures(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_app_request(arena);
    assert_null(hoop_json_pack(NULL, 200, "{}"));
    assert_null(hoop_json_pack(req, 200, NULL));
    assert_string_equal(hoop_failure(req)->text, "the format of the JSON value is NULL");

    req = hoop_app_request(arena);
    assert_null(hoop_json_pack(req, 200, "{s:s", "a", "b"));
    assert_int_equal(hoop_failure(req)->code, HOOP_EINVAL);
    assert_string_equal(hoop_failure(req)->text,
                        "the JSON format '{s:s' does not fit: Unexpected end of format string");

    req = hoop_app_request(arena);
    assert_null(hoop_json_pack(req, 200, "{s:s}", "a", (const char *)NULL));
    assert_string_equal(hoop_failure(req)->text,
                        "the JSON format '{s:s}' does not fit: NULL string");

    req = hoop_app_request(arena);
    assert_null(hoop_json_pack(req, 700, "{}"));
    assert_string_equal(hoop_failure(req)->text, "status 700 is not between 200 and 599");
    hoop_arena_free(arena);
}

static void test_mock(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "POST", "/users", NULL);
    json_t *value = json_pack("{s:i}", "id", 7);
    json_incref(value);
    const hoop_request *made = hoop_mock_json(req, value);
    assert_non_null(made);
    assert_int_equal(value->refcount, 1);
    json_decref(value);
    assert_str(hoop_body(made), "{\"id\":7}");
    assert_str(hoop_header(made, "content-type"), "application/json");
    assert_str(hoop_header(made, "content-length"), "8");
    assert_true(hoop_str_is_none(hoop_body(req)));

    assert_null(hoop_mock_json(req, NULL));
    value = json_incref(json_array());
    assert_null(hoop_mock_json(NULL, value));
    assert_int_equal(value->refcount, 1);
    assert_null(hoop_mock_json(hoop_app_request(arena), value));
    hoop_arena_free(arena);
}

static void respond_once(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = failing_arena(allocator);
    const hoop_request *req = arena ? hoop_app_request(arena) : NULL;
    const hoop_response *res;
    jansson_memory = allocator;
    if (data)
        res = hoop_json_pack(req, 200, "{s:s,s:[i,i,f]}", "name", data, "list", 1, 2, 0.5);
    else
        res = hoop_json(req, 200, json_pack("[s]", "a text"));
    /* Not always out of memory: jansson calls a string for which it finds none no UTF-8. */
    if (req && !res)
        assert_non_null(hoop_failure(req));
    jansson_memory = NULL;
    if (arena)
        hoop_arena_free(arena);
}

static void mock_once(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = failing_arena(allocator);
    if (!arena)
        return;
    const hoop_request *req = hoop_mock(arena, "POST", "/", NULL);
    jansson_memory = allocator;
    const hoop_request *made = hoop_mock_json(req, json_pack("[i]", 1));
    if (made)
        assert_str(hoop_body(made), "[1]");
    jansson_memory = NULL;
    hoop_arena_free(arena);
}

static void test_allocations(void **state)
{
    static char text[600];
    memset(text, 'a', sizeof text - 1);
    json_set_alloc_funcs(jansson_alloc, jansson_free);
    test_each_allocation(respond_once, text);
    test_each_allocation(respond_once, NULL);
    test_each_allocation(mock_once, NULL);
    json_set_alloc_funcs(malloc, free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_response), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_pack),     cmocka_unit_test(test_pack_failures),
        cmocka_unit_test(test_mock),     cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
