/*
 * What lib/net gives to lib/server: loops, places to listen at, signals. Nothing of libuv shows here;
 * the other headers of this room are its own.
 */
#ifndef HOOP_NET_NET_H
#define HOOP_NET_NET_H

#include "base/loop.h"
#include "net/quota.h"
#include "value/engine.h"

#include <hoop/error.h>
#include <hoop/server.h>

#include <sys/stat.h>

struct hoop__net_loop;

/*
 * A place that is listened at: the sockets, bound and listening, before loops take them. Made and
 * freed by the server; each descriptor belongs to one loop's thread once that loop listens.
 */
struct hoop__place {
    const struct hoop__protocol *protocol;
    const hoop_allocator *allocator;
    hoop_listener listener; /* as it was given; its texts are the program's */
    char *url;              /* owned */
    char *path;             /* of a Unix socket that was bound here, owned; NULL: none */
    dev_t device;           /* and what file that made, so that no other's is removed */
    ino_t inode;
    int *fds; /* owned; one for each loop, or one alone, which loop 0 accepts for all; -1: taken */
    uint32_t fd_count;
    uint32_t port;      /* 0 for a Unix socket */
    uint32_t inherited; /* the descriptor was given by the program */
};

/* What the loops of a server share. Read-only while they run, but for the quota. */
struct hoop__net {
    const hoop_allocator *allocator;
    const struct hoop__service *service;
    const hoop_limits *limits;
    hoop_log_fn *log;
    void *log_data;
    struct hoop__quota *quota;
    struct hoop__place *places;
    size_t place_count;
    struct hoop__net_loop **loops;
    uint32_t loop_count;
};

/* What a loop tells its owner; all on the loop's thread. */
struct hoop__net_owner {
    /* Draining, and the last connection is closed: call hoop__net_loop_close() when it is time. */
    void (*quiet)(void *data);
    /* The mailbox is closed, no exchange lives: the last moment at which the program is called. */
    void (*stopped)(void *data);
    /* Every handle is closed. The loop may be freed from here. */
    void (*closed)(void *data);
    /* See struct hoop__loop_ops. */
    int (*block)(void *data, struct hoop__job *job);
    void *data;
};

/* --- places ---------------------------------------------------------------------------------- */

/*
 * Binds and listens. `label` ("listener 2: ", or "") stands in front of error texts about the value;
 * the place's allocator is set before. `loops` is how many loops will listen. 0, or a code and text.
 */
int hoop__place_open(struct hoop__place *place, const hoop_listener *listener, uint32_t loops,
                     const char *label, hoop_error *error);

/*
 * Closes what no loop has taken, but for an inherited descriptor with `keep_inherited`, removes the
 * file of a Unix socket, and frees.
 */
void hoop__place_done(struct hoop__place *place, int keep_inherited);

/* Removes the file of a Unix socket if it is still the one that was made here. */
void hoop__place_unlink(struct hoop__place *place);

/* The protocol of that number; NULL: unknown. */
const struct hoop__protocol *hoop__protocol_find(uint32_t number);

/* How many descriptors systemd passed to this process, from HOOP__SYSTEMD_FIRST on; 0 if none. */
uint32_t hoop__systemd_count(void);
#define HOOP__SYSTEMD_FIRST 3

/* The descriptors that this process may open. */
uint64_t hoop__descriptor_limit(void);

/* --- loops ----------------------------------------------------------------------------------- */

/*
 * Makes loop `index` of net->loops, on the host's `uv` or (NULL) one of its own; net and owner are
 * borrowed. Nothing is accepted yet. 0, HOOP_ENOMEM, or libuv's code; on failure nothing is left.
 */
int hoop__net_loop_new(struct hoop__net_loop **ret_loop, struct hoop__net *net, uint32_t index,
                       struct uv_loop_s *uv, const struct hoop__net_owner *owner);

/* The runtime of a loop. */
struct hoop_loop *hoop__net_loop_base(struct hoop__net_loop *loop);

/* Has the loop accept at its places. 0 or a code; after a failure drain the loop. */
int hoop__net_loop_listen(struct hoop__net_loop *loop);

/* Runs a loop of its own until it is closed, on the thread that calls. */
void hoop__net_loop_run(struct hoop__net_loop *loop);

/*
 * Accepts nothing more, drains all connections, and ends what is left at `due` (of the loop's clock).
 * May be called again with an earlier time. On the loop's thread, from a task.
 */
void hoop__net_loop_drain(struct hoop__net_loop *loop, uint64_t due);

/* Closes mailbox and handles; `stopped` and then `closed` are called. Once, after `quiet`. */
void hoop__net_loop_close(struct hoop__net_loop *loop);

/* Frees a loop that is closed. */
void hoop__net_loop_free(struct hoop__net_loop *loop);

/*
 * Calls `fn(data)` on the loop's thread at each SIGINT and SIGTERM until the loop is closed;
 * hoop__net_loop_free() gives the signals their old actions again. 0 or a code.
 */
int hoop__net_loop_signals(struct hoop__net_loop *loop, void (*fn)(void *data), void *data);

#endif
