/* The writer: exact bytes, every mistake with its place, flushing, and want of memory. */
#include "tools.h"

#include "base/arena.h"

#include <math.h>
#include <stdio.h>

/* --- what is written ------------------------------------------------------------------------------ */

typedef void write_fn(hoop_json_writer *w);

/* Collects what is flushed. */
struct sink {
    char text[200000];
    size_t len;
    size_t calls;
    int code;       /* what to return */
    size_t fail_at; /* from which call on; 0: never */
};

static int collect(hoop_str bytes, void *data)
{
    struct sink *sink = data;
    assert_true(bytes.len > 0);
    assert_true(sink->len + bytes.len <= sizeof sink->text);
    memcpy(sink->text + sink->len, bytes.data, bytes.len);
    sink->len += bytes.len;
    sink->calls++;
    return sink->fail_at && sink->calls >= sink->fail_at ? sink->code : 0;
}

static struct sink sink; /* large, so not on the stack */

static void reset_sink(void)
{
    sink.len = sink.calls = sink.fail_at = 0;
}

/* By options, in the arena and flushed: the same text. */
static void expect_with(write_fn *fn, hoop_json_writer_options options, const char *want,
                        size_t len)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_json_writer *w = hoop_json_writer_new_with(arena, &options);
    hoop_str text = hoop_str_none();
    hoop_error error = { 0, "" };
    fn(w);
    if (hoop_json_writer_finish(w, &text, &error))
        fail_msg("%s", error.text);
    assert_bytes(text.data, text.len, want, len);
    assert_int_equal(text.data[text.len], 0);

    reset_sink();
    options.flush = collect;
    options.data = &sink;
    options.buffer_size = 512;
    w = hoop_json_writer_new_with(arena, &options);
    fn(w);
    assert_int_equal(hoop_json_writer_finish(w, &text, &error), 0);
    assert_true(hoop_str_is_none(text));
    assert_bytes(sink.text, sink.len, want, len);
    hoop_arena_free(arena);
}

static void expect(write_fn *fn, const char *want)
{
    hoop_json_writer_options options = { 0 };
    expect_with(fn, options, want, strlen(want));
}

static void write_example(hoop_json_writer *w)
{
    hoop_json_begin_object(w);
    hoop_json_write_key(w, "id");
    hoop_json_write_int(w, 7);
    hoop_json_write_key(w, "items");
    hoop_json_begin_array(w);
    hoop_json_begin_object(w);
    hoop_json_end_object(w);
    hoop_json_begin_array(w);
    hoop_json_end_array(w);
    hoop_json_write_string(w, "a/b");
    hoop_json_write_string(w, NULL);
    hoop_json_write_str(w, hoop_str_none());
    hoop_json_write_str(w, hoop_str_n("x\0y", 3));
    hoop_json_write_double(w, 0.1);
    hoop_json_write_double(w, -2);
    hoop_json_write_bool(w, 1);
    hoop_json_write_bool(w, 0);
    hoop_json_write_null(w);
    hoop_json_write_uint(w, UINT64_MAX);
    hoop_json_write_int(w, INT64_MIN);
    hoop_json_write_raw(w, hoop_str_c("{\"raw\":1}"));
    hoop_json_end_array(w);
    hoop_json_write_key_str(w, hoop_str_c("\"k\xc3\xa4\""));
    hoop_json_begin_object(w);
    hoop_json_write_key(w, "");
    hoop_json_write_null(w);
    hoop_json_end_object(w);
    hoop_json_end_object(w);
}

static void test_compact(void **state)
{
    expect(
        write_example,
        "{\"id\":7,\"items\":[{},[],\"a/b\",null,null,\"x\\u0000y\",0.1,-2.0,true,false,null,"
        "18446744073709551615,-9223372036854775808,{\"raw\":1}],\"\\\"k\xc3\xa4\\\"\":{\"\":null}}");
}

static void test_indent_and_ascii(void **state)
{
    static const char want[] = "{\n"
                               "  \"id\": 7,\n"
                               "  \"items\": [\n"
                               "    {},\n"
                               "    [],\n"
                               "    \"a/b\",\n"
                               "    null,\n"
                               "    null,\n"
                               "    \"x\\u0000y\",\n"
                               "    0.1,\n"
                               "    -2.0,\n"
                               "    true,\n"
                               "    false,\n"
                               "    null,\n"
                               "    18446744073709551615,\n"
                               "    -9223372036854775808,\n"
                               "    {\"raw\":1}\n"
                               "  ],\n"
                               "  \"\\\"k\\u00E4\\\"\": {\n"
                               "    \"\": null\n"
                               "  }\n"
                               "}";
    expect_with(write_example, (hoop_json_writer_options){ .indent = 2, .ascii = 1 }, want,
                sizeof want - 1);
}

static void write_scalar(hoop_json_writer *w)
{
    hoop_json_write_string(w, "Hello, World!");
}

static void write_empty(hoop_json_writer *w)
{
    hoop_json_begin_array(w);
    hoop_json_end_array(w);
}

static void test_roots(void **state)
{
    expect(write_scalar, "\"Hello, World!\"");
    expect(write_empty, "[]");
    expect_with(write_empty, (hoop_json_writer_options){ .indent = 4 }, "[]", 2);
}

static void write_three(hoop_json_writer *w)
{
    hoop_json_write_int(w, 1);
    hoop_json_begin_object(w);
    hoop_json_write_members(w, HOOP_JSON_STR("a", "b"), HOOP_JSON_NULL("n"));
    hoop_json_end_object(w);
    hoop_json_write_string(w, "x");
}

static void write_nothing(hoop_json_writer *w)
{
}

static void test_sequences(void **state)
{
    static const char lines[] = "1\n{\"a\":\"b\",\"n\":null}\n\"x\"\n";
    static const char records[] = "\x1e"
                                  "1\n\x1e{\"a\":\"b\",\"n\":null}\n\x1e\"x\"\n";
    hoop_json_writer_options options = { .sequence = HOOP_JSON_LINES };
    expect_with(write_three, options, lines, sizeof lines - 1);
    options.indent = 2; /* a line is a line */
    expect_with(write_three, options, lines, sizeof lines - 1);
    expect_with(write_nothing, options, "", 0);
    options.indent = 0;
    options.sequence = HOOP_JSON_SEQ;
    expect_with(write_three, options, records, sizeof records - 1);
}

static void write_deep(hoop_json_writer *w)
{
    for (int i = 0; i < 100; i++) {
        hoop_json_begin_object(w);
        hoop_json_write_key(w, "k");
        hoop_json_begin_array(w);
    }
    for (int i = 0; i < 100; i++) {
        hoop_json_end_array(w);
        hoop_json_end_object(w);
    }
}

static void test_levels(void **state)
{
    char want[1200] = "";
    for (int i = 0; i < 100; i++)
        strcat(want, "{\"k\":[");
    for (int i = 0; i < 100; i++)
        strcat(want, "]}");
    expect(write_deep, want);
}

static void write_members(hoop_json_writer *w)
{
    json_t *value = json_pack("[i,{s:b}]", 1, "t", 1);
    hoop_json_begin_object(w);
    hoop_json_write_members(w, HOOP_JSON_STR("s", "text"), HOOP_JSON_STR("none", NULL),
                            HOOP_JSON_STRN("n", hoop_str_n("abc", 2)), HOOP_JSON_INT("i", -7),
                            HOOP_JSON_UINT("u", UINT64_MAX), HOOP_JSON_DOUBLE("d", 1.5),
                            HOOP_JSON_BOOL("b", 42), HOOP_JSON_BOOL("c", 0), HOOP_JSON_NULL("z"),
                            HOOP_JSON_RAW("r", hoop_str_c("[0]")), HOOP_JSON_VALUE("v", value));
    hoop_json_write_key(w, "w");
    hoop_json_write_value(w, value);
    hoop_json_end_object(w);
    json_decref(value);
}

static void test_members(void **state)
{
    expect(write_members, "{\"s\":\"text\",\"none\":null,\"n\":\"ab\",\"i\":-7,"
                          "\"u\":18446744073709551615,\"d\":1.5,\"b\":true,\"c\":false,\"z\":null,"
                          "\"r\":[0],\"v\":[1,{\"t\":true}],\"w\":[1,{\"t\":true}]}");
}

static void write_value_in(hoop_json_writer *w)
{
    json_t *value = json_pack("{s:[i,i],s:{}}", "a", 1, 2, "b");
    hoop_json_begin_array(w);
    hoop_json_write_value(w, value);
    hoop_json_write_int(w, 3);
    hoop_json_end_array(w);
    json_decref(value);
}

static void test_values_take_the_form(void **state)
{
    static const char want[] = "[\n {\n  \"a\": [\n   1,\n   2\n  ],\n  \"b\": {}\n },\n 3\n]";
    expect(write_value_in, "[{\"a\":[1,2],\"b\":{}},3]");
    expect_with(write_value_in, (hoop_json_writer_options){ .indent = 1 }, want, sizeof want - 1);
}

/* --- mistakes --------------------------------------------------------------------------------------- */

static void refuse_with(write_fn *fn, hoop_json_writer_options options, const char *want)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_json_writer *w = hoop_json_writer_new_with(arena, &options);
    hoop_str text = hoop_str_c("untouched");
    hoop_error error = { 0, "" };
    fn(w);
    int code = hoop_json_writer_code(w);
    assert_true(code == 0 || code == HOOP_EINVAL);
    /* What comes behind a mistake changes nothing. */
    if (code)
        write_example(w);
    assert_int_equal(hoop_json_writer_finish(w, &text, &error), HOOP_EINVAL);
    assert_string_equal(error.text, want);
    assert_int_equal(error.code, HOOP_EINVAL);
    assert_str(text, "untouched");
    assert_int_equal(hoop_json_writer_finish(w, NULL, NULL), HOOP_EINVAL);
    hoop_arena_free(arena);
}

static void refuse(write_fn *fn, const char *want)
{
    hoop_json_writer_options options = { 0 };
    refuse_with(fn, options, want);
    reset_sink();
    options.flush = collect;
    options.data = &sink;
    refuse_with(fn, options, want);
}

/* {"items":[0,1,2,{"price": and then */
static void open_price(hoop_json_writer *w)
{
    hoop_json_begin_object(w);
    hoop_json_write_key(w, "items");
    hoop_json_begin_array(w);
    for (int i = 0; i < 3; i++)
        hoop_json_write_int(w, i);
    hoop_json_begin_object(w);
    hoop_json_write_key(w, "price");
}

#define MISTAKE(name, ...)                \
    static void name(hoop_json_writer *w) \
    {                                     \
        __VA_ARGS__                       \
    }

MISTAKE(put_nan, open_price(w); hoop_json_write_double(w, NAN);)
MISTAKE(put_infinity, open_price(w); hoop_json_write_double(w, -INFINITY);)
MISTAKE(put_latin1, open_price(w); hoop_json_write_string(w, "caf\xe9");)
MISTAKE(put_latin1_key, hoop_json_begin_array(w); hoop_json_begin_object(w);
        hoop_json_write_key(w, "caf\xe9");)
MISTAKE(put_two_keys, open_price(w); hoop_json_write_key(w, "b");)
MISTAKE(put_no_key, open_price(w); hoop_json_write_null(w); hoop_json_write_int(w, 1);)
MISTAKE(put_nan_without_key, hoop_json_begin_object(w); hoop_json_write_double(w, NAN);)
MISTAKE(end_after_key, open_price(w); hoop_json_end_object(w);)
MISTAKE(end_array_for_object, open_price(w); hoop_json_write_null(w); hoop_json_end_array(w);)
MISTAKE(end_object_for_array, hoop_json_begin_array(w); hoop_json_write_null(w);
        hoop_json_end_object(w);)
MISTAKE(end_nothing, hoop_json_end_object(w);)
MISTAKE(end_twice, hoop_json_begin_array(w); hoop_json_end_array(w); hoop_json_end_array(w);)
MISTAKE(two_roots, hoop_json_write_int(w, 1); hoop_json_write_int(w, 2);)
MISTAKE(key_at_root, hoop_json_write_key(w, "a");)
MISTAKE(key_in_array, hoop_json_begin_array(w); hoop_json_write_key(w, "a");)
MISTAKE(key_null, hoop_json_begin_object(w); hoop_json_write_key(w, NULL);)
MISTAKE(not_ended_object, open_price(w); hoop_json_write_null(w);)
MISTAKE(not_ended_array, hoop_json_begin_array(w);)
MISTAKE(raw_empty, hoop_json_begin_array(w); hoop_json_write_raw(w, hoop_str_c(""));)
MISTAKE(odd_key, hoop_json_begin_object(w); hoop_json_write_key(w, "a\"b\n");
        hoop_json_write_double(w, NAN);)
MISTAKE(value_null, open_price(w); hoop_json_write_value(w, NULL);)

static void value_within(hoop_json_writer *w)
{
    json_t *value = json_pack("[n,{s:o}]", "name", json_string_nocheck("\xff"));
    open_price(w);
    hoop_json_write_value(w, value);
    json_decref(value);
}

static void odd_member(hoop_json_writer *w)
{
    hoop_json_member member = hoop_json_member_of("k", 99);
    hoop_json_begin_object(w);
    hoop_json_write_members_sized(w, &member, 1, sizeof member);
}

static void test_mistakes(void **state)
{
    refuse(put_nan, "$.items[3].price: NaN is no number of JSON");
    refuse(put_infinity, "$.items[3].price: an infinity is no number of JSON");
    refuse(put_latin1, "$.items[3].price: the text is no UTF-8");
    refuse(put_latin1_key, "$[0]: the text is no UTF-8");
    refuse(put_two_keys, "$.items[3].price: a key follows a key that has no value");
    refuse(put_no_key, "$.items[3]: a value stands where a key is due");
    refuse(put_nan_without_key, "$: a value stands where a key is due");
    refuse(end_after_key,
           "$.items[3].price: the object is ended where the value of its last key is due");
    refuse(end_array_for_object, "$.items[3]: an array is ended, but none is open here");
    refuse(end_object_for_array, "$[1]: an object is ended, but none is open here");
    refuse(end_nothing, "$: an object is ended, but none is open here");
    refuse(end_twice, "$: an array is ended, but none is open here");
    refuse(two_roots, "$: a value follows the end of the text");
    refuse(key_at_root, "$: a key stands outside of an object");
    refuse(key_in_array, "$[0]: a key stands outside of an object");
    refuse(key_null, "$: the key is NULL");
    refuse(not_ended_object, "$.items[3]: the object was not ended");
    refuse(not_ended_array, "$[0]: the array was not ended");
    refuse(write_nothing, "$: nothing was written");
    refuse(raw_empty, "$[0]: the raw text is empty");
    refuse(odd_key, "$[\"a\\\"b\\n\"]: NaN is no number of JSON");
    refuse(value_null, "$.items[3].price: the value is NULL");
    refuse(value_within, "$.items[3].price[1].name: the text is no UTF-8");
    refuse(odd_member, "$.k: the member has a type that is not known");
    refuse_with(write_scalar, (hoop_json_writer_options){ .sequence = 3 },
                "$: the option sequence is none of HOOP_JSON_ONE, _LINES, _SEQ");
}

MISTAKE(three_levels, hoop_json_begin_array(w); hoop_json_begin_array(w); hoop_json_begin_array(w);)

static void value_of_levels(hoop_json_writer *w)
{
    json_t *value = json_pack("[[]]");
    hoop_json_begin_array(w);
    hoop_json_write_value(w, value);
    json_decref(value);
}

static void test_depth(void **state)
{
    refuse_with(three_levels, (hoop_json_writer_options){ .max_depth = 2 },
                "$[0][0]: too many levels of arrays and objects");
    refuse_with(value_of_levels, (hoop_json_writer_options){ .max_depth = 2 },
                "$[0][0]: too many levels of arrays and objects");
    hoop_arena *arena = hoop_arena_new();
    hoop_json_writer *w = hoop_json_writer_new(arena);
    for (int i = 0; i < 2048; i++)
        hoop_json_begin_array(w);
    assert_int_equal(hoop_json_writer_code(w), 0);
    hoop_json_begin_array(w);
    assert_int_equal(hoop_json_writer_code(w), HOOP_EINVAL);
    hoop_error error;
    assert_int_equal(hoop_json_writer_finish(w, NULL, &error), HOOP_EINVAL);
    assert_int_equal(strncmp(error.text, "...[0][0]", 9), 0);
    w = hoop_json_writer_new_with(arena, &(hoop_json_writer_options){ .max_depth = HOOP_OFF32 });
    for (int i = 0; i < 10000; i++)
        hoop_json_begin_array(w);
    json_t *value = json_array();
    hoop_json_write_value(w, value); /* values have the usual limit, since they may be loops */
    assert_int_equal(hoop_json_writer_code(w), HOOP_EINVAL);
    json_decref(value);
    hoop_arena_free(arena);
}

static void test_null_writer(void **state)
{
    hoop_error error;
    write_example(NULL);
    write_members(NULL);
    hoop_json_write_double(NULL, NAN);
    hoop_json_write_key(NULL, NULL);
    assert_int_equal(hoop_json_writer_code(NULL), HOOP_ENOMEM);
    assert_int_equal(hoop_json_writer_flush(NULL), HOOP_ENOMEM);
    assert_int_equal(hoop_json_writer_finish(NULL, NULL, &error), HOOP_ENOMEM);
    assert_string_equal(error.text, "out of memory");
    assert_null(hoop_json_writer_new(NULL));
}

static void test_once(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_json_writer *w = hoop_json_writer_new(arena);
    hoop_error error;
    hoop_json_write_int(w, 1);
    assert_int_equal(hoop_json_writer_finish(w, NULL, NULL), 0);
    hoop_json_write_int(w, 1);
    assert_int_equal(hoop_json_writer_finish(w, NULL, &error), HOOP_EALREADY);
    assert_string_equal(error.text, "the text was ended before");
    hoop_arena_free(arena);
}

/* --- flushing --------------------------------------------------------------------------------------- */

static void write_large(hoop_json_writer *w)
{
    char text[3000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "abc \"\n\xc3\xa4"[i % 8];
    hoop_json_begin_object(w);
    for (size_t i = 0; i < 40; i++) {
        hoop_json_write_key_str(w, hoop_str_n(text, i * 8));
        hoop_json_begin_array(w);
        for (size_t n = 0; n < 30; n++)
            hoop_json_write_str(w, hoop_str_n(text, n * 24 + i * 8));
        hoop_json_write_str(w, hoop_str_n(text, sizeof text));
        hoop_json_write_raw(w, hoop_str_n("[1234567890]", 12));
        hoop_json_end_array(w);
    }
    hoop_json_end_object(w);
}

static void write_large_raw(hoop_json_writer *w)
{
    static char digits[5000];
    memset(digits, '7', sizeof digits);
    hoop_json_begin_array(w);
    hoop_json_write_raw(w, hoop_str_n(digits, sizeof digits));
    hoop_json_end_array(w);
}

/* What the arena's writer wrote, every buffer's size gives. */
static void check_sizes(write_fn *fn, hoop_json_writer_options options)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_json_writer *w = hoop_json_writer_new_with(arena, &options);
    hoop_str want;
    static char copy[1000000];
    fn(w);
    assert_int_equal(hoop_json_writer_finish(w, &want, NULL), 0);
    assert_true(want.len < sizeof copy);
    memcpy(copy, want.data, want.len);
    hoop_arena_free(arena);
    for (size_t size = 1; size < 2000; size += size < 500 ? 499 : 13) {
        reset_sink();
        arena = hoop_arena_new();
        options.flush = collect;
        options.data = &sink;
        options.buffer_size = size;
        w = hoop_json_writer_new_with(arena, &options);
        fn(w);
        assert_int_equal(hoop_json_writer_finish(w, NULL, NULL), 0);
        assert_int_equal(sink.len, want.len);
        assert_memory_equal(sink.text, copy, want.len);
        assert_true(hoop_arena_size(arena) < 45000); /* 200 levels are most of it */
        hoop_arena_free(arena);
    }
}

static void test_every_buffer_size(void **state)
{
    check_sizes(write_large_raw, (hoop_json_writer_options){ .indent = 0 });
    check_sizes(write_example, (hoop_json_writer_options){ .indent = 31 });
    check_sizes(write_deep, (hoop_json_writer_options){ .indent = 1 });
}

static void test_large_is_flushed(void **state)
{
    static char text[2000000];
    hoop_arena *arena = hoop_arena_new();
    for (uint32_t ascii = 0; ascii < 2; ascii++) {
        hoop_json_writer_options options = { .ascii = ascii };
        hoop_json_writer *w = hoop_json_writer_new_with(arena, &options);
        hoop_str want;
        write_large(w);
        assert_int_equal(hoop_json_writer_finish(w, &want, NULL), 0);
        json_t *value = json_loadb(want.data, want.len, 0, NULL);
        assert_non_null(value);
        size_t flags = JSON_COMPACT | (ascii ? JSON_ENSURE_ASCII : 0);
        size_t len = json_dumpb(value, text, sizeof text, flags);
        assert_int_equal(len, want.len);
        assert_memory_equal(text, want.data, len);
        json_decref(value);
    }
    hoop_arena_free(arena);
}

/* The places of mistakes outlive the buffer. */
static void test_place_after_a_flush(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_error error;
    for (size_t count = 0; count < 300; count++) {
        reset_sink();
        hoop_json_writer *w = hoop_json_writer_new_with(
            arena,
            &(hoop_json_writer_options){ .flush = collect, .data = &sink, .buffer_size = 1 });
        hoop_json_begin_object(w);
        hoop_json_write_key(w, "a list of things, with a name that is too long to be kept");
        hoop_json_begin_array(w);
        for (size_t i = 0; i < count; i++)
            hoop_json_write_int(w, 100);
        hoop_json_begin_object(w);
        if (count % 3 == 0)
            assert_int_equal(hoop_json_writer_flush(w), 0);
        hoop_json_write_key(w, "price");
        if (count % 3 == 1)
            assert_int_equal(hoop_json_writer_flush(w), 0);
        hoop_json_begin_object(w);
        hoop_json_write_key(w, "x");
        hoop_json_write_double(w, NAN);
        assert_int_equal(hoop_json_writer_finish(w, NULL, &error), HOOP_EINVAL);
        char place[100];
        snprintf(place, sizeof place, "[%zu].price.x: NaN is no number of JSON", count);
        const char *found = strchr(error.text + 3, ']');
        assert_int_equal(strncmp(error.text, "$[\"a list of things, with a name", 31), 0);
        assert_non_null(found);
        assert_string_equal(found + 1, place);
    }
    hoop_arena_free(arena);
}

static void test_flush_by_hand(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    reset_sink();
    hoop_json_writer *w = hoop_json_writer_new_with(
        arena, &(hoop_json_writer_options){
                   .flush = collect, .data = &sink, .sequence = HOOP_JSON_LINES });
    hoop_json_write_int(w, 12);
    assert_int_equal(hoop_json_writer_flush(w), 0);
    assert_bytes(sink.text, sink.len, "12\n", 3);
    hoop_json_begin_array(w);
    assert_int_equal(hoop_json_writer_flush(w), 0);
    hoop_json_write_int(w, 1);
    assert_int_equal(hoop_json_writer_flush(w), 0);
    assert_bytes(sink.text, sink.len, "12\n[1", 5);
    hoop_json_end_array(w);
    assert_int_equal(hoop_json_writer_flush(w), 0);
    assert_bytes(sink.text, sink.len, "12\n[1]\n", 7);
    assert_int_equal(hoop_json_writer_finish(w, NULL, NULL), 0);
    assert_bytes(sink.text, sink.len, "12\n[1]\n", 7);
    w = hoop_json_writer_new(arena);
    assert_int_equal(hoop_json_writer_flush(w), 0); /* nothing to do */
    hoop_arena_free(arena);
}

static void start_json(hoop_sink *sink, void *data)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_json_writer *w = hoop_json_writer_new_with(
        arena, &(hoop_json_writer_options){
                   .flush = hoop_json_flush_to_stream, .data = sink, .buffer_size = 512 });
    hoop_json_begin_array(w);
    for (int i = 0; i < 500; i++)
        hoop_json_write_int(w, i);
    hoop_json_end_array(w);
    *(int *)data = hoop_json_writer_finish(w, NULL, NULL);
    hoop_stream_end(sink);
    hoop_arena_free(arena);
}

static const hoop_response *stream_json(const hoop_request *req, void *data)
{
    return hoop_stream(req, 200, "application/json",
                       &(hoop_stream_options){ .start = start_json, .data = data });
}

static void test_into_a_stream(void **state)
{
    (void)state;
    int rc = 1;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *res = hoop_call_sync(hoop_fn(stream_json, &rc), req);
    hoop_str body = hoop_response_read(req, res);
    assert_int_equal(rc, 0);
    assert_int_equal(body.len, 1891);
    assert_memory_equal(body.data, "[0,1,2,", 7);
    assert_string_equal(body.data + body.len - 9, ",498,499]");
    hoop_arena_free(arena);
}

/* A writer of many numbers into a stream that takes a few at a time. */
struct many {
    hoop_arena *arena;
    hoop_json_writer *writer;
    int next, turns, code;
};

static void write_many(hoop_sink *sink, void *data)
{
    struct many *many = data;
    if (!many->writer) {
        many->writer = hoop_json_writer_new_with(
            many->arena, &(hoop_json_writer_options){ .flush = hoop_json_flush_to_stream,
                                                      .data = sink,
                                                      .buffer_size = 512 });
        hoop_json_begin_array(many->writer);
    }
    many->turns++;
    while (many->next < 20000) {
        hoop_json_write_int(many->writer, many->next++);
        many->code = hoop_json_writer_wait(many->writer);
        if (many->code)
            return;
    }
    hoop_json_end_array(many->writer);
    many->code = hoop_json_writer_finish(many->writer, NULL, NULL);
    hoop_stream_end(sink);
}

static const hoop_response *stream_many(const hoop_request *req, void *data)
{
    return hoop_stream(req, 200, "application/json",
                       &(hoop_stream_options){ .start = write_many,
                                               .drained = write_many,
                                               .data = data,
                                               .high_bytes = 1024,
                                               .max_bytes = 2048 });
}

/* Nothing is refused, since the writer waits for the reader. */
static void test_backpressure(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    struct many many = { .arena = arena };
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *res = hoop_call_sync(hoop_fn(stream_many, &many), req);
    hoop_str body = hoop_response_read(req, res);
    assert_int_equal(many.code, 0);
    assert_true(many.turns > 50);
    assert_int_equal(body.len, 108891);
    assert_memory_equal(body.data + body.len - 13, ",19998,19999]", 13);
    assert_int_equal(hoop_json_writer_wait(NULL), HOOP_ENOMEM);
    hoop_json_end_array(many.writer);
    assert_int_equal(hoop_json_writer_wait(many.writer), HOOP_EALREADY);
    hoop_arena_free(arena);
}

static void test_flush_fails(void **state)
{
    static const int codes[] = { HOOP_ECANCELED, HOOP_EINVAL, HOOP_ENOMEM };
    for (size_t c = 0; c < HOOP_COUNT(codes); c++)
        for (size_t at = 1; at < 400; at += at < 10 ? 1 : 37) {
            hoop_arena *arena = hoop_arena_new();
            reset_sink();
            sink.fail_at = at;
            sink.code = codes[c];
            hoop_json_writer *w = hoop_json_writer_new_with(
                arena, &(hoop_json_writer_options){
                           .flush = collect, .data = &sink, .buffer_size = 1, .indent = 1 });
            write_example(w);
            for (int i = 0; i < 4; i++)
                hoop_json_writer_flush(w);
            hoop_error error;
            int rc = hoop_json_writer_finish(w, NULL, &error);
            size_t calls = sink.calls;
            if (calls >= at) {
                assert_int_equal(calls, at);
                assert_int_equal(rc, codes[c]);
                assert_string_equal(error.text, hoop_strerror(codes[c]));
            } else {
                assert_int_equal(rc, 0);
            }
            hoop_arena_free(arena);
        }
}

/* --- memory ----------------------------------------------------------------------------------------- */

static void write_failing(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = failing_arena(allocator);
    if (!arena)
        return;
    reset_sink();
    hoop_json_writer *w = hoop_json_writer_new_with(arena, data);
    write_deep(w);
    int first = hoop_json_writer_finish(w, NULL, NULL);
    w = hoop_json_writer_new_with(arena, data);
    write_large_raw(w);
    hoop_error error;
    int rc = hoop_json_writer_finish(w, NULL, &error);
    assert_true((first == 0 || first == HOOP_ENOMEM) && (rc == 0 || rc == HOOP_ENOMEM));
    if (rc)
        assert_string_equal(error.text, "out of memory");
    hoop_arena_free(arena);
}

static void mistake_failing(struct test_allocator *allocator, void *data)
{
    hoop_arena *arena = failing_arena(allocator);
    if (!arena)
        return;
    hoop_json_writer *w = hoop_json_writer_new(arena);
    put_nan(w);
    hoop_error error;
    int rc = hoop_json_writer_finish(w, NULL, &error);
    assert_true(rc == HOOP_EINVAL || rc == HOOP_ENOMEM);
    assert_non_null(
        strstr(error.text, rc == HOOP_EINVAL ? "NaN is no number of JSON" : "out of memory"));
    hoop_arena_free(arena);
}

static void test_allocations(void **state)
{
    hoop_json_writer_options options = { .indent = 3 };
    test_each_allocation(write_failing, &options);
    options.flush = collect;
    options.data = &sink;
    reset_sink();
    test_each_allocation(write_failing, &options);
    test_each_allocation(mistake_failing, NULL);
}

/* Other allocations between the calls do no harm, and nothing beyond the text stays taken without them. */
static void test_arena(void **state)
{
    hoop_arena *arena = hoop_arena_new_with(&(hoop_arena_options){ .block_size = 512 });
    hoop_json_writer *w = hoop_json_writer_new(arena);
    hoop_json_begin_array(w);
    for (int i = 0; i < 2000; i++) {
        if (i % 7 == 0)
            memset(hoop_arena_alloc(arena, 40), 'x', 40);
        hoop_json_write_int(w, i % 10);
    }
    hoop_json_end_array(w);
    hoop_str text;
    assert_int_equal(hoop_json_writer_finish(w, &text, NULL), 0);
    assert_int_equal(text.len, 4001);
    for (size_t i = 0; i < 2000; i++)
        assert_int_equal(text.data[1 + 2 * i], '0' + i % 10);
    hoop_arena_free(arena);

    arena = hoop_arena_new();
    w = hoop_json_writer_new(arena);
    hoop_json_write_int(w, 1234);
    assert_int_equal(hoop_json_writer_finish(w, &text, NULL), 0);
    char *next = hoop_arena_alloc(arena, 1);
    assert_ptr_equal(next, text.data + 16);
    hoop_arena_free(arena);
}

/* A large text is moved by the allocator, so that little more than it is held. */
static void test_large_in_the_arena(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_json_writer *w = hoop_json_writer_new(arena);
    hoop_json_begin_array(w);
    for (int i = 0; i < 1000000; i++)
        hoop_json_write_string(w, "12345");
    hoop_json_end_array(w);
    hoop_str text;
    assert_int_equal(hoop_json_writer_finish(w, &text, NULL), 0);
    assert_int_equal(text.len, 8000001);
    assert_true(hoop_arena_size(arena) < 13000000);
    hoop_arena_free(arena);
}

/* --- responses -------------------------------------------------------------------------------------- */

static void test_respond(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    hoop_json_writer *w = hoop_json_writer_new(req->arena);
    write_empty(w);
    const hoop_response *res = hoop_json_respond(req, 201, w);
    assert_non_null(res);
    assert_int_equal(res->status, 201);
    assert_str(res->body, "[]");
    assert_str(hoop_response_header(res, "content-type"), "application/json");
    assert_int_equal(res->header_count, 1);
    res = hoop_json_object(req, 200, HOOP_JSON_STR("message", "Hello, World!"),
                           HOOP_JSON_INT("n", 7));
    assert_str(res->body, "{\"message\":\"Hello, World!\",\"n\":7}");
    assert_str(hoop_json_object_sized(req, 200, NULL, 0, 0)->body, "{}");
    assert_null(hoop_json_object(NULL, 200, HOOP_JSON_NULL("a")));
    assert_null(hoop_json_respond(NULL, 200, w));
    hoop_arena_free(arena);
}

static void expect_note(hoop_arena *arena, const hoop_request *req, const hoop_response *res,
                        int code, const char *text)
{
    assert_null(res);
    assert_non_null(hoop_failure(req));
    assert_int_equal(hoop_failure(req)->code, code);
    assert_string_equal(hoop_failure(req)->text, text);
    hoop_arena_free(arena);
}

static void test_respond_failures(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    expect_note(arena, req, hoop_json_object(req, 200, HOOP_JSON_DOUBLE("price", NAN)), HOOP_EINVAL,
                "JSON $.price: NaN is no number of JSON");

    arena = hoop_arena_new();
    req = hoop_mock(arena, "GET", "/", NULL);
    expect_note(arena, req, hoop_json_respond(req, 200, NULL), HOOP_ENOMEM, "out of memory");

    arena = hoop_arena_new();
    req = hoop_mock(arena, "GET", "/", NULL);
    hoop_arena *other = hoop_arena_new();
    hoop_json_writer *w = hoop_json_writer_new(other);
    write_empty(w);
    const hoop_response *res = hoop_json_respond(req, 200, w);
    hoop_arena_free(other);
    expect_note(arena, req, res, HOOP_EINVAL, "the JSON writer is not on the request's arena");

    arena = hoop_arena_new();
    req = hoop_mock(arena, "GET", "/", NULL);
    w = hoop_json_writer_new_with(req->arena,
                                  &(hoop_json_writer_options){ .flush = collect, .data = &sink });
    expect_note(arena, req, hoop_json_respond(req, 200, w), HOOP_EINVAL,
                "the JSON was handed on to the writer's flush function");

    arena = hoop_arena_new();
    req = hoop_mock(arena, "GET", "/", NULL);
    w = hoop_json_writer_new(req->arena);
    write_empty(w);
    expect_note(arena, req, hoop_json_respond(req, 99, w), HOOP_EINVAL,
                "status 99 is not between 200 and 599");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compact),
        cmocka_unit_test(test_indent_and_ascii),
        cmocka_unit_test(test_roots),
        cmocka_unit_test(test_sequences),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_members),
        cmocka_unit_test(test_values_take_the_form),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_null_writer),
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_every_buffer_size),
        cmocka_unit_test(test_large_is_flushed),
        cmocka_unit_test(test_place_after_a_flush),
        cmocka_unit_test(test_flush_by_hand),
        cmocka_unit_test(test_into_a_stream),
        cmocka_unit_test(test_backpressure),
        cmocka_unit_test(test_flush_fails),
        cmocka_unit_test(test_allocations),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_large_in_the_arena),
        cmocka_unit_test(test_respond),
        cmocka_unit_test(test_respond_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
