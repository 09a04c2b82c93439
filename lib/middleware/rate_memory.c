/* The store of middleware "rate_limit" that keeps its buckets in memory; see hoop/middleware/rate_limit.h. */
#include "base/hash.h"
#include "base/random.h"
#include "middleware/middleware.h"

#include <hoop/loop.h>
#include <hoop/middleware/rate_limit.h>

#include <pthread.h>
#include <string.h>

#define WAYS     8u                /* buckets among which a key has its place */
#define LOCKS    64u               /* sets are locked in turn */
#define NS       UINT64_C(1000000) /* in a millisecond */
#define MAX_KEYS (UINT64_C(1) << 32)

/*
 * A bucket as the time at which it will be full again. Nothing has to be filled up, and one that is
 * full says nothing that an absent one would not say.
 */
struct bucket {
    uint64_t hash;    /* of the key */
    uint64_t full_at; /* nanoseconds of the loops' clock; up to now: free */
};

struct memory {
    hoop_rate_store store;
    uint64_t key[2];
    uint64_t mask; /* of sets */
    struct bucket *buckets;
    pthread_mutex_t locks[LOCKS];
};

/* The key's bucket, or, emptied, the fullest of those where it may lie. */
static struct bucket *find(struct bucket *set, uint64_t hash)
{
    struct bucket *fullest = set;
    for (unsigned i = 0; i < WAYS; i++) {
        if (set[i].hash == hash)
            return &set[i];
        if (set[i].full_at < fullest->full_at)
            fullest = &set[i];
    }
    fullest->hash = hash;
    fullest->full_at = 0;
    return fullest;
}

/* Each request puts the time off by what one token needs to come back, up to what a burst needs. */
static void decide(struct bucket *bucket, uint64_t now, const hoop_rate_policy *policy,
                   hoop_rate_verdict *ret)
{
    uint64_t each = policy->window_ms * NS / policy->requests;
    if (!each)
        each = 1;
    uint64_t full_at = bucket->full_at > now ? bucket->full_at : now;
    uint64_t most = each * policy->burst;
    memset(ret, 0, sizeof *ret);
    if (full_at - now + each <= most) {
        full_at += each;
        bucket->full_at = full_at;
        ret->allowed = 1;
        ret->remaining = (most - (full_at - now)) / each;
    } else {
        ret->retry_ms = (full_at - now + each - most + NS - 1) / NS;
    }
    ret->reset_ms = (full_at - now + NS - 1) / NS;
}

static const hoop_response *take(const hoop_request *req, hoop_str key,
                                 const hoop_rate_policy *policy, hoop_rate_verdict *ret_verdict,
                                 void *data)
{
    static const struct hoop__response done = { .kind = HOOP__READY };
    struct memory *memory = data;
    uint64_t hash = hoop__hash(memory->key, key.data, key.len), set = hash & memory->mask;
    uint64_t now = hoop_loop_now(hoop_loop_of(req)) * NS;
    pthread_mutex_t *lock = &memory->locks[set % LOCKS];
    pthread_mutex_lock(lock);
    decide(find(memory->buckets + set * WAYS, hash), now, policy, ret_verdict);
    pthread_mutex_unlock(lock);
    return &done.pub;
}

static void done(void *data)
{
    struct memory *memory = data;
    for (unsigned i = 0; i < LOCKS; i++)
        pthread_mutex_destroy(&memory->locks[i]);
}

int hoop_rate_memory_new(hoop_arena *arena, uint64_t max_keys, const hoop_rate_store **ret_store,
                         hoop_error *error)
{
    uint64_t sets = 1, keys = max_keys ? max_keys : 65536;
    if (keys > MAX_KEYS)
        return hoop_error_set(error, HOOP_EINVAL, "rate_limit: %llu keys are too many",
                              (unsigned long long)keys);
    while (sets * WAYS < keys)
        sets *= 2;
    struct memory *memory = hoop_arena_zalloc(arena, sizeof *memory);
    struct bucket *buckets =
        memory ? hoop_arena_zalloc(arena, (size_t)(sets * WAYS) * sizeof *buckets) : NULL;
    if (!buckets)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    int rc = hoop__random(memory->key, sizeof memory->key);
    if (rc)
        return hoop_error_set(error, rc, "rate_limit: no random bytes: %s", hoop_strerror(rc));
    memory->buckets = buckets;
    memory->mask = sets - 1;
    memory->store.take = take;
    memory->store.data = memory;
    for (unsigned i = 0; i < LOCKS; i++)
        pthread_mutex_init(&memory->locks[i], NULL); /* the default kind: it can't fail here */
    if (hoop_arena_on_dispose(arena, done, memory))  /* which has run it then */
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    *ret_store = &memory->store;
    return 0;
}
