/* Middleware "head": ring.md's cases 2.13, streams, routers, double mounting, memory. */
#include "fake.h"
#include "middleware.h"

static const hoop_middleware entry = HOOP_HEAD(NULL);

/* Tells the method in a header. */
static const hoop_response *method(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_with_header(req, hoop_bytes(req, 200, NULL, hoop_str_c("hello")), "Method",
                            req->method.data);
}

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .method = "HEAD",
          .inner = method,
          .want = "200\nMethod: GET\nContent-Length: 5\n(no body)" },
        { .method = "GET", .inner = method, .want = "200\nMethod: GET\n\nhello" },
        { .method = "POST", .inner = method, .want = "200\nMethod: POST\n\nhello" },
        { .method = "HEAD",
          .answer = "404\nX: y\nContent-Length: 7\n\nhello",
          .want = "404\nX: y\nContent-Length: 7\n(no body)" },
        { .method = "HEAD", .answer = "200\nX: y", .want = "200\nX: y\n(no body)" },
        { .method = "HEAD", .answer = "304\n\nx", .want = "304\n(no body)" },
        { .method = "HEAD",
          .answer = "200\nX: y\n\nhello",
          .streamed = 1,
          .want = "200\nX: y\n(no body)" },
        { .method = "GET",
          .answer = "200\nX: y\n\nhello",
          .streamed = 1,
          .want = "200\nX: y\n\nhello" },
    };
    check_middleware(entry, cases);
}

struct stream {
    int pulled, finished, code;
};

static int pull(hoop_sink *sink, char *buffer, size_t cap, size_t *ret_len, void *data)
{
    (void)sink;
    (void)buffer;
    (void)cap;
    (void)ret_len;
    ((struct stream *)data)->pulled++;
    return HOOP_EOF;
}

static void finished(int code, void *data)
{
    struct stream *stream = data;
    stream->finished++;
    stream->code = code;
}

static const hoop_response *streaming(const hoop_request *req, void *data)
{
    return hoop_stream(
        req, 200, NULL,
        &(hoop_stream_options){ .pull = pull, .finished = finished, .data = data, .length = 7 });
}

/* A stream is never asked, and is told at once that all went well: no body was to be sent. */
static void test_a_stream_ends(void **state)
{
    (void)state;
    struct stream stream = { 0, 0, 1 };
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler = hoop_fn(streaming, &stream);
    assert_int_equal(hoop_chain_new(arena, &entry, 1, handler, &handler, NULL), 0);
    const hoop_request *req = hoop_mock(arena, "HEAD", "/", NULL);
    assert_response(hoop_call_sync(handler, req), "200\nContent-Length: 7\n(no body)");
    assert_int_equal(stream.pulled, 0);
    assert_int_equal(stream.finished, 1);
    assert_int_equal(stream.code, 0);
    hoop_arena_free(arena);
    assert_int_equal(stream.finished, 1);
}

static void test_mounted_twice(void **state)
{
    (void)state;
    static const hoop_middleware chain[] = { HOOP_HEAD(NULL), HOOP_HEAD(NULL) };
    static const struct middleware_case cases[] = {
        { .method = "HEAD",
          .inner = method,
          .want = "200\nMethod: GET\nContent-Length: 5\n(no body)" },
    };
    test_middleware(chain, HOOP_COUNT(chain), cases, HOOP_COUNT(cases));
}

/* A router has its own way with HEAD: a route for it goes first. */
static void test_in_front_of_a_router(void **state)
{
    (void)state;
    static const hoop_route routes[] = {
        HOOP_GET("/get", method),
        HOOP_GET("/both", method),
        HOOP_ROUTE("HEAD", "/both", method),
    };
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler;
    assert_int_equal(hoop_router_new(arena, routes, HOOP_COUNT(routes), &handler, NULL), 0);
    assert_int_equal(hoop_chain_new(arena, &entry, 1, handler, &handler, NULL), 0);
    const hoop_response *res = hoop_call_sync(handler, hoop_mock(arena, "HEAD", "/get", NULL));
    assert_int_equal(res->body_kind, HOOP_BODY_NONE);
    assert_str(hoop_response_header(res, "content-length"), "5");
    res = hoop_call_sync(handler, hoop_mock(arena, "HEAD", "/both", NULL));
    assert_str(hoop_response_header(res, "method"), "HEAD");
    assert_int_equal(hoop_call_sync(handler, hoop_mock(arena, "GET", "/both", NULL))->body.len, 5);
    hoop_arena_free(arena);
}

static void test_as_functions(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *get = hoop_mock(arena, "GET", "/", NULL),
                       *head = hoop_mock(arena, "HEAD", "/", NULL);
    assert_ptr_equal(hoop_head_request(get, NULL, NULL), get);
    assert_str(hoop_head_request(head, NULL, NULL)->method, "GET");
    assert_null(hoop_head_request(NULL, NULL, NULL));
    const hoop_response *res = hoop_text(get, 200, "hello");
    assert_ptr_equal(hoop_head_response(get, res, NULL), res);
    assert_int_equal(hoop_head_response(head, res, NULL)->body_kind, HOOP_BODY_NONE);
    assert_null(hoop_head_response(head, NULL, NULL));
    assert_null(hoop_head_response(NULL, res, NULL));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .method = "HEAD",
        .answer = "200\n\nhello",
        .want = "200\nContent-Length: 5\n(no body)",
    };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),         cmocka_unit_test(test_a_stream_ends),
        cmocka_unit_test(test_mounted_twice), cmocka_unit_test(test_in_front_of_a_router),
        cmocka_unit_test(test_as_functions),  cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
