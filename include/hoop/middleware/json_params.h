/** @file
 * Middleware "json_params": reads a JSON body in front of the handler, and its members as parameters.
 */
#ifndef HOOP_MIDDLEWARE_JSON_PARAMS_H
#define HOOP_MIDDLEWARE_JSON_PARAMS_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_json_params_options {
    uint64_t max_body; /**< bytes: 0: the route's or the server's max_body; 413 */
    uint32_t
        max_depth; /**< arrays and objects within each other: 64; HOOP_OFF32: what is parsed; 400 */
    uint32_t reserved; /**< zero */
} hoop_json_params_options;

/** The type of HOOP_JSON_PARAMS(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_json_params_type;

/**
 * An entry of a chain: `HOOP_JSON_PARAMS(NULL)`, `HOOP_JSON_PARAMS(&options)`. Options are borrowed.
 *
 * Reads the body if its type is application/json, or any with the suffix +json, unless the route that was
 * chosen streams its body. hoop_request_json() then gives the value to whoever is further in. Members of an
 * object whose values are texts, numbers, true or false are parameters as those of a form are
 * (HOOP_IN_FORM, hoop_params()), an array of such is several of one name; null, and what holds more than
 * that, is not among them. A top-level value of another kind is no parameter at all.
 *
 * Answers 400 (RFC 9457) for what is no JSON and for too many levels, 413 beyond max_body, 415 for a charset that is
 * not UTF-8. An empty body is none.
 *
 * Needs nothing, provides "json". Idempotent: what has been read is not read again.
 *
 * Source: ring-json, wrap-json-params and wrap-json-body; RFC 8259, RFC 6839 3.1. Unlike ring-json: the type is
 * compared as a whole, so application/json5 is not read; the refusal is problem+json with line and column; no other
 * charsets; two members of one name are refused; hoop_param() prefers the query to the body.
 */
#define HOOP_JSON_PARAMS(...) \
    HOOP_USE(&hoop_json_params_type, (__VA_ARGS__), sizeof(hoop_json_params_options))

/** The function behind hoop_json_params_request(). */
HOOP_API const hoop_request *hoop_json_params_request_sized(const hoop_request *req,
                                                            const hoop_response **ret_answer,
                                                            const hoop_json_params_options *options,
                                                            size_t options_size);

/**
 * The request with its parameters, if the body has been read. Or NULL: then `*ret_answer` is the refusal to
 * return, or it stays NULL because that failed (noted).
 */
#define hoop_json_params_request(req, ret_answer, ...)                 \
    hoop_json_params_request_sized((req), (ret_answer), (__VA_ARGS__), \
                                   sizeof(hoop_json_params_options))

HOOP_END_DECLS

#endif
