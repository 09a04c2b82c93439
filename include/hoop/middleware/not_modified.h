/** @file
 * Middleware "not_modified": answers 304 to a client that has the newest already, and 412 where a condition fails.
 */
#ifndef HOOP_MIDDLEWARE_NOT_MODIFIED_H
#define HOOP_MIDDLEWARE_NOT_MODIFIED_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Reserved: there is nothing to choose. */
typedef struct hoop_not_modified_options {
    uint64_t reserved; /**< zero */
} hoop_not_modified_options;

/** The type of HOOP_NOT_MODIFIED(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_not_modified_type;

/**
 * An entry of a chain: `HOOP_NOT_MODIFIED(NULL)`, `HOOP_NOT_MODIFIED(&options)`. Options are borrowed.
 *
 * To GET and HEAD, a 2xx response with ETag or Last-Modified is held against the request's conditions in
 * the order of RFC 9110 13.2.2: If-Match (strong), else If-Unmodified-Since, which give 412; then
 * If-None-Match (weak, lists, `*`), else If-Modified-Since, which give 304. Dates may have any of
 * the three forms; one that is none is ignored.
 *
 * 304 and 412 have no body; a stream is ended without being run. A 304 keeps the headers but those that speak
 * of the body (Content-Type, -Length, -Encoding, -Language, -Range); a 412 keeps none but Vary.
 *
 * Other methods go through untouched: when their response is there, what they asked for has been done.
 *
 * Needs nothing, provides nothing. Idempotent: a 304 is no 2xx. It goes further out than "etag".
 *
 * Source: Ring, wrap-not-modified; RFC 9110 13. Unlike Ring: If-None-Match alone decides where there is one
 * (Ring wants both to be fresh), tags are compared as the RFC has it, 412, and 304 says nothing of a body that is
 * not there.
 */
#define HOOP_NOT_MODIFIED(...) \
    HOOP_USE(&hoop_not_modified_type, (__VA_ARGS__), sizeof(hoop_not_modified_options))

/** The function behind hoop_not_modified_response(). */
HOOP_API const hoop_response *hoop_not_modified_response_sized(
    const hoop_request *req, const hoop_response *res, const hoop_not_modified_options *options,
    size_t options_size);

/**
 * The response, or what stands for it, by the conditions of `req`. Pending, NULL and pass as in
 * hoop_with_header().
 */
#define hoop_not_modified_response(req, res, ...) \
    hoop_not_modified_response_sized((req), (res), (__VA_ARGS__), sizeof(hoop_not_modified_options))

HOOP_END_DECLS

#endif
