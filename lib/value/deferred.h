/* A deferred response's inside. */
#ifndef HOOP_VALUE_DEFERRED_H
#define HOOP_VALUE_DEFERRED_H

#include "value/hold.h"
#include "value/pending.h"

/* Whether the result may still be given. */
#define HOOP__UNCLAIMED 0
#define HOOP__CLAIMED   1 /* by one who is about to give it */
#define HOOP__GIVEN     2 /* it was, or the last user has dropped it */
#define HOOP__CLOSED    3 /* there is no loop any more to take it */

/* Lies in the first block of its own arena. */
struct hoop_deferred {
    struct hoop__hold hold;       /* first; the loop's reference is given up behind the delivery */
    const hoop_response *result;  /* written by who claimed, before it is posted */
    const hoop_error *note;       /* what failed while the result was made */
    struct hoop__request request; /* on the arena below */
    struct hoop__pending step;
    atomic_int claimed; /* one of the states above */
    struct hoop_arena arena;
};

#endif
