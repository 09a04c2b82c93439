/** @file
 * Deferred responses, and the combinators that treat them and ready ones alike.
 */
#ifndef HOOP_DEFERRED_H
#define HOOP_DEFERRED_H

#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/request.h>
#include <hoop/response.h>

HOOP_BEGIN_DECLS

/** Maps a response that is there to another one, which may be pending. NULL: failed, noted. */
typedef const hoop_response *hoop_then_fn(const hoop_request *req, const hoop_response *res,
                                          const void *value);

/**
 * The response that `fn` makes of `res`: at once if it is there, without any allocation; when it comes,
 * if it is pending. NULL and pass go through without `fn`. `fn` gets the request given here. A
 * pending response has one consumer: a second hoop_then() on the same one fails.
 */
HOOP_API const hoop_response *hoop_then(const hoop_request *req, const hoop_response *res,
                                        hoop_then_fn *fn, const void *value);

/** Makes a response of a failure. `error` has code and text, and is borrowed for the call. */
typedef const hoop_response *hoop_catch_fn(const hoop_request *req, const hoop_error *error,
                                           const void *value);

/**
 * `res`, or what `fn` makes of its failure, now or when it comes. The note is taken away before `fn`
 * runs, so that it may fail anew. A ready response and pass go through.
 */
HOOP_API const hoop_response *hoop_catch(const hoop_request *req, const hoop_response *res,
                                         hoop_catch_fn *fn, const void *value);

/** Makes the response that stands for one that did not come in time. */
typedef const hoop_response *hoop_timeout_fn(const hoop_request *req, const void *value);

/**
 * `res`, or what `fn` makes if `res` is still pending after `ms` milliseconds. `fn` NULL: a failure
 * with HOOP_ETIMEDOUT (503). What comes later is dropped. `ms` 0: at once unless it is there.
 */
HOOP_API const hoop_response *hoop_timeout(const hoop_request *req, const hoop_response *res,
                                           uint64_t ms, hoop_timeout_fn *fn, const void *value);

/**
 * Makes a response of `count` responses that are all there; in the order in which they were given.
 */
typedef const hoop_response *hoop_all_fn(const hoop_request *req,
                                         const hoop_response *const *responses, size_t count,
                                         const void *value);

/**
 * What `fn` makes of all `responses` (copied; each may be pending) once they are there: at once, without
 * any allocation, if they are. The first that failed or passed decides for all, at once. Source:
 * manifold's zip.
 */
HOOP_API const hoop_response *hoop_all(const hoop_request *req,
                                       const hoop_response *const *responses, size_t count,
                                       hoop_all_fn *fn, const void *value);

/**
 * The first of `responses` that is there, be it a response, a pass or a failure; of those that are
 * there already the first in order. The others are dropped. Source: manifold's alt.
 */
HOOP_API const hoop_response *hoop_race(const hoop_request *req,
                                        const hoop_response *const *responses, size_t count);

/** What `fn` makes after `ms` milliseconds, pending until then. */
HOOP_API const hoop_response *hoop_after(const hoop_request *req, uint64_t ms, hoop_timeout_fn *fn,
                                         const void *value);

/** Makes an attempt, counted from 1; its response may be pending. NULL: failed. */
typedef const hoop_response *hoop_try_fn(const hoop_request *req, uint32_t attempt,
                                         const void *value);

/** Nonzero if what an attempt gave calls for another one. `res` NULL: it failed. */
typedef int hoop_again_fn(const hoop_request *req, const hoop_response *res, const void *value);

/** How attempts are repeated. */
typedef struct hoop_retry_options {
    hoop_again_fn *again;  /**< NULL: after failures, and nothing else */
    uint64_t attempts;     /**< at most, the first counted; 0: 3 */
    uint64_t delay_ms;     /**< in front of the second one; doubled for each further one; 0: 100 */
    uint64_t max_delay_ms; /**< never more than this; 0: 10000 */
} hoop_retry_options;

/**
 * What `fn` gives, tried again after a delay while that failed. The last attempt's outcome stands; the
 * notes of those before it are taken away. `options` NULL: all defaults.
 */
HOOP_API const hoop_response *hoop_retry_sized(const hoop_request *req, hoop_try_fn *fn,
                                               const void *value, const hoop_retry_options *options,
                                               size_t size);

/** hoop_retry(req, fn, value, NULL or &(hoop_retry_options){ ... }) */
#define hoop_retry(req, fn, value, ...) \
    hoop_retry_sized((req), (fn), (value), (__VA_ARGS__), sizeof(hoop_retry_options))

/** A response that somebody owes: the handle through which it is given, from any thread. */
typedef struct hoop_deferred hoop_deferred;

/**
 * Promises a response. Returns one reference, which hoop_resolve() or hoop_deferred_drop() ends. On
 * the loop's thread, in a handler or a continuation. NULL (noted) if out of memory or if
 * hoop_limits.max_pending are open on this loop.
 */
HOOP_API hoop_deferred *hoop_defer(const hoop_request *req);

/**
 * The pending response to return from the handler; also after somebody has resolved, since what follows
 * runs on this thread later. NULL for NULL. On the loop's thread.
 */
HOOP_API const hoop_response *hoop_deferred_response(hoop_deferred *deferred);

/**
 * The request to make the response with: the same values on an arena that belongs to the deferred
 * alone. Whoever resolves uses it, from whatever thread, one at a time: those who race make nothing
 * with it before hoop_deferred_claim() has told who may. Valid until the reference ends. NULL for
 * NULL.
 */
HOOP_API const hoop_request *hoop_deferred_request(hoop_deferred *deferred);

/** One reference more, for those who race to answer. Returns `deferred`. Threads: any. */
HOOP_API hoop_deferred *hoop_deferred_ref(hoop_deferred *deferred);

/**
 * Decides a race before a response is made: 0 for the one who may answer, and must then call
 * hoop_resolve(); HOOP_EALREADY for all others, who end their reference by hoop_deferred_drop();
 * HOOP_ECANCELED if the loop has closed; HOOP_EINVAL for NULL. The reference stays. Threads: any.
 */
HOOP_API int hoop_deferred_claim(hoop_deferred *deferred);

/**
 * Gives the response and ends a reference, always. `res` is made with hoop_deferred_request(), or
 * constant; NULL is a failure, pass is "not mine". What follows it runs later on the loop's thread,
 * never inside this call. 0; HOOP_EALREADY if it was resolved before; HOOP_ECANCELED if the loop has
 * closed; HOOP_EINVAL for NULL. Threads: any.
 */
HOOP_API int hoop_resolve(hoop_deferred *deferred, const hoop_response *res);

/**
 * Ends a reference without an answer. If it was the last and nobody resolved, the response has failed
 * with HOOP_EDROPPED (500). Threads: any.
 */
HOOP_API void hoop_deferred_drop(hoop_deferred *deferred);

HOOP_END_DECLS

#endif
