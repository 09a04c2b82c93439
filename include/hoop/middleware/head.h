/** @file
 * Middleware "head": has a handler for GET answer HEAD, without a body.
 */
#ifndef HOOP_MIDDLEWARE_HEAD_H
#define HOOP_MIDDLEWARE_HEAD_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Reserved: there is nothing to choose. */
typedef struct hoop_head_options {
    uint64_t reserved; /**< zero */
} hoop_head_options;

/** The type of HOOP_HEAD(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_head_type;

/**
 * An entry of a chain: `HOOP_HEAD(NULL)`, `HOOP_HEAD(&options)`. Options are borrowed.
 *
 * A HEAD request goes on as GET. The answer keeps its headers, with the Content-Length that GET would have
 * (if the length is known), and loses its body; a stream is ended without being run. Other requests
 * stay as they are.
 *
 * In front of a router the method stays HEAD: a router looks for a HEAD route first, and else asks the GET
 * route itself.
 *
 * Needs nothing, provides nothing. Idempotent: further in the method is no longer HEAD.
 *
 * Source: Ring, wrap-head; RFC 9110 9.3.2. Unlike Ring: a HEAD route of a router is found, and
 * Content-Length is told even where nobody has set it.
 */
#define HOOP_HEAD(...) HOOP_USE(&hoop_head_type, (__VA_ARGS__), sizeof(hoop_head_options))

/** The function behind hoop_head_request(). */
HOOP_API const hoop_request *hoop_head_request_sized(const hoop_request *req,
                                                     const hoop_response **ret_answer,
                                                     const hoop_head_options *options,
                                                     size_t options_size);

/**
 * The request as GET, if it is HEAD; whatever is further in. NULL if that failed (noted); `ret_answer` stays
 * as it is, always.
 */
#define hoop_head_request(req, ret_answer, ...) \
    hoop_head_request_sized((req), (ret_answer), (__VA_ARGS__), sizeof(hoop_head_options))

/** The function behind hoop_head_response(). */
HOOP_API const hoop_response *hoop_head_response_sized(const hoop_request *req,
                                                       const hoop_response *res,
                                                       const hoop_head_options *options,
                                                       size_t options_size);

/**
 * The response without body, if `req`, the one from outside, is HEAD. Pending, NULL and pass as in
 * hoop_with_header().
 */
#define hoop_head_response(req, res, ...) \
    hoop_head_response_sized((req), (res), (__VA_ARGS__), sizeof(hoop_head_options))

HOOP_END_DECLS

#endif
