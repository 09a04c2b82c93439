/* A response that is not there yet, and what is to be done with it when it comes. */
#ifndef HOOP_VALUE_PENDING_H
#define HOOP_VALUE_PENDING_H

#include "value/exchange.h"

/*
 * A step of a chain of continuations. Lives in the arena of the request it was made with, and is
 * touched by the loop's thread alone.
 */
struct hoop__pending {
    struct hoop__response res; /* what handlers pass around; kind HOOP__PENDING */
    struct hoop__exchange *x;
    const hoop_request *req;        /* handed to the step's function */
    struct hoop__pending *consumer; /* the step that waits for this one; NULL: none yet */
    struct hoop__pending *source;   /* what this step waits for; results of others are dropped */
    /* Makes this step's result of what it waited for; NULL: it is that as it is. */
    const hoop_response *(*apply)(struct hoop__pending *step, const hoop_response *res);
    union {
        hoop_then_fn *then;
        hoop_catch_fn *caught;
        hoop_timeout_fn *timeout;
        hoop_body_fn *body;
    } fn;
    const void *value;
    const hoop_response *result;        /* once settled, if nobody was waiting */
    struct hoop__exchange_timer *timer; /* of a timeout */
    struct hoop__pending *next_reader;  /* of hoop_read_body() */
    uint64_t limit;                     /* likewise */
    uint8_t settled;
    uint8_t root; /* the exchange itself is the consumer */
};

/* Sets up a step in memory that the caller has; `req` is borrowed for the exchange's life. */
void hoop__pending_init(struct hoop__pending *step, const hoop_request *req);

/* Makes `step` wait for the pending `res`. Nonzero (noted) if somebody else does already. */
int hoop__pending_wait(struct hoop__pending *step, const hoop_response *res);

/* Gives a step its result and runs what follows, until a step has to wait again. */
void hoop__pending_settle(struct hoop__pending *step, const hoop_response *res);

/* Looks through steps that have settled unobserved: what is returned is ready, NULL, pass, or a step
 * that still waits. */
const hoop_response *hoop__pending_look(const hoop_response *res);

/* The step behind a pending response. */
static inline struct hoop__pending *hoop__pending_of(const hoop_response *res)
{
    return (struct hoop__pending *)(uintptr_t)res;
}

/* Makes a timer that goes with the exchange and sets it; NULL if out of memory. */
struct hoop__exchange_timer *hoop__exchange_timer(struct hoop__exchange *x, hoop_arena *arena,
                                                  uint64_t ms, hoop_task_fn *fn, void *data);

/* Nonzero if the calling thread may register callbacks for the request's exchange. */
int hoop__on_loop(const hoop_request *req);

#endif
