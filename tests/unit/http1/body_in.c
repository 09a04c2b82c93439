/* The request body: by length, expectations, bodies that nobody reads, slow and broken ones. */
#include "driver.h"

#define HEAD(fields) "POST / HTTP/1.1\r\nHost: a\r\n" fields "\r\n"
#define FIVE         HEAD("Content-Length: 5\r\n")
#define EXPECT       HEAD("Content-Length: 5\r\nExpect: 100-continue\r\n")
#define GET          "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define CONTINUE     "HTTP/1.1 100 Continue\r\n\r\n"

/* Two texts in one, in memory that the next call reuses. */
static const char *both(const char *a, const char *b)
{
    static char text[4096];
    size_t len = strlen(a);
    memmove(text, a, len);
    memmove(text + len, b, strlen(b) + 1);
    return text;
}

/* --- by length -------------------------------------------------------------------------------- */

static void test_length(void **state)
{
    (void)state;
    static const char input[] =
        FIVE "hello" HEAD("Content-Length: 0\r\n") HEAD("") HEAD("Content-Length: 3  \r\n") "abc";
    char want[4096];
    strcpy(want, ok("hello", ""));
    strcat(want, ok("", ""));
    strcat(want, ok("", ""));
    strcat(want, ok("abc", ""));
    driver_each_split(echo_text, NULL, NULL, input, sizeof input - 1, want, 0);
}

static void test_other_methods(void **state)
{
    (void)state;
    static const char input[] = "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello" GET;
    char want[4096];
    strcpy(want, ok("hello", ""));
    strcat(want, ok("", ""));
    driver_each_split(echo_text, NULL, NULL, input, sizeof input - 1, want, 0);
}

static void test_too_large(void **state)
{
    (void)state;
    const struct driver_options options = { .limits = { .max_body = 4, .max_discard = 4 } };
    struct driver d;
    driver_init(&d, echo_text, NULL, &options);
    driver_text(&d, FIVE);
    assert_non_null(strstr(d.got, "HTTP/1.1 413 "));
    assert_non_null(strstr(d.got, CLOSE_LINE));
    assert_int_equal(d.closed && d.linger, 1);
    driver_done(&d);

    driver_init(&d, echo_text, NULL, &options);
    driver_text(&d, HEAD("Transfer-Encoding: chunked\r\n") "4\r\nabcd\r\n");
    assert_int_equal(d.got_len, 0);
    driver_text(&d, "1\r\ne");
    assert_non_null(strstr(d.got, "HTTP/1.1 413 "));
    assert_non_null(strstr(d.got, CLOSE_LINE));
    assert_int_equal(d.closed && d.linger, 1);
    driver_done(&d);
}

/* --- nobody reads it -------------------------------------------------------------------------- */

static void test_discard(void **state)
{
    (void)state;
    static const char input[] = FIVE "GET /" GET;
    char want[4096];
    strcpy(want, ok("ok", ""));
    strcat(want, ok("ok", ""));
    driver_each_split(say, NULL, NULL, input, sizeof input - 1, want, 0);
    const struct driver_options five = { .limits = { .max_discard = 5 } };
    driver_each_split(say, NULL, &five, input, sizeof input - 1, want, 0);
    const struct driver_options four = { .limits = { .max_discard = 4 } };
    driver_each_split(say, NULL, &four, input, sizeof input - 1, ok("ok", CLOSE_LINE), 2);
}

/* How much is to come can't be told: the connection is given up. */
static void test_unread_chunks(void **state)
{
    (void)state;
    static const char input[] = HEAD("Transfer-Encoding: chunked\r\n") "1\r\na\r\n0\r\n\r\n" GET;
    driver_each_split(say, NULL, NULL, input, sizeof input - 1, ok("ok", CLOSE_LINE), 2);
}

/* --- Expect ----------------------------------------------------------------------------------- */

static void test_continue(void **state)
{
    (void)state;
    struct driver d;
    driver_init(&d, echo_text, NULL, NULL);
    driver_text(&d, EXPECT);
    assert_got(&d, CONTINUE);
    driver_text(&d, "hel");
    assert_got(&d, CONTINUE);
    driver_text(&d, "lo");
    assert_got(&d, both(CONTINUE, ok("hello", "")));
    assert_int_equal(d.closed, 0);
    driver_done(&d);
}

/* The body is there: no need to ask for it. */
static void test_continue_late(void **state)
{
    (void)state;
    static const char input[] = EXPECT "hello" HEAD("Expect: 100-CONTINUE\r\n");
    struct driver d;
    driver_init(&d, echo_text, NULL, NULL);
    driver_feed(&d, input, sizeof input - 1);
    assert_got(&d, both(ok("hello", ""), ok("", "")));
    driver_done(&d);
    driver_init(&d, echo_text, NULL, NULL);
    driver_text(&d, "POST / HTTP/1.0\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n");
    assert_int_equal(d.got_len, 0);
    driver_text(&d, "hello");
    assert_got(&d, ok("hello", CLOSE_LINE));
    driver_done(&d);
}

/* An answer without 100 before it: the client may or may not send the body, so nothing is sure. */
static void test_refused_expectation(void **state)
{
    (void)state;
    struct driver d;
    driver_init(&d, say, NULL, NULL);
    driver_text(&d, EXPECT);
    assert_got(&d, ok("ok", CLOSE_LINE));
    assert_int_equal(d.closed && d.linger, 1);
    driver_done(&d);
    driver_refuses(echo_text, NULL, NULL, HEAD("Expect: 200-ok\r\n"), 417);
}

static const hoop_response *late_echo(const hoop_request *req, const hoop_response *res,
                                      const void *value)
{
    (void)res;
    (void)value;
    return echo_text(req, NULL);
}

/* Reads the body only when the test says so. */
static const hoop_response *read_late(const hoop_request *req, void *data)
{
    return hoop_then(req, defer(req, data), late_echo, NULL);
}

static void test_late_reader(void **state)
{
    (void)state;
    struct driver d;
    hoop_deferred *slot;
    driver_init(&d, read_late, &slot, NULL);
    driver_text(&d, EXPECT);
    assert_int_equal(d.got_len, 0);
    resolve(&slot, "");
    driver_run(&d);
    assert_got(&d, CONTINUE);
    driver_text(&d, "hello");
    assert_got(&d, both(CONTINUE, ok("hello", "")));
    driver_done(&d);

    driver_init(&d, read_late, &slot, NULL);
    driver_text(&d, FIVE "hello" GET);
    assert_int_equal(d.in_len, 5 + strlen(GET)); /* nothing is taken until it is wanted */
    assert_int_equal(d.engine->want, 0);
    resolve(&slot, "");
    driver_run(&d);
    assert_got(&d, ok("hello", ""));
    resolve(&slot, "");
    driver_run(&d);
    driver_done(&d);
}

/* --- the end of the input --------------------------------------------------------------------- */

static void note_done(const hoop_done *done, void *data)
{
    *(int *)data = done->code;
}

static int cancels;

static void note_cancel(void *data)
{
    (void)data;
    cancels++;
}

static const hoop_response *watched_echo(const hoop_request *req, void *data)
{
    hoop_on_done(req, note_done, data);
    hoop_on_cancel(req, note_cancel, NULL);
    return echo_text(req, NULL);
}

static void test_cut_off(void **state)
{
    (void)state;
    static const char *const inputs[] = { FIVE "hell", FIVE,
                                          HEAD("Transfer-Encoding: chunked\r\n") "5\r\nhello\r\n" };
    for (size_t i = 0; i < HOOP_COUNT(inputs); i++) {
        struct driver d;
        int code = 1;
        cancels = 0;
        driver_init(&d, watched_echo, &code, NULL);
        driver_text(&d, inputs[i]);
        driver_eof(&d);
        assert_int_equal(d.got_len, 0);
        assert_int_equal(d.closed, 1);
        assert_int_equal(d.linger, 0);
        assert_int_equal(code, HOOP_EGONE);
        assert_int_equal(cancels, 1);
        driver_done(&d);
    }
}

/* The body is asked for after the input has ended in the middle of it. */
static void test_cut_off_before(void **state)
{
    (void)state;
    struct driver d;
    hoop_deferred *slot;
    driver_init(&d, read_late, &slot, NULL);
    driver_text(&d, FIVE);
    driver_eof(&d);
    assert_int_equal(d.closed, 0);
    resolve(&slot, "");
    driver_run(&d);
    driver_sleep(&d, 1);
    assert_int_equal(d.closed, 1);
    assert_int_equal(d.got_len, 0);
    driver_done(&d);

    /* But what was there when it ended is read. */
    driver_init(&d, read_late, &slot, NULL);
    driver_text(&d, FIVE "hello");
    driver_eof(&d);
    resolve(&slot, "");
    driver_run(&d);
    assert_got(&d, ok("hello", CLOSE_LINE));
    assert_int_equal(d.closed, 1);
    driver_done(&d);
}

static void test_broken(void **state)
{
    (void)state;
    struct driver d;
    int code = 1;
    cancels = 0;
    driver_init(&d, watched_echo, &code, NULL);
    driver_text(&d, HEAD("Transfer-Encoding: chunked\r\n") "5\r\nhello\r\nx");
    assert_got(&d, rejection(400));
    assert_int_equal(code, HOOP_EPROTO);
    assert_int_equal(cancels, 1);
    assert_int_equal(d.closed && d.linger, 1);
    driver_done(&d);
}

/* --- time ------------------------------------------------------------------------------------- */

static void test_slow(void **state)
{
    (void)state;
    const struct driver_options options = {
        .limits = { .body_grace_ms = 1000, .body_rate = 100, .max_body = 10000 }
    };
    struct driver d;
    int code = 1;
    driver_init(&d, watched_echo, &code, &options);
    driver_text(&d, HEAD("Content-Length: 1000\r\n"));
    driver_sleep(&d, 999);
    assert_int_equal(d.got_len, 0);
    driver_sleep(&d, 1);
    assert_non_null(strstr(d.got, "408 Request Timeout"));
    assert_int_equal(code, HOOP_ETIMEDOUT);
    assert_int_equal(d.closed && d.linger, 1);
    driver_done(&d);

    /* 200 bytes last two seconds at this rate; a byte now and then does not help. */
    driver_init(&d, watched_echo, &code, &options);
    driver_text(&d, HEAD("Content-Length: 1000\r\n"));
    char bytes[200];
    memset(bytes, 'x', sizeof bytes);
    driver_feed(&d, bytes, sizeof bytes);
    driver_sleep(&d, 1000);
    driver_feed(&d, bytes, 1);
    driver_sleep(&d, 1009);
    assert_int_equal(d.got_len, 0);
    driver_sleep(&d, 1);
    assert_non_null(strstr(d.got, "408 Request Timeout"));
    driver_done(&d);

    /* Fast enough, however long it takes. */
    driver_init(&d, watched_echo, &code, &options);
    driver_text(&d, HEAD("Content-Length: 1000\r\n"));
    for (int i = 0; i < 50; i++) {
        driver_feed(&d, bytes, 20);
        driver_sleep(&d, 100);
    }
    assert_non_null(strstr(d.got, "200 OK"));
    assert_int_equal(code, 0);
    driver_done(&d);
}

static void test_no_rate(void **state)
{
    (void)state;
    const struct driver_options options = { .limits = { .body_rate = HOOP_OFF } };
    struct driver d;
    driver_init(&d, echo_text, NULL, &options);
    driver_text(&d, FIVE);
    driver_sleep(&d, 1000000);
    driver_text(&d, "hello");
    assert_non_null(strstr(d.got, "200 OK"));
    driver_done(&d);
}

/* A body that is dropped may not take for ever either. */
static void test_slow_discard(void **state)
{
    (void)state;
    struct driver d;
    driver_init(&d, say, NULL, NULL);
    driver_text(&d, FIVE "h");
    driver_sleep(&d, 59999);
    assert_int_equal(d.closed, 0);
    driver_sleep(&d, 1);
    assert_int_equal(d.closed, 1);
    driver_done(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_length),         cmocka_unit_test(test_other_methods),
        cmocka_unit_test(test_too_large),      cmocka_unit_test(test_discard),
        cmocka_unit_test(test_unread_chunks),  cmocka_unit_test(test_continue),
        cmocka_unit_test(test_continue_late),  cmocka_unit_test(test_refused_expectation),
        cmocka_unit_test(test_late_reader),    cmocka_unit_test(test_cut_off),
        cmocka_unit_test(test_cut_off_before), cmocka_unit_test(test_broken),
        cmocka_unit_test(test_slow),           cmocka_unit_test(test_no_rate),
        cmocka_unit_test(test_slow_discard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
