/** @file
 * Middleware "anti_forgery": refuses what other sites have a browser send in its user's name (CSRF).
 */
#ifndef HOOP_MIDDLEWARE_ANTI_FORGERY_H
#define HOOP_MIDDLEWARE_ANTI_FORGERY_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Tells a text of the request: the token that it brings, or whose it is. Absent: none. */
typedef hoop_str hoop_anti_forgery_fn(const hoop_request *req, void *data);

/** Zero means the default given here. */
typedef struct hoop_anti_forgery_options {
    /** Origins from which unsafe requests may come, besides our own: "https://a.example", NULL at the end. */
    const char *const *origins;
    hoop_anti_forgery_fn *token; /**< in place of the form's field and the headers */
    void *token_data;            /**< of `token` */
    const char *field;           /**< of forms: "__anti-forgery-token" */
    /** A header with which a request is safe without a token: a page of another origin can't send it. NULL: none */
    const char *safe_header;
    hoop_handler_fn *refused; /**< what answers a refused request; NULL: 403, a problem or a page */
    void *refused_data;       /**< of `refused` */
    /** HOOP_ANTI_FORGERY_COOKIE(): secrets of 32 bytes or more, 1 to 8; the first signs, all are taken. */
    const hoop_str *keys;
    size_t key_count; /**< how many */
    /** HOOP_ANTI_FORGERY_COOKIE(): what the cookie is bound to, as the name of a user. NULL: nothing */
    hoop_anti_forgery_fn *subject;
    void *subject_data; /**< of `subject` */
    const char *cookie; /**< HOOP_ANTI_FORGERY_COOKIE(): its name, "__Host-csrf" */
    uint32_t
        always_token; /**< nonzero: a token is needed, too, where the browser says "same origin" */
    uint32_t development; /**< nonzero: a refusal tells the reason; never where strangers come */
} hoop_anti_forgery_options;

/** The types of HOOP_ANTI_FORGERY() and HOOP_ANTI_FORGERY_COOKIE(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_anti_forgery_type;
/** The one that keeps its secret in a cookie. */
HOOP_API extern const hoop_middleware_type hoop_anti_forgery_cookie_type;

/**
 * An entry of a chain: `HOOP_ANTI_FORGERY(NULL)`, `HOOP_ANTI_FORGERY(&options)`. Options are borrowed.
 *
 * GET, HEAD and OPTIONS are safe and pass, but for a handshake of a WebSocket (Upgrade: websocket), which is asked
 * the first question alone, since a page can't send it a token. Of any other request it is asked, in this order:
 *
 * 1. What does the browser say of where it comes from? Sec-Fetch-Site "cross-site" or "same-site", or, without
 *    that header, an Origin that is not our own, is refused, unless `origins` has it. "same-origin", "none"
 *    and our own Origin pass, since no page can forge these headers (`always_token`: they need a token as well).
 * 2. Does it have the `safe_header`, and something in it? It passes.
 * 3. Does it bring the token? Taken from the form's field (of a form that HOOP_PARAMS() has read), else from
 *    X-CSRF-Token, else X-XSRF-Token; compared in constant time.
 *
 * A refused request does not come further: 403, a page if the client prefers HTML, else a problem. Why it was
 * refused is told in development only.
 *
 * The token's secret, 256 random bits, stands in the session, as "_csrf", from the first response on whose
 * handler has asked for the token; hoop_session_clear() and hoop_session_rotate() do away with it. Each token that
 * is given out is masked with fresh random bytes, so that compression tells nothing of it (BREACH).
 *
 * Refused when the chain is built: keys, which are for the other one. Behind a proxy mount HOOP_FORWARDED() further
 * out, or our own origin is not known. Needs "session" and "params", provides "anti_forgery". Not idempotent.
 *
 * Source: ring-anti-forgery; OWASP's CSRF prevention; the Fetch Metadata specification. Unlike Ring: origin first,
 * masked tokens, no session for clients that never see a form.
 */
#define HOOP_ANTI_FORGERY(...) \
    HOOP_USE(&hoop_anti_forgery_type, (__VA_ARGS__), sizeof(hoop_anti_forgery_options))

/**
 * The same without a session: the secret stands in a cookie, `cookie`, signed by HMAC-SHA256 under `keys` together with
 * the `subject` (double submit). The cookie is HttpOnly, SameSite=Lax, for path "/", Secure if its name begins
 * with "__" or the request came by https; give it another name for plain http. hoop_session_rotate() and
 * hoop_session_clear() do away with it, too.
 *
 * Refused when the chain is built: no key, or one of less than 32 bytes; a name that hoop_cookie_format() refuses;
 * HOOP_EUNSUPPORTED in a build without libcrypto. Needs "params", provides "anti_forgery". Not idempotent.
 */
#define HOOP_ANTI_FORGERY_COOKIE(...) \
    HOOP_USE(&hoop_anti_forgery_cookie_type, (__VA_ARGS__), sizeof(hoop_anti_forgery_options))

/**
 * The token for forms and scripts of this client, 86 characters of base64url, another one each time it is
 * asked for; all are good. Absent without the middleware, or if it failed (noted). Lives as long as the arena of `req`.
 * Threads: any that may use `req`.
 */
HOOP_API hoop_str hoop_csrf_token(const hoop_request *req);

/** `<input type="hidden" name="..." value="...">` with the token, for forms; escaped. Absent as the token. */
HOOP_API hoop_str hoop_csrf_field(const hoop_request *req);

/** The function behind hoop_anti_forgery_request(). */
HOOP_API const hoop_request *hoop_anti_forgery_request_sized(
    const hoop_request *req, const hoop_response **ret_answer,
    const hoop_anti_forgery_options *options, size_t options_size);

/**
 * The request, checked, and able to give tokens; by cookie if `options` has keys, else by session. Or NULL, and
 * `*ret_answer` as in hoop_params_request().
 */
#define hoop_anti_forgery_request(req, ret_answer, ...)                 \
    hoop_anti_forgery_request_sized((req), (ret_answer), (__VA_ARGS__), \
                                    sizeof(hoop_anti_forgery_options))

/** The function behind hoop_anti_forgery_response(). */
HOOP_API const hoop_response *hoop_anti_forgery_response_sized(
    const hoop_request *req, const hoop_response *res, const hoop_anti_forgery_options *options,
    size_t options_size);

/** The response that keeps the secret, if one was made for `req`. Pending, NULL and pass as in hoop_with_header(). */
#define hoop_anti_forgery_response(req, res, ...) \
    hoop_anti_forgery_response_sized((req), (res), (__VA_ARGS__), sizeof(hoop_anti_forgery_options))

HOOP_END_DECLS

#endif
