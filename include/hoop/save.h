/** @file
 * Request bodies into files, while they come, without the loop waiting for a disk.
 */
#ifndef HOOP_SAVE_H
#define HOOP_SAVE_H

#include <hoop/export.h>
#include <hoop/file.h>
#include <hoop/request.h>
#include <hoop/response.h>

HOOP_BEGIN_DECLS

/**
 * Makes the answer, once. `code` 0: the file stands under its name, with `bytes` in it. Else there is no file:
 * HOOP_ETOOBIG, HOOP_EGONE and so on as of hoop_read_end_fn, or the system's (-ENOSPC, -EEXIST ...). NULL
 * without a note of its own (hoop_fail()) answers a failure as without this function. On the loop's thread.
 */
typedef const hoop_response *hoop_saved_fn(const hoop_request *req, int code, uint64_t bytes,
                                           void *data);

/** Told that `bytes` of the body have been written so far. On the loop's thread; it may not answer. */
typedef void hoop_progress_fn(uint64_t bytes, void *data);

/** How a body is saved. Zero means the default given here. */
typedef struct hoop_save_options {
    hoop_saved_fn
        *saved; /**< NULL: 201; 409 if the name is taken, 404 without its folder or if it is too
                   long, 507 without room, else by the code (hoop_failure_status()) */
    hoop_progress_fn *progress; /**< NULL: nobody is told */
    void *data;                 /**< handed to both */
    uint64_t limit;    /**< bytes; 0: max_body of hoop_limits or the route's, HOOP_OFF: none */
    uint64_t window;   /**< bytes held in memory, twice: 256 KiB; then the client waits */
    uint32_t mode;     /**< permissions: 0644, less the umask */
    uint32_t replace;  /**< nonzero: a file of that name is replaced */
    uint32_t sync;     /**< nonzero: on the disk (fsync) before it gets its name */
    uint32_t reserved; /**< zero */
} hoop_save_options;

/** hoop_save() with the size of the options. */
HOOP_API const hoop_response *hoop_save_sized(const hoop_request *req, const hoop_folder *folder,
                                              const char *path, const hoop_save_options *options,
                                              size_t options_size);

/**
 * Saves the request's body as the file `path` of a folder: `hoop_save(req, folder, "in/a.bin", NULL)`. In a streaming
 * handler (hoop_streaming(), HOOP_REQUEST_STREAM), on the loop's thread; the response is pending. Rules for
 * paths as with hoop_file(): nothing outside of the folder is ever written, the folder of the file is not made. It is
 * written under a hidden name beside its own and renamed at the end, so nobody sees half of it; what breaks off is
 * removed. Threads of the blocking pool write; the client is read only as fast as they do. NULL: failed, noted.
 */
#define hoop_save(req, folder, path, ...) \
    hoop_save_sized((req), (folder), (path), (__VA_ARGS__), sizeof(hoop_save_options))

HOOP_END_DECLS

#endif
