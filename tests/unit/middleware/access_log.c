/* Middleware "access_log": both formats byte for byte, redaction, what a client can't forge, ends of all kinds. */
#include "fake.h"
#include "middleware.h"

#include "middleware/log_line.h"

#include <hoop/identity.h>

#include <stdio.h>

struct sink {
    int lines;
    char last[HOOP__LINE_SIZE];
};

static void keep(hoop_str line, void *data)
{
    struct sink *sink = data;
    sink->lines++;
    assert_int_equal(line.data[line.len], 0);
    memcpy(sink->last, line.data, line.len + 1);
}

static struct sink sink;

static const hoop_access_log_options combined = { .write = keep, .data = &sink, .slow_ms = 10 };
static const hoop_access_log_options json = {
    .write = keep,
    .data = &sink,
    .slow_ms = 10,
    .format = HOOP_LOG_JSON,
};

static const hoop_response *hello(const hoop_request *req, void *data)
{
    return hoop_text(req, 200, "hello");
}

/* The line that a request gives. */
static const char *line_of(const hoop_middleware *chain, size_t count, hoop_handler_fn *fn,
                           const struct middleware_case *one)
{
    hoop_arena *app = hoop_arena_new(), *arena = hoop_arena_new();
    hoop_handler handler = hoop_fn(fn, NULL);
    sink.lines = 0;
    sink.last[0] = 0;
    assert_int_equal(hoop_chain_new(app, chain, count, handler, &handler, NULL), 0);
    hoop_call_sync(handler, middleware_request(arena, one));
    hoop_arena_free(arena);
    hoop_arena_free(app);
    assert_true(sink.lines <= 1);
    return sink.last;
}

static void check_line(const hoop_access_log_options *options, const struct middleware_case *one,
                       const char *want)
{
    const hoop_middleware chain[] = { HOOP_ACCESS_LOG(options) };
    assert_string_equal(line_of(chain, 1, hello, one), want);
}

#define TIME "[06/Nov/1994:08:49:38 +0000]"

static void test_combined(void **state)
{
    (void)state;
    check_line(&combined, &(struct middleware_case){ .uri = "/a?b=c" },
               "127.0.0.1 - - " TIME " \"GET /a?b=c HTTP/1.1\" 200 5 \"-\" \"-\"");
    check_line(&combined,
               &(struct middleware_case){
                   .method = "HEAD",
                   .uri = "/",
                   .headers = "Referer: http://a/?token=x&y=z\nUser-Agent: curl/7.88.1" },
               "127.0.0.1 - - " TIME
               " \"HEAD / HTTP/1.1\" 200 5 \"http://a/?token=[redacted]&y=z\" "
               "\"curl/7.88.1\"");
}

static void test_json(void **state)
{
    (void)state;
    check_line(&json, &(struct middleware_case){ .uri = "/a?b=c" },
               "{\"time\":\"1994-11-06T08:49:38Z\",\"remote\":\"127.0.0.1\",\"method\":\"GET\","
               "\"uri\":\"/a?b=c\",\"protocol\":\"HTTP/1.1\",\"status\":200,\"bytes\":5,\"ms\":0}");
}

static void test_secrets(void **state)
{
    (void)state;
    static const char *const mine[] = { "x", "y" };
    static const hoop_access_log_options own = {
        .write = keep,
        .data = &sink,
        .redact = mine,
        .redact_count = 2,
    };
    check_line(&combined,
               &(struct middleware_case){ .uri = "/?a=1&Password=p&code=&access_token=t&token&b" },
               "127.0.0.1 - - " TIME
               " \"GET /?a=1&Password=[redacted]&code=[redacted]&access_token=[redacted]&token&b "
               "HTTP/1.1\" 200 5 \"-\" \"-\"");
    check_line(&own, &(struct middleware_case){ .uri = "/?x=1&password=p&y=2&" },
               "127.0.0.1 - - " TIME
               " \"GET /?x=[redacted]&password=p&y=[redacted]& HTTP/1.1\" 200 5 \"-\" \"-\"");
}

static void test_what_a_client_sends_forges_no_line(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .headers = "User-Agent: a\"b\\c\x80\xff\xc3\xa4\t\xed\xa0\x80",
    };
    check_line(&combined, &one,
               "127.0.0.1 - - " TIME " \"GET / HTTP/1.1\" 200 5 \"-\" "
               "\"a\\x22b\\x5Cc\\x80\\xFF\xc3\xa4\\x09\\xED\\xA0\\x80\"");
    check_line(&json, &one,
               "{\"time\":\"1994-11-06T08:49:38Z\",\"remote\":\"127.0.0.1\",\"method\":\"GET\","
               "\"uri\":\"/\",\"protocol\":\"HTTP/1.1\",\"status\":200,\"bytes\":5,\"ms\":0,"
               "\"agent\":\"a\\\"b\\\\c\\ufffd\\ufffd\xc3\xa4\\u0009\\ufffd\\ufffd\\ufffd\"}");
}

static void test_long_values_are_cut(void **state)
{
    (void)state;
    static char headers[8200] = "User-Agent: ";
    memset(headers + 12, '"', 1000);
    const hoop_middleware chain[] = { HOOP_ACCESS_LOG(&json) };
    const char *line = line_of(chain, 1, hello, &(struct middleware_case){ .headers = headers });
    const char *agent = strstr(line, "\"agent\":\"") + 9;
    assert_int_equal(strlen(agent), 1000 + 3 + 2);
    assert_string_equal(agent + 1000, "...\"}");
}

/* --- who and which --------------------------------------------------------------------------- */

static const hoop_basic_user users[] = { { "ann", "secret" } };
static const hoop_basic_auth_options basic = { .users = users, .user_count = 1 };
static const hoop_request_id_options trusting = { .trust = 1 };

static const hoop_middleware whole[] = {
    HOOP_REQUEST_ID(&trusting),
    HOOP_TRACEPARENT(NULL),
    HOOP_ACCESS_LOG(&json),
    HOOP_BASIC_AUTH(&basic),
};

static void test_user_id_and_trace(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .headers = "Authorization: Basic YW5uOnNlY3JldA==\nX-Request-Id: r1\n"
                   "Traceparent: 00-0123456789abcdef0123456789abcdef-0123456789abcdef-01",
    };
    assert_string_equal(line_of(whole, HOOP_COUNT(whole), hello, &one),
                        "{\"time\":\"1994-11-06T08:49:38Z\",\"remote\":\"127.0.0.1\",\"user\":"
                        "\"ann\",\"method\":\"GET\",\"uri\":\"/\",\"protocol\":\"HTTP/1.1\","
                        "\"status\":200,\"bytes\":5,\"ms\":0,\"id\":\"r1\",\"trace\":"
                        "\"0123456789abcdef0123456789abcdef\"}");
}

static int is_health(const hoop_request *req, const void *data)
{
    return hoop_str_eq_c(req->uri, data);
}

static void test_some_are_skipped(void **state)
{
    (void)state;
    static const hoop_access_log_options own = {
        .write = keep,
        .data = &sink,
        .skip = is_health,
        .skip_data = "/health",
    };
    check_line(&own, &(struct middleware_case){ .uri = "/health" }, "");
    check_line(&own, &(struct middleware_case){ .uri = "/healthy" },
               "127.0.0.1 - - " TIME " \"GET /healthy HTTP/1.1\" 200 5 \"-\" \"-\"");
}

/* --- ends ------------------------------------------------------------------------------------ */

static const hoop_response *hold(const hoop_request *req, void *data)
{
    hoop_deferred **deferred = data;
    *deferred = hoop_defer(req);
    return hoop_deferred_response(*deferred);
}

static void check_end(const hoop_access_log_options *options, int code, const char *want)
{
    struct fake fake;
    hoop_deferred *deferred = NULL;
    hoop_arena *app = hoop_arena_new();
    const hoop_middleware chain[] = { HOOP_ACCESS_LOG(options) };
    hoop_handler handler = hoop_fn(hold, &deferred);
    sink.lines = 0;
    fake_init(&fake);
    fake.wall = 784111777;
    assert_int_equal(hoop_chain_new(app, chain, 1, handler, &handler, NULL), 0);
    struct fake_exchange *fx = fake_make(&fake, "GET", "/");
    fake_dispatch(fx, handler.fn, handler.data);
    fake_advance(&fake, 10);
    if (code) {
        fake_end(fx, code);
        assert_int_equal(sink.lines, 0); /* a deferred is open still */
        hoop_deferred_drop(deferred);
        fake_turn(&fake);
    } else {
        hoop_resolve(deferred, hoop_respond(hoop_deferred_request(deferred), 204));
        fake_turn(&fake);
        fake_end(fx, 0);
    }
    assert_int_equal(sink.lines, 1);
    assert_string_equal(sink.last, want);
    fake_done(&fake);
    hoop_arena_free(app);
}

static void test_ends_of_all_kinds(void **state)
{
    (void)state;
    check_end(&combined, 0,
              "- - - [06/Nov/1994:08:49:37 +0000] \"GET / HTTP/1.1\" 204 0 \"-\" \"-\" slow 10ms");
    check_end(&json, HOOP_EGONE,
              "{\"time\":\"1994-11-06T08:49:37Z\",\"method\":\"GET\",\"uri\":\"/\",\"protocol\":"
              "\"HTTP/1.1\",\"bytes\":0,\"ms\":10,\"slow\":true,\"aborted\":\"HOOP_EGONE\"}");
}

static void test_the_logs_hook(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_ACCESS_LOG(NULL);
    struct fake fake;
    hoop_arena *app = hoop_arena_new();
    hoop_handler handler = hoop_fn(hello, NULL);
    fake_init(&fake);
    fake.wall = 784111777;
    assert_int_equal(hoop_chain_new(app, &entry, 1, handler, &handler, NULL), 0);
    struct fake_exchange *fx = fake_make(&fake, "GET", "/");
    fake_dispatch(fx, handler.fn, handler.data);
    fake_end(fx, 0);
    assert_string_equal(fake.log, "3 - - - [06/Nov/1994:08:49:37 +0000] \"GET / HTTP/1.1\" 200 0 "
                                  "\"-\" \"-\"\n");
    fake_done(&fake);
    hoop_arena_free(app);
}

static void test_in_a_chain(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_ACCESS_LOG(&combined);
    static const struct middleware_case cases[] = {
        { .want = "200\n\nok" },
        { .answer = "500\n\nno", .want = "500\n\nno" },
    };
    check_middleware(entry, cases);
}

static void test_a_format_that_is_none(void **state)
{
    (void)state;
    static const hoop_access_log_options bad = { .format = 2 };
    static const hoop_middleware chain[] = { HOOP_ACCESS_LOG(&bad) };
    test_middleware_refused(chain, 1, HOOP_EINVAL, "access_log: there is no format 2");
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_ACCESS_LOG(&combined);
    static const struct middleware_case one = { .want = "200\n\nok" };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_combined),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_secrets),
        cmocka_unit_test(test_what_a_client_sends_forges_no_line),
        cmocka_unit_test(test_long_values_are_cut),
        cmocka_unit_test(test_user_id_and_trace),
        cmocka_unit_test(test_some_are_skipped),
        cmocka_unit_test(test_ends_of_all_kinds),
        cmocka_unit_test(test_the_logs_hook),
        cmocka_unit_test(test_in_a_chain),
        cmocka_unit_test(test_a_format_that_is_none),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
