/* Middleware "rate_limit": buckets over time, keys, headers, stores that fail or answer later, memory. */
#include "fake.h"
#include "middleware.h"

#include <hoop/loop.h>

#include <stdio.h>

#define TOO_MANY(headers)                                                                    \
    "429\nContent-Type: application/problem+json\n" headers                                  \
    "\n{\"title\":\"Too Many Requests\",\"status\":429,\"detail\":\"too many requests; see " \
    "Retry-After\"}"

/* --- the store in memory --------------------------------------------------------------------- */

static hoop_rate_verdict take(const hoop_rate_store *store, struct fake *fake, const char *key,
                              const hoop_rate_policy *policy)
{
    hoop_rate_verdict verdict;
    struct fake_exchange *fx = fake_make(fake, "GET", "/");
    const hoop_request *req = &fx->x.request.pub;
    assert_non_null(store->take(req, hoop_str_c(key), policy, &verdict, store->data));
    fake_end(fx, 0);
    return verdict;
}

#define check_verdict(verdict_, allowed_, remaining_, reset_, retry_) \
    do {                                                              \
        hoop_rate_verdict got_ = (verdict_);                          \
        assert_int_equal(got_.allowed, (allowed_));                   \
        assert_int_equal(got_.remaining, (remaining_));               \
        assert_int_equal(got_.reset_ms, (reset_));                    \
        assert_int_equal(got_.retry_ms, (retry_));                    \
    } while (0)

static void test_a_bucket_empties_and_fills(void **state)
{
    (void)state;
    static const hoop_rate_policy policy = { 4, 1000, 2 };
    struct fake fake;
    hoop_arena *arena = hoop_arena_new();
    const hoop_rate_store *store;
    fake_init(&fake);
    assert_int_equal(hoop_rate_memory_new(arena, 0, &store, NULL), 0);
    check_verdict(take(store, &fake, "a", &policy), 1, 1, 250, 0);
    check_verdict(take(store, &fake, "a", &policy), 1, 0, 500, 0);
    check_verdict(take(store, &fake, "a", &policy), 0, 0, 500, 250);
    check_verdict(take(store, &fake, "b", &policy), 1, 1, 250, 0);
    fake_advance(&fake, 249);
    check_verdict(take(store, &fake, "a", &policy), 0, 0, 251, 1);
    fake_advance(&fake, 1);
    check_verdict(take(store, &fake, "a", &policy), 1, 0, 500, 0);
    fake_advance(&fake, 10000);
    check_verdict(take(store, &fake, "a", &policy), 1, 1, 250, 0);
    hoop_arena_free(arena);
    fake_done(&fake);
}

static void test_who_is_limited_stays_so_among_many(void **state)
{
    (void)state;
    static const hoop_rate_policy policy = { 1, 60000, 10 };
    struct fake fake;
    hoop_arena *arena = hoop_arena_new();
    const hoop_rate_store *store;
    fake_init(&fake);
    assert_int_equal(hoop_rate_memory_new(arena, 8, &store, NULL), 0);
    for (int i = 0; i < 10; i++)
        check_verdict(take(store, &fake, "busy", &policy), 1, 9 - i, 60000 * (i + 1), 0);
    for (int i = 0; i < 1000; i++) {
        char key[16];
        snprintf(key, sizeof key, "%d", i);
        assert_int_equal(take(store, &fake, key, &policy).allowed, 1);
    }
    check_verdict(take(store, &fake, "busy", &policy), 0, 0, 600000, 60000);
    hoop_arena_free(arena);
    fake_done(&fake);
}

static void test_too_many_keys(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_rate_store *store = NULL;
    hoop_error error;
    assert_int_equal(hoop_rate_memory_new(arena, (UINT64_C(1) << 32) + 1, &store, &error),
                     HOOP_EINVAL);
    assert_string_equal(error.text, "rate_limit: 4294967297 keys are too many");
    assert_null(store);
    hoop_arena_free(arena);
}

/* --- the chain ------------------------------------------------------------------------------- */

static hoop_str key_header(const hoop_request *req, void *data)
{
    return hoop_header(req, data);
}

static char key_name[] = "x-key";

static const hoop_rate_limit_options two = {
    .key = key_header,
    .data = key_name,
    .requests = 2,
    .window_ms = 10000,
    .name = "two",
};

static const hoop_response *hello(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_text_static(req, 200, "hello");
}

/* One client of a chain, which calls it again and again. */
struct client {
    hoop_arena *app, *arena;
    hoop_handler handler;
    const hoop_request *req;
};

static struct client new_client(const hoop_middleware *entry, const char *key)
{
    struct client c = { .app = hoop_arena_new(), .arena = hoop_arena_new() };
    c.handler = hoop_fn(hello, NULL);
    assert_int_equal(hoop_chain_new(c.app, entry, 1, c.handler, &c.handler, NULL), 0);
    c.req = hoop_mock(c.arena, "GET", "/", NULL);
    if (key)
        c.req = hoop_mock_header(c.req, "X-Key", key);
    return c;
}

static void free_client(struct client *c)
{
    hoop_arena_free(c->arena);
    hoop_arena_free(c->app);
}

static void check_call(struct client *c, const char *want)
{
    assert_response(hoop_call_sync(c->handler, c->req), want);
}

#define HELLO(headers) "200\nContent-Type: text/plain; charset=utf-8\n" headers "\nhello"
#define LEFT(n, t)     "RateLimit-Policy: \"two\";q=2;w=10\nRateLimit: \"two\";r=" #n ";t=" #t "\n"

static void test_responses_tell_what_is_left(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_RATE_LIMIT(&two);
    struct client c = new_client(&entry, "a");
    check_call(&c, HELLO(LEFT(1, 5)));
    check_call(&c, HELLO(LEFT(0, 10)));
    check_call(&c, TOO_MANY("Retry-After: 5\n" LEFT(0, 10)));
    hoop_mock_advance(c.req, 4500);
    check_call(&c, TOO_MANY("Retry-After: 1\n" LEFT(0, 6)));
    hoop_mock_advance(c.req, 500);
    check_call(&c, HELLO(LEFT(0, 10)));
    c.req = hoop_with_request_header(c.req, "X-Key", "b");
    check_call(&c, HELLO(LEFT(1, 5)));
    c.req = hoop_with_request_header(c.req, "X-Key", NULL);
    check_call(&c, HELLO());
    free_client(&c);
}

static void test_without_headers(void **state)
{
    (void)state;
    static const hoop_rate_limit_options quiet = { .requests = 1, .no_headers = 1 };
    static const hoop_middleware entry = HOOP_RATE_LIMIT(&quiet);
    struct client c = new_client(&entry, NULL);
    check_call(&c, HELLO());
    check_call(&c, TOO_MANY("Retry-After: 60\n"));
    free_client(&c);
}

static void test_addresses(void **state)
{
    (void)state;
    static const struct {
        const char *addr;
        int allowed;
    } calls[] = {
        { "192.0.2.1", 1 },
        { "192.0.2.2", 1 },
        { "192.0.2.1", 0 },
        { "::ffff:192.0.2.2", 0 },
        { "2001:db8::1", 1 },
        { "2001:db8:0:0:ffff::2", 0 },
        { "2001:db8:0:1::1", 1 },
        { "", 1 },
        { "", 0 },
    };
    static const hoop_rate_limit_options once = { .requests = 1 };
    static const hoop_middleware entry = HOOP_RATE_LIMIT(&once);
    struct client c = new_client(&entry, NULL);
    for (size_t i = 0; i < HOOP_COUNT(calls); i++) {
        const hoop_request *req = hoop_mock_peer(c.req, calls[i].addr, 1);
        assert_int_equal(hoop_call_sync(c.handler, req)->status, calls[i].allowed ? 200 : 429);
    }
    free_client(&c);
}

static void test_in_a_chain(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_RATE_LIMIT(NULL);
    static const struct middleware_case cases[] = {
        { .want = "200\nRateLimit-Policy: \"default\";q=100;w=60\nRateLimit: "
                  "\"default\";r=99;t=1\n\nok" },
        { .answer = "404\nX: y\n\nno",
          .want = "404\nX: y\nRateLimit-Policy: \"default\";q=100;w=60\nRateLimit: "
                  "\"default\";r=99;t=1\n\nno" },
    };
    check_middleware(entry, cases);
}

/* --- stores ---------------------------------------------------------------------------------- */

struct remote {
    hoop_deferred *deferred;
    hoop_rate_verdict *verdict;
    int works;
};

static void answer_later(void *data)
{
    struct remote *remote = data;
    if (remote->works) {
        remote->verdict->allowed = 1;
        remote->verdict->remaining = 7;
        remote->verdict->reset_ms = 3000;
        hoop_resolve(remote->deferred, hoop_respond(hoop_deferred_request(remote->deferred), 204));
    } else {
        hoop_deferred_drop(remote->deferred);
    }
}

static const hoop_response *take_later(const hoop_request *req, hoop_str key,
                                       const hoop_rate_policy *policy,
                                       hoop_rate_verdict *ret_verdict, void *data)
{
    struct remote *remote = data;
    assert_str(key, "k");
    assert_int_equal(policy->burst, 2);
    remote->verdict = ret_verdict;
    remote->deferred = hoop_defer(req);
    if (!remote->deferred || hoop_run_after(req, 10, answer_later, remote))
        return NULL;
    return hoop_deferred_response(remote->deferred);
}

static const hoop_response *take_never(const hoop_request *req, hoop_str key,
                                       const hoop_rate_policy *policy,
                                       hoop_rate_verdict *ret_verdict, void *data)
{
    (void)key;
    (void)policy;
    (void)ret_verdict;
    (void)data;
    return hoop_fail(req, HOOP_EGONE, "the store is down");
}

static void check_store(hoop_rate_take_fn *fn, int works, int closed, const char *want)
{
    struct remote remote = { .works = works };
    hoop_rate_store store = { fn, &remote };
    hoop_rate_limit_options own = two;
    own.store = &store;
    own.fail_closed = (uint32_t)closed;
    const hoop_middleware entry = HOOP_RATE_LIMIT(&own);
    struct client c = new_client(&entry, "k");
    check_call(&c, want);
    free_client(&c);
}

static void test_stores(void **state)
{
    (void)state;
    static const char closed[] = "503\nContent-Type: application/problem+json\n\n"
                                 "{\"title\":\"Service Unavailable\",\"status\":503,"
                                 "\"detail\":\"requests can't be counted now\"}";
    check_store(take_later, 1, 0, HELLO(LEFT(7, 3)));
    check_store(take_later, 0, 0, HELLO());
    check_store(take_later, 0, 1, closed);
    check_store(take_never, 0, 0, HELLO());
    check_store(take_never, 0, 1, closed);
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_rate_limit_options own = two;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock_header(hoop_mock(arena, "GET", "/", NULL), "X-Key", "k");
    const hoop_response *answer = NULL;
    assert_null(hoop_rate_limit_request(req, &answer, NULL));
    assert_null(answer);
    assert_noted(req, HOOP_EMISSING, "rate_limit: as a function it needs a store");
    assert_int_equal(hoop_rate_memory_new(arena, 8, &own.store, NULL), 0);
    req = hoop_mock_header(hoop_mock(arena, "GET", "/", NULL), "X-Key", "k");
    const hoop_request *more = hoop_rate_limit_request(req, &answer, &own);
    assert_int_equal(hoop_rate_limit_verdict(more)->remaining, 1);
    assert_null(hoop_rate_limit_verdict(req));
    const hoop_response *res = hoop_rate_limit_response(more, hoop_respond(req, 204), &own);
    assert_response(res, "204\n" LEFT(1, 5) "(no body)");
    assert_ptr_equal(hoop_rate_limit_response(req, res, &own), res);
    assert_non_null(hoop_rate_limit_request(req, &answer, &own));
    assert_null(answer);
    assert_null(hoop_rate_limit_request(req, &answer, &own));
    assert_int_equal(answer->status, 429);
    hoop_arena_free(arena);
}

/* --- refusals, memory ------------------------------------------------------------------------ */

static void check_refused(const hoop_rate_limit_options *options, const char *text)
{
    const hoop_middleware chain[] = { HOOP_RATE_LIMIT(options) };
    test_middleware_refused(chain, 1, HOOP_EINVAL, text);
}

static void test_options_that_are_wrong(void **state)
{
    (void)state;
    check_refused(&(hoop_rate_limit_options){ .name = "a b" },
                  "rate_limit: the name 'a b' is no token");
    check_refused(&(hoop_rate_limit_options){ .window_ms = UINT64_C(31536000001) },
                  "rate_limit: a window of 31536000001 ms is over a year");
    check_refused(&(hoop_rate_limit_options){ .requests = 1000001, .window_ms = 1 },
                  "rate_limit: 1000001 requests in 1 ms are more than one a nanosecond");
    check_refused(&(hoop_rate_limit_options){ .requests = 10, .burst = 1010 },
                  "rate_limit: a burst of 1010 is over 100 windows of 10 requests");
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_RATE_LIMIT(NULL);
    static const struct middleware_case one = {
        .want = "200\nRateLimit-Policy: \"default\";q=100;w=60\nRateLimit: "
                "\"default\";r=99;t=1\n\nok",
    };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_bucket_empties_and_fills),
        cmocka_unit_test(test_who_is_limited_stays_so_among_many),
        cmocka_unit_test(test_too_many_keys),
        cmocka_unit_test(test_responses_tell_what_is_left),
        cmocka_unit_test(test_without_headers),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_in_a_chain),
        cmocka_unit_test(test_stores),
        cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_options_that_are_wrong),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
