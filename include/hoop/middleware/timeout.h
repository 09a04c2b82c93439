/** @file
 * Middleware "timeout": what takes too long is answered in its place.
 */
#ifndef HOOP_MIDDLEWARE_TIMEOUT_H
#define HOOP_MIDDLEWARE_TIMEOUT_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_timeout_options {
    uint64_t ms;          /**< a response may be pending: 10,000 */
    uint64_t retry_after; /**< seconds told by Retry-After; 0: none is told */
    int32_t status;       /**< 503 */
    uint32_t reserved;    /**< zero */
} hoop_timeout_options;

/** The type of HOOP_TIMEOUT(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_timeout_type;

/**
 * An entry of a chain: `HOOP_TIMEOUT(NULL)`, `HOOP_TIMEOUT(&options)`. Options are borrowed.
 *
 * A response that is still pending after `ms` milliseconds is answered by a problem in its place, and what
 * waits for the exchange is told (hoop_on_cancel()), so that its work can stop. What comes later is dropped.
 * A handler that does not return can't be stopped by anything: use hoop_blocking(). The coming of the
 * body in front of a leaf counts, too; the server's own limits (hoop_limits) don't count it. A status outside 400
 * to 599 is refused when the chain is built.
 *
 * Needs nothing, provides nothing. Not idempotent: give a second one a name of its own.
 *
 * Source: hoop_timeout(); Ring has none.
 */
#define HOOP_TIMEOUT(...) HOOP_USE(&hoop_timeout_type, (__VA_ARGS__), sizeof(hoop_timeout_options))

/** The function behind hoop_timeout_response(). */
HOOP_API const hoop_response *hoop_timeout_response_sized(const hoop_request *req,
                                                          const hoop_response *res,
                                                          const hoop_timeout_options *options,
                                                          size_t options_size);

/** The response, or the problem if `res` is still pending after that time. */
#define hoop_timeout_response(req, res, ...) \
    hoop_timeout_response_sized((req), (res), (__VA_ARGS__), sizeof(hoop_timeout_options))

HOOP_END_DECLS

#endif
