/* Quoted strings, written. */
#include "tools.h"

#include "codec/quote.h"

static void quotes(const char *value, const char *want)
{
    hoop_str text = tight_c(value);
    size_t size = hoop__quote_size(text);
    assert_int_equal(size, strlen(want));
    char *out = malloc(size ? size : 1);
    if (size) {
        assert_int_equal(hoop__quote(text, out), size);
        assert_bytes(out, size, want, size);
    }
    free(out);
    drop(text);
}

static void test_quote(void **state)
{
    quotes("", "\"\"");
    quotes("a b\t,;=", "\"a b\t,;=\"");
    quotes("\"\\", "\"\\\"\\\\\"");
    quotes("\xc3\xa4\xff", "\"\xc3\xa4\xff\"");
    quotes("a\nb", "");
    quotes("\x7f", "");
    assert_int_equal(hoop__quote_size(hoop_str_n("\0", 1)), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_quote) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
