/* The cache of blocks: what it keeps, what it gives back, and what it counts. */
#include "support.h"

#include "base/blocks.h"

static void test_a_block_that_was_put_is_got_again(void **state)
{
    struct test_allocator a;
    struct hoop__blocks blocks;
    test_allocator_init(&a);
    hoop__blocks_init(&blocks, &a.hoop, 4);
    void *one = hoop__block_get(&blocks), *two = hoop__block_get(&blocks);
    memset(one, 1, HOOP__BLOCK_SIZE);
    memset(two, 2, HOOP__BLOCK_SIZE);
    assert_int_equal(blocks.held, 2);
    hoop__block_put(&blocks, one);
    hoop__block_put(&blocks, two);
    assert_int_equal(blocks.cached, 2);
    assert_ptr_equal(hoop__block_get(&blocks), two); /* the one that is in the processor's cache */
    assert_ptr_equal(hoop__block_get(&blocks), one);
    assert_int_equal(a.count, 2);
    hoop__block_put(&blocks, one);
    hoop__block_put(&blocks, two);
    hoop__blocks_done(&blocks);
    assert_int_equal(blocks.held, 0);
    assert_int_equal(a.live, 0);
}

static void test_a_burst_goes_back_to_the_allocator(void **state)
{
    struct test_allocator a;
    struct hoop__blocks blocks;
    void *all[10];
    test_allocator_init(&a);
    hoop__blocks_init(&blocks, &a.hoop, 4);
    for (int i = 0; i < 10; i++)
        all[i] = hoop__block_get(&blocks);
    assert_int_equal(blocks.held, 10);
    for (int i = 0; i < 10; i++)
        hoop__block_put(&blocks, all[i]);
    assert_int_equal(blocks.held, 4);
    assert_int_equal(blocks.cached, 4);
    assert_int_equal(a.live, 4);
    hoop__blocks_done(&blocks);
    assert_int_equal(a.live, 0);
}

static void test_blocks_in_use_outlive_the_cache(void **state)
{
    struct test_allocator a;
    struct hoop__blocks blocks;
    test_allocator_init(&a);
    hoop__blocks_init(&blocks, &a.hoop, 4);
    void *block = hoop__block_get(&blocks);
    hoop__blocks_done(&blocks);
    assert_int_equal(a.live, 1);
    hoop__block_put(&blocks, block);
    assert_int_equal(a.live, 0);
    assert_int_equal(blocks.cached, 0);
}

static void test_out_of_memory_is_null_and_counts_nothing(void **state)
{
    struct test_allocator a;
    struct hoop__blocks blocks;
    test_allocator_init(&a);
    a.fail_at = 1;
    hoop__blocks_init(&blocks, &a.hoop, 4);
    assert_null(hoop__block_get(&blocks));
    assert_int_equal(blocks.held, 0);
    void *block = hoop__block_get(&blocks);
    assert_non_null(block);
    hoop__block_put(&blocks, block);
    hoop__blocks_done(&blocks);
    assert_int_equal(a.live, 0);
}

static void test_the_default_allocator_is_malloc(void **state)
{
    char *memory = hoop__alloc(&hoop__malloc, 10);
    strcpy(memory, "abc");
    memory = hoop__realloc(&hoop__malloc, memory, 1000);
    assert_string_equal(memory, "abc");
    hoop__free(&hoop__malloc, memory);
    hoop__free(&hoop__malloc, NULL);
    memory = hoop__realloc(&hoop__malloc, NULL, 10);
    assert_non_null(memory);
    hoop__free(&hoop__malloc, memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_block_that_was_put_is_got_again),
        cmocka_unit_test(test_a_burst_goes_back_to_the_allocator),
        cmocka_unit_test(test_blocks_in_use_outlive_the_cache),
        cmocka_unit_test(test_out_of_memory_is_null_and_counts_nothing),
        cmocka_unit_test(test_the_default_allocator_is_malloc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
