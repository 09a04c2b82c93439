/* Accepting: how often, within which limits, and on which loop; and what to do without descriptors. */
#include "net/listener.h"

#include "ajp/ajp.h"
#include "http1/http1.h"
#include "net/conn.h"
#include "net/sendfile.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#define MAX_ACCEPTS 64   /* in a row, before connections get their turn */
#define RETRY_MS    100  /* without descriptors */
#define LOG_MS      1000 /* between two lines about it */

/* The protocols of listeners; a new one is one line. */
static const struct hoop__protocol *const protocols[] = {
    [HOOP_HTTP] = &hoop__http1,
    [HOOP_AJP] = &hoop__ajp,
};

const struct hoop__protocol *hoop__protocol_find(uint32_t number)
{
    return number < HOOP_COUNT(protocols) ? protocols[number] : NULL;
}

/* --- addresses ------------------------------------------------------------------------------- */

static void set_end(const struct sockaddr_storage *from, uint8_t address[16], uint16_t *port,
                    uint8_t *family)
{
    if (from->ss_family == AF_INET) {
        const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)from;
        memcpy(address, &v4->sin_addr, 4);
        *port = ntohs(v4->sin_port);
        *family = 4;
    } else if (from->ss_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)from;
        int mapped = IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr);
        /* Who came by IPv4 to a socket for both is shown as what he is. */
        memcpy(address, &v6->sin6_addr.s6_addr[mapped ? 12 : 0], mapped ? 4 : 16);
        *port = ntohs(v6->sin6_port);
        *family = mapped ? 4 : 6;
    } else if (from->ss_family == AF_UNIX) {
        *family = 1;
    }
}

static void fill_peer(struct hoop__peer *peer, const struct sockaddr_storage *remote, int fd)
{
    struct sockaddr_storage local;
    socklen_t len = sizeof local;
    uint8_t family = 0;
    memset(peer, 0, sizeof *peer);
    set_end(remote, peer->remote, &peer->remote_port, &peer->family);
    if (peer->family != 4 && peer->family != 6)
        return;
    if (getsockname(fd, (struct sockaddr *)&local, &len) == 0)
        set_end(&local, peer->local, &peer->local_port, &family);
}

/* --- handing over ---------------------------------------------------------------------------- */

/* An accepted socket on its way to another loop. */
struct handed {
    struct hoop__task task;
    const struct hoop__place *place;
    struct hoop__peer peer;
    int fd;
};

static void begin(struct hoop__net_loop *loop, const struct hoop__place *place, int fd,
                  const struct hoop__peer *peer)
{
    hoop__conn_new(loop, place->protocol, &place->listener, fd, peer);
}

static void refuse(struct hoop__net_loop *loop, int fd, const struct hoop__peer *peer)
{
    hoop__quota_give(loop->net->quota, peer);
    close(fd);
}

static void arrive(struct hoop__task *task, struct hoop_loop *base)
{
    struct hoop__net_loop *loop = hoop__net_loop_of(base);
    struct handed handed = *(struct handed *)(void *)task;
    hoop__free(base->allocator, task);
    if (loop->drained)
        refuse(loop, handed.fd, &handed.peer);
    else
        begin(loop, handed.place, handed.fd, &handed.peer);
}

static void hand_over(struct hoop__listener *listener, int fd, const struct hoop__peer *peer)
{
    struct hoop__net_loop *loop = listener->loop, *to;
    to = loop->net->loops[loop->handed++ % loop->net->loop_count];
    if (to == loop) {
        begin(loop, listener->place, fd, peer);
        return;
    }
    struct handed *handed = hoop__alloc(loop->base.allocator, sizeof *handed);
    if (!handed) {
        refuse(loop, fd, peer);
        return;
    }
    handed->task.run = arrive;
    handed->place = listener->place;
    handed->peer = *peer;
    handed->fd = fd;
    if (hoop__mailbox_post(to->base.mailbox, &handed->task)) {
        hoop__free(loop->base.allocator, handed);
        refuse(loop, fd, peer);
    }
}

/* --- accepting ------------------------------------------------------------------------------- */

static void on_poll(uv_poll_t *handle, int status, int events);

static void pause_accepting(struct hoop__listener *listener, int error)
{
    struct hoop__net_loop *loop = listener->loop;
    uv_poll_stop(&listener->poll);
    hoop__loop_timer(&loop->base, &listener->retry, loop->base.now + RETRY_MS);
    if (loop->base.now < loop->logged)
        return;
    loop->logged = loop->base.now + LOG_MS;
    hoop__log(&loop->base, HOOP_LOG_WARN, "%s: can't accept: %s", listener->place->url,
              hoop_strerror(-error));
}

static void on_retry(struct hoop__timer *timer)
{
    struct hoop__listener *listener =
        (struct hoop__listener *)(void *)((char *)timer - offsetof(struct hoop__listener, retry));
    if (uv_poll_start(&listener->poll, UV_READABLE, on_poll))
        pause_accepting(listener, ENOMEM);
}

static void take(struct hoop__listener *listener, int fd, const struct sockaddr_storage *remote)
{
    struct hoop__net_loop *loop = listener->loop;
    struct hoop__peer peer;
    fill_peer(&peer, remote, fd);
    if (hoop__quota_take(loop->net->quota, &peer)) {
        HOOP__COUNT(loop->base.counters.refused, 1);
        close(fd);
        return;
    }
    if (peer.family == 4 || peer.family == 6) {
        /* Whole answers are sent at once: to wait for more would only delay their last segment. */
        int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }
    if (listener->hands_over)
        hand_over(listener, fd, &peer);
    else
        begin(loop, listener->place, fd, &peer);
}

/* 1: accepted; 0: nothing more now. */
static int accept_one(struct hoop__listener *listener)
{
    struct sockaddr_storage remote;
    socklen_t len = sizeof remote;
    memset(&remote, 0, sizeof remote);
    int fd = accept4(listener->fd, (struct sockaddr *)&remote, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd >= 0) {
        take(listener, fd, &remote);
        return 1;
    }
    switch (errno) {
    case EAGAIN:
#if EWOULDBLOCK != EAGAIN
    case EWOULDBLOCK:
#endif
        return 0;
    case EINTR:
    case ECONNABORTED: /* that one left before it was its turn */
    case EPROTO:
    case EPERM: /* a firewall's word */
    case ENETDOWN:
    case ENOPROTOOPT:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETUNREACH:
        return 1;
    default: /* no descriptors or no memory, or something that must not spin either */
        pause_accepting(listener, errno);
        return 0;
    }
}

static void on_poll(uv_poll_t *handle, int status, int events)
{
    struct hoop__listener *listener = handle->data;
    struct hoop__net_loop *loop = listener->loop;
    hoop__net_begin(loop);
    if (status < 0)
        pause_accepting(listener, -status);
    else
        for (int i = 0; i < MAX_ACCEPTS && accept_one(listener); i++)
            continue;
    hoop__net_end(loop);
}

/* --- life ------------------------------------------------------------------------------------ */

int hoop__listener_new(struct hoop__net_loop *loop, struct hoop__place *place, uint32_t index)
{
    struct hoop__listener *listener = hoop__alloc(loop->base.allocator, sizeof *listener);
    if (!listener)
        return HOOP_ENOMEM;
    memset(listener, 0, sizeof *listener);
    int rc = uv_poll_init(loop->uv, &listener->poll, place->fds[index]);
    if (rc) {
        hoop__free(loop->base.allocator, listener);
        return rc;
    }
    listener->poll.data = listener;
    listener->retry.fire = on_retry;
    listener->loop = loop;
    listener->place = place;
    listener->fd = place->fds[index];
    hoop__bound_unsent(listener->fd, HOOP__UNSENT);
    listener->hands_over = place->fd_count < loop->net->loop_count;
    place->fds[index] = -1;
    listener->next = loop->listeners;
    loop->listeners = listener;
    loop->open++;
    return uv_poll_start(&listener->poll, UV_READABLE, on_poll);
}

static void on_closed(uv_handle_t *handle)
{
    struct hoop__listener *listener = handle->data;
    struct hoop__net_loop *loop = listener->loop;
    hoop__free(loop->base.allocator, listener);
    loop->open--;
    hoop__net_begin(loop);
    hoop__net_end(loop);
}

void hoop__listener_close(struct hoop__listener *listener)
{
    struct hoop__net_loop *loop = listener->loop;
    struct hoop__listener **link = &loop->listeners;
    while (*link != listener)
        link = &(*link)->next;
    *link = listener->next;
    hoop__timer_clear(&loop->base.timers, &listener->retry);
    uv_close((uv_handle_t *)&listener->poll, on_closed);
    close(listener->fd);
    /* From now on another server may take the path, even while connections go on here. */
    if (loop->index == 0)
        hoop__place_unlink(listener->place);
}
