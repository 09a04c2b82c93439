/* Response streams: pulled by the engine, or pushed from any thread into a bounded queue. */
#include "value/hold.h"
#include "value/sink.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_HIGH ((uint64_t)65536)

static struct hoop_sink *sink_of(struct hoop__hold *hold)
{
    return (struct hoop_sink *)(void *)hold; /* its first member */
}

static struct hoop_sink *sink_of_source(struct hoop__source *source)
{
    return (struct hoop_sink *)(void *)((char *)source - offsetof(struct hoop_sink, source));
}

/* --- what is queued -------------------------------------------------------------------------- */

/* What other threads wrote follows when all else is taken. */
static void take_inbox(struct hoop_sink *sink)
{
    if (sink->out.len || !atomic_load_explicit(&sink->has_inbox, memory_order_acquire))
        return;
    pthread_mutex_lock(&sink->lock);
    sink->out = sink->inbox;
    memset(&sink->inbox, 0, sizeof sink->inbox);
    atomic_store_explicit(&sink->has_inbox, 0, memory_order_relaxed);
    pthread_mutex_unlock(&sink->lock);
}

static size_t take_some(struct hoop_sink *sink, char *to, size_t cap)
{
    size_t n = 0, got;
    do {
        take_inbox(sink);
        got = hoop__fifo_take(&sink->out, sink->allocator, to + n, cap - n);
        n += got;
    } while (got && n < cap);
    return n;
}

/* Nonzero, once, if writers wait and may go on. */
static int may_go_on(const struct hoop_sink *sink)
{
    return atomic_load(&sink->waiting) && atomic_load(&sink->queued) <= sink->options.low_bytes;
}

/* --- as a source ----------------------------------------------------------------------------- */

static int pull_pushed(struct hoop_sink *sink, char *buffer, size_t cap, size_t *ret_len)
{
    /* Looked at first: what was written in front of the end is there then. */
    int end = atomic_load_explicit(&sink->end_code, memory_order_acquire);
    if (end && end != HOOP_EOF)
        return end;
    int more;
    do { /* what comes behind an empty take is taken, too: nothing, and yet more, is no answer */
        *ret_len = take_some(sink, buffer, cap);
        more = sink->out.len || atomic_load_explicit(&sink->has_inbox, memory_order_relaxed);
    } while (more && !*ret_len);
    atomic_fetch_sub(&sink->queued, *ret_len);
    if (may_go_on(sink))
        hoop__hold_call(&sink->hold);
    if (more)
        return 0;
    if (end)
        return HOOP_EOF;
    return *ret_len ? 0 : HOOP_EAGAIN;
}

static int pull_user(struct hoop_sink *sink, char *buffer, size_t cap, size_t *ret_len)
{
    int end = atomic_load_explicit(&sink->end_code, memory_order_acquire);
    if (end)
        return end;
    return sink->options.pull(sink, buffer, cap, ret_len, sink->options.data);
}

static int pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct hoop_sink *sink = sink_of_source(source);
    if (!sink->started) {
        sink->started = 1;
        if (sink->options.start)
            sink->options.start(sink, sink->options.data);
    }
    int rc = sink->options.pull ? pull_user(sink, buffer, cap, ret_len)
                                : pull_pushed(sink, buffer, cap, ret_len);
    if (rc != HOOP_EOF)
        return rc;
    int none = 0;
    atomic_compare_exchange_strong(&sink->end_code, &none,
                                   HOOP_EOF); /* no trailer comes any more */
    pthread_mutex_lock(&sink->lock);
    source->trailers = sink->trailers;
    pthread_mutex_unlock(&sink->lock);
    return rc;
}

static int has_failed(const struct hoop_sink *sink)
{
    int code = atomic_load(&sink->end_code);
    return code && code != HOOP_EOF;
}

static void finished(struct hoop__source *source, int code)
{
    struct hoop_sink *sink = sink_of_source(source);
    if (code && has_failed(sink))
        code = atomic_load(&sink->end_code); /* it came first */
    atomic_store(&sink->gone, code ? code : HOOP_EALREADY);
    hoop__fifo_done(&sink->out, sink->allocator);
    if (sink->options.finished)
        sink->options.finished(code, sink->options.data);
    if (hoop__hold_here(&sink->hold))
        hoop__hold_leave(&sink->hold);
}

/* --- as a hold ------------------------------------------------------------------------------- */

/* The exchange is told of a failure, since what is sent may be another source that stands on this one. */
static void tell_engine(struct hoop_sink *sink)
{
    if (sink->source.exchange && has_failed(sink))
        sink->source.exchange->broken = 1;
    hoop__source_ready(&sink->source);
}

/* Somebody wrote, ended it, said that it is ready, or made room. */
static void home(struct hoop__hold *hold, struct hoop_loop *loop)
{
    (void)loop;
    struct hoop_sink *sink = sink_of(hold);
    if (sink->source.done)
        return;
    tell_engine(sink);
    /* Taken before it is looked: who is told to wait while this runs is called again. */
    if (!atomic_exchange(&sink->waiting, 0))
        return;
    if (atomic_load(&sink->queued) > sink->options.low_bytes)
        atomic_store(&sink->waiting, 1);
    else if (sink->options.drained)
        sink->options.drained(sink, sink->options.data);
}

/* A response that was made and never sent. */
static void over(struct hoop__hold *hold, int code)
{
    hoop__source_finish(&sink_of(hold)->source, code);
    hoop__hold_leave(hold);
}

static void closed(struct hoop__hold *hold)
{
    int none = 0;
    atomic_compare_exchange_strong(&sink_of(hold)->gone, &none, HOOP_ECANCELED);
}

static void release(struct hoop__hold *hold)
{
    struct hoop_sink *sink = sink_of(hold);
    hoop__fifo_done(&sink->inbox, sink->allocator);
    while (sink->trailers) {
        struct hoop__trailer *t = sink->trailers;
        sink->trailers = t->next;
        hoop__free(sink->allocator, t);
    }
    pthread_mutex_destroy(&sink->lock);
}

static const struct hoop__hold_ops hold_ops = {
    .home = home,
    .over = over,
    .closed = closed,
    .release = release,
};

/* --- making ---------------------------------------------------------------------------------- */

static void fill_options(struct hoop_sink *sink, const hoop_stream_options *options, size_t size)
{
    hoop_stream_options *o = &sink->options;
    if (options)
        memcpy(o, options, size < sizeof *o ? size : sizeof *o);
    if (!o->high_bytes)
        o->high_bytes = DEFAULT_HIGH;
    if (!o->low_bytes)
        o->low_bytes = o->high_bytes / 4;
    if (!o->max_bytes)
        o->max_bytes = o->high_bytes < UINT64_MAX / 16 ? o->high_bytes * 16 : UINT64_MAX;
}

/* What could not be made has ended, too. */
static const hoop_response *refuse(const hoop_stream_options *o, int code)
{
    if (o->finished)
        o->finished(code, o->data);
    return NULL;
}

static const hoop_response *make(const hoop_request *req, int status, const char *content_type,
                                 const hoop_stream_options *o, struct hoop_sink *sink)
{
    if (pthread_mutex_init(&sink->lock, NULL)) {
        hoop__fail_memory(req);
        return refuse(o, HOOP_ENOMEM);
    }
    unsigned users = o->ret_sink ? 1 : 0;
    hoop__hold_init(&sink->hold, &hold_ops, req, users);
    atomic_init(&sink->users, users);
    sink->source.pull = pull;
    sink->source.finished = finished;
    sink->source.length = o->length ? o->length : HOOP__LENGTH_UNKNOWN;
    const hoop_response *res = hoop__respond_source(req, status, content_type, &sink->source);
    /* Behind all that can fail: on another thread the exchange may end at any time, and it with that. */
    if (res && hoop__hold_open(&sink->hold)) {
        hoop_fail(req, HOOP_ECANCELED, "the loop has closed");
        hoop__source_finish(&sink->source, HOOP_ECANCELED);
        res = NULL;
    }
    if (!res)
        pthread_mutex_destroy(&sink->lock);
    else if (o->ret_sink)
        *o->ret_sink = sink;
    return res;
}

const hoop_response *hoop_stream_sized(const hoop_request *req, int status,
                                       const char *content_type, const hoop_stream_options *options,
                                       size_t size)
{
    struct hoop_sink fresh;
    memset(&fresh, 0, sizeof fresh);
    fill_options(&fresh, options, size);
    if (fresh.options.ret_sink)
        *fresh.options.ret_sink = NULL;
    if (!req)
        return refuse(&fresh.options, HOOP_EINVAL);
    if (!hoop__exchange_of(req)) {
        hoop_fail(req, HOOP_EINVAL, "a stream can't be a constant response");
        return refuse(&fresh.options, HOOP_EINVAL);
    }
    struct hoop_sink *sink = hoop_alloc(req, sizeof *sink);
    if (!sink)
        return refuse(&fresh.options, HOOP_ENOMEM);
    *sink = fresh;
    sink->allocator = req->arena->allocator;
    return make(req, status, content_type, &fresh.options, sink);
}

/* --- writing --------------------------------------------------------------------------------- */

/* 0, or why nothing can be done with it any more. */
static int usable(hoop_sink *sink)
{
    if (!sink)
        return HOOP_EINVAL;
    int gone = atomic_load(&sink->gone);
    if (gone)
        return gone;
    return atomic_load(&sink->end_code) ? HOOP_EALREADY : 0;
}

/* Tells the engine: at once on the loop, where nothing runs within, else by the mailbox. */
static int notify(hoop_sink *sink)
{
    if (!hoop__hold_here(&sink->hold))
        return hoop__hold_call(&sink->hold);
    tell_engine(sink);
    return 0;
}

static int enqueue(hoop_sink *sink, hoop_str bytes)
{
    int rc;
    /* Behind what other threads have written comes what the loop writes now. */
    if (hoop__hold_here(&sink->hold) &&
        !atomic_load_explicit(&sink->has_inbox, memory_order_acquire))
        return hoop__fifo_put(&sink->out, sink->allocator, bytes.data, bytes.len);
    pthread_mutex_lock(&sink->lock);
    rc = hoop__fifo_put(&sink->inbox, sink->allocator, bytes.data, bytes.len);
    if (!rc)
        atomic_store_explicit(&sink->has_inbox, 1, memory_order_release);
    pthread_mutex_unlock(&sink->lock);
    return rc;
}

int hoop_stream_write(hoop_sink *sink, hoop_str bytes)
{
    int rc = usable(sink);
    if (rc || (rc = sink->options.pull ? HOOP_EINVAL : 0) || !bytes.len)
        return rc;
    if (bytes.len > sink->options.max_bytes)
        return HOOP_ETOOBIG;
    uint64_t queued = atomic_fetch_add(&sink->queued, bytes.len) + bytes.len;
    rc = queued > sink->options.max_bytes ? HOOP_EBUSY : enqueue(sink, bytes);
    int waits = queued > sink->options.high_bytes;
    if (waits) /* in front of the call home, which looks at it */
        atomic_store(&sink->waiting, 1);
    if (rc) {
        atomic_fetch_sub(&sink->queued, bytes.len);
        hoop__hold_call(
            &sink->hold); /* what was counted for a moment may have hidden that all is sent */
        return rc;
    }
    rc = notify(sink);
    return rc ? rc : waits ? HOOP_WAIT : 0;
}

int hoop_stream_printf(hoop_sink *sink, const char *format, ...)
{
    char few[512];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(few, sizeof few, format, args);
    va_end(args);
    if (!sink || len < 0)
        return HOOP_EINVAL;
    if ((size_t)len < sizeof few)
        return hoop_stream_write(sink, hoop_str_n(few, (size_t)len));
    char *text = hoop__alloc(sink->allocator, (size_t)len + 1);
    if (!text)
        return HOOP_ENOMEM;
    va_start(args, format);
    vsnprintf(text, (size_t)len + 1, format, args);
    va_end(args);
    int rc = hoop_stream_write(sink, hoop_str_n(text, (size_t)len));
    hoop__free(sink->allocator, text);
    return rc;
}

int hoop_stream_ready(hoop_sink *sink)
{
    int rc = usable(sink);
    return rc ? rc : notify(sink);
}

/* --- the end --------------------------------------------------------------------------------- */

static int end_with(hoop_sink *sink, int code)
{
    int rc = usable(sink), none = 0;
    if (rc)
        return rc;
    if (!atomic_compare_exchange_strong(&sink->end_code, &none, code))
        return HOOP_EALREADY;
    return notify(sink);
}

int hoop_stream_end(hoop_sink *sink)
{
    return end_with(sink, HOOP_EOF);
}

int hoop_stream_fail(hoop_sink *sink, int code)
{
    /* These two have another meaning for who pulls. */
    return end_with(sink,
                    code < 0 && code != HOOP_EOF && code != HOOP_EAGAIN ? code : HOOP_ECANCELED);
}

/* Copies a field into one piece of memory, the name in lower case. */
static struct hoop__trailer *new_trailer(hoop_sink *sink, const char *name, const char *value)
{
    size_t name_len = strlen(name), value_len = strlen(value);
    struct hoop__trailer *t =
        hoop__alloc(sink->allocator, sizeof *t + name_len + 1 + value_len + 1);
    if (!t)
        return NULL;
    char *text = (char *)(t + 1);
    for (size_t i = 0; i <= name_len; i++)
        text[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] | 0x20 : name[i]);
    memcpy(text + name_len + 1, value, value_len + 1);
    t->next = NULL;
    t->field.name = hoop_str_n(text, name_len);
    t->field.value = hoop_str_n(text + name_len + 1, value_len);
    return t;
}

int hoop_stream_trailer(hoop_sink *sink, const char *name, const char *value)
{
    int rc = usable(sink);
    if (rc)
        return rc;
    if (!name || !value || !hoop__is_token(hoop_str_c(name)) ||
        !hoop__is_field_value(hoop_str_c(value)))
        return HOOP_EINVAL;
    struct hoop__trailer *t = new_trailer(sink, name, value);
    if (!t)
        return HOOP_ENOMEM;
    if (hoop__is_no_trailer(t->field.name)) {
        hoop__free(sink->allocator, t);
        return HOOP_EINVAL;
    }
    pthread_mutex_lock(&sink->lock);
    struct hoop__trailer **last = &sink->trailers;
    while (*last)
        last = &(*last)->next;
    int ended = atomic_load(&sink->end_code) != 0;
    if (!ended)
        *last = t;
    pthread_mutex_unlock(&sink->lock);
    if (ended)
        hoop__free(sink->allocator, t);
    return ended ? HOOP_EALREADY : 0;
}

/* --- references ------------------------------------------------------------------------------ */

uint64_t hoop_stream_queued(const hoop_sink *sink)
{
    return sink ? atomic_load(&sink->queued) : 0;
}

hoop_sink *hoop_stream_ref(hoop_sink *sink)
{
    if (!sink)
        return NULL;
    atomic_fetch_add_explicit(&sink->users, 1, memory_order_relaxed);
    hoop__hold_ref(&sink->hold);
    return sink;
}

void hoop_stream_unref(hoop_sink *sink)
{
    if (!sink)
        return;
    /* With `start` the loop's thread has it without a reference. */
    if (atomic_fetch_sub(&sink->users, 1) == 1 && !sink->options.start && !sink->options.pull)
        end_with(sink, HOOP_EDROPPED);
    hoop__hold_unref(&sink->hold);
}
