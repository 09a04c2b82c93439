/* Ends: draining and stopping with idle, running and stalled connections, from any thread, often. */
#include "client.h"

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

static const char get[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hoop_deferred *owed;
static atomic_int ends, dones, done_code, starts, stops;

static void on_end(void *data)
{
    atomic_fetch_add(&ends, 1);
}

static void on_done(const hoop_done *done, void *data)
{
    atomic_store(&done_code, done->code);
    atomic_fetch_add(&dones, 1);
}

static const hoop_response *hello(const hoop_request *req, void *data)
{
    return hoop_text_static(req, 200, "hello");
}

static const hoop_response *deferred(const hoop_request *req, void *data)
{
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

static void lets_running_requests_end(void **state)
{
    hoop_server *server = test_server_start(hoop_fn(deferred, NULL), &(hoop_server_options){ 0 });
    struct test_client idle = { 0 }, running = { 0 }, late = { 0 };
    struct test_answer answer;
    uint32_t port = hoop_listener_port(server, 0);
    atomic_store(&ends, 0);
    test_connect(&idle, "127.0.0.1", port);
    test_connect(&running, "127.0.0.1", port);
    test_send(&running, get);
    test_until_requests(server, 1);
    test_until_connections(server, 2);
    assert_int_equal(hoop_server_drain(server, 60000, on_end, NULL), 0);
    assert_int_equal(hoop_server_drain(server, 90000, on_end, NULL), 0);
    test_expect_end(&idle);
    assert_int_not_equal(test_try_connect(&late, "127.0.0.1", port), 0);
    assert_int_equal(atomic_load(&ends), 0);
    assert_int_equal(resolve_owed(), 0);
    test_answer(&running, &answer);
    assert_string_equal(answer.body, "late");
    assert_non_null(strstr(answer.head, "Connection: close"));
    test_expect_end(&running);
    assert_int_equal(hoop_server_wait(server), 0);
    assert_int_equal(atomic_load(&ends), 2);
    test_close(&idle);
    test_close(&running);
    /* Behind the end each call is told at once. */
    assert_int_equal(hoop_server_drain(server, 1000, on_end, NULL), 0);
    assert_int_equal(atomic_load(&ends), 3);
    hoop_server_free(server);
}

static char large[3000000];

static const hoop_response *send_large(const hoop_request *req, void *data)
{
    hoop_on_done(req, on_done, NULL);
    return hoop_bytes_static(req, 200, "text/plain", hoop_str_n(large, sizeof large));
}

static void cuts_the_rest_off(void **state)
{
    hoop_handler handlers[] = { hoop_fn(deferred, NULL), hoop_fn(send_large, NULL) };
    for (size_t i = 0; i < HOOP_COUNT(handlers); i++) {
        hoop_server *server = test_server_start(handlers[i], &(hoop_server_options){ 0 });
        struct test_client c = { 0 };
        atomic_store(&dones, 0);
        test_connect_small(&c, hoop_listener_port(server, 0), 4096);
        test_send(&c, get);
        test_until_requests(server, 1);
        assert_int_equal(hoop_server_drain(server, 50, NULL, NULL), 0);
        assert_int_equal(hoop_server_wait(server), 0);
        test_read_end(&c);
        test_close(&c);
        if (i == 0)
            assert_int_equal(resolve_owed(), HOOP_ECANCELED);
        assert_int_equal(atomic_load(&dones), 1);
        assert_int_equal(atomic_load(&done_code), HOOP_ECANCELED);
        hoop_server_free(server);
    }
}

static void a_later_call_shortens_the_wait(void **state)
{
    hoop_server *server = test_server_start(hoop_fn(deferred, NULL), &(hoop_server_options){ 0 });
    struct test_client c = { 0 };
    atomic_store(&ends, 0);
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, get);
    test_until_requests(server, 1);
    assert_int_equal(hoop_server_drain(server, HOOP_OFF, on_end, NULL), 0);
    assert_int_equal(hoop_server_stop(server, on_end, NULL), 0);
    assert_int_equal(hoop_server_wait(server), 0);
    assert_int_equal(atomic_load(&ends), 2);
    test_expect_end(&c);
    test_close(&c);
    assert_int_equal(resolve_owed(), HOOP_ECANCELED);
    hoop_server_free(server);
}

static const hoop_response *stop_it(const hoop_request *req, void *data)
{
    hoop_server *server = *(hoop_server **)data;
    assert_int_equal(hoop_server_drain(server, 60000, NULL, NULL), 0);
    assert_int_equal(hoop_server_wait(server), HOOP_ETHREAD);
    return hoop_text_static(req, 200, "the last one");
}

static void from_a_handler(void **state)
{
    hoop_server *server = NULL;
    struct test_client c = { 0 };
    server = test_server_start(hoop_fn(stop_it, &server), &(hoop_server_options){ .threads = 2 });
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, get);
    test_expect(&c, 200, "the last one");
    test_expect_end(&c);
    assert_int_equal(hoop_server_wait(server), 0);
    hoop_server_free(server);
    test_close(&c);
}

static void *stop_thread(void *data)
{
    assert_int_equal(hoop_server_stop(data, on_end, NULL), 0);
    return NULL;
}

static void from_other_threads(void **state)
{
    for (int i = 0; i < 20; i++) {
        pthread_t threads[4];
        hoop_server *server =
            test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ .threads = 2 });
        atomic_store(&ends, 0);
        for (size_t n = 0; n < HOOP_COUNT(threads); n++)
            pthread_create(&threads[n], NULL, stop_thread, server);
        assert_int_equal(hoop_server_wait(server), 0);
        for (size_t n = 0; n < HOOP_COUNT(threads); n++)
            pthread_join(threads[n], NULL);
        assert_int_equal(atomic_load(&ends), 4);
        hoop_server_free(server);
    }
}

static int start_state(hoop_loop *loop, void *data, void **ret_state)
{
    atomic_fetch_add(&starts, 1);
    *ret_state = loop;
    return 0;
}

static void stop_state(hoop_loop *loop, void *data, void *loop_data)
{
    assert_ptr_equal(loop, data);
    atomic_fetch_add(&stops, 1);
}

static const hoop_response *uses_state(const hoop_request *req, void *data)
{
    hoop_loop *loop = hoop_loop_of(req);
    return hoop_loop_state(loop) == loop ? hoop_text_static(req, 200, "hello") : NULL;
}

/* The third loop that begins can't. */
static int fail_third(hoop_loop *loop, void *data, void **ret_state)
{
    *ret_state = loop;
    return atomic_fetch_add(&starts, 1) == 2 ? HOOP_EMISSING : 0;
}

static void start_fails_with_a_loop(void **state)
{
    hoop_server *server;
    hoop_error error;
    atomic_store(&starts, 0);
    atomic_store(&stops, 0);
    assert_int_equal(hoop_server_new(hoop_fn(uses_state, NULL), &server, &error,
                                     &(hoop_server_options){ .threads = 4,
                                                             .on_loop_start = fail_third,
                                                             .on_loop_stop = stop_state }),
                     0);
    assert_int_equal(hoop_server_start(server, &error), HOOP_EMISSING);
    assert_string_equal(error.text, "the server can't start: something needed is missing");
    hoop_server_free(server);
    assert_int_equal(atomic_load(&starts), 4);
    assert_int_equal(atomic_load(&stops), 3); /* not for the one that failed */
}

static atomic_int frees;

static void free_it(void *data)
{
    hoop_server_free(data);
    atomic_fetch_add(&frees, 1);
}

static int has_freed(void *data)
{
    return atomic_load(&frees) == 1;
}

static void the_end_frees_the_server(void **state)
{
    uint32_t loops[] = { 1, 4 };
    for (size_t n = 0; n < HOOP_COUNT(loops); n++) {
        atomic_store(&frees, 0);
        hoop_server *server = test_server_start(hoop_fn(uses_state, NULL),
                                                &(hoop_server_options){ .threads = loops[n] });
        assert_int_equal(hoop_server_drain(server, 10000, free_it, server), 0);
        test_until(has_freed, NULL);
    }
}

static void again_and_again(void **state)
{
    uint32_t loops[] = { 1, 4 };
    int fds = test_count_fds();
    for (size_t n = 0; n < HOOP_COUNT(loops); n++) {
        atomic_store(&starts, 0);
        atomic_store(&stops, 0);
        for (int i = 0; i < 200; i++) {
            hoop_server *server = test_server_start(
                hoop_fn(uses_state, NULL), &(hoop_server_options){ .threads = loops[n],
                                                                   .on_loop_start = start_state,
                                                                   .on_loop_stop = stop_state });
            struct test_client c[5] = { 0 };
            for (size_t k = 0; k < HOOP_COUNT(c); k++) {
                test_connect(&c[k], "127.0.0.1", hoop_listener_port(server, 0));
                test_send(&c[k], get);
            }
            for (size_t k = 0; k < HOOP_COUNT(c); k++)
                test_expect(&c[k], 200, "hello");
            test_server_stop(server);
            for (size_t k = 0; k < HOOP_COUNT(c); k++)
                test_close(&c[k]);
        }
        assert_int_equal(atomic_load(&starts), 200 * loops[n]);
        assert_int_equal(atomic_load(&stops), 200 * loops[n]);
    }
    assert_int_equal(test_count_fds(), fds);
}

static void one_that_was_never_started(void **state)
{
    hoop_server *server = NULL;
    hoop_error error;
    int fds = test_count_fds();
    atomic_store(&ends, 0);
    assert_int_equal(
        hoop_server_new(hoop_fn(hello, NULL), &server, &error, &(hoop_server_options){ 0 }), 0);
    assert_int_equal(hoop_server_wait(server), HOOP_EINVAL);
    assert_int_equal(hoop_server_stop(server, on_end, NULL), 0);
    assert_int_equal(atomic_load(&ends), 1);
    assert_int_equal(hoop_server_start(server, &error), HOOP_ECANCELED);
    hoop_server_free(server);
    assert_int_equal(test_count_fds(), fds);
    hoop_server_free(NULL);
    assert_int_equal(hoop_server_drain(NULL, 0, on_end, NULL), HOOP_EINVAL);
}

static void freeing_stops(void **state)
{
    hoop_server *server =
        test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ .threads = 3 });
    struct test_client c = { 0 };
    hoop_error error;
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, get);
    test_expect(&c, 200, "hello");
    assert_int_equal(hoop_server_start(server, &error), HOOP_EALREADY);
    hoop_server_free(server);
    test_expect_end(&c);
    test_close(&c);
}

/* A client that asks without pause while the server stops. */
static void *ask_on(void *data)
{
    struct test_client c = { 0 };
    char answer[1024];
    if (test_try_connect(&c, "127.0.0.1", *(uint32_t *)data))
        return NULL;
    do
        test_send_some(&c, get, sizeof get - 1);
    while (recv(c.fd, answer, sizeof answer, 0) > 0);
    close(c.fd);
    return NULL;
}

static void while_clients_ask(void **state)
{
    for (int i = 0; i < 10; i++) {
        pthread_t threads[4];
        hoop_server *server =
            test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ .threads = 2 });
        uint32_t port = hoop_listener_port(server, 0);
        for (size_t n = 0; n < HOOP_COUNT(threads); n++)
            pthread_create(&threads[n], NULL, ask_on, &port);
        test_until_requests(server, 4);
        test_server_stop(server);
        for (size_t n = 0; n < HOOP_COUNT(threads); n++)
            pthread_join(threads[n], NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lets_running_requests_end),
        cmocka_unit_test(cuts_the_rest_off),
        cmocka_unit_test(a_later_call_shortens_the_wait),
        cmocka_unit_test(from_a_handler),
        cmocka_unit_test(from_other_threads),
        cmocka_unit_test(start_fails_with_a_loop),
        cmocka_unit_test(the_end_frees_the_server),
        cmocka_unit_test(again_and_again),
        cmocka_unit_test(one_that_was_never_started),
        cmocka_unit_test(freeing_stops),
        cmocka_unit_test(while_clients_ask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
