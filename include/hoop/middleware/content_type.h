/** @file
 * Middleware "content_type": gives responses the media type that the extension of the path means.
 */
#ifndef HOOP_MIDDLEWARE_CONTENT_TYPE_H
#define HOOP_MIDDLEWARE_CONTENT_TYPE_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_content_type_options {
    const char *const *types; /**< extension, type, extension, type ..., NULL: looked at before the
                                   built-in table; in lower case, without dot. NULL: none */
    const char *fallback;     /**< the type where the extension says nothing; NULL: none is given */
} hoop_content_type_options;

/** The type of HOOP_CONTENT_TYPE(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_content_type_type;

/**
 * An entry of a chain: `HOOP_CONTENT_TYPE(NULL)`, `HOOP_CONTENT_TYPE(&options)`. Options are borrowed.
 *
 * A 2xx response that has a body and no Content-Type gets the one of the extension of the path: "/a/b.PNG" is
 * image/png, "/a.tar.gz" is application/gzip, "/v1.2/readme" has none. All others stay as they are. Types
 * that are none are refused when the chain is built.
 *
 * Needs nothing, provides nothing. Idempotent: mounted twice, the inner one has its say.
 *
 * Source: Ring, wrap-content-type. Unlike Ring: without an extension, or with an unknown one, nothing is said, and
 * not application/octet-stream (`fallback` does that); an error page has not the type of what was asked for.
 */
#define HOOP_CONTENT_TYPE(...) \
    HOOP_USE(&hoop_content_type_type, (__VA_ARGS__), sizeof(hoop_content_type_options))

/** The function behind hoop_content_type_response(). */
HOOP_API const hoop_response *hoop_content_type_response_sized(
    const hoop_request *req, const hoop_response *res, const hoop_content_type_options *options,
    size_t options_size);

/**
 * The response with its type, by the path of `req`. Pending, NULL and pass as in hoop_with_header().
 */
#define hoop_content_type_response(req, res, ...) \
    hoop_content_type_response_sized((req), (res), (__VA_ARGS__), sizeof(hoop_content_type_options))

HOOP_END_DECLS

#endif
