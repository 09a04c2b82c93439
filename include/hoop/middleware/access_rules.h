/** @file
 * Middleware "access_rules": who may do what, as a table.
 */
#ifndef HOOP_MIDDLEWARE_ACCESS_RULES_H
#define HOOP_MIDDLEWARE_ACCESS_RULES_H

#include <hoop/identity.h>
#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Nonzero if the request may go on. On the loop's thread; `data` is the rule's. */
typedef int hoop_access_fn(const hoop_request *req, const void *data);

/** Anyone may. */
HOOP_API int hoop_access_anyone(const hoop_request *req, const void *data);

/** Nobody may. */
HOOP_API int hoop_access_nobody(const hoop_request *req, const void *data);

/** Those may whom authentication has recognised (hoop_identity()). */
HOOP_API int hoop_access_authenticated(const hoop_request *req, const void *data);

/** A rule: constant data. */
typedef struct hoop_access_rule {
    const char *path; /**< "/a" alone; with "/a/" and an asterisk, that and all below; NULL: any */
    const char *methods;   /**< "GET POST"; GET is HEAD, too; NULL: any */
    hoop_access_fn *allow; /**< decides */
    const void *data;      /**< handed to it */
} hoop_access_rule;

/** Zero means the default given here. */
typedef struct hoop_access_rules_options {
    const hoop_access_rule *rules; /**< the first one that matches decides */
    size_t count;                  /**< how many */
    const char *challenge; /**< WWW-Authenticate of a 401 for who is not recognised; NULL: 403 */
    const char
        *login; /**< a path: GET and HEAD of who is not recognised are sent there, 303; or NULL */
    hoop_handler_fn *denied; /**< answers in place of all of these; or NULL */
    void *denied_data;       /**< handed to it */
    uint32_t open;           /**< nonzero: what no rule matches is allowed; else it is not */
    uint32_t reserved;       /**< zero */
} hoop_access_rules_options;

/** The type of HOOP_ACCESS_RULES(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_access_rules_type;

/**
 * An entry of a chain or of a route's own: `HOOP_ACCESS_RULES(&options)`. Options and rules are borrowed;
 * they live as long as the chain's arena.
 *
 * Paths are compared decoded, as the router reads them. If a rule has a path, one that could be read in
 * two ways is answered 400: an escaped slash or backslash, an empty segment, "." and "..", an escape
 * that is none. On a route (HOOP_WITH()) a rule without a path is enough, and is safer than a
 * path written twice. A rule without function, a path without '/' in front or with '*' elsewhere, and a
 * challenge or login path that can't stand in a header are refused when the chain is built.
 *
 * Who is denied gets 403, or, if nobody has recognised him, `login` or `challenge`.
 *
 * Needs nothing, though most rules ask for an identity: mount authentication further out. Provides
 * "access_rules". Not idempotent: two of them are two tables; give one a name.
 *
 * Source: buddy-auth's access rules. Unlike there: what no rule matches is denied unless `open` is said.
 */
#define HOOP_ACCESS_RULES(...) \
    HOOP_USE(&hoop_access_rules_type, (__VA_ARGS__), sizeof(hoop_access_rules_options))

/** The function behind hoop_access_rules_request(). */
HOOP_API const hoop_request *hoop_access_rules_request_sized(
    const hoop_request *req, const hoop_response **ret_answer,
    const hoop_access_rules_options *options, size_t options_size);

/** The request itself if it may go on. Or NULL, and `*ret_answer` as in hoop_params_request(). */
#define hoop_access_rules_request(req, ret_answer, ...)                 \
    hoop_access_rules_request_sized((req), (ret_answer), (__VA_ARGS__), \
                                    sizeof(hoop_access_rules_options))

HOOP_END_DECLS

#endif
