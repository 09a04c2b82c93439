/* A request's body as the body of the response: a bounded ring between the two, and nothing else. */
#include "value/body.h"
#include "value/pending.h"

#include <hoop/stream.h>

#include <string.h>

#define DEFAULT_WINDOW ((uint64_t)65536)

/* Lies in the arena of the request; ends with its source. On the loop's thread alone. */
struct pipe {
    struct hoop__source source; /* first */
    struct hoop__body_sink sink;
    hoop_pipe_options options;
    struct hoop__exchange *x;
    const hoop_allocator *allocator;
    char *ring;  /* from the allocator, with the first byte; or the collected body, borrowed */
    size_t cap;  /* of the ring */
    size_t from; /* the first byte in it */
    size_t len;  /* bytes in it */
    uint64_t received, limit;
    int code;  /* HOOP_EAGAIN while more may come, HOOP_EOF, or why it broke off */
    int owned; /* the ring is ours */
};

static struct pipe *pipe_of_sink(const struct hoop__body_sink *sink)
{
    return (struct pipe *)(uintptr_t)((const char *)sink - offsetof(struct pipe, sink));
}

/* --- what comes in --------------------------------------------------------------------------- */

static void break_off(struct pipe *p, int code)
{
    p->code = code;
    if (p->x->body.sink == &p->sink)
        hoop__body_stop(p->x);
    hoop__source_ready(&p->source);
}

static void on_data(const struct hoop__body_sink *sink, struct hoop__exchange *x, const char *data,
                    size_t len)
{
    struct pipe *p = pipe_of_sink(sink);
    p->received += len;
    if (p->received > p->limit) {
        HOOP__COUNT(x->loop->counters.limit_body, 1);
        break_off(p, HOOP_ETOOBIG);
        return;
    }
    if (!p->ring) {
        p->ring = hoop__alloc(p->allocator, p->cap);
        p->owned = p->ring != NULL;
        if (!p->ring) {
            break_off(p, HOOP_ENOMEM);
            return;
        }
    }
    /* It fits: the credit is the room there is. */
    size_t at = (p->from + p->len) % p->cap, first = p->cap - at < len ? p->cap - at : len;
    memcpy(p->ring + at, data, first);
    memcpy(p->ring, data + first, len - first);
    p->len += len;
    hoop__source_ready(&p->source);
}

/* The trailers that came are those that go. */
static int copy_trailers(struct pipe *p, const struct hoop__body *body)
{
    struct hoop__trailer *list;
    if (!body->trailer_count)
        return 0;
    list = hoop__arena_alloc(p->x->arena, body->trailer_count * sizeof *list);
    if (!list)
        return HOOP_ENOMEM;
    for (size_t i = 0; i < body->trailer_count; i++) {
        list[i].field = body->trailers[i];
        list[i].next = i + 1 < body->trailer_count ? &list[i + 1] : NULL;
    }
    p->source.trailers = list;
    return 0;
}

static void on_end(const struct hoop__body_sink *sink, struct hoop__exchange *x, int code)
{
    struct pipe *p = pipe_of_sink(sink);
    if (!code)
        code = copy_trailers(p, &x->body);
    p->code = code ? code : HOOP_EOF;
    hoop__source_ready(&p->source);
}

/* --- what goes out --------------------------------------------------------------------------- */

static int pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct pipe *p = (struct pipe *)source;
    if (p->code != HOOP_EAGAIN && p->code != HOOP_EOF)
        return p->code;
    size_t n = p->len < cap ? p->len : cap;
    size_t first = n && p->cap - p->from < n ? p->cap - p->from : n;
    if (n) {
        memcpy(buffer, p->ring + p->from, first);
        memcpy(buffer + first, p->ring, n - first);
        p->from = (p->from + n) % p->cap;
        p->len -= n;
    }
    *ret_len = n;
    if (p->x->body.sink == &p->sink)
        hoop__body_allow(p->x, p->cap - p->len);
    if (p->len) /* a filter may have given more just now: then it is asked again */
        return n ? 0 : HOOP_EAGAIN;
    return n && p->code == HOOP_EAGAIN ? 0 : p->code;
}

static void finished(struct hoop__source *source, int code)
{
    struct pipe *p = (struct pipe *)source;
    if (p->x->body.sink == &p->sink)
        hoop__body_stop(p->x);
    if (p->owned)
        hoop__free(p->allocator, p->ring);
    p->ring = NULL;
    if (p->options.finished)
        p->options.finished(code, p->options.data);
}

/* --- making ---------------------------------------------------------------------------------- */

/* What has come already, all of it. */
static void take_collected(struct pipe *p)
{
    const struct hoop__body *body = &p->x->body;
    p->ring = body->data;
    p->cap = p->len = (size_t)body->len;
    p->code = HOOP_EOF;
    p->source.length = body->trailer_count ? HOOP__LENGTH_UNKNOWN : body->len;
}

static void begin(struct pipe *p)
{
    struct hoop__exchange *x = p->x;
    p->code = HOOP_EAGAIN;
    p->source.length = x->body.length;
    switch (x->body.state) {
    case HOOP__BODY_ABSENT:
        p->code = HOOP_EOF;
        p->source.length = 0;
        break;
    case HOOP__BODY_COMPLETE:
        take_collected(p);
        break;
    default:
        hoop__body_read(x, &p->sink, p->cap);
        break;
    }
}

static const hoop_response *make(const hoop_request *req, int status, const char *content_type,
                                 struct pipe *p)
{
    struct hoop__exchange *x = p->x;
    p->source.pull = pull;
    p->source.finished = finished;
    p->sink.data = on_data;
    p->sink.end = on_end;
    begin(p);
    const hoop_response *res = hoop__respond_source(req, status, content_type, &p->source);
    if (res && x->body.state == HOOP__BODY_COMPLETE && copy_trailers(p, &x->body))
        return hoop__fail_memory(req);
    return res;
}

static const hoop_response *refuse(const hoop_pipe_options *o, int code, const hoop_response *res)
{
    if (o->finished)
        o->finished(code, o->data);
    return res;
}

/* 0, or why the body can't be piped (noted). */
static int check(const hoop_request *req)
{
    struct hoop__exchange *x = req ? hoop__exchange_of(req) : NULL;
    int code = HOOP_EINVAL;
    if (!x) {
        hoop_fail(req, code, "this request has no exchange to read a body from");
    } else if (!hoop__on_loop(req)) {
        code = HOOP_ETHREAD;
        hoop_fail(req, code, "hoop_pipe() belongs on the loop's thread");
    } else if (x->body.state != HOOP__BODY_ABSENT && x->body.state != HOOP__BODY_COMING &&
               x->body.state != HOOP__BODY_COMPLETE) {
        code = HOOP_EALREADY;
        hoop_fail(req, code, "the body is read by others, or was refused");
    } else {
        code = 0;
    }
    return code;
}

const hoop_response *hoop_pipe_sized(const hoop_request *req, int status, const char *content_type,
                                     const hoop_pipe_options *options, size_t size)
{
    hoop_pipe_options o;
    memset(&o, 0, sizeof o);
    if (options)
        memcpy(&o, options, size < sizeof o ? size : sizeof o);
    int rc = check(req);
    if (rc)
        return refuse(&o, rc, NULL);
    struct hoop__exchange *x = hoop__exchange_of(req);
    uint64_t limit = hoop__body_limit(x, o.limit);
    if (x->body.state != HOOP__BODY_ABSENT && x->body.length != HOOP__LENGTH_UNKNOWN &&
        x->body.length > limit)
        return refuse(&o, HOOP_ETOOBIG, hoop__body_too_large(req, limit));
    struct pipe *p = hoop_alloc(req, sizeof *p);
    if (!p)
        return refuse(&o, HOOP_ENOMEM, NULL);
    memset(p, 0, sizeof *p);
    p->options = o;
    p->x = x;
    p->limit = limit;
    p->allocator = req->arena->allocator;
    p->cap = (size_t)(o.window && o.window < SIZE_MAX ? o.window : DEFAULT_WINDOW);
    return make(req, status, content_type, p);
}
