/** @file
 * Middleware "nested_params": makes trees of parameters whose names have brackets.
 */
#ifndef HOOP_MIDDLEWARE_NESTED_PARAMS_H
#define HOOP_MIDDLEWARE_NESTED_PARAMS_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

struct json_t;

/** Zero means the default given here. */
typedef struct hoop_nested_params_options {
    const char *separator; /**< "." splits "a.b"; NULL: brackets, "a[b]" */
    uint32_t max_depth;    /**< keys of one name: 32, at most 1024; 400 */
    uint32_t max_values;   /**< objects, arrays and texts in all: 4096; 400 */
} hoop_nested_params_options;

/** The type of HOOP_NESTED_PARAMS(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_nested_params_type;

/**
 * An entry of a chain: `HOOP_NESTED_PARAMS(NULL)`, `HOOP_NESTED_PARAMS(&options)`. Options are borrowed.
 *
 * Makes one object of the parameters of query and form, which hoop_nested_params() gives:
 *
 *     user[name]=ann&user[tags][]=a&user[tags][]=b    {"user": {"name": "ann", "tags": ["a", "b"]}}
 *     item[][id]=1&item[][id]=2                       {"item": [{"id": "1"}, {"id": "2"}]}
 *     a=1&a=2                                         {"a": ["1", "2"]}
 *
 * `[]` is a new element each time. A name whose brackets do not end it, or do not close, is taken as it is.
 * What stands between brackets (`a[b]x[c]`) counts for nothing. An empty text gives way to an object. The flat
 * parameters stay.
 *
 * Answers 400 (RFC 9457), naming both, if two parameters exclude each other (`a=1&a[b]=2`), and beyond the limits.
 *
 * Needs "params", provides nothing. Idempotent: what has been made is not made again.
 *
 * Source: Ring, wrap-nested-params. Unlike Ring: a text is not silently dropped for an object, clashes are 400 and not
 * 500, there are limits.
 */
#define HOOP_NESTED_PARAMS(...) \
    HOOP_USE(&hoop_nested_params_type, (__VA_ARGS__), sizeof(hoop_nested_params_options))

/** The function behind hoop_nested_params_request(). */
HOOP_API const hoop_request *hoop_nested_params_request_sized(
    const hoop_request *req, const hoop_response **ret_answer,
    const hoop_nested_params_options *options, size_t options_size);

/**
 * The request with its tree. Or NULL: then `*ret_answer` is the refusal to return, or it stays NULL because that
 * failed (noted).
 */
#define hoop_nested_params_request(req, ret_answer, ...)                 \
    hoop_nested_params_request_sized((req), (ret_answer), (__VA_ARGS__), \
                                     sizeof(hoop_nested_params_options))

/**
 * The tree of HOOP_NESTED_PARAMS(), a json_t that is an object (hoop/json.h has jansson's functions for it). It is
 * made in front of the handler where something can be refused, else by the first who asks, and for a deferred's request
 * each time, since that may be another thread's. Borrowed: it lives as long as the arena of `req`. NULL without the
 * middleware, or out of memory (noted). Threads: any that may use `req`.
 */
HOOP_API struct json_t *hoop_nested_params(const hoop_request *req);

HOOP_END_DECLS

#endif
