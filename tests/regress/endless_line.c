/* Bytes without a line end were kept without bound until a limit was looked at. */
#include "regress.h"

#define CLIENTS 20

static const hoop_response *hello(const hoop_request *req, void *data)
{
    return hoop_text_static(req, 200, "hello");
}

static void test(void **state)
{
    static char flood[1048576];
    struct test_client c[CLIENTS] = { 0 };
    struct test_allocator a;
    hoop_limits limits = { .linger_ms = 100 };
    memset(flood, 'A', sizeof flood);
    test_allocator_init(&a);
    hoop_server *server = test_server_start(
        hoop_fn(hello, NULL), &(hoop_server_options){ HOOP_LIMITS(&limits), .allocator = &a.hoop });
    for (int i = 0; i < CLIENTS; i++) {
        test_connect(&c[i], "127.0.0.1", hoop_listener_port(server, 0));
        if (i % 2)
            test_send(&c[i], "GET / HTTP/1.1\r\nHost: a\r\nX: ");
    }
    for (int round = 0; round < 4; round++)
        for (int i = 0; i < CLIENTS; i++)
            if (c[i].fd >= 0 && test_send_some(&c[i], flood, sizeof flood) < sizeof flood)
                test_close(&c[i]);
    for (int i = 0; i < CLIENTS; i++)
        test_close(&c[i]);
    test_until_connections(server, 0);
    hoop_stats stats = regress_stats(server);
    assert_int_equal(stats.errors, CLIENTS);
    assert_int_equal(stats.limit_target, CLIENTS / 2);
    assert_int_equal(stats.limit_head, CLIENTS / 2);
    assert_int_equal(stats.requests, 0);
    /* A block each at most, and what a lingering close drops. */
    assert_true(stats.blocks <= CLIENTS);
    assert_true(stats.bytes_in < CLIENTS * (uint64_t)600000);
    test_server_stop(server);
    assert_int_equal(a.live, 0);
}

REGRESS(test)
