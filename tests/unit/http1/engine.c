/* The life of a connection: pipelines, deferred answers, its ends, its deadlines, its memory. */
#include "driver.h"

#define GET       "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define GET_CLOSE "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"

/* --- keeping a connection --------------------------------------------------------------------- */

static void test_connection_options(void **state)
{
    (void)state;
    static const struct {
        const char *version, *fields, *line;
    } cases[] = {
        { "1.1", "", "" },
        { "1.1", "Connection: keep-alive\r\n", "" },
        { "1.1", "Connection: close\r\n", CLOSE_LINE },
        { "1.1", "Connection: CLOSE\r\n", CLOSE_LINE },
        { "1.1", "Connection: close\t\r\n", CLOSE_LINE },
        { "1.1", "Connection: x, close , y\r\n", CLOSE_LINE },
        { "1.1", "Connection: ,close,\r\n", CLOSE_LINE },
        { "1.1", "Connection: x,\tclose\r\n", CLOSE_LINE },
        { "1.1", "Connection: close, keep-alive\r\n", CLOSE_LINE },
        { "1.1", "Connection: keep-alive\r\nConnection: close\r\n", CLOSE_LINE },
        { "1.1", "Connection: closed, xclose, close-x, clos\r\n", "" },
        { "1.1", "Connection: \"close\"\r\n", "" },
        { "1.1", "Connection: x \"close, close\r\n", CLOSE_LINE },
        { "1.1", "Proxy-Connection: close\r\n", "" },
        { "1.1", "Connection: upgrade\r\nUpgrade: h2c\r\n", "" },
        { "1.2", "", "" },
        { "1.0", "", CLOSE_LINE },
        { "1.0", "Connection: close\r\n", CLOSE_LINE },
        { "1.0", "Connection: Keep-Alive\r\n", KEEP_LINE },
        { "1.0", "Connection: x, keep-alive\r\n", KEEP_LINE },
        { "1.0", "Connection: keep-alive, close\r\n", CLOSE_LINE },
        { "1.0", "Connection: close, keep-alive\r\n", CLOSE_LINE },
        { "1.0", "Proxy-Connection: keep-alive\r\n", CLOSE_LINE },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char input[1024], want[2048];
        int stays = strcmp(cases[i].line, CLOSE_LINE) != 0;
        snprintf(input, sizeof input, "GET / HTTP/%s\r\nHost: a\r\n%s\r\n" GET_CLOSE,
                 cases[i].version, cases[i].fields);
        strcpy(want, ok("ok", cases[i].line));
        if (stays)
            strcat(want, ok("ok", CLOSE_LINE));
        driver_each_split(say, NULL, NULL, input, strlen(input), want, stays ? 1 : 2);
    }
}

static void test_pipeline(void **state)
{
    (void)state;
    char input[1024] = "", want[4096] = "";
    for (int i = 0; i < 8; i++) {
        char shown[64];
        snprintf(input + strlen(input), 100, "GET /%d HTTP/1.1\r\nHost: a\r\n\r\n", i);
        snprintf(shown, sizeof shown, "GET 1 http HTTP/1.1 /%d\nhost=a\n", i);
        strcat(want, ok(shown, ""));
    }
    driver_each_split(show, NULL, NULL, input, strlen(input), want, 0);
    /* The same through an out that holds hardly two answers. */
    const struct driver_options options = { .out_cap = 600 };
    driver_each_split(show, NULL, &options, input, strlen(input), want, 0);
}

/* An error behind good requests: their answers go first, and nothing behind it is read. */
static void test_pipelined_error(void **state)
{
    (void)state;
    static const char input[] = GET GET "BAD\r\n" GET;
    char want[2048];
    strcpy(want, ok("ok", ""));
    strcat(want, ok("ok", ""));
    strcat(want, rejection(400));
    driver_each_split(say, NULL, NULL, input, sizeof input - 1, want, 2);
    const struct driver_options options = { .out_cap = HOOP__H1_MIN_OUT };
    driver_each_split(say, NULL, &options, input, sizeof input - 1, want, 2);
}

static void test_error_count(void **state)
{
    (void)state;
    struct driver d;
    driver_init(&d, say, NULL, NULL);
    driver_text(&d, GET "BAD\r\n");
    assert_int_equal(d.loop.counters.errors, 1);
    assert_int_equal(d.loop.counters.requests, 1);
    assert_int_equal(d.loop.counters.responses, 1);
    driver_done(&d);
}

static void test_max_requests(void **state)
{
    (void)state;
    const struct driver_options options = { .limits = { .max_requests = 3 } };
    char want[4096];
    strcpy(want, ok("ok", ""));
    strcat(want, ok("ok", ""));
    strcat(want, ok("ok", CLOSE_LINE));
    driver_each_split(say, NULL, &options, GET GET GET GET, 4 * strlen(GET), want, 2);
}

/* --- deferred answers ------------------------------------------------------------------------- */

static void test_deferred(void **state)
{
    (void)state;
    struct driver d;
    hoop_deferred *slot;
    driver_init(&d, defer, &slot, NULL);
    driver_text(&d, GET GET);
    assert_int_equal(d.got_len, 0);
    assert_int_equal(d.engine->want, 0);
    assert_int_equal(d.in_len, strlen(GET)); /* one at a time: the second stays where it is */
    resolve(&slot, "first");
    assert_int_equal(d.got_len, 0); /* never inside hoop_resolve() */
    driver_run(&d);
    assert_true(d.wakes > 0);
    assert_got(&d, ok("first", ""));
    d.got_len = 0;
    resolve(&slot, "second");
    driver_run(&d);
    assert_got(&d, ok("second", ""));
    assert_int_equal(d.engine->want, HOOP__WANT_INPUT);
    driver_done(&d);
}

/* Resolved before the handler returns. */
static const hoop_response *defer_and_resolve(const hoop_request *req, void *data)
{
    hoop_deferred *slot;
    const hoop_response *res = defer(req, &slot);
    resolve(&slot, data);
    return res;
}

static void test_resolved_at_once(void **state)
{
    (void)state;
    char text[] = "at once", want[2048];
    strcpy(want, ok(text, ""));
    strcat(want, ok(text, ""));
    driver_each_split(defer_and_resolve, text, NULL, GET GET, 2 * strlen(GET), want, 0);
}

static const hoop_response *give_up(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_fail(req, HOOP_EMISSING, "nothing here");
}

static const hoop_response *pass(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_pass(req);
}

/* NULL and pass are answered, and the connection goes on. */
static void test_outcomes(void **state)
{
    (void)state;
    struct driver d;
    driver_init(&d, give_up, NULL, NULL);
    driver_text(&d, GET GET);
    assert_memory_equal(d.got, "HTTP/1.1 500 Internal Server Error\r\n", 36);
    assert_int_equal(d.loop.counters.responses, 2);
    assert_int_equal(d.closed, 0);
    driver_done(&d);
    driver_init(&d, pass, NULL, NULL);
    driver_text(&d, GET GET);
    assert_memory_equal(d.got, "HTTP/1.1 404 Not Found\r\n", 24);
    assert_int_equal(d.loop.counters.responses, 2);
    driver_done(&d);
}

/* The connection goes while an answer is owed; what comes later finds nobody. */
static void test_gone(void **state)
{
    (void)state;
    struct driver d;
    hoop_deferred *slot;
    driver_init(&d, defer, &slot, NULL);
    driver_text(&d, GET);
    d.engine->ops->stop(d.engine, HOOP_EGONE);
    resolve(&slot, "too late");
    driver_run(&d);
    assert_int_equal(d.got_len, 0);
    driver_done(&d);
}

/* --- the end of the input --------------------------------------------------------------------- */

static void test_eof(void **state)
{
    (void)state;
    static const char *const silent[] = { "", "\r\n", "\r", "GET",
                                          "GET / HTTP/1.1\r\nHost: a\r\n" };
    struct driver d;
    for (size_t i = 0; i < HOOP_COUNT(silent); i++) {
        driver_init(&d, say, NULL, NULL);
        driver_text(&d, silent[i]);
        driver_eof(&d);
        assert_int_equal(d.got_len, 0);
        assert_int_equal(d.closed, 1);
        assert_int_equal(d.linger, 0);
        driver_done(&d);
    }
    driver_init(&d, say, NULL, NULL);
    driver_text(&d, GET "GET /x");
    driver_eof(&d);
    assert_got(&d, ok("ok", ""));
    assert_int_equal(d.closed, 1);
    driver_done(&d);
}

static int cancels;

static void note_cancel(void *data)
{
    (void)data;
    cancels++;
}

static const hoop_response *watched_defer(const hoop_request *req, void *data)
{
    hoop_on_cancel(req, note_cancel, NULL);
    return defer(req, data);
}

/* A half-close is no end: what is owed is still sent. */
static void test_half_close(void **state)
{
    (void)state;
    struct driver d;
    hoop_deferred *slot;
    cancels = 0;
    driver_init(&d, watched_defer, &slot, NULL);
    driver_text(&d, GET);
    driver_eof(&d);
    assert_int_equal(d.closed, 0);
    assert_int_equal(cancels, 1);
    resolve(&slot, "still");
    driver_run(&d);
    assert_got(&d, ok("still", CLOSE_LINE));
    assert_int_equal(d.closed, 1);
    assert_int_equal(d.linger, 0);
    driver_done(&d);
}

/* The peer is gone, but what it sent is still unread: the handler hears of it, nothing ends. */
static void test_hangup(void **state)
{
    (void)state;
    struct driver d;
    hoop_deferred *slot;
    cancels = 0;
    driver_init(&d, watched_defer, &slot, NULL);
    d.engine->ops->hangup(d.engine);
    driver_text(&d, GET GET);
    d.engine->ops->hangup(d.engine);
    d.engine->ops->hangup(d.engine);
    driver_run(&d);
    assert_int_equal(cancels, 1);
    assert_int_equal(d.closed, 0);
    resolve(&slot, "one");
    driver_run(&d);
    assert_got(&d, ok("one", ""));
    resolve(&slot, "two");
    driver_run(&d);
    driver_done(&d);
}

static void test_half_close_pipelined(void **state)
{
    (void)state;
    struct driver d;
    hoop_deferred *slot;
    cancels = 0;
    driver_init(&d, watched_defer, &slot, NULL);
    driver_text(&d, GET GET);
    driver_eof(&d);
    resolve(&slot, "one");
    driver_run(&d);
    assert_got(&d, ok("one", ""));
    assert_int_equal(cancels, 2);
    d.got_len = 0;
    resolve(&slot, "two");
    driver_run(&d);
    assert_got(&d, ok("two", CLOSE_LINE));
    assert_int_equal(d.closed, 1);
    driver_done(&d);
}

/* --- time ------------------------------------------------------------------------------------- */

static void test_first_byte(void **state)
{
    (void)state;
    struct driver d;
    driver_init(&d, say, NULL, NULL);
    driver_sleep(&d, 29999);
    assert_int_equal(d.closed, 0);
    driver_sleep(&d, 1);
    assert_int_equal(d.closed, 1);
    assert_int_equal(d.got_len, 0);
    driver_done(&d);
}

static void test_idle(void **state)
{
    (void)state;
    struct driver d;
    driver_init(&d, say, NULL, NULL);
    driver_text(&d, GET);
    driver_sleep(&d, 50000);
    driver_text(&d, GET);
    size_t sent = d.got_len;
    driver_text(&d, "\r\n"); /* nothing of a request */
    driver_sleep(&d, 59999);
    assert_int_equal(d.closed, 0);
    driver_sleep(&d, 1);
    assert_int_equal(d.closed, 1);
    assert_int_equal(d.got_len, sent);
    driver_done(&d);
}

/* The time of a head is not begun anew by its bytes. */
static void test_head_time(void **state)
{
    (void)state;
    struct driver d;
    driver_init(&d, say, NULL, NULL);
    driver_text(&d, "G");
    for (int i = 0; i < 9; i++) {
        driver_sleep(&d, 1000);
        driver_text(&d, i ? "x" : "ET /");
    }
    assert_int_equal(d.got_len, 0);
    driver_sleep(&d, 999);
    assert_int_equal(d.got_len, 0);
    driver_sleep(&d, 1);
    assert_memory_equal(d.got, "HTTP/1.1 408 Request Timeout\r\n", 30);
    assert_int_equal(d.closed && d.linger, 1);
    driver_done(&d);
}

static void test_no_times(void **state)
{
    (void)state;
    const struct driver_options options = {
        .limits = { .first_byte_ms = HOOP_OFF, .idle_ms = HOOP_OFF, .head_ms = HOOP_OFF }
    };
    struct driver d;
    driver_init(&d, say, NULL, &options);
    assert_true(d.engine->deadline == HOOP__NEVER);
    driver_text(&d, "GET");
    assert_true(d.engine->deadline == HOOP__NEVER);
    driver_text(&d, " / HTTP/1.1\r\nHost: a\r\n\r\n");
    assert_true(d.engine->deadline == HOOP__NEVER);
    assert_int_equal(d.got_len, strlen(ok("ok", "")));
    driver_done(&d);
}

/* While an answer is owed no deadline of the engine runs. */
static void test_pending_time(void **state)
{
    (void)state;
    const struct driver_options options = { .limits = { .handler_ms = HOOP_OFF } };
    struct driver d;
    hoop_deferred *slot;
    driver_init(&d, defer, &slot, &options);
    driver_text(&d, GET);
    assert_true(d.engine->deadline == HOOP__NEVER);
    driver_sleep(&d, 1000000);
    resolve(&slot, "late");
    driver_run(&d);
    assert_memory_equal(d.got, "HTTP/1.1 200 OK\r\n", 17);
    driver_done(&d);
}

/* --- drain and stop --------------------------------------------------------------------------- */

static void test_drain(void **state)
{
    (void)state;
    struct driver d;
    hoop_deferred *slot;
    driver_init(&d, say, NULL, NULL); /* idle: at once */
    driver_text(&d, GET);
    d.engine->ops->drain(d.engine);
    driver_run(&d);
    assert_int_equal(d.closed, 1);
    driver_done(&d);

    driver_init(&d, say, NULL, NULL); /* within a head: it is answered */
    driver_text(&d, "GET / HT");
    d.engine->ops->drain(d.engine);
    driver_run(&d);
    assert_int_equal(d.closed, 0);
    driver_text(&d, "TP/1.1\r\nHost: a\r\n\r\n");
    assert_got(&d, ok("ok", CLOSE_LINE));
    assert_int_equal(d.closed, 1);
    driver_done(&d);

    driver_init(&d, defer, &slot, NULL); /* while an answer is owed */
    driver_text(&d, GET GET);
    d.engine->ops->drain(d.engine);
    driver_run(&d);
    assert_int_equal(d.closed, 0);
    resolve(&slot, "last");
    driver_run(&d);
    assert_got(&d, ok("last", CLOSE_LINE));
    assert_int_equal(d.closed && d.linger, 1);
    driver_done(&d);
}

static void test_stop(void **state)
{
    (void)state;
    static const char body[] = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe";
    static const char *const inputs[] = { "", "G", GET, body };
    for (size_t i = 0; i < HOOP_COUNT(inputs); i++) {
        struct driver d;
        driver_init(&d, echo_text, NULL, NULL);
        driver_text(&d, inputs[i]);
        d.engine->ops->stop(d.engine, HOOP_EGONE);
        d.engine->ops->stop(d.engine, HOOP_EGONE);
        assert_int_equal(d.engine->want, HOOP__WANT_CLOSE);
        driver_done(&d);
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

static void talk(struct test_allocator *allocator, void *data)
{
    struct driver d;
    hoop_deferred *slot = NULL;
    (void)data;
    const struct driver_options options = { .allocator = &allocator->hoop };
    driver_init(&d, defer, &slot, &options);
    if (!d.failed) {
        driver_text(&d, GET);
        if (slot) {
            hoop_deferred *deferred = slot;
            hoop_resolve(deferred, hoop_text(hoop_deferred_request(deferred), 200, "x"));
        }
        driver_run(&d);
        assert_true(d.got_len > 0);
    }
    driver_done(&d);
}

static void test_memory(void **state)
{
    (void)state;
    test_each_allocation(talk, NULL);
}

/* Without a block for the exchange the answer comes from constants. */
static void test_no_block(void **state)
{
    (void)state;
    struct test_allocator allocator;
    struct driver d;
    test_allocator_init(&allocator);
    const struct driver_options options = { .allocator = &allocator.hoop };
    driver_init(&d, say, NULL, &options);
    allocator.fail_at = allocator.count + 1;
    driver_text(&d, GET GET);
    assert_got(&d, rejection(503));
    assert_int_equal(d.closed && d.linger, 1);
    driver_done(&d);
    assert_int_equal(allocator.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connection_options),
        cmocka_unit_test(test_pipeline),
        cmocka_unit_test(test_pipelined_error),
        cmocka_unit_test(test_error_count),
        cmocka_unit_test(test_max_requests),
        cmocka_unit_test(test_deferred),
        cmocka_unit_test(test_resolved_at_once),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_gone),
        cmocka_unit_test(test_eof),
        cmocka_unit_test(test_half_close),
        cmocka_unit_test(test_hangup),
        cmocka_unit_test(test_half_close_pipelined),
        cmocka_unit_test(test_first_byte),
        cmocka_unit_test(test_idle),
        cmocka_unit_test(test_head_time),
        cmocka_unit_test(test_no_times),
        cmocka_unit_test(test_pending_time),
        cmocka_unit_test(test_drain),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_no_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
