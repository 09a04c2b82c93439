/** @file
 * Bundles: the middleware that an API or a site needs, in the right order, as data.
 *
 *     static const hoop_session_options week = { .idle = 604800 };
 *     static const hoop_middleware session = HOOP_SESSION(&week), etag = HOOP_ETAG(NULL);
 *
 *     hoop_defaults site = hoop_defaults_site;
 *     site.session = &session;        // with options
 *     site.etag = &etag;              // on, with its defaults
 *     site.default_charset = NULL;    // off
 *     rc = hoop_defaults_new(arena, &site, router, &handler, &error);
 */
#ifndef HOOP_DEFAULTS_H
#define HOOP_DEFAULTS_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/**
 * A chain by its entries, the outermost first. An entry that is NULL is off. It is on with its defaults or
 * with options as in any chain (HOOP_PARAMS(NULL), HOOP_PARAMS(&options)); and since an entry is a middleware like any
 * other, one of your own may stand in its place. Entries are borrowed until the table is made. Order is what this
 * struct is for: static files stand outside of sessions and forgery checks, but inside of the headers; what reads a
 * form stands outside of what looks into it.
 */
typedef struct hoop_defaults {
    const hoop_middleware *outer; /**< entries of your own in front of all others, `outer_count` */
    const hoop_middleware *inner; /**< behind all others, `inner_count` */
    size_t outer_count;           /**< how many */
    size_t inner_count;           /**< how many */
    const hoop_middleware *forwarded;         /**< HOOP_FORWARDED(): behind a proxy */
    const hoop_middleware *request_id;        /**< HOOP_REQUEST_ID() */
    const hoop_middleware *traceparent;       /**< HOOP_TRACEPARENT() */
    const hoop_middleware *access_log;        /**< HOOP_ACCESS_LOG() */
    const hoop_middleware *concurrency_limit; /**< HOOP_CONCURRENCY_LIMIT() */
    const hoop_middleware *host_check;        /**< HOOP_HOST_CHECK() */
    const hoop_middleware *ssl_redirect;      /**< HOOP_SSL_REDIRECT() */
    const hoop_middleware *hsts;              /**< HOOP_HSTS() */
    const hoop_middleware *secure_headers;    /**< HOOP_SECURE_HEADERS() */
    const hoop_middleware *timeout;           /**< HOOP_TIMEOUT() */
    const hoop_middleware *cors;              /**< HOOP_CORS() */
    const hoop_middleware *catch_errors;      /**< HOOP_CATCH_ERRORS() */
    const hoop_middleware *rate_limit;        /**< HOOP_RATE_LIMIT() */
    const hoop_middleware *head;              /**< HOOP_HEAD() */
    const hoop_middleware *compress;          /**< HOOP_COMPRESS() */
    const hoop_middleware *not_modified;      /**< HOOP_NOT_MODIFIED() */
    const hoop_middleware *etag;              /**< HOOP_ETAG() */
    const hoop_middleware *default_charset;   /**< HOOP_DEFAULT_CHARSET() */
    const hoop_middleware *content_type;      /**< HOOP_CONTENT_TYPE() */
    const hoop_middleware *files;             /**< HOOP_STATIC_FILES() */
    const hoop_middleware *resources; /**< likewise: a second folder, which the first one hides */
    const hoop_middleware *absolute_redirects; /**< HOOP_ABSOLUTE_REDIRECTS() */
    const hoop_middleware *cookies;            /**< HOOP_COOKIES() */
    const hoop_middleware *decompress;         /**< HOOP_DECOMPRESS() */
    const hoop_middleware *params;             /**< HOOP_PARAMS() */
    const hoop_middleware *multipart_params;   /**< HOOP_MULTIPART_PARAMS() */
    const hoop_middleware *nested_params;      /**< HOOP_NESTED_PARAMS() */
    const hoop_middleware *formats;            /**< HOOP_FORMATS(), HOOP_JSON_PARAMS() */
    const hoop_middleware *session;            /**< HOOP_SESSION() */
    const hoop_middleware *flash;              /**< HOOP_FLASH() */
    const hoop_middleware *authentication;     /**< HOOP_BASIC_AUTH(), HOOP_BEARER() */
    const hoop_middleware *access_rules;       /**< HOOP_ACCESS_RULES() */
    const hoop_middleware *anti_forgery;       /**< HOOP_ANTI_FORGERY() */
    const hoop_middleware *method_override;    /**< HOOP_METHOD_OVERRIDE() */
} hoop_defaults;

/**
 * For APIs that programs use: `not_modified`, `default_charset`, `content_type`, `params`. Neither cookies nor
 * sessions. Source: ring-defaults, api-defaults.
 */
HOOP_API extern const hoop_defaults hoop_defaults_api;

/**
 * For sites that browsers use: as the former, and `secure_headers` (X-Frame-Options: SAMEORIGIN and
 * X-Content-Type-Options: nosniff, no others), `absolute_redirects`, `cookies`, `multipart_params` (temporary files in
 * /tmp), `nested_params`, `session` (in memory of this chain), `flash`, `anti_forgery` with the safe header
 * "X-Anti-Forgery". Set `session` to a store that fits if there is more than one process. Source: ring-defaults,
 * site-defaults; its `resources` are yours to set.
 */
HOOP_API extern const hoop_defaults hoop_defaults_site;

/**
 * For sites that are reached by https alone: as the former, and `ssl_redirect`, `hsts`, all of `secure_headers`
 * with its content security policy, and a session whose cookie is "__Host-session" and Secure. Behind a proxy that
 * does https set `forwarded`, too, or every request is sent to https for ever. Source: ring-defaults,
 * secure-site-defaults, which has no content security policy.
 */
HOOP_API extern const hoop_defaults hoop_defaults_secure;

/** The function behind hoop_defaults_table(). */
HOOP_API int hoop_defaults_table_sized(hoop_arena *arena, const hoop_defaults *defaults,
                                       size_t defaults_size, size_t entry_size,
                                       const hoop_middleware **ret_table, size_t *ret_count,
                                       hoop_error *error);

/**
 * The entries that are on, in their order, as a table for hoop_chain_new() or HOOP_WITH(). Made in `arena`; options are
 * borrowed. 0, HOOP_EINVAL (NULL), HOOP_ENOMEM.
 */
#define hoop_defaults_table(arena, defaults, ret_table, ret_count, error)                          \
    hoop_defaults_table_sized((arena), (defaults), sizeof(hoop_defaults), sizeof(hoop_middleware), \
                              (ret_table), (ret_count), (error))

/** The function behind hoop_defaults_new(). */
HOOP_API int hoop_defaults_new_sized(hoop_arena *arena, const hoop_defaults *defaults,
                                     size_t defaults_size, size_t entry_size, hoop_handler handler,
                                     hoop_handler *ret_handler, hoop_error *error);

/**
 * hoop_defaults_table() and hoop_chain_new() around `handler`: whatever is wrong, in an entry or between two, is
 * refused by name. hoop_chain_print() shows what came out. 0 and `*ret_handler`, or a code.
 */
#define hoop_defaults_new(arena, defaults, handler, ret_handler, error)                          \
    hoop_defaults_new_sized((arena), (defaults), sizeof(hoop_defaults), sizeof(hoop_middleware), \
                            (handler), (ret_handler), (error))

HOOP_END_DECLS

#endif
