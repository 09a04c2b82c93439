/* Answers that come from other threads, while clients leave and servers end. */
#include "client.h"

#include "base/loop.h"

#include <pthread.h>
#include <stdatomic.h>

#define MANY 1000

/* Deferreds on their way to the threads that resolve them. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t more;
    hoop_deferred *all[MANY * 2];
    int put, taken, ending;
} box = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, { NULL }, 0, 0, 0 };

static atomic_int dones, disposed;

static void on_done(const hoop_done *done, void *data)
{
    atomic_fetch_add(&dones, 1);
}

static void dispose(void *data)
{
    atomic_fetch_add(&disposed, 1);
}

static const hoop_response *deferred(const hoop_request *req, void *data)
{
    hoop_on_done(req, on_done, NULL);
    hoop_arena_on_dispose(req->arena, dispose, NULL);
    hoop_deferred *d = hoop_defer(req);
    if (!d)
        return NULL;
    pthread_mutex_lock(&box.lock);
    box.all[box.put++] = d;
    pthread_cond_signal(&box.more);
    pthread_mutex_unlock(&box.lock);
    return hoop_deferred_response(d);
}

static void *resolver(void *data)
{
    for (;;) {
        pthread_mutex_lock(&box.lock);
        while (box.taken == box.put && !box.ending)
            pthread_cond_wait(&box.more, &box.lock);
        int n = box.taken < box.put ? box.taken++ : -1;
        pthread_mutex_unlock(&box.lock);
        if (n < 0)
            return NULL;
        hoop_deferred *d = box.all[n];
        if (n % 10 == 9)
            hoop_deferred_drop(d);
        else
            hoop_resolve(d, hoop_textf(hoop_deferred_request(d), 200, "number %d", n));
    }
}

static void begin_resolving(pthread_t *threads, size_t count)
{
    box.put = box.taken = box.ending = 0;
    atomic_store(&dones, 0);
    atomic_store(&disposed, 0);
    for (size_t i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, resolver, NULL);
}

static void end_resolving(pthread_t *threads, size_t count)
{
    pthread_mutex_lock(&box.lock);
    box.ending = 1;
    pthread_cond_broadcast(&box.more);
    pthread_mutex_unlock(&box.lock);
    for (size_t i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
}

static int all_done(void *data)
{
    hoop_stats stats;
    hoop_server_stats(data, &stats, sizeof stats);
    return (uint64_t)atomic_load(&dones) == stats.requests && !stats.pending;
}

static void answers_come_while_clients_leave(void **state)
{
    pthread_t threads[3];
    struct test_client c[20] = { 0 };
    hoop_server *server =
        test_server_start(hoop_fn(deferred, NULL), &(hoop_server_options){ .threads = 2 });
    begin_resolving(threads, HOOP_COUNT(threads));
    for (int i = 0; i < MANY; i++) {
        struct test_client *one = &c[i % 20];
        if (one->fd > 0 && i % 3 == 0)
            test_reset(one);
        else if (one->fd > 0)
            test_close(one);
        test_connect(one, "127.0.0.1", hoop_listener_port(server, 0));
        test_send(one, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    for (int i = 0; i < 20; i++) {
        struct test_answer answer;
        test_answer(&c[i], &answer);
        assert_true(answer.status == 200 || answer.status == 500);
        test_close(&c[i]);
    }
    test_until(all_done, server);
    test_until_connections(server, 0);
    end_resolving(threads, HOOP_COUNT(threads));
    assert_int_equal(atomic_load(&disposed), atomic_load(&dones));
    test_server_stop(server);
}

static void answers_come_after_the_end(void **state)
{
    for (int round = 0; round < 20; round++) {
        pthread_t threads[2];
        struct test_client c = { 0 };
        hoop_server *server =
            test_server_start(hoop_fn(deferred, NULL), &(hoop_server_options){ 0 });
        begin_resolving(threads, round % 2 ? HOOP_COUNT(threads) : 0);
        test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
        test_send(&c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        test_until_requests(server, 1);
        test_server_stop(server);
        if (round % 2 == 0)
            begin_resolving(threads, 0);
        /* Whether somebody got to it before the end or not, it is resolved once, and all is freed. */
        if (round % 2 == 0)
            assert_int_equal(
                hoop_resolve(box.all[0], hoop_text(hoop_deferred_request(box.all[0]), 200, "x")),
                HOOP_ECANCELED);
        end_resolving(threads, round % 2 ? HOOP_COUNT(threads) : 0);
        test_close(&c);
    }
}

static void post_back(void *data)
{
    atomic_fetch_add((atomic_int *)data, 1);
}

struct poster {
    hoop_loop *loop;
    atomic_int *count;
};

static void *post_many(void *data)
{
    struct poster *p = data;
    for (int i = 0; i < 500; i++)
        if (hoop_loop_post(p->loop, post_back, p->count))
            break;
    return NULL;
}

static _Atomic(hoop_loop *) the_loop;

static int note_loop(hoop_loop *loop, void *data, void **ret_state)
{
    atomic_store(&the_loop, loop);
    return 0;
}

static int posted_all(void *data)
{
    return atomic_load((atomic_int *)data) == 2000;
}

static int has_loop(void *data)
{
    return atomic_load(&the_loop) != NULL;
}

static void tasks_are_posted(void **state)
{
    atomic_int count = 0;
    pthread_t threads[4];
    atomic_store(&the_loop, NULL);
    hoop_server *server = test_server_start(hoop_fn(deferred, NULL),
                                            &(hoop_server_options){ .on_loop_start = note_loop });
    test_until(has_loop, NULL);
    struct poster p = { atomic_load(&the_loop), &count };
    for (size_t i = 0; i < HOOP_COUNT(threads); i++)
        pthread_create(&threads[i], NULL, post_many, &p);
    for (size_t i = 0; i < HOOP_COUNT(threads); i++)
        pthread_join(threads[i], NULL);
    test_until(posted_all, &count);
    test_server_stop(server);
}

/* --- the blocking pool ----------------------------------------------------------------------- */

/* What a blocking handler stands on: a job that owes an answer. */
struct blocked {
    struct hoop__job job;
    hoop_deferred *owed;
};

static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER; /* held while jobs may not go on */
static atomic_int working, cancelled;

static void work(struct hoop__job *job)
{
    struct blocked *b = (struct blocked *)job;
    atomic_fetch_add(&working, 1);
    pthread_mutex_lock(&gate);
    pthread_mutex_unlock(&gate);
    hoop_resolve(b->owed, hoop_text(hoop_deferred_request(b->owed), 200, "worked"));
}

static void cancel(struct hoop__job *job)
{
    atomic_fetch_add(&cancelled, 1);
    hoop_deferred_drop(((struct blocked *)job)->owed);
}

static const hoop_response *blocking(const hoop_request *req, void *data)
{
    hoop_loop *loop = hoop_loop_of(req);
    hoop_deferred *d = hoop_defer(req);
    struct blocked *b = hoop_alloc(hoop_deferred_request(d), sizeof *b);
    b->job.work = work;
    b->job.cancel = cancel;
    b->owed = d;
    const hoop_response *res = hoop_deferred_response(d);
    int rc = loop->ops->block(loop, &b->job);
    if (!rc)
        return res;
    hoop_deferred_drop(d);
    return hoop_fail(req, rc, "the pool is full");
}

static int is_working(void *data)
{
    return atomic_load(&working) >= *(int *)data;
}

static int are_cancelled(void *data)
{
    return atomic_load(&cancelled) == *(int *)data;
}

static void jobs_run_on_the_pool(void **state)
{
    struct test_client c[30] = { 0 };
    hoop_server *server = test_server_start(
        hoop_fn(blocking, NULL), &(hoop_server_options){ .threads = 2, .blocking_threads = 3 });
    atomic_store(&working, 0);
    for (int i = 0; i < 30; i++) {
        test_connect(&c[i], "127.0.0.1", hoop_listener_port(server, 0));
        test_send(&c[i], "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    }
    for (int i = 0; i < 30; i++) {
        test_expect(&c[i], 200, "worked");
        test_close(&c[i]);
    }
    assert_int_equal(atomic_load(&working), 30);
    test_server_stop(server);
}

static void the_end_waits_for_running_jobs(void **state)
{
    struct test_client c[4] = { 0 };
    struct test_answer answer;
    hoop_server *server = test_server_start(
        hoop_fn(blocking, NULL),
        &(hoop_server_options){ .blocking_threads = 1,
                                HOOP_LIMITS(&(hoop_limits){ .max_blocking = 2 }) });
    atomic_store(&working, 0);
    atomic_store(&cancelled, 0);
    pthread_mutex_lock(&gate);
    for (int i = 0; i < 4; i++) {
        test_connect(&c[i], "127.0.0.1", hoop_listener_port(server, 0));
        test_send(&c[i], "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        test_until_requests(server, (uint64_t)i + 1);
        test_until(is_working, &(int){ 1 });
    }
    /* One runs, two wait, and the fourth was refused. */
    test_answer(&c[3], &answer);
    assert_int_equal(answer.status, 503);
    assert_int_equal(hoop_server_stop(server, NULL, NULL), 0);
    for (int i = 0; i < 3; i++)
        test_read_end(&c[i]);
    test_until(are_cancelled, &(int){ 2 });
    pthread_mutex_unlock(&gate);
    assert_int_equal(hoop_server_wait(server), 0);
    assert_int_equal(atomic_load(&working), 1);
    for (int i = 0; i < 4; i++)
        test_close(&c[i]);
    hoop_server_free(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_come_while_clients_leave),
        cmocka_unit_test(answers_come_after_the_end),
        cmocka_unit_test(tasks_are_posted),
        cmocka_unit_test(jobs_run_on_the_pool),
        cmocka_unit_test(the_end_waits_for_running_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
