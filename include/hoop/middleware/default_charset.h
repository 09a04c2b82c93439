/** @file
 * Middleware "default_charset": says in which charset texts are.
 */
#ifndef HOOP_MIDDLEWARE_DEFAULT_CHARSET_H
#define HOOP_MIDDLEWARE_DEFAULT_CHARSET_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_default_charset_options {
    const char *charset; /**< NULL: "utf-8". A token (RFC 9110 5.6.2) */
} hoop_default_charset_options;

/** The type of HOOP_DEFAULT_CHARSET(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_default_charset_type;

/**
 * An entry of a chain: `HOOP_DEFAULT_CHARSET(NULL)`, `HOOP_DEFAULT_CHARSET(&options)`. Options are
 * borrowed.
 *
 * A response whose Content-Type is text/anything or application/xml, without charset, gets
 * "; charset=utf-8" behind it. All others stay as they are. A charset that is no token is refused when
 * the chain is built.
 *
 * Needs nothing, provides nothing. Idempotent: mounted twice, the inner one has its say.
 *
 * Source: Ring, wrap-default-charset (ring-headers). Unlike Ring: the media type itself is looked at, case
 * aside, not whether "text/" stands anywhere in the value.
 */
#define HOOP_DEFAULT_CHARSET(...) \
    HOOP_USE(&hoop_default_charset_type, (__VA_ARGS__), sizeof(hoop_default_charset_options))

/** The function behind hoop_default_charset_response(). */
HOOP_API const hoop_response *hoop_default_charset_response_sized(
    const hoop_request *req, const hoop_response *res, const hoop_default_charset_options *options,
    size_t options_size);

/** The response with the charset said. Pending, NULL and pass as in hoop_with_header(). */
#define hoop_default_charset_response(req, res, ...)                 \
    hoop_default_charset_response_sized((req), (res), (__VA_ARGS__), \
                                        sizeof(hoop_default_charset_options))

HOOP_END_DECLS

#endif
