/* A queue of bytes that grows as it needs to, and holds no memory while it is empty. */
#ifndef HOOP_BASE_FIFO_H
#define HOOP_BASE_FIFO_H

#include <hoop/arena.h>

#include <stddef.h>

/* Zeroed before use; whoever has it bounds what is put in. */
struct hoop__fifo {
    char *data;
    size_t from, len, cap;
};

/* Appends all of it. 0 or HOOP_ENOMEM, then nothing was appended. */
int hoop__fifo_put(struct hoop__fifo *fifo, const hoop_allocator *allocator, const char *data,
                   size_t len);

/* Takes up to `cap` bytes from the front; how many. */
size_t hoop__fifo_take(struct hoop__fifo *fifo, const hoop_allocator *allocator, char *to,
                       size_t cap);

/* Drops all of it. */
void hoop__fifo_done(struct hoop__fifo *fifo, const hoop_allocator *allocator);

#endif
