/* Deferred responses: who may resolve when and where, references, limits, the end of the loop. */
#include "fake.h"

#include "value/deferred.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#define OK           "200\nContent-Type: text/plain; charset=utf-8\n\nok"
#define SERVER_ERROR "500\nContent-Type: text/plain; charset=utf-8\n\nInternal Server Error\n"
#define UNAVAILABLE  "503\nContent-Type: text/plain; charset=utf-8\n\nService Unavailable\n"

static struct fake f;
static hoop_deferred *kept;

static int setup(void **state)
{
    fake_init(&f);
    kept = NULL;
    return 0;
}

static int teardown(void **state)
{
    fake_done(&f);
    return 0;
}

static const hoop_response *slow(const hoop_request *req, void *data)
{
    kept = hoop_defer(req);
    return hoop_deferred_response(kept);
}

static const hoop_response *answer(hoop_deferred *d, const char *text)
{
    return hoop_text(hoop_deferred_request(d), 200, text);
}

/* --- one way for all ------------------------------------------------------------------------- */

static int continued;

static const hoop_response *note_continuation(const hoop_request *req, const hoop_response *res,
                                              const void *value)
{
    continued++;
    return res;
}

static const hoop_response *resolve_before_returning(const hoop_request *req, void *data)
{
    hoop_deferred *d = hoop_defer(req);
    const hoop_response *res = hoop_deferred_response(d);
    res = hoop_then(req, res, note_continuation, NULL);
    assert_int_equal(hoop_resolve(d, answer(d, "ok")), 0);
    assert_int_equal(continued, 0); /* never inside hoop_resolve() */
    assert_true(hoop_is_pending(res));
    return res;
}

static void test_resolve_before_the_handler_returned(void **state)
{
    continued = 0;
    struct fake_exchange *fx = fake_get(&f, resolve_before_returning, NULL);
    assert_int_equal(continued, 0);
    assert_int_equal(fx->responses, 0);
    hoop__loop_turn(&f.loop);
    assert_int_equal(continued, 1);
    assert_string_equal(f.sent, OK);
    assert_int_equal(f.wakes, 0); /* the same thread needs no mailbox */
    fake_end(fx, 0);
}

static const hoop_response *resolve_before_asking(const hoop_request *req, void *data)
{
    hoop_deferred *d = hoop_defer(req);
    hoop_deferred_ref(d);
    hoop_resolve(d, answer(d, "ok"));
    hoop__loop_turn(&f.loop); /* settles while nobody waits */
    const hoop_response *res = hoop_deferred_response(d);
    res = hoop_then(req, res, note_continuation, NULL);
    hoop_deferred_drop(d);
    return res;
}

static void test_a_response_that_settled_unobserved_is_there(void **state)
{
    continued = 0;
    struct fake_exchange *fx = fake_get(&f, resolve_before_asking, NULL);
    assert_int_equal(continued, 1);
    assert_string_equal(f.sent, OK);
    fake_turn(&f);
    fake_end(fx, 0);
}

static void test_resolve_from_the_same_thread_later(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    fake_advance(&f, 20);
    assert_int_equal(hoop_resolve(kept, answer(kept, "ok")), 0);
    assert_int_equal(fx->responses, 0);
    hoop__loop_turn(&f.loop);
    assert_string_equal(f.sent, OK);
    fake_end(fx, 0);
}

static void *resolve_kept(void *data)
{
    return (void *)(intptr_t)hoop_resolve(kept, answer(kept, "ok"));
}

static void test_resolve_from_another_thread(void **state)
{
    pthread_t thread;
    void *rc;
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    pthread_create(&thread, NULL, resolve_kept, NULL);
    pthread_join(thread, &rc);
    assert_null(rc);
    assert_int_equal(f.wakes, 1);
    assert_int_equal(fx->responses, 0);
    hoop__loop_turn(&f.loop);
    assert_int_equal(fx->responses, 0); /* it is in the mailbox */
    fake_turn(&f);
    assert_string_equal(f.sent, OK);
    fake_end(fx, 0);
}

/* --- references ------------------------------------------------------------------------------ */

static void test_a_second_resolve_gets_ealready(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    hoop_deferred *d = kept;
    assert_ptr_equal(hoop_deferred_ref(d), d);
    assert_int_equal(hoop_resolve(d, answer(d, "ok")), 0);
    assert_int_equal(hoop_resolve(d, answer(d, "second")), HOOP_EALREADY);
    fake_turn(&f);
    assert_string_equal(f.sent, OK);
    assert_int_equal(fx->x.open_holds, 0);
    fake_end(fx, 0);
}

static void test_a_loser_may_come_after_the_delivery(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    hoop_deferred *d = hoop_deferred_ref(hoop_deferred_ref(kept));
    hoop_resolve(d, answer(d, "ok"));
    fake_turn(&f);
    assert_string_equal(f.sent, OK);
    assert_int_equal(fx->x.open_holds, 1);
    assert_int_equal(hoop_resolve(d, answer(d, "second")), HOOP_EALREADY);
    hoop_deferred_drop(d);
    fake_turn(&f);
    assert_int_equal(fx->responses, 1);
    assert_int_equal(fx->x.open_holds, 0);
    fake_end(fx, 0);
}

static void test_dropping_the_last_reference_fails_with_500(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    hoop_deferred *d = hoop_deferred_ref(kept);
    hoop_deferred_drop(d);
    fake_turn(&f);
    assert_int_equal(fx->responses, 0); /* somebody may answer still */
    hoop_deferred_drop(d);
    assert_int_equal(fx->responses, 0);
    fake_turn(&f);
    assert_string_equal(f.sent, SERVER_ERROR);
    assert_noted(&fx->x.request.pub, HOOP_EDROPPED,
                 "the deferred response was dropped without an answer");
    assert_string_equal(f.log,
                        "1 GET /: 500: the deferred response was dropped without an answer\n");
    fake_end(fx, 0);
}

static void test_a_drop_behind_a_resolve_is_no_failure(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    hoop_deferred *d = hoop_deferred_ref(kept);
    hoop_resolve(d, answer(d, "ok"));
    hoop_deferred_drop(d);
    fake_turn(&f);
    assert_string_equal(f.sent, OK);
    fake_end(fx, 0);
}

static void test_a_claim_decides_before_the_response_is_made(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    hoop_deferred *d = hoop_deferred_ref(kept);
    assert_int_equal(hoop_deferred_claim(d), 0);
    assert_int_equal(hoop_deferred_claim(d), HOOP_EALREADY);
    hoop_deferred_drop(d); /* the loser */
    fake_turn(&f);
    assert_int_equal(fx->responses, 0);
    assert_int_equal(hoop_resolve(d, answer(d, "ok")), 0);
    fake_turn(&f);
    assert_string_equal(f.sent, OK);
    fake_end(fx, 0);
}

static void test_a_claimant_that_drops_has_failed(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    assert_int_equal(hoop_deferred_claim(kept), 0);
    hoop_deferred_drop(kept);
    fake_turn(&f);
    assert_string_equal(f.sent, SERVER_ERROR);
    fake_end(fx, 0);
}

static void test_a_claim_behind_the_end_of_the_loop_is_refused(void **state)
{
    struct fake_exchange *one = fake_get(&f, slow, NULL);
    hoop_deferred *unclaimed = hoop_deferred_ref(kept);
    struct fake_exchange *two = fake_get(&f, slow, NULL);
    hoop_deferred *claimed = kept;
    assert_int_equal(hoop_deferred_claim(claimed), 0);
    fake_end(one, HOOP_ECANCELED);
    fake_end(two, HOOP_ECANCELED);
    fake_close(&f);
    assert_int_equal(hoop_deferred_claim(unclaimed), HOOP_ECANCELED);
    hoop_deferred_drop(unclaimed);
    hoop_deferred_drop(unclaimed);
    assert_int_equal(hoop_resolve(claimed, answer(claimed, "late")), HOOP_ECANCELED);
}

static void test_null_is_allowed(void **state)
{
    assert_int_equal(hoop_deferred_claim(NULL), HOOP_EINVAL);
    assert_null(hoop_defer(NULL));
    assert_null(hoop_deferred_response(NULL));
    assert_null(hoop_deferred_request(NULL));
    assert_null(hoop_deferred_ref(NULL));
    assert_int_equal(hoop_resolve(NULL, NULL), HOOP_EINVAL);
    hoop_deferred_drop(NULL);
}

static void test_null_is_a_failure_and_pass_is_not_mine(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    hoop_resolve(kept, NULL);
    fake_turn(&f);
    assert_string_equal(f.sent, SERVER_ERROR);
    assert_string_equal(f.log, "1 GET /: 500: the handler gave no response\n");
    fake_end(fx, 0);
    fx = fake_get(&f, slow, NULL);
    hoop_resolve(kept, hoop_pass(hoop_deferred_request(kept)));
    fake_turn(&f);
    assert_string_equal(f.sent, "404\nContent-Type: text/plain; charset=utf-8\n\nNot Found\n");
    fake_end(fx, 0);
}

static void test_what_a_resolver_noted_is_the_reason(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    hoop_resolve(kept, hoop_respond(hoop_deferred_request(kept), 42));
    fake_turn(&f);
    assert_string_equal(f.sent, SERVER_ERROR);
    assert_string_equal(f.log, "1 GET /: 500: status 42 is not between 200 and 599\n");
    fake_end(fx, 0);
}

/* --- the resolver's arena -------------------------------------------------------------------- */

static const char key;

static const hoop_response *slow_with_value(const hoop_request *req, void *data)
{
    kept = hoop_defer(hoop_assoc(req, &key, "v"));
    return hoop_deferred_response(kept);
}

static char order[16];

static void append(void *data)
{
    strcat(order, data);
}

static void test_a_resolver_has_an_arena_of_its_own(void **state)
{
    order[0] = 0;
    struct fake_exchange *fx = fake_make(&f, "PUT", "/a/b");
    hoop_arena_on_dispose(fx->x.arena, append, "x");
    fake_dispatch(fx, slow_with_value, NULL);
    const hoop_request *req = &fx->x.request.pub, *theirs = hoop_deferred_request(kept);
    assert_ptr_not_equal(theirs->arena, req->arena);
    assert_str(theirs->method, "PUT");
    assert_str(theirs->uri, "/a/b");
    assert_string_equal(hoop_get(theirs, &key), "v");
    /* Nothing that a resolver makes touches the exchange's arena. */
    char *before = req->arena->next;
    size_t held = req->arena->held;
    hoop_arena_on_dispose(theirs->arena, append, "d");
    for (int i = 0; i < 100; i++) {
        assert_non_null(hoop_alloc(theirs, 100));
        const hoop_response *res = hoop_textf(theirs, 200, "%d", i);
        res = hoop_with_header(theirs, res, "X-A", "b");
        assert_ptr_equal(res->arena, theirs->arena);
        assert_ptr_equal(hoop_assoc(theirs, &key, "w")->arena, theirs->arena);
    }
    hoop_fail(theirs, HOOP_EINVAL, "a note");
    assert_null(hoop_failure(req));
    assert_ptr_equal(req->arena->next, before);
    assert_int_equal(req->arena->held, held);
    hoop_resolve(kept, answer(kept, "ok"));
    fake_turn(&f);
    assert_string_equal(f.sent, OK);
    assert_string_equal(order, ""); /* the response lies there until it is sent */
    fake_end(fx, 0);
    assert_string_equal(order, "dx");
}

static void test_a_resolvers_arena_has_the_limit_of_an_exchange(void **state)
{
    f.limits.max_arena = 10000;
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    const hoop_request *theirs = hoop_deferred_request(kept);
    assert_null(hoop_alloc(theirs, 10000));
    assert_noted(theirs, HOOP_ENOMEM, "out of memory");
    hoop_resolve(kept, NULL);
    fake_turn(&f);
    assert_string_equal(f.sent, UNAVAILABLE);
    fake_end(fx, 0);
}

static const hoop_response *foreign;

static const hoop_response *give_foreign(const hoop_request *req, void *data)
{
    return foreign;
}

static void test_a_response_of_another_exchanges_deferred_is_refused(void **state)
{
    struct fake_exchange *one = fake_get(&f, slow, NULL);
    foreign = answer(kept, "secret");
    struct fake_exchange *two = fake_get(&f, give_foreign, NULL);
    assert_string_equal(f.sent, SERVER_ERROR);
    assert_string_equal(f.log, "1 GET /: 500: the response belongs to another exchange\n");
    fake_end(two, 0);
    hoop_resolve(kept, answer(kept, "ok"));
    fake_turn(&f);
    assert_string_equal(f.sent, OK);
    fake_end(one, 0);
}

/* --- limits and wrong places ----------------------------------------------------------------- */

static void test_max_pending_is_answered_with_503(void **state)
{
    f.limits.max_pending = 2;
    struct fake_exchange *one = fake_get(&f, slow, NULL);
    hoop_deferred *first = kept;
    struct fake_exchange *two = fake_get(&f, slow, NULL);
    hoop_deferred *second = kept;
    assert_int_equal(f.loop.counters.pending, 2);
    struct fake_exchange *three = fake_get(&f, slow, NULL);
    assert_null(kept);
    assert_string_equal(f.sent, UNAVAILABLE);
    assert_string_equal(f.log, "1 GET /: 503: too many deferred responses are open\n");
    fake_end(three, 0);
    hoop_resolve(first, answer(first, "ok"));
    fake_turn(&f);
    assert_int_equal(f.loop.counters.pending, 1);
    fake_end(one, 0);
    struct fake_exchange *four = fake_get(&f, slow, NULL);
    assert_non_null(kept);
    hoop_deferred_drop(kept);
    hoop_deferred_drop(second);
    fake_turn(&f);
    assert_int_equal(f.loop.counters.pending, 0);
    fake_end(two, 0);
    fake_end(four, 0);
}

static void *defer_elsewhere(void *data)
{
    return hoop_defer(data);
}

static void test_deferring_belongs_on_the_loops_thread(void **state)
{
    pthread_t thread;
    void *d;
    struct fake_exchange *fx = fake_get(&f, slow, NULL);
    const hoop_request *theirs = hoop_deferred_request(kept);
    pthread_create(&thread, NULL, defer_elsewhere, (void *)(uintptr_t)theirs);
    pthread_join(thread, &d);
    assert_null(d);
    assert_noted(theirs, HOOP_ETHREAD, "hoop_defer() belongs on the loop's thread");
    hoop_deferred_drop(kept);
    fake_turn(&f);
    fake_end(fx, 0);
}

static void test_a_request_of_no_exchange_defers_nothing(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_app_request(arena);
    assert_null(hoop_defer(req));
    assert_noted(req, HOOP_EINVAL, "this request has no exchange to answer later");
    hoop_arena_free(arena);
}

/* --- the end of the exchange ----------------------------------------------------------------- */

static int dones;
static hoop_done last_done;

static void on_done(const hoop_done *done, void *data)
{
    dones++;
    last_done = *done;
}

static const hoop_response *slow_and_watched(const hoop_request *req, void *data)
{
    dones = 0;
    assert_int_equal(hoop_on_done(req, on_done, NULL), 0);
    return slow(req, data);
}

static void test_an_exchange_lingers_for_its_last_deferred(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow_and_watched, NULL);
    hoop_deferred *d = hoop_deferred_ref(kept);
    fake_end(fx, HOOP_EGONE);
    fake_turn(&f);
    assert_int_equal(dones, 0);
    assert_int_equal(hoop_resolve(d, answer(d, "nobody reads it")), 0);
    fake_turn(&f);
    assert_int_equal(dones, 0);
    hoop_deferred_drop(d);
    fake_turn(&f);
    assert_int_equal(dones, 1);
    assert_int_equal(last_done.code, HOOP_EGONE);
    assert_int_equal(last_done.status, 0);
    assert_null(f.loop.lingering);
}

static void test_several_linger_and_end_in_any_order(void **state)
{
    hoop_deferred *d[4];
    for (int i = 0; i < 4; i++) {
        struct fake_exchange *fx = fake_get(&f, slow_and_watched, NULL);
        d[i] = kept;
        fake_end(fx, HOOP_EGONE);
    }
    static const int sequence[] = { 2, 0, 3, 1 };
    dones = 0;
    for (int i = 0; i < 4; i++) {
        hoop_deferred_drop(d[sequence[i]]);
        fake_turn(&f);
        assert_int_equal(dones, i + 1);
    }
    assert_null(f.loop.lingering);
}

static void test_an_orphan_ends_with_its_last_reference(void **state)
{
    struct fake_exchange *fx = fake_get(&f, slow_and_watched, NULL);
    hoop_deferred *d = hoop_deferred_ref(kept);
    order[0] = 0;
    hoop_arena_on_dispose(fx->x.arena, append, "x");
    hoop_arena_on_dispose(hoop_deferred_request(d)->arena, append, "d");
    fake_end(fx, HOOP_ECANCELED);
    fake_close(&f);
    assert_int_equal(dones, 1); /* on the loop's thread, while there is one */
    assert_string_equal(order, "");
    assert_string_equal(answer(d, "memory is still there")->body.data, "memory is still there");
    assert_int_equal(hoop_resolve(d, answer(d, "late")), HOOP_ECANCELED);
    assert_string_equal(order, "");
    hoop_deferred_drop(d);
    assert_string_equal(order, "dx");
    assert_int_equal(dones, 1);
}

static void test_an_orphan_outlives_the_loops_memory(void **state)
{
    struct test_allocator a;
    test_allocator_init(&a);
    struct fake *other = malloc(sizeof *other);
    assert_int_equal(fake_init_on(other, &a.hoop), 0);
    struct fake_exchange *fx = fake_get(other, slow, NULL);
    fake_end(fx, HOOP_ECANCELED);
    fake_done(other);
    free(other);
    assert_true(a.live > 0);
    hoop_deferred_drop(kept);
    assert_int_equal(a.live, 0);
}

static void test_resolved_before_the_close_is_delivered(void **state)
{
    pthread_t thread;
    struct fake_exchange *fx = fake_get(&f, slow_and_watched, NULL);
    fake_end(fx, HOOP_ECANCELED);
    pthread_create(&thread, NULL, resolve_kept, NULL);
    pthread_join(thread, NULL);
    fake_close(&f);
    assert_int_equal(dones, 1);
}

/* --- races ----------------------------------------------------------------------------------- */

#define ROUNDS 10000
#define RING   256

/*
 * A thread that does one thing to each deferred that it is handed. Nobody waits but when the ring is
 * full or empty, so both sides run as they would, and meet at all places.
 */
struct racer {
    pthread_t thread;
    void (*act)(struct racer *racer, hoop_deferred *d);
    int rounds;
    int at;                      /* the round, from 1 */
    int won, already, cancelled; /* what hoop_resolve() said */
    atomic_int given, taken;
    hoop_deferred *ring[RING];
};

static void *race(void *data)
{
    struct racer *r = data;
    for (int i = 0; i < r->rounds; i++) {
        while (atomic_load_explicit(&r->given, memory_order_acquire) == i)
            sched_yield();
        hoop_deferred *d = r->ring[i % RING];
        r->at = i + 1;
        r->act(r, d);
        atomic_store_explicit(&r->taken, i + 1, memory_order_release);
    }
    return NULL;
}

static void start(struct racer *r, void (*act)(struct racer *, hoop_deferred *), int rounds)
{
    memset(r, 0, sizeof *r);
    r->act = act;
    r->rounds = rounds;
    pthread_create(&r->thread, NULL, race, r);
}

static void hand_over(struct racer *r, hoop_deferred *d)
{
    int given = atomic_load_explicit(&r->given, memory_order_relaxed);
    while (given - atomic_load_explicit(&r->taken, memory_order_acquire) == RING)
        sched_yield();
    r->ring[given % RING] = d;
    atomic_store_explicit(&r->given, given + 1, memory_order_release);
}

/* Now and then the other side gets time to be first; not always, since that may take long. */
static void yield_to(struct racer *r, int round)
{
    int given = atomic_load_explicit(&r->given, memory_order_relaxed);
    for (int i = round % 16 ? 0 : 8; i > 0; i--) {
        if (atomic_load_explicit(&r->taken, memory_order_relaxed) == given)
            return;
        sched_yield();
    }
}

/* A little work that differs from round to round, so that the sides meet at different places. */
static void dawdle(int round)
{
    for (volatile int i = round * 7 % 200; i > 0; i--)
        ;
}

static void count(struct racer *r, int rc)
{
    r->won += rc == 0;
    r->already += rc == HOOP_EALREADY;
    r->cancelled += rc == HOOP_ECANCELED;
}

static void resolve_it(struct racer *r, hoop_deferred *d)
{
    const hoop_request *req = hoop_deferred_request(d);
    const hoop_response *res = hoop_textf(req, 200, "%s %d", req->uri.data, r->at);
    dawdle(r->at);
    count(r, hoop_resolve(d, res));
}

static void drop_it(struct racer *r, hoop_deferred *d)
{
    dawdle(r->at / 5);
    hoop_deferred_drop(d);
}

static const hoop_response *constant;

/* A deferred's arena is for one thread at a time, so those who race give what was made before. */
static void resolve_constant(struct racer *r, hoop_deferred *d)
{
    dawdle(r->at);
    count(r, hoop_resolve(d, constant));
}

static atomic_int freed;

static void count_freed(void *data)
{
    (void)data;
    atomic_fetch_add_explicit(&freed, 1, memory_order_relaxed);
}

/* Ends, and what they said; only the loop's thread looks at it. */
struct end {
    int times;
    hoop_done done;
};

static struct end ends[ROUNDS];

static void note_end(const hoop_done *done, void *data)
{
    struct end *end = data;
    end->times++;
    end->done = *done;
}

static const hoop_response *slow_and_noted(const hoop_request *req, void *data)
{
    assert_int_equal(hoop_on_done(req, note_end, data), 0);
    return slow(req, data);
}

static void test_racing_the_end_of_the_loop(void **state)
{
    static struct racer r, s;
    start(&r, resolve_it, ROUNDS);
    start(&s, drop_it, ROUNDS);
    memset(ends, 0, sizeof ends);
    freed = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct fake g;
        assert_int_equal(fake_init_on(&g, &hoop__malloc), 0);
        struct fake_exchange *fx = fake_make(&g, "GET", "/");
        hoop_arena_on_dispose(fx->x.arena, count_freed, NULL);
        fake_dispatch(fx, slow_and_noted, &ends[round]);
        hoop_arena_on_dispose(hoop_deferred_request(kept)->arena, count_freed, NULL);
        hoop_deferred *d = hoop_deferred_ref(kept);
        hand_over(&r, d);
        hand_over(&s, d);
        yield_to(&r, round);
        dawdle(round / 3);
        fake_end(fx, HOOP_ECANCELED); /* as a loop that stops ends its exchanges */
        fake_close(&g);
        assert_int_equal(ends[round].times, 1);
        hoop__loop_done(&g.loop);
    }
    pthread_join(r.thread, NULL);
    pthread_join(s.thread, NULL);
    assert_int_equal(r.won + r.cancelled, ROUNDS);
    assert_int_equal(freed, 2 * ROUNDS);
    print_message("before the end %d, behind it %d\n", r.won, r.cancelled);
}

static void test_racing_the_reset_of_the_exchange(void **state)
{
    static struct racer r;
    struct fake g;
    start(&r, resolve_it, ROUNDS);
    assert_int_equal(fake_init_on(&g, &hoop__malloc), 0);
    memset(ends, 0, sizeof ends);
    freed = 0;
    int answered = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct fake_exchange *fx = fake_make(&g, "GET", "/");
        hoop_arena_on_dispose(fx->x.arena, count_freed, NULL);
        fake_dispatch(fx, slow_and_noted, &ends[round]);
        hand_over(&r, kept);
        yield_to(&r, round);
        dawdle(round / 3);
        fake_turn(&g); /* the answer may be here already */
        answered += fx->responses;
        fake_end(fx, HOOP_EGONE);
    }
    pthread_join(r.thread, NULL);
    fake_turn(&g);
    assert_int_equal(r.won, ROUNDS);
    assert_int_equal(freed, ROUNDS);
    assert_int_equal(g.loop.counters.pending, 0);
    for (int round = 0; round < ROUNDS; round++) {
        assert_int_equal(ends[round].times, 1);
        assert_int_equal(ends[round].done.code, HOOP_EGONE);
        answered -= ends[round].done.status == 200;
    }
    assert_int_equal(answered, 0);
    fake_done(&g);
}

static int late;

static const hoop_response *too_late(const hoop_request *req, const void *value)
{
    late++;
    return hoop_text(req, 504, "late");
}

static const hoop_response *impatient(const hoop_request *req, void *data)
{
    return hoop_timeout(req, slow_and_noted(req, data), 5, too_late, NULL);
}

static void test_racing_a_timeout(void **state)
{
    static struct racer r;
    struct fake g;
    start(&r, resolve_it, ROUNDS);
    assert_int_equal(fake_init_on(&g, &hoop__malloc), 0);
    memset(ends, 0, sizeof ends);
    late = 0;
    int in_time = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct fake_exchange *fx = fake_get(&g, impatient, &ends[round]);
        hand_over(&r, kept);
        yield_to(&r, round);
        dawdle(round / 3);
        fake_advance(&g, 5); /* runs the timeout, unless the answer is here */
        assert_int_equal(fx->responses, 1);
        char want[64];
        snprintf(want, sizeof want, "200\nContent-Type: text/plain; charset=utf-8\n\n/ %d",
                 round + 1);
        if (fx->x.status == 200)
            assert_string_equal(g.sent, want);
        else
            assert_string_equal(g.sent, "504\nContent-Type: text/plain; charset=utf-8\n\nlate");
        in_time += fx->x.status == 200;
        fake_end(fx, 0);
    }
    pthread_join(r.thread, NULL);
    fake_turn(&g);
    assert_int_equal(r.won, ROUNDS);
    assert_int_equal(in_time + late, ROUNDS);
    for (int round = 0; round < ROUNDS; round++)
        assert_int_equal(ends[round].times, 1);
    print_message("in time %d, late %d\n", in_time, late);
    fake_done(&g);
}

#define RACERS  3
#define BATCH   50
#define BATCHES 40

/* Has all racers act on each of many deferreds; what was sent must be `want`, once. */
static void race_for_one(struct racer *racers, const char *want)
{
    struct fake g;
    assert_int_equal(fake_init_on(&g, &hoop__malloc), 0);
    for (int batch = 0; batch < BATCHES; batch++) {
        struct fake_exchange *fx[BATCH];
        memset(ends, 0, sizeof ends);
        for (int i = 0; i < BATCH; i++) {
            fx[i] = fake_get(&g, slow_and_noted, &ends[i]);
            for (int j = 1; j < RACERS; j++)
                hoop_deferred_ref(kept);
            for (int j = 0; j < RACERS; j++)
                hand_over(&racers[j], kept);
        }
        while (g.loop.counters.pending)
            fake_turn(&g);
        for (int i = 0; i < BATCH; i++) {
            assert_int_equal(fx[i]->responses, 1);
            fake_render(&fx[i]->response->pub, g.sent, sizeof g.sent);
            assert_string_equal(g.sent, want);
            assert_int_equal(ends[i].times, 0);
            fake_end(fx[i], 0);
            assert_int_equal(ends[i].times, 1);
        }
        g.log[0] = 0;
    }
    for (int j = 0; j < RACERS; j++)
        pthread_join(racers[j].thread, NULL);
    fake_done(&g);
}

static void test_several_resolve_at_once_and_one_wins(void **state)
{
    static struct racer r[RACERS];
    hoop_arena *app = hoop_arena_new();
    constant = hoop_freeze(app, hoop_text(hoop_app_request(app), 200, "ok"));
    for (int i = 0; i < RACERS; i++)
        start(&r[i], resolve_constant, BATCH * BATCHES);
    race_for_one(r, OK);
    assert_int_equal(r[0].won + r[1].won + r[2].won, BATCH * BATCHES);
    assert_int_equal(r[0].already + r[1].already + r[2].already, (RACERS - 1) * BATCH * BATCHES);
    hoop_arena_free(app);
}

/* As the header says: nothing is made with the deferred's request before the claim. */
static void claim_and_resolve(struct racer *r, hoop_deferred *d)
{
    dawdle(r->at);
    int rc = hoop_deferred_claim(d);
    if (rc) {
        count(r, rc);
        hoop_deferred_drop(d);
        return;
    }
    count(r, hoop_resolve(d, answer(d, "ok")));
}

static void test_several_claim_at_once_and_one_answers(void **state)
{
    static struct racer r[RACERS];
    for (int i = 0; i < RACERS; i++)
        start(&r[i], claim_and_resolve, BATCH * BATCHES);
    race_for_one(r, OK);
    assert_int_equal(r[0].won + r[1].won + r[2].won, BATCH * BATCHES);
    assert_int_equal(r[0].already + r[1].already + r[2].already, (RACERS - 1) * BATCH * BATCHES);
}

static void test_several_drop_at_once_and_it_fails_once(void **state)
{
    static struct racer r[RACERS];
    for (int i = 0; i < RACERS; i++)
        start(&r[i], drop_it, BATCH * BATCHES);
    race_for_one(r, SERVER_ERROR);
}

static void test_resolving_and_dropping_at_once_is_no_failure(void **state)
{
    static struct racer r[RACERS];
    hoop_arena *app = hoop_arena_new();
    constant = hoop_freeze(app, hoop_text(hoop_app_request(app), 200, "ok"));
    start(&r[0], drop_it, BATCH * BATCHES);
    start(&r[1], resolve_constant, BATCH * BATCHES);
    start(&r[2], drop_it, BATCH * BATCHES);
    race_for_one(r, OK);
    assert_int_equal(r[1].won, BATCH * BATCHES);
    hoop_arena_free(app);
}

/* --- memory that is short -------------------------------------------------------------------- */

static const hoop_response *stamp(const hoop_request *req, const hoop_response *res,
                                  const void *value)
{
    return hoop_add_header(req, res, "X-Stamp", value);
}

static const hoop_response *slow_and_big(const hoop_request *req, void *data)
{
    kept = NULL;
    if (!hoop_alloc(req, 3000))
        return NULL;
    kept = hoop_defer(req);
    if (!hoop_alloc(req, 3000)) {
        hoop_deferred_drop(kept);
        kept = NULL;
        return NULL;
    }
    return hoop_then(req, hoop_deferred_response(kept), stamp, "1");
}

static void defer_each(struct test_allocator *a, void *data)
{
    struct fake g;
    if (fake_init_on(&g, &a->hoop))
        return;
    struct fake_exchange *fx = fake_make(&g, "GET", "/");
    if (fx) {
        fake_dispatch(fx, slow_and_big, NULL);
        if (kept) {
            const hoop_request *theirs = hoop_deferred_request(kept);
            char *text = hoop_alloc(theirs, 6000);
            if (text)
                memset(text, 'x', 5999), text[5999] = 0;
            hoop_resolve(kept, text ? hoop_bytes_static(theirs, 200, NULL, hoop_str_n(text, 5999))
                                    : NULL);
            fake_turn(&g);
        }
        assert_int_equal(fx->responses, 1);
        if (strcmp(g.sent, "200\nX-Stamp: 1\n") != 0)
            assert_string_equal(g.sent, UNAVAILABLE);
        else
            assert_true(a->fail_at > a->count);
        fake_end(fx, 0);
    }
    fake_done(&g);
}

static void test_each_allocation_may_fail(void **state)
{
    test_each_allocation(defer_each, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_resolve_before_the_handler_returned),
        TEST(test_a_response_that_settled_unobserved_is_there),
        TEST(test_resolve_from_the_same_thread_later),
        TEST(test_resolve_from_another_thread),
        TEST(test_a_second_resolve_gets_ealready),
        TEST(test_a_loser_may_come_after_the_delivery),
        TEST(test_dropping_the_last_reference_fails_with_500),
        TEST(test_a_drop_behind_a_resolve_is_no_failure),
        TEST(test_a_claim_decides_before_the_response_is_made),
        TEST(test_a_claimant_that_drops_has_failed),
        TEST(test_a_claim_behind_the_end_of_the_loop_is_refused),
        TEST(test_null_is_allowed),
        TEST(test_null_is_a_failure_and_pass_is_not_mine),
        TEST(test_what_a_resolver_noted_is_the_reason),
        TEST(test_a_resolver_has_an_arena_of_its_own),
        TEST(test_a_resolvers_arena_has_the_limit_of_an_exchange),
        TEST(test_a_response_of_another_exchanges_deferred_is_refused),
        TEST(test_max_pending_is_answered_with_503),
        TEST(test_deferring_belongs_on_the_loops_thread),
        TEST(test_a_request_of_no_exchange_defers_nothing),
        TEST(test_an_exchange_lingers_for_its_last_deferred),
        TEST(test_several_linger_and_end_in_any_order),
        TEST(test_an_orphan_ends_with_its_last_reference),
        TEST(test_an_orphan_outlives_the_loops_memory),
        TEST(test_resolved_before_the_close_is_delivered),
        cmocka_unit_test(test_racing_the_end_of_the_loop),
        cmocka_unit_test(test_racing_the_reset_of_the_exchange),
        cmocka_unit_test(test_racing_a_timeout),
        cmocka_unit_test(test_several_resolve_at_once_and_one_wins),
        cmocka_unit_test(test_several_claim_at_once_and_one_answers),
        cmocka_unit_test(test_several_drop_at_once_and_it_fails_once),
        cmocka_unit_test(test_resolving_and_dropping_at_once_is_no_failure),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
