/** @file
 * Middleware "params": reads the query and the urlencoded form once, with limits, and refuses broken
 * ones.
 */
#ifndef HOOP_MIDDLEWARE_PARAMS_H
#define HOOP_MIDDLEWARE_PARAMS_H

#include <hoop/middleware.h>
#include <hoop/param.h>

HOOP_BEGIN_DECLS

/** How parameters are read. Zero means the default given here. */
typedef struct hoop_params_options {
    uint64_t max_form;  /**< bytes of a form's body: 0: the route's or the server's max_body; 413 */
    uint32_t max_count; /**< parameters of query and form together: 512; 400 */
    uint32_t max_name;  /**< bytes of a decoded name: 1024; 400 */
    uint32_t lenient;   /**< nonzero: read as browsers do, see HOOP_PARAMS() */
    uint32_t query_only; /**< nonzero: the form is left alone, and the body unread */
} hoop_params_options;

/** The type of HOOP_PARAMS(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_params_type;

/**
 * An entry of a chain: `HOOP_PARAMS(NULL)`, `HOOP_PARAMS(&options)`. Options are borrowed.
 *
 * Reads the query, and the body if its type is application/x-www-form-urlencoded (unless the route that
 * was chosen streams its body), so that hoop_params() gives them as lists, and hoop_param() and kin find
 * them without reading them again. Their strings are UTF-8, have no NUL within and one behind.
 *
 * Answers 400 (RFC 9457) for a '%' that begins no escape, a NUL, bytes that are no UTF-8, and beyond
 * max_count and max_name; 413 beyond max_form; 415 for a form in another charset than UTF-8. `lenient`: what is no
 * escape stays as it is, and U+FFFD stands for what is no UTF-8.
 *
 * Needs nothing, provides "params". Idempotent: mounted twice, the inner one reads only what the outer
 * one has not.
 *
 * Source: Ring, wrap-params; WHATWG URL 5.1. Unlike Ring: broken pairs are refused and not dropped; there are
 * limits; other charsets than UTF-8 are refused; the media type is compared without case. Like Ring, hoop_param()
 * prefers the query to the form; hoop_param_in() asks one of them, hoop_params() with HOOP_IN_ANY gives both.
 */
#define HOOP_PARAMS(...) HOOP_USE(&hoop_params_type, (__VA_ARGS__), sizeof(hoop_params_options))

/** The function behind hoop_params_request(). */
HOOP_API const hoop_request *hoop_params_request_sized(const hoop_request *req,
                                                       const hoop_response **ret_answer,
                                                       const hoop_params_options *options,
                                                       size_t options_size);

/**
 * The request with its parameters read; the form's only if the body has been read. Or NULL: then
 * `*ret_answer` is the refusal to return, or it stays NULL because that failed (noted).
 *
 *     const hoop_response *answer = NULL;
 *     req = hoop_params_request(req, &answer, NULL);
 *     if (!req)
 *         return answer;
 */
#define hoop_params_request(req, ret_answer, ...) \
    hoop_params_request_sized((req), (ret_answer), (__VA_ARGS__), sizeof(hoop_params_options))

HOOP_END_DECLS

#endif
