/* The mock's inside: exchanges without a protocol on a loop with a virtual clock. */
#ifndef HOOP_HANDLER_MOCK_H
#define HOOP_HANDLER_MOCK_H

#include "value/pull.h"

#include <hoop/mock.h>

/* What all requests derived of one hoop_mock() share; lies in the user's arena. */
struct hoop__world {
    struct hoop_loop loop;
    hoop_limits limits;
    struct hoop__service service;
    pthread_mutex_t lock;
    pthread_cond_t posted; /* signalled when another thread posts */
    int mail;              /* something was posted; under the lock */
    hoop_error failure;    /* of the last hoop_call_sync() */
    uint32_t pauses;       /* of the body, in the last hoop_call_sync() */
    uint64_t patience_ms;  /* of real time, for other threads when nothing else can happen */
    struct hoop__mock_exchange *exchanges; /* all of them, to be released with the arena */
};

/* An exchange whose peer is the test. */
struct hoop__mock_exchange {
    struct hoop__exchange x;
    struct hoop__world *world;
    hoop_str body;                         /* absent: none */
    hoop_handler handler;                  /* under test */
    struct hoop__service service;          /* whose root it is */
    const struct hoop__response *response; /* once given */
    struct hoop__pull pull;                /* of the response's stream */
    size_t chunk;                          /* bytes of the body delivered at once; 0: all */
    size_t delivered;                      /* so far */
    int ended;                             /* its end is delivered, too */
    int paused;                            /* it waits for credit */
    const hoop_field *trailers;            /* of the request */
    size_t trailer_count;
    struct hoop__mock_exchange *next;
};

static inline struct hoop__mock_exchange *hoop__mock_of(const hoop_request *req)
{
    return (struct hoop__mock_exchange *)(void *)hoop__exchange_of(req);
}

/* Nonzero if the request was made by hoop_mock() or derived of one that was. */
int hoop__is_mock(const hoop_request *req);

/* A fresh exchange in the arena that the world lies in. NULL: out of memory. */
struct hoop__mock_exchange *hoop__mock_exchange(struct hoop__world *world, hoop_arena *arena);

/* A copy of the request on an exchange of its own, in the same arena. NULL: out of memory. */
struct hoop__mock_exchange *hoop__mock_fork(const hoop_request *req);

/* Makes the world in an arena. NULL: out of memory. */
struct hoop__world *hoop__world_new(hoop_arena *arena);

/* Runs the loop until `done(data)`: continuations, other threads, then the virtual clock. 0, or
 * HOOP_ETIMEDOUT when nothing more happens. */
int hoop__world_run(struct hoop__world *world, struct hoop__exchange *x, int (*done)(void *data),
                    void *data);

/* Runs what other threads posted and what is queued. */
void hoop__world_turn(struct hoop__world *world);

extern const struct hoop__exchange_ops hoop__mock_ops;

#endif
