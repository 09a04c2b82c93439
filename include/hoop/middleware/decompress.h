/** @file
 * Middleware "decompress": request bodies that came in a content coding, read as what they stand for.
 */
#ifndef HOOP_MIDDLEWARE_DECOMPRESS_H
#define HOOP_MIDDLEWARE_DECOMPRESS_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** What is accepted, and how much may come of it. Zero means the default given here. */
typedef struct hoop_decompress_options {
    /**
     * The codings accepted, with blanks between, out of "gzip", "deflate", "br" and "zstd". NULL: those
     * of them that this build has. A name that it has not is refused when the chain is built.
     */
    const char *codings;
    uint64_t max_size;    /**< bytes that come out, and that come in: the route's or the server's
                             max_body; 413. HOOP_OFF: any number */
    uint32_t max_ratio;   /**< times as much out as in, beyond 64 KiB: 200; 413. HOOP_OFF32: any */
    uint32_t max_codings; /**< applied one after the other: 2; 415. At most 8 */
} hoop_decompress_options;

/** The type of HOOP_DECOMPRESS(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_decompress_type;

/**
 * An entry of a chain: `HOOP_DECOMPRESS(NULL)`, `HOOP_DECOMPRESS(&options)`. Options are borrowed.
 *
 * A request with a body and a Content-Encoding is handed on without that header and without
 * Content-Length, and whoever reads its body further in, whole or as a stream, reads what was compressed.
 * It is decompressed as it is read, so a reader that is slow, or never comes, costs nothing. All other
 * requests go through as they are.
 *
 * Answers 415 with Accept-Encoding for a coding that is not accepted, and for too many. While the body is read:
 * 400 if it is broken, cut off, or has bytes behind its end; 413 beyond max_size or max_ratio. A handler
 * that reads a stream is told that it failed; these answers are given if it fails in turn.
 *
 * It has to meet the request before anything that reads the body; else the request fails (500).
 *
 * Needs nothing, provides "decompress". Idempotent: mounted twice, the inner one has nothing to do.
 *
 * Source: RFC 9110 8.4, 12.5.3 and 15.5.16; Donkey's decompression.
 */
#define HOOP_DECOMPRESS(...) \
    HOOP_USE(&hoop_decompress_type, (__VA_ARGS__), sizeof(hoop_decompress_options))

/** The function behind hoop_decompress_request(). */
HOOP_API const hoop_request *hoop_decompress_request_sized(const hoop_request *req,
                                                           const hoop_response **ret_answer,
                                                           const hoop_decompress_options *options,
                                                           size_t options_size);

/**
 * The request with a body that is decompressed when it is read; or NULL: then `*ret_answer` is the refusal to
 * return, or it stays NULL because that failed (noted). A body that turns out to be broken fails whoever
 * reads it, with HOOP_EPARSE or HOOP_ETOOBIG; only HOOP_DECOMPRESS() makes answers of these. On the
 * loop's thread.
 */
#define hoop_decompress_request(req, ret_answer, ...)                 \
    hoop_decompress_request_sized((req), (ret_answer), (__VA_ARGS__), \
                                  sizeof(hoop_decompress_options))

HOOP_END_DECLS

#endif
