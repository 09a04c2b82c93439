/* hoop_streaming() and hoop_blocking(): a leaf called at the head, and one called on the pool. */
#include "handler/node.h"

#include <hoop/body.h>
#include <hoop/deferred.h>

struct wrapped {
    struct hoop__node node;
    hoop_handler leaf;
};

static hoop_handler wrap(hoop_arena *arena, const struct hoop__node_ops *ops, hoop_handler leaf)
{
    struct wrapped *wrapped = hoop_arena_zalloc(arena, sizeof *wrapped);
    if (!wrapped)
        return hoop_fn(NULL, NULL);
    wrapped->node.ops = ops;
    wrapped->leaf = leaf;
    return hoop__node_handler(&wrapped->node);
}

/* --- at the head ----------------------------------------------------------------------------- */

static const hoop_response *call_streaming(const struct hoop__node *node, const hoop_request *req)
{
    const struct wrapped *wrapped = (const struct wrapped *)node;
    return wrapped->leaf.fn(req, wrapped->leaf.data);
}

static void print_streaming(const struct hoop__node *node, struct hoop__printer *printer)
{
    (void)node;
    hoop__print(printer, "streaming handler");
}

hoop_handler hoop_streaming(hoop_arena *arena, hoop_handler handler)
{
    static const struct hoop__node_ops ops = { call_streaming, print_streaming };
    if (!handler.fn || hoop__node_of(handler))
        return handler; /* empty: refused by whoever takes it; a node runs at the head anyway */
    return wrap(arena, &ops, handler);
}

/* --- on the pool ----------------------------------------------------------------------------- */

/* Lives in the deferred's arena; nothing of it is touched once the deferred's reference has ended. */
struct blocking_job {
    struct hoop__job job;
    hoop_deferred *deferred;
    hoop_handler leaf;
};

static void work(struct hoop__job *job)
{
    struct blocking_job *b = (struct blocking_job *)job;
    const hoop_request *req = hoop_deferred_request(b->deferred);
    hoop_resolve(b->deferred, b->leaf.fn(req, b->leaf.data));
}

static void cancel(struct hoop__job *job)
{
    hoop_deferred_drop(((struct blocking_job *)job)->deferred);
}

static const hoop_response *start(const hoop_request *req, hoop_str body, void *data)
{
    (void)body;
    const struct wrapped *wrapped = data;
    struct hoop_loop *loop = hoop_loop_of(req);
    hoop_deferred *d = hoop_defer(req);
    struct blocking_job *b = d ? hoop_alloc(hoop_deferred_request(d), sizeof *b) : NULL;
    if (!b) {
        hoop__fail_memory(req);
        hoop_deferred_drop(d);
        return NULL;
    }
    b->job.work = work;
    b->job.cancel = cancel;
    b->deferred = d;
    b->leaf = wrapped->leaf;
    /* Looked at before the job starts: from then on only its own thread knows what is left of it. */
    const hoop_response *res = hoop_deferred_response(d);
    int rc = loop->ops->block(loop, &b->job);
    if (rc) {
        if (rc == HOOP_EBUSY)
            HOOP__COUNT(loop->counters.limit_blocking, 1);
        hoop_fail(req, rc, "the blocking pool can't take the request: %s", hoop_strerror(rc));
        hoop_deferred_drop(d);
        return NULL;
    }
    return res;
}

static const hoop_response *call_blocking(const struct hoop__node *node, const hoop_request *req)
{
    if (!hoop__exchange_of(req))
        return hoop_fail(req, HOOP_EINVAL, "a blocking handler needs a request of an exchange");
    void *data = (void *)(uintptr_t)node;
    if (hoop__exchange_of(req)->body.state == HOOP__BODY_CONSUMED)
        return start(req, hoop_str_none(), data); /* as hoop_call() does */
    return hoop_read_body(req, 0, start, data);
}

static void print_blocking(const struct hoop__node *node, struct hoop__printer *printer)
{
    (void)node;
    hoop__print(printer, "blocking handler");
}

hoop_handler hoop_blocking(hoop_arena *arena, hoop_handler handler)
{
    static const struct hoop__node_ops ops = { call_blocking, print_blocking };
    if (!handler.fn)
        return handler;
    if (hoop__node_of(handler))
        return hoop__broken(arena, HOOP_EINVAL,
                            "hoop_blocking() wraps a leaf, not a chain or a router: those would "
                            "run on the wrong thread");
    return wrap(arena, &ops, handler);
}
