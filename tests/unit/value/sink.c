/*
 * Streams that other threads write, make and end while the loop is at work on them. What has to happen in between is
 * scripted: another thread runs while this one is held within a call of the library's.
 */
#include "fake.h"

#include "base/fifo.h"
#include "value/deferred.h"
#include "value/pull.h"

#include <hoop/channel.h>

#include <pthread.h>
#include <sched.h>

/* What lib/value/sink.c calls in place of hoop__fifo_take(). */
static size_t scripted_take(struct hoop__fifo *fifo, const hoop_allocator *allocator, char *to,
                            size_t cap);
#define hoop__fifo_take scripted_take
#include "../lib/value/sink.c"
#undef hoop__fifo_take

static struct fake f;

static int set_up(void **state)
{
    fake_init(&f);
    return 0;
}

static int tear_down(void **state)
{
    fake_done(&f);
    return 0;
}

struct seen {
    hoop_sink *sink;
    int finished, code;
};

static void note_end(int code, void *data)
{
    struct seen *seen = data;
    seen->finished++;
    seen->code = code;
}

static const hoop_response *pushed(const hoop_request *req, void *data)
{
    struct seen *seen = data;
    return hoop_stream(
        req, 200, NULL,
        &(hoop_stream_options){ .finished = note_end, .data = seen, .ret_sink = &seen->sink });
}

/* --- more comes while there is nothing ------------------------------------------------------- */

/* Another thread that runs, from its beginning to its end, behind the n-th look into the queue. */
static struct {
    int countdown;
    void *(*run)(void *data);
    void *data;
} script;

static size_t scripted_take(struct hoop__fifo *fifo, const hoop_allocator *allocator, char *to,
                            size_t cap)
{
    size_t n = hoop__fifo_take(fifo, allocator, to, cap);
    if (script.countdown && --script.countdown == 0) {
        pthread_t thread;
        pthread_create(&thread, NULL, script.run, script.data);
        pthread_join(thread, NULL);
    }
    return n;
}

static void *write_more(void *data)
{
    assert_int_equal(hoop_stream_write(data, hoop_str_c("more")), 0);
    return NULL;
}

static void *write_more_and_end(void *data)
{
    write_more(data);
    assert_int_equal(hoop_stream_end(data), 0);
    return NULL;
}

static void *write_nothing_and_end(void *data)
{
    assert_int_equal(hoop_stream_end(data), 0);
    return NULL;
}

/* All that comes, as an engine takes it: it asks again only once it was told that there is more. */
static size_t take_all_there_is(struct fake_exchange *fx, struct hoop__pull *pulled, size_t cap,
                                char *to)
{
    size_t len = 0;
    for (;;) {
        size_t n = 0;
        int resumes = fx->resumes;
        int rc = hoop__pull_some(pulled, to + len, cap, &n);
        assert_in_range(rc, HOOP__PULL_WAIT, HOOP__PULL_DONE);
        len += n;
        if (rc == HOOP__PULL_DONE)
            return len;
        fake_turn(&f);
        if (rc == HOOP__PULL_WAIT && fx->resumes == resumes)
            return len;
    }
}

static void look_at_script(void *(*run)(void *data), int at, size_t cap, const char *first,
                           const char *want)
{
    char got[64];
    struct seen seen = { NULL, 0, 0 };
    struct fake_exchange *fx = fake_get(&f, pushed, &seen);
    struct hoop__pull pulled = { .source = fx->response->source };
    hoop__pull_begin(&pulled, &fx->x);
    assert_int_equal(hoop_stream_write(seen.sink, hoop_str_c(first)), 0);
    script.countdown = at;
    script.run = run;
    script.data = seen.sink;
    size_t len = take_all_there_is(fx, &pulled, cap, got);
    if (script.countdown) { /* it was not looked so often */
        script.countdown = 0;
        run(seen.sink);
        fake_turn(&f);
        len += take_all_there_is(fx, &pulled, cap, got + len);
    }
    if (run == write_more) {
        hoop_stream_end(seen.sink);
        fake_turn(&f);
        len += take_all_there_is(fx, &pulled, cap, got + len);
    }
    assert_bytes(got, len, want, strlen(want));
    hoop__pull_finish(&pulled, 0);
    assert_int_equal(seen.finished, 1);
    hoop_stream_unref(seen.sink);
    fake_turn(&f);
    fake_end(fx, 0);
}

static void test_more_comes_while_it_is_found_empty(void **state)
{
    const size_t caps[] = { 1, 4, 5, 9, 32 };
    for (size_t i = 0; i < HOOP_COUNT(caps); i++)
        for (int at = 1; at <= 12; at++) {
            look_at_script(write_more, at, caps[i], "", "more");
            look_at_script(write_more, at, caps[i], "first", "firstmore");
            look_at_script(write_more_and_end, at, caps[i], "", "more");
            look_at_script(write_more_and_end, at, caps[i], "first", "firstmore");
            look_at_script(write_nothing_and_end, at, caps[i], "", "");
            look_at_script(write_nothing_and_end, at, caps[i], "first", "first");
        }
}

/* --- the exchange ends while another thread makes a stream ----------------------------------- */

static hoop_deferred *kept;

static const hoop_response *slow(const hoop_request *req, void *data)
{
    kept = hoop_defer(req);
    return hoop_deferred_response(kept);
}

/* A thread that asks for memory is held there; relaxed, so that this hides no missing order. */
static atomic_int is_held, may_go;
static _Thread_local int is_to_be_held;
static void *(*plain_alloc)(size_t size, void *data);

static void *holding_alloc(size_t size, void *data)
{
    if (is_to_be_held) {
        is_to_be_held = 0;
        atomic_store_explicit(&is_held, 1, memory_order_relaxed);
        while (!atomic_load_explicit(&may_go, memory_order_relaxed))
            sched_yield();
    }
    return plain_alloc(size, data);
}

static const hoop_response *made;

/* The arena has room for the stream, so that it is held behind that. */
static void *make_and_be_held(void *data)
{
    const hoop_request *req = hoop_deferred_request(kept);
    size_t size = (sizeof(struct hoop_sink) + HOOP__ALIGN - 1) & ~(HOOP__ALIGN - 1);
    hoop_alloc(req, (size_t)(req->arena->end - req->arena->next) - size);
    is_to_be_held = 1;
    made = (*(hoop_handler *)data).fn(req, (*(hoop_handler *)data).data);
    assert_false(is_to_be_held);
    return NULL;
}

/* The exchange ends meanwhile; then the thread's response is given. */
static void end_while_it_is_made(hoop_handler_fn *fn, void *data, const int *finished)
{
    pthread_t thread;
    hoop_handler handler = hoop_fn(fn, data);
    plain_alloc = f.allocator.hoop.alloc;
    f.allocator.hoop.alloc = holding_alloc;
    is_held = may_go = 0;
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    pthread_create(&thread, NULL, make_and_be_held, &handler);
    while (!atomic_load_explicit(&is_held, memory_order_relaxed))
        sched_yield();
    fake_end(fx, HOOP_EGONE);
    assert_int_equal(*finished, 0); /* nothing is done to what is half made */
    atomic_store_explicit(&may_go, 1, memory_order_relaxed);
    pthread_join(thread, NULL);
    assert_non_null(made);
    assert_int_equal(hoop_resolve(kept, made), 0);
    assert_int_equal(*finished, 0);
    fake_turn(&f);
    f.allocator.hoop.alloc = plain_alloc;
}

static void test_the_exchange_ends_while_a_stream_is_made(void **state)
{
    struct seen seen = { NULL, 0, 0 };
    end_while_it_is_made(pushed, &seen, &seen.finished);
    assert_int_equal(seen.finished, 1);
    assert_int_equal(seen.code, HOOP_EGONE);
    assert_int_equal(hoop_stream_write(seen.sink, hoop_str_c("late")), HOOP_EGONE);
    assert_non_null(f.loop.lingering);
    hoop_stream_unref(seen.sink);
    fake_turn(&f);
    assert_null(f.loop.lingering);
}

static const hoop_response *channelled(const hoop_request *req, void *channel)
{
    return hoop_channel_stream(req, 200, NULL, channel);
}

static void test_the_exchange_ends_while_a_channel_gets_its_stream(void **state)
{
    const int none = 0;
    hoop_channel *channel = hoop_channel_new(0);
    end_while_it_is_made(channelled, channel, &none);
    assert_null(f.loop.lingering);
    assert_int_equal(hoop_channel_put(channel, hoop_str_c("late")), HOOP_EGONE);
    hoop_channel_unref(channel);
}

static void test_the_loop_closes_before_a_channels_stream_is_given(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    hoop_channel *channel = hoop_channel_new(0);
    fake_end(fx, HOOP_EGONE);
    const hoop_response *res = channelled(hoop_deferred_request(kept), channel);
    assert_non_null(res);
    fake_close(&f);
    assert_int_equal(hoop_resolve(kept, res), HOOP_ECANCELED);
    assert_int_equal(hoop_channel_put(channel, hoop_str_c("late")), HOOP_EGONE);
    hoop_channel_unref(channel);
}

static void test_the_loop_closes_behind_a_channels_last_writer(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    hoop_channel *channel = hoop_channel_new(0);
    fake_end(fx, HOOP_EGONE);
    const hoop_response *res = channelled(hoop_deferred_request(kept), channel);
    assert_int_equal(hoop_channel_close(channel, 0), 0);
    hoop_channel_unref(channel);
    fake_close(&f);
    assert_int_equal(hoop_resolve(kept, res), HOOP_ECANCELED);
}

static int ends, end_code;

static const hoop_response *note_read_end(const hoop_request *req, int code, void *data)
{
    ends++;
    end_code = code;
    return NULL;
}

/* A timer of an exchange that has ended may still begin something. */
static void test_the_loop_closes_under_what_began_behind_the_end(void **state)
{
    struct seen seen = { NULL, 0, 0 };
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    fake_body(fx, 3); /* which nobody has asked for */
    fake_end(fx, HOOP_EGONE);
    ends = 0;
    hoop_read_stream(&fx->x.request.pub, &(hoop_read_options){ .end = note_read_end });
    pushed(&fx->x.request.pub, &seen);
    fake_close(&f);
    assert_int_equal(ends, 1);
    assert_int_equal(end_code, HOOP_EGONE);
    assert_int_equal(seen.finished, 1);
    assert_int_equal(seen.code, HOOP_EGONE);
    hoop_stream_unref(seen.sink);
    hoop_deferred_drop(kept);
    assert_int_equal(ends, 1);
    assert_int_equal(seen.finished, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_more_comes_while_it_is_found_empty, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_exchange_ends_while_a_stream_is_made, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_the_exchange_ends_while_a_channel_gets_its_stream,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_loop_closes_before_a_channels_stream_is_given,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_loop_closes_behind_a_channels_last_writer, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_the_loop_closes_under_what_began_behind_the_end,
                                        set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
