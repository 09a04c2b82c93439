/*
 * The store of sessions in memory: parts with a lock each, in a part a hash table and a list by the time of the
 * last write, whose end is forgotten first.
 */
#include "base/arena.h"
#include "base/hash.h"
#include "base/random.h"
#include "middleware/session.h"

#include <hoop/limits.h>
#include <hoop/loop.h>

#include <pthread.h>
#include <string.h>

#define PARTS        16u
#define MAX_SESSIONS (UINT64_C(1) << 32)

/* A session. Owned by its part; its id and data follow it, each with a NUL behind. */
struct node {
    struct node *chained;       /* of the same slot */
    struct node *older, *newer; /* by the last write */
    uint64_t hash;
    uint64_t version;
    uint64_t ends; /* milliseconds of the loops' clock; UINT64_MAX: never */
    hoop_str id;
    hoop_str data;
};

struct part {
    pthread_mutex_t lock; /* guards all below */
    struct node **slots;
    uint64_t mask;
    struct node *newest, *oldest;
    uint64_t count, bytes;
};

struct memory {
    hoop_session_store store;
    const hoop_allocator *allocator;
    uint64_t key[2];
    uint64_t max_count, max_bytes; /* of a part */
    unsigned parts;
    struct part part[PARTS];
};

/* --- a part, under its lock ------------------------------------------------------------------ */

static size_t size_of(const struct node *node)
{
    return sizeof *node + node->id.len + node->data.len + 2;
}

static struct node **slot_of(struct part *part, uint64_t hash, hoop_str id)
{
    struct node **slot = &part->slots[hash & part->mask];
    while (*slot && ((*slot)->hash != hash || !hoop_str_eq((*slot)->id, id)))
        slot = &(*slot)->chained;
    return slot;
}

static void take_out(struct memory *memory, struct part *part, struct node **slot)
{
    struct node *node = *slot;
    *slot = node->chained;
    *(node->newer ? &node->newer->older : &part->newest) = node->older;
    *(node->older ? &node->older->newer : &part->oldest) = node->newer;
    part->count--;
    part->bytes -= size_of(node);
    memory->allocator->free(node, memory->allocator->data);
}

static void put_in(struct part *part, struct node **slot, struct node *node)
{
    node->chained = *slot;
    *slot = node;
    node->newer = NULL;
    node->older = part->newest;
    *(part->newest ? &part->newest->newer : &part->oldest) = node;
    part->newest = node;
    part->count++;
    part->bytes += size_of(node);
}

/* Makes room: sessions whose time has passed, then, if it has to be, the oldest. */
static void make_room(struct memory *memory, struct part *part, size_t size, uint64_t now)
{
    while (part->oldest && (part->oldest->ends <= now || part->count >= memory->max_count ||
                            part->bytes + size > memory->max_bytes)) {
        struct node *oldest = part->oldest;
        take_out(memory, part, slot_of(part, oldest->hash, oldest->id));
    }
}

/* The session of an id that is still alive; NULL: there is none. */
static struct node **find(struct memory *memory, struct part *part, uint64_t hash, hoop_str id,
                          uint64_t now)
{
    struct node **slot = slot_of(part, hash, id);
    if (*slot && (*slot)->ends <= now) {
        take_out(memory, part, slot);
        return NULL;
    }
    return *slot ? slot : NULL;
}

/* --- the store ------------------------------------------------------------------------------- */

static uint64_t now_of(const hoop_request *req)
{
    return hoop_loop_now(hoop_loop_of(req));
}

static struct part *part_of(struct memory *memory, hoop_str id, uint64_t *ret_hash)
{
    *ret_hash = hoop__hash(memory->key, id.data, id.len);
    return &memory->part[(*ret_hash >> 32) % memory->parts];
}

static const hoop_response *read_entry(const hoop_request *req, hoop_session_entry *entry,
                                       void *data)
{
    struct memory *memory = data;
    uint64_t hash;
    struct part *part = part_of(memory, entry->id, &hash);
    int rc = 0;
    pthread_mutex_lock(&part->lock);
    struct node **slot = find(memory, part, hash, entry->id, now_of(req));
    if (slot) {
        entry->version = (*slot)->version;
        rc = hoop__arena_copy(req->arena, (*slot)->data, &entry->data);
    }
    pthread_mutex_unlock(&part->lock);
    entry->outcome = slot ? HOOP_SESSION_DONE : HOOP_SESSION_MISSING;
    return rc ? hoop__fail_memory(req) : hoop__session_said();
}

static struct node *new_node(struct memory *memory, hoop_str id, hoop_str data)
{
    size_t size = sizeof(struct node) + id.len + data.len + 2;
    struct node *node = memory->allocator->alloc(size, memory->allocator->data);
    if (!node)
        return NULL;
    char *text = (char *)(node + 1);
    memcpy(text, id.data, id.len);
    text[id.len] = 0;
    node->id = hoop_str_n(text, id.len);
    text += id.len + 1;
    memcpy(text, data.data, data.len);
    text[data.len] = 0;
    node->data = hoop_str_n(text, data.len);
    return node;
}

/* Puts a node in the place of what is there. What is said of it; if it is not DONE the node stays out. */
static uint32_t replace(struct memory *memory, struct part *part, struct node *node,
                        const hoop_session_entry *entry, uint64_t now)
{
    if (entry->id.len) {
        struct node **slot = find(memory, part, node->hash, node->id, now);
        if (!slot)
            return HOOP_SESSION_MISSING;
        if ((*slot)->version != entry->version)
            return HOOP_SESSION_CONFLICT;
        take_out(memory, part, slot);
    }
    make_room(memory, part, size_of(node), now);
    put_in(part, slot_of(part, node->hash, node->id), node);
    return HOOP_SESSION_DONE;
}

static const hoop_response *write_entry(const hoop_request *req, hoop_session_entry *entry,
                                        void *data)
{
    struct memory *memory = data;
    hoop_str id = entry->id.len ? entry->id : hoop_session_new_id(req);
    if (!id.len)
        return NULL;
    struct node *node = new_node(memory, id, entry->data);
    if (!node)
        return hoop__fail_memory(req);
    uint64_t now = now_of(req), size = size_of(node);
    if (size > memory->max_bytes) {
        memory->allocator->free(node, memory->allocator->data);
        return hoop_fail(req, HOOP_EINVAL,
                         "session: %llu bytes are more than the store takes, %llu",
                         (unsigned long long)size, (unsigned long long)memory->max_bytes);
    }
    struct part *part = part_of(memory, id, &node->hash);
    node->version = entry->version + 1;
    node->ends = entry->ttl_ms > UINT64_MAX - now ? UINT64_MAX : now + entry->ttl_ms;
    pthread_mutex_lock(&part->lock);
    entry->outcome = replace(memory, part, node, entry, now);
    pthread_mutex_unlock(&part->lock);
    if (entry->outcome != HOOP_SESSION_DONE) {
        memory->allocator->free(node, memory->allocator->data);
        return hoop__session_said();
    }
    entry->id = id;
    entry->version++;
    return hoop__session_said();
}

static const hoop_response *remove_entry(const hoop_request *req, hoop_session_entry *entry,
                                         void *data)
{
    struct memory *memory = data;
    uint64_t hash;
    struct part *part = part_of(memory, entry->id, &hash);
    pthread_mutex_lock(&part->lock);
    struct node **slot = find(memory, part, hash, entry->id, now_of(req));
    if (!slot)
        entry->outcome = HOOP_SESSION_MISSING;
    else if (entry->version && (*slot)->version != entry->version)
        entry->outcome = HOOP_SESSION_CONFLICT;
    else
        take_out(memory, part, slot);
    pthread_mutex_unlock(&part->lock);
    return hoop__session_said();
}

/* --- the whole ------------------------------------------------------------------------------- */

static void done(void *data)
{
    struct memory *memory = data;
    for (unsigned i = 0; i < memory->parts; i++) {
        struct node *next;
        for (struct node *node = memory->part[i].newest; node; node = next) {
            next = node->older;
            memory->allocator->free(node, memory->allocator->data);
        }
        pthread_mutex_destroy(&memory->part[i].lock);
    }
}

/* The slots of all parts, as many as sessions or up to twice as many. 0 or HOOP_ENOMEM. */
static int new_parts(hoop_arena *arena, struct memory *memory)
{
    uint64_t slots = 1;
    while (slots < memory->max_count)
        slots *= 2;
    struct node **all =
        hoop_arena_zalloc(arena, (size_t)(slots * memory->parts) * sizeof(struct node *));
    if (!all)
        return HOOP_ENOMEM;
    for (unsigned i = 0; i < memory->parts; i++) {
        memory->part[i].slots = all + slots * i;
        memory->part[i].mask = slots - 1;
        pthread_mutex_init(&memory->part[i].lock, NULL); /* the default kind: it can't fail here */
    }
    return hoop_arena_on_dispose(arena, done, memory);
}

int hoop_session_memory_new_sized(hoop_arena *arena, const hoop_session_store **ret_store,
                                  hoop_error *error, const hoop_session_memory_options *options,
                                  size_t options_size)
{
    const hoop_session_memory_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    struct memory *memory = own ? hoop_arena_zalloc(arena, sizeof *memory) : NULL;
    if (!memory)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    uint64_t count = own->max_sessions ? own->max_sessions : 65536;
    uint64_t bytes = own->max_bytes ? own->max_bytes : UINT64_C(67108864);
    if (count > MAX_SESSIONS)
        return hoop_error_set(error, HOOP_EINVAL, "session: %llu sessions are too many",
                              (unsigned long long)count);
    int rc = hoop__random(memory->key, sizeof memory->key);
    if (rc)
        return hoop_error_set(error, rc, "session: no random bytes: %s", hoop_strerror(rc));
    memory->parts = count < 1024 ? 1 : PARTS;
    memory->max_count = count / memory->parts;
    memory->max_bytes = bytes / memory->parts;
    memory->allocator = arena->allocator;
    memory->store.read = read_entry;
    memory->store.write = write_entry;
    memory->store.remove = remove_entry;
    memory->store.data = memory;
    if (new_parts(arena, memory))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    *ret_store = &memory->store;
    return 0;
}
