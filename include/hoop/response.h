/** @file
 * The response value and its constructors: the vocabulary of handlers.
 */
#ifndef HOOP_RESPONSE_H
#define HOOP_RESPONSE_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/request.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/** What kind of body a response has. Kinds may be added: treat an unknown one as a stream. */
#define HOOP_BODY_NONE   0u /**< no body; a length of 0 where the status may have one */
#define HOOP_BODY_BYTES  1u /**< `body` holds it */
#define HOOP_BODY_STREAM 2u /**< it is produced while it is sent */

/**
 * A response: an immutable value. Only the library makes one. To change one, make another
 * (hoop_with_header(), hoop_with_status()). It lives in `arena`, the exchange's or an
 * application's; a server sends only those of the exchange at hand and of applications.
 * Source: Ring's SPEC, response map.
 */
typedef struct hoop_response {
    hoop_arena *arena;         /**< where it lives */
    const hoop_field *headers; /**< in order; names as they were given */
    size_t header_count;       /**< how many */
    hoop_str body;             /**< the bytes, if body_kind is HOOP_BODY_BYTES */
    int32_t status;            /**< 100 to 599; 0 while it is pending */
    uint32_t body_kind;        /**< one of HOOP_BODY_* */
} hoop_response;

/** A response without body. NULL (noted) if `status` is not 200 to 599. */
HOOP_API const hoop_response *hoop_respond(const hoop_request *req, int status);

/** text/plain in UTF-8; the text is copied. NULL: noted. */
HOOP_API const hoop_response *hoop_text(const hoop_request *req, int status, const char *text);

/** The same, borrowing a text that lives for ever. */
HOOP_API const hoop_response *hoop_text_static(const hoop_request *req, int status,
                                               const char *text);

/** text/plain in UTF-8, formatted as by printf. NULL: noted. */
HOOP_API const hoop_response *hoop_textf(const hoop_request *req, int status, const char *format,
                                         ...) HOOP_PRINTF(3, 4);

/** text/html in UTF-8; the text is copied. NULL: noted. */
HOOP_API const hoop_response *hoop_html(const hoop_request *req, int status, const char *html);

/**
 * Bytes of the media type `content_type` (NULL: no Content-Type), copied. NULL (noted) if the type
 * may not stand in a header.
 */
HOOP_API const hoop_response *hoop_bytes(const hoop_request *req, int status,
                                         const char *content_type, hoop_str bytes);

/** The same, borrowing the bytes, which must live as long as the response. */
HOOP_API const hoop_response *hoop_bytes_static(const hoop_request *req, int status,
                                                const char *content_type, hoop_str bytes);

/**
 * The same, taking the bytes over: `fn(data)` is run when the arena ends, also on failure.
 */
HOOP_API const hoop_response *hoop_bytes_take(const hoop_request *req, int status,
                                              const char *content_type, hoop_str bytes,
                                              hoop_dispose_fn *fn, void *data);

/**
 * A redirect to `location` (301, 302, 303, 307 or 308). The location is sent as given: never build
 * it of unchecked input. NULL: noted.
 */
HOOP_API const hoop_response *hoop_redirect(const hoop_request *req, int status,
                                            const char *location);

/**
 * application/problem+json (RFC 9457) with title (the status' reason phrase), status and `detail`
 * (NULL: none; what is no UTF-8 in it becomes U+FFFD). NULL: noted.
 */
HOOP_API const hoop_response *hoop_problem(const hoop_request *req, int status, const char *detail);

/** hoop_problem() with a printf-formatted detail. */
HOOP_API const hoop_response *hoop_problemf(const hoop_request *req, int status, const char *format,
                                            ...) HOOP_PRINTF(3, 4);

/**
 * "Not mine": the router goes on to the next candidate; at the end the answer is 404. The value is a
 * constant that passes through all middleware untouched. NULL for NULL.
 */
HOOP_API const hoop_response *hoop_pass(const hoop_request *req);

/** Nonzero if `res` is what hoop_pass() gives. Threads: any. */
HOOP_API int hoop_is_pass(const hoop_response *res);

/** Nonzero if `res` is deferred and not there yet; its status and headers are not known. */
HOOP_API int hoop_is_pending(const hoop_response *res);

/**
 * Notes why a response could not be made, and returns NULL, so that a handler ends with
 * `return hoop_fail(req, HOOP_EMISSING, "no row %d", id)`. The first note stays. The answer is 500,
 * but 503 for HOOP_ENOMEM, HOOP_EBUSY, HOOP_ETIMEDOUT and HOOP_ECANCELED, and 413 for HOOP_ETOOBIG;
 * the log line has the text, the client never sees it.
 */
HOOP_API const hoop_response *hoop_fail(const hoop_request *req, int code, const char *format, ...)
    HOOP_PRINTF(3, 4);

/** What hoop_fail() noted first in this exchange, NULL if nothing. Lives as long as the exchange. */
HOOP_API const hoop_error *hoop_failure(const hoop_request *req);

/** The status that answers for a failure of this code (500, 503 or 413). Threads: any. */
HOOP_API int hoop_failure_status(int code);

/** The value of the first header named `name` (any case); absent if there is none. Threads: any. */
HOOP_API hoop_str hoop_response_header(const hoop_response *res, const char *name);

/**
 * The response with the header set to `value`: all of that name replaced, or removed if `value` is
 * NULL. On a pending response it takes effect when it comes; NULL and pass go through. NULL (noted) if
 * the name is no token, the value has CR, LF, NUL or another control character, or the header is the
 * server's own business (transfer-encoding, keep-alive, upgrade, proxy-connection, te, trailer).
 */
HOOP_API const hoop_response *hoop_with_header(const hoop_request *req, const hoop_response *res,
                                               const char *name, const char *value);

/** The response with one header line more; those of the same name stay. Rules as above. */
HOOP_API const hoop_response *hoop_add_header(const hoop_request *req, const hoop_response *res,
                                              const char *name, const char *value);

/** The response with another status, 200 to 599. Pending, NULL and pass as above. */
HOOP_API const hoop_response *hoop_with_status(const hoop_request *req, const hoop_response *res,
                                               int status);

/** The response with another body, copied; Content-Type stays. Pending, NULL and pass as above. */
HOOP_API const hoop_response *hoop_with_body(const hoop_request *req, const hoop_response *res,
                                             hoop_str bytes);

/**
 * The response carrying `value` under `key`: what an inner handler tells an outer middleware. Keys
 * and lifetimes as in hoop_assoc(). Pending, NULL and pass as above.
 */
HOOP_API const hoop_response *hoop_response_assoc(const hoop_request *req, const hoop_response *res,
                                                  const void *key, const void *value);

/** The value under `key`, NULL if there is none. */
HOOP_API void *hoop_response_get(const hoop_response *res, const void *key);

/**
 * A copy of `res` in `arena`, to keep it beyond its exchange: status, headers and bytes; attributes
 * stay behind. NULL if out of memory, or if `res` is NULL, pending, pass or a stream.
 */
HOOP_API const hoop_response *hoop_response_copy(hoop_arena *arena, const hoop_response *res);

/**
 * A copy in an application's `arena` with the status line, the headers and the length rendered once,
 * for responses that are sent again and again. Date and Connection are added when it is sent. Adding
 * a header (but Connection, Content-Length, Date or Server) keeps what was rendered, any other change
 * drops it. What has Connection, Date, Server or
 * Content-Length of its own, and 204 and 304, is copied without being rendered. Conditions as
 * hoop_response_copy().
 */
HOOP_API const hoop_response *hoop_freeze(hoop_arena *arena, const hoop_response *res);

/**
 * A request that stands for no exchange, for making responses in an application's arena at start:
 * `hoop_freeze(app, hoop_text(hoop_app_request(app), 200, "ok"))`. NULL if out of memory.
 */
HOOP_API const hoop_request *hoop_app_request(hoop_arena *arena);

/**
 * Nonzero if two responses are the same value: status, headers in order (names without case), kind of
 * body and bytes. Streams equal only themselves. Attributes and arenas do not count.
 */
HOOP_API int hoop_response_equal(const hoop_response *a, const hoop_response *b);

/** The reason phrase of a status (RFC 9110 15, IANA), "" if unknown. Static. Threads: any. */
HOOP_API const char *hoop_reason(int status);

HOOP_END_DECLS

#endif
