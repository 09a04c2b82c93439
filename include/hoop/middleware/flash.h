/** @file
 * Middleware "flash": values for the next request of the session alone, as a note behind a redirect.
 */
#ifndef HOOP_MIDDLEWARE_FLASH_H
#define HOOP_MIDDLEWARE_FLASH_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_flash_options {
    const char *prefix; /**< of their names in the session: "_flash." */
} hoop_flash_options;

/** The type of HOOP_FLASH(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_flash_type;

/**
 * An entry of a chain: `HOOP_FLASH(NULL)`, `HOOP_FLASH(&options)`. Options are borrowed.
 *
 * What a response leaves by hoop_with_flash() is there for the next request of the session, and gone behind
 * it: it is kept in the session under names with the prefix, which handlers don't see there. A response that ends
 * the session (hoop_session_clear()) may still leave a flash: the session is then that alone. A failure or
 * a pass leaves all as it is, so the flash is there once more. An empty prefix is refused when the chain is built.
 *
 * Needs "session", provides "flash". Not idempotent.
 *
 * Source: Ring, wrap-flash. Unlike Ring's, which is one value of any kind, flashes have names.
 */
#define HOOP_FLASH(...) HOOP_USE(&hoop_flash_type, (__VA_ARGS__), sizeof(hoop_flash_options))

/** What the last response left under `key`; absent if nothing. Lives with the exchange. */
HOOP_API hoop_str hoop_flash(const hoop_request *req, const char *key);

/**
 * All that the last response left, names without the prefix. NULL, and a count of 0, if nothing.
 * `ret_count` may not be NULL. They live with the exchange.
 */
HOOP_API const hoop_field *hoop_flashes(const hoop_request *req, size_t *ret_count);

/**
 * The response that leaves a value for the next request; copied. Pending, NULL and pass as in
 * hoop_with_header(). NULL (noted) if `key` is NULL or empty, or `value` is NULL.
 */
HOOP_API const hoop_response *hoop_with_flash(const hoop_request *req, const hoop_response *res,
                                              const char *key, const char *value);

/** The function behind hoop_flash_request(). */
HOOP_API const hoop_request *hoop_flash_request_sized(const hoop_request *req,
                                                      const hoop_response **ret_answer,
                                                      const hoop_flash_options *options,
                                                      size_t options_size);

/** The request with its flashes, taken out of its session. NULL: that failed (noted). */
#define hoop_flash_request(req, ret_answer, ...) \
    hoop_flash_request_sized((req), (ret_answer), (__VA_ARGS__), sizeof(hoop_flash_options))

/** The function behind hoop_flash_response(). */
HOOP_API const hoop_response *hoop_flash_response_sized(const hoop_request *req,
                                                        const hoop_response *res,
                                                        const hoop_flash_options *options,
                                                        size_t options_size);

/**
 * The response that changes the session so: what it leaves, without what `req` has read. Pending, NULL and pass as in
 * hoop_with_header().
 */
#define hoop_flash_response(req, res, ...) \
    hoop_flash_response_sized((req), (res), (__VA_ARGS__), sizeof(hoop_flash_options))

HOOP_END_DECLS

#endif
