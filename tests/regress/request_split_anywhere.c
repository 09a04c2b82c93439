/* A request that came in two segments was refused, since its first line was taken for whole. */
#include "regress.h"

static const hoop_response *echo(const hoop_request *req, hoop_str body, void *data)
{
    return hoop_textf(req, 200, "%s %s %s", req->method.data, req->uri.data, body.data);
}

static const hoop_response *read_it(const hoop_request *req, void *data)
{
    return hoop_read_body(req, 0, echo, NULL);
}

static void test(void **state)
{
    static const struct {
        const char *request, *answer;
    } cases[] = {
        { "GET /a HTTP/1.1\r\nHost: a\r\n\r\n", "GET /a " },
        { "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello", "POST /b hello" },
        { "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
          "2\r\nhe\r\n3;x=\"y\"\r\nllo\r\n0\r\nT: v\r\n\r\n",
          "POST /c hello" },
    };
    hoop_server *server = test_server_start(hoop_fn(read_it, NULL), &(hoop_server_options){ 0 });
    struct test_client c = { 0 };
    uint64_t sent = 0;
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        size_t len = strlen(cases[i].request);
        for (size_t cut = 1; cut < len; cut++) {
            test_send_bytes(&c, cases[i].request, cut);
            regress_until(server, bytes_in, sent + cut);
            test_send(&c, cases[i].request + cut);
            sent += len;
            test_expect(&c, 200, cases[i].answer);
        }
    }
    test_close(&c);
    test_server_stop(server);
}

REGRESS(test)
