/* The state of a connection: what each packet, call of the host and wish of an exchange leads to. */
#include "ajp/ajp.h"

#include <hoop/error.h>

#include <string.h>

#define TAKE_HEAD 5u /* magic, length and type */

static struct hoop__ajp *ajp_of(struct hoop__engine *engine)
{
    return (struct hoop__ajp *)engine;
}

static struct hoop__ajp_exchange *h_of(struct hoop__exchange *x)
{
    return (struct hoop__ajp_exchange *)x;
}

/* --- small pieces ---------------------------------------------------------------------------- */

static const hoop_limits *limits_of(const struct hoop__ajp *e)
{
    return e->base.host->service->limits;
}

static void set_deadline(struct hoop__ajp *e, uint64_t ms)
{
    uint64_t now = e->base.host->loop->now;
    e->base.deadline = ms < HOOP__NEVER - now ? now + ms : HOOP__NEVER;
}

/* Somebody reads the body, and more of it is to come. */
static int is_open(const struct hoop__ajp_exchange *h)
{
    return h->wanted && !h->body_done && !h->broken && h->x.body.state == HOOP__BODY_READING;
}

/* And it is not paused. */
static int is_reading(const struct hoop__ajp_exchange *h)
{
    return is_open(h) && h->x.body.credit;
}

/* A data packet that the peer owes, or has begun, is not here in whole. */
static int is_owed(const struct hoop__ajp *e)
{
    return e->due || e->data_left;
}

/* What is sent is to break off. */
static int is_broken(const struct hoop__ajp_exchange *h)
{
    return h->pull.source && h->x.broken;
}

static uint32_t wants_of_run(const struct hoop__ajp *e)
{
    const struct hoop__ajp_exchange *h = e->h;
    uint32_t want = is_reading(h) && is_owed(e) ? HOOP__WANT_INPUT : 0;
    if (is_broken(h))
        want |= HOOP__WANT_ABORT;
    if (h->ask || (h->out != HOOP__AJP_OUT_NONE && h->out != HOOP__AJP_OUT_WAIT))
        want |= HOOP__WANT_OUTPUT;
    return want;
}

static void update_want(struct hoop__ajp *e)
{
    switch (e->state) {
    case HOOP__AJP_RUN:
        e->base.want = wants_of_run(e);
        break;
    case HOOP__AJP_CLOSED:
        if (e->reject)
            e->base.want = HOOP__WANT_OUTPUT;
        else
            e->base.want = HOOP__WANT_CLOSE | (e->linger ? HOOP__WANT_LINGER : 0);
        break;
    default:
        e->base.want = HOOP__WANT_INPUT | (e->pong ? HOOP__WANT_OUTPUT : 0);
        break;
    }
}

/* An exchange changed something; the host has to hear of it if it is not just calling. */
static void note_change(struct hoop__ajp *e)
{
    if (e->busy)
        return;
    update_want(e);
    e->base.host->wake(e->base.host);
}

/* --- ends ------------------------------------------------------------------------------------ */

static void close_now(struct hoop__ajp *e, int linger)
{
    e->state = HOOP__AJP_CLOSED;
    e->base.deadline = HOOP__NEVER;
    e->linger = (uint8_t)linger;
}

static void end_exchange(struct hoop__ajp *e, int code)
{
    struct hoop__ajp_exchange *h = e->h;
    e->h = NULL;
    h->engine = NULL;
    hoop__pull_finish(&h->pull, code);
    hoop__exchange_end(&h->x, code);
}

/* Of a request that never was dispatched only its memory has to go. */
static void drop_request(struct hoop__ajp *e)
{
    hoop_arena *arena = e->h->x.arena;
    e->h = NULL;
    hoop__arena_done(arena);
}

static void write_reject(struct hoop__ajp *e, struct hoop__out *out)
{
    if (hoop__ajp_write_reject(e, out))
        e->reject = 0;
}

/*
 * Answers what can't be served, then closes. It is an answer of its own, and no bare close, since a
 * proxy takes that for a broken server and may send nobody here for a while.
 */
static void reject(struct hoop__ajp *e, int status)
{
    HOOP__COUNT(e->base.host->loop->counters.errors, 1);
    e->reject = (uint16_t)status;
    close_now(e, /* linger= */ 1);
    write_reject(e, e->base.host->out);
}

/* What is no AJP, or not what may come now: there is nobody to tell. */
static void hang_up(struct hoop__ajp *e)
{
    HOOP__COUNT(e->base.host->loop->counters.errors, 1);
    close_now(e, /* linger= */ 0);
}

/* The body can't be read on. A response that has begun goes its way, then the connection ends. */
static void fail_body(struct hoop__ajp *e, int status, int code)
{
    struct hoop__ajp_exchange *h = e->h;
    if (h->out != HOOP__AJP_OUT_NONE) {
        h->broken = 1;
        h->ask = 0;
        hoop__exchange_cancel(&h->x);
        return;
    }
    e->reject_head = h->x.request.pub.method_number == HOOP_METHOD_HEAD;
    end_exchange(e, code);
    reject(e, status);
}

/* Whether the connection can stay open behind this response. */
static int may_keep(const struct hoop__ajp *e)
{
    const struct hoop__ajp_exchange *h = e->h;
    const hoop_limits *limits = limits_of(e);
    uint64_t rest = e->data_left;
    if (e->due)
        rest = e->body_left < e->packet_size ? e->body_left : e->packet_size;
    if (e->draining || h->broken || e->requests >= limits->max_requests)
        return 0;
    return !(e->eof && !e->unread) && rest <= limits->max_discard;
}

/* The last byte of the response is in the host's hands. */
static void complete(struct hoop__ajp *e)
{
    struct hoop__ajp_exchange *h = e->h;
    int keep = h->keep;
    end_exchange(e, h->pull.end_code);
    if (!keep) {
        close_now(e, /* linger= */ !e->eof || e->unread);
        return;
    }
    e->state = is_owed(e) ? HOOP__AJP_DISCARD : HOOP__AJP_IDLE;
    set_deadline(e, limits_of(e)->idle_ms);
}

/* Writes what there is of a response; ends the exchange with its last byte. */
static void progress(struct hoop__ajp *e, struct hoop__out *out)
{
    struct hoop__ajp_exchange *h = e->h;
    if (h->ask && is_reading(h))
        hoop__ajp_write_ask(e, out);
    else
        h->ask = 0;
    if (h->out == HOOP__AJP_OUT_NONE)
        return;
    h->keep = (uint8_t)may_keep(e);
    int rc = hoop__ajp_write(h, out);
    if (rc < 0) {
        /* An END_RESPONSE would make a whole of what is cut short. */
        end_exchange(e, rc);
        close_now(e, /* linger= */ 0);
    } else if (h->out == HOOP__AJP_OUT_DONE) {
        complete(e);
    }
}

/* The proxy has shut its side: whoever works for it is told, the answer is written all the same. */
static void cancel_run(struct hoop__ajp *e)
{
    if (e->state == HOOP__AJP_RUN && e->h->out != HOOP__AJP_OUT_DONE)
        hoop__exchange_cancel(&e->h->x);
}

/* Nothing more comes: what waits for input ends. */
static void settle_eof(struct hoop__ajp *e)
{
    if (!e->eof || e->unread)
        return;
    switch (e->state) {
    case HOOP__AJP_REQUEST:
        drop_request(e);
        close_now(e, /* linger= */ 0);
        break;
    case HOOP__AJP_RUN:
        if (is_open(e->h)) {
            end_exchange(e, HOOP_EGONE);
            close_now(e, /* linger= */ 0);
        } else {
            cancel_run(e);
        }
        break;
    case HOOP__AJP_CLOSED:
        e->linger = 0;
        break;
    default:
        close_now(e, /* linger= */ 0);
        break;
    }
}

/* --- packets --------------------------------------------------------------------------------- */

/* A request begins; its block is fetched, and room for all of the packet. */
static void begin_request(struct hoop__ajp *e, uint32_t len)
{
    struct hoop__host *host = e->base.host;
    struct hoop__ajp_exchange *h = hoop__block_get(&host->loop->blocks);
    if (!h) {
        reject(e, 503);
        return;
    }
    size_t used = offsetof(struct hoop__ajp_exchange, block);
    int fits = len <= HOOP__BLOCK_SIZE - sizeof(struct hoop__chunk) - used;
    hoop__exchange_init(&h->x, &hoop__ajp_exchange_ops, host->loop, host->service, h,
                        fits ? used + len : used);
    memset(h->zero_from, 0,
           offsetof(struct hoop__ajp_exchange, zero_to) -
               offsetof(struct hoop__ajp_exchange, zero_from));
    h->engine = e;
    h->packet = fits ? h->block : hoop__arena_alloc(h->x.arena, len);
    h->packet_len = len;
    h->packet_read = 1;
    e->h = h;
    e->state = HOOP__AJP_REQUEST;
    if (!h->packet) {
        drop_request(e);
        reject(e, 503);
        return;
    }
    h->packet[0] = HOOP__AJP_FORWARD_REQUEST;
}

/* A body is announced: the peer sends its first packet unasked if it knows the length. */
static void expect_body(struct hoop__ajp *e)
{
    const struct hoop__ajp_exchange *h = e->h;
    e->due = !h->body_done && !h->chunked;
    e->body_left = h->body_done ? 0 : h->x.body.length;
    e->data_left = 0;
}

static void dispatch(struct hoop__ajp *e)
{
    struct hoop__ajp_exchange *h = e->h;
    int rc = hoop__ajp_request(h);
    if (rc) {
        e->reject_head = h->x.request.pub.method_number == HOOP_METHOD_HEAD;
        drop_request(e);
        reject(e, rc);
        return;
    }
    expect_body(e);
    e->requests++;
    e->state = HOOP__AJP_RUN;
    e->base.deadline = HOOP__NEVER;
    hoop__exchange_dispatch(&h->x);
    progress(e, e->base.host->out);
}

/* The first five bytes of a packet that comes between requests. */
static void begin_packet(struct hoop__ajp *e)
{
    uint32_t len = hoop__ajp_get16(e->head + 2);
    unsigned type = e->head[4];
    e->head_len = 0;
    e->reject_head = 0;
    if (type == HOOP__AJP_CPING && len == 1 && !e->draining) {
        e->state = HOOP__AJP_IDLE;
        set_deadline(e, limits_of(e)->idle_ms);
        hoop__ajp_write_pong(e, e->base.host->out);
        return;
    }
    if (type != HOOP__AJP_FORWARD_REQUEST) {
        hang_up(e); /* a SHUTDOWN among them: nobody stops this server so */
        return;
    }
    if (len > e->packet_size - HOOP__AJP_HEAD)
        reject(e, 400);
    else if (len > limits_of(e)->max_head)
        reject(e, 431);
    else
        begin_request(e, len);
    if (e->state == HOOP__AJP_REQUEST && len == 1)
        dispatch(e); /* nothing more of it comes */
}

static size_t read_begin(struct hoop__ajp *e, const char *data, size_t len)
{
    if (e->state == HOOP__AJP_IDLE) {
        e->state = HOOP__AJP_BEGIN;
        set_deadline(e, limits_of(e)->head_ms);
    }
    size_t n = hoop__ajp_take_head(e, data, len, TAKE_HEAD);
    static const uint8_t magic[2] = { 0x12, 0x34 };
    if (memcmp(e->head, magic, e->head_len < 2 ? e->head_len : 2) != 0 ||
        (e->head_len >= HOOP__AJP_HEAD && !hoop__ajp_get16(e->head + 2)))
        hang_up(e);
    else if (e->head_len == TAKE_HEAD)
        begin_packet(e);
    return n;
}

static size_t read_request(struct hoop__ajp *e, const char *data, size_t len)
{
    struct hoop__ajp_exchange *h = e->h;
    size_t n = h->packet_len - h->packet_read;
    if (n > len)
        n = len;
    memcpy(h->packet + h->packet_read, data, n);
    h->packet_read += (uint32_t)n;
    e->unread = n < len;
    if (h->packet_read == h->packet_len)
        dispatch(e);
    return n;
}

/* --- the body -------------------------------------------------------------------------------- */

static void end_body(struct hoop__ajp *e)
{
    struct hoop__ajp_exchange *h = e->h;
    h->body_done = 1;
    e->body_left = 0;
    if (h->x.body.state == HOOP__BODY_READING)
        hoop__exchange_body_end(&h->x, NULL, 0);
}

/* A data packet is here in whole: is that all, or is the next one to be asked for? */
static void end_data(struct hoop__ajp *e)
{
    if (!e->body_left)
        end_body(e);
    else if (is_reading(e->h))
        e->h->ask = 1;
}

static size_t read_data(struct hoop__ajp *e, const char *data, size_t len)
{
    struct hoop__ajp_exchange *h = e->h;
    size_t n = len < e->data_left ? len : e->data_left;
    if (n > h->x.body.credit)
        n = (size_t)h->x.body.credit;
    e->data_left -= (uint32_t)n;
    if (e->body_left != HOOP__LENGTH_UNKNOWN)
        e->body_left -= n;
    h->received += n;
    hoop__exchange_body(&h->x, data, n);
    if (!e->data_left)
        end_data(e);
    return n;
}

/* The end where one is to come, or in front of it: then the client has broken off. */
static void end_packet(struct hoop__ajp *e)
{
    if (e->body_left == HOOP__LENGTH_UNKNOWN)
        end_body(e);
    else
        fail_body(e, 400, HOOP_EGONE);
}

static size_t read_body(struct hoop__ajp *e, const char *data, size_t len)
{
    struct hoop__ajp_exchange *h = e->h;
    size_t n;
    if (e->data_left) {
        n = read_data(e, data, len);
    } else {
        int rc;
        n = hoop__ajp_data_head(e, data, len, &rc);
        if (rc < 0)
            fail_body(e, 400, HOOP_EPROTO);
        else if (rc && !e->data_left)
            end_packet(e);
    }
    e->unread = n < len;
    if (e->state != HOOP__AJP_RUN)
        return len;
    if (!is_reading(h))
        e->base.deadline = HOOP__NEVER;
    progress(e, e->base.host->out);
    return n;
}

/* What was owed when the response was complete; the connection is of use again behind it. */
static size_t discard(struct hoop__ajp *e, const char *data, size_t len)
{
    size_t n;
    if (e->data_left) {
        n = len < e->data_left ? len : e->data_left;
        e->data_left -= (uint32_t)n;
    } else {
        int rc;
        n = hoop__ajp_data_head(e, data, len, &rc);
        if (rc < 0) {
            hang_up(e);
            return len;
        }
    }
    if (!is_owed(e))
        e->state = HOOP__AJP_IDLE;
    return n;
}

/* --- input ----------------------------------------------------------------------------------- */

/* Whether input can be consumed now. */
static int can_read(const struct hoop__ajp *e)
{
    const struct hoop__out *out = e->base.host->out;
    switch (e->state) {
    case HOOP__AJP_IDLE:
    case HOOP__AJP_BEGIN:
        /* An answer may have to be written: what is there goes first if it leaves no room. */
        return !e->pong &&
               ((out->len == 0 && out->ref_len == 0) || hoop__out_room(out) >= HOOP__AJP_MIN_OUT);
    case HOOP__AJP_RUN:
        return is_reading(e->h) && is_owed(e);
    default:
        return 1;
    }
}

static size_t feed(struct hoop__engine *engine, const char *data, size_t len)
{
    struct hoop__ajp *e = ajp_of(engine);
    size_t at = 0;
    e->busy = 1;
    while (at < len && can_read(e)) {
        switch (e->state) {
        case HOOP__AJP_IDLE:
        case HOOP__AJP_BEGIN:
            at += read_begin(e, data + at, len - at);
            break;
        case HOOP__AJP_REQUEST:
            at += read_request(e, data + at, len - at);
            break;
        case HOOP__AJP_RUN:
            at += read_body(e, data + at, len - at);
            break;
        case HOOP__AJP_DISCARD:
            at += discard(e, data + at, len - at);
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
    struct hoop__ajp *e = ajp_of(engine);
    e->busy = 1;
    if (e->reject)
        write_reject(e, out);
    else if (e->pong)
        hoop__ajp_write_pong(e, out);
    else if (e->state == HOOP__AJP_RUN)
        progress(e, out);
    if (e->eof)
        settle_eof(e);
    update_want(e);
    e->busy = 0;
}

/* Packets are cut and copied, so that there never is a reference. */
static void took(struct hoop__engine *engine, size_t n)
{
    (void)engine;
    (void)n;
}

static void eof(struct hoop__engine *engine)
{
    struct hoop__ajp *e = ajp_of(engine);
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
    struct hoop__ajp *e = ajp_of(engine);
    e->busy = 1;
    cancel_run(e);
    update_want(e);
    e->busy = 0;
}

static void tick_run(struct hoop__ajp *e)
{
    struct hoop__ajp_exchange *h = e->h;
    if (e->eof) {
        e->base.deadline = HOOP__NEVER;
        settle_eof(e);
        return;
    }
    e->base.deadline = is_reading(h) ? hoop__ajp_body_deadline(h) : HOOP__NEVER;
    if (e->base.host->loop->now < e->base.deadline)
        return;
    if (h->out == HOOP__AJP_OUT_NONE) {
        fail_body(e, 408, HOOP_ETIMEDOUT);
        return;
    }
    end_exchange(e, HOOP_ETIMEDOUT);
    close_now(e, /* linger= */ 0);
}

static void tick(struct hoop__engine *engine)
{
    struct hoop__ajp *e = ajp_of(engine);
    if (e->base.host->loop->now < e->base.deadline)
        return;
    e->busy = 1;
    switch (e->state) {
    case HOOP__AJP_REQUEST:
        drop_request(e);
        reject(e, 408);
        break;
    case HOOP__AJP_RUN:
        tick_run(e);
        break;
    case HOOP__AJP_CLOSED:
        e->base.deadline = HOOP__NEVER;
        break;
    default:
        close_now(e, /* linger= */ 0);
        break;
    }
    update_want(e);
    e->busy = 0;
}

static void drain(struct hoop__engine *engine)
{
    struct hoop__ajp *e = ajp_of(engine);
    e->draining = 1;
    e->busy = 1;
    if (e->state == HOOP__AJP_IDLE || e->state == HOOP__AJP_DISCARD)
        close_now(e, e->unread || e->state == HOOP__AJP_DISCARD);
    else if (e->state == HOOP__AJP_RUN)
        hoop__exchange_drain(&e->h->x);
    update_want(e);
    e->busy = 0;
}

static void stop(struct hoop__engine *engine, int code)
{
    struct hoop__ajp *e = ajp_of(engine);
    e->busy = 1;
    if (e->state == HOOP__AJP_REQUEST)
        drop_request(e);
    else if (e->state == HOOP__AJP_RUN)
        end_exchange(e, code);
    e->reject = 0;
    e->pong = 0;
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
    struct hoop__ajp *e = ajp_of(engine);
    const char *server = host->service->server_name;
    memset(e, 0, sizeof *e);
    e->base.ops = &ops;
    e->base.host = host;
    e->listener = host->config;
    e->packet_size = HOOP__AJP_PACKET;
    if (e->listener && e->listener->ajp_packet_size)
        e->packet_size = e->listener->ajp_packet_size;
    if (e->listener && e->listener->ajp_secret)
        e->secret_len = (uint32_t)strlen(e->listener->ajp_secret);
    e->server_len = server ? (uint32_t)strlen(server) : 0;
    set_deadline(e, host->service->limits->first_byte_ms);
    update_want(e);
}

const struct hoop__protocol hoop__ajp = {
    .name = "ajp/1.3",
    .engine_size = sizeof(struct hoop__ajp),
    .init = init,
};

/* --- what exchanges ask for ------------------------------------------------------------------ */

static void respond(struct hoop__exchange *x, const struct hoop__response *res)
{
    struct hoop__ajp_exchange *h = h_of(x);
    if (!h->engine)
        return;
    h->res = res;
    h->pull.source = res->pub.body_kind == HOOP_BODY_STREAM ? res->source : NULL;
    h->out = HOOP__AJP_OUT_HEAD;
    note_change(h->engine);
}

static void want_body(struct hoop__exchange *x)
{
    struct hoop__ajp_exchange *h = h_of(x);
    struct hoop__ajp *e = h->engine;
    if (!e || h->body_done || h->broken)
        return;
    if (!h->wanted)
        h->wanted_at = x->loop->now;
    h->wanted = 1;
    /* Behind the end of the input only the next tick can end the exchange, never a callback of it. */
    e->base.deadline = e->eof && !e->unread ? x->loop->now : hoop__ajp_body_deadline(h);
    h->ask = !is_owed(e);
    note_change(e);
}

static void resume(struct hoop__exchange *x)
{
    struct hoop__ajp_exchange *h = h_of(x);
    h->pull.resumed = 1;
    int waits = h->out == HOOP__AJP_OUT_WAIT || h->out == HOOP__AJP_OUT_FLUSH;
    if (!h->engine || (!waits && !is_broken(h)))
        return;
    if (waits)
        h->out = HOOP__AJP_OUT_SOURCE;
    note_change(h->engine);
}

const struct hoop__exchange_ops hoop__ajp_exchange_ops = {
    .respond = respond,
    .want_body = want_body,
    .resume = resume,
};
