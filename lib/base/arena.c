/* The arena: bump allocation, dispose hooks, and the public functions on it. */
#include "base/arena.h"

#include <stdio.h>
#include <string.h>

#define LARGE_CHUNK 65536 /* from here on the allocator is asked to resize a chunk */

static void free_chunk(struct hoop__blocks *blocks, const hoop_allocator *allocator,
                       struct hoop__chunk *chunk)
{
    if (chunk->size != HOOP__FROM_BLOCKS) {
        hoop__free(allocator, chunk);
        return;
    }
    void *block = hoop__chunk_block(chunk);
    if (blocks)
        hoop__block_put(blocks, block);
    else
        hoop__free(allocator, block);
}

void hoop__arena_dispose(struct hoop_arena *arena)
{
    while (arena->disposes) {
        struct hoop__dispose *d = arena->disposes;
        arena->disposes = d->next;
        d->fn(d->data);
    }
}

void hoop__arena_done_slow(struct hoop_arena *arena)
{
    hoop__arena_dispose(arena);
    /* The struct may lie in the last chunk, so what is needed is read before that goes. */
    struct hoop__blocks *blocks = arena->blocks;
    const hoop_allocator *allocator = arena->allocator;
    struct hoop__chunk *chunk = arena->chunks;
    while (chunk) {
        struct hoop__chunk *next = chunk->next;
        free_chunk(blocks, allocator, chunk);
        chunk = next;
    }
}

void hoop__arena_orphan(struct hoop_arena *arena)
{
    arena->blocks = NULL;
}

/* What it may still take. It began with a block, which may be more than the limit. */
static size_t left_of(const struct hoop_arena *arena)
{
    return arena->held < arena->limit ? arena->limit - arena->held : 0;
}

static void *new_block(struct hoop_arena *arena)
{
    if (left_of(arena) < HOOP__BLOCK_SIZE) {
        arena->full = 1;
        return NULL;
    }
    void *block = hoop__block_get(arena->blocks);
    if (!block)
        return NULL;
    struct hoop__chunk *chunk =
        (struct hoop__chunk *)(void *)((char *)block + HOOP__BLOCK_SIZE - HOOP__CHUNK_HEAD);
    chunk->size = HOOP__FROM_BLOCKS;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->held += HOOP__BLOCK_SIZE;
    arena->next = block;
    arena->end = (char *)chunk;
    return block;
}

/* A chunk of its own for `need` bytes; becomes the one to bump in if it has more room left. */
static void *new_chunk(struct hoop_arena *arena, size_t need)
{
    size_t size = HOOP__CHUNK_HEAD + need, left = left_of(arena);
    if (size < need || size > left) {
        arena->full = 1;
        return NULL;
    }
    /* A whole block, unless the limit leaves only a part of it. */
    if (size < arena->block_size)
        size = arena->block_size < left ? arena->block_size : left & ~(HOOP__ALIGN - 1);
    struct hoop__chunk *chunk = hoop__alloc(arena->allocator, size);
    if (!chunk)
        return NULL;
    chunk->size = size;
    chunk->next = arena->chunks;
    arena->chunks = chunk;
    arena->held += size;
    char *memory = (char *)chunk + HOOP__CHUNK_HEAD;
    if (size - HOOP__CHUNK_HEAD - need >= (size_t)(arena->end - arena->next)) {
        arena->next = memory + need;
        arena->end = (char *)chunk + size;
    }
    return memory;
}

void *hoop__arena_grow(struct hoop_arena *arena, size_t size)
{
    size_t need = (size + HOOP__ALIGN - 1) & ~(HOOP__ALIGN - 1);
    if (need < size)
        return NULL;
    if (!arena->blocks || need > HOOP__BLOCK_SIZE - HOOP__CHUNK_HEAD)
        return new_chunk(arena, need);
    char *memory = new_block(arena);
    if (memory)
        arena->next = memory + need;
    return memory;
}

/* Nonzero if the newest chunk is no block and holds nothing but `memory` of `need` bytes. */
static int is_alone(const struct hoop_arena *arena, const char *memory, size_t need)
{
    const struct hoop__chunk *chunk = arena->chunks;
    if (!memory || !chunk || chunk->size == HOOP__FROM_BLOCKS ||
        (const char *)chunk + HOOP__CHUNK_HEAD != memory)
        return 0;
    return need == chunk->size - HOOP__CHUNK_HEAD || memory + need == arena->next;
}

/* Lets the allocator move the newest chunk, which for large ones often costs no copy. NULL: it can't. */
static void *resize_chunk(struct hoop_arena *arena, size_t need)
{
    struct hoop__chunk *chunk = arena->chunks;
    size_t old = chunk->size, size = HOOP__CHUNK_HEAD + need;
    int newest = arena->end == (char *)chunk + old;
    if (size < need || (size > old && size - old > left_of(arena)))
        return NULL;
    chunk = hoop__realloc(arena->allocator, chunk, size);
    if (!chunk)
        return NULL;
    chunk->size = size;
    arena->chunks = chunk;
    arena->held = arena->held - old + size;
    if (newest)
        arena->next = arena->end = (char *)chunk + size;
    return (char *)chunk + HOOP__CHUNK_HEAD;
}

void *hoop__arena_resize(struct hoop_arena *arena, void *memory, size_t old, size_t size)
{
    size_t old_need = (old + HOOP__ALIGN - 1) & ~(HOOP__ALIGN - 1);
    size_t need = (size + HOOP__ALIGN - 1) & ~(HOOP__ALIGN - 1);
    if (need < size)
        return NULL;
    if (memory && (char *)memory + old_need == arena->next &&
        (size_t)(arena->end - (char *)memory) >= need) {
        arena->next = (char *)memory + need;
        return memory;
    }
    if (need >= LARGE_CHUNK && is_alone(arena, memory, old_need)) {
        void *moved = resize_chunk(arena, need);
        if (moved)
            return moved;
    }
    void *copy = hoop__arena_alloc(arena, size);
    if (copy && old)
        memcpy(copy, memory, old < size ? old : size);
    return copy;
}

int hoop__arena_copy(struct hoop_arena *arena, hoop_str s, hoop_str *ret)
{
    if (s.len == SIZE_MAX)
        return HOOP_ENOMEM;
    char *copy = hoop__arena_alloc(arena, s.len + 1);
    if (!copy)
        return HOOP_ENOMEM;
    memcpy(copy, s.data, s.len);
    copy[s.len] = 0;
    *ret = hoop_str_n(copy, s.len);
    return 0;
}

/* --- the public side ------------------------------------------------------------------------- */

hoop_arena *hoop_arena_new(void)
{
    return hoop_arena_new_sized(NULL, 0);
}

hoop_arena *hoop_arena_new_sized(const hoop_arena_options *options, size_t options_size)
{
    hoop_arena_options o = { 0 };
    if (options)
        memcpy(&o, options, options_size < sizeof o ? options_size : sizeof o);
    const hoop_allocator *allocator = o.allocator ? o.allocator : &hoop__malloc;
    uint64_t limit = o.limit && o.limit < SIZE_MAX ? o.limit : SIZE_MAX;
    struct hoop_arena *arena = hoop__alloc(allocator, sizeof *arena);
    if (!arena)
        return NULL;
    hoop__arena_init(arena, NULL, allocator, (size_t)limit, NULL, NULL, 0);
    /* Chunks are multiples of the alignment, so that what fits by its length fits in whole. */
    if (o.block_size && o.block_size < SIZE_MAX / 2)
        arena->block_size = ((size_t)o.block_size + HOOP__ALIGN - 1) & ~(HOOP__ALIGN - 1);
    return arena;
}

void hoop_arena_free(hoop_arena *arena)
{
    if (!arena || arena->owner)
        return;
    const hoop_allocator *allocator = arena->allocator;
    hoop__arena_done(arena);
    hoop__free(allocator, arena);
}

void *hoop_arena_alloc(hoop_arena *arena, size_t size)
{
    return arena ? hoop__arena_alloc(arena, size) : NULL;
}

void *hoop_arena_zalloc(hoop_arena *arena, size_t size)
{
    void *memory = hoop_arena_alloc(arena, size);
    if (memory)
        memset(memory, 0, size);
    return memory;
}

hoop_str hoop_arena_copy(hoop_arena *arena, hoop_str s)
{
    hoop_str copy = hoop_str_none();
    if (arena)
        hoop__arena_copy(arena, s, &copy);
    return copy;
}

char *hoop_arena_strdup(hoop_arena *arena, const char *text)
{
    if (!arena || !text)
        return NULL;
    size_t size = strlen(text) + 1;
    char *copy = hoop__arena_alloc(arena, size);
    if (copy)
        memcpy(copy, text, size);
    return copy;
}

hoop_str hoop_arena_vprintf(hoop_arena *arena, const char *format, va_list args)
{
    if (!arena)
        return hoop_str_none();
    /* First into what is free in the newest chunk; only if that is too small a second time. */
    size_t room = (size_t)(arena->end - arena->next);
    va_list again;
    va_copy(again, args);
    char none[1];
    int len = vsnprintf(room ? arena->next : none, room, format, args);
    char *text = NULL;
    if (len >= 0) {
        text = hoop__arena_alloc(arena, (size_t)len + 1);
        if (text && (size_t)len >= room)
            vsnprintf(text, (size_t)len + 1, format, again);
    }
    va_end(again);
    return text ? hoop_str_n(text, (size_t)len) : hoop_str_none();
}

hoop_str hoop_arena_printf(hoop_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    hoop_str s = hoop_arena_vprintf(arena, format, args);
    va_end(args);
    return s;
}

int hoop_arena_on_dispose(hoop_arena *arena, hoop_dispose_fn *fn, void *data)
{
    struct hoop__dispose *d = arena ? hoop__arena_alloc(arena, sizeof *d) : NULL;
    if (!d) {
        fn(data);
        return HOOP_ENOMEM;
    }
    d->fn = fn;
    d->data = data;
    d->next = arena->disposes;
    arena->disposes = d;
    return 0;
}

size_t hoop_arena_size(const hoop_arena *arena)
{
    return arena ? arena->held : 0;
}
