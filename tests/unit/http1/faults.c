/*
 * Faults put in at every point: an allocation that fails, a client that is gone. Nothing may leak, no
 * hook may run twice or never, and the next connection of the loop must be served.
 */
#include "driver.h"

#define HOST  "Host: a\r\n"
#define GET   "GET / HTTP/1.1\r\n" HOST "\r\n"
#define LARGE 40000

static char large[LARGE + 1];

static int fill_large(void **state)
{
    (void)state;
    memset(large, 'x', LARGE);
    return 0;
}

/* --- a handler of all kinds, by the path ------------------------------------------------------ */

/* What a run has seen; every exchange must end once, with its hooks. */
struct seen {
    unsigned begun, done, cancelled, sources, finished;
    hoop_deferred *owed;
};

static struct seen seen;

struct counted_source {
    struct hoop__source source;
    unsigned pulls;
};

static int pull_some(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct counted_source *s = (struct counted_source *)source;
    size_t n = cap < 700 ? cap : 700;
    if (++s->pulls % 3 == 0) {
        hoop__source_ready(source);
        return HOOP_EAGAIN;
    }
    memset(buffer, 's', n);
    *ret_len = n;
    return s->pulls < 10 ? 0 : HOOP_EOF;
}

static void note_finish(struct hoop__source *source, int code)
{
    (void)source;
    (void)code;
    seen.finished++;
}

static const hoop_response *send_source(const hoop_request *req)
{
    struct counted_source *s = hoop_alloc(req, sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->source.pull = pull_some;
    s->source.finished = note_finish;
    s->source.length = HOOP__LENGTH_UNKNOWN;
    seen.sources++;
    return hoop__respond_source(req, 200, "text/plain", &s->source);
}

static void note_done(const hoop_done *done, void *data)
{
    (void)data;
    seen.done++;
    assert_true(done->code <= 0);
}

static void note_cancel(void *data)
{
    (void)data;
    seen.cancelled++;
}

static const hoop_response *upper(const hoop_request *req, const hoop_response *res,
                                  const void *value)
{
    return hoop_add_header(req, res, "X-Then", value);
}

static const hoop_response *any(const hoop_request *req, void *data)
{
    (void)data;
    /* Hooks that could not be noted are nobody's. */
    if (hoop_on_done(req, note_done, NULL))
        return NULL;
    seen.begun++;
    hoop_on_cancel(req, note_cancel, NULL);
    switch (req->uri.data[1]) {
    case 'b':
        return hoop_then(req, hoop_read_body(req, 0, echo_bytes, NULL), upper, "1");
    case 'd':
        if (seen.owed)
            return hoop_respond(req, 409);
        seen.owed = hoop_defer(req);
        return hoop_timeout(req, hoop_deferred_response(seen.owed), 1000, NULL, NULL);
    case 's':
        return send_source(req);
    case 'l':
        return hoop_bytes_static(req, 200, "text/plain", hoop_str_n(large, LARGE));
    case 'h':
        return show(req, NULL);
    default:
        return hoop_text(req, 200, "ok");
    }
}

static void resolve_owed(void)
{
    hoop_deferred *d = seen.owed;
    seen.owed = NULL;
    if (d)
        hoop_resolve(d, hoop_text(hoop_deferred_request(d), 200, "deferred"));
}

/* A conversation that uses all of it; returns its length. */
static size_t conversation(char *to, size_t body)
{
    char *p = to;
    p += sprintf(p, "POST /b HTTP/1.1\r\n" HOST "Content-Length: %zu\r\n\r\n", body);
    memset(p, 'b', body);
    p += body;
    p += sprintf(p, "POST /b HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
                    "5;a=b\r\nhello\r\n6\r\n world\r\n0\r\nX-T: t\r\nX-U: u\r\n\r\n");
    p += sprintf(p, "GET /d HTTP/1.1\r\n" HOST "\r\nGET /s HTTP/1.1\r\n" HOST "\r\n");
    p += sprintf(p, "GET /l HTTP/1.1\r\n" HOST "\r\n");
    p += sprintf(p, "GET /h HTTP/1.1\r\n" HOST);
    for (int i = 0; i < 30; i++)
        p += sprintf(p, "X-%d: %d\r\n", i, i);
    p += sprintf(p, "X-Long: ");
    memset(p, 'y', 2 * HOOP__BLOCK_SIZE);
    p += 2 * HOOP__BLOCK_SIZE;
    p += sprintf(p, "\r\n\r\nPOST /n HTTP/1.1\r\n" HOST "Content-Length: 3\r\n\r\nabc" GET);
    return (size_t)(p - to);
}

/* A fresh connection on the same loop. */
static void reconnect(struct driver *d)
{
    d->engine->ops->stop(d->engine, HOOP_EGONE);
    hoop__loop_turn(&d->loop);
    hoop__http1.init(d->engine, &d->host);
    d->out.len = d->out.ref_len = 0;
    d->in_len = d->got_len = 0;
    d->eof = d->closed = d->linger = 0;
}

static void check_next(struct driver *d)
{
    reconnect(d);
    driver_text(d, GET);
    assert_int_equal(d->closed, 0);
    assert_memory_equal(d->got, "HTTP/1.1 200 OK\r\n", 17);
    assert_string_equal(d->got + d->got_len - 6, "\r\n\r\nok");
}

static void check_seen(void)
{
    assert_int_equal(seen.done, seen.begun);
    assert_int_equal(seen.finished, seen.sources);
    assert_true(seen.cancelled <= seen.begun);
    assert_null(seen.owed);
}

/* --- allocations ------------------------------------------------------------------------------ */

/* Each answer is one that says what is; 200 where nothing failed. */
static unsigned check_statuses(const struct driver *d)
{
    unsigned failed = 0;
    for (const char *p = d->got; (p = strstr(p, "HTTP/1.1 ")) != NULL; p += 9) {
        int status = atoi(p + 9);
        if (p[9] == '/')
            continue; /* a body that tells of its request */
        if (status != 200 && status != 500 && status != 503 && status != 409)
            fail_msg("status %d", status);
        failed += status != 200;
    }
    return failed;
}

static unsigned long allocations;

static void converse(struct test_allocator *allocator, void *data)
{
    static char input[3 * LARGE];
    size_t step = *(size_t *)data, len = conversation(input, LARGE);
    const struct driver_options options = { .allocator = &allocator->hoop, .out_cap = 4096 };
    struct driver d;
    memset(&seen, 0, sizeof seen);
    driver_init(&d, any, NULL, &options);
    if (d.failed) {
        driver_done(&d);
        return;
    }
    for (size_t at = 0; at < len; at += step) {
        driver_feed(&d, input + at, len - at < step ? len - at : step);
        if (seen.owed) {
            resolve_owed();
            driver_run(&d);
        }
    }
    unsigned failed = check_statuses(&d);
    int tripped = allocator->fail_at && allocator->count >= allocator->fail_at;
    if (!tripped)
        assert_int_equal(failed + d.closed, 0);
    check_next(&d);
    driver_done(&d);
    check_seen();
    allocations = allocator->count;
}

static void test_allocations(void **state)
{
    (void)state;
    static size_t steps[] = { SIZE_MAX / 2, 1000, 37 };
    for (size_t i = 0; i < HOOP_COUNT(steps); i++)
        test_each_allocation(converse, &steps[i]);
    print_message("%lu allocations failed in turn, in %zu ways to cut\n", allocations,
                  HOOP_COUNT(steps));
}

/* --- a client that is gone -------------------------------------------------------------------- */

enum how { STOPPED, HALF_CLOSED, HUNG_UP, TIMED_OUT, WAYS };

static void leave(struct driver *d, enum how how)
{
    switch (how) {
    case HALF_CLOSED:
        driver_eof(d);
        break;
    case HUNG_UP:
        d->engine->ops->hangup(d->engine);
        driver_run(d);
        break;
    case TIMED_OUT:
        driver_sleep(d, 100000);
        break;
    default:
        break;
    }
    resolve_owed();
    driver_run(d);
    d->engine->ops->stop(d->engine, HOOP_EGONE);
    hoop__loop_turn(&d->loop);
}

static void test_gone_within_requests(void **state)
{
    (void)state;
    static char input[3 * LARGE];
    size_t len = conversation(input, 100);
    for (enum how how = STOPPED; how < WAYS; how++) {
        for (size_t cut = 0; cut <= len; cut++) {
            struct test_allocator allocator;
            struct driver d;
            test_allocator_init(&allocator);
            const struct driver_options options = { .allocator = &allocator.hoop };
            memset(&seen, 0, sizeof seen);
            driver_init(&d, any, NULL, &options);
            driver_feed(&d, input, cut);
            leave(&d, how);
            check_next(&d);
            driver_done(&d);
            check_seen();
            assert_int_equal(allocator.live, 0);
        }
    }
}

/* Calls the engine as a host does, but no more than `calls` times. Returns how many it were. */
static size_t run_calls(struct driver *d, size_t calls)
{
    size_t made = 0;
    while (made < calls) {
        hoop__loop_turn(&d->loop);
        resolve_owed();
        hoop__loop_turn(&d->loop);
        if (d->out.ref_len) {
            size_t n = d->out.ref_len < d->take ? d->out.ref_len : d->take;
            d->out.ref = NULL;
            d->out.ref_len = 0;
            d->engine->ops->took(d->engine, n);
        } else if ((d->engine->want & HOOP__WANT_INPUT) && d->in_len) {
            size_t n = d->engine->ops->feed(d->engine, d->in, d->in_len);
            memmove(d->in, d->in + n, d->in_len - n);
            d->in_len -= n;
        } else if (d->engine->want & HOOP__WANT_OUTPUT) {
            d->engine->ops->pull(d->engine, &d->out);
        } else {
            return made;
        }
        made++;
        d->out.len = 0;
    }
    return made;
}

/* At every call by which a response gets out, with an out that is as small as may be. */
static void test_gone_within_responses(void **state)
{
    (void)state;
    static char input[3 * LARGE];
    size_t len = conversation(input, 20000);
    for (int kind = 0; kind < 2; kind++) {
        for (size_t calls = 0;; calls++) {
            struct test_allocator allocator;
            struct driver d;
            test_allocator_init(&allocator);
            const struct driver_options options = { .allocator = &allocator.hoop,
                                                    .out_cap = HOOP__H1_MIN_OUT,
                                                    .take = 900 };
            memset(&seen, 0, sizeof seen);
            driver_init(&d, any, NULL, &options);
            driver_add(&d.in, &d.in_len, &d.in_cap, input, len);
            size_t made = run_calls(&d, calls);
            if (kind) {
                d.engine->ops->eof(d.engine);
                d.engine->ops->hangup(d.engine);
            }
            resolve_owed();
            check_next(&d);
            driver_done(&d);
            check_seen();
            assert_int_equal(allocator.live, 0);
            if (made < calls)
                break;
            assert_true(calls < 10000);
        }
    }
}

/* At every byte of a body that goes by reference. */
static void test_gone_within_bytes(void **state)
{
    (void)state;
    for (size_t taken = 0; taken <= LARGE; taken += taken < 100 || taken > LARGE - 100 ? 1 : 7) {
        struct driver d;
        memset(&seen, 0, sizeof seen);
        driver_init(&d, any, NULL, NULL);
        driver_add(&d.in, &d.in_len, &d.in_cap, "GET /l HTTP/1.1\r\n" HOST "\r\n", 28);
        d.in_len -= d.engine->ops->feed(d.engine, d.in, d.in_len);
        assert_int_equal(d.in_len, 0);
        assert_int_equal(d.out.ref_len, LARGE);
        d.out.len = d.out.ref_len = 0;
        d.engine->ops->took(d.engine, taken);
        assert_int_equal(seen.done, taken == LARGE);
        check_next(&d);
        driver_done(&d);
        check_seen();
        assert_int_equal(seen.cancelled, taken < LARGE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_allocations, fill_large),
        cmocka_unit_test(test_gone_within_requests),
        cmocka_unit_test(test_gone_within_responses),
        cmocka_unit_test(test_gone_within_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
