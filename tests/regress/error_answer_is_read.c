/* The answer to a bad request was lost in a reset, or its connection stayed open for a silent client. */
#include "regress.h"

static const hoop_response *hello(const hoop_request *req, void *data)
{
    return hoop_text_static(req, 200, "hello");
}

static void test(void **state)
{
    static char more[100000];
    struct test_client c = { 0 };
    struct test_answer answer;
    hoop_limits limits = { .linger_ms = 100 };
    hoop_server *server =
        test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ HOOP_LIMITS(&limits) });
    memset(more, 'x', sizeof more);
    for (int i = 0; i < 5; i++) {
        test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
        test_send(&c, "BAD\r\n");
        if (i % 2)
            test_send_bytes(&c, more, sizeof more);
        test_send(&c, REGRESS_GET);
        test_answer(&c, &answer);
        assert_int_equal(answer.status, 400);
        test_expect_end(&c);
        test_until_connections(server, 0); /* though the client does not close */
        test_close(&c);
    }
    assert_int_equal(regress_stats(server).requests, 0);
    test_server_stop(server);
}

REGRESS(test)
