/* The arena: where its bytes come from, its limit, its hooks, and memory that is short. */
#include "support.h"

#include "base/arena.h"

#include <stdio.h>

#define BLOCK_ROOM (HOOP__BLOCK_SIZE - 16) /* what a block of the loop has for allocations */

static hoop_arena *arena_on(struct test_allocator *a, uint64_t limit, uint64_t block_size)
{
    hoop_arena_options options = { &a->hoop, limit, block_size };
    return hoop_arena_new_with(&options);
}

static void test_allocations_are_aligned_and_apart(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    char *last = NULL;
    for (size_t size = 1; size < 200; size++) {
        char *memory = hoop_arena_alloc(arena, size);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 16, 0);
        memset(memory, (int)size, size);
        if (last)
            assert_int_equal(last[0], (char)(size - 1));
        last = memory;
    }
    hoop_arena_free(arena);
}

static void test_nothing_is_a_pointer_even_in_a_fresh_arena(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    assert_non_null(hoop_arena_alloc(arena, 0));
    assert_non_null(hoop__arena_resize(arena, NULL, 0, 0));
    assert_non_null(hoop_arena_alloc(arena, 1));
    assert_non_null(hoop_arena_alloc(arena, 0));
    hoop_arena_free(arena);
}

static void test_null_is_allowed(void **state)
{
    hoop_arena_free(NULL);
    assert_null(hoop_arena_alloc(NULL, 1));
    assert_null(hoop_arena_zalloc(NULL, 1));
    assert_true(hoop_str_is_none(hoop_arena_copy(NULL, hoop_str_c("a"))));
    assert_null(hoop_arena_strdup(NULL, "a"));
    assert_true(hoop_str_is_none(hoop_arena_printf(NULL, "a")));
    assert_int_equal(hoop_arena_size(NULL), 0);
    hoop_arena *arena = hoop_arena_new();
    assert_null(hoop_arena_strdup(arena, NULL));
    hoop_arena_free(arena);
}

static void test_zalloc_clears(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    memset(hoop_arena_alloc(arena, 64), 'x', 64);
    for (int i = 0; i < 100; i++) {
        static const char zero[256];
        char *memory = hoop_arena_zalloc(arena, 256);
        assert_memory_equal(memory, zero, 256);
        memset(memory, 'x', 256);
    }
    hoop_arena_free(arena);
}

static void test_copies_end_in_nul(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    char text[] = "abcdef";
    hoop_str copy = hoop_arena_copy(arena, hoop_str_n(text, 3));
    char *dup = hoop_arena_strdup(arena, text);
    text[0] = 'x';
    assert_str(copy, "abc");
    assert_int_equal(copy.data[3], 0);
    assert_string_equal(dup, "abcdef");
    hoop_str empty = hoop_arena_copy(arena, hoop_str_none());
    assert_false(hoop_str_is_none(empty));
    assert_int_equal(empty.data[0], 0);
    hoop_str bytes = hoop_arena_copy(arena, hoop_str_n("a\0b", 3));
    assert_bytes(bytes.data, bytes.len, "a\0b", 3);
    hoop_arena_free(arena);
}

static void test_block_size_is_what_a_chunk_takes(void **state)
{
    struct test_allocator a;
    test_allocator_init(&a);
    hoop_arena *arena = arena_on(&a, 0, 1024);
    assert_int_equal(a.count, 1);
    assert_int_equal(hoop_arena_size(arena), 0);
    for (int i = 0; i < 63; i++)
        assert_non_null(hoop_arena_alloc(arena, 16));
    assert_int_equal(a.count, 2);
    assert_int_equal(hoop_arena_size(arena), 1024);
    assert_non_null(hoop_arena_alloc(arena, 1));
    assert_int_equal(a.count, 3);
    assert_int_equal(hoop_arena_size(arena), 2048);
    hoop_arena_free(arena);
    assert_int_equal(a.live, 0);
}

static void test_default_block_size_is_4096(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    assert_non_null(hoop_arena_alloc(arena, 1));
    assert_int_equal(hoop_arena_size(arena), 4096);
    hoop_arena_free(arena);
}

static void test_options_of_an_older_caller_keep_the_defaults(void **state)
{
    struct test_allocator a;
    test_allocator_init(&a);
    hoop_arena_options options = { &a.hoop, 1, 1 };
    hoop_arena *arena = hoop_arena_new_sized(&options, sizeof options.allocator);
    assert_non_null(hoop_arena_alloc(arena, 5000));
    assert_int_equal(hoop_arena_size(arena), 5024);
    assert_non_null(hoop_arena_alloc(arena, 5));
    assert_int_equal(hoop_arena_size(arena), 5024 + 4096);
    hoop_arena_free(arena);
    assert_int_equal(a.live, 0);
}

static void test_a_big_allocation_leaves_the_room_of_the_block(void **state)
{
    struct test_allocator a;
    test_allocator_init(&a);
    hoop_arena *arena = arena_on(&a, 0, 4096);
    char *first = hoop_arena_alloc(arena, 16);
    char *big = hoop_arena_alloc(arena, 100000);
    memset(big, 1, 100000);
    char *second = hoop_arena_alloc(arena, 16);
    assert_ptr_equal(second, first + 16);
    assert_int_equal(a.count, 3);
    hoop_arena_free(arena);
    assert_int_equal(a.live, 0);
}

static void test_sizes_that_wrap_are_refused(void **state)
{
    hoop_arena_options options = { NULL, 1 << 20, 0 };
    hoop_arena *arena = hoop_arena_new_with(&options);
    for (size_t less = 0; less < 100; less++) {
        assert_null(hoop_arena_alloc(arena, SIZE_MAX - less));
        assert_null(hoop__arena_resize(arena, NULL, 0, SIZE_MAX - less));
    }
    assert_true(hoop_str_is_none(hoop_arena_copy(arena, hoop_str_n("", SIZE_MAX))));
    assert_int_equal(hoop_arena_size(arena), 0);
    hoop_arena_free(arena);
}

static void test_the_limit_counts_what_is_held(void **state)
{
    struct test_allocator a;
    test_allocator_init(&a);
    hoop_arena *arena = arena_on(&a, 8192, 4096);
    assert_non_null(hoop_arena_alloc(arena, 4080));
    assert_null(hoop_arena_alloc(arena, 4081));
    assert_int_equal(hoop_arena_size(arena), 4096);
    assert_non_null(hoop_arena_alloc(arena, 4080));
    assert_null(hoop_arena_alloc(arena, 1));
    assert_int_equal(hoop_arena_size(arena), 8192);
    hoop_arena_free(arena);
    assert_int_equal(a.live, 0);
}

static void test_a_limit_below_a_block_is_used_up(void **state)
{
    struct test_allocator a;
    test_allocator_init(&a);
    hoop_arena *arena = arena_on(&a, 1000, 0);
    for (int i = 0; i < 61; i++)
        assert_non_null(hoop_arena_alloc(arena, 16));
    assert_null(hoop_arena_alloc(arena, 1));
    assert_int_equal(hoop_arena_size(arena), 992);
    hoop_arena_free(arena);
    arena = arena_on(&a, 31, 0);
    assert_null(hoop_arena_alloc(arena, 1));
    hoop_arena_free(arena);
    assert_int_equal(a.live, 0);
}

static void test_off_is_no_limit(void **state)
{
    hoop_arena_options options = { NULL, HOOP_OFF, 0 };
    hoop_arena *arena = hoop_arena_new_with(&options);
    assert_non_null(hoop_arena_alloc(arena, 1 << 24));
    hoop_arena_free(arena);
}

static void test_printf_of_every_length(void **state)
{
    /* Blocks of an odd size, and texts that end around their ends. */
    for (uint64_t block = 17; block < 120; block += 7) {
        hoop_arena_options options = { NULL, 0, block };
        hoop_arena *arena = hoop_arena_new_with(&options);
        for (int len = 0; len < 150; len++) {
            hoop_str s = hoop_arena_printf(arena, "%*s|%d", len, "", len);
            char want[200];
            snprintf(want, sizeof want, "%*s|%d", len, "", len);
            assert_str(s, want);
            assert_int_equal(s.data[s.len], 0);
            hoop_arena_alloc(arena, (size_t)len % 19);
        }
        hoop_arena_free(arena);
    }
}

static void test_printf_may_read_the_arena(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str s = hoop_str_c("");
    for (int i = 0; i < 500; i++)
        s = hoop_arena_printf(arena, "%s%c", s.data, 'a' + i % 26);
    assert_int_equal(s.len, 500);
    for (int i = 0; i < 500; i++)
        assert_int_equal(s.data[i], 'a' + i % 26);
    hoop_arena_free(arena);
}

/* --- resizing -------------------------------------------------------------------------------- */

static void test_the_newest_is_resized_in_place(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    char *memory = hoop__arena_resize(arena, NULL, 0, 10);
    strcpy(memory, "abc");
    assert_ptr_equal(hoop__arena_resize(arena, memory, 10, 1000), memory);
    assert_ptr_equal(hoop__arena_resize(arena, memory, 1000, 20), memory);
    char *next = hoop_arena_alloc(arena, 1);
    assert_ptr_equal(next, memory + 32);
    assert_string_equal(memory, "abc");
    hoop_arena_free(arena);
}

static void test_an_older_one_is_resized_by_copying(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    char *memory = hoop_arena_alloc(arena, 10);
    strcpy(memory, "abc");
    hoop_arena_alloc(arena, 1);
    char *copy = hoop__arena_resize(arena, memory, 10, 100);
    assert_ptr_not_equal(copy, memory);
    assert_string_equal(copy, "abc");
    assert_string_equal(memory, "abc");
    /* What does not fit the rest of the chunk moves to another one. */
    char *far = hoop__arena_resize(arena, copy, 100, 10000);
    assert_ptr_not_equal(far, copy);
    assert_string_equal(far, "abc");
    hoop_arena_free(arena);
}

static void test_a_failed_resize_leaves_the_old(void **state)
{
    struct test_allocator a;
    test_allocator_init(&a);
    hoop_arena *arena = arena_on(&a, 4096, 4096);
    char *memory = hoop_arena_alloc(arena, 10);
    strcpy(memory, "abc");
    assert_null(hoop__arena_resize(arena, memory, 10, 5000));
    assert_string_equal(memory, "abc");
    assert_ptr_equal(hoop__arena_resize(arena, memory, 10, 4080), memory);
    hoop_arena_free(arena);
}

/* The allocator moves a large one that has a chunk of its own, so that only the new size is held. */
static void test_a_large_one_is_moved(void **state)
{
    struct test_allocator a;
    test_allocator_init(&a);
    for (int used = 0; used < 2; used++) {
        hoop_arena *arena = arena_on(&a, 1000000, 4096);
        char *before = used ? hoop_arena_alloc(arena, 16) : NULL;
        if (before)
            memset(before, 'x', 16);
        char *memory = hoop_arena_alloc(arena, 70000);
        memset(memory, 'y', 70000);
        size_t rest = used ? 4096 : 0;
        memory = hoop__arena_resize(arena, memory, 70000, 300000);
        assert_non_null(memory);
        assert_true(hoop_arena_size(arena) <= rest + 300100);
        assert_int_equal(a.live, used ? 3 : 2);
        memory = hoop__arena_resize(arena, memory, 300000, 900000);
        assert_non_null(memory);
        assert_null(hoop__arena_resize(arena, memory, 900000, 1000000)); /* the limit */
        for (size_t i = 0; i < 70000; i++)
            assert_int_equal(memory[i], 'y');
        /* What comes next has other memory, and then the large one is copied. */
        memset(hoop_arena_alloc(arena, 64), 'z', 64);
        memory = hoop__arena_resize(arena, memory, 900000, 80000);
        assert_non_null(memory);
        assert_int_equal(memory[69999], 'y');
        if (before)
            assert_memory_equal(before, "xxxxxxxxxxxxxxxx", 16);
        hoop_arena_free(arena);
        assert_int_equal(a.live, 0);
    }
}

static void test_a_failed_move_leaves_the_old(void **state)
{
    struct test_allocator a;
    test_allocator_init(&a);
    hoop_arena *arena = arena_on(&a, HOOP_OFF, 4096);
    char *memory = hoop_arena_alloc(arena, 70000);
    memset(memory, 'y', 70000);
    a.fail_at = a.count + 1;
    memory = hoop__arena_resize(arena, memory, 70000, 300000); /* the copy does it */
    assert_non_null(memory);
    assert_int_equal(memory[69999], 'y');
    hoop_arena_free(arena);
    assert_int_equal(a.live, 0);
}

/* --- hooks ----------------------------------------------------------------------------------- */

static char order[64];

static void note(void *data)
{
    strcat(order, data);
}

static void test_hooks_run_last_in_first_out(void **state)
{
    order[0] = 0;
    hoop_arena *arena = hoop_arena_new();
    assert_int_equal(hoop_arena_on_dispose(arena, note, "a"), 0);
    assert_int_equal(hoop_arena_on_dispose(arena, note, "b"), 0);
    assert_int_equal(hoop_arena_on_dispose(arena, note, "c"), 0);
    assert_string_equal(order, "");
    hoop_arena_free(arena);
    assert_string_equal(order, "cba");
}

static void read_back(void *data)
{
    assert_string_equal(data, "still here");
    strcat(order, "r");
}

static void test_hooks_run_before_the_memory_goes(void **state)
{
    order[0] = 0;
    hoop_arena *arena = hoop_arena_new();
    char *text = hoop_arena_strdup(arena, "still here");
    hoop_arena_on_dispose(arena, read_back, text);
    hoop_arena_alloc(arena, 10000);
    hoop_arena_free(arena);
    assert_string_equal(order, "r");
}

static void test_a_hook_that_finds_no_memory_runs_at_once(void **state)
{
    struct test_allocator a;
    test_allocator_init(&a);
    order[0] = 0;
    hoop_arena *arena = arena_on(&a, 16, 0);
    assert_int_equal(hoop_arena_on_dispose(arena, note, "x"), HOOP_ENOMEM);
    assert_string_equal(order, "x");
    hoop_arena_free(arena);
    assert_int_equal(hoop_arena_on_dispose(NULL, note, "y"), HOOP_ENOMEM);
    assert_string_equal(order, "xy");
}

/* --- blocks of a loop ------------------------------------------------------------------------ */

static void test_blocks_are_recycled(void **state)
{
    struct test_allocator a;
    struct hoop__blocks blocks;
    struct hoop_arena arena;
    test_allocator_init(&a);
    hoop__blocks_init(&blocks, &a.hoop, 8);
    for (int round = 0; round < 3; round++) {
        char *first = hoop__block_get(&blocks);
        hoop__arena_init(&arena, &blocks, &a.hoop, SIZE_MAX, &arena, first, 100);
        char *memory = hoop_arena_alloc(&arena, 16);
        assert_ptr_equal(memory, first + 112);
        assert_int_equal(hoop_arena_size(&arena), 4096);
        assert_non_null(hoop_arena_alloc(&arena, BLOCK_ROOM - 112 - 16));
        assert_int_equal(hoop_arena_size(&arena), 4096);
        assert_non_null(hoop_arena_alloc(&arena, BLOCK_ROOM));
        assert_int_equal(hoop_arena_size(&arena), 8192);
        assert_int_equal(a.count, 2); /* in the first round, and never again */
        hoop__arena_done(&arena);
        assert_int_equal(blocks.cached, 2);
    }
    hoop__blocks_done(&blocks);
    assert_int_equal(a.live, 0);
}

static void test_cached_blocks_are_given_back(void **state)
{
    struct test_allocator a;
    struct hoop__blocks blocks;
    void *taken[5];
    test_allocator_init(&a);
    hoop__blocks_init(&blocks, &a.hoop, 8);
    for (int i = 0; i < 5; i++)
        taken[i] = hoop__block_get(&blocks);
    for (int i = 0; i < 4; i++)
        hoop__block_put(&blocks, taken[i]);
    hoop__blocks_keep(&blocks, 5);
    assert_int_equal(a.live, 5);
    hoop__blocks_keep(&blocks, 3);
    assert_int_equal(a.live, 4);
    assert_int_equal(blocks.held, 4);
    hoop__blocks_keep(&blocks, 0);
    assert_int_equal(blocks.cached, 0);
    hoop__block_put(&blocks, taken[4]); /* cached as before */
    assert_int_equal(a.live, 1);
    hoop__blocks_done(&blocks);
    assert_int_equal(a.live, 0);
}

static void test_more_than_a_block_comes_from_the_allocator(void **state)
{
    struct test_allocator a;
    struct hoop__blocks blocks;
    struct hoop_arena arena;
    test_allocator_init(&a);
    hoop__blocks_init(&blocks, &a.hoop, 8);
    hoop__arena_init(&arena, &blocks, &a.hoop, 3 * 4096, &arena, hoop__block_get(&blocks), 0);
    assert_non_null(hoop_arena_alloc(&arena, BLOCK_ROOM + 1));
    assert_int_equal(blocks.held, 1);
    assert_int_equal(hoop_arena_size(&arena), 4096 + 4112);
    assert_non_null(hoop_arena_alloc(&arena, BLOCK_ROOM)); /* what the first block has */
    assert_null(hoop_arena_alloc(&arena, BLOCK_ROOM));     /* over the limit */
    hoop__arena_done(&arena);
    hoop__blocks_done(&blocks);
    assert_int_equal(a.live, 0);
}

static void test_an_exchanges_arena_is_not_freed_by_users(void **state)
{
    struct hoop__blocks blocks;
    struct hoop_arena arena;
    order[0] = 0;
    hoop__blocks_init(&blocks, &hoop__malloc, 8);
    hoop__arena_init(&arena, &blocks, &hoop__malloc, SIZE_MAX, &blocks, hoop__block_get(&blocks),
                     0);
    hoop_arena_on_dispose(&arena, note, "d");
    hoop_arena_free(&arena);
    assert_string_equal(order, "");
    hoop__arena_done(&arena);
    assert_string_equal(order, "d");
    hoop__blocks_done(&blocks);
}

static void test_an_orphan_gives_its_blocks_to_the_allocator(void **state)
{
    struct test_allocator a;
    struct hoop__blocks blocks;
    struct hoop_arena arena;
    test_allocator_init(&a);
    hoop__blocks_init(&blocks, &a.hoop, 8);
    hoop__arena_init(&arena, &blocks, &a.hoop, SIZE_MAX, &arena, hoop__block_get(&blocks), 0);
    assert_non_null(hoop_arena_alloc(&arena, BLOCK_ROOM));
    assert_non_null(hoop_arena_alloc(&arena, BLOCK_ROOM));
    hoop__arena_orphan(&arena);
    hoop__blocks_done(&blocks);
    assert_int_equal(a.live, 2);
    hoop__arena_done(&arena);
    assert_int_equal(a.live, 0);
}

/* --- memory that is short -------------------------------------------------------------------- */

static void use_all(struct test_allocator *a, void *data)
{
    hoop_arena *arena =
        arena_on(a, 0, 1); /* so that each allocation is one of the allocator, too */
    if (!arena)
        return;
    order[0] = 0;
    char *bytes = hoop_arena_alloc(arena, 100);
    char *zero = hoop_arena_zalloc(arena, 100);
    hoop_str copy = hoop_arena_copy(arena, hoop_str_c("copy"));
    char *dup = hoop_arena_strdup(arena, "dup");
    hoop_str text = hoop_arena_printf(arena, "%s", "text");
    int rc = hoop_arena_on_dispose(arena, note, "h");
    assert_string_equal(order, rc ? "h" : "");
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    assert_int_equal(!bytes + !zero + hoop_str_is_none(copy) + !dup + hoop_str_is_none(text) + !!rc,
                     a->fail_at && a->fail_at <= a->count);
    if (!hoop_str_is_none(copy))
        assert_str(copy, "copy");
    if (!hoop_str_is_none(text))
        assert_str(text, "text");
    hoop_arena_free(arena);
    assert_string_equal(order, "h");
}

static void test_each_allocation_may_fail(void **state)
{
    test_each_allocation(use_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_allocations_are_aligned_and_apart),
        cmocka_unit_test(test_nothing_is_a_pointer_even_in_a_fresh_arena),
        cmocka_unit_test(test_null_is_allowed),
        cmocka_unit_test(test_zalloc_clears),
        cmocka_unit_test(test_copies_end_in_nul),
        cmocka_unit_test(test_block_size_is_what_a_chunk_takes),
        cmocka_unit_test(test_default_block_size_is_4096),
        cmocka_unit_test(test_options_of_an_older_caller_keep_the_defaults),
        cmocka_unit_test(test_a_big_allocation_leaves_the_room_of_the_block),
        cmocka_unit_test(test_sizes_that_wrap_are_refused),
        cmocka_unit_test(test_the_limit_counts_what_is_held),
        cmocka_unit_test(test_a_limit_below_a_block_is_used_up),
        cmocka_unit_test(test_off_is_no_limit),
        cmocka_unit_test(test_printf_of_every_length),
        cmocka_unit_test(test_printf_may_read_the_arena),
        cmocka_unit_test(test_the_newest_is_resized_in_place),
        cmocka_unit_test(test_an_older_one_is_resized_by_copying),
        cmocka_unit_test(test_a_failed_resize_leaves_the_old),
        cmocka_unit_test(test_a_large_one_is_moved),
        cmocka_unit_test(test_a_failed_move_leaves_the_old),
        cmocka_unit_test(test_hooks_run_last_in_first_out),
        cmocka_unit_test(test_hooks_run_before_the_memory_goes),
        cmocka_unit_test(test_a_hook_that_finds_no_memory_runs_at_once),
        cmocka_unit_test(test_blocks_are_recycled),
        cmocka_unit_test(test_cached_blocks_are_given_back),
        cmocka_unit_test(test_more_than_a_block_comes_from_the_allocator),
        cmocka_unit_test(test_an_exchanges_arena_is_not_freed_by_users),
        cmocka_unit_test(test_an_orphan_gives_its_blocks_to_the_allocator),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
