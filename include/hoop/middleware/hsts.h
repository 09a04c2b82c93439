/** @file
 * Middleware "hsts": tells browsers to come by https alone from now on.
 */
#ifndef HOOP_MIDDLEWARE_HSTS_H
#define HOOP_MIDDLEWARE_HSTS_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_hsts_options {
    uint64_t max_age; /**< seconds for which browsers remember it: 31,536,000, a year */
    uint32_t forget;  /**< nonzero: max-age=0, by which browsers forget what they were told */
    uint32_t this_host_only; /**< nonzero: not for the host's subdomains */
    uint32_t preload;        /**< nonzero: browsers may have the host built in (hstspreload.org) */
    uint32_t reserved;       /**< zero */
} hoop_hsts_options;

/** The type of HOOP_HSTS(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_hsts_type;

/**
 * An entry of a chain: `HOOP_HSTS(NULL)`, `HOOP_HSTS(&options)`. Options are borrowed.
 *
 * A response to a request whose scheme is https gets `Strict-Transport-Security: max-age=31536000;
 * includeSubDomains`, unless the handler has set that header; so does an answer that stands for a failure, and the
 * server's 404. `preload` is refused, when the chain is
 * built, without subdomains, with less than a year, and with `forget`: the preload list would refuse it.
 *
 * Needs nothing, provides nothing. Idempotent: mounted twice, the inner one has its say. Behind a
 * proxy that speaks https with browsers mount HOOP_FORWARDED() further out.
 *
 * Source: RFC 6797; Ring, wrap-hsts (ring-ssl). Unlike Ring: not over plain http, where RFC 6797 7.2 forbids it
 * and browsers ignore it.
 */
#define HOOP_HSTS(...) HOOP_USE(&hoop_hsts_type, (__VA_ARGS__), sizeof(hoop_hsts_options))

/** The function behind hoop_hsts_response(). */
HOOP_API const hoop_response *hoop_hsts_response_sized(const hoop_request *req,
                                                       const hoop_response *res,
                                                       const hoop_hsts_options *options,
                                                       size_t options_size);

/** The response with the header. Pending, NULL and pass as in hoop_with_header(). */
#define hoop_hsts_response(req, res, ...) \
    hoop_hsts_response_sized((req), (res), (__VA_ARGS__), sizeof(hoop_hsts_options))

HOOP_END_DECLS

#endif
