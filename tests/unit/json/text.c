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
    assert_int_equal(hoop__json_text(arena, value, &text), 0);
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
    EXPECT(json_real(-1e300), "-1.0000000000000001e300");
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
    assert_int_equal(hoop__json_text(arena, value, &text), HOOP_EINVAL);
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
        assert_int_equal(hoop__json_text(arena, value, &text), 0);
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
    assert_int_equal(hoop__json_text(arena, value, &text), 0);
    char *next = hoop_arena_alloc(arena, 16);
    assert_ptr_equal(text.data, first + 16);
    assert_ptr_equal(next, first + 32);
    json_decref(value);

    value = json_string_nocheck("\xff");
    assert_int_equal(hoop__json_text(arena, value, &text), HOOP_EINVAL);
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
    assert_int_equal(hoop__json_text(arena, value, &text), HOOP_ENOMEM);
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
    int rc = hoop__json_text(arena, data, &text);
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

static void test_random(void **state)
{
    uint64_t seed = 8259;
    for (int i = 0; i < 20000; i++) {
        json_t *value = random_json(&seed, 5);
        char *want = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
        expect(value, want, strlen(want));
        free(want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scalars),     cmocka_unit_test(test_strings),
        cmocka_unit_test(test_containers),  cmocka_unit_test(test_key_with_nul),
        cmocka_unit_test(test_locale),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_depth),       cmocka_unit_test(test_loop),
        cmocka_unit_test(test_every_room),  cmocka_unit_test(test_gives_back),
        cmocka_unit_test(test_large),       cmocka_unit_test(test_limit),
        cmocka_unit_test(test_allocations), cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
