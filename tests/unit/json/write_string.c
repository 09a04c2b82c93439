/* Strings as JSON text: every byte at every place, every length, and wrong UTF-8, beside a slow encoder. */
#include "tools.h"

#include "json/write_out.h"

#include "codec/utf8.h"

#include <stdio.h>

/* Byte by byte, as RFC 8259 has it and jansson writes it. Returns the end. */
static char *slowly(char *to, hoop_str text, uint32_t flags)
{
    *to++ = '"';
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        const char *found = c ? strchr("\"\"\\\\\bb\ff\nn\rr\tt", c) : NULL;
        if (c == '/' && (flags & HOOP__JSON_SLASH))
            to += sprintf(to, "\\/");
        else if (found && (c < 0x20 || c == '"' || c == '\\'))
            to += sprintf(to, "\\%c", found[1]);
        else if (c < 0x20)
            to += sprintf(to, "\\u%04X", c);
        else if (c >= 0x80 && (flags & HOOP__JSON_ASCII)) {
            int more = c < 0xe0 ? 1 : c < 0xf0 ? 2 : 3;
            unsigned code = c & (0x3f >> more);
            while (more-- > 0)
                code = code << 6 | ((unsigned char)text.data[++i] & 0x3f);
            if (code < 0x10000)
                to += sprintf(to, "\\u%04X", code);
            else
                to += sprintf(to, "\\u%04X\\u%04X", 0xd800 + ((code - 0x10000) >> 10),
                              0xdc00 + ((code - 0x10000) & 0x3ff));
        } else {
            *to++ = (char)c;
        }
    }
    *to++ = '"';
    return to;
}

static char collected[4096];
static size_t collected_len;

static int collect(hoop_str bytes, void *data)
{
    assert_true(collected_len + bytes.len <= sizeof collected);
    memcpy(collected + collected_len, bytes.data, bytes.len);
    collected_len += bytes.len;
    return 0;
}

/* The text lies at the end of its memory, so that ASan sees what is read behind it. */
static void check_flags(hoop_str text, uint32_t flags)
{
    static char want[4096];
    int right = hoop__utf8_is_valid(text);
    size_t len = right ? (size_t)(slowly(want, text, flags) - want) : 0;
    for (int flushed = 0; flushed < 2; flushed++) {
        hoop_arena *arena = hoop_arena_new();
        struct hoop__json_out out;
        collected_len = 0;
        assert_int_equal(flushed ? hoop__json_out_init_flush(&out, arena, 512, collect, NULL)
                                 : hoop__json_out_init(&out, arena, 16),
                         0);
        out.flags = flags;
        int rc = hoop__json_put_string(&out, text.data, text.len);
        assert_int_equal(rc, right ? 0 : HOOP_EINVAL);
        assert_int_equal(out.code, 0);
        if (right) {
            assert_true(out.end - out.next >= 2);
            collect(hoop_str_n(out.start, (size_t)(out.next - out.start)), NULL);
            assert_bytes(collected, collected_len, want, len);
        }
        hoop_arena_free(arena);
    }
}

static void check(const char *data, size_t len)
{
    char *exact = malloc(len ? len : 1);
    assert_non_null(exact);
    memcpy(exact, data, len);
    for (uint32_t flags = 0; flags < 4; flags++)
        check_flags(hoop_str_n(exact, len), flags);
    free(exact);
}

static void test_every_byte_at_every_place(void **state)
{
    char text[40];
    for (size_t len = 1; len <= sizeof text; len += len < 18 ? 1 : 11)
        for (size_t at = 0; at < len; at++)
            for (int c = 0; c<256; c += c> 0x60 && c < 0x7b ? 9 : 1) {
                memset(text, 'a', len);
                text[at] = (char)c;
                check(text, len);
            }
}

static void test_every_length(void **state)
{
    char text[600];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(' ' + 2 + i % 50 + (i % 50 >= 58));
    for (size_t len = 0; len < sizeof text; len++)
        check(text, len);
}

static void test_utf8(void **state)
{
    static const char *const parts[] = {
        "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\x7f", "a", "\n", "/",
        "\xc2\x80", "\xef\xbf\xbf", "\xf4\x8f\xbf\xbf"
    };
    static const char *const wrong[] = { "\xff",         "\xc3",        "\xc0\x80",
                                         "\xed\xa0\x80", "\x80",        "\xf4\x90\x80\x80",
                                         "\xe2\x82",     "\xf0\x9f\x98" };
    uint64_t seed = 3629;
    for (int i = 0; i < 2000; i++) {
        char text[400] = "";
        for (uint32_t n = random_below(&seed, 90); n > 0; n--)
            strcat(text, parts[random_below(&seed, HOOP_COUNT(parts))]);
        if (i % 4 == 0)
            strcat(text, wrong[random_below(&seed, HOOP_COUNT(wrong))]);
        if (i % 8 == 0)
            strcat(text, "the end of it");
        check(text, strlen(text));
    }
}

static void test_random(void **state)
{
    uint64_t seed = 8259;
    char text[100];
    for (int i = 0; i < 8000; i++) {
        size_t len = random_below(&seed, sizeof text);
        for (size_t k = 0; k < len; k++)
            text[k] = (char)random_below(&seed, i % 2 ? 128 : 256);
        check(text, len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_byte_at_every_place),
        cmocka_unit_test(test_every_length),
        cmocka_unit_test(test_utf8),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
