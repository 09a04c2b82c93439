/*
 * A handler that can be replaced while requests run. Each loop has a place of its own with the
 * generation that it uses and the number of its requests in it, so that no request touches what another
 * thread writes; replacing posts to every loop, and a generation goes when none has it any more.
 */
#include "handler/router.h"

#include "value/pending.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* A handler and its memory; `refs` is under the lock. */
struct generation {
    hoop_handler handler;
    hoop_arena *arena; /* freed with it; NULL: lives elsewhere */
    size_t refs;       /* one of `latest`, and one of each hold */
    struct generation *next, *prev;
};

/* What a loop has of a generation. Its thread alone touches it once it is the loop's. */
struct hold {
    struct slot *slot;
    struct generation *generation;
    uint64_t requests;
    uint8_t retired; /* another one is in its place; goes with its last request */
    struct hold *next, *prev;
};

/* A loop's place. */
struct slot {
    struct hoop__task task; /* first: tells the loop to go over to `pending` */
    struct hoop_live *live;
    struct hoop__mailbox *mailbox; /* counted: the loop may be gone, its mailbox is not */
    struct hold *current;          /* the loop's thread alone */
    struct hold *pending;          /* under the lock; NULL: none */
    uint8_t posted;                /* under the lock */
    struct slot *next;
};

struct hoop_live {
    struct hoop__node node; /* first */
    const hoop_allocator *allocator;
    pthread_mutex_t lock;
    struct generation *latest;      /* under the lock */
    struct generation *generations; /* all of them; under the lock */
    struct hold *holds;             /* likewise */
    _Atomic(struct slot *) slots;   /* grows at the front; written under the lock */
};

static struct hoop_live *live_of(const struct hoop__node *node)
{
    return (struct hoop_live *)(uintptr_t)node;
}

/* --- counting; all under the lock --------------------------------------------------------------- */

static struct generation *new_generation(struct hoop_live *live, hoop_handler handler,
                                         hoop_arena *arena)
{
    struct generation *g = hoop__alloc(live->allocator, sizeof *g);
    if (!g)
        return NULL;
    g->handler = handler;
    g->arena = arena;
    g->refs = 1;
    g->prev = NULL;
    g->next = live->generations;
    if (g->next)
        g->next->prev = g;
    live->generations = g;
    return g;
}

/* Ends a reference. What has to be freed, outside of the lock; NULL: nothing. */
static struct generation *unref(struct hoop_live *live, struct generation *g)
{
    if (--g->refs)
        return NULL;
    if (g->prev)
        g->prev->next = g->next;
    else
        live->generations = g->next;
    if (g->next)
        g->next->prev = g->prev;
    return g;
}

static struct hold *new_hold(struct hoop_live *live, struct slot *slot)
{
    struct hold *hold = hoop__alloc(live->allocator, sizeof *hold);
    if (!hold)
        return NULL;
    memset(hold, 0, sizeof *hold);
    hold->slot = slot;
    hold->next = live->holds;
    if (hold->next)
        hold->next->prev = hold;
    live->holds = hold;
    return hold;
}

static struct generation *drop_hold(struct hoop_live *live, struct hold *hold)
{
    struct generation *gone = hold->generation ? unref(live, hold->generation) : NULL;
    if (hold->prev)
        hold->prev->next = hold->next;
    else
        live->holds = hold->next;
    if (hold->next)
        hold->next->prev = hold->prev;
    hoop__free(live->allocator, hold);
    return gone;
}

static void free_generation(struct hoop_live *live, struct generation *g)
{
    if (!g)
        return;
    hoop_arena_free(g->arena);
    hoop__free(live->allocator, g);
}

/* --- on the loops ------------------------------------------------------------------------------- */

static void end_hold(struct hoop_live *live, struct hold *hold)
{
    pthread_mutex_lock(&live->lock);
    struct generation *gone = drop_hold(live, hold);
    pthread_mutex_unlock(&live->lock);
    free_generation(live, gone);
}

/* The loop goes over to the generation that was put into its place. */
static void adopt(struct hoop__task *task, struct hoop_loop *loop)
{
    struct slot *slot = (struct slot *)(void *)task;
    struct hoop_live *live = slot->live;
    (void)loop;
    pthread_mutex_lock(&live->lock);
    struct hold *fresh = slot->pending;
    slot->pending = NULL;
    slot->posted = 0;
    pthread_mutex_unlock(&live->lock);
    if (!fresh)
        return;
    struct hold *old = slot->current;
    slot->current = fresh;
    if (old->requests)
        old->retired = 1;
    else
        end_hold(live, old);
}

static void on_done(const hoop_done *done, void *data)
{
    struct hold *hold = data;
    (void)done;
    if (--hold->requests == 0 && hold->retired)
        end_hold(hold->slot->live, hold);
}

/* A place for a loop that comes for the first time. NULL: out of memory. */
static struct slot *new_slot(struct hoop_live *live, struct hoop__mailbox *mailbox)
{
    struct slot *slot = hoop__alloc(live->allocator, sizeof *slot);
    if (!slot)
        return NULL;
    memset(slot, 0, sizeof *slot);
    slot->task.run = adopt;
    slot->live = live;
    pthread_mutex_lock(&live->lock);
    slot->current = new_hold(live, slot);
    if (slot->current) {
        slot->mailbox = hoop__mailbox_ref(mailbox);
        slot->current->generation = live->latest;
        live->latest->refs++;
        slot->next = atomic_load_explicit(&live->slots, memory_order_relaxed);
        atomic_store_explicit(&live->slots, slot, memory_order_release);
    }
    pthread_mutex_unlock(&live->lock);
    if (slot->current)
        return slot;
    hoop__free(live->allocator, slot);
    return NULL;
}

static struct slot *slot_of(struct hoop_live *live, struct hoop__mailbox *mailbox)
{
    struct slot *slot = atomic_load_explicit(&live->slots, memory_order_acquire);
    while (slot && slot->mailbox != mailbox)
        slot = slot->next;
    return slot ? slot : new_slot(live, mailbox);
}

static const hoop_response *call_live(const struct hoop__node *node, const hoop_request *req)
{
    struct hoop__exchange *x = hoop__exchange_of(req);
    if (!x || !hoop__on_loop(req))
        return hoop_fail(req, HOOP_ETHREAD,
                         "a live handler needs a request of an exchange, on its loop's thread");
    struct slot *slot = slot_of(live_of(node), x->loop->mailbox);
    if (!slot)
        return hoop__fail_memory(req);
    struct hold *hold = slot->current;
    int rc = hoop_on_done(req, on_done, hold);
    if (rc)
        return hoop_fail(req, rc, "%s", hoop_strerror(rc));
    hold->requests++;
    return hoop_call(hold->generation->handler, req);
}

static hoop_handler latest_of(const struct hoop__node *node)
{
    struct hoop_live *live = live_of(node);
    pthread_mutex_lock(&live->lock);
    hoop_handler handler = live->latest->handler;
    pthread_mutex_unlock(&live->lock);
    return handler;
}

static void print_live(const struct hoop__node *node, struct hoop__printer *printer)
{
    hoop__print(printer, "live");
    hoop__print_handler(printer, latest_of(node));
}

static const struct hoop__node_ops live_ops = { call_live, print_live, latest_of };

/* --- making and replacing ------------------------------------------------------------------------ */

static void dispose(void *data)
{
    struct hoop_live *live = data;
    struct slot *slot = atomic_load(&live->slots);
    while (slot) {
        struct slot *next = slot->next;
        hoop__mailbox_unref(slot->mailbox);
        hoop__free(live->allocator, slot);
        slot = next;
    }
    while (live->holds) {
        struct hold *next = live->holds->next;
        hoop__free(live->allocator, live->holds);
        live->holds = next;
    }
    while (live->generations) {
        struct generation *next = live->generations->next;
        free_generation(live, live->generations);
        live->generations = next;
    }
    pthread_mutex_destroy(&live->lock);
}

int hoop_live_new(hoop_arena *arena, hoop_handler handler, hoop_arena *generation,
                  hoop_live **ret_live, hoop_handler *ret_handler, hoop_error *error)
{
    if (!arena || !ret_live || !ret_handler)
        return hoop_error_set(error, HOOP_EINVAL,
                              "arena, ret_live and ret_handler may not be NULL");
    int rc = hoop__handler_usable(handler, "the live handler", error);
    if (rc)
        return rc;
    struct hoop_live *live = hoop_arena_zalloc(arena, sizeof *live);
    struct hoop__summary own = hoop__summary_of(handler);
    /* The summary is copied, since the first generation may go before the chain around it. */
    if (!live || hoop__summary_join(arena, &live->node.summary, &own, NULL))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    live->node.ops = &live_ops;
    live->allocator = arena->allocator;
    atomic_init(&live->slots, NULL);
    pthread_mutex_init(&live->lock, NULL);
    /* On failure of the next line dispose() runs at once: there is no generation yet to be freed. */
    if (hoop_arena_on_dispose(arena, dispose, live))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    live->latest = new_generation(live, handler, generation);
    if (!live->latest)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    *ret_live = live;
    *ret_handler = hoop__node_handler(&live->node);
    return 0;
}

/* The chain around was checked for the first handler: a later one may need nothing more. */
static int check_needs(const struct hoop_live *live, hoop_handler handler, hoop_error *error)
{
    struct hoop__summary summary = hoop__summary_of(handler);
    for (const struct hoop__need *n = summary.needs; n; n = n->next) {
        const struct hoop__need *known = live->node.summary.needs;
        while (known && strcmp(known->name, n->name) != 0)
            known = known->next;
        if (!known)
            return hoop_error_set(error, HOOP_EMISSING,
                                  "middleware '%s'%s%s%s needs '%s', which the first handler did "
                                  "not need, so that nothing further out is known to provide it",
                                  n->by, n->route ? " of route '" : "", n->route ? n->route : "",
                                  n->route ? "'" : "", n->name);
    }
    return 0;
}

/* A hold for each loop that has none waiting. HOOP_ENOMEM leaves those that were made for next time. */
static int prepare(struct hoop_live *live)
{
    for (struct slot *slot = atomic_load(&live->slots); slot; slot = slot->next)
        if (!slot->pending && !(slot->pending = new_hold(live, slot)))
            return HOOP_ENOMEM;
    return 0;
}

/* Puts a generation into a loop's place; what was waiting there, unseen, is let go. */
static void offer(struct hoop_live *live, struct slot *slot, struct generation *g,
                  struct generation **gone)
{
    struct generation *unseen = slot->pending->generation;
    slot->pending->generation = g;
    g->refs++;
    if (unseen && (unseen = unref(live, unseen)) != NULL) {
        unseen->next = *gone;
        *gone = unseen;
    }
    if (!slot->posted && hoop__mailbox_post(slot->mailbox, &slot->task) == 0)
        slot->posted = 1;
    if (slot->posted)
        return;
    /* The loop has closed: it keeps what it had, if anything, until the arena goes. */
    slot->pending->generation = NULL;
    g->refs--;
}

int hoop_live_replace(hoop_live *live, hoop_handler handler, hoop_arena *generation,
                      hoop_error *error)
{
    if (!live)
        return hoop_error_set(error, HOOP_EINVAL, "live may not be NULL");
    int rc = hoop__handler_usable(handler, "the new handler", error);
    if (!rc)
        rc = check_needs(live, handler, error);
    if (rc)
        return rc;
    struct generation *gone = NULL, *old;
    pthread_mutex_lock(&live->lock);
    struct generation *g = prepare(live) ? NULL : new_generation(live, handler, generation);
    if (!g) {
        pthread_mutex_unlock(&live->lock);
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    }
    old = live->latest;
    live->latest = g;
    for (struct slot *slot = atomic_load(&live->slots); slot; slot = slot->next)
        offer(live, slot, g, &gone);
    old = unref(live, old);
    pthread_mutex_unlock(&live->lock);
    free_generation(live, old);
    while (gone) {
        struct generation *next = gone->next;
        free_generation(live, gone);
        gone = next;
    }
    return 0;
}

size_t hoop_live_generations(hoop_live *live)
{
    size_t count = 0;
    if (!live)
        return 0;
    pthread_mutex_lock(&live->lock);
    for (const struct generation *g = live->generations; g; g = g->next)
        count++;
    pthread_mutex_unlock(&live->lock);
    return count;
}
