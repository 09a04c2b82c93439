/* A connection: a socket, the engine of its protocol, and the bytes between them. */
#ifndef HOOP_NET_CONN_H
#define HOOP_NET_CONN_H

#include "net/buffer.h"
#include "net/loop.h"

/* One allocation with the engine behind it; the two buffers exist only while they hold something. */
struct hoop__conn {
    struct hoop__host host; /* first */
    uv_poll_t poll;
    struct hoop__timer timer; /* lazy: may be set earlier than needed, never later */
    uint64_t due;             /* while sending is stuck, or lingering: when that has to end */
    struct hoop__conn *next;  /* of the loop's */
    struct hoop__conn **link;
    struct hoop__conn *next_dirty;
    struct hoop__buffer *kept;        /* read, but not consumed by the engine */
    struct hoop__buffer *queue;       /* the engine's output that the socket did not take */
    const struct hoop__peer *counted; /* whom the quota took for the client; behind the engine if a
                                         front end tells who he is, else the host's own */
    int fd;
    uint32_t dropped; /* bytes read while lingering */
    uint32_t pieces;  /* bytes of files sent, up to where the kernel is given more room */
    uint8_t events;   /* what is polled for */
    uint8_t busy;     /* the engine is being called: it needs no wake */
    uint8_t dirty;    /* on the loop's list */
    uint8_t ended;    /* the peer sends nothing more, all it sent was read */
    uint8_t hung_up;  /* the same is known, but unread bytes may be left */
    uint8_t stuck;    /* the socket did not take everything: wait until it is writable */
    uint8_t more;     /* there was no end to it: go on at the next turn of the loop */
    uint8_t stopped;  /* the engine is gone */
    uint8_t lingering;
    uint8_t closing;
};

static inline struct hoop__engine *hoop__conn_engine(struct hoop__conn *conn)
{
    return (struct hoop__engine *)(void *)(conn + 1);
}

/*
 * Takes a connected, non-blocking socket over, on the loop's thread, also on failure. The quota
 * has been taken before and is given back at its end. 0 or a code.
 */
int hoop__conn_new(struct hoop__net_loop *loop, const struct hoop__protocol *protocol,
                   const hoop_listener *listener, int fd, const struct hoop__peer *peer);

/* Looks at a connection that was woken. */
void hoop__conn_look(struct hoop__conn *conn);

/* Lets it finish what runs. */
void hoop__conn_drain(struct hoop__conn *conn);

/* Ends the engine with `code` and closes; the memory goes in libuv's close callback. */
void hoop__conn_stop(struct hoop__conn *conn, int code);

#endif
