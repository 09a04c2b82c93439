/* hoop_call_sync(): what would be sent, on a virtual clock, with threads, streams and failures. */
#include "fake.h"

#include "handler/mock.h"

#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define TEXT "Content-Type: text/plain; charset=utf-8\n\n"

static hoop_arena *arena;
static const hoop_request *req;

static int setup(void **state)
{
    arena = hoop_arena_new();
    req = hoop_mock(arena, "GET", "/path", NULL);
    return 0;
}

static int teardown(void **state)
{
    hoop_arena_free(arena);
    return 0;
}

static const hoop_response *call(hoop_handler_fn *fn, void *data)
{
    return hoop_call_sync(hoop_fn(fn, data), req);
}

static void expect_failure(int code, const char *text)
{
    const hoop_error *error = hoop_mock_failure(req);
    assert_string_equal(error->text, text);
    assert_int_equal(error->code, code);
}

static uint64_t now(void)
{
    return hoop_loop_now(hoop_loop_of(req));
}

/* --- what is there --------------------------------------------------------------------------- */

static int dones;
static hoop_done last_done;

static void on_done(const hoop_done *done, void *data)
{
    dones++;
    last_done = *done;
}

static const hoop_response *say(const hoop_request *r, void *data)
{
    dones = 0;
    hoop_on_done(r, on_done, NULL);
    return hoop_text(r, 200, data);
}

static void test_a_ready_response(void **state)
{
    assert_response(call(say, "hello"), "200\n" TEXT "hello");
    assert_int_equal(dones, 1);
    assert_int_equal(last_done.status, 200);
    assert_int_equal(last_done.body_out, 5);
    assert_int_equal(last_done.code, 0);
    expect_failure(0, "");
}

static void test_each_call_is_an_exchange_of_its_own(void **state)
{
    const hoop_response *first = call(say, "first");
    const hoop_response *second = call(say, "second");
    assert_response(first, "200\n" TEXT "first"); /* it lives as long as the arena */
    assert_response(second, "200\n" TEXT "second");
}

static const hoop_response *echo(const hoop_request *r, void *data)
{
    return hoop_textf(r, 200, "%s", hoop_body(r).data);
}

static const hoop_response *echo_at_the_head(const hoop_request *r, void *data)
{
    assert_true(hoop_str_is_none(hoop_body(r)));
    return hoop_textf(r, 200, "%d %u", hoop_has_body(r), (unsigned)hoop_request_content_length(r));
}

static void test_the_body_comes_as_a_server_brings_it(void **state)
{
    req = hoop_mock(arena, "POST", "/", "the body");
    assert_response(call(echo, NULL), "200\n" TEXT "the body");
    assert_response(call(echo, NULL), "200\n" TEXT "the body");
    hoop_handler head = hoop_streaming(arena, hoop_fn(echo_at_the_head, NULL));
    assert_response(hoop_call_sync(head, req), "200\n" TEXT "1 8");
    req = hoop_mock(arena, "POST", "/", "");
    assert_response(call(echo, NULL), "200\n" TEXT);
}

static void test_a_body_over_the_limit(void **state)
{
    size_t size = 1024 * 1024 + 1;
    char *big = malloc(size);
    memset(big, 'x', size);
    req = hoop_mock_body(hoop_mock(arena, "POST", "/", NULL), NULL, hoop_str_n(big, size));
    const hoop_response *res = call(echo, NULL);
    assert_int_equal(res->status, 413);
    req = hoop_mock_body(req, NULL, hoop_str_n(big, size - 1));
    res = call(echo, NULL);
    assert_int_equal(res->body.len, size - 1);
    free(big);
}

static const hoop_response *give(const hoop_request *r, void *data)
{
    return data;
}

static void test_a_constant_response(void **state)
{
    const hoop_response *constant =
        hoop_freeze(arena, hoop_text(hoop_app_request(arena), 200, "c"));
    assert_ptr_equal(call(give, (void *)(uintptr_t)constant), constant);
}

/* --- failures -------------------------------------------------------------------------------- */

static const hoop_response *failing(const hoop_request *r, void *data)
{
    dones = 0;
    hoop_on_done(r, on_done, NULL);
    return data ? hoop_fail(r, HOOP_EMISSING, "%s", (const char *)data) : NULL;
}

static void test_failures_have_their_text(void **state)
{
    assert_null(call(failing, "no row 7"));
    expect_failure(HOOP_EMISSING, "no row 7");
    assert_int_equal(dones, 1);
    assert_int_equal(last_done.status, 500);
    assert_null(call(failing, NULL));
    expect_failure(HOOP_ENORESPONSE, "the handler gave no response");
    assert_response(call(say, "well"), "200\n" TEXT "well");
    expect_failure(0, "");
    assert_null(hoop_call_sync(hoop_fn(NULL, NULL), req));
    expect_failure(HOOP_EINVAL, "the handler is empty");
}

static const hoop_response *pass(const hoop_request *r, void *data)
{
    return hoop_pass(r);
}

static void test_a_pass_comes_back_as_such(void **state)
{
    assert_true(hoop_is_pass(call(pass, NULL)));
    expect_failure(0, "");
    assert_response(call(say, "x"), "200\n" TEXT "x");
}

static void test_requests_that_are_no_mock(void **state)
{
    const hoop_request *app = hoop_app_request(arena);
    assert_null(hoop_call_sync(hoop_fn(say, "x"), app));
    assert_null(hoop_call_sync(hoop_fn(say, "x"), NULL));
    assert_int_equal(hoop_mock_failure(app)->code, HOOP_EINVAL);
    assert_string_equal(hoop_mock_failure(NULL)->text, "the request was not made by hoop_mock()");
}

/* --- the virtual clock ----------------------------------------------------------------------- */

static void pay(void *data)
{
    hoop_deferred *d = data;
    hoop_resolve(d, hoop_text(hoop_deferred_request(d), 200, "paid"));
}

static const hoop_response *pay_after(const hoop_request *r, void *data)
{
    hoop_deferred *d = hoop_defer(r);
    hoop_run_after(r, *(uint64_t *)data, pay, d);
    return hoop_deferred_response(d);
}

static void test_time_jumps_when_nothing_else_can_run(void **state)
{
    uint64_t hour = 3600 * 1000, before = now();
    time_t real = time(NULL);
    assert_response(call(pay_after, &hour), "200\n" TEXT "paid");
    assert_int_equal(now(), before + hour);
    assert_true(time(NULL) - real < 5);
}

static const hoop_response *late(const hoop_request *r, const void *value)
{
    return hoop_text(r, 504, value);
}

static const hoop_response *race_a_timeout(const hoop_request *r, void *data)
{
    return hoop_timeout(r, pay_after(r, data), 5000, late, "late");
}

static void test_a_timeout_and_a_timer_in_their_order(void **state)
{
    uint64_t ms = 4999;
    assert_response(call(race_a_timeout, &ms), "200\n" TEXT "paid");
    ms = 5001;
    assert_response(call(race_a_timeout, &ms), "504\n" TEXT "late");
    hoop_mock_advance(req, 10); /* the debt is paid, though nobody waits */
}

static hoop_deferred *forgotten;

static const hoop_response *forget(const hoop_request *r, void *data)
{
    forgotten = hoop_defer(r);
    return hoop_deferred_response(forgotten);
}

static void test_a_handler_that_never_answers(void **state)
{
    hoop__mock_of(req)->world->patience_ms = 20; /* of real time */
    assert_null(call(forget, NULL));
    expect_failure(HOOP_ETIMEDOUT,
                   "the handler never answered GET /path: nothing is left that could make it");
    hoop_deferred_drop(forgotten);
    hoop_mock_advance(req, 0);
}

static const hoop_response *forget_with_timeout(const hoop_request *r, void *data)
{
    return hoop_timeout(r, forget(r, data), 60000, NULL, NULL);
}

static void test_a_timeout_gets_its_turn_when_nobody_answers(void **state)
{
    uint64_t before = now();
    assert_null(call(forget_with_timeout, NULL));
    expect_failure(HOOP_ETIMEDOUT, "the response did not come in time");
    assert_int_equal(now(), before + 60000);
    hoop_deferred_drop(forgotten);
    hoop_mock_advance(req, 0);
}

static const hoop_response *drop(const hoop_request *r, void *data)
{
    hoop_deferred *d = hoop_defer(r);
    const hoop_response *res = hoop_deferred_response(d);
    hoop_deferred_drop(d);
    return res;
}

static void test_a_deferred_that_was_dropped(void **state)
{
    assert_null(call(drop, NULL));
    expect_failure(HOOP_EDROPPED, "the deferred response was dropped without an answer");
}

/* --- threads --------------------------------------------------------------------------------- */

static pthread_t worker;

static void *work(void *data)
{
    hoop_deferred *d = data;
    struct timespec pause = { 0, 20000000 };
    nanosleep(&pause, NULL);
    hoop_resolve(d, hoop_textf(hoop_deferred_request(d), 200, "from a thread"));
    return NULL;
}

static const hoop_response *ask_a_thread(const hoop_request *r, void *data)
{
    hoop_deferred *d = hoop_defer(r);
    pthread_create(&worker, NULL, work, d);
    return hoop_deferred_response(d);
}

static void test_other_threads_are_awaited_in_real_time(void **state)
{
    uint64_t before = now();
    assert_response(call(ask_a_thread, NULL), "200\n" TEXT "from a thread");
    pthread_join(worker, NULL);
    assert_int_equal(now(), before); /* no virtual time has passed */
}

static const hoop_response *ask_a_thread_in_time(const hoop_request *r, void *data)
{
    return hoop_timeout(r, ask_a_thread(r, data), 1, late, "late");
}

static void test_a_thread_is_given_time_before_a_timeout_is_let_through(void **state)
{
    assert_response(call(ask_a_thread_in_time, NULL), "200\n" TEXT "from a thread");
    pthread_join(worker, NULL);
}

static const hoop_response *leave_a_thread(const hoop_request *r, void *data)
{
    ask_a_thread(r, data);
    return hoop_text(r, 202, "accepted");
}

static void test_the_arena_waits_for_what_threads_hold(void **state)
{
    assert_response(call(leave_a_thread, NULL), "202\n" TEXT "accepted");
    hoop_arena_free(arena); /* while the thread still sleeps */
    pthread_join(worker, NULL);
    arena = hoop_arena_new();
}

static const hoop_response *block(const hoop_request *r, void *data)
{
    return hoop_textf(r, 200, "blocked %s", hoop_body(r).data);
}

static void test_blocking_leaves_run_at_once(void **state)
{
    req = hoop_mock(arena, "POST", "/", "body");
    hoop_handler handler = hoop_blocking(arena, hoop_fn(block, NULL));
    assert_response(hoop_call_sync(handler, req), "200\n" TEXT "blocked body");
}

/* --- streams --------------------------------------------------------------------------------- */

/* A source of "0123..." that now and then has nothing for a while. */
struct stream {
    struct hoop__source source;
    size_t left;
    size_t made;
    int hesitant; /* says HOOP_EAGAIN each second time */
    int turn;
    int fail;
    int finished;
    int code;
};

static void more(void *data)
{
    hoop__source_ready(data);
}

static int pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct stream *s = (struct stream *)source;
    *ret_len = 0;
    if (s->fail && s->made)
        return HOOP_EPROTO;
    if (s->hesitant && s->turn++ % 2 == 0) {
        hoop_run_after(&source->exchange->request.pub, 100, more, source);
        return HOOP_EAGAIN;
    }
    size_t len = s->left < cap ? s->left : cap;
    if (len > 1000)
        len = 1000;
    for (size_t i = 0; i < len; i++)
        buffer[i] = (char)('0' + s->made++ % 10);
    s->left -= len;
    *ret_len = len;
    return s->left ? 0 : HOOP_EOF;
}

static void finished(struct hoop__source *source, int code)
{
    struct stream *s = (struct stream *)source;
    s->finished++;
    s->code = code;
}

static const hoop_response *stream(const hoop_request *r, void *data)
{
    dones = 0;
    hoop_on_done(r, on_done, NULL);
    return hoop__respond_source(r, 200, "a/b", data);
}

/* It lives in the arena, which finishes it if nobody else does. */
static struct stream *stream_in(hoop_arena *where, size_t size, uint64_t length)
{
    struct stream *s = hoop_arena_zalloc(where, sizeof *s);
    if (s) {
        s->source.pull = pull;
        s->source.finished = finished;
        s->source.length = length;
        s->left = size;
    }
    return s;
}

static void test_streams_are_collected(void **state)
{
    static const size_t sizes[] = { 0, 1, 999, 1000, 1001, 4096, 100000 };
    for (size_t i = 0; i < HOOP_COUNT(sizes); i++)
        for (int hesitant = 0; hesitant < 2; hesitant++) {
            struct stream *s = stream_in(arena, sizes[i], i % 2 ? sizes[i] : UINT64_MAX);
            s->hesitant = hesitant;
            const hoop_response *res = call(stream, s);
            assert_non_null(res);
            assert_int_equal(res->body_kind, HOOP_BODY_BYTES);
            assert_int_equal(res->body.len, sizes[i]);
            for (size_t k = 0; k < sizes[i]; k++)
                assert_int_equal(res->body.data[k], '0' + k % 10);
            assert_str(hoop_response_header(res, "content-type"), "a/b");
            assert_int_equal(s->finished, 1);
            assert_int_equal(s->code, 0);
            assert_int_equal(dones, 1);
            assert_int_equal(last_done.body_out, sizes[i]);
        }
}

static void test_streams_that_fail(void **state)
{
    struct stream *s = stream_in(arena, 5000, UINT64_MAX);
    s->fail = 1;
    assert_null(call(stream, s));
    expect_failure(HOOP_EPROTO, "the response's stream failed: protocol error");
    assert_int_equal(s->finished, 1);
    assert_int_equal(s->code, HOOP_EPROTO);
    assert_int_equal(last_done.code, HOOP_EPROTO);
    s = stream_in(arena, 10, 11);
    assert_null(call(stream, s));
    expect_failure(HOOP_EOF, "the response's stream failed: end of input");
    s = stream_in(arena, 12, 11);
    assert_null(call(stream, s));
    expect_failure(HOOP_ETOOBIG, "the response's stream failed: too big");
    assert_int_equal(s->finished, 1);
}

static void test_reading_a_response(void **state)
{
    struct stream *s = stream_in(arena, 5, UINT64_MAX);
    assert_str(hoop_response_read(req, hoop__respond_source(req, 200, NULL, &s->source)), "01234");
    assert_int_equal(s->finished, 1);
    assert_str(hoop_response_read(req, hoop_text(req, 200, "x")), "x");
    hoop_str none = hoop_response_read(req, hoop_respond(req, 204));
    assert_int_equal(none.len, 0);
    assert_false(hoop_str_is_none(none));
    assert_true(hoop_str_is_none(hoop_response_read(req, NULL)));
    assert_true(hoop_str_is_none(hoop_response_read(NULL, hoop_text(req, 200, "x"))));
    const hoop_response *pending = forget(req, NULL);
    assert_true(hoop_str_is_none(hoop_response_read(req, pending)));
    hoop_deferred_drop(forgotten);
}

/* --- memory that is short -------------------------------------------------------------------- */

static const hoop_response *stamp(const hoop_request *r, const hoop_response *res,
                                  const void *value)
{
    return hoop_add_header(r, res, "X", "y");
}

static const hoop_response *pay_soon(const hoop_request *r, void *data)
{
    hoop_deferred *d = hoop_defer(r);
    if (!d || hoop_run_after(r, 10, pay, d)) {
        hoop_deferred_drop(d);
        return hoop_fail(r, HOOP_ENOMEM, "out of memory");
    }
    return hoop_then(r, hoop_deferred_response(d), stamp, NULL);
}

static const hoop_response *stream_once(const hoop_request *r, void *data)
{
    return hoop__respond_source(r, 200, NULL, data);
}

static void call_each(struct test_allocator *a, void *data)
{
    hoop_arena_options options = { &a->hoop, 0, 1 };
    hoop_arena *tight = hoop_arena_new_with(&options);
    if (!tight)
        return;
    const hoop_request *r = hoop_mock(tight, "POST", "/", "body");
    if (r) {
        const hoop_response *res = hoop_call_sync(hoop_fn(pay_soon, NULL), r);
        if (res)
            assert_response(res, "200\n"
                                 "Content-Type: text/plain; charset=utf-8\nX: y\n\npaid");
        else
            assert_int_equal(hoop_mock_failure(r)->code, HOOP_ENOMEM);
        struct stream *s = stream_in(tight, 2500, 2500);
        const hoop_response *other = s ? hoop_call_sync(hoop_fn(stream_once, s), r) : NULL;
        if (other)
            assert_int_equal(other->body.len, 2500);
        else if (s)
            assert_int_equal(hoop_mock_failure(r)->code, HOOP_ENOMEM);
        assert_int_equal(!res + !other, a->count >= a->fail_at);
    }
    hoop_arena_free(tight);
}

static void test_each_allocation_may_fail(void **state)
{
    test_each_allocation(call_each, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_ready_response),
        TEST(test_each_call_is_an_exchange_of_its_own),
        TEST(test_the_body_comes_as_a_server_brings_it),
        TEST(test_a_body_over_the_limit),
        TEST(test_a_constant_response),
        TEST(test_failures_have_their_text),
        TEST(test_a_pass_comes_back_as_such),
        TEST(test_requests_that_are_no_mock),
        TEST(test_time_jumps_when_nothing_else_can_run),
        TEST(test_a_timeout_and_a_timer_in_their_order),
        TEST(test_a_handler_that_never_answers),
        TEST(test_a_timeout_gets_its_turn_when_nobody_answers),
        TEST(test_a_deferred_that_was_dropped),
        TEST(test_other_threads_are_awaited_in_real_time),
        TEST(test_a_thread_is_given_time_before_a_timeout_is_let_through),
        TEST(test_the_arena_waits_for_what_threads_hold),
        TEST(test_blocking_leaves_run_at_once),
        TEST(test_streams_are_collected),
        TEST(test_streams_that_fail),
        TEST(test_reading_a_response),
        TEST(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
