/** @file
 * Parameters of a request: of its path, its query, its form and its headers, as text and typed.
 */
#ifndef HOOP_PARAM_H
#define HOOP_PARAM_H

#include <hoop/export.h>
#include <hoop/request.h>
#include <hoop/response.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/** Where a parameter is looked for. */
#define HOOP_IN_ANY    0u /**< the path, else the query, else the form */
#define HOOP_IN_PATH   1u /**< of the route: `:id`; decoded */
#define HOOP_IN_QUERY  2u /**< of the query string; decoded */
#define HOOP_IN_FORM   3u /**< of an urlencoded body that has been read; decoded */
#define HOOP_IN_HEADER 4u /**< a header */

/** Added to one of those: that the parameter is missing is an error, too. */
#define HOOP_REQUIRED 16u

/**
 * The value of the parameter `name`, wherever it is (HOOP_IN_ANY). Of several values it is the last one;
 * hoop_param_at() gives each. Absent if there is none, or if it has a NUL.
 */
HOOP_API hoop_str hoop_param(const hoop_request *req, const char *name);

/** The same from one place: `from` is one of HOOP_IN_*. Of several headers it is the first. */
HOOP_API hoop_str hoop_param_in(const hoop_request *req, uint32_t from, const char *name);

/** How many values a parameter has in one place. */
HOOP_API size_t hoop_param_count(const hoop_request *req, uint32_t from, const char *name);

/** The `index`-th of them, in the order sent, from 0; absent behind the last. */
HOOP_API hoop_str hoop_param_at(const hoop_request *req, uint32_t from, const char *name,
                                size_t index);

/**
 * All parameters of the query (HOOP_IN_QUERY), of the form (HOOP_IN_FORM), or of both, the query's first
 * (HOOP_IN_ANY), decoded, in the order sent, repeated names too. Only middleware that has read them
 * knows them (HOOP_PARAMS()): NULL, and a count of 0, without it. They live with the exchange.
 * `ret_count` may not be NULL. Source: Ring, `:query-params`, `:form-params`, `:params`.
 */
HOOP_API const hoop_field *hoop_params(const hoop_request *req, uint32_t from, size_t *ret_count);

/**
 * Reads a parameter as an integer: an optional '-' and digits, within 64 bits, nothing around.
 *
 *     int64_t limit = 20;
 *     const hoop_response *bad = NULL;
 *     hoop_param_int64(req, HOOP_IN_QUERY, "limit", &limit, &bad);
 *     if (bad)
 *         return bad;
 *
 * `from` is one of HOOP_IN_*, plus HOOP_REQUIRED. 1 and `*value` if it is there and right. 0 if it is
 * absent: `*value` stays what it was, the default. If it is wrong, or missing though required, a code
 * (HOOP_EPARSE, HOOP_EMISSING), and `*bad` is the answer to return: 400, application/problem+json, whose
 * "errors" has an object with "in", "parameter", "value" and "expected" for each parameter that was found
 * wrong with the same `bad`, which is NULL before the first.
 */
HOOP_API int hoop_param_int64(const hoop_request *req, uint32_t from, const char *name,
                              int64_t *value, const hoop_response **bad);

/** The same for a number in decimal notation ("1.5", "-2e3"); neither infinite nor NaN. */
HOOP_API int hoop_param_double(const hoop_request *req, uint32_t from, const char *name,
                               double *value, const hoop_response **bad);

/** The same for 1 ("true", "1", "on") or 0 ("false", "0", "off"), in lower case. */
HOOP_API int hoop_param_bool(const hoop_request *req, uint32_t from, const char *name, int *value,
                             const hoop_response **bad);

/** The same for a UUID with its hyphens, in either case, as its 16 bytes. Source: RFC 9562 4. */
HOOP_API int hoop_param_uuid(const hoop_request *req, uint32_t from, const char *name,
                             uint8_t value[16], const hoop_response **bad);

/**
 * The same for a date and time with its offset ("2026-11-30T09:00:00.5Z"), in milliseconds since 1970;
 * finer fractions are cut. Source: RFC 3339 5.6.
 */
HOOP_API int hoop_param_time(const hoop_request *req, uint32_t from, const char *name,
                             int64_t *value, const hoop_response **bad);

/** The same for a text as it is; with HOOP_REQUIRED it may not be empty. */
HOOP_API int hoop_param_text(const hoop_request *req, uint32_t from, const char *name,
                             hoop_str *value, const hoop_response **bad);

HOOP_END_DECLS

#endif
