/* Connections of loops: made with the first command, lost, made anew; commands under way and their time. */
#include "redis/redis.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_BACKOFF 50u

/* A command under way. Freed when hiredis has called back, which it does exactly once. */
struct hoop__redis_op {
    struct hoop__redis_op *next;
    struct hoop__redis_link *link;
    hoop_deferred *deferred;
    hoop__redis_fn *fn;
    void *result;
    uint64_t due; /* milliseconds of uv_now() */
};

/* --- the clock of the oldest command --------------------------------------------------------- */

static uint64_t now_of(const struct hoop__redis_link *link)
{
    return uv_now(hoop_loop_uv(link->loop));
}

static void cut(struct hoop__redis_link *link, const char *why)
{
    redisAsyncContext *context = link->context;
    link->context = NULL;
    hoop__redis_lost(link, why);
    if (context)
        redisAsyncFree(context);
}

static void on_timer(uv_timer_t *timer)
{
    struct hoop__redis_link *link = timer->data;
    if (link->oldest)
        cut(link, "no answer in time");
}

static void set_timer(struct hoop__redis_link *link)
{
    if (!link->oldest) {
        uv_timer_stop(&link->timer);
        return;
    }
    uint64_t now = now_of(link), due = link->oldest->due;
    uv_timer_start(&link->timer, on_timer, due > now ? due - now : 0, 0);
}

/* --- answers --------------------------------------------------------------------------------- */

/* Answers come in the order of the commands, so it is the oldest that goes. */
static void take_op(struct hoop__redis_op *op)
{
    struct hoop__redis_link *link = op->link;
    link->oldest = op->next;
    if (!link->oldest)
        link->newest = &link->oldest;
    link->pending--;
    if (!link->stopping)
        set_timer(link);
}

static const hoop_response *outcome(const struct hoop__redis_op *op, const redisReply *reply)
{
    const hoop_request *req = hoop_deferred_request(op->deferred);
    if (!reply)
        return hoop_fail(req, HOOP_EBUSY, "redis: %s",
                         op->link->why[0] ? op->link->why : "connection closed");
    if (reply->type == REDIS_REPLY_ERROR)
        return hoop_fail(req, HOOP_EBUSY, "redis: %.200s", reply->str);
    int rc = op->fn(req, reply, op->result);
    if (rc)
        return hoop_fail(req, rc, "redis: an answer of type %d can't be used: %s", reply->type,
                         hoop_strerror(rc));
    return hoop_respond(req, 204);
}

static void on_reply(redisAsyncContext *context, void *reply, void *data)
{
    struct hoop__redis_op *op = data;
    (void)context;
    if (reply)
        op->link->backoff = 0;
    else if (context->c.err && !op->link->why[0])
        snprintf(op->link->why, sizeof op->link->why, "%s", context->c.errstr);
    take_op(op);
    hoop_resolve(op->deferred, outcome(op, reply));
    free(op);
}

/* --- connecting ------------------------------------------------------------------------------ */

void hoop__redis_lost(struct hoop__redis_link *link, const char *why)
{
    uint64_t most = link->redis->options.max_backoff_ms;
    link->backoff = link->backoff ? 2 * link->backoff : FIRST_BACKOFF;
    if (link->backoff > most)
        link->backoff = most;
    link->not_until = now_of(link) + link->backoff;
    snprintf(link->why, sizeof link->why, "%s", why);
}

/* The answers to AUTH and SELECT; if they were refused, so is every command behind them. */
static void on_greeted(redisAsyncContext *context, void *reply, void *data)
{
    (void)context;
    (void)reply;
    (void)data;
}

static int greet(redisAsyncContext *context, const hoop_redis_options *options)
{
    int rc = REDIS_OK;
    if (options->password && options->username)
        rc = redisAsyncCommand(context, on_greeted, NULL, "AUTH %s %s", options->username,
                               options->password);
    else if (options->password)
        rc = redisAsyncCommand(context, on_greeted, NULL, "AUTH %s", options->password);
    if (rc == REDIS_OK && options->database)
        rc = redisAsyncCommand(context, on_greeted, NULL, "SELECT %u", options->database);
    return rc;
}

/* 0, or a code and `why`. */
static int connect_link(struct hoop__redis_link *link)
{
    const hoop_redis_options *options = &link->redis->options;
    if (now_of(link) < link->not_until)
        return HOOP_EBUSY;
    redisAsyncContext *context = options->path
                                     ? redisAsyncConnectUnix(options->path)
                                     : redisAsyncConnect(options->host, (int)options->port);
    if (!context)
        return HOOP_ENOMEM;
    if (context->err || hoop__redis_attach(link, context)) {
        hoop__redis_lost(link, context->err ? context->errstr : "no events");
        redisAsyncFree(context);
        return HOOP_EBUSY;
    }
    link->context = context;
    link->why[0] = 0;
    if (greet(context, options) == REDIS_OK)
        return 0;
    cut(link, "no greeting");
    return HOOP_EBUSY;
}

/* --- commands -------------------------------------------------------------------------------- */

void hoop__redis_arg(struct hoop__redis_command *command, hoop_str arg)
{
    command->args[command->count] = arg.data;
    command->sizes[command->count++] = arg.len;
}

static struct hoop__redis_link *link_of(const hoop_request *req, struct hoop_redis *redis)
{
    hoop_loop *loop = hoop_loop_of(req);
    pthread_mutex_lock(&redis->lock);
    struct hoop__redis_link *link = redis->links;
    while (link && link->loop != loop)
        link = link->next;
    pthread_mutex_unlock(&redis->lock);
    return link;
}

static int start(struct hoop__redis_op *op, const struct hoop__redis_command *command)
{
    struct hoop__redis_link *link = op->link;
    /* hiredis takes the arguments as they are, and copies them. */
    if (redisAsyncCommandArgv(link->context, on_reply, op, command->count,
                              (const char **)(uintptr_t)command->args, command->sizes) != REDIS_OK)
        return HOOP_EBUSY;
    op->due = now_of(link) + link->redis->options.timeout_ms;
    *link->newest = op;
    link->newest = &op->next;
    link->pending++;
    if (link->oldest == op)
        set_timer(link);
    return 0;
}

const hoop_response *hoop__redis_send(const hoop_request *req, struct hoop_redis *redis,
                                      const struct hoop__redis_command *command, hoop__redis_fn *fn,
                                      void *result)
{
    struct hoop__redis_link *link = link_of(req, redis);
    if (!link || link->stopping)
        return hoop_fail(req, HOOP_EMISSING,
                         "redis: hoop_redis_loop_start() was not called for this loop");
    if (link->pending >= redis->options.max_pending)
        return hoop_fail(req, HOOP_EBUSY, "redis: %u commands are under way", link->pending);
    if (!link->context && connect_link(link))
        return hoop_fail(req, HOOP_EBUSY, "redis: %s", link->why[0] ? link->why : "out of memory");
    struct hoop__redis_op *op = calloc(1, sizeof *op);
    if (!op)
        return hoop_fail(req, HOOP_ENOMEM, "out of memory");
    op->link = link;
    op->fn = fn;
    op->result = result;
    op->deferred = hoop_defer(req);
    const hoop_response *pending = hoop_deferred_response(op->deferred);
    if (!pending || start(op, command)) {
        hoop_deferred_drop(op->deferred);
        free(op);
        return pending ? hoop_fail(req, HOOP_EBUSY, "redis: the command can't be sent") : NULL;
    }
    return pending;
}

/* --- loops ----------------------------------------------------------------------------------- */

int hoop_redis_loop_start(hoop_loop *loop, void *data, void **ret_state)
{
    struct hoop_redis *redis = data;
    if (!hoop_loop_uv(loop))
        return HOOP_EUNSUPPORTED;
    struct hoop__redis_link *link = calloc(1, sizeof *link);
    if (!link)
        return HOOP_ENOMEM;
    link->redis = redis;
    link->loop = loop;
    link->newest = &link->oldest;
    uv_timer_init(hoop_loop_uv(loop), &link->timer); /* it can't fail */
    uv_unref((uv_handle_t *)&link->timer);
    link->timer.data = link;
    pthread_mutex_lock(&redis->lock);
    link->next = redis->links;
    redis->links = link;
    pthread_mutex_unlock(&redis->lock);
    *ret_state = link;
    return 0;
}

static void on_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void hoop_redis_loop_stop(hoop_loop *loop, void *state, void *data)
{
    struct hoop_redis *redis = data;
    struct hoop__redis_link *link = state, **at = &redis->links;
    (void)loop;
    if (!link)
        return;
    pthread_mutex_lock(&redis->lock);
    while (*at != link)
        at = &(*at)->next;
    *at = link->next;
    pthread_mutex_unlock(&redis->lock);
    link->stopping = 1;
    cut(link, "the server stops");
    uv_close((uv_handle_t *)&link->timer, on_closed);
}

/* --- the whole ------------------------------------------------------------------------------- */

static int is_address(const char *host)
{
    unsigned char bytes[16];
    return inet_pton(AF_INET, host, bytes) == 1 || inet_pton(AF_INET6, host, bytes) == 1;
}

static void done(void *data)
{
    pthread_mutex_destroy(&((struct hoop_redis *)data)->lock);
}

int hoop_redis_new_sized(hoop_arena *arena, hoop_redis **ret_redis, hoop_error *error,
                         const hoop_redis_options *options, size_t options_size)
{
    struct hoop_redis *redis = hoop_arena_zalloc(arena, sizeof *redis);
    if (!redis)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    hoop_redis_options *own = &redis->options;
    if (options)
        memcpy(own, options, options_size < sizeof *own ? options_size : sizeof *own);
    if (!own->host)
        own->host = "127.0.0.1";
    if (!own->port)
        own->port = 6379;
    if (!own->timeout_ms)
        own->timeout_ms = 1000;
    if (!own->max_backoff_ms)
        own->max_backoff_ms = 5000;
    if (!own->max_pending)
        own->max_pending = 1024;
    if (!own->path && !is_address(own->host))
        return hoop_error_set(error, HOOP_EINVAL, "redis: '%.100s' is no address", own->host);
    if (own->port > 65535)
        return hoop_error_set(error, HOOP_EINVAL, "redis: %u is no port", own->port);
    pthread_mutex_init(&redis->lock, NULL);
    if (hoop_arena_on_dispose(arena, done, redis))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    *ret_redis = redis;
    return 0;
}
