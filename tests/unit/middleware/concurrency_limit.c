/* Middleware "concurrency_limit": one too many, places given back however a request ends, memory. */
#include "fake.h"
#include "middleware.h"

static const hoop_concurrency_limit_options two = { .max = 2, .retry_after = 5 };
static const hoop_middleware entry = HOOP_CONCURRENCY_LIMIT(&two);

#define FULL                                                                               \
    "503\nContent-Type: application/problem+json\nRetry-After: 5\n\n{\"title\":\"Service " \
    "Unavailable\",\"status\":503,\"detail\":\"too many requests are under way\"}"

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .want = "200\n\nok" },
        { .answer = "500\n\nno", .want = "500\n\nno" },
    };
    check_middleware(entry, cases);
}

static const hoop_response *hold(const hoop_request *req, void *data)
{
    hoop_deferred **deferred = data;
    *deferred = hoop_defer(req);
    return hoop_deferred_response(*deferred);
}

struct tries {
    struct fake fake;
    hoop_arena *app;
    hoop_handler handler;
    hoop_deferred *last;
};

static struct fake_exchange *try(struct tries *t)
{
    struct fake_exchange *fx = fake_make(&t->fake, "GET", "/");
    fake_dispatch(fx, t->handler.fn, t->handler.data);
    return fx;
}

static void test_places_come_back(void **state)
{
    (void)state;
    struct tries t = { .app = hoop_arena_new() };
    fake_init(&t.fake);
    t.handler = hoop_fn(hold, &t.last);
    assert_int_equal(hoop_chain_new(t.app, &entry, 1, t.handler, &t.handler, NULL), 0);
    struct fake_exchange *a = try(&t);
    hoop_deferred *of_a = t.last;
    struct fake_exchange *b = try(&t);
    hoop_deferred *of_b = t.last;
    struct fake_exchange *c = try(&t);
    assert_response(&c->response->pub, FULL);
    fake_end(c, 0);
    fake_end(a, HOOP_EGONE); /* the client is gone, but somebody works still */
    c = try(&t);
    assert_response(&c->response->pub, FULL);
    fake_end(c, 0);
    hoop_deferred_drop(of_a);
    fake_turn(&t.fake);
    c = try(&t);
    assert_int_equal(c->responses, 0);
    hoop_resolve(t.last, hoop_text(hoop_deferred_request(t.last), 200, "c"));
    fake_turn(&t.fake);
    fake_end(c, 0);
    hoop_deferred_drop(of_b);
    fake_turn(&t.fake);
    fake_end(b, 0);
    a = try(&t);
    hoop_deferred_drop(t.last);
    fake_turn(&t.fake);
    fake_end(a, 0);
    fake_done(&t.fake);
    hoop_arena_free(t.app);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const hoop_middleware standard = HOOP_CONCURRENCY_LIMIT(NULL);
    static const struct middleware_case one = { .want = "200\n\nok" };
    test_middleware_memory(&standard, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_places_come_back),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
