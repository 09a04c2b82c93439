/* A POST with "Connection: close" stalled, requests behind it stayed unanswered, and so did the stop. */
#include "regress.h"

static const hoop_response *echo(const hoop_request *req, hoop_str body, void *data)
{
    return hoop_text(req, 200, body.data);
}

static const hoop_response *read_it(const hoop_request *req, void *data)
{
    return hoop_read_body(req, 0, echo, NULL);
}

static void test(void **state)
{
    hoop_server *server = test_server_start(hoop_fn(read_it, NULL), &(hoop_server_options){ 0 });
    uint32_t port = hoop_listener_port(server, 0), seed = 1;
    struct test_client kept = { 0 };
    test_connect(&kept, "127.0.0.1", port);
    for (int i = 0; i < 100; i++) {
        seed = seed * 1103515245 + 12345;
        if (seed >> 16 & 1) {
            test_send(&kept, REGRESS_GET);
            test_expect(&kept, 200, "");
            continue;
        }
        struct test_client c = { 0 };
        test_connect(&c, "127.0.0.1", port);
        test_send(&c, "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n"
                      "Content-Length: 5\r\n\r\n");
        if (seed >> 17 & 1)
            test_until_connections(server, 2);
        test_send(&c, "hello");
        test_expect(&c, 200, "hello");
        test_expect_end(&c);
        test_close(&c);
    }
    test_server_stop(server);
    test_expect_end(&kept);
    test_close(&kept);
}

REGRESS(test)
