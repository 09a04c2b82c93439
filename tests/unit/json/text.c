/* The writer of JSON text: as jansson writes it, whatever room the arena has. */
#include "tools.h"

#include "json/text.h"

#include <locale.h>

/* Takes the reference. */
static void expect(json_t *value, const char *want, size_t len)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str text = hoop_str_none();
    assert_non_null(value);
    assert_int_equal(hoop__json_text(arena, value, &text, NULL), 0);
    assert_bytes(text.data, text.len, want, len);
    assert_int_equal(text.data[text.len], 0);
    json_decref(value);
    hoop_arena_free(arena);
}

#define EXPECT(value, want) expect(value, want, sizeof(want) - 1)

static void test_scalars(void **state)
{
    EXPECT(json_null(), "null");
    EXPECT(json_true(), "true");
    EXPECT(json_false(), "false");
    EXPECT(json_integer(0), "0");
    EXPECT(json_integer(-1), "-1");
    EXPECT(json_integer(INT64_MAX), "9223372036854775807");
    EXPECT(json_integer(INT64_MIN), "-9223372036854775808");
    EXPECT(json_real(1.5), "1.5");
    EXPECT(json_real(2), "2.0");
    EXPECT(json_real(-1e300), "-1e300");
}

static void test_strings(void **state)
{
    EXPECT(json_string(""), "\"\"");
    EXPECT(json_string("Hello, World!"), "\"Hello, World!\"");
    EXPECT(json_string("\"\\/"), "\"\\\"\\\\/\"");
    EXPECT(json_string("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"");
    EXPECT(json_string("\x01\x1f\x7f"), "\"\\u0001\\u001F\x7f\"");
    EXPECT(json_string("\xc3\xa4\xf0\x9f\x98\x80"), "\"\xc3\xa4\xf0\x9f\x98\x80\"");
    EXPECT(json_stringn("a\0b", 3), "\"a\\u0000b\"");
}

static void test_containers(void **state)
{
    EXPECT(json_array(), "[]");
    EXPECT(json_object(), "{}");
    EXPECT(json_pack("[i,[],{}]", 1), "[1,[],{}]");
    EXPECT(json_pack("{s:i,s:[b,n],s:{s:s}}", "z", 1, "a", 1, "\"", "k", "v"),
           "{\"z\":1,\"a\":[true,null],\"\\\"\":{\"k\":\"v\"}}");
}

static void test_key_with_nul(void **state)
{
#if JANSSON_VERSION_HEX >= 0x020e00
    json_t *object = json_object();
    json_object_setn_new(object, "a\0b", 3, json_integer(1));
    EXPECT(object, "{\"a\\u0000b\":1}");
#endif
}

/* A comma as the locale's decimal point does not get into the text, if there is such a locale. */
static void test_locale(void **state)
{
    if (setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        EXPECT(json_real(1.5), "1.5");
    setlocale(LC_NUMERIC, "C");
}

static void refuse(json_t *value)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str text = hoop_str_c("untouched");
    assert_int_equal(hoop__json_text(arena, value, &text, NULL), HOOP_EINVAL);
    assert_str(text, "untouched");
    json_decref(value);
    hoop_arena_free(arena);
}

static void test_refused(void **state)
{
    refuse(NULL);
    refuse(json_string_nocheck("\xff"));
    refuse(json_pack("[o]", json_string_nocheck("a\xc3")));
    json_t *object = json_object();
    json_object_set_new_nocheck(object, "\xed\xa0\x80", json_null());
    refuse(object);
}

static json_t *nested(int levels, json_t *inner)
{
    for (int i = 0; i < levels; i++) {
        json_t *outer = i % 2 ? json_array() : json_object();
        if (i % 2)
            json_array_append_new(outer, inner);
        else
            json_object_set_new(outer, "a", inner);
        inner = outer;
    }
    return inner;
}

static void test_depth(void **state)
{
    json_t *deepest = nested(HOOP__JSON_DEPTH - 1, json_array());
    char *want = json_dumps(deepest, JSON_COMPACT);
    json_t *parsed = json_loads(want, 0, NULL);
    assert_non_null(parsed);
    json_decref(parsed);
    expect(deepest, want, strlen(want));
    free(want);
    refuse(nested(HOOP__JSON_DEPTH, json_array()));
}

static void test_loop(void **state)
{
    json_t *a = json_array(), *b = json_array();
    json_array_append(a, b);
    json_array_append(b, a);
    json_incref(a);
    refuse(a);
    json_array_clear(b);
    json_decref(b);
    json_decref(a);
}

/* Whatever is left of the arena's chunk, the text is right and whole, and nothing else is written. */
static void test_every_room(void **state)
{
    json_t *value = json_pack("[s,s,i]", "twenty bytes of text", "\n\n\n\n\n\n\n\n", 123456);
    char *want = json_dumps(value, JSON_COMPACT);
    for (size_t used = 1; used < 1200; used++) {
        hoop_arena *arena = hoop_arena_new_with(&(hoop_arena_options){ .block_size = 1024 });
        char *before = hoop_arena_alloc(arena, used);
        memset(before, 'x', used);
        hoop_str text;
        assert_int_equal(hoop__json_text(arena, value, &text, NULL), 0);
        assert_bytes(text.data, text.len, want, strlen(want));
        char *behind = hoop_arena_alloc(arena, 16);
        memset(behind, 'y', 16);
        assert_bytes(text.data, text.len + 1, want, strlen(want) + 1);
        for (size_t i = 0; i < used; i++)
            assert_int_equal(before[i], 'x');
        hoop_arena_free(arena);
    }
    free(want);
    json_decref(value);
}

/* Beyond its text the writer leaves nothing taken. */
static void test_gives_back(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    json_t *value = json_pack("[i]", 1);
    hoop_str text;
    char *first = hoop_arena_alloc(arena, 16);
    assert_int_equal(hoop__json_text(arena, value, &text, NULL), 0);
    char *next = hoop_arena_alloc(arena, 16);
    assert_ptr_equal(text.data, first + 16);
    assert_ptr_equal(next, first + 32);
    json_decref(value);

    value = json_string_nocheck("\xff");
    assert_int_equal(hoop__json_text(arena, value, &text, NULL), HOOP_EINVAL);
    assert_ptr_equal(hoop_arena_alloc(arena, 16), first + 48);
    json_decref(value);
    hoop_arena_free(arena);
}

static void test_large(void **state)
{
    json_t *value = json_array();
    for (int i = 0; i < 20000; i++)
        json_array_append_new(value, json_integer(i));
    char *want = json_dumps(value, JSON_COMPACT);
    expect(value, want, strlen(want));
    free(want);
}

static void test_limit(void **state)
{
    hoop_arena *arena = hoop_arena_new_with(&(hoop_arena_options){ .limit = 5000 });
    json_t *value = json_array();
    for (int i = 0; i < 2000; i++)
        json_array_append_new(value, json_integer(i));
    hoop_str text = hoop_str_c("untouched");
    assert_int_equal(hoop__json_text(arena, value, &text, NULL), HOOP_ENOMEM);
    assert_str(text, "untouched");
    json_decref(value);
    hoop_arena_free(arena);
}

static void write_once(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = failing_arena(allocator);
    hoop_str text;
    if (!arena)
        return;
    int rc = hoop__json_text(arena, data, &text, NULL);
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    hoop_arena_free(arena);
}

static void test_allocations(void **state)
{
    json_t *value = json_array();
    for (int i = 0; i < 1000; i++)
        json_array_append_new(value, json_integer(i));
    test_each_allocation(write_once, value);
    json_decref(value);
}

/* What jansson writes with the flags, or NULL if it refuses. An embedded empty array is "". */
static char *jansson_text(const json_t *value, size_t flags, size_t *ret_len)
{
    if (!(flags & JSON_ENCODE_ANY) && !json_is_array(value) && !json_is_object(value)) {
        assert_null(json_dumps(value, flags));
        return NULL;
    }
    size_t len = json_dumpb(value, NULL, 0, flags);
    char *text = malloc(len + 1);
    assert_non_null(text);
    *ret_len = json_dumpb(value, text, len, flags);
    return text;
}

/* With a precision every byte is jansson's; without, the reals have the same values. */
static void compare(const json_t *value, size_t flags, size_t digits)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str text = hoop_str_none(), shortest = hoop_str_none();
    size_t len = 0;
    char *want = jansson_text(value, flags | JSON_REAL_PRECISION(digits), &len);
    hoop_error error = { 0, "" };
    int rc = hoop_json_dump(arena, value, flags | JSON_REAL_PRECISION(digits), &text, &error);
    if (!want) {
        assert_int_equal(rc, HOOP_EINVAL);
        assert_true(error.text[0] == '$');
    } else {
        assert_int_equal(rc, 0);
        assert_bytes(text.data, text.len, want, len);
        assert_int_equal(hoop_json_dump(arena, value, flags, &shortest, NULL), 0);
        assert_true(shortest.len <= text.len || digits < 17);
        if (!(flags & JSON_EMBED)) {
            json_t *again =
                json_loadb(shortest.data, shortest.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
            assert_true(json_equal(again, value));
            json_decref(again);
        }
    }
    free(want);
    hoop_arena_free(arena);
}

static const size_t all_flags[] = { JSON_COMPACT,       JSON_SORT_KEYS,  JSON_ENSURE_ASCII,
                                    JSON_ESCAPE_SLASH,  JSON_ENCODE_ANY, JSON_EMBED,
                                    JSON_INDENT(1),     JSON_INDENT(4),  JSON_INDENT(31),
                                    JSON_PRESERVE_ORDER };

static void test_random(void **state)
{
    uint64_t seed = 8259;
    for (int i = 0; i < 20000; i++) {
        json_t *value = random_json(&seed, 5);
        size_t flags = JSON_COMPACT | JSON_ENCODE_ANY;
        if (i % 4) {
            flags = random_below(&seed, 2) ? JSON_ENCODE_ANY : 0;
            for (uint32_t n = random_below(&seed, 5); n > 0; n--)
                flags |= all_flags[random_below(&seed, HOOP_COUNT(all_flags))];
        }
        compare(value, flags, i % 2 ? 17 : 1 + random_below(&seed, 31));
        json_decref(value);
    }
}

static void test_each_combination(void **state)
{
    static const char *const texts[] = {
        "[]", "{}", "[[],{}]",
        "{\"b\":[1,{\"/\":\"\\u20ac/\"}],\"a\":{\"x\":1.5},\"aa\":\"\\ud83d\\ude00\"}",
        "[\"\\u007f\\u0080\\u0001\",true,false,null,-1,2.0]"
    };
    for (size_t t = 0; t < HOOP_COUNT(texts); t++) {
        json_t *value = json_loads(texts[t], 0, NULL);
        assert_non_null(value);
        for (size_t bits = 0; bits < (size_t)1 << HOOP_COUNT(all_flags); bits++) {
            size_t flags = 0;
            for (size_t i = 0; i < HOOP_COUNT(all_flags); i++)
                flags |= bits >> i & 1 ? all_flags[i] : 0;
            compare(value, flags, 1 + bits % 31);
        }
        json_decref(value);
    }
}

static void expect_dump(json_t *value, size_t flags, const char *want)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str text = hoop_str_none();
    assert_int_equal(hoop_json_dump(arena, value, flags, &text, NULL), 0);
    assert_str(text, want);
    json_decref(value);
    hoop_arena_free(arena);
}

static void test_dump(void **state)
{
    expect_dump(json_pack("{s:i,s:[f]}", "b", 1, "a", 0.1), 0, "{\"b\": 1, \"a\": [0.1]}");
    expect_dump(json_pack("{s:i,s:[f]}", "b", 1, "a", 0.1), JSON_SORT_KEYS | JSON_INDENT(2),
                "{\n  \"a\": [\n    0.1\n  ],\n  \"b\": 1\n}");
    expect_dump(json_pack("[s]", "\xf0\x9f\x98\x80/"), JSON_ENSURE_ASCII | JSON_ESCAPE_SLASH,
                "[\"\\uD83D\\uDE00\\/\"]");
    expect_dump(json_pack("[f]", 1.0 / 3), JSON_REAL_PRECISION(3), "[0.333]");
    expect_dump(json_pack("[f]", 1.0 / 3), 0, "[0.3333333333333333]");
    expect_dump(json_pack("[i,i]", 1, 2), JSON_EMBED | JSON_COMPACT, "1,2");
}

static void refuse_dump(json_t *value, const char *want)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str text = hoop_str_c("untouched");
    hoop_error error;
    assert_int_equal(hoop_json_dump(arena, value, 0, &text, &error), HOOP_EINVAL);
    assert_string_equal(error.text, want);
    assert_str(text, "untouched");
    json_decref(value);
    hoop_arena_free(arena);
}

static void test_dump_names_the_place(void **state)
{
    refuse_dump(NULL, "$: the value is no array or object, and JSON_ENCODE_ANY is not set");
    refuse_dump(json_integer(1),
                "$: the value is no array or object, and JSON_ENCODE_ANY is not set");
    refuse_dump(json_pack("{s:[n,{s:o}]}", "items", "a b", json_string_nocheck("\xff")),
                "$.items[1][\"a b\"]: the text is no UTF-8");
    json_t *object = json_object();
    json_object_set_new_nocheck(object, "\xff", json_null());
    refuse_dump(json_pack("[o]", object), "$[0]: the text is no UTF-8");
    json_t *deep = nested(HOOP__JSON_DEPTH, json_array());
    hoop_error error;
    hoop_str text;
    hoop_arena *arena = hoop_arena_new();
    assert_int_equal(hoop_json_dump(arena, deep, 0, &text, &error), HOOP_EINVAL);
    assert_non_null(strstr(error.text, "...[0].a[0].a"));
    assert_non_null(strstr(error.text, ": too many levels of arrays and objects"));
    assert_int_equal(hoop_json_dump(NULL, deep, 0, &text, &error), HOOP_EINVAL);
    assert_string_equal(error.text, "arena and ret_text may not be NULL");
    json_decref(deep);
    hoop_arena_free(arena);
}

static void dump_once(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = failing_arena(allocator);
    hoop_str text;
    if (!arena)
        return;
    int rc = hoop_json_dump(arena, data, JSON_SORT_KEYS | JSON_REAL_PRECISION(5), &text, NULL);
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    hoop_arena_free(arena);
}

static void test_dump_allocations(void **state)
{
    json_t *value = json_array();
    for (int i = 0; i < 100; i++)
        json_array_append_new(value, json_pack("{s:f,s:{s:i}}", "b", 0.1, "a", "x", i));
    test_each_allocation(dump_once, value);
    json_decref(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_containers),
        cmocka_unit_test(test_key_with_nul),
        cmocka_unit_test(test_locale),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_loop),
        cmocka_unit_test(test_every_room),
        cmocka_unit_test(test_gives_back),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_limit),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_random),
        cmocka_unit_test(test_each_combination),
        cmocka_unit_test(test_dump),
        cmocka_unit_test(test_dump_names_the_place),
        cmocka_unit_test(test_dump_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
