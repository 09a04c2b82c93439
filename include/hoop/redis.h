/** @file
 * Redis for sessions and rate limits: the add-on library hoop-redis, on hiredis. Link it by
 * `pkg-config --cflags --libs hoop-redis`; <hoop.h> does not include this.
 */
#ifndef HOOP_REDIS_H
#define HOOP_REDIS_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/loop.h>
#include <hoop/middleware/rate_limit.h>
#include <hoop/middleware/session.h>

HOOP_BEGIN_DECLS

/** A Redis server, to which each loop has a connection of its own. */
typedef struct hoop_redis hoop_redis;

/** Zero means the default given here. Strings are borrowed. */
typedef struct hoop_redis_options {
    const char *path;     /**< of its Unix socket; NULL: by TCP */
    const char *host;     /**< its IPv4 or IPv6 address: "127.0.0.1". No name: that would block */
    const char *username; /**< for AUTH; NULL: the default user */
    const char *password; /**< for AUTH; NULL: none is sent */
    uint64_t timeout_ms;  /**< until a command, or connecting, has failed: 1,000 */
    uint64_t max_backoff_ms; /**< the longest time between two attempts to connect: 5,000 */
    uint32_t port;           /**< 6379 */
    uint32_t database;       /**< for SELECT */
    uint32_t max_pending;    /**< commands under way on a connection: 1,024; more fail (503) */
    uint32_t reserved;       /**< zero */
} hoop_redis_options;

/** The function behind hoop_redis_new(). */
HOOP_API int hoop_redis_new_sized(hoop_arena *arena, hoop_redis **ret_redis, hoop_error *error,
                                  const hoop_redis_options *options, size_t options_size);

/**
 * `hoop_redis_new(arena, &redis, &error, options)`: a Redis server, in `arena`, which has to outlive the
 * hoop server. Nothing is connected yet. 0 and `*ret_redis`; HOOP_EINVAL for a host that is no address;
 * HOOP_ENOMEM.
 *
 * Have the server tell of its loops:
 *
 *     hoop_serve(handler, &(hoop_server_options){ .on_loop_start = hoop_redis_loop_start,
 *                                                 .on_loop_stop = hoop_redis_loop_stop,
 *                                                 .loop_data = redis });
 *
 * A loop connects with its first command. When a connection is lost, all commands under way fail, and so do
 * those of the next 50 milliseconds; then one connects anew. That time doubles with each failure up to
 * `max_backoff_ms`. A command that is not answered in `timeout_ms` counts as a lost connection. A failure is
 * noted with the reason, and the answer is 503.
 */
#define hoop_redis_new(arena, ret_redis, error, ...) \
    hoop_redis_new_sized((arena), (ret_redis), (error), (__VA_ARGS__), sizeof(hoop_redis_options))

/**
 * Makes the connection of a loop: an on_loop_start whose `data` is the hoop_redis. A program with an
 * on_loop_start of its own calls it there, keeps what it gives, and calls hoop_redis_loop_stop() with it. On the
 * loop's thread. 0; HOOP_EUNSUPPORTED for a loop without libuv; HOOP_ENOMEM; or a code of libuv.
 */
HOOP_API int hoop_redis_loop_start(hoop_loop *loop, void *redis, void **ret_state);

/** Closes it: an on_loop_stop. On the loop's thread, behind its last request. */
HOOP_API void hoop_redis_loop_stop(hoop_loop *loop, void *state, void *redis);

/**
 * Sessions in Redis, for `hoop_session_options.store`: a hash with version and data under `prefix` (NULL: "session:")
 * and the id, which Redis forgets when its time has passed. Writes compare and set in one step, by a
 * script. 0 and `*ret_store` in `arena`, or HOOP_ENOMEM. Source: Redis' HMGET, EVAL.
 */
HOOP_API int hoop_redis_sessions(hoop_arena *arena, hoop_redis *redis, const char *prefix,
                                 const hoop_session_store **ret_store, hoop_error *error);

/**
 * Buckets in Redis, for `hoop_rate_limit_options.store`: what hoop_rate_memory_new() does, shared by all servers
 * that ask the same Redis, in one step by a script and by Redis' clock. `prefix` (NULL: "rate:") stands in
 * front of each key: give each policy one. Needs Redis 5 or later. 0 and `*ret_store` in `arena`, or
 * HOOP_ENOMEM.
 */
HOOP_API int hoop_redis_rates(hoop_arena *arena, hoop_redis *redis, const char *prefix,
                              const hoop_rate_store **ret_store, hoop_error *error);

HOOP_END_DECLS

#endif
