/* What the tests of JSON share: repeatable random values, and jansson on an allocator that fails. */
#ifndef HOOP_TEST_JSON_TOOLS_H
#define HOOP_TEST_JSON_TOOLS_H

#include "support.h"

#include <hoop/json.h>

/* xorshift64*; the state is the seed. */
static inline uint32_t random_below(uint64_t *state, uint32_t bound)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (uint32_t)((*state * UINT64_C(2685821657736338717)) >> 33) % bound;
}

/* Up to `max` bytes of `alphabet` in `arena`, NUL behind them. */
static inline hoop_str random_of(uint64_t *state, hoop_arena *arena, size_t max,
                                 const char *alphabet)
{
    size_t len = random_below(state, (uint32_t)max + 1);
    char *text = hoop_arena_alloc(arena, len + 1);
    assert_non_null(text);
    for (size_t i = 0; i < len; i++)
        text[i] = alphabet[random_below(state, (uint32_t)strlen(alphabet))];
    text[len] = '\0';
    return hoop_str_n(text, len);
}

/* Up to `max` bytes of any kind. */
static inline hoop_str random_bytes(uint64_t *state, hoop_arena *arena, size_t max)
{
    hoop_str s = random_of(state, arena, max, "abc \xc3\xa4\"\\");
    /* Half of them stay text. */
    if (random_below(state, 2))
        for (size_t i = 0; i < s.len; i++)
            ((char *)(uintptr_t)s.data)[i] = (char)random_below(state, 256);
    return s;
}

static inline json_t *random_json(uint64_t *state, int depth)
{
    static const char *const texts[] = {
        "",         "a",    "\xc3\xa4\xe2\x82\xac", "\"\\/\b\f\n\r\t",
        "\x01\x1f", "\x7f", "\xf0\x9f\x98\x80",     "long long text"
    };
    static const double reals[] = { 0.0, -0.0, 1.5, 1e300, -1e-300, 0.1, 123456789.125 };
    uint32_t kind = random_below(state, depth > 0 ? 8 : 6);
    json_t *value;
    switch (kind) {
    case 0:
        return json_string(texts[random_below(state, 8)]);
    case 1:
        return json_integer((json_int_t)random_below(state, 2000) - 1000);
    case 2:
        return json_real(reals[random_below(state, 7)]);
    case 3:
        return json_true();
    case 4:
        return json_false();
    case 5:
        return json_null();
    case 6:
        value = json_array();
        for (uint32_t n = random_below(state, 5); n > 0; n--)
            json_array_append_new(value, random_json(state, depth - 1));
        return value;
    default:
        value = json_object();
        for (uint32_t n = random_below(state, 5); n > 0; n--)
            json_object_set_new(value, texts[random_below(state, 8)],
                                random_json(state, depth - 1));
        return value;
    }
}

/* jansson takes its memory from here, so that its failures are met, too; NULL: from malloc. */
static struct test_allocator *jansson_memory;

static inline void *jansson_alloc(size_t size)
{
    return jansson_memory ? jansson_memory->hoop.alloc(size, jansson_memory) : malloc(size);
}

static inline void jansson_free(void *memory)
{
    if (jansson_memory)
        jansson_memory->hoop.free(memory, jansson_memory);
    else
        free(memory);
}

/* The arena on the allocator of test_each_allocation(), with small blocks. */
static inline hoop_arena *failing_arena(struct test_allocator *allocator)
{
    return hoop_arena_new_with(
        &(hoop_arena_options){ .allocator = &allocator->hoop, .block_size = 256 });
}

#endif
