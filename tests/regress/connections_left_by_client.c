/* What belonged to a kept connection was lost when the client, not the server, ended it. */
#include "regress.h"

static const hoop_response *hello(const hoop_request *req, void *data)
{
    return hoop_text_static(req, 200, "hello");
}

static void test(void **state)
{
    struct test_allocator a;
    unsigned long live = 0;
    test_allocator_init(&a);
    hoop_server *server =
        test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ .allocator = &a.hoop });
    for (int i = 0; i < 2000; i++) {
        struct test_client c = { 0 };
        test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
        test_send(&c, REGRESS_GET);
        test_expect(&c, 200, "hello");
        test_close(&c);
        if (i == 100 || i == 1999) {
            test_until_connections(server, 0);
            /* Blocks may wait in the loop's cache. */
            unsigned long now = a.live - (unsigned long)regress_stats(server).blocks;
            assert_true(!live || now == live);
            live = now;
        }
    }
    test_server_stop(server);
    assert_int_equal(a.live, 0);
}

REGRESS(test)
