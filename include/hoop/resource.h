/** @file
 * Resources: files that were compiled into the program, served from its own memory.
 */
#ifndef HOOP_RESOURCE_H
#define HOOP_RESOURCE_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/handler.h>
#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** A file as bytes of the program. Written by `hoop-resources`; constant. */
typedef struct hoop_resource {
    const char *path;          /**< relative to the folder: "img/a.png" */
    const char *type;          /**< Content-Type; NULL: unknown */
    const char *etag;          /**< of its contents, without quotes: the same in each build */
    const unsigned char *data; /**< the contents */
    const unsigned char *br;   /**< the same, compressed; NULL: not worth it */
    const unsigned char *zstd; /**< likewise */
    const unsigned char *gzip; /**< likewise */
    size_t size;               /**< bytes of data */
    size_t br_size;            /**< bytes of br */
    size_t zstd_size;          /**< bytes of zstd */
    size_t gzip_size;          /**< bytes of gzip */
} hoop_resource;

/** A folder of them, in the order of their paths' bytes. */
typedef struct hoop_resources {
    const hoop_resource *table; /**< the entries */
    size_t count;               /**< how many */
    size_t entry_size;          /**< sizeof(hoop_resource), as whoever made the table knows it */
} hoop_resources;

/** How they are sent. Zero means the default given here. */
typedef struct hoop_resources_options {
    const hoop_resources *resources; /**< required */
    const char *prefix;              /**< only paths below it, and it is taken off; NULL: all */
    const char *index;         /**< the file that stands for a folder: "index.html"; "": none */
    const char *cache_control; /**< Cache-Control; NULL: none */
} hoop_resources_options;

/** The type of HOOP_RESOURCES(). */
HOOP_API extern const hoop_middleware_type hoop_resources_type;

/**
 * Middleware "resources": answers GET and HEAD for what is in the table, and hands on all else. Paths, index, the
 * slash at a folder's end, conditions and ranges are as with HOOP_STATIC_FILES(); compressed forms go to who
 * accepts them, and Vary says so. No system call is made. Source: Ring, wrap-resource.
 */
#define HOOP_RESOURCES(...) \
    HOOP_USE(&hoop_resources_type, (__VA_ARGS__), sizeof(hoop_resources_options))

/** hoop_resources_new() with the size of the options. */
HOOP_API int hoop_resources_new_sized(hoop_arena *arena, hoop_handler *ret_handler,
                                      hoop_error *error, const hoop_resources_options *options,
                                      size_t options_size);

/**
 * The same as a handler: what is not there is a pass; other methods get 405. Made in `arena`.
 *
 *     extern const hoop_resources assets; // hoop-resources assets FOLDER assets.c
 *     hoop_resources_new(app, &handler, &error, &(hoop_resources_options){ .resources = &assets });
 *
 * 0, or a negative code and a text.
 */
#define hoop_resources_new(arena, ret_handler, error, ...)                   \
    hoop_resources_new_sized((arena), (ret_handler), (error), (__VA_ARGS__), \
                             sizeof(hoop_resources_options))

/** The entry at `path`; NULL if there is none. Threads: any. */
HOOP_API const hoop_resource *hoop_resource_find(const hoop_resources *resources, const char *path);

HOOP_END_DECLS

#endif
