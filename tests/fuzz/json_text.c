/*
 * Fuzz target: the serialiser and the writer beside jansson. The first two bytes choose the flags, the rest is a JSON
 * text. With a precision the serialiser gives jansson's bytes; without, a text that reads back as an equal
 * value. The writer, in an arena and flushed, gives what the serialiser gives.
 */
#include "support.h"

#include <hoop/json.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(int right)
{
    if (!right)
        abort();
}

static size_t flags_of(const uint8_t *data)
{
    static const size_t bits[] = { JSON_COMPACT,    JSON_ENSURE_ASCII, JSON_SORT_KEYS,
                                   JSON_ENCODE_ANY, JSON_ESCAPE_SLASH, JSON_EMBED };
    size_t flags = JSON_INDENT(data[1] & 31);
    for (size_t i = 0; i < HOOP_COUNT(bits); i++)
        flags |= data[0] >> i & 1 ? bits[i] : 0;
    return flags;
}

static void try_dump(hoop_arena *arena, const json_t *value, size_t flags)
{
    hoop_str text, shortest;
    size_t exact = flags | JSON_REAL_PRECISION(17);
    int rc = hoop_json_dump(arena, value, exact, &text, NULL);
    if (!(flags & JSON_ENCODE_ANY) && !json_is_array(value) && !json_is_object(value)) {
        check(rc == HOOP_EINVAL);
        return;
    }
    check(rc == 0);
    size_t len = json_dumpb(value, NULL, 0, exact);
    char *want = malloc(len + 1);
    check(want && len == text.len && json_dumpb(value, want, len, exact) == len);
    check(memcmp(want, text.data, len) == 0);
    free(want);
    check(hoop_json_dump(arena, value, flags, &shortest, NULL) == 0);
    check(shortest.len <= text.len);
    if (flags & JSON_EMBED)
        return;
    json_t *again = json_loadb(shortest.data, shortest.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    check(json_equal(again, value));
    json_decref(again);
}

static int collect(hoop_str bytes, void *data)
{
    hoop_str *left = data;
    check(bytes.len > 0 && bytes.len <= left->len &&
          memcmp(bytes.data, left->data, bytes.len) == 0);
    *left = hoop_str_n(left->data + bytes.len, left->len - bytes.len);
    return 0;
}

static void try_writer(hoop_arena *arena, const json_t *value, uint32_t indent, uint32_t ascii)
{
    hoop_str text, want;
    size_t flags = JSON_ENCODE_ANY | JSON_INDENT(indent) | (indent ? 0 : JSON_COMPACT) |
                   (ascii ? JSON_ENSURE_ASCII : 0);
    check(hoop_json_dump(arena, value, flags, &want, NULL) == 0);
    hoop_json_writer_options options = { .indent = indent, .ascii = ascii };
    hoop_json_writer *w = hoop_json_writer_new_with(arena, &options);
    hoop_json_write_value(w, value);
    check(hoop_json_writer_finish(w, &text, NULL) == 0 && hoop_str_eq(text, want));
    options.flush = collect;
    options.data = &want;
    options.buffer_size = 1;
    w = hoop_json_writer_new_with(arena, &options);
    hoop_json_write_value(w, value);
    check(hoop_json_writer_finish(w, NULL, NULL) == 0 && want.len == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3 || size > 20000)
        return 0;
    json_t *value = json_loadb((const char *)data + 2, size - 2,
                               JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES, NULL);
    if (!value)
        return 0;
    hoop_arena *arena = hoop_arena_new();
    try_dump(arena, value, flags_of(data));
    try_writer(arena, value, data[1] & 31, data[0] >> 1 & 1);
    hoop_arena_free(arena);
    json_decref(value);
    return 0;
}
