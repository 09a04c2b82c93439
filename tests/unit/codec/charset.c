/* Charsets: names, each byte of some, what is no character. */
#include "tools.h"

#include "codec/charset.h"

static void test_names(void **state)
{
    (void)state;
    static const char *const right[][2] = {
        { "utf-8", "UTF-8" },
        { "US-ascii", "UTF-8" },
        { "iso-8859-15", "ISO-8859-15" },
        { "Windows-1252", "WINDOWS-1252" },
        { "koi8-r", "KOI8-R" },
    };
    static const char *const wrong[] = {
        "", "utf8", "utf-16", "iso-8859-12", "UTF-8//TRANSLIT", "ISO-2022-CN-EXT", "utf-8 "
    };
    for (size_t i = 0; i < HOOP_COUNT(right); i++)
        assert_string_equal(hoop__charset(hoop_str_c(right[i][0])), right[i][1]);
    for (size_t i = 0; i < HOOP_COUNT(wrong); i++)
        assert_null(hoop__charset(hoop_str_c(wrong[i])));
    assert_null(hoop__charset(hoop_str_none()));
}

static void check(const char *charset, const char *bytes, int lenient, int code, const char *want)
{
    hoop_str in = tight(bytes, strlen(bytes));
    char *out = malloc(in.len * HOOP__CHARSET_WIDEST + 1);
    size_t size = 0;
    assert_int_equal(
        hoop__charset_decode(hoop__charset(hoop_str_c(charset)), in, lenient, out, &size), code);
    if (!code)
        assert_str(hoop_str_n(out, size), want);
    drop(in);
    free(out);
}

static void test_texts(void **state)
{
    (void)state;
    check("utf-8", "", 0, 0, "");
    check("utf-8", "a\xe2\x82\xac", 0, 0, "a\xe2\x82\xac");
    check("utf-8", "a\xe2\x82", 0, HOOP_EPARSE, NULL);
    check("utf-8", "a\xe2\x82", 1, 0, "a\xef\xbf\xbd");
    check("iso-8859-1", "", 0, 0, "");
    check("iso-8859-1", "\xe4\x80", 0, 0, "\xc3\xa4\xc2\x80");
    check("windows-1252", "\x80", 0, 0, "\xe2\x82\xac");
    check("windows-1253", "a\xaa", 0, HOOP_EPARSE, NULL);
    check("windows-1253", "a\xaa\xc1\xaa", 1, 0, "a\xef\xbf\xbd\xce\x91\xef\xbf\xbd");
}

/* The system knows all that are listed, and every byte fits. */
static void test_all(void **state)
{
    (void)state;
    static const char *const rest[] = {
        "iso-8859-1",   "iso-8859-2",   "iso-8859-3",   "iso-8859-4",   "iso-8859-5",
        "iso-8859-6",   "iso-8859-7",   "iso-8859-8",   "iso-8859-9",   "iso-8859-10",
        "iso-8859-13",  "iso-8859-14",  "iso-8859-15",  "iso-8859-16",  "windows-1250",
        "windows-1251", "windows-1252", "windows-1253", "windows-1254", "windows-1255",
        "windows-1256", "windows-1257", "windows-1258", "koi8-r",       "koi8-u",
    };
    char bytes[256];
    for (int c = 1; c < 256; c++)
        bytes[c - 1] = (char)c;
    for (size_t i = 0; i < HOOP_COUNT(rest); i++) {
        char out[255 * HOOP__CHARSET_WIDEST];
        size_t size = 0;
        const char *charset = hoop__charset(hoop_str_c(rest[i]));
        assert_int_equal(hoop__charset_decode(charset, hoop_str_n(bytes, 255), 1, out, &size), 0);
        assert_memory_equal(out, bytes, 127);
        assert_true(size > 127 + 2 * 100);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
