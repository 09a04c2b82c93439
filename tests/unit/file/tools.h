/* What the tests of files share: a folder that is made for a test and goes with it. */
#ifndef HOOP_TEST_FILE_TOOLS_H
#define HOOP_TEST_FILE_TOOLS_H

#include "support.h"

#include "file/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* A fresh folder with `public` in it, which is served, and `secret` beside. */
struct place {
    char top[64];
    char path[4096]; /* of the last call of in() */
};

/* The path of a name in the place. Lives until the next call. */
static inline const char *in(struct place *place, const char *name)
{
    snprintf(place->path, sizeof place->path, "%s/%s", place->top, name);
    return place->path;
}

static inline void put(struct place *place, const char *name, const char *text)
{
    int fd = open(in(place, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

static inline void put_size(struct place *place, const char *name, size_t size)
{
    int fd = open(in(place, name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    char *bytes = malloc(size + 1);
    assert_true(fd >= 0);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)('a' + i % 23);
    assert_int_equal(write(fd, bytes, size), size);
    free(bytes);
    close(fd);
}

static inline void make(struct place *place, const char *name)
{
    assert_int_equal(mkdir(in(place, name), 0755), 0);
}

static inline void link_to(struct place *place, const char *name, const char *target)
{
    assert_int_equal(symlink(target, in(place, name)), 0);
}

/* Sets the time of the last change. */
static inline void set_time(struct place *place, const char *name, int64_t seconds)
{
    struct timespec times[2] = { { .tv_sec = seconds }, { .tv_sec = seconds } };
    assert_int_equal(utimensat(AT_FDCWD, in(place, name), times, AT_SYMLINK_NOFOLLOW), 0);
}

static inline void place_init(struct place *place)
{
    snprintf(place->top, sizeof place->top, "/tmp/hoop-file-XXXXXX");
    assert_non_null(mkdtemp(place->top));
    make(place, "public");
    put(place, "secret", "the secret");
}

static inline int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
    (void)st;
    (void)flag;
    (void)ftw;
    return remove(path);
}

static inline void place_done(struct place *place)
{
    assert_int_equal(nftw(place->top, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

#endif
