/** @file
 * Files of a form, as the middleware "multipart_params" has read them.
 */
#ifndef HOOP_UPLOAD_H
#define HOOP_UPLOAD_H

#include <hoop/export.h>
#include <hoop/request.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/**
 * A file that a client has sent. Its strings have a NUL behind them; what the client said in them is only what it
 * said. It lives with the exchange, and so does a temporary file: it is gone when the response has been sent, whatever
 * happened, unless hoop_upload_keep() has given it a name.
 */
typedef struct hoop_upload {
    hoop_str name;          /**< of the form's field */
    hoop_str filename;      /**< the last part of what the client called it; perhaps empty */
    hoop_str filename_sent; /**< all of that, perhaps with folders: never a path to open */
    hoop_str content_type;  /**< as the client has it; absent if it said nothing */
    hoop_str bytes;         /**< the contents, if it is in memory; else absent */
    hoop_str path;  /**< where it can be opened to read while the exchange lives; absent if in
                                 memory. It may be below /proc/self/fd, where a file has no name of its own */
    uint64_t size;  /**< bytes */
    int32_t fd;     /**< open, to be read by pread(); -1 if it is in memory */
    uint32_t index; /**< which part of the form it was, from 0 */
} hoop_upload;

/**
 * All files of the form, in the order sent. A file input that was left empty is none: its name stands among the
 * parameters, with an empty value, as in an urlencoded form. NULL, and a count of 0, if there are none or nobody has
 * read them. `ret_count` may not be NULL. Threads: any. Source: Ring, `:multipart-params`.
 */
HOOP_API const hoop_upload *hoop_uploads(const hoop_request *req, size_t *ret_count);

/** The last file of the field `name`; NULL if there is none. Threads: any. */
HOOP_API const hoop_upload *hoop_upload_find(const hoop_request *req, const char *name);

/**
 * Makes a file of the program's own at `path`, which nobody but its owner may read or write (0600), of the file that
 * was sent. Nothing is overwritten. Within one file system only a name is given, which is fast; to another the
 * bytes are copied, and a file in memory is written, which belongs in a blocking handler (hoop_blocking()). It is not
 * synced to the disk. 0; HOOP_EINVAL for NULL; or a negative errno: -EEXIST if something is there. Threads: any.
 */
HOOP_API int hoop_upload_keep(const hoop_upload *upload, const char *path);

HOOP_END_DECLS

#endif
