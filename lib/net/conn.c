/* Moves bytes between a socket and an engine: when to read, send, keep, wait and close. No protocol. */
#include "net/conn.h"

#include "net/proxy.h"
#include "net/sendfile.h"

#include <errno.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define MAX_READS   4                /* full buffers read in a row, before others get their turn */
#define MAX_ROUNDS  32               /* buffers of output in a row, likewise */
#define MIN_ROOM    ((uint64_t)4096) /* what feed() may need to write something whole */
#define EAGER_AFTER ((uint32_t)2 << 20) /* bytes of files, until the kernel is given more of them */
#define MAX_LINGER  ((uint32_t)262144)  /* bytes dropped while lingering */

/* Bytes for the engine: what was kept, or what was just read into the loop's buffer. */
struct input {
    const char *data;
    size_t len;
};

static struct hoop__net_loop *loop_of(struct hoop__conn *conn)
{
    return hoop__net_loop_of(conn->host.loop);
}

static const hoop_allocator *allocator_of(struct hoop__conn *conn)
{
    return conn->host.loop->allocator;
}

static struct input kept_input(struct hoop__conn *conn)
{
    struct input in = { NULL, 0 };
    if (conn->kept) {
        in.data = conn->kept->data + conn->kept->from;
        in.len = conn->kept->len;
    }
    return in;
}

/* --- closing --------------------------------------------------------------------------------- */

/* Off the list of the woken, for one that dies before its turn. */
static void forget(struct hoop__net_loop *loop, struct hoop__conn *conn)
{
    struct hoop__conn **link = &loop->dirty;
    while (*link != conn)
        link = &(*link)->next_dirty;
    *link = conn->next_dirty;
    if (!conn->next_dirty)
        loop->dirty_last = link;
}

static void on_closed(uv_handle_t *handle)
{
    struct hoop__conn *conn = handle->data;
    struct hoop__net_loop *loop = loop_of(conn);
    if (conn->dirty)
        forget(loop, conn);
    hoop__quota_give(loop->net->quota, conn->counted);
    hoop__free(allocator_of(conn), conn);
    HOOP__COUNT(loop->base.counters.connections, -1);
    hoop__blocks_keep(&loop->base.blocks, loop->base.counters.connections);
    loop->open--;
    hoop__net_begin(loop);
    hoop__net_end(loop);
}

static void stop_engine(struct hoop__conn *conn, int code)
{
    if (conn->stopped)
        return;
    conn->stopped = 1;
    conn->busy = 1;
    hoop__conn_engine(conn)->ops->stop(hoop__conn_engine(conn), code);
    conn->busy = 0;
}

static void drop_buffers(struct hoop__conn *conn)
{
    hoop__free(allocator_of(conn), conn->kept);
    hoop__free(allocator_of(conn), conn->queue);
    conn->kept = conn->queue = NULL;
}

void hoop__conn_stop(struct hoop__conn *conn, int code)
{
    if (conn->closing)
        return;
    conn->closing = 1;
    stop_engine(conn, code);
    drop_buffers(conn);
    hoop__timer_clear(&conn->host.loop->timers, &conn->timer);
    *conn->link = conn->next;
    if (conn->next)
        conn->next->link = conn->link;
    uv_close((uv_handle_t *)&conn->poll, on_closed);
    /* libuv allows this as soon as it polls no more. */
    close(conn->fd);
}

/* --- sending --------------------------------------------------------------------------------- */

/* What was sent is taken off the queue, the copied bytes and the reference, in this order. */
static int account(struct hoop__conn *conn, size_t sent)
{
    struct hoop__out *out = conn->host.out;
    size_t queued = hoop__buffer_len(conn->queue);
    size_t n = sent < queued ? sent : queued;
    hoop__buffer_drop(&conn->queue, allocator_of(conn), n);
    sent -= n;
    n = sent < out->len ? sent : out->len;
    sent -= n;
    size_t left = out->len - n;
    int rc = left ? hoop__buffer_add(&conn->queue, allocator_of(conn), out->data + n, left) : 0;
    out->len = 0;
    out->ref_len = 0;
    if (sent) {
        conn->busy = 1;
        hoop__conn_engine(conn)->ops->took(hoop__conn_engine(conn), sent);
        conn->busy = 0;
    }
    return rc;
}

/* One call that is tried until it was not interrupted; -1 if the connection is broken. */
static ssize_t send_once(int fd, struct iovec *iov, size_t count, int flags)
{
    struct msghdr message = { .msg_iov = iov, .msg_iovlen = count };
    ssize_t sent;
    do
        sent = sendmsg(fd, &message, MSG_NOSIGNAL | flags);
    while (sent < 0 && errno == EINTR);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS))
        return 0;
    return sent;
}

/* The connection is broken. The buffer is the loop's: the next connection must find nothing in it. */
static int give_up(struct hoop__out *out, int code)
{
    out->len = 0;
    out->ref_len = 0;
    return code;
}

/*
 * A client that has taken much of a file will take the rest: the bound on what waits unsent is raised, since small
 * bursts cost twice the CPU of large ones. For what is copied again it comes down again.
 */
static void note_piece(struct hoop__conn *conn, size_t len)
{
    if (conn->pieces >= EAGER_AFTER)
        return;
    conn->pieces = len < EAGER_AFTER - conn->pieces ? conn->pieces + (uint32_t)len : EAGER_AFTER;
    if (conn->pieces == EAGER_AFTER)
        hoop__bound_unsent(conn->fd, HOOP__UNSENT_OF_FILE);
}

static void note_copies(struct hoop__conn *conn)
{
    conn->pieces = 0;
    hoop__bound_unsent(conn->fd, HOOP__UNSENT);
}

/* So much of `total` bytes was sent; what the socket did not take is queued. 0 or why it ends. */
static int sent_some(struct hoop__conn *conn, size_t sent, size_t total)
{
    struct hoop__out *out = conn->host.out;
    HOOP__COUNT(conn->host.loop->counters.bytes_out, sent);
    int was_stuck = conn->stuck;
    conn->stuck = sent < total;
    if (!conn->stuck && !conn->queue && !out->ref_len) {
        out->len = 0;
        return 0;
    }
    if (conn->stuck && (sent || !was_stuck))
        conn->due = hoop__later(conn->host.loop->now, conn->host.loop->limits->write_ms);
    return account(conn, sent);
}

/* Sends all there is with one call, or with one more for a piece of a file; what the socket does not take is
 * queued. 0 or why it ends. */
static int send_out(struct hoop__conn *conn)
{
    struct hoop__out *out = conn->host.out;
    struct iovec iov[3];
    size_t count = 0, total = 0;
    int piece = out->ref_len && !out->ref;
    if (conn->pieces == EAGER_AFTER && !piece)
        note_copies(conn);
    if (!conn->queue && !out->ref_len) { /* as with nearly every request */
        ssize_t sent = send(conn->fd, out->data, out->len, MSG_NOSIGNAL);
        if (sent >= 0)
            return sent_some(conn, (size_t)sent, out->len);
    }
    if (conn->queue) {
        iov[count].iov_base = conn->queue->data + conn->queue->from;
        iov[count++].iov_len = conn->queue->len;
    }
    if (out->len) {
        iov[count].iov_base = out->data;
        iov[count++].iov_len = out->len;
    }
    if (out->ref_len && out->ref) {
        iov[count].iov_base = (void *)(uintptr_t)out->ref; /* sendmsg only reads it */
        iov[count++].iov_len = out->ref_len;
    }
    for (size_t i = 0; i < count; i++)
        total += iov[i].iov_len;
    ssize_t sent = count ? send_once(conn->fd, iov, count, piece ? MSG_MORE : 0) : 0;
    if (sent < 0)
        return give_up(out, HOOP_EGONE);
    if (piece && (size_t)sent == total) {
        ssize_t more = hoop__send_piece(conn->fd, out);
        if (more < 0)
            return give_up(out, (int)more);
        sent += more;
        note_piece(conn, (size_t)more);
    }
    total += piece ? out->ref_len : 0;
    return sent_some(conn, (size_t)sent, total);
}

/* Output that comes while the socket is full joins the queue; a reference comes again. */
static int queue_out(struct hoop__conn *conn)
{
    struct hoop__out *out = conn->host.out;
    int rc = hoop__buffer_add(&conn->queue, allocator_of(conn), out->data, out->len);
    out->len = 0;
    out->ref_len = 0;
    return rc;
}

/* --- serving --------------------------------------------------------------------------------- */

/* How much feed() may append: all of the buffer, but with a queue no more than that may grow. */
static size_t room(struct hoop__conn *conn)
{
    uint64_t max = conn->host.loop->limits->max_output;
    size_t queued = hoop__buffer_len(conn->queue);
    if (!queued)
        return HOOP__IO_SIZE;
    if (queued >= max || max - queued < MIN_ROOM)
        return 0;
    return max - queued < HOOP__IO_SIZE ? (size_t)(max - queued) : HOOP__IO_SIZE;
}

/* Lets the engine consume and produce, once each. Returns how many bytes it consumed. */
static size_t call_engine(struct hoop__conn *conn, struct input *in)
{
    struct hoop__engine *engine = hoop__conn_engine(conn);
    struct hoop__out *out = conn->host.out;
    size_t fed = 0;
    out->cap = room(conn);
    conn->busy = 1;
    if (in->len && (engine->want & HOOP__WANT_INPUT) && out->cap) {
        fed = engine->ops->feed(engine, in->data, in->len);
        in->data += fed;
        in->len -= fed;
    }
    if (!conn->stuck && (engine->want & HOOP__WANT_OUTPUT) && hoop__out_room(out))
        engine->ops->pull(engine, out);
    conn->busy = 0;
    return fed;
}

/*
 * Feeds and sends until the engine wants nothing more, the input is used up, or the socket is full.
 * The connection may be closed afterwards. Where it was stuck nothing is sent unless `writable`.
 */
static void serve(struct hoop__conn *conn, struct input *in, int writable)
{
    struct hoop__out *out = conn->host.out;
    conn->more = 0;
    if (writable && conn->queue) {
        int rc = send_out(conn);
        if (rc) {
            hoop__conn_stop(conn, rc);
            return;
        }
    } else if (writable) {
        conn->stuck = 0; /* by a reference, which the engine gives again */
    }
    for (int round = 0; round < MAX_ROUNDS; round++) {
        size_t fed = call_engine(conn, in);
        size_t put = out->len + out->ref_len;
        if (put) {
            int rc = conn->stuck ? queue_out(conn) : send_out(conn);
            if (rc) {
                hoop__conn_stop(conn, rc);
                return;
            }
        }
        if (!fed && (!put || conn->stuck))
            return;
        if (!in->len && !(hoop__conn_engine(conn)->want & HOOP__WANT_OUTPUT))
            return; /* as with nearly every request */
    }
    conn->more = 1;
    /* The socket may just have filled: then nothing but time ends the wait. */
    conn->due = hoop__later(conn->host.loop->now, conn->host.loop->limits->write_ms);
}

/* Keeps what the engine has not consumed of `in`, which may be what was kept already. */
static int keep(struct hoop__conn *conn, const struct input *in)
{
    if (hoop__conn_engine(conn)->want & HOOP__WANT_CLOSE) {
        hoop__free(allocator_of(conn), conn->kept);
        conn->kept = NULL;
        return 0;
    }
    if (conn->kept) {
        hoop__buffer_drop(&conn->kept, allocator_of(conn), conn->kept->len - in->len);
        return 0;
    }
    return in->len ? hoop__buffer_add(&conn->kept, allocator_of(conn), in->data, in->len) : 0;
}

/* --- waiting --------------------------------------------------------------------------------- */

static void on_poll(uv_poll_t *handle, int status, int events);

/* How many bytes may be read and kept. */
static size_t read_room(struct hoop__conn *conn)
{
    uint64_t max = conn->host.loop->limits->max_read_ahead;
    size_t kept = hoop__buffer_len(conn->kept);
    if (kept >= max)
        return 0;
    return max - kept < HOOP__IO_SIZE ? (size_t)(max - kept) : HOOP__IO_SIZE;
}

/* Each change costs system calls, and none is needed while requests come and go. */
static int poll_for_events(struct hoop__conn *conn)
{
    int events = 0;
    if (!conn->ended && read_room(conn))
        events |= UV_READABLE;
    if (!conn->ended && !conn->hung_up)
        events |= UV_DISCONNECT;
    if (conn->stuck || conn->more)
        events |= UV_WRITABLE;
    /* Errors and the full hang-up are told by the kernel unasked, but only if something is asked. */
    if (!events)
        events = UV_PRIORITIZED;
    if (events == conn->events)
        return 0;
    conn->events = (uint8_t)events;
    return uv_poll_start(&conn->poll, events, on_poll);
}

static void set_timer(struct hoop__conn *conn)
{
    uint64_t due = conn->stopped ? HOOP__NEVER : hoop__conn_engine(conn)->deadline;
    if ((conn->stuck || conn->more || conn->lingering) && conn->due < due)
        due = conn->due;
    if (due == HOOP__NEVER || (hoop__timer_is_set(&conn->timer) && conn->timer.due <= due))
        return;
    /* What is due already must not fire again in the same run of the wheel. */
    uint64_t next = conn->host.loop->now + 1;
    hoop__loop_timer(conn->host.loop, &conn->timer, due > next ? due : next);
}

/* Has the close be a reset, so that the kernel does not keep what the peer has not taken for it. */
static void drop_unsent(struct hoop__conn *conn)
{
    struct linger at_once = { .l_onoff = 1, .l_linger = 0 };
    setsockopt(conn->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

static void begin_linger(struct hoop__conn *conn)
{
    struct hoop_loop *loop = conn->host.loop;
    stop_engine(conn, HOOP_EGONE);
    drop_buffers(conn);
    if (conn->ended || shutdown(conn->fd, SHUT_WR)) {
        hoop__conn_stop(conn, HOOP_EGONE);
        return;
    }
    conn->lingering = 1;
    conn->stuck = conn->more = 0;
    conn->due = hoop__later(loop->now, loop->limits->linger_ms);
}

/* Behind every call of the engine: close if it is time, else wait for the right things. */
static void settle(struct hoop__conn *conn)
{
    if (conn->closing)
        return;
    uint32_t want = conn->stopped ? 0 : hoop__conn_engine(conn)->want;
    if ((want & HOOP__WANT_ABORT) && conn->stuck) {
        drop_unsent(conn);
        hoop__conn_stop(conn, HOOP_ECANCELED);
        return;
    }
    if ((want & HOOP__WANT_CLOSE) && !conn->stuck && !conn->more) {
        if (!(want & HOOP__WANT_LINGER)) {
            hoop__conn_stop(conn, HOOP_EGONE);
            return;
        }
        begin_linger(conn);
        if (conn->closing)
            return;
    }
    set_timer(conn);
    if (poll_for_events(conn))
        hoop__conn_stop(conn, HOOP_EGONE);
}

/* Serves what is kept, and settles. */
static void serve_kept(struct hoop__conn *conn, int writable)
{
    struct input in = kept_input(conn);
    serve(conn, &in, writable);
    if (conn->closing)
        return;
    keep(conn, &in); /* nothing can fail: nothing is added */
    settle(conn);
}

void hoop__conn_look(struct hoop__conn *conn)
{
    if (!conn->closing && !conn->stopped)
        serve_kept(conn, /* writable= */ 0);
}

void hoop__conn_drain(struct hoop__conn *conn)
{
    if (conn->closing || conn->stopped)
        return;
    conn->busy = 1;
    hoop__conn_engine(conn)->ops->drain(hoop__conn_engine(conn));
    conn->busy = 0;
    serve_kept(conn, /* writable= */ 0);
}

static void wake(struct hoop__host *host)
{
    struct hoop__conn *conn = (struct hoop__conn *)(void *)host;
    struct hoop__net_loop *loop = loop_of(conn);
    if (conn->busy || conn->dirty || conn->closing || conn->stopped)
        return;
    conn->dirty = 1;
    conn->next_dirty = NULL;
    *loop->dirty_last = conn;
    loop->dirty_last = &conn->next_dirty;
}

static void on_timer(struct hoop__timer *timer)
{
    struct hoop__conn *conn =
        (struct hoop__conn *)(void *)((char *)timer - offsetof(struct hoop__conn, timer));
    struct hoop__engine *engine = hoop__conn_engine(conn);
    uint64_t now = conn->host.loop->now;
    if ((conn->stuck || conn->more || conn->lingering) && now >= conn->due) {
        if (!conn->lingering)
            drop_unsent(conn);
        hoop__conn_stop(conn, HOOP_ETIMEDOUT);
        return;
    }
    if (conn->stopped || now < engine->deadline) {
        set_timer(conn);
        return;
    }
    conn->busy = 1;
    engine->ops->tick(engine);
    conn->busy = 0;
    serve_kept(conn, /* writable= */ 0);
}

/* --- reading --------------------------------------------------------------------------------- */

static void end_input(struct hoop__conn *conn)
{
    conn->ended = 1;
    conn->busy = 1;
    conn->host.kept = conn->kept != NULL;
    hoop__conn_engine(conn)->ops->eof(hoop__conn_engine(conn));
    conn->busy = 0;
}

/* There is no room to read up to the end of input, which is known to come. */
static void note_hangup(struct hoop__conn *conn)
{
    conn->hung_up = 1;
    conn->busy = 1;
    hoop__conn_engine(conn)->ops->hangup(hoop__conn_engine(conn));
    conn->busy = 0;
}

static ssize_t read_once(struct hoop__conn *conn, size_t size)
{
    ssize_t n;
    do
        n = recv(conn->fd, loop_of(conn)->input, size, 0);
    while (n < 0 && errno == EINTR);
    if (n > 0)
        HOOP__COUNT(conn->host.loop->counters.bytes_in, n);
    return n;
}

/* Gives `n` bytes in the loop's buffer to the engine, behind what was kept. */
static void take_input(struct hoop__conn *conn, size_t n)
{
    struct input in = { loop_of(conn)->input, n };
    int rc = 0;
    if (conn->kept) {
        rc = hoop__buffer_add(&conn->kept, allocator_of(conn), in.data, n);
        in = kept_input(conn);
    }
    if (!rc) {
        serve(conn, &in, /* writable= */ 0);
        if (conn->closing)
            return;
        rc = keep(conn, &in);
    }
    if (rc)
        hoop__conn_stop(conn, rc);
}

/* Reads until the socket is empty, the bound is reached, or others should get their turn. */
static void read_in(struct hoop__conn *conn, int events)
{
    for (int i = 0; i < MAX_READS && !conn->closing; i++) {
        size_t size = read_room(conn);
        if (!size)
            return;
        ssize_t n = read_once(conn, size);
        if (n < 0) {
            if (errno != EAGAIN && errno != EWOULDBLOCK)
                hoop__conn_stop(conn, HOOP_EGONE);
            return;
        }
        if (n == 0) {
            end_input(conn);
            return;
        }
        take_input(conn, (size_t)n);
        /* A short read has emptied the socket, unless the end is known to stand behind it. */
        if ((size_t)n < size && !(events & UV_DISCONNECT))
            return;
    }
}

/* Reads and drops, so that the peer gets our answer before a reset can destroy it. */
static void linger(struct hoop__conn *conn)
{
    for (int i = 0; i < MAX_READS; i++) {
        ssize_t n = read_once(conn, HOOP__IO_SIZE);
        if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
            return;
        if (n > 0)
            conn->dropped += (uint32_t)n;
        if (n <= 0 || conn->dropped > MAX_LINGER) {
            hoop__conn_stop(conn, HOOP_EGONE);
            return;
        }
    }
}

static void on_events(struct hoop__conn *conn, int events)
{
    if (conn->lingering) {
        linger(conn);
        return;
    }
    int ended = conn->ended + conn->hung_up;
    if ((events & UV_DISCONNECT) && !(conn->events & UV_READABLE) && !conn->hung_up)
        note_hangup(conn);
    if (conn->events & UV_READABLE && events & (UV_READABLE | UV_DISCONNECT))
        read_in(conn, events);
    if (conn->closing)
        return;
    if ((events & UV_WRITABLE) || conn->ended + conn->hung_up != ended)
        serve_kept(conn, events & UV_WRITABLE);
    else
        settle(conn);
}

static void on_poll(uv_poll_t *handle, int status, int events)
{
    struct hoop__conn *conn = handle->data;
    struct hoop__net_loop *loop = loop_of(conn);
    hoop__net_begin(loop);
    if (status < 0 || (events & UV_PRIORITIZED))
        hoop__conn_stop(conn, HOOP_EGONE);
    else
        on_events(conn, events);
    hoop__net_end(loop);
}

/* --- making ---------------------------------------------------------------------------------- */

static void link_in(struct hoop__conn *conn, struct hoop__net_loop *loop)
{
    conn->link = &loop->conns;
    conn->next = loop->conns;
    if (conn->next)
        conn->next->link = &conn->next;
    loop->conns = conn;
    loop->open++;
    HOOP__COUNT(loop->base.counters.connections, 1);
    HOOP__COUNT(loop->base.counters.accepted, 1);
}

int hoop__conn_new(struct hoop__net_loop *loop, const struct hoop__protocol *protocol,
                   const hoop_listener *listener, int fd, const struct hoop__peer *peer)
{
    int fronted = listener && listener->proxy_protocol;
    size_t engine_size = fronted ? hoop__proxy_engine_size(protocol) : protocol->engine_size;
    size_t behind = (sizeof(struct hoop__conn) + engine_size + 15) / 16 * 16;
    size_t size = fronted ? behind + sizeof *peer : behind;
    struct hoop__conn *conn = hoop__alloc(loop->base.allocator, size);
    int rc = conn ? 0 : HOOP_ENOMEM;
    if (conn) {
        memset(conn, 0, size);
        rc = uv_poll_init(loop->uv, &conn->poll, fd);
    }
    if (rc) {
        hoop__free(loop->base.allocator, conn);
        hoop__quota_give(loop->net->quota, peer);
        close(fd);
        return rc;
    }
    conn->poll.data = conn;
    conn->fd = fd;
    conn->timer.fire = on_timer;
    conn->host.loop = &loop->base;
    conn->host.service = loop->net->service;
    conn->host.config = listener;
    conn->host.peer = *peer;
    conn->counted = &conn->host.peer;
    if (fronted)
        conn->counted = memcpy((char *)conn + behind, peer, sizeof *peer);
    conn->host.out = &loop->out;
    conn->host.wake = wake;
    link_in(conn, loop);
    conn->busy = 1;
    if (fronted)
        hoop__proxy_engine_init(hoop__conn_engine(conn), &conn->host, protocol,
                                listener->proxy_trusted);
    else
        protocol->init(hoop__conn_engine(conn), &conn->host);
    conn->busy = 0;
    serve_kept(conn, /* writable= */ 0);
    return 0;
}
