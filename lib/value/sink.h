/* A response stream's inside. */
#ifndef HOOP_VALUE_SINK_H
#define HOOP_VALUE_SINK_H

#include "base/fifo.h"
#include "value/hold.h"

#include <hoop/stream.h>

/*
 * Lies in the arena of the request it was made with. What the loop's thread writes goes straight into
 * `out`, what others write into the inbox, under the lock, and from there into `out` when that is
 * empty.
 */
struct hoop_sink {
    struct hoop__hold hold;     /* first */
    struct hoop__source source; /* what the engine knows */
    hoop_stream_options options;
    const hoop_allocator *allocator;
    struct hoop__fifo out;   /* the loop's */
    uint8_t started;         /* likewise */
    _Atomic uint64_t queued; /* bytes in both */
    atomic_int waiting;      /* a writer was told to wait */
    atomic_int end_code;     /* 0: open; HOOP_EOF: ended; else failed */
    atomic_int gone;         /* 0, or what whoever comes too late is told */
    atomic_int has_inbox;
    atomic_uint users;    /* references of users */
    pthread_mutex_t lock; /* of what follows */
    struct hoop__fifo inbox;
    struct hoop__trailer *trailers;
};

#endif
