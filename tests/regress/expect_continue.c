/* A client that asked to go on was not answered and waited a second; or it could not be refused. */
#include "regress.h"

static const hoop_response *echo(const hoop_request *req, hoop_str body, void *data)
{
    return hoop_text(req, 200, body.data);
}

static const hoop_response *by_path(const hoop_request *req, void *data)
{
    if (hoop_str_eq_c(req->uri, "/refuse"))
        return hoop_text(req, 413, "no");
    return hoop_read_body(req, 0, echo, NULL);
}

#define HEAD(path, version)                                                 \
    "POST " path " HTTP/" version "\r\nHost: a\r\nExpect: 100-continue\r\n" \
    "Content-Length: 5\r\n\r\n"

static void test(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_server *server = test_server_start(hoop_streaming(arena, hoop_fn(by_path, NULL)),
                                            &(hoop_server_options){ 0 });
    uint32_t port = hoop_listener_port(server, 0);
    struct test_client c = { 0 };
    test_connect(&c, "127.0.0.1", port);
    for (int i = 0; i < 3; i++) {
        test_send(&c, HEAD("/", "1.1"));
        test_expect_bytes(&c, "HTTP/1.1 100 Continue\r\n\r\n"); /* nothing more was sent */
        test_send(&c, "hello");
        test_expect(&c, 200, "hello");
    }
    test_send(&c, HEAD("/refuse", "1.1"));
    test_expect(&c, 413, "no");
    test_expect_end(&c);
    test_close(&c);
    test_connect(&c, "127.0.0.1", port);
    test_send(&c, HEAD("/", "1.0"));
    test_expect_silence(&c);
    test_send(&c, "hello");
    test_expect(&c, 200, "hello");
    test_close(&c);
    test_server_stop(server);
    hoop_arena_free(arena);
}

REGRESS(test)
