/* Percent-encoding: strict and lenient decoding, and what each part of a URL keeps. */
#include "tools.h"

#include "codec/percent.h"

/* `strict` NULL: refused. Decoded into a buffer of the text's size, and in place. */
static void expect_bytes(const char *value, size_t len, const char *strict, const char *lenient,
                         size_t lenient_len)
{
    hoop_str text = tight(value, len);
    char *out = malloc(len ? len : 1);
    size_t size = 77;
    int rc = hoop__percent_decode(text, out, &size);
    if (strict) {
        assert_int_equal(rc, 0);
        assert_bytes(out, size, strict, strlen(strict));
    } else {
        assert_int_equal(rc, HOOP_EPARSE);
        assert_int_equal(size, 77);
    }
    size = hoop__percent_decode_lenient(text, out);
    assert_bytes(out, size, lenient, lenient_len);

    memcpy(out, text.data, len);
    size = hoop__percent_decode_lenient(hoop_str_n(out, len), out);
    assert_bytes(out, size, lenient, lenient_len);
    memcpy(out, text.data, len);
    if (hoop__percent_decode(hoop_str_n(out, len), out, &size) == 0)
        assert_bytes(out, size, strict, strlen(strict));
    free(out);
    drop(text);
}

static void expect(const char *value, const char *strict, const char *lenient)
{
    expect_bytes(value, strlen(value), strict, lenient, strlen(lenient));
}

static void test_decode(void **state)
{
    expect("", "", "");
    expect("abc", "abc", "abc");
    expect("a+b", "a+b", "a+b");
    expect("%41%62", "Ab", "Ab");
    expect("%7e%7E", "~~", "~~");
    expect("%2F%2f", "//", "//");
    expect("%c3%A4", "\xc3\xa4", "\xc3\xa4");
    expect("%ff", "\xff", "\xff");
    expect("%2541", "%41", "%41");
    expect("%01\x01", "\x01\x01", "\x01\x01");
}

static void test_broken(void **state)
{
    expect("%", NULL, "%");
    expect("%4", NULL, "%4");
    expect("a%", NULL, "a%");
    expect("%%41", NULL, "%A");
    expect("%4%41", NULL, "%4A");
    expect("%zz%41", NULL, "%zzA");
    expect("%4g", NULL, "%4g");
    expect("%g4", NULL, "%g4");
    expect("% 41", NULL, "% 41");
    expect("%u0041", NULL, "%u0041");
    expect("%-1", NULL, "%-1");
}

static void test_nul(void **state)
{
    expect_bytes("a%00b", 5, NULL, "a\0b", 3);
    expect_bytes("a\0b", 3, NULL, "a\0b", 3);
    expect_bytes("%\0"
                 "0",
                 3, NULL,
                 "%\0"
                 "0",
                 3);
}

static void test_is_encoded(void **state)
{
    assert_false(hoop__percent_is_encoded(hoop_str_c("")));
    assert_false(hoop__percent_is_encoded(hoop_str_c("a+b")));
    assert_true(hoop__percent_is_encoded(hoop_str_c("a%")));
    assert_false(hoop__percent_is_encoded(hoop_str_n("a%", 1)));
}

static void encodes(const char *value, size_t len, unsigned keep, const char *want)
{
    hoop_str text = tight(value, len);
    size_t size = hoop__percent_size(text, keep);
    assert_int_equal(size, strlen(want));
    char *out = malloc(size ? size : 1);
    assert_int_equal(hoop__percent_encode(text, keep, out), size);
    assert_bytes(out, size, want, strlen(want));
    free(out);
    drop(text);
}

static void test_encode(void **state)
{
    const char *all = "aZ09-._~!$&'()*+,;=:@/?#[]% \"<>\\^`{|}\x7f\xc3\xa4";
    encodes(all, strlen(all), HOOP__KEEP_COMPONENT,
            "aZ09-._~%21%24%26%27%28%29%2A%2B%2C%3B%3D%3A%40%2F%3F%23%5B%5D%25%20%22%3C%3E%5C%5E"
            "%60%7B%7C%7D%7F%C3%A4");
    encodes(all, strlen(all), HOOP__KEEP_SEGMENT,
            "aZ09-._~!$&'()*+,;=:@%2F%3F%23%5B%5D%25%20%22%3C%3E%5C%5E%60%7B%7C%7D%7F%C3%A4");
    encodes(all, strlen(all), HOOP__KEEP_PATH,
            "aZ09-._~!$&'()*+,;=:@/%3F%23%5B%5D%25%20%22%3C%3E%5C%5E%60%7B%7C%7D%7F%C3%A4");
    encodes(all, strlen(all), HOOP__KEEP_QUERY,
            "aZ09-._~!$&'()*+,;=:@/?%23%5B%5D%25%20%22%3C%3E%5C%5E%60%7B%7C%7D%7F%C3%A4");
    encodes("", 0, HOOP__KEEP_COMPONENT, "");
    encodes("\0\r\n", 3, HOOP__KEEP_QUERY, "%00%0D%0A");
}

static void test_there_and_back(void **state)
{
    static const unsigned keeps[] = { HOOP__KEEP_COMPONENT, HOOP__KEEP_SEGMENT, HOOP__KEEP_PATH,
                                      HOOP__KEEP_QUERY };
    uint64_t seed = 3986;
    for (int i = 0; i < 50000; i++) {
        hoop_str text = random_text(&seed, 40, "a/%+&=? \xc3");
        size_t size = hoop__percent_size(text, keeps[i % 4]), got;
        char *out = malloc(size ? size : 1), *back = malloc(size ? size : 1);
        assert_int_equal(hoop__percent_encode(text, keeps[i % 4], out), size);
        assert_int_equal(hoop__percent_decode_lenient(hoop_str_n(out, size), back), text.len);
        assert_bytes(back, text.len, text.data, text.len);
        int has_nul = text.len && memchr(text.data, 0, text.len) != NULL;
        assert_int_equal(hoop__percent_decode(hoop_str_n(out, size), back, &got),
                         has_nul ? HOOP_EPARSE : 0);
        free(out);
        free(back);
        drop(text);
    }
}

/* Strict is lenient where it takes the text at all. */
static void test_random(void **state)
{
    uint64_t seed = 21;
    int taken = 0;
    for (int i = 0; i < 100000; i++) {
        hoop_str text = random_text(&seed, 16, "%%4f0A");
        char *strict = malloc(text.len ? text.len : 1), *lenient = malloc(text.len ? text.len : 1);
        size_t size, lenient_size = hoop__percent_decode_lenient(text, lenient);
        assert_true(lenient_size <= text.len);
        if (hoop__percent_decode(text, strict, &size) == 0) {
            taken++;
            assert_bytes(strict, size, lenient, lenient_size);
        }
        free(strict);
        free(lenient);
        drop(text);
    }
    assert_true(taken > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decode), cmocka_unit_test(test_broken),
        cmocka_unit_test(test_nul),    cmocka_unit_test(test_is_encoded),
        cmocka_unit_test(test_encode), cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
