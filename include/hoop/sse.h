/** @file
 * Server-sent events: a response that tells a page what happens, and a hub that tells thousands of them.
 */
#ifndef HOOP_SSE_H
#define HOOP_SSE_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/stream.h>

HOOP_BEGIN_DECLS

/** The handle of a response that sends events. */
typedef struct hoop_events hoop_events;

/** Something that happened. Zero means that a field is left out. */
typedef struct hoop_event {
    const char *event; /**< its type; NULL: "message", as pages take it */
    const char *id; /**< what the page tells when it comes again (Last-Event-ID); "" forgets it */
    hoop_str data;  /**< its text, UTF-8, of any number of lines; without it pages see no event */
    uint64_t retry_ms; /**< how long the page waits before it comes again */
} hoop_event;

/** Told something about a stream of events; on the loop's thread. */
typedef void hoop_events_fn(hoop_events *events, void *data);

/** How events are sent. Zero means the default given here. */
typedef struct hoop_sse_options {
    hoop_events_fn *start;    /**< the page listens; not called if no body is to be sent (HEAD) */
    hoop_events_fn *drained;  /**< HOOP_WAIT was said, and now there is room again */
    hoop_finished_fn *closed; /**< the client is gone, or the stream was ended: exactly once */
    void *data;               /**< for the functions */
    hoop_events *
        *ret_events; /**< NULL, or where the handle is stored; as hoop_stream_options.ret_sink */
    uint64_t
        heartbeat_ms; /**< a comment goes out when nothing was sent for so long: 15,000; HOOP_OFF: none */
    uint64_t
        retry_ms; /**< told first: how long the page waits before it comes again; 0: not told */
    uint64_t high_bytes; /**< as in hoop_stream_options */
    uint64_t max_bytes;  /**< likewise */
} hoop_sse_options;

/**
 * A response that sends events: 200, text/event-stream, not to be cached, nor held back by nginx
 * (X-Accel-Buffering). It goes on until hoop_sse_close(), until the server drains, or until the client leaves,
 * which is noticed though nothing is sent. On the loop's thread. NULL: noted; `closed` has run then. Source: WHATWG
 * HTML 9.2.
 */
HOOP_API const hoop_response *hoop_sse_sized(const hoop_request *req,
                                             const hoop_sse_options *options, size_t size);

/** hoop_sse(req, &(hoop_sse_options){ ... }) */
#define hoop_sse(req, ...) hoop_sse_sized((req), (__VA_ARGS__), sizeof(hoop_sse_options))

/** Sends an event; see hoop_sse_send(). */
HOOP_API int hoop_sse_send_sized(hoop_events *events, const hoop_event *event, size_t size);

/**
 * Sends an event (copied) at once: `hoop_sse_send(events, &(hoop_event){ .data = hoop_str_c("x") })`. 0, HOOP_WAIT,
 * or a code as of hoop_stream_write(); HOOP_EINVAL also for a line end in `event` or `id`. Threads: any.
 */
#define hoop_sse_send(events, ...) hoop_sse_send_sized((events), (__VA_ARGS__), sizeof(hoop_event))

/** Sends a comment, which pages don't see. Codes as of hoop_sse_send(). Threads: any. */
HOOP_API int hoop_sse_comment(hoop_events *events, const char *text);

/** Ends the response; the page will come again. Codes as of hoop_stream_end(). Threads: any. */
HOOP_API int hoop_sse_close(hoop_events *events);

/** One reference more, as hoop_stream_ref(). Returns `events`. Threads: any. */
HOOP_API hoop_events *hoop_sse_ref(hoop_events *events);

/** Ends a reference, as hoop_stream_unref(). Threads: any. */
HOOP_API void hoop_sse_unref(hoop_events *events);

/** The id of the last event that the page has seen (Last-Event-ID); absent if it comes for the first time. */
HOOP_API hoop_str hoop_last_event_id(const hoop_request *req);

/* --- many listeners -------------------------------------------------------------------------- */

/** A place where events are published for all who listen, on all loops. */
typedef struct hoop_hub hoop_hub;

/** A listener that is too slow misses events, and goes on with newer ones. */
#define HOOP_HUB_DROP 0u
/** A listener that is too slow is disconnected; it comes again, and gets what the history has. */
#define HOOP_HUB_DISCONNECT 1u

/** How a hub works. Zero means the default given here. */
typedef struct hoop_hub_options {
    const hoop_allocator *allocator; /**< NULL: malloc */
    uint64_t max_listeners;          /**< at once: 100,000; then 503 */
    uint64_t max_bytes;    /**< that a listener may have before it: 262,144; then it is too slow */
    uint64_t max_pending;  /**< events on their way to a loop: 4,096; then HOOP_EBUSY */
    uint64_t history;      /**< events kept for those who come again: none */
    uint64_t heartbeat_ms; /**< as in hoop_sse_options */
    uint64_t retry_ms;     /**< likewise */
    uint32_t slow;         /**< HOOP_HUB_DROP or HOOP_HUB_DISCONNECT */
    uint32_t reserved;     /**< zero */
} hoop_hub_options;

/** Makes a hub; see hoop_hub_new(). */
HOOP_API int hoop_hub_new_sized(hoop_hub **ret_hub, hoop_error *error,
                                const hoop_hub_options *options, size_t size);

/**
 * Makes a hub: `hoop_hub_new(&hub, &error, NULL)`, `hoop_hub_new(&hub, &error, &(hoop_hub_options){ ... })`. 0, or a
 * negative code. Threads: any.
 */
#define hoop_hub_new(ret_hub, error, ...) \
    hoop_hub_new_sized((ret_hub), (error), (__VA_ARGS__), sizeof(hoop_hub_options))

/**
 * A response that sends all that is published from now on, in front of it what the history has behind
 * Last-Event-ID (all of it, if that is older than the history). What is more than max_bytes of it
 * comes when the page does again, or is missed, as `slow` says. On the loop's thread. NULL (noted, 503) if
 * max_listeners listen.
 */
HOOP_API const hoop_response *hoop_hub_join(hoop_hub *hub, const hoop_request *req);

/** Publishes an event; see hoop_hub_publish(). */
HOOP_API int hoop_hub_publish_sized(hoop_hub *hub, const hoop_event *event, size_t size);

/**
 * Sends an event (copied) to all who listen; each gets all events in the same order. Its id is its number in this
 * hub, from 1 on: an id of the event's own is refused, since Last-Event-ID has to be a number here. 0; HOOP_EBUSY
 * if a loop has max_pending before it, HOOP_ETOOBIG if its text is over max_bytes (nothing is sent then), HOOP_EINVAL,
 * HOOP_ENOMEM. Threads: any.
 */
#define hoop_hub_publish(hub, ...) hoop_hub_publish_sized((hub), (__VA_ARGS__), sizeof(hoop_event))

/** How many listen. Threads: any. */
HOOP_API uint64_t hoop_hub_listeners(hoop_hub *hub);

/** How many times an event was not given to a listener who was too slow. Threads: any. */
HOOP_API uint64_t hoop_hub_dropped(hoop_hub *hub);

/**
 * Ends all its responses. The hub is of no use to the caller any more; its memory goes with the last
 * listener. NULL is allowed. Threads: any, but nobody else may be using it.
 */
HOOP_API void hoop_hub_free(hoop_hub *hub);

HOOP_END_DECLS

#endif
