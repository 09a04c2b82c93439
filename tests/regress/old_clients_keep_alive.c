/* Clients of HTTP/1.0 that asked to keep the connection hung, or waited for an end that never came. */
#include "source.h"

static hoop_deferred *_Atomic owed;

static const hoop_response *by_path(const hoop_request *req, void *data)
{
    if (hoop_str_eq_c(req->uri, "/stream"))
        return test_source_respond(req, 1000, 100, /* known= */ 0, 0);
    if (!hoop_str_eq_c(req->uri, "/later"))
        return hoop_text_static(req, 200, "hello");
    hoop_deferred *d = hoop_defer(req);
    const hoop_response *res = hoop_deferred_response(d);
    atomic_store(&owed, d);
    return res;
}

static int is_owed(void *data)
{
    return atomic_load(&owed) != NULL;
}

static void test(void **state)
{
    hoop_limits limits = { .idle_ms = HOOP_OFF, .first_byte_ms = HOOP_OFF };
    hoop_server *server =
        test_server_start(hoop_fn(by_path, NULL), &(hoop_server_options){ HOOP_LIMITS(&limits) });
    struct test_client c = { 0 };
    struct test_answer answer;
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    for (int i = 0; i < 100; i++) {
        test_send(&c, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
        test_answer(&c, &answer);
        assert_string_equal(answer.body, "hello");
        assert_non_null(strstr(answer.head, "Connection: keep-alive"));
    }
    test_send(&c, "GET /stream HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    test_answer_head(&c, &answer);
    assert_int_equal(test_read_end(&c), 1000);
    test_close(&c);
    for (int i = 0; i < 10; i++) {
        test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
        test_send(&c, "GET /later HTTP/1.0\r\n\r\n");
        test_until(is_owed, NULL);
        hoop_deferred *d = atomic_exchange(&owed, NULL);
        assert_int_equal(hoop_resolve(d, hoop_text(hoop_deferred_request(d), 200, "late")), 0);
        test_expect(&c, 200, "late");
        test_expect_end(&c);
        test_close(&c);
    }
    test_server_stop(server);
}

REGRESS(test)
