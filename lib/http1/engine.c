/* The state of a connection: what each call of the host and of an exchange leads to. */
#include "http1/http1.h"

#include <hoop/error.h>

#include <string.h>

#define MAX_EMPTY_LINES 2 /* in front of a request line (RFC 9112 2.2) */
#define CONTINUE        "HTTP/1.1 100 Continue\r\n\r\n"
#define CONTINUE_LEN    (sizeof CONTINUE - 1)

static struct hoop__h1 *h1_of(struct hoop__engine *engine)
{
    return (struct hoop__h1 *)engine;
}

static struct hoop__h1_exchange *h_of(struct hoop__exchange *x)
{
    return (struct hoop__h1_exchange *)x;
}

/* --- small pieces ---------------------------------------------------------------------------- */

static void set_deadline(struct hoop__h1 *e, uint64_t ms)
{
    uint64_t now = e->base.host->loop->now;
    e->base.deadline = ms < HOOP__NEVER - now ? now + ms : HOOP__NEVER;
}

/* Somebody reads the body, and more of it is to come. */
static int is_open(const struct hoop__h1_exchange *h)
{
    return h->wanted && !h->body_done && !h->broken && h->x.body.state == HOOP__BODY_READING;
}

/* And it is not paused. */
static int is_reading(const struct hoop__h1_exchange *h)
{
    return is_open(h) && h->x.body.credit;
}

/* What is sent is to break off. */
static int is_broken(const struct hoop__h1_exchange *h)
{
    return h->pull.source && h->x.broken;
}

static uint32_t wants_of_run(const struct hoop__h1_exchange *h)
{
    uint32_t want = (is_reading(h) ? HOOP__WANT_INPUT : 0) | (is_broken(h) ? HOOP__WANT_ABORT : 0);
    switch (h->out) {
    case HOOP__H1_OUT_NONE:
        return h->send_100 ? want | HOOP__WANT_OUTPUT : want;
    case HOOP__H1_OUT_WAIT:
        return want;
    default:
        return want | HOOP__WANT_OUTPUT;
    }
}

static void update_want(struct hoop__h1 *e)
{
    switch (e->state) {
    case HOOP__H1_RUN:
        e->base.want = wants_of_run(e->h);
        break;
    case HOOP__H1_CLOSED:
        if (e->reject)
            e->base.want = HOOP__WANT_OUTPUT;
        else
            e->base.want = HOOP__WANT_CLOSE | (e->linger ? HOOP__WANT_LINGER : 0);
        break;
    default:
        e->base.want = HOOP__WANT_INPUT;
        break;
    }
}

/* An exchange changed something; the host has to hear of it if it is not just calling. */
static void note_change(struct hoop__h1 *e)
{
    if (e->busy)
        return;
    update_want(e);
    e->base.host->wake(e->base.host);
}

/* --- ends ------------------------------------------------------------------------------------ */

static void close_now(struct hoop__h1 *e, int linger)
{
    e->state = HOOP__H1_CLOSED;
    e->base.deadline = HOOP__NEVER;
    e->linger = (uint8_t)linger;
}

static void end_exchange(struct hoop__h1 *e, int code)
{
    struct hoop__h1_exchange *h = e->h;
    struct hoop__out *out = e->base.host->out;
    if ((h->out == HOOP__H1_OUT_REF || h->piece) && out->ref_len) {
        out->ref = NULL; /* its memory goes, or its file */
        out->ref_len = 0;
    }
    e->h = NULL;
    h->engine = NULL;
    if (h->pull.source)
        hoop__pull_finish(&h->pull, code);
    hoop__exchange_end(&h->x, code);
}

static void drop_head(struct hoop__h1 *e)
{
    hoop__h1_head_drop(e->h);
    e->h = NULL;
}

static void write_reject(struct hoop__h1 *e, struct hoop__out *out)
{
    if (hoop__h1_write_reject(e, out))
        e->reject = 0;
}

/* Answers what can't be read, then closes. Nothing behind it is taken for a request. */
static void reject(struct hoop__h1 *e, int status)
{
    HOOP__COUNT(e->base.host->loop->counters.errors, 1);
    e->reject = (uint16_t)status;
    close_now(e, /* linger= */ 1);
    write_reject(e, e->base.host->out);
}

static void reject_head(struct hoop__h1 *e, int status)
{
    e->reject_head = e->h->method_number == HOOP_METHOD_HEAD;
    drop_head(e);
    reject(e, status);
}

/* The body can't be read on. A response that has begun goes its way, then the connection ends. */
static void fail_body(struct hoop__h1 *e, int status, int code)
{
    struct hoop__h1_exchange *h = e->h;
    if (h->out != HOOP__H1_OUT_NONE) {
        h->broken = 1;
        hoop__exchange_cancel(&h->x);
        return;
    }
    e->reject_head = h->method_number == HOOP_METHOD_HEAD;
    end_exchange(e, code);
    reject(e, status);
}

/* What is left of the request's body can be read and dropped. */
static int is_small(const struct hoop__h1_exchange *h)
{
    return !h->chunked && !h->expect && h->body.left <= h->limits->max_discard;
}

/* The last byte of the response is in the host's hands. */
static void complete(struct hoop__h1 *e)
{
    struct hoop__h1_exchange *h = e->h;
    int gone = e->eof && !e->unread;
    int keep = h->keep && !h->broken && !e->draining && !gone && (h->body_done || is_small(h));
    int linger = !gone && (!h->noted.asks_close || !h->body_done || e->unread);
    uint64_t left = h->body_done ? 0 : h->body.left;
    end_exchange(e, h->pull.end_code);
    if (!keep) {
        close_now(e, linger);
        return;
    }
    e->state = left ? HOOP__H1_DISCARD : HOOP__H1_IDLE;
    e->discard = left;
    set_deadline(e, e->base.host->service->limits->idle_ms);
}

/* Writes what there is of a response; ends the exchange with its last byte. */
static void progress(struct hoop__h1 *e, struct hoop__out *out)
{
    struct hoop__h1_exchange *h = e->h;
    if (h->send_100) { /* also in front of a response that is made of what is to come */
        if (hoop__out_room(out) < CONTINUE_LEN)
            return;
        hoop__out_put(out, CONTINUE, CONTINUE_LEN);
        h->send_100 = 0;
        h->expect = 0;
    }
    if (h->out == HOOP__H1_OUT_NONE)
        return;
    int rc = hoop__h1_write(h, out);
    if (rc < 0) {
        end_exchange(e, rc);
        close_now(e, /* linger= */ 0);
    } else if (h->out == HOOP__H1_OUT_DONE) {
        complete(e);
    }
}

/*
 * The client has shut its side and may be gone, or may still read: whoever works for it is told, the
 * answer is written all the same.
 */
static void cancel_run(struct hoop__h1 *e)
{
    if (e->state == HOOP__H1_RUN && e->h->out != HOOP__H1_OUT_DONE)
        hoop__exchange_cancel(&e->h->x);
}

/* Nothing more comes: what waits for input ends. */
static void settle_eof(struct hoop__h1 *e)
{
    if (!e->eof || e->unread)
        return;
    switch (e->state) {
    case HOOP__H1_HEAD:
        drop_head(e);
        close_now(e, /* linger= */ 0);
        break;
    case HOOP__H1_RUN:
        if (is_open(e->h)) {
            end_exchange(e, HOOP_EGONE);
            close_now(e, /* linger= */ 0);
        } else {
            cancel_run(e);
        }
        break;
    case HOOP__H1_CLOSED:
        e->linger = 0;
        break;
    default:
        close_now(e, /* linger= */ 0);
        break;
    }
}

/* --- input ----------------------------------------------------------------------------------- */

/* Empty lines in front of a request line. Returns what was consumed. */
static size_t skip_empty_lines(struct hoop__h1 *e, const char *data, size_t len)
{
    size_t at = 0;
    while (at < len && (e->empty_cr || data[at] == '\r')) {
        if (e->empty_cr ? data[at] != '\n' : e->empty_lines == MAX_EMPTY_LINES) {
            reject(e, 400);
            return len;
        }
        e->empty_lines = (uint8_t)(e->empty_lines + !e->empty_cr);
        e->empty_cr = !e->empty_cr;
        at++;
    }
    return at;
}

static size_t begin_head(struct hoop__h1 *e, const char *data, size_t len)
{
    struct hoop_loop *loop = e->base.host->loop;
    if (*data == '\r' || e->empty_cr)
        return skip_empty_lines(e, data, len);
    struct hoop__h1_exchange *h = hoop__block_get(&loop->blocks);
    if (!h) {
        e->reject_head = 0;
        reject(e, 503);
        return len;
    }
    e->h = h;
    e->state = HOOP__H1_HEAD;
    e->empty_lines = 0;
    hoop__h1_head_init(h, e);
    return 0;
}

static void dispatch(struct hoop__h1 *e)
{
    struct hoop__h1_exchange *h = e->h;
    e->reject_head = h->method_number == HOOP_METHOD_HEAD;
    if (hoop__h1_head_finish(h)) {
        e->h = NULL;
        reject(e, 503);
        return;
    }
    hoop__h1_body_init(h);
    e->requests++;
    e->state = HOOP__H1_RUN;
    e->base.deadline = HOOP__NEVER;
    hoop__exchange_dispatch(&h->x);
    progress(e, e->base.host->out);
}

static size_t read_head(struct hoop__h1 *e, const char *data, size_t len)
{
    int rc = HOOP__H1_COMPLETE;
    int begins = !e->h->head_len;
    size_t n = begins ? hoop__h1_head_whole(e->h, data, len) : 0;
    if (!n)
        n = hoop__h1_head_read(e->h, data, len, &rc);
    if (begins && rc == HOOP__H1_MORE)
        set_deadline(e, e->base.host->service->limits->head_ms);
    if (rc > 0) {
        reject_head(e, rc);
        return len;
    }
    e->unread = n < len;
    if (rc == HOOP__H1_COMPLETE)
        dispatch(e);
    return n;
}

static size_t read_body(struct hoop__h1 *e, const char *data, size_t len)
{
    struct hoop__h1_exchange *h = e->h;
    int rc;
    h->send_100 = 0;
    size_t n = hoop__h1_body_read(h, data, len, &rc);
    e->unread = n < len;
    if (rc > 0) {
        fail_body(e, rc, rc == 503 ? HOOP_ENOMEM : HOOP_EPROTO);
        if (e->state != HOOP__H1_RUN)
            return len;
    }
    if (!is_reading(h))
        e->base.deadline = HOOP__NEVER;
    progress(e, e->base.host->out);
    return n;
}

static size_t discard(struct hoop__h1 *e, size_t len)
{
    if (e->discard > len) {
        e->discard -= len;
        return len;
    }
    size_t n = (size_t)e->discard;
    e->discard = 0;
    e->state = HOOP__H1_IDLE;
    return n;
}

/* Whether input can be consumed now. */
static int can_read(const struct hoop__h1 *e)
{
    const struct hoop__out *out = e->base.host->out;
    switch (e->state) {
    case HOOP__H1_IDLE:
        /* An answer may have to be written: what is there goes first if it leaves no room. */
        return (out->len == 0 && out->ref_len == 0) || hoop__out_room(out) >= HOOP__H1_MIN_OUT;
    case HOOP__H1_RUN:
        return is_reading(e->h);
    default:
        return 1;
    }
}

static size_t feed(struct hoop__engine *engine, const char *data, size_t len)
{
    struct hoop__h1 *e = h1_of(engine);
    size_t at = 0;
    e->busy = 1;
    while (at < len && can_read(e)) {
        switch (e->state) {
        case HOOP__H1_IDLE:
            at += begin_head(e, data + at, len - at);
            break;
        case HOOP__H1_HEAD:
            at += read_head(e, data + at, len - at);
            break;
        case HOOP__H1_RUN:
            at += read_body(e, data + at, len - at);
            break;
        case HOOP__H1_DISCARD:
            at += discard(e, len - at);
            break;
        default:
            at = len;
            break;
        }
    }
    e->unread = at < len;
    if (e->eof)
        settle_eof(e);
    update_want(e);
    e->busy = 0;
    return at;
}

/* --- the other calls of the host ------------------------------------------------------------- */

static void pull(struct hoop__engine *engine, struct hoop__out *out)
{
    struct hoop__h1 *e = h1_of(engine);
    e->busy = 1;
    if (e->reject)
        write_reject(e, out);
    else if (e->state == HOOP__H1_RUN)
        progress(e, out);
    if (e->eof)
        settle_eof(e);
    update_want(e);
    e->busy = 0;
}

static void took(struct hoop__engine *engine, size_t n)
{
    struct hoop__h1 *e = h1_of(engine);
    if (e->state != HOOP__H1_RUN)
        return;
    e->busy = 1;
    hoop__h1_took(e->h, n);
    if (e->h->out == HOOP__H1_OUT_DONE)
        complete(e);
    update_want(e);
    e->busy = 0;
}

static void eof(struct hoop__engine *engine)
{
    struct hoop__h1 *e = h1_of(engine);
    e->busy = 1;
    e->eof = 1;
    e->unread |= e->base.host->kept;
    settle_eof(e);
    cancel_run(e);
    update_want(e);
    e->busy = 0;
}

static void hangup(struct hoop__engine *engine)
{
    struct hoop__h1 *e = h1_of(engine);
    e->busy = 1;
    cancel_run(e);
    update_want(e);
    e->busy = 0;
}

static void tick_run(struct hoop__h1 *e)
{
    struct hoop__h1_exchange *h = e->h;
    if (e->eof) {
        e->base.deadline = HOOP__NEVER;
        settle_eof(e);
        return;
    }
    e->base.deadline = is_reading(h) ? hoop__h1_body_deadline(h) : HOOP__NEVER;
    if (e->base.host->loop->now < e->base.deadline)
        return;
    HOOP__H1_REACHED(h, late_body);
    if (h->out == HOOP__H1_OUT_NONE) {
        fail_body(e, 408, HOOP_ETIMEDOUT);
        return;
    }
    end_exchange(e, HOOP_ETIMEDOUT);
    close_now(e, /* linger= */ 0);
}

static void tick(struct hoop__engine *engine)
{
    struct hoop__h1 *e = h1_of(engine);
    struct hoop__counters *counters = &e->base.host->loop->counters;
    if (e->base.host->loop->now < e->base.deadline)
        return;
    e->busy = 1;
    switch (e->state) {
    case HOOP__H1_HEAD:
        HOOP__COUNT(counters->late_head, 1);
        reject_head(e, 408);
        break;
    case HOOP__H1_RUN:
        tick_run(e);
        break;
    case HOOP__H1_CLOSED:
        e->base.deadline = HOOP__NEVER;
        break;
    default:
        HOOP__COUNT(*(e->requests ? &counters->late_idle : &counters->late_first_byte), 1);
        close_now(e, /* linger= */ 0);
        break;
    }
    update_want(e);
    e->busy = 0;
}

static void drain(struct hoop__engine *engine)
{
    struct hoop__h1 *e = h1_of(engine);
    e->draining = 1;
    e->busy = 1;
    if (e->state == HOOP__H1_IDLE || e->state == HOOP__H1_DISCARD)
        close_now(e, e->unread || e->state == HOOP__H1_DISCARD);
    else if (e->state == HOOP__H1_RUN)
        hoop__exchange_drain(&e->h->x);
    update_want(e);
    e->busy = 0;
}

static void stop(struct hoop__engine *engine, int code)
{
    struct hoop__h1 *e = h1_of(engine);
    e->busy = 1;
    if (code == HOOP_ETIMEDOUT) /* the one time that the host keeps */
        HOOP__COUNT(e->base.host->loop->counters.late_write, 1);
    if (e->state == HOOP__H1_HEAD)
        drop_head(e);
    else if (e->state == HOOP__H1_RUN)
        end_exchange(e, code);
    e->reject = 0;
    close_now(e, /* linger= */ 0);
    update_want(e);
    e->busy = 0;
}

static void init(struct hoop__engine *engine, struct hoop__host *host)
{
    static const struct hoop__engine_ops ops = {
        .feed = feed,
        .pull = pull,
        .took = took,
        .eof = eof,
        .hangup = hangup,
        .tick = tick,
        .drain = drain,
        .stop = stop,
    };
    struct hoop__h1 *e = h1_of(engine);
    const char *server = host->service->server_name;
    memset(e, 0, sizeof *e);
    e->base.ops = &ops;
    e->base.host = host;
    e->server_len = server ? (uint32_t)strlen(server) : 0;
    set_deadline(e, host->service->limits->first_byte_ms);
    update_want(e);
}

const struct hoop__protocol hoop__http1 = {
    .name = "http/1.1",
    .engine_size = sizeof(struct hoop__h1),
    .init = init,
};

/* --- what exchanges ask for ------------------------------------------------------------------ */

static void respond(struct hoop__exchange *x, const struct hoop__response *res)
{
    struct hoop__h1_exchange *h = h_of(x);
    if (!h->engine)
        return;
    h->res = res;
    h->pull.source = res->pub.body_kind == HOOP_BODY_STREAM ? res->source : NULL;
    h->out = HOOP__H1_OUT_HEAD;
    if (x->body.state != HOOP__BODY_READING)
        h->send_100 = 0;
    note_change(h->engine);
}

static void want_body(struct hoop__exchange *x)
{
    struct hoop__h1_exchange *h = h_of(x);
    struct hoop__h1 *e = h->engine;
    if (!e || h->body_done || h->broken)
        return;
    int again = h->wanted;
    h->wanted = 1;
    if (!again)
        h->body.wanted_at = x->loop->now;
    /* Behind the end of the input only the next tick can end the exchange, never a callback of it. */
    e->base.deadline = e->eof && !e->unread ? x->loop->now : hoop__h1_body_deadline(h);
    if (again) {
        note_change(e);
        return;
    }
    if (h->expect && e->unread)
        h->expect = 0; /* the client did not wait: its body is here */
    h->send_100 = h->expect && h->out == HOOP__H1_OUT_NONE;
    note_change(e);
}

static void resume(struct hoop__exchange *x)
{
    struct hoop__h1_exchange *h = h_of(x);
    h->pull.resumed = 1;
    if (!h->engine || (h->out != HOOP__H1_OUT_WAIT && !is_broken(h)))
        return;
    if (h->out == HOOP__H1_OUT_WAIT)
        h->out = HOOP__H1_OUT_SOURCE;
    note_change(h->engine);
}

const struct hoop__exchange_ops hoop__h1_exchange_ops = {
    .respond = respond,
    .want_body = want_body,
    .resume = resume,
};
