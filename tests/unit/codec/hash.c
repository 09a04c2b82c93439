/* The hash of bytes: the same for ever, and each byte and each length counts. */
#include "support.h"

#include "codec/hash.h"

static void test_it_never_changes(void **state)
{
    (void)state;
    assert_true(hoop__hash64(hoop_str_c("")) == UINT64_C(0x1706247ac48110b8));
    assert_true(hoop__hash64(hoop_str_c("hello")) == UINT64_C(0x7e407564b45da8d4));
    assert_true(hoop__hash64(hoop_str_c("0123456789012345678901234567890123456789")) ==
                UINT64_C(0xe5b39bdaeb85f90d));
}

static int compare(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return x < y ? -1 : x > y;
}

/* Texts of each length up to 100, with each bit flipped: all have different hashes. */
static void test_each_bit_counts(void **state)
{
    (void)state;
    enum { LENGTHS = 100, MOST = LENGTHS * (LENGTHS * 8 + 1) };
    static uint64_t seen[MOST];
    size_t count = 0;
    char text[LENGTHS];
    memset(text, 'a', sizeof text);
    for (size_t len = 0; len < LENGTHS; len++) {
        seen[count++] = hoop__hash64(hoop_str_n(text, len));
        for (size_t bit = 0; bit < len * 8; bit++) {
            text[bit / 8] ^= (char)(1 << bit % 8);
            seen[count++] = hoop__hash64(hoop_str_n(text, len));
            text[bit / 8] ^= (char)(1 << bit % 8);
        }
    }
    qsort(seen, count, sizeof *seen, compare);
    for (size_t i = 1; i < count; i++)
        assert_true(seen[i] != seen[i - 1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_never_changes),
        cmocka_unit_test(test_each_bit_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
