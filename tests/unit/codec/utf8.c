/* UTF-8: every code point, every wrong kind of sequence at every place, and the repair. */
#include "tools.h"

#include "codec/utf8.h"

static void front_bytes(const char *value, size_t len, size_t want)
{
    /* At each distance from the start, so that each place within eight bytes is met. */
    for (size_t before = 0; before < 18; before++) {
        char buffer[64];
        memset(buffer, 'a', before);
        memcpy(buffer + before, value, len);
        hoop_str text = tight(buffer, before + len);
        assert_int_equal(hoop__utf8_front(text), before + want);
        assert_int_equal(hoop__utf8_is_valid(text), want == len);
        drop(text);
    }
}

static void front(const char *value, size_t want)
{
    front_bytes(value, strlen(value), want);
}

static void test_right(void **state)
{
    front("", 0);
    front("abc", 3);
    front("\x7f", 1);
    front("\xc2\x80", 2);
    front("\xdf\xbf", 2);
    front("\xe0\xa0\x80", 3);
    front("\xed\x9f\xbf", 3);
    front("\xee\x80\x80", 3);
    front("\xef\xbf\xbf", 3);
    front("\xf0\x90\x80\x80", 4);
    front("\xf4\x8f\xbf\xbf", 4);
    front("a\xc3\xa4z\xe2\x82\xac!\xf0\x9f\x98\x80.", 13);
    front_bytes("\0a\0", 3, 3);
}

static void test_wrong(void **state)
{
    front("\x80", 0);
    front("\xbf", 0);
    front("\xc0\x80", 0);
    front("\xc1\xbf", 0);
    front("\xe0\x80\x80", 0);
    front("\xe0\x9f\xbf", 0);
    front("\xed\xa0\x80", 0);
    front("\xed\xbf\xbf", 0);
    front("\xf0\x80\x80\x80", 0);
    front("\xf0\x8f\xbf\xbf", 0);
    front("\xf4\x90\x80\x80", 0);
    front("\xf5\x80\x80\x80", 0);
    front("\xf8\x88\x80\x80\x80", 0);
    front("\xff", 0);
    front("\xfe", 0);
    front("\xc2", 0);
    front("\xe2\x82", 0);
    front("\xf0\x9f\x98", 0);
    front("\xc2z", 0);
    front("\xe2\x82z", 0);
    front("\xf0\x9f\x98z", 0);
    front("\xc3\xa4\x80", 2);
    front("12345678\xe2\x82", 8);
    front("\xe2\x82\xac\xe2", 3);
}

static size_t encode(uint32_t code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 63));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 63));
        out[2] = (char)(0x80 | (code & 63));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 63));
    out[2] = (char)(0x80 | (code >> 6 & 63));
    out[3] = (char)(0x80 | (code & 63));
    return 4;
}

static void test_every_code_point(void **state)
{
    for (uint32_t code = 0; code < 0x120000; code++) {
        char bytes[4];
        size_t len = encode(code, bytes);
        int right = code < 0x110000 && (code < 0xd800 || code > 0xdfff);
        assert_int_equal(hoop__utf8_is_valid(hoop_str_n(bytes, len)), right);
        for (size_t cut = 1; cut < len; cut++)
            assert_int_equal(hoop__utf8_front(hoop_str_n(bytes, cut)), 0);
    }
}

/* Of all strings of one, two and three bytes, as many are right as there are texts of that size. */
static void test_counts(void **state)
{
    long one = 0, two = 0, three = 0;
    for (uint32_t i = 0; i < 1u << 24; i++) {
        char bytes[3] = { (char)(i >> 16), (char)(i >> 8), (char)i };
        one += i < 256 && hoop__utf8_is_valid(hoop_str_n(bytes + 2, 1));
        two += i < 65536 && hoop__utf8_is_valid(hoop_str_n(bytes + 1, 2));
        /* Those that begin with ASCII are counted by the second line already. */
        if ((i >> 16) >= 0x80)
            three += hoop__utf8_is_valid(hoop_str_n(bytes, 3));
    }
    assert_int_equal(one, 128);
    assert_int_equal(two, 128 * 128 + 1920);
    assert_int_equal(three, 1920 * 128 + (65536 - 2048 - 2048));
}

static void repairs(const char *value, const char *want)
{
    hoop_str text = tight_c(value);
    size_t size = hoop__utf8_repaired_size(text);
    assert_int_equal(size, strlen(want));
    char *out = malloc(size ? size : 1);
    assert_int_equal(hoop__utf8_repair(text, out), size);
    assert_bytes(out, size, want, strlen(want));
    free(out);
    drop(text);
}

#define FFFD "\xef\xbf\xbd"

static void test_repair(void **state)
{
    repairs("", "");
    repairs("a\xc3\xa4", "a\xc3\xa4");
    repairs("\xff", FFFD);
    repairs("a\xffz", "a" FFFD "z");
    repairs("\xc2", FFFD);
    repairs("\xe2\x82", FFFD);
    repairs("\xe2\x82z", FFFD "z");
    /* The examples of Unicode 3.9, tables 3-8 to 3-11. */
    repairs("\xc0\xaf\xe0\x80\xbf\xf0\x81\x82\x41", FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "\x41");
    repairs("\xed\xa0\x80\xed\xbf\xbf\xed\xaf\x41", FFFD FFFD FFFD FFFD FFFD FFFD FFFD FFFD "\x41");
    repairs("\xf4\x91\x92\x93\xff\x41\x80\xbf\x42",
            FFFD FFFD FFFD FFFD FFFD "\x41" FFFD FFFD "\x42");
    repairs("\xe1\x80\xe2\xf0\x91\x92\xf1\xbf\x41", FFFD FFFD FFFD FFFD "\x41");
}

static void test_random(void **state)
{
    uint64_t seed = 3629;
    for (int i = 0; i < 100000; i++) {
        hoop_str text = random_text(&seed, 40, "aaaaaaaa\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80");
        size_t at = hoop__utf8_front(text);
        assert_true(at <= text.len);
        assert_true(hoop__utf8_is_valid(hoop_str_n(text.data, at)));
        size_t size = hoop__utf8_repaired_size(text);
        char *out = malloc(size ? size : 1);
        assert_int_equal(hoop__utf8_repair(text, out), size);
        assert_true(hoop__utf8_is_valid(hoop_str_n(out, size)));
        if (at == text.len)
            assert_bytes(out, size, text.data, text.len);
        free(out);
        drop(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_every_code_point),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_repair),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
