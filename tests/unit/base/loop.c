/* The loop's own part: order of tasks, the mailbox and its closing, dates, posts of threads. */
#include "fake.h"

#include <pthread.h>
#include <stdio.h>

struct noted_task {
    struct hoop__task task;
    const char *name;
    struct noted_task *also; /* queued while this one runs */
    int times;
};

static char order[256];

static void run_noted(struct hoop__task *task, struct hoop_loop *loop)
{
    struct noted_task *t = (struct noted_task *)task;
    strcat(order, t->name);
    if (t->also && t->also->times-- > 0)
        hoop__loop_queue(loop, &t->also->task);
}

static struct noted_task task_of(const char *name)
{
    struct noted_task t = { .task.run = run_noted, .name = name, .times = 1 };
    return t;
}

static void test_tasks_run_in_order_and_only_in_a_turn(void **state)
{
    struct fake f;
    fake_init(&f);
    order[0] = 0;
    struct noted_task a = task_of("a"), b = task_of("b"), c = task_of("c"), d = task_of("d");
    a.also = &d;
    hoop__loop_queue(&f.loop, &a.task);
    hoop__loop_queue(&f.loop, &b.task);
    hoop__loop_queue(&f.loop, &c.task);
    assert_string_equal(order, "");
    assert_true(hoop__loop_has_ready(&f.loop));
    hoop__loop_turn(&f.loop);
    assert_string_equal(order, "abcd");
    assert_false(hoop__loop_has_ready(&f.loop));
    fake_done(&f);
}

static void test_endless_tasks_leave_room_for_others(void **state)
{
    struct fake f;
    fake_init(&f);
    order[0] = 0;
    struct noted_task a = task_of("x");
    a.also = &a;
    a.times = 100;
    hoop__loop_queue(&f.loop, &a.task);
    hoop__loop_turn(&f.loop);
    assert_int_equal(strlen(order), 64);
    assert_int_equal(f.wakes, 1);
    assert_true(hoop__loop_has_ready(&f.loop));
    hoop__loop_turn(&f.loop);
    assert_int_equal(strlen(order), 101);
    fake_done(&f);
}

static void test_mail_wakes_once_and_runs_when_read(void **state)
{
    struct fake f;
    fake_init(&f);
    order[0] = 0;
    struct noted_task a = task_of("a"), b = task_of("b");
    assert_int_equal(hoop__mailbox_post(f.loop.mailbox, &a.task), 0);
    assert_int_equal(hoop__mailbox_post(f.loop.mailbox, &b.task), 0);
    assert_int_equal(f.wakes, 1);
    hoop__loop_turn(&f.loop);
    assert_string_equal(order, "");
    hoop__loop_mail(&f.loop);
    assert_string_equal(order, "ab");
    assert_int_equal(hoop__mailbox_post(f.loop.mailbox, &a.task), 0);
    assert_int_equal(f.wakes, 2);
    fake_turn(&f);
    assert_string_equal(order, "aba");
    fake_done(&f);
}

static void test_closing_runs_what_was_posted_and_refuses_the_rest(void **state)
{
    struct fake f;
    fake_init(&f);
    order[0] = 0;
    struct noted_task a = task_of("a"), b = task_of("b"), c = task_of("c"), d = task_of("d");
    a.also = &d;
    hoop__loop_queue(&f.loop, &b.task);
    hoop__mailbox_post(f.loop.mailbox, &a.task);
    struct hoop__mailbox *mailbox = hoop__mailbox_ref(f.loop.mailbox);
    hoop__loop_close(&f.loop);
    assert_string_equal(order, "bad");
    assert_int_equal(hoop__mailbox_post(mailbox, &c.task), HOOP_ECANCELED);
    hoop__loop_done(&f.loop);
    /* The mailbox outlives its loop for those who hold it. */
    assert_int_equal(hoop__mailbox_post(mailbox, &c.task), HOOP_ECANCELED);
    assert_int_equal(hoop__mailbox_here(mailbox), 0);
    hoop__mailbox_unref(mailbox);
    assert_string_equal(order, "bad");
    assert_int_equal(f.allocator.live, 0);
}

static void *ask_here(void *mailbox)
{
    return (void *)(intptr_t)hoop__mailbox_here(mailbox);
}

static void test_the_loops_thread_is_known(void **state)
{
    struct fake f;
    pthread_t thread;
    void *here;
    fake_init(&f);
    assert_int_equal(hoop__mailbox_here(f.loop.mailbox), 1);
    pthread_create(&thread, NULL, ask_here, f.loop.mailbox);
    pthread_join(thread, &here);
    assert_null(here);
    fake_done(&f);
}

/* --- timers and dates ------------------------------------------------------------------------ */

static void nothing(struct hoop__timer *timer)
{
    (void)timer;
}

static uint64_t told;

static void note_rearm(struct hoop_loop *loop, uint64_t due)
{
    (void)loop;
    told = due;
}

static void test_the_driver_is_told_of_earlier_timers_only(void **state)
{
    struct fake f;
    fake_init(&f);
    struct hoop__loop_ops ops = *f.loop.ops;
    ops.rearm = note_rearm;
    f.loop.ops = &ops;
    struct hoop__timer a = { .fire = nothing }, b = a, c = a;
    told = 0;
    hoop__loop_timer(&f.loop, &a, 5000);
    assert_int_equal(told, 5000);
    told = 0;
    hoop__loop_timer(&f.loop, &b, 6000);
    assert_int_equal(told, 0);
    hoop__loop_timer(&f.loop, &c, 4999);
    assert_int_equal(told, 4999);
    fake_done(&f);
}

static void test_the_date_is_made_four_times_a_second_at_most(void **state)
{
    struct fake f;
    fake_init(&f);
    assert_string_equal(hoop__loop_date(&f.loop), "Sun, 06 Nov 1994 08:49:37 GMT");
    f.wall++;
    f.loop.now += 249;
    assert_string_equal(hoop__loop_date(&f.loop), "Sun, 06 Nov 1994 08:49:37 GMT");
    f.loop.now += 1;
    assert_string_equal(hoop__loop_date(&f.loop), "Sun, 06 Nov 1994 08:49:38 GMT");
    fake_done(&f);
}

/* --- the public side ------------------------------------------------------------------------- */

static void append(void *data)
{
    strcat(order, data);
}

static void test_posts_run_in_order_on_the_loops_thread(void **state)
{
    struct fake f;
    fake_init(&f);
    order[0] = 0;
    assert_int_equal(hoop_loop_post(&f.loop, append, "a"), 0);
    assert_int_equal(hoop_loop_post(&f.loop, append, "b"), 0);
    assert_string_equal(order, "");
    fake_turn(&f);
    assert_string_equal(order, "ab");
    assert_int_equal(hoop_loop_post(NULL, append, "c"), HOOP_EINVAL);
    assert_int_equal(hoop_loop_post(&f.loop, NULL, "c"), HOOP_EINVAL);
    hoop_loop_post(&f.loop, append, "d");
    hoop__loop_close(&f.loop);
    assert_string_equal(order, "abd");
    assert_int_equal(hoop_loop_post(&f.loop, append, "e"), HOOP_ECANCELED);
    fake_done(&f);
    assert_string_equal(order, "abd");
}

static void test_getters(void **state)
{
    struct fake f;
    int thing;
    fake_init(&f);
    f.loop.state = &thing;
    assert_ptr_equal(hoop_loop_state(&f.loop), &thing);
    assert_null(hoop_loop_uv(&f.loop));
    assert_int_equal(hoop_loop_now(&f.loop), 1000);
    assert_null(hoop_loop_state(NULL));
    assert_null(hoop_loop_uv(NULL));
    assert_int_equal(hoop_loop_now(NULL), 0);
    assert_null(hoop_loop_of(NULL));
    fake_done(&f);
}

static void post_each(struct test_allocator *a, void *data)
{
    struct fake f;
    if (fake_init_on(&f, &a->hoop))
        return;
    order[0] = 0;
    int rc = hoop_loop_post(&f.loop, append, "p");
    assert_int_equal(rc, a->fail_at == 2 ? HOOP_ENOMEM : 0);
    fake_turn(&f);
    assert_string_equal(order, rc ? "" : "p");
    fake_done(&f);
}

static void test_each_allocation_may_fail(void **state)
{
    test_each_allocation(post_each, NULL);
}

/* --- threads --------------------------------------------------------------------------------- */

#define THREADS 4
#define POSTS   5000

struct poster {
    struct hoop_loop *loop;
    int next; /* touched by the loop's thread alone */
    int posted, refused;
    struct post {
        struct poster *poster;
        int number;
    } posts[POSTS];
};

static atomic_int ran;

static void run_post(void *data)
{
    struct post *post = data;
    assert_int_equal(post->number, post->poster->next++); /* in order, of each thread */
    atomic_fetch_add_explicit(&ran, 1, memory_order_relaxed);
}

static void *post_all(void *data)
{
    struct poster *poster = data;
    for (int i = 0; i < POSTS; i++) {
        poster->posts[i].poster = poster;
        poster->posts[i].number = i;
        int rc = hoop_loop_post(poster->loop, run_post, &poster->posts[i]);
        if (rc == 0 && !poster->refused)
            poster->posted++;
        else if (rc == HOOP_ECANCELED)
            poster->refused++;
        else
            return "a post came through behind a refused one";
    }
    return NULL;
}

static struct poster posters[THREADS];

static void post_from_threads(int close_early)
{
    struct fake f;
    pthread_t threads[THREADS];
    assert_int_equal(fake_init_on(&f, &hoop__malloc), 0);
    memset(posters, 0, sizeof posters);
    ran = 0;
    for (int i = 0; i < THREADS; i++) {
        posters[i].loop = &f.loop;
        pthread_create(&threads[i], NULL, post_all, &posters[i]);
    }
    while (atomic_load_explicit(&ran, memory_order_relaxed) <
           (close_early ? THREADS * POSTS / 4 : THREADS * POSTS))
        fake_turn(&f);
    hoop__loop_close(&f.loop);
    int posted = 0;
    for (int i = 0; i < THREADS; i++) {
        void *complaint;
        pthread_join(threads[i], &complaint);
        assert_null(complaint);
        posted += posters[i].posted;
        assert_int_equal(posters[i].posted + posters[i].refused, POSTS);
        assert_int_equal(posters[i].next, posters[i].posted);
    }
    assert_int_equal(ran, posted);
    fake_done(&f);
}

static void test_posts_of_several_threads_each_in_order(void **state)
{
    post_from_threads(0);
}

static void test_posts_while_the_loop_closes_run_or_are_refused(void **state)
{
    post_from_threads(1);
}

struct kept {
    struct hoop__local local;
    const char *name;
};

static void local_done(struct hoop__local *local, struct hoop_loop *loop)
{
    (void)loop;
    strcat(order, ((struct kept *)(void *)local)->name);
}

static void test_what_rooms_keep_goes_with_the_loop(void **state)
{
    static const char a_key, b_key;
    struct kept a = { { NULL, &a_key, local_done }, "a" },
                b = { { NULL, &b_key, local_done }, "b" };
    struct fake f;
    fake_init(&f);
    order[0] = 0;
    assert_null(hoop__loop_local(&f.loop, &a_key));
    hoop__loop_keep(&f.loop, &a.local);
    assert_null(hoop__loop_local(&f.loop, &b_key));
    hoop__loop_keep(&f.loop, &b.local);
    assert_ptr_equal(hoop__loop_local(&f.loop, &a_key), &a);
    assert_ptr_equal(hoop__loop_local(&f.loop, &b_key), &b);
    fake_close(&f);
    assert_string_equal(order, "");
    hoop__loop_done(&f.loop);
    assert_string_equal(order, "ba");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tasks_run_in_order_and_only_in_a_turn),
        cmocka_unit_test(test_endless_tasks_leave_room_for_others),
        cmocka_unit_test(test_mail_wakes_once_and_runs_when_read),
        cmocka_unit_test(test_closing_runs_what_was_posted_and_refuses_the_rest),
        cmocka_unit_test(test_the_loops_thread_is_known),
        cmocka_unit_test(test_the_driver_is_told_of_earlier_timers_only),
        cmocka_unit_test(test_the_date_is_made_four_times_a_second_at_most),
        cmocka_unit_test(test_posts_run_in_order_on_the_loops_thread),
        cmocka_unit_test(test_getters),
        cmocka_unit_test(test_each_allocation_may_fail),
        cmocka_unit_test(test_posts_of_several_threads_each_in_order),
        cmocka_unit_test(test_posts_while_the_loop_closes_run_or_are_refused),
        cmocka_unit_test(test_what_rooms_keep_goes_with_the_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
