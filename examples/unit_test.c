/* Tests a handler without a socket: requests are made by hand, time is virtual. */
#include <hoop.h>

#include <stdio.h>

/* --- what is tested -------------------------------------------------------------------------- */

static const hoop_response *greet(const hoop_request *req, void *data)
{
    hoop_str name = hoop_header(req, "x-name");
    if (!name.len)
        return hoop_problem(req, 400, "the header X-Name is missing");
    return hoop_textf(req, 200, "Hello, %s!", name.data);
}

static void answer(void *deferred)
{
    hoop_resolve(deferred, hoop_text(hoop_deferred_request(deferred), 200, "at last"));
}

/* Answers in an hour, which a test does not wait for. */
static const hoop_response *later(const hoop_request *req, void *data)
{
    hoop_deferred *deferred = hoop_defer(req);
    if (hoop_run_after(req, 3600000, answer, deferred))
        hoop_deferred_drop(deferred);
    return hoop_deferred_response(deferred);
}

static const hoop_response *broken(const hoop_request *req, void *data)
{
    return hoop_fail(req, HOOP_EMISSING, "no row 7");
}

/* --- the tests ------------------------------------------------------------------------------- */

static int failed;

static void check(int good, const char *what)
{
    printf("%s: %s\n", good ? "ok" : "FAILED", what);
    failed |= !good;
}

static void test_greeting(void)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    req = hoop_mock_header(req, "X-Name", "Ada");
    const hoop_response *res = hoop_call_sync(hoop_fn(greet, NULL), req);
    check(res && res->status == 200, "a greeting is answered by 200");
    check(hoop_str_eq_c(hoop_response_read(req, res), "Hello, Ada!"), "it names who asked");
    hoop_arena_free(arena);
}

static void test_missing_name(void)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *res = hoop_call_sync(hoop_fn(greet, NULL), req);
    check(res && res->status == 400, "without a name the answer is 400");
    hoop_arena_free(arena);
}

static void test_later(void)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *res = hoop_call_sync(hoop_fn(later, NULL), req);
    check(hoop_str_eq_c(hoop_response_read(req, res), "at last"), "an hour passes at once");
    hoop_arena_free(arena);
}

static void test_failure(void)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    check(!hoop_call_sync(hoop_fn(broken, NULL), req), "a failure is NULL");
    check(hoop_mock_failure(req)->code == HOOP_EMISSING, "and its reason is known");
    hoop_arena_free(arena);
}

int main(void)
{
    test_greeting();
    test_missing_name();
    test_later();
    test_failure();
    return failed;
}
