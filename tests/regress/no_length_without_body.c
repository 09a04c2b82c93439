/* Responses that can have no body told of a length, and the client waited for it. */
#include "source.h"

static const hoop_response *by_path(const hoop_request *req, void *data)
{
    int status = atoi(req->uri.data + 1);
    if (req->query_string.len)
        return hoop_with_status(req, test_source_respond(req, 50, 7, 0, 0), status);
    return hoop_text(req, status, "a body that must not be sent");
}

static void test(void **state)
{
    static const struct {
        const char *method, *target;
        int length; /* may the head tell of one? */
    } cases[] = {
        { "GET", "/204", 0 },   { "GET", "/204?s", 0 }, { "GET", "/304", 0 },
        { "GET", "/304?s", 0 }, { "HEAD", "/200", 1 },  { "HEAD", "/200?s", 1 },
        { "HEAD", "/204", 0 },  { "HEAD", "/304", 0 },  { "HEAD", "/404", 1 },
        { "GET", "/205", 1 },   { "GET", "/205?s", 1 },
    };
    hoop_server *server = test_server_start(hoop_fn(by_path, NULL), &(hoop_server_options){ 0 });
    struct test_client c = { 0 };
    struct test_answer answer;
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char request[200];
        strcpy(request, cases[i].method);
        strcat(request, " ");
        strcat(request, cases[i].target);
        strcat(request, " HTTP/1.1\r\nHost: a\r\n\r\nGET /200 HTTP/1.1\r\nHost: a\r\n\r\n");
        test_send(&c, request);
        test_answer_head(&c, &answer);
        assert_int_equal(answer.status, atoi(cases[i].target + 1));
        if (!cases[i].length) {
            assert_null(strstr(answer.head, "Content-Length"));
            assert_null(strstr(answer.head, "Transfer-Encoding"));
        }
        /* The next answer stands directly behind that head. */
        test_expect(&c, 200, "a body that must not be sent");
    }
    test_close(&c);
    test_server_stop(server);
}

REGRESS(test)
