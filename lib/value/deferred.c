/* Deferred responses: made on the loop, resolved on any thread, delivered on the loop. */
#include "value/deferred.h"

#include <string.h>

static struct hoop_deferred *deferred_of(struct hoop__hold *hold)
{
    return (struct hoop_deferred *)(void *)hold; /* its first member */
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

/* --- as a hold ------------------------------------------------------------------------------- */

/* Delivers the result. Who races still keeps it, and only the last of them ends it. */
static void home(struct hoop__hold *hold, struct hoop_loop *loop)
{
    (void)loop;
    struct hoop_deferred *d = deferred_of(hold);
    struct hoop__exchange *x = hold->x;
    if (!x->over && !x->responded) {
        if (!d->result && d->note && !x->note)
            x->note = d->note;
        hoop__pending_settle(&d->step, d->result);
    }
    hoop__hold_leave(hold);
}

static void ended(struct hoop__hold *hold, struct hoop_loop *loop)
{
    HOOP__COUNT(loop->counters.pending, -1);
    if (deferred_of(hold)->arena.full)
        hold->x->arena->full = 1;
}

static void closed(struct hoop__hold *hold)
{
    claim(deferred_of(hold), HOOP__CLOSED);
}

static void dispose(struct hoop__hold *hold)
{
    hoop__arena_dispose(&deferred_of(hold)->arena);
}

static void release(struct hoop__hold *hold)
{
    struct hoop_deferred *d = deferred_of(hold);
    if (hold->mailbox->open)
        d->arena.blocks = &hold->mailbox->loop->blocks;
    hoop__arena_done(&d->arena);
}

static const struct hoop__hold_ops hold_ops = {
    .home = home,
    .closed = closed,
    .ended = ended,
    .dispose = dispose,
    .release = release,
};

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
    hoop__hold_init(&d->hold, &hold_ops, req, 1);
    atomic_init(&d->claimed, HOOP__UNCLAIMED);
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
    hoop__hold_open(&d->hold); /* nothing can fail: the loop is here */
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
        hoop__hold_ref(&deferred->hold);
    return deferred;
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
        rc = hoop__hold_call(&deferred->hold);
    }
    hoop__hold_unref(&deferred->hold);
    return rc;
}

void hoop_deferred_drop(hoop_deferred *deferred)
{
    if (!deferred)
        return;
    unsigned refs = atomic_load_explicit(&deferred->hold.refs, memory_order_acquire);
    /*
     * Of several users that drop at once exactly one must find itself the last: hence no plain
     * subtraction. Two left are this user and the loop, or nothing is to be claimed any more.
     */
    while (refs > 2)
        if (atomic_compare_exchange_weak(&deferred->hold.refs, &refs, refs - 1))
            return;
    if (refs == 2 && claim(deferred, HOOP__GIVEN) == 0) {
        hoop_fail(&deferred->request.pub, HOOP_EDROPPED,
                  "the deferred response was dropped without an answer");
        deferred->result = NULL;
        hoop__hold_call(&deferred->hold);
    }
    hoop__hold_unref(&deferred->hold);
}
