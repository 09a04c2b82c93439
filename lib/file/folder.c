/* Folders: opened at start, closed with their arena. */
#include "file/file.h"

#include <string.h>
#include <time.h>

static void close_folder(void *data)
{
    hoop__root_done(&((struct hoop_folder *)data)->root);
}

static void fill(hoop_folder_options *o)
{
    if (!o->max_bytes)
        o->max_bytes = (uint64_t)16 << 20;
    if (!o->charset)
        o->charset = "utf-8";
    if (!o->max_file)
        o->max_file = 65536;
    if (!o->max_known)
        o->max_known = 1024;
    if (!o->max_open)
        o->max_open = 64;
    if (!o->recheck_ms)
        o->recheck_ms = 1000;
}

int hoop_folder_open_sized(hoop_arena *arena, const char *path, const hoop_folder **ret_folder,
                           hoop_error *error, const hoop_folder_options *options,
                           size_t options_size)
{
    if (!arena || !path || !ret_folder)
        return hoop_error_set(error, HOOP_EINVAL, "hoop_folder_open() needs an arena and a path");
    struct hoop_folder *folder = hoop_arena_zalloc(arena, sizeof *folder);
    if (!folder)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    if (options)
        memcpy(&folder->options, options,
               options_size < sizeof *options ? options_size : sizeof *options);
    if (folder->options.links > HOOP_LINKS_ALL)
        return hoop_error_set(error, HOOP_EINVAL, "links: %u is none of HOOP_LINKS_*",
                              (unsigned)folder->options.links);
    fill(&folder->options);
    if (!hoop__is_field_value(hoop_str_c(folder->options.charset)))
        return hoop_error_set(error, HOOP_EINVAL, "the charset can't stand in a header");
    int rc = hoop__root_init(&folder->root, path, folder->options.links);
    if (rc)
        return hoop_error_set(error, rc, "the folder '%s' can't be opened: %s", path,
                              hoop_strerror(rc));
    if (hoop_arena_on_dispose(arena, close_folder, folder))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    folder->id = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + (uintptr_t)folder;
    *ret_folder = folder;
    return 0;
}
