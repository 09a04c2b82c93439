/* What the tests of the readers share: text of the exact size, and a reader's events as text. */
#ifndef HOOP_TEST_JSON_READER_TOOLS_H
#define HOOP_TEST_JSON_READER_TOOLS_H

#include "tools.h"

#include <stdio.h>

/* A copy with nothing behind it, so that reading too far is seen. Freed by the caller. */
static inline hoop_str exactly(const char *data, size_t len)
{
    char *copy = malloc(len ? len : 1);
    assert_non_null(copy);
    if (len)
        memcpy(copy, data, len);
    return hoop_str_n(copy, len);
}

static inline void drop_exact(hoop_str text)
{
    free((void *)(uintptr_t)text.data);
}

static inline void data_path(char *out, size_t cap, const char *name)
{
    const char *here = __FILE__, *end = strstr(here, "unit/json");
    snprintf(out, cap, "%.*sdata/json/%s", (int)(end - here), here, name);
}

/* A file of tests/data/json, of the exact size. */
static inline hoop_str data_file(const char *name)
{
    static char data[1 << 20];
    char path[1024];
    data_path(path, sizeof path, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("%s can't be read", path);
    size_t len = fread(data, 1, sizeof data, f);
    fclose(f);
    return exactly(data, len);
}

/* What a reader told: pieces of a string are joined, since where they are cut is nobody's business. */
struct told {
    char *text;
    size_t len, cap;
    int in_string, stop_at, count;
};

static inline int tell_bytes(struct told *told, const char *bytes, size_t len)
{
    if (told->len + len + 1 > told->cap) {
        told->cap = (told->len + len + 1) * 2;
        told->text = realloc(told->text, told->cap);
        assert_non_null(told->text);
    }
    if (len)
        memcpy(told->text + told->len, bytes, len);
    told->len += len;
    told->text[told->len] = 0;
    return ++told->count == told->stop_at ? -77 : 0;
}

static inline int tell_object_begin(void *told)
{
    return tell_bytes(told, "{ ", 2);
}

static inline int tell_object_end(void *told)
{
    return tell_bytes(told, "} ", 2);
}

static inline int tell_array_begin(void *told)
{
    return tell_bytes(told, "[ ", 2);
}

static inline int tell_array_end(void *told)
{
    return tell_bytes(told, "] ", 2);
}

static inline int tell_key(hoop_str key, void *told)
{
    tell_bytes(told, key.data, key.len);
    return tell_bytes(told, ": ", 2);
}

static inline int tell_number(hoop_str number, void *told)
{
    tell_bytes(told, number.data, number.len);
    return tell_bytes(told, " ", 1);
}

static inline int tell_boolean(int value, void *told)
{
    return value ? tell_bytes(told, "true ", 5) : tell_bytes(told, "false ", 6);
}

static inline int tell_null(void *told)
{
    return tell_bytes(told, "null ", 5);
}

static inline int tell_text_end(void *told)
{
    return tell_bytes(told, "; ", 2);
}

static inline int tell_string(hoop_str piece, int last, void *data)
{
    struct told *told = data;
    if (!told->in_string)
        tell_bytes(told, "'", 1);
    told->in_string = !last;
    int rc = tell_bytes(told, piece.data, piece.len);
    return last ? tell_bytes(told, "' ", 2) : rc;
}

static inline int tell_broken(const hoop_json_error *error, void *data)
{
    struct told *told = data;
    told->in_string = 0;
    tell_bytes(told, "<", 1);
    tell_bytes(told, error->text, strlen(error->text));
    return tell_bytes(told, "> ", 2);
}

static const hoop_json_events tell_all = {
    .object_begin = tell_object_begin,
    .object_end = tell_object_end,
    .array_begin = tell_array_begin,
    .array_end = tell_array_end,
    .key = tell_key,
    .number = tell_number,
    .boolean = tell_boolean,
    .null = tell_null,
    .text_end = tell_text_end,
    .string = tell_string,
};

/* Reads a text in pieces that end at `first`, and then every `step` bytes. The code, and the error. */
static inline int read_pieces(hoop_str text, size_t first, size_t step,
                              const hoop_json_events *events, struct told *told,
                              const hoop_json_reader_options *options, hoop_json_error *ret_error)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_json_reader *reader = hoop_json_reader_new(arena, events, told, options);
    assert_non_null(reader);
    int rc = 0;
    for (size_t at = 0, len = first; rc == 0 && at < text.len; at += len, len = step) {
        len = len < text.len - at ? len : text.len - at;
        hoop_str piece = exactly(text.data + at, len);
        rc = hoop_json_reader_feed(reader, piece);
        drop_exact(piece);
    }
    if (rc == 0)
        rc = hoop_json_reader_end(reader);
    const hoop_json_error *error = hoop_json_reader_error(reader);
    assert_int_equal(rc, error ? error->code : 0);
    if (error) {
        assert_int_equal(hoop_json_reader_feed(reader, hoop_str_c("1")), rc);
        assert_int_equal(hoop_json_reader_end(reader), rc);
        *ret_error = *error;
    }
    hoop_arena_free(arena);
    return rc;
}

static inline void same_error(const hoop_json_error *a, const hoop_json_error *b)
{
    assert_string_equal(a->text, b->text);
    assert_int_equal(a->offset, b->offset);
    assert_int_equal(a->line, b->line);
    assert_int_equal(a->column, b->column);
    assert_int_equal(a->code, b->code);
}

#endif
