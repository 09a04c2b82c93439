/* Temporary files, and how they become others; see temp_file.h. */
#include "middleware/temp_file.h"

#include "base/random.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define NAME        "hoop-upload-"
#define TRIES       8
#define UNNAMED_MAX 32 /* "/proc/self/fd/2147483647" */

static int is_unnamed(const char *path)
{
    return strncmp(path, "/proc/self/fd/", 14) == 0;
}

/* --- making ---------------------------------------------------------------------------------- */

static int open_unnamed(const struct hoop__temp_folder *folder, struct hoop__temp_file *file)
{
#ifdef O_TMPFILE
    file->fd = open(folder->path, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#else
    errno = EOPNOTSUPP;
#endif
    if (file->fd < 0)
        return -errno;
    snprintf(file->path, UNNAMED_MAX, "/proc/self/fd/%d", (int)file->fd);
    return 0;
}

static int open_named(const struct hoop__temp_folder *folder, struct hoop__temp_file *file)
{
    for (int i = 0; i < TRIES; i++) {
        uint64_t id;
        if (hoop__random(&id, sizeof id))
            return -EIO;
        snprintf(file->path, hoop__temp_path_size(folder), "%s/" NAME "%016llx", folder->path,
                 (unsigned long long)id);
        file->fd = open(file->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        file->named = file->fd >= 0;
        if (file->named || errno != EEXIST)
            break;
    }
    return file->named ? 0 : -errno;
}

int hoop__temp_folder_init(struct hoop__temp_folder *folder, const char *path)
{
    char unnamed_path[UNNAMED_MAX], path_again[4096 + sizeof NAME + 20];
    struct hoop__temp_file file = { .fd = -1, .path = unnamed_path };
    folder->path = path;
    if (strlen(path) > 4096)
        return -ENAMETOOLONG;
    folder->unnamed = open_unnamed(folder, &file) == 0 && access(file.path, R_OK) == 0;
    hoop__temp_close(&file);
    if (folder->unnamed)
        return 0;
    file.path = path_again;
    int rc = open_named(folder, &file);
    hoop__temp_close(&file);
    return rc;
}

size_t hoop__temp_path_size(const struct hoop__temp_folder *folder)
{
    size_t size = strlen(folder->path) + sizeof "/" NAME + 16;
    return size > UNNAMED_MAX ? size : UNNAMED_MAX;
}

int hoop__temp_open(const struct hoop__temp_folder *folder, struct hoop__temp_file *file)
{
    return folder->unnamed ? open_unnamed(folder, file) : open_named(folder, file);
}

/* --- writing and closing --------------------------------------------------------------------- */

static int write_all(int fd, const char *data, size_t len)
{
    while (len) {
        ssize_t n = write(fd, data, len);
        if (n < 0 && errno != EINTR)
            return -errno;
        if (n > 0) {
            data += n;
            len -= (size_t)n;
        }
    }
    return 0;
}

int hoop__temp_write(const struct hoop__temp_file *file, const char *data, size_t len)
{
    return write_all(file->fd, data, len);
}

void hoop__temp_close(struct hoop__temp_file *file)
{
    if (file->fd < 0)
        return;
    if (file->named)
        unlink(file->path);
    close(file->fd);
    file->fd = -1;
    file->named = 0;
}

/* --- keeping --------------------------------------------------------------------------------- */

/* A new file, or a negative errno. */
static int create(const char *to)
{
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    return fd < 0 ? -errno : fd;
}

/* The end of a new file: nothing half is left of it. */
static int complete(int fd, const char *to, int rc)
{
    if (close(fd) && !rc)
        rc = -errno;
    if (rc)
        unlink(to);
    return rc;
}

static int copy_bytes(int from, int fd, uint64_t size)
{
    char buffer[16384];
    for (uint64_t at = 0; at < size;) {
        ssize_t n = pread(from, buffer, sizeof buffer, (off_t)at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? -errno : -EIO;
        int rc = write_all(fd, buffer, (size_t)n);
        if (rc)
            return rc;
        at += (uint64_t)n;
    }
    return 0;
}

int hoop__temp_keep(int fd, const char *path, uint64_t size, const char *to)
{
    if (linkat(AT_FDCWD, path, AT_FDCWD, to, is_unnamed(path) ? AT_SYMLINK_FOLLOW : 0) == 0)
        return 0;
    if (errno == EEXIST || errno == ENOENT || errno == ENOTDIR || errno == EACCES)
        return -errno;
    /* Another file system, or one without links. */
    int made = create(to);
    return made < 0 ? made : complete(made, to, copy_bytes(fd, made, size));
}

int hoop__temp_save(hoop_str bytes, const char *to)
{
    int made = create(to);
    return made < 0 ? made : complete(made, to, write_all(made, bytes.data, bytes.len));
}
