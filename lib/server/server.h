/* The inside of a server, which server.c and serve.c share. */
#ifndef HOOP_SERVER_SERVER_H
#define HOOP_SERVER_SERVER_H

#include "net/net.h"
#include "server/pool.h"

/* A loop as the server sees it. What the lock guards says so; the rest is its own thread's. */
struct hoop__server_loop {
    struct hoop_server *server;
    struct hoop__net_loop *net;
    struct hoop__pool_client client;
    struct hoop__task drain; /* brings a new deadline */
    struct hoop__task quiet; /* the pool has nothing of this loop any more */
    pthread_t thread;
    uint8_t has_thread;
    uint8_t drain_posted; /* lock */
    uint8_t begun;        /* on_loop_start was called, and succeeded */
};

/* Who wants to know of the end. */
struct hoop__server_end {
    struct hoop__server_end *next;
    hoop_task_fn *fn;
    void *data;
};

enum hoop__server_state {
    HOOP__SERVER_NEW,     /* bound, not started */
    HOOP__SERVER_RUNNING, /* until the last loop is closed, draining included */
    HOOP__SERVER_ENDED    /* or never started and stopped */
};

struct hoop_server {
    hoop_server_options options; /* complete */
    const hoop_allocator *allocator;
    hoop_limits limits;
    hoop_handler root;
    struct hoop__service service; /* its root calls ours, with the body read where that is a leaf */
    struct hoop__quota quota;
    struct hoop__net net;
    struct hoop__pool *pool;
    struct hoop__server_loop *loops;
    pthread_mutex_t lock;   /* guards what follows */
    pthread_cond_t changed; /* has_finished, or begun */
    enum hoop__server_state state;
    uint64_t due;     /* when what runs is cut off; HOOP__NEVER: not draining */
    uint32_t running; /* loops that are not closed */
    struct hoop__server_end *ends;
    uint32_t begun;       /* loops whose on_loop_start has returned */
    int begin_code;       /* what the first of those that failed returned */
    uint8_t has_finished; /* all `fn` of the ends have returned */
    uint8_t freed;        /* by the program: whoever sees the end destroys */
};

/*
 * Makes all loops, has them listen and begin. `leave_first` leaves loop 0 without a thread: the caller
 * runs it by hoop__server_run_loop(). 0, or a code and text; then the server has ended or ends by itself.
 */
int hoop__server_begin(hoop_server *server, int leave_first, hoop_error *error);

/* Runs a loop of the server's own to its end, on the calling thread. */
void hoop__server_run_loop(struct hoop__server_loop *loop);

#endif
