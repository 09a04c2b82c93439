/*
 * The runtime that exchanges run on: clock, timers, blocks, the queue of continuations and the
 * mailbox for other threads. lib/net drives it by libuv, lib/handler/mock.c by a virtual clock.
 */
#ifndef HOOP_BASE_LOOP_H
#define HOOP_BASE_LOOP_H

#include "base/blocks.h"
#include "base/timer.h"

#include <hoop/limits.h>
#include <hoop/log.h>
#include <hoop/loop.h>

#include <pthread.h>
#include <stdatomic.h>

/* Something to run on the loop's thread; embedded in what it concerns. */
struct hoop__task {
    struct hoop__task *next;
    void (*run)(struct hoop__task *task, struct hoop_loop *loop);
};

struct hoop__task_list {
    struct hoop__task *first;
    struct hoop__task **last;
};

/*
 * The way in for other threads. Counted, since those who hold it may outlive the loop; `loop` is
 * valid while `open`, and only under the lock.
 */
struct hoop__mailbox {
    pthread_mutex_t lock;
    atomic_uint refs;
    const hoop_allocator *allocator;
    struct hoop_loop *loop;
    struct hoop__task_list tasks;
    atomic_int open;              /* written by the loop's thread under the lock */
    _Atomic(const void *) thread; /* the loop's thread; see hoop__mailbox_here() */
};

/*
 * A job for the blocking pool: exactly one of the two is called, `work` on a thread of the pool, or
 * `cancel` on whatever thread if the pool ends before. Neither the pool nor anybody else touches the job
 * afterwards: it brings its result home by itself (a deferred does).
 */
struct hoop__job {
    struct hoop__job *next;
    void (*work)(struct hoop__job *job);
    void (*cancel)(struct hoop__job *job);
};

/* What the driver of a loop supplies. */
struct hoop__loop_ops {
    /* A task came into the mailbox: have hoop__loop_mail() and hoop__loop_turn() called soon. Any
     * thread, under the lock. */
    void (*wake)(struct hoop_loop *loop);
    /* A timer was set that is due before all others: run the wheel no later than `due`. */
    void (*rearm)(struct hoop_loop *loop, uint64_t due);
    /* Has the job run. 0, or HOOP_EBUSY (full) or HOOP_ENOMEM, then nothing will run. */
    int (*block)(struct hoop_loop *loop, struct hoop__job *job);
};

/* Counters that hoop_server_stats() sums; written by the loop's thread, read by any. */
struct hoop__counters {
    _Atomic uint64_t connections, accepted, refused, requests, responses, failures, errors, pending;
    _Atomic uint64_t bytes_in, bytes_out;
    _Atomic uint64_t limit_target, limit_head, limit_headers, limit_body, limit_chunk_extension;
    _Atomic uint64_t limit_trailer, limit_requests, limit_discard, limit_arena, limit_pending;
    _Atomic uint64_t late_first_byte, late_head, late_idle, late_body, late_handler, late_write;
    _Atomic uint64_t refused_proxy, limit_blocking;
};

/* A plain add: only the loop's thread writes, so no locked instruction is needed. */
#define HOOP__COUNT(counter, n)                                                                   \
    atomic_store_explicit(&(counter),                                                             \
                          atomic_load_explicit(&(counter), memory_order_relaxed) + (uint64_t)(n), \
                          memory_order_relaxed)

#define HOOP__DATE_LEN 29 /* "Sun, 06 Nov 1994 08:49:37 GMT" */

/*
 * What another room keeps for each loop: made when it is first needed, found by the address of its key,
 * and given back with the loop. Only the loop's thread touches it.
 */
struct hoop__local {
    struct hoop__local *next;
    const void *key;
    void (*done)(struct hoop__local *local, struct hoop_loop *loop); /* frees it */
};

struct hoop_loop {
    const struct hoop__loop_ops *ops;
    const hoop_allocator *allocator;
    struct hoop__blocks blocks;
    uint64_t now;                            /* milliseconds, as of this turn */
    int64_t (*wall)(struct hoop_loop *loop); /* seconds since 1970 */
    uint64_t date_until;                     /* `now` from which `date` must be made anew */
    char date[HOOP__DATE_LEN + 1];
    struct hoop__wheel timers;
    uint64_t armed; /* the time the driver was last told by rearm, or runs at anyway */
    struct hoop__task_list ready;
    struct hoop__mailbox *mailbox;
    struct hoop__exchange *lingering; /* ended, but with open deferreds */
    const hoop_limits *limits;        /* all defaults filled in */
    hoop_log_fn *log;                 /* NULL: silent */
    void *log_data;
    struct uv_loop_s *uv; /* for hoop_loop_uv() */
    void *state;          /* for hoop_loop_state() */
    struct hoop__local *locals;
    void *head_memo; /* lib/http1's: one piece of memory, given back with the loop; or NULL */
    struct hoop__counters counters;
};

/* The limits with every default in place of a zero (HOOP_OFF stays: all ones never trips). */
void hoop__limits_fill(hoop_limits *ret_limits, const hoop_limits *given, size_t given_size);

/* 0 or HOOP_ENOMEM. `limits` is borrowed. The real wall clock is set as `wall`. */
int hoop__loop_init(struct hoop_loop *loop, const struct hoop__loop_ops *ops,
                    const hoop_allocator *allocator, const hoop_limits *limits, uint64_t now);

/*
 * Closes the mailbox: from now on other threads get HOOP_ECANCELED; what had been posted runs once
 * more. Call when all connections are closed, and hoop__exchange_orphan_all() behind it.
 */
void hoop__loop_close(struct hoop_loop *loop);

/* Gives the memory back, after hoop__loop_close(). */
void hoop__loop_done(struct hoop_loop *loop);

/* Marks the calling thread as the loop's; drivers call it whenever they enter. */
void hoop__loop_enter(struct hoop_loop *loop);

/* Nonzero on the thread that entered last, while the loop is open. */
int hoop__mailbox_here(const struct hoop__mailbox *mailbox);

/* Runs the queued continuations until none is left, or a bound is reached (then the driver is woken).
 * Drivers call it behind every callback. */
void hoop__loop_turn(struct hoop_loop *loop);

/* Runs what other threads posted; drivers call it when woken, then hoop__loop_turn(). */
void hoop__loop_mail(struct hoop_loop *loop);

/* Nonzero if hoop__loop_turn() would find something in the local queue. */
static inline int hoop__loop_has_ready(const struct hoop_loop *loop)
{
    return loop->ready.first != NULL;
}

/* Queues a task; on the loop's thread. */
void hoop__loop_queue(struct hoop_loop *loop, struct hoop__task *task);

/* Sets a timer of this loop at an absolute time, telling the driver if it is the earliest. */
void hoop__loop_timer(struct hoop_loop *loop, struct hoop__timer *timer, uint64_t due);

/* The Date value, HOOP__DATE_LEN bytes and a NUL; made anew when the second has changed. */
const char *hoop__loop_date_slow(struct hoop_loop *loop);

static inline const char *hoop__loop_date(struct hoop_loop *loop)
{
    return loop->now < loop->date_until ? loop->date : hoop__loop_date_slow(loop);
}

/* What is kept under `key`; NULL if nothing is. */
struct hoop__local *hoop__loop_local(const struct hoop_loop *loop, const void *key);

/* Keeps `local`, whose key and done are set, until hoop__loop_done(). */
void hoop__loop_keep(struct hoop_loop *loop, struct hoop__local *local);

/* Logs a line; control characters become '?'. Cheap if nobody listens. */
void hoop__log(const struct hoop_loop *loop, int level, const char *format, ...) HOOP_PRINTF(3, 4);

struct hoop__mailbox *hoop__mailbox_ref(struct hoop__mailbox *mailbox);
void hoop__mailbox_unref(struct hoop__mailbox *mailbox);

/* Posts a task from any thread: 0, or HOOP_ECANCELED after the loop closed (the task will not run). */
int hoop__mailbox_post(struct hoop__mailbox *mailbox, struct hoop__task *task);

void hoop__task_list_init(struct hoop__task_list *list);
void hoop__task_list_add(struct hoop__task_list *list, struct hoop__task *task);

#endif
