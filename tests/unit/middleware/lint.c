/* Middleware "lint": who broke a rule is named; chains with a look between all; memory. */
#include "fake.h"
#include "middleware.h"

#include <hoop/middleware/lint.h>

static const hoop_middleware entry = HOOP_LINT(NULL);

static void test_what_is_right_goes_through(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .want = "200\n\nok" },
        { .method = "POST", .body = "x", .answer = "404\nX: y\n\nno", .want = "404\nX: y\n\nno" },
    };
    check_middleware(entry, cases);
}

/* Answers 204 with a body, which constructors don't refuse. */
static const hoop_response *bodied(const hoop_request *req, void *data)
{
    return hoop_bytes_static(req, 204, NULL, hoop_str_c("x"));
}

static const hoop_response *spoil(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_response *res = hoop_call(next, req);
    return value ? hoop_with_status(req, hoop_with_body(req, res, hoop_str_c("x")), 204) : res;
}

static const hoop_response *ok(const hoop_request *req, void *data)
{
    return hoop_text(req, 200, "ok");
}

static void check_failure(hoop_arena *arena, hoop_handler handler, const char *want)
{
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_null(hoop_call_sync(handler, req));
    assert_int_equal(hoop_mock_failure(req)->code, HOOP_EINVAL);
    assert_string_equal(hoop_mock_failure(req)->text, want);
}

static void test_who_broke_a_rule(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler = hoop_fn(bodied, NULL);
    assert_int_equal(hoop_chain_new(arena, &entry, 1, handler, &handler, NULL), 0);
    check_failure(
        arena, handler,
        "the response of 'the handler' breaks a rule: a response with status 204 has a body");
    hoop_arena_free(arena);
}

static void test_a_look_between_all(void **state)
{
    (void)state;
    static const char yes[] = "yes";
    static const hoop_middleware chain[] = {
        HOOP_DEFAULT_CHARSET(NULL),
        HOOP_WRAP("spoils", spoil, yes),
        HOOP_WRAP("innocent", spoil, NULL),
    };
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler;
    hoop_error error;
    assert_int_equal(hoop_lint_chain_new(arena, chain, 3, hoop_fn(ok, NULL), &handler, &error), 0);
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_null(hoop_call_sync(handler, req));
    assert_string_equal(
        hoop_mock_failure(req)->text,
        "the response of 'spoils' breaks a rule: a response with status 204 has a body");
    assert_int_equal(hoop_lint_chain_new(arena, chain, 0, hoop_fn(ok, NULL), &handler, &error), 0);
    assert_int_equal(hoop_call_sync(handler, req)->status, 200);
    hoop_arena_free(arena);
}

static void test_needs_are_checked_as_ever(void **state)
{
    (void)state;
    static const hoop_middleware chain[] = { HOOP_WRAP("a", spoil, NULL, .needs = "b"),
                                             HOOP_WRAP("b", spoil, NULL) };
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler;
    assert_int_not_equal(hoop_lint_chain_new(arena, chain, 2, hoop_fn(ok, NULL), &handler, NULL),
                         0);
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = { .want = "200\n\nok" };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_right_goes_through),
        cmocka_unit_test(test_who_broke_a_rule),
        cmocka_unit_test(test_a_look_between_all),
        cmocka_unit_test(test_needs_are_checked_as_ever),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
