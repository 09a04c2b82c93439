/* A folder as a border: files beneath it are opened by checked paths, and nothing else is. */
#ifndef HOOP_FILE_ROOT_H
#define HOOP_FILE_ROOT_H

#include <hoop/str.h>

#include <stdint.h>

/* A folder by its descriptor. Set up once, then read by any thread. */
struct hoop__root {
    int fd;
    uint32_t links;     /* one of HOOP_LINKS_* */
    uint8_t has_open;   /* openat2 works here */
    uint8_t has_cached; /* and can tell that it would have to wait for a disk */
};

/* Opens the folder at `path` and finds out what the system can do. 0, or a negative errno. */
int hoop__root_init(struct hoop__root *root, const char *path, uint32_t links);
void hoop__root_done(struct hoop__root *root);

/*
 * Opens what stands at `path` (relative, of names that are neither empty nor "." nor "..", or "." alone) for reading,
 * without waiting for what is no plain file. `cached`: only if no disk is needed for it, else -EAGAIN. The
 * descriptor, or a negative errno: -EXDEV or -ELOOP for a link that is not to be followed. Threads: any.
 */
int hoop__root_open(const struct hoop__root *root, const char *path, int cached);

/* The same in steps, one name at a time, for systems without openat2. */
int hoop__root_walk(const struct hoop__root *root, const char *path);

/*
 * Makes a relative path of one that a client sent, from its '/' on: decoded, without the slash at the end
 * (`*ret_slash` tells if there was one), "." for the folder itself. `out` has room for encoded.len + 2. 0, or
 * HOOP_EPARSE for what no file may have: broken escapes, NUL, an escaped slash, a backslash, empty names,
 * "." and "..", and, unless `dots`, names that begin with a dot, but for ".well-known" as the first.
 */
int hoop__root_path(hoop_str encoded, int dots, char *out, int *ret_slash);

/* Whether a relative path keeps those rules, "." for the folder itself included. */
int hoop__root_path_ok(hoop_str path, int dots);

#endif
