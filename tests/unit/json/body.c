/* JSON bodies: parsed once, problems that name the place, and reading at the head. */
#include "tools.h"

#include <stdio.h>

/* What the handlers under test saw. */
struct seen {
    int calls;
    json_t *value;
    char text[256];
};

static const hoop_response *take_json(const hoop_request *req, void *data)
{
    struct seen *seen = data;
    const hoop_response *problem = NULL;
    json_t *value = hoop_request_json(req, &problem);
    seen->calls++;
    if (!value) {
        const hoop_response *again = NULL;
        assert_null(hoop_request_json(req, &again));
        assert_ptr_equal(again, problem);
        assert_null(hoop_request_json(req, NULL));
        return problem;
    }
    /* Parsed once: the same value, also for a request derived of this one. */
    problem = hoop_respond(req, 418);
    const hoop_response *untouched = problem;
    assert_ptr_equal(hoop_request_json(hoop_assoc(req, seen, seen), &problem), value);
    assert_ptr_equal(problem, untouched);
    return hoop_json(req, 200, json_incref(value));
}

static const hoop_response *post_bytes(hoop_arena *arena, hoop_str body)
{
    struct seen seen = { 0 };
    const hoop_request *req = hoop_mock_body(hoop_mock(arena, "POST", "/", NULL), NULL, body);
    const hoop_response *res = hoop_call_sync(hoop_fn(take_json, &seen), req);
    assert_non_null(res);
    assert_int_equal(seen.calls, 1);
    return res;
}

static void takes(const char *body, const char *want)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *res = post_bytes(arena, hoop_str_c(body));
    assert_str(res->body, want);
    assert_int_equal(res->status, 200);
    hoop_arena_free(arena);
}

static void refuses_bytes(const char *body, size_t len, const char *detail)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *res = post_bytes(arena, hoop_str_n(body, len));
    assert_int_equal(res->status, 400);
    assert_str(hoop_response_header(res, "content-type"), "application/problem+json");
    json_t *problem = json_loadb(res->body.data, res->body.len, JSON_ALLOW_NUL, NULL);
    assert_non_null(problem);
    if (detail)
        assert_string_equal(json_string_value(json_object_get(problem, "detail")), detail);
    assert_string_equal(json_string_value(json_object_get(problem, "title")), "Bad Request");
    json_decref(problem);
    hoop_arena_free(arena);
}

static void refuses(const char *body, const char *detail)
{
    refuses_bytes(body, strlen(body), detail);
}

static void test_values(void **state)
{
    takes("{}", "{}");
    takes("{\"a\":[1,2.5,\"x\",null,true]}", "{\"a\":[1,2.5,\"x\",null,true]}");
    takes(" [ ] \r\n\t", "[]");
    takes("\"text\"", "\"text\"");
    takes("7", "7");
    takes("null", "null");
    takes("\"\\u00e4\\ud83d\\ude00\"", "\"\xc3\xa4\xf0\x9f\x98\x80\"");
    takes("[{\"a\":1},{\"a\":2}]", "[{\"a\":1},{\"a\":2}]");
}

static void test_problems(void **state)
{
    refuses("", "the body is empty, but JSON is expected");
    refuses("{\"a\":1,\n \"b\":}", "line 2, column 6: expected a value, found '}'");
    refuses("{", "line 1, column 2: expected a key in quotes or '}', found the end");
    refuses("[1,]", "line 1, column 4: expected a value, found ']'");
    refuses("[1] x", "line 1, column 5: expected the end, found 'x'");
    refuses("{\"a\":1,\"a\":2}", "line 1, column 8: the object has two members named 'a'");
    refuses("[1e999]", "line 1, column 2: the number is beyond a double");
    refuses("[99999999999999999999]", "line 1, column 2: the integer is beyond 64 bits");
    refuses("\xef\xbb\xbf{}", NULL);
    refuses("[\"\xff\"]", "line 1, column 3: expected UTF-8, found byte 0xff");
    refuses("\"\\u0000\"", "line 1, column 7: \\u0000 is refused in strings");
    refuses("'a'", NULL);
    refuses("NaN", NULL);
    refuses("[1]/**/", NULL);
}

/* jansson by itself takes the first two. */
static void test_nul(void **state)
{
    refuses_bytes("123\0", 4, "line 1, column 4: expected the end, found byte 0x00");
    refuses_bytes("[1\0,2]", 6, "line 1, column 3: expected ',' or ']', found byte 0x00");
    refuses_bytes("[\n\xc3\xa4true\0]", 10,
                  "line 2, column 1: expected a value or ']', found byte 0xc3");
    refuses_bytes("[1]\0", 4, "line 1, column 4: expected the end, found byte 0x00");
    refuses_bytes("\0", 1, "line 1, column 1: expected a value, found byte 0x00");
    refuses_bytes("\"a\0b\"", 5,
                  "line 1, column 3: expected control characters as \\u escapes, found byte 0x00");
}

/* A problem is well-formed whatever the body was: control characters, quotes, cut characters. */
static void test_quoting(void **state)
{
    refuses("[\"\\x\"]", NULL);
    refuses("\x01\x02", NULL);
    refuses("[\xc3\xa4\xc3\xa4\xc3\xa4]", NULL);
    refuses("a\xc3", NULL);
}

static void test_depth(void **state)
{
    char body[5001];
    memset(body, '[', 5000);
    body[5000] = '\0';
    refuses(body, "line 1, column 2049: more than 2048 arrays and objects within each other");
}

/* Cut at each place, the body is refused. */
static void test_every_cut(void **state)
{
    const char *body = "{\"a\":[1,2.5e3,\"\\u00e4x\",null,true,false],\"b\":{\"c\":\"\xc3\xa4\"}}";
    for (size_t len = 0; len < strlen(body); len++)
        refuses_bytes(body, len, NULL);
    takes(body, "{\"a\":[1,2500.0,\"\xc3\xa4x\",null,true,false],\"b\":{\"c\":\"\xc3\xa4\"}}");
}

static void test_no_body(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    struct seen seen = { 0 };
    const hoop_response *res =
        hoop_call_sync(hoop_fn(take_json, &seen), hoop_mock(arena, "GET", "/", NULL));
    assert_int_equal(res->status, 400);
    assert_str(res->body, "{\"title\":\"Bad Request\",\"status\":400,"
                          "\"detail\":\"the body is empty, but JSON is expected\"}");

    const hoop_response *problem = res;
    assert_null(hoop_request_json(NULL, &problem));
    assert_null(problem);
    assert_null(hoop_request_json(NULL, NULL));
    hoop_arena_free(arena);
}

/* At the head the body is not there yet: that is the program's fault, not the client's. */
static void test_not_read(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    struct seen seen = { 0 };
    const hoop_request *req = hoop_mock(arena, "POST", "/", "{}");
    hoop_handler handler = hoop_streaming(arena, hoop_fn(take_json, &seen));
    assert_null(hoop_call_sync(handler, req));
    assert_int_equal(seen.calls, 1);
    assert_int_equal(hoop_mock_failure(req)->code, HOOP_EINVAL);
    assert_string_equal(hoop_mock_failure(req)->text,
                        "the body was not read yet: hoop_read_json() does that");
    hoop_arena_free(arena);
}

/* Each call is an exchange of its own, and so is what it parsed. */
static void test_each_exchange(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    struct seen seen = { 0 };
    const hoop_request *req = hoop_mock(arena, "POST", "/", "[1]");
    assert_str(hoop_call_sync(hoop_fn(take_json, &seen), req)->body, "[1]");
    assert_str(hoop_call_sync(hoop_fn(take_json, &seen), req)->body, "[1]");
    req = hoop_mock_body(req, NULL, hoop_str_c("[2]"));
    assert_str(hoop_call_sync(hoop_fn(take_json, &seen), req)->body, "[2]");
    const hoop_response *problem = NULL;
    json_t *direct = hoop_request_json(req, &problem);
    assert_int_equal(json_integer_value(json_array_get(direct, 0)), 2);
    hoop_arena_free(arena);
}

/* --- reading at the head --------------------------------------------------------------------- */

static const hoop_response *got_json(const hoop_request *req, json_t *value, void *data)
{
    struct seen *seen = data;
    seen->calls++;
    seen->value = value;
    const hoop_response *problem = NULL;
    assert_ptr_equal(hoop_request_json(req, &problem), value);
    return hoop_json(req, 200, json_incref(value));
}

static const hoop_response *read_at_head(const hoop_request *req, void *data)
{
    assert_true(hoop_str_is_none(hoop_body(req)));
    return hoop_read_json(req, 10, got_json, data);
}

static const hoop_response *call_head(hoop_arena *arena, const char *body, struct seen *seen)
{
    memset(seen, 0, sizeof *seen);
    return hoop_call_sync(hoop_streaming(arena, hoop_fn(read_at_head, seen)),
                          hoop_mock(arena, "POST", "/", body));
}

static void test_read(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    struct seen seen;
    const hoop_response *res = call_head(arena, "{\"a\":1}", &seen);
    assert_str(res->body, "{\"a\":1}");
    assert_int_equal(seen.calls, 1);

    res = call_head(arena, "{\"a\":}", &seen);
    assert_int_equal(res->status, 400);
    assert_int_equal(seen.calls, 0);
    assert_str(res->body, "{\"title\":\"Bad Request\",\"status\":400,\"detail\":"
                          "\"line 1, column 6: expected a value, found '}'\"}");

    res = call_head(arena, "", &seen);
    assert_int_equal(res->status, 400);
    assert_int_equal(seen.calls, 0);

    res = call_head(arena, NULL, &seen);
    assert_int_equal(res->status, 400);
    assert_int_equal(seen.calls, 0);

    res = call_head(arena, "[1,2,3,4,5]", &seen);
    assert_int_equal(res->status, 413);
    assert_int_equal(seen.calls, 0);
    hoop_arena_free(arena);
}

static void test_read_arguments(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    struct seen seen = { 0 };
    assert_null(hoop_read_json(NULL, 0, got_json, &seen));
    const hoop_request *req = hoop_app_request(arena);
    assert_null(hoop_read_json(req, 0, NULL, NULL));
    assert_string_equal(hoop_failure(req)->text, "hoop_read_json() needs a function");
    req = hoop_app_request(arena);
    assert_null(hoop_read_json(req, 0, got_json, &seen));
    assert_int_equal(hoop_failure(req)->code, HOOP_EINVAL);
    assert_int_equal(seen.calls, 0);
    hoop_arena_free(arena);
}

/* --- deferred requests ----------------------------------------------------------------------- */

/* A deferred's request parses for itself, on its own arena; the exchange's value is another. */
static const hoop_response *defers(const hoop_request *req, void *data)
{
    const hoop_response *problem = NULL;
    json_t *own = hoop_request_json(req, &problem);
    hoop_deferred *deferred = hoop_defer(req);
    const hoop_request *later = hoop_deferred_request(deferred);
    json_t *value = hoop_request_json(later, &problem);
    assert_non_null(value);
    assert_ptr_not_equal(value, own);
    assert_true(json_equal(value, own));
    const hoop_response *res = hoop_deferred_response(deferred);
    assert_int_equal(hoop_resolve(deferred, hoop_json(later, 200, json_incref(value))), 0);
    return res;
}

static void test_deferred(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *res =
        hoop_call_sync(hoop_fn(defers, NULL), hoop_mock(arena, "POST", "/", "[1,2]"));
    assert_non_null(res);
    assert_str(res->body, "[1,2]");
    hoop_arena_free(arena);
}

/* --- memory and chance ----------------------------------------------------------------------- */

static const hoop_response *plain_json(const hoop_request *req, void *data)
{
    const hoop_response *problem = NULL;
    json_t *value = hoop_request_json(req, &problem);
    return value ? hoop_respond(req, 204) : problem;
}

static void parse_once(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = failing_arena(allocator);
    if (!arena)
        return;
    jansson_memory = allocator;
    const hoop_request *req = hoop_mock(arena, "POST", "/", data);
    const hoop_response *res = hoop_call_sync(hoop_fn(plain_json, NULL), req);
    if (res)
        assert_true(res->status == 204 || res->status == 400);
    else if (req)
        assert_true(hoop_mock_failure(req)->code == HOOP_ENOMEM ||
                    hoop_mock_failure(req)->code == HOOP_ETIMEDOUT);
    hoop_arena_free(arena);
    jansson_memory = NULL;
}

static void test_allocations(void **state)
{
    json_set_alloc_funcs(jansson_alloc, jansson_free);
    test_each_allocation(parse_once, "{\"a\":[1,2,\"text\"]}");
    test_each_allocation(parse_once, "{\"a\":[1,2,\"text]}");
    test_each_allocation(parse_once, "");
    json_set_alloc_funcs(malloc, free);
}

static void test_random(void **state)
{
    uint64_t seed = 7159;
    const char *alphabet = "[]{}:,\"\\1ea.-u0 \n\xc3\xa4\xff";
    int taken = 0;
    for (int i = 0; i < 5000; i++) {
        hoop_arena *arena = hoop_arena_new();
        hoop_str body = random_of(&seed, arena, 12, alphabet);
        const hoop_response *res = post_bytes(arena, body);
        assert_true(res->status == 200 || res->status == 400);
        json_t *value = json_loadb(res->body.data, res->body.len, JSON_DECODE_ANY, NULL);
        assert_non_null(value);
        json_decref(value);
        taken += res->status == 200;
        hoop_arena_free(arena);
    }
    assert_true(taken > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_problems),
        cmocka_unit_test(test_nul),
        cmocka_unit_test(test_quoting),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_no_body),
        cmocka_unit_test(test_not_read),
        cmocka_unit_test(test_each_exchange),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_read_arguments),
        cmocka_unit_test(test_deferred),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
