/* The slow side of the block cache: to and from the allocator; and the default allocator. */
#include "base/blocks.h"

#include <stdlib.h>

static void *plain_alloc(size_t size, void *data)
{
    (void)data;
    return malloc(size);
}

static void *plain_realloc(void *memory, size_t size, void *data)
{
    (void)data;
    return realloc(memory, size);
}

static void plain_free(void *memory, void *data)
{
    (void)data;
    free(memory);
}

const hoop_allocator hoop__malloc = { plain_alloc, plain_realloc, plain_free, NULL };

void hoop__blocks_init(struct hoop__blocks *blocks, const hoop_allocator *allocator,
                       uint32_t max_cached)
{
    blocks->allocator = allocator;
    blocks->free = NULL;
    blocks->cached = 0;
    blocks->max_cached = max_cached;
    atomic_init(&blocks->held, 0);
}

void hoop__blocks_keep(struct hoop__blocks *blocks, uint64_t keep)
{
    while (blocks->cached > keep)
        hoop__block_trim(blocks, hoop__block_get(blocks));
}

void hoop__blocks_done(struct hoop__blocks *blocks)
{
    hoop__blocks_keep(blocks, 0);
    blocks->max_cached = 0;
}

void *hoop__block_new(struct hoop__blocks *blocks)
{
    void *block = hoop__alloc(blocks->allocator, HOOP__BLOCK_SIZE);
    /* One thread writes, so no locked instruction is needed. */
    if (block)
        atomic_store_explicit(&blocks->held, blocks->held + 1, memory_order_relaxed);
    return block;
}

void hoop__block_trim(struct hoop__blocks *blocks, void *block)
{
    atomic_store_explicit(&blocks->held, blocks->held - 1, memory_order_relaxed);
    hoop__free(blocks->allocator, block);
}
