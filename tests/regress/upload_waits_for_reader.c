/* A slow handler did not slow the upload down, so that all of it was kept in memory. */
#include "regress.h"

#include <stdatomic.h>

static hoop_deferred *_Atomic owed;

/* Takes its time before it looks at the body. */
static const hoop_response *slow(const hoop_request *req, void *data)
{
    hoop_deferred *d = hoop_defer(req);
    const hoop_response *res = hoop_deferred_response(d);
    atomic_store(&owed, d);
    return res;
}

static void send_upload(const char *head, const char *chunk, size_t len)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_limits limits = { .max_read_ahead = 10000 };
    hoop_server *server = test_server_start(hoop_streaming(arena, hoop_fn(slow, NULL)),
                                            &(hoop_server_options){ HOOP_LIMITS(&limits) });
    struct test_client c = { 0 };
    size_t sent = 0, n;
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, head);
    test_until_requests(server, 1);
    do {
        n = test_send_some(&c, chunk, len);
        sent += n;
    } while (n == len && sent < (size_t)200 * 1024 * 1024);
    /* The kernel's buffers are full, and of what came the server has read no more than it may. */
    assert_int_equal(regress_stats(server).bytes_in, strlen(head) + limits.max_read_ahead);
    assert_true(sent > limits.max_read_ahead);
    hoop_deferred *d = atomic_load(&owed);
    assert_int_equal(hoop_resolve(d, hoop_respond(hoop_deferred_request(d), 204)), 0);
    test_read_end(&c);
    test_close(&c);
    test_server_stop(server);
    hoop_arena_free(arena);
}

static void test(void **state)
{
    size_t len = 65536;
    char *chunk = malloc(len + 9);
    memset(chunk, 'x', len + 9);
    send_upload("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 209715200\r\n\r\n", chunk, len);
    memcpy(chunk, "10000\r\n", 7);
    memcpy(chunk + len + 7, "\r\n", 2);
    send_upload("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", chunk, len + 9);
    free(chunk);
}

REGRESS(test)
