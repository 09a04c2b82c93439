/** @file
 * Middleware "absolute_redirects": makes Location an absolute URL.
 */
#ifndef HOOP_MIDDLEWARE_ABSOLUTE_REDIRECTS_H
#define HOOP_MIDDLEWARE_ABSOLUTE_REDIRECTS_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_absolute_redirects_options {
    const char *const
        *hosts; /**< names, without port, that may be sent as host, then NULL: other Host
                                   headers leave Location as it is. NULL: every name that is one */
} hoop_absolute_redirects_options;

/** The type of HOOP_ABSOLUTE_REDIRECTS(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_absolute_redirects_type;

/**
 * An entry of a chain: `HOOP_ABSOLUTE_REDIRECTS(NULL)`, `HOOP_ABSOLUTE_REDIRECTS(&options)`. Options are borrowed.
 *
 * In responses with status 201, 301, 302, 303, 307 or 308 a Location that is a reference ("/foo", "../foo", "?a",
 * "//host/foo") becomes a URL: of the request's scheme, its Host header, and the path that is meant. An
 * absolute one stays. If the Host header is none (or not one of `hosts`), Location stays as it is.
 *
 * RFC 9110 10.2.2 allows references, so this is for clients and proxies that can't deal with them. A client
 * chooses its Host header: where answers may be cached, say which `hosts` there are.
 *
 * Needs nothing, provides nothing. Idempotent: what is absolute stays.
 *
 * Source: Ring, wrap-absolute-redirects (ring-headers); RFC 3986 5.2. Unlike Ring: 308 is looked at, and the host
 * can be checked.
 */
#define HOOP_ABSOLUTE_REDIRECTS(...) \
    HOOP_USE(&hoop_absolute_redirects_type, (__VA_ARGS__), sizeof(hoop_absolute_redirects_options))

/** The function behind hoop_absolute_redirects_response(). */
HOOP_API const hoop_response *hoop_absolute_redirects_response_sized(
    const hoop_request *req, const hoop_response *res,
    const hoop_absolute_redirects_options *options, size_t options_size);

/**
 * The response with an absolute Location, by `req`. Pending, NULL and pass as in hoop_with_header().
 */
#define hoop_absolute_redirects_response(req, res, ...)                 \
    hoop_absolute_redirects_response_sized((req), (res), (__VA_ARGS__), \
                                           sizeof(hoop_absolute_redirects_options))

HOOP_END_DECLS

#endif
