/* The limits: the defaults that the header promises, and callers of other versions. */
#include "support.h"

#include "base/loop.h"

static void test_zero_is_the_documented_default(void **state)
{
    hoop_limits l;
    hoop__limits_fill(&l, NULL, 0);
    assert_int_equal(l.max_target, 8192);
    assert_int_equal(l.max_head, 32768);
    assert_int_equal(l.max_headers, 128);
    assert_int_equal(l.max_body, 1048576);
    assert_int_equal(l.max_chunk_extension, 4096);
    assert_int_equal(l.max_trailer, 8192);
    assert_int_equal(l.max_requests, 1000000);
    assert_int_equal(l.max_read_ahead, 65536);
    assert_int_equal(l.max_discard, 65536);
    assert_int_equal(l.max_connections, 0); /* lib/net knows how many descriptors there are */
    assert_int_equal(l.max_connections_per_peer, 0);
    assert_int_equal(l.max_output, 1048576);
    assert_int_equal(l.max_arena, 16777216);
    assert_int_equal(l.max_pending, 65536);
    assert_int_equal(l.max_blocking, 1024);
    assert_int_equal(l.first_byte_ms, 30000);
    assert_int_equal(l.head_ms, 10000);
    assert_int_equal(l.idle_ms, 60000);
    assert_int_equal(l.body_grace_ms, 5000);
    assert_int_equal(l.body_rate, 500);
    assert_int_equal(l.handler_ms, 30000);
    assert_int_equal(l.write_ms, 30000);
    assert_int_equal(l.linger_ms, 2000);
    assert_int_equal(l.drain_ms, 10000);
}

static void test_every_limit_but_those_of_connections_is_finite(void **state)
{
    hoop_limits l;
    hoop__limits_fill(&l, NULL, 0);
    const uint64_t *members = (const uint64_t *)&l;
    size_t zero = 0;
    for (size_t i = 0; i < sizeof l / sizeof *members; i++) {
        zero += members[i] == 0;
        assert_true(members[i] < HOOP_OFF);
    }
    assert_int_equal(zero, 2);
}

static void test_what_is_given_stays(void **state)
{
    hoop_limits given = { .max_body = 5, .handler_ms = HOOP_OFF, .max_connections = 7 }, l;
    hoop__limits_fill(&l, &given, sizeof given);
    assert_int_equal(l.max_body, 5);
    assert_true(l.handler_ms == HOOP_OFF);
    assert_int_equal(l.max_connections, 7);
    assert_int_equal(l.max_head, 32768);
}

static void test_an_older_caller_gives_fewer(void **state)
{
    hoop_limits given, l;
    memset(&given, 1, sizeof given);
    hoop__limits_fill(&l, &given, 2 * sizeof(uint64_t));
    assert_true(l.max_target == given.max_target && l.max_head == given.max_head);
    assert_int_equal(l.max_headers, 128);
    assert_int_equal(l.drain_ms, 10000);
}

static void test_a_newer_caller_gives_more(void **state)
{
    struct {
        hoop_limits limits;
        uint64_t unknown;
    } given = { .limits = { .drain_ms = 3 }, .unknown = 4 };
    hoop_limits l[2];
    memset(l, 0x55, sizeof l);
    hoop__limits_fill(l, &given.limits, sizeof given);
    assert_int_equal(l[0].drain_ms, 3);
    assert_true(l[1].max_target == 0x5555555555555555u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zero_is_the_documented_default),
        cmocka_unit_test(test_every_limit_but_those_of_connections_is_finite),
        cmocka_unit_test(test_what_is_given_stays),
        cmocka_unit_test(test_an_older_caller_gives_fewer),
        cmocka_unit_test(test_a_newer_caller_gives_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
