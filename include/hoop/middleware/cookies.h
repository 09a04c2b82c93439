/** @file
 * Middleware "cookies": the cookies of a request as a list; and cookies added to responses.
 */
#ifndef HOOP_MIDDLEWARE_COOKIES_H
#define HOOP_MIDDLEWARE_COOKIES_H

#include <hoop/cookie.h>
#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_cookies_options {
    uint64_t max_count; /**< cookies of a request: 128; with more the answer is 400 */
    uint32_t
        encoding;    /**< of values, one of HOOP_COOKIE_*: HOOP_COOKIE_PLAIN, nothing is decoded */
    uint32_t commas; /**< nonzero: a comma parts cookies, too, as in RFC 2109 */
} hoop_cookies_options;

/** The type of HOOP_COOKIES(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_cookies_type;

/**
 * An entry of a chain: `HOOP_COOKIES(NULL)`, `HOOP_COOKIES(&options)`. Options are borrowed.
 *
 * Reads all Cookie headers once, for hoop_cookie() and hoop_cookies(). A value that can't be decoded, or holds
 * NUL once it is, is left out. An unknown encoding is refused when the chain is built. Without a Cookie
 * header nothing is done.
 *
 * Needs nothing, provides "cookies". Idempotent: mounted twice, the outer one has read them.
 *
 * Source: Ring, wrap-cookies; RFC 6265bis. Unlike Ring: values stay as they were sent unless an encoding is
 * asked for (HOOP_COOKIE_FORM is Ring's), a comma is part of a value, and of two cookies of one name the first
 * is taken, which is the one with the longer path.
 */
#define HOOP_COOKIES(...) HOOP_USE(&hoop_cookies_type, (__VA_ARGS__), sizeof(hoop_cookies_options))

/**
 * The value of the first cookie of this name, case counting; absent if there is none. Without the middleware
 * the headers are searched, and the value is as it was sent. Lives with the exchange.
 */
HOOP_API hoop_str hoop_cookie(const hoop_request *req, const char *name);

/**
 * All cookies that the middleware has read, in the order sent, repeated names too. NULL, and a count of 0,
 * without it. `ret_count` may not be NULL. They live with the exchange.
 */
HOOP_API const hoop_cookie_pair *hoop_cookies(const hoop_request *req, size_t *ret_count);

/** The function behind hoop_add_cookie(). */
HOOP_API const hoop_response *hoop_add_cookie_sized(const hoop_request *req,
                                                    const hoop_response *res, const char *name,
                                                    const char *value,
                                                    const hoop_cookie_options *options,
                                                    size_t options_size);

/**
 * `hoop_add_cookie(req, res, "theme", "dark", &(hoop_cookie_options){ .path = "/" })`: the response with a
 * Set-Cookie header more; each cookie has a line of its own. It needs no middleware. With
 * `remove` set in the options the cookie is deleted, and `value` may be NULL. Pending, NULL and pass as in
 * hoop_with_header(). NULL (noted, and the text says why) for all that hoop_cookie_format() refuses:
 * the answer is then 500.
 */
#define hoop_add_cookie(req, res, name, value, ...) \
    hoop_add_cookie_sized((req), (res), (name), (value), (__VA_ARGS__), sizeof(hoop_cookie_options))

/** The function behind hoop_cookies_request(). */
HOOP_API const hoop_request *hoop_cookies_request_sized(const hoop_request *req,
                                                        const hoop_response **ret_answer,
                                                        const hoop_cookies_options *options,
                                                        size_t options_size);

/** The request with its cookies. Or NULL, and `*ret_answer` as in hoop_params_request(). */
#define hoop_cookies_request(req, ret_answer, ...) \
    hoop_cookies_request_sized((req), (ret_answer), (__VA_ARGS__), sizeof(hoop_cookies_options))

HOOP_END_DECLS

#endif
