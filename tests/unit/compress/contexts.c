/* Idle contexts: used again, bounded in bytes and in time, gone with their loop. */
#include "fake.h"

#include "compress/contexts.h"

static void test_used_again_as_new(void **state)
{
    if (!hoop__coding_is_built(HOOP__GZIP))
        skip();
    struct fake f;
    struct hoop__codec *first, *second, *other, *decoder;
    fake_init(&f);
    assert_int_equal(hoop__contexts_encoder(&f.loop, HOOP__GZIP, 0, &first), 0);
    assert_int_equal(hoop__contexts_encoder(&f.loop, HOOP__GZIP, 0, &second), 0);
    assert_ptr_not_equal(first, second);
    hoop__contexts_put(&f.loop, first);
    /* Another level, another coding and the other direction are other contexts. */
    assert_int_equal(hoop__contexts_encoder(&f.loop, HOOP__GZIP, 9, &other), 0);
    assert_ptr_not_equal(other, first);
    assert_int_equal(hoop__contexts_decoder(&f.loop, HOOP__GZIP, &decoder), 0);
    assert_ptr_not_equal(decoder, first);
    hoop__contexts_put(&f.loop, other);
    hoop__contexts_put(&f.loop, decoder);
    unsigned long count = f.allocator.count;
    assert_int_equal(
        hoop__contexts_encoder(&f.loop, HOOP__GZIP, hoop__coding_levels(HOOP__GZIP).usual, &other),
        0);
    assert_ptr_equal(other, first);
    assert_int_equal(f.allocator.count, count);
    hoop__contexts_put(&f.loop, other);
    hoop__contexts_put(&f.loop, second);
    hoop__contexts_put(&f.loop, NULL);
    fake_done(&f);
}

static void test_whole_bodies_have_their_own(void **state)
{
    if (!hoop__coding_has_whole(HOOP__GZIP))
        skip();
    struct fake f;
    struct hoop__codec *steps, *whole, *again;
    static struct hoop__codec *codecs[1000];
    size_t count = 0, max = HOOP__CONTEXTS_MAX_LENT / hoop__coding_whole_cost(HOOP__GZIP, 4);
    fake_init(&f);
    assert_int_equal(hoop__contexts_encoder(&f.loop, HOOP__GZIP, 4, &steps), 0);
    hoop__contexts_put(&f.loop, steps);
    assert_int_equal(hoop__contexts_whole_encoder(&f.loop, HOOP__GZIP, 4, &whole), 0);
    assert_ptr_not_equal(whole, steps);
    hoop__contexts_put(&f.loop, whole);
    assert_int_equal(hoop__contexts_encoder(&f.loop, HOOP__GZIP, 4, &again), 0);
    assert_ptr_equal(again, steps);
    hoop__contexts_put(&f.loop, again);
    while (count <= max &&
           hoop__contexts_whole_encoder(&f.loop, HOOP__GZIP, 0, &codecs[count]) == 0)
        count++;
    assert_int_equal(count, max);
    assert_ptr_equal(codecs[0], whole);
    while (count)
        hoop__contexts_put(&f.loop, codecs[--count]);
    fake_done(&f);
}

static void test_bytes_are_bounded(void **state)
{
    if (!hoop__coding_is_built(HOOP__GZIP))
        skip();
    struct fake f;
    struct hoop__codec *codecs[32];
    size_t bytes = 0, kept = 0;
    fake_init(&f);
    for (size_t i = 0; i < HOOP_COUNT(codecs); i++)
        assert_int_equal(hoop__contexts_encoder(&f.loop, HOOP__GZIP, 0, &codecs[i]), 0);
    for (size_t i = 0; i < HOOP_COUNT(codecs); i++)
        bytes += codecs[i]->ops->size(codecs[i]);
    assert_true(bytes > HOOP__CONTEXTS_MAX_BYTES);
    unsigned long live = f.allocator.live;
    for (size_t i = 0; i < HOOP_COUNT(codecs); i++) {
        hoop__contexts_put(&f.loop, codecs[i]);
        kept += f.allocator.live == live;
        live = f.allocator.live;
    }
    assert_int_equal(kept, HOOP__CONTEXTS_MAX_BYTES / (bytes / HOOP_COUNT(codecs)));
    fake_done(&f);
}

static void test_the_idle_are_given_back_in_time(void **state)
{
    if (!hoop__coding_is_built(HOOP__GZIP))
        skip();
    struct fake f;
    struct hoop__codec *a, *b;
    fake_init(&f);
    unsigned long none = f.allocator.live + 1; /* what the loop counts in */
    assert_int_equal(hoop__contexts_encoder(&f.loop, HOOP__GZIP, 0, &a), 0);
    assert_int_equal(hoop__contexts_encoder(&f.loop, HOOP__GZIP, 0, &b), 0);
    hoop__contexts_put(&f.loop, a);
    unsigned long both = f.allocator.live;
    fake_advance(&f, HOOP__CONTEXTS_IDLE_MS - 1);
    assert_int_equal(f.allocator.live, both);
    hoop__contexts_put(&f.loop, b);
    fake_advance(&f, 1);
    unsigned long one = f.allocator.live;
    assert_true(one < both);
    fake_advance(&f, HOOP__CONTEXTS_IDLE_MS);
    assert_int_equal(f.allocator.live, none);
    assert_int_equal(hoop__wheel_next(&f.loop.timers), HOOP__NEVER);
    /* And it goes on afterwards. */
    assert_int_equal(hoop__contexts_encoder(&f.loop, HOOP__GZIP, 0, &a), 0);
    hoop__contexts_put(&f.loop, a);
    assert_int_not_equal(hoop__wheel_next(&f.loop.timers), HOOP__NEVER);
    fake_done(&f);
}

static void test_those_in_use_are_bounded(void **state)
{
    if (!hoop__coding_is_built(HOOP__GZIP))
        skip();
    struct fake f;
    static struct hoop__codec *codecs[1000];
    struct hoop__codec *decoder;
    size_t count = 0, max = HOOP__CONTEXTS_MAX_LENT / hoop__coding_cost(HOOP__GZIP, 1);
    int rc;
    fake_init(&f);
    while ((rc = hoop__contexts_encoder(&f.loop, HOOP__GZIP, 1, &codecs[count])) == 0)
        count++;
    assert_int_equal(rc, HOOP_EBUSY);
    assert_int_equal(count, max);
    assert_int_equal(hoop__contexts_decoder(&f.loop, HOOP__GZIP, &decoder), 0);
    hoop__contexts_put(&f.loop, decoder);
    assert_int_equal(hoop__contexts_encoder(&f.loop, HOOP__GZIP, 1, &codecs[count]), HOOP_EBUSY);
    hoop__contexts_put(&f.loop, codecs[--count]);
    assert_int_equal(hoop__contexts_encoder(&f.loop, HOOP__GZIP, 1, &codecs[count]), 0);
    for (size_t i = 0; i <= count; i++)
        hoop__contexts_put(&f.loop, codecs[i]);
    fake_done(&f);
}

static void test_brotli_is_never_kept(void **state)
{
    if (!hoop__coding_is_built(HOOP__BR))
        skip();
    struct fake f;
    struct hoop__codec *codec;
    fake_init(&f);
    unsigned long live = f.allocator.live;
    assert_int_equal(hoop__contexts_encoder(&f.loop, HOOP__BR, 0, &codec), 0);
    hoop__contexts_put(&f.loop, codec);
    assert_int_equal(f.allocator.live, live + 1); /* what the loop counts in */
    fake_done(&f);
}

static void test_without_a_loop_it_is_freed(void **state)
{
    for (int i = 0; i < HOOP__CODINGS; i++) {
        struct fake f;
        struct hoop__codec *codec;
        fake_init(&f);
        unsigned long live = f.allocator.live;
        if (!hoop__contexts_decoder(&f.loop, (enum hoop__coding)i, &codec))
            hoop__contexts_put(NULL, codec);
        assert_int_equal(f.allocator.live, live);
        fake_done(&f);
    }
}

static void body_on(struct test_allocator *a, void *data)
{
    struct fake f;
    struct hoop__codec *codec;
    if (fake_init_on(&f, &a->hoop))
        return;
    for (int i = 0; i < HOOP__CODINGS; i++) {
        int built = hoop__coding_is_built((enum hoop__coding)i);
        int rc = hoop__contexts_encoder(&f.loop, (enum hoop__coding)i, 0, &codec);
        assert_true(rc == (built ? 0 : HOOP_EUNSUPPORTED) || rc == HOOP_ENOMEM);
        if (!rc)
            hoop__contexts_put(&f.loop, codec);
    }
    fake_done(&f);
}

static void test_each_allocation_fails(void **state)
{
    test_each_allocation(body_on, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_used_again_as_new),
        cmocka_unit_test(test_whole_bodies_have_their_own),
        cmocka_unit_test(test_bytes_are_bounded),
        cmocka_unit_test(test_the_idle_are_given_back_in_time),
        cmocka_unit_test(test_those_in_use_are_bounded),
        cmocka_unit_test(test_brotli_is_never_kept),
        cmocka_unit_test(test_without_a_loop_it_is_freed),
        cmocka_unit_test(test_each_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
