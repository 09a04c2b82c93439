/* The blocking pool: its bound, fair turns, what is cancelled, and the word that all is quiet. */
#include "support.h"

#include "server/pool.h"

#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

/* A loop that only has a mailbox: this thread waits for what is posted. */
struct home {
    struct hoop_loop base;
    sem_t woken;
    int quiet;
};

static void wake(struct hoop_loop *loop)
{
    sem_post(&((struct home *)loop)->woken);
}

static const struct hoop__loop_ops ops = { .wake = wake };

static void home_init(struct home *home, struct hoop__pool_client *client)
{
    static hoop_limits limits;
    memset(client, 0, sizeof *client);
    sem_init(&home->woken, 0, 0);
    home->quiet = 0;
    assert_int_equal(hoop__loop_init(&home->base, &ops, &hoop__malloc, &limits, 0), 0);
    client->loop = &home->base;
}

static void home_done(struct home *home)
{
    hoop__loop_close(&home->base);
    hoop__loop_done(&home->base);
    sem_destroy(&home->woken);
}

static void be_quiet(struct hoop__task *task, struct hoop_loop *loop)
{
    ((struct home *)loop)->quiet = 1;
}

struct work {
    struct hoop__job job;
    sem_t *started, *go;
    int blocked; /* signals that the thread blocks, out of three */
};

static atomic_int worked, cancelled;
static char order[16];

static void do_work(struct hoop__job *job)
{
    struct work *w = (struct work *)job;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    w->blocked =
        sigismember(&mask, SIGPIPE) + sigismember(&mask, SIGINT) + sigismember(&mask, SIGTERM);
    if (w->started)
        sem_post(w->started);
    if (w->go)
        sem_wait(w->go);
    atomic_fetch_add(&worked, 1);
}

static void do_cancel(struct hoop__job *job)
{
    atomic_fetch_add(&cancelled, 1);
}

static void runs_and_cancels(void **state)
{
    struct hoop__pool *pool;
    struct hoop__pool_client client;
    struct home home;
    struct hoop__task task = { NULL, be_quiet };
    sem_t started, go;
    struct work works[5];
    sem_init(&started, 0, 0);
    sem_init(&go, 0, 0);
    atomic_store(&worked, 0);
    atomic_store(&cancelled, 0);
    home_init(&home, &client);
    assert_int_equal(hoop__pool_new(&pool, &hoop__malloc, 2, 3), 0);
    for (int i = 0; i < 5; i++) {
        works[i] = (struct work){ { NULL, do_work, do_cancel }, &started, &go, 0 };
        /* Two run, so that the bound is one on those that wait. */
        assert_int_equal(hoop__pool_add(pool, &client, &works[i].job), 0);
        if (i < 2)
            sem_wait(&started);
    }
    struct work more = { { NULL, do_work, do_cancel }, NULL, NULL, 0 };
    assert_int_equal(hoop__pool_add(pool, &client, &more.job), HOOP_EBUSY);
    /* Those that wait are cancelled; those that run are waited for. */
    assert_int_equal(hoop__pool_quiet(pool, &client, &task), 0);
    assert_int_equal(atomic_load(&cancelled), 3);
    assert_int_equal(home.quiet, 0);
    sem_post(&go);
    sem_post(&go);
    sem_wait(&home.woken);
    hoop__loop_mail(&home.base);
    assert_int_equal(home.quiet, 1);
    assert_int_equal(atomic_load(&worked), 2);
    assert_int_equal(works[0].blocked, 3);
    assert_int_equal(hoop__pool_quiet(pool, &client, &task), 1);
    hoop__pool_free(pool);
    home_done(&home);
    sem_destroy(&started);
    sem_destroy(&go);
}

struct turn {
    struct hoop__job job;
    char name;
};

static void note_turn(struct hoop__job *job)
{
    char text[2] = { ((struct turn *)job)->name, 0 };
    strcat(order, text);
}

static void loops_take_turns(void **state)
{
    struct hoop__pool *pool;
    struct hoop__pool_client clients[2];
    struct home homes[2];
    sem_t started, go;
    struct work first = { { NULL, do_work, do_cancel }, &started, &go, 0 };
    struct turn turns[8];
    sem_init(&started, 0, 0);
    sem_init(&go, 0, 0);
    order[0] = 0;
    for (int i = 0; i < 2; i++)
        home_init(&homes[i], &clients[i]);
    assert_int_equal(hoop__pool_new(&pool, &hoop__malloc, 1, 100), 0);
    assert_int_equal(hoop__pool_add(pool, &clients[0], &first.job), 0);
    sem_wait(&started);
    for (int i = 0; i < 8; i++) {
        turns[i] = (struct turn){ { NULL, note_turn, do_cancel }, i < 5 ? 'a' : 'b' };
        assert_int_equal(hoop__pool_add(pool, &clients[i < 5 ? 0 : 1], &turns[i].job), 0);
    }
    sem_post(&go);
    hoop__pool_free(pool); /* which runs out what waits */
    assert_string_equal(order, "abababaa");

    for (int i = 0; i < 2; i++)
        home_done(&homes[i]);
    sem_destroy(&started);
    sem_destroy(&go);
}

static void many_jobs(void **state)
{
    struct hoop__pool *pool;
    struct hoop__pool_client client;
    struct home home;
    struct hoop__task task = { NULL, be_quiet };
    static struct work works[5000];
    atomic_store(&worked, 0);
    atomic_store(&cancelled, 0);
    home_init(&home, &client);
    assert_int_equal(hoop__pool_new(&pool, &hoop__malloc, 4, HOOP_OFF), 0);
    for (size_t i = 0; i < HOOP_COUNT(works); i++) {
        works[i] = (struct work){ { NULL, do_work, do_cancel }, NULL, NULL, 0 };
        assert_int_equal(hoop__pool_add(pool, &client, &works[i].job), 0);
    }
    while (!hoop__pool_quiet(pool, &client, &task)) {
        sem_wait(&home.woken);
        hoop__loop_mail(&home.base);
    }
    assert_int_equal(atomic_load(&worked) + atomic_load(&cancelled), HOOP_COUNT(works));
    hoop__pool_free(pool);
    home_done(&home);
}

static void no_memory(void **state)
{
    struct test_allocator a;
    struct hoop__pool *pool = NULL;
    test_allocator_init(&a);
    a.fail_at = 1;
    assert_int_equal(hoop__pool_new(&pool, &a.hoop, 4, 4), HOOP_ENOMEM);
    assert_null(pool);
    assert_int_equal(hoop__pool_new(&pool, &a.hoop, 4, 4), 0);
    hoop__pool_free(pool);
    hoop__pool_free(NULL);
    assert_int_equal(a.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_and_cancels),
        cmocka_unit_test(loops_take_turns),
        cmocka_unit_test(many_jobs),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
