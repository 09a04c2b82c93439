/* The announced length of a body was allocated at once, before a byte of it had come. */
#include "../unit/http1/driver.h"

static size_t largest;

static void *note_alloc(size_t size, void *data)
{
    largest = size > largest ? size : largest;
    return malloc(size);
}

static void *note_realloc(void *memory, size_t size, void *data)
{
    largest = size > largest ? size : largest;
    return realloc(memory, size);
}

static void note_free(void *memory, void *data)
{
    free(memory);
}

static void test(void **state)
{
    const hoop_allocator allocator = { note_alloc, note_realloc, note_free, NULL };
    static const char *const lengths[] = { "2000000000", "9223372036854775807", "100000" };
    for (size_t i = 0; i < HOOP_COUNT(lengths); i++) {
        struct driver_options options = { .limits = { .max_body = HOOP_OFF },
                                          .allocator = &allocator };
        struct driver d;
        char head[128];
        largest = 0;
        snprintf(head, sizeof head, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: %s\r\n\r\n",
                 lengths[i]);
        driver_init(&d, echo_text, NULL, &options);
        driver_text(&d, head);
        for (int n = 0; n < 100; n++)
            driver_text(&d, "hello");
        assert_true(largest < 65536);
        driver_sleep(&d, 10000); /* and what does not come has its time */
        assert_non_null(strstr(d.got, " 408 "));
        driver_done(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
