/* The life of an exchange: outcomes, whose responses it may send, deadline, cancel, and its end. */
#include "fake.h"

#include "value/body.h"

#include "value/deferred.h"

#include <pthread.h>
#include <stdio.h>

#define TEXT         "Content-Type: text/plain; charset=utf-8\n\n"
#define SERVER_ERROR "500\n" TEXT "Internal Server Error\n"
#define UNAVAILABLE  "503\n" TEXT "Service Unavailable\n"

static struct fake f;
static hoop_deferred *kept;
static char order[64];

static int setup(void **state)
{
    fake_init(&f);
    order[0] = 0;
    return 0;
}

static int teardown(void **state)
{
    fake_done(&f);
    return 0;
}

static void append(void *data)
{
    strcat(order, data);
}

static hoop_done last_done;

static void on_done(const hoop_done *done, void *data)
{
    last_done = *done;
    strcat(order, data);
}

static const hoop_response *slow(const hoop_request *req, void *data)
{
    kept = hoop_defer(req);
    return hoop_deferred_response(kept);
}

static void pay(const char *text)
{
    hoop_resolve(kept, hoop_text(hoop_deferred_request(kept), 200, text));
    fake_turn(&f);
}

/* --- outcomes -------------------------------------------------------------------------------- */

static const hoop_response *ready(const hoop_request *req, void *data)
{
    return hoop_text(req, 201, data);
}

static void test_a_ready_response_is_given_at_once(void **state)
{
    struct fake_exchange *fx = fake_get(&f, ready, "made");
    assert_int_equal(fx->responses, 1);
    assert_string_equal(f.sent, "201\n" TEXT "made");
    assert_int_equal(fx->x.status, 201);
    fake_end(fx, 0);
    assert_int_equal(f.loop.counters.requests, 1);
    assert_int_equal(f.loop.counters.responses, 1);
    assert_int_equal(f.loop.counters.failures, 0);
}

static const hoop_response *fail_with(const hoop_request *req, void *data)
{
    int code = *(int *)data;
    return code ? hoop_fail(req, code, "because of %s", "x\ny") : NULL;
}

static void test_null_is_answered_by_its_code(void **state)
{
    static const struct {
        int code;
        const char *sent;
        const char *log;
    } rows[] = {
        { 0, SERVER_ERROR, "1 GET /: 500: the handler gave no response\n" },
        { HOOP_EINVAL, SERVER_ERROR, "1 GET /: 500: because of x?y\n" },
        { HOOP_ENOMEM, UNAVAILABLE, "1 GET /: 503: because of x?y\n" },
        { HOOP_EBUSY, UNAVAILABLE, "1 GET /: 503: because of x?y\n" },
        { HOOP_ETIMEDOUT, UNAVAILABLE, "1 GET /: 503: because of x?y\n" },
        { HOOP_ETOOBIG, "413\n" TEXT "Content Too Large\n", "1 GET /: 413: because of x?y\n" },
    };
    for (size_t i = 0; i < HOOP_COUNT(rows); i++) {
        int code = rows[i].code;
        f.log[0] = 0;
        struct fake_exchange *fx = fake_get(&f, fail_with, &code);
        assert_string_equal(f.sent, rows[i].sent);
        assert_string_equal(f.log, rows[i].log);
        assert_null(fx->response->pub.arena); /* static, so that it needs no memory */
        fake_end(fx, 0);
    }
    assert_int_equal(f.loop.counters.failures, HOOP_COUNT(rows));
}

static const hoop_response *over_the_limit(const hoop_request *req, void *data)
{
    while (hoop_alloc(req, 1000))
        ;
    return hoop_text(req, 200, "no room");
}

static void test_over_the_memory_limit_is_503(void **state)
{
    f.limits.max_arena = 3 * 4096;
    struct fake_exchange *fx = fake_get(&f, over_the_limit, NULL);
    assert_string_equal(f.sent, UNAVAILABLE);
    assert_string_equal(f.log, "1 GET /: 503: out of memory\n");
    fake_end(fx, 0);
}

/* One that is less than the block which an exchange has anyway allows no more than that. */
static void test_a_memory_limit_below_the_first_block(void **state)
{
    f.limits.max_arena = 1;
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    const hoop_request *of_both[] = { &fx->x.request.pub, hoop_deferred_request(kept) };
    for (size_t i = 0; i < HOOP_COUNT(of_both); i++) {
        assert_null(hoop_alloc(of_both[i], 5000));
        for (int n = 0; hoop_alloc(of_both[i], 1000); n++)
            assert_in_range(n, 0, 3);
        assert_int_equal(hoop_arena_size(of_both[i]->arena), 4096);
    }
    hoop_deferred_drop(kept);
    fake_turn(&f);
    fake_end(fx, 0);
}

static const hoop_response *give(const hoop_request *req, void *data)
{
    return data;
}

static void test_pass_at_the_root_is_404(void **state)
{
    struct fake_exchange *fx = fake_make(&f, "GET", "/");
    fake_dispatch(fx, give, (void *)(uintptr_t)hoop_pass(&fx->x.request.pub));
    assert_string_equal(f.sent, "404\n" TEXT "Not Found\n");
    assert_string_equal(f.log, "");
    fake_end(fx, 0);
}

static void test_a_response_of_another_exchange_is_refused(void **state)
{
    struct fake_exchange *one = fake_get(&f, ready, "secret");
    const hoop_response *res = &one->response->pub;
    struct fake_exchange *two = fake_get(&f, give, (void *)(uintptr_t)res);
    assert_string_equal(f.sent, SERVER_ERROR);
    assert_string_equal(f.log, "1 GET /: 500: the response belongs to another exchange\n");
    fake_end(two, 0);
    fake_end(one, 0);
}

static void test_an_applications_response_is_sent(void **state)
{
    hoop_arena *app = hoop_arena_new();
    const hoop_response *res = hoop_text(hoop_app_request(app), 200, "constant");
    for (int i = 0; i < 2; i++) {
        struct fake_exchange *fx = fake_get(&f, give, (void *)(uintptr_t)res);
        assert_ptr_equal(&fx->response->pub, res);
        fake_end(fx, 0);
        fx = fake_get(&f, slow, NULL);
        hoop_resolve(kept, res);
        fake_turn(&f);
        assert_ptr_equal(&fx->response->pub, res);
        fake_end(fx, 0);
    }
    hoop_arena_free(app);
}

static const hoop_response *pending_of_another(const hoop_request *req, void *data)
{
    return data;
}

static void test_a_copy_of_another_exchanges_response_is_sent(void **state)
{
    struct fake_exchange *one = fake_get(&f, ready, "kept");
    struct fake_exchange *two = fake_make(&f, "GET", "/");
    const hoop_response *copy = hoop_response_copy(two->x.arena, &one->response->pub);
    fake_end(one, 0);
    fake_dispatch(two, pending_of_another, (void *)(uintptr_t)copy);
    assert_string_equal(f.sent, "201\n" TEXT "kept");
    fake_end(two, 0);
}

/* --- the handler's time ---------------------------------------------------------------------- */

static const hoop_response *slow_and_watched(const hoop_request *req, void *data)
{
    assert_int_equal(hoop_on_cancel(req, append, "c"), 0);
    assert_int_equal(hoop_on_done(req, on_done, "d"), 0);
    return slow(req, data);
}

static void test_the_handlers_deadline_answers_503_and_cancels(void **state)
{
    f.limits.handler_ms = 500;
    struct fake_exchange *fx = fake_get(&f, slow_and_watched, NULL);
    fake_advance(&f, 499);
    assert_int_equal(fx->responses, 0);
    assert_string_equal(order, "");
    fake_advance(&f, 1);
    assert_string_equal(f.sent, UNAVAILABLE);
    assert_string_equal(f.log, "1 GET /: 503: the handler took longer than 500 ms\n");
    assert_string_equal(order, "c");
    pay("too late");
    assert_int_equal(fx->responses, 1);
    fake_end(fx, 0);
    assert_string_equal(order, "cd");
    assert_int_equal(last_done.status, 503);
    assert_int_equal(last_done.code, 0);
}

static void test_no_deadline_behind_the_answer(void **state)
{
    f.limits.handler_ms = 500;
    struct fake_exchange *fx = fake_get(&f, slow_and_watched, NULL);
    fake_advance(&f, 400);
    pay("in time");
    fake_advance(&f, 1000); /* a slow client reads */
    assert_int_equal(fx->responses, 1);
    assert_string_equal(order, "");
    assert_string_equal(f.log, "");
    fake_end(fx, 0);
    assert_string_equal(order, "d");
}

static void test_the_deadline_may_be_off(void **state)
{
    f.limits.handler_ms = HOOP_OFF;
    struct fake_exchange *fx = fake_get(&f, slow_and_watched, NULL);
    fake_advance(&f, 100000000);
    assert_int_equal(fx->responses, 0);
    pay("in the end");
    assert_string_equal(f.sent, "200\n" TEXT "in the end");
    fake_end(fx, 0);
}

static const hoop_response *slow_with_deadline(const hoop_request *req, void *data)
{
    hoop__exchange_deadline(hoop__exchange_of(req), *(uint64_t *)data);
    return slow(req, NULL);
}

static void test_an_exchange_may_have_a_deadline_of_its_own(void **state)
{
    uint64_t ms = 70;
    f.limits.handler_ms = 500;
    struct fake_exchange *fx = fake_get(&f, slow_with_deadline, &ms);
    fake_advance(&f, 69);
    assert_int_equal(fx->responses, 0);
    fake_advance(&f, 1);
    assert_string_equal(f.sent, UNAVAILABLE);
    assert_string_equal(f.log, "1 GET /: 503: the handler took longer than 70 ms\n");
    hoop_deferred_drop(kept);
    fake_turn(&f);
    fake_end(fx, 0);
}

static void test_a_deadline_may_be_moved_while_the_response_is_pending(void **state)
{
    f.limits.handler_ms = 500;
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    fake_advance(&f, 400);
    hoop__exchange_deadline(&fx->x, 300);
    fake_advance(&f, 299);
    assert_int_equal(fx->responses, 0);
    hoop__exchange_deadline(&fx->x, HOOP_OFF);
    fake_advance(&f, 100000);
    assert_int_equal(fx->responses, 0);
    hoop__exchange_deadline(&fx->x, 0); /* the service's again */
    fake_advance(&f, 499);
    assert_int_equal(fx->responses, 0);
    fake_advance(&f, 1);
    assert_string_equal(f.sent, UNAVAILABLE);
    hoop__exchange_deadline(&fx->x, 5);
    fake_advance(&f, 100);
    assert_int_equal(fx->responses, 1);
    hoop_deferred_drop(kept);
    fake_turn(&f);
    fake_end(fx, 0);
}

static const hoop_response *leaf(const hoop_request *req, void *data)
{
    return slow(req, data);
}

static void test_the_clients_time_for_the_body_does_not_count(void **state)
{
    f.limits.handler_ms = 500;
    struct fake_exchange *fx = fake_make(&f, "POST", "/");
    fake_body(fx, 2);
    fake_dispatch(fx, leaf, NULL);
    fake_feed(fx, "a");
    fake_advance(&f, 900);
    assert_int_equal(fx->responses, 0);
    fake_feed(fx, "b");
    hoop__exchange_body_end(&fx->x, NULL, 0);
    fake_advance(&f, 99);
    assert_int_equal(fx->responses, 0);
    fake_advance(&f, 500);
    assert_string_equal(f.sent, UNAVAILABLE);
    hoop_deferred_drop(kept);
    fake_turn(&f);
    fake_end(fx, 0);
}

static hoop_reader *reader;

static int pause_each(hoop_reader *of, hoop_str bytes, hoop_arena *scratch, void *data)
{
    reader = of;
    return HOOP_WAIT;
}

static const hoop_response *read_with_pauses(const hoop_request *req, void *data)
{
    return hoop_read_stream(req, &(hoop_read_options){ .chunk = pause_each });
}

static const hoop_response *slow_in_the_end(const hoop_request *req, int code, void *data)
{
    return code ? NULL : slow(req, data);
}

static const hoop_response *read_then_slow(const hoop_request *req, void *data)
{
    return hoop_read_stream(req, &(hoop_read_options){ .end = slow_in_the_end });
}

/* Dispatched at the head, as streaming handlers are. */
static void dispatch_streaming(struct fake_exchange *fx, hoop_handler_fn *fn)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler = hoop_streaming(arena, hoop_fn(fn, NULL));
    fake_dispatch(fx, handler.fn, handler.data);
    hoop_arena_free(arena);
}

/* A reader that is slow, but goes on, has as much time as the body is long; each of its pauses is bounded. */
static void test_the_handlers_time_begins_anew_with_each_pause(void **state)
{
    f.limits.handler_ms = 500;
    struct fake_exchange *fx = fake_make(&f, "POST", "/");
    fake_body(fx, HOOP__LENGTH_UNKNOWN);
    dispatch_streaming(fx, read_with_pauses);
    for (int i = 0; i < 20; i++) {
        fake_feed(fx, "a");
        fake_advance(&f, 499);
        assert_int_equal(fx->responses, 0);
        assert_int_equal(hoop_reader_resume(reader), 0);
        fake_turn(&f);
        fake_advance(&f, i * 100); /* the client's time */
        assert_int_equal(fx->responses, 0);
    }
    fake_feed(fx, "a");
    fake_advance(&f, 499);
    assert_int_equal(fx->responses, 0);
    fake_advance(&f, 1);
    assert_string_equal(f.sent, UNAVAILABLE);
    fake_end(fx, 0);
}

/* And what it does behind the body is no shorter because that was long. */
static void test_the_handlers_time_begins_anew_behind_the_body(void **state)
{
    for (uint64_t ms = 0; ms <= 1000; ms += 250) {
        f.limits.handler_ms = 500;
        struct fake_exchange *fx = fake_make(&f, "POST", "/");
        fake_body(fx, HOOP__LENGTH_UNKNOWN);
        dispatch_streaming(fx, read_then_slow);
        fake_feed(fx, "a");
        fake_advance(&f, ms);
        hoop__exchange_body_end(&fx->x, NULL, 0);
        fake_advance(&f, 499);
        assert_int_equal(fx->responses, 0);
        fake_advance(&f, 1);
        assert_string_equal(f.sent, UNAVAILABLE);
        hoop_deferred_drop(kept);
        fake_turn(&f);
        fake_end(fx, 0);
    }
}

static int pass_on(struct hoop__body_filter *filter, const char *in, size_t len, size_t *ret_taken,
                   char *out, size_t cap, size_t *ret_made, int last)
{
    size_t n = len < cap ? len : cap;
    memcpy(out, in, n);
    *ret_taken = *ret_made = n;
    return 0;
}

/* What waits in a filter is no reason to think that the client is waited for. */
static void test_a_pause_before_a_filter_is_bounded(void **state)
{
    for (int whole = 0; whole < 2; whole++) {
        struct hoop__body_filter filter = { .run = pass_on };
        f.limits.handler_ms = 500;
        struct fake_exchange *fx = fake_make(&f, "POST", "/");
        fake_body(fx, HOOP__LENGTH_UNKNOWN);
        assert_int_equal(hoop__body_filter(&fx->x.request.pub, &filter), 0);
        dispatch_streaming(fx, read_with_pauses);
        fake_feed(fx, "a");
        fake_advance(&f, 400);
        fake_feed(fx, "b");
        if (whole)
            hoop__exchange_body_end(&fx->x, NULL, 0);
        fake_advance(&f, 99);
        assert_int_equal(fx->responses, 0);
        fake_advance(&f, 1);
        assert_string_equal(f.sent, UNAVAILABLE);
        fake_end(fx, 0);
    }
}

static const hoop_response *resolve_in_cancel_handler(const hoop_request *req, void *data)
{
    return slow(req, data);
}

static void pay_up(void *data)
{
    hoop_resolve(kept, hoop_text(hoop_deferred_request(kept), 200, "cancelled"));
}

static void test_a_cancel_hook_may_resolve(void **state)
{
    struct fake_exchange *fx = fake_get(&f, resolve_in_cancel_handler, NULL);
    hoop_on_cancel(&fx->x.request.pub, pay_up, NULL);
    hoop__exchange_cancel(&fx->x); /* the client has sent its last byte, but may read */
    assert_int_equal(fx->responses, 0);
    fake_turn(&f);
    assert_string_equal(f.sent, "200\n" TEXT "cancelled");
    fake_end(fx, 0);
}

/* --- cancel ---------------------------------------------------------------------------------- */

static void test_cancel_hooks_run_once_and_a_response_is_written_all_the_same(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow_and_watched, NULL);
    hoop__exchange_cancel(&fx->x);
    hoop__exchange_cancel(&fx->x);
    assert_string_equal(order, "c");
    pay("written");
    assert_string_equal(f.sent, "200\n" TEXT "written");
    fake_end(fx, 0);
    assert_string_equal(order, "cd");
}

static void test_a_cancel_hook_that_comes_too_late_runs_at_once(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    hoop__exchange_cancel(&fx->x);
    assert_int_equal(hoop_on_cancel(&fx->x.request.pub, append, "late"), 0);
    assert_string_equal(order, "late");
    hoop_deferred_drop(kept);
    fake_turn(&f);
    fake_end(fx, HOOP_EGONE);
    assert_string_equal(order, "late");
}

static void test_drain_hooks_run_once_and_late_ones_at_once(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    const hoop_request *req = &fx->x.request.pub;
    assert_int_equal(hoop_on_drain(req, append, "a"), 0);
    assert_int_equal(hoop_on_drain(req, append, "b"), 0);
    assert_string_equal(order, "");
    hoop__exchange_drain(&fx->x);
    assert_string_equal(order, "ba");
    hoop__exchange_drain(&fx->x);
    assert_int_equal(hoop_on_drain(req, append, "c"), 0);
    assert_string_equal(order, "bac");
    pay("done");
    fake_end(fx, 0);
    assert_int_equal(hoop_on_drain(NULL, append, "d"), HOOP_EINVAL);
}

static void test_a_reset_cancels_and_a_full_answer_does_not(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow_and_watched, NULL);
    hoop_on_cancel(&fx->x.request.pub, append, "b");
    fake_end(fx, HOOP_EGONE);
    assert_string_equal(order, "bc");
    pay("nobody reads it");
    assert_string_equal(order, "bcd");
    order[0] = 0;
    fx = fake_get(&f, slow_and_watched, NULL);
    pay("read");
    fake_end(fx, 0);
    assert_string_equal(order, "d");
}

/* --- done ------------------------------------------------------------------------------------ */

static const hoop_response *watched(const hoop_request *req, void *data)
{
    hoop_on_done(req, on_done, "1");
    hoop_on_done(req, on_done, "2");
    hoop_on_done(hoop_assoc(req, "k", "v"), on_done, "3");
    return hoop_text(req, 200, "four");
}

static void test_done_tells_status_bytes_times_and_code(void **state)
{
    struct fake_exchange *fx = fake_get(&f, watched, NULL);
    fx->x.body_out = 4;
    fx->x.body.received = 7;
    fake_advance(&f, 250);
    assert_string_equal(order, "");
    fake_end(fx, 0);
    assert_string_equal(order, "321"); /* last in, first out */
    assert_int_equal(last_done.started_ms, 1000);
    assert_int_equal(last_done.ended_ms, 1250);
    assert_int_equal(last_done.body_in, 7);
    assert_int_equal(last_done.body_out, 4);
    assert_int_equal(last_done.status, 200);
    assert_int_equal(last_done.code, 0);
}

static void test_done_runs_however_it_ends(void **state)
{
    int code = 0;
    struct fake_exchange *fx = fake_make(&f, "GET", "/");
    hoop_on_done(&fx->x.request.pub, on_done, "f");
    fake_dispatch(fx, fail_with, &code);
    fake_end(fx, 0);
    assert_int_equal(last_done.status, 500);
    fx = fake_get(&f, watched, NULL);
    fake_end(fx, HOOP_EGONE); /* in the middle of the answer */
    assert_int_equal(last_done.status, 200);
    assert_int_equal(last_done.code, HOOP_EGONE);
    fx = fake_get(&f, slow_and_watched, NULL);
    fake_end(fx, HOOP_ETIMEDOUT);
    hoop_deferred_drop(kept);
    fake_turn(&f);
    assert_int_equal(last_done.status, 0);
    assert_int_equal(last_done.code, HOOP_ETIMEDOUT);
    assert_string_equal(order, "f321cd");
}

static void test_dones_run_before_the_hooks_of_the_arena(void **state)
{
    struct fake_exchange *fx = fake_make(&f, "GET", "/");
    hoop_arena_on_dispose(fx->x.arena, append, "y");
    hoop_arena_on_dispose(fx->x.arena, append, "x");
    fake_dispatch(fx, watched, NULL);
    fake_end(fx, 0);
    assert_string_equal(order, "321xy");
}

/* --- run after ------------------------------------------------------------------------------- */

static const hoop_response *later(const hoop_request *req, void *data)
{
    assert_int_equal(hoop_run_after(req, 30, append, "b"), 0);
    assert_int_equal(hoop_run_after(req, 20, append, "a"), 0);
    assert_int_equal(hoop_run_after(req, 40, append, "c"), 0);
    assert_int_equal(hoop_run_after(req, HOOP_OFF, append, "never"), 0);
    return slow(req, data);
}

static void test_run_after_runs_once_in_time_unless_the_exchange_has_ended(void **state)
{
    struct fake_exchange *fx = fake_get(&f, later, NULL);
    fake_advance(&f, 19);
    assert_string_equal(order, "");
    fake_advance(&f, 11);
    assert_string_equal(order, "ab");
    pay("ok");
    fake_end(fx, 0);
    fake_advance(&f, 1000);
    assert_string_equal(order, "ab");
    assert_true(hoop__wheel_next(&f.loop.timers) == HOOP__NEVER ||
                hoop__wheel_next(&f.loop.timers) > 0);
}

static int ticks;

static void tick(void *data)
{
    if (++ticks < 1000)
        assert_int_equal(hoop_run_after(data, 1, tick, data), 0);
}

/* Two at once, so that each needs a place of its own. */
static void test_run_after_again_and_again_takes_no_more_memory(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    const hoop_request *req = &fx->x.request.pub;
    ticks = 0;
    hoop_run_after(req, 1, tick, (void *)(uintptr_t)req);
    hoop_run_after(req, 1, tick, (void *)(uintptr_t)req);
    const char *end = req->arena->next;
    fake_advance(&f, 600);
    assert_int_equal(ticks, 1001);
    assert_ptr_equal(req->arena->next, end);
    hoop_run_after(req, 30, append, "b");
    hoop_run_after(req, 20, append, "a");
    hoop_run_after(req, 40, append, "c");
    fake_advance(&f, 40);
    assert_string_equal(order, "abc");
    pay("ok");
    fake_end(fx, 0);
}

static void pay_late(void *data)
{
    append("p");
    assert_int_equal(hoop_resolve(data, NULL), HOOP_ECANCELED);
}

static void test_timers_that_hold_a_deferred_run_when_the_loop_closes(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow_and_watched, NULL);
    hoop_run_after(&fx->x.request.pub, 1000, pay_late, kept);
    fake_end(fx, HOOP_ECANCELED);
    fake_close(&f);
    assert_int_equal(strlen(order), 3); /* cancelled, paid, done: each once */
    assert_non_null(strchr(order, 'p'));
    assert_non_null(strchr(order, 'd'));
}

/* --- wrong arguments and threads ------------------------------------------------------------- */

static void test_arguments_that_cannot_be(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *app = hoop_app_request(arena);
    assert_int_equal(hoop_on_done(NULL, on_done, "x"), HOOP_EINVAL);
    assert_int_equal(hoop_on_cancel(app, append, "x"), HOOP_EINVAL);
    assert_int_equal(hoop_run_after(app, 1, append, "x"), HOOP_EINVAL);
    assert_int_equal(hoop_run_after(NULL, 1, append, "x"), HOOP_EINVAL);
    assert_null(hoop_loop_of(app));
    hoop_arena_free(arena);
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    assert_ptr_equal(hoop_loop_of(&fx->x.request.pub), &f.loop);
    pay("ok");
    fake_end(fx, 0);
}

static void *register_elsewhere(void *data)
{
    const hoop_request *req = data;
    assert_int_equal(hoop_on_done(req, on_done, "x"), HOOP_ETHREAD);
    assert_int_equal(hoop_on_cancel(req, append, "x"), HOOP_ETHREAD);
    assert_int_equal(hoop_run_after(req, 1, append, "x"), HOOP_ETHREAD);
    assert_null(hoop_read_body(req, 0, NULL, NULL));
    assert_noted(req, HOOP_ETHREAD, "hoop_read_body() belongs on the loop's thread");
    return NULL;
}

static void test_another_thread_registers_nothing(void **state)
{
    pthread_t thread;
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    pthread_create(&thread, NULL, register_elsewhere,
                   (void *)(uintptr_t)hoop_deferred_request(kept));
    pthread_join(thread, NULL);
    pay("ok");
    fake_end(fx, 0);
    fake_advance(&f, 10);
    assert_string_equal(order, "");
}

/* --- memory that is short -------------------------------------------------------------------- */

static int registered;

static const hoop_response *register_all(const hoop_request *req, void *data)
{
    /* As much as fills the first block, so that the hooks have to ask the allocator. */
    registered = 0;
    if (!hoop_alloc(req, 4096 - 64 - sizeof(struct fake_exchange)))
        return NULL;
    int rc[3] = { hoop_on_done(req, on_done, "d"), hoop_on_cancel(req, append, "c"),
                  hoop_run_after(req, 10, append, "t") };
    for (int i = 0; i < 3; i++) {
        assert_true(rc[i] == 0 || rc[i] == HOOP_ENOMEM);
        registered += rc[i] == 0;
    }
    return hoop_text(req, 200, "ok");
}

static void register_each(struct test_allocator *a, void *data)
{
    struct fake g;
    if (fake_init_on(&g, &a->hoop))
        return;
    struct fake_exchange *fx = fake_make(&g, "GET", "/");
    if (fx) {
        order[0] = 0;
        fake_dispatch(fx, register_all, NULL);
        assert_int_equal(fx->responses, 1);
        assert_true(fx->x.status == 200 || fx->x.status == 503);
        fake_advance(&g, 10);
        fake_end(fx, HOOP_EGONE);
        assert_int_equal(strlen(order), registered);
    }
    fake_done(&g);
}

static void test_each_allocation_may_fail(void **state)
{
    test_each_allocation(register_each, NULL);
}

static void test_a_sequence_of_exchanges_needs_no_memory_from_the_allocator(void **state)
{
    fake_end(fake_get(&f, ready, "first"), 0);
    unsigned long count = f.allocator.count;
    for (int i = 0; i < 1000; i++)
        fake_end(fake_get(&f, ready, "next"), 0);
    assert_int_equal(f.allocator.count, count);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_ready_response_is_given_at_once),
        TEST(test_null_is_answered_by_its_code),
        TEST(test_over_the_memory_limit_is_503),
        TEST(test_a_memory_limit_below_the_first_block),
        TEST(test_pass_at_the_root_is_404),
        TEST(test_a_response_of_another_exchange_is_refused),
        TEST(test_an_applications_response_is_sent),
        TEST(test_a_copy_of_another_exchanges_response_is_sent),
        TEST(test_the_handlers_deadline_answers_503_and_cancels),
        TEST(test_no_deadline_behind_the_answer),
        TEST(test_the_deadline_may_be_off),
        TEST(test_an_exchange_may_have_a_deadline_of_its_own),
        TEST(test_a_deadline_may_be_moved_while_the_response_is_pending),
        TEST(test_the_clients_time_for_the_body_does_not_count),
        TEST(test_the_handlers_time_begins_anew_with_each_pause),
        TEST(test_the_handlers_time_begins_anew_behind_the_body),
        TEST(test_a_pause_before_a_filter_is_bounded),
        TEST(test_a_cancel_hook_may_resolve),
        TEST(test_cancel_hooks_run_once_and_a_response_is_written_all_the_same),
        TEST(test_a_cancel_hook_that_comes_too_late_runs_at_once),
        TEST(test_drain_hooks_run_once_and_late_ones_at_once),
        TEST(test_a_reset_cancels_and_a_full_answer_does_not),
        TEST(test_done_tells_status_bytes_times_and_code),
        TEST(test_done_runs_however_it_ends),
        TEST(test_dones_run_before_the_hooks_of_the_arena),
        TEST(test_run_after_runs_once_in_time_unless_the_exchange_has_ended),
        TEST(test_run_after_again_and_again_takes_no_more_memory),
        TEST(test_timers_that_hold_a_deferred_run_when_the_loop_closes),
        TEST(test_arguments_that_cannot_be),
        TEST(test_another_thread_registers_nothing),
        TEST(test_each_allocation_may_fail),
        TEST(test_a_sequence_of_exchanges_needs_no_memory_from_the_allocator),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
