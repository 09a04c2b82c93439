/* A loop's life on libuv: its handles, its turns, draining and closing. No bytes pass here. */
#include "net/loop.h"

#include "net/conn.h"
#include "net/listener.h"

#define MAX_PASSES 8 /* over continuations and woken connections, before I/O gets its turn */

static struct hoop__net_loop *loop_of(void *handle)
{
    return ((uv_handle_t *)handle)->data;
}

/* --- what hoop_loop asks of its driver ------------------------------------------------------- */

static void wake(struct hoop_loop *base)
{
    uv_async_send(&hoop__net_loop_of(base)->async);
}

static void on_timer(uv_timer_t *handle);

static void rearm(struct hoop_loop *base, uint64_t due)
{
    struct hoop__net_loop *loop = hoop__net_loop_of(base);
    if (loop->closing)
        return;
    /* libuv counts from its own idea of now, which the base's follows. */
    uint64_t now = uv_now(loop->uv);
    uv_timer_start(&loop->timer, on_timer, due > now ? due - now : 0, 0);
}

static int block(struct hoop_loop *base, struct hoop__job *job)
{
    struct hoop__net_loop *loop = hoop__net_loop_of(base);
    return loop->owner.block ? loop->owner.block(loop->owner.data, job) : HOOP_EUNSUPPORTED;
}

static const struct hoop__loop_ops ops = { .wake = wake, .rearm = rearm, .block = block };

/* --- turns ----------------------------------------------------------------------------------- */

static void serve_dirty(struct hoop__net_loop *loop)
{
    struct hoop__conn *conn = loop->dirty;
    loop->dirty = NULL;
    loop->dirty_last = &loop->dirty;
    while (conn) {
        /* It may be woken again, and then goes to the new list. */
        struct hoop__conn *next = conn->next_dirty;
        conn->dirty = 0;
        hoop__conn_look(conn);
        conn = next;
    }
}

void hoop__net_end(struct hoop__net_loop *loop)
{
    for (int pass = 0;; pass++) {
        if (hoop__loop_has_ready(&loop->base))
            hoop__loop_turn(&loop->base);
        if (loop->dirty)
            serve_dirty(loop);
        if (!hoop__loop_has_ready(&loop->base) && !loop->dirty)
            break;
        if (pass == MAX_PASSES) {
            wake(&loop->base);
            break;
        }
    }
    if (loop->drained && !loop->open && !loop->told && !hoop__loop_has_ready(&loop->base)) {
        loop->told = 1;
        loop->owner.quiet(loop->owner.data);
    }
}

static void enter(struct hoop__net_loop *loop)
{
    hoop__loop_enter(&loop->base);
    hoop__net_begin(loop);
}

static void on_async(uv_async_t *handle)
{
    struct hoop__net_loop *loop = loop_of(handle);
    enter(loop);
    hoop__loop_mail(&loop->base);
    hoop__net_end(loop);
}

static void on_prepare(uv_prepare_t *handle)
{
    struct hoop__net_loop *loop = loop_of(handle);
    enter(loop);
    hoop__net_end(loop);
}

static void on_timer(uv_timer_t *handle)
{
    struct hoop__net_loop *loop = loop_of(handle);
    enter(loop);
    loop->base.armed = 0; /* timers that are set meanwhile are part of what is looked up below */
    hoop__wheel_run(&loop->base.timers, loop->base.now);
    uint64_t next = hoop__wheel_next(&loop->base.timers);
    loop->base.armed = next;
    if (next != HOOP__NEVER)
        rearm(&loop->base, next);
    hoop__net_end(loop);
}

/* --- making ---------------------------------------------------------------------------------- */

static int init_uv(struct hoop__net_loop *loop, struct uv_loop_s *uv)
{
    if (uv) {
        loop->uv = uv;
        return 0;
    }
    uv_loop_t *own = hoop__alloc(loop->net->allocator, sizeof *own);
    if (!own)
        return HOOP_ENOMEM;
    int rc = uv_loop_init(own);
    if (rc) {
        hoop__free(loop->net->allocator, own);
        return rc;
    }
    loop->uv = loop->own = own;
    return 0;
}

static void done_uv(struct hoop__net_loop *loop)
{
    if (!loop->own)
        return;
    uv_loop_close(loop->own);
    hoop__free(loop->net->allocator, loop->own);
    loop->own = NULL;
}

/* The async handle comes first: it alone can fail, and nothing has to be closed then. */
static int init_handles(struct hoop__net_loop *loop)
{
    int rc = uv_async_init(loop->uv, &loop->async, on_async);
    if (rc)
        return rc;
    uv_timer_init(loop->uv, &loop->timer);
    uv_prepare_init(loop->uv, &loop->prepare);
    uv_prepare_start(&loop->prepare, on_prepare);
    uv_unref((uv_handle_t *)&loop->timer);
    uv_unref((uv_handle_t *)&loop->prepare);
    loop->async.data = loop->timer.data = loop->prepare.data = loop;
    loop->handles = 3;
    return 0;
}

static void on_deadline(struct hoop__timer *timer);

int hoop__net_loop_new(struct hoop__net_loop **ret_loop, struct hoop__net *net, uint32_t index,
                       struct uv_loop_s *uv, const struct hoop__net_owner *owner)
{
    struct hoop__net_loop *loop = hoop__alloc(net->allocator, sizeof *loop + 2 * HOOP__IO_SIZE);
    if (!loop)
        return HOOP_ENOMEM;
    memset(loop, 0, sizeof *loop);
    loop->net = net;
    loop->owner = *owner;
    loop->index = index;
    loop->input = (char *)(loop + 1);
    loop->out.data = loop->input + HOOP__IO_SIZE;
    loop->dirty_last = &loop->dirty;
    loop->deadline.fire = on_deadline;
    int rc = init_uv(loop, uv);
    if (rc)
        goto fail;
    uv_update_time(loop->uv);
    rc = hoop__loop_init(&loop->base, &ops, net->allocator, net->limits, uv_now(loop->uv));
    if (rc)
        goto fail_uv;
    loop->base.uv = loop->uv;
    loop->base.log = net->log;
    loop->base.log_data = net->log_data;
    rc = init_handles(loop);
    if (rc)
        goto fail_base;
    *ret_loop = loop;
    return 0;
fail_base:
    hoop__loop_close(&loop->base);
    hoop__loop_done(&loop->base);
fail_uv:
    done_uv(loop);
fail:
    hoop__free(net->allocator, loop);
    return rc;
}

struct hoop_loop *hoop__net_loop_base(struct hoop__net_loop *loop)
{
    return &loop->base;
}

int hoop__net_loop_listen(struct hoop__net_loop *loop)
{
    for (size_t i = 0; i < loop->net->place_count; i++) {
        struct hoop__place *place = &loop->net->places[i];
        if (loop->index >= place->fd_count)
            continue;
        int rc = hoop__listener_new(loop, place, loop->index);
        if (rc)
            return rc;
    }
    return 0;
}

/* --- running --------------------------------------------------------------------------------- */

static void close_stray(uv_handle_t *handle, void *arg)
{
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

void hoop__net_loop_run(struct hoop__net_loop *loop)
{
    hoop__loop_enter(&loop->base);
    while (!loop->closed)
        uv_run(loop->own, UV_RUN_ONCE);
    /* The program may have handles of its own on this loop, which nobody will run any more. */
    while (uv_loop_close(loop->own) == UV_EBUSY) {
        uv_walk(loop->own, close_stray, NULL);
        uv_run(loop->own, UV_RUN_DEFAULT);
    }
    hoop__free(loop->net->allocator, loop->own);
    loop->own = NULL;
}

/* --- ending ---------------------------------------------------------------------------------- */

static void cut_all(struct hoop__net_loop *loop)
{
    struct hoop__conn *next;
    loop->cut = 1;
    for (struct hoop__conn *conn = loop->conns; conn; conn = next) {
        next = conn->next;
        hoop__conn_stop(conn, HOOP_ECANCELED);
    }
}

static void on_deadline(struct hoop__timer *timer)
{
    struct hoop__net_loop *loop =
        (struct hoop__net_loop *)(void *)((char *)timer -
                                          offsetof(struct hoop__net_loop, deadline));
    cut_all(loop);
}

static void begin_drain(struct hoop__net_loop *loop)
{
    struct hoop__conn *next;
    loop->drained = 1;
    while (loop->listeners)
        hoop__listener_close(loop->listeners);
    for (struct hoop__conn *conn = loop->conns; conn; conn = next) {
        next = conn->next;
        hoop__conn_drain(conn);
    }
}

void hoop__net_loop_drain(struct hoop__net_loop *loop, uint64_t due)
{
    if (loop->closing)
        return;
    if (!loop->drained)
        begin_drain(loop);
    if (loop->cut)
        return;
    if (due <= loop->base.now) {
        hoop__timer_clear(&loop->base.timers, &loop->deadline);
        cut_all(loop);
    } else if (!hoop__timer_is_set(&loop->deadline) || due < loop->deadline.due) {
        if (due != HOOP__NEVER)
            hoop__loop_timer(&loop->base, &loop->deadline, due);
    }
    /* Without a connection there may be no further callback: the async handle makes one. */
    if (!loop->open)
        wake(&loop->base);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct hoop__net_loop *loop = loop_of(handle);
    if (--loop->handles)
        return;
    loop->closed = 1;
    loop->owner.closed(loop->owner.data);
}

void hoop__net_loop_close(struct hoop__net_loop *loop)
{
    hoop__timer_clear(&loop->base.timers, &loop->deadline);
    hoop__loop_close(&loop->base);
    hoop__exchange_orphan_all(&loop->base);
    loop->closing = 1;
    loop->owner.stopped(loop->owner.data);
    uv_timer_stop(&loop->timer);
    uv_prepare_stop(&loop->prepare);
    uv_close((uv_handle_t *)&loop->async, on_handle_closed);
    uv_close((uv_handle_t *)&loop->timer, on_handle_closed);
    uv_close((uv_handle_t *)&loop->prepare, on_handle_closed);
    hoop__net_signals_close(loop, on_handle_closed);
}

void hoop__net_loop_free(struct hoop__net_loop *loop)
{
    hoop__net_signals_restore(loop);
    hoop__loop_done(&loop->base);
    done_uv(loop);
    hoop__free(loop->net->allocator, loop);
}
