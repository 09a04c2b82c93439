/* What is known of a path: found out, compared, counted; see file.h. */
#include "file/file.h"

#include "codec/date.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define TYPE_MAX 128 /* of a Content-Type with its charset */
#define YOUNG_S  2   /* the longest tick of a file system's clock: FAT's */

/* --- references ------------------------------------------------------------------------------ */

struct hoop__file *hoop__file_ref(struct hoop__file *file)
{
    atomic_fetch_add_explicit(&file->refs, 1, memory_order_relaxed);
    return file;
}

void hoop__file_unref(struct hoop__file *file)
{
    if (!file || atomic_fetch_sub_explicit(&file->refs, 1, memory_order_acq_rel) != 1)
        return;
    if (file->fd >= 0)
        close(file->fd);
    hoop__free(file->allocator, file->contents);
    hoop__free(file->allocator, file);
}

static void unref(void *data)
{
    hoop__file_unref(data);
}

int hoop__file_hold(const hoop_request *req, struct hoop__file *file)
{
    /* The hook runs also if it can't be set. */
    if (hoop_arena_on_dispose(req->arena, unref, hoop__file_ref(file)) == 0)
        return 0;
    hoop__fail_memory(req);
    return HOOP_ENOMEM;
}

/* --- making ---------------------------------------------------------------------------------- */

/* Content-Type with the charset that belongs to text. Its size, 0 if it is unknown. */
static size_t write_type(const struct hoop_folder *folder, hoop_str path, char *out)
{
    hoop_str type = hoop_mime_type(folder->options.types, path.data);
    const char *charset = folder->options.charset;
    int is_text = type.len > 5 && memcmp(type.data, "text/", 5) == 0 && *charset;
    if (!type.len || type.len + strlen(charset) + 16 > TYPE_MAX)
        return 0;
    return (size_t)snprintf(out, TYPE_MAX, "%s%s%s", type.data, is_text ? "; charset=" : "",
                            is_text ? charset : "");
}

/* Size, time and inode: another one with each change that the file system tells, the same after a restart. */
static void write_etag(struct hoop__file *file)
{
    uint64_t ns = (uint64_t)file->modified.tv_sec * 1000000000u + (uint64_t)file->modified.tv_nsec;
    int len = snprintf(file->etag, sizeof file->etag, "\"%llx-%llx-%llx\"",
                       (unsigned long long)file->size, (unsigned long long)ns,
                       (unsigned long long)file->inode);
    file->etag_len = (uint8_t)len;
}

static void take_stat(struct hoop__file *file, const struct stat *st)
{
    file->kind = S_ISREG(st->st_mode)   ? HOOP__FILE_PLAIN
                 : S_ISDIR(st->st_mode) ? HOOP__FILE_FOLDER
                                        : HOOP__FILE_MISSING;
    file->size = (uint64_t)st->st_size;
    file->device = (uint64_t)st->st_dev;
    file->inode = (uint64_t)st->st_ino;
    file->modified = st->st_mtim;
    file->changed = st->st_ctim;
    if (file->kind == HOOP__FILE_PLAIN) {
        write_etag(file);
        hoop__date_write(st->st_mtim.tv_sec, file->last_modified);
    }
}

static struct hoop__file *file_new(const struct hoop_folder *folder, hoop_str path,
                                   const hoop_allocator *allocator)
{
    char type[TYPE_MAX];
    size_t type_len = write_type(folder, path, type);
    struct hoop__file *file = hoop__alloc(allocator, sizeof *file + path.len + type_len + 2);
    if (!file)
        return NULL;
    memset(file, 0, sizeof *file);
    atomic_init(&file->refs, 1);
    file->allocator = allocator;
    file->fd = -1;
    file->path_len = path.len;
    memcpy(file->path, path.data, path.len);
    file->path[path.len] = 0;
    char *type_at = file->path + path.len + 1;
    memcpy(type_at, type, type_len);
    type_at[type_len] = 0;
    file->type = type_len ? hoop_str_n(type_at, type_len) : hoop_str_none();
    return file;
}

/* --- loading --------------------------------------------------------------------------------- */

/* Reads without waiting for a disk, or -EAGAIN. */
static ssize_t read_cached(int fd, char *to, size_t len, uint64_t offset)
{
#ifdef RWF_NOWAIT
    struct iovec iov = { to, len };
    ssize_t n = preadv2(fd, &iov, 1, (off_t)offset, RWF_NOWAIT);
    return n < 0 ? -EAGAIN : n;
#else
    return -EAGAIN;
#endif
}

/* Two changes within a tick of the file system's clock have the same time (Linux 6.13 and newer know better). */
static int is_young(const struct hoop__file *file)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return file->changed.tv_sec >= now.tv_sec - YOUNG_S;
}

/* Takes a small file into memory. 0, HOOP_EAGAIN, or HOOP_ENOMEM; one that changes meanwhile stays open instead. */
static int take_contents(struct hoop__file *file, int may_wait)
{
    size_t at = 0, size = (size_t)file->size;
    char *contents = hoop__alloc(file->allocator, size + 1);
    if (!contents)
        return HOOP_ENOMEM;
    while (at < size) {
        ssize_t n = may_wait ? pread(file->fd, contents + at, size - at, (off_t)at)
                             : read_cached(file->fd, contents + at, size - at, at);
        if (n < 0 && errno == EINTR && may_wait)
            continue;
        if (n <= 0) {
            hoop__free(file->allocator, contents);
            return n < 0 && !may_wait ? HOOP_EAGAIN : 0;
        }
        at += (size_t)n;
    }
    struct stat st;
    if (fstat(file->fd, &st) || (uint64_t)st.st_size != file->size ||
        st.st_mtim.tv_sec != file->modified.tv_sec ||
        st.st_mtim.tv_nsec != file->modified.tv_nsec) {
        hoop__free(file->allocator, contents);
        return 0;
    }
    contents[size] = 0;
    file->contents = contents;
    file->young = (uint8_t)is_young(file);
    close(file->fd);
    file->fd = -1;
    return 0;
}

/* What an open file is. 0 or a code. */
static int look_at(const struct hoop_folder *folder, struct hoop__file *file, int may_wait)
{
    struct stat st;
    if (fstat(file->fd, &st) == 0)
        take_stat(file, &st);
    if (file->kind != HOOP__FILE_PLAIN) {
        close(file->fd);
        file->fd = -1;
        return 0;
    }
    if (file->size > folder->options.max_file || folder->options.uncached)
        return 0;
    return take_contents(file, may_wait);
}

int hoop__file_load(const struct hoop_folder *folder, hoop_str path,
                    const hoop_allocator *allocator, int may_wait, struct hoop__file **ret_file)
{
    unsigned saves = atomic_load(&folder->saves); /* in front of all that is looked at */
    int fd = hoop__root_open(&folder->root, path.data, !may_wait);
    if (fd == -EAGAIN && !may_wait)
        return HOOP_EAGAIN;
    if (fd == -EMFILE || fd == -ENFILE)
        return HOOP_EBUSY;
    if (fd == -ENOMEM)
        return HOOP_ENOMEM;
    struct hoop__file *file = file_new(folder, path, allocator);
    if (!file) {
        if (fd >= 0)
            close(fd);
        return HOOP_ENOMEM;
    }
    file->saves = saves;
    file->fd = fd < 0 ? -1 : fd;
    int rc = fd < 0 ? 0 : look_at(folder, file, may_wait);
    if (rc) {
        hoop__file_unref(file);
        return rc;
    }
    *ret_file = file;
    return 0;
}

int hoop__file_is_current(const struct hoop_folder *folder, const struct hoop__file *file)
{
    struct stat st;
    int flags = folder->root.links == HOOP_LINKS_NONE ? AT_SYMLINK_NOFOLLOW : 0;
    if (fstatat(folder->root.fd, file->path, &st, flags))
        return file->kind == HOOP__FILE_MISSING && !file->inode;
    return file->inode == (uint64_t)st.st_ino && file->device == (uint64_t)st.st_dev &&
           file->size == (uint64_t)st.st_size && file->modified.tv_sec == st.st_mtim.tv_sec &&
           file->modified.tv_nsec == st.st_mtim.tv_nsec &&
           file->changed.tv_sec == st.st_ctim.tv_sec && file->changed.tv_nsec == st.st_ctim.tv_nsec;
}
