/* The inside of hoop-redis: connections of loops, and commands on them. Of hoop it knows the public headers alone. */
#ifndef HOOP_REDIS_REDIS_H
#define HOOP_REDIS_REDIS_H

#include <hoop/deferred.h>
#include <hoop/redis.h>

#include <async.h>
#include <hiredis.h>
#include <pthread.h>
#include <uv.h>

struct hoop__redis_link;

struct hoop_redis {
    hoop_redis_options options; /* defaults filled in */
    pthread_mutex_t lock;       /* guards `links` */
    struct hoop__redis_link *links;
};

/* The connection of a loop; made and used on its thread alone. Freed when its timer is closed. */
struct hoop__redis_link {
    struct hoop__redis_link *next;
    struct hoop_redis *redis;
    hoop_loop *loop;
    redisAsyncContext *context; /* NULL: not connected, nor about to be */
    struct hoop__redis_op *oldest, **newest;
    uint32_t pending;
    uint64_t backoff;   /* milliseconds; 0: the last attempt was a success */
    uint64_t not_until; /* milliseconds of uv_now(): no attempt before */
    int stopping;
    char why[160];    /* it is not connected */
    uv_timer_t timer; /* until the oldest command has taken too long */
};

/*
 * What a command's answer means: fills what the caller of the store gave, in `result`, with memory of `req`. 0, or
 * a code (not noted).
 */
typedef int hoop__redis_fn(const hoop_request *req, const redisReply *reply, void *result);

/* A part of a command. */
#define HOOP__REDIS_ARGS 9

struct hoop__redis_command {
    int count;
    const char *args[HOOP__REDIS_ARGS];
    size_t sizes[HOOP__REDIS_ARGS];
};

/* Appends an argument; borrowed. */
void hoop__redis_arg(struct hoop__redis_command *command, hoop_str arg);

/*
 * Sends a command on the connection of the loop of `req`. The response is pending; it comes when `fn` has
 * filled `result`, which lives with the exchange, and only says that. NULL: noted.
 */
const hoop_response *hoop__redis_send(const hoop_request *req, struct hoop_redis *redis,
                                      const struct hoop__redis_command *command, hoop__redis_fn *fn,
                                      void *result);

/* Has the events of a context come from a loop. 0 or a code. `link->context` is NULL when it is gone. */
int hoop__redis_attach(struct hoop__redis_link *link, redisAsyncContext *context);

/* The connection is lost: no attempt before the backoff has passed. */
void hoop__redis_lost(struct hoop__redis_link *link, const char *why);

#endif
