/*
 * Streams through the engine, without sockets: responses pulled and pushed, requests read and paused, and
 * pipes. The cells of bodies are body_out.c's; here it is what users see.
 */
#include "driver.h"

#include "value/body.h"

#include <hoop/middleware/compress.h>

#define GET     "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define GET_OLD "GET / HTTP/1.0\r\n\r\n"
#define HEAD    "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"
#define START   "HTTP/1.1 200 OK\r\n"
#define CHUNKED "Transfer-Encoding: chunked\r\n"

/* --- responses -------------------------------------------------------------------------------- */

struct seen {
    hoop_sink *sink;
    hoop_stream_options options;
    int status;
    unsigned started, drained, finished;
    int code;
    size_t pulls;
    int say_pending;
};

static void on_start(hoop_sink *sink, void *data)
{
    struct seen *s = data;
    s->started++;
    s->sink = sink;
}

static void on_drained(hoop_sink *sink, void *data)
{
    struct seen *s = data;
    s->drained++;
    assert_ptr_equal(sink, s->sink);
}

static void on_finished(int code, void *data)
{
    struct seen *s = data;
    s->finished++;
    s->code = code;
}

static const hoop_response *push(const hoop_request *req, void *data)
{
    struct seen *s = data;
    s->options.start = on_start;
    s->options.drained = on_drained;
    s->options.finished = on_finished;
    s->options.data = s;
    const hoop_response *res = hoop_stream(req, s->status ? s->status : 200, NULL, &s->options);
    assert_true(res || s->finished);
    return res;
}

#define assert_got(d, text) assert_bytes((d)->got, (d)->got_len, (text), strlen(text))

static void clear(struct driver *d)
{
    d->got_len = 0;
}

static void test_push_chunked(void **state)
{
    (void)state;
    struct driver d;
    struct seen s = { 0 };
    driver_init(&d, push, &s, NULL);
    driver_text(&d, GET);
    assert_got(&d, START CHUNKED DATE_LINE "\r\n");
    assert_int_equal(s.started, 1);
    clear(&d);
    assert_int_equal(hoop_stream_write(s.sink, hoop_str_c("one")), 0);
    driver_run(&d);
    assert_got(&d, "3\r\none\r\n");
    clear(&d);
    assert_int_equal(hoop_stream_printf(s.sink, "%s %d", "two", 2), 0);
    assert_int_equal(hoop_stream_write(s.sink, hoop_str_c("")), 0);
    assert_int_equal(hoop_stream_trailer(s.sink, "X-Sum", "abc"), 0);
    assert_int_equal(hoop_stream_trailer(s.sink, "Content-Length", "1"), HOOP_EINVAL);
    assert_int_equal(hoop_stream_trailer(s.sink, "x y", "1"), HOOP_EINVAL);
    assert_int_equal(hoop_stream_trailer(s.sink, "x", "a\r\nb: c"), HOOP_EINVAL);
    assert_int_equal(hoop_stream_trailer(s.sink, "x-two", ""), 0);
    assert_int_equal(hoop_stream_end(s.sink), 0);
    assert_int_equal(hoop_stream_end(s.sink), HOOP_EALREADY);
    assert_int_equal(hoop_stream_write(s.sink, hoop_str_c("x")), HOOP_EALREADY);
    assert_int_equal(hoop_stream_trailer(s.sink, "x", "y"), HOOP_EALREADY);
    assert_int_equal(s.finished, 0);
    driver_run(&d);
    assert_got(&d, "5\r\ntwo 2\r\n0\r\nx-sum: abc\r\nx-two: \r\n\r\n");
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.code, 0);
    assert_false(d.closed);
    /* The connection is of use again. */
    clear(&d);
    memset(&s, 0, sizeof s);
    driver_text(&d, GET);
    assert_got(&d, START CHUNKED DATE_LINE "\r\n");
    driver_done(&d);
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.code, HOOP_ECANCELED);
}

static void note_body(const hoop_done *done, void *data)
{
    *(uint64_t *)data = done->body_out;
}

static uint64_t body_out;

static const hoop_response *push_counted(const hoop_request *req, void *data)
{
    assert_int_equal(hoop_on_done(req, note_body, &body_out), 0);
    return push(req, data);
}

/* They are sent by reference here, as are large bodies. */
static void test_trailers_larger_than_out_are_no_body(void **state)
{
    (void)state;
    struct driver d;
    struct seen s = { 0 };
    char value[2000];
    memset(value, 'v', sizeof value);
    value[sizeof value - 1] = 0;
    driver_init(&d, push_counted, &s, &(struct driver_options){ .out_cap = 600, .take = 77 });
    driver_text(&d, GET);
    clear(&d);
    assert_int_equal(hoop_stream_write(s.sink, hoop_str_c("one")), 0);
    assert_int_equal(hoop_stream_trailer(s.sink, "x", value), 0);
    assert_int_equal(hoop_stream_end(s.sink), 0);
    driver_run(&d);
    assert_int_equal(d.got_len, strlen("3\r\none\r\n0\r\nx: \r\n\r\n") + strlen(value));
    assert_int_equal(s.finished, 1);
    assert_int_equal(body_out, 3);
    driver_done(&d);
}

/* A cell of the table of pushed bodies. */
static void push_cell(const char *input, int status, uint64_t length, const char *text, int fail,
                      const char *want, int closed, int code)
{
    struct driver d;
    struct seen s = { .options = { .length = length }, .status = status };
    driver_init(&d, push, &s, NULL);
    driver_text(&d, input);
    if (s.sink && !s.finished) {
        assert_int_equal(hoop_stream_write(s.sink, hoop_str_c(text)), 0);
        driver_run(&d);
        if (!s.finished)
            assert_int_equal(fail ? hoop_stream_fail(s.sink, fail) : hoop_stream_end(s.sink), 0);
        driver_run(&d);
    }
    assert_got(&d, want);
    assert_int_equal(d.closed, closed);
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.code, code);
    driver_done(&d);
    assert_int_equal(s.finished, 1);
}

static void test_push_cells(void **state)
{
    (void)state;
#define NAMED "Content-Length: 5\r\n"
    push_cell(GET, 0, 5, "hello", 0, START NAMED DATE_LINE "\r\nhello", 0, 0);
    push_cell(GET, 0, 5, "hell", 0, START NAMED DATE_LINE "\r\nhell", 1, HOOP_EOF);
    push_cell(GET, 0, 5, "hellooo", 0, START NAMED DATE_LINE "\r\nhello", 0, HOOP_ETOOBIG);
    push_cell(GET, 0, 5, "hel", -5, START NAMED DATE_LINE "\r\nhel", 1, -5);
    push_cell(GET, 0, 0, "hel", -5, START CHUNKED DATE_LINE "\r\n3\r\nhel\r\n", 1, -5);
    push_cell(GET, 0, 0, "hel", 7, START CHUNKED DATE_LINE "\r\n3\r\nhel\r\n", 1, HOOP_ECANCELED);
    push_cell(GET, 0, 0, "", 0, START CHUNKED DATE_LINE "\r\n0\r\n\r\n", 0, 0);
    push_cell(GET_OLD, 0, 5, "hello", 0, START NAMED DATE_LINE CLOSE_LINE "\r\nhello", 1, 0);
    push_cell(GET_OLD, 0, 0, "hello", 0, START DATE_LINE CLOSE_LINE "\r\nhello", 1, 0);
    push_cell(GET_OLD, 0, 0, "hello", -5, START DATE_LINE CLOSE_LINE "\r\nhello", 1, -5);
    push_cell(HEAD, 0, 5, "hello", 0, START NAMED DATE_LINE "\r\n", 0, 0);
    push_cell(HEAD, 0, 0, "hello", 0, START CHUNKED DATE_LINE "\r\n", 0, 0);
    push_cell(GET, 204, 0, "hello", 0, "HTTP/1.1 204 No Content\r\n" DATE_LINE "\r\n", 0, 0);
    push_cell(GET, 304, 0, "hello", 0, "HTTP/1.1 304 Not Modified\r\n" DATE_LINE "\r\n", 0, 0);
}

static void test_watermarks(void **state)
{
    (void)state;
    struct driver d;
    struct seen s = { .options = { .high_bytes = 10, .low_bytes = 4, .max_bytes = 20 } };
    struct driver_options options = { .out_cap = 4096 };
    driver_init(&d, push, &s, &options);
    driver_text(&d, GET);
    assert_int_equal(hoop_stream_write(s.sink, hoop_str_c("0123456789")), 0);
    assert_int_equal(hoop_stream_write(s.sink, hoop_str_c("a")), HOOP_WAIT);
    assert_int_equal(hoop_stream_queued(s.sink), 11);
    assert_int_equal(hoop_stream_write(s.sink, hoop_str_c("0123456789")), HOOP_EBUSY);
    assert_int_equal(hoop_stream_write(s.sink, hoop_str_c("012345678901234567890")), HOOP_ETOOBIG);
    assert_int_equal(hoop_stream_queued(s.sink), 11);
    assert_int_equal(hoop_stream_write(s.sink, hoop_str_c("012345678")), HOOP_WAIT);
    assert_int_equal(s.drained, 0);
    driver_run(&d);
    assert_int_equal(s.drained, 1);
    assert_int_equal(hoop_stream_queued(s.sink), 0);
    driver_run(&d);
    assert_int_equal(s.drained, 1);
    assert_int_equal(hoop_stream_end(s.sink), 0);
    driver_run(&d);
    assert_int_equal(s.finished, 1);
    assert_int_equal(hoop_stream_queued(NULL), 0);
    driver_done(&d);
}

/* A handle taken at once: dropped without an end the response breaks off. */
static hoop_sink *taken;

static const hoop_response *take(const hoop_request *req, void *data)
{
    struct seen *s = data;
    return hoop_stream(
        req, 200, NULL,
        &(hoop_stream_options){ .ret_sink = &taken, .finished = on_finished, .data = s });
}

static void test_owned(void **state)
{
    (void)state;
    for (int ended = 0; ended < 2; ended++) {
        struct driver d;
        struct seen s = { 0 };
        driver_init(&d, take, &s, NULL);
        driver_text(&d, GET);
        assert_non_null(taken);
        assert_int_equal(hoop_stream_write(taken, hoop_str_c("x")), 0);
        assert_ptr_equal(hoop_stream_ref(taken), taken);
        hoop_stream_unref(taken);
        driver_run(&d);
        assert_int_equal(s.finished, 0);
        if (ended)
            hoop_stream_end(taken);
        hoop_stream_unref(taken);
        driver_run(&d);
        assert_int_equal(s.finished, 1);
        assert_int_equal(s.code, ended ? 0 : HOOP_EDROPPED);
        assert_int_equal(d.closed, !ended);
        driver_done(&d);
    }
}

/* A handle outlives its exchange's end: late calls are told, and its memory stays until then. */
static void test_late_calls(void **state)
{
    (void)state;
    struct driver d;
    struct seen s = { 0 };
    driver_init(&d, take, &s, NULL);
    driver_text(&d, GET);
    d.engine->ops->stop(d.engine, HOOP_EGONE);
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.code, HOOP_EGONE);
    hoop__loop_turn(&d.loop);
    assert_int_equal(hoop_stream_write(taken, hoop_str_c("x")), HOOP_EGONE);
    assert_int_equal(hoop_stream_ready(taken), HOOP_EGONE);
    assert_int_equal(hoop_stream_end(taken), HOOP_EGONE);
    assert_int_equal(hoop_stream_fail(taken, -1), HOOP_EGONE);
    assert_int_equal(hoop_stream_trailer(taken, "a", "b"), HOOP_EGONE);
    hoop_stream_unref(taken);
    driver_done(&d);
    assert_int_equal(hoop_stream_write(NULL, hoop_str_c("x")), HOOP_EINVAL);
    assert_int_equal(hoop_stream_end(NULL), HOOP_EINVAL);
    assert_null(hoop_stream_ref(NULL));
    hoop_stream_unref(NULL);
}

/* A peer that takes nothing is not waited for by a response that has failed; the failure is what is told. */
static void test_failed_while_stuck(void **state)
{
    (void)state;
    struct driver d;
    struct seen s = { 0 };
    driver_init(&d, push, &s, NULL);
    driver_text(&d, GET);
    assert_int_equal(hoop_stream_write(s.sink, hoop_str_c("never sent")), 0);
    assert_int_equal(d.engine->want & HOOP__WANT_ABORT, 0);
    assert_int_equal(hoop_stream_fail(s.sink, -5), 0);
    assert_int_equal(d.engine->want & HOOP__WANT_ABORT, HOOP__WANT_ABORT);
    assert_int_equal(s.finished, 0);
    d.engine->ops->stop(d.engine, HOOP_ECANCELED); /* as the host does then */
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.code, -5);
    driver_done(&d);
}

static const hoop_response *push_compressed(const hoop_request *req, void *data)
{
    hoop_stream_options options = { 0 };
    struct seen *s = data;
    options.start = on_start;
    options.finished = on_finished;
    options.data = s;
    return hoop_compress_response(req, hoop_stream(req, 200, "text/plain", &options), NULL);
}

/* So it is if another source stands between the stream and the engine. */
static void test_failed_while_stuck_in_a_coding(void **state)
{
    (void)state;
    struct driver d;
    struct seen s = { 0 };
    if (!hoop_compress_has("gzip"))
        skip();
    driver_init(&d, push_compressed, &s, NULL);
    driver_text(&d, "GET / HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n");
    assert_non_null(strstr(d.got, "gzip"));
    assert_int_equal(hoop_stream_write(s.sink, hoop_str_c("sent")), 0);
    driver_run(&d);
    assert_int_equal(hoop_stream_write(s.sink, hoop_str_c("never sent")), 0);
    assert_int_equal(d.engine->want & HOOP__WANT_ABORT, 0);
    assert_int_equal(hoop_stream_fail(s.sink, -5), 0);
    assert_int_equal(d.engine->want & HOOP__WANT_ABORT, HOOP__WANT_ABORT);
    d.engine->ops->stop(d.engine, HOOP_ECANCELED);
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.code, -5);
    driver_done(&d);
}

/* Trailers go where there are chunks, and nowhere else. */
static void test_trailers_dropped(void **state)
{
    (void)state;
    static const struct {
        const char *input;
        uint64_t length;
        const char *want;
        int closed;
    } cases[] = {
        { GET, 0, START CHUNKED DATE_LINE "\r\n5\r\nhello\r\n0\r\nx-sum: 1\r\n\r\n", 0 },
        { GET, 5, START NAMED DATE_LINE "\r\nhello", 0 },
        { GET_OLD, 0, START DATE_LINE CLOSE_LINE "\r\nhello", 1 },
        { GET_OLD, 5, START NAMED DATE_LINE CLOSE_LINE "\r\nhello", 1 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        struct driver d;
        struct seen s = { .options = { .length = cases[i].length } };
        driver_init(&d, push, &s, NULL);
        driver_text(&d, cases[i].input);
        assert_int_equal(hoop_stream_write(s.sink, hoop_str_c("hello")), 0);
        assert_int_equal(hoop_stream_trailer(s.sink, "X-Sum", "1"), 0);
        assert_int_equal(hoop_stream_end(s.sink), 0);
        driver_run(&d);
        assert_got(&d, cases[i].want);
        assert_int_equal(d.closed, cases[i].closed);
        driver_done(&d);
    }
}

/* --- pulled ----------------------------------------------------------------------------------- */

static int count_down(hoop_sink *sink, char *buffer, size_t cap, size_t *ret_len, void *data)
{
    struct seen *s = data;
    s->sink = sink;
    if (s->say_pending) {
        s->say_pending = 0;
        return HOOP_EAGAIN;
    }
    if (s->pulls == 3) {
        hoop_stream_trailer(sink, "x-end", "yes");
        return HOOP_EOF;
    }
    assert_true(cap > 0);
    buffer[0] = (char)('a' + s->pulls++);
    *ret_len = 1;
    s->say_pending = s->pulls == 2;
    return 0;
}

static const hoop_response *pulled(const hoop_request *req, void *data)
{
    struct seen *s = data;
    s->options.pull = count_down;
    return push(req, data);
}

static void test_pull(void **state)
{
    (void)state;
    struct driver d;
    struct seen s = { 0 };
    driver_init(&d, pulled, &s, NULL);
    driver_text(&d, GET);
    assert_got(&d, START CHUNKED DATE_LINE "\r\n1\r\na\r\n1\r\nb\r\n");
    assert_int_equal(hoop_stream_write(s.sink, hoop_str_c("x")), HOOP_EINVAL);
    clear(&d);
    assert_int_equal(hoop_stream_ready(s.sink), 0);
    driver_run(&d);
    assert_got(&d, "1\r\nc\r\n0\r\nx-end: yes\r\n\r\n");
    assert_int_equal(s.started, 1);
    assert_int_equal(s.finished, 1);
    driver_done(&d);
}

/* --- the end, once ---------------------------------------------------------------------------- */

enum how { DONE, FAILED, GONE_AT_HEAD, GONE_WITHIN, GONE_AT_END, DRAINED, CUT_OFF, HOWS };

/* Ends a response in some way; the code that `finished` is to get. */
static int end_somehow(struct driver *d, struct seen *s, enum how how, int pushed)
{
    if (how == GONE_AT_HEAD) {
        d->engine->ops->stop(d->engine, HOOP_EGONE);
        return HOOP_EGONE;
    }
    if (pushed)
        hoop_stream_write(s->sink, hoop_str_c("abc"));
    driver_run(d);
    switch (how) {
    case FAILED:
        hoop_stream_fail(s->sink, -5);
        driver_run(d);
        return -5;
    case GONE_WITHIN:
        d->engine->ops->stop(d->engine, HOOP_EGONE);
        return HOOP_EGONE;
    case CUT_OFF:
        d->engine->ops->drain(d->engine);
        d->engine->ops->stop(d->engine, HOOP_ECANCELED); /* the time to drain is over */
        return HOOP_ECANCELED;
    case DRAINED:
        d->engine->ops->drain(d->engine);
        break;
    default:
        break;
    }
    if (pushed)
        hoop_stream_end(s->sink);
    else
        hoop_stream_ready(s->sink);
    driver_run(d);
    if (how == GONE_AT_END)
        d->engine->ops->stop(d->engine, HOOP_EGONE);
    return 0;
}

/* However a response ends, `finished` runs once, and tells why. */
static void test_finished_once(void **state)
{
    (void)state;
    static const struct {
        const char *input;
        int status;
    } bodies[] = { { GET, 0 }, { GET_OLD, 0 }, { HEAD, 0 }, { GET, 204 }, { GET, 304 } };
    for (int pushed = 0; pushed < 2; pushed++) {
        for (size_t i = 0; i < HOOP_COUNT(bodies); i++) {
            for (int how = 0; how < HOWS; how++) {
                struct driver d;
                struct seen s = { .status = bodies[i].status };
                driver_init(&d, pushed ? push : pulled, &s, NULL);
                driver_text(&d, bodies[i].input);
                int code = 0;
                if (i < 2) { /* else there is no body: all is done */
                    assert_int_equal(s.finished, 0);
                    code = end_somehow(&d, &s, (enum how)how, pushed);
                }
                assert_int_equal(s.finished, 1);
                assert_int_equal(s.code, code);
                assert_int_equal(s.started, i < 2);
                driver_done(&d);
                assert_int_equal(s.finished, 1);
            }
        }
    }
}

/* --- what is never sent ----------------------------------------------------------------------- */

static const hoop_response *drop_it(const hoop_request *req, void *data)
{
    push(req, data);
    return hoop_text(req, 200, "other");
}

static const hoop_response *bad_status(const hoop_request *req, void *data)
{
    struct seen *s = data;
    s->status = 99;
    assert_null(push(req, data));
    return hoop_text(req, 200, "other");
}

static void test_never_sent(void **state)
{
    (void)state;
    hoop_handler_fn *handlers[] = { drop_it, bad_status };
    for (size_t i = 0; i < HOOP_COUNT(handlers); i++) {
        struct driver d;
        struct seen s = { 0 };
        driver_init(&d, handlers[i], &s, NULL);
        driver_text(&d, GET);
        assert_got(&d, ok("other", ""));
        assert_int_equal(s.finished, 1);
        assert_int_equal(s.started, 0);
        assert_int_equal(s.code, i ? HOOP_EINVAL : HOOP_ECANCELED);
        driver_done(&d);
        assert_int_equal(s.finished, 1);
    }
    struct seen s = { .options = { .ret_sink = &taken } };
    taken = (hoop_sink *)&s;
    assert_null(push(NULL, &s));
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.code, HOOP_EINVAL);
    assert_null(taken);
}

/* --- requests --------------------------------------------------------------------------------- */

struct reading {
    hoop_read_options options;
    hoop_reader *reader;
    char text[256];
    size_t len;
    int answer; /* of the chunk function */
    size_t at;  /* from which byte on */
    unsigned ended;
    int code;
    hoop_response *late;
};

static int on_chunk(hoop_reader *reader, hoop_str bytes, hoop_arena *scratch, void *data)
{
    struct reading *r = data;
    assert_ptr_equal(reader, r->reader);
    assert_true(bytes.len > 0);
    if (!hoop_arena_alloc(scratch, 10000))
        return HOOP_ENOMEM;
    memcpy(r->text + r->len, bytes.data, bytes.len);
    r->len += bytes.len;
    r->text[r->len] = 0;
    return r->len > r->at ? r->answer : 0;
}

static const hoop_response *on_read(const hoop_request *req, int code, void *data)
{
    struct reading *r = data;
    r->ended++;
    r->code = code;
    hoop_str trailer = hoop_trailer(req, "x-t");
    if (code)
        return NULL;
    return hoop_textf(req, 200, "%s%s", r->text, trailer.data);
}

static const hoop_response *read_it(const hoop_request *req, void *data)
{
    struct reading *r = data;
    r->options.chunk = on_chunk;
    r->options.end = on_read;
    r->options.data = r;
    r->options.ret_reader = &r->reader;
    return hoop_read_stream(req, &r->options);
}

#define BY_LENGTH "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789"
#define BY_CHUNKS                                                      \
    "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" \
    "4\r\n0123\r\n6\r\n456789\r\n0\r\nX-T: t\r\n\r\n"

static void test_read(void **state)
{
    (void)state;
    const char *inputs[] = { BY_LENGTH, BY_CHUNKS };
    for (size_t i = 0; i < 2; i++) {
        for (size_t cut = 0; cut <= strlen(inputs[i]); cut++) {
            struct driver d;
            struct reading r = { 0 };
            driver_init(&d, read_it, &r, NULL);
            driver_feed(&d, inputs[i], cut);
            driver_text(&d, inputs[i] + cut);
            assert_got(&d, ok(i ? "0123456789t" : "0123456789", ""));
            assert_int_equal(r.ended, 1);
            assert_false(d.closed);
            driver_done(&d);
            assert_int_equal(r.ended, 1);
        }
    }
}

/* Every chunk pauses, and time passes in between: the body's rate does not count it. */
static void test_pause(void **state)
{
    (void)state;
    const char *inputs[] = { BY_LENGTH, BY_CHUNKS };
    for (size_t i = 0; i < 2; i++) {
        struct driver d;
        struct reading r = { .answer = HOOP_WAIT };
        struct driver_options options = { .limits.handler_ms = HOOP_OFF };
        driver_init(&d, read_it, &r, &options);
        for (size_t at = 0; at < strlen(inputs[i]); at++)
            driver_feed(&d, inputs[i] + at, 1);
        assert_string_equal(r.text, "0");
        assert_int_equal(d.engine->want & HOOP__WANT_INPUT, 0);
        while (!r.ended) {
            size_t before = r.len;
            driver_sleep(&d, 3600 * 1000);
            assert_int_equal(r.len, before);
            assert_int_equal(r.ended, 0);
            assert_int_equal(hoop_reader_resume(r.reader), 0);
            assert_int_equal(r.len, before); /* never within */
            driver_run(&d);
        }
        assert_int_equal(r.ended, 1);
        assert_memory_equal(d.got, "HTTP/1.1 200", 12);
        driver_done(&d);
    }
}

/* A pause holds the end back, too, however the length is told; a stop and a client that leaves don't wait for it. */
static void test_end_waits(void **state)
{
    (void)state;
    const char *inputs[] = { BY_LENGTH, BY_CHUNKS };
    static const int codes[] = { 0, -7, HOOP_EGONE };
    for (size_t i = 0; i < 2; i++) {
        for (size_t how = 0; how < HOOP_COUNT(codes); how++) {
            struct driver d;
            struct reading r = { .answer = HOOP_WAIT, .at = 9 };
            driver_init(&d, read_it, &r, NULL);
            driver_text(&d, inputs[i]);
            driver_run(&d);
            assert_string_equal(r.text, "0123456789");
            assert_int_equal(r.ended, 0);
            assert_int_equal(hoop_reader_pause(r.reader), 0);
            assert_int_equal(hoop_reader_resume(r.reader), 0);
            driver_run(&d);
            assert_int_equal(r.ended, 0); /* one of two pauses */
            if (how == 0)
                assert_int_equal(hoop_reader_resume(r.reader), 0);
            else if (how == 1)
                assert_int_equal(hoop_reader_stop(r.reader, -7), 0);
            else
                d.engine->ops->stop(d.engine, HOOP_EGONE);
            if (how < 2)
                driver_run(&d);
            assert_int_equal(r.ended, 1);
            assert_int_equal(r.code, codes[how]);
            if (how == 0)
                assert_got(&d, ok(i ? "0123456789t" : "0123456789", ""));
            driver_done(&d);
            assert_int_equal(r.ended, 1);
        }
    }
}

static void test_resume_first(void **state)
{
    (void)state;
    struct driver d;
    struct reading r = { .answer = HOOP_WAIT };
    driver_init(&d, read_it, &r, NULL);
    driver_text(&d, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n");
    assert_int_equal(hoop_reader_pause(r.reader), 0);
    driver_text(&d, "0123456789");
    assert_int_equal(r.len, 0);
    assert_int_equal(hoop_reader_resume(r.reader), 0);
    assert_int_equal(hoop_reader_resume(r.reader), 0); /* for the chunk to come */
    driver_run(&d);
    assert_int_equal(r.ended, 1);
    assert_int_equal(hoop_reader_received(NULL), 0);
    assert_int_equal(hoop_reader_resume(NULL), HOOP_EINVAL);
    assert_int_equal(hoop_reader_pause(NULL), HOOP_EINVAL);
    assert_int_equal(hoop_reader_stop(NULL, 0), HOOP_EINVAL);
    assert_null(hoop_reader_request(NULL));
    driver_done(&d);
}

static void test_stop_and_limits(void **state)
{
    (void)state;
    struct driver d;
    struct reading r = { .answer = -7, .at = 3 };
    driver_init(&d, read_it, &r, NULL);
    driver_text(&d, BY_LENGTH);
    assert_int_equal(r.ended, 1);
    assert_int_equal(r.code, -7);
    assert_memory_equal(d.got, "HTTP/1.1 500", 12);
    driver_done(&d);

    for (int known = 0; known < 2; known++) {
        r = (struct reading){ .options = { .limit = 9 } };
        driver_init(&d, read_it, &r, NULL);
        driver_text(&d, known ? BY_LENGTH : BY_CHUNKS);
        assert_int_equal(r.ended, 1);
        assert_int_equal(r.code, HOOP_ETOOBIG);
        assert_int_equal(r.len, known ? 0 : 4);
        assert_memory_equal(d.got, "HTTP/1.1 413", 12);
        driver_done(&d);
    }

    r = (struct reading){ 0 };
    driver_init(&d, read_it, &r, NULL);
    driver_text(&d, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n012");
    assert_int_equal(hoop_reader_received(r.reader), 3);
    assert_int_equal(hoop_reader_stop(r.reader, HOOP_EBUSY), 0);
    assert_int_equal(r.ended, 0);
    driver_run(&d);
    assert_int_equal(r.ended, 1);
    assert_int_equal(r.code, HOOP_EBUSY);
    assert_memory_equal(d.got, "HTTP/1.1 503", 12);
    driver_done(&d);
}

/* The client leaves at each place: end() runs once, with the reason. */
static void test_client_leaves(void **state)
{
    (void)state;
    const char *inputs[] = { BY_LENGTH, BY_CHUNKS };
    for (size_t i = 0; i < 2; i++) {
        size_t head = strlen(inputs[i]) - (i ? 33 : 10);
        for (size_t cut = head; cut < strlen(inputs[i]); cut++) {
            for (int reset = 0; reset < 3; reset++) {
                struct driver d;
                struct reading r = { 0 };
                driver_init(&d, read_it, &r, NULL);
                driver_feed(&d, inputs[i], cut);
                if (reset == 0)
                    driver_eof(&d);
                else if (reset == 1)
                    d.engine->ops->stop(d.engine, HOOP_EGONE);
                else
                    driver_sleep(&d, 3600 * 1000);
                assert_int_equal(r.ended, 1);
                assert_int_equal(r.code, reset == 2 ? HOOP_ETIMEDOUT : HOOP_EGONE);
                driver_done(&d);
                assert_int_equal(r.ended, 1);
            }
        }
    }
}

/* A FIN behind a body that waits: it is read to its end all the same. */
static void test_fin_while_paused(void **state)
{
    (void)state;
    struct driver d;
    struct reading r = { .answer = HOOP_WAIT };
    driver_init(&d, read_it, &r, NULL);
    driver_text(&d, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0");
    driver_text(&d, "12345");
    driver_text(&d, "6789");
    driver_eof(&d);
    assert_int_equal(r.ended, 0);
    while (!r.ended) {
        hoop_reader_resume(r.reader);
        driver_run(&d);
    }
    assert_int_equal(r.code, 0);
    assert_memory_equal(d.got, "HTTP/1.1 200", 12);
    driver_done(&d);

    r = (struct reading){ .answer = HOOP_WAIT };
    driver_init(&d, read_it, &r, NULL);
    driver_text(&d, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0");
    driver_eof(&d); /* the rest can't come any more */
    assert_int_equal(r.ended, 1);
    assert_int_equal(r.code, HOOP_EGONE);
    driver_done(&d);
}

static const hoop_response *nothing_to_read(const hoop_request *req, void *data)
{
    return hoop_read_stream(req, data);
}

static void test_defaults(void **state)
{
    (void)state;
    struct driver d;
    hoop_read_options options = { 0 };
    driver_init(&d, nothing_to_read, &options, NULL);
    driver_text(&d, GET BY_CHUNKS);
#define NONE "HTTP/1.1 204 No Content\r\n" DATE_LINE "\r\n"
    assert_got(&d, NONE NONE);
    driver_done(&d);
    struct reading r = { 0 };
    assert_null(read_it(NULL, &r));
    assert_int_equal(r.ended, 1);
    assert_int_equal(r.code, HOOP_EINVAL);
}

/* --- pipes ------------------------------------------------------------------------------------ */

static const hoop_response *pipe_it(const hoop_request *req, void *data)
{
    struct seen *s = data;
    return hoop_pipe(req, 200, "text/plain",
                     &(hoop_pipe_options){ .window = s->pulls,
                                           .limit = s->options.max_bytes,
                                           .finished = on_finished,
                                           .data = s });
}

static void test_pipe(void **state)
{
    (void)state;
    const char *inputs[] = { BY_LENGTH, BY_CHUNKS };
    for (size_t i = 0; i < 2; i++) {
        for (size_t cut = 0; cut <= strlen(inputs[i]); cut++) {
            for (size_t window = 0; window < 12; window += 3) {
                struct driver d;
                struct seen s = { .pulls = window };
                driver_init(&d, pipe_it, &s, NULL);
                driver_feed(&d, inputs[i], cut);
                driver_text(&d, inputs[i] + cut);
                assert_int_equal(s.finished, 1);
                assert_int_equal(s.code, 0);
                assert_false(d.closed);
                assert_memory_equal(d.got, START, strlen(START));
                const char *end = i ? "\r\n0\r\nx-t: t\r\n\r\n" : "\r\n\r\n0123456789";
                assert_memory_equal(d.got + d.got_len - strlen(end), end, strlen(end));
                driver_done(&d);
            }
        }
    }
}

/* A client that waits for 100 gets it in front of the head: a final answer might keep it from sending. */
static void test_pipe_continues(void **state)
{
    (void)state;
    static const char by_length[] = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                                    "Content-Length: 10\r\n\r\n";
    static const char by_chunks[] = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                                    "Transfer-Encoding: chunked\r\n\r\n";
    static const char *const heads[] = { by_length, by_chunks };
    static const char *const bodies[] = { "0123456789", "A\r\n0123456789\r\n0\r\n\r\n" };
    const char want[] = "HTTP/1.1 100 Continue\r\n\r\n" START;
    for (size_t i = 0; i < 2; i++) {
        for (int waits = 0; waits < 2; waits++) {
            struct driver d;
            struct seen s = { .options.max_bytes = 0 };
            driver_init(&d, pipe_it, &s, NULL);
            if (waits) {
                driver_text(&d, heads[i]);
                assert_memory_equal(d.got, want, strlen(want));
                driver_text(&d, bodies[i]);
            } else { /* head and body in one piece */
                char both[256];
                strcat(strcpy(both, heads[i]), bodies[i]);
                driver_text(&d, both);
                assert_memory_equal(d.got, START, strlen(START));
            }
            assert_int_equal(s.finished, 1);
            assert_int_equal(s.code, 0);
            assert_false(d.closed); /* and goes on */
            assert_null(strstr(d.got, "Connection: close"));
            driver_done(&d);
        }
    }
}

/* Who does not read is not read from. */
static void test_pipe_holds_up(void **state)
{
    (void)state;
    struct driver d;
    struct seen s = { .pulls = 4 };
    driver_init(&d, pipe_it, &s, NULL);
    d.out.cap = 0; /* the socket is full, the head waits by reference */
    d.engine->ops->feed(d.engine, BY_LENGTH, strlen(BY_LENGTH) - 10);
    size_t n = d.engine->ops->feed(d.engine, "0123456789", 10);
    assert_int_equal(n, 4);
    assert_int_equal(d.engine->want & HOOP__WANT_INPUT, 0);
    d.out.cap = 65536;
    driver_send(&d);
    d.engine->ops->pull(d.engine, &d.out);
    assert_int_equal(d.engine->want & HOOP__WANT_INPUT, HOOP__WANT_INPUT);
    driver_text(&d, "456789");
    assert_int_equal(s.finished, 1);
    assert_memory_equal(d.got + d.got_len - 10, "0123456789", 10);
    driver_done(&d);
}

static void test_pipe_limits(void **state)
{
    (void)state;
    for (int known = 0; known < 2; known++) {
        struct driver d;
        struct seen s = { .options = { .max_bytes = 9 } };
        driver_init(&d, pipe_it, &s, NULL);
        driver_text(&d, known ? BY_LENGTH : BY_CHUNKS);
        assert_int_equal(s.finished, 1);
        assert_int_equal(s.code, HOOP_ETOOBIG);
        assert_memory_equal(d.got, known ? "HTTP/1.1 413" : "HTTP/1.1 200", 12);
        assert_int_equal(d.closed, !known);
        driver_done(&d);
    }
    struct driver d;
    struct seen s = { 0 };
    driver_init(&d, pipe_it, &s, NULL);
    driver_text(&d, GET);
    assert_got(&d, START "Content-Type: text/plain\r\nContent-Length: 0\r\n" DATE_LINE "\r\n");
    driver_done(&d);
    assert_int_equal(s.finished, 1);
}

/* --- each allocation fails once --------------------------------------------------------------- */

struct scenario {
    hoop_handler_fn *fn;
    void *data;
    const char *input;
};

static struct seen fault_seen;
static struct reading fault_reading;

static void run_scenario(struct test_allocator *allocator, void *data)
{
    const struct scenario *scenario = data;
    struct driver d;
    struct driver_options options = { .allocator = &allocator->hoop };
    memset(&fault_seen, 0, sizeof fault_seen);
    memset(&fault_reading, 0, sizeof fault_reading);
    driver_init(&d, scenario->fn, scenario->data, &options);
    if (!d.failed) {
        driver_text(&d, scenario->input);
        if (fault_seen.sink && !fault_seen.finished) {
            hoop_stream_write(fault_seen.sink, hoop_str_c("bytes"));
            hoop_stream_trailer(fault_seen.sink, "a", "b");
            hoop_stream_end(fault_seen.sink);
            driver_run(&d);
        }
    }
    driver_done(&d);
    assert_true(fault_seen.finished <= 1 && fault_reading.ended <= 1);
}

static void test_faults(void **state)
{
    (void)state;
    struct scenario scenarios[] = {
        { push, &fault_seen, GET },
        { read_it, &fault_reading, BY_CHUNKS },
        { pipe_it, &fault_seen, BY_CHUNKS },
    };
    for (size_t i = 0; i < HOOP_COUNT(scenarios); i++)
        test_each_allocation(run_scenario, &scenarios[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_push_chunked),
        cmocka_unit_test(test_push_cells),
        cmocka_unit_test(test_trailers_larger_than_out_are_no_body),
        cmocka_unit_test(test_watermarks),
        cmocka_unit_test(test_owned),
        cmocka_unit_test(test_late_calls),
        cmocka_unit_test(test_failed_while_stuck),
        cmocka_unit_test(test_failed_while_stuck_in_a_coding),
        cmocka_unit_test(test_trailers_dropped),
        cmocka_unit_test(test_finished_once),
        cmocka_unit_test(test_pull),
        cmocka_unit_test(test_never_sent),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_pause),
        cmocka_unit_test(test_end_waits),
        cmocka_unit_test(test_resume_first),
        cmocka_unit_test(test_stop_and_limits),
        cmocka_unit_test(test_client_leaves),
        cmocka_unit_test(test_fin_while_paused),
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_pipe_continues),
        cmocka_unit_test(test_pipe_holds_up),
        cmocka_unit_test(test_pipe_limits),
        cmocka_unit_test(test_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
