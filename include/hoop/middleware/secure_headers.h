/** @file
 * Middleware "secure_headers": the headers by which browsers keep a page apart from others.
 */
#ifndef HOOP_MIDDLEWARE_SECURE_HEADERS_H
#define HOOP_MIDDLEWARE_SECURE_HEADERS_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** A directive of a content security policy: constant data. */
typedef struct hoop_csp_directive {
    const char *name; /**< "script-src"; one that CSP level 3 knows */
    /**
     * What is allowed, separated by blanks: "'self' https://cdn.example.com"; NULL or "" for directives
     * without a list. The word 'nonce' stands for this response's nonce, 'nonce-...'.
     */
    const char *sources;
} hoop_csp_directive;

/** For each header: NULL means the default given here, "" that it is not set. */
typedef struct hoop_secure_headers_options {
    /**
     * Content-Security-Policy as data, `csp_count` directives. None: default-src 'self'; base-uri 'self';
     * form-action 'self'; frame-ancestors 'none'; object-src 'none'
     */
    const hoop_csp_directive *csp;
    size_t csp_count;         /**< how many */
    const char *frame;        /**< X-Frame-Options: "DENY"; or "SAMEORIGIN" */
    const char *content_type; /**< X-Content-Type-Options: "nosniff" */
    const char *referrer;     /**< Referrer-Policy: "strict-origin-when-cross-origin" */
    const char *permissions;  /**< Permissions-Policy: "camera=(), geolocation=(), microphone=()" */
    const char *opener;       /**< Cross-Origin-Opener-Policy: "same-origin" */
    const char *resource;     /**< Cross-Origin-Resource-Policy: "same-origin" */
    const char *embedder;     /**< Cross-Origin-Embedder-Policy: not set */
    uint32_t csp_off;         /**< nonzero: no content security policy */
    uint32_t csp_report_only; /**< nonzero: Content-Security-Policy-Report-Only in its place */
} hoop_secure_headers_options;

/** The type of HOOP_SECURE_HEADERS(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_secure_headers_type;

/**
 * An entry of a chain: `HOOP_SECURE_HEADERS(NULL)`, `HOOP_SECURE_HEADERS(&options)`. Options are borrowed.
 *
 * Every response gets the headers of the options that the handler has not set by itself, also an answer that
 * stands for a failure, and the server's 404. With
 * `'nonce'` in the policy each request has a fresh one, 128 bits from the system, that
 * hoop_csp_nonce() tells for `<script nonce="...">`. Refused when the chain is built, by name: an unknown
 * directive, the same one twice, a ';' or ',' or control character in a source, a value that can't
 * stand in a header, a `frame` other than DENY and SAMEORIGIN.
 *
 * Needs nothing, provides nothing. Idempotent: mounted twice, the inner one has its say, and both
 * speak of the same nonce.
 *
 * Source: Ring, ring-headers (x-headers) and Pedestal's secure-headers; CSP level 3; OWASP's list. Unlike those: no
 * X-XSS-Protection, which browsers have removed, no X-Download-Options, no ALLOW-FROM.
 */
#define HOOP_SECURE_HEADERS(...) \
    HOOP_USE(&hoop_secure_headers_type, (__VA_ARGS__), sizeof(hoop_secure_headers_options))

/** The nonce of this exchange, base64; absent if the policy has none. Lives with the exchange. */
HOOP_API hoop_str hoop_csp_nonce(const hoop_request *req);

/** The function behind hoop_secure_headers_request(). */
HOOP_API const hoop_request *hoop_secure_headers_request_sized(
    const hoop_request *req, const hoop_response **ret_answer,
    const hoop_secure_headers_options *options, size_t options_size);

/** The request with a nonce, if the policy asks for one and it has none. NULL: that failed (noted). */
#define hoop_secure_headers_request(req, ret_answer, ...)                 \
    hoop_secure_headers_request_sized((req), (ret_answer), (__VA_ARGS__), \
                                      sizeof(hoop_secure_headers_options))

/** The function behind hoop_secure_headers_response(). */
HOOP_API const hoop_response *hoop_secure_headers_response_sized(
    const hoop_request *req, const hoop_response *res, const hoop_secure_headers_options *options,
    size_t options_size);

/** The response with the headers. `req` is the one with the nonce. Pending, NULL and pass as in
 * hoop_with_header(). */
#define hoop_secure_headers_response(req, res, ...)                 \
    hoop_secure_headers_response_sized((req), (res), (__VA_ARGS__), \
                                       sizeof(hoop_secure_headers_options))

HOOP_END_DECLS

#endif
