/* The two copies of llhttp must read alike: heads, and heads with a byte changed, whole and cut. */
#include "support.h"

#include "http1/parser.h"

#include <string.h>

#ifdef HOOP__LLHTTP_FAST

static int pause_parser(llhttp_t *parser)
{
    (void)parser;
    return HPE_PAUSED;
}

static const llhttp_settings_t settings = {
    .on_headers_complete = pause_parser,
    .on_message_complete = pause_parser,
};

static const char *const heads[] = {
    "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
    "GET /plaintext?a=1&b=%20 HTTP/1.1\r\nHost: www.example.com:8080\r\n"
    "Accept: text/plain,text/html;q=0.9,application/xhtml+xml;q=0.9\r\n"
    "Connection: keep-alive\r\n\r\n",
    "POST http://a.example/x/y HTTP/1.1\r\nHost: a\r\nContent-Length: 12345\r\n"
    "Content-Type:  application/json \r\n\r\n",
    "PUT / HTTP/1.0\r\nConnection: close, keep-alive, upgrade\r\nUpgrade: h2c\r\n\r\n",
    "PATCH /a-long-path-with-many-bytes/and-more HTTP/1.1\r\nTransfer-Encoding: chunked\r\n"
    "X-Long-Name-Of-A-Field-That-Nobody-Knows: a value of some length, with (signs) \"\x80\xff\"\r\n"
    "Expect: 100-continue\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost:\r\nCookie: session=6f1d2c9ab4e07835; theme=dark\r\n"
    "Proxy-Connection: keep-alive\r\n\r\n",
};

static const unsigned char bytes[] = { 0,   '\t', '\n', '\r', ' ',  ',',  ':', ';',
                                       '0', 'A',  'z',  '{',  0x7f, 0x80, 0xff };

typedef int execute_fn(llhttp_t *parser, const char *data, const char *end);

static int execute_plain(llhttp_t *parser, const char *data, const char *end)
{
    return (int)llhttp_execute(parser, data, (size_t)(end - data));
}

/* Reads up to `cut`, then the rest. */
static int run(execute_fn *execute, llhttp_t *parser, const char *data, size_t len, size_t cut)
{
    llhttp_init(parser, HTTP_REQUEST, &settings);
    int rc = cut ? execute(parser, data, data + cut) : HPE_OK;
    return rc == HPE_OK && cut < len ? execute(parser, data + cut, data + len) : rc;
}

static void compare(const char *data, size_t len, size_t cut)
{
    llhttp_t plain, fast;
    int rc = run(execute_plain, &plain, data, len, cut);
    assert_int_equal(run(hoop__llhttp_fast_execute, &fast, data, len, cut), rc);
    assert_int_equal(fast.flags, plain.flags);
    assert_int_equal(fast.method, plain.method);
    assert_int_equal(fast.http_major, plain.http_major);
    assert_int_equal(fast.http_minor, plain.http_minor);
    assert_int_equal(fast.upgrade, plain.upgrade);
    assert_true(fast.content_length == plain.content_length);
    assert_ptr_equal(fast.error_pos, plain.error_pos);
    assert_ptr_equal(fast._current, plain._current);
}

static void test_every_cut(void **state)
{
    if (!hoop__llhttp_has_fast())
        skip();
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        size_t len = strlen(heads[i]);
        for (size_t cut = 0; cut <= len; cut++)
            compare(heads[i], len, cut);
    }
}

static void test_every_byte_changed(void **state)
{
    char copy[512];
    if (!hoop__llhttp_has_fast())
        skip();
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        size_t len = strlen(heads[i]);
        for (size_t at = 0; at < len; at++) {
            memcpy(copy, heads[i], len);
            for (size_t b = 0; b < sizeof bytes; b++) {
                copy[at] = (char)bytes[b];
                compare(copy, len, 0);
                compare(copy, len, at);
                compare(copy, len, at + 1);
            }
        }
    }
}

/* Like the other copy (head.c), it must be the strict parser. */
static void test_is_strict(void **state)
{
    llhttp_t parser;
    static const char text[] = "GET / HTTP/1.1\r\n\rX";
    if (!hoop__llhttp_has_fast())
        skip();
    llhttp_init(&parser, HTTP_REQUEST, &settings);
    int rc = hoop__llhttp_fast_execute(&parser, text, text + sizeof text - 1);
    assert_int_not_equal(rc, HPE_OK);
#if LLHTTP_VERSION_MAJOR < 9
    assert_int_equal(rc, HPE_STRICT);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_cut),
        cmocka_unit_test(test_every_byte_changed),
        cmocka_unit_test(test_is_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void)
{
    return 77; /* llhttp is the system's: there is one copy */
}

#endif
