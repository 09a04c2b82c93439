/** @file
 * The handler: a function from a request to a response, with its data, as a value of two words.
 */
#ifndef HOOP_HANDLER_H
#define HOOP_HANDLER_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/request.h>
#include <hoop/response.h>

HOOP_BEGIN_DECLS

/**
 * Answers a request: with a response that is there or pending, with hoop_pass(), or with NULL for a
 * failure (hoop_fail()). Runs on the loop's thread and must not block. Frozen signature.
 */
typedef const hoop_response *hoop_handler_fn(const hoop_request *req, void *data);

/** A handler. Frozen: this struct never changes. Pass it by value; hoop_fn() makes one. */
typedef struct hoop_handler {
    hoop_handler_fn *fn; /**< NULL: no handler; hoop_check() and hoop_call() refuse it */
    void *data;          /**< handed to fn */
} hoop_handler;

/** A handler of a function and its data. `data` must outlive the handler's use. */
static inline hoop_handler hoop_fn(hoop_handler_fn *fn, void *data)
{
    hoop_handler handler;
    handler.fn = fn;
    handler.data = data;
    return handler;
}

/**
 * Asks a handler. Middleware calls it for the next one, with the request it was given or one derived
 * of it. In front of a plain function (a leaf) whose request has a body still to come, the body is
 * read first, up to hoop_limits.max_body: the response is pending meanwhile. NULL for a NULL request.
 */
HOOP_API const hoop_response *hoop_call(hoop_handler handler, const hoop_request *req);

/**
 * The same handler, but called at the head, with the body still to come; for handlers that choose
 * another handler, refuse by headers alone, or read the body themselves. Made in `arena`, which
 * outlives it. On failure a handler that hoop_check() refuses.
 */
HOOP_API hoop_handler hoop_streaming(hoop_arena *arena, hoop_handler handler);

/**
 * The leaf `handler`, run on the server's bounded pool of threads with the body read first. There it
 * may block; it may use its request to read, to allocate and to make responses (hoop_text() and the
 * other constructors, hoop_with_header() and kin, hoop_fail(), hoop_body()), but may not defer, read
 * bodies, or register callbacks. A full queue answers 503. Only leaves can be wrapped. Made in
 * `arena`, which outlives it. On failure a handler that hoop_check() refuses.
 */
HOOP_API hoop_handler hoop_blocking(hoop_arena *arena, hoop_handler handler);

/**
 * Checks a root handler: nothing missing (every need of a middleware met), nothing empty, nothing
 * broken at building. 0, or a code and a text that names route and middleware. Servers call it.
 */
HOOP_API int hoop_check(hoop_handler handler, hoop_error *error);

HOOP_END_DECLS

#endif
