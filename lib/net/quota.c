/* Counting connections against limits: an atomic for all, a hash table under a lock for each peer. */
#include "net/quota.h"

#include <hoop/error.h>

#include <string.h>

#define FIRST_SIZE 64u

int hoop__quota_init(struct hoop__quota *quota, const hoop_allocator *allocator, uint64_t max,
                     uint64_t max_per_peer)
{
    memset(quota, 0, sizeof *quota);
    if (pthread_mutex_init(&quota->lock, NULL))
        return HOOP_ENOMEM;
    quota->allocator = allocator;
    atomic_init(&quota->connections, 0);
    quota->max = max;
    quota->max_per_peer = max_per_peer;
    return 0;
}

void hoop__quota_done(struct hoop__quota *quota)
{
    hoop__free(quota->allocator, quota->peers);
    pthread_mutex_destroy(&quota->lock);
}

static int counts_peer(const struct hoop__quota *quota, const struct hoop__peer *peer)
{
    /* Unix sockets have no address to tell one client from another. */
    return quota->max_per_peer < quota->max && (peer->family == 4 || peer->family == 6);
}

static size_t address_len(uint8_t family)
{
    return family == 4 ? 4 : 16;
}

/* FNV-1a: who picks his addresses can only make his own look-ups longer, by what he may hold open. */
static uint32_t hash(const uint8_t *address, uint8_t family)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < address_len(family); i++)
        h = (h ^ address[i]) * 16777619u;
    return h ^ h >> 15;
}

/* The slot of an address, or the free one where it would go. The table is never full. */
static uint32_t find(const struct hoop__quota *quota, const uint8_t *address, uint8_t family)
{
    uint32_t i = hash(address, family) & (quota->size - 1);
    for (;; i = (i + 1) & (quota->size - 1)) {
        const struct hoop__quota_peer *peer = &quota->peers[i];
        if (!peer->count)
            return i;
        if (peer->family == family && !memcmp(peer->address, address, address_len(family)))
            return i;
    }
}

static int grow(struct hoop__quota *quota)
{
    uint32_t old_size = quota->size, size = old_size ? old_size * 2 : FIRST_SIZE;
    struct hoop__quota_peer *old = quota->peers;
    struct hoop__quota_peer *peers = hoop__alloc(quota->allocator, size * sizeof *peers);
    if (!peers)
        return HOOP_ENOMEM;
    memset(peers, 0, size * sizeof *peers);
    quota->peers = peers;
    quota->size = size;
    for (uint32_t i = 0; i < old_size; i++)
        if (old[i].count)
            peers[find(quota, old[i].address, old[i].family)] = old[i];
    hoop__free(quota->allocator, old);
    return 0;
}

/* Empties a slot and moves up those behind it that would no longer be found. */
static void remove_at(struct hoop__quota *quota, uint32_t hole)
{
    uint32_t mask = quota->size - 1;
    for (uint32_t i = (hole + 1) & mask; quota->peers[i].count; i = (i + 1) & mask) {
        uint32_t home = hash(quota->peers[i].address, quota->peers[i].family) & mask;
        if (((i - home) & mask) < ((i - hole) & mask))
            continue;
        quota->peers[hole] = quota->peers[i];
        hole = i;
    }
    quota->peers[hole].count = 0;
    quota->used--;
}

static int take_peer(struct hoop__quota *quota, const struct hoop__peer *peer)
{
    if (quota->used >= quota->size / 2 && grow(quota))
        return HOOP_ENOMEM;
    struct hoop__quota_peer *slot = &quota->peers[find(quota, peer->remote, peer->family)];
    if (slot->count >= quota->max_per_peer)
        return HOOP_EBUSY;
    if (!slot->count) {
        quota->used++;
        slot->family = peer->family;
        memcpy(slot->address, peer->remote, sizeof slot->address);
    }
    slot->count++;
    return 0;
}

int hoop__quota_take(struct hoop__quota *quota, const struct hoop__peer *peer)
{
    if (atomic_fetch_add(&quota->connections, 1) >= quota->max) {
        atomic_fetch_sub(&quota->connections, 1);
        return HOOP_EBUSY;
    }
    if (!counts_peer(quota, peer))
        return 0;
    pthread_mutex_lock(&quota->lock);
    int rc = take_peer(quota, peer);
    pthread_mutex_unlock(&quota->lock);
    if (rc)
        atomic_fetch_sub(&quota->connections, 1);
    return rc;
}

void hoop__quota_give(struct hoop__quota *quota, const struct hoop__peer *peer)
{
    atomic_fetch_sub(&quota->connections, 1);
    if (!counts_peer(quota, peer))
        return;
    pthread_mutex_lock(&quota->lock);
    uint32_t i = find(quota, peer->remote, peer->family);
    if (--quota->peers[i].count == 0)
        remove_at(quota, i);
    pthread_mutex_unlock(&quota->lock);
}
