/* A job of the pool that ends a deferred; see offload.h. */
#include "file/offload.h"

/* In the deferred's arena; not touched once its reference has ended. */
struct offload {
    struct hoop__job job;
    hoop_deferred *deferred;
    void (*work)(void *arg);
    void *arg;
};

static void run(struct hoop__job *job)
{
    struct offload *o = (struct offload *)job;
    o->work(o->arg);
    hoop_resolve(o->deferred, hoop_respond(hoop_deferred_request(o->deferred), 204));
}

static void cancel(struct hoop__job *job)
{
    hoop_deferred_drop(((struct offload *)job)->deferred);
}

const hoop_response *hoop__offload(const hoop_request *req, void (*work)(void *arg),
                                   hoop_then_fn *then, void *arg)
{
    struct hoop_loop *loop = hoop_loop_of(req);
    hoop_deferred *d = hoop_defer(req);
    struct offload *o = d ? hoop_alloc(hoop_deferred_request(d), sizeof *o) : NULL;
    if (!o) {
        hoop_deferred_drop(d);
        return hoop__fail_memory(req);
    }
    o->job.work = run;
    o->job.cancel = cancel;
    o->deferred = d;
    o->work = work;
    o->arg = arg;
    /* Looked at before the job starts: from then on only its own thread knows what is left of it. */
    const hoop_response *res = hoop_deferred_response(d);
    int rc = loop->ops->block(loop, &o->job);
    if (rc == 0)
        return hoop_then(req, res, then, arg);
    if (rc == HOOP_EUNSUPPORTED) {
        run(&o->job);
        return hoop_then(req, res, then, arg);
    }
    if (rc == HOOP_EBUSY)
        HOOP__COUNT(loop->counters.limit_blocking, 1);
    hoop_fail(req, rc, "the blocking pool can't take a file's job: %s", hoop_strerror(rc));
    hoop_deferred_drop(d);
    return NULL;
}
