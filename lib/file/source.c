/* The bytes of an open file as a body: by pieces or copies, cut to a range, never waiting for a disk on the loop. */
#include "file/file.h"

#include <errno.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#ifndef SYS_cachestat
#define SYS_cachestat 451 /* of Linux 6.5, newer than many headers; the same number everywhere */
#endif
#endif

#define PIECE_SIZE ((uint64_t)1 << 22) /* looked at, and read ahead, at once */
#define PROBES     8                   /* bytes read of a piece where the kernel can't tell */
#define READ_SIZE  ((size_t)65536)

/* Reads ahead on the pool; on its own, since the source may end meanwhile. */
struct ahead {
    struct hoop__job job;
    struct hoop__task home;
    const hoop_allocator *allocator;
    struct hoop__mailbox *mailbox;
    struct file_source *source; /* NULL once it has ended; the loop's */
    int fd;                     /* a duplicate */
    uint64_t from, to;
};

struct file_source {
    struct hoop__source base;
    struct hoop__file *file; /* with a reference */
    uint64_t at, end;
    uint64_t ready_to; /* known to be in memory from `at` up to there */
    struct ahead *ahead;
};

static struct file_source *of(struct hoop__source *source)
{
    return (struct file_source *)source;
}

/* --- what is in memory ----------------------------------------------------------------------- */

static ssize_t read_cached(int fd, char *to, size_t len, uint64_t offset)
{
#ifdef RWF_NOWAIT
    struct iovec iov = { to, len };
    return preadv2(fd, &iov, 1, (off_t)offset, RWF_NOWAIT);
#else
    errno = EOPNOTSUPP;
    return -1;
#endif
}

/* 1: all of it, 0: not all, -1: the kernel does not say. */
static int ask_kernel(int fd, uint64_t from, uint64_t to)
{
#ifdef SYS_cachestat
    const long page = sysconf(_SC_PAGESIZE);
    struct {
        uint64_t off, len;
    } range = { from, to - from };
    struct {
        uint64_t cached, dirty, writeback, evicted, recent;
    } stat;
    if (syscall(SYS_cachestat, fd, &range, &stat, 0) == 0) {
        uint64_t size = (uint64_t)page;
        uint64_t pages = (to + size - 1) / size - from / size;
        return stat.cached >= pages;
    }
#endif
    return -1;
}

/* Reads a byte here and there: read-ahead brings neighbours along. Where that can't be told, it counts as
 * there. */
static int probe(int fd, uint64_t from, uint64_t to)
{
    for (int i = 0; i <= PROBES; i++) {
        char byte;
        uint64_t at = i < PROBES ? from + (to - from) / PROBES * (uint64_t)i : to - 1;
        if (read_cached(fd, &byte, 1, at) < 0)
            return errno != EAGAIN;
    }
    return 1;
}

static int is_in_memory(int fd, uint64_t from, uint64_t to)
{
    int told = ask_kernel(fd, from, to);
    return told >= 0 ? told : probe(fd, from, to);
}

/* --- reading ahead --------------------------------------------------------------------------- */

static void ahead_free(struct ahead *a)
{
    close(a->fd);
    hoop__mailbox_unref(a->mailbox);
    hoop__free(a->allocator, a);
}

static void come_home(struct hoop__task *task, struct hoop_loop *loop)
{
    struct ahead *a = (struct ahead *)(void *)((char *)task - offsetof(struct ahead, home));
    struct file_source *s = a->source;
    if (s) {
        s->ahead = NULL;
        s->ready_to = a->to;
        hoop__source_ready(&s->base);
    }
    ahead_free(a);
}

static void go_home(struct hoop__job *job)
{
    struct ahead *a = (struct ahead *)job;
    if (hoop__mailbox_post(a->mailbox, &a->home))
        ahead_free(a); /* the loop has closed, and all sources with it */
}

static void read_ahead(struct hoop__job *job)
{
    struct ahead *a = (struct ahead *)job;
    char bytes[READ_SIZE];
    for (uint64_t at = a->from; at < a->to;) {
        size_t left = a->to - at < READ_SIZE ? (size_t)(a->to - at) : READ_SIZE;
        ssize_t n = pread(a->fd, bytes, left, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break; /* who reads it next will see the same */
        at += (uint64_t)n;
    }
    go_home(job);
}

/* Nonzero if the range is being read now, and hoop__source_ready() will be said. Else the loop has to wait. */
static int start_ahead(struct file_source *s, uint64_t to)
{
    struct hoop_loop *loop = s->base.exchange->loop; /* it is being pulled */
    struct ahead *a = hoop__alloc(loop->allocator, sizeof *a);
    if (!a)
        return 0;
    memset(a, 0, sizeof *a);
    a->fd = dup(s->file->fd);
    if (a->fd < 0) {
        hoop__free(loop->allocator, a);
        return 0;
    }
    a->job.work = read_ahead;
    a->job.cancel = go_home;
    a->home.run = come_home;
    a->allocator = loop->allocator;
    a->mailbox = hoop__mailbox_ref(loop->mailbox);
    a->source = s;
    a->from = s->at;
    a->to = to;
    s->ahead = a;
    if (loop->ops->block(loop, &a->job) == 0)
        return 1;
    s->ahead = NULL;
    ahead_free(a);
    return 0;
}

/* --- the source ------------------------------------------------------------------------------ */

static uint64_t min(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static int pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct file_source *s = of(source);
    size_t len = (size_t)min(cap, s->end - s->at);
    if (!len)
        return HOOP_EOF;
    if (s->ahead)
        return HOOP_EAGAIN;
    ssize_t n = s->ready_to > s->at ? -1 : read_cached(s->file->fd, buffer, len, s->at);
    if (n < 0 && s->ready_to <= s->at && errno == EAGAIN &&
        start_ahead(s, min(s->end, s->at + PIECE_SIZE)))
        return HOOP_EAGAIN;
    while (n < 0) {
        n = pread(s->file->fd, buffer, len, (off_t)s->at);
        if (n < 0 && errno != EINTR)
            return -errno;
    }
    s->at += (uint64_t)n;
    *ret_len = (size_t)n;
    return n == 0 || s->at == s->end ? HOOP_EOF : 0;
}

static int piece(struct hoop__source *source, struct hoop__file_piece *ret_piece)
{
    struct file_source *s = of(source);
    if (s->ahead)
        return HOOP_EAGAIN;
    uint64_t to = min(s->end, s->at + PIECE_SIZE);
    if (to == s->at)
        return HOOP_EOF;
    if (s->ready_to <= s->at) {
        if (!is_in_memory(s->file->fd, s->at, to) && start_ahead(s, to))
            return HOOP_EAGAIN;
        s->ready_to = to;
    }
    ret_piece->file = s->file->fd;
    ret_piece->offset = s->at;
    ret_piece->len = (size_t)(min(s->ready_to, s->end) - s->at);
    return 0;
}

static void took(struct hoop__source *source, size_t len)
{
    of(source)->at += len;
}

static int seek(struct hoop__source *source, uint64_t offset, uint64_t length)
{
    struct file_source *s = of(source);
    s->at = offset;
    s->end = offset + length;
    s->ready_to = 0;
    source->length = length;
    return 0;
}

static void finished(struct hoop__source *source, int code)
{
    struct file_source *s = of(source);
    if (s->ahead)
        s->ahead->source = NULL;
    hoop__file_unref(s->file);
}

const struct hoop__source_extra hoop__file_source_extra = { seek, piece, took };

struct hoop__source *hoop__file_source_new(const hoop_request *req, struct hoop__file *file)
{
    struct file_source *s = hoop_alloc(req, sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->base.pull = pull;
    s->base.finished = finished;
    s->base.length = file->size;
    s->end = file->size;
    s->file = hoop__file_ref(file);
    return &s->base;
}
