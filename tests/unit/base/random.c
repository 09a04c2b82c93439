/* Random bytes: all are filled, no two draws are alike. */
#include "support.h"

#include "base/random.h"

static void test_every_byte_is_drawn(void **state)
{
    unsigned char seen[1000] = { 0 }, bytes[1000];
    (void)state;
    /* A byte that stays zero in 16 draws was not drawn: by chance that is one in 2^128. */
    for (int draw = 0; draw < 16; draw++) {
        memset(bytes, 0, sizeof bytes);
        assert_int_equal(hoop__random(bytes, sizeof bytes), 0);
        for (size_t i = 0; i < sizeof bytes; i++)
            seen[i] |= bytes[i];
    }
    for (size_t i = 0; i < sizeof seen; i++)
        assert_int_not_equal(seen[i], 0);
}

static void test_no_byte_beyond_is_written(void **state)
{
    (void)state;
    for (size_t size = 0; size < 600; size += 37) {
        unsigned char bytes[601];
        memset(bytes, 0xa5, sizeof bytes);
        assert_int_equal(hoop__random(bytes, size), 0);
        for (size_t i = size; i < sizeof bytes; i++)
            assert_int_equal(bytes[i], 0xa5);
    }
}

static void test_draws_differ(void **state)
{
    unsigned char a[16], b[16];
    (void)state;
    assert_int_equal(hoop__random(a, sizeof a), 0);
    assert_int_equal(hoop__random(b, sizeof b), 0);
    assert_memory_not_equal(a, b, sizeof a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte_is_drawn),
        cmocka_unit_test(test_no_byte_beyond_is_written),
        cmocka_unit_test(test_draws_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
