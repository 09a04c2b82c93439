/* A queue of bytes in one piece of memory, which goes when it is empty. */
#include "base/fifo.h"

#include "base/blocks.h"

#include <hoop/error.h>

#include <string.h>

#define FIRST_CAP ((size_t)1024)

/* Room for `need` bytes: what is there moves to the front, into more memory if it must be. */
static int make_room(struct hoop__fifo *fifo, const hoop_allocator *allocator, size_t need)
{
    size_t cap = fifo->cap ? fifo->cap : FIRST_CAP;
    while (cap < need)
        cap = cap > SIZE_MAX / 2 ? need : cap * 2;
    /* Half of it must be free, or bytes would be moved again and again. */
    if (cap == fifo->cap && need <= cap / 2) {
        memmove(fifo->data, fifo->data + fifo->from, fifo->len);
        fifo->from = 0;
        return 0;
    }
    if (cap == fifo->cap && cap <= SIZE_MAX / 2)
        cap *= 2;
    char *data = hoop__alloc(allocator, cap);
    if (!data)
        return HOOP_ENOMEM;
    if (fifo->len)
        memcpy(data, fifo->data + fifo->from, fifo->len);
    hoop__free(allocator, fifo->data);
    fifo->data = data;
    fifo->from = 0;
    fifo->cap = cap;
    return 0;
}

int hoop__fifo_put(struct hoop__fifo *fifo, const hoop_allocator *allocator, const char *data,
                   size_t len)
{
    if (!len)
        return 0;
    if (len > SIZE_MAX - fifo->len)
        return HOOP_ENOMEM;
    if (fifo->cap - fifo->from - fifo->len < len && make_room(fifo, allocator, fifo->len + len))
        return HOOP_ENOMEM;
    memcpy(fifo->data + fifo->from + fifo->len, data, len);
    fifo->len += len;
    return 0;
}

size_t hoop__fifo_take(struct hoop__fifo *fifo, const hoop_allocator *allocator, char *to,
                       size_t cap)
{
    size_t n = fifo->len < cap ? fifo->len : cap;
    if (!n)
        return 0;
    memcpy(to, fifo->data + fifo->from, n);
    fifo->from += n;
    fifo->len -= n;
    if (!fifo->len)
        hoop__fifo_done(fifo, allocator);
    return n;
}

void hoop__fifo_done(struct hoop__fifo *fifo, const hoop_allocator *allocator)
{
    hoop__free(allocator, fifo->data);
    fifo->data = NULL;
    fifo->from = fifo->len = fifo->cap = 0;
}
