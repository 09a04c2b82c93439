/* Requests and responses as JSON: the exact text. */
#include "tools.h"

#include "value/value.h"

/* Takes the reference. */
static void expect(json_t *value, const char *want)
{
    assert_non_null(value);
    char *text = json_dumps(value, JSON_COMPACT);
    assert_string_equal(text, want);
    free(text);
    json_decref(value);
}

static void test_request(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "https://example.com:8443/a%20b?c=d&e", NULL);
    req = hoop_mock_header(req, "X-One", "1");
    req = hoop_mock_header(req, "Accept", "a");
    req = hoop_mock_header(req, "x-one", "2");
    req = hoop_mock_peer(req, "2001:db8::1", 4711);
    expect(
        hoop_request_to_json(req),
        "{\"method\":\"GET\",\"scheme\":\"https\",\"protocol\":\"HTTP/1.1\",\"uri\":\"/a%20b\","
        "\"query_string\":\"c=d&e\",\"headers\":[[\"host\",\"example.com:8443\"],[\"x-one\",\"1\"],"
        "[\"accept\",\"a\"],[\"x-one\",\"2\"]],\"remote_addr\":\"2001:db8::1\","
        "\"remote_port\":4711}");
    hoop_arena_free(arena);
}

static void test_bodies(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "POST", "/?", "t\xc3\xa4xt");
    expect(
        hoop_request_to_json(req),
        "{\"method\":\"POST\",\"scheme\":\"http\",\"protocol\":\"HTTP/1.1\",\"uri\":\"/\","
        "\"query_string\":\"\",\"headers\":[[\"host\",\"localhost\"],[\"content-length\",\"5\"]],"
        "\"remote_addr\":\"127.0.0.1\",\"remote_port\":0,\"body\":\"t\xc3\xa4xt\"}");
    static const struct {
        const char *bytes;
        size_t len;
        const char *want;
    } cases[] = {
        { "a\0b", 3, "{\"base64\":\"YQBi\"}" },
        { "\xff", 1, "{\"base64\":\"/w==\"}" },
        { "\xc3", 1, "{\"base64\":\"ww==\"}" },
        { "\"\n", 2, "\"\\\"\\n\"" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        json_t *value = hoop_request_to_json(
            hoop_mock_body(req, NULL, hoop_str_n(cases[i].bytes, cases[i].len)));
        char *text = json_dumps(json_object_get(value, "body"), JSON_COMPACT | JSON_ENCODE_ANY);
        assert_string_equal(text, cases[i].want);
        free(text);
        json_decref(value);
    }
    json_t *value = hoop_request_to_json(hoop_mock_body(req, NULL, hoop_str_c("")));
    assert_non_null(value);
    assert_null(json_object_get(value, "body"));
    json_decref(value);
    hoop_arena_free(arena);
}

static void test_other_bytes(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock_header(hoop_mock(arena, "GET", "/", NULL), "x", "\xe4");
    json_t *value = hoop_request_to_json(req);
    char *text = json_dumps(json_object_get(value, "headers"), JSON_COMPACT);
    assert_string_equal(text, "[[\"host\",\"localhost\"],[\"x\",{\"base64\":\"5A==\"}]]");
    free(text);
    json_decref(value);
    hoop_arena_free(arena);
}

static void test_app_request(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    expect(hoop_request_to_json(hoop_app_request(arena)),
           "{\"method\":\"GET\",\"scheme\":\"http\",\"protocol\":\"HTTP/1.1\",\"uri\":\"/\","
           "\"headers\":[],\"remote_port\":0}");
    assert_null(hoop_request_to_json(NULL));
    hoop_arena_free(arena);
}

static int no_pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    *ret_len = 0;
    return HOOP_EOF;
}

static void no_finished(struct hoop__source *source, int code)
{
}

static void test_response(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_app_request(arena);
    const hoop_response *res = hoop_text(req, 200, "Hello");
    res = hoop_add_header(req, res, "X-A", "1");
    res = hoop_add_header(req, res, "x-a", "2");
    expect(hoop_response_to_json(res),
           "{\"status\":200,\"headers\":[[\"Content-Type\",\"text/plain; charset=utf-8\"],"
           "[\"X-A\",\"1\"],[\"x-a\",\"2\"]],\"body\":\"Hello\"}");
    expect(hoop_response_to_json(hoop_respond(req, 204)), "{\"status\":204,\"headers\":[]}");
    expect(hoop_response_to_json(hoop_bytes(req, 200, NULL, hoop_str_n("\0", 1))),
           "{\"status\":200,\"headers\":[],\"body\":{\"base64\":\"AA==\"}}");
    expect(hoop_response_to_json(hoop_bytes(req, 200, NULL, hoop_str_c(""))),
           "{\"status\":200,\"headers\":[],\"body\":\"\"}");

    struct hoop__source source = { .pull = no_pull, .finished = no_finished, .length = UINT64_MAX };
    const hoop_request *mock = hoop_mock(arena, "GET", "/", NULL);
    expect(hoop_response_to_json(hoop__respond_source(mock, 200, NULL, &source)),
           "{\"status\":200,\"headers\":[],\"body\":{\"stream\":true}}");
    hoop_arena_free(arena);
}

/* In an exchange, since only there a response can be pending. */
static const hoop_response *pend(const hoop_request *req, void *data)
{
    hoop_deferred *deferred = hoop_defer(req);
    const hoop_response *res = hoop_deferred_response(deferred);
    assert_null(hoop_response_to_json(res));
    assert_int_equal(hoop_resolve(deferred, hoop_respond(hoop_deferred_request(deferred), 204)), 0);
    return res;
}

static void test_no_value(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_null(hoop_response_to_json(NULL));
    assert_null(hoop_response_to_json(hoop_pass(req)));
    assert_int_equal(hoop_call_sync(hoop_fn(pend, NULL), req)->status, 204);
    hoop_arena_free(arena);
}

static void write_once(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = failing_arena(allocator);
    const hoop_request *req = arena ? hoop_mock(arena, "POST", "/?q", "a\xff") : NULL;
    const hoop_response *res = hoop_bytes(req, 200, "a/b", hoop_str_n("\0x", 2));
    jansson_memory = allocator;
    json_t *request = hoop_request_to_json(req), *response = hoop_response_to_json(res);
    /* All or nothing. */
    if (request)
        assert_int_equal(json_object_size(request), 9);
    if (response)
        assert_int_equal(json_object_size(response), 3);
    json_decref(request);
    json_decref(response);
    jansson_memory = NULL;
    if (arena)
        hoop_arena_free(arena);
}

static void test_allocations(void **state)
{
    json_set_alloc_funcs(jansson_alloc, jansson_free);
    test_each_allocation(write_once, NULL);
    json_set_alloc_funcs(malloc, free);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request),     cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_other_bytes), cmocka_unit_test(test_app_request),
        cmocka_unit_test(test_response),    cmocka_unit_test(test_no_value),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
