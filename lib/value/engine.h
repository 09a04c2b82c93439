/*
 * The seam between a connection (the host, lib/net or a test) and a protocol (the engine, no I/O).
 * docs/internals/seam.md tells how HTTP/1, HTTP/2, AJP, TLS and WebSocket use it.
 */
#ifndef HOOP_VALUE_ENGINE_H
#define HOOP_VALUE_ENGINE_H

#include "base/loop.h"
#include "base/out.h"
#include "value/exchange.h"

struct hoop__engine;

/* What an engine wants of its host, as bits of hoop__engine.want; read by the host after each call. */
#define HOOP__WANT_INPUT  1u /* feed() would consume: unread bytes are to be given (again) */
#define HOOP__WANT_OUTPUT 2u /* pull() would write */
#define HOOP__WANT_CLOSE  4u /* send what is there, then close */
#define HOOP__WANT_LINGER \
    8u /* with CLOSE: shut the sending side, read and drop for a while first */
#define HOOP__WANT_ABORT \
    16u /* what could not be sent is of no use: reset where the peer takes nothing */

/* What a protocol does. Every function runs on the loop's thread and never calls the host back but
 * through hoop__host.wake(). */
struct hoop__engine_ops {
    /*
     * Input: consumes from the front and returns how much. What is left the host keeps, and gives
     * it again in front of newer bytes once HOOP__WANT_INPUT is set. May append to host->out.
     */
    size_t (*feed)(struct hoop__engine *engine, const char *data, size_t len);
    /* Output: appends what is ready, up to the room of `out`. */
    void (*pull)(struct hoop__engine *engine, struct hoop__out *out);
    /* `n` bytes of the reference set by the last pull() or feed() were sent. */
    void (*took)(struct hoop__engine *engine, size_t n);
    /* The peer sends nothing more; all it sent has been fed or is kept by the host. */
    void (*eof)(struct hoop__engine *engine);
    /* The peer has shut its side, but bytes of it may be unread still, for which there is no room: whoever
     * works for it should know. No end of input, that is told by eof(). */
    void (*hangup)(struct hoop__engine *engine);
    /* Acts on deadlines that have passed at loop->now; sets engine->deadline anew. */
    void (*tick)(struct hoop__engine *engine);
    /* Finish what runs, take nothing new: idle engines set HOOP__WANT_CLOSE at once. */
    void (*drain)(struct hoop__engine *engine);
    /* The connection is gone or given up: ends all exchanges with `code`. The host frees the
     * memory behind this call; exchanges with open deferreds live on without the engine. */
    void (*stop)(struct hoop__engine *engine, int code);
};

/* The connection's side. Lives at least as long as the engine. */
struct hoop__host {
    struct hoop_loop *loop;
    const struct hoop__service *service;
    const void *config;     /* what was set for the listener, as its protocol knows it; or NULL */
    struct hoop__peer peer; /* copied into each exchange */
    uint8_t kept;           /* it has bytes that were not consumed; told with eof() */
    struct hoop__out *out;  /* where feed() may append; emptied by the host behind each call */
    /* Something changed outside feed, pull, eof and tick (a deferred came): look at want soon. */
    void (*wake)(struct hoop__host *host);
};

struct hoop__engine {
    const struct hoop__engine_ops *ops;
    struct hoop__host *host;
    uint64_t deadline; /* when tick() is due; HOOP__NEVER: no deadline */
    uint32_t want;     /* bits of HOOP__WANT_* */
};

/* A protocol, as the listener's table knows it. */
struct hoop__protocol {
    const char *name;
    size_t engine_size; /* bytes of its struct, which begins with a hoop__engine */
    void (*init)(struct hoop__engine *engine, struct hoop__host *host);
};

#endif
