/** @file
 * Bodies that flow: responses that are made while they are sent, requests that are read as they come,
 * and one piped into the other. Nothing is ever held but what its bounds allow: who is too fast waits.
 */
#ifndef HOOP_STREAM_H
#define HOOP_STREAM_H

#include <hoop/arena.h>
#include <hoop/export.h>
#include <hoop/request.h>
#include <hoop/response.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/** All was taken, but go on only when told: by `drained` of a stream, by hoop_reader_resume(). */
#define HOOP_WAIT 1

/* --- responses ------------------------------------------------------------------------------- */

/** The handle of a response's stream. */
typedef struct hoop_sink hoop_sink;

/**
 * Asked for more whenever more can be sent: writes up to `cap` bytes to `buffer`. 0 with `*ret_len` above
 * 0: more may follow. HOOP_EOF: the end (`*ret_len` may still be above 0). HOOP_EAGAIN: nothing
 * now; hoop_stream_ready() will tell. Any other code: failed, the response breaks off. On the loop's thread.
 */
typedef int hoop_pull_fn(hoop_sink *sink, char *buffer, size_t cap, size_t *ret_len, void *data);

/** Told something about a stream; on the loop's thread. */
typedef void hoop_sink_fn(hoop_sink *sink, void *data);

/**
 * Told the end, exactly once: 0 (sent in full, or no body was to be sent, as with HEAD) or why not. The
 * sink is of no use any more. On the loop's thread; for a stream that could not be made, within
 * hoop_stream().
 */
typedef void hoop_finished_fn(int code, void *data);

/** How a response is streamed: by `pull`, or by hoop_stream_write() in whose case `pull` is NULL. */
typedef struct hoop_stream_options {
    hoop_pull_fn *pull;         /**< NULL: bytes are pushed */
    hoop_sink_fn *start;        /**< the head is on its way; not called if no body is to be sent */
    hoop_sink_fn *drained;      /**< HOOP_WAIT was said, and now there is room again */
    hoop_finished_fn *finished; /**< NULL: nobody */
    void *data;                 /**< for the functions */
    /**
     * NULL, or where the sink is stored at once, with one reference for the caller to end; NULL is stored
     * if the stream could not be made. Without it the sink comes by `start`, and lives until
     * `finished`.
     */
    hoop_sink **ret_sink;
    uint64_t length;     /**< bytes of the body, if known; 0: not known (chunked in HTTP/1.1) */
    uint64_t high_bytes; /**< above so many that are not sent writers wait; 0: 65536 */
    uint64_t low_bytes;  /**< from so many on they go on; 0: a quarter of high_bytes */
    uint64_t max_bytes;  /**< beyond so many nothing is taken; 0: 16 times high_bytes */
} hoop_stream_options;

/**
 * A response whose body is made while it is sent. `content_type` NULL: none. A length that is not
 * kept breaks the response off (too few bytes) or ends it (too many: `finished` gets HOOP_ETOOBIG).
 * NULL if it can't be made (noted), also for a request of hoop_app_request(). Also on another thread, with
 * a deferred's request. Source: h2o's generators, libmicrohttpd's content readers.
 */
HOOP_API const hoop_response *hoop_stream_sized(const hoop_request *req, int status,
                                                const char *content_type,
                                                const hoop_stream_options *options, size_t size);

/** hoop_stream(req, status, content_type, &(hoop_stream_options){ ... }) */
#define hoop_stream(req, status, content_type, ...) \
    hoop_stream_sized((req), (status), (content_type), (__VA_ARGS__), sizeof(hoop_stream_options))

/**
 * Sends bytes (copied), as soon as the loop can. 0: go on; HOOP_WAIT: taken, but wait for `drained`.
 * HOOP_EBUSY: nothing was taken, max_bytes would be passed; HOOP_ETOOBIG: they never fit; HOOP_ENOMEM;
 * HOOP_EALREADY: it was ended; HOOP_EGONE or another code: nobody reads any more; HOOP_EINVAL: NULL,
 * or the stream is pulled. Threads: any; the order is that of the calls of each thread.
 */
HOOP_API int hoop_stream_write(hoop_sink *sink, hoop_str bytes);

/** Writes formatted text; otherwise as hoop_stream_write(). */
HOOP_API int hoop_stream_printf(hoop_sink *sink, const char *format, ...) HOOP_PRINTF(2, 3);

/** `pull` is to be asked again, after HOOP_EAGAIN. 0 or a code as of hoop_stream_write(). Threads: any. */
HOOP_API int hoop_stream_ready(hoop_sink *sink);

/** What was written is all. 0 or a code as of hoop_stream_write(). Threads: any. */
HOOP_API int hoop_stream_end(hoop_sink *sink);

/**
 * Breaks the response off, so that the client notices; what was not sent yet is dropped. `code`
 * (negative; else HOOP_ECANCELED) is what `finished` gets. 0 or a code as of hoop_stream_write().
 * Threads: any.
 */
HOOP_API int hoop_stream_fail(hoop_sink *sink, int code);

/**
 * Adds a trailer field, sent behind the body where the protocol can (HTTP/1.1 chunked; AJP, HTTP/1.0 and
 * bodies of known length drop it). Before the end. HOOP_EINVAL: not a field, or one that must not be a
 * trailer. Threads: any. Source: RFC 9110 6.5.
 */
HOOP_API int hoop_stream_trailer(hoop_sink *sink, const char *name, const char *value);

/** Bytes that were written and not sent yet; 0 for NULL. Threads: any. */
HOOP_API uint64_t hoop_stream_queued(const hoop_sink *sink);

/** One reference more, for another thread or beyond `finished`. Returns `sink`. Threads: any. */
HOOP_API hoop_sink *hoop_stream_ref(hoop_sink *sink);

/**
 * Ends a reference. If it was the last of a stream that has no `start`, and the stream was not ended,
 * it breaks off with HOOP_EDROPPED. Threads: any.
 */
HOOP_API void hoop_stream_unref(hoop_sink *sink);

/* --- requests -------------------------------------------------------------------------------- */

/** The handle of a request's stream. */
typedef struct hoop_reader hoop_reader;

/**
 * Gets a part of the body; `bytes` (no NUL behind) and what is allocated in `scratch` are gone when it
 * returns. 0: go on. HOOP_WAIT: pause, as by hoop_reader_pause(). A negative code: stop, `end`
 * gets it. On the loop's thread.
 */
typedef int hoop_chunk_fn(hoop_reader *reader, hoop_str bytes, hoop_arena *scratch, void *data);

/**
 * Called exactly once: 0: the whole body came, hoop_trailer() has the trailers. HOOP_ETOOBIG: over the
 * limit; HOOP_EGONE: the client left; HOOP_ETIMEDOUT: it was too slow; HOOP_ECANCELED: the exchange
 * ended before; or the code that stopped it. Returns the response, which may be pending; it is
 * dropped if the client is gone or another one was sent. NULL answers by the code's status
 * (hoop_failure_status()). On the loop's thread.
 */
typedef const hoop_response *hoop_read_end_fn(const hoop_request *req, int code, void *data);

/** How a request's body is read as it comes. */
typedef struct hoop_read_options {
    hoop_chunk_fn *chunk;  /**< NULL: the bytes are dropped */
    hoop_read_end_fn *end; /**< NULL: 204, or the code's status */
    void *data;            /**< for the functions */
    uint64_t limit;        /**< bytes; 0: max_body of hoop_limits or the route's, HOOP_OFF: none */
    hoop_reader *
        *ret_reader; /**< NULL, or where the reader is stored, which lives until `end`; NULL
                                   is stored if there is nothing to read, or it could not be made */
} hoop_read_options;

/**
 * Reads the body chunk by chunk, in a streaming handler (hoop_streaming(), HOOP_REQUEST_STREAM), and
 * returns the pending response that `end` will give. While it is paused nothing is read beyond
 * max_read_ahead of hoop_limits, so that the client is held up. A body that was read whole before comes in
 * one chunk. One stream per request; hoop_read_body() and it exclude each other otherwise. `end` is
 * called also if it can't begin. On the loop's thread.
 */
HOOP_API const hoop_response *hoop_read_stream_sized(const hoop_request *req,
                                                     const hoop_read_options *options, size_t size);

/** hoop_read_stream(req, &(hoop_read_options){ ... }) */
#define hoop_read_stream(req, ...) \
    hoop_read_stream_sized((req), (__VA_ARGS__), sizeof(hoop_read_options))

/**
 * No more chunks until hoop_reader_resume(), and no end but a failure's. Pauses are counted, and a resume
 * that comes first counts, too, so that a thread may resume before its chunk function has returned
 * HOOP_WAIT. From another thread a chunk may still be on its way. 0; HOOP_EALREADY: it has ended (told on
 * the loop's thread alone); HOOP_ECANCELED: the loop has closed; HOOP_EINVAL: NULL. Threads: any.
 */
HOOP_API int hoop_reader_pause(hoop_reader *reader);

/** Ends one pause. Never calls back within. Codes as of hoop_reader_pause(). Threads: any. */
HOOP_API int hoop_reader_resume(hoop_reader *reader);

/**
 * Stops reading: `end` is called with `code` (negative; else HOOP_ECANCELED), soon, and gives the answer,
 * though the client is not done sending. Codes as of hoop_reader_pause(). Threads: any.
 */
HOOP_API int hoop_reader_stop(hoop_reader *reader, int code);

/** Bytes that have come so far. Threads: any. */
HOOP_API uint64_t hoop_reader_received(const hoop_reader *reader);

/** The request given to hoop_read_stream(). NULL for NULL. Its values may be read by any thread. */
HOOP_API const hoop_request *hoop_reader_request(const hoop_reader *reader);

/** One reference more, for another thread or beyond `end`. Returns `reader`. Threads: any. */
HOOP_API hoop_reader *hoop_reader_ref(hoop_reader *reader);

/** Ends a reference. Threads: any. */
HOOP_API void hoop_reader_unref(hoop_reader *reader);

/* --- pipes ----------------------------------------------------------------------------------- */

/** How a request's body flows into the response. */
typedef struct hoop_pipe_options {
    uint64_t window;            /**< bytes held at most; 0: 65536 */
    uint64_t limit;             /**< as in hoop_read_options */
    hoop_finished_fn *finished; /**< as in hoop_stream_options */
    void *data;                 /**< for the functions */
} hoop_pipe_options;

/**
 * A response whose body is the request's, as it comes: the client is read only as fast as it reads.
 * Trailers go along. The length is told if the request tells it. Over the limit: 413 if that is known at
 * once, else the response breaks off. `options` NULL: all defaults. NULL if it can't be made
 * (noted). In a streaming handler, on the loop's thread.
 */
HOOP_API const hoop_response *hoop_pipe_sized(const hoop_request *req, int status,
                                              const char *content_type,
                                              const hoop_pipe_options *options, size_t size);

/** hoop_pipe(req, status, content_type, NULL or &(hoop_pipe_options){ ... }) */
#define hoop_pipe(req, status, content_type, ...) \
    hoop_pipe_sized((req), (status), (content_type), (__VA_ARGS__), sizeof(hoop_pipe_options))

HOOP_END_DECLS

#endif
