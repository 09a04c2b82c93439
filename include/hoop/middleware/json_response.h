/** @file
 * Middleware "json_response": writes the value of hoop_value() as JSON.
 */
#ifndef HOOP_MIDDLEWARE_JSON_RESPONSE_H
#define HOOP_MIDDLEWARE_JSON_RESPONSE_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_json_response_options {
    uint32_t indent;   /**< blanks for each level, up to 31; 0: compact */
    uint32_t ascii;    /**< nonzero: what is beyond ASCII is written as \\u and four digits */
    uint32_t sort;     /**< nonzero: members in the order of their names */
    uint32_t reserved; /**< zero */
} hoop_json_response_options;

/** The type of HOOP_JSON_RESPONSE(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_json_response_type;

/**
 * An entry of a chain: `HOOP_JSON_RESPONSE(NULL)`, `HOOP_JSON_RESPONSE(&options)`. Options are borrowed.
 *
 * A response that was made by hoop_value() (hoop/middleware/formats.h) gets its value as the body, and
 * Content-Type application/json, unless it has one. All others stay as they are.
 *
 * Needs nothing, provides "value". Idempotent: what has a body is left alone.
 *
 * Source: ring-json, wrap-json-response; RFC 8259. Unlike ring-json: no charset, which JSON does not have; the header's
 * name is compared without case.
 */
#define HOOP_JSON_RESPONSE(...) \
    HOOP_USE(&hoop_json_response_type, (__VA_ARGS__), sizeof(hoop_json_response_options))

/** The function behind hoop_json_response_response(). */
HOOP_API const hoop_response *hoop_json_response_response_sized(
    const hoop_request *req, const hoop_response *res, const hoop_json_response_options *options,
    size_t options_size);

/**
 * The response with its body. Pending, NULL and pass as in hoop_with_header().
 */
#define hoop_json_response_response(req, res, ...)                 \
    hoop_json_response_response_sized((req), (res), (__VA_ARGS__), \
                                      sizeof(hoop_json_response_options))

HOOP_END_DECLS

#endif
