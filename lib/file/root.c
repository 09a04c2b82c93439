/* Opening beneath a folder: by openat2 where the system has it, else name by name; see root.h. */
#include "file/root.h"

#include <hoop/file.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif
#ifdef SYS_openat2
#include <linux/openat2.h>
#endif
#ifndef O_PATH
#define O_PATH O_RDONLY
#endif
#ifndef RESOLVE_CACHED
#define RESOLVE_CACHED 0x20
#endif

#define READ_FLAGS (O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
#define MAX_LINKS  16

/* --- openat2 --------------------------------------------------------------------------------- */

#ifdef SYS_openat2

static int open_beneath(const struct hoop__root *root, const char *path, uint64_t more)
{
    struct open_how how = { .flags = READ_FLAGS,
                            .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | more };
    if (root->links == HOOP_LINKS_NONE)
        how.resolve |= RESOLVE_NO_SYMLINKS;
    int fd;
    do
        fd = (int)syscall(SYS_openat2, root->fd, path, &how, sizeof how);
    while (fd < 0 && errno == EINTR);
    return fd < 0 ? -errno : fd;
}

#else

static int open_beneath(const struct hoop__root *root, const char *path, uint64_t more)
{
    return -ENOSYS;
}

#endif

/* Kernels that have the call, and sandboxes that refuse it, are told apart by trying. */
static int works(const struct hoop__root *root, uint64_t more)
{
    int fd = open_beneath(root, ".", more);
    if (fd < 0)
        return more && fd == -EAGAIN;
    close(fd);
    return 1;
}

/* --- name by name ---------------------------------------------------------------------------- */

/* A path that changes as links are put in; and how much of it is known to be folders, not links. */
struct walk {
    char path[PATH_MAX];
    size_t done;
    int links;
};

/* Puts the target of the link in the place of the name at `done`. 0, or a negative errno. */
static int put_link(struct walk *walk, int folder, size_t name_len)
{
    char name[NAME_MAX + 1], rest[PATH_MAX], target[PATH_MAX];
    memcpy(name, walk->path + walk->done, name_len);
    name[name_len] = 0;
    ssize_t len = readlinkat(folder, name, target, sizeof target - 1);
    if (len <= 0)
        return len ? -errno : -ENOENT;
    target[len] = 0;
    if (target[0] == '/')
        return -EXDEV;
    if (++walk->links > MAX_LINKS)
        return -ELOOP;
    size_t rest_len = strlen(walk->path + walk->done + name_len);
    memcpy(rest, walk->path + walk->done + name_len, rest_len + 1);
    if (walk->done + (size_t)len + rest_len >= sizeof walk->path)
        return -ENAMETOOLONG;
    memcpy(walk->path + walk->done, target, (size_t)len);
    memcpy(walk->path + walk->done + len, rest, rest_len + 1);
    return 0;
}

/*
 * Takes "." and ".." out, which links may have brought: all in front of them are folders, so each ".." takes the name
 * before it away. 0, or -EXDEV for one that leads out.
 */
static int normalize(char *path)
{
    size_t used = 0, at = 0;
    while (path[at]) {
        size_t len = strcspn(path + at, "/");
        if (len == 2 && path[at] == '.' && path[at + 1] == '.') {
            if (!used)
                return -EXDEV;
            while (used && path[--used] != '/')
                ;
        } else if (len && !(len == 1 && path[at] == '.')) {
            if (used)
                path[used++] = '/';
            memmove(path + used, path + at, len);
            used += len;
        }
        at += len;
        at += path[at] == '/';
    }
    if (!used)
        path[used++] = '.';
    path[used] = 0;
    return 0;
}

/* Opens the name at `done` in `folder`, closing that. The descriptor, or a negative errno; -ELOOP: a link. */
static int step(struct walk *walk, int folder, size_t len, int last)
{
    char name[NAME_MAX + 1];
    if (len > NAME_MAX)
        return -ENAMETOOLONG;
    memcpy(name, walk->path + walk->done, len);
    name[len] = 0;
    int flags = last ? READ_FLAGS | O_NOFOLLOW : O_PATH | O_NOFOLLOW | O_CLOEXEC | O_DIRECTORY;
    int fd = openat(folder, name, flags);
    if (fd >= 0)
        return fd;
    int error = errno;
    struct stat st;
    if ((error == ENOTDIR || error == ELOOP || error == EMLINK) &&
        fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode))
        return -ELOOP;
    return -error;
}

/* Walks from the folder to the end of the path, or to a link, which is put in: then -EAGAIN. */
static int walk_once(const struct hoop__root *root, struct walk *walk)
{
    int folder = root->fd, fd;
    walk->done = 0;
    for (;;) {
        size_t len = strcspn(walk->path + walk->done, "/");
        int last = !walk->path[walk->done + len];
        fd = step(walk, folder, len, last);
        if (fd == -ELOOP && root->links != HOOP_LINKS_NONE) {
            int rc = put_link(walk, folder, len);
            if (!rc)
                rc = normalize(walk->path);
            fd = rc ? rc : -EAGAIN;
        }
        if (folder != root->fd)
            close(folder);
        if (fd < 0 || last)
            return fd;
        folder = fd;
        walk->done += len + 1;
    }
}

int hoop__root_walk(const struct hoop__root *root, const char *path)
{
    struct walk walk = { .links = 0 };
    size_t len = strlen(path);
    int fd;
    if (len >= sizeof walk.path)
        return -ENAMETOOLONG;
    memcpy(walk.path, path, len + 1);
    do
        fd = walk_once(root, &walk);
    while (fd == -EAGAIN);
    return fd;
}

/* --- all together ---------------------------------------------------------------------------- */

int hoop__root_open(const struct hoop__root *root, const char *path, int cached)
{
    if (cached && !root->has_cached)
        return -EAGAIN;
    if (root->links == HOOP_LINKS_ALL && !cached) {
        int fd = openat(root->fd, path, READ_FLAGS);
        return fd < 0 ? -errno : fd;
    }
    if (root->has_open)
        return open_beneath(root, path, cached ? RESOLVE_CACHED : 0);
    return hoop__root_walk(root, path);
}

int hoop__root_init(struct hoop__root *root, const char *path, uint32_t links)
{
    root->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (root->fd < 0)
        return -errno;
    root->links = links;
    root->has_open = (uint8_t)(links != HOOP_LINKS_ALL && works(root, 0));
    root->has_cached = (uint8_t)(root->has_open && works(root, RESOLVE_CACHED));
    return 0;
}

void hoop__root_done(struct hoop__root *root)
{
    close(root->fd);
}
