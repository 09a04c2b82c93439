/* Nested names: Ring's cases, limits, and that long ones take no time. */
#include "tools.h"

#include "codec/nested.h"

#include <stdio.h>

/* The keys as "<a><b>". */
static void splits(const char *value, const char *want)
{
    hoop_str name = tight_c(value), keys[8];
    char got[128] = "";
    size_t used = 0, count = 77;
    int rc = hoop__nested_split(name, keys, HOOP_COUNT(keys), &count);
    assert_int_equal(rc, 0);
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(got + used, sizeof got - used, "<%.*s>", (int)keys[i].len,
                                 keys[i].data);
    assert_string_equal(got, want);
    drop(name);
}

static void test_split(void **state)
{
    splits("foo", "<foo>");
    splits("", "<>");
    splits("x[y]", "<x><y>");
    splits("a[b][c]", "<a><b><c>");
    splits("foo[]", "<foo><>");
    splits("a[x][][y]", "<a><x><><y>");
    splits("[foo]", "<><foo>");
    splits("[]", "<><>");
    splits("foo[a]x[b]", "<foo><a><b>");
    splits("a\n[b\n]", "<a\n><b\n>");
    splits("foo[bar", "<foo[bar>");
    splits("foo]", "<foo]>");
    splits("a]b[c]", "<a]b><c>");
    splits("foo[a]b", "<foo[a]b>");
    splits("[[a]]", "<><[a>");
    splits("a[b]]", "<a><b>");
    splits("[", "<[>");
    splits("]", "<]>");
    splits("][", "<][>");
}

static void test_limit(void **state)
{
    hoop_str keys[3];
    size_t count = 77;
    assert_int_equal(hoop__nested_split(hoop_str_c("a[b][c]"), keys, 3, &count), 0);
    assert_int_equal(count, 3);
    count = 77;
    assert_int_equal(hoop__nested_split(hoop_str_c("a[b][c][d]"), keys, 3, &count), HOOP_ETOOBIG);
    assert_int_equal(count, 77);
    assert_int_equal(hoop__nested_split(hoop_str_c("a"), keys, 1, &count), 0);
    assert_int_equal(hoop__nested_split(hoop_str_c("a[b]"), keys, 1, &count), HOOP_ETOOBIG);
}

static void test_long(void **state)
{
    size_t len = 200000, count;
    char *text = malloc(len + 1);
    hoop_str *keys = malloc((len + 1) * sizeof *keys);
    memset(text, '[', len);
    assert_int_equal(hoop__nested_split(hoop_str_n(text, len), keys, len + 1, &count), 0);
    assert_int_equal(count, 1);
    text[len] = ']';
    assert_int_equal(hoop__nested_split(hoop_str_n(text, len + 1), keys, len + 1, &count), 0);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < len; i++)
        text[i] = "[]"[i % 2];
    assert_int_equal(hoop__nested_split(hoop_str_n(text, len), keys, len + 1, &count), 0);
    assert_int_equal(count, len / 2 + 1);
    assert_int_equal(hoop__nested_split(hoop_str_n(text, len), keys, 33, &count), HOOP_ETOOBIG);
    free(text);
    free(keys);
}

static void test_random(void **state)
{
    uint64_t seed = 1155;
    for (int i = 0; i < 100000; i++) {
        hoop_str name = random_text(&seed, 20, "a[][]"), keys[16];
        size_t count, total = 0;
        if (hoop__nested_split(name, keys, 16, &count) == 0) {
            assert_true(count >= 1);
            for (size_t n = 0; n < count; n++) {
                assert_true(keys[n].data >= name.data);
                assert_true(keys[n].data + keys[n].len <= name.data + name.len);
                total += keys[n].len + 2;
            }
            assert_true(total <= name.len + 2);
        }
        drop(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
