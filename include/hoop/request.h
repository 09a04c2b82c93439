/** @file
 * The request value: what was asked, read-only, and what middleware adds to it.
 */
#ifndef HOOP_REQUEST_H
#define HOOP_REQUEST_H

#include <hoop/arena.h>
#include <hoop/export.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/** One header line: a name and its value. */
typedef struct hoop_field {
    hoop_str name;  /**< in requests lower case; in responses as it was given */
    hoop_str value; /**< without the blanks around it */
} hoop_field;

/* The well-known methods of `method_number`. */
#define HOOP_METHOD_OTHER   0u /**< any other method */
#define HOOP_METHOD_GET     1u /**< GET */
#define HOOP_METHOD_HEAD    2u /**< HEAD */
#define HOOP_METHOD_POST    3u /**< POST */
#define HOOP_METHOD_PUT     4u /**< PUT */
#define HOOP_METHOD_DELETE  5u /**< DELETE */
#define HOOP_METHOD_OPTIONS 6u /**< OPTIONS */
#define HOOP_METHOD_PATCH   7u /**< PATCH */
#define HOOP_METHOD_TRACE   8u /**< TRACE */
#define HOOP_METHOD_CONNECT 9u /**< CONNECT */

/**
 * A request: an immutable value. Only the library makes one, and it is never copied by value (more
 * lies behind it than shows). Everything lives as long as the exchange: until its last byte is
 * written, or its last deferred has ended, whichever is later. Source: Ring's SPEC, request map.
 */
typedef struct hoop_request {
    hoop_arena *arena; /**< where handlers allocate for this exchange */
    hoop_str method;   /**< as received: "GET" */
    hoop_str scheme;   /**< "http" or "https" */
    hoop_str protocol; /**< "HTTP/1.1" */
    hoop_str uri;      /**< the path, as received, percent-encoded; begins with '/', or is "*" */
    hoop_str query_string; /**< behind the first '?'; absent if there was none, "" if last */
    const hoop_field
        *headers;           /**< in the order received, names in lower case, repeated ones stay */
    size_t header_count;    /**< how many */
    uint32_t method_number; /**< one of HOOP_METHOD_* */
    uint32_t reserved;      /**< zero */
} hoop_request;

/** The value of the first header named `name` (any case); absent if there is none. Threads: any. */
HOOP_API hoop_str hoop_header(const hoop_request *req, const char *name);

/** The value of the `index`-th header named `name`, from 0; absent behind the last. Threads: any. */
HOOP_API hoop_str hoop_header_at(const hoop_request *req, const char *name, size_t index);

/**
 * All values of the headers named `name`, joined by ", " (by "; " for cookie), as Ring gives them.
 * A single one is returned as it is. Absent if there is none, or out of memory (noted).
 */
HOOP_API hoop_str hoop_header_joined(const hoop_request *req, const char *name);

/**
 * The peer's address as text ("127.0.0.1", "::1", the empty string on a Unix socket), without the
 * port; behind HOOP_FORWARDED() the client's. Absent if unknown, or out of memory (noted).
 */
HOOP_API hoop_str hoop_remote_addr(const hoop_request *req);

/** The peer's port, or, behind HOOP_FORWARDED(), the client's; 0 if unknown. */
HOOP_API uint32_t hoop_remote_port(const hoop_request *req);

/**
 * The host that the request names (absolute-form target, else Host), without the port, else the
 * local address. Brackets around IPv6 addresses stay. Absent if unknown, or out of memory (noted).
 */
HOOP_API hoop_str hoop_server_name(const hoop_request *req);

/** The port that the Host header names, else the scheme's (80, 443); without Host the local one. */
HOOP_API uint32_t hoop_server_port(const hoop_request *req);

/** The client's certificate in PEM, absent if there is none. */
HOOP_API hoop_str hoop_client_cert(const hoop_request *req);

/** scheme "://" host uri ["?" query]: the full URL. Absent if out of memory. */
HOOP_API hoop_str hoop_request_url(const hoop_request *req);

/**
 * The media type of the body: the text of Content-Type in front of the first ';', trimmed, as
 * received. Absent without the header.
 */
HOOP_API hoop_str hoop_request_content_type(const hoop_request *req);

/** The charset parameter of Content-Type, unquoted; absent if there is none. */
HOOP_API hoop_str hoop_request_charset(const hoop_request *req);

/**
 * The announced length of the body in bytes; UINT64_MAX if none was announced, which is also so for
 * most requests without a body (hoop_has_body() tells).
 */
HOOP_API uint64_t hoop_request_content_length(const hoop_request *req);

/**
 * A new request that is `req` and carries `value` under `key`, too; `req` stays as it was.
 * Keys are addresses: `static const char key;` and `&key`. A later value hides an earlier one.
 * The value is borrowed: it must live as long as the exchange. NULL if out of memory (noted).
 */
HOOP_API const hoop_request *hoop_assoc(const hoop_request *req, const void *key,
                                        const void *value);

/** The value under `key`, NULL if there is none. Threads: any that may read the request. */
HOOP_API void *hoop_get(const hoop_request *req, const void *key);

/** A new request with another path and query string; for mounts and rewrites. NULL: noted. */
HOOP_API const hoop_request *hoop_with_uri(const hoop_request *req, const char *uri,
                                           const char *query_string);

/**
 * A new request with the header set to `value` (all of that name replaced), or without it if `value`
 * is NULL. NULL if the name or value may not stand in a message, or out of memory (noted).
 */
HOOP_API const hoop_request *hoop_with_request_header(const hoop_request *req, const char *name,
                                                      const char *value);

/** A new request with another method. NULL if `method` is no token, or out of memory (noted). */
HOOP_API const hoop_request *hoop_with_method(const hoop_request *req, const char *method);

/** `size` bytes from the exchange's arena, aligned for any type. NULL if out of memory (noted). */
HOOP_API void *hoop_alloc(const hoop_request *req, size_t size);

/** A copy of a C string in the exchange's arena. NULL if out of memory (noted). */
HOOP_API char *hoop_strdup(const hoop_request *req, const char *text);

/** printf into the exchange's arena. NULL if out of memory (noted). */
HOOP_API char *hoop_printf(const hoop_request *req, const char *format, ...) HOOP_PRINTF(2, 3);

/**
 * Nonzero if two requests are the same value: method, scheme, protocol, uri, query string, headers
 * in order, the peer's address and port, and the body if it was read (an empty one equals none).
 * Attributes and arenas do not count.
 */
HOOP_API int hoop_request_equal(const hoop_request *a, const hoop_request *b);

/** What hoop_on_done() tells of an exchange that has ended. */
typedef struct hoop_done {
    uint64_t started_ms; /**< the loop's clock (hoop_loop_now) when the request was dispatched */
    uint64_t ended_ms;   /**< the same clock when the last byte was sent, or it was given up */
    uint64_t body_in;    /**< bytes of the request body received */
    uint64_t body_out;   /**< bytes of the response body handed to the transport */
    int32_t status;      /**< of the response that was begun, 0 if none */
    int32_t code;        /**< 0: sent in full; else why not (HOOP_EGONE, HOOP_ETIMEDOUT ...) */
} hoop_done;

/** Sees the end of an exchange. `done` is borrowed for the call. It may not allocate or answer. */
typedef void hoop_done_fn(const hoop_done *done, void *data);

/**
 * Has `fn` run exactly once when the exchange ends, however it ends, on the loop's thread, before
 * the arena goes. Several run last in, first out. 0, HOOP_ENOMEM, or HOOP_ETHREAD; on failure it
 * will not run.
 */
HOOP_API int hoop_on_done(const hoop_request *req, hoop_done_fn *fn, void *data);

/** A callback with nothing but its data. */
typedef void hoop_task_fn(void *data);

/**
 * Has `fn` run once if the client leaves while no response is complete, or if the exchange is
 * cancelled by a deadline or a stop; at once if that has happened already. On the loop's thread.
 * A response that is resolved all the same is written if the connection still takes it.
 * 0, HOOP_ENOMEM, or HOOP_ETHREAD.
 */
HOOP_API int hoop_on_cancel(const hoop_request *req, hoop_task_fn *fn, void *data);

/**
 * Has `fn` run once if the server begins to drain (hoop_server_drain(), hoop_serve() at a signal) while
 * this exchange runs; at once if it has. A response that would go on for ever ends itself then; what
 * goes on is waited for, until the drain's deadline. On the loop's thread. 0, HOOP_ENOMEM, or HOOP_ETHREAD.
 */
HOOP_API int hoop_on_drain(const hoop_request *req, hoop_task_fn *fn, void *data);

/**
 * Has `fn` run once after `ms` milliseconds on the loop's thread, unless the exchange has ended by
 * then. If the loop closes while the exchange is still open (a deferred is), `fn` runs at once, so
 * that it can give back what it holds.
 * 0, HOOP_ENOMEM, or HOOP_ETHREAD.
 */
HOOP_API int hoop_run_after(const hoop_request *req, uint64_t ms, hoop_task_fn *fn, void *data);

HOOP_END_DECLS

#endif
