/* Replacing a handler while requests run: who gets which one, and when the old one's memory goes. */
#include "router_tools.h"

#include <pthread.h>
#include <stdatomic.h>

static int freed[8];

static void count_freed(void *data)
{
    (*(int *)data)++;
}

/* A router of its own arena that answers `text`; freed[index] counts. */
static hoop_arena *generation(int index, const char *text, hoop_handler *ret_handler)
{
    hoop_arena *own = hoop_arena_new();
    const hoop_route table[] = { HOOP_GET("/a/:x", show, (void *)(uintptr_t)text) };
    freed[index] = 0;
    assert_int_equal(hoop_arena_on_dispose(own, count_freed, &freed[index]), 0);
    assert_int_equal(hoop_router_new(own, table, 1, ret_handler, NULL), 0);
    return own;
}

static void test_replace(void **state)
{
    (void)state;
    hoop_handler first, second, third, h;
    hoop_live *live;
    hoop_error error;
    hoop_arena *one = generation(1, "one", &first);
    assert_int_equal(hoop_live_new(app, first, one, &live, &h, &error), 0);
    assert_int_equal(hoop_check(h, &error), 0);
    assert_int_equal(hoop_live_generations(live), 1);
    const hoop_request *req = hoop_mock(arena, "GET", "/a/7", NULL);
    assert_string_equal(told(hoop_call_sync(h, req)), "200 one x=7");
    hoop_arena *two = generation(2, "two", &second);
    assert_int_equal(hoop_live_replace(live, second, two, &error), 0);
    /* The loop goes over to it in its next turn, which frees the old one. */
    hoop_mock_advance(req, 0);
    assert_int_equal(freed[1], 1);
    assert_int_equal(hoop_live_generations(live), 1);
    assert_string_equal(told(hoop_call_sync(h, req)), "200 two x=7");
    /* One that no loop has seen goes at once when a newer one comes. */
    hoop_arena *three = generation(3, "three", &third);
    assert_int_equal(hoop_live_replace(live, third, three, &error), 0);
    assert_int_equal(hoop_live_generations(live), 2);
    hoop_arena *four = generation(4, "four", &first);
    assert_int_equal(hoop_live_replace(live, first, four, &error), 0);
    assert_int_equal(freed[3], 1);
    assert_int_equal(freed[2], 0);
    hoop_mock_advance(req, 0);
    assert_int_equal(freed[2], 1);
    assert_string_equal(told(hoop_call_sync(h, req)), "200 four x=7");
    assert_str(hoop_router_print(arena, h, HOOP_PRINT_TABLE), "GET /a/:x\n");
    assert_str(hoop_chain_print(arena, h), "live\nrouter\n  GET /a/:x\n");
    hoop_arena_free(arena);
    arena = NULL;
    hoop_arena_free(app);
    app = NULL;
    assert_int_equal(freed[4], 1);
    assert_int_equal(freed[1] + freed[2] + freed[3], 3);
}

/* --- while requests run ----------------------------------------------------------------------- */

static int freed_when_answered;

static void resolve_late(void *data)
{
    hoop_deferred *d = data;
    freed_when_answered = freed[1];
    hoop_resolve(d, hoop_text(hoop_deferred_request(d), 200, "late"));
}

static hoop_live *replaced;
static hoop_handler replacement;
static hoop_arena *replacement_arena;

static const hoop_response *replace_and_wait(const hoop_request *req, void *data)
{
    (void)data;
    assert_int_equal(hoop_live_replace(replaced, replacement, replacement_arena, NULL), 0);
    hoop_deferred *d = hoop_defer(req);
    assert_int_equal(hoop_run_after(req, 1000, resolve_late, d), 0);
    return hoop_deferred_response(d);
}

static void test_running_requests_keep_theirs(void **state)
{
    (void)state;
    hoop_arena *one = hoop_arena_new();
    const hoop_route table[] = { HOOP_GET("/a", replace_and_wait) };
    hoop_handler first, h;
    freed[1] = 0;
    assert_int_equal(hoop_arena_on_dispose(one, count_freed, &freed[1]), 0);
    assert_int_equal(hoop_router_new(one, table, 1, &first, NULL), 0);
    replacement_arena = generation(2, "new", &replacement);
    assert_int_equal(hoop_live_new(app, first, one, &replaced, &h, NULL), 0);
    const hoop_request *req = hoop_mock(arena, "GET", "/a", NULL);
    assert_string_equal(told(hoop_call_sync(h, req)), "200 late");
    assert_int_equal(freed_when_answered, 0);
    assert_int_equal(freed[1], 1); /* its last request has ended */
    assert_string_equal(told(hoop_call_sync(h, hoop_with_uri(req, "/a/1", NULL))), "200 new x=1");
}

/* --- many loops ------------------------------------------------------------------------------- */

struct worker {
    pthread_t thread;
    hoop_handler handler;
    atomic_int *stop;
    unsigned long answered;
};

static void *work(void *data)
{
    struct worker *w = data;
    while (!atomic_load(w->stop) || w->answered < 20) {
        hoop_arena *own = hoop_arena_new();
        const hoop_request *req = hoop_mock(own, "GET", "/a/7", NULL);
        for (int i = 0; i < 20; i++) {
            const hoop_response *res = hoop_call_sync(w->handler, req);
            if (!res || memcmp(res->body.data, "text", 4) != 0 || !strstr(res->body.data, " x=7"))
                abort();
            w->answered++;
        }
        hoop_arena_free(own);
    }
    return NULL;
}

static void test_many_loops(void **state)
{
    (void)state;
    enum { WORKERS = 3, REPLACEMENTS = 60 };
    struct worker workers[WORKERS];
    atomic_int stop;
    hoop_handler first, h;
    hoop_live *live;
    atomic_init(&stop, 0);
    hoop_arena *one = generation(0, "text", &first);
    assert_int_equal(hoop_live_new(app, first, one, &live, &h, NULL), 0);
    for (int i = 0; i < WORKERS; i++) {
        workers[i].handler = h;
        workers[i].stop = &stop;
        workers[i].answered = 0;
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < REPLACEMENTS; i++) {
        hoop_handler next;
        hoop_arena *own = generation(1 + i % 7, "text", &next);
        assert_int_equal(hoop_live_replace(live, next, own, NULL), 0);
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(workers[i].thread, NULL);
        assert_true(workers[i].answered >= 20);
    }
}

/* --- refusals --------------------------------------------------------------------------------- */

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    (void)value;
    return hoop_call(next, req);
}

static void test_needs(void **state)
{
    (void)state;
    const hoop_middleware need[] = { HOOP_WRAP("cart", wrap, NULL, .needs = "session") };
    const hoop_middleware other[] = { HOOP_WRAP("basket", wrap, NULL, .needs = "session") };
    const hoop_middleware more[] = { HOOP_WRAP("cart", wrap, NULL, .needs = "session user") };
    const hoop_route plain[] = { HOOP_GET("/a", show) };
    const hoop_route one[] = { HOOP_GET("/a", show, HOOP_WITH(need)) };
    const hoop_route two[] = { HOOP_GET("/a", show, HOOP_WITH(other)) };
    const hoop_route three[] = { HOOP_GET("/a", show, HOOP_WITH(more), .name = "a") };
    hoop_live *live;
    hoop_handler h, first = BUILD(one);
    hoop_error error;
    assert_int_equal(hoop_live_new(app, first, NULL, &live, &h, NULL), 0);
    assert_int_equal(hoop_check(h, &error), HOOP_EMISSING);
    assert_int_equal(hoop_live_replace(live, BUILD(two), NULL, &error), 0);
    assert_int_equal(hoop_live_replace(live, BUILD(plain), NULL, &error), 0);
    assert_int_equal(hoop_live_replace(live, BUILD(three), NULL, &error), HOOP_EMISSING);
    assert_string_equal(error.text,
                        "middleware 'cart' of route 'a' needs 'user', which the first handler "
                        "did not need, so that nothing further out is known to provide it");
    assert_get(h, "/a", "200 ok");
    assert_int_equal(hoop_live_replace(live, hoop_fn(NULL, NULL), NULL, &error), HOOP_EINVAL);
    assert_int_equal(hoop_live_replace(NULL, h, NULL, NULL), HOOP_EINVAL);
    assert_int_equal(hoop_live_new(NULL, h, NULL, &live, &h, NULL), HOOP_EINVAL);
    assert_int_equal(hoop_live_new(app, hoop_fn(NULL, NULL), NULL, &live, &h, NULL), HOOP_EINVAL);
    assert_int_equal(hoop_live_generations(NULL), 0);
    /* Without an exchange nobody could tell when the request ends. */
    const hoop_request *req = hoop_app_request(arena);
    assert_null(hoop_call(h, req));
    assert_int_equal(hoop_failure(req)->code, HOOP_ETHREAD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROUTER_TEST(test_replace),
        ROUTER_TEST(test_running_requests_keep_theirs),
        ROUTER_TEST(test_many_loops),
        ROUTER_TEST(test_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
