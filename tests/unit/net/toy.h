/*
 * A toy protocol for tests of connections: one command a line, answered at once or when the test says
 * so; and a loop with a client at the other end of a socket pair. Included by one file each.
 */
#ifndef HOOP_TEST_TOY_H
#define HOOP_TEST_TOY_H

#include "support.h"

#include "net/conn.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

/* echo TEXT | copy N | ref N | file N | wait | close | linger | bye (its answer, then close) */
struct toy {
    struct hoop__engine base;
    size_t copy, ref, file; /* bytes still to be produced */
    int waits;              /* for toy_go() */
    int closes;             /* what want becomes when all is produced */
};

/* What happened to the last engine; tests run one at a time. */
static struct {
    struct toy *toy;
    int made, eofs, hangups, ticks, drains, stops, stop_code;
    size_t took, consumed;
} seen;

static char toy_bytes[1 << 16];
static int toy_file;
static uint64_t toy_offset;

static void toy_update(struct toy *t)
{
    uint32_t want = t->base.want & ~(HOOP__WANT_INPUT | HOOP__WANT_OUTPUT);
    if (t->copy || t->ref || t->file)
        want |= HOOP__WANT_OUTPUT;
    else if (t->closes)
        want |= (uint32_t)t->closes;
    else if (!t->waits)
        want |= HOOP__WANT_INPUT;
    t->base.want = want;
}

static void toy_line(struct toy *t, char *line)
{
    struct hoop__out *out = t->base.host->out;
    if (!strncmp(line, "echo ", 5)) {
        strcat(line, "\n");
        hoop__out_put(out, line + 5, strlen(line + 5));
    } else if (!strncmp(line, "copy ", 5)) {
        t->copy = strtoul(line + 5, NULL, 10);
    } else if (!strncmp(line, "ref ", 4)) {
        t->ref = strtoul(line + 4, NULL, 10);
    } else if (!strncmp(line, "file ", 5)) {
        t->file = strtoul(line + 5, NULL, 10);
    } else if (!strcmp(line, "wait")) {
        t->waits = 1;
    } else if (!strcmp(line, "close")) {
        t->closes = HOOP__WANT_CLOSE;
    } else if (!strcmp(line, "linger")) {
        hoop__out_put(out, "answer\n", 7);
        t->closes = HOOP__WANT_CLOSE | HOOP__WANT_LINGER;
    }
    toy_update(t);
}

static size_t toy_feed(struct hoop__engine *engine, const char *data, size_t len)
{
    struct toy *t = (struct toy *)engine;
    size_t at = 0;
    while (engine->want & HOOP__WANT_INPUT) {
        const char *end = memchr(data + at, '\n', len - at);
        char line[64];
        if (!end || hoop__out_room(engine->host->out) < sizeof line)
            break;
        size_t n = (size_t)(end - data) - at;
        assert_true(n + 2 < sizeof line);
        memcpy(line, data + at, n);
        line[n] = 0;
        at += n + 1;
        toy_line(t, line);
    }
    seen.consumed += at;
    return at;
}

static void toy_pull(struct hoop__engine *engine, struct hoop__out *out)
{
    struct toy *t = (struct toy *)engine;
    size_t n = t->copy < hoop__out_room(out) ? t->copy : hoop__out_room(out);
    hoop__out_put(out, toy_bytes, n);
    t->copy -= n;
    if (!t->copy && t->ref) {
        out->ref = toy_bytes;
        out->ref_len = t->ref < sizeof toy_bytes ? t->ref : sizeof toy_bytes;
    } else if (!t->copy && t->file) {
        out->ref = NULL;
        out->ref_len = t->file;
        out->file = toy_file;
        out->file_offset = toy_offset;
    }
    toy_update(t);
}

static void toy_took(struct hoop__engine *engine, size_t n)
{
    struct toy *t = (struct toy *)engine;
    if (t->ref) {
        t->ref -= n;
    } else {
        t->file -= n;
        toy_offset += n;
    }
    seen.took += n;
    toy_update((struct toy *)engine);
}

static void toy_eof(struct hoop__engine *engine)
{
    struct toy *t = (struct toy *)engine;
    seen.eofs++;
    t->closes = HOOP__WANT_CLOSE;
    if (!t->waits)
        toy_update(t);
}

static void toy_hangup(struct hoop__engine *engine)
{
    seen.hangups++;
}

static void toy_tick(struct hoop__engine *engine)
{
    seen.ticks++;
    engine->deadline = HOOP__NEVER;
    engine->want |= HOOP__WANT_CLOSE;
}

static void toy_drain(struct hoop__engine *engine)
{
    struct toy *t = (struct toy *)engine;
    seen.drains++;
    t->closes = HOOP__WANT_CLOSE;
    if (!t->waits)
        toy_update(t);
}

static void toy_stop(struct hoop__engine *engine, int code)
{
    (void)engine;
    seen.stops++;
    seen.stop_code = code;
    seen.toy = NULL;
}

static const struct hoop__engine_ops toy_ops = {
    toy_feed, toy_pull, toy_took, toy_eof, toy_hangup, toy_tick, toy_drain, toy_stop,
};

static void toy_init(struct hoop__engine *engine, struct hoop__host *host)
{
    engine->ops = &toy_ops;
    engine->host = host;
    engine->deadline = HOOP__NEVER;
    engine->want = HOOP__WANT_INPUT;
    seen.made++;
    seen.toy = (struct toy *)engine;
}

static const struct hoop__protocol toy_protocol = { "toy", sizeof(struct toy), toy_init };

/* Ends the waiting of the last engine, as a deferred response would. */
static inline void toy_go(void)
{
    seen.toy->waits = 0;
    toy_update(seen.toy);
    seen.toy->base.host->wake(seen.toy->base.host);
}

/* --- a loop and its client ------------------------------------------------------------------- */

struct world {
    uv_loop_t uv;
    struct hoop__net net;
    struct hoop__service service;
    struct hoop__quota quota;
    hoop_limits limits;
    struct hoop__net_loop *loop;
    int client;
    int quiet, stopped, closed;
};

static void world_quiet(void *data)
{
    struct world *w = data;
    w->quiet++;
    hoop__net_loop_close(w->loop);
}

static void world_stopped(void *data)
{
    ((struct world *)data)->stopped++;
}

static void world_closed(void *data)
{
    ((struct world *)data)->closed++;
}

/* 0 or a code; limits that are 0 get the defaults. */
static int world_init(struct world *w, const hoop_allocator *allocator)
{
    struct hoop__net_owner owner = { world_quiet, world_stopped, world_closed, NULL, w };
    memset(&seen, 0, sizeof seen);
    hoop_limits given = w->limits;
    hoop__limits_fill(&w->limits, &given, sizeof given);
    w->net.allocator = allocator ? allocator : &hoop__malloc;
    w->net.limits = &w->limits;
    w->net.service = &w->service;
    w->net.quota = &w->quota;
    w->net.loops = &w->loop;
    w->net.loop_count = 1;
    w->client = -1;
    w->quiet = w->stopped = w->closed = 0;
    hoop__quota_init(&w->quota, w->net.allocator, 1000, 1000);
    assert_int_equal(uv_loop_init(&w->uv), 0);
    int rc = hoop__net_loop_new(&w->loop, &w->net, 0, &w->uv, &owner);
    if (rc) {
        assert_int_equal(uv_loop_close(&w->uv), 0);
        hoop__quota_done(&w->quota);
    }
    return rc;
}

/* Makes a connection over a socket pair with small buffers, as one of `listener` (or NULL) from `from`;
 * 0 or the code. */
static int world_connect_as(struct world *w, const hoop_listener *listener,
                            const struct hoop__peer *from)
{
    int pair[2], size = 8192;
    struct hoop__peer peer = *from;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, pair), 0);
    for (int i = 0; i < 2; i++)
        setsockopt(pair[i], SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    if (w->client >= 0)
        close(w->client);
    w->client = pair[0];
    assert_int_equal(hoop__quota_take(&w->quota, &peer), 0);
    return hoop__conn_new(w->loop, &toy_protocol, listener, pair[1], &peer);
}

static inline int world_connect(struct world *w)
{
    return world_connect_as(w, NULL, &(struct hoop__peer){ .family = 1 });
}

/* Lets the loop do all it can without waiting. */
static inline void world_run(struct world *w)
{
    for (int i = 0; i < 20; i++)
        uv_run(&w->uv, UV_RUN_NOWAIT);
}

/* Runs the loop until `*flag`, at most ten seconds. */
static void world_until(struct world *w, const int *flag)
{
    for (int i = 0; i < 10000 && !*flag; i++) {
        uv_run(&w->uv, UV_RUN_NOWAIT);
        if (!*flag)
            poll(NULL, 0, 1);
    }
    assert_true(*flag);
}

static void world_done(struct world *w)
{
    hoop__net_begin(w->loop);
    hoop__net_loop_drain(w->loop, 0);
    world_until(w, &w->closed);
    assert_int_equal(w->quiet, 1);
    assert_int_equal(w->stopped, 1);
    hoop__net_loop_free(w->loop);
    assert_int_equal(uv_loop_close(&w->uv), 0);
    assert_int_equal(atomic_load(&w->quota.connections), 0);
    hoop__quota_done(&w->quota);
    if (w->client >= 0)
        close(w->client);
}

static inline void say(struct world *w, const char *text)
{
    assert_int_equal(send(w->client, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* What the client can read now; -1 and errno, or 0 at the end. */
static ssize_t hear(struct world *w, char *buffer, size_t size)
{
    return recv(w->client, buffer, size, 0);
}

#endif
