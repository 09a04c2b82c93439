/** @file
 * Testing handlers without a socket: requests made by hand, deferred responses waited for on a
 * virtual clock.
 */
#ifndef HOOP_MOCK_H
#define HOOP_MOCK_H

#include <hoop/arena.h>
#include <hoop/export.h>
#include <hoop/handler.h>
#include <hoop/request.h>
#include <hoop/response.h>

HOOP_BEGIN_DECLS

/**
 * Makes a request in `arena`. `uri` is a path with an optional query, or an absolute URL, which also
 * gives scheme, server and port (defaults: http, localhost, 80 or 443; peer 127.0.0.1; HTTP/1.1).
 * The Host header has the port only if the URL has one; an empty path becomes "/"; path and query stay
 * encoded. `body` (NULL: none) sets Content-Length. NULL if an argument can't stand in a request, or
 * out of memory. Source: ring-mock's request.
 * Free `arena` only after what the request's handlers deferred has ended.
 */
HOOP_API const hoop_request *hoop_mock(hoop_arena *arena, const char *method, const char *uri,
                                       const char *body);

/** `req` with one header line more (the name lower-cased); those of the same name stay. */
HOOP_API const hoop_request *hoop_mock_header(const hoop_request *req, const char *name,
                                              const char *value);

/** `req` with `name=value` appended to its Cookie header ("; " between). */
HOOP_API const hoop_request *hoop_mock_cookie(const hoop_request *req, const char *name,
                                              const char *value);

/** `req` with its query string replaced (NULL: none). */
HOOP_API const hoop_request *hoop_mock_query(const hoop_request *req, const char *query_string);

/**
 * `req` with the parameters `pairs` (name, value, name, value ...; `count` strings), form-encoded:
 * appended to the query for GET, HEAD and DELETE, else as an urlencoded body.
 */
HOOP_API const hoop_request *hoop_mock_params(const hoop_request *req, const char *const *pairs,
                                              size_t count);

/** `req` with these bytes as its body, Content-Length, and Content-Type (NULL: left as it is). */
HOOP_API const hoop_request *hoop_mock_body(const hoop_request *req, const char *content_type,
                                            hoop_str bytes);

/**
 * `req` with its body delivered in pieces of `size` bytes (0: all at once), to whoever reads it: what
 * is queued runs between them.
 */
HOOP_API const hoop_request *hoop_mock_chunks(const hoop_request *req, size_t size);

/** `req` with one trailer field more behind its body, whose length is not announced then. */
HOOP_API const hoop_request *hoop_mock_trailer(const hoop_request *req, const char *name,
                                               const char *value);

/** `req` as it would come from this peer. */
HOOP_API const hoop_request *hoop_mock_peer(const hoop_request *req, const char *remote_addr,
                                            uint32_t remote_port);

/**
 * Calls `handler` as a server would and returns what would be sent: waits for a deferred response on a
 * virtual clock (when nothing else can run, time jumps to the next timer), runs blocking handlers
 * at once, and waits for other threads up to five seconds of real time. hoop_on_done() callbacks
 * have run when it returns, or run once the last deferred of the call has ended. Each call is an
 * exchange of its own, so a request may be used again.
 * NULL if the handler failed or never answered: hoop_mock_failure() tells why. A pass comes back
 * as such (hoop_is_pass()).
 */
HOOP_API const hoop_response *hoop_call_sync(hoop_handler handler, const hoop_request *req);

/** Why the last hoop_call_sync() with this request gave NULL; code 0 if it did not. Never NULL. */
HOOP_API const hoop_error *hoop_mock_failure(const hoop_request *req);

/**
 * The whole body of a response as bytes; streams are run to their end. Absent if it failed or if
 * `res` is NULL or pending. Lives in the request's arena.
 */
HOOP_API hoop_str hoop_response_read(const hoop_request *req, const hoop_response *res);

/**
 * How often reading of the body was paused in the last hoop_call_sync() with this request, so that a
 * client would have been held up.
 */
HOOP_API uint32_t hoop_mock_pauses(const hoop_request *req);

/** A trailer field (any case) of a response that hoop_call_sync() has collected; absent if none. */
HOOP_API hoop_str hoop_response_trailer(const hoop_response *res, const char *name);

/** Lets `ms` milliseconds of the virtual clock of `req` pass, running what becomes due. */
HOOP_API void hoop_mock_advance(const hoop_request *req, uint64_t ms);

HOOP_END_DECLS

#endif
