/** @file
 * Conditional requests and byte ranges: 304, 412, 206 and 416 for what has validators and a length.
 */
#ifndef HOOP_RANGE_H
#define HOOP_RANGE_H

#include <hoop/export.h>
#include <hoop/request.h>
#include <hoop/response.h>

HOOP_BEGIN_DECLS

/**
 * What the request asks for of `res`: all of it, nothing since it has it already, or a part.
 *
 * Only a response of status 200 to GET or HEAD is looked at; all else, NULL and pass come back as they
 * are, a pending response is looked at when it comes. First the conditions, against its ETag and
 * Last-Modified: 412, or 304 without body and without Content-* headers. Then, for GET, Range, if If-Range
 * allows it and the length of the body is known (bytes, a file; not a stream): 206 with one part, or with
 * several as multipart/byteranges, or 416. What can be cut says so by `Accept-Ranges: bytes`; a handler
 * that sets `Accept-Ranges: none` is not cut.
 *
 * More than 16 parts are ignored, so are headers that do not follow the grammar; parts that overlap are
 * merged. hoop_file() and the static files call this themselves; elsewhere Range is ignored. A response that is
 * there may be given on any thread, with a deferred's request. Source: RFC 9110 13 and 14. NULL: failed, noted.
 */
HOOP_API const hoop_response *hoop_with_ranges(const hoop_request *req, const hoop_response *res);

/** In the place of a time: there is none. */
#define HOOP_NO_TIME INT64_MIN

/**
 * Asks the conditions before something is done: for PUT, PATCH and DELETE, or in front of an expensive
 * GET. `etag` is the current one with its quotes (`"v7"`), NULL if there is none; `modified` the time of
 * the last change in seconds since 1970, or HOOP_NO_TIME. Without both, nothing is there yet, which
 * `If-None-Match: *` asks for.
 *
 *     int status = hoop_precondition(req, row->etag, HOOP_NO_TIME);
 *     if (status)
 *         return hoop_respond(req, status);
 *
 * 0: go on; 304 (GET and HEAD only) or 412: answer with that. 0 for a NULL request, and for an `etag` that
 * is none. Source: RFC 9110 13.2.
 */
HOOP_API int hoop_precondition(const hoop_request *req, const char *etag, int64_t modified);

HOOP_END_DECLS

#endif
