/* Request streams: the body chunk by chunk, paused and resumed from any thread. */
#include "value/body.h"
#include "value/hold.h"
#include "value/pending.h"

#include <hoop/stream.h>

#include <string.h>

/* Lies in the arena of the request it was made with. */
struct hoop_reader {
    struct hoop__hold hold; /* first */
    struct hoop__body_sink sink;
    struct hoop__pending step; /* of the response that `end` gives */
    hoop_read_options options;
    const hoop_request *req;
    uint64_t limit;
    _Atomic uint64_t received;
    atomic_int pauses;    /* it is paused while they are above zero */
    atomic_int stop_code; /* 0, or what hoop_reader_stop() said */
    uint8_t collected;    /* the body was read whole before, and comes in one piece */
    uint8_t given;        /* it did */
    uint8_t complete;     /* all has come, and a pause holds the end back */
    uint8_t ended;
};

static struct hoop_reader *reader_of(struct hoop__hold *hold)
{
    return (struct hoop_reader *)(void *)hold; /* its first member */
}

static struct hoop_reader *reader_of_sink(const struct hoop__body_sink *sink)
{
    return (struct hoop_reader *)(uintptr_t)((const char *)sink -
                                             offsetof(struct hoop_reader, sink));
}

/* --- the end --------------------------------------------------------------------------------- */

/* What the user's function makes of the end, or what stands for it. */
static const hoop_response *call_end(const hoop_request *req, const hoop_read_options *o, int code)
{
    if (o->end) {
        const hoop_response *res = o->end(req, code, o->data);
        if (res || !code)
            return res;
    } else if (!code) {
        return hoop_respond(req, 204);
    }
    return hoop_fail(req, code, "the body was not read to its end: %s", hoop_strerror(code));
}

static void end(struct hoop_reader *reader, int code)
{
    struct hoop__exchange *x = reader->hold.x;
    if (reader->ended)
        return;
    reader->ended = 1;
    if (x->body.sink == &reader->sink)
        hoop__body_stop(x);
    const hoop_response *res = call_end(reader->req, &reader->options, code);
    if (!x->over)
        hoop__pending_settle(&reader->step, res);
    hoop__hold_leave(&reader->hold);
}

/* --- what comes ------------------------------------------------------------------------------ */

/* Calls the user's function; what it allocates in the scratch arena goes behind the call. */
static int call_chunk(struct hoop_reader *reader, const char *data, size_t len)
{
    struct hoop_loop *loop = reader->hold.x->loop;
    struct hoop_arena scratch;
    uint64_t limit = loop->limits->max_arena;
    if (!reader->options.chunk)
        return 0;
    /* It is the reader's, so that no response in it is ever sent. */
    hoop__arena_init(&scratch, &loop->blocks, loop->allocator,
                     limit < SIZE_MAX ? (size_t)limit : SIZE_MAX, reader, NULL, 0);
    int rc = reader->options.chunk(reader, hoop_str_n(data, len), &scratch, reader->options.data);
    hoop__arena_done(&scratch);
    return rc;
}

static int is_paused(const struct hoop_reader *reader)
{
    return atomic_load(&reader->pauses) > 0;
}

static void apply_pause(struct hoop_reader *reader)
{
    struct hoop__exchange *x = reader->hold.x;
    if (x->body.sink == &reader->sink)
        hoop__body_allow(x, is_paused(reader) ? 0 : HOOP__LENGTH_UNKNOWN);
}

/* Hands a chunk on. Nonzero while more is wanted. */
static int give(struct hoop_reader *reader, const char *data, size_t len)
{
    uint64_t received = atomic_load_explicit(&reader->received, memory_order_relaxed) + len;
    atomic_store_explicit(&reader->received, received, memory_order_relaxed);
    if (received > reader->limit) {
        HOOP__COUNT(reader->hold.x->loop->counters.limit_body, 1);
        end(reader, HOOP_ETOOBIG);
        return 0;
    }
    int rc = call_chunk(reader, data, len);
    int stop = atomic_load(&reader->stop_code);
    if (rc < 0 || stop)
        end(reader, rc < 0 ? rc : stop);
    else if (rc > 0)
        atomic_fetch_add(&reader->pauses, 1);
    return !reader->ended;
}

static void on_data(const struct hoop__body_sink *sink, struct hoop__exchange *x, const char *data,
                    size_t len)
{
    (void)x;
    struct hoop_reader *reader = reader_of_sink(sink);
    if (give(reader, data, len))
        apply_pause(reader);
}

static void on_end(const struct hoop__body_sink *sink, struct hoop__exchange *x, int code)
{
    (void)x;
    struct hoop_reader *reader = reader_of_sink(sink);
    if (code == 0 && is_paused(reader))
        reader->complete = 1;
    else
        end(reader, code);
}

/* A body that is there already: its one chunk, and the end unless that has paused. */
static void go_on_collected(struct hoop_reader *reader)
{
    hoop_str body = hoop__body_whole(&reader->hold.x->body);
    if (is_paused(reader))
        return;
    if (!reader->given) {
        reader->given = 1;
        if (body.len && !give(reader, body.data, body.len))
            return;
    }
    if (!is_paused(reader))
        end(reader, 0);
}

/* --- as a hold ------------------------------------------------------------------------------- */

static void home(struct hoop__hold *hold, struct hoop_loop *loop)
{
    (void)loop;
    struct hoop_reader *reader = reader_of(hold);
    int stop = atomic_load(&reader->stop_code);
    if (reader->ended)
        return;
    if (stop)
        end(reader, stop);
    else if (reader->collected)
        go_on_collected(reader);
    else if (reader->complete && !is_paused(reader))
        end(reader, 0);
    else
        apply_pause(reader);
}

static void over(struct hoop__hold *hold, int code)
{
    end(reader_of(hold), code);
}

static const struct hoop__hold_ops hold_ops = { .home = home, .over = over };

/* --- beginning ------------------------------------------------------------------------------- */

/* 0 if there is something to read, 1 if not, or why it can't be. */
static int look_at(const hoop_request *req, const hoop_read_options *o)
{
    const struct hoop__exchange *x = hoop__exchange_of(req);
    uint64_t limit = hoop__body_limit(x, o->limit);
    switch (x->body.state) {
    case HOOP__BODY_ABSENT:
        return 1;
    case HOOP__BODY_COMING:
        if (x->body.length == HOOP__LENGTH_UNKNOWN || x->body.length <= limit)
            return 0;
        HOOP__COUNT(x->loop->counters.limit_body, 1);
        return HOOP_ETOOBIG;
    case HOOP__BODY_COMPLETE:
        return 0;
    default:
        return HOOP_EALREADY;
    }
}

static const hoop_response *begin(const hoop_request *req, const hoop_read_options *o)
{
    struct hoop__exchange *x = hoop__exchange_of(req);
    struct hoop_reader *reader = hoop_alloc(req, sizeof *reader);
    if (!reader)
        return call_end(req, o, HOOP_ENOMEM);
    memset(reader, 0, sizeof *reader);
    hoop__hold_init(&reader->hold, &hold_ops, req, 0);
    hoop__pending_init(&reader->step, req);
    reader->sink.data = on_data;
    reader->sink.end = on_end;
    reader->options = *o;
    reader->req = req;
    reader->limit = hoop__body_limit(x, o->limit);
    reader->collected = x->body.state == HOOP__BODY_COMPLETE;
    hoop__hold_open(&reader->hold); /* nothing can fail: the loop is here */
    if (o->ret_reader)
        *o->ret_reader = reader;
    if (reader->collected)
        hoop__hold_call(&reader->hold);
    else
        hoop__body_read(x, &reader->sink, HOOP__LENGTH_UNKNOWN);
    return &reader->step.res.pub;
}

const hoop_response *hoop_read_stream_sized(const hoop_request *req,
                                            const hoop_read_options *options, size_t size)
{
    hoop_read_options o;
    memset(&o, 0, sizeof o);
    if (options)
        memcpy(&o, options, size < sizeof o ? size : sizeof o);
    if (o.ret_reader)
        *o.ret_reader = NULL;
    if (!req || !hoop__exchange_of(req))
        return call_end(req, &o, HOOP_EINVAL);
    if (!hoop__on_loop(req))
        return call_end(req, &o, HOOP_ETHREAD);
    int rc = look_at(req, &o);
    return rc ? call_end(req, &o, rc < 0 ? rc : 0) : begin(req, &o);
}

/* --- from any thread ------------------------------------------------------------------------- */

/* 0, or why nothing can be done with it any more. Without a reference it is the loop's thread that asks. */
static int usable(hoop_reader *reader)
{
    if (!reader)
        return HOOP_EINVAL;
    return hoop__hold_here(&reader->hold) && reader->ended ? HOOP_EALREADY : 0;
}

int hoop_reader_pause(hoop_reader *reader)
{
    int rc = usable(reader);
    if (rc)
        return rc;
    atomic_fetch_add(&reader->pauses, 1);
    if (!hoop__hold_here(&reader->hold))
        return hoop__hold_call(&reader->hold);
    apply_pause(reader);
    return 0;
}

int hoop_reader_resume(hoop_reader *reader)
{
    int rc = usable(reader);
    if (rc)
        return rc;
    atomic_fetch_sub(&reader->pauses, 1);
    return hoop__hold_call(&reader->hold);
}

int hoop_reader_stop(hoop_reader *reader, int code)
{
    int rc = usable(reader), none = 0;
    if (rc)
        return rc;
    atomic_compare_exchange_strong(&reader->stop_code, &none, code < 0 ? code : HOOP_ECANCELED);
    return hoop__hold_call(&reader->hold);
}

uint64_t hoop_reader_received(const hoop_reader *reader)
{
    return reader ? atomic_load_explicit(&reader->received, memory_order_relaxed) : 0;
}

const hoop_request *hoop_reader_request(const hoop_reader *reader)
{
    return reader ? reader->req : NULL;
}

hoop_reader *hoop_reader_ref(hoop_reader *reader)
{
    if (reader)
        hoop__hold_ref(&reader->hold);
    return reader;
}

void hoop_reader_unref(hoop_reader *reader)
{
    if (reader)
        hoop__hold_unref(&reader->hold);
}
