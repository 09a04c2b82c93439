/* Middleware "request_id": ids are new, unlike and told; a client's own only if trusted and fit; memory. */
#include "fake.h"
#include "middleware.h"

static const hoop_request_id_options trusting = { .trust = 1 };
static const hoop_middleware trusting_entry = HOOP_REQUEST_ID(&trusting);

static const hoop_response *tell(const hoop_request *req, void *data)
{
    return hoop_textf(req, 200, "%s", hoop_request_id(req).data);
}

static const hoop_response *call(hoop_arena *arena, const hoop_middleware *entry,
                                 const hoop_request *req)
{
    hoop_handler handler = hoop_fn(tell, NULL);
    assert_int_equal(hoop_chain_new(arena, entry, 1, handler, &handler, NULL), 0);
    return hoop_call_sync(handler, req);
}

static void test_an_id_for_each_request(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_REQUEST_ID(NULL);
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler = hoop_fn(tell, NULL);
    assert_int_equal(hoop_chain_new(arena, &entry, 1, handler, &handler, NULL), 0);
    hoop_str last = hoop_str_none();
    for (int i = 0; i < 100; i++) {
        const hoop_request *req =
            hoop_mock_header(hoop_mock(arena, "GET", "/", NULL), "X-Request-Id", "mine");
        const hoop_response *res = hoop_call_sync(handler, req);
        assert_int_equal(res->body.len, 32);
        assert_int_equal(strspn(res->body.data, "0123456789abcdef"), 32);
        assert_true(hoop_str_eq(hoop_response_header(res, "x-request-id"), res->body));
        assert_false(hoop_str_eq(res->body, last));
        last = res->body;
    }
    hoop_arena_free(arena);
}

/* The answers for a handler that gives none tell the id, too. */
#define CANNED(ids)                                                                               \
    .failed = "500\nContent-Type: text/plain; charset=utf-8\n" ids "\n\nInternal Server Error\n", \
    .passed = "404\nContent-Type: text/plain; charset=utf-8\n" ids "\n\nNot Found\n"

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .headers = "X-Request-Id: a-_.:+/=@9Z",
          .want = "200\nX-Request-Id: a-_.:+/=@9Z\n\nok",
          CANNED("X-Request-Id: a-_.:+/=@9Z") },
        { .headers = "X-Request-Id: a",
          .answer = "404\nx-request-id: b\n\nno",
          .want = "404\nx-request-id: b\n\nno",
          CANNED("X-Request-Id: a") },
    };
    check_middleware(trusting_entry, cases);
}

static void test_ids_that_are_not_fit(void **state)
{
    (void)state;
    char ids[4][131] = { "a b", "a\"b", "", "" };
    hoop_arena *arena = hoop_arena_new();
    memset(ids[3], 'x', 129);
    for (size_t i = 0; i < 4; i++) {
        const hoop_request *req =
            hoop_mock_header(hoop_mock(arena, "GET", "/", NULL), "X-Request-Id", ids[i]);
        const hoop_response *res = call(arena, &trusting_entry, req);
        assert_int_equal(res->body.len, 32);
    }
    ids[3][128] = 0;
    const hoop_request *req =
        hoop_mock_header(hoop_mock(arena, "GET", "/", NULL), "X-Request-Id", ids[3]);
    assert_str(call(arena, &trusting_entry, req)->body, ids[3]);
    hoop_arena_free(arena);
}

static void test_options(void **state)
{
    (void)state;
    static const hoop_request_id_options own = { .header = "X-Trace", .trust = 1 };
    static const hoop_request_id_options quiet = { .header = "X-Trace",
                                                   .trust = 1,
                                                   .no_response = 1 };
    static const hoop_middleware named = HOOP_REQUEST_ID(&own), silent = HOOP_REQUEST_ID(&quiet);
    static const struct middleware_case told[] = {
        { .headers = "X-Trace: t", .want = "200\nX-Trace: t\n\nok", CANNED("X-Trace: t") },
    };
    static const struct middleware_case untold[] = {
        { .headers = "X-Trace: t", .want = "200\n\nok" },
    };
    static const hoop_request_id_options bad = { .header = "a b" };
    static const hoop_middleware chain[] = { HOOP_REQUEST_ID(&bad) };
    check_middleware(named, told);
    check_middleware(silent, untold);
    test_middleware_refused(chain, 1, HOOP_EINVAL, "request_id: 'a b' is no header name");
}

static void test_the_outer_id_is_kept(void **state)
{
    (void)state;
    static const hoop_request_id_options other = { .header = "X-Other", .trust = 1 };
    static const hoop_middleware chain[] = { HOOP_REQUEST_ID(&trusting), HOOP_REQUEST_ID(&other) };
    static const struct middleware_case cases[] = {
        { .headers = "X-Request-Id: a\nX-Other: b",
          .want = "200\nX-Other: a\nX-Request-Id: a\n\nok",
          CANNED("X-Other: a\nX-Request-Id: a") },
    };
    test_middleware(chain, 2, cases, 1);
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *answer = NULL;
    const hoop_request *more = hoop_request_id_request(req, &answer, NULL);
    assert_int_equal(hoop_request_id(more).len, 32);
    assert_ptr_equal(hoop_request_id_request(more, &answer, NULL), more);
    assert_null(answer);
    assert_true(hoop_str_is_none(hoop_request_id(req)));
    assert_true(hoop_str_is_none(hoop_request_id(NULL)));
    const hoop_response *res = hoop_respond(req, 204);
    assert_ptr_equal(hoop_request_id_response(req, res, NULL), res);
    res = hoop_request_id_response(more, res, NULL);
    assert_true(hoop_str_eq(hoop_response_header(res, "X-Request-Id"), hoop_request_id(more)));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .headers = "X-Request-Id: a",
        .want = "200\nX-Request-Id: a\n\nok",
    };
    test_middleware_memory(&trusting_entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_id_for_each_request),   cmocka_unit_test(test_cases),
        cmocka_unit_test(test_ids_that_are_not_fit),     cmocka_unit_test(test_options),
        cmocka_unit_test(test_the_outer_id_is_kept),     cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
