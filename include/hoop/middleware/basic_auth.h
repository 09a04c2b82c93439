/** @file
 * Middleware "basic_auth": a name and a password in each request.
 */
#ifndef HOOP_MIDDLEWARE_BASIC_AUTH_H
#define HOOP_MIDDLEWARE_BASIC_AUTH_H

#include <hoop/identity.h>
#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** A user of a fixed table. */
typedef struct hoop_basic_user {
    const char *name;     /**< without ':' */
    const char *password; /**< in clear; compared in constant time */
} hoop_basic_user;

/**
 * Checks a name and a password: returns hoop_accept(), hoop_reject(), another response to answer with, or a
 * pending one that becomes one of these (a password hash takes long: compute it on another thread, and
 * resolve). NULL: failed. On the loop's thread; the strings live with the exchange.
 */
typedef const hoop_response *hoop_basic_check_fn(const hoop_request *req, hoop_str user,
                                                 hoop_str password, void *data);

/** Zero means the default given here. One of `users` and `check` is needed. */
typedef struct hoop_basic_auth_options {
    const hoop_basic_user *users; /**< who may come in; or NULL */
    size_t user_count;            /**< how many */
    hoop_basic_check_fn *check;   /**< asked if `users` has no such user; or NULL */
    void *data;                   /**< of `check` */
    const char *realm;            /**< what browsers show: "protected" */
    uint32_t optional; /**< nonzero: requests without such credentials go on, from nobody */
    uint32_t reserved; /**< zero */
} hoop_basic_auth_options;

/** The type of HOOP_BASIC_AUTH(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_basic_auth_type;

/**
 * An entry of a chain: `HOOP_BASIC_AUTH(&options)`. Options are borrowed; users live as long as the chain's arena.
 *
 * A request with good credentials goes on, and hoop_identity() tells the user's name. One without, or with
 * bad ones, is answered 401 with `WWW-Authenticate: Basic realm="protected", charset="UTF-8"`; two
 * Authorization headers and what can't be read count as bad. All users of the table are compared, each in
 * constant time. Options without users and check, and a name with ':', are refused when the chain is
 * built.
 *
 * Needs nothing, provides "authentication". Not idempotent: give a second one a name of its own.
 * Passwords cross the wire as they are: use it over https alone.
 *
 * Source: RFC 7617; buddy-auth, http-basic-backend. Unlike there: 401 where credentials are needed, without
 * a rule further in.
 */
#define HOOP_BASIC_AUTH(...) \
    HOOP_USE(&hoop_basic_auth_type, (__VA_ARGS__), sizeof(hoop_basic_auth_options))

/** The function behind hoop_basic_auth_request(). */
HOOP_API const hoop_request *hoop_basic_auth_request_sized(const hoop_request *req,
                                                           const hoop_response **ret_answer,
                                                           const hoop_basic_auth_options *options,
                                                           size_t options_size);

/**
 * The request with the identity of its user; a `check` must answer at once. Or NULL, and `*ret_answer` as
 * in hoop_params_request().
 */
#define hoop_basic_auth_request(req, ret_answer, ...)                 \
    hoop_basic_auth_request_sized((req), (ret_answer), (__VA_ARGS__), \
                                  sizeof(hoop_basic_auth_options))

HOOP_END_DECLS

#endif
