/* What the two bounds on libuv share: listening, reading into one buffer, sending at once. */
#ifndef HOOP_BENCH_UV_PEER_H
#define HOOP_BENCH_UV_PEER_H

#include "peer.h"

#include <uv.h>

#define UV_PEER_INPUT 65536

/* A connection; the two peers put their own behind it. */
struct uv_peer {
    uv_tcp_t tcp;
};

/* What a peer does. */
struct uv_peer_ops {
    size_t size; /* of its connection's struct, which begins with a uv_peer */
    void (*open)(struct uv_peer *peer);
    int (*read)(struct uv_peer *peer, const char *data, size_t len); /* nonzero: close it */
    void (*second)(void); /* once a second, for the date */
};

static char uv_peer_input[UV_PEER_INPUT]; /* all connections read into it */
static const struct uv_peer_ops *uv_peer_ops;

static inline void uv_peer_free(uv_handle_t *handle)
{
    free(handle);
}

static inline void uv_peer_written(uv_write_t *write, int status)
{
    free(write);
}

/* Sends now what the socket takes, the rest when it can. */
static inline void uv_peer_send(struct uv_peer *peer, char *data, size_t len)
{
    uv_stream_t *stream = (uv_stream_t *)&peer->tcp;
    uv_buf_t buffer = uv_buf_init(data, (unsigned)len);
    int rc = uv_try_write(stream, &buffer, 1);
    if (rc < 0 && rc != UV_EAGAIN)
        return; /* the next read tells */
    size_t sent = rc < 0 ? 0 : (size_t)rc;
    if (sent == len)
        return;
    uv_write_t *write = malloc(sizeof *write + len - sent);
    char *copy = (char *)(write + 1);
    memcpy(copy, data + sent, len - sent);
    buffer = uv_buf_init(copy, (unsigned)(len - sent));
    uv_write(write, stream, &buffer, 1, uv_peer_written);
}

static inline void uv_peer_alloc(uv_handle_t *handle, size_t size, uv_buf_t *ret_buffer)
{
    *ret_buffer = uv_buf_init(uv_peer_input, sizeof uv_peer_input);
}

static inline void uv_peer_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *buffer)
{
    struct uv_peer *peer = (struct uv_peer *)stream;
    if (len < 0 || (len > 0 && uv_peer_ops->read(peer, buffer->base, (size_t)len)))
        uv_close((uv_handle_t *)stream, uv_peer_free);
}

static inline void uv_peer_accept(uv_stream_t *server, int status)
{
    struct uv_peer *peer = malloc(uv_peer_ops->size);
    uv_tcp_init(server->loop, &peer->tcp);
    if (status < 0 || uv_accept(server, (uv_stream_t *)&peer->tcp) != 0) {
        uv_close((uv_handle_t *)&peer->tcp, uv_peer_free);
        return;
    }
    uv_tcp_nodelay(&peer->tcp, 1);
    uv_peer_ops->open(peer);
    uv_read_start((uv_stream_t *)&peer->tcp, uv_peer_alloc, uv_peer_read);
}

static inline void uv_peer_tick(uv_timer_t *timer)
{
    uv_peer_ops->second();
}

/* Serves for ever. */
static inline int uv_peer_run(int port, const struct uv_peer_ops *ops)
{
    uv_loop_t *loop = uv_default_loop();
    uv_tcp_t server;
    uv_timer_t timer;
    struct sockaddr_in address;
    uv_peer_ops = ops;
    ops->second();
    uv_timer_init(loop, &timer);
    uv_timer_start(&timer, uv_peer_tick, 1000, 1000);
    uv_ip4_addr("127.0.0.1", port, &address);
    uv_tcp_init(loop, &server);
    int rc = uv_tcp_bind(&server, (const struct sockaddr *)&address, 0);
    if (rc == 0)
        rc = uv_listen((uv_stream_t *)&server, PEER_BACKLOG, uv_peer_accept);
    if (rc) {
        fprintf(stderr, "port %d: %s\n", port, uv_strerror(rc));
        return 1;
    }
    return uv_run(loop, UV_RUN_DEFAULT);
}

#endif
