/* The Cookie header: what browsers send, in order, undecoded. */
#include "tools.h"

#include <hoop/cookie.h>

#include <stdio.h>

/* All cookies as "name=<value> ...". */
static void expect(const char *header, const char *want)
{
    hoop_str text = tight_c(header), rest = text;
    hoop_cookie_pair pair;
    char got[512] = "";
    size_t used = 0;
    while (hoop_cookie_next(&rest, &pair))
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%.*s=<%.*s>", used ? " " : "",
                                 (int)pair.name.len, pair.name.data, (int)pair.value.len,
                                 pair.value.data);
    assert_string_equal(got, want);
    assert_int_equal(rest.len, 0);
    drop(text);
}

static void test_next(void **state)
{
    expect("", "");
    expect("a=b", "a=<b>");
    expect("a=b; c=d", "a=<b> c=<d>");
    expect("a=b;c=d,e=f", "a=<b> c=<d,e=f>");
    expect("a=b; c=d; a=e", "a=<b> c=<d> a=<e>");
    expect(" a = b ;\tc=d\t", "a=<b> c=<d>");
    expect("a=", "a=<>");
    expect("a=abc==", "a=<abc==>");
    expect("a=hello+world; b=%22/x%22; c=%D", "a=<hello+world> b=<%22/x%22> c=<%D>");
    expect("__Host-x=1", "__Host-x=<1>");
    expect("a[b]=1; c/d=2", "a[b]=<1> c/d=<2>");
    expect("a=\xc3\xa4", "a=<\xc3\xa4>");
}

/* What is no cookie takes none of its neighbours along. */
static void test_junk(void **state)
{
    expect("s=abc==; t; a=%22/x%22; q=\"a b\"; u=1", "s=<abc==> a=<%22/x%22> q=<a b> u=<1>");
    expect(";;; ;a=b;;", "a=<b>");
    expect("=a; =; a=b", "a=<b>");
    expect("=__Host-a=b", "");
    expect("a=\x01; b=c; d\x7f=e", "b=<c>");
    expect("a=b\tc", "a=<b\tc>");
    hoop_str rest = hoop_str_n("a=\0; b=c", 8);
    hoop_cookie_pair pair;
    assert_int_equal(hoop_cookie_next(&rest, &pair), 1);
    assert_str(pair.name, "b");
    assert_int_equal(hoop_cookie_next(&rest, &pair), 0);
}

static void test_quotes(void **state)
{
    expect("a=\"b\"", "a=<b>");
    expect("a=\"\"", "a=<>");
    expect("a=\"", "a=<\">");
    expect("a=\"b", "a=<\"b>");
    expect("a=b\"", "a=<b\">");
    expect("a=\"b\\\"c\"", "a=<b\\\"c>");
    expect("a=\"b;c=d\"", "a=<\"b> c=<d\">");
}

static void test_at(void **state)
{
    hoop_str header = hoop_str_c("a=1; A=2; a=3; b=; a=5");
    assert_str(hoop_cookie_at(header, "a", 0), "1");
    assert_str(hoop_cookie_at(header, "a", 1), "3");
    assert_str(hoop_cookie_at(header, "a", 2), "5");
    assert_true(hoop_str_is_none(hoop_cookie_at(header, "a", 3)));
    assert_str(hoop_cookie_at(header, "A", 0), "2");
    assert_false(hoop_str_is_none(hoop_cookie_at(header, "b", 0)));
    assert_true(hoop_str_is_none(hoop_cookie_at(header, "c", 0)));
    assert_true(hoop_str_is_none(hoop_cookie_at(hoop_str_none(), "a", 0)));
}

static void test_list(void **state)
{
    hoop_cookie_pair pairs[2];
    size_t count = 77;
    assert_int_equal(hoop_cookie_list(hoop_str_c("a=1; b=2"), pairs, 2, &count), 0);
    assert_int_equal(count, 2);
    assert_str(pairs[1].value, "2");
    assert_int_equal(hoop_cookie_list(hoop_str_c("a=3; junk"), pairs, 1, &count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(hoop_cookie_list(hoop_str_c("a=4; b=5; c=6"), pairs, 2, &count), HOOP_ETOOBIG);
    assert_int_equal(count, 2);
    assert_str(pairs[0].value, "4");
    assert_int_equal(hoop_cookie_list(hoop_str_none(), pairs, 2, &count), 0);
    assert_int_equal(count, 0);
}

static void decodes(const char *value, uint32_t encoding, int rc, const char *want)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str text = hoop_str_c("kept");
    assert_int_equal(hoop_cookie_decode(arena, hoop_str_c(value), encoding, &text), rc);
    assert_str(text, rc ? "kept" : want);
    if (!rc)
        assert_int_equal(text.data[text.len], 0);
    hoop_arena_free(arena);
}

static void test_decode(void **state)
{
    decodes("a%3D+", HOOP_COOKIE_PLAIN, 0, "a%3D+");
    decodes("a%3D+", HOOP_COOKIE_PERCENT, 0, "a=+");
    decodes("hello+world", HOOP_COOKIE_FORM, 0, "hello world");
    decodes("%22/test%22", HOOP_COOKIE_FORM, 0, "\"/test\"");
    decodes("", HOOP_COOKIE_FORM, 0, "");
    decodes("%D", HOOP_COOKIE_FORM, HOOP_EPARSE, NULL);
    decodes("%D", HOOP_COOKIE_PERCENT, HOOP_EPARSE, NULL);
    decodes("a%00", HOOP_COOKIE_FORM, HOOP_EPARSE, NULL);
    decodes("a", 3, HOOP_EINVAL, NULL);
    hoop_str text;
    assert_int_equal(hoop_cookie_decode(NULL, hoop_str_c("a"), 0, &text), HOOP_EINVAL);
}

static void decode_once(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = hoop_arena_new_with(&(hoop_arena_options){ .allocator = &allocator->hoop });
    hoop_str text;
    if (!arena)
        return;
    int rc = hoop_cookie_decode(arena, *(hoop_str *)data, HOOP_COOKIE_FORM, &text);
    assert_true(rc == HOOP_ENOMEM || (rc == 0 && text.len == 10000));
    hoop_arena_free(arena);
}

static void test_memory(void **state)
{
    char big[10000];
    memset(big, '+', sizeof big);
    hoop_str value = hoop_str_n(big, sizeof big);
    test_each_allocation(decode_once, &value);
}

static void test_random(void **state)
{
    uint64_t seed = 6265;
    for (int i = 0; i < 100000; i++) {
        hoop_str text = random_text(&seed, 24, "ab==;; \"\t,"), rest = text;
        const char *behind = text.data, *end = text.data + text.len;
        hoop_cookie_pair pair;
        while (hoop_cookie_next(&rest, &pair)) {
            assert_true(pair.name.len > 0 && pair.name.data >= behind);
            assert_true(pair.value.data > pair.name.data);
            behind = pair.value.data + pair.value.len;
            assert_true(behind <= rest.data && behind <= end);
            assert_null(memchr(pair.name.data, '=', pair.name.len));
        }
        drop(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_next),   cmocka_unit_test(test_junk),   cmocka_unit_test(test_quotes),
        cmocka_unit_test(test_at),     cmocka_unit_test(test_list),   cmocka_unit_test(test_decode),
        cmocka_unit_test(test_memory), cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
