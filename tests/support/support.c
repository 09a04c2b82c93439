/* The tools that every test may use; see support.h. */
#include "support.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int fails(struct test_allocator *a)
{
    return ++a->count == a->fail_at;
}

static void *counted_alloc(size_t size, void *data)
{
    struct test_allocator *a = data;
    pthread_mutex_lock(&lock);
    void *memory = fails(a) ? NULL : malloc(size);
    a->live += memory != NULL;
    pthread_mutex_unlock(&lock);
    return memory;
}

static void *counted_realloc(void *old, size_t size, void *data)
{
    struct test_allocator *a = data;
    pthread_mutex_lock(&lock);
    void *memory = fails(a) ? NULL : realloc(old, size);
    a->live += memory != NULL && old == NULL;
    pthread_mutex_unlock(&lock);
    return memory;
}

static void counted_free(void *memory, void *data)
{
    struct test_allocator *a = data;
    pthread_mutex_lock(&lock);
    a->live -= memory != NULL;
    free(memory);
    pthread_mutex_unlock(&lock);
}

void test_allocator_init(struct test_allocator *allocator)
{
    memset(allocator, 0, sizeof *allocator);
    allocator->hoop.alloc = counted_alloc;
    allocator->hoop.realloc = counted_realloc;
    allocator->hoop.free = counted_free;
    allocator->hoop.data = allocator;
}

void test_each_allocation(void (*body)(struct test_allocator *, void *), void *data)
{
    for (unsigned long n = 1; n < 100000; n++) {
        struct test_allocator a;
        test_allocator_init(&a);
        a.fail_at = n;
        body(&a, data);
        assert_int_equal(a.live, 0);
        if (a.count < n)
            return;
    }
    fail_msg("more than 100000 allocations");
}

int test_count_fds(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int n = 0;
    assert_non_null(folder);
    while (readdir(folder))
        n++;
    closedir(folder);
    return n;
}

static void print_bytes(const char *label, const char *data, size_t len)
{
    fprintf(stderr, "%s (%zu bytes): \"", label, len);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)data[i];
        if (c == '\r')
            fprintf(stderr, "\\r");
        else if (c == '\n')
            fprintf(stderr, "\\n\n  ");
        else if (c < 0x20 || c >= 0x7f)
            fprintf(stderr, "\\x%02x", c);
        else
            fputc(c, stderr);
    }
    fprintf(stderr, "\"\n");
}

void test_assert_bytes(const char *got, size_t got_len, const char *want, size_t want_len,
                       const char *file, int line)
{
    if (got_len == want_len && memcmp(got, want, got_len) == 0)
        return;
    print_bytes("got ", got, got_len);
    print_bytes("want", want, want_len);
    _fail(file, line);
}

void test_assert_str(hoop_str got, const char *want, const char *file, int line)
{
    test_assert_bytes(got.data, got.len, want, strlen(want), file, line);
}

#if defined(__has_feature) /* clang */
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) /* gcc */
#define SANITIZED 1
#endif

int test_sanitized(void)
{
#ifdef SANITIZED
    return 1;
#else
    return 0;
#endif
}
