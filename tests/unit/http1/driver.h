/*
 * A host without sockets for the tests of the HTTP/1 engine: a loop with a clock that is set by hand,
 * input as the test cuts it, output collected in one piece of memory. No test lives here.
 */
#ifndef HOOP_TEST_HTTP1_DRIVER_H
#define HOOP_TEST_HTTP1_DRIVER_H

#include "support.h"

#include "http1/http1.h"

#include <stdio.h>
#include <unistd.h>

#define DRIVER_DATE "Sun, 06 Nov 1994 08:49:37 GMT"

/* What the tests set before driver_init(), all zero by default. */
struct driver_options {
    hoop_limits limits;
    const char *server_name;
    const hoop_allocator *allocator;       /* of the loop; NULL: malloc */
    const struct hoop__protocol *protocol; /* NULL: HTTP/1 */
    const void *config;                    /* of the host */
    size_t out_cap;                        /* 0: 65536 */
    size_t take;                           /* bytes of a reference that one send takes; 0: all */
    int secure;
    const char *cert; /* of the client; the connection's memory */
};

struct driver {
    struct hoop_loop loop;
    hoop_limits limits;
    struct hoop__service service;
    struct hoop__host host; /* its loop and out are ours */
    struct hoop__out out;
    struct hoop__engine *engine;
    char *in; /* bytes that were not consumed */
    size_t in_len, in_cap;
    char *got; /* what was sent */
    size_t got_len, got_cap;
    size_t take;
    unsigned wakes;
    int failed; /* hoop__loop_init() had no memory */
    int eof;
    int closed; /* the engine asked for it; nothing is fed any more */
    int linger;
};

static inline struct driver *driver_of_host(struct hoop__host *host)
{
    return (struct driver *)(void *)((char *)host - offsetof(struct driver, host));
}

static inline void driver_wake(struct hoop__host *host)
{
    driver_of_host(host)->wakes++;
}

static inline void driver_loop_wake(struct hoop_loop *loop)
{
    (void)loop;
}

static inline void driver_loop_rearm(struct hoop_loop *loop, uint64_t due)
{
    (void)loop;
    (void)due;
}

static inline int driver_loop_block(struct hoop_loop *loop, struct hoop__job *job)
{
    (void)loop;
    (void)job;
    return HOOP_EBUSY;
}

static inline int64_t driver_wall(struct hoop_loop *loop)
{
    return 784111777 + (int64_t)(loop->now / 1000) - 1000;
}

/* Appends to memory that grows; not from the allocator under test. */
static inline void driver_add(char **data, size_t *len, size_t *cap, const char *more, size_t n)
{
    if (*len + n + 1 > *cap) {
        *cap = (*len + n + 1) * 2;
        *data = realloc(*data, *cap);
        assert_non_null(*data);
    }
    if (n)
        memcpy(*data + *len, more, n);
    *len += n;
    (*data)[*len] = 0;
}

static inline void driver_init(struct driver *d, hoop_handler_fn *fn, void *data,
                               const struct driver_options *options)
{
    static const struct hoop__loop_ops ops = { driver_loop_wake, driver_loop_rearm,
                                               driver_loop_block };
    static const struct driver_options none;
    const struct driver_options *o = options ? options : &none;
    memset(d, 0, sizeof *d);
    hoop__limits_fill(&d->limits, &o->limits, sizeof o->limits);
    if (hoop__loop_init(&d->loop, &ops, o->allocator ? o->allocator : &hoop__malloc, &d->limits,
                        1000000)) {
        d->failed = 1;
        return;
    }
    d->loop.wall = driver_wall;
    hoop__loop_enter(&d->loop);
    d->service.root = hoop_fn(fn, data);
    d->service.limits = &d->limits;
    d->service.server_name = o->server_name;
    d->out.cap = o->out_cap ? o->out_cap : 65536;
    d->out.data = malloc(d->out.cap);
    d->take = o->take;
    d->host.loop = &d->loop;
    d->host.service = &d->service;
    d->host.out = &d->out;
    d->host.wake = driver_wake;
    d->host.peer.family = 4;
    d->host.peer.secure = (uint8_t)o->secure;
    d->host.peer.cert = o->cert;
    d->host.peer.remote_text = o->cert ? "peer" : NULL;
    const struct hoop__protocol *protocol = o->protocol ? o->protocol : &hoop__http1;
    d->host.config = o->config;
    d->engine = malloc(protocol->engine_size);
    assert_non_null(d->engine);
    protocol->init(d->engine, &d->host);
    driver_add(&d->got, &d->got_len, &d->got_cap, "", 0);
}

/* Sends what is in out, as a host does behind each call. Nonzero if there was something. */
static inline int driver_send(struct driver *d)
{
    struct hoop__out *out = &d->out;
    size_t ref = out->ref_len;
    int some = out->len || ref;
    assert_true(out->len <= out->cap);
    driver_add(&d->got, &d->got_len, &d->got_cap, out->data, out->len);
    out->len = 0;
    if (!ref)
        return some;
    if (d->take && d->take < ref)
        ref = d->take;
    if (out->ref) {
        driver_add(&d->got, &d->got_len, &d->got_cap, out->ref, ref);
    } else {
        char *piece = malloc(ref);
        assert_non_null(piece);
        assert_int_equal(pread(out->file, piece, ref, (off_t)out->file_offset), ref);
        driver_add(&d->got, &d->got_len, &d->got_cap, piece, ref);
        free(piece);
    }
    out->ref = NULL;
    out->ref_len = 0;
    d->engine->ops->took(d->engine, ref);
    return some;
}

/* Feeds, pulls and sends until nothing moves. */
static inline void driver_run(struct driver *d)
{
    int moved = 1;
    while (moved) {
        moved = 0;
        hoop__loop_turn(&d->loop);
        if ((d->engine->want & HOOP__WANT_INPUT) && d->in_len) {
            /* From memory of exactly that size, so that reading beyond it is found. */
            char *copy = malloc(d->in_len);
            memcpy(copy, d->in, d->in_len);
            size_t n = d->engine->ops->feed(d->engine, copy, d->in_len);
            free(copy);
            assert_true(n <= d->in_len);
            memmove(d->in, d->in + n, d->in_len - n);
            d->in_len -= n;
            moved |= n > 0;
        }
        moved |= driver_send(d);
        if (d->engine->want & HOOP__WANT_OUTPUT) {
            d->engine->ops->pull(d->engine, &d->out);
            moved |= driver_send(d);
        }
    }
    d->closed = (d->engine->want & HOOP__WANT_CLOSE) != 0;
    d->linger = (d->engine->want & HOOP__WANT_LINGER) != 0;
}

/* Gives input; what the engine does not take waits, as with a host. */
static inline void driver_feed(struct driver *d, const char *data, size_t len)
{
    if (d->closed)
        return;
    driver_add(&d->in, &d->in_len, &d->in_cap, data, len);
    driver_run(d);
}

static inline void driver_text(struct driver *d, const char *text)
{
    driver_feed(d, text, strlen(text));
}

static inline void driver_eof(struct driver *d)
{
    if (d->closed)
        return;
    d->eof = 1;
    d->host.kept = d->in_len > 0;
    d->engine->ops->eof(d->engine);
    driver_run(d);
}

/* Lets time pass: timers of exchanges fire, and the engine's deadline. */
static inline void driver_sleep(struct driver *d, uint64_t ms)
{
    uint64_t until = d->loop.now + ms;
    while (d->loop.now < until) {
        uint64_t next = hoop__wheel_next(&d->loop.timers);
        if (d->engine->deadline < next)
            next = d->engine->deadline;
        if (next <= d->loop.now)
            next = d->loop.now + 1;
        d->loop.now = next < until ? next : until;
        hoop__wheel_run(&d->loop.timers, d->loop.now);
        if (d->engine->deadline <= d->loop.now)
            d->engine->ops->tick(d->engine);
        driver_run(d);
    }
}

static inline void driver_done(struct driver *d)
{
    if (!d->failed) {
        d->engine->ops->stop(d->engine, HOOP_ECANCELED);
        hoop__loop_turn(&d->loop);
        hoop__loop_close(&d->loop);
        hoop__loop_done(&d->loop);
    }
    free(d->engine);
    free(d->out.data);
    free(d->in);
    free(d->got);
}

/* --- what is expected ------------------------------------------------------------------------- */

#define DATE_LINE "Date: " DRIVER_DATE "\r\n"

/* The answer to what can't be read, in memory that the next call reuses. */
static inline const char *rejection(int status)
{
    static char text[512];
    const char *reason = hoop_reason(status);
    snprintf(
        text, sizeof text,
        "HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %zu\r\n" DATE_LINE
        "Connection: close\r\n\r\n%s\n",
        status, reason, strlen(reason) + 1, reason);
    return text;
}

/* A 200 with this text as its body, in memory that the fourth call from now reuses. */
static inline const char *ok(const char *body, const char *connection)
{
    static char texts[4][8192];
    static unsigned next;
    char *text = texts[next++ % 4];
    snprintf(
        text, sizeof texts[0],
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: %zu\r\n" DATE_LINE
        "%s\r\n%s",
        strlen(body), connection, body);
    return text;
}

#define CLOSE_LINE "Connection: close\r\n"
#define KEEP_LINE  "Connection: keep-alive\r\n"

/* --- handlers --------------------------------------------------------------------------------- */

/* Answers with the text that `data` points to. */
static inline const hoop_response *say(const hoop_request *req, void *data)
{
    return hoop_text(req, 200, data ? data : "ok");
}

/* Every string of a request must have its NUL. */
static inline void check_nul(hoop_str s)
{
    assert_non_null(s.data);
    assert_int_equal(strlen(s.data), s.len);
}

/* Answers with all that is in the request: a line for each part. */
static inline const hoop_response *show(const hoop_request *req, void *data)
{
    (void)data;
    check_nul(req->method);
    check_nul(req->uri);
    check_nul(req->query_string);
    char *text =
        hoop_printf(req, "%s %u %s %s %s%s%s\n", req->method.data, (unsigned)req->method_number,
                    req->scheme.data, req->protocol.data, req->uri.data,
                    hoop_str_is_none(req->query_string) ? "" : " ?", req->query_string.data);
    for (size_t i = 0; i < req->header_count && text; i++) {
        check_nul(req->headers[i].name);
        check_nul(req->headers[i].value);
        text = hoop_printf(req, "%s%s=%s\n", text, req->headers[i].name.data,
                           req->headers[i].value.data);
    }
    return hoop_text(req, 200, text);
}

static inline const hoop_response *echo_bytes(const hoop_request *req, hoop_str body, void *data)
{
    (void)data;
    hoop_str trailer = hoop_trailer(req, "x-t");
    if (!hoop_str_is_none(trailer))
        return hoop_textf(req, 200, "%s [%s]", body.data, trailer.data);
    return hoop_text(req, 200, body.data);
}

/* Reads the body and answers with it, and with the trailer x-t if there is one. */
static inline const hoop_response *echo_text(const hoop_request *req, void *data)
{
    return hoop_read_body(req, 0, echo_bytes, data);
}

/* Defers; the test resolves `*data`, a hoop_deferred *. */
static inline const hoop_response *defer(const hoop_request *req, void *data)
{
    hoop_deferred **slot = data;
    *slot = hoop_defer(req);
    return hoop_deferred_response(*slot);
}

static inline void resolve(hoop_deferred **slot, const char *text)
{
    hoop_deferred *d = *slot;
    *slot = NULL;
    assert_int_equal(hoop_resolve(d, hoop_text(hoop_deferred_request(d), 200, text)), 0);
}

#define assert_got(d, text) assert_bytes((d)->got, (d)->got_len, (text), strlen(text))

/* Feeds `text` in pieces that end at the given cut, or (cut 0) byte by byte. */
static inline void driver_feed_cut(struct driver *d, const char *text, size_t len, size_t cut)
{
    if (cut) {
        driver_feed(d, text, cut);
        driver_feed(d, text + cut, len - cut);
        return;
    }
    for (size_t i = 0; i < len; i++)
        driver_feed(d, text + i, 1);
}

/*
 * Runs `input` (of `len` bytes) whole, byte by byte, and cut at every position; every run must send `want` and close
 * (or not) alike. `close`: 0 stays open, 1 closes, 2 closes and lingers.
 */
static inline void driver_each_split(hoop_handler_fn *fn, void *data,
                                     const struct driver_options *options, const char *input,
                                     size_t len, const char *want, int close)
{
    for (size_t cut = len; cut != SIZE_MAX; cut--) {
        struct driver d;
        driver_init(&d, fn, data, options);
        driver_feed_cut(&d, input, len, cut);
        assert_got(&d, want);
        assert_int_equal(d.closed, close > 0);
        if (cut == len)
            assert_int_equal(d.linger, close == 2);
        driver_done(&d);
    }
}

/* The same for a text that is to be refused with this status. */
static inline void driver_refuses(hoop_handler_fn *fn, void *data,
                                  const struct driver_options *options, const char *input,
                                  int status)
{
    driver_each_split(fn, data, options, input, strlen(input), rejection(status), 2);
}

#endif
