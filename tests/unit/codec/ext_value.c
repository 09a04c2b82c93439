/* Extended parameter values: charsets, escapes, and what is refused. */
#include "tools.h"

#include "codec/ext_value.h"

static void decodes(const char *value, const char *want)
{
    hoop_str text = tight_c(value);
    char *out = malloc(text.len ? text.len : 1);
    size_t size = 77;
    int rc = hoop__ext_value_decode(text, out, &size);
    if (rc != (want ? 0 : HOOP_EPARSE))
        fail_msg("'%s' gave %d", value, rc);
    if (want)
        assert_bytes(out, size, want, strlen(want));
    else
        assert_int_equal(size, 77);
    free(out);
    drop(text);
}

static void test_decode(void **state)
{
    /* RFC 8187 3.2.3's examples. */
    decodes("UTF-8''%c2%a3%20and%20%e2%82%ac%20rates", "\xc2\xa3 and \xe2\x82\xac rates");
    decodes("iso-8859-1'en'%A3%20rates", "\xc2\xa3 rates");
    decodes("utf-8'de'a.b-c_~", "a.b-c_~");
    decodes("UTF-8''", "");
    decodes("ISO-8859-1''%e4%ff", "\xc3\xa4\xc3\xbf");
    decodes("UTF-8''%25", "%");
    decodes("", NULL);
    decodes("UTF-8", NULL);
    decodes("UTF-8'", NULL);
    decodes("''a", NULL);
    decodes("koi8-r''a", NULL);
    decodes("UTF-8''a b", NULL);
    decodes("UTF-8''a'b", NULL);
    decodes("UTF-8''a*b", NULL);
    decodes("UTF-8''%", NULL);
    decodes("UTF-8''%2", NULL);
    decodes("UTF-8''%zz", NULL);
    decodes("UTF-8''%ff", NULL);
    decodes("UTF-8''%00", NULL);
    decodes("UTF-8''%0a", NULL);
    decodes("UTF-8''%7f", NULL);
    decodes("ISO-8859-1''%85", NULL);
    decodes("UTF-8''\xc3\xa4", NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_decode) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
