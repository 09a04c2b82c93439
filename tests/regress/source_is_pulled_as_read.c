/* The whole of a streamed body was made and kept before the client had read its first byte. */
#include "source.h"

#define SIZE ((uint64_t)400 * 1024 * 1024)

static const hoop_response *by_path(const hoop_request *req, void *data)
{
    if (hoop_str_eq_c(req->uri, "/small"))
        return hoop_text_static(req, 200, "small");
    return test_source_respond(req, SIZE, 65536, /* known= */ 1, 0);
}

static int is_finished(void *data)
{
    return atomic_load(&test_finished) > 0;
}

static void test(void **state)
{
    hoop_server *server = test_server_start(hoop_fn(by_path, NULL), &(hoop_server_options){ 0 });
    struct test_client c = { 0 }, other = { 0 };
    test_connect_small(&c, hoop_listener_port(server, 0), 65536);
    test_connect(&other, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, REGRESS_GET);
    test_read(&c, 1024 * 1024);
    /* Nothing is read any more; the loop gets time enough to pull much more than it should. */
    for (int i = 0; i < 500; i++) {
        test_send(&other, "GET /small HTTP/1.1\r\nHost: a\r\n\r\n");
        test_expect(&other, 200, "small");
    }
    hoop_stats stats = regress_stats(server);
    assert_true(stats.bytes_out < SIZE / 4); /* what the kernel's buffers hold */
    assert_true(atomic_load(&test_pulled) < stats.bytes_out + 2 * 1024 * 1024);
    test_close(&c);
    test_until(is_finished, NULL);
    assert_int_equal(atomic_load(&test_finish_code), HOOP_EGONE);
    test_close(&other);
    test_server_stop(server);
}

REGRESS(test)
