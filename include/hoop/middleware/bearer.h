/** @file
 * Middleware "bearer": a token in each request.
 */
#ifndef HOOP_MIDDLEWARE_BEARER_H
#define HOOP_MIDDLEWARE_BEARER_H

#include <hoop/identity.h>
#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** A token of a fixed table. */
typedef struct hoop_bearer_token {
    const char *token; /**< compared in constant time; of at least 16 bytes */
    const char *name;  /**< whose it is, for hoop_identity() */
} hoop_bearer_token;

/** Checks a token, as hoop_basic_check_fn checks a name and a password. */
typedef const hoop_response *hoop_bearer_check_fn(const hoop_request *req, hoop_str token,
                                                  void *data);

/** Zero means the default given here. One of `tokens` and `check` is needed. */
typedef struct hoop_bearer_options {
    const hoop_bearer_token *tokens; /**< which are good; or NULL */
    size_t token_count;              /**< how many */
    hoop_bearer_check_fn *check;     /**< asked if `tokens` has no such token; or NULL */
    void *data;                      /**< of `check` */
    const char *realm;               /**< "api" */
    uint32_t optional;               /**< nonzero: requests without a token go on, from nobody */
    uint32_t reserved;               /**< zero */
} hoop_bearer_options;

/** The type of HOOP_BEARER(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_bearer_type;

/**
 * An entry of a chain: `HOOP_BEARER(&options)`. Options are borrowed; tokens live as long as the chain's arena.
 *
 * A request with a good token goes on, and hoop_identity() tells whose it is. One without is answered
 * 401 with `WWW-Authenticate: Bearer realm="api"`, one with a bad token 401 with `error="invalid_token"`
 * besides, one with two Authorization headers, or with what can't be read, 400 with
 * `error="invalid_request"`. Only the Authorization header is looked at: tokens in queries stand in logs.
 * With `optional` a request without credentials, or with those of another scheme, goes on: so HOOP_BASIC_AUTH() can
 * stand behind it, and HOOP_ACCESS_RULES() behind both asks for one of them.
 * Options without tokens and check, and a token of less than 16 bytes, are refused when the chain is built.
 *
 * Needs nothing, provides "authentication". Not idempotent: give a second one a name of its own.
 *
 * Source: RFC 6750; buddy-auth, token-backend, whose scheme is "Token".
 */
#define HOOP_BEARER(...) HOOP_USE(&hoop_bearer_type, (__VA_ARGS__), sizeof(hoop_bearer_options))

/** The function behind hoop_bearer_request(). */
HOOP_API const hoop_request *hoop_bearer_request_sized(const hoop_request *req,
                                                       const hoop_response **ret_answer,
                                                       const hoop_bearer_options *options,
                                                       size_t options_size);

/**
 * The request with the identity of its token; a `check` must answer at once. Or NULL, and `*ret_answer` as
 * in hoop_params_request().
 */
#define hoop_bearer_request(req, ret_answer, ...) \
    hoop_bearer_request_sized((req), (ret_answer), (__VA_ARGS__), sizeof(hoop_bearer_options))

HOOP_END_DECLS

#endif
