/* The inside of a loop on libuv: handles, shared buffers, what it serves. For this room only. */
#ifndef HOOP_NET_LOOP_H
#define HOOP_NET_LOOP_H

#include "base/out.h"
#include "net/net.h"

#include <uv.h>

#include <signal.h>

#define HOOP__IO_SIZE ((size_t)65536) /* of the two buffers that all connections of a loop share */

struct hoop__conn;
struct hoop__listener;

/* Everything here belongs to the loop's thread. */
struct hoop__net_loop {
    struct hoop_loop base; /* first */
    struct hoop__net *net;
    struct hoop__net_owner owner;
    uv_loop_t *uv;
    uv_loop_t *own;       /* `uv`, if it is ours to run and close; NULL: the host's */
    uv_async_t async;     /* keeps the host's uv_run() going, too, until the loop is closed */
    uv_timer_t timer;     /* one for the whole wheel */
    uv_prepare_t prepare; /* serves what the host's own callbacks resolved, in front of the poll */
    uv_signal_t signals[2];
    struct sigaction old_actions[2];
    void (*signal_fn)(void *data);
    void *signal_data;
    struct hoop__timer deadline; /* of draining */
    struct hoop__listener *listeners;
    struct hoop__conn *conns; /* all of them */
    struct hoop__conn *dirty; /* woken: to be looked at behind this callback */
    struct hoop__conn **dirty_last;
    uint32_t index;       /* among net->loops */
    uint32_t open;        /* connections and listeners whose handles are not closed */
    uint32_t handles;     /* of its own that are not closed */
    uint32_t handed;      /* which loop the next accepted connection goes to, if loop 0 accepts */
    uint64_t logged;      /* until when accepting's troubles are not logged again */
    uint8_t drained;      /* hoop__net_loop_drain() was called */
    uint8_t cut;          /* its deadline has passed */
    uint8_t told;         /* owner.quiet was called */
    uint8_t closing;      /* hoop__net_loop_close() was called */
    uint8_t closed;       /* all is closed */
    uint8_t has_signals;  /* handles are initialised, old_actions are set */
    char *input;          /* HOOP__IO_SIZE: what one recv brings */
    struct hoop__out out; /* HOOP__IO_SIZE: what one sendmsg takes */
};

static inline struct hoop__net_loop *hoop__net_loop_of(struct hoop_loop *base)
{
    return (struct hoop__net_loop *)(void *)base;
}

/* Begins a callback of libuv's: the clock. */
static inline void hoop__net_begin(struct hoop__net_loop *loop)
{
    loop->base.now = uv_now(loop->uv);
}

/* Ends one: runs what became ready, serves the connections that were woken. */
void hoop__net_end(struct hoop__net_loop *loop);

/* signals.c: closes the handles; gives the old actions back. */
void hoop__net_signals_close(struct hoop__net_loop *loop, uv_close_cb closed);
void hoop__net_signals_restore(struct hoop__net_loop *loop);

/* `a + b` that stops at HOOP__NEVER. */
static inline uint64_t hoop__later(uint64_t a, uint64_t b)
{
    return a + b < a ? HOOP__NEVER : a + b;
}

#endif
