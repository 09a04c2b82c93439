/* Queues of bytes against a plain model, and without memory. */
#include "support.h"

#include "base/fifo.h"

static void test_against_model(void **state)
{
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    struct hoop__fifo fifo = { 0 };
    char bytes[4096], got[4096];
    unsigned seed = 7;
    size_t in = 0, out = 0; /* how many so far */
    for (int i = 0; i < 20000; i++) {
        seed = seed * 1103515245u + 12345u;
        size_t n = seed >> 16 & 1023;
        if (seed >> 30 & 1 && in - out < 100000) {
            for (size_t k = 0; k < n; k++)
                bytes[k] = (char)((in + k) % 251);
            assert_int_equal(hoop__fifo_put(&fifo, &allocator.hoop, bytes, n), 0);
            in += n;
        } else {
            size_t took = hoop__fifo_take(&fifo, &allocator.hoop, got, n);
            assert_int_equal(took, in - out < n ? in - out : n);
            for (size_t k = 0; k < took; k++)
                assert_int_equal(got[k], (char)((out + k) % 251));
            out += took;
        }
        assert_int_equal(fifo.len, in - out);
        assert_int_equal(allocator.live, fifo.len ? 1 : 0);
    }
    hoop__fifo_done(&fifo, &allocator.hoop);
    assert_int_equal(allocator.live, 0);
}

static void test_no_memory(void **state)
{
    struct test_allocator allocator;
    test_allocator_init(&allocator);
    struct hoop__fifo fifo = { 0 };
    char bytes[2000] = { 'x' }, got[4000];
    allocator.fail_at = 1;
    assert_int_equal(hoop__fifo_put(&fifo, &allocator.hoop, bytes, 10), HOOP_ENOMEM);
    assert_int_equal(hoop__fifo_put(&fifo, &allocator.hoop, bytes, 10), 0);
    allocator.fail_at = allocator.count + 1;
    assert_int_equal(hoop__fifo_put(&fifo, &allocator.hoop, bytes, 2000), HOOP_ENOMEM);
    assert_int_equal(hoop__fifo_put(&fifo, &allocator.hoop, bytes, 0), 0);
    assert_int_equal(hoop__fifo_take(&fifo, &allocator.hoop, got, sizeof got), 10);
    assert_int_equal(hoop__fifo_take(&fifo, &allocator.hoop, got, sizeof got), 0);
    assert_int_equal(allocator.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_model),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
