/* A connection between a toy protocol and a client in the same thread; see toy.h. */
#include "toy.h"

/* Runs the loop and expects exactly this to be read with one call. */
static void expect(struct world *w, const char *text)
{
    char buffer[4096];
    world_run(w);
    ssize_t n = hear(w, buffer, sizeof buffer);
    assert_bytes(buffer, n < 0 ? 0 : (size_t)n, text, strlen(text));
}

static void expect_end(struct world *w)
{
    char byte;
    world_run(w);
    assert_int_equal(hear(w, &byte, 1), 0);
}

/* Reads on until `total` bytes have come; returns how many calls that took. */
static int hear_all(struct world *w, size_t total)
{
    static char buffer[1 << 20];
    int calls = 0;
    for (int i = 0; total && i < 100000; i++) {
        uv_run(&w->uv, UV_RUN_NOWAIT);
        ssize_t n = hear(w, buffer, sizeof buffer);
        if (n > 0) {
            assert_true((size_t)n <= total);
            total -= (size_t)n;
            calls++;
        }
    }
    assert_int_equal(total, 0);
    return calls;
}

static void begin(struct world *w)
{
    assert_int_equal(world_init(w, NULL), 0);
    assert_int_equal(world_connect(w), 0);
}

static void answers_a_line(void **state)
{
    struct world w = { 0 };
    begin(&w);
    say(&w, "echo hello\n");
    expect(&w, "hello\n");
    say(&w, "echo again\n");
    expect(&w, "again\n");
    struct hoop__counters *c = &w.loop->base.counters;
    assert_int_equal(c->connections, 1);
    assert_int_equal(c->accepted, 1);
    assert_int_equal(c->bytes_in, 22);
    assert_int_equal(c->bytes_out, 12);
    close(w.client);
    w.client = -1;
    world_run(&w);
    assert_int_equal(seen.stops, 1);
    assert_int_equal(c->connections, 0);
    world_done(&w);
}

static void answers_in_one_write(void **state)
{
    struct world w = { 0 };
    begin(&w);
    say(&w, "echo 1\necho 2\necho 3\necho 4\n");
    expect(&w, "1\n2\n3\n4\n");
    world_done(&w);
}

static void keeps_an_incomplete_line(void **state)
{
    struct world w = { 0 };
    begin(&w);
    const char *text = "echo bytewise\n";
    for (const char *c = text; *c; c++) {
        assert_int_equal(send(w.client, c, 1, MSG_NOSIGNAL), 1);
        world_run(&w);
    }
    expect(&w, "bytewise\n");
    assert_null(w.loop->conns->kept);
    world_done(&w);
}

static void sends_by_reference(void **state)
{
    struct world w = { 0 };
    begin(&w);
    say(&w, "ref 5242880\necho end\n");
    hear_all(&w, 5242880 + 4);
    assert_int_equal(seen.took, 5242880);
    assert_null(w.loop->conns->queue);
    world_done(&w);
}

static void sends_copies(void **state)
{
    struct world w = { 0 };
    begin(&w);
    say(&w, "copy 1000000\nref 1000000\necho end\n");
    world_run(&w);
    assert_true(w.loop->conns->stuck);
    assert_true(hoop__buffer_len(w.loop->conns->queue) <= HOOP__IO_SIZE);
    hear_all(&w, 2000000 + 4);
    assert_null(w.loop->conns->queue);
    assert_false(w.loop->conns->stuck);
    world_done(&w);
}

static void bounds_output(void **state)
{
    struct world w = { .limits = { .max_output = 100000, .max_read_ahead = 20000 } };
    begin(&w);
    say(&w, "copy 60000\n");
    world_run(&w);
    size_t sent = 0;
    for (int idle = 0; idle < 50; idle++) {
        const char *line = "echo 0123456789012345678901234567890123456789\n";
        if (send(w.client, line, strlen(line), MSG_NOSIGNAL) == (ssize_t)strlen(line)) {
            sent++;
            idle = 0;
        }
        uv_run(&w.uv, UV_RUN_NOWAIT);
        assert_true(hoop__buffer_len(w.loop->conns->queue) <= 100000);
        assert_true(hoop__buffer_len(w.loop->conns->kept) <= 20000);
    }
    assert_true(sent > 1000);
    hear_all(&w, 60000 + sent * 41);
    world_done(&w);
}

static void bounds_reading_ahead(void **state)
{
    struct world w = { .limits = { .max_read_ahead = 30000 } };
    begin(&w);
    say(&w, "wait\n");
    size_t lines = 0;
    for (int idle = 0; idle < 50; idle++) {
        if (send(w.client, "echo x\n", 7, MSG_NOSIGNAL) == 7) {
            lines++;
            idle = 0;
        }
        uv_run(&w.uv, UV_RUN_NOWAIT);
        assert_true(hoop__buffer_len(w.loop->conns->kept) <= 30000);
    }
    assert_int_equal(hoop__buffer_len(w.loop->conns->kept), 30000);
    assert_int_equal(w.loop->conns->events, UV_DISCONNECT);
    assert_int_equal(seen.consumed, 5);
    toy_go();
    hear_all(&w, lines * 2);
    world_run(&w);
    assert_null(w.loop->conns->kept);
    assert_int_equal(w.loop->conns->events, UV_READABLE | UV_DISCONNECT);
    world_done(&w);
}

static void answers_a_half_closed_peer(void **state)
{
    struct world w = { 0 };
    begin(&w);
    say(&w, "wait\necho never\n");
    shutdown(w.client, SHUT_WR);
    world_run(&w);
    assert_int_equal(seen.eofs, 1);
    assert_int_equal(seen.stops, 0);
    assert_int_equal(w.loop->conns->events, UV_PRIORITIZED);
    seen.toy->copy = 3;
    toy_go();
    char buffer[8];
    world_run(&w);
    assert_int_equal(hear(&w, buffer, sizeof buffer), 3);
    expect_end(&w);
    assert_int_equal(seen.stops, 1);
    world_done(&w);
}

static void notices_who_leaves(void **state)
{
    /* While a response is pending, and after a half-close, and with reading stopped. */
    for (int i = 0; i < 3; i++) {
        struct world w = { .limits = { .max_read_ahead = 10 } };
        begin(&w);
        say(&w, "wait\n");
        world_run(&w);
        if (i == 1)
            shutdown(w.client, SHUT_WR);
        if (i == 2)
            say(&w, "echo more than ten\n");
        world_run(&w);
        assert_int_equal(seen.stops, 0);
        close(w.client);
        w.client = -1;
        world_run(&w);
        assert_int_equal(seen.stops, 1);
        assert_int_equal(seen.stop_code, HOOP_EGONE);
        assert_null(w.loop->conns);
        world_done(&w);
    }
}

static void tells_of_a_hangup_that_it_can_not_read_up_to(void **state)
{
    struct world w = { .limits = { .max_read_ahead = 15 } };
    begin(&w);
    say(&w, "wait\n");
    world_run(&w);
    say(&w, "echo 12345\necho 67890\n");
    world_run(&w);
    assert_int_equal(seen.hangups, 0);
    shutdown(w.client, SHUT_WR);
    world_run(&w);
    assert_int_equal(seen.hangups, 1);
    assert_int_equal(seen.eofs, 0);
    assert_int_equal(w.loop->conns->events, UV_PRIORITIZED);
    /* What stands in front of the end is answered first. */
    toy_go();
    expect(&w, "12345\n67890\n");
    expect_end(&w);
    assert_int_equal(seen.hangups, 1);
    assert_int_equal(seen.eofs, 1);
    world_done(&w);
}

static void survives_a_reader_that_is_gone(void **state)
{
    struct world w = { 0 };
    begin(&w);
    say(&w, "copy 1000000\n");
    world_run(&w);
    close(w.client);
    w.client = -1;
    world_run(&w);
    assert_int_equal(seen.stop_code, HOOP_EGONE);
    world_done(&w);
}

/* The buffer is the loop's: what one client did not take any more must not go to the next one. */
static void what_was_for_one_is_never_sent_to_another(void **state)
{
    static const char *const lines[] = { "copy 10\n", "ref 10\n", "copy 60000\nref 5000\n",
                                         "echo 1\n" };
    struct world w = { 0 };
    begin(&w);
    for (size_t i = 0; i < HOOP_COUNT(lines); i++) {
        say(&w, lines[i]);
        close(w.client); /* in front of the loop's turn: sending fails */
        w.client = -1;
        world_run(&w);
        assert_int_equal(seen.stops, i + 1);
        assert_int_equal(w.loop->out.len, 0);
        assert_int_equal(w.loop->out.ref_len, 0);
        assert_int_equal(world_connect(&w), 0);
        say(&w, "echo hello\n");
        expect(&w, "hello\n");
        close(w.client);
        w.client = -1;
        world_run(&w);
        seen.stops = (int)i + 1;
        assert_int_equal(world_connect(&w), 0);
    }
    world_done(&w);
}

static void gives_a_stalled_reader_up(void **state)
{
    struct world w = { .limits = { .write_ms = 20 } };
    begin(&w);
    say(&w, "ref 1000000\n");
    world_until(&w, &seen.stops);
    assert_int_equal(seen.stop_code, HOOP_ETIMEDOUT);
    world_done(&w);
}

static void closes_after_the_answer(void **state)
{
    struct world w = { 0 };
    begin(&w);
    say(&w, "echo bye\ncopy 300000\n");
    hear_all(&w, 4 + 300000);
    say(&w, "close\necho never\n");
    expect_end(&w);
    world_done(&w);
}

static void lingers(void **state)
{
    struct world w = { 0 };
    begin(&w);
    say(&w, "linger\n");
    expect(&w, "answer\n");
    expect_end(&w);
    assert_int_equal(seen.stops, 1);
    assert_non_null(w.loop->conns);
    say(&w, "more that nobody reads\n");
    world_run(&w);
    assert_non_null(w.loop->conns);
    shutdown(w.client, SHUT_WR);
    world_run(&w);
    assert_null(w.loop->conns);
    world_done(&w);
}

static void lingers_not_for_ever(void **state)
{
    struct world w = { .limits = { .linger_ms = 20 } };
    begin(&w);
    say(&w, "linger\n");
    expect(&w, "answer\n");
    for (int i = 0; i < 10000 && w.loop->conns; i++) {
        uv_run(&w.uv, UV_RUN_NOWAIT);
        poll(NULL, 0, 1);
    }
    assert_null(w.loop->conns);
    world_done(&w);

    struct world v = { 0 };
    char bytes[4096] = "";
    begin(&v);
    say(&v, "linger\n");
    world_run(&v);
    for (int i = 0; i < 1000 && v.loop->conns; i++) {
        send(v.client, bytes, sizeof bytes, MSG_NOSIGNAL);
        uv_run(&v.uv, UV_RUN_NOWAIT);
    }
    assert_null(v.loop->conns);
    world_done(&v);
}

static void keeps_deadlines_lazily(void **state)
{
    struct world w = { 0 };
    begin(&w);
    uint64_t now = w.loop->base.now;
    seen.toy->base.deadline = now + 60000;
    say(&w, "echo 1\n");
    expect(&w, "1\n");
    uint64_t set = w.loop->conns->timer.due;
    assert_int_equal(set, now + 60000);
    seen.toy->base.deadline = now + 120000;
    say(&w, "echo 2\n");
    expect(&w, "2\n");
    assert_int_equal(w.loop->conns->timer.due, set);
    seen.toy->base.deadline = now + 10;
    say(&w, "echo 3\n");
    expect(&w, "3\n");
    world_until(&w, &seen.ticks);
    expect_end(&w);
    assert_int_equal(seen.ticks, 1);
    world_done(&w);
}

static void drains(void **state)
{
    struct world w = { 0 };
    begin(&w);
    int idle = w.client;
    w.client = -1;
    assert_int_equal(world_connect(&w), 0);
    say(&w, "wait\n");
    world_run(&w);
    hoop__net_loop_drain(w.loop, HOOP__NEVER);
    world_run(&w);
    assert_int_equal(seen.drains, 2);
    assert_int_equal(seen.stops, 1);
    assert_int_equal(w.quiet, 0);
    seen.toy = (struct toy *)hoop__conn_engine(w.loop->conns);
    seen.toy->copy = 2;
    toy_go();
    world_until(&w, &w.closed);
    char buffer[8];
    assert_int_equal(hear(&w, buffer, sizeof buffer), 2);
    close(idle);
    w.closed = 1;
    hoop__net_loop_free(w.loop);
    assert_int_equal(uv_loop_close(&w.uv), 0);
    hoop__quota_done(&w.quota);
    close(w.client);
}

static void cuts_off_at_the_deadline(void **state)
{
    struct world w = { 0 };
    begin(&w);
    say(&w, "wait\n");
    world_run(&w);
    hoop__net_loop_drain(w.loop, w.loop->base.now + 60000);
    world_run(&w);
    assert_int_equal(seen.stops, 0);
    /* A second call can only shorten it. */
    hoop__net_loop_drain(w.loop, w.loop->base.now + 120000);
    hoop__net_loop_drain(w.loop, w.loop->base.now + 10);
    world_until(&w, &seen.stops);
    assert_int_equal(seen.stop_code, HOOP_ECANCELED);
    world_done(&w);
}

static void holds_nothing_while_idle(void **state)
{
    struct world w = { 0 };
    struct test_allocator a;
    test_allocator_init(&a);
    assert_int_equal(world_init(&w, &a.hoop), 0);
    assert_int_equal(world_connect(&w), 0);
    unsigned long count = a.count;
    for (int i = 0; i < 100; i++) {
        say(&w, "echo hello\n");
        expect(&w, "hello\n");
    }
    assert_int_equal(a.count, count);
    size_t size = sizeof(struct hoop__conn) + hoop__protocol_find(HOOP_HTTP)->engine_size;
    print_message("an idle connection: %zu bytes\n", size);
    assert_true(size <= 512);
    world_done(&w);
    assert_int_equal(a.live, 0);
}

static void one_of_everything(struct test_allocator *a, void *data)
{
    struct world w = { .limits = { .max_read_ahead = 2000 } };
    char buffer[65536];
    if (world_init(&w, &a->hoop))
        return;
    if (world_connect(&w) == 0) {
        /* Any of these may find the connection closed for want of memory. */
        const char *lines[] = { "echo in", "complete\ncopy 200000\nwait\n", "echo kept\n" };
        for (size_t i = 0; i < HOOP_COUNT(lines); i++) {
            send(w.client, lines[i], strlen(lines[i]), MSG_NOSIGNAL);
            world_run(&w);
        }
        for (int i = 0; i < 100; i++) {
            hear(&w, buffer, sizeof buffer);
            uv_run(&w.uv, UV_RUN_NOWAIT);
        }
    }
    world_done(&w);
}

static void survives_every_failed_allocation(void **state)
{
    test_each_allocation(one_of_everything, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_a_line),
        cmocka_unit_test(answers_in_one_write),
        cmocka_unit_test(keeps_an_incomplete_line),
        cmocka_unit_test(sends_by_reference),
        cmocka_unit_test(sends_copies),
        cmocka_unit_test(bounds_output),
        cmocka_unit_test(bounds_reading_ahead),
        cmocka_unit_test(answers_a_half_closed_peer),
        cmocka_unit_test(notices_who_leaves),
        cmocka_unit_test(tells_of_a_hangup_that_it_can_not_read_up_to),
        cmocka_unit_test(survives_a_reader_that_is_gone),
        cmocka_unit_test(what_was_for_one_is_never_sent_to_another),
        cmocka_unit_test(gives_a_stalled_reader_up),
        cmocka_unit_test(closes_after_the_answer),
        cmocka_unit_test(lingers),
        cmocka_unit_test(lingers_not_for_ever),
        cmocka_unit_test(keeps_deadlines_lazily),
        cmocka_unit_test(drains),
        cmocka_unit_test(cuts_off_at_the_deadline),
        cmocka_unit_test(holds_nothing_while_idle),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
