/* Sending pieces of files: by sendfile, else by reading into the loop's buffer; see sendfile.h. */
#include "net/sendfile.h"

#include <hoop/error.h>

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/sendfile.h>
#include <time.h>
#endif

#define COPY_SIZE ((size_t)65536) /* of the buffer that out has */

static int is_full(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS;
}

/* --- by copies ------------------------------------------------------------------------------- */

/* Up to COPY_SIZE bytes, and whether the socket took all that was read. */
static ssize_t send_copy(int socket, struct hoop__out *out, size_t done, int *ret_all)
{
    size_t cap = out->cap < COPY_SIZE ? out->cap : COPY_SIZE, left = out->ref_len - done;
    ssize_t got, sent;
    *ret_all = 0;
    do
        got =
            pread(out->file, out->data, left < cap ? left : cap, (off_t)(out->file_offset + done));
    while (got < 0 && errno == EINTR);
    if (got <= 0)
        return got ? -errno : HOOP_EOF;
    do
        sent = send(socket, out->data, (size_t)got, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0)
        return is_full(errno) ? 0 : HOOP_EGONE;
    *ret_all = sent == got;
    return sent;
}

ssize_t hoop__send_piece_copied(int socket, struct hoop__out *out)
{
    size_t done = 0;
    int all = 1;
    while (all && done < out->ref_len) {
        ssize_t sent = send_copy(socket, out, done, &all);
        if (sent < 0)
            return sent;
        done += (size_t)sent;
    }
    return (ssize_t)done;
}

void hoop__bound_unsent(int socket, int bytes)
{
#ifdef TCP_NOTSENT_LOWAT
    setsockopt(socket, IPPROTO_TCP, TCP_NOTSENT_LOWAT, &bytes, sizeof bytes);
#endif
}

/* --- by sendfile ----------------------------------------------------------------------------- */

#ifdef __linux__

/*
 * sendfile() knows no MSG_NOSIGNAL: a peer that is gone would raise SIGPIPE, on this thread. It is held back
 * meanwhile, and taken if it came of this; where it is blocked anyway it stays the program's business.
 */
static ssize_t send_quietly(int socket, struct hoop__out *out)
{
    off_t offset = (off_t)out->file_offset;
    sigset_t pipe, before;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    int blocked = sigismember(&before, SIGPIPE);
    ssize_t sent;
    do
        sent = sendfile(socket, out->file, &offset, out->ref_len);
    while (sent < 0 && errno == EINTR);
    int error = errno;
    if (!blocked) {
        if (sent < 0 && error == EPIPE)
            sigtimedwait(&pipe, NULL, &(struct timespec){ 0 });
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    errno = error;
    return sent;
}

ssize_t hoop__send_piece(int socket, struct hoop__out *out)
{
    ssize_t sent = send_quietly(socket, out);
    if (sent > 0)
        return sent;
    if (sent == 0)
        return HOOP_EOF;
    if (is_full(errno))
        return 0;
    /* A file system, or a socket, that can't. */
    if (errno == EINVAL || errno == ENOSYS || errno == EOPNOTSUPP)
        return hoop__send_piece_copied(socket, out);
    return errno == EIO || errno == EOVERFLOW || errno == EBADF ? -errno : HOOP_EGONE;
}

#else

ssize_t hoop__send_piece(int socket, struct hoop__out *out)
{
    return hoop__send_piece_copied(socket, out);
}

#endif
