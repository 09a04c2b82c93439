/* After many connections that were reset before or behind their first byte no more were accepted. */
#include "regress.h"

static const hoop_response *hello(const hoop_request *req, void *data)
{
    return hoop_text_static(req, 200, "hello");
}

static void test(void **state)
{
    /* libuv keeps descriptors of its own from its first use on. */
    test_server_stop(test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ 0 }));
    int fds = test_count_fds();
    struct test_allocator a;
    test_allocator_init(&a);
    hoop_server *server =
        test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ .allocator = &a.hoop });
    uint32_t port = hoop_listener_port(server, 0);
    for (int i = 0; i < 2000; i++) {
        struct test_client c = { 0 };
        test_connect(&c, "127.0.0.1", port);
        if (i % 4 == 1)
            test_send(&c, "G");
        if (i % 4 == 2)
            test_half_close(&c);
        if (i % 4 == 3)
            test_send(&c, REGRESS_GET);
        if (i % 2)
            test_reset(&c);
        else
            test_close(&c);
    }
    struct test_client c = { 0 };
    test_connect(&c, "127.0.0.1", port);
    test_send(&c, REGRESS_GET);
    test_expect(&c, 200, "hello");
    test_until_connections(server, 1);
    assert_true(regress_stats(server).blocks < 2000);
    test_close(&c);
    test_server_stop(server);
    assert_int_equal(a.live, 0);
    assert_int_equal(test_count_fds(), fds);
}

REGRESS(test)
