/** @file
 * Middleware "catch_errors": failures become answers that a client can read.
 */
#ifndef HOOP_MIDDLEWARE_CATCH_ERRORS_H
#define HOOP_MIDDLEWARE_CATCH_ERRORS_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_catch_errors_options {
    uint32_t development; /**< nonzero: answers tell what failed; never where strangers come */
    uint32_t quiet;       /**< nonzero: no line in the log for what failed */
} hoop_catch_errors_options;

/** The type of HOOP_CATCH_ERRORS(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_catch_errors_type;

/**
 * An entry of a chain: `HOOP_CATCH_ERRORS(NULL)`, `HOOP_CATCH_ERRORS(&options)`. Options are borrowed.
 *
 * A handler's failure (NULL, hoop_fail()) further in becomes a problem (RFC 9457) with the status of its
 * code (hoop_failure_status()), and a line in the log. Middleware further out sees a response like any other, so
 * headers, logs and metrics are the same for failures. In development the answer tells
 * the reason: `detail`, `code` and `name` of the problem, or, for a client that prefers text/html, a page
 * with the failure, the request, what the router made of it, and the chain further in. All that is quoted is
 * escaped, and the page has a policy of its own (CSP), which no other replaces.
 *
 * Needs nothing, provides nothing. Idempotent: the inner one has caught it.
 *
 * Source: Ring, wrap-stacktrace (ring-devel). Unlike there: HTML by negotiation, and no trace, which C has not;
 * the first reason noted tells the place.
 */
#define HOOP_CATCH_ERRORS(...) \
    HOOP_USE(&hoop_catch_errors_type, (__VA_ARGS__), sizeof(hoop_catch_errors_options))

HOOP_END_DECLS

#endif
