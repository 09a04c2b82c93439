/* Clients that leave at every stage, by a reset or in good order, and what the handler learns. */
#include "client.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hoop_deferred *owed;
static atomic_int cancels, dones, done_code;

static void on_cancel(void *data)
{
    atomic_fetch_add(&cancels, 1);
}

static void on_done(const hoop_done *done, void *data)
{
    atomic_store(&done_code, done->code);
    atomic_fetch_add(&dones, 1);
}

static const hoop_response *deferred(const hoop_request *req, void *data)
{
    hoop_on_cancel(req, on_cancel, NULL);
    hoop_on_done(req, on_done, NULL);
    pthread_mutex_lock(&lock);
    owed = hoop_defer(req);
    const hoop_response *res = hoop_deferred_response(owed);
    pthread_mutex_unlock(&lock);
    return res;
}

static int resolve_owed(void)
{
    pthread_mutex_lock(&lock);
    hoop_deferred *d = owed;
    owed = NULL;
    pthread_mutex_unlock(&lock);
    return hoop_resolve(d, hoop_text(hoop_deferred_request(d), 200, "late"));
}

/* The same, or nothing if nobody has asked meanwhile. */
static void resolve_if_owed(void)
{
    pthread_mutex_lock(&lock);
    int is_owed = owed != NULL;
    pthread_mutex_unlock(&lock);
    if (is_owed)
        resolve_owed();
}

static int was_cancelled(void *data)
{
    return atomic_load(&cancels) > 0;
}

static int is_done(void *data)
{
    return atomic_load(&dones) >= (data ? *(int *)data : 1);
}

static hoop_server *begin(hoop_handler handler)
{
    atomic_store(&cancels, 0);
    atomic_store(&dones, 0);
    return test_server_start(handler, &(hoop_server_options){ 0 });
}

static void by_reset_while_an_answer_is_owed(void **state)
{
    hoop_server *server = begin(hoop_fn(deferred, NULL));
    struct test_client c = { 0 };
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    test_until_requests(server, 1);
    test_reset(&c);
    test_until(was_cancelled, NULL);
    test_until_connections(server, 0);
    /* Nothing is freed until whoever owes the answer has given it, for nobody. */
    resolve_owed();
    test_until(is_done, NULL);
    assert_int_equal(atomic_load(&done_code), HOOP_EGONE);
    assert_int_equal(atomic_load(&cancels), 1);
    test_server_stop(server);
}

static void by_a_half_close_and_is_answered(void **state)
{
    hoop_server *server = begin(hoop_fn(deferred, NULL));
    struct test_client c = { 0 };
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    test_half_close(&c);
    test_until_requests(server, 1);
    test_until(was_cancelled, NULL);
    resolve_owed();
    test_expect(&c, 200, "late");
    test_expect_end(&c);
    test_until(is_done, NULL);
    assert_int_equal(atomic_load(&done_code), 0);
    test_close(&c);
    test_server_stop(server);
}

static void by_closing_after_a_half_close(void **state)
{
    hoop_server *server = begin(hoop_fn(deferred, NULL));
    struct test_client c = { 0 };
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    test_half_close(&c);
    test_until_requests(server, 1);
    test_until(was_cancelled, NULL);
    test_reset(&c);
    test_until_connections(server, 0);
    resolve_owed();
    test_until(is_done, NULL);
    test_server_stop(server);
}

static void with_more_sent_than_is_read(void **state)
{
    struct test_client c = { 0 };
    hoop_limits limits = { .max_read_ahead = 4096 };
    atomic_store(&cancels, 0);
    atomic_store(&dones, 0);
    hoop_server *server =
        test_server_start(hoop_fn(deferred, NULL), &(hoop_server_options){ HOOP_LIMITS(&limits) });
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    for (int i = 0; i < 500; i++)
        test_send(&c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    test_until_requests(server, 1);
    test_close(&c);
    /* The end stands behind bytes for which there is no room, but the handler learns of it. */
    test_until(was_cancelled, NULL);
    while (atomic_load(&dones) < 1)
        resolve_if_owed();
    test_until_connections(server, 0);
    resolve_if_owed();
    test_server_stop(server);
}

static const hoop_response *plain(const hoop_request *req, void *data)
{
    hoop_on_done(req, on_done, NULL);
    return hoop_text_static(req, 200, "ok");
}

static void in_the_middle_of_a_request(void **state)
{
    static const char *pieces[] = {
        "",
        "G",
        "GET / HTTP/1.1\r\nHost: a\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n0123456789",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc",
    };
    hoop_server *server = begin(hoop_fn(plain, NULL));
    hoop_stats stats;
    for (size_t i = 0; i < HOOP_COUNT(pieces); i++) {
        for (int how = 0; how < 2; how++) {
            struct test_client c = { 0 };
            test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
            test_send(&c, pieces[i]);
            test_until_connections(server, 1);
            if (how)
                test_reset(&c);
            else
                test_close(&c);
            test_until_connections(server, 0);
        }
    }
    /* A body that broke off never reached the handler. */
    assert_int_equal(atomic_load(&dones), 0);
    hoop_server_stats(server, &stats, sizeof stats);
    assert_int_equal(stats.responses, 0);
    assert_int_equal(stats.failures, 0);
    test_server_stop(server);
}

static char large[3000000];

static const hoop_response *send_large(const hoop_request *req, void *data)
{
    hoop_on_done(req, on_done, NULL);
    return hoop_bytes_static(req, 200, "text/plain", hoop_str_n(large, sizeof large));
}

static void in_the_middle_of_an_answer(void **state)
{
    hoop_server *server = begin(hoop_fn(send_large, NULL));
    for (int how = 0; how < 2; how++) {
        struct test_client c = { 0 };
        test_connect_small(&c, hoop_listener_port(server, 0), 4096);
        test_send(&c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        test_read(&c, 10000);
        if (how)
            test_reset(&c);
        else
            test_close(&c);
        test_until_connections(server, 0);
        test_until(is_done, &(int){ how + 1 });
        assert_int_equal(atomic_load(&done_code), HOOP_EGONE);
    }
    test_server_stop(server);
}

static void without_reading_the_answer(void **state)
{
    hoop_server *server = begin(hoop_fn(plain, NULL));
    for (int i = 0; i < 200; i++) {
        struct test_client c = { 0 };
        test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
        test_send(&c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        test_reset(&c);
    }
    struct test_client c = { 0 };
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    test_expect(&c, 200, "ok");
    test_close(&c);
    test_until_connections(server, 0);
    test_server_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_reset_while_an_answer_is_owed),
        cmocka_unit_test(by_a_half_close_and_is_answered),
        cmocka_unit_test(by_closing_after_a_half_close),
        cmocka_unit_test(with_more_sent_than_is_read),
        cmocka_unit_test(in_the_middle_of_a_request),
        cmocka_unit_test(in_the_middle_of_an_answer),
        cmocka_unit_test(without_reading_the_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
