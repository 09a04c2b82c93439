/** @file
 * Middleware "host_check": answers for the hosts that are its own, and for no other.
 */
#ifndef HOOP_MIDDLEWARE_HOST_CHECK_H
#define HOOP_MIDDLEWARE_HOST_CHECK_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Which hosts are served. */
typedef struct hoop_host_check_options {
    /**
     * "example.com", "*.example.com" (its subdomains of any depth, not itself), "192.0.2.1", "[::1]",
     * each with ":8080" for one port only; "*" for any. Case aside. Must not be empty.
     */
    const char *const *hosts;
    size_t count; /**< how many */
} hoop_host_check_options;

/** The type of HOOP_HOST_CHECK(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_host_check_type;

/**
 * An entry of a chain: `HOOP_HOST_CHECK(&options)`. Options are borrowed; those of a chain live as
 * long as its arena.
 *
 * A request whose Host (or absolute-form target) names another host, or none, does not come further: 421.
 * This protects what makes URLs of the Host header (redirects, mails with links) and ends DNS
 * rebinding, by which a foreign page reaches a server on the user's own machine. A dot behind the
 * host's last label is looked over. An empty list and what can't be a host are refused when the chain is built.
 *
 * Needs nothing, provides "host_check". Not idempotent: two of them are two lists; give one a name.
 *
 * Source: RFC 9110 7.4 and 15.5.20. Ring has none.
 */
#define HOOP_HOST_CHECK(...) \
    HOOP_USE(&hoop_host_check_type, (__VA_ARGS__), sizeof(hoop_host_check_options))

/** The function behind hoop_host_check_request(). */
HOOP_API const hoop_request *hoop_host_check_request_sized(const hoop_request *req,
                                                           const hoop_response **ret_answer,
                                                           const hoop_host_check_options *options,
                                                           size_t options_size);

/** The request itself if its host is one of these. Or NULL, and `*ret_answer` as in hoop_params_request(). */
#define hoop_host_check_request(req, ret_answer, ...)                 \
    hoop_host_check_request_sized((req), (ret_answer), (__VA_ARGS__), \
                                  sizeof(hoop_host_check_options))

HOOP_END_DECLS

#endif
