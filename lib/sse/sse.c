/* A response that sends events: a stream with a heartbeat. */
#include "sse/sse.h"

#include "value/pending.h"

#include <string.h>

#define HEARTBEAT_MS 15000u

/* Lies in the arena of the request. The timer and what it needs are the loop's thread's. */
struct hoop_events {
    struct hoop__timer timer; /* first */
    hoop_sink *sink;
    struct hoop_loop *loop;
    const hoop_allocator *allocator;
    hoop_sse_options options;
    atomic_int quiet; /* nothing was sent since the timer was set */
    int started;
};

/* --- the heartbeat --------------------------------------------------------------------------- */

static void set_timer(struct hoop_events *events)
{
    uint64_t now = events->loop->now;
    if (events->options.heartbeat_ms == HOOP_OFF)
        return;
    atomic_store_explicit(&events->quiet, 1, memory_order_relaxed);
    hoop__loop_timer(events->loop, &events->timer, now + events->options.heartbeat_ms);
}

static void beat(struct hoop__timer *timer)
{
    struct hoop_events *events = (struct hoop_events *)(void *)timer; /* its first member */
    /* What waits to be sent would only wait longer. */
    if (atomic_load_explicit(&events->quiet, memory_order_relaxed) &&
        !hoop_stream_queued(events->sink))
        hoop_stream_write(events->sink, hoop_str_n(":\n\n", 3));
    set_timer(events);
}

/* --- the stream ------------------------------------------------------------------------------ */

static void start(hoop_sink *sink, void *data)
{
    struct hoop_events *events = data;
    /* Who was given the events may already send from another thread, and reads this. */
    if (!events->sink)
        events->sink = sink;
    events->started = 1;
    set_timer(events);
    if (events->options.retry_ms) {
        const hoop_event retry = { .retry_ms = events->options.retry_ms };
        hoop_sse_send(events, &retry);
    }
    if (events->options.start)
        events->options.start(events, events->options.data);
}

static void drained(hoop_sink *sink, void *data)
{
    struct hoop_events *events = data;
    (void)sink;
    if (events->options.drained)
        events->options.drained(events, events->options.data);
}

static void finished(int code, void *data)
{
    struct hoop_events *events = data;
    if (hoop__timer_is_set(&events->timer))
        hoop__timer_clear(&events->loop->timers, &events->timer);
    if (events->options.closed)
        events->options.closed(code, events->options.data);
}

static struct hoop_events *new_events(const hoop_request *req, const hoop_sse_options *options)
{
    struct hoop_events *events = hoop_alloc(req, sizeof *events);
    if (!events)
        return NULL;
    memset(events, 0, sizeof *events);
    events->timer.fire = beat;
    events->loop = hoop__exchange_of(req)->loop;
    events->allocator = req->arena->allocator;
    events->options = *options;
    if (!options->heartbeat_ms)
        events->options.heartbeat_ms = HEARTBEAT_MS;
    return events;
}

/* The server ends: the page comes again to who serves it then. */
static void end_with_server(void *data)
{
    struct hoop_events *events = data;
    if (events->started)
        hoop_sse_close(events);
}

static const hoop_response *with_headers(const hoop_request *req, const hoop_response *res)
{
    res = hoop_add_header(req, res, "Cache-Control", "no-cache");
    return hoop_add_header(req, res, "X-Accel-Buffering", "no");
}

/* Nothing will be sent: who waits for the end is told. */
static const hoop_response *refuse(const hoop_sse_options *options, int code)
{
    if (options->closed)
        options->closed(code, options->data);
    return NULL;
}

const hoop_response *hoop_sse_sized(const hoop_request *req, const hoop_sse_options *options,
                                    size_t size)
{
    hoop_sse_options own;
    memset(&own, 0, sizeof own);
    if (options)
        memcpy(&own, options, size < sizeof own ? size : sizeof own);
    if (own.ret_events)
        *own.ret_events = NULL;
    if (!req || !hoop__exchange_of(req)) {
        hoop_fail(req, HOOP_EINVAL, "a stream of events can't be a constant response");
        return refuse(&own, HOOP_EINVAL);
    }
    if (!hoop__on_loop(req)) {
        hoop_fail(req, HOOP_ETHREAD, "a stream of events is made on the loop's thread");
        return refuse(&own, HOOP_ETHREAD);
    }
    struct hoop_events *events = new_events(req, &own);
    if (!events || hoop_on_drain(req, end_with_server, events)) {
        hoop__fail_memory(req);
        return refuse(&own, HOOP_ENOMEM);
    }
    const hoop_response *res =
        hoop_stream(req, 200, "text/event-stream",
                    &(hoop_stream_options){ .start = start,
                                            .drained = drained,
                                            .finished = finished,
                                            .data = events,
                                            .ret_sink = own.ret_events ? &events->sink : NULL,
                                            .high_bytes = own.high_bytes,
                                            .max_bytes = own.max_bytes });
    if (res && own.ret_events)
        *own.ret_events = events;
    return with_headers(req, res);
}

/* --- sending --------------------------------------------------------------------------------- */

int hoop__events_write(hoop_events *events, hoop_str text)
{
    if (!events)
        return HOOP_EINVAL;
    atomic_store_explicit(&events->quiet, 0, memory_order_relaxed);
    return hoop_stream_write(events->sink, text);
}

void hoop__events_fail(hoop_events *events, int code)
{
    hoop_stream_fail(events->sink, code);
}

int hoop_sse_send_sized(hoop_events *events, const hoop_event *event, size_t size)
{
    char *text;
    size_t len;
    if (!events || !event)
        return HOOP_EINVAL;
    const hoop_event own = hoop__event_of(event, size);
    int rc = hoop__event_text(events->allocator, &own, 0, &text, &len);
    if (rc)
        return rc;
    rc = hoop__events_write(events, hoop_str_n(text, len));
    hoop__free(events->allocator, text);
    return rc;
}

int hoop_sse_comment(hoop_events *events, const char *text)
{
    if (!events || !text || text[strcspn(text, "\r\n")])
        return HOOP_EINVAL;
    atomic_store_explicit(&events->quiet, 0, memory_order_relaxed);
    return hoop_stream_printf(events->sink, ": %s\n\n", text);
}

int hoop_sse_close(hoop_events *events)
{
    return events ? hoop_stream_end(events->sink) : HOOP_EINVAL;
}

hoop_events *hoop_sse_ref(hoop_events *events)
{
    if (events)
        hoop_stream_ref(events->sink);
    return events;
}

void hoop_sse_unref(hoop_events *events)
{
    if (events)
        hoop_stream_unref(events->sink);
}

hoop_str hoop_last_event_id(const hoop_request *req)
{
    return hoop_header(req, "last-event-id");
}
