/* Handles of an exchange that any thread may have: how they are counted, posted home, and ended. */
#ifndef HOOP_VALUE_HOLD_H
#define HOOP_VALUE_HOLD_H

#include "value/exchange.h"

struct hoop__hold;

/* What a kind of handle does; NULL: nothing. */
struct hoop__hold_ops {
    /* It was called home. On the loop's thread, from its queue. */
    void (*home)(struct hoop__hold *hold, struct hoop_loop *loop);
    /* The engine is done with the exchange, `code` says why: what it waits for will not come. On the
     * loop's thread; may run more than once. */
    void (*over)(struct hoop__hold *hold, int code);
    /* The loop closes: nobody will come for it any more. Under the mailbox's lock. */
    void (*closed)(struct hoop__hold *hold);
    /* Its last reference has ended; on the loop's thread, never after that has closed. */
    void (*ended)(struct hoop__hold *hold, struct hoop_loop *loop);
    /* The exchange's memory goes: first all hooks, then all memory. Any thread. */
    void (*dispose)(struct hoop__hold *hold);
    void (*release)(struct hoop__hold *hold);
};

/*
 * Embedded first in what users hold: a deferred, a sink, a reader. The users' references and one of the
 * loop are counted, and one more while it is on its way home. Whoever ends the last one hands it to the
 * loop, which alone counts the exchange's open holds; until then the exchange lingers. Its memory
 * goes with the exchange.
 */
struct hoop__hold {
    struct hoop__task task;        /* brings it to the loop */
    struct hoop__mailbox *mailbox; /* counted, once it is open */
    struct hoop__exchange *x;
    struct hoop__hold *next; /* of the exchange, newest first */
    const struct hoop__hold_ops *ops;
    atomic_uint refs;
    atomic_uchar called; /* it is on its way home */
    uint8_t loop_ref;    /* the loop's reference stands; the loop's thread alone */
};

/*
 * Sets up a hold of the request's exchange with `refs` references of users. Nobody else knows of it yet:
 * whoever makes it may still give it up, and then it needs no end.
 */
void hoop__hold_init(struct hoop__hold *hold, const struct hoop__hold_ops *ops,
                     const hoop_request *req, unsigned refs);

/*
 * Has the exchange know it, with a reference of the loop. From here on the loop's thread may call all of `ops` at any
 * time, so it is complete. Also on another thread, with a deferred's request; HOOP_ECANCELED there if the
 * loop has closed, then it is as it was.
 */
int hoop__hold_open(struct hoop__hold *hold);

static inline void hoop__hold_ref(struct hoop__hold *hold)
{
    atomic_fetch_add_explicit(&hold->refs, 1, memory_order_relaxed);
}

/* Ends a user's reference. Threads: any. */
void hoop__hold_unref(struct hoop__hold *hold);

/* Has home() run soon, once for all calls until then. 0, or HOOP_ECANCELED if the loop has closed.
 * The caller has a reference. Threads: any. */
int hoop__hold_call(struct hoop__hold *hold);

/* Gives up the loop's reference, once. On the loop's thread. */
void hoop__hold_leave(struct hoop__hold *hold);

/* Nonzero on the thread of its loop, while that is open. */
static inline int hoop__hold_here(const struct hoop__hold *hold)
{
    return hoop__mailbox_here(hold->mailbox);
}

/* Tells all holds that the exchange is over. On the loop's thread. */
void hoop__holds_over(struct hoop__exchange *x, int code);

/* Gives up the loop's references of a closing loop; under the mailbox's lock. */
void hoop__holds_close(struct hoop__exchange *x);

/* Runs what goes in front of memory, then gives it back. */
void hoop__holds_dispose(struct hoop__exchange *x);
void hoop__holds_release(struct hoop__exchange *x);

#endif
