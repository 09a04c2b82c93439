/* Stopping hung now and then, by a race between the threads that ran and the one that stopped. */
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
    for (int i = 0; i < 100; i++) {
        hoop_server *server = test_server_start(hoop_fn(hello, NULL),
                                                &(hoop_server_options){ .threads = i % 2 ? 4 : 1 });
        struct test_client c[3] = { 0 };
        for (int k = 0; k < 3; k++)
            test_connect(&c[k], "127.0.0.1", hoop_listener_port(server, 0));
        for (int k = 0; k < 5; k++) {
            test_send(&c[k % 3], REGRESS_GET);
            test_expect(&c[k % 3], 200, "hello");
        }
        test_send(&c[0], REGRESS_GET); /* on its way while it stops */
        test_server_stop(server);
        for (int k = 0; k < 3; k++)
            test_close(&c[k]);
    }
    assert_int_equal(test_count_fds(), fds);
}

REGRESS(test)
