/** @file
 * Cookies: the Cookie header read, and the value of Set-Cookie written.
 */
#ifndef HOOP_COOKIE_H
#define HOOP_COOKIE_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/** A cookie as a client sends it; slices of the header. */
typedef struct hoop_cookie_pair {
    hoop_str name;  /**< never empty */
    hoop_str value; /**< without the quotes around it; nothing is decoded */
} hoop_cookie_pair;

/**
 * Takes the next cookie off the front of `*rest`, which is the value of a Cookie header: cut at ';', then at
 * the first '='. As browsers send it: a value may hold '=', blanks and bytes that are no ASCII. What has
 * no name, no '=' or a control character is passed over. A comma is part of a value.
 * 1, or 0 at the end. Threads: any. Source: RFC 6265bis 4.2 and 5.8.3.
 */
HOOP_API int hoop_cookie_next(hoop_str *rest, hoop_cookie_pair *ret_pair);

/**
 * The value of the `index`-th cookie (from 0) named `name`, case counting; absent if there is none. Browsers
 * send the one with the longest path first, so the first is the closest. Threads: any.
 */
HOOP_API hoop_str hoop_cookie_at(hoop_str header, const char *name, size_t index);

/**
 * Reads all cookies of a header into `pairs`. 0, or HOOP_ETOOBIG if there are more than `cap`; then the first
 * `cap` are there. Threads: any.
 */
HOOP_API int hoop_cookie_list(hoop_str header, hoop_cookie_pair *pairs, size_t cap,
                              size_t *ret_count);

/** How a value is written: `encoding` of hoop_cookie_options. */
#define HOOP_COOKIE_PLAIN   0u /**< as it is; what a cookie can't hold is refused */
#define HOOP_COOKIE_PERCENT 1u /**< percent-encoded, also the blank */
#define HOOP_COOKIE_FORM    2u /**< as in forms, the blank is '+'; what Ring does */

/** Whether the cookie goes along when another site makes the request: `same_site`. */
#define HOOP_SAME_SITE_UNSET  0u /**< no attribute; most browsers then take Lax */
#define HOOP_SAME_SITE_LAX    1u /**< with links followed to this site */
#define HOOP_SAME_SITE_STRICT 2u /**< never */
#define HOOP_SAME_SITE_NONE   3u /**< always; needs `secure` */

/** The attributes of a cookie. Zero means without. */
typedef struct hoop_cookie_options {
    const char *path;     /**< begins with '/'; NULL: the folder of the request's path */
    const char *domain;   /**< with the hosts below it; NULL: this host alone */
    uint64_t max_age;     /**< seconds that it is kept; 0: not said */
    int64_t expires;      /**< seconds since 1970; 0: not said. `max_age` wins */
    uint32_t secure;      /**< nonzero: by https only */
    uint32_t http_only;   /**< nonzero: not shown to scripts */
    uint32_t same_site;   /**< one of HOOP_SAME_SITE_* */
    uint32_t partitioned; /**< nonzero: kept apart per top-level site; needs `secure` */
    uint32_t remove;      /**< nonzero: deletes the cookie of this name, path and domain */
    uint32_t encoding;    /**< one of HOOP_COOKIE_* */
} hoop_cookie_options;

/** The largest line that is written, in bytes: what all browsers take. */
#define HOOP_COOKIE_MAX 4096

/** Writes a cookie; see hoop_cookie_format(). Threads: any. */
HOOP_API int hoop_cookie_format_sized(hoop_arena *arena, const char *name, hoop_str value,
                                      hoop_str *ret_line, hoop_error *error,
                                      const hoop_cookie_options *options, size_t options_size);

/**
 * `hoop_cookie_format(arena, name, value, &line, &error, options)`: writes the value of a Set-Cookie header into
 * the arena. The name is a token. Refused are also what a browser would drop without a word: SameSite=None
 * and Partitioned without `secure`; a name that begins with `__Secure-` without `secure`, with `__Host-`
 * without `secure` and path "/" or with a domain, with `__Http-` or `__Host-Http-` without `http_only` on
 * top; prefixes are known in any case. 0; HOOP_EINVAL, where the text says what is wrong; HOOP_ETOOBIG if
 * the line is over HOOP_COOKIE_MAX; HOOP_ENOMEM. Source: RFC 6265bis 4.1 and 5.7.
 */
#define hoop_cookie_format(arena, name, value, ret_line, error, ...)                       \
    hoop_cookie_format_sized((arena), (name), (value), (ret_line), (error), (__VA_ARGS__), \
                             sizeof(hoop_cookie_options))

/**
 * The text of an encoded value, with a NUL behind it. `encoding` is one of HOOP_COOKIE_*. 0; HOOP_EPARSE for a
 * broken escape or an encoded NUL; HOOP_EINVAL; HOOP_ENOMEM. Threads: any.
 */
HOOP_API int hoop_cookie_decode(hoop_arena *arena, hoop_str value, uint32_t encoding,
                                hoop_str *ret_text);

HOOP_END_DECLS

#endif
