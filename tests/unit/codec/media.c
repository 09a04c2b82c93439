/* Media types and parameters: exact slices, quoted values, and what is refused. */
#include "tools.h"

#include "codec/media.h"

#include <stdio.h>

/* "type/subtype name=<text> ...", "!" behind it if a parameter is broken; NULL: refused. */
static void expect(const char *value, const char *want)
{
    hoop_str text = tight_c(value);
    struct hoop__media media;
    struct hoop__param param;
    char got[512];
    int rc = hoop__media_parse(text, &media);
    if (!want) {
        if (rc != HOOP_EPARSE)
            fail_msg("'%s' was taken", value);
        drop(text);
        return;
    }
    if (rc != 0)
        fail_msg("'%s' was refused", value);
    int used = snprintf(got, sizeof got, "%.*s/%.*s", (int)media.type.len, media.type.data,
                        (int)media.subtype.len, media.subtype.data);
    hoop_str rest = media.params;
    while ((rc = hoop__param_next(&rest, &param)) > 0) {
        char *plain = malloc(param.value.len ? param.value.len : 1);
        size_t len = param.escaped ? hoop__param_unescape(param.value, plain) : param.value.len;
        if (!param.escaped)
            memcpy(plain, param.value.data, len);
        used += snprintf(got + used, sizeof got - (size_t)used, " %.*s=<%.*s>", (int)param.name.len,
                         param.name.data, (int)len, plain);
        free(plain);
    }
    if (rc < 0)
        snprintf(got + used, sizeof got - (size_t)used, "!");
    else
        assert_int_equal(rest.len, 0);
    assert_string_equal(got, want);
    drop(text);
}

static void test_types(void **state)
{
    expect("text/plain", "text/plain");
    expect("Text/HTML", "Text/HTML");
    expect("application/problem+json", "application/problem+json");
    expect("*/*", "*/*");
    expect("a/b;", "a/b");
    expect("a/b ; ", "a/b");
    expect("", NULL);
    expect("text", NULL);
    expect("text/", NULL);
    expect("/plain", NULL);
    expect("text /plain", NULL);
    expect("text/ plain", NULL);
    expect("text/plain ", NULL);
    expect(" text/plain", NULL);
    expect("text/plain charset=x", NULL);
    expect("text/plain, text/html", NULL);
    expect("text/plain/x", NULL);
    expect("te\"xt/plain", NULL);
    expect("t\xc3\xa4xt/plain", NULL);
}

static void test_params(void **state)
{
    expect("text/html;charset=utf-8", "text/html charset=<utf-8>");
    expect("text/html; Charset=UTF-8 ;\tb=c", "text/html Charset=<UTF-8> b=<c>");
    expect("a/b;;c=d; ;e=f;", "a/b c=<d> e=<f>");
    expect("a/b;c=\"d\"", "a/b c=<d>");
    expect("a/b;c=\"\"", "a/b c=<>");
    expect("a/b;c=\"d;e=f, g\";h=i", "a/b c=<d;e=f, g> h=<i>");
    expect("a/b;c=\"d\\\"e\\\\f\"", "a/b c=<d\"e\\f>");
    expect("a/b;c=\"\t \xc3\xa4\"", "a/b c=<\t \xc3\xa4>");
    expect("a/b;c=d;c=e", "a/b c=<d> c=<e>");
}

static void test_broken_params(void **state)
{
    expect("a/b;c", "a/b!");
    expect("a/b;c=", "a/b!");
    expect("a/b;=d", "a/b!");
    expect("a/b;c =d", "a/b!");
    expect("a/b;c= d", "a/b!");
    expect("a/b;c=d e=f", "a/b!");
    expect("a/b;c=\"d", "a/b!");
    expect("a/b;c=\"d\\", "a/b!");
    expect("a/b;c=\"d\\\"", "a/b!");
    expect("a/b;c=\"d\"e", "a/b!");
    expect("a/b;c=d\"e\"", "a/b!");
    expect("a/b;c=\"d\x01\"", "a/b!");
    expect("a/b;c=\"d\x7f\"", "a/b!");
    expect("a/b;c=\"\\\x01\"", "a/b!");
    expect("a/b;c=d;e;f=g", "a/b c=<d>!");
    expect("a/b;c=\xc3\xa4", "a/b!");

    hoop_str rest = hoop_str_c(";c"), kept = rest;
    struct hoop__param param = { .escaped = 5 };
    assert_int_equal(hoop__param_next(&rest, &param), HOOP_EPARSE);
    assert_true(rest.data == kept.data && rest.len == kept.len);
    assert_int_equal(param.escaped, 5);
    rest = hoop_str_c("c=d");
    assert_int_equal(hoop__param_next(&rest, &param), HOOP_EPARSE);
    rest = hoop_str_n(";c=\"\0\"", 6);
    assert_int_equal(hoop__param_next(&rest, &param), HOOP_EPARSE);
}

static void test_is(void **state)
{
    struct hoop__media media;
    assert_int_equal(hoop__media_parse(hoop_str_c("Application/JSON; a=b"), &media), 0);
    assert_true(hoop__media_is(&media, "application", "json"));
    assert_false(hoop__media_is(&media, "application", "jso"));
    assert_false(hoop__media_is(&media, "text", "json"));
}

static void test_find(void **state)
{
    struct hoop__media media;
    struct hoop__param param;
    assert_int_equal(hoop__media_parse(hoop_str_c("a/b;x=y; CharSet=\"l1\";charset=z;bad"), &media),
                     0);
    assert_int_equal(hoop__media_param(&media, "charset", &param), 1);
    assert_str(param.value, "l1");
    assert_false(param.escaped);
    assert_int_equal(hoop__media_param(&media, "boundary", &param), 0);
    assert_str(param.value, "l1");
    assert_int_equal(hoop__media_parse(hoop_str_c("a/b;bad;charset=z"), &media), 0);
    assert_int_equal(hoop__media_param(&media, "charset", &param), 0);
}

static void test_random(void **state)
{
    uint64_t seed = 2045;
    int taken = 0;
    for (int i = 0; i < 200000; i++) {
        hoop_str tail = random_text(&seed, 20, "aab==;;\"\\ ");
        char buffer[32] = "a/b;";
        memcpy(buffer + 4, tail.data, tail.len);
        hoop_str text = tight(buffer, 4 + tail.len);
        struct hoop__media media;
        struct hoop__param param;
        if (hoop__media_parse(text, &media) == 0) {
            const char *end = text.data + text.len;
            hoop_str rest = media.params;
            assert_true(rest.data + rest.len == end);
            while (hoop__param_next(&rest, &param) > 0) {
                char plain[32];
                taken++;
                assert_true(param.name.len > 0 && param.value.data + param.value.len <= end);
                size_t len = hoop__param_unescape(param.value, plain);
                assert_true(param.escaped ? len < param.value.len : len == param.value.len);
                assert_true(rest.data + rest.len == end);
            }
        }
        drop(text);
        drop(tail);
    }
    assert_true(taken > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_types),         cmocka_unit_test(test_params),
        cmocka_unit_test(test_broken_params), cmocka_unit_test(test_is),
        cmocka_unit_test(test_find),          cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
