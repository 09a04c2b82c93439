/* The arena's inside: bump allocation in chunks that come from a loop's cache or the allocator. */
#ifndef HOOP_BASE_ARENA_H
#define HOOP_BASE_ARENA_H

#include "base/blocks.h"

#include <hoop/arena.h>
#include <hoop/error.h>

#define HOOP__ALIGN ((size_t)16)

/* Heads every piece of memory that an arena holds. */
struct hoop__chunk {
    struct hoop__chunk *next;
    size_t size; /* head included; 0 marks a block of the loop's cache */
};

/* Of one of those its head stands at the end, since at the start of the first is the exchange. */
#define HOOP__CHUNK_HEAD  ((sizeof(struct hoop__chunk) + HOOP__ALIGN - 1) & ~(HOOP__ALIGN - 1))
#define HOOP__FROM_BLOCKS 0 /* in chunk.size */

static inline void *hoop__chunk_block(struct hoop__chunk *chunk)
{
    return (char *)chunk - (HOOP__BLOCK_SIZE - HOOP__CHUNK_HEAD);
}

struct hoop__dispose {
    struct hoop__dispose *next;
    hoop_dispose_fn *fn;
    void *data;
};

struct hoop_arena {
    char *next;                      /* the first free byte of the newest chunk */
    char *end;                       /* behind its last byte */
    struct hoop__chunk *chunks;      /* newest first; the last one may hold this struct itself */
    struct hoop__dispose *disposes;  /* newest first */
    struct hoop__blocks *blocks;     /* of the loop; NULL: everything straight from the allocator */
    const hoop_allocator *allocator; /* never NULL */
    const void *owner;               /* the exchange that it belongs to; NULL: an application's */
    size_t held;                     /* bytes of all chunks */
    size_t limit;                    /* for held */
    size_t block_size;               /* of a chunk, if the request fits */
    int full;                        /* the limit has refused something */
};

/*
 * Sets up an arena whose memory comes from `blocks` (or from `allocator` where that is NULL). `first`
 * (NULL: none) is a block just got from `blocks`; its bytes from `used` on are free for use. The
 * arena may itself lie in `first`.
 */
static inline void hoop__arena_init(struct hoop_arena *arena, struct hoop__blocks *blocks,
                                    const hoop_allocator *allocator, size_t limit,
                                    const void *owner, void *first, size_t used)
{
    arena->chunks = NULL;
    arena->disposes = NULL;
    arena->blocks = blocks;
    arena->allocator = allocator;
    arena->owner = owner;
    arena->held = 0;
    arena->limit = limit;
    arena->block_size = HOOP__BLOCK_SIZE;
    arena->full = 0;
    arena->next = arena->end = (char *)arena; /* no room, and yet a place for nothing */
    if (!first)
        return;
    struct hoop__chunk *chunk =
        (struct hoop__chunk *)(void *)((char *)first + HOOP__BLOCK_SIZE - HOOP__CHUNK_HEAD);
    chunk->next = NULL;
    chunk->size = HOOP__FROM_BLOCKS;
    arena->chunks = chunk;
    arena->held = HOOP__BLOCK_SIZE;
    arena->next = (char *)first + ((used + HOOP__ALIGN - 1) & ~(HOOP__ALIGN - 1));
    arena->end = (char *)chunk;
}

/* Runs the hooks, last in first out; the memory stays. */
void hoop__arena_dispose(struct hoop_arena *arena);

void hoop__arena_done_slow(struct hoop_arena *arena);

/* Runs the hooks and gives all memory back; the struct is gone if it lies in the first block. */
static inline void hoop__arena_done(struct hoop_arena *arena)
{
    struct hoop__chunk *chunk = arena->chunks;
    if (arena->disposes || !arena->blocks || !chunk || chunk->next ||
        chunk->size != HOOP__FROM_BLOCKS)
        hoop__arena_done_slow(arena);
    else
        hoop__block_put(arena->blocks, hoop__chunk_block(chunk));
}

/* No chunk goes back to the loop's cache any more (the loop is closing): all to the allocator. */
void hoop__arena_orphan(struct hoop_arena *arena);

void *hoop__arena_grow(struct hoop_arena *arena, size_t size);

/* hoop_arena_alloc() without the NULL check, for hot paths. */
static inline void *hoop__arena_alloc(struct hoop_arena *arena, size_t size)
{
    size_t need = (size + HOOP__ALIGN - 1) & ~(HOOP__ALIGN - 1);
    if (need < size || (size_t)(arena->end - arena->next) < need)
        return hoop__arena_grow(arena, size);
    void *memory = arena->next;
    arena->next += need;
    return memory;
}

/*
 * Makes the newest allocation at `memory` of `old` bytes `size` long: in place if nothing came
 * after it and the chunk has room, else in a copy. NULL leaves the old one as it was.
 */
void *hoop__arena_resize(struct hoop_arena *arena, void *memory, size_t old, size_t size);

/* The copy of bytes with a NUL behind; data NULL-tolerant. `*ret` untouched on failure; 0 or code. */
int hoop__arena_copy(struct hoop_arena *arena, hoop_str s, hoop_str *ret);

#endif
