/* The limit on bodies did not hold for chunked ones that the handler never read. */
#include "regress.h"

static const hoop_response *without_reading(const hoop_request *req, void *data)
{
    return hoop_respond(req, 204);
}

static const hoop_response *never_called(const hoop_request *req, hoop_str body, void *data)
{
    fail_msg("%zu bytes are over the limit", body.len);
    return NULL;
}

static const hoop_response *with_reading(const hoop_request *req, void *data)
{
    return hoop_read_body(req, 0, never_called, NULL);
}

static void send_much(hoop_handler handler, int status)
{
    static char chunk[65536 + 9];
    struct test_client c = { 0 };
    hoop_limits limits = { .max_body = 1048576, .linger_ms = 100 };
    hoop_server *server =
        test_server_start(handler, &(hoop_server_options){ HOOP_LIMITS(&limits) });
    memset(chunk, 'x', sizeof chunk);
    memcpy(chunk, "10000\r\n", 7);
    memcpy(chunk + sizeof chunk - 2, "\r\n", 2);
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 1024; i++)
        if (test_send_some(&c, chunk, sizeof chunk) < sizeof chunk)
            break;
    /* Read are the limit, what a lingering close may drop, and a buffer or two. */
    test_until_connections(server, 0);
    assert_true(regress_stats(server).bytes_in < 2 * limits.max_body);
    if (status == 204) {
        /* What stood in the sending queue was lost with the reset, so the answer may be, too. */
        test_read_end(&c);
    } else if (test_read_end(&c) > 12) {
        c.data[12] = 0;
        assert_string_equal(c.data, "HTTP/1.1 413");
    }
    test_close(&c);
    test_server_stop(server);
}

static void test(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    send_much(hoop_streaming(arena, hoop_fn(without_reading, NULL)), 204);
    send_much(hoop_streaming(arena, hoop_fn(with_reading, NULL)), 413);
    hoop_arena_free(arena);
}

REGRESS(test)
