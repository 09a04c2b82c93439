/* The timer wheel, against a plain list of what is due. */
#include "support.h"

#include "base/timer.h"

#define SPAN ((uint64_t)1 << 30)

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static struct hoop__wheel wheel;

/* A timer that remembers when it fired. */
struct probe {
    struct hoop__timer timer;
    uint64_t fired_at; /* wheel.now then */
    int fired;
    void (*then)(struct probe *probe);
    struct probe *other;
};

static void fire(struct hoop__timer *timer)
{
    struct probe *probe = (struct probe *)timer;
    probe->fired++;
    probe->fired_at = wheel.now;
    assert_false(hoop__timer_is_set(timer));
    if (probe->then)
        probe->then(probe);
}

static void start(uint64_t now)
{
    hoop__wheel_init(&wheel, now);
}

static void set(struct probe *probe, uint64_t due)
{
    probe->timer.fire = fire;
    hoop__timer_set(&wheel, &probe->timer, due);
}

static void test_an_empty_wheel_never_runs(void **state)
{
    start(5);
    assert_true(hoop__wheel_next(&wheel) == HOOP__NEVER);
    hoop__wheel_run(&wheel, 1000000);
    assert_int_equal(wheel.now, 1000000);
    assert_true(hoop__wheel_next(&wheel) == HOOP__NEVER);
}

static void test_fires_in_its_millisecond(void **state)
{
    static const uint64_t starts[] = {
        0, 1, 63, 64, 4095, 4096, 123456789, ((uint64_t)1 << 30) - 1, (uint64_t)1 << 40
    };
    static const uint64_t delays[] = { 1,        2,      62,       63,           64,
                                       65,       127,    128,      4095,         4096,
                                       4097,     262143, 262144,   16777215,     16777216,
                                       SPAN - 1, SPAN,   SPAN + 1, 5 * SPAN + 77 };
    for (size_t s = 0; s < HOOP_COUNT(starts); s++)
        for (size_t d = 0; d < HOOP_COUNT(delays); d++) {
            struct probe probe = { .fired = 0 };
            uint64_t due = starts[s] + delays[d];
            start(starts[s]);
            set(&probe, due);
            assert_true(hoop__timer_is_set(&probe.timer));
            assert_true(hoop__wheel_next(&wheel) <= due);
            hoop__wheel_run(&wheel, due - 1);
            assert_int_equal(probe.fired, 0);
            hoop__wheel_run(&wheel, due);
            assert_int_equal(probe.fired, 1);
            assert_true(probe.fired_at == due);
            assert_true(hoop__wheel_next(&wheel) == HOOP__NEVER);
        }
}

static void test_by_next_alone_it_is_on_time(void **state)
{
    struct probe probe = { .fired = 0 };
    start(12345);
    set(&probe, 12345 + 3 * SPAN + 99);
    int runs = 0;
    while (!probe.fired) {
        hoop__wheel_run(&wheel, hoop__wheel_next(&wheel));
        runs++;
    }
    assert_true(probe.fired_at == 12345 + 3 * SPAN + 99);
    assert_true(runs < 400); /* it hops from level to level and does not count milliseconds */
}

static void test_late_runs_fire_all_in_order(void **state)
{
    struct probe probes[100] = { { .fired = 0 } };
    start(1000);
    for (int i = 0; i < 100; i++)
        set(&probes[i], 1000 + (uint64_t)(i * 7919 % 5000) + 1);
    hoop__wheel_run(&wheel, 100000);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(probes[i].fired, 1);
        assert_true(probes[i].fired_at == probes[i].timer.due);
    }
}

static void test_one_that_is_due_already_fires_a_millisecond_later(void **state)
{
    struct probe now = { .fired = 0 }, past = { .fired = 0 }, zero = { .fired = 0 };
    start(500);
    set(&now, 500);
    set(&past, 3);
    set(&zero, 0);
    assert_int_equal(hoop__wheel_next(&wheel), 501);
    hoop__wheel_run(&wheel, 500);
    assert_int_equal(now.fired + past.fired + zero.fired, 0);
    hoop__wheel_run(&wheel, 501);
    assert_int_equal(now.fired + past.fired + zero.fired, 3);
}

static void test_clear_and_set_anew(void **state)
{
    struct probe probe = { .fired = 0 }, other = { .fired = 0 };
    start(0);
    hoop__timer_clear(&wheel, &probe.timer);
    set(&other, 100);
    set(&probe, 100);
    hoop__timer_clear(&wheel, &probe.timer);
    assert_false(hoop__timer_is_set(&probe.timer));
    hoop__timer_clear(&wheel, &probe.timer);
    set(&probe, 200);
    set(&probe, 50000);
    hoop__wheel_run(&wheel, 300);
    assert_int_equal(other.fired, 1);
    assert_int_equal(probe.fired, 0);
    set(&probe, 301);
    hoop__wheel_run(&wheel, 100000);
    assert_int_equal(probe.fired, 1);
    assert_int_equal(probe.fired_at, 301);
}

static void clear_other(struct probe *probe)
{
    hoop__timer_clear(&wheel, &probe->other->timer);
}

static void test_clear_during_fire(void **state)
{
    /* In the same slot: whichever of the two fires first takes the other one out. */
    struct probe a = { .then = clear_other }, b = { .then = clear_other, .other = &a };
    a.other = &b;
    start(0);
    set(&a, 10);
    set(&b, 10);
    hoop__wheel_run(&wheel, 20);
    assert_int_equal(a.fired + b.fired, 1);
    /* In a later slot of the same run. */
    struct probe c = { .then = clear_other }, d = { .fired = 0 };
    c.other = &d;
    set(&c, 30);
    set(&d, 5000);
    hoop__wheel_run(&wheel, 6000);
    assert_int_equal(c.fired, 1);
    assert_int_equal(d.fired, 0);
}

static void set_again(struct probe *probe)
{
    if (probe->fired < 5)
        hoop__timer_set(&wheel, &probe->timer, wheel.now + 10);
}

static void set_now(struct probe *probe)
{
    if (probe->fired < 5)
        hoop__timer_set(&wheel, &probe->timer, wheel.now);
}

static void test_set_during_fire(void **state)
{
    struct probe probe = { .then = set_again };
    start(0);
    set(&probe, 10);
    hoop__wheel_run(&wheel, 45);
    assert_int_equal(probe.fired, 4);
    assert_int_equal(probe.fired_at, 40);
    hoop__wheel_run(&wheel, 1000);
    assert_int_equal(probe.fired, 5);
    /* One that sets itself to this very moment can't hold up the run. */
    struct probe greedy = { .then = set_now };
    start(0);
    set(&greedy, 10);
    hoop__wheel_run(&wheel, 10);
    assert_int_equal(greedy.fired, 1);
    hoop__wheel_run(&wheel, 12);
    assert_int_equal(greedy.fired, 3);
    hoop__wheel_run(&wheel, 100);
    assert_int_equal(greedy.fired, 5);
    assert_int_equal(greedy.fired_at, 14);
}

static void test_the_far_future_neither_fires_nor_wraps(void **state)
{
    struct probe probe = { .fired = 0 };
    start(1000);
    set(&probe, HOOP__NEVER - 1);
    for (int i = 0; i < 1000; i++)
        hoop__wheel_run(&wheel, hoop__wheel_next(&wheel));
    assert_int_equal(probe.fired, 0);
    assert_true(wheel.now > 100 * SPAN / 64);
    hoop__timer_clear(&wheel, &probe.timer);
    hoop__wheel_run(&wheel, HOOP__NEVER - 1);
    assert_int_equal(probe.fired, 0);
}

/* --- against a model ------------------------------------------------------------------------- */

#define PROBES 200

static struct probe model[PROBES];
static uint64_t due_at[PROBES]; /* HOOP__NEVER: not set */

/* A delay of any magnitude: every level is met as often as the others, and what lies beyond. */
static uint64_t random_delay(void)
{
    return random_bits() >> (64 - 1 - random_bits() % 33);
}

static void random_step(uint64_t now)
{
    size_t i = random_bits() % PROBES;
    if (random_bits() % 4 == 0) {
        hoop__timer_clear(&wheel, &model[i].timer);
        due_at[i] = HOOP__NEVER;
    } else {
        uint64_t due = now + random_delay();
        model[i].fired = 0;
        set(&model[i], due);
        due_at[i] = due > now ? due : now + 1;
    }
}

static void check_against_list(uint64_t now)
{
    uint64_t earliest = HOOP__NEVER;
    for (size_t i = 0; i < PROBES; i++) {
        if (due_at[i] <= now) {
            assert_int_equal(model[i].fired, 1);
            assert_true(model[i].fired_at == due_at[i]);
            due_at[i] = HOOP__NEVER;
            model[i].fired = 0;
        }
        assert_int_equal(model[i].fired, 0);
        assert_int_equal(hoop__timer_is_set(&model[i].timer), due_at[i] != HOOP__NEVER);
        if (due_at[i] < earliest)
            earliest = due_at[i];
    }
    assert_true(hoop__wheel_next(&wheel) <= earliest);
    assert_true(hoop__wheel_next(&wheel) > now);
}

static void test_a_random_life_is_that_of_a_list(void **state)
{
    random_state = 0x9e3779b97f4a7c15u;
    for (int life = 0; life < 20; life++) {
        uint64_t now = random_bits() >> (life + 20);
        start(now);
        memset(model, 0, sizeof model);
        for (size_t i = 0; i < PROBES; i++)
            due_at[i] = HOOP__NEVER;
        for (int step = 0; step < 1500; step++) {
            for (uint64_t n = random_bits() % 4; n; n--)
                random_step(now);
            if (random_bits() % 3) {
                uint64_t next = hoop__wheel_next(&wheel);
                now = random_bits() % 2 && next != HOOP__NEVER ? next : now + random_delay() / 64;
                hoop__wheel_run(&wheel, now);
                check_against_list(now);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_an_empty_wheel_never_runs),
        cmocka_unit_test(test_fires_in_its_millisecond),
        cmocka_unit_test(test_by_next_alone_it_is_on_time),
        cmocka_unit_test(test_late_runs_fire_all_in_order),
        cmocka_unit_test(test_one_that_is_due_already_fires_a_millisecond_later),
        cmocka_unit_test(test_clear_and_set_anew),
        cmocka_unit_test(test_clear_during_fire),
        cmocka_unit_test(test_set_during_fire),
        cmocka_unit_test(test_the_far_future_neither_fires_nor_wraps),
        cmocka_unit_test(test_a_random_life_is_that_of_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
