/* The request line: methods, the forms of a target, versions, and what stands for Host. */
#include "driver.h"

#define REST " HTTP/1.1\r\nHost: a\r\n\r\n"

/* --- methods ---------------------------------------------------------------------------------- */

static void test_methods(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned number;
    } known[] = {
        { "GET", HOOP_METHOD_GET },
        { "POST", HOOP_METHOD_POST },
        { "PUT", HOOP_METHOD_PUT },
        { "DELETE", HOOP_METHOD_DELETE },
        { "PATCH", HOOP_METHOD_PATCH },
        { "TRACE", HOOP_METHOD_TRACE },
        { "OPTIONS", HOOP_METHOD_OPTIONS },
        { "ACL", 0 },
        { "BIND", 0 },
        { "CHECKOUT", 0 },
        { "COPY", 0 },
        { "LINK", 0 },
        { "LOCK", 0 },
        { "MERGE", 0 },
        { "MKACTIVITY", 0 },
        { "MKCALENDAR", 0 },
        { "MKCOL", 0 },
        { "MOVE", 0 },
        { "M-SEARCH", 0 },
        { "NOTIFY", 0 },
        { "PROPFIND", 0 },
        { "PROPPATCH", 0 },
        { "PURGE", 0 },
        { "REBIND", 0 },
        { "REPORT", 0 },
        { "SEARCH", 0 },
        { "SUBSCRIBE", 0 },
        { "UNBIND", 0 },
        { "UNLINK", 0 },
        { "UNLOCK", 0 },
        { "UNSUBSCRIBE", 0 },
    };
    for (size_t i = 0; i < HOOP_COUNT(known); i++) {
        char input[128], shown[128];
        snprintf(input, sizeof input, "%s /" REST, known[i].name);
        snprintf(shown, sizeof shown, "%s %u http HTTP/1.1 /\nhost=a\n", known[i].name,
                 known[i].number);
        driver_each_split(show, NULL, NULL, input, strlen(input), ok(shown, ""), 0);
    }
}

static void test_unknown_methods(void **state)
{
    (void)state;
    static const char *const names[] = { "get",  "GETX",   "GE",    "G",        "CONNECT",
                                         "PRI",  "SOURCE", "QUERY", "DESCRIBE", "!#$%&'*+-.^_`|~",
                                         "POSTS" };
    for (size_t i = 0; i < HOOP_COUNT(names); i++) {
        char input[128];
        snprintf(input, sizeof input, "%s /" REST, names[i]);
        driver_refuses(show, NULL, NULL, input, 501);
    }
    driver_refuses(show, NULL, NULL, "CONNECT a:443 HTTP/1.1\r\nHost: a:443\r\n\r\n", 501);
}

/* --- the line --------------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *line;
        int status;
    } cases[] = {
        { "G@T / HTTP/1.1", 400 },
        { " / HTTP/1.1", 400 },
        { "GET  / HTTP/1.1", 400 },
        { "GET /  HTTP/1.1", 400 },
        { "GET / HTTP/1.1 ", 400 },
        { "GET\t/ HTTP/1.1", 400 },
        { "GET /\tHTTP/1.1", 400 },
        { "GET /", 400 },
        { "GET", 400 },
        { "GET HTTP/1.1", 400 },
        { "GET / x HTTP/1.1", 400 },
        { "\xffGET / HTTP/1.1", 400 },
        { "GET / http/1.1", 400 },
        { "GET / HTTP/1.10", 400 },
        { "GET / HTTP/1", 400 },
        { "GET / HTTP/1,1", 400 },
        { "GET / HTTP/+1.1", 400 },
        { "GET / HTTP/1.a", 400 },
        { "GET / RTSP/1.0", 400 },
        { "GET / HTTP/0.9", 505 },
        { "GET / HTTP/2.0", 505 },
        { "GET / HTTP/9.9", 505 },
        { "PRI * HTTP/2.0", 505 },
        { "GET /a#b HTTP/1.1", 400 },
        { "GET /a?b#c HTTP/1.1", 400 },
        { "GET /\x80 HTTP/1.1", 400 },
        { "GET /a?\xff HTTP/1.1", 400 },
        { "GET foo HTTP/1.1", 400 },
        { "GET * HTTP/1.1", 400 },
        { "OPTIONS *x HTTP/1.1", 400 },
        { "OPTIONS *?x HTTP/1.1", 400 },
        { "GET a:80 HTTP/1.1", 400 },
        { "GET ?x HTTP/1.1", 400 },
        { "GET ftp://a/ HTTP/1.1", 400 },
        { "GET http:/a HTTP/1.1", 400 },
        { "GET http:///x HTTP/1.1", 400 },
        { "GET http:// HTTP/1.1", 400 },
        { "GET http://?x HTTP/1.1", 400 },
        { "GET http://u@a/ HTTP/1.1", 400 },
        { "GET http://a:x/ HTTP/1.1", 400 },
        { "GET http://a:80:80/ HTTP/1.1", 400 },
        { "GET http://a:70000/ HTTP/1.1", 400 },
        { "GET http://[::1/ HTTP/1.1", 400 },
        { "GET http://a%zz/ HTTP/1.1", 400 },
        { "GET http://:80/ HTTP/1.1", 400 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char input[256];
        snprintf(input, sizeof input, "%s\r\nHost: a\r\n\r\n", cases[i].line);
        driver_refuses(show, NULL, NULL, input, cases[i].status);
    }
}

/* What is wrong is told as soon as it is seen, not only when the head is complete. */
static void test_early(void **state)
{
    (void)state;
    static const struct {
        const char *input;
        int status;
    } cases[] = {
        { "\x16\x03\x01\x02", 400 },   { "GET / HTTP/1.1\n", 400 },   { "GET /\r\n", 400 },
        { "GET / HTTP/2.0\r\n", 505 }, { "EHLO a\r\n", 400 },         { "GET / HTTP/1.1\rX", 400 },
        { "PRI * HTTP/2.0\r\n", 505 }, { "FOO / HTTP/1.1\r\n", 501 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++)
        driver_refuses(show, NULL, NULL, cases[i].input, cases[i].status);
}

static void test_versions(void **state)
{
    (void)state;
    for (int minor = 1; minor < 10; minor++) {
        char input[128], shown[128], want[1024];
        snprintf(input, sizeof input,
                 "POST / HTTP/1.%d\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                 minor);
        snprintf(shown, sizeof shown,
                 "POST 3 http HTTP/1.%d /\nhost=a\ntransfer-encoding=chunked\n", minor);
        strcpy(want, ok(shown, CLOSE_LINE)); /* the body was not read */
        driver_each_split(show, NULL, NULL, input, strlen(input), want, 2);
        driver_each_split(echo_text, NULL, NULL, input, strlen(input), ok("", ""), 0);
    }
    const char old[] = "GET / HTTP/1.0\r\n\r\n";
    driver_each_split(show, NULL, NULL, old, strlen(old), ok("GET 1 http HTTP/1.0 /\n", CLOSE_LINE),
                      2);
}

/* --- targets ---------------------------------------------------------------------------------- */

static void test_targets(void **state)
{
    (void)state;
    static const struct {
        const char *line, *shown, *host;
    } cases[] = {
        { "GET /", "GET 1 http HTTP/1.1 /", "a" },
        { "GET //a//b/", "GET 1 http HTTP/1.1 //a//b/", "a" },
        { "GET /a?", "GET 1 http HTTP/1.1 /a ?", "a" },
        { "GET /a?b?c", "GET 1 http HTTP/1.1 /a ?b?c", "a" },
        { "GET /a/b;p=1/~c?x=1&y=%20+'()*,;:@/?",
          "GET 1 http HTTP/1.1 /a/b;p=1/~c ?x=1&y=%20+'()*,;:@/?", "a" },
        { "GET /a%2", "GET 1 http HTTP/1.1 /a%2", "a" },
        { "GET /a/long/path/of/more/than/sixteen/bytes?and=a&query=too",
          "GET 1 http HTTP/1.1 /a/long/path/of/more/than/sixteen/bytes ?and=a&query=too", "a" },
        { "OPTIONS *", "OPTIONS 6 http HTTP/1.1 *", "a" },
        { "GET http://b/x?y", "GET 1 http HTTP/1.1 /x ?y", "b" },
        { "GET HTTPS://B:81/x", "GET 1 http HTTP/1.1 /x", "B:81" },
        { "GET http://b", "GET 1 http HTTP/1.1 /", "b" },
        { "GET http://b?y", "GET 1 http HTTP/1.1 / ?y", "b" },
        { "GET http://b?y=/z", "GET 1 http HTTP/1.1 / ?y=/z", "b" },
        { "GET http://[::1]:8080/", "GET 1 http HTTP/1.1 /", "[::1]:8080" },
        { "OPTIONS http://b", "OPTIONS 6 http HTTP/1.1 *", "b" },
        { "OPTIONS http://b?", "OPTIONS 6 http HTTP/1.1 / ?", "b" },
        { "OPTIONS http://b/", "OPTIONS 6 http HTTP/1.1 /", "b" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char input[256], shown[256];
        snprintf(input, sizeof input, "%s HTTP/1.1\r\nX: 1\r\nHost: a\r\n\r\n", cases[i].line);
        snprintf(shown, sizeof shown, "%s\nx=1\nhost=%s\n", cases[i].shown, cases[i].host);
        driver_each_split(show, NULL, NULL, input, strlen(input), ok(shown, ""), 0);
    }
}

/* Without a Host field, which only HTTP/1.0 may leave out, the target's is put in. */
static void test_absolute_without_host(void **state)
{
    (void)state;
    const char input[] = "GET http://b:82/x HTTP/1.0\r\nX: 1\r\n\r\n";
    driver_each_split(show, NULL, NULL, input, strlen(input),
                      ok("GET 1 http HTTP/1.0 /x\nx=1\nhost=b:82\n", CLOSE_LINE), 2);
    driver_refuses(show, NULL, NULL, "GET http://b/x HTTP/1.1\r\n\r\n", 400);
    driver_refuses(show, NULL, NULL, "GET http://b/x HTTP/1.1\r\nHost: b c\r\n\r\n", 400);
}

static const hoop_response *name_server(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_textf(req, 200, "%s %u", hoop_server_name(req).data, hoop_server_port(req));
}

static void test_server_name(void **state)
{
    (void)state;
    const char input[] = "GET http://other:81/x HTTP/1.1\r\nHost: a\r\n\r\n";
    driver_each_split(name_server, NULL, NULL, input, strlen(input), ok("other 81", ""), 0);
}

/* A full table of fields, and still one to put in. */
static void test_absolute_at_the_limit(void **state)
{
    (void)state;
    char input[1024] = "GET http://b/x HTTP/1.0\r\n", shown[1024] = "GET 1 http HTTP/1.0 /x\n";
    for (int i = 0; i < HOOP__H1_FIELDS; i++) {
        strcat(input, "X: y\r\n");
        strcat(shown, "x=y\n");
    }
    strcat(input, "\r\n");
    strcat(shown, "host=b\n");
    driver_each_split(show, NULL, NULL, input, strlen(input), ok(shown, CLOSE_LINE), 2);
    const struct driver_options options = { .limits = { .max_headers = HOOP__H1_FIELDS } };
    driver_refuses(show, NULL, &options, input, 431);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_unknown_methods),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_early),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_absolute_without_host),
        cmocka_unit_test(test_server_name),
        cmocka_unit_test(test_absolute_at_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
