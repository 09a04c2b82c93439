/** @file
 * Credentials and challenges: Authorization read, WWW-Authenticate read and written, Basic and Bearer.
 *
 * Secrets are compared by hoop_str_eq_secret() (hoop/str.h), whose time tells nothing of their bytes.
 */
#ifndef HOOP_AUTH_H
#define HOOP_AUTH_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/** Credentials or a challenge, as slices of the header. `token` or `params` is absent, or both are. */
typedef struct hoop_auth {
    hoop_str scheme; /**< "Basic"; compared without case */
    hoop_str token;  /**< what stands alone behind it (token68), "dXNlcjpwYXNz" */
    hoop_str params; /**< `realm="x", nonce="y"`, for hoop_auth_param_of() */
} hoop_auth;

/** A parameter of a challenge. */
typedef struct hoop_auth_param {
    const char *name;  /**< a token */
    const char *value; /**< text; written in quotes */
} hoop_auth_param;

/**
 * Reads the value of Authorization or Proxy-Authorization. What stands behind the scheme is looked at by
 * hoop_auth_param_of() only. 0, or HOOP_EPARSE if there is no scheme. Threads: any. Source: RFC 9110 11.4.
 */
HOOP_API int hoop_auth_parse(hoop_str value, hoop_auth *ret_auth);

/**
 * Takes the next challenge off the front of `*rest`, which is the value of WWW-Authenticate or
 * Proxy-Authenticate: a list of challenges, whose parameters stand between commas, too. 1, 0 at the end, or
 * HOOP_EPARSE (then `*rest` stays). Threads: any. Source: RFC 9110 11.6.1.
 */
HOOP_API int hoop_challenge_next(hoop_str *rest, hoop_auth *ret_auth);

/**
 * The text of the first parameter `name`, without case; absent if there is none. What is no parameter is
 * passed over. A slice of the header, or, if it was escaped, a copy in the arena (then absent also if out
 * of memory). Threads: any. Source: RFC 9110 11.2.
 */
HOOP_API hoop_str hoop_auth_param_of(hoop_arena *arena, const hoop_auth *auth, const char *name);

/**
 * Writes a challenge into the arena: `Bearer realm="api", error="invalid_token"`. 0; HOOP_EINVAL, where the
 * text names what is no token or can't be quoted; HOOP_ENOMEM. Threads: any. Source: RFC 9110 11.3.
 */
HOOP_API int hoop_challenge_format(hoop_arena *arena, const char *scheme,
                                   const hoop_auth_param *params, size_t count, hoop_str *ret_value,
                                   hoop_error *error);

/**
 * Reads `Basic <base64>`: UTF-8 without control characters, the user's name ends at the first ':'. Both are
 * copies in the arena with a NUL behind. 0; HOOP_EMISSING if there is no header or it has another
 * scheme; HOOP_EPARSE; HOOP_ENOMEM. Threads: any. Source: RFC 7617 2.
 */
HOOP_API int hoop_basic_parse(hoop_arena *arena, hoop_str value, hoop_str *ret_user,
                              hoop_str *ret_password);

/**
 * Writes the value of an Authorization header for a name and a password. 0; HOOP_EINVAL for a name with ':', a
 * control character or what is no UTF-8; HOOP_ENOMEM. Threads: any.
 */
HOOP_API int hoop_basic_format(hoop_arena *arena, hoop_str user, hoop_str password,
                               hoop_str *ret_value);

/**
 * Reads `Bearer <token>`; the token is a slice of the header. 0; HOOP_EMISSING if there is no header or it has
 * another scheme; HOOP_EPARSE. Threads: any. Source: RFC 6750 2.1.
 */
HOOP_API int hoop_bearer_parse(hoop_str value, hoop_str *ret_token);

HOOP_END_DECLS

#endif
