/* Streaming and blocking handlers: when the leaf is called, on which thread, and what may go wrong. */
#include "fake.h"

#include "handler/node.h"

#include <pthread.h>

#define TEXT "Content-Type: text/plain; charset=utf-8\n\n"

static struct fake f;
static hoop_arena *arena;
static int calls;

static int setup(void **state)
{
    fake_init(&f);
    arena = hoop_arena_new();
    calls = 0;
    return 0;
}

static int teardown(void **state)
{
    fake_done(&f);
    hoop_arena_free(arena);
    return 0;
}

static const hoop_response *leaf(const hoop_request *req, void *data)
{
    calls++;
    return hoop_textf(req, 200, "%s %s", (const char *)data, hoop_body(req).data);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    return hoop_call(next, req);
}

static hoop_handler chain(void)
{
    static const hoop_middleware table[] = { HOOP_WRAP("a", wrap, NULL) };
    hoop_handler built;
    assert_int_equal(hoop_chain_new(arena, table, 1, hoop_fn(leaf, "leaf"), &built, NULL), 0);
    return built;
}

/* Dispatches a POST with a body of three bytes to come. */
static struct fake_exchange *post(hoop_handler handler)
{
    struct fake_exchange *fx = fake_make(&f, "POST", "/");
    fake_body(fx, 3);
    fake_dispatch(fx, handler.fn, handler.data);
    return fx;
}

static void bring_body(struct fake_exchange *fx)
{
    fake_feed(fx, "abc");
    hoop__exchange_body_end(&fx->x, NULL, 0);
}

/* --- streaming ------------------------------------------------------------------------------- */

static void test_streaming_calls_at_the_head(void **state)
{
    hoop_handler handler = hoop_streaming(arena, hoop_fn(leaf, "head"));
    struct fake_exchange *fx = post(handler);
    assert_string_equal(f.sent, "200\n" TEXT "head ");
    assert_int_equal(fx->wants, 0);
    fake_end(fx, 0);
    assert_str(hoop_chain_print(arena, handler), "streaming handler\n");
}

static void test_streaming_leaves_chains_and_empty_ones_as_they_are(void **state)
{
    hoop_handler built = chain();
    assert_ptr_equal(hoop_streaming(arena, built).data, built.data);
    assert_null(hoop_streaming(arena, hoop_fn(NULL, NULL)).fn);
    assert_null(hoop_streaming(NULL, hoop_fn(leaf, NULL)).fn);
}

/* --- blocking -------------------------------------------------------------------------------- */

static void *work(void *data)
{
    struct hoop__job *job = data;
    job->work(job);
    return NULL;
}

static void work_elsewhere(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, f.job);
    pthread_join(thread, NULL);
    f.job = NULL;
    fake_turn(&f);
}

static void test_blocking_reads_the_body_first_and_runs_elsewhere(void **state)
{
    hoop_handler handler = hoop_blocking(arena, hoop_fn(leaf, "blocking"));
    struct fake_exchange *fx = post(handler);
    assert_int_equal(fx->wants, 1);
    assert_null(f.job);
    bring_body(fx);
    assert_non_null(f.job);
    assert_int_equal(calls, 0);
    assert_int_equal(fx->responses, 0);
    work_elsewhere();
    assert_int_equal(calls, 1);
    assert_string_equal(f.sent, "200\n" TEXT "blocking abc");
    assert_str(hoop_chain_print(arena, handler), "blocking handler\n");
    fake_end(fx, 0);
}

static pthread_t loops_thread;

static const hoop_response *use_what_is_allowed(const hoop_request *req, void *data)
{
    assert_false(pthread_equal(pthread_self(), loops_thread));
    assert_non_null(hoop_alloc(req, 10000));
    assert_non_null(hoop_printf(req, "%d", 1));
    const hoop_response *res = hoop_text(req, 200, "ok");
    res = hoop_with_header(req, res, "Content-Type", NULL);
    res = hoop_add_header(req, res, "X", "y");
    assert_null(hoop_defer(req));
    assert_int_equal(hoop_on_cancel(req, free, NULL), HOOP_ETHREAD);
    return res;
}

static void test_what_a_blocking_handler_may_and_may_not_call(void **state)
{
    loops_thread = pthread_self();
    hoop_handler handler = hoop_blocking(arena, hoop_fn(use_what_is_allowed, NULL));
    struct fake_exchange *fx = fake_get(&f, handler.fn, handler.data);
    work_elsewhere();
    assert_string_equal(f.sent, "200\nX: y\n\nok");
    fake_end(fx, 0);
}

static const hoop_response *fail_blocking(const hoop_request *req, void *data)
{
    return hoop_fail(req, HOOP_EMISSING, "no row");
}

static void test_a_blocking_failure_has_its_reason(void **state)
{
    hoop_handler handler = hoop_blocking(arena, hoop_fn(fail_blocking, NULL));
    struct fake_exchange *fx = fake_get(&f, handler.fn, handler.data);
    work_elsewhere();
    assert_int_equal(fx->x.status, 500);
    assert_string_equal(f.log, "1 GET /: 500: no row\n");
    fake_end(fx, 0);
}

static void test_a_full_pool_is_503(void **state)
{
    static const struct {
        int code;
        const char *log;
    } rows[] = {
        { HOOP_EBUSY, "1 GET /: 503: the blocking pool can't take the request: too many things "
                      "under way\n" },
        { HOOP_ENOMEM, "1 GET /: 503: the blocking pool can't take the request: out of memory\n" },
    };
    hoop_handler handler = hoop_blocking(arena, hoop_fn(leaf, "never"));
    for (size_t i = 0; i < HOOP_COUNT(rows); i++) {
        f.block_code = rows[i].code;
        f.log[0] = 0;
        struct fake_exchange *fx = fake_get(&f, handler.fn, handler.data);
        assert_int_equal(fx->x.status, 503);
        assert_string_equal(f.log, rows[i].log);
        fake_turn(&f);
        assert_int_equal(fx->responses, 1);
        assert_int_equal(fx->x.open_holds, 0);
        fake_end(fx, 0);
        assert_int_equal(f.loop.counters.limit_blocking, 1); /* the first alone is a limit's */
    }
    assert_int_equal(calls, 0);
}

static void test_a_pool_that_ends_cancels_its_jobs(void **state)
{
    hoop_handler handler = hoop_blocking(arena, hoop_fn(leaf, "never"));
    struct fake_exchange *fx = fake_get(&f, handler.fn, handler.data);
    f.job->cancel(f.job);
    fake_turn(&f);
    assert_int_equal(fx->x.status, 500);
    assert_int_equal(fx->x.note->code, HOOP_EDROPPED);
    assert_int_equal(calls, 0);
    fake_end(fx, 0);
}

static void test_a_job_may_run_at_once(void **state)
{
    /* As with the mock: the job is done before the queueing call returns. */
    hoop_handler handler = hoop_blocking(arena, hoop_fn(leaf, "inline"));
    struct fake_exchange *fx = fake_get(&f, handler.fn, handler.data);
    f.job->work(f.job);
    assert_int_equal(fx->responses, 0);
    fake_turn(&f);
    assert_string_equal(f.sent, "200\n" TEXT "inline ");
    fake_end(fx, 0);
}

static void test_a_job_outlives_its_client(void **state)
{
    hoop_handler handler = hoop_blocking(arena, hoop_fn(leaf, "alone"));
    struct fake_exchange *fx = fake_get(&f, handler.fn, handler.data);
    fake_end(fx, HOOP_EGONE);
    work_elsewhere();
    assert_int_equal(calls, 1);
    assert_null(f.loop.lingering);
}

static void test_blocking_wraps_leaves_alone(void **state)
{
    hoop_error error;
    assert_int_equal(hoop_check(hoop_blocking(arena, chain()), &error), HOOP_EINVAL);
    assert_string_equal(error.text,
                        "the handler: hoop_blocking() wraps a leaf, not a chain or a router: those "
                        "would run on the wrong thread");
    assert_null(hoop_blocking(arena, hoop_fn(NULL, NULL)).fn);
    assert_null(hoop_blocking(NULL, hoop_fn(leaf, NULL)).fn);
    const hoop_request *app = hoop_app_request(arena);
    assert_null(hoop_call(hoop_blocking(arena, hoop_fn(leaf, "x")), app));
    assert_noted(app, HOOP_EINVAL, "a blocking handler needs a request of an exchange");
}

static void block_each(struct test_allocator *a, void *data)
{
    struct fake g;
    if (fake_init_on(&g, &a->hoop))
        return;
    hoop_arena_options options = { &a->hoop, 0, 0 };
    hoop_arena *app = hoop_arena_new_with(&options);
    hoop_handler handler = app ? hoop_blocking(app, hoop_fn(leaf, "x")) : hoop_fn(NULL, NULL);
    hoop_handler stream = app ? hoop_streaming(app, hoop_fn(leaf, "x")) : hoop_fn(NULL, NULL);
    assert_true(hoop_check(stream, NULL) == 0 || a->count >= a->fail_at);
    struct fake_exchange *fx = fake_make(&g, "GET", "/");
    if (fx && handler.fn) {
        fake_dispatch(fx, handler.fn, handler.data);
        if (g.job)
            g.job->work(g.job);
        fake_turn(&g);
        assert_int_equal(fx->responses, 1);
        assert_true(fx->x.status == 200 || fx->x.status == 503);
    }
    if (fx)
        fake_end(fx, 0);
    fake_done(&g);
    hoop_arena_free(app);
}

static void test_each_allocation_may_fail(void **state)
{
    test_each_allocation(block_each, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_streaming_calls_at_the_head),
        TEST(test_streaming_leaves_chains_and_empty_ones_as_they_are),
        TEST(test_blocking_reads_the_body_first_and_runs_elsewhere),
        TEST(test_what_a_blocking_handler_may_and_may_not_call),
        TEST(test_a_blocking_failure_has_its_reason),
        TEST(test_a_full_pool_is_503),
        TEST(test_a_pool_that_ends_cancels_its_jobs),
        TEST(test_a_job_may_run_at_once),
        TEST(test_a_job_outlives_its_client),
        TEST(test_blocking_wraps_leaves_alone),
        TEST(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
