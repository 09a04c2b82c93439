/* The keyed hash: vectors made with another implementation, every length, sensitivity to each bit. */
#include "support.h"

#include "base/hash.h"

/* Key 00 01 .. 0f, messages "", 00, 00 01, ...: SipHash-1-3 of OpenSSL's generator ("c-rounds" 1, "d-rounds" 3). */
static const uint64_t vectors[] = {
    0xabac0158050fc4dcu, 0xc9f49bf37d57ca93u, 0x82cb9b024dc7d44du, 0x8bf80ab8e7ddf7fbu,
    0xcf75576088d38328u, 0xdef9d52f49533b67u, 0xc50d2b50c59f22a7u, 0xd3927d989bb11140u,
    0x369095118d299a8eu, 0x25a48eb36c063de4u, 0x79de85ee92ff097fu, 0x70c118c1f94dc352u,
    0x78a384b157b4d9a2u, 0x306f760c1229ffa7u, 0x605aa111c0f95d34u, 0xd320d86d2a519956u,
    0xcc4fdd1a7d908b66u, 0x9cf2689063dbd80cu,
};

static void test_vectors(void **state)
{
    static const uint64_t key[2] = { 0x0706050403020100u, 0x0f0e0d0c0b0a0908u };
    unsigned char message[64];
    (void)state;
    for (size_t i = 0; i < sizeof message; i++)
        message[i] = (unsigned char)i;
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++)
        assert_int_equal(hoop__hash(key, message, i), vectors[i]);
}

static void test_each_bit_counts(void **state)
{
    static const uint64_t key[2] = { 1, 2 }, other[2] = { 1, 3 };
    unsigned char message[19] = { 0 };
    (void)state;
    uint64_t whole = hoop__hash(key, message, sizeof message);
    assert_int_not_equal(hoop__hash(other, message, sizeof message), whole);
    for (size_t bit = 0; bit < 8 * sizeof message; bit++) {
        message[bit / 8] ^= (unsigned char)(1u << bit % 8);
        assert_int_not_equal(hoop__hash(key, message, sizeof message), whole);
        message[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),
        cmocka_unit_test(test_each_bit_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
