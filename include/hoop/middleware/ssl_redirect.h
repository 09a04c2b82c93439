/** @file
 * Middleware "ssl_redirect": sends requests that came by plain http to https.
 */
#ifndef HOOP_MIDDLEWARE_SSL_REDIRECT_H
#define HOOP_MIDDLEWARE_SSL_REDIRECT_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_ssl_redirect_options {
    const char *host;  /**< where to send them; NULL: the host that the request names */
    uint32_t port;     /**< of https: 443 */
    uint32_t reserved; /**< zero */
} hoop_ssl_redirect_options;

/** The type of HOOP_SSL_REDIRECT(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_ssl_redirect_type;

/**
 * An entry of a chain: `HOOP_SSL_REDIRECT(NULL)`, `HOOP_SSL_REDIRECT(&options)`. Options are borrowed.
 *
 * A request whose scheme is not https does not come further: it is answered with the same path and
 * query on https, 301 for GET and HEAD, else 307, so that the method stays. One without a host
 * to send it to (HTTP/1.0 without Host), and one for no path (`OPTIONS *`), is answered 403. A host
 * that can't be one and a port above 65535 are refused when the chain is built.
 *
 * A client chooses the Host that it sends: behind a cache, or for a server that answers to
 * any name, set `host`, or mount HOOP_HOST_CHECK() further out. Behind a proxy that speaks https
 * with browsers mount HOOP_FORWARDED() further out, or requests are redirected for ever.
 *
 * Needs nothing, provides nothing. Idempotent.
 *
 * Source: Ring, wrap-ssl-redirect (ring-ssl). The port of the Host header is left out, as there.
 */
#define HOOP_SSL_REDIRECT(...) \
    HOOP_USE(&hoop_ssl_redirect_type, (__VA_ARGS__), sizeof(hoop_ssl_redirect_options))

/** The function behind hoop_ssl_redirect_request(). */
HOOP_API const hoop_request *hoop_ssl_redirect_request_sized(
    const hoop_request *req, const hoop_response **ret_answer,
    const hoop_ssl_redirect_options *options, size_t options_size);

/** The request itself if it came by https. Or NULL, and `*ret_answer` as in hoop_params_request(). */
#define hoop_ssl_redirect_request(req, ret_answer, ...)                 \
    hoop_ssl_redirect_request_sized((req), (ret_answer), (__VA_ARGS__), \
                                    sizeof(hoop_ssl_redirect_options))

HOOP_END_DECLS

#endif
