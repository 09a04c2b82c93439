/*
 * Every limit that the engine and the value layer keep: one under it, at it and one over it, the
 * status that answers, and its counter, which no other limit's moves.
 */
#include "driver.h"

#include "value/pending.h"

#define HOST          "Host: a\r\n"
#define COUNTER(name) offsetof(struct hoop__counters, name)
#define LIMIT(name)   offsetof(hoop_limits, name)
#define NO_COUNTER    ((size_t)0) /* connections: no limit's */

/* What one case sends and has answered; `n` is of what is limited. */
struct limit_case {
    const char *name;
    size_t member; /* in hoop_limits */
    uint64_t limit;
    void (*build)(char *to, uint64_t n);
    hoop_handler_fn *handler;
    int status;     /* one over the limit; 200 up to it */
    int closes;     /* one over it */
    size_t counter; /* what goes up */
};

/* The counters of limits and times, from the first to the last. */
static uint64_t counted(const struct hoop__counters *counters)
{
    uint64_t sum = 0;
    const _Atomic uint64_t *at = &counters->limit_target, *last = &counters->late_write;
    for (; at <= last; at++)
        sum += *at;
    return sum;
}

static uint64_t counter_at(const struct hoop__counters *counters, size_t offset)
{
    return *(const _Atomic uint64_t *)(const void *)((const char *)counters + offset);
}

/* --- inputs ----------------------------------------------------------------------------------- */

static char *fill(char *to, char c, uint64_t n)
{
    memset(to, c, (size_t)n);
    to[n] = 0;
    return to + n;
}

static void target_of(char *to, uint64_t n)
{
    to += sprintf(to, "GET /");
    to = fill(to, 'x', n - 1);
    strcpy(to, " HTTP/1.1\r\n" HOST "\r\n");
}

static void head_of(char *to, uint64_t n)
{
    static const char start[] = "GET / HTTP/1.1\r\n" HOST "X: ";
    to += sprintf(to, "%s", start);
    to = fill(to, 'x', n - (sizeof start - 1) - 4);
    strcpy(to, "\r\n\r\n");
}

static void headers_of(char *to, uint64_t n)
{
    to += sprintf(to, "GET / HTTP/1.1\r\n" HOST);
    for (uint64_t i = 1; i < n; i++)
        to += sprintf(to, "X: y\r\n");
    strcpy(to, "\r\n");
}

/* The Host of an absolute target takes a place among the headers, too. */
static void headers_with_target_of(char *to, uint64_t n)
{
    to += sprintf(to, "GET http://b/ HTTP/1.0\r\n");
    for (uint64_t i = 1; i < n; i++)
        to += sprintf(to, "X: y\r\n");
    strcpy(to, "\r\n");
}

static void body_of(char *to, uint64_t n)
{
    to += sprintf(to, "POST / HTTP/1.1\r\n" HOST "Content-Length: %u\r\n\r\n", (unsigned)n);
    fill(to, 'x', n);
}

#define CHUNKED "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"

static void chunks_of(char *to, uint64_t n)
{
    to += sprintf(to, CHUNKED);
    for (uint64_t left = n; left;) {
        uint64_t size = left < 7 ? left : 7;
        to += sprintf(to, "%u\r\n", (unsigned)size);
        to = fill(to, 'x', size);
        to += sprintf(to, "\r\n");
        left -= size;
    }
    strcpy(to, "0\r\n\r\n");
}

static void extension_of(char *to, uint64_t n)
{
    to += sprintf(to, CHUNKED "1;");
    to = fill(to, 'x', n - 1);
    strcpy(to, "\r\na\r\n0\r\n\r\n");
}

static void trailer_of(char *to, uint64_t n)
{
    to += sprintf(to, CHUNKED "0\r\nX: ");
    to = fill(to, 'x', n - 7);
    strcpy(to, "\r\n\r\n");
}

static void trailers_of(char *to, uint64_t n)
{
    to += sprintf(to, CHUNKED "0\r\n");
    for (uint64_t i = 0; i < n; i++)
        to += sprintf(to, "X: y\r\n");
    strcpy(to, "\r\n");
}

/* --- handlers --------------------------------------------------------------------------------- */

static uint64_t amount; /* what the handlers below take */

static const hoop_response *take_memory(const hoop_request *req, void *data)
{
    /* The block of the exchange and the head of a chunk count as well. */
    if (!hoop_alloc(req, (size_t)(amount - HOOP__BLOCK_SIZE - sizeof(struct hoop__chunk))))
        return NULL;
    return hoop_respond(req, 200);
}

static void take_of(char *to, uint64_t n)
{
    amount = n;
    strcpy(to, "GET / HTTP/1.1\r\n" HOST "\r\n");
}

static const hoop_response *take_deferreds(const hoop_request *req, void *data)
{
    hoop_deferred *taken[64];
    size_t count = 0;
    while (count < amount && (taken[count] = hoop_defer(req)) != NULL)
        count++;
    const hoop_response *res = count == amount ? hoop_respond(req, 200) : NULL;
    while (count)
        hoop_deferred_drop(taken[--count]);
    return res;
}

/* --- each of them ----------------------------------------------------------------------------- */

static const struct limit_case cases[] = {
    { "target", LIMIT(max_target), 100, target_of, say, 414, 1, COUNTER(limit_target) },
    { "target by default", LIMIT(max_target), 8192, target_of, say, 414, 1, COUNTER(limit_target) },
    { "head", LIMIT(max_head), 300, head_of, say, 431, 1, COUNTER(limit_head) },
    { "head by default", LIMIT(max_head), 32768, head_of, say, 431, 1, COUNTER(limit_head) },
    { "headers", LIMIT(max_headers), 5, headers_of, say, 431, 1, COUNTER(limit_headers) },
    { "headers by default", LIMIT(max_headers), 128, headers_of, say, 431, 1,
      COUNTER(limit_headers) },
    { "headers and a target", LIMIT(max_headers), 30, headers_with_target_of, say, 431, 1,
      COUNTER(limit_headers) },
    { "body by length", LIMIT(max_body), 1000, body_of, echo_text, 413, 0, COUNTER(limit_body) },
    { "body in chunks", LIMIT(max_body), 1000, chunks_of, echo_text, 413, 1, COUNTER(limit_body) },
    { "extension", LIMIT(max_chunk_extension), 50, extension_of, echo_text, 400, 1,
      COUNTER(limit_chunk_extension) },
    { "extension by default", LIMIT(max_chunk_extension), 4096, extension_of, echo_text, 400, 1,
      COUNTER(limit_chunk_extension) },
    { "trailer", LIMIT(max_trailer), 200, trailer_of, echo_text, 431, 1, COUNTER(limit_trailer) },
    { "trailer by default", LIMIT(max_trailer), 8192, trailer_of, echo_text, 431, 1,
      COUNTER(limit_trailer) },
    { "trailers", LIMIT(max_headers), 6, trailers_of, echo_text, 431, 1, COUNTER(limit_trailer) },
    { "discard", LIMIT(max_discard), 1000, body_of, say, 200, 1, COUNTER(limit_discard) },
    { "discard by default", LIMIT(max_discard), 65536, body_of, say, 200, 1,
      COUNTER(limit_discard) },
    { "arena", LIMIT(max_arena), 64 * 1024, take_of, take_memory, 503, 0, COUNTER(limit_arena) },
    { "pending", LIMIT(max_pending), 5, take_of, take_deferreds, 503, 0, COUNTER(limit_pending) },
};

static void check(const struct limit_case *c, uint64_t limit, uint64_t n, size_t step)
{
    static char input[200000];
    struct driver_options options = { .limits = { 0 } };
    struct driver d;
    int over = limit != HOOP_OFF && n > limit;
    *(uint64_t *)(void *)((char *)&options.limits + c->member) = limit;
    c->build(input, n);
    driver_init(&d, c->handler, NULL, &options);
    size_t len = strlen(input);
    for (size_t at = 0; at < len; at += step)
        driver_feed(&d, input + at, len - at < step ? len - at : step);
    int status = d.got_len > 12 ? atoi(d.got + 9) : 0;
    int closed = d.closed || strncmp(input + 4, "http", 4) == 0;
    if (status != (over ? c->status : 200) || (over && closed != c->closes) ||
        counted(&d.loop.counters) != (uint64_t)over ||
        counter_at(&d.loop.counters, c->counter) != (uint64_t)over)
        fail_msg("%s: %llu of %llu, in pieces of %zu: status %d, closed %d, counted %llu", c->name,
                 (unsigned long long)n, (unsigned long long)limit, step, status, d.closed,
                 (unsigned long long)counted(&d.loop.counters));
    driver_done(&d);
}

static void test_each(void **state)
{
    (void)state;
    static const size_t steps[] = { 1, 7, 1000, SIZE_MAX / 2 };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        /* Memory is given in pieces of 16 bytes, and its limit counts those. */
        uint64_t by = cases[i].member == LIMIT(max_arena) ? HOOP__ALIGN : 1;
        for (size_t k = 0; k < HOOP_COUNT(steps); k++) {
            check(&cases[i], cases[i].limit, cases[i].limit - by, steps[k]);
            check(&cases[i], cases[i].limit, cases[i].limit, steps[k]);
            check(&cases[i], cases[i].limit, cases[i].limit + 1, steps[k]);
            if (cases[i].limit < 5000)
                check(&cases[i], HOOP_OFF, cases[i].limit * 10, steps[k]);
        }
    }
}

static void test_defaults(void **state)
{
    (void)state;
    hoop_limits limits;
    hoop__limits_fill(&limits, NULL, 0);
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        if (!strstr(cases[i].name, "by default"))
            continue;
        uint64_t is = *(uint64_t *)(void *)((char *)&limits + cases[i].member);
        assert_int_equal(is, cases[i].limit);
    }
    assert_int_equal(limits.max_body, 1048576);
    assert_int_equal(limits.max_requests, 1000000);
    assert_int_equal(limits.max_read_ahead, 65536);
    assert_int_equal(limits.max_output, 1048576);
    assert_int_equal(limits.max_arena, 16777216);
    assert_int_equal(limits.first_byte_ms, 30000);
    assert_int_equal(limits.head_ms, 10000);
    assert_int_equal(limits.idle_ms, 60000);
    assert_int_equal(limits.body_rate, 500);
    assert_int_equal(limits.body_grace_ms, 5000);
    assert_int_equal(limits.handler_ms, 30000);
    assert_int_equal(limits.write_ms, 30000);
    assert_int_equal(limits.drain_ms, 10000);
}

/* --- requests of a connection ----------------------------------------------------------------- */

static void test_requests(void **state)
{
    (void)state;
    for (int n = 9; n <= 11; n++) {
        const struct driver_options options = { .limits = { .max_requests = 10 } };
        struct driver d;
        driver_init(&d, say, NULL, &options);
        for (int i = 0; i < n; i++)
            driver_text(&d, "GET / HTTP/1.1\r\n" HOST "\r\n");
        assert_int_equal(d.loop.counters.requests, n < 10 ? n : 10);
        assert_int_equal(d.closed, n >= 10);
        assert_int_equal(d.loop.counters.limit_requests, n >= 10);
        assert_int_equal(counted(&d.loop.counters), n >= 10);
        driver_done(&d);
    }
    /* A client that ends by itself behind the last one is no case of the limit. */
    const struct driver_options one = { .limits = { .max_requests = 1 } };
    struct driver d;
    driver_init(&d, say, NULL, &one);
    driver_text(&d, "GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n");
    assert_int_equal(counted(&d.loop.counters), 0);
    driver_done(&d);
}

/* --- times ------------------------------------------------------------------------------------ */

#define GET "GET / HTTP/1.1\r\n" HOST "\r\n"

struct time_case {
    const char *name;
    const char *input;
    hoop_handler_fn *handler;
    uint64_t ms;
    const char *answer; /* behind what was sent already; "": closes silently */
    size_t counter;
    int stays; /* the connection goes on */
};

/* Does what never ends; nothing is kept that could be resolved. */
static const hoop_response *never(const hoop_request *req, void *data)
{
    hoop_deferred **slot = data;
    *slot = hoop_defer(req);
    return hoop_deferred_response(*slot);
}

static const struct time_case times[] = {
    { "first byte", "", say, 30000, "", COUNTER(late_first_byte), 0 },
    { "first byte, empty lines", "\r\n\r\n", say, 30000, "", COUNTER(late_first_byte), 0 },
    { "head", "G", say, 10000, "HTTP/1.1 408 ", COUNTER(late_head), 0 },
    { "head, all but the last byte", "GET / HTTP/1.1\r\n" HOST "\r", say, 10000, "HTTP/1.1 408 ",
      COUNTER(late_head), 0 },
    { "second head", GET "G", say, 10000, "HTTP/1.1 408 ", COUNTER(late_head), 0 },
    { "idle", GET, say, 60000, "", COUNTER(late_idle), 0 },
    { "idle, an empty line", GET "\r\n", say, 60000, "", COUNTER(late_idle), 0 },
    { "a body that is dropped", "POST / HTTP/1.1\r\n" HOST "Content-Length: 9\r\n\r\nx", say, 60000,
      "", COUNTER(late_idle), 0 },
    { "body", "POST / HTTP/1.1\r\n" HOST "Content-Length: 9\r\n\r\nx", echo_text, 5000,
      "HTTP/1.1 408 ", COUNTER(late_body), 0 },
    { "chunks", CHUNKED "9\r\nx", echo_text, 5000, "HTTP/1.1 408 ", COUNTER(late_body), 0 },
    { "handler", GET, never, 30000, "HTTP/1.1 503 ", COUNTER(late_handler), 1 },
};

static void test_times(void **state)
{
    (void)state;
    for (size_t i = 0; i < HOOP_COUNT(times); i++) {
        const struct time_case *c = &times[i];
        hoop_deferred *slot = NULL;
        struct driver d;
        driver_init(&d, c->handler, &slot, NULL);
        if (c->handler == say)
            d.service.root.data = NULL;
        driver_text(&d, c->input);
        size_t sent = d.got_len;
        driver_sleep(&d, c->ms - 1);
        assert_int_equal(d.closed, 0);
        assert_int_equal(d.got_len, sent);
        assert_int_equal(counted(&d.loop.counters), 0);
        driver_sleep(&d, 1);
        assert_int_equal(d.closed, !c->stays);
        assert_int_equal(strncmp(d.got + sent, c->answer, strlen(c->answer)), 0);
        assert_int_equal(d.got_len > sent, *c->answer != 0);
        assert_int_equal(counted(&d.loop.counters), 1);
        assert_int_equal(counter_at(&d.loop.counters, c->counter), 1);
        hoop_deferred_drop(slot);
        driver_run(&d);
        driver_done(&d);
    }
}

/* The host keeps the time of a write; it ends the engine with the code that says so. */
static void test_write(void **state)
{
    (void)state;
    struct driver d;
    driver_init(&d, say, NULL, NULL);
    driver_text(&d, GET);
    d.engine->ops->stop(d.engine, HOOP_EGONE);
    assert_int_equal(counted(&d.loop.counters), 0);
    driver_done(&d);
    driver_init(&d, say, NULL, NULL);
    driver_text(&d, GET);
    d.engine->ops->stop(d.engine, HOOP_ETIMEDOUT);
    assert_int_equal(d.loop.counters.late_write, 1);
    assert_int_equal(counted(&d.loop.counters), 1);
    driver_done(&d);
}

/* A body that is exactly as fast as it must be is read, one byte later it is not. */
static void test_rate(void **state)
{
    (void)state;
    for (uint64_t late = 0; late < 2; late++) {
        const struct driver_options options = { .limits = { .body_rate = 100,
                                                            .body_grace_ms = 1000 } };
        struct driver d;
        driver_init(&d, echo_text, NULL, &options);
        driver_text(&d, "POST / HTTP/1.1\r\n" HOST "Content-Length: 300\r\n\r\n");
        for (int i = 0; i < 300 && !d.got_len; i++) {
            /* Byte `i` must be here before the i bytes in front of it have used up their time. */
            uint64_t due = i < 100 ? 0 : (uint64_t)i * 10 - 1 + late;
            if (d.loop.now < 1000000 + due)
                driver_sleep(&d, 1000000 + due - d.loop.now);
            driver_text(&d, "x");
        }
        assert_non_null(strstr(d.got, late ? " 408 " : " 200 "));
        assert_int_equal(d.loop.counters.late_body, late);
        driver_done(&d);
    }
}

/* Two readers of one body with limits of their own are refused each for itself. */
static const hoop_response *two_readers(const hoop_request *req, void *data)
{
    hoop_read_body(req, 10, echo_bytes, NULL);
    return hoop_read_body(req, 100, echo_bytes, NULL);
}

static void test_two_readers(void **state)
{
    (void)state;
    static const struct {
        unsigned len, count;
    } bodies[] = { { 10, 0 }, { 11, 1 }, { 100, 1 }, { 101, 2 } };
    for (size_t i = 0; i < HOOP_COUNT(bodies); i++) {
        char input[1000];
        struct driver d;
        chunks_of(input, bodies[i].len);
        driver_init(&d, two_readers, NULL, NULL);
        driver_text(&d, input);
        assert_int_equal(d.loop.counters.limit_body, bodies[i].count);
        assert_non_null(strstr(d.got, bodies[i].count == 2 ? " 413 " : " 200 "));
        driver_done(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each),        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_requests),    cmocka_unit_test(test_times),
        cmocka_unit_test(test_write),       cmocka_unit_test(test_rate),
        cmocka_unit_test(test_two_readers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
