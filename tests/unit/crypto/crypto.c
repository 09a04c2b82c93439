/* The room crypto: published vectors, and what is forged; or that it is not there. */
#include "support.h"

#include "crypto/crypto.h"

static void from_hex(const char *hex, char *out)
{
    for (; *hex; hex += 2) {
        char pair[3] = { hex[0], hex[1], 0 };
        *out++ = (char)strtol(pair, NULL, 16);
    }
}

/* RFC 4231, test case 2. */
static void test_hmac(void **state)
{
    (void)state;
    char want[HOOP__MAC_SIZE];
    unsigned char got[HOOP__MAC_SIZE];
    from_hex("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843", want);
    assert_int_equal(hoop__crypto_available(), 0);
    assert_int_equal(
        hoop__hmac(hoop_str_c("Jefe"), hoop_str_c("what do ya want for nothing?"), got), 0);
    assert_bytes((char *)got, sizeof got, want, sizeof want);
}

/* The GCM specification (McGrew and Viega), test case 14: a block of zeros. */
static void test_seal(void **state)
{
    (void)state;
    static const unsigned char key[HOOP__AEAD_KEY], nonce[HOOP__AEAD_NONCE];
    static const char zeros[16];
    char got[32], want[32], back[16];
    from_hex("cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919", want);
    assert_int_equal(hoop__seal(key, nonce, hoop_str_n(zeros, 16), got), 0);
    assert_bytes(got, 32, want, 32);
    assert_int_equal(hoop__unseal(key, nonce, hoop_str_n(got, 32), back), 0);
    assert_bytes(back, 16, zeros, 16);
    for (size_t bit = 0; bit < 256; bit++) {
        got[bit / 8] = (char)(got[bit / 8] ^ 1 << bit % 8);
        assert_int_equal(hoop__unseal(key, nonce, hoop_str_n(got, 32), back), HOOP_EPARSE);
        got[bit / 8] = (char)(got[bit / 8] ^ 1 << bit % 8);
    }
    for (size_t len = 0; len < 32; len++)
        assert_int_equal(hoop__unseal(key, nonce, hoop_str_n(got, len), back), HOOP_EPARSE);
}

static void test_it_is_not_there(void **state)
{
    (void)state;
    static const unsigned char key[HOOP__AEAD_KEY], nonce[HOOP__AEAD_NONCE];
    unsigned char mac[HOOP__MAC_SIZE];
    char out[32];
    assert_int_equal(hoop__crypto_available(), HOOP_EUNSUPPORTED);
    assert_int_equal(hoop__hmac(hoop_str_c("a"), hoop_str_c("b"), mac), HOOP_EUNSUPPORTED);
    assert_int_equal(hoop__seal(key, nonce, hoop_str_c("a"), out), HOOP_EUNSUPPORTED);
    assert_int_equal(hoop__unseal(key, nonce, hoop_str_c("a"), out), HOOP_EUNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest with[] = {
        cmocka_unit_test(test_hmac),
        cmocka_unit_test(test_seal),
    };
    const struct CMUnitTest without[] = { cmocka_unit_test(test_it_is_not_there) };
    return hoop__crypto_available() ? cmocka_run_group_tests(without, NULL, NULL)
                                    : cmocka_run_group_tests(with, NULL, NULL);
}
