/** @file
 * Middleware "session": what the server keeps of a client from one request to the next.
 */
#ifndef HOOP_MIDDLEWARE_SESSION_H
#define HOOP_MIDDLEWARE_SESSION_H

#include <hoop/cookie.h>
#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** What a store has to say: `outcome` of hoop_session_entry. */
#define HOOP_SESSION_DONE     0u /**< it was found, written, removed */
#define HOOP_SESSION_MISSING  1u /**< there is none of this id, or its time has passed */
#define HOOP_SESSION_CONFLICT 2u /**< somebody else has written it since `version` */

/** A session as a store sees it: in memory of the exchange, filled by both sides. */
typedef struct hoop_session_entry {
    hoop_str id;   /**< what the cookie says; absent in a write: a new one, which the store names */
    hoop_str data; /**< bytes that only the middleware understands; to read or written */
    uint64_t
        version; /**< set by a read and a write; a write and a removal are for this one alone */
    uint64_t
        ttl_ms; /**< of a write: when to forget it, in milliseconds from now; HOOP_OFF: never */
    uint32_t outcome; /**< set by the store, one of HOOP_SESSION_*; comes as HOOP_SESSION_DONE */
    uint32_t stale;   /**< set by a read: nonzero to have it written again soon */
} hoop_session_entry;

/**
 * An operation of a store. It fills `entry` before the response that it returns has come: any response,
 * which may be pending, and which only says that. NULL: the store failed (noted). On the loop's thread.
 */
typedef const hoop_response *hoop_session_store_fn(const hoop_request *req,
                                                   hoop_session_entry *entry, void *data);

/**
 * Where sessions are kept: hoop_session_memory_new(), hoop_session_sealed_new(), or a store of your own. Its
 * functions are called from any loop.
 */
typedef struct hoop_session_store {
    /** By `id`, which may be anything that a client sends: `data`, which lives with the exchange, and `version`. */
    hoop_session_store_fn *read;
    /**
     * `data` under `id` if `version` is what is stored; under a new id, which nobody can guess
     * (hoop_session_new_id()), if `id` is absent. Sets `id` and `version`. A store that can't compare
     * (a cookie) may always write.
     */
    hoop_session_store_fn *write;
    hoop_session_store_fn *remove; /**< by `id`; `version` 0 is any */
    void *data;                    /**< handed to each */
} hoop_session_store;

/** Zero means the default given here. */
typedef struct hoop_session_options {
    const hoop_session_store *store; /**< NULL: one of this chain's own, in memory */
    const char *name;                /**< of the cookie: "session" */
    const char *path;                /**< of the cookie: "/" */
    const char *domain;              /**< of the cookie; NULL: this host alone */
    uint64_t idle;      /**< seconds that a session lives without a request: 1,800; HOOP_OFF */
    uint64_t lifetime;  /**< seconds that it lives at all: 43,200; HOOP_OFF */
    uint64_t max_age;   /**< seconds that the cookie is kept; 0: until the browser ends */
    uint64_t max_bytes; /**< of names and values in all: 65,536. More is a failure */
    uint32_t same_site; /**< one of HOOP_SAME_SITE_*; HOOP_SAME_SITE_UNSET is Lax here */
    uint32_t secure; /**< nonzero: the cookie is for https only; 0: if the request came by https */
    uint32_t to_scripts;  /**< nonzero: scripts may read the cookie; else it is HttpOnly */
    uint32_t partitioned; /**< nonzero: kept apart per top-level site; needs `secure` */
} hoop_session_options;

/** The type of HOOP_SESSION(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_session_type;

/**
 * An entry of a chain: `HOOP_SESSION(NULL)`, `HOOP_SESSION(&options)`. Options are borrowed.
 *
 * The session that the cookie names is read when the request comes, and written behind the handler if its
 * response says so (hoop_with_session_value() and kin). A client without cookie costs the store nothing
 * before something is written. A failure or a pass writes nothing.
 *
 * Ids are made by the store, 192 random bits. One that the store does not know, or whose time has passed, is as
 * none, and is never taken for a new session: nobody can plant one. Call hoop_session_rotate() where a client
 * gains rights.
 *
 * A session ends `idle` seconds after its last request and `lifetime` seconds after its first; both times
 * are in the data, so they hold for every store. To move the former, a session that was not changed is
 * written, too, at most sixteen times in `idle`.
 *
 * If two requests of a session write at once, the store refuses the later one, and what that changed is applied
 * to what is stored now: of two values of one name the last wins, values of other names are never lost. That is
 * tried 5 times, then the failure is HOOP_EBUSY (503). If the session was removed meanwhile, what was changed
 * is dropped, so that nobody is logged in again by a slow request. Cookies can't be compared: there the last
 * one wins whole.
 *
 * Refused when the chain is built: what hoop_cookie_format() refuses, a store without functions.
 *
 * Needs nothing, provides "session". Not idempotent: give a second one, with another cookie, a name of its own;
 * the inner one is what handlers see.
 *
 * Source: Ring, wrap-session, and ring-session-timeout; OWASP's session management. Unlike Ring: only values that
 * a response changes are named, so concurrent writers don't lose each other's; sessions end; removal
 * deletes the cookie, too.
 */
#define HOOP_SESSION(...) HOOP_USE(&hoop_session_type, (__VA_ARGS__), sizeof(hoop_session_options))

/** The value under `key`; absent if there is none. Lives with the exchange. */
HOOP_API hoop_str hoop_session_get(const hoop_request *req, const char *key);

/**
 * All that the session has, by no order that means something. NULL, and a count of 0, if there is no
 * session. `ret_count` may not be NULL. They live with the exchange.
 */
HOOP_API const hoop_field *hoop_session(const hoop_request *req, size_t *ret_count);

/**
 * The response that sets a value in the session, or removes it if `value` is NULL; copied. A session begins
 * with its first value. The request stays as it was. Pending, NULL and pass as in hoop_with_header().
 * NULL (noted) if `key` is NULL or empty. What is more than a text: hoop_with_session_json() in hoop/json.h.
 */
HOOP_API const hoop_response *hoop_with_session_value(const hoop_request *req,
                                                      const hoop_response *res, const char *key,
                                                      const char *value);

/**
 * The response that ends the session: all its values, its id and its cookie. Values that are set on
 * the response afterwards begin a new one.
 */
HOOP_API const hoop_response *hoop_session_clear(const hoop_request *req, const hoop_response *res);

/**
 * The response that gives the session a new id, and forgets the old one: for logins and every other gain of
 * rights. Values stay, and so does the time since which it lives.
 */
HOOP_API const hoop_response *hoop_session_rotate(const hoop_request *req,
                                                  const hoop_response *res);

/**
 * The response that sends the session's cookie, if there is a session, to be kept for `seconds` in place of the
 * `max_age` of the options: "remember me". It does not lengthen the session itself.
 */
HOOP_API const hoop_response *hoop_with_session_max_age(const hoop_request *req,
                                                        const hoop_response *res, uint64_t seconds);

/** What hoop_session_memory_new() takes. Zero means the default given here. */
typedef struct hoop_session_memory_options {
    uint64_t max_sessions; /**< 65,536 */
    uint64_t max_bytes;    /**< in all, with what it takes to keep them: 67,108,864 */
} hoop_session_memory_options;

/** The function behind hoop_session_memory_new(). */
HOOP_API int hoop_session_memory_new_sized(hoop_arena *arena, const hoop_session_store **ret_store,
                                           hoop_error *error,
                                           const hoop_session_memory_options *options,
                                           size_t options_size);

/**
 * `hoop_session_memory_new(arena, &store, &error, options)`: a store in memory, shared by all loops. Over its
 * bounds the sessions that were written longest ago are forgotten first; it has 16 parts with a
 * sixteenth of the bounds each, one part if it is for less than 1,024. Its memory comes from the allocator of
 * `arena`, and goes with it. 0 and `*ret_store`, or a negative code. Threads: the store may be used
 * from any.
 */
#define hoop_session_memory_new(arena, ret_store, error, ...)                   \
    hoop_session_memory_new_sized((arena), (ret_store), (error), (__VA_ARGS__), \
                                  sizeof(hoop_session_memory_options))

/** What hoop_session_sealed_new() takes. */
typedef struct hoop_session_sealed_options {
    /**
     * Secrets of 32 bytes or more, random ones, copied: 1 to 8. The first encrypts; the others are older ones
     * that are still read, and what they had sealed is sealed anew by the first.
     */
    const hoop_str *keys;
    size_t key_count; /**< how many */
    /**
     * What the cookie is for, copied: one of another purpose is not taken, though the key is the same. NULL: "session"
     */
    const char *purpose;
} hoop_session_sealed_options;

/** The function behind hoop_session_sealed_new(). */
HOOP_API int hoop_session_sealed_new_sized(hoop_arena *arena, const hoop_session_store **ret_store,
                                           hoop_error *error,
                                           const hoop_session_sealed_options *options,
                                           size_t options_size);

/**
 * `hoop_session_sealed_new(arena, &store, &error, options)`: a store that keeps nothing: the cookie is the session,
 * encrypted and authenticated by AES-256-GCM under a key of its own, which HMAC-SHA256 derives of the
 * secret and 128 random bits. A client can't read or change it, but it can keep it and send it again until
 * its time has passed, also after a logout; of two responses at once the last one wins. The cookie takes up to
 * HOOP_COOKIE_MAX bytes with its attributes, which is some 2,900 of names and values: more fails,
 * with a note that says so, and 500. Ids change with each write.
 *
 * 0 and `*ret_store`; HOOP_EUNSUPPORTED in a build without libcrypto (Meson feature `crypto`); HOOP_EINVAL
 * for a key that is too short, or none; HOOP_ENOMEM. Threads: the store may be used from any.
 * Source: Ring, cookie-store, but for the cipher, its times, and the rotation of keys; NIST SP 800-38D.
 */
#define hoop_session_sealed_new(arena, ret_store, error, ...)                   \
    hoop_session_sealed_new_sized((arena), (ret_store), (error), (__VA_ARGS__), \
                                  sizeof(hoop_session_sealed_options))

/** For stores of your own: an id of 192 random bits in 32 characters. Absent: noted. */
HOOP_API hoop_str hoop_session_new_id(const hoop_request *req);

/** The function behind hoop_session_request(). */
HOOP_API const hoop_request *hoop_session_request_sized(const hoop_request *req,
                                                        const hoop_response **ret_answer,
                                                        const hoop_session_options *options,
                                                        size_t options_size);

/**
 * The request with its session, of `options->store`, which is needed here and must answer at once. Or NULL,
 * which is a failure (noted); `*ret_answer` stays as it was.
 */
#define hoop_session_request(req, ret_answer, ...) \
    hoop_session_request_sized((req), (ret_answer), (__VA_ARGS__), sizeof(hoop_session_options))

/** The function behind hoop_session_response(). */
HOOP_API const hoop_response *hoop_session_response_sized(const hoop_request *req,
                                                          const hoop_response *res,
                                                          const hoop_session_options *options,
                                                          size_t options_size);

/**
 * Writes what the response changes in the session that `req` has, and gives the response with its cookie; both
 * may come later. `options->store` is needed. Pending, NULL and pass as in hoop_with_header().
 */
#define hoop_session_response(req, res, ...) \
    hoop_session_response_sized((req), (res), (__VA_ARGS__), sizeof(hoop_session_options))

HOOP_END_DECLS

#endif
