/** @file
 * Middleware "compress": sends bodies in a content coding that the client accepts.
 */
#ifndef HOOP_MIDDLEWARE_COMPRESS_H
#define HOOP_MIDDLEWARE_COMPRESS_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/**
 * Nonzero if this response shall stay as it is, though it could be compressed. Borrows both for the call.
 * On the loop's thread.
 */
typedef int hoop_compress_skip_fn(const hoop_request *req, const hoop_response *res,
                                  const void *data);

/** What is compressed, and how. Zero means the default given here. */
typedef struct hoop_compress_options {
    /**
     * The codings offered, best first, with blanks between: "br gzip" out of "zstd", "br", "gzip" and
     * "deflate". NULL: "zstd br gzip", those of them that this build has. A name that it has not is
     * refused when the chain is built; hoop_compress_has() tells beforehand.
     */
    const char *codings;
    /**
     * The media types that are compressed, with blanks between: "text/html", "text/" with a star, "+json" (a
     * suffix), "!text/event-stream" (not that one, whatever else matches). NULL:
     * #HOOP_COMPRESS_TYPES.
     */
    const char *types;
    uint64_t
        min_size; /**< bytes below which a body stays as it is: 1024; of unknown length: none */
    /**
     * Bytes above which a body that is there is compressed on the blocking pool, not on the loop's
     * thread: 65,536. HOOP_OFF: never.
     */
    uint64_t max_inline;
    hoop_compress_skip_fn *skip; /**< NULL: none is skipped */
    const void *skip_data;       /**< handed to `skip` */
    uint32_t gzip_level;         /**< 1 to 9, of gzip and deflate: 4 */
    uint32_t br_level;           /**< 1 to 11: 4. From 7 on a body takes 11 MiB and more */
    uint32_t zstd_level;         /**< 1 to 19: 3. From 7 on a body takes 7 MiB and more */
    uint32_t reserved;           /**< zero */
} hoop_compress_options;

/** The media types that are compressed by default. Streams of events are not: see HOOP_COMPRESS(). */
#define HOOP_COMPRESS_TYPES                                                                   \
    "text/* !text/event-stream +json +xml +text application/json application/x-ndjson "       \
    "application/javascript application/x-javascript application/xml application/wasm "       \
    "application/yaml application/toml application/sql application/rtf application/graphql "  \
    "application/vnd.ms-fontobject font/ttf font/otf font/collection image/bmp image/x-icon " \
    "image/vnd.microsoft.icon"

/** The type of HOOP_COMPRESS(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_compress_type;

/**
 * An entry of a chain: `HOOP_COMPRESS(NULL)`, `HOOP_COMPRESS(&options)`. Options are borrowed.
 *
 * Compresses a response of status 200 to 203, 207, 208, 226, 403 or 404 whose Content-Type is among
 * `types`, and whose body has at least `min_size` bytes or no known length. The client's
 * Accept-Encoding says which coding; of equal ones the first of `codings`. Where identity is refused,
 * type and size don't count. Never compressed is what has Content-Encoding, Content-Range, a digest
 * (Content-Digest, Repr-Digest, Digest, Content-MD5) or `Cache-Control: no-transform`; what did not get
 * smaller; and what `skip` or hoop_without_compression() say.
 *
 * All that could have been compressed has `Vary: Accept-Encoding`. What was has Content-Encoding, no
 * Accept-Ranges, and a weak ETag ("a" becomes W/"a"): so If-None-Match works as before, If-Range gets
 * the whole, and If-Match, which compares strongly, fails with 412; who edits what was read by its ETag has to
 * read it with `Accept-Encoding: identity`. The ETag of a 304 is weak, too, if the client named that one. HEAD
 * has the headers of GET, without length.
 *
 * Bytes are compressed at once, large ones on the blocking pool. A stream is compressed while it is sent;
 * whenever the handler has nothing for now, what came so far is flushed to the client. Its trailers
 * stay. If the pool or the memory of a loop's contexts (64 MiB) is taken, bodies go as they are.
 *
 * A page that mirrors what the request says beside a secret tells the secret by its compressed length to
 * who can make the browser ask and see the length (BREACH): leave such responses out.
 *
 * A build without zlib, brotli and zstd lets everything through untouched.
 *
 * Needs nothing, provides "compress". Idempotent: mounted twice, the inner one has its say.
 *
 * Source: RFC 9110 8.4 and 12.5.3; ring-gzip's wrap-gzip. Unlike that: weights count (q=0), Vary is there on
 * plain responses, too, ETags are made weak, streams are flushed, mangled header names are left alone.
 */
#define HOOP_COMPRESS(...) \
    HOOP_USE(&hoop_compress_type, (__VA_ARGS__), sizeof(hoop_compress_options))

/** The function behind hoop_compress_response(). */
HOOP_API const hoop_response *hoop_compress_response_sized(const hoop_request *req,
                                                           const hoop_response *res,
                                                           const hoop_compress_options *options,
                                                           size_t options_size);

/**
 * The response compressed as HOOP_COMPRESS() does it; pending while the pool works. Pending, NULL and
 * pass as in hoop_with_header(). On the loop's thread.
 */
#define hoop_compress_response(req, res, ...) \
    hoop_compress_response_sized((req), (res), (__VA_ARGS__), sizeof(hoop_compress_options))

/** The response, which no HOOP_COMPRESS() further out will compress. As hoop_response_assoc(). */
HOOP_API const hoop_response *hoop_without_compression(const hoop_request *req,
                                                       const hoop_response *res);

/** Nonzero if this build has the coding ("gzip", any case). Threads: any. */
HOOP_API int hoop_compress_has(const char *coding);

HOOP_END_DECLS

#endif
