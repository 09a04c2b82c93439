/* The store of sessions in memory: versions, times, bounds, threads, lack of memory. */
#include "fake.h"
#include "middleware.h"

#include <hoop/loop.h>

#include <pthread.h>
#include <stdio.h>

struct bench {
    hoop_arena *app;
    struct fake fake;
    const hoop_session_store *store;
};

static void open_bench(struct bench *b, uint64_t sessions, uint64_t bytes)
{
    const hoop_session_memory_options options = { sessions, bytes };
    b->app = hoop_arena_new();
    fake_init(&b->fake);
    assert_int_equal(hoop_session_memory_new(b->app, &b->store, NULL, &options), 0);
}

static void close_bench(struct bench *b)
{
    hoop_arena_free(b->app);
    fake_done(&b->fake);
}

/* Runs one operation in an exchange of its own; copies id and data out. */
static hoop_session_entry run(struct bench *b, hoop_session_store_fn *fn, const char *id,
                              uint64_t version, const char *text, char id_out[33], char *data_out)
{
    struct fake_exchange *fx = fake_make(&b->fake, "GET", "/");
    hoop_session_entry entry = {
        .id = hoop_str_c(id), .data = hoop_str_c(text), .version = version, .ttl_ms = 1000
    };
    assert_non_null(fn(&fx->x.request.pub, &entry, b->store->data));
    if (id_out)
        snprintf(id_out, 33, "%s", entry.id.data);
    if (data_out)
        snprintf(data_out, 64, "%s", entry.data.data);
    fake_end(fx, 0);
    return entry;
}

static void add(struct bench *b, const char *text, char id[33])
{
    hoop_session_entry entry = run(b, b->store->write, NULL, 0, text, id, NULL);
    assert_int_equal(entry.outcome, HOOP_SESSION_DONE);
    assert_int_equal(entry.version, 1);
    assert_int_equal(strlen(id), 32);
}

static void check_read(struct bench *b, const char *id, uint64_t version, const char *text)
{
    char data[64];
    hoop_session_entry entry = run(b, b->store->read, id, 0, NULL, NULL, data);
    assert_int_equal(entry.outcome, text ? HOOP_SESSION_DONE : HOOP_SESSION_MISSING);
    if (text) {
        assert_string_equal(data, text);
        assert_int_equal(entry.version, version);
    }
}

static uint32_t write_over(struct bench *b, const char *id, uint64_t version, const char *text)
{
    return run(b, b->store->write, id, version, text, NULL, NULL).outcome;
}

static uint32_t take_away(struct bench *b, const char *id, uint64_t version)
{
    return run(b, b->store->remove, id, version, NULL, NULL, NULL).outcome;
}

static void test_versions(void **state)
{
    (void)state;
    struct bench b;
    char one[33], two[33];
    open_bench(&b, 0, 0);
    add(&b, "first", one);
    add(&b, "second", two);
    assert_string_not_equal(one, two);
    check_read(&b, one, 1, "first");
    check_read(&b, "unknown", 0, NULL);
    assert_int_equal(write_over(&b, one, 1, "again"), HOOP_SESSION_DONE);
    check_read(&b, one, 2, "again");
    assert_int_equal(write_over(&b, one, 1, "lost"), HOOP_SESSION_CONFLICT);
    assert_int_equal(write_over(&b, "unknown", 1, "lost"), HOOP_SESSION_MISSING);
    check_read(&b, one, 2, "again");
    check_read(&b, "unknown", 0, NULL);
    assert_int_equal(take_away(&b, one, 1), HOOP_SESSION_CONFLICT);
    assert_int_equal(take_away(&b, one, 2), HOOP_SESSION_DONE);
    assert_int_equal(take_away(&b, one, 0), HOOP_SESSION_MISSING);
    check_read(&b, one, 0, NULL);
    assert_int_equal(take_away(&b, two, 0), HOOP_SESSION_DONE);
    close_bench(&b);
}

static void test_times(void **state)
{
    (void)state;
    struct bench b;
    char one[33], two[33];
    open_bench(&b, 0, 0);
    add(&b, "first", one);
    fake_advance(&b.fake, 999);
    check_read(&b, one, 1, "first");
    add(&b, "second", two);
    fake_advance(&b.fake, 1);
    check_read(&b, one, 0, NULL);
    assert_int_equal(write_over(&b, one, 1, "late"), HOOP_SESSION_MISSING);
    assert_int_equal(write_over(&b, two, 1, "touched"), HOOP_SESSION_DONE);
    fake_advance(&b.fake, 999);
    check_read(&b, two, 2, "touched");
    fake_advance(&b.fake, 1);
    assert_int_equal(take_away(&b, two, 2), HOOP_SESSION_MISSING);
    close_bench(&b);
}

static void test_the_oldest_goes_first(void **state)
{
    (void)state;
    struct bench b;
    char ids[4][33];
    open_bench(&b, 3, 0);
    for (int i = 0; i < 3; i++)
        add(&b, "x", ids[i]);
    assert_int_equal(write_over(&b, ids[0], 1, "y"), HOOP_SESSION_DONE);
    add(&b, "x", ids[3]);
    check_read(&b, ids[0], 2, "y");
    check_read(&b, ids[1], 0, NULL);
    check_read(&b, ids[2], 1, "x");
    check_read(&b, ids[3], 1, "x");
    close_bench(&b);
}

static void test_bytes_are_bounded(void **state)
{
    (void)state;
    struct bench b;
    char one[33], two[33];
    open_bench(&b, 100, 300);
    add(&b, "0123456789012345678901234567890123456789", one);
    add(&b, "0123456789012345678901234567890123456789", two);
    check_read(&b, one, 0, NULL);
    check_read(&b, two, 1, "0123456789012345678901234567890123456789");
    struct fake_exchange *fx = fake_make(&b.fake, "GET", "/");
    const hoop_request *req = &fx->x.request.pub;
    char large[301];
    memset(large, 'x', 300);
    large[300] = 0;
    hoop_session_entry entry = { .id = hoop_str_none(), .data = hoop_str_c(large) };
    assert_null(b.store->write(req, &entry, b.store->data));
    assert_int_equal(hoop_failure(req)->code, HOOP_EINVAL);
    fake_end(fx, 0);
    check_read(&b, two, 1, "0123456789012345678901234567890123456789");
    close_bench(&b);
}

static void test_too_many_sessions(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_session_store *store = NULL;
    const hoop_session_memory_options options = { (UINT64_C(1) << 32) + 1, 0 };
    hoop_error error;
    assert_int_equal(hoop_session_memory_new(arena, &store, &error, &options), HOOP_EINVAL);
    assert_string_equal(error.text, "session: 4294967297 sessions are too many");
    assert_null(store);
    hoop_arena_free(arena);
}

/* --- threads: each adds to one counter by compare and set, and has sessions of its own -------- */

enum { THREADS = 4, ROUNDS = 500 };

struct worker {
    const hoop_session_store *store;
    char shared[33];
    pthread_t thread;
};

static hoop_session_entry once(const hoop_session_store *store, struct fake *fake,
                               hoop_session_store_fn *fn, const char *id, uint64_t version,
                               const char *text, char *out, size_t size)
{
    struct fake_exchange *fx = fake_make(fake, "GET", "/");
    hoop_session_entry entry = {
        .id = hoop_str_c(id), .data = hoop_str_c(text), .version = version, .ttl_ms = 100000
    };
    if (!fn(&fx->x.request.pub, &entry, store->data))
        abort();
    snprintf(out, size, "%s", text ? entry.id.data : entry.data.data);
    fake_end(fx, 0);
    return entry;
}

static void *work(void *data)
{
    struct worker *w = data;
    struct fake fake;
    char text[33], id[33], number[33];
    fake_init(&fake);
    for (int i = 0; i < ROUNDS;) {
        hoop_session_entry entry =
            once(w->store, &fake, w->store->read, w->shared, 0, NULL, text, sizeof text);
        snprintf(number, sizeof number, "%d", atoi(text) + 1);
        entry =
            once(w->store, &fake, w->store->write, w->shared, entry.version, number, id, sizeof id);
        i += entry.outcome == HOOP_SESSION_DONE;
        once(w->store, &fake, w->store->write, NULL, 0, "own", id, sizeof id);
        once(w->store, &fake, w->store->remove, id, 0, NULL, text, sizeof text);
    }
    fake_done(&fake);
    return NULL;
}

static void test_threads_share_it(void **state)
{
    (void)state;
    struct bench b;
    struct worker workers[THREADS];
    char shared[33], text[33], want[33];
    open_bench(&b, 2048, 0);
    once(b.store, &b.fake, b.store->write, NULL, 0, "0", shared, sizeof shared);
    for (int i = 0; i < THREADS; i++) {
        workers[i].store = b.store;
        memcpy(workers[i].shared, shared, sizeof shared);
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    once(b.store, &b.fake, b.store->read, shared, 0, NULL, text, sizeof text);
    snprintf(want, sizeof want, "%d", THREADS * ROUNDS);
    assert_string_equal(text, want);
    close_bench(&b);
}

/* --- lack of memory -------------------------------------------------------------------------- */

static void run_tight(struct test_allocator *allocator, void *data)
{
    (void)data;
    hoop_arena_options options = { &allocator->hoop, 0, 1 };
    hoop_arena *arena = hoop_arena_new_with(&options);
    const hoop_session_store *store = NULL;
    hoop_session_entry entry = { .id = hoop_str_none(), .data = hoop_str_c("x"), .ttl_ms = 1000 };
    hoop_error error = { 0, "" };
    if (!arena)
        return;
    if (hoop_session_memory_new(arena, &store, &error, &(hoop_session_memory_options){ 10, 0 })) {
        assert_int_equal(error.code, HOOP_ENOMEM);
    } else {
        const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
        if (req && store->write(req, &entry, store->data) && store->read(req, &entry, store->data))
            assert_str(entry.data, "x");
        else if (req)
            assert_int_equal(hoop_failure(req)->code, HOOP_ENOMEM);
    }
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation(run_tight, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_the_oldest_goes_first),
        cmocka_unit_test(test_bytes_are_bounded),
        cmocka_unit_test(test_too_many_sessions),
        cmocka_unit_test(test_threads_share_it),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
