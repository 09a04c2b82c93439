/* Handles of an exchange that any thread may have: references, the way home, the end of the loop. */
#include "value/hold.h"

#include "value/deferred.h"

#include <string.h>

static void come_home(struct hoop__task *task, struct hoop_loop *loop);

static struct hoop__hold *hold_of(struct hoop__task *task)
{
    return (struct hoop__hold *)(void *)task; /* its first member */
}

/* --- making ---------------------------------------------------------------------------------- */

/*
 * In front of the others; the loop and those who make a response for a deferred may do so at once. It is counted
 * first: the loop's thread may end it as soon as it is in the list.
 */
static void link_in(struct hoop__hold *hold)
{
    struct hoop__exchange *x = hold->x;
    struct hoop__hold *first = atomic_load_explicit(&x->holds, memory_order_relaxed);
    hoop__mailbox_ref(hold->mailbox);
    hoop__hold_ref(hold);
    hold->loop_ref = 1;
    atomic_fetch_add_explicit(&x->open_holds, 1, memory_order_relaxed);
    do
        hold->next = first;
    while (!atomic_compare_exchange_weak_explicit(&x->holds, &first, hold, memory_order_acq_rel,
                                                  memory_order_relaxed));
}

void hoop__hold_init(struct hoop__hold *hold, const struct hoop__hold_ops *ops,
                     const hoop_request *req, unsigned refs)
{
    struct hoop__exchange *x = hoop__exchange_of(req);
    struct hoop_deferred *d = hoop__request_of(req)->deferred;
    memset(hold, 0, sizeof *hold);
    hold->task.run = come_home;
    hold->mailbox = d ? d->hold.mailbox : x->loop->mailbox;
    hold->x = x;
    hold->ops = ops;
    atomic_init(&hold->refs, refs);
    atomic_init(&hold->called, 0);
}

int hoop__hold_open(struct hoop__hold *hold)
{
    struct hoop__mailbox *mailbox = hold->mailbox;
    if (hoop__hold_here(hold)) {
        link_in(hold);
        return 0;
    }
    pthread_mutex_lock(&mailbox->lock);
    int open = mailbox->open;
    if (open) /* the deferred keeps the exchange, and tells of its end once it ends itself */
        link_in(hold);
    pthread_mutex_unlock(&mailbox->lock);
    return open ? 0 : HOOP_ECANCELED;
}

/* --- references ------------------------------------------------------------------------------ */

/* Hands it to the loop; HOOP_ECANCELED if that has closed. */
static int post(struct hoop__hold *hold)
{
    if (hoop__hold_here(hold)) {
        hoop__loop_queue(hold->mailbox->loop, &hold->task);
        return 0;
    }
    return hoop__mailbox_post(hold->mailbox, &hold->task);
}

/* One open hold less; how many are left. */
static unsigned count_down(struct hoop__exchange *x)
{
    return atomic_fetch_sub_explicit(&x->open_holds, 1, memory_order_acq_rel) - 1;
}

/* The last reference went after the loop had closed: the exchange goes with its last hold. */
static void end_without_loop(struct hoop__hold *hold)
{
    struct hoop__exchange *x = hold->x;
    struct hoop__mailbox *mailbox = hoop__mailbox_ref(hold->mailbox);
    pthread_mutex_lock(&mailbox->lock);
    /* Not orphaned yet: the closing loop is about to look at the count. */
    int last = count_down(x) == 0 && !x->loop;
    pthread_mutex_unlock(&mailbox->lock);
    if (last)
        hoop__exchange_release(x);
    hoop__mailbox_unref(mailbox);
}

/* Takes one off; nonzero if it was the last. */
static int is_last(struct hoop__hold *hold)
{
    return atomic_fetch_sub_explicit(&hold->refs, 1, memory_order_acq_rel) == 1;
}

void hoop__hold_unref(struct hoop__hold *hold)
{
    if (is_last(hold) && post(hold))
        end_without_loop(hold);
}

int hoop__hold_call(struct hoop__hold *hold)
{
    if (atomic_exchange_explicit(&hold->called, 1, memory_order_acq_rel))
        return 0;
    hoop__hold_ref(hold);
    int rc = post(hold);
    if (!rc)
        return 0;
    atomic_store_explicit(&hold->called, 0, memory_order_release);
    is_last(hold); /* it is not: the caller has one */
    return rc;
}

/* --- on the loop ----------------------------------------------------------------------------- */

static void ended(struct hoop__hold *hold, struct hoop_loop *loop)
{
    struct hoop__exchange *x = hold->x;
    if (hold->ops->ended)
        hold->ops->ended(hold, loop);
    if (x->over) /* what another thread had made for it may have come behind the end */
        hoop__holds_over(x, x->code ? x->code : HOOP_ECANCELED);
    /* While the loop closes, other threads end holds without it: see end_without_loop(). */
    int closing = !loop->mailbox->open;
    if (closing)
        pthread_mutex_lock(&loop->mailbox->lock);
    unsigned left = count_down(x);
    if (closing)
        pthread_mutex_unlock(&loop->mailbox->lock);
    if (left || !x->lingers)
        return;
    hoop__exchange_unlinger(x);
    hoop__exchange_finish(x);
}

static void come_home(struct hoop__task *task, struct hoop_loop *loop)
{
    struct hoop__hold *hold = hold_of(task);
    if (atomic_exchange_explicit(&hold->called, 0, memory_order_acq_rel)) {
        hold->ops->home(hold, loop);
        if (!is_last(hold))
            return;
    }
    ended(hold, loop);
}

void hoop__hold_leave(struct hoop__hold *hold)
{
    if (!hold->loop_ref)
        return;
    hold->loop_ref = 0;
    if (is_last(hold))
        ended(hold, hold->x->loop);
}

void hoop__holds_over(struct hoop__exchange *x, int code)
{
    struct hoop__hold *hold = atomic_load_explicit(&x->holds, memory_order_acquire);
    for (; hold; hold = hold->next)
        if (hold->loop_ref && hold->ops->over)
            hold->ops->over(hold, code);
}

/* --- the end of the loop --------------------------------------------------------------------- */

void hoop__holds_close(struct hoop__exchange *x)
{
    struct hoop__hold *hold = atomic_load_explicit(&x->holds, memory_order_acquire);
    for (; hold; hold = hold->next) {
        if (!hold->loop_ref)
            continue;
        hold->loop_ref = 0;
        /* Before the count goes down, by which a user would take itself for the last one. */
        if (hold->ops->closed)
            hold->ops->closed(hold);
        if (is_last(hold))
            count_down(x);
    }
}

void hoop__holds_dispose(struct hoop__exchange *x)
{
    struct hoop__hold *hold = atomic_load_explicit(&x->holds, memory_order_acquire);
    for (; hold; hold = hold->next)
        if (hold->ops->dispose)
            hold->ops->dispose(hold);
}

void hoop__holds_release(struct hoop__exchange *x)
{
    struct hoop__hold *hold = atomic_load_explicit(&x->holds, memory_order_acquire);
    atomic_store_explicit(&x->holds, NULL, memory_order_relaxed);
    while (hold) {
        struct hoop__hold *next = hold->next;
        struct hoop__mailbox *mailbox = hold->mailbox;
        if (hold->ops->release)
            hold->ops->release(hold);
        hoop__mailbox_unref(mailbox); /* one of its own may have gone with its memory */
        hold = next;
    }
}
