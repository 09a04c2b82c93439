/*
 * The bodies of responses: each cell of the table in docs/internals/http1.md. For every source:
 * finished() is called exactly once.
 */
#include "driver.h"

#define GET      "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define GET_OLD  "GET / HTTP/1.0\r\n\r\n"
#define KEEP_OLD "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
#define HEAD     "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"
#define HEAD_OLD "HEAD / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
#define START    "HTTP/1.1 200 OK\r\n"
#define UNKNOWN  HOOP__LENGTH_UNKNOWN

/* --- a source that follows a script ----------------------------------------------------------- */

struct step {
    int rc;
    const char *bytes; /* NULL: none */
};

struct script {
    struct hoop__source source;
    const struct step *steps;
    size_t at;        /* the current one */
    size_t from;      /* of its bytes */
    int ready_within; /* call hoop__source_ready() within pull, before HOOP_EAGAIN */
    unsigned pulls, finished, done;
    int code, done_code;
    int status;
    uint64_t body_out;
};

static int pull_script(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct script *s = (struct script *)source;
    const struct step *step = &s->steps[s->at];
    assert_int_equal(s->finished, 0);
    assert_non_null(source->exchange);
    assert_true(cap > 0);
    s->pulls++;
    if (step->rc != 0 && step->rc != HOOP_EOF) {
        s->at++;
        if (step->rc == HOOP_EAGAIN && s->ready_within)
            hoop__source_ready(source);
        return step->rc;
    }
    size_t len = step->bytes ? strlen(step->bytes) - s->from : 0, n = len < cap ? len : cap;
    if (n)
        memcpy(buffer, step->bytes + s->from, n);
    *ret_len = n;
    s->from += n;
    if (n < len)
        return 0;
    s->from = 0;
    if (step->rc == 0)
        s->at++;
    return step->rc;
}

static void finish_script(struct hoop__source *source, int code)
{
    struct script *s = (struct script *)source;
    s->finished++;
    s->code = code;
}

static void note_done(const hoop_done *done, void *data)
{
    struct script *s = data;
    s->done++;
    s->done_code = done->code;
    s->body_out = done->body_out;
    assert_int_equal(s->finished, 1); /* first the source, then the exchange */
}

static const hoop_response *run_script(const hoop_request *req, void *data)
{
    struct script *s = data;
    hoop_on_done(req, note_done, s);
    return hoop__respond_source(req, s->status ? s->status : 200, NULL, &s->source);
}

static void script_init(struct script *s, const struct step *steps, uint64_t length, int status)
{
    memset(s, 0, sizeof *s);
    s->source.pull = pull_script;
    s->source.finished = finish_script;
    s->source.length = length;
    s->steps = steps;
    s->status = status;
}

struct cell {
    const char *input;
    uint64_t length;
    struct step steps[5];
    int status;       /* 0: 200 */
    const char *want; /* NULL: only the rest is compared */
    int close;
    int code;
    uint64_t body_out;
};

static void check_cell(const struct cell *cell, const struct driver_options *options)
{
    struct driver d;
    struct script s;
    script_init(&s, cell->steps, cell->length, cell->status);
    driver_init(&d, run_script, &s, options);
    driver_text(&d, cell->input);
    assert_got(&d, cell->want);
    assert_int_equal(d.closed, cell->close);
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.code, cell->code);
    assert_int_equal(s.done, 1);
    assert_int_equal(s.done_code, cell->code);
    assert_int_equal(s.body_out, cell->body_out);
    driver_done(&d);
    assert_int_equal(s.finished, 1);
}

/* --- the table -------------------------------------------------------------------------------- */

#define FIVE    "Content-Length: 5\r\n"
#define CHUNKED "Transfer-Encoding: chunked\r\n"

static void test_known_length(void **state)
{
    (void)state;
    static const struct cell cells[] = {
        { GET,
          5,
          { { 0, "hel" }, { HOOP_EOF, "lo" } },
          0,
          START FIVE DATE_LINE "\r\nhello",
          0,
          0,
          5 },
        { GET,
          5,
          { { 0, "hel" }, { 0, "lo" }, { HOOP_EOF, NULL } },
          0,
          START FIVE DATE_LINE "\r\nhello",
          0,
          0,
          5 },
        { GET_OLD,
          5,
          { { HOOP_EOF, "hello" } },
          0,
          START FIVE DATE_LINE CLOSE_LINE "\r\nhello",
          1,
          0,
          5 },
        { KEEP_OLD,
          5,
          { { HOOP_EOF, "hello" } },
          0,
          START FIVE DATE_LINE KEEP_LINE "\r\nhello",
          0,
          0,
          5 },
        { GET,
          0,
          { { HOOP_EOF, NULL } },
          0,
          START "Content-Length: 0\r\n" DATE_LINE "\r\n",
          0,
          0,
          0 },
        /* It does not end, but all that was announced is there. */
        { GET,
          5,
          { { 0, "hello" }, { HOOP_EAGAIN, NULL } },
          0,
          START FIVE DATE_LINE "\r\nhello",
          0,
          0,
          5 },
        /* Short. */
        { GET,
          5,
          { { 0, "hel" }, { HOOP_EOF, NULL } },
          0,
          START FIVE DATE_LINE "\r\nhel",
          1,
          HOOP_EOF,
          3 },
        { GET, 5, { { HOOP_EOF, "hel" } }, 0, START FIVE DATE_LINE "\r\nhel", 1, HOOP_EOF, 3 },
        { GET_OLD,
          5,
          { { HOOP_EOF, NULL } },
          0,
          START FIVE DATE_LINE CLOSE_LINE "\r\n",
          1,
          HOOP_EOF,
          0 },
        /* Long. */
        { GET,
          5,
          { { 0, "hello" }, { 0, "x" } },
          0,
          START FIVE DATE_LINE "\r\nhello",
          0,
          HOOP_ETOOBIG,
          5 },
        { GET,
          5,
          { { HOOP_EOF, "hello, world" } },
          0,
          START FIVE DATE_LINE "\r\nhello",
          0,
          HOOP_ETOOBIG,
          5 },
        { GET,
          0,
          { { HOOP_EOF, "x" } },
          0,
          START "Content-Length: 0\r\n" DATE_LINE "\r\n",
          0,
          HOOP_ETOOBIG,
          0 },
        /* Failing: at once, in the middle, behind the end. */
        { GET, 5, { { -5, NULL } }, 0, START FIVE DATE_LINE "\r\n", 1, -5, 0 },
        { GET, 5, { { 0, "hel" }, { -5, NULL } }, 0, START FIVE DATE_LINE "\r\nhel", 1, -5, 3 },
        { GET_OLD,
          5,
          { { 0, "hel" }, { -5, NULL } },
          0,
          START FIVE DATE_LINE CLOSE_LINE "\r\nhel",
          1,
          -5,
          3 },
        { GET, 5, { { 0, "hello" }, { -5, NULL } }, 0, START FIVE DATE_LINE "\r\nhello", 0, -5, 5 },
        /* Nothing, and yet not the end: no source may say that. */
        { GET, 5, { { 0, NULL } }, 0, START FIVE DATE_LINE "\r\n", 1, HOOP_EINVAL, 0 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cells); i++)
        check_cell(&cells[i], NULL);
}

static void test_unknown_length(void **state)
{
    (void)state;
    static const struct cell cells[] = {
        { GET,
          UNKNOWN,
          { { 0, "hel" }, { HOOP_EOF, "lo" } },
          0,
          START CHUNKED DATE_LINE "\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
          0,
          0,
          5 },
        { GET,
          UNKNOWN,
          { { 0, "0123456789abcdefg" }, { HOOP_EOF, NULL } },
          0,
          START CHUNKED DATE_LINE "\r\n11\r\n0123456789abcdefg\r\n0\r\n\r\n",
          0,
          0,
          17 },
        { GET,
          UNKNOWN,
          { { HOOP_EOF, NULL } },
          0,
          START CHUNKED DATE_LINE "\r\n0\r\n\r\n",
          0,
          0,
          0 },
        { GET_OLD,
          UNKNOWN,
          { { 0, "hel" }, { HOOP_EOF, "lo" } },
          0,
          START DATE_LINE CLOSE_LINE "\r\nhello",
          1,
          0,
          5 },
        { KEEP_OLD,
          UNKNOWN,
          { { 0, "hel" }, { HOOP_EOF, NULL } },
          0,
          START DATE_LINE CLOSE_LINE "\r\nhel",
          1,
          0,
          3 },
        /* Failing: the last chunk is missing, or (1.0) nothing tells. */
        { GET,
          UNKNOWN,
          { { 0, "hel" }, { -5, NULL } },
          0,
          START CHUNKED DATE_LINE "\r\n3\r\nhel\r\n",
          1,
          -5,
          3 },
        { GET_OLD,
          UNKNOWN,
          { { 0, "hel" }, { -5, NULL } },
          0,
          START DATE_LINE CLOSE_LINE "\r\nhel",
          1,
          -5,
          3 },
        { GET, UNKNOWN, { { 0, NULL } }, 0, START CHUNKED DATE_LINE "\r\n", 1, HOOP_EINVAL, 0 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cells); i++)
        check_cell(&cells[i], NULL);
}

/* Where there is no body, the source is not pulled, and has ended well. */
static void test_no_body(void **state)
{
    (void)state;
    static const struct step steps[] = { { HOOP_EOF, "hello" } };
    static const struct cell cells[] = {
        { HEAD, 5, { { 0 } }, 0, START FIVE DATE_LINE "\r\n", 0, 0, 0 },
        { HEAD, UNKNOWN, { { 0 } }, 0, START CHUNKED DATE_LINE "\r\n", 0, 0, 0 },
        { HEAD_OLD, 5, { { 0 } }, 0, START FIVE DATE_LINE KEEP_LINE "\r\n", 0, 0, 0 },
        { HEAD_OLD, UNKNOWN, { { 0 } }, 0, START DATE_LINE KEEP_LINE "\r\n", 0, 0, 0 },
        { GET, 5, { { 0 } }, 204, "HTTP/1.1 204 No Content\r\n" DATE_LINE "\r\n", 0, 0, 0 },
        { GET, UNKNOWN, { { 0 } }, 204, "HTTP/1.1 204 No Content\r\n" DATE_LINE "\r\n", 0, 0, 0 },
        { GET,
          5,
          { { 0 } },
          205,
          "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n" DATE_LINE "\r\n",
          0,
          0,
          0 },
        { GET, 5, { { 0 } }, 304, "HTTP/1.1 304 Not Modified\r\n" DATE_LINE "\r\n", 0, 0, 0 },
        { GET, UNKNOWN, { { 0 } }, 304, "HTTP/1.1 304 Not Modified\r\n" DATE_LINE "\r\n", 0, 0, 0 },
        { HEAD,
          UNKNOWN,
          { { 0 } },
          304,
          "HTTP/1.1 304 Not Modified\r\n" DATE_LINE "\r\n",
          0,
          0,
          0 },
        { KEEP_OLD,
          UNKNOWN,
          { { 0 } },
          304,
          "HTTP/1.1 304 Not Modified\r\n" DATE_LINE KEEP_LINE "\r\n",
          0,
          0,
          0 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cells); i++) {
        struct cell cell = cells[i];
        memcpy(cell.steps, steps, sizeof steps);
        check_cell(&cell, NULL);
    }
}

/* --- bytes ------------------------------------------------------------------------------------ */

static const hoop_response *large(const hoop_request *req, void *data)
{
    return hoop_bytes_static(req, 200, NULL, *(hoop_str *)data);
}

/* Small ones are copied, large ones go by reference; what is sent is the same. */
static void test_bytes(void **state)
{
    (void)state;
    static const size_t sizes[] = { 0, 1, 300, 511, 512, 513, 16383, 16384, 16385, 70000, 1 << 20 };
    static const size_t caps[] = { 512, 4096, 65536 }, takes[] = { 0, 1000, 60000 };
    char *bytes = malloc(1 << 20);
    memset(bytes, 'x', 1 << 20);
    for (size_t i = 0; i < HOOP_COUNT(sizes); i++) {
        for (size_t k = 0; k < 9; k++) {
            const struct driver_options options = { .out_cap = caps[k / 3], .take = takes[k % 3] };
            struct driver d;
            char head[256];
            hoop_str body = hoop_str_n(bytes, sizes[i]);
            driver_init(&d, large, &body, &options);
            driver_text(&d, GET HEAD GET);
            size_t n = (size_t)snprintf(head, sizeof head,
                                        START "Content-Length: %zu\r\n" DATE_LINE "\r\n", sizes[i]);
            assert_int_equal(d.got_len, 3 * n + 2 * sizes[i]);
            assert_memory_equal(d.got, head, n);
            assert_memory_equal(d.got + n + sizes[i], head, n);
            assert_memory_equal(d.got + 2 * n + sizes[i], head, n);
            assert_int_equal(strspn(d.got + 3 * n + sizes[i], "x"), sizes[i]);
            assert_int_equal(d.closed, 0);
            driver_done(&d);
        }
    }
    free(bytes);
}

static void test_reference_is_no_copy(void **state)
{
    (void)state;
    struct driver d;
    char *bytes = calloc(1, 20000);
    hoop_str body = hoop_str_n(bytes, 20000);
    driver_init(&d, large, &body, NULL);
    size_t n = d.engine->ops->feed(d.engine, GET GET, 2 * strlen(GET));
    assert_int_equal(n, strlen(GET)); /* behind a reference nothing goes on */
    assert_ptr_equal(d.out.ref, bytes);
    assert_int_equal(d.out.ref_len, 20000);
    d.out.ref = NULL;
    d.out.ref_len = 0;
    d.engine->ops->took(d.engine, 5000);
    assert_int_equal(d.engine->want, HOOP__WANT_OUTPUT);
    d.out.len = 0;
    d.engine->ops->pull(d.engine, &d.out);
    assert_ptr_equal(d.out.ref, bytes + 5000);
    d.engine->ops->took(d.engine, 15000);
    d.out.ref = NULL;
    d.out.ref_len = 0;
    assert_int_equal(d.engine->want, HOOP__WANT_INPUT);
    driver_done(&d);
    free(bytes);
}

/* --- sources that wait, and ends in the middle ------------------------------------------------ */

static void test_waiting(void **state)
{
    (void)state;
    static const struct step steps[] = {
        { HOOP_EAGAIN, NULL }, { 0, "hel" }, { HOOP_EAGAIN, NULL }, { HOOP_EOF, "lo" }
    };
    struct driver d;
    struct script s;
    script_init(&s, steps, 5, 0);
    driver_init(&d, run_script, &s, NULL);
    driver_text(&d, GET);
    assert_got(&d, START FIVE DATE_LINE "\r\n");
    assert_int_equal(d.engine->want, 0);
    unsigned wakes = d.wakes;
    hoop__source_ready(&s.source);
    hoop__source_ready(&s.source); /* once more does no harm */
    assert_int_equal(d.wakes, wakes + 1);
    assert_int_equal(d.engine->want, HOOP__WANT_OUTPUT);
    driver_run(&d);
    assert_got(&d, START FIVE DATE_LINE "\r\nhel");
    assert_int_equal(s.finished, 0);
    hoop__source_ready(&s.source);
    driver_run(&d);
    assert_got(&d, START FIVE DATE_LINE "\r\nhello");
    assert_int_equal(s.finished, 1);
    assert_int_equal(d.engine->want, HOOP__WANT_INPUT);
    driver_done(&d);
}

static void test_ready_within(void **state)
{
    (void)state;
    static const struct step steps[] = {
        { HOOP_EAGAIN, NULL }, { 0, "hel" }, { HOOP_EAGAIN, NULL }, { HOOP_EOF, "lo" }
    };
    struct driver d;
    struct script s;
    script_init(&s, steps, UNKNOWN, 0);
    s.ready_within = 1;
    driver_init(&d, run_script, &s, NULL);
    driver_text(&d, GET);
    assert_got(&d, START CHUNKED DATE_LINE "\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n");
    assert_int_equal(s.finished, 1);
    driver_done(&d);
}

/* One that says so for ever and gives nothing would keep the loop busy with itself alone. */
static int pull_never(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct script *s = (struct script *)source;
    s->pulls++;
    hoop__source_ready(source);
    return HOOP_EAGAIN;
}

static void test_ready_for_ever(void **state)
{
    (void)state;
    static const uint64_t lengths[] = { UNKNOWN, 5 };
    for (size_t i = 0; i < HOOP_COUNT(lengths); i++) {
        struct driver d;
        struct script s;
        script_init(&s, NULL, lengths[i], 0);
        s.source.pull = pull_never;
        driver_init(&d, run_script, &s, NULL);
        driver_text(&d, GET);
        assert_int_equal(d.closed, 1);
        assert_int_equal(d.linger, 0);
        assert_int_equal(s.finished, 1);
        assert_int_equal(s.done_code, HOOP_EINVAL);
        assert_in_range(s.pulls, 2, 1000);
        driver_done(&d);
        assert_int_equal(s.finished, 1);
    }
}

static void test_stopped(void **state)
{
    (void)state;
    static const struct step steps[] = { { 0, "hel" }, { HOOP_EAGAIN, NULL }, { HOOP_EOF, NULL } };
    struct driver d;
    struct script s;
    script_init(&s, steps, UNKNOWN, 0);
    driver_init(&d, run_script, &s, NULL);
    driver_text(&d, GET);
    d.engine->ops->stop(d.engine, HOOP_EGONE);
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.code, HOOP_EGONE);
    assert_int_equal(s.done_code, HOOP_EGONE);
    assert_int_equal(s.body_out, 3);
    driver_done(&d);
    assert_int_equal(s.finished, 1);
}

/* Stopped before the head is out: the response was never begun, its source ends all the same. */
static void test_stopped_early(void **state)
{
    (void)state;
    static const struct step steps[] = { { HOOP_EOF, "x" } };
    struct driver d;
    struct script s;
    hoop_deferred *slot;
    script_init(&s, steps, 1, 0);
    driver_init(&d, defer, &slot, NULL);
    driver_text(&d, GET);
    hoop_resolve(slot, hoop__respond_source(hoop_deferred_request(slot), 200, NULL, &s.source));
    hoop__loop_turn(&d.loop);
    assert_int_equal(d.engine->want, HOOP__WANT_OUTPUT);
    d.engine->ops->stop(d.engine, HOOP_EGONE);
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.pulls, 0);
    driver_done(&d);
    assert_int_equal(s.finished, 1);
}

static void test_half_close_while_sending(void **state)
{
    (void)state;
    static const struct step steps[] = { { 0, "hel" }, { HOOP_EAGAIN, NULL }, { HOOP_EOF, "lo" } };
    struct driver d;
    struct script s;
    script_init(&s, steps, 5, 0);
    driver_init(&d, run_script, &s, NULL);
    driver_text(&d, GET);
    driver_eof(&d);
    assert_int_equal(d.closed, 0);
    hoop__source_ready(&s.source);
    driver_run(&d);
    assert_got(&d, START FIVE DATE_LINE "\r\nhello");
    assert_int_equal(d.closed, 1);
    assert_int_equal(s.code, 0);
    driver_done(&d);
}

static void note_cancel(void *data)
{
    ++*(unsigned *)data;
}

struct watched {
    struct script script;
    unsigned cancels;
};

static const hoop_response *run_watched(const hoop_request *req, void *data)
{
    struct watched *w = data;
    hoop_on_cancel(req, note_cancel, &w->cancels);
    return run_script(req, &w->script);
}

/*
 * Whoever streams must hear that the client has shut its side, or has gone behind bytes that are not
 * read yet: once, however often and in whatever way it is told.
 */
static void test_cancelled_while_sending(void **state)
{
    (void)state;
    static const struct step steps[] = { { 0, "hel" }, { HOOP_EAGAIN, NULL }, { HOOP_EOF, "lo" } };
    for (int how = 0; how < 4; how++) {
        struct driver d;
        struct watched w = { .cancels = 0 };
        script_init(&w.script, steps, 5, 0);
        driver_init(&d, run_watched, &w, NULL);
        driver_text(&d, GET);
        assert_int_equal(w.cancels, 0);
        if (how & 1)
            d.engine->ops->hangup(d.engine);
        if (how & 2)
            driver_eof(&d);
        assert_int_equal(w.cancels, how > 0);
        assert_int_equal(d.closed, 0);
        hoop__source_ready(&w.script.source);
        driver_run(&d);
        assert_got(&d, START FIVE DATE_LINE "\r\nhello");
        assert_int_equal(d.closed, how >= 2);
        assert_int_equal(w.script.code, 0);
        driver_done(&d);
        assert_int_equal(w.cancels, how > 0);
    }
}

/* The last byte is out: nobody works for this client any more, so that nobody is told. */
static void test_not_cancelled_behind_the_end(void **state)
{
    (void)state;
    static const struct step steps[] = { { HOOP_EOF, "hello" } };
    struct driver d;
    struct watched w = { .cancels = 0 };
    script_init(&w.script, steps, 5, 0);
    driver_init(&d, run_watched, &w, NULL);
    driver_text(&d, GET);
    d.engine->ops->hangup(d.engine);
    driver_eof(&d);
    driver_done(&d);
    assert_int_equal(w.cancels, 0);
}

/*
 * The body of the request breaks, or its bytes stay away, when the response has begun: that goes its way,
 * the handler is told, and the connection ends behind it.
 */
static const hoop_response *read_and_stream(const hoop_request *req, void *data)
{
    struct watched *w = data;
    hoop_on_cancel(req, note_cancel, &w->cancels);
    hoop_read_body(req, 0, echo_bytes, NULL);
    return run_script(req, &w->script);
}

static void test_broken_while_sending(void **state)
{
    (void)state;
    static const struct step steps[] = { { 0, "hel" }, { HOOP_EAGAIN, NULL }, { HOOP_EOF, "lo" } };
    static const char post[] = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    struct driver d;
    struct watched w = { .cancels = 0 };
    script_init(&w.script, steps, 5, 0);
    driver_init(&d, read_and_stream, &w, NULL);
    driver_text(&d, post);
    driver_text(&d, "5\r\nhello\r\n");
    assert_int_equal(w.cancels, 0);
    driver_text(&d, "x" GET);
    assert_int_equal(w.cancels, 1);
    assert_int_equal(d.closed, 0);
    driver_text(&d, GET); /* nothing behind it is taken for a request */
    hoop__source_ready(&w.script.source);
    driver_run(&d);
    assert_non_null(strstr(d.got, "\r\n\r\nhello"));
    assert_null(strstr(d.got + 1, "HTTP/1.1"));
    assert_int_equal(d.closed && d.linger, 1);
    assert_int_equal(d.loop.counters.requests, 1);
    driver_done(&d);
    assert_int_equal(w.cancels, 1);

    w.cancels = 0; /* too slow: the answer is cut off, since the client may wait for ever */
    script_init(&w.script, steps, 5, 0);
    driver_init(&d, read_and_stream, &w, NULL);
    driver_text(&d, post);
    driver_sleep(&d, 5000);
    assert_int_equal(w.cancels, 1);
    assert_int_equal(w.script.done_code, HOOP_ETIMEDOUT);
    assert_int_equal(d.closed, 1);
    driver_done(&d);
}

/* --- much of it ------------------------------------------------------------------------------- */

struct counter {
    struct hoop__source source;
    size_t left;
    unsigned finished;
};

static int pull_counter(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct counter *c = (struct counter *)source;
    size_t n = c->left < cap ? c->left : cap;
    memset(buffer, 'x', n);
    *ret_len = n;
    c->left -= n;
    return c->left ? 0 : HOOP_EOF;
}

static void finish_counter(struct hoop__source *source, int code)
{
    struct counter *c = (struct counter *)source;
    c->finished++;
    assert_int_equal(code, 0);
}

static const hoop_response *count_up(const hoop_request *req, void *data)
{
    struct counter *c = data;
    return hoop__respond_source(req, 200, NULL, &c->source);
}

/* Sizes around those of a chunk's digits and of out, framed both ways. */
static void test_large_sources(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 15, 16, 255, 256, 4095, 4096, 65535, 65536, 65537, 300000 };
    static const size_t caps[] = { 512, 4096, 200000 };
    for (size_t i = 0; i < HOOP_COUNT(sizes) * 6; i++) {
        size_t size = sizes[i / 6];
        struct counter c;
        memset(&c, 0, sizeof c);
        c.source.pull = pull_counter;
        c.source.finished = finish_counter;
        c.source.length = i % 2 ? size : UNKNOWN;
        c.left = size;
        const struct driver_options options = { .out_cap = caps[i / 2 % 3] };
        struct driver d;
        driver_init(&d, count_up, &c, &options);
        driver_text(&d, GET);
        const char *p = strstr(d.got, "\r\n\r\n") + 4, *end = d.got + d.got_len;
        size_t total = 0;
        while (i % 2 == 0) {
            char *digits_end;
            size_t n = strtoul(p, &digits_end, 16);
            assert_true(*p != '0' || n == 0);
            assert_memory_equal(digits_end, "\r\n", 2);
            assert_memory_equal(digits_end + 2 + n, "\r\n", 2);
            assert_true(strspn(digits_end + 2, "x") == n);
            p = digits_end + 4 + n;
            total += n;
            if (!n)
                break;
        }
        if (i % 2 == 0) {
            assert_ptr_equal(p, end);
            assert_int_equal(total, size);
        } else {
            assert_int_equal(end - p, size);
            assert_int_equal(strspn(p, "x"), size);
        }
        assert_int_equal(c.finished, 1);
        assert_int_equal(d.closed, 0);
        driver_done(&d);
    }
}

static void send_source(struct test_allocator *allocator, void *data)
{
    static const struct step steps[] = { { 0, "hel" }, { HOOP_EOF, "lo" } };
    struct driver d;
    struct script s;
    const struct driver_options options = { .allocator = &allocator->hoop };
    (void)data;
    script_init(&s, steps, UNKNOWN, 0);
    driver_init(&d, run_script, &s, &options);
    if (!d.failed)
        driver_text(&d, GET);
    driver_done(&d);
    assert_true(s.finished == 1 || s.pulls == 0);
}

static void test_memory(void **state)
{
    (void)state;
    test_each_allocation(send_source, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_length),
        cmocka_unit_test(test_unknown_length),
        cmocka_unit_test(test_no_body),
        cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_reference_is_no_copy),
        cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_ready_within),
        cmocka_unit_test(test_ready_for_ever),
        cmocka_unit_test(test_cancelled_while_sending),
        cmocka_unit_test(test_not_cancelled_behind_the_end),
        cmocka_unit_test(test_broken_while_sending),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_stopped_early),
        cmocka_unit_test(test_half_close_while_sending),
        cmocka_unit_test(test_large_sources),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
