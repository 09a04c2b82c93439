/* Server-sent events: the text of events, heartbeats, ends of all kinds, other threads, memory. */
#include "stream.h"

#include "sse/sse.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static void check_text(const hoop_event *event, const char *want)
{
    char *memory;
    size_t len;
    assert_int_equal(hoop__event_text(&hoop__malloc, event, 3, &memory, &len), 0);
    assert_bytes(memory + 3, len, want, strlen(want));
    hoop__free(&hoop__malloc, memory);
}

static void test_the_text_of_events(void **state)
{
    (void)state;
    check_text(&(hoop_event){ .data = hoop_str_c("a") }, "data: a\n\n");
    check_text(&(hoop_event){ .data = hoop_str_c("") }, "data:\n\n");
    check_text(&(hoop_event){ .event = "tick", .id = "7", .data = hoop_str_c("a"), .retry_ms = 5 },
               "event: tick\nid: 7\nretry: 5\ndata: a\n\n");
    check_text(&(hoop_event){ .id = "" }, "id:\n\n");
    check_text(&(hoop_event){ .data = hoop_str_none() }, "\n");
    check_text(&(hoop_event){ .data = hoop_str_c("a\nb\r\nc\rd") },
               "data: a\ndata: b\ndata: c\ndata: d\n\n");
    check_text(&(hoop_event){ .data = hoop_str_c("a\n") }, "data: a\ndata:\n\n");
    check_text(&(hoop_event){ .data = hoop_str_c("\r\n\n a: b") }, "data:\ndata:\ndata:  a: b\n\n");
}

static void test_fields_with_line_ends(void **state)
{
    (void)state;
    char *memory;
    size_t len;
    assert_int_equal(
        hoop__event_text(&hoop__malloc, &(hoop_event){ .event = "a\nb" }, 0, &memory, &len),
        HOOP_EINVAL);
    assert_int_equal(
        hoop__event_text(&hoop__malloc, &(hoop_event){ .id = "a\rb" }, 0, &memory, &len),
        HOOP_EINVAL);
}

/* --- streams --------------------------------------------------------------------------------- */

struct page {
    hoop_sse_options options;
    hoop_events *events;
    int starts, ends, code;
};

static void on_start(hoop_events *events, void *data)
{
    struct page *page = data;
    page->starts++;
    if (page->options.ret_events)
        assert_ptr_equal(page->events, events);
    page->events = events;
}

static void on_closed(int code, void *data)
{
    struct page *page = data;
    page->ends++;
    page->code = code;
}

static const hoop_response *listen_to(const hoop_request *req, void *data)
{
    struct page *page = data;
    page->options.start = on_start;
    page->options.closed = on_closed;
    page->options.data = page;
    return hoop_sse(req, &page->options);
}

static void test_a_page_listens(void **state)
{
    (void)state;
    struct fake fake;
    struct page page = { .options = { .retry_ms = 2000 } };
    fake_init(&fake);
    struct fake_exchange *fx = fake_get(&fake, listen_to, &page);
    assert_string_equal(fake.sent, "200\nContent-Type: text/event-stream\nCache-Control: no-cache\n"
                                   "X-Accel-Buffering: no\n(stream)");
    assert_int_equal(page.starts, 0);
    assert_string_equal(pulled(fx), "retry: 2000\n\n");
    assert_int_equal(page.starts, 1);
    assert_int_equal(hoop_sse_send(page.events, &(hoop_event){ .data = hoop_str_c("a") }), 0);
    assert_int_equal(fx->resumes, 2);
    assert_int_equal(hoop_sse_comment(page.events, "hm"), 0);
    assert_string_equal(pulled(fx), "data: a\n\n: hm\n\n");
    assert_int_equal(hoop_sse_comment(page.events, "h\nm"), HOOP_EINVAL);
    assert_int_equal(hoop_sse_send(page.events, &(hoop_event){ .event = "\n" }), HOOP_EINVAL);
    assert_int_equal(hoop_sse_close(page.events), 0);
    assert_string_equal(pulled(fx), "(end)");
    assert_int_equal(page.ends, 0);
    end_stream(fx, 0);
    assert_int_equal(page.ends, 1);
    assert_int_equal(page.code, 0);
    fake_done(&fake);
}

static void test_a_heartbeat_only_in_silence(void **state)
{
    (void)state;
    struct fake fake;
    struct page page = { .options = { .heartbeat_ms = 1000 } };
    fake_init(&fake);
    struct fake_exchange *fx = fake_get(&fake, listen_to, &page);
    assert_string_equal(pulled(fx), "");
    fake_advance(&fake, 999);
    assert_string_equal(pulled(fx), "");
    fake_advance(&fake, 1);
    assert_string_equal(pulled(fx), ":\n\n");
    fake_advance(&fake, 500);
    hoop_sse_send(page.events, &(hoop_event){ .data = hoop_str_c("a") });
    assert_string_equal(pulled(fx), "data: a\n\n");
    fake_advance(&fake, 500);
    assert_string_equal(pulled(fx), "");
    fake_advance(&fake, 1000);
    fake_advance(&fake, 1000);
    assert_string_equal(pulled(fx), ":\n\n"); /* what waits is not made more */
    end_stream(fx, HOOP_EGONE);
    assert_int_equal(page.code, HOOP_EGONE);
    fake_advance(&fake, 5000);
    fake_done(&fake);
}

static void test_no_heartbeat(void **state)
{
    (void)state;
    struct fake fake;
    struct page page = { .options = { .heartbeat_ms = HOOP_OFF } };
    fake_init(&fake);
    struct fake_exchange *fx = fake_get(&fake, listen_to, &page);
    assert_string_equal(pulled(fx), "");
    fake_advance(&fake, 100000);
    assert_string_equal(pulled(fx), "");
    end_stream(fx, 0);
    fake_done(&fake);
}

static void test_no_body_is_to_be_sent(void **state)
{
    (void)state;
    struct fake fake;
    struct page page = { .starts = 0 };
    fake_init(&fake);
    struct fake_exchange *fx = fake_get(&fake, listen_to, &page);
    end_stream(fx, 0); /* as for HEAD */
    assert_int_equal(page.starts, 0);
    assert_int_equal(page.ends, 1);
    fake_done(&fake);
}

static void test_it_can_not_be_made(void **state)
{
    (void)state;
    struct page page = { .starts = 0 };
    hoop_arena *arena = hoop_arena_new();
    page.options.ret_events = &page.events;
    assert_null(listen_to(hoop_app_request(arena), &page));
    assert_int_equal(page.ends, 1);
    assert_int_equal(page.code, HOOP_EINVAL);
    assert_null(listen_to(NULL, &page));
    assert_int_equal(page.ends, 2);
    assert_int_equal(hoop_sse_send(NULL, &(hoop_event){ .id = "1" }), HOOP_EINVAL);
    assert_int_equal(hoop_sse_close(NULL), HOOP_EINVAL);
    assert_int_equal(hoop_sse_comment(NULL, "a"), HOOP_EINVAL);
    assert_null(hoop_sse_ref(NULL));
    hoop_sse_unref(NULL);
    hoop_arena_free(arena);
}

static void test_the_last_event_id(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_true(hoop_str_is_none(hoop_last_event_id(req)));
    assert_str(hoop_last_event_id(hoop_mock_header(req, "Last-Event-ID", "7")), "7");
    hoop_arena_free(arena);
}

/* --- threads --------------------------------------------------------------------------------- */

static void *send_many(void *data)
{
    hoop_events *events = data;
    for (int i = 0; i < 200; i++)
        hoop_sse_send(events, &(hoop_event){ .data = hoop_str_c("x") });
    hoop_sse_close(events);
    hoop_sse_unref(events);
    return NULL;
}

static void test_another_thread_sends(void **state)
{
    (void)state;
    struct fake fake;
    struct page page = { .starts = 0 };
    size_t len = 0;
    pthread_t thread;
    fake_init_on(&fake, &hoop__malloc);
    page.options.ret_events = &page.events;
    struct fake_exchange *fx = fake_get(&fake, listen_to, &page);
    assert_int_equal(pthread_create(&thread, NULL, send_many, page.events), 0);
    for (const char *text = ""; !strstr(text, "(end)");) {
        fake_turn(&fake);
        text = pulled(fx);
        len += strlen(text);
    }
    assert_int_equal(len, 200 * strlen("data: x\n\n") + strlen("(end)"));
    pthread_join(thread, NULL);
    end_stream(fx, 0);
    fake_turn(&fake);
    fake_done(&fake);
}

static atomic_int started;

static void *send_once_it_has_started(void *data)
{
    while (!atomic_load_explicit(&started, memory_order_relaxed)) /* which orders nothing else */
        sched_yield();
    assert_int_equal(hoop_sse_send(data, &(hoop_event){ .data = hoop_str_c("x") }), 0);
    hoop_sse_unref(data);
    return NULL;
}

static void test_another_thread_sends_once_it_has_started(void **state)
{
    (void)state;
    struct fake fake;
    struct page page = { .options = { .ret_events = &page.events } };
    pthread_t thread;
    fake_init(&fake);
    started = 0;
    struct fake_exchange *fx = fake_get(&fake, listen_to, &page);
    assert_int_equal(pthread_create(&thread, NULL, send_once_it_has_started, page.events), 0);
    assert_string_equal(pulled(fx), "");
    atomic_store_explicit(&started, 1, memory_order_relaxed);
    pthread_join(thread, NULL);
    fake_turn(&fake);
    assert_string_equal(pulled(fx), "data: x\n\n");
    end_stream(fx, 0);
    fake_turn(&fake);
    fake_done(&fake);
}

/* --- memory ---------------------------------------------------------------------------------- */

static void run_tight(struct test_allocator *allocator, void *data)
{
    struct page *page = data;
    struct fake fake;
    memset(page, 0, sizeof *page);
    if (fake_init_on(&fake, &allocator->hoop))
        return;
    struct fake_exchange *fx = fake_make(&fake, "GET", "/");
    if (fx)
        fake_dispatch(fx, listen_to, page);
    if (fx && fx->response->source) {
        pulled(fx);
        hoop_sse_send(page->events, &(hoop_event){ .data = hoop_str_c("a") });
        pulled(fx);
        hoop__source_finish(fx->response->source, 0);
    }
    if (fx) {
        fake_end(fx, 0);
        assert_int_equal(page->ends, 1);
    }
    fake_done(&fake);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    struct page page;
    test_each_allocation(run_tight, &page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_text_of_events),
        cmocka_unit_test(test_fields_with_line_ends),
        cmocka_unit_test(test_a_page_listens),
        cmocka_unit_test(test_a_heartbeat_only_in_silence),
        cmocka_unit_test(test_no_heartbeat),
        cmocka_unit_test(test_no_body_is_to_be_sent),
        cmocka_unit_test(test_it_can_not_be_made),
        cmocka_unit_test(test_the_last_event_id),
        cmocka_unit_test(test_another_thread_sends),
        cmocka_unit_test(test_another_thread_sends_once_it_has_started),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
