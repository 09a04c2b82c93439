/* The page that lists a folder: read on the pool, with every name escaped. */
#include "codec/percent.h"
#include "file/file.h"
#include "file/offload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MAX_NAMES ((size_t)10000) /* the rest is counted, not named */

struct name {
    int is_folder;
    uint64_t size;
    int64_t modified;
    char *text;
};

/* In the exchange's arena, which frees what was read. */
struct listing {
    const struct hoop_folder *folder;
    const hoop_allocator *allocator;
    hoop_str path;
    struct name *names;
    size_t count, cap, more;
    int code;
};

/* --- reading, on a thread of the pool -------------------------------------------------------- */

static int is_hidden(const struct listing *l, const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
           (name[0] == '.' && !l->folder->options.dot_files) || strchr(name, '\\');
}

static int add(struct listing *l, const char *text, const struct stat *st)
{
    if (l->count == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 64;
        struct name *names = hoop__realloc(l->allocator, l->names, cap * sizeof *names);
        if (!names)
            return HOOP_ENOMEM;
        l->names = names;
        l->cap = cap;
    }
    size_t len = strlen(text) + 1;
    struct name *name = &l->names[l->count];
    name->text = hoop__alloc(l->allocator, len);
    if (!name->text)
        return HOOP_ENOMEM;
    memcpy(name->text, text, len);
    name->is_folder = S_ISDIR(st->st_mode);
    name->size = (uint64_t)st->st_size;
    name->modified = st->st_mtim.tv_sec;
    l->count++;
    return 0;
}

/* Folders first, then by name. */
static int compare(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    if (x->is_folder != y->is_folder)
        return y->is_folder - x->is_folder;
    return strcmp(x->text, y->text);
}

/* What a link leads to is looked at only by who follows it: here it is neither file nor folder. */
static int read_names(struct listing *l, DIR *dir)
{
    const struct dirent *entry;
    while ((entry = readdir(dir))) {
        struct stat st;
        if (is_hidden(l, entry->d_name) ||
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
            continue;
        if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode) &&
            (!S_ISLNK(st.st_mode) || l->folder->options.links == HOOP_LINKS_NONE))
            continue;
        if (l->count == MAX_NAMES)
            l->more++;
        else if (add(l, entry->d_name, &st))
            return HOOP_ENOMEM;
    }
    return 0;
}

static void read_folder(void *arg)
{
    struct listing *l = arg;
    int fd = hoop__root_open(&l->folder->root, l->path.data, /* cached= */ 0);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        l->code = fd < 0 ? fd : -errno;
        if (fd >= 0)
            close(fd);
        return;
    }
    l->code = read_names(l, dir);
    closedir(dir);
    if (l->count)
        qsort(l->names, l->count, sizeof *l->names, compare);
}

static void drop(void *data)
{
    struct listing *l = data;
    for (size_t i = 0; i < l->count; i++)
        hoop__free(l->allocator, l->names[i].text);
    hoop__free(l->allocator, l->names);
}

/* --- writing --------------------------------------------------------------------------------- */

/* Where to write, or, without a place, how much it would be. */
struct pen {
    char *out;
    size_t size;
};

static void put(struct pen *pen, const char *text)
{
    size_t len = strlen(text);
    if (pen->out)
        memcpy(pen->out + pen->size, text, len);
    pen->size += len;
}

static void put_escaped(struct pen *pen, const char *text)
{
    for (; *text; text++) {
        char byte[2] = { *text, 0 };
        const char *as = *text == '&'    ? "&amp;"
                         : *text == '<'  ? "&lt;"
                         : *text == '>'  ? "&gt;"
                         : *text == '"'  ? "&quot;"
                         : *text == '\'' ? "&#39;"
                                         : byte;
        put(pen, as);
    }
}

/* A link within the folder: "./" in front, so that no name is taken for a scheme. */
static void put_link(struct pen *pen, const struct name *name)
{
    hoop_str text = hoop_str_c(name->text);
    size_t size = hoop__percent_size(text, HOOP__CHAR_UNRESERVED);
    put(pen, "<tr><td><a href=\"./");
    if (pen->out)
        hoop__percent_encode(text, HOOP__CHAR_UNRESERVED, pen->out + pen->size);
    pen->size += size;
    put(pen, name->is_folder ? "/\">" : "\">");
    put_escaped(pen, name->text);
    put(pen, name->is_folder ? "/</a>" : "</a>");
}

static void put_facts(struct pen *pen, const struct name *name)
{
    char text[96], date[HOOP__DATE_LEN + 1] = "";
    hoop__clock_imf(name->modified, date);
    date[HOOP__DATE_LEN] = 0;
    if (name->is_folder)
        snprintf(text, sizeof text, "</td><td></td><td>%s</td></tr>\n", date);
    else
        snprintf(text, sizeof text, "</td><td>%llu</td><td>%s</td></tr>\n",
                 (unsigned long long)name->size, date);
    put(pen, text);
}

static void put_page(struct pen *pen, const struct listing *l)
{
    const char *path = hoop_str_eq_c(l->path, ".") ? "" : l->path.data;
    put(pen, "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>/");
    put_escaped(pen, path);
    put(pen, "</title></head>\n<body><h1>/");
    put_escaped(pen, path);
    put(pen, "</h1>\n<table>\n");
    if (*path)
        put(pen, "<tr><td><a href=\"../\">../</a></td><td></td><td></td></tr>\n");
    for (size_t i = 0; i < l->count; i++) {
        put_link(pen, &l->names[i]);
        put_facts(pen, &l->names[i]);
    }
    put(pen, "</table>\n");
    if (l->more) {
        char text[64];
        snprintf(text, sizeof text, "<p>and %zu more</p>\n", l->more);
        put(pen, text);
    }
    put(pen, "</body></html>\n");
}

static const hoop_response *write_page(const hoop_request *req, const hoop_response *res,
                                       const void *value)
{
    (void)res;
    const struct listing *l = value;
    if (l->code == HOOP_ENOMEM)
        return hoop__fail_memory(req);
    if (l->code)
        return hoop_problem(req, 404, NULL);
    struct pen pen = { NULL, 0 };
    put_page(&pen, l);
    pen.out = hoop_alloc(req, pen.size + 1);
    if (!pen.out)
        return NULL;
    pen.size = 0;
    put_page(&pen, l);
    pen.out[pen.size] = 0;
    return hoop_bytes_static(req, 200, "text/html; charset=utf-8", hoop_str_n(pen.out, pen.size));
}

const hoop_response *hoop__file_listing(const hoop_request *req, const struct hoop_folder *folder,
                                        hoop_str path)
{
    struct listing *l = hoop_alloc(req, sizeof *l);
    if (!l)
        return NULL;
    memset(l, 0, sizeof *l);
    l->folder = folder;
    l->allocator = req->arena->allocator;
    l->path = path;
    if (hoop_arena_on_dispose(req->arena, drop, l))
        return hoop__fail_memory(req);
    return hoop__offload(req, read_folder, write_page, l);
}
