/*
 * The exchange: one request and its response, the arena they live in, and everything that may happen
 * between them. Engines make it, dispatch it, and end it; the value layer does the rest.
 */
#ifndef HOOP_VALUE_EXCHANGE_H
#define HOOP_VALUE_EXCHANGE_H

#include "base/arena.h"
#include "base/loop.h"
#include "value/value.h"

#include <hoop/body.h>
#include <hoop/deferred.h>
#include <hoop/handler.h>

struct hoop__exchange;

/* The engine's side of an exchange: what the value layer asks of it. */
struct hoop__exchange_ops {
    /* Sends `res`, which is ready, checked, and never NULL. At most once per exchange. */
    void (*respond)(struct hoop__exchange *x, const struct hoop__response *res);
    /* The body's credit has risen from zero: deliver (100 Continue, WINDOW_UPDATE, GET_BODY_CHUNK). */
    void (*want_body)(struct hoop__exchange *x);
    /* The response's source has more, after it had said HOOP_EAGAIN. */
    void (*resume)(struct hoop__exchange *x);
};

/* Both ends of the connection, in binary; copied into each exchange so that it outlives the connection. */
struct hoop__peer {
    uint8_t remote[16];
    uint8_t local[16];
    uint16_t remote_port;
    uint16_t local_port;
    uint8_t family; /* 4, 6; 1: Unix socket; 0: unknown */
    uint8_t secure; /* the scheme is https */
    /* An engine that has these sets them in the exchange's copy, in memory of its arena: what is the
     * connection's would be gone before a deferred is. */
    const char
        *remote_text; /* in place of `remote` where a protocol or a test gives text; or NULL */
    const char *cert; /* the client's certificate in PEM; or NULL */
};

/* What all exchanges of a server share. */
struct hoop__service {
    hoop_handler root;
    const hoop_limits *limits;
    const char *server_name; /* NULL: no Server header */
};

/* A continuation of hoop_on_done(), hoop_on_cancel() or hoop_on_drain(); newest first. */
struct hoop__hook {
    struct hoop__hook *next;
    union {
        hoop_done_fn *done;
        hoop_task_fn *cancel;
    } fn;
    void *data;
};

/* What is done to a constant answer that stands for a failure or a pass; the innermost first. */
struct hoop__canned_change {
    struct hoop__canned_change *next;
    const hoop_request *req;
    hoop_then_fn *fn;
    const void *value;
};

/* A timer that goes with its exchange. */
struct hoop__exchange_timer {
    struct hoop__timer timer; /* first */
    struct hoop__exchange *x;
    struct hoop__exchange_timer *next;
    struct hoop__exchange_timer *next_idle;
    hoop_task_fn *fn;
    void *data;
    uint8_t gives_up; /* it only ends a wait; a virtual clock lets everything else come first */
    uint8_t again;    /* nobody else has it: once it has fired, it is of use again */
};

#define HOOP__LENGTH_UNKNOWN UINT64_MAX

/* Where the request body stands. */
enum hoop__body_state {
    HOOP__BODY_ABSENT,   /* the request has none */
    HOOP__BODY_COMING,   /* nobody has asked yet */
    HOOP__BODY_READING,  /* `sink` gets it */
    HOOP__BODY_COMPLETE, /* `data` is the whole */
    HOOP__BODY_CONSUMED, /* a stream got all of it, nothing is kept */
    HOOP__BODY_REFUSED /* over a limit, out of memory, or nobody wants it: what comes is dropped */
};

struct hoop__body_sink;
struct hoop__body_filter;

struct hoop__body {
    enum hoop__body_state state;
    int foreign;       /* `data` comes from the allocator, not from the arena */
    uint64_t length;   /* of what `sink` will get: announced, or HOOP__LENGTH_UNKNOWN */
    uint64_t received; /* from the engine so far */
    /*
     * How many bytes the engine may deliver now; HOOP__LENGTH_UNKNOWN: any number. At zero it
     * reads on no more. When it rises from zero the engine is told by want_body().
     */
    uint64_t credit;
    uint64_t paused_at; /* when it fell to zero */
    uint64_t ended_at;  /* when the last of it was read, or nobody wanted more */
    uint64_t paused_ms; /* how long it was zero since the first want_body(), until it rose last */
    const struct hoop__body_sink *sink;
    struct hoop__body_filter *filter; /* between the engine and `sink`; or NULL */
    char *data;                       /* collected; NUL-terminated once complete */
    size_t cap;
    uint64_t len;                  /* bytes in `data` */
    struct hoop__pending *readers; /* who waits for the whole, oldest first */
    const hoop_field *trailers;
    size_t trailer_count;
    void *parsed; /* what lib/json made of it; its own business */
};

struct hoop__exchange {
    const struct hoop__exchange_ops *ops;
    struct hoop_loop *loop; /* NULL once orphaned */
    const struct hoop__service *service;
    hoop_arena *arena; /* &own_arena, or the user's (mock) */
    struct hoop__request request;
    struct hoop__peer peer;
    const hoop_error *note; /* what hoop_fail() noted first */
    struct hoop__body body;
    _Atomic(struct hoop__hold *) holds; /* newest first; see hold.h */
    struct hoop__hook *dones;
    struct hoop__hook *cancels;
    struct hoop__hook *drains;
    struct hoop__canned_change *canned_changes;
    struct hoop__exchange_timer *timers;
    struct hoop__exchange_timer *idle_timers; /* among these, for hoop_run_after() */
    struct hoop__exchange *prev_lingering, *next_lingering;
    struct hoop__exchange_timer *deadline;   /* the handler's, while a response is pending */
    void (*ended)(struct hoop__exchange *x); /* in place of freeing, behind the dones; or NULL */
    uint64_t
        pending_ms; /* when its response was found to be pending, or was given another deadline */
    uint64_t started_ms;
    uint64_t ended_ms;
    uint64_t body_out;   /* counted by the engine */
    uint64_t max_body;   /* in place of the service's, set by a route; 0: the service's */
    uint64_t handler_ms; /* likewise */
    atomic_uint open_holds;
    int32_t status;       /* of the response given to the engine; 0: none yet */
    int32_t code;         /* why it ended */
    uint8_t responded;    /* respond() was called */
    uint8_t broken;       /* its body has failed: a peer that takes nothing is not waited for */
    uint8_t cancelled;    /* the cancel hooks have run */
    uint8_t draining;     /* the drain hooks have */
    uint8_t over;         /* the engine is done with it */
    uint8_t lingers;      /* on the loop's list, until its last hold has ended */
    hoop_arena own_arena; /* last: the engine's and the handler's memory follow */
};

/*
 * Sets up an exchange of an engine in `block`, a fresh block of loop->blocks, at whose start it stands;
 * `used` bytes of the block are taken (the exchange, and what the engine keeps behind it). The
 * request's fields are zero but for the arena, the engine fills them before dispatch.
 */
void hoop__exchange_init(struct hoop__exchange *x, const struct hoop__exchange_ops *ops,
                         struct hoop_loop *loop, const struct hoop__service *service, void *block,
                         size_t used);

/*
 * Runs the handler. By the time it returns respond() may have been called, or comes later from
 * hoop__loop_turn(), or from hoop__exchange_body_end(). body.state and body.length are set before.
 */
void hoop__exchange_dispatch(struct hoop__exchange *x);

/* Bytes of the body, while it is wanted (state READING), no more than its credit. */
void hoop__exchange_body(struct hoop__exchange *x, const char *data, size_t len);

/* The body is complete; trailers (arena memory, names in lower case) are kept apart. */
void hoop__exchange_body_end(struct hoop__exchange *x, const hoop_field *trailers, size_t count);

/* The client left, or a deadline passed, but the response may still be written: runs cancel hooks. */
void hoop__exchange_cancel(struct hoop__exchange *x);

/* The server ends, and this exchange runs still: runs the drain hooks, so that what has no end of its
 * own can end. */
void hoop__exchange_drain(struct hoop__exchange *x);

/*
 * The engine is done: the response was sent in full (`code` 0), or never will be. The engine must
 * not touch it afterwards. Frees it now, or when its last hold has ended.
 */
void hoop__exchange_end(struct hoop__exchange *x, int code);

/* Finishes an ended exchange without open holds: dones, timers, memory. Internal to value. */
void hoop__exchange_finish(struct hoop__exchange *x);

/* Takes an exchange off the loop's list of those that linger. */
void hoop__exchange_unlinger(struct hoop__exchange *x);

/* Frees what an exchange holds; whoever took `ended` over calls it. */
void hoop__exchange_release(struct hoop__exchange *x);

/*
 * Gives the handler `ms` milliseconds (HOOP_OFF: all the time there is) in place of the service's
 * handler_ms; 0: that again. They count from the dispatch on, or from now if the response is pending.
 */
void hoop__exchange_deadline(struct hoop__exchange *x, uint64_t ms);

/*
 * Has `fn` change the answer if it becomes one of the constants for a failure or a pass, which go through
 * hoop_then() untouched: for headers that belong on every answer. On the loop's thread. 0, or HOOP_ENOMEM
 * (noted). Nothing happens for a request without exchange.
 */
int hoop__exchange_on_canned(const hoop_request *req, hoop_then_fn *fn, const void *value);

/* Gives the exchange its outcome: a response, NULL, pass, or pending. Internal to value. */
void hoop__exchange_settle(struct hoop__exchange *x, const hoop_response *res);

/* Lets every open deferred of the loop's lingering exchanges end without it; hoop__loop_close(). */
void hoop__exchange_orphan_all(struct hoop_loop *loop);

static inline struct hoop__request *hoop__request_of(const hoop_request *req)
{
    return (struct hoop__request *)(uintptr_t)req;
}

/* The exchange behind a request; NULL for one of hoop_app_request(). */
static inline struct hoop__exchange *hoop__exchange_of(const hoop_request *req)
{
    return hoop__request_of(req)->exchange;
}

/*
 * Nonzero for a request of the exchange itself, which its loop's thread alone uses: what is found out for it may be
 * kept for the next who asks. A deferred's request may be another thread's, and has an arena of its own.
 */
static inline int hoop__request_is_own(const hoop_request *req)
{
    const struct hoop__exchange *x = req ? hoop__exchange_of(req) : NULL;
    return x && !hoop__request_of(req)->deferred && req->arena == x->arena;
}

#endif
