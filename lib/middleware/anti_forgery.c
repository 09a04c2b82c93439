/* Middleware "anti_forgery": see hoop/middleware/anti_forgery.h. */
#include "base/random.h"
#include "codec/list.h"
#include "crypto/crypto.h"
#include "middleware/cookies.h"
#include "middleware/csrf.h"
#include "middleware/html.h"
#include "middleware/session.h"

#include <hoop/accept.h>
#include <hoop/middleware/cookies.h>
#include <hoop/param.h>

#include <pthread.h>
#include <string.h>

#define SESSION_KEY "_csrf"
#define MIN_KEY     32u
#define MAX_KEYS    8u

static const char slot_key;

/* A request's secret: the one that the client has, or one that is made when a token is first asked for. */
struct slot {
    const hoop_anti_forgery_options *options;
    int known; /* the client has it; never changed */
    unsigned char secret[HOOP__CSRF_SECRET];
    pthread_mutex_t lock; /* for deferred handlers in threads: guards making it */
    int made;
};

static int by_cookie(const hoop_anti_forgery_options *options)
{
    return options->key_count > 0;
}

/* --- tokens ---------------------------------------------------------------------------------- */

/* Makes the secret if there is none. 0, or a code (noted). */
static int make_secret(const hoop_request *req, struct slot *slot)
{
    int rc = 0;
    pthread_mutex_lock(&slot->lock);
    if (!slot->made)
        rc = hoop__random(slot->secret, sizeof slot->secret);
    slot->made |= !rc;
    pthread_mutex_unlock(&slot->lock);
    if (rc)
        hoop_fail(req, rc, "no random bytes for a token: %s", hoop_strerror(rc));
    return rc;
}

hoop_str hoop_csrf_token(const hoop_request *req)
{
    struct slot *slot = hoop_get(req, &slot_key);
    if (!slot || (!slot->known && make_secret(req, slot)))
        return hoop_str_none();
    return hoop__csrf_mask(req, slot->secret);
}

hoop_str hoop_csrf_field(const hoop_request *req)
{
    const struct slot *slot = hoop_get(req, &slot_key);
    hoop_str token = hoop_csrf_token(req);
    struct hoop__html html = { .req = req };
    if (!token.len)
        return hoop_str_none();
    hoop__html_put(&html, "<input type=\"hidden\" name=\"");
    hoop__html_text(&html, hoop_str_c(slot->options->field));
    hoop__html_put(&html, "\" value=\"");
    hoop__html_text(&html, token);
    hoop__html_put(&html, "\">");
    return hoop__html_done(&html);
}

static hoop_str subject_of(const hoop_request *req, const hoop_anti_forgery_options *options)
{
    return options->subject ? options->subject(req, options->subject_data) : hoop_str_none();
}

static const hoop_request *with_slot(const hoop_request *req,
                                     const hoop_anti_forgery_options *options)
{
    static const pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    struct slot *slot = hoop_alloc(req, sizeof *slot);
    if (!slot)
        return NULL;
    slot->options = options;
    slot->made = 0;
    slot->lock = fresh;
    if (by_cookie(options))
        slot->known = hoop__csrf_verify(hoop_cookie(req, options->cookie), options->keys,
                                        options->key_count, subject_of(req, options), slot->secret);
    else
        slot->known = hoop__csrf_read(hoop_session_get(req, SESSION_KEY), slot->secret);
    return hoop_assoc(req, &slot_key, slot);
}

/* --- checks ---------------------------------------------------------------------------------- */

static int is_safe(const hoop_request *req)
{
    return req->method_number == HOOP_METHOD_GET || req->method_number == HOOP_METHOD_HEAD ||
           req->method_number == HOOP_METHOD_OPTIONS;
}

/* A handshake for a WebSocket: a GET, but what comes of it acts in the user's name. */
static int is_handshake(const hoop_request *req)
{
    hoop_str upgrade = hoop_header(req, "upgrade");
    return upgrade.len && hoop__list_has(upgrade, hoop_str_n("websocket", 9));
}

static hoop_str token_of(const hoop_request *req, const hoop_anti_forgery_options *options)
{
    if (options->token)
        return options->token(req, options->token_data);
    hoop_str token = hoop_param_in(req, HOOP_IN_FORM, options->field);
    if (hoop_str_is_none(token))
        token = hoop_header(req, "x-csrf-token");
    return hoop_str_is_none(token) ? hoop_header(req, "x-xsrf-token") : token;
}

/* Why a request is refused; NULL if it is not. `req` has its slot. */
static const char *refusal(const hoop_request *req, const hoop_anti_forgery_options *options)
{
    const struct slot *slot = hoop_get(req, &slot_key);
    const char *why = NULL;
    int safe = is_safe(req);
    if (safe && !is_handshake(req))
        return NULL;
    enum hoop__origin origin = hoop__origin_of(req, options->origins, &why);
    if (origin == HOOP__ORIGIN_FOREIGN)
        return why;
    if (safe)
        return NULL;
    if (origin == HOOP__ORIGIN_OWN && !options->always_token)
        return NULL;
    if (options->safe_header && hoop_str_trim(hoop_header(req, options->safe_header)).len)
        return NULL;
    hoop_str token = token_of(req, options);
    if (!token.len)
        return "it brings no token";
    if (!slot->known)
        return by_cookie(options) ? "there is no cookie for its token, or none that we signed"
                                  : "its session has no token";
    return hoop__csrf_fits(token, slot->secret) ? NULL : "its token is wrong";
}

static int wants_page(const hoop_request *req)
{
    static const char *const types[] = { "application/problem+json", "text/html" };
    hoop_str accept = hoop_header_joined(req, "accept");
    size_t best;
    return !hoop_str_is_none(accept) &&
           !hoop_accept_best(HOOP_ACCEPT_MEDIA, accept, types, 2, &best) && best == 1;
}

static const hoop_response *refuse(const hoop_request *req,
                                   const hoop_anti_forgery_options *options, const char *why)
{
    static const char text[] = "this may be a forged request; load the page again and retry";
    if (options->refused)
        return options->refused(req, options->refused_data);
    if (!wants_page(req))
        return options->development ? hoop_problemf(req, 403, "%s (%s)", text, why)
                                    : hoop_problem(req, 403, text);
    const char *page =
        hoop_printf(req,
                    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
                    "charset=\"utf-8\"><title>Forbidden</title></head><body>\n"
                    "<h1>Invalid anti-forgery token</h1>\n<p>%s%s%s%s</p>\n"
                    "</body></html>\n",
                    "This may be a forged request. Load the page again and retry.",
                    options->development ? " (" : "", options->development ? why : "",
                    options->development ? ")" : "");
    return page ? hoop_html(req, 403, page) : NULL;
}

/* --- responses ------------------------------------------------------------------------------- */

/* What the response does to the session: ends it, or gives it another id. */
static void fate(const hoop_response *res, int *ret_cleared, int *ret_rotated)
{
    const struct hoop__session_change *change = hoop__session_changes(res);
    for (*ret_cleared = *ret_rotated = 0; change; change = change->next) {
        *ret_cleared |= change->kind == HOOP__SESSION_CLEAR;
        *ret_rotated |= change->kind == HOOP__SESSION_ROTATE;
    }
}

static const hoop_response *set_cookie(const hoop_request *req, const hoop_response *res,
                                       const struct slot *slot, int removed)
{
    const hoop_anti_forgery_options *options = slot->options;
    hoop_cookie_options cookie = { .path = "/", .http_only = 1, .same_site = HOOP_SAME_SITE_LAX };
    hoop_str value = hoop_str_none();
    cookie.secure = strncmp(options->cookie, "__", 2) == 0 || hoop_str_eq_c(req->scheme, "https");
    cookie.remove = removed != 0;
    if (!removed) {
        value = hoop__csrf_sign(req, options->keys[0], subject_of(req, options), slot->secret);
        if (!value.len)
            return NULL;
    }
    return hoop__add_set_cookie(req, res, options->cookie, value, &cookie, sizeof cookie);
}

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    (void)value;
    const struct slot *slot = hoop_get(req, &slot_key);
    int cleared, rotated;
    if (!slot)
        return res;
    fate(res, &cleared, &rotated);
    int ends = slot->known && (cleared || rotated), begins = slot->made && !cleared;
    if (!ends && !begins)
        return res;
    if (by_cookie(slot->options))
        return set_cookie(req, res, slot, ends);
    hoop_str text = ends ? hoop_str_none() : hoop__csrf_write(req, slot->secret);
    if (!ends && !text.len)
        return NULL;
    return cleared ? res : hoop_with_session_value(req, res, SESSION_KEY, ends ? NULL : text.data);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_anti_forgery_options *options = value;
    const hoop_request *more = with_slot(req, options);
    const char *why = more ? refusal(more, options) : NULL;
    if (why)
        return refuse(req, options, why);
    return more ? hoop_then(more, hoop_call(next, more), respond, value) : NULL;
}

/* --- building -------------------------------------------------------------------------------- */

static int build_any(hoop_arena *arena, const void *options, size_t options_size,
                     hoop_anti_forgery_options **ret_own, hoop_error *error)
{
    hoop_anti_forgery_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (!own->field)
        own->field = "__anti-forgery-token";
    if (!own->cookie)
        own->cookie = "__Host-csrf";
    *ret_own = own;
    return 0;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_anti_forgery_options *own = NULL;
    int rc = build_any(arena, options, options_size, &own, error);
    if (!rc && by_cookie(own))
        rc = hoop_error_set(error, HOOP_EINVAL,
                            "anti_forgery: keys are for HOOP_ANTI_FORGERY_COOKIE");
    if (!rc)
        *ret_value = own;
    return rc;
}

static int check_keys(const hoop_anti_forgery_options *options, hoop_error *error)
{
    if (hoop__crypto_available())
        return hoop_error_set(error, HOOP_EUNSUPPORTED,
                              "anti_forgery: signed cookies need libcrypto, which this build of "
                              "hoop does not have (feature crypto)");
    if (!options->key_count || options->key_count > MAX_KEYS)
        return hoop_error_set(error, HOOP_EINVAL, "anti_forgery: %zu keys are given, not 1 to %u",
                              options->key_count, MAX_KEYS);
    for (size_t i = 0; i < options->key_count; i++)
        if (options->keys[i].len < MIN_KEY)
            return hoop_error_set(error, HOOP_EINVAL,
                                  "anti_forgery: key %zu has %zu bytes, not %u or more", i,
                                  options->keys[i].len, MIN_KEY);
    return 0;
}

static int build_cookie(hoop_arena *arena, const void *options, size_t options_size,
                        const void **ret_value, hoop_error *error)
{
    hoop_anti_forgery_options *own = NULL;
    hoop_str line;
    int rc = build_any(arena, options, options_size, &own, error);
    if (!rc)
        rc = check_keys(own, error);
    if (!rc)
        rc = hoop_cookie_format(arena, own->cookie, hoop_str_c("x"), &line, error,
                                &(hoop_cookie_options){ .path = "/", .secure = 1, .http_only = 1 });
    if (!rc)
        *ret_value = own;
    return rc;
}

const hoop_middleware_type hoop_anti_forgery_type = {
    .name = "anti_forgery",
    .needs = "session params",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

const hoop_middleware_type hoop_anti_forgery_cookie_type = {
    .name = "anti_forgery",
    .needs = "params",
    .wrap = wrap,
    .build = build_cookie,
    .size = sizeof(hoop_middleware_type),
};

/* --- as functions ---------------------------------------------------------------------------- */

static const void *value_of(const hoop_request *req, const hoop_anti_forgery_options *options,
                            size_t options_size)
{
    int has_keys = options && options->key_count;
    return hoop__options_value(req,
                               has_keys ? &hoop_anti_forgery_cookie_type : &hoop_anti_forgery_type,
                               options, options_size);
}

const hoop_request *hoop_anti_forgery_request_sized(const hoop_request *req,
                                                    const hoop_response **ret_answer,
                                                    const hoop_anti_forgery_options *options,
                                                    size_t options_size)
{
    const hoop_anti_forgery_options *own = value_of(req, options, options_size);
    const hoop_request *more = own ? with_slot(req, own) : NULL;
    const char *why = more ? refusal(more, own) : NULL;
    return why ? hoop__refused(ret_answer, refuse(req, own, why)) : more;
}

const hoop_response *hoop_anti_forgery_response_sized(const hoop_request *req,
                                                      const hoop_response *res,
                                                      const hoop_anti_forgery_options *options,
                                                      size_t options_size)
{
    const void *own = value_of(req, options, options_size);
    return own ? hoop_then(req, res, respond, own) : NULL;
}
