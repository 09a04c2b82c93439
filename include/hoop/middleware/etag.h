/** @file
 * Middleware "etag": gives responses an entity tag of their bytes.
 */
#ifndef HOOP_MIDDLEWARE_ETAG_H
#define HOOP_MIDDLEWARE_ETAG_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_etag_options {
    uint64_t max_size; /**< bodies of more bytes get none: 1 MiB; HOOP_OFF: all do */
    uint32_t weak;     /**< nonzero: "W/", for bytes that may be compressed further out */
    uint32_t reserved; /**< zero */
} hoop_etag_options;

/** The type of HOOP_ETAG(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_etag_type;

/**
 * An entry of a chain: `HOOP_ETAG(NULL)`, `HOOP_ETAG(&options)`. Options are borrowed.
 *
 * A 200 to GET or HEAD whose body is bytes, and that has no ETag, gets one: the length and a hash of 64 bits, in
 * quotes. The same bytes have the same tag on every machine, in every run. Streams and files get none
 * here. Together with "not_modified", further out, a client that has the bytes is answered 304.
 *
 * The hash is fast and not cryptographic: who can choose bodies can make two of one tag.
 *
 * Needs nothing, provides nothing. Idempotent: what has a tag keeps it.
 *
 * Source: RFC 9110 8.8.3; ring-etag-middleware. Unlike that: the tag is in quotes, and bytes have one, not files.
 */
#define HOOP_ETAG(...) HOOP_USE(&hoop_etag_type, (__VA_ARGS__), sizeof(hoop_etag_options))

/** The function behind hoop_etag_response(). */
HOOP_API const hoop_response *hoop_etag_response_sized(const hoop_request *req,
                                                       const hoop_response *res,
                                                       const hoop_etag_options *options,
                                                       size_t options_size);

/**
 * The response with its tag, if `req` is GET or HEAD. Pending, NULL and pass as in hoop_with_header().
 */
#define hoop_etag_response(req, res, ...) \
    hoop_etag_response_sized((req), (res), (__VA_ARGS__), sizeof(hoop_etag_options))

HOOP_END_DECLS

#endif
