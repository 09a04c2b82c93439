/* The life of a connection: pings, the handshake of the body, early answers, deadlines, its ends. */
#include "tools.h"

/* --- between requests ------------------------------------------------------------------------- */

static void test_pings_and_reuse(void **state)
{
    (void)state;
    struct bytes in = { 0 }, want = { 0 };
    for (int i = 0; i < 3; i++) {
        put(&in, PING);
        put(&want, PONG);
        put_get(&in, "/");
        put_ok(&want, "ok");
    }
    put(&in, PING);
    put(&in, PING);
    put(&want, PONG);
    put(&want, PONG);
    each_split(say, NULL, NULL, &in, &want, 0);
}

/* What is no packet that may come there ends the connection without a word. */
static void test_other_packets(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
    } cases[] = {
        { "\x12\x34\0\1\7", 5 },     /* SHUTDOWN */
        { "\x12\x34\0\1\x08", 5 },   /* PING of another protocol */
        { "\x12\x34\0\2\x0a\0", 6 }, /* a CPING that is too long */
        { "\x12\x34\0\1\0", 5 },
        { "\x12\x34\0\1\xff", 5 },
        { "\x12\x34\0\0", 4 }, /* nobody has asked for data */
        { "\x12\x34\0\2\0\0", 6 },
        { "AB\0\1\x09", 5 }, /* what we say ourselves */
        { "\x12\x35", 2 },
        { "\x34\x12", 2 },
        { "GET / HTTP/1.1\r\n\r\n", 18 },
        { "\x16\x03\x01", 3 }, /* TLS */
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        struct bytes in = { 0 };
        put(&in, cases[i].bytes, cases[i].len);
        refuses(NULL, &in, 0);
    }
}

static void test_packet_sizes(void **state)
{
    (void)state;
    static const struct {
        uint32_t packet_size;
        uint64_t max_head;
        size_t payload;
        int status;
    } cases[] = {
        { 0, 0, 8188, 0 },        { 0, 0, 8189, 400 },     { 0, 0, 65535, 400 },
        { 10000, 0, 9996, 0 },    { 10000, 0, 9997, 400 }, { 65536, 40000, 40000, 0 },
        { 0, 500, 500, 0 },       { 0, 500, 501, 431 },    { 65536, 0, 32768, 0 },
        { 65536, 0, 32769, 431 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        hoop_listener listener = { .protocol = HOOP_AJP, .ajp_packet_size = cases[i].packet_size };
        struct driver_options options = { .config = &listener,
                                          .limits = { .max_head = cases[i].max_head } };
        struct bytes in = { 0 };
        begin_request(&in, &(struct start){ .fields = 1 });
        size_t len = cases[i].payload - (in.len - 4) - 6;
        char *value = malloc(len + 1);
        memset(value, 'a', len);
        value[len] = 0;
        put_coded(&in, 0xa001, value);
        end_request(&in);
        free(value);
        assert_int_equal(in.len - 4, cases[i].payload);
        if (cases[i].status)
            refuses(&options, &in, cases[i].status);
        else
            shows(say, &options, &in, "ok");
    }
}

/* --- bodies ----------------------------------------------------------------------------------- */

static void test_body_with_length(void **state)
{
    (void)state;
    struct bytes in = { 0 }, want = { 0 };
    put_post(&in, "2"); /* the first packet comes unasked */
    put_data(&in, "hi", 2);
    put_post(&in, "5"); /* the rest is asked for */
    put_data(&in, "ab", 2);
    put_data(&in, "cde", 3);
    put_post(&in, "0"); /* nothing comes */
    begin_request(&in, &(struct start){ .method = POST });
    end_request(&in);
    put_get(&in, "/");
    put_ok(&want, "hi");
    put(&want, ASK);
    put_ok(&want, "abcde");
    for (int i = 0; i < 3; i++)
        put_ok(&want, "");
    each_split(echo_text, NULL, NULL, &in, &want, 0);
}

static void test_chunked_body(void **state)
{
    (void)state;
    struct bytes in = { 0 }, want = { 0 };
    put_post(&in, NULL);
    put_data(&in, "ab", 2);
    put_data(&in, "cde", 3);
    put(&in, END_DATA);
    put_post(&in, NULL);
    put_data(&in, "f", 1);
    put(&in, END_EMPTY);
    put_post(&in, NULL);
    put(&in, END_EMPTY);
    for (int i = 0; i < 3; i++)
        put(&want, ASK);
    put_ok(&want, "abcde");
    put(&want, ASK);
    put(&want, ASK);
    put_ok(&want, "f");
    put(&want, ASK);
    put_ok(&want, "");
    each_split(echo_text, NULL, NULL, &in, &want, 0);
}

static void test_full_data_packet(void **state)
{
    (void)state;
    struct bytes in = { 0 }, want = { 0 };
    char *data = malloc(8186), text[64];
    memset(data, 'x', 8186);
    put_post(&in, "8187");
    put_data(&in, data, 8186);
    put_data(&in, "y", 1);
    put(&want, ASK);
    snprintf(text, sizeof text, "8187");
    put_text_head(&want, 200, 8187);
    put_chunk(&want, data, 8184);
    put_chunk(&want, "xxy", 3);
    put(&want, END_KEEP);
    free(data);
    each_split(echo_text, NULL, NULL, &in, &want, 0);
}

/* A body that is none as announced is no body; what follows it is nobody's request. */
static void test_broken_bodies(void **state)
{
    (void)state;
    static const struct {
        const char *length, *bytes;
        size_t len;
        int asked;
    } cases[] = {
        { "5", "\x12\x34\0\2\0\0", 6, 0 }, /* the client broke off */
        { "5", "\x12\x34\0\0", 4, 0 },
        { "5", "\x12\x34\0\4\0\2ab\x12\x34\0\0", 12, 1 },
        { "5", "\x12\x34\0\x08\0\6abcdef", 12, 0 }, /* more than announced */
        { "5", "\x12\x34\0\5\0\2abc", 9, 0 },       /* bytes behind the data */
        { "5", "\x12\x34\0\4\0\3ab", 8, 0 },        /* more data than packet */
        { "5",
          "\x12\x34\0\4\xff\xff"
          "ab",
          8, 0 },
        { "5", "\x12\x34\0\1\0", 5, 0 },
        { "5", "\x12\x34\x1f\xfd", 4, 0 }, /* more than a packet */
        { "5", "\x12\x34\xff\xff", 4, 0 },
        { "5", "\x12\x35\0\7", 4, 0 },
        { "5", "AB\0\7\0\5abcde", 11, 0 },
        { NULL, "\x12\x34\0\5\0\2abc", 9, 1 },
        { NULL, "\x12\x34\0\4\0\3ab", 8, 1 },
        { NULL, "\x12\x34\x1f\xfd", 4, 1 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        struct bytes in = { 0 }, want = { 0 };
        put_post(&in, cases[i].length);
        put(&in, cases[i].bytes, cases[i].len);
        put_get(&in, "/");
        if (cases[i].asked)
            put(&want, ASK);
        put_rejection(&want, 400);
        each_split(echo_text, NULL, NULL, &in, &want, 2);
    }
}

/* --- early answers ---------------------------------------------------------------------------- */

/* The packet that was owed is dropped, and the connection goes on. */
static void test_early_answers(void **state)
{
    (void)state;
    struct bytes in = { 0 }, want = { 0 };
    put_post(&in, "100");
    put_data(&in, "abc", 3);
    put_get(&in, "/");
    put_post(&in, NULL); /* nothing was asked for, so that nothing comes */
    put(&in, PING);
    put_post(&in, "100");
    put(&in, END_DATA);
    put_get(&in, "/");
    put_post(&in, "100");
    put(&in, END_EMPTY);
    put(&in, PING);
    for (int i = 0; i < 3; i++)
        put_ok(&want, "ok");
    put(&want, PONG);
    for (int i = 0; i < 3; i++)
        put_ok(&want, "ok");
    put(&want, PONG);
    each_split(say, NULL, NULL, &in, &want, 0);
}

/* A body that nobody reads must not be taken for a request, whatever is in it. */
static void test_unread_body_is_no_request(void **state)
{
    (void)state;
    struct bytes in = { 0 }, want = { 0 }, inner = { 0 };
    char length[8];
    put_get(&inner, "/evil");
    snprintf(length, sizeof length, "%zu", inner.len);
    put_post(&in, length);
    put_data(&in, inner.data, inner.len);
    put_get(&in, "/");
    put_ok(&want, "POST 3 http HTTP/1.1 /\nhost=a\ncontent-length=65\n");
    assert_string_equal(length, "65");
    put_ok(&want, "GET 1 http HTTP/1.1 /\nhost=a\n");
    each_split(show, NULL, NULL, &in, &want, 0);
    put_post(&in, length);
    put(&in, inner.data, inner.len); /* not framed as data: over the announced length */
    put_ok(&want, "POST 3 http HTTP/1.1 /\nhost=a\ncontent-length=65\n");
    each_split(show, NULL, NULL, &in, &want, 1);
    bytes_done(&inner);
}

static void test_too_large_body(void **state)
{
    (void)state;
    struct driver_options options = { .limits = { .max_body = 4 } };
    struct bytes in = { 0 };
    struct driver d;
    put_post(&in, NULL);
    ajp_init(&d, echo_text, NULL, &options);
    driver_feed(&d, in.data, in.len);
    assert_bytes(d.got, d.got_len, "AB\0\3\6\x1f\xfa", 7);
    bytes_done(&in);
    put_data(&in, "abcdefghij", 10);
    put_get(&in, "/");
    driver_feed(&d, in.data, 11); /* the answer is there before the packet is */
    assert_int_equal(hoop__ajp_get16(d.got + 7 + 5), 413);
    assert_memory_equal(d.got + d.got_len - 6, "AB\0\2\5\1", 6);
    size_t before = d.got_len;
    driver_feed(&d, in.data + 11, in.len - 11);
    assert_int_equal(hoop__ajp_get16(d.got + before + 5), 200);
    assert_false(d.closed);
    driver_done(&d);
    bytes_done(&in);
}

static void test_max_discard(void **state)
{
    (void)state;
    for (uint64_t max = 9; max < 11; max++) {
        struct driver_options options = { .limits = { .max_discard = max } };
        struct bytes in = { 0 };
        struct driver d;
        put_post(&in, "10");
        ajp_init(&d, say, NULL, &options);
        driver_feed(&d, in.data, in.len);
        assert_int_equal(d.closed, max < 10);
        assert_int_equal(d.linger, max < 10);
        assert_int_equal(d.got[d.got_len - 1], max >= 10);
        driver_done(&d);
        bytes_done(&in);
    }
}

/* --- deferred answers ------------------------------------------------------------------------- */

static void test_deferred(void **state)
{
    (void)state;
    hoop_deferred *slot = NULL;
    struct bytes in = { 0 }, want = { 0 };
    struct driver d;
    put_get(&in, "/");
    put_get(&in, "/");
    ajp_init(&d, defer, &slot, NULL);
    driver_feed(&d, in.data, in.len);
    for (int i = 0; i < 2; i++) {
        assert_sent(&d, &want);
        assert_int_equal(d.engine->want, 0); /* one at a time: the rest waits with the host */
        resolve(&slot, "later");
        driver_run(&d);
        put_ok(&want, "later");
    }
    assert_sent(&d, &want);
    assert_true(d.wakes > 0);
    driver_done(&d);
    bytes_done(&in);
    bytes_done(&want);
}

static void count(void *data)
{
    ++*(int *)data;
}

static int cancels;

static const hoop_response *defer_counting(const hoop_request *req, void *data)
{
    hoop_on_cancel(req, count, &cancels);
    return defer(req, data);
}

/* The proxy leaves: who works is told; what is resolved all the same is written. */
static void test_eof_and_hangup(void **state)
{
    (void)state;
    for (int hangup = 0; hangup < 2; hangup++) {
        hoop_deferred *slot = NULL;
        struct bytes in = { 0 };
        struct driver d;
        cancels = 0;
        put_get(&in, "/");
        ajp_init(&d, defer_counting, &slot, NULL);
        driver_feed(&d, in.data, in.len);
        if (hangup)
            d.engine->ops->hangup(d.engine);
        else
            driver_eof(&d);
        assert_int_equal(cancels, 1);
        resolve(&slot, "x");
        driver_run(&d);
        assert_int_equal(d.got[d.got_len - 1], hangup);
        assert_int_equal(d.closed, !hangup);
        driver_done(&d);
        bytes_done(&in);
    }
}

static int done_code;

static void note_done(const hoop_done *done, void *data)
{
    (void)data;
    done_code = done->code;
}

static const hoop_response *echo_noting(const hoop_request *req, void *data)
{
    done_code = 1;
    hoop_on_done(req, note_done, NULL);
    return echo_text(req, data);
}

/* The end at each byte of a request with a body. */
static void test_eof_everywhere(void **state)
{
    (void)state;
    struct bytes in = { 0 };
    put(&in, PING);
    put_post(&in, "5");
    size_t head = in.len;
    put_data(&in, "ab", 2);
    put_data(&in, "cde", 3);
    for (size_t n = 0; n <= in.len; n++) {
        struct driver d;
        done_code = 2;
        ajp_init(&d, echo_noting, NULL, NULL);
        driver_feed(&d, in.data, n);
        driver_eof(&d);
        assert_true(d.closed);
        assert_false(d.linger);
        assert_int_equal(done_code, n < head ? 2 : n < in.len ? HOOP_EGONE : 0);
        driver_done(&d);
    }
    bytes_done(&in);
}

/* --- limits and deadlines --------------------------------------------------------------------- */

static void test_max_requests(void **state)
{
    (void)state;
    struct driver_options options = { .limits = { .max_requests = 2 } };
    struct bytes in = { 0 }, want = { 0 };
    for (int i = 0; i < 3; i++)
        put_get(&in, "/");
    put_ok(&want, "ok");
    put_ok(&want, "ok");
    want.data[want.len - 1] = 0;
    each_split(say, NULL, &options, &in, &want, 2);
}

static void test_deadlines(void **state)
{
    (void)state;
    struct driver_options options = {
        .limits = { .first_byte_ms = 100, .head_ms = 200, .idle_ms = 300, .body_grace_ms = 400 }
    };
    struct bytes in = { 0 };
    struct driver d;
    put_post(&in, "5");
    const struct {
        size_t bytes;
        uint64_t ms;
        int status;
    } cases[] = {
        { 0, 100, 0 },
        { 1, 200, 0 },
        { 4, 200, 0 },
        { 5, 200, 408 },
        { in.len - 1, 200, 408 },
        { in.len, 400, 408 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        ajp_init(&d, echo_text, NULL, &options);
        driver_feed(&d, in.data, cases[i].bytes);
        driver_sleep(&d, cases[i].ms - 1);
        assert_false(d.closed);
        driver_sleep(&d, 1);
        assert_true(d.closed);
        assert_int_equal(d.got_len ? hoop__ajp_get16(d.got + 5) : 0, cases[i].status);
        driver_done(&d);
    }
    ajp_init(&d, say, NULL, &options); /* idle behind an answer, and while a packet is owed */
    driver_feed(&d, in.data, in.len);
    driver_sleep(&d, 299);
    assert_false(d.closed);
    driver_sleep(&d, 1);
    assert_true(d.closed);
    driver_done(&d);
    ajp_init(&d, say, NULL, &options);
    driver_feed(&d, PING);
    driver_sleep(&d, 299);
    driver_feed(&d, PING); /* a ping is a sign of life */
    driver_sleep(&d, 299);
    assert_false(d.closed);
    driver_sleep(&d, 1);
    assert_true(d.closed);
    driver_done(&d);
    bytes_done(&in);
}

static void test_drain(void **state)
{
    (void)state;
    hoop_deferred *slot = NULL;
    struct bytes in = { 0 };
    struct driver d;
    ajp_init(&d, say, NULL, NULL);
    d.engine->ops->drain(d.engine);
    driver_run(&d);
    assert_true(d.closed);
    driver_done(&d);
    put_get(&in, "/");
    ajp_init(&d, defer, &slot, NULL);
    driver_feed(&d, in.data, in.len);
    d.engine->ops->drain(d.engine);
    driver_run(&d);
    assert_false(d.closed);
    resolve(&slot, "x");
    driver_run(&d);
    assert_true(d.closed);
    assert_memory_equal(d.got + d.got_len - 6, "AB\0\2\5\0", 6);
    driver_done(&d);
    ajp_init(&d, say, NULL, NULL);
    driver_feed(&d, "\x12\x34\0\1", 4);
    d.engine->ops->drain(d.engine);
    driver_feed(&d, "\x0a", 1);
    assert_true(d.closed);
    assert_int_equal(d.got_len, 0);
    driver_done(&d);
    bytes_done(&in);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void put_large(struct bytes *b)
{
    char value[5000];
    memset(value, 'v', sizeof value - 1);
    value[sizeof value - 1] = 0;
    begin_request(b, &(struct start){ .method = POST, .uri = "http://h:1/x", .fields = 4 });
    put_coded(b, 0xa00b, "a");
    put_coded(b, 0xa008, "4");
    put_coded(b, 0xa00e, value);
    put_field(b, "X", value + 4000);
    put_named(b, "CERT_FLAGS", "1");
    end_request(b);
    put_data(b, "ab", 2);
    put_data(b, "cd", 2);
}

static void run_without(struct test_allocator *allocator, void *data)
{
    struct driver_options options = { .allocator = &allocator->hoop };
    struct bytes *in = data;
    struct driver d;
    ajp_init(&d, echo_text, NULL, &options);
    if (!d.failed) {
        driver_feed(&d, in->data, in->len);
        assert_true(d.got_len > 6);
    }
    driver_done(&d);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct bytes in = { 0 };
    put_large(&in);
    put_get(&in, "/");
    put_get(&in, "http://h:1/x");
    test_each_allocation(run_without, &in);
    bytes_done(&in);
}

/* Nothing is allocated once the first request has been served. */
static void test_steady_state(void **state)
{
    (void)state;
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    struct driver_options options = { .allocator = &allocator.hoop };
    struct bytes in = { 0 };
    struct driver d;
    put_get(&in, "/a");
    put_post(&in, "3");
    put_data(&in, "abc", 3);
    ajp_init(&d, echo_text, NULL, &options);
    driver_feed(&d, in.data, in.len);
    unsigned long before = allocator.count;
    for (int i = 0; i < 100; i++)
        driver_feed(&d, in.data, in.len);
    assert_int_equal(allocator.count, before);
    driver_done(&d);
    assert_int_equal(allocator.live, 0);
    bytes_done(&in);
}

static void test_stop_everywhere(void **state)
{
    (void)state;
    struct bytes in = { 0 };
    put_post(&in, "5");
    put_data(&in, "abcde", 5);
    for (size_t n = 0; n <= in.len; n++) {
        struct driver d;
        ajp_init(&d, echo_text, NULL, NULL);
        driver_feed(&d, in.data, n);
        driver_done(&d); /* stops it */
    }
    bytes_done(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pings_and_reuse),
        cmocka_unit_test(test_other_packets),
        cmocka_unit_test(test_packet_sizes),
        cmocka_unit_test(test_body_with_length),
        cmocka_unit_test(test_chunked_body),
        cmocka_unit_test(test_full_data_packet),
        cmocka_unit_test(test_broken_bodies),
        cmocka_unit_test(test_early_answers),
        cmocka_unit_test(test_unread_body_is_no_request),
        cmocka_unit_test(test_too_large_body),
        cmocka_unit_test(test_max_discard),
        cmocka_unit_test(test_deferred),
        cmocka_unit_test(test_eof_and_hangup),
        cmocka_unit_test(test_eof_everywhere),
        cmocka_unit_test(test_max_requests),
        cmocka_unit_test(test_deadlines),
        cmocka_unit_test(test_drain),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_steady_state),
        cmocka_unit_test(test_stop_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
