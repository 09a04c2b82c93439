/* A client that broke its upload off had the request freed twice. */
#include "regress.h"

static const hoop_response *mirror(const hoop_request *req, void *data)
{
    return hoop_bytes(req, 200, "text/plain", hoop_body(req));
}

static void test(void **state)
{
    /* libuv keeps descriptors of its own from its first use on. */
    test_server_stop(test_server_start(hoop_fn(mirror, NULL), &(hoop_server_options){ 0 }));
    int fds = test_count_fds();
    static const char *const heads[] = {
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n186a0\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: text/json\r\nContent-Length: 100000\r\n\r\n",
    };
    static const size_t parts[] = { 0, 1, 50000, 99999 };
    static char body[100000];
    struct test_allocator a;
    memset(body, ' ', sizeof body);
    test_allocator_init(&a);
    hoop_server *server =
        test_server_start(hoop_fn(mirror, NULL), &(hoop_server_options){ .allocator = &a.hoop });
    for (size_t i = 0; i < 500; i++) {
        struct test_client c = { 0 };
        test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
        test_send(&c, heads[i % HOOP_COUNT(heads)]);
        test_send_bytes(&c, body, parts[i / 3 % HOOP_COUNT(parts)]);
        if (i % 2)
            test_reset(&c);
        else
            test_close(&c);
    }
    test_until_connections(server, 0);
    test_server_stop(server);
    assert_int_equal(a.live, 0);
    assert_int_equal(test_count_fds(), fds);
}

REGRESS(test)
