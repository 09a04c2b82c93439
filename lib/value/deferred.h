/* A deferred response's inside. */
#ifndef HOOP_VALUE_DEFERRED_H
#define HOOP_VALUE_DEFERRED_H

#include "value/exchange.h"
#include "value/pending.h"

/* Whether the result may still be given. */
#define HOOP__UNCLAIMED 0
#define HOOP__CLAIMED   1 /* by one who is about to give it */
#define HOOP__GIVEN     2 /* it was, or the last user has dropped it */
#define HOOP__CLOSED    3 /* there is no loop any more to take it */

/*
 * Lies in the first block of its own arena. The users' references and one of the loop are counted;
 * the loop's is given up when the result has been delivered. Whoever ends the last one hands the
 * deferred to the loop, which alone counts the exchange's open deferreds. Its memory goes with the
 * exchange, since the response may lie in it.
 */
struct hoop_deferred {
    struct hoop__task task;        /* brings it to the loop: first to deliver, then to end */
    struct hoop__mailbox *mailbox; /* counted */
    struct hoop__exchange *x;
    struct hoop_deferred *next; /* of the exchange */
    atomic_uint refs;
    atomic_int claimed;           /* one of the states below */
    const hoop_response *result;  /* written by who claimed, before it is posted */
    const hoop_error *note;       /* what failed while the result was made */
    uint8_t loop_ref;             /* the loop's reference stands; the loop's thread alone */
    struct hoop__request request; /* on the arena below */
    struct hoop__pending step;
    struct hoop_arena arena;
};

/* Gives up the loop's reference of a deferred whose loop is closing; under the mailbox's lock.
 * Nonzero if that was the last. */
int hoop__deferred_orphan(struct hoop_deferred *d);

/* Runs the hooks of its arena and frees it. */
void hoop__deferred_release(struct hoop_deferred *d);

/* Takes an exchange off the loop's list of those that linger. */
void hoop__exchange_unlinger(struct hoop__exchange *x);

#endif
