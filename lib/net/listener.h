/* Accepting at a place, on one loop. */
#ifndef HOOP_NET_LISTENER_H
#define HOOP_NET_LISTENER_H

#include "net/loop.h"

/* A polled listening socket; owned by the loop. */
struct hoop__listener {
    uv_poll_t poll;
    struct hoop__timer retry; /* set while there are no descriptors to accept with */
    struct hoop__net_loop *loop;
    struct hoop__place *place;
    struct hoop__listener *next;
    int fd;
    uint8_t hands_over; /* what it accepts goes round all loops */
};

/* Begins to accept with descriptor `index` of a place, which is the loop's from then on. 0 or a code. */
int hoop__listener_new(struct hoop__net_loop *loop, struct hoop__place *place, uint32_t index);

/* Stops accepting; the memory goes in libuv's close callback. */
void hoop__listener_close(struct hoop__listener *listener);

#endif
