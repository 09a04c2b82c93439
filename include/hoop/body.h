/** @file
 * The request body: read whole in front of a leaf handler, or when a middleware asks for it.
 */
#ifndef HOOP_BODY_H
#define HOOP_BODY_H

#include <hoop/export.h>
#include <hoop/request.h>
#include <hoop/response.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/**
 * The body, if it has been read (a plain handler finds it here, unless a middleware has read it as a
 * stream); absent if the request has none or it was not read. NUL-terminated, but it may have NULs within. Lives
 * with the exchange.
 */
HOOP_API hoop_str hoop_body(const hoop_request *req);

/** Nonzero if the request has a body of at least one byte or of unknown length. */
HOOP_API int hoop_has_body(const hoop_request *req);

/** Continues with the whole body. Like a handler it returns a response, which may be pending. */
typedef const hoop_response *hoop_body_fn(const hoop_request *req, hoop_str body, void *data);

/**
 * Reads the whole body and hands it to `fn`: at once if it is here, else when it has come, the
 * response being pending until then. `limit` is in bytes; 0 means the server's (hoop_limits,
 * max_body), HOOP_OFF none. Over the limit the response is 413, as soon as that is known; a body that
 * breaks off never reaches `fn`. The bytes stay with the exchange: whoever asks again gets them at once.
 * A request without body gives the empty string. On the loop's thread only.
 */
HOOP_API const hoop_response *hoop_read_body(const hoop_request *req, uint64_t limit,
                                             hoop_body_fn *fn, void *data);

/**
 * The first trailer field named `name` (any case), kept apart from the headers; absent until the body
 * has been read to its end. Source: RFC 9110 6.5.
 */
HOOP_API hoop_str hoop_trailer(const hoop_request *req, const char *name);

HOOP_END_DECLS

#endif
