/* A loop's cache of what is known of a folder's files: bounded in number, open files and bytes; oldest out first. */
#include "file/file.h"

#include <string.h>

#define BUCKETS 512

struct hoop__file_cache {
    struct hoop__local local; /* first; its key is the folder */
    const hoop_allocator *allocator;
    hoop_folder_options options;
    uint64_t id; /* the folder's */
    struct hoop__file *newest, *oldest;
    struct hoop__file_counts counts;
    struct hoop__file *buckets[BUCKETS];
};

/* FNV-1a, from a start that clients don't know. */
static uint32_t hash_of(const struct hoop__file_cache *cache, hoop_str path)
{
    uint32_t hash = 2166136261u ^ (uint32_t)cache->id;
    for (size_t i = 0; i < path.len; i++)
        hash = (hash ^ (unsigned char)path.data[i]) * 16777619u;
    return hash;
}

/* --- lists ----------------------------------------------------------------------------------- */

static void unlink_age(struct hoop__file_cache *cache, struct hoop__file *file)
{
    *(file->newer ? &file->newer->older : &cache->newest) = file->older;
    *(file->older ? &file->older->newer : &cache->oldest) = file->newer;
}

static void link_newest(struct hoop__file_cache *cache, struct hoop__file *file)
{
    file->newer = NULL;
    file->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = file;
    cache->newest = file;
}

static struct hoop__file **find(struct hoop__file_cache *cache, hoop_str path, uint32_t hash)
{
    struct hoop__file **link = &cache->buckets[hash % BUCKETS];
    while (*link && ((*link)->hash != hash ||
                     !hoop_str_eq(hoop_str_n((*link)->path, (*link)->path_len), path)))
        link = &(*link)->next;
    return link;
}

static void count(struct hoop__file_cache *cache, const struct hoop__file *file, int add)
{
    uint64_t bytes = file->contents ? file->size : 0;
    cache->counts.known += (uint32_t)add;
    if (file->fd >= 0)
        cache->counts.open += (uint32_t)add;
    cache->counts.bytes = add > 0 ? cache->counts.bytes + bytes : cache->counts.bytes - bytes;
}

static void drop(struct hoop__file_cache *cache, struct hoop__file **link)
{
    struct hoop__file *file = *link;
    *link = file->next;
    unlink_age(cache, file);
    count(cache, file, -1);
    hoop__file_unref(file);
}

static void drop_file(struct hoop__file_cache *cache, struct hoop__file *file)
{
    struct hoop__file **link = &cache->buckets[file->hash % BUCKETS];
    while (*link != file)
        link = &(*link)->next;
    drop(cache, link);
}

/* --- bounds ---------------------------------------------------------------------------------- */

/* The oldest ones go until all bounds are kept; for that on open files, only those that are. */
static void trim(struct hoop__file_cache *cache)
{
    const hoop_folder_options *o = &cache->options;
    while (cache->counts.known > o->max_known || cache->counts.bytes > o->max_bytes)
        drop_file(cache, cache->oldest);
    struct hoop__file *file = cache->oldest;
    while (cache->counts.open > o->max_open) {
        struct hoop__file *newer = file->newer;
        if (file->fd >= 0)
            drop_file(cache, file);
        file = newer;
    }
}

/* --- use ------------------------------------------------------------------------------------- */

struct hoop__file *hoop__file_cache_get(struct hoop__file_cache *cache,
                                        const struct hoop_folder *folder, hoop_str path,
                                        uint64_t now)
{
    struct hoop__file **link = find(cache, path, hash_of(cache, path)), *file = *link;
    if (!file)
        return NULL;
    unsigned saves = atomic_load_explicit(&folder->saves, memory_order_acquire);
    if (now - file->checked_ms >= cache->options.recheck_ms || file->saves != saves) {
        if (file->young || !hoop__file_is_current(folder, file)) {
            drop(cache, link);
            return NULL;
        }
        file->checked_ms = now;
        file->saves = saves;
    }
    if (file != cache->newest) {
        unlink_age(cache, file);
        link_newest(cache, file);
    }
    return file;
}

void hoop__file_cache_put(struct hoop__file_cache *cache, struct hoop__file *file, uint64_t now)
{
    hoop_str path = hoop_str_n(file->path, file->path_len);
    uint32_t hash = hash_of(cache, path);
    if (cache->options.uncached)
        return;
    struct hoop__file **link = find(cache, path, hash);
    if (*link)
        drop(cache, link);
    link = &cache->buckets[hash % BUCKETS];
    file->hash = hash;
    file->checked_ms = now;
    file->next = *link;
    *link = hoop__file_ref(file);
    link_newest(cache, file);
    count(cache, file, 1);
    trim(cache);
}

struct hoop__file_counts hoop__file_cache_counts(const struct hoop__file_cache *cache)
{
    return cache->counts;
}

/* --- life ------------------------------------------------------------------------------------ */

static void drop_cache(struct hoop__local *local, struct hoop_loop *loop)
{
    struct hoop__file_cache *cache = (struct hoop__file_cache *)local;
    while (cache->oldest)
        drop_file(cache, cache->oldest);
    hoop__free(cache->allocator, cache);
}

struct hoop__file_cache *hoop__file_cache_of(struct hoop_loop *loop,
                                             const struct hoop_folder *folder)
{
    struct hoop__file_cache *cache = (struct hoop__file_cache *)hoop__loop_local(loop, folder);
    if (cache && cache->id == folder->id)
        return cache;
    if (cache) { /* of a folder that is gone, at the same address */
        while (cache->oldest)
            drop_file(cache, cache->oldest);
    } else {
        cache = hoop__alloc(loop->allocator, sizeof *cache);
        if (!cache)
            return NULL;
        memset(cache, 0, sizeof *cache);
        cache->allocator = loop->allocator;
        cache->local.key = folder;
        cache->local.done = drop_cache;
        hoop__loop_keep(loop, &cache->local);
    }
    cache->id = folder->id;
    cache->options = folder->options;
    return cache;
}
