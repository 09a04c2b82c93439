/* Lint: each rule broken once, with the text that names it. */
#include "support.h"

#include "value/exchange.h"

#include <stdio.h>

/* --- requests -------------------------------------------------------------------------------- */

/* A right request, to break in one place; the public struct is what a foreign hand could touch. */
static hoop_request *right_request(hoop_arena *arena)
{
    const hoop_request *req = hoop_mock(arena, "GET", "/a/b%20c?d=e&f", NULL);
    req = hoop_mock_header(req, "x-a", "b \xe4 c");
    req = hoop_mock_header(req, "x-a", "");
    assert_non_null(req);
    return &hoop__request_of(req)->pub;
}

static void refuse_request(const hoop_request *req, const char *text)
{
    hoop_error error = { 0 };
    assert_int_equal(hoop_lint_request(req, &error), HOOP_EINVAL);
    assert_int_equal(error.code, HOOP_EINVAL);
    assert_string_equal(error.text, text);
    assert_int_equal(hoop_lint_request(req, NULL), HOOP_EINVAL);
}

static void test_right_requests(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_error error = { 5, "untouched" };
    assert_int_equal(hoop_lint_request(right_request(arena), &error), 0);
    assert_int_equal(error.code, 5);
    assert_int_equal(hoop_lint_request(hoop_mock(arena, "x-odd~", "/", "body"), NULL), 0);
    assert_int_equal(hoop_lint_request(hoop_mock(arena, "GET", "https://h/?", NULL), NULL), 0);
    assert_int_equal(hoop_lint_request(hoop_app_request(arena), NULL), 0);
    static const char *const schemes[] = { "http", "https", "ws", "wss" };
    static const char *const protocols[] = { "HTTP/1.1", "HTTP/1.0", "HTTP/2", "HTTP/2.0",
                                             "HTTP/3" };
    for (size_t i = 0; i < HOOP_COUNT(schemes); i++) {
        hoop_request *req = right_request(arena);
        req->scheme = hoop_str_c(schemes[i]);
        assert_int_equal(hoop_lint_request(req, NULL), 0);
    }
    for (size_t i = 0; i < HOOP_COUNT(protocols); i++) {
        hoop_request *req = right_request(arena);
        req->protocol = hoop_str_c(protocols[i]);
        assert_int_equal(hoop_lint_request(req, NULL), 0);
    }
    hoop_request *req = right_request(arena);
    req->method = hoop_str_c("OPTIONS");
    req->method_number = HOOP_METHOD_OPTIONS;
    req->uri = hoop_str_c("*");
    assert_int_equal(hoop_lint_request(req, NULL), 0);
    hoop_arena_free(arena);
}

static void test_no_request(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    refuse_request(NULL, "there is no request");
    hoop_request *req = right_request(arena);
    req->arena = NULL;
    refuse_request(req, "the request has no arena");
    req = right_request(arena);
    req->headers = NULL;
    refuse_request(req, "the request counts 3 headers, but has none");
    hoop_arena_free(arena);
}

#define REFUSE_MEMBER(member, value, text)           \
    do {                                             \
        hoop_request *broken = right_request(arena); \
        broken->member = (value);                    \
        refuse_request(broken, (text));              \
    } while (0)

static void test_request_line(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    REFUSE_MEMBER(method, hoop_str_c(""), "the method '' is no token");
    REFUSE_MEMBER(method, hoop_str_c("G(T"), "the method 'G(T' is no token");
    REFUSE_MEMBER(method, hoop_str_n("GET\0", 4), "the method 'GET?' is no token");
    REFUSE_MEMBER(method, hoop_str_c("POST"), "the method 'POST' does not have the number 1");
    REFUSE_MEMBER(method_number, 2, "the method 'GET' does not have the number 2");
    REFUSE_MEMBER(scheme, hoop_str_c("HTTP"), "the scheme 'HTTP' is not http, https, ws or wss");
    REFUSE_MEMBER(scheme, hoop_str_none(), "the scheme '' is not http, https, ws or wss");
    REFUSE_MEMBER(protocol, hoop_str_c(""), "the protocol '' is not like 'HTTP/1.1'");
    REFUSE_MEMBER(protocol, hoop_str_c("http/1.1"),
                  "the protocol 'http/1.1' is not like 'HTTP/1.1'");
    REFUSE_MEMBER(protocol, hoop_str_c("HTTP/1."), "the protocol 'HTTP/1.' is not like 'HTTP/1.1'");
    REFUSE_MEMBER(protocol, hoop_str_c("HTTP/1x1"),
                  "the protocol 'HTTP/1x1' is not like 'HTTP/1.1'");
    REFUSE_MEMBER(protocol, hoop_str_c("HTTP/1.10"),
                  "the protocol 'HTTP/1.10' is not like 'HTTP/1.1'");
    REFUSE_MEMBER(uri, hoop_str_c(""), "the uri '' does not begin with '/'");
    REFUSE_MEMBER(uri, hoop_str_c("http://a/"), "the uri 'http://a/' does not begin with '/'");
    REFUSE_MEMBER(uri, hoop_str_c("*"), "the uri '*' is for OPTIONS, not for 'GET'");
    REFUSE_MEMBER(uri, hoop_str_c("/a b"),
                  "the uri '/a b' has a blank, a control character, '?' or '#'");
    REFUSE_MEMBER(uri, hoop_str_c("/a?b"),
                  "the uri '/a?b' has a blank, a control character, '?' or '#'");
    REFUSE_MEMBER(uri, hoop_str_c("/a#b"),
                  "the uri '/a#b' has a blank, a control character, '?' or '#'");
    REFUSE_MEMBER(uri, hoop_str_n("/a\0", 3),
                  "the uri '/a?' has a blank, a control character, '?' or '#'");
    REFUSE_MEMBER(uri, hoop_str_c("/\x7f"),
                  "the uri '/?' has a blank, a control character, '?' or '#'");
    REFUSE_MEMBER(query_string, hoop_str_c("a b"),
                  "the query string 'a b' has a blank, a control character or '#'");
    REFUSE_MEMBER(query_string, hoop_str_c("a#"),
                  "the query string 'a#' has a blank, a control character or '#'");
    REFUSE_MEMBER(query_string, hoop_str_n("\0", 1),
                  "the query string '?' has a blank, a control character or '#'");
    hoop_arena_free(arena);
}

static void refuse_field(hoop_arena *arena, hoop_str name, hoop_str value, const char *text)
{
    hoop_request *req = right_request(arena);
    hoop_field fields[2] = { { hoop_str_c("a"), hoop_str_c("b") }, { name, value } };
    req->headers = fields;
    req->header_count = 2;
    refuse_request(req, text);
}

static void test_request_headers(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str ok = hoop_str_c("x");
    refuse_field(arena, hoop_str_c(""), ok, "the header name '' is no token");
    refuse_field(arena, hoop_str_c("a b"), ok, "the header name 'a b' is no token");
    refuse_field(arena, hoop_str_c("a:"), ok, "the header name 'a:' is no token");
    refuse_field(arena, hoop_str_c("\xc3\xa4"), ok, "the header name '\xc3\xa4' is no token");
    refuse_field(arena, hoop_str_n("a\0", 2), ok, "the header name 'a?' is no token");
    refuse_field(arena, hoop_str_c("Accept"), ok, "the header name 'Accept' is not in lower case");
    refuse_field(arena, ok, hoop_str_c("a\r\nb"),
                 "the value of header 'x' has a control character: 'a??b'");
    refuse_field(arena, ok, hoop_str_n("a\0b", 3),
                 "the value of header 'x' has a control character: 'a?b'");
    refuse_field(arena, ok, hoop_str_c("\x7f"),
                 "the value of header 'x' has a control character: '?'");
    refuse_field(arena, ok, hoop_str_c(" a"), "the value of header 'x' has blanks around it: ' a'");
    refuse_field(arena, ok, hoop_str_c("a\t"),
                 "the value of header 'x' has blanks around it: 'a?'");
    hoop_arena_free(arena);
}

/* Long values are cut, never within a character, and the text stays whole. */
static void test_long_values(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    char name[300];
    memset(name, 'N', sizeof name);
    refuse_field(
        arena, hoop_str_n(name, 300), hoop_str_c(""),
        "the header name 'NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN...' "
        "is not in lower case");
    refuse_field(arena, hoop_str_n(name, 60), hoop_str_c(""),
                 "the header name 'NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN' "
                 "is not in lower case");
    memcpy(name + 58, "\xf0\x9f\x98\x80", 4);
    refuse_field(arena, hoop_str_n(name, 70), hoop_str_c(""),
                 "the header name 'NNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN...' "
                 "is no token");
    memset(name, 0x80, sizeof name);
    refuse_field(arena, hoop_str_n(name, 300), hoop_str_c(""), "the header name '...' is no token");
    hoop_arena_free(arena);
}

/* --- responses ------------------------------------------------------------------------------- */

static void refuse_response(const hoop_request *req, const hoop_response *res, const char *text)
{
    hoop_error error = { 0 };
    assert_int_equal(hoop_lint_response(req, res, &error), HOOP_EINVAL);
    assert_int_equal(error.code, HOOP_EINVAL);
    assert_string_equal(error.text, text);
    assert_int_equal(hoop_lint_response(req, res, NULL), HOOP_EINVAL);
}

static void take_response(const hoop_request *req, const hoop_response *res)
{
    hoop_error error = { 5, "untouched" };
    if (hoop_lint_response(req, res, &error))
        fail_msg("%s", error.text);
    assert_int_equal(error.code, 5);
}

/* Without the checks of hoop_add_header(), as a foreign hand would do it. */
static const hoop_response *with_field(hoop_arena *arena, const hoop_response *res, hoop_str name,
                                       hoop_str value)
{
    struct hoop__response *copy = hoop_arena_alloc(arena, sizeof *copy);
    hoop_field *fields = hoop_arena_alloc(arena, (res->header_count + 1) * sizeof *fields);
    *copy = *hoop__response_of(res);
    for (size_t i = 0; i < res->header_count; i++)
        fields[i] = res->headers[i];
    fields[res->header_count].name = name;
    fields[res->header_count].value = value;
    copy->pub.headers = fields;
    copy->pub.header_count++;
    return &copy->pub;
}

static const hoop_response *with_length(hoop_arena *arena, const hoop_response *res,
                                        const char *value)
{
    return with_field(arena, res, hoop_str_c("Content-Length"), hoop_str_c(value));
}

static void test_right_responses(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_app_request(arena);
    take_response(req, hoop_text(req, 200, "Hello"));
    take_response(NULL, hoop_text(req, 599, ""));
    take_response(req, hoop_respond(req, 200));
    take_response(req, hoop_respond(req, 204));
    take_response(req, hoop_respond(req, 304));
    take_response(req, hoop_bytes(req, 205, NULL, hoop_str_c("")));
    take_response(req, hoop_add_header(req, hoop_text(req, 200, "x"), "Set-Cookie", "a=\xe4"));
    hoop_arena_free(arena);
}

static const hoop_response *pend(const hoop_request *req, void *data)
{
    hoop_deferred *deferred = hoop_defer(req);
    const hoop_response *res = hoop_deferred_response(deferred);
    refuse_response(req, res, "the response is pending");
    hoop_resolve(deferred, hoop_respond(hoop_deferred_request(deferred), 204));
    return res;
}

static void test_no_response(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    refuse_response(req, NULL, "there is no response");
    refuse_response(req, hoop_pass(req), "hoop_pass() is no response yet");
    assert_non_null(hoop_call_sync(hoop_fn(pend, NULL), req));

    struct hoop__response *res = hoop__response_of(hoop_respond(req, 200));
    res->pub.header_count = 2;
    res->pub.headers = NULL;
    refuse_response(req, &res->pub, "the response counts 2 headers, but has none");
    res = hoop__response_of(hoop_respond(req, 200));
    res->pub.body_kind = 9;
    refuse_response(req, &res->pub, "9 is no kind of body");
    static const int statuses[] = { 0, 100, 199, 600, -200 };
    for (size_t i = 0; i < HOOP_COUNT(statuses); i++) {
        char text[64];
        snprintf(text, sizeof text, "the status %d is not between 200 and 599", statuses[i]);
        res = hoop__response_of(hoop_respond(req, 200));
        res->pub.status = statuses[i];
        refuse_response(req, &res->pub, text);
    }
    hoop_arena_free(arena);
}

static void test_response_headers(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_app_request(arena);
    const hoop_response *res = hoop_text(req, 200, "x");
    hoop_str ok = hoop_str_c("x");
    refuse_response(req, with_field(arena, res, hoop_str_c("a b"), ok),
                    "the header name 'a b' is no token");
    refuse_response(req, with_field(arena, res, ok, hoop_str_c("a\nb")),
                    "the value of header 'x' has a control character: 'a?b'");
    refuse_response(req, with_field(arena, res, ok, hoop_str_c("a ")),
                    "the value of header 'x' has blanks around it: 'a '");
    static const char *const servers[] = { "Transfer-Encoding", "KEEP-ALIVE", "upgrade",
                                           "Proxy-Connection",  "TE",         "Trailer" };
    for (size_t i = 0; i < HOOP_COUNT(servers); i++) {
        char text[80];
        snprintf(text, sizeof text, "the header '%s' belongs to the server", servers[i]);
        refuse_response(req, with_field(arena, res, hoop_str_c(servers[i]), ok), text);
    }
    hoop_arena_free(arena);
}

static void test_content_length(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *get = hoop_mock(arena, "GET", "/", NULL);
    const hoop_request *head = hoop_mock(arena, "HEAD", "/", NULL);
    const hoop_response *five = hoop_bytes(get, 200, NULL, hoop_str_c("12345"));
    const hoop_response *none = hoop_respond(get, 200);
    take_response(get, with_length(arena, five, "5"));
    take_response(NULL, with_length(arena, five, "0005"));
    take_response(get, with_length(arena, none, "0"));
    take_response(head, with_length(arena, none, "5"));
    take_response(head, with_length(arena, five, "5"));
    take_response(get, with_length(arena, hoop_respond(get, 304), "18446744073709551615"));

    refuse_response(get, with_length(arena, five, "4"),
                    "the Content-Length '4' does not fit the body of 5 bytes");
    refuse_response(head, with_length(arena, five, "6"),
                    "the Content-Length '6' does not fit the body of 5 bytes");
    refuse_response(get, with_length(arena, none, "5"),
                    "the Content-Length '5' does not fit the body of 0 bytes");
    refuse_response(NULL, with_length(arena, none, "5"),
                    "the Content-Length '5' does not fit the body of 0 bytes");
    refuse_response(get, with_length(arena, with_length(arena, five, "5"), "5"),
                    "there is more than one Content-Length");
    static const char *const wrong[] = {
        "", "x", "-5", "+5", "5,5", "5.0", "0x5", "18446744073709551616", "99999999999999999999999"
    };
    for (size_t i = 0; i < HOOP_COUNT(wrong); i++) {
        char text[80];
        snprintf(text, sizeof text, "the Content-Length '%s' is no number", wrong[i]);
        refuse_response(get, with_length(arena, five, wrong[i]), text);
    }
    refuse_response(get, with_length(arena, hoop_respond(get, 204), "0"),
                    "a response with status 204 has a Content-Length");
    hoop_arena_free(arena);
}

static int no_pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    *ret_len = 0;
    return HOOP_EOF;
}

static void no_finished(struct hoop__source *source, int code)
{
}

static void test_streams(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    struct hoop__source known = { .pull = no_pull, .finished = no_finished, .length = 7 };
    struct hoop__source unknown = { .pull = no_pull,
                                    .finished = no_finished,
                                    .length = UINT64_MAX };
    const hoop_response *seven = hoop__respond_source(req, 200, NULL, &known);
    const hoop_response *any = hoop__respond_source(req, 200, NULL, &unknown);
    take_response(req, seven);
    take_response(req, any);
    take_response(req, with_length(arena, seven, "7"));
    take_response(req, with_length(arena, any, "8"));
    refuse_response(req, with_length(arena, seven, "8"),
                    "the Content-Length '8' does not fit the body of 7 bytes");
    hoop_arena_free(arena);
}

static void test_bodiless(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    static const int statuses[] = { 204, 205, 304 };
    for (size_t i = 0; i < HOOP_COUNT(statuses); i++) {
        /* In the arena, since it is given back with it. */
        struct hoop__source *source = hoop_arena_zalloc(arena, sizeof *source);
        source->pull = no_pull;
        source->finished = no_finished;
        char text[64];
        snprintf(text, sizeof text, "a response with status %d has a body", statuses[i]);
        refuse_response(req, hoop_text(req, statuses[i], "x"), text);
        refuse_response(req, hoop__respond_source(req, statuses[i], NULL, source), text);
        take_response(req, hoop_text(req, statuses[i], ""));
    }
    hoop_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right_requests), cmocka_unit_test(test_no_request),
        cmocka_unit_test(test_request_line),   cmocka_unit_test(test_request_headers),
        cmocka_unit_test(test_long_values),    cmocka_unit_test(test_right_responses),
        cmocka_unit_test(test_no_response),    cmocka_unit_test(test_response_headers),
        cmocka_unit_test(test_content_length), cmocka_unit_test(test_streams),
        cmocka_unit_test(test_bodiless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
