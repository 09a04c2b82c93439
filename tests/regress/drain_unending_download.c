/* A download without end, or an answer that never came, kept a server that was to end running. */
#include "source.h"

static atomic_int dones;

static void on_done(const hoop_done *done, void *data)
{
    assert_int_equal(done->code, HOOP_ECANCELED);
    atomic_fetch_add(&dones, 1);
}

static const hoop_response *by_path(const hoop_request *req, void *data)
{
    hoop_on_done(req, on_done, NULL);
    if (hoop_str_eq_c(req->uri, "/large"))
        return test_source_respond(req, UINT64_C(1) << 40, 65536, /* known= */ 1, 0);
    if (hoop_str_eq_c(req->uri, "/events"))
        return test_source_respond(req, 10, 5, 0, /* endless= */ 1);
    return hoop_deferred_response(hoop_defer(req)); /* nobody ever resolves it */
}

static void test(void **state)
{
    static const char *const requests[] = {
        "GET /large HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /events HTTP/1.1\r\nHost: a\r\n\r\n",
        "POST /large HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nsome of it",
    };
    hoop_server *server = test_server_start(hoop_fn(by_path, NULL), &(hoop_server_options){ 0 });
    struct test_client c[HOOP_COUNT(requests)] = { 0 };
    for (size_t i = 0; i < HOOP_COUNT(requests); i++) {
        test_connect_small(&c[i], hoop_listener_port(server, 0), 4096);
        test_send(&c[i], requests[i]);
    }
    test_until_requests(server, 2);
    assert_int_equal(hoop_server_drain(server, 100, NULL, NULL), 0);
    assert_int_equal(hoop_server_wait(server), 0);
    hoop_server_free(server);
    assert_int_equal(atomic_load(&dones), 2); /* the third one's body never came */
    assert_int_equal(atomic_load(&test_finished), 2);
    for (size_t i = 0; i < HOOP_COUNT(requests); i++) {
        test_read_end(&c[i]);
        test_close(&c[i]);
    }
}

REGRESS(test)
