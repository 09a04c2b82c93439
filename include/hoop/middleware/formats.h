/** @file
 * Middleware "formats": reads bodies and writes values in the formats that client and server share.
 */
#ifndef HOOP_MIDDLEWARE_FORMATS_H
#define HOOP_MIDDLEWARE_FORMATS_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

struct json_t;

/**
 * Reads a body. 0 and `*ret_value`, a new reference; or nonzero and `*ret_answer` is the refusal to return, or
 * stays as it is because that failed (noted).
 */
typedef int hoop_decode_fn(const hoop_request *req, hoop_str body, struct json_t **ret_value,
                           const hoop_response **ret_answer);

/** Writes a value into the arena of `req`. 0 and `*ret_bytes`, or a code, and it is noted. */
typedef int hoop_encode_fn(const hoop_request *req, const struct json_t *value,
                           hoop_str *ret_bytes);

/** A format of bodies: one constant for all its uses. */
typedef struct hoop_format {
    const char
        *types; /**< media types, by commas: the first is sent, all are read; "+json" stands for
                                 every type with that suffix */
    hoop_decode_fn *decode; /**< NULL: bodies of requests are not read */
    hoop_encode_fn *encode; /**< NULL: responses are not written */
} hoop_format;

/** application/json, both ways. */
HOOP_API extern const hoop_format hoop_format_json;

/** application/x-www-form-urlencoded, read as an object of texts, and of arrays of texts; not written. */
HOOP_API extern const hoop_format hoop_format_form;

/** Zero means the default given here. */
typedef struct hoop_formats_options {
    const hoop_format *const *formats; /**< what there is, then NULL; the first that is written is
                                            the default. NULL: JSON alone */
    uint64_t max_body;                 /**< bytes: 0: the route's or the server's max_body; 413 */
    uint32_t strict;   /**< nonzero: 415 for a body that no format reads; 0: it is left alone */
    uint32_t reserved; /**< zero */
} hoop_formats_options;

/** The type of HOOP_FORMATS(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_formats_type;

/**
 * An entry of a chain: `HOOP_FORMATS(NULL)`, `HOOP_FORMATS(&options)`. Options are borrowed.
 *
 * Requests: a body whose Content-Type is one of a format that reads is decoded, unless the route that was chosen
 * streams its body; hoop_request_value() gives the value. Without a body, or with an empty one, there is
 * none. 400 for what the format refuses, 413 beyond max_body, 415 for a charset that is not UTF-8.
 *
 * Responses: one that was made by hoop_value() is written in the format that Accept wants most, of several
 * the first; without Accept in the default. 406 if it wants none. Vary says so. A Content-Type that
 * the handler has set chooses the format instead; one that no format writes is a failure.
 *
 * A format without both functions, or without types, is refused when the chain is built.
 *
 * Needs nothing, provides "value". Twice on one path is refused.
 *
 * Source: Muuntaja; RFC 9110 12.5.1. Unlike Muuntaja: stars and q=0 are followed; Accept-Charset is not looked at,
 * since all is UTF-8 (RFC 9110 12.5.2 advises against it).
 */
#define HOOP_FORMATS(...) HOOP_USE(&hoop_formats_type, (__VA_ARGS__), sizeof(hoop_formats_options))

/** The function behind hoop_formats_request(). */
HOOP_API const hoop_request *hoop_formats_request_sized(const hoop_request *req,
                                                        const hoop_response **ret_answer,
                                                        const hoop_formats_options *options,
                                                        size_t options_size);

/**
 * The request with its value, if the body has been read. Or NULL: then `*ret_answer` is the refusal to return, or
 * it stays NULL because that failed (noted).
 */
#define hoop_formats_request(req, ret_answer, ...) \
    hoop_formats_request_sized((req), (ret_answer), (__VA_ARGS__), sizeof(hoop_formats_options))

/** The function behind hoop_formats_response(). */
HOOP_API const hoop_response *hoop_formats_response_sized(const hoop_request *req,
                                                          const hoop_response *res,
                                                          const hoop_formats_options *options,
                                                          size_t options_size);

/**
 * The response with its body. Pending, NULL and pass as in hoop_with_header().
 */
#define hoop_formats_response(req, res, ...) \
    hoop_formats_response_sized((req), (res), (__VA_ARGS__), sizeof(hoop_formats_options))

/**
 * A response whose body is to be written by HOOP_FORMATS() or HOOP_JSON_RESPONSE() further out; without either of
 * them it has none. Takes over the reference to `value`, also on failure; don't change it afterwards. NULL (noted)
 * if `value` is NULL or the status is none.
 */
HOOP_API const hoop_response *hoop_value(const hoop_request *req, int status, struct json_t *value);

/** That value, borrowed; NULL if there is none. */
HOOP_API struct json_t *hoop_response_value(const hoop_response *res);

/** What HOOP_FORMATS() has made of the request's body, borrowed; NULL if it has not. */
HOOP_API struct json_t *hoop_request_value(const hoop_request *req);

HOOP_END_DECLS

#endif
