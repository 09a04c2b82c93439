/* Deferred responses: made on the loop, resolved on any thread, delivered on the loop. */
#include "value/deferred.h"

#include <string.h>

static void come_home(struct hoop__task *task, struct hoop_loop *loop);

static struct hoop_deferred *deferred_of(struct hoop__task *task)
{
    return (struct hoop_deferred *)(void *)task; /* its first member */
}

/* --- making ---------------------------------------------------------------------------------- */

static hoop_deferred *refuse(const hoop_request *req, int code, const char *why)
{
    hoop_fail(req, code, "%s", why);
    return NULL;
}

hoop_deferred *hoop_defer(const hoop_request *req)
{
    if (!req)
        return NULL;
    if (!hoop__exchange_of(req))
        return refuse(req, HOOP_EINVAL, "this request has no exchange to answer later");
    if (!hoop__on_loop(req))
        return refuse(req, HOOP_ETHREAD, "hoop_defer() belongs on the loop's thread");
    struct hoop__exchange *x = hoop__exchange_of(req);
    struct hoop_loop *loop = x->loop;
    if (loop->counters.pending >= loop->limits->max_pending) {
        HOOP__COUNT(loop->counters.limit_pending, 1);
        return refuse(req, HOOP_EBUSY, "too many deferred responses are open");
    }
    void *block = hoop__block_get(&loop->blocks);
    if (!block)
        return hoop__fail_memory(req);
    struct hoop_deferred *d = block;
    memset(d, 0, sizeof *d);
    d->task.run = come_home;
    d->mailbox = hoop__mailbox_ref(loop->mailbox);
    d->x = x;
    d->next = x->deferreds;
    x->deferreds = d;
    atomic_init(&d->refs, 2);
    atomic_init(&d->claimed, HOOP__UNCLAIMED);
    d->loop_ref = 1;
    uint64_t limit = x->service->limits->max_arena;
    /* The first block is the loop's; further ones come from the allocator, from any thread. */
    hoop__arena_init(&d->arena, &loop->blocks, loop->allocator,
                     limit < SIZE_MAX ? (size_t)limit : SIZE_MAX, x, block, sizeof *d);
    d->arena.blocks = NULL;
    d->request = *hoop__request_of(req);
    d->request.pub.arena = &d->arena;
    d->request.note = &d->note;
    d->request.deferred = d;
    hoop__pending_init(&d->step, &d->request.pub);
    d->step.res.pub.arena = x->arena;
    x->open_deferreds++;
    HOOP__COUNT(loop->counters.pending, 1);
    return d;
}

const hoop_response *hoop_deferred_response(hoop_deferred *deferred)
{
    return deferred ? &deferred->step.res.pub : NULL;
}

const hoop_request *hoop_deferred_request(hoop_deferred *deferred)
{
    return deferred ? &deferred->request.pub : NULL;
}

/* --- references ------------------------------------------------------------------------------ */

hoop_deferred *hoop_deferred_ref(hoop_deferred *deferred)
{
    if (deferred)
        atomic_fetch_add_explicit(&deferred->refs, 1, memory_order_relaxed);
    return deferred;
}

/* Hands it to the loop; HOOP_ECANCELED if that has closed. */
static int post(struct hoop_deferred *d)
{
    if (hoop__mailbox_here(d->mailbox)) {
        hoop__loop_queue(d->mailbox->loop, &d->task);
        return 0;
    }
    return hoop__mailbox_post(d->mailbox, &d->task);
}

/* The last reference went after the loop had closed: the exchange goes with its last deferred. */
static void end_without_loop(struct hoop_deferred *d)
{
    struct hoop__exchange *x = d->x;
    struct hoop__mailbox *mailbox = hoop__mailbox_ref(d->mailbox);
    pthread_mutex_lock(&mailbox->lock);
    /* Not orphaned yet: the closing loop is about to look at the count. */
    int last = --x->open_deferreds == 0 && !x->loop;
    pthread_mutex_unlock(&mailbox->lock);
    if (last)
        hoop__exchange_release(x);
    hoop__mailbox_unref(mailbox);
}

static void unref(struct hoop_deferred *d)
{
    unsigned left = atomic_fetch_sub_explicit(&d->refs, 1, memory_order_acq_rel) - 1;
    if (left == 0 && post(d))
        end_without_loop(d);
}

/* Moves the state on if the result was not given yet. 0, or why it can't be any more. */
static int claim(struct hoop_deferred *d, int as)
{
    int was = HOOP__UNCLAIMED;
    if (atomic_compare_exchange_strong(&d->claimed, &was, as))
        return 0;
    /* The claimant alone goes on to give, or the loop closes: neither happens twice. */
    if (was == HOOP__CLAIMED && as > was && atomic_compare_exchange_strong(&d->claimed, &was, as))
        return 0;
    return was == HOOP__CLOSED ? HOOP_ECANCELED : HOOP_EALREADY;
}

int hoop_deferred_claim(hoop_deferred *deferred)
{
    return deferred ? claim(deferred, HOOP__CLAIMED) : HOOP_EINVAL;
}

int hoop_resolve(hoop_deferred *deferred, const hoop_response *res)
{
    if (!deferred)
        return HOOP_EINVAL;
    int rc = claim(deferred, HOOP__GIVEN);
    if (!rc) {
        deferred->result = res;
        rc = post(deferred);
    }
    unref(deferred);
    return rc;
}

void hoop_deferred_drop(hoop_deferred *deferred)
{
    if (!deferred)
        return;
    unsigned refs = atomic_load_explicit(&deferred->refs, memory_order_acquire);
    /*
     * Of several users that drop at once exactly one must find itself the last: hence no plain
     * subtraction. Two left are this user and the loop, or nothing is to be claimed any more.
     */
    while (refs > 2)
        if (atomic_compare_exchange_weak(&deferred->refs, &refs, refs - 1))
            return;
    if (refs == 2 && claim(deferred, HOOP__GIVEN) == 0) {
        hoop_fail(&deferred->request.pub, HOOP_EDROPPED,
                  "the deferred response was dropped without an answer");
        deferred->result = NULL;
        post(deferred);
    }
    unref(deferred);
}

/* --- on the loop ----------------------------------------------------------------------------- */

static void ended(struct hoop_deferred *d, struct hoop_loop *loop)
{
    struct hoop__exchange *x = d->x;
    HOOP__COUNT(loop->counters.pending, -1);
    /* While the loop closes, other threads end deferreds without it: see end_without_loop(). */
    int closing = !loop->mailbox->open;
    if (closing)
        pthread_mutex_lock(&loop->mailbox->lock);
    unsigned left = --x->open_deferreds;
    if (closing)
        pthread_mutex_unlock(&loop->mailbox->lock);
    if (left || !x->over)
        return;
    hoop__exchange_unlinger(x);
    hoop__exchange_finish(x);
}

static void deliver(struct hoop_deferred *d)
{
    struct hoop__exchange *x = d->x;
    if (x->over || x->responded)
        return;
    if (!d->result && d->note && !x->note)
        x->note = d->note;
    hoop__pending_settle(&d->step, d->result);
}

static void come_home(struct hoop__task *task, struct hoop_loop *loop)
{
    struct hoop_deferred *d = deferred_of(task);
    if (d->loop_ref) {
        deliver(d);
        d->loop_ref = 0;
        if (atomic_fetch_sub_explicit(&d->refs, 1, memory_order_acq_rel) != 1)
            return; /* somebody races still: the last of them brings it home again */
    }
    ended(d, loop);
}

int hoop__deferred_orphan(struct hoop_deferred *d)
{
    if (!d->loop_ref)
        return 0;
    d->loop_ref = 0;
    /* Before the count goes down, by which a user would take itself for the last one. */
    claim(d, HOOP__CLOSED);
    return atomic_fetch_sub_explicit(&d->refs, 1, memory_order_acq_rel) == 1;
}

void hoop__deferred_release(struct hoop_deferred *d)
{
    struct hoop__mailbox *mailbox = d->mailbox;
    if (mailbox->open)
        d->arena.blocks = &mailbox->loop->blocks;
    hoop__arena_done(&d->arena);
    hoop__mailbox_unref(mailbox);
}
