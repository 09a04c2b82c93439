/* Stopping waited for the time of idle connections, or for ever while a client went on posting. */
#include "regress.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_int stopping;

static const hoop_response *mirror(const hoop_request *req, void *data)
{
    return hoop_bytes(req, 200, "text/plain", hoop_body(req));
}

/* Posts without a pause until the server has gone. */
static void *post(void *data)
{
    uint32_t port = *(uint32_t *)data;
    struct test_client c = { 0 };
    while (!atomic_load(&stopping)) {
        if (test_try_connect(&c, "127.0.0.1", port))
            return NULL;
        test_send(&c, "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                      "Content-Length: 5\r\n\r\nhello");
        test_read_end(&c);
        test_close(&c);
    }
    return NULL;
}

static void test(void **state)
{
    /* A stop that waits for these would never come. */
    hoop_limits limits = { .idle_ms = HOOP_OFF, .first_byte_ms = HOOP_OFF, .head_ms = HOOP_OFF };
    hoop_server *server =
        test_server_start(hoop_fn(mirror, NULL), &(hoop_server_options){ HOOP_LIMITS(&limits) });
    uint32_t port = hoop_listener_port(server, 0);
    struct test_client idle = { 0 }, silent = { 0 }, half = { 0 };
    pthread_t thread;
    test_connect(&silent, "127.0.0.1", port);
    test_connect(&half, "127.0.0.1", port);
    test_send(&half, "GET / HT");
    test_connect(&idle, "127.0.0.1", port);
    test_send(&idle, REGRESS_GET);
    test_expect(&idle, 200, "");
    assert_int_equal(pthread_create(&thread, NULL, post, &port), 0);
    test_until_requests(server, 20);
    atomic_store(&stopping, 1); /* so that the thread is gone before its port is another's */
    assert_int_equal(hoop_server_stop(server, NULL, NULL), 0);
    assert_int_equal(hoop_server_wait(server), 0);
    pthread_join(thread, NULL);
    hoop_server_free(server);
    test_expect_end(&idle);
    test_expect_end(&silent);
    test_expect_end(&half);
    test_close(&idle);
    test_close(&silent);
    test_close(&half);
}

REGRESS(test)
