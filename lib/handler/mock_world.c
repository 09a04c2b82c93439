/* The runtime of mock requests: a loop that a test drives, with a virtual clock. */
#include "handler/mock.h"

#include "base/clock.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#define REAL_PATIENCE_MS    5000      /* for other threads, when nothing else can happen */
#define TIMEOUT_PATIENCE_MS 100       /* likewise, before a timeout is let through */
#define WALL_START          784111777 /* Sun, 06 Nov 1994 08:49:37 GMT, the date of RFC 9110 */

static struct hoop__world *world_of(struct hoop_loop *loop)
{
    return (struct hoop__world *)(void *)loop; /* its first member */
}

/* --- what the loop asks of its driver -------------------------------------------------------- */

static void wake(struct hoop_loop *loop)
{
    struct hoop__world *world = world_of(loop);
    pthread_mutex_lock(&world->lock);
    world->mail = 1;
    pthread_cond_signal(&world->posted);
    pthread_mutex_unlock(&world->lock);
}

static void rearm(struct hoop_loop *loop, uint64_t due)
{
    (void)due; /* the wheel is looked at when nothing else can run */
    loop->armed = HOOP__NEVER;
}

static int block(struct hoop_loop *loop, struct hoop__job *job)
{
    (void)loop;
    job->work(job);
    return 0;
}

static const struct hoop__loop_ops loop_ops = { wake, rearm, block };

static int64_t virtual_wall(struct hoop_loop *loop)
{
    return WALL_START + (int64_t)(loop->now / 1000);
}

/* --- life ------------------------------------------------------------------------------------ */

/* Waits until another thread posts or so many real milliseconds have passed; nonzero if it posted. */
static int wait_for_mail(struct hoop__world *world, uint64_t patience_ms)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)(patience_ms / 1000);
    until.tv_nsec += (long)(patience_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_mutex_lock(&world->lock);
    while (!world->mail &&
           pthread_cond_timedwait(&world->posted, &world->lock, &until) != ETIMEDOUT)
        ;
    int posted = world->mail;
    world->mail = 0;
    pthread_mutex_unlock(&world->lock);
    return posted;
}

void hoop__world_turn(struct hoop__world *world)
{
    hoop__loop_mail(&world->loop);
    hoop__loop_turn(&world->loop);
}

/* Lets the virtual clock jump to the next timer. */
static void jump(struct hoop__world *world, uint64_t next)
{
    if (next > world->loop.now)
        world->loop.now = next;
    hoop__wheel_run(&world->loop.timers, world->loop.now);
}

/*
 * What is pending may come by timers, or from other threads, which are waited for, since their memory
 * goes along. Timers without end are given up.
 */
static void settle_all(struct hoop__world *world)
{
    hoop__world_turn(world);
    for (int jumps = 0; world->loop.counters.pending; hoop__world_turn(world)) {
        uint64_t next = hoop__wheel_next(&world->loop.timers);
        if (next != HOOP__NEVER && jumps++ < 1000)
            jump(world, next);
        else if (!wait_for_mail(world, world->patience_ms))
            return;
    }
}

/* The arena goes, and the world with it. */
static void world_done(void *data)
{
    struct hoop__world *world = data;
    hoop__loop_enter(&world->loop);
    settle_all(world);
    /* Handlers that were called directly have left exchanges that nobody ended. */
    for (struct hoop__mock_exchange *mx = world->exchanges; mx; mx = mx->next)
        if (!mx->x.over)
            hoop__exchange_end(&mx->x, HOOP_ECANCELED);
    hoop__loop_close(&world->loop);
    hoop__exchange_orphan_all(&world->loop);
    for (struct hoop__mock_exchange *mx = world->exchanges; mx; mx = mx->next)
        if (!mx->x.open_holds)
            hoop__exchange_release(&mx->x);
    hoop__loop_done(&world->loop);
    pthread_cond_destroy(&world->posted);
    pthread_mutex_destroy(&world->lock);
}

struct hoop__world *hoop__world_new(hoop_arena *arena)
{
    struct hoop__world *world = hoop_arena_zalloc(arena, sizeof *world);
    if (!world)
        return NULL;
    hoop__limits_fill(&world->limits, NULL, 0);
    /* A test waits by the virtual clock: a handler that answers after an hour of it is no failure. */
    world->limits.handler_ms = HOOP_OFF;
    if (hoop__loop_init(&world->loop, &loop_ops, arena->allocator, &world->limits, /* now= */ 1000))
        return NULL;
    world->loop.wall = virtual_wall;
    world->patience_ms = REAL_PATIENCE_MS;
    world->service.limits = &world->limits;
    pthread_mutex_init(&world->lock, NULL);
    pthread_cond_init(&world->posted, NULL);
    return hoop_arena_on_dispose(arena, world_done, world) ? NULL : world;
}

/* --- running --------------------------------------------------------------------------------- */

/* Nonzero if a timer of the exchange stands for work of the program, and not for the end of a wait. */
static int has_work_timer(const struct hoop__exchange *x)
{
    for (const struct hoop__exchange_timer *t = x->timers; t; t = t->next)
        if (!t->gives_up && hoop__timer_is_set(&t->timer))
            return 1;
    return 0;
}

int hoop__world_run(struct hoop__world *world, struct hoop__exchange *x, int (*done)(void *data),
                    void *data)
{
    for (;;) {
        hoop__loop_enter(&world->loop);
        hoop__world_turn(world);
        if (done(data))
            return 0;
        if (world->loop.ready.first)
            continue;
        uint64_t next = hoop__wheel_next(&world->loop.timers);
        if (next == HOOP__NEVER) {
            if (!wait_for_mail(world, x->open_holds ? world->patience_ms : 0))
                return HOOP_ETIMEDOUT;
        } else if (has_work_timer(x) || !x->open_holds ||
                   !wait_for_mail(world, TIMEOUT_PATIENCE_MS)) {
            jump(world, next);
        }
    }
}

void hoop_mock_advance(const hoop_request *req, uint64_t ms)
{
    if (!req || !hoop__is_mock(req))
        return;
    struct hoop__world *world = hoop__mock_of(req)->world;
    uint64_t until = world->loop.now + ms;
    hoop__loop_enter(&world->loop);
    hoop__world_turn(world);
    for (;;) {
        uint64_t next = hoop__wheel_next(&world->loop.timers);
        if (next > until)
            break;
        jump(world, next);
        hoop__world_turn(world);
    }
    world->loop.now = until;
}
