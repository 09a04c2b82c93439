/* Chunk extensions were refused, and trailers left unread, so that the next request was garbage. */
#include "regress.h"

static const hoop_response *echo(const hoop_request *req, hoop_str body, void *data)
{
    hoop_str trailer = hoop_trailer(req, "X-T");
    assert_true(hoop_str_is_none(hoop_header(req, "X-T")));
    return hoop_textf(req, 200, "%s|%s", body.data, trailer.data ? trailer.data : "");
}

static const hoop_response *read_it(const hoop_request *req, void *data)
{
    return hoop_read_body(req, 0, echo, NULL);
}

static void refuses(hoop_server *server, const char *start, int status)
{
    static char flood[65536];
    struct test_client c = { 0 };
    struct test_answer answer;
    memset(flood, 'x', sizeof flood);
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    test_send(&c, start);
    test_send_bytes(&c, flood, sizeof flood);
    test_answer(&c, &answer);
    assert_int_equal(answer.status, status);
    test_expect_end(&c);
    test_close(&c);
}

static void test(void **state)
{
    hoop_server *server = test_server_start(hoop_fn(read_it, NULL), &(hoop_server_options){ 0 });
    struct test_client c = { 0 };
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                  "5;n=\"v\"\r\nhello\r\n0\r\nX-T: 1\r\n\r\n" REGRESS_GET);
    test_expect(&c, 200, "hello|1");
    test_expect(&c, 200, "|");
    test_close(&c);
    refuses(server, "5;", 400);
    refuses(server, "0\r\nX-T: ", 431);
    test_server_stop(server);
}

REGRESS(test)
