/* Urlencoded forms: WHATWG's vectors, pairs as slices, and serialising. */
#include "tools.h"

#include "codec/form.h"
#include "codec/utf8.h"

#include <jansson.h>
#include <stdio.h>

/* The data folder as seen from this file, for the directory that the tests run in. */
static void data_path(char *out, size_t cap, const char *name)
{
    const char *here = __FILE__, *end = strstr(here, "unit/codec/form.c");
    assert_non_null(end);
    snprintf(out, cap, "%.*sdata/%s", (int)(end - here), here, name);
}

/* The decoded text, as browsers show it: wrong UTF-8 repaired. */
static hoop_str shown(hoop_str raw)
{
    char *decoded = malloc(raw.len ? raw.len : 1);
    hoop_str text = hoop_str_n(decoded, hoop__form_decode_lenient(raw, decoded));
    size_t size = hoop__utf8_repaired_size(text);
    char *out = malloc(size ? size : 1);
    assert_int_equal(hoop__utf8_repair(text, out), size);
    free(decoded);
    return hoop_str_n(out, size);
}

static void test_vectors(void **state)
{
    char path[1024];
    json_error_t error;
    data_path(path, sizeof path, "urlencoded/urlencoded-parser.json");
    json_t *cases = json_load_file(path, 0, &error);
    if (!cases)
        fail_msg("%s: %s", path, error.text);
    assert_int_equal(json_array_size(cases), 35);

    size_t i;
    json_t *item;
    json_array_foreach(cases, i, item)
    {
        json_t *input = json_object_get(item, "input"), *output = json_object_get(item, "output");
        hoop_str text = tight(json_string_value(input), json_string_length(input));
        hoop_str rest = text, raw[2];
        size_t n = 0;
        while (hoop__form_next(&rest, &raw[0], &raw[1])) {
            json_t *pair = json_array_get(output, n++);
            for (size_t half = 0; half < 2; half++) {
                json_t *want = json_array_get(pair, half);
                hoop_str got = shown(raw[half]);
                assert_bytes(got.data, got.len, json_string_value(want), json_string_length(want));
                drop(got);
            }
        }
        assert_int_equal(n, json_array_size(output));
        drop(text);
    }
    json_decref(cases);
}

static void test_slices(void **state)
{
    hoop_str text = tight_c("a=1&b&=&c=&=d&&e=f=g&%26=%3D+"), rest = text, name, value;
    static const char *const want[] = { "a", "1", "b", "",  "",    "",    "c",
                                        "",  "",  "d", "e", "f=g", "%26", "%3D+" };
    for (size_t i = 0; i < HOOP_COUNT(want); i += 2) {
        assert_int_equal(hoop__form_next(&rest, &name, &value), 1);
        assert_str(name, want[i]);
        assert_str(value, want[i + 1]);
        /* Only "b" has no '='. */
        assert_int_equal(hoop_str_is_none(value), i == 2);
    }
    assert_int_equal(hoop__form_next(&rest, &name, &value), 0);
    assert_int_equal(hoop__form_next(&rest, &name, &value), 0);
    assert_int_equal(rest.len, 0);
    drop(text);
}

static void test_strict(void **state)
{
    static const struct {
        const char *text;
        const char *want; /* NULL: refused */
    } cases[] = {
        { "", "" },         { "a+b", "a b" },         { "+", " " },
        { "%2B", "+" },     { "a%20b", "a b" },       { "%2b+%2B", "+ +" },
        { "%", NULL },      { "a%2", NULL },          { "%zz", NULL },
        { "%00", NULL },    { "%C3%A4", "\xc3\xa4" }, { "foo+bar", "foo bar" },
        { "b%2Fc", "b/c" }, { "%D", NULL },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        hoop_str text = tight_c(cases[i].text);
        char *out = malloc(text.len ? text.len : 1);
        size_t size = 77;
        int rc = hoop__form_decode(text, out, &size);
        if (cases[i].want) {
            assert_int_equal(rc, 0);
            assert_bytes(out, size, cases[i].want, strlen(cases[i].want));
        } else {
            assert_int_equal(rc, HOOP_EPARSE);
            assert_int_equal(size, 77);
        }
        free(out);
        drop(text);
    }
    char place[] = "a+%2B";
    size_t size;
    assert_int_equal(hoop__form_decode(hoop_str_c(place), place, &size), 0);
    assert_bytes(place, size, "a +", 3);
}

static void test_is_encoded(void **state)
{
    assert_false(hoop__form_is_encoded(hoop_str_c("")));
    assert_false(hoop__form_is_encoded(hoop_str_c("a b")));
    assert_true(hoop__form_is_encoded(hoop_str_c("a+")));
    assert_true(hoop__form_is_encoded(hoop_str_c("a%")));
}

static void encodes(const hoop_str *pairs, size_t count, const char *want)
{
    size_t size = hoop__form_size(pairs, count);
    assert_int_equal(size, strlen(want));
    char *out = malloc(size ? size : 1);
    assert_int_equal(hoop__form_encode(pairs, count, out), size);
    assert_bytes(out, size, want, strlen(want));
    free(out);
}

static void test_encode(void **state)
{
    encodes(NULL, 0, "");
    encodes((hoop_str[]){ hoop_str_c("a"), hoop_str_c("") }, 2, "a=");
    encodes((hoop_str[]){ hoop_str_c(""), hoop_str_none() }, 2, "=");
    encodes((hoop_str[]){ hoop_str_c("a"), hoop_str_c("1"), hoop_str_c("b"), hoop_str_c("2") }, 4,
            "a=1&b=2");
    encodes((hoop_str[]){ hoop_str_c(" a  b "), hoop_str_c("+&=%") }, 2, "+a++b+=%2B%26%3D%25");
    encodes((hoop_str[]){ hoop_str_c("*-._~!'()"), hoop_str_c("\xc3\xa4\r\n") }, 2,
            "*-._%7E%21%27%28%29=%C3%A4%0D%0A");
    encodes((hoop_str[]){ hoop_str_n("\0", 1), hoop_str_c("x") }, 2, "%00=x");
    encodes((hoop_str[]){ hoop_str_c("a"), hoop_str_c("b"), hoop_str_c("a"), hoop_str_c("c") }, 4,
            "a=b&a=c");
    encodes((hoop_str[]){ hoop_str_c("n"), hoop_str_c("+632 905") }, 2, "n=%2B632+905");
}

static void test_there_and_back(void **state)
{
    uint64_t seed = 1866;
    for (int i = 0; i < 30000; i++) {
        hoop_str pairs[6], name, value;
        size_t count = 2 * random_below(&seed, 4);
        for (size_t n = 0; n < count; n++)
            pairs[n] = random_text(&seed, 10, "a &=+%\xc3");
        /* Names that are empty with an empty value come back, too: "=" stands for them. */
        size_t size = hoop__form_size(pairs, count);
        hoop_str text = { malloc(size ? size : 1), size };
        assert_int_equal(hoop__form_encode(pairs, count, (char *)(uintptr_t)text.data), size);
        hoop_str rest = text;
        for (size_t n = 0; n < count; n += 2) {
            char out[64];
            assert_int_equal(hoop__form_next(&rest, &name, &value), 1);
            assert_bytes(out, hoop__form_decode_lenient(name, out), pairs[n].data, pairs[n].len);
            assert_bytes(out, hoop__form_decode_lenient(value, out), pairs[n + 1].data,
                         pairs[n + 1].len);
        }
        assert_int_equal(hoop__form_next(&rest, &name, &value), 0);
        for (size_t n = 0; n < count; n++)
            drop(pairs[n]);
        drop(text);
    }
}

static void test_random(void **state)
{
    uint64_t seed = 30;
    for (int i = 0; i < 100000; i++) {
        hoop_str text = random_text(&seed, 24, "a=&%41+"), rest = text, name, value;
        const char *behind = text.data;
        size_t pairs = 0;
        while (hoop__form_next(&rest, &name, &value)) {
            char out[32];
            size_t size;
            pairs++;
            assert_true(name.data >= behind);
            assert_true(hoop_str_is_none(value) || value.data == name.data + name.len + 1);
            behind = hoop_str_is_none(value) ? name.data + name.len : value.data + value.len;
            assert_true(behind <= text.data + text.len && rest.data >= behind);
            assert_null(name.len ? memchr(name.data, '=', name.len) : NULL);
            if (hoop__form_decode(value, out, &size) == 0)
                assert_true(size <= value.len);
        }
        assert_true(pairs <= text.len);
        drop(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vectors), cmocka_unit_test(test_slices),
        cmocka_unit_test(test_strict),  cmocka_unit_test(test_is_encoded),
        cmocka_unit_test(test_encode),  cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
