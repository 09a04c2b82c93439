/** @file
 * Middleware "rate_limit": how many requests a client may send in a time.
 */
#ifndef HOOP_MIDDLEWARE_RATE_LIMIT_H
#define HOOP_MIDDLEWARE_RATE_LIMIT_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** What one client may do: a bucket of `burst` tokens that fills by `requests` in each `window_ms`. */
typedef struct hoop_rate_policy {
    uint64_t requests;  /**< tokens that come back in a window */
    uint64_t window_ms; /**< the window in milliseconds */
    uint64_t burst;     /**< tokens that the bucket holds: so many requests may come at once */
} hoop_rate_policy;

/** What a store says of one request. */
typedef struct hoop_rate_verdict {
    uint64_t remaining; /**< requests that may follow at once */
    uint64_t reset_ms;  /**< milliseconds until the bucket is full again */
    uint64_t retry_ms;  /**< if it was not allowed: milliseconds until one is */
    uint32_t allowed;   /**< nonzero: a token was there, and is taken */
    uint32_t reserved;  /**< zero */
} hoop_rate_verdict;

/**
 * Takes a token of the bucket that `key` names, and fills `*ret_verdict` (memory of the exchange)
 * before the response that it returns has come: any response, which may be pending, and which only says that.
 * NULL: the store failed. On the loop's thread.
 */
typedef const hoop_response *hoop_rate_take_fn(const hoop_request *req, hoop_str key,
                                               const hoop_rate_policy *policy,
                                               hoop_rate_verdict *ret_verdict, void *data);

/** Where buckets are kept: in this process (hoop_rate_memory_new()), or in one that several ask. */
typedef struct hoop_rate_store {
    hoop_rate_take_fn *take; /**< from any loop */
    void *data;              /**< handed to it */
} hoop_rate_store;

/** Names the bucket of a request: an API key, a user. Absent: this request is not limited. */
typedef hoop_str hoop_rate_key_fn(const hoop_request *req, void *data);

/** Zero means the default given here. */
typedef struct hoop_rate_limit_options {
    /**
     * NULL: the client's address; of IPv6 the first 64 bits, since a client has as many addresses
     * as it likes within these
     */
    hoop_rate_key_fn *key;
    void *data;                   /**< of `key` */
    const hoop_rate_store *store; /**< NULL: one of this chain's own, in memory */
    const char *name;             /**< of the policy, in headers: "default". A token */
    uint64_t requests;            /**< in a window: 100 */
    uint64_t window_ms;           /**< 60,000 */
    uint64_t burst;               /**< 0: as many as `requests` */
    uint64_t
        max_keys; /**< of the store of its own: 65,536, at 16 bytes each; see hoop_rate_memory_new() */
    uint32_t no_headers;  /**< nonzero: responses don't tell what is left */
    uint32_t fail_closed; /**< nonzero: if the store fails the answer is 503; else requests pass */
} hoop_rate_limit_options;

/** The type of HOOP_RATE_LIMIT(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_rate_limit_type;

/**
 * An entry of a chain: `HOOP_RATE_LIMIT(NULL)`, `HOOP_RATE_LIMIT(&options)`. Options are borrowed.
 *
 * A request whose bucket is empty does not come further: 429 with Retry-After in seconds. Every response says
 * what is left by `RateLimit-Policy: "default";q=100;w=60` and `RateLimit: "default";r=99;t=1`. A handler
 * finds the verdict by hoop_rate_limit_verdict().
 *
 * Its state is shared by all loops. On one route it limits that route: each mounting has buckets of its own.
 * Behind a proxy mount HOOP_FORWARDED() further out, or all clients share the proxy's bucket; on a
 * Unix socket they do in any case. A policy of no time, and a name that is no token, are refused when
 * the chain is built.
 *
 * Needs nothing, provides "rate_limit". Not idempotent: give a second one a name of its own.
 *
 * Source: RFC 6585 4 (429), draft-ietf-httpapi-ratelimit-headers-10; the generic cell rate algorithm
 * (ITU-T I.371). Unlike ring-ratelimit: no thread, no counter that begins anew at a window's edge.
 */
#define HOOP_RATE_LIMIT(...) \
    HOOP_USE(&hoop_rate_limit_type, (__VA_ARGS__), sizeof(hoop_rate_limit_options))

/**
 * A store in memory, for up to `max_keys` buckets (a power of two at least as large is taken; 0: 65,536)
 * of 16 bytes. Keys are kept as hashes under a random key. When there is no room, the bucket that is
 * fullest is forgotten, so that who is limited stays limited. 0 and `*ret_store` in `arena`, or a
 * negative code. Threads: the store may be asked from any.
 */
HOOP_API int hoop_rate_memory_new(hoop_arena *arena, uint64_t max_keys,
                                  const hoop_rate_store **ret_store, hoop_error *error);

/** What was said of this request; NULL if it was not limited. Lives with the exchange. */
HOOP_API const hoop_rate_verdict *hoop_rate_limit_verdict(const hoop_request *req);

/** The function behind hoop_rate_limit_request(). */
HOOP_API const hoop_request *hoop_rate_limit_request_sized(const hoop_request *req,
                                                           const hoop_response **ret_answer,
                                                           const hoop_rate_limit_options *options,
                                                           size_t options_size);

/**
 * The request with its verdict, of `options->store`, which is needed here and must answer at once. Or
 * NULL, and `*ret_answer` as in hoop_params_request().
 */
#define hoop_rate_limit_request(req, ret_answer, ...)                 \
    hoop_rate_limit_request_sized((req), (ret_answer), (__VA_ARGS__), \
                                  sizeof(hoop_rate_limit_options))

/** The function behind hoop_rate_limit_response(). */
HOOP_API const hoop_response *hoop_rate_limit_response_sized(const hoop_request *req,
                                                             const hoop_response *res,
                                                             const hoop_rate_limit_options *options,
                                                             size_t options_size);

/** The response with what is left, if the request has a verdict. Pending, NULL and pass as in hoop_with_header(). */
#define hoop_rate_limit_response(req, res, ...) \
    hoop_rate_limit_response_sized((req), (res), (__VA_ARGS__), sizeof(hoop_rate_limit_options))

HOOP_END_DECLS

#endif
