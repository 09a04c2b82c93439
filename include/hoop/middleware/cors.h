/** @file
 * Middleware "cors": lets pages of other origins read answers.
 */
#ifndef HOOP_MIDDLEWARE_CORS_H
#define HOOP_MIDDLEWARE_CORS_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Decides whether an origin may read. `origin` is as received. Nonzero: it may. */
typedef int hoop_cors_origin_fn(const hoop_request *req, hoop_str origin, void *data);

/** Zero means the default given here. One of `origins` and `allow` is required. */
typedef struct hoop_cors_options {
    const char *const
        *origins; /**< who may read, then NULL: "https://example.org"; all below a name
                                     by a star behind the slashes, "*.example.org"; "*": anyone */
    hoop_cors_origin_fn *allow; /**< asked for origins that are not among them; NULL: refused */
    void *data;                 /**< handed to allow */
    const char *methods;        /**< by commas, in capitals: "GET, HEAD, POST" */
    const char *headers;        /**< that requests may have, by commas; NULL: what is asked for */
    const char *expose;       /**< headers of answers that pages may read, by commas; NULL: none */
    uint64_t max_age_s;       /**< seconds that a preflight's answer holds; 0: not said (5) */
    uint32_t credentials;     /**< nonzero: cookies may go along; not with "*" or "null" */
    uint32_t private_network; /**< nonzero: pages of public networks may ask a private one */
} hoop_cors_options;

/** The type of HOOP_CORS(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_cors_type;

/**
 * An entry of a chain: `HOOP_CORS(NULL)`, `HOOP_CORS(&options)`. Options are borrowed.
 *
 * A preflight (OPTIONS with Origin and Access-Control-Request-Method) is answered here: 200 with what is
 * allowed, or 403 if the origin, the method or a header is not. Any other OPTIONS goes on.
 *
 * Any other request goes on, whatever its origin: CORS says who may read an answer, and protects nothing from
 * being done. If its origin may read, the answer gets Access-Control-Allow-Origin (the origin, or "*" where
 * that is allowed and no cookies go along) and kin; also an answer that stands for a failure, and the
 * server's 404. What the handler has set itself stays. Every answer gets Vary: Origin, so that no cache gives
 * one origin's to another.
 *
 * The origin "null" is refused, also by "*", unless it is listed by name. Refused when the chain is built: no
 * origins at all, "*" or "null" (which any page can have by a sandboxed frame) with credentials, what is no
 * origin, method or header.
 *
 * Needs nothing, provides nothing. Twice on one path is refused.
 *
 * Source: Fetch standard 3.2 (CORS protocol); Private Network Access; ring-cors. Unlike ring-cors: Vary is set,
 * refused preflights are 403 and don't reach the handler, origins are no regular expressions, OPTIONS that is no
 * preflight reaches the handler.
 */
#define HOOP_CORS(...) HOOP_USE(&hoop_cors_type, (__VA_ARGS__), sizeof(hoop_cors_options))

/** The function behind hoop_cors_request(). */
HOOP_API const hoop_request *hoop_cors_request_sized(const hoop_request *req,
                                                     const hoop_response **ret_answer,
                                                     const hoop_cors_options *options,
                                                     size_t options_size);

/**
 * The request itself if it is no preflight. Or NULL: then `*ret_answer` is the preflight's answer, or it stays
 * NULL because that failed (noted).
 */
#define hoop_cors_request(req, ret_answer, ...) \
    hoop_cors_request_sized((req), (ret_answer), (__VA_ARGS__), sizeof(hoop_cors_options))

/** The function behind hoop_cors_response(). */
HOOP_API const hoop_response *hoop_cors_response_sized(const hoop_request *req,
                                                       const hoop_response *res,
                                                       const hoop_cors_options *options,
                                                       size_t options_size);

/**
 * The response with the headers that its reader needs. Pending, NULL and pass as in hoop_with_header().
 */
#define hoop_cors_response(req, res, ...) \
    hoop_cors_response_sized((req), (res), (__VA_ARGS__), sizeof(hoop_cors_options))

HOOP_END_DECLS

#endif
