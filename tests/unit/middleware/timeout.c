/* Middleware "timeout": answers in time and too late, who is told, options, memory. */
#include "fake.h"
#include "middleware.h"

static const hoop_timeout_options options = { .ms = 8, .status = 504, .retry_after = 3 };

#define LATE                                                                              \
    "504\nContent-Type: application/problem+json\nRetry-After: 3\n\n"                     \
    "{\"title\":\"Gateway Timeout\",\"status\":504,\"detail\":\"the answer did not come " \
    "in time\"}"

static void test_in_time(void **state)
{
    (void)state;
    static const hoop_timeout_options enough = { .ms = 11 };
    static const hoop_middleware entry = HOOP_TIMEOUT(&enough);
    static const struct middleware_case cases[] = {
        { .want = "200\n\nok" },
        { .answer = "404\nX: y\n\nno", .want = "404\nX: y\n\nno" },
    };
    check_middleware(entry, cases);
}

/* A handler that would answer after ten milliseconds. */
struct slow {
    hoop_deferred *deferred;
    int told; /* that it may stop */
};

static void finish(void *data)
{
    struct slow *slow = data;
    hoop_resolve(slow->deferred, hoop_text(hoop_deferred_request(slow->deferred), 200, "done"));
}

static void told(void *data)
{
    struct slow *slow = data;
    slow->told++;
}

static const hoop_response *answer_late(const hoop_request *req, void *data)
{
    struct slow *slow = data;
    slow->deferred = hoop_defer(req);
    assert_int_equal(hoop_run_after(req, 10, finish, slow), 0);
    assert_int_equal(hoop_on_cancel(req, told, slow), 0);
    return hoop_deferred_response(slow->deferred);
}

static void test_too_late(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_TIMEOUT(&options);
    struct slow slow = { NULL, 0 };
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler = hoop_fn(answer_late, &slow);
    assert_int_equal(hoop_chain_new(arena, &entry, 1, handler, &handler, NULL), 0);
    assert_response(hoop_call_sync(handler, hoop_mock(arena, "GET", "/", NULL)), LATE);
    assert_int_equal(slow.told, 1);
    hoop_arena_free(arena);
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *res = hoop_respond(req, 200);
    assert_ptr_equal(hoop_timeout_response(req, res, &options), res);
    assert_null(hoop_timeout_response(req, NULL, &options));
    assert_true(hoop_is_pass(hoop_timeout_response(req, hoop_pass(req), NULL)));
    hoop_arena_free(arena);
}

static void test_a_status_that_is_wrong(void **state)
{
    (void)state;
    static const hoop_timeout_options bad = { .status = 200 };
    static const hoop_middleware chain[] = { HOOP_TIMEOUT(&bad) };
    test_middleware_refused(chain, 1, HOOP_EINVAL,
                            "timeout: status 200 is not between 400 and 599");
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_TIMEOUT(NULL);
    static const struct middleware_case one = { .want = "200\n\nok" };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_time),
        cmocka_unit_test(test_too_late),
        cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_a_status_that_is_wrong),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
