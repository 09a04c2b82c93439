/* A stream to a client that asked for a close got its head, but no body. */
#include "source.h"

static const hoop_response *stream(const hoop_request *req, void *data)
{
    return test_source_respond(req, 100000, 999, /* known= */ 0, /* endless= */ 0);
}

static void test(void **state)
{
    static const struct {
        const char *request, *coding;
        int closes;
    } cases[] = {
        { "GET / HTTP/1.1\r\nHost: a\r\n\r\n", "chunked", 0 },
        { "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "chunked", 1 },
        { "GET / HTTP/1.0\r\n\r\n", NULL, 1 },
        { "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", NULL, 1 },
    };
    hoop_server *server = test_server_start(hoop_fn(stream, NULL), &(hoop_server_options){ 0 });
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        struct test_client c = { 0 };
        struct test_answer answer;
        test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
        test_send(&c, cases[i].request);
        if (cases[i].coding) {
            test_answer(&c, &answer);
            assert_non_null(strstr(answer.head, "Transfer-Encoding: chunked"));
            assert_int_equal(answer.body_len, 100000);
        } else {
            test_answer_head(&c, &answer);
            assert_null(strstr(answer.head, "Transfer-Encoding"));
            assert_null(strstr(answer.head, "Content-Length"));
            assert_int_equal(test_read_end(&c), 100000);
            c.len = 0;
        }
        assert_int_equal(strstr(answer.head, "Connection: close") != NULL, cases[i].closes);
        if (cases[i].closes)
            test_expect_end(&c);
        test_close(&c);
    }
    test_server_stop(server);
}

REGRESS(test)
