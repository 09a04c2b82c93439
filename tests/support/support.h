/* The tools that every test may use: a failing allocator, a descriptor check, small builders. */
#ifndef HOOP_TEST_SUPPORT_H
#define HOOP_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <hoop.h>

#include <stdlib.h>
#include <string.h>

/* An allocator that counts, and fails the n-th allocation (0: none). Thread-safe. */
struct test_allocator {
    hoop_allocator hoop; /* hand this to what is tested; its data points to this struct */
    unsigned long count; /* allocations so far (alloc, and realloc that grows or moves) */
    unsigned long live;  /* allocated and not freed */
    unsigned long fail_at;
};

void test_allocator_init(struct test_allocator *allocator);

/*
 * Runs `body(allocator, data)` once with the first allocation failing, once with the second, and
 * so on, until a run gets through without a failure; checks after each that nothing is left.
 */
void test_each_allocation(void (*body)(struct test_allocator *allocator, void *data), void *data);

/* Open descriptors of this process, to compare before and after. */
int test_count_fds(void);

/* True in a build with a sanitizer, which is slower and keeps memory. */
int test_sanitized(void);

/* Fails with both texts shown, bytes escaped. */
#define assert_str(s, text) test_assert_str((s), (text), __FILE__, __LINE__)
#define assert_bytes(data, len, text, text_len) \
    test_assert_bytes((data), (len), (text), (text_len), __FILE__, __LINE__)
void test_assert_bytes(const char *got, size_t got_len, const char *want, size_t want_len,
                       const char *file, int line);
void test_assert_str(hoop_str got, const char *want, const char *file, int line);

#endif
