/* A bounded pool of threads for jobs that block; it knows loops only as those whose jobs these are. */
#ifndef HOOP_SERVER_POOL_H
#define HOOP_SERVER_POOL_H

#include "base/loop.h"

struct hoop__pool;

/* A loop as the pool sees it; zeroed and owned by the server, guarded by the pool's lock. */
struct hoop__pool_client {
    struct hoop_loop *loop;
    struct hoop__job *first; /* waiting ones, oldest first */
    struct hoop__job *last;
    struct hoop__pool_client *next; /* in the line of those that have waiting ones */
    uint32_t running;
    struct hoop__task *quiet; /* posted to the loop when none runs */
};

/* No thread is started yet. 0 or HOOP_ENOMEM. */
int hoop__pool_new(struct hoop__pool **ret_pool, const hoop_allocator *allocator,
                   uint32_t max_threads, uint64_t max_waiting);

/* Ends the threads and frees; every client is quiet. NULL is allowed. */
void hoop__pool_free(struct hoop__pool *pool);

/*
 * Has the job's `work` run on a thread of the pool; loops take turns. On the loop's thread. 0,
 * HOOP_EBUSY if as many wait as may, or HOOP_ENOMEM if no thread can be had.
 */
int hoop__pool_add(struct hoop__pool *pool, struct hoop__pool_client *client,
                   struct hoop__job *job);

/*
 * Cancels what waits of a client. Nonzero if nothing of it runs, else `task` will be posted to its
 * loop, which stays open until then, when that is so. On the loop's thread.
 */
int hoop__pool_quiet(struct hoop__pool *pool, struct hoop__pool_client *client,
                     struct hoop__task *task);

/* Starts a thread that blocks all signals, so that they reach the program's own. 0 or an errno. */
int hoop__thread_start(pthread_t *ret_thread, void *(*run)(void *data), void *data);

#endif
