/*
 * A hub: one message for all listeners. Each loop that has some is a group, whose list the loop's thread alone
 * touches; a publisher queues the message with each group and wakes it.
 */
#include "sse/sse.h"

#include "value/pending.h"

#include <stdio.h>
#include <string.h>

#define RETRY_LEN 32 /* bytes that may stand in front of the first event: "retry: NUMBER" */

/* An event as text, shared by all who still have to send it, and by the history. */
struct message {
    atomic_uint refs;
    uint64_t number;
    size_t len;
    char text[];
};

/* A message on its way to a loop. */
struct parcel {
    struct parcel *next;
    struct message *message;
};

struct listener {
    struct listener *next, **link; /* in its group; the loop's thread */
    struct group *group;           /* NULL: not in one */
    hoop_hub *hub;
    hoop_events *events;
    uint64_t from; /* messages of smaller numbers were sent when it came, or before */
};

struct group {
    struct hoop__task task; /* first: brings it to its loop */
    struct group *next;     /* of the hub, under its lock */
    hoop_hub *hub;
    struct hoop__mailbox *mailbox;
    struct listener *listeners;     /* the loop's thread */
    struct parcel *parcels, **last; /* under the lock, as what follows */
    uint64_t pending;
    int called; /* it is on its way */
};

struct hoop_hub {
    pthread_mutex_t lock;
    const hoop_allocator *allocator;
    hoop_hub_options options;
    struct group *groups;
    struct message **history; /* a ring of options.history */
    uint64_t next;            /* number of the next message; the first is 1 */
    uint64_t users;           /* the owner, each listener, and each group that is on its way */
    int closed;
    _Atomic uint64_t listening, dropped;
};

/* --- messages -------------------------------------------------------------------------------- */

static void unref_message(const hoop_allocator *allocator, struct message *message)
{
    if (message && atomic_fetch_sub_explicit(&message->refs, 1, memory_order_acq_rel) == 1)
        hoop__free(allocator, message);
}

static void ref_message(struct message *message)
{
    atomic_fetch_add_explicit(&message->refs, 1, memory_order_relaxed);
}

/* The message of the next number; under the lock. 0 or a code. */
static int new_message(hoop_hub *hub, hoop_event event, struct message **ret_message)
{
    char id[24], *memory;
    size_t len;
    if (event.id)
        return HOOP_EINVAL;
    snprintf(id, sizeof id, "%llu", (unsigned long long)hub->next);
    event.id = id;
    int rc =
        hoop__event_text(hub->allocator, &event, offsetof(struct message, text), &memory, &len);
    if (rc)
        return rc;
    if (len > hub->options.max_bytes) { /* for every listener */
        hoop__free(hub->allocator, memory);
        return HOOP_ETOOBIG;
    }
    struct message *message = (struct message *)(void *)memory;
    atomic_init(&message->refs, 1);
    message->number = hub->next;
    message->len = len;
    *ret_message = message;
    return 0;
}

/* --- the hub's end --------------------------------------------------------------------------- */

/* Under the lock; nonzero if that was the last one, who frees it outside. */
static int drop_user(hoop_hub *hub)
{
    return --hub->users == 0;
}

static void destroy(hoop_hub *hub)
{
    for (uint64_t i = 0; i < hub->options.history; i++)
        unref_message(hub->allocator, hub->history[i]);
    hoop__free(hub->allocator, hub->history);
    pthread_mutex_destroy(&hub->lock);
    hoop__free(hub->allocator, hub);
}

/* --- groups ---------------------------------------------------------------------------------- */

static void free_parcels(const hoop_allocator *allocator, struct parcel *parcel)
{
    while (parcel) {
        struct parcel *next = parcel->next;
        unref_message(allocator, parcel->message);
        hoop__free(allocator, parcel);
        parcel = next;
    }
}

static void free_group(struct group *group)
{
    const hoop_allocator *allocator = group->hub->allocator;
    free_parcels(allocator, group->parcels);
    hoop__mailbox_unref(group->mailbox);
    hoop__free(allocator, group);
}

/* Takes it out of the hub's list; under the lock. */
static void unlink_group(struct group *group)
{
    struct group **link = &group->hub->groups;
    while (*link != group)
        link = &(*link)->next;
    *link = group->next;
}

/* An empty group goes, unless it is on its way: then when it has come. On its loop's thread, under the lock. */
static void drop_if_empty(struct group *group)
{
    if (group->listeners || group->called)
        return;
    unlink_group(group);
    free_group(group);
}

static void come_home(struct hoop__task *task, struct hoop_loop *loop);

/* The group of this loop, made if there is none; under the lock. NULL: out of memory. */
static struct group *group_of(hoop_hub *hub, struct hoop_loop *loop)
{
    for (struct group *group = hub->groups; group; group = group->next)
        if (group->mailbox == loop->mailbox)
            return group;
    struct group *group = hoop__alloc(hub->allocator, sizeof *group);
    if (!group)
        return NULL;
    memset(group, 0, sizeof *group);
    group->task.run = come_home;
    group->hub = hub;
    group->mailbox = hoop__mailbox_ref(loop->mailbox);
    group->last = &group->parcels;
    group->next = hub->groups;
    hub->groups = group;
    return group;
}

/* Has the group come to its loop. One whose loop has closed has no listener any more, or soon. */
static void call(struct group *group)
{
    if (group->called || hoop__mailbox_post(group->mailbox, &group->task))
        return;
    group->called = 1;
    group->hub->users++; /* it stays until then */
}

/* --- delivering ------------------------------------------------------------------------------ */

/* Nonzero if it was sent, or nobody is there any more, who is told so; 0: there is no room. */
static int fits(struct listener *listener, const struct message *message)
{
    int rc = hoop__events_write(listener->events, hoop_str_n(message->text, message->len));
    return rc != HOOP_EBUSY && rc != HOOP_ETOOBIG;
}

static void drop_one(hoop_hub *hub)
{
    atomic_fetch_add_explicit(&hub->dropped, 1, memory_order_relaxed);
}

static void deliver(struct listener *listener, const struct message *message)
{
    hoop_hub *hub = listener->hub;
    if (message->number < listener->from || fits(listener, message))
        return;
    drop_one(hub);
    if (hub->options.slow == HOOP_HUB_DISCONNECT)
        hoop__events_fail(listener->events, HOOP_EBUSY);
}

static void come_home(struct hoop__task *task, struct hoop_loop *loop)
{
    struct group *group = (struct group *)(void *)task; /* its first member */
    hoop_hub *hub = group->hub;
    (void)loop;
    pthread_mutex_lock(&hub->lock);
    struct parcel *parcels = group->parcels;
    int closed = hub->closed;
    group->parcels = NULL;
    group->last = &group->parcels;
    group->pending = 0;
    group->called = 0;
    pthread_mutex_unlock(&hub->lock);
    for (struct parcel *parcel = parcels; parcel; parcel = parcel->next)
        for (struct listener *l = group->listeners; l; l = l->next)
            deliver(l, parcel->message);
    for (struct listener *l = group->listeners; l && closed; l = l->next)
        hoop_sse_close(l->events);
    free_parcels(hub->allocator, parcels);
    pthread_mutex_lock(&hub->lock);
    drop_if_empty(group);
    int last = drop_user(hub);
    pthread_mutex_unlock(&hub->lock);
    if (last)
        destroy(hub);
}

/* --- joining --------------------------------------------------------------------------------- */

/*
 * What the history has from that number on; under the lock. Where the slow are disconnected, what does not fit comes
 * when the page does again, which it does behind the end, with the id of the last event that did fit.
 */
static void replay(struct listener *listener, uint64_t from)
{
    hoop_hub *hub = listener->hub;
    uint64_t kept = hub->options.history;
    uint64_t oldest = hub->next > kept ? hub->next - kept : 1;
    for (uint64_t number = from > oldest ? from : oldest; number < hub->next; number++)
        if (!fits(listener, hub->history[number % kept])) {
            if (hub->options.slow == HOOP_HUB_DISCONNECT) {
                hoop_sse_close(listener->events);
                return;
            }
            drop_one(hub);
        }
}

/* The number behind that of the last event the page has seen; 0: it has seen none of ours. */
static uint64_t wanted_from(const hoop_request *req)
{
    hoop_str id = hoop_last_event_id(req);
    uint64_t number = 0;
    if (!id.len || id.len > 19)
        return 0;
    for (size_t i = 0; i < id.len; i++) {
        unsigned digit = (unsigned)(id.data[i] - '0');
        if (digit > 9)
            return 0;
        number = number * 10 + digit;
    }
    return number + 1;
}

/* What start() needs to know. */
struct joining {
    struct listener listener; /* first */
    struct hoop_loop *loop;
    uint64_t wanted;
};

static void start(hoop_events *events, void *data)
{
    struct joining *joining = data;
    struct listener *listener = &joining->listener;
    hoop_hub *hub = listener->hub;
    listener->events = events;
    pthread_mutex_lock(&hub->lock);
    struct group *group = hub->closed ? NULL : group_of(hub, joining->loop);
    if (group) {
        listener->group = group;
        listener->next = group->listeners;
        listener->link = &group->listeners;
        if (listener->next)
            listener->next->link = &listener->next;
        group->listeners = listener;
        if (joining->wanted && joining->wanted <= hub->next)
            replay(listener, joining->wanted);
        listener->from = hub->next;
    }
    pthread_mutex_unlock(&hub->lock);
    if (!group)
        hoop_sse_close(events);
}

static void leave(int code, void *data)
{
    struct listener *listener = data;
    struct group *group = listener->group;
    hoop_hub *hub = listener->hub;
    (void)code;
    atomic_fetch_sub_explicit(&hub->listening, 1, memory_order_relaxed);
    pthread_mutex_lock(&hub->lock);
    if (group) {
        *listener->link = listener->next;
        if (listener->next)
            listener->next->link = listener->link;
        drop_if_empty(group);
    }
    int last = drop_user(hub);
    pthread_mutex_unlock(&hub->lock);
    if (last)
        destroy(hub);
}

/* Counts a listener who comes. 0, or HOOP_EBUSY. */
static int enter(hoop_hub *hub)
{
    uint64_t before = atomic_fetch_add_explicit(&hub->listening, 1, memory_order_relaxed);
    if (before >= hub->options.max_listeners) {
        atomic_fetch_sub_explicit(&hub->listening, 1, memory_order_relaxed);
        return HOOP_EBUSY;
    }
    pthread_mutex_lock(&hub->lock);
    hub->users++;
    pthread_mutex_unlock(&hub->lock);
    return 0;
}

const hoop_response *hoop_hub_join(hoop_hub *hub, const hoop_request *req)
{
    if (!hub || !req || !hoop__exchange_of(req))
        return hoop_fail(req, HOOP_EINVAL, "no hub, or no exchange, to join");
    if (!hoop__on_loop(req))
        return hoop_fail(req, HOOP_ETHREAD, "hoop_hub_join() belongs on the loop's thread");
    uint64_t retry = hub->options.retry_ms ? RETRY_LEN : 0;
    struct joining *joining = hoop_alloc(req, sizeof *joining);
    if (!joining)
        return NULL;
    if (enter(hub))
        return hoop_fail(req, HOOP_EBUSY, "%llu listen to the hub already",
                         (unsigned long long)hub->options.max_listeners);
    memset(joining, 0, sizeof *joining);
    joining->listener.hub = hub;
    joining->loop = hoop__exchange_of(req)->loop;
    joining->wanted = hub->options.history ? wanted_from(req) : 0;
    return hoop_sse(req, &(hoop_sse_options){ .start = start,
                                              .closed = leave,
                                              .data = joining,
                                              .heartbeat_ms = hub->options.heartbeat_ms,
                                              .retry_ms = hub->options.retry_ms,
                                              .high_bytes = hub->options.max_bytes,
                                              .max_bytes = hub->options.max_bytes + retry });
}

/* --- publishing ------------------------------------------------------------------------------ */

/* A parcel for each group, or for none. 0 or a code; under the lock. */
static int pack(hoop_hub *hub, struct message *message, struct parcel **ret_parcels)
{
    struct parcel *parcels = NULL;
    for (struct group *group = hub->groups; group; group = group->next) {
        struct parcel *parcel = group->pending < hub->options.max_pending
                                    ? hoop__alloc(hub->allocator, sizeof *parcel)
                                    : NULL;
        if (!parcel) {
            int rc = group->pending < hub->options.max_pending ? HOOP_ENOMEM : HOOP_EBUSY;
            free_parcels(hub->allocator, parcels);
            return rc;
        }
        ref_message(message);
        parcel->message = message;
        parcel->next = parcels;
        parcels = parcel;
    }
    *ret_parcels = parcels;
    return 0;
}

static void send_out(hoop_hub *hub, struct parcel *parcels)
{
    for (struct group *group = hub->groups; group; group = group->next) {
        struct parcel *parcel = parcels;
        parcels = parcel->next;
        parcel->next = NULL;
        *group->last = parcel;
        group->last = &parcel->next;
        group->pending++;
        call(group);
    }
}

static void remember(hoop_hub *hub, struct message *message)
{
    uint64_t kept = hub->options.history;
    if (!kept)
        return;
    struct message **place = &hub->history[message->number % kept];
    unref_message(hub->allocator, *place);
    ref_message(message);
    *place = message;
}

int hoop_hub_publish_sized(hoop_hub *hub, const hoop_event *event, size_t size)
{
    struct message *message = NULL;
    struct parcel *parcels = NULL;
    if (!hub || !event)
        return HOOP_EINVAL;
    pthread_mutex_lock(&hub->lock);
    int rc = new_message(hub, hoop__event_of(event, size), &message);
    if (!rc)
        rc = pack(hub, message, &parcels);
    if (!rc) {
        hub->next++;
        remember(hub, message);
        send_out(hub, parcels);
    }
    pthread_mutex_unlock(&hub->lock);
    unref_message(hub->allocator, message);
    return rc;
}

uint64_t hoop_hub_listeners(hoop_hub *hub)
{
    return hub ? atomic_load_explicit(&hub->listening, memory_order_relaxed) : 0;
}

uint64_t hoop_hub_dropped(hoop_hub *hub)
{
    return hub ? atomic_load_explicit(&hub->dropped, memory_order_relaxed) : 0;
}

/* --- making and ending ----------------------------------------------------------------------- */

static void put_defaults(hoop_hub_options *options)
{
    if (!options->max_listeners)
        options->max_listeners = 100000;
    if (!options->max_bytes)
        options->max_bytes = 262144;
    if (!options->max_pending)
        options->max_pending = 4096;
}

int hoop_hub_new_sized(hoop_hub **ret_hub, hoop_error *error, const hoop_hub_options *options,
                       size_t size)
{
    hoop_hub_options own;
    memset(&own, 0, sizeof own);
    if (options)
        memcpy(&own, options, size < sizeof own ? size : sizeof own);
    put_defaults(&own);
    if (own.slow > HOOP_HUB_DISCONNECT)
        return hoop_error_set(error, HOOP_EINVAL, "there is no way %u to treat slow listeners",
                              (unsigned)own.slow);
    if (own.history > UINT32_MAX)
        return hoop_error_set(error, HOOP_EINVAL, "a history of %llu events is too long",
                              (unsigned long long)own.history);
    const hoop_allocator *allocator = own.allocator ? own.allocator : &hoop__malloc;
    size_t ring = (size_t)own.history * sizeof(struct message *);
    hoop_hub *hub = hoop__alloc(allocator, sizeof *hub);
    struct message **history = hub && ring ? hoop__alloc(allocator, ring) : NULL;
    if (!hub || (ring && !history) || pthread_mutex_init(&hub->lock, NULL)) {
        hoop__free(allocator, history);
        hoop__free(allocator, hub);
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    }
    hub->allocator = allocator;
    hub->options = own;
    hub->groups = NULL;
    hub->history = history;
    if (ring)
        memset(history, 0, ring);
    hub->next = 1;
    hub->users = 1;
    hub->closed = 0;
    atomic_init(&hub->listening, 0);
    atomic_init(&hub->dropped, 0);
    *ret_hub = hub;
    return 0;
}

void hoop_hub_free(hoop_hub *hub)
{
    if (!hub)
        return;
    pthread_mutex_lock(&hub->lock);
    hub->closed = 1;
    for (struct group *group = hub->groups; group; group = group->next)
        call(group);
    int last = drop_user(hub);
    pthread_mutex_unlock(&hub->lock);
    if (last)
        destroy(hub);
}
