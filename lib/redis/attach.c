/* A hiredis context on a libuv loop: events in, and the end. hiredis' own adapter does not survive lack of memory. */
#include "redis/redis.h"

#include <stdlib.h>

/* Freed when its handle is closed, which is later than its context. */
struct events {
    uv_poll_t poll; /* first */
    struct hoop__redis_link *link;
    redisAsyncContext *context; /* NULL: gone */
    int wanted;
};

static void on_event(uv_poll_t *poll, int status, int ready)
{
    struct events *events = (struct events *)poll;
    /* An error is found by reading. */
    if (events->context && (status || (ready & UV_READABLE)))
        redisAsyncHandleRead(events->context);
    if (events->context && !status && (ready & UV_WRITABLE))
        redisAsyncHandleWrite(events->context);
}

static void want(struct events *events, int wanted)
{
    if (wanted == events->wanted)
        return;
    events->wanted = wanted;
    if (wanted)
        uv_poll_start(&events->poll, wanted, on_event);
    else
        uv_poll_stop(&events->poll);
}

static void add_read(void *data)
{
    struct events *events = data;
    want(events, events->wanted | UV_READABLE);
}

static void del_read(void *data)
{
    struct events *events = data;
    want(events, events->wanted & ~UV_READABLE);
}

static void add_write(void *data)
{
    struct events *events = data;
    want(events, events->wanted | UV_WRITABLE);
}

static void del_write(void *data)
{
    struct events *events = data;
    want(events, events->wanted & ~UV_WRITABLE);
}

static void on_closed(uv_handle_t *handle)
{
    free(handle);
}

/* hiredis frees the context; by itself, since it has failed, or because we said so. */
static void cleanup(void *data)
{
    struct events *events = data;
    redisAsyncContext *context = events->context;
    events->context = NULL;
    uv_close((uv_handle_t *)&events->poll, on_closed);
    if (context != events->link->context)
        return;
    events->link->context = NULL;
    hoop__redis_lost(events->link, context->c.err ? context->c.errstr : "connection closed");
}

int hoop__redis_attach(struct hoop__redis_link *link, redisAsyncContext *context)
{
    struct events *events = calloc(1, sizeof *events);
    if (!events)
        return HOOP_ENOMEM;
    int rc = uv_poll_init(hoop_loop_uv(link->loop), &events->poll, context->c.fd);
    if (rc) {
        free(events);
        return rc;
    }
    /* A connection that nobody uses keeps no loop running. */
    uv_unref((uv_handle_t *)&events->poll);
    events->link = link;
    events->context = context;
    context->ev.data = events;
    context->ev.addRead = add_read;
    context->ev.delRead = del_read;
    context->ev.addWrite = add_write;
    context->ev.delWrite = del_write;
    context->ev.cleanup = cleanup;
    return 0;
}
