/** @file
 * Files as responses: folders that are served, with conditions, ranges, and a cache of open files.
 */
#ifndef HOOP_FILE_H
#define HOOP_FILE_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/handler.h>
#include <hoop/middleware.h>
#include <hoop/request.h>
#include <hoop/response.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/** A folder that files are served from, and the only place they come from. Shared by all loops. */
typedef struct hoop_folder hoop_folder;

/** More media types by file extension than the built-in ones. */
typedef struct hoop_mime_types hoop_mime_types;

/* Which symbolic links are followed: `links` of hoop_folder_options. */
#define HOOP_LINKS_BENEATH 0u /**< those that lead to something in the folder */
#define HOOP_LINKS_NONE    1u /**< none */
#define HOOP_LINKS_ALL \
    2u /**< all, also out of the folder: who may write there may publish anything */

/** How a folder is served. Zero means the default given here. */
typedef struct hoop_folder_options {
    uint64_t max_bytes;           /**< contents kept in memory, per loop: 16 MiB */
    const hoop_mime_types *types; /**< asked before the built-in table; NULL: none */
    const char *charset;          /**< of text types: "utf-8"; "": none is told */
    uint32_t max_file;            /**< a file up to this size is kept in memory: 64 KiB */
    uint32_t max_known;           /**< paths known, per loop: 1024 */
    uint32_t max_open;            /**< files kept open, per loop: 64 */
    uint32_t recheck_ms;          /**< how long what is known of a file is trusted: 1000; what
                               hoop_save() has saved is seen at once */
    uint32_t links;               /**< one of HOOP_LINKS_* */
    uint32_t dot_files;           /**< nonzero: names that begin with a dot are served, too */
    uint32_t uncached;            /**< nonzero: no contents in memory, no file kept open */
    uint32_t reserved;            /**< zero */
} hoop_folder_options;

/** hoop_folder_open() with the size of the options. */
HOOP_API int hoop_folder_open_sized(hoop_arena *arena, const char *path,
                                    const hoop_folder **ret_folder, hoop_error *error,
                                    const hoop_folder_options *options, size_t options_size);

/**
 * Opens the folder at `path`, which has to be there; it stays the same one even if it is renamed:
 * `hoop_folder_open(app, "public", &folder, &error, NULL)`. Made in `arena`, and closed with it: behind the
 * server. `charset` and `types` are borrowed.
 *
 * Only plain files beneath it are ever read: no path, no link and no race leads out (openat2, or name by
 * name where the system lacks it). Devices, pipes and sockets are not there. The loop waits for no disk: what
 * is not in memory is opened and read ahead on the server's blocking pool. Files may change meanwhile: what
 * is known of one is looked at anew after `recheck_ms`; one that was replaced is sent as it was; one that gets
 * shorter while it is sent breaks the connection off; one that grows is cut at the length announced.
 *
 * 0, or a negative code and a text that names the path.
 */
#define hoop_folder_open(arena, path, ret_folder, error, ...)                     \
    hoop_folder_open_sized((arena), (path), (ret_folder), (error), (__VA_ARGS__), \
                           sizeof(hoop_folder_options))

/**
 * A file as the body: Content-Type by its extension, Last-Modified, a strong ETag of size, time and inode, and, for
 * status 200, what hoop_with_ranges() makes of it. `path` is relative and not encoded: "img/a.png"; it may come
 * from the client. 404 for what is no file there, or has a name that is not served. May be pending. Also on another
 * thread, with a deferred's request, as in a blocking handler: there it is opened at once, and may wait for the disk.
 * NULL: failed, noted.
 */
HOOP_API const hoop_response *hoop_file(const hoop_request *req, int status,
                                        const hoop_folder *folder, const char *path);

/** How a folder's files are found and sent. Zero means the default given here. */
typedef struct hoop_static_options {
    const hoop_folder *folder; /**< required */
    const char *prefix; /**< only paths below it, and it is taken off: "/static"; NULL: all */
    const char *index;  /**< names tried for a folder, by blanks: "index.html"; "": none */
    const char *cache_control; /**< Cache-Control of what is sent; NULL: none */
    uint32_t precompressed;    /**< nonzero: NAME.br, NAME.zst, NAME.gz stand for NAME */
    uint32_t listing;          /**< nonzero: a folder without index is listed */
    uint32_t
        prefer_handler; /**< HOOP_STATIC_FILES(): the handler is asked first, and files on its 404 or pass */
    uint32_t reserved; /**< zero */
} hoop_static_options;

/** The type of HOOP_STATIC_FILES(). */
HOOP_API extern const hoop_middleware_type hoop_static_files_type;

/**
 * Middleware "static_files": answers GET and HEAD for files of a folder, and hands on all else.
 *
 *     HOOP_STATIC_FILES(&(hoop_static_options){ .folder = folder })   // built at run time
 *
 * The path is that of hoop_path_info() behind `prefix`, decoded once. Not there are: broken escapes, NUL, an
 * escaped slash, a backslash, empty names, "." and "..", names that begin with a dot (but `/.well-known`; see
 * dot_files). A folder asked for without '/' at its end is redirected there (301, query kept), with it an index is
 * sent, or the listing. Precompressed siblings no older than the file are sent to who accepts them, by quality,
 * then br, zstd, gzip; Vary tells. Errors to build: no folder.
 * Source: Ring, wrap-file; reitit, create-file-handler.
 */
#define HOOP_STATIC_FILES(...) \
    HOOP_USE(&hoop_static_files_type, (__VA_ARGS__), sizeof(hoop_static_options))

/** hoop_static_new() with the size of the options. */
HOOP_API int hoop_static_new_sized(hoop_arena *arena, hoop_handler *ret_handler, hoop_error *error,
                                   const hoop_static_options *options, size_t options_size);

/**
 * The same as a handler, for a mount or a route with the rest of the path: what is not there is a pass, so
 * 404 in the end; other methods get 405. Made in `arena`. 0, or a negative code and a text.
 */
#define hoop_static_new(arena, ret_handler, error, ...)                   \
    hoop_static_new_sized((arena), (ret_handler), (error), (__VA_ARGS__), \
                          sizeof(hoop_static_options))

/**
 * The media type of a file's name by its extension, in any case, out of `types` (NULL: none), else of the
 * built-in table; absent if it is unknown. Static, or as long as `types`. Threads: any.
 */
HOOP_API hoop_str hoop_mime_type(const hoop_mime_types *types, const char *path);

/** An empty table in `arena`. NULL: out of memory. */
HOOP_API hoop_mime_types *hoop_mime_types_new(hoop_arena *arena);

/** Adds a type; a later one for the same extension (without dot) wins. 0, HOOP_EINVAL, HOOP_ENOMEM. */
HOOP_API int hoop_mime_types_add(hoop_mime_types *types, const char *extension, const char *type);

/**
 * Adds all of a file in the format of /etc/mime.types, which is what NULL means. Reads it at once: at
 * start. 0, or a negative code and a text that names the file; then some of it may have been added.
 */
HOOP_API int hoop_mime_types_read(hoop_mime_types *types, const char *path, hoop_error *error);

HOOP_END_DECLS

#endif
