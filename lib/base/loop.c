/* The runtime's own part: queue, mailbox, date cache. What drives it is lib/net or the mock. */
#include "base/loop.h"

#include "base/clock.h"

#include <hoop/error.h>

#include <string.h>

#define CACHED_BLOCKS 256 /* a burst's blocks beyond this megabyte go back to the allocator */
#define MAX_ROUNDS    64  /* of tasks that queue tasks, before I/O gets its turn */

/* --- lists of tasks -------------------------------------------------------------------------- */

void hoop__task_list_init(struct hoop__task_list *list)
{
    list->first = NULL;
    list->last = &list->first;
}

void hoop__task_list_add(struct hoop__task_list *list, struct hoop__task *task)
{
    task->next = NULL;
    *list->last = task;
    list->last = &task->next;
}

/* Moves all tasks of a list out; the list is empty afterwards. */
static struct hoop__task *take_all(struct hoop__task_list *list)
{
    struct hoop__task *first = list->first;
    hoop__task_list_init(list);
    return first;
}

static void run_all(struct hoop__task *task, struct hoop_loop *loop)
{
    while (task) {
        struct hoop__task *next = task->next; /* the task may be gone once it has run */
        task->run(task, loop);
        task = next;
    }
}

/* --- the mailbox ----------------------------------------------------------------------------- */

static struct hoop__mailbox *mailbox_new(struct hoop_loop *loop)
{
    struct hoop__mailbox *mailbox = hoop__alloc(loop->allocator, sizeof *mailbox);
    if (!mailbox)
        return NULL;
    if (pthread_mutex_init(&mailbox->lock, NULL)) {
        hoop__free(loop->allocator, mailbox);
        return NULL;
    }
    atomic_init(&mailbox->refs, 1);
    mailbox->allocator = loop->allocator;
    mailbox->loop = loop;
    hoop__task_list_init(&mailbox->tasks);
    atomic_init(&mailbox->open, 1);
    atomic_init(&mailbox->thread, NULL);
    return mailbox;
}

struct hoop__mailbox *hoop__mailbox_ref(struct hoop__mailbox *mailbox)
{
    atomic_fetch_add_explicit(&mailbox->refs, 1, memory_order_relaxed);
    return mailbox;
}

void hoop__mailbox_unref(struct hoop__mailbox *mailbox)
{
    if (atomic_fetch_sub_explicit(&mailbox->refs, 1, memory_order_acq_rel) != 1)
        return;
    pthread_mutex_destroy(&mailbox->lock);
    hoop__free(mailbox->allocator, mailbox);
}

int hoop__mailbox_post(struct hoop__mailbox *mailbox, struct hoop__task *task)
{
    int rc = HOOP_ECANCELED;
    pthread_mutex_lock(&mailbox->lock);
    if (mailbox->open) {
        int was_empty = !mailbox->tasks.first;
        hoop__task_list_add(&mailbox->tasks, task);
        if (was_empty)
            mailbox->loop->ops->wake(mailbox->loop);
        rc = 0;
    }
    pthread_mutex_unlock(&mailbox->lock);
    return rc;
}

static struct hoop__task *mailbox_take(struct hoop__mailbox *mailbox)
{
    pthread_mutex_lock(&mailbox->lock);
    struct hoop__task *tasks = take_all(&mailbox->tasks);
    pthread_mutex_unlock(&mailbox->lock);
    return tasks;
}

/* --- life ------------------------------------------------------------------------------------ */

static int64_t real_wall(struct hoop_loop *loop)
{
    (void)loop;
    return hoop__clock_wall();
}

int hoop__loop_init(struct hoop_loop *loop, const struct hoop__loop_ops *ops,
                    const hoop_allocator *allocator, const hoop_limits *limits, uint64_t now)
{
    memset(loop, 0, sizeof *loop);
    loop->ops = ops;
    loop->allocator = allocator;
    loop->limits = limits;
    loop->now = now;
    loop->wall = real_wall;
    loop->armed = HOOP__NEVER;
    hoop__blocks_init(&loop->blocks, allocator, CACHED_BLOCKS);
    hoop__wheel_init(&loop->timers, now);
    hoop__task_list_init(&loop->ready);
    loop->mailbox = mailbox_new(loop);
    if (!loop->mailbox)
        return HOOP_ENOMEM;
    hoop__loop_enter(loop);
    return 0;
}

void hoop__loop_close(struct hoop_loop *loop)
{
    hoop__loop_turn(loop);
    pthread_mutex_lock(&loop->mailbox->lock);
    loop->mailbox->open = 0;
    struct hoop__task *tasks = take_all(&loop->mailbox->tasks);
    pthread_mutex_unlock(&loop->mailbox->lock);
    run_all(tasks, loop);
    while (loop->ready.first)
        run_all(take_all(&loop->ready), loop);
}

void hoop__loop_done(struct hoop_loop *loop)
{
    while (loop->locals) {
        struct hoop__local *local = loop->locals;
        loop->locals = local->next;
        local->done(local, loop);
    }
    hoop__free(loop->allocator, loop->head_memo);
    hoop__blocks_done(&loop->blocks);
    hoop__mailbox_unref(loop->mailbox);
}

/* --- what other rooms keep ------------------------------------------------------------------- */

struct hoop__local *hoop__loop_local(const struct hoop_loop *loop, const void *key)
{
    struct hoop__local *local = loop->locals;
    while (local && local->key != key)
        local = local->next;
    return local;
}

void hoop__loop_keep(struct hoop_loop *loop, struct hoop__local *local)
{
    local->next = loop->locals;
    loop->locals = local;
}

/* --- threads --------------------------------------------------------------------------------- */

/* Its address is the mark of a thread; nothing is stored in it. */
static _Thread_local char thread_mark;

void hoop__loop_enter(struct hoop_loop *loop)
{
    atomic_store_explicit(&loop->mailbox->thread, (const void *)&thread_mark, memory_order_relaxed);
}

int hoop__mailbox_here(const struct hoop__mailbox *mailbox)
{
    return atomic_load_explicit(&mailbox->thread, memory_order_relaxed) ==
               (const void *)&thread_mark &&
           mailbox->open;
}

/* --- running --------------------------------------------------------------------------------- */

void hoop__loop_queue(struct hoop_loop *loop, struct hoop__task *task)
{
    hoop__task_list_add(&loop->ready, task);
}

void hoop__loop_turn(struct hoop_loop *loop)
{
    for (int round = 0; round < MAX_ROUNDS; round++) {
        if (!loop->ready.first)
            return;
        run_all(take_all(&loop->ready), loop);
    }
    pthread_mutex_lock(&loop->mailbox->lock);
    loop->ops->wake(loop);
    pthread_mutex_unlock(&loop->mailbox->lock);
}

void hoop__loop_mail(struct hoop_loop *loop)
{
    run_all(mailbox_take(loop->mailbox), loop);
}

void hoop__loop_timer(struct hoop_loop *loop, struct hoop__timer *timer, uint64_t due)
{
    hoop__timer_set(&loop->timers, timer, due);
    if (due < loop->armed) {
        loop->armed = due;
        loop->ops->rearm(loop, due);
    }
}

const char *hoop__loop_date_slow(struct hoop_loop *loop)
{
    hoop__clock_imf(loop->wall(loop), loop->date);
    loop->date[HOOP__DATE_LEN] = 0;
    /* A quarter of a second late at most, and at most four look-ups a second. */
    loop->date_until = loop->now + 250;
    return loop->date;
}

/* --- the public side ------------------------------------------------------------------------- */

struct posted {
    struct hoop__task task;
    const hoop_allocator *allocator;
    hoop_task_fn *fn;
    void *data;
};

static void run_posted(struct hoop__task *task, struct hoop_loop *loop)
{
    (void)loop;
    struct posted posted = *(struct posted *)task;
    hoop__free(posted.allocator, task);
    posted.fn(posted.data);
}

int hoop_loop_post(hoop_loop *loop, hoop_task_fn *fn, void *data)
{
    if (!loop || !fn)
        return HOOP_EINVAL;
    struct posted *posted = hoop__alloc(loop->allocator, sizeof *posted);
    if (!posted)
        return HOOP_ENOMEM;
    posted->task.run = run_posted;
    posted->allocator = loop->allocator;
    posted->fn = fn;
    posted->data = data;
    int rc = hoop__mailbox_post(loop->mailbox, &posted->task);
    if (rc)
        hoop__free(posted->allocator, posted);
    return rc;
}

struct uv_loop_s *hoop_loop_uv(hoop_loop *loop)
{
    return loop ? loop->uv : NULL;
}

void *hoop_loop_state(const hoop_loop *loop)
{
    return loop ? loop->state : NULL;
}

uint64_t hoop_loop_now(const hoop_loop *loop)
{
    return loop ? loop->now : 0;
}
