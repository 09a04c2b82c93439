/* base64 and base64url: exact texts, sizes, and what the strict decoders refuse. */
#include "tools.h"

#include "codec/base64.h"

/* RFC 4648 10, and bytes that the two alphabets spell differently. */
static const struct {
    const char *bytes;
    size_t len;
    const char *text;
    const char *url;
} vectors[] = {
    { "", 0, "", "" },
    { "f", 1, "Zg==", "Zg" },
    { "fo", 2, "Zm8=", "Zm8" },
    { "foo", 3, "Zm9v", "Zm9v" },
    { "foob", 4, "Zm9vYg==", "Zm9vYg" },
    { "fooba", 5, "Zm9vYmE=", "Zm9vYmE" },
    { "foobar", 6, "Zm9vYmFy", "Zm9vYmFy" },
    { "\0", 1, "AA==", "AA" },
    { "\0\0\0", 3, "AAAA", "AAAA" },
    { "\xff\xff\xff", 3, "////", "____" },
    { "\xfb\xef\xbe", 3, "++++", "----" },
    { "\x14\xfb\x9c\x03\xd9\x7e", 6, "FPucA9l+", "FPucA9l-" },
    { "\xff\xee", 2, "/+4=", "_-4" },
};

typedef int decode_fn(hoop_str text, char *out, size_t *ret_size);
typedef int size_fn(hoop_str text, size_t *ret_size);

static void decodes(const char *value, decode_fn *decode, size_fn *size_of, const char *bytes,
                    size_t len)
{
    hoop_str text = tight_c(value);
    size_t size = 99, got = 98;
    assert_int_equal(size_of(text, &size), 0);
    assert_int_equal(size, len);
    char *out = malloc(size ? size : 1);
    assert_int_equal(decode(text, out, &got), 0);
    assert_bytes(out, got, bytes, len);
    free(out);
    drop(text);
}

static void refuse_bytes(const char *value, size_t value_len, decode_fn *decode)
{
    hoop_str text = tight(value, value_len);
    size_t got = 98;
    char out[64];
    if (decode(text, out, &got) != HOOP_EPARSE)
        fail_msg("'%s' was taken", value);
    assert_int_equal(got, 98);
    drop(text);
}

static void test_vectors(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(vectors); i++) {
        hoop_str bytes = tight(vectors[i].bytes, vectors[i].len);
        size_t size = hoop__base64_size(bytes.len), url_size = hoop__base64url_size(bytes.len);
        char *out = malloc(size + 1), *url = malloc(url_size + 1);
        out[size] = url[url_size] = '!';
        assert_int_equal(hoop__base64_encode(bytes, out), size);
        assert_int_equal(hoop__base64url_encode(bytes, url), url_size);
        assert_bytes(out, size, vectors[i].text, strlen(vectors[i].text));
        assert_bytes(url, url_size, vectors[i].url, strlen(vectors[i].url));
        assert_int_equal(out[size], '!');
        assert_int_equal(url[url_size], '!');
        free(out);
        free(url);
        decodes(vectors[i].text, hoop__base64_decode, hoop__base64_decoded_size, vectors[i].bytes,
                vectors[i].len);
        decodes(vectors[i].url, hoop__base64url_decode, hoop__base64url_decoded_size,
                vectors[i].bytes, vectors[i].len);
        drop(bytes);
    }
}

static void test_refused(void **state)
{
    static const char *const both[] = {
        "A",     "AAAAA", "Zh==",   "Zm9=",     "Zh",       "Zm9",  "=",        "==",
        "===",   "====",  "A===",   "Zg=g",     "=Zg=",     "Z=g=", "Zg==Zg==", "Zm9v Zm9v",
        " Zm9v", "Zm9v ", "Zm9v\n", "Zm\r\n9v", "Zm9v====", "Zm9*", "Zm9\xc3",  "\xff\xff\xff\xff",
    };
    for (size_t i = 0; i < HOOP_COUNT(both); i++) {
        refuse_bytes(both[i], strlen(both[i]), hoop__base64_decode);
        refuse_bytes(both[i], strlen(both[i]), hoop__base64url_decode);
    }
    refuse_bytes("Zg", 2, hoop__base64_decode);
    refuse_bytes("Zg=", 3, hoop__base64_decode);
    refuse_bytes("____", 4, hoop__base64_decode);
    refuse_bytes("----", 4, hoop__base64_decode);
    refuse_bytes("Zg==", 4, hoop__base64url_decode);
    refuse_bytes("Zm8=", 4, hoop__base64url_decode);
    refuse_bytes("////", 4, hoop__base64url_decode);
    refuse_bytes("++++", 4, hoop__base64url_decode);
    refuse_bytes("Zm\0v", 4, hoop__base64_decode);
    refuse_bytes("Zm\0v", 4, hoop__base64url_decode);
}

/* Each byte at each place of a group: taken exactly if the alphabet has it. */
static void test_alphabets(void **state)
{
    const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    for (int c = 0; c < 256; c++) {
        for (int at = 0; at < 4; at++) {
            char text[4] = { 'A', 'A', 'A', 'A' }, out[3];
            size_t size;
            text[at] = (char)c;
            int common = c != 0 && strchr(letters, c) != NULL;
            /* "AAA=" is right base64, of two bytes. */
            int padded = c == '=' && at == 3;
            hoop_str s = hoop_str_n(text, 4);
            assert_int_equal(hoop__base64_decode(s, out, &size) == 0,
                             common || c == '+' || c == '/' || padded);
            assert_int_equal(hoop__base64url_decode(s, out, &size) == 0,
                             common || c == '-' || c == '_');
        }
    }
}

/* Of the spellings of one and two bytes just one is right. */
static void test_canonical(void **state)
{
    int one = 0, two = 0;
    for (int a = 0; a < 128; a++) {
        for (int b = 0; b < 128; b++) {
            char text[4] = { (char)a, (char)b, '=', '=' }, out[3];
            size_t size;
            one += hoop__base64_decode(hoop_str_n(text, 4), out, &size) == 0;
            text[2] = 'A';
            for (int c = 0; c < 128 && a == 'A'; c++) {
                text[2] = (char)c;
                two += hoop__base64url_decode(hoop_str_n(text, 3), out, &size) == 0;
            }
        }
    }
    assert_int_equal(one, 256);
    assert_int_equal(two, 64 * 16);
}

static void test_sizes(void **state)
{
    static const size_t base64[] = { 0, 4, 4, 4, 8, 8, 8, 12 };
    static const size_t url[] = { 0, 2, 3, 4, 6, 7, 8, 10 };
    for (size_t len = 0; len < 8; len++) {
        assert_int_equal(hoop__base64_size(len), base64[len]);
        assert_int_equal(hoop__base64url_size(len), url[len]);
    }
    assert_true(hoop__base64_size(SIZE_MAX) == SIZE_MAX);
    assert_true(hoop__base64url_size(SIZE_MAX) == SIZE_MAX);
    assert_true(hoop__base64_size(SIZE_MAX / 4 * 3) > SIZE_MAX - 8);
    assert_true(hoop__base64_size(SIZE_MAX / 4 * 3 + 3) == SIZE_MAX);
}

static void test_in_place(void **state)
{
    char text[] = "Zm9vYmE=";
    size_t size;
    assert_int_equal(hoop__base64_decode(hoop_str_c(text), text, &size), 0);
    assert_bytes(text, size, "fooba", 5);
}

static void test_there_and_back(void **state)
{
    uint64_t seed = 4648;
    for (int i = 0; i < 50000; i++) {
        hoop_str bytes = random_text(&seed, 70, "\xff\x80 a");
        size_t size = hoop__base64_size(bytes.len), url_size = hoop__base64url_size(bytes.len);
        char *out = malloc(size ? size : 1), *url = malloc(url_size ? url_size : 1);
        char *back = malloc(bytes.len ? bytes.len : 1);
        size_t back_size;
        assert_int_equal(hoop__base64_encode(bytes, out), size);
        assert_int_equal(hoop__base64url_encode(bytes, url), url_size);
        assert_int_equal(hoop__base64_decode(hoop_str_n(out, size), back, &back_size), 0);
        assert_bytes(back, back_size, bytes.data, bytes.len);
        assert_int_equal(hoop__base64url_decode(hoop_str_n(url, url_size), back, &back_size), 0);
        assert_bytes(back, back_size, bytes.data, bytes.len);
        free(out);
        free(url);
        free(back);
        drop(bytes);
    }
}

/* What is taken is the one spelling of its bytes, and fills just the size that was told. */
static void test_random(void **state)
{
    uint64_t seed = 64;
    int taken = 0;
    for (int i = 0; i < 100000; i++) {
        hoop_str text = random_text(&seed, 12, "AQgwZm9+/=");
        size_t size = 0, got = 0;
        if (hoop__base64_decoded_size(text, &size) == 0) {
            char *out = malloc(size ? size : 1), again[16];
            if (hoop__base64_decode(text, out, &got) == 0) {
                taken++;
                assert_int_equal(got, size);
                size_t len = hoop__base64_encode(hoop_str_n(out, got), again);
                assert_bytes(again, len, text.data, text.len);
            }
            free(out);
        }
        drop(text);
    }
    assert_true(taken > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors),        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_alphabets),      cmocka_unit_test(test_canonical),
        cmocka_unit_test(test_sizes),          cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
