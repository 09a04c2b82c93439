/** @file
 * Middleware "concurrency_limit": how many requests may be under way at once.
 */
#ifndef HOOP_MIDDLEWARE_CONCURRENCY_LIMIT_H
#define HOOP_MIDDLEWARE_CONCURRENCY_LIMIT_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_concurrency_limit_options {
    uint64_t max;         /**< requests under way: 256 */
    uint64_t retry_after; /**< seconds told by Retry-After: 1 */
} hoop_concurrency_limit_options;

/** The type of HOOP_CONCURRENCY_LIMIT(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_concurrency_limit_type;

/**
 * An entry of a chain: `HOOP_CONCURRENCY_LIMIT(NULL)`, `HOOP_CONCURRENCY_LIMIT(&options)`. Options are
 * borrowed.
 *
 * A request that would be one too many does not come further: 503 with Retry-After. A request is under way until
 * its last byte is written or its client is gone, and its deferreds have ended. The count is shared by
 * all loops; on one route it is that route's.
 *
 * Needs nothing, provides nothing. Not idempotent: give a second one a name of its own. It has no pure
 * functions: what it knows is how many others there are.
 *
 * Source: RFC 9110 15.6.4; Ring has none.
 */
#define HOOP_CONCURRENCY_LIMIT(...) \
    HOOP_USE(&hoop_concurrency_limit_type, (__VA_ARGS__), sizeof(hoop_concurrency_limit_options))

HOOP_END_DECLS

#endif
