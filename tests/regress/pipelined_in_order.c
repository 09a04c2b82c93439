/* Answers to pipelined requests came in the order in which their handlers were ready. */
#include "regress.h"

#include <stdatomic.h>

static hoop_deferred *_Atomic owed;

static const hoop_response *by_path(const hoop_request *req, void *data)
{
    if (hoop_str_eq_c(req->uri, "/missing"))
        return hoop_pass(req);
    if (!hoop_str_eq_c(req->uri, "/slow"))
        return hoop_text(req, 200, req->uri.data);
    hoop_deferred *d = hoop_defer(req);
    const hoop_response *res = hoop_deferred_response(d);
    atomic_store(&owed, d);
    return res;
}

static void test(void **state)
{
    hoop_server *server = test_server_start(hoop_fn(by_path, NULL), &(hoop_server_options){ 0 });
    struct test_client c = { 0 }, other = { 0 };
    struct test_answer answer;
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_connect(&other, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, "GET /slow HTTP/1.1\r\nHost: a\r\n\r\nGET /fast HTTP/1.1\r\nHost: a\r\n\r\n"
                  "HEAD /head HTTP/1.1\r\nHost: a\r\n\r\nGET /missing HTTP/1.1\r\nHost: a\r\n\r\n");
    test_until_requests(server, 1);
    test_send(&other, "GET /other HTTP/1.1\r\nHost: a\r\n\r\n");
    test_expect(&other, 200, "/other"); /* the slow one blocks nobody else */
    test_expect_silence(&c);
    hoop_deferred *d = atomic_load(&owed);
    assert_int_equal(hoop_resolve(d, hoop_text(hoop_deferred_request(d), 200, "slow")), 0);
    test_expect(&c, 200, "slow");
    test_expect(&c, 200, "/fast");
    test_answer_head(&c, &answer);
    assert_non_null(strstr(answer.head, "Content-Length: 5"));
    test_answer(&c, &answer);
    assert_int_equal(answer.status, 404);
    test_close(&c);
    test_close(&other);
    test_server_stop(server);
}

REGRESS(test)
