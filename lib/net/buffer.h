/* Bytes that wait at a connection: allocated while there are some, gone when there are none. */
#ifndef HOOP_NET_BUFFER_H
#define HOOP_NET_BUFFER_H

#include "base/blocks.h"

#include <hoop/error.h>

#include <string.h>

struct hoop__buffer {
    size_t from; /* of the first byte */
    size_t len;
    size_t cap;
    char data[];
};

static inline size_t hoop__buffer_len(const struct hoop__buffer *buffer)
{
    return buffer ? buffer->len : 0;
}

/* Appends to `*buffer`, which may be NULL. 0, or HOOP_ENOMEM with all as it was. */
static inline int hoop__buffer_add(struct hoop__buffer **buffer, const hoop_allocator *allocator,
                                   const char *data, size_t len)
{
    struct hoop__buffer *b = *buffer;
    size_t have = hoop__buffer_len(b), need = have + len;
    if (b && b->from && b->from + need > b->cap) {
        memmove(b->data, b->data + b->from, have);
        b->from = 0;
    }
    if (!b || b->from + need > b->cap) {
        size_t cap = need < 512 - sizeof *b ? 512 - sizeof *b : need + need / 2;
        size_t from = b ? b->from : 0;
        b = hoop__realloc(allocator, b, sizeof *b + cap);
        if (!b)
            return HOOP_ENOMEM;
        b->from = from;
        b->len = have;
        b->cap = cap;
        *buffer = b;
    }
    memcpy(b->data + b->from + have, data, len);
    b->len = need;
    return 0;
}

/* Takes `n` bytes off the front; the last ones take the memory with them. */
static inline void hoop__buffer_drop(struct hoop__buffer **buffer, const hoop_allocator *allocator,
                                     size_t n)
{
    struct hoop__buffer *b = *buffer;
    if (!b)
        return;
    b->from += n;
    b->len -= n;
    if (b->len)
        return;
    hoop__free(allocator, b);
    *buffer = NULL;
}

#endif
