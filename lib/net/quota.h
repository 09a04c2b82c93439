/* Limits on the number of connections, of a whole server and of one address; no socket in sight. */
#ifndef HOOP_NET_QUOTA_H
#define HOOP_NET_QUOTA_H

#include "base/blocks.h"
#include "value/exchange.h"

#include <pthread.h>
#include <stdatomic.h>

/* An address and how many connections it has; an open-addressed table of these. */
struct hoop__quota_peer {
    uint8_t address[16];
    uint32_t count; /* 0: the slot is free */
    uint8_t family;
};

/* Shared by the loops of a server; touched when a connection comes or goes, never per request. */
struct hoop__quota {
    const hoop_allocator *allocator;
    atomic_uint_fast64_t connections;
    uint64_t max;
    uint64_t max_per_peer; /* counted only if it is below max */
    pthread_mutex_t lock;  /* guards what follows */
    struct hoop__quota_peer *peers;
    uint32_t used;
    uint32_t size; /* a power of two, or 0 */
};

/* 0 or HOOP_ENOMEM. */
int hoop__quota_init(struct hoop__quota *quota, const hoop_allocator *allocator, uint64_t max,
                     uint64_t max_per_peer);
void hoop__quota_done(struct hoop__quota *quota);

/* Counts a connection: 0, HOOP_EBUSY if it is over a limit, or HOOP_ENOMEM. Threads: any. */
int hoop__quota_take(struct hoop__quota *quota, const struct hoop__peer *peer);

/* Counts it out again. Threads: any. */
void hoop__quota_give(struct hoop__quota *quota, const struct hoop__peer *peer);

#endif
