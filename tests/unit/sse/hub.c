/* The hub: order, history, slow listeners, several loops, ends of all kinds, threads, memory. */
#include "stream.h"

#include <pthread.h>
#include <stdio.h>

static const hoop_response *join(const hoop_request *req, void *data)
{
    return hoop_hub_join(data, req);
}

static hoop_hub *new_hub(const hoop_hub_options *options)
{
    hoop_hub *hub = NULL;
    assert_int_equal(hoop_hub_new(&hub, NULL, options), 0);
    return hub;
}

static int publish(hoop_hub *hub, const char *text)
{
    return hoop_hub_publish(hub, &(hoop_event){ .data = hoop_str_c(text) });
}

/* A listener who comes, again if `last_id` is not NULL. */
static struct fake_exchange *listener(struct fake *fake, hoop_hub *hub, const char *last_id)
{
    struct fake_exchange *fx = fake_make(fake, "GET", "/");
    if (last_id) {
        const hoop_request *req =
            hoop_with_request_header(&fx->x.request.pub, "Last-Event-ID", last_id);
        fx->x.request.pub.headers = req->headers;
        fx->x.request.pub.header_count = req->header_count;
    }
    fake_dispatch(fx, join, hub);
    return fx;
}

#define EVENT(number, text) "id: " #number "\ndata: " text "\n\n"

static void test_all_get_the_same(void **state)
{
    (void)state;
    struct fake one, two;
    hoop_hub *hub = new_hub(NULL);
    fake_init(&one);
    fake_init(&two);
    struct fake_exchange *a = listener(&one, hub, NULL), *b = listener(&one, hub, NULL);
    struct fake_exchange *c = listener(&two, hub, NULL);
    assert_int_equal(hoop_hub_listeners(hub), 3);
    assert_int_equal(publish(hub, "early"), 0); /* nobody's stream has begun */
    assert_string_equal(pulled(a), "");
    assert_string_equal(pulled(b), "");
    assert_string_equal(pulled(c), "");
    assert_int_equal(publish(hub, "x"), 0);
    assert_int_equal(publish(hub, "y"), 0);
    fake_turn(&one);
    assert_string_equal(pulled(a), EVENT(2, "x") EVENT(3, "y"));
    assert_string_equal(pulled(b), EVENT(2, "x") EVENT(3, "y"));
    assert_string_equal(pulled(c), "");
    fake_turn(&two);
    assert_string_equal(pulled(c), EVENT(2, "x") EVENT(3, "y"));
    end_stream(a, HOOP_EGONE);
    assert_int_equal(hoop_hub_listeners(hub), 2);
    publish(hub, "z");
    fake_turn(&one);
    fake_turn(&two);
    assert_string_equal(pulled(b), EVENT(4, "z"));
    hoop_hub_free(hub);
    fake_turn(&one);
    fake_turn(&two);
    assert_string_equal(pulled(b), "(end)");
    end_stream(b, 0);
    assert_string_equal(pulled(c), EVENT(4, "z") "(end)");
    end_stream(c, 0);
    fake_done(&one);
    fake_done(&two);
}

static void check_again(struct fake *fake, hoop_hub *hub, const char *last_id, const char *want)
{
    struct fake_exchange *fx = listener(fake, hub, last_id);
    assert_string_equal(pulled(fx), want);
    end_stream(fx, 0);
}

static void test_who_comes_again_gets_what_he_missed(void **state)
{
    (void)state;
    struct fake fake;
    hoop_hub *hub = new_hub(&(hoop_hub_options){ .history = 2 });
    fake_init(&fake);
    check_again(&fake, hub, "0", "");
    publish(hub, "a");
    check_again(&fake, hub, "0", EVENT(1, "a"));
    publish(hub, "b");
    publish(hub, "c");
    check_again(&fake, hub, NULL, "");
    check_again(&fake, hub, "0", EVENT(2, "b") EVENT(3, "c"));
    check_again(&fake, hub, "2", EVENT(3, "c"));
    check_again(&fake, hub, "3", "");
    check_again(&fake, hub, "4", "");
    check_again(&fake, hub, "99999999999999999999", "");
    check_again(&fake, hub, "x", "");
    /* What is published while he comes is told once. */
    struct fake_exchange *fx = listener(&fake, hub, "2");
    publish(hub, "d");
    assert_string_equal(pulled(fx), EVENT(3, "c") EVENT(4, "d"));
    publish(hub, "e");
    fake_turn(&fake);
    assert_string_equal(pulled(fx), EVENT(5, "e"));
    end_stream(fx, 0);
    hoop_hub_free(hub);
    fake_done(&fake);
}

static void test_a_slow_listener_misses_events(void **state)
{
    (void)state;
    struct fake fake;
    hoop_hub *hub = new_hub(&(hoop_hub_options){ .max_bytes = 40 });
    fake_init(&fake);
    struct fake_exchange *fx = listener(&fake, hub, NULL);
    pulled(fx);
    for (int i = 0; i < 5; i++)
        publish(hub, "123"); /* 17 bytes each */
    fake_turn(&fake);
    assert_int_equal(hoop_hub_dropped(hub), 3);
    assert_string_equal(pulled(fx), EVENT(1, "123") EVENT(2, "123"));
    publish(hub, "4");
    fake_turn(&fake);
    assert_string_equal(pulled(fx), EVENT(6, "4"));
    end_stream(fx, 0);
    hoop_hub_free(hub);
    fake_done(&fake);
}

static void test_a_slow_listener_is_disconnected(void **state)
{
    (void)state;
    struct fake fake;
    hoop_hub *hub = new_hub(&(hoop_hub_options){ .max_bytes = 40, .slow = HOOP_HUB_DISCONNECT });
    fake_init(&fake);
    struct fake_exchange *fx = listener(&fake, hub, NULL), *quick = listener(&fake, hub, NULL);
    pulled(fx);
    pulled(quick);
    for (int i = 0; i < 3; i++) {
        publish(hub, "123");
        fake_turn(&fake);
        pulled(quick);
    }
    assert_string_equal(pulled(fx), "(broken)");
    end_stream(fx, HOOP_EBUSY);
    assert_int_equal(hoop_hub_listeners(hub), 1);
    end_stream(quick, 0);
    hoop_hub_free(hub);
    fake_done(&fake);
}

/* What the history has for who comes again may be more than a listener can have before him: it comes in parts. */
static void test_a_long_history_comes_in_parts(void **state)
{
    (void)state;
    struct fake fake;
    fake_init(&fake);
    hoop_hub *hub =
        new_hub(&(hoop_hub_options){ .max_bytes = 40, .history = 9, .slow = HOOP_HUB_DISCONNECT });
    for (int i = 0; i < 5; i++)
        publish(hub, "123"); /* 17 bytes each */
    check_again(&fake, hub, "0", EVENT(1, "123") EVENT(2, "123") "(end)");
    check_again(&fake, hub, "2", EVENT(3, "123") EVENT(4, "123") "(end)");
    check_again(&fake, hub, "4", EVENT(5, "123"));
    check_again(&fake, hub, "3", EVENT(4, "123") EVENT(5, "123"));
    assert_int_equal(hoop_hub_dropped(hub), 0);
    hoop_hub_free(hub);
    /* Or he misses some of it, where that is how the slow are treated. */
    hub = new_hub(&(hoop_hub_options){ .max_bytes = 40, .history = 9 });
    for (int i = 0; i < 5; i++)
        publish(hub, "123");
    struct fake_exchange *fx = listener(&fake, hub, "0");
    assert_string_equal(pulled(fx), EVENT(1, "123") EVENT(2, "123"));
    assert_int_equal(hoop_hub_dropped(hub), 3);
    publish(hub, "4");
    fake_turn(&fake);
    assert_string_equal(pulled(fx), EVENT(6, "4"));
    end_stream(fx, 0);
    hoop_hub_free(hub);
    fake_done(&fake);
}

/* What no listener can take is the publisher's fault. */
static void test_an_event_that_fits_nowhere(void **state)
{
    (void)state;
    struct fake fake;
    hoop_hub *hub = new_hub(&(hoop_hub_options){
        .max_bytes = 17, .history = 9, .retry_ms = 5, .slow = HOOP_HUB_DISCONNECT });
    fake_init(&fake);
    struct fake_exchange *fx = listener(&fake, hub, NULL);
    pulled(fx);
    assert_int_equal(publish(hub, "1234"), HOOP_ETOOBIG);
    assert_int_equal(publish(hub, "123"), 0);
    fake_turn(&fake);
    assert_string_equal(pulled(fx), EVENT(1, "123"));
    check_again(&fake, hub, "0", "retry: 5\n\n" EVENT(1, "123"));
    assert_int_equal(hoop_hub_dropped(hub), 0);
    end_stream(fx, 0);
    hoop_hub_free(hub);
    fake_done(&fake);
}

static void test_bounds(void **state)
{
    (void)state;
    struct fake fake;
    hoop_hub *hub = new_hub(&(hoop_hub_options){ .max_listeners = 1, .max_pending = 2 });
    fake_init(&fake);
    struct fake_exchange *fx = listener(&fake, hub, NULL), *other = listener(&fake, hub, NULL);
    assert_int_equal(other->response->pub.status, 503);
    fake_end(other, 0);
    pulled(fx);
    assert_int_equal(publish(hub, "a"), 0);
    assert_int_equal(publish(hub, "b"), 0);
    assert_int_equal(publish(hub, "c"), HOOP_EBUSY);
    fake_turn(&fake);
    assert_int_equal(publish(hub, "d"), 0);
    fake_turn(&fake);
    assert_string_equal(pulled(fx), EVENT(1, "a") EVENT(2, "b") EVENT(3, "d"));
    end_stream(fx, 0);
    hoop_hub_free(hub);
    fake_done(&fake);
}

static void test_what_is_wrong(void **state)
{
    (void)state;
    hoop_error error;
    hoop_hub *hub = NULL;
    assert_int_equal(hoop_hub_new(&hub, &error, &(hoop_hub_options){ .slow = 2 }), HOOP_EINVAL);
    assert_string_equal(error.text, "there is no way 2 to treat slow listeners");
    assert_int_equal(
        hoop_hub_new(&hub, &error, &(hoop_hub_options){ .history = UINT64_C(1) << 32 }),
        HOOP_EINVAL);
    assert_string_equal(error.text, "a history of 4294967296 events is too long");
    assert_null(hub);
    hub = new_hub(NULL);
    assert_int_equal(hoop_hub_publish(hub, &(hoop_event){ .id = "7" }), HOOP_EINVAL);
    assert_int_equal(hoop_hub_publish(hub, &(hoop_event){ .event = "\n" }), HOOP_EINVAL);
    assert_int_equal(hoop_hub_publish(NULL, &(hoop_event){ .event = "a" }), HOOP_EINVAL);
    assert_null(hoop_hub_join(hub, NULL));
    assert_null(hoop_hub_join(NULL, NULL));
    assert_int_equal(hoop_hub_listeners(NULL), 0);
    assert_int_equal(hoop_hub_dropped(NULL), 0);
    hoop_hub_free(NULL);
    hoop_hub_free(hub);
}

/* --- ends ------------------------------------------------------------------------------------ */

static void test_the_hub_goes_first_or_last(void **state)
{
    (void)state;
    struct fake fake;
    fake_init(&fake);
    /* Freed with a message on its way, and a listener who has not begun. */
    hoop_hub *hub = new_hub(NULL);
    struct fake_exchange *a = listener(&fake, hub, NULL), *b = listener(&fake, hub, NULL);
    pulled(a);
    publish(hub, "x");
    hoop_hub_free(hub);
    assert_string_equal(pulled(b), "(end)");
    fake_turn(&fake);
    assert_string_equal(pulled(a), EVENT(1, "x") "(end)");
    end_stream(a, 0);
    end_stream(b, 0);
    /* Its last listener left with a message on its way. */
    hub = new_hub(NULL);
    a = listener(&fake, hub, NULL);
    pulled(a);
    publish(hub, "y");
    end_stream(a, HOOP_EGONE);
    hoop_hub_free(hub);
    fake_turn(&fake);
    fake_done(&fake);
}

static void test_a_loop_closes(void **state)
{
    (void)state;
    struct fake fake;
    hoop_hub *hub = new_hub(&(hoop_hub_options){ .history = 4 });
    fake_init(&fake);
    struct fake_exchange *fx = listener(&fake, hub, NULL);
    pulled(fx);
    publish(hub, "x");
    end_stream(fx, HOOP_ECANCELED);
    fake_done(&fake);
    assert_int_equal(publish(hub, "y"), 0);
    hoop_hub_free(hub);
}

/* --- threads --------------------------------------------------------------------------------- */

#define ROUNDS 500

static void *publish_many(void *data)
{
    for (int i = 0; i < ROUNDS; i++)
        while (publish(data, "x") == HOOP_EBUSY)
            ;
    return NULL;
}

static void test_publishers_on_other_threads(void **state)
{
    (void)state;
    struct fake fake;
    pthread_t threads[2];
    hoop_hub *hub = new_hub(&(hoop_hub_options){ .history = 8, .max_bytes = 1 << 20 });
    fake_init_on(&fake, &hoop__malloc);
    struct fake_exchange *fx = listener(&fake, hub, NULL);
    pulled(fx);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, publish_many, hub), 0);
    unsigned long next = 1;
    while (next <= 2 * ROUNDS) {
        fake_turn(&fake);
        struct fake_exchange *guest = listener(&fake, hub, "1"); /* comes and goes meanwhile */
        pulled(guest);
        end_stream(guest, HOOP_EGONE);
        const char *text = pulled(fx);
        for (char want[64]; *text; next++) {
            int len = snprintf(want, sizeof want, "id: %lu\ndata: x\n\n", next);
            assert_memory_equal(text, want, (size_t)len);
            text += len;
        }
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    end_stream(fx, 0);
    fake_turn(&fake);
    hoop_hub_free(hub);
    fake_turn(&fake);
    fake_done(&fake);
}

/* --- memory ---------------------------------------------------------------------------------- */

static void run_tight(struct test_allocator *allocator, void *data)
{
    struct fake fake;
    hoop_hub *hub;
    hoop_hub_options options = { .allocator = &allocator->hoop, .history = 2 };
    (void)data;
    if (fake_init_on(&fake, &allocator->hoop))
        return;
    if (hoop_hub_new(&hub, NULL, &options) == 0) {
        struct fake_exchange *fx = fake_make(&fake, "GET", "/");
        if (fx)
            fake_dispatch(fx, join, hub);
        int streams = fx && fx->response->source;
        if (streams)
            pulled(fx);
        publish(hub, "a");
        fake_turn(&fake);
        publish(hub, "b");
        hoop_hub_free(hub);
        fake_turn(&fake);
        if (streams)
            hoop__source_finish(fx->response->source, 0);
        if (fx)
            fake_end(fx, 0);
    }
    fake_done(&fake);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation(run_tight, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_get_the_same),
        cmocka_unit_test(test_who_comes_again_gets_what_he_missed),
        cmocka_unit_test(test_a_slow_listener_misses_events),
        cmocka_unit_test(test_a_slow_listener_is_disconnected),
        cmocka_unit_test(test_a_long_history_comes_in_parts),
        cmocka_unit_test(test_an_event_that_fits_nowhere),
        cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_what_is_wrong),
        cmocka_unit_test(test_the_hub_goes_first_or_last),
        cmocka_unit_test(test_a_loop_closes),
        cmocka_unit_test(test_publishers_on_other_threads),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
