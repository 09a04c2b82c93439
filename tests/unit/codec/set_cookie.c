/* Set-Cookie: what is written, byte by byte, and what is refused with which words. */
#include "tools.h"

#include <hoop/cookie.h>

static hoop_arena *arena;

static int set_up(void **state)
{
    arena = hoop_arena_new();
    return !arena;
}

static int tear_down(void **state)
{
    hoop_arena_free(arena);
    return 0;
}

static void writes(const char *name, const char *value, const hoop_cookie_options *options,
                   const char *want)
{
    hoop_str line = hoop_str_none();
    hoop_error error = { 0, "" };
    int rc = hoop_cookie_format(arena, name, hoop_str_c(value), &line, &error, options);
    if (rc)
        fail_msg("'%s' was refused: %s", want, error.text);
    assert_str(line, want);
    assert_int_equal(line.data[line.len], 0);
}

static void refuses(const char *name, const char *value, const hoop_cookie_options *options,
                    const char *words)
{
    hoop_str line = hoop_str_c("kept");
    hoop_error error = { 0, "" };
    int rc = hoop_cookie_format(arena, name, hoop_str_c(value), &line, &error, options);
    assert_int_equal(rc, HOOP_EINVAL);
    assert_int_equal(error.code, rc);
    if (!strstr(error.text, words))
        fail_msg("'%s' does not say '%s'", error.text, words);
    assert_str(line, "kept");
    assert_int_equal(hoop_cookie_format(arena, name, hoop_str_c(value), &line, NULL, options), rc);
}

#define WITH(...) (&(hoop_cookie_options){ __VA_ARGS__ })

static void test_plain(void **state)
{
    writes("a", "b", NULL, "a=b");
    writes("a", "", WITH(0), "a=");
    writes("a", "abc==", NULL, "a=abc==");
    writes("a", "\"b\"", NULL, "a=\"b\"");
    writes("a", "\"\"", NULL, "a=\"\"");
    writes("!#$%&'*+-.^_`|~", "!#$%&'()*+-./:<=>?@[]^_`{|}~", NULL,
           "!#$%&'*+-.^_`|~=!#$%&'()*+-./:<=>?@[]^_`{|}~");
}

static void test_attributes(void **state)
{
    writes("a", "b", WITH(.path = "/", .domain = "x", .secure = 1, .http_only = 1),
           "a=b; Path=/; Domain=x; Secure; HttpOnly");
    writes("a", "b", WITH(.max_age = 94694400), "a=b; Max-Age=94694400");
    writes("a", "b", WITH(.max_age = UINT64_MAX), "a=b; Max-Age=18446744073709551615");
    writes("a", "b", WITH(.expires = 1451520000), "a=b; Expires=Thu, 31 Dec 2015 00:00:00 GMT");
    writes("a", "b", WITH(.same_site = HOOP_SAME_SITE_LAX), "a=b; SameSite=Lax");
    writes("a", "b", WITH(.same_site = HOOP_SAME_SITE_STRICT), "a=b; SameSite=Strict");
    writes("a", "b", WITH(.secure = 1, .same_site = HOOP_SAME_SITE_NONE, .partitioned = 1),
           "a=b; Secure; SameSite=None; Partitioned");
    writes("a", "b", WITH(.path = "/x y=z,\"", .domain = "a-b.example.org"),
           "a=b; Path=/x y=z,\"; Domain=a-b.example.org");
    writes("a", "b", WITH(.remove = 1, .path = "/x"),
           "a=; Path=/x; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT");
}

static void test_encoding(void **state)
{
    writes("a", "hello world", WITH(.encoding = HOOP_COOKIE_FORM), "a=hello+world");
    writes("a", "foo:bar", WITH(.encoding = HOOP_COOKIE_FORM), "a=foo%3Abar");
    writes("a", "x ;\r\n\xc3\xa4+", WITH(.encoding = HOOP_COOKIE_PERCENT),
           "a=x%20%3B%0D%0A%C3%A4%2B");
    writes("a", "", WITH(.encoding = HOOP_COOKIE_PERCENT), "a=");
}

static void test_refused(void **state)
{
    refuses("", "b", NULL, "''");
    refuses(NULL, "b", NULL, "no token");
    refuses("a b", "b", NULL, "'a b' is no token");
    refuses("a=", "b", NULL, "no token");
    refuses("a;", "b", NULL, "no token");
    refuses("a\n", "b", NULL, "no token");
    refuses("\xc3\xa4", "b", NULL, "no token");
    refuses("a", "b c", NULL, "byte 1 of the value (0x20)");
    refuses("a", "b\r\nSet-Cookie: c=d", NULL, "byte 1 of the value (0x0d)");
    refuses("a", "b;", NULL, "(0x3b)");
    refuses("a", "b,", NULL, "(0x2c)");
    refuses("a", "\\", NULL, "(0x5c)");
    refuses("a", "\"", NULL, "byte 0 of the value (0x22)");
    refuses("a", "\"b\"c\"", NULL, "byte 2 of the value (0x22)");
    refuses("a", "\xc3\xa4", NULL, "(0xc3)");
    refuses("a", "b", WITH(.path = "x"), "path 'x'");
    refuses("a", "b", WITH(.path = ""), "path ''");
    refuses("a", "b", WITH(.path = "/;Domain=x"), "path '/;Domain=x'");
    refuses("a", "b", WITH(.path = "/\r\n"), "path");
    refuses("a", "b", WITH(.domain = ""), "domain ''");
    refuses("a", "b", WITH(.domain = ".x"), "domain '.x'");
    refuses("a", "b", WITH(.domain = "x."), "domain 'x.'");
    refuses("a", "b", WITH(.domain = "a..b"), "domain");
    refuses("a", "b", WITH(.domain = "a;b"), "domain");
    refuses("a", "b", WITH(.domain = "a:80"), "domain");
    refuses("a", "b", WITH(.expires = -1), "expires is -1");
    refuses("a", "b", WITH(.expires = INT64_C(253402300800)), "expires");
    refuses("a", "b", WITH(.remove = 1, .max_age = 1), "remove");
    refuses("a", "b", WITH(.remove = 1, .expires = 1), "remove");
    refuses("a", "b", WITH(.same_site = 4), "same_site is 4");
    refuses("a", "b", WITH(.encoding = 3), "encoding is 3");
    refuses("a", "b", WITH(.same_site = HOOP_SAME_SITE_NONE), "SameSite=None needs secure");
    refuses("a", "b", WITH(.partitioned = 1), "partitioned needs secure");
    struct {
        hoop_cookie_options known;
        uint64_t more;
    } newer = { .more = 1 };
    hoop_str line;
    assert_int_equal(hoop_cookie_format_sized(arena, "a", hoop_str_c("b"), &line, NULL,
                                              &newer.known, sizeof newer),
                     HOOP_EINVAL);
    assert_int_equal(hoop_cookie_format(NULL, "a", hoop_str_c("b"), &line, NULL, NULL),
                     HOOP_EINVAL);
}

static void test_prefixes(void **state)
{
    writes("__Secure-a", "b", WITH(.secure = 1, .domain = "x"), "__Secure-a=b; Domain=x; Secure");
    writes("__Host-a", "b", WITH(.secure = 1, .path = "/"), "__Host-a=b; Path=/; Secure");
    writes("__Http-a", "b", WITH(.secure = 1, .http_only = 1), "__Http-a=b; Secure; HttpOnly");
    writes("__Host-Http-a", "b", WITH(.secure = 1, .http_only = 1, .path = "/"),
           "__Host-Http-a=b; Path=/; Secure; HttpOnly");
    writes("__Hosta", "b", NULL, "__Hosta=b");
    refuses("__Secure-a", "b", NULL, "'__Secure-a' has a prefix that needs secure");
    refuses("__secure-a", "b", NULL, "needs secure");
    refuses("__Host-a", "b", WITH(.path = "/"), "needs secure");
    refuses("__Host-a", "b", WITH(.secure = 1), "needs path \"/\"");
    refuses("__HOST-a", "b", WITH(.secure = 1, .path = "/x"), "needs path \"/\"");
    refuses("__Host-a", "b", WITH(.secure = 1, .path = "/", .domain = "x"), "no domain");
    refuses("__Host-a", "", WITH(.remove = 1), "needs secure");
    refuses("__Http-a", "b", WITH(.secure = 1), "needs http_only");
    refuses("__Host-Http-a", "b", WITH(.secure = 1, .path = "/"), "needs http_only");
    refuses("__Host-Http-a", "b", WITH(.secure = 1, .http_only = 1), "needs path \"/\"");
}

static void test_size(void **state)
{
    static char value[5001];
    hoop_str line;
    hoop_error error;
    memset(value, 'v', sizeof value - 1);
    for (uint32_t encoding = 0; encoding <= HOOP_COOKIE_FORM; encoding++) {
        const hoop_cookie_options *options = WITH(.secure = 1, .encoding = encoding);
        /* "a=" and "; Secure" take ten. */
        hoop_str fits = hoop_str_n(value, 4086), over = hoop_str_n(value, 4087);
        hoop_str far = hoop_str_n(value, 5000);
        assert_int_equal(hoop_cookie_format(arena, "a", fits, &line, &error, options), 0);
        assert_int_equal(line.len, HOOP_COOKIE_MAX);
        assert_memory_equal(line.data + 4086, "vv; Secure", 10);
        assert_int_equal(hoop_cookie_format(arena, "a", over, &line, &error, options),
                         HOOP_ETOOBIG);
        assert_non_null(strstr(error.text, "takes 4097 bytes"));
        assert_int_equal(hoop_cookie_format(arena, "a", far, &line, &error, options), HOOP_ETOOBIG);
    }
    assert_int_equal(hoop_cookie_format(arena, value, hoop_str_c("x"), &line, &error, NULL),
                     HOOP_ETOOBIG);
    memset(value, ' ', 2000);
    assert_int_equal(hoop_cookie_format(arena, "a", hoop_str_n(value, 2000), &line, &error,
                                        WITH(.encoding = HOOP_COOKIE_PERCENT)),
                     HOOP_ETOOBIG);
}

static void format_once(struct test_allocator *allocator, void *data)
{
    hoop_arena *own = hoop_arena_new_with(
        &(hoop_arena_options){ .allocator = &allocator->hoop, .block_size = 256 });
    hoop_str line;
    if (!own)
        return;
    for (int i = 0; i < 8; i++) {
        int rc = hoop_cookie_format(
            own, "a", hoop_str_c("0123456789012345678901234567890123456789"), &line, NULL, NULL);
        assert_true(rc == 0 || rc == HOOP_ENOMEM);
    }
    hoop_arena_free(own);
}

static void test_memory(void **state)
{
    test_each_allocation(format_once, NULL);
}

/* What is written is read as what it was. */
static void test_there_and_back(void **state)
{
    uint64_t seed = 4096;
    for (int i = 0; i < 20000; i++) {
        hoop_arena *own = hoop_arena_new();
        hoop_str value = random_text(&seed, 20, "ab =\";,+%\\"), line, text;
        uint32_t encoding = random_below(&seed, 3);
        int rc = hoop_cookie_format(own, "a", value, &line, NULL, WITH(.encoding = encoding));
        if (encoding != HOOP_COOKIE_PLAIN && !memchr(value.data, 0, value.len)) {
            assert_int_equal(rc, 0);
            rc = hoop_cookie_decode(own, hoop_cookie_at(line, "a", 0), encoding, &text);
            assert_int_equal(rc, 0);
            assert_true(hoop_str_eq(text, value));
        }
        drop(value);
        hoop_arena_free(own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),    cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_encoding), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_prefixes), cmocka_unit_test(test_size),
        cmocka_unit_test(test_memory),   cmocka_unit_test(test_there_and_back),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
