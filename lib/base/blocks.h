/* Blocks of one size, recycled by the loop that owns the cache; no other thread touches it. */
#ifndef HOOP_BASE_BLOCKS_H
#define HOOP_BASE_BLOCKS_H

#include <hoop/arena.h>

#include <stdatomic.h>

#define HOOP__BLOCK_SIZE ((size_t)4096)

/* The first word of a free block links to the next free one. */
struct hoop__blocks {
    const hoop_allocator *allocator; /* borrowed, never NULL */
    void *free;                      /* cached blocks */
    uint32_t cached;                 /* how many of them */
    uint32_t max_cached;             /* more go back to the allocator */
    _Atomic uint64_t held;           /* in use and cached; other threads may read it */
};

extern const hoop_allocator hoop__malloc;

void hoop__blocks_init(struct hoop__blocks *blocks, const hoop_allocator *allocator,
                       uint32_t max_cached);

/* Gives all cached blocks back; those in use go to the allocator when they are put. */
void hoop__blocks_done(struct hoop__blocks *blocks);

/* Gives cached blocks back but for `keep`. What stays of a burst would hold up the heap it lies on. */
void hoop__blocks_keep(struct hoop__blocks *blocks, uint64_t keep);

void *hoop__block_new(struct hoop__blocks *blocks);
void hoop__block_trim(struct hoop__blocks *blocks, void *block);

/* HOOP__BLOCK_SIZE bytes, not cleared; NULL if out of memory. */
static inline void *hoop__block_get(struct hoop__blocks *blocks)
{
    void *block = blocks->free;
    if (!block)
        return hoop__block_new(blocks);
    blocks->free = *(void **)block;
    blocks->cached--;
    return block;
}

static inline void hoop__block_put(struct hoop__blocks *blocks, void *block)
{
    if (blocks->cached >= blocks->max_cached) {
        hoop__block_trim(blocks, block);
        return;
    }
    *(void **)block = blocks->free;
    blocks->free = block;
    blocks->cached++;
}

static inline void *hoop__alloc(const hoop_allocator *allocator, size_t size)
{
    return allocator->alloc(size, allocator->data);
}

static inline void *hoop__realloc(const hoop_allocator *allocator, void *memory, size_t size)
{
    return allocator->realloc(memory, size, allocator->data);
}

static inline void hoop__free(const hoop_allocator *allocator, void *memory)
{
    allocator->free(memory, allocator->data);
}

#endif
