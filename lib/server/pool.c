/* Threads that run blocking jobs, started when needed; and how this room starts any thread. */
#include "server/pool.h"

#include <hoop/error.h>

#include <signal.h>
#include <string.h>

/* All but the constants is guarded by the lock. */
struct hoop__pool {
    const hoop_allocator *allocator;
    uint64_t max_waiting;
    uint32_t max_threads;
    uint32_t thread_count;
    uint32_t idle; /* threads that wait for a job */
    int ending;
    pthread_mutex_t lock;
    pthread_cond_t more;
    uint64_t waiting;                /* jobs of all clients */
    struct hoop__pool_client *first; /* whose turn it is */
    struct hoop__pool_client *last;
    pthread_t threads[];
};

int hoop__thread_start(pthread_t *ret_thread, void *(*run)(void *data), void *data)
{
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    int rc = pthread_create(ret_thread, NULL, run, data);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return rc;
}

/* --- the line of clients --------------------------------------------------------------------- */

static void line_up(struct hoop__pool *pool, struct hoop__pool_client *client)
{
    client->next = NULL;
    if (pool->first)
        pool->last->next = client;
    else
        pool->first = client;
    pool->last = client;
}

static void step_out(struct hoop__pool *pool, struct hoop__pool_client *client)
{
    struct hoop__pool_client *before = NULL;
    for (struct hoop__pool_client *c = pool->first; c != client; c = c->next)
        before = c;
    if (before)
        before->next = client->next;
    else
        pool->first = client->next;
    if (pool->last == client)
        pool->last = before;
}

/* The next job; its client goes to the end of the line if it has more. */
static struct hoop__job *take(struct hoop__pool *pool, struct hoop__pool_client **ret_client)
{
    struct hoop__pool_client *client = pool->first;
    struct hoop__job *job = client->first;
    client->first = job->next;
    step_out(pool, client);
    if (client->first)
        line_up(pool, client);
    client->running++;
    pool->waiting--;
    *ret_client = client;
    return job;
}

/* --- running --------------------------------------------------------------------------------- */

static void count_out(struct hoop__pool_client *client)
{
    struct hoop__task *quiet = client->quiet;
    if (--client->running || !quiet)
        return;
    client->quiet = NULL;
    hoop__mailbox_post(client->loop->mailbox, quiet);
}

static void *work(void *data)
{
    struct hoop__pool *pool = data;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->waiting && !pool->ending) {
            pool->idle++;
            pthread_cond_wait(&pool->more, &pool->lock);
            pool->idle--;
        }
        if (!pool->waiting)
            break;
        struct hoop__pool_client *client;
        struct hoop__job *job = take(pool, &client);
        pthread_mutex_unlock(&pool->lock);
        job->work(job); /* which may free it */
        pthread_mutex_lock(&pool->lock);
        count_out(client);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

/* --- adding and cancelling ------------------------------------------------------------------- */

/* One thread more, if those that are idle have enough to do already. */
static int start_thread(struct hoop__pool *pool)
{
    if (pool->idle > pool->waiting || pool->thread_count == pool->max_threads)
        return 0;
    if (hoop__thread_start(&pool->threads[pool->thread_count], work, pool) == 0)
        pool->thread_count++;
    return pool->thread_count ? 0 : HOOP_ENOMEM;
}

static int add(struct hoop__pool *pool, struct hoop__pool_client *client, struct hoop__job *job)
{
    if (pool->waiting >= pool->max_waiting)
        return HOOP_EBUSY;
    if (start_thread(pool))
        return HOOP_ENOMEM;
    job->next = NULL;
    if (client->first) {
        client->last->next = job;
    } else {
        client->first = job;
        line_up(pool, client);
    }
    client->last = job;
    pool->waiting++;
    pthread_cond_signal(&pool->more);
    return 0;
}

int hoop__pool_add(struct hoop__pool *pool, struct hoop__pool_client *client, struct hoop__job *job)
{
    pthread_mutex_lock(&pool->lock);
    int rc = add(pool, client, job);
    pthread_mutex_unlock(&pool->lock);
    return rc;
}

/* Takes all that waits of a client out. */
static struct hoop__job *take_all(struct hoop__pool *pool, struct hoop__pool_client *client)
{
    struct hoop__job *first = client->first;
    if (!first)
        return NULL;
    step_out(pool, client);
    client->first = NULL;
    for (struct hoop__job *job = first; job; job = job->next)
        pool->waiting--;
    return first;
}

int hoop__pool_quiet(struct hoop__pool *pool, struct hoop__pool_client *client,
                     struct hoop__task *task)
{
    pthread_mutex_lock(&pool->lock);
    struct hoop__job *job = take_all(pool, client);
    int quiet = client->running == 0;
    client->quiet = quiet ? NULL : task;
    pthread_mutex_unlock(&pool->lock);
    while (job) {
        struct hoop__job *next = job->next;
        job->cancel(job); /* which may free it */
        job = next;
    }
    return quiet;
}

/* --- life ------------------------------------------------------------------------------------ */

int hoop__pool_new(struct hoop__pool **ret_pool, const hoop_allocator *allocator,
                   uint32_t max_threads, uint64_t max_waiting)
{
    size_t size = sizeof(struct hoop__pool) + max_threads * sizeof(pthread_t);
    struct hoop__pool *pool = hoop__alloc(allocator, size);
    if (!pool)
        return HOOP_ENOMEM;
    memset(pool, 0, size);
    pool->allocator = allocator;
    pool->max_threads = max_threads;
    pool->max_waiting = max_waiting;
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->more, NULL);
    *ret_pool = pool;
    return 0;
}

void hoop__pool_free(struct hoop__pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->ending = 1;
    pthread_cond_broadcast(&pool->more);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i], NULL);
    pthread_cond_destroy(&pool->more);
    pthread_mutex_destroy(&pool->lock);
    hoop__free(pool->allocator, pool);
}
