/** @file
 * Multipart bodies, read as they come: forms with files (multipart/form-data) and others.
 *
 * The reader is fed pieces of any size and gives what it finds, in order. Data comes as slices of the piece, never
 * copied; memory is what the headers of one part need, however large a part is.
 *
 *     while ((rc = hoop_multipart_next(reader, &piece, &data)) > 0)
 *         if (rc == HOOP_MULTIPART_PART)
 *             begin(hoop_multipart_part(reader));
 *         else if (rc == HOOP_MULTIPART_DATA)
 *             store(data);
 *     if (rc < 0)
 *         refuse(hoop_multipart_error(reader)->text);
 */
#ifndef HOOP_MULTIPART_H
#define HOOP_MULTIPART_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/request.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/** Reads one multipart body. Made in an arena, and gone with it; one thread at a time. */
typedef struct hoop_multipart hoop_multipart;

/** A part, by its headers. Its strings last until the next part begins. */
typedef struct hoop_part {
    hoop_str name;     /**< of Content-Disposition, `\"` and `\\` undone; absent if there is none */
    hoop_str filename; /**< what stands behind the last '/' or '\' of `filename_sent`; empty for a
                            file input that was left empty, absent for what is no file */
    hoop_str
        filename_sent;     /**< as the client gave it, perhaps with folders: never a path to open */
    hoop_str content_type; /**< absent if not sent: text/plain (RFC 7578 4.4) */
    const hoop_field *headers; /**< all lines, in the order sent; names in lower case */
    size_t header_count;       /**< how many */
    uint64_t index;            /**< which part it is, from 0 */
} hoop_part;

/** Limits of a reader. Zero means the default, HOOP_OFF none where that is said. Over one: HOOP_ETOOBIG. */
typedef struct hoop_multipart_options {
    uint64_t max_parts;   /**< 1000, files and fields alike; HOOP_OFF */
    uint64_t max_headers; /**< header lines of a part: 32; at most 1000 */
    uint64_t max_head;    /**< bytes of a part's headers: 8 KiB; at most 1 MiB */
    uint64_t max_part;  /**< bytes of data in one part: HOOP_OFF, since a body has its own limit */
    uint64_t max_total; /**< bytes of data in all parts: HOOP_OFF, likewise */
} hoop_multipart_options;

/** What hoop_multipart_next() has found. */
#define HOOP_MULTIPART_PART     1 /**< a part begins: hoop_multipart_part() */
#define HOOP_MULTIPART_DATA     2 /**< bytes of it */
#define HOOP_MULTIPART_PART_END 3 /**< it has ended */
#define HOOP_MULTIPART_END      4 /**< the final boundary; what follows is passed over */

/** Makes a reader; see hoop_multipart_new(). */
HOOP_API int hoop_multipart_new_sized(hoop_arena *arena, hoop_str content_type,
                                      hoop_multipart **ret_reader, hoop_error *error,
                                      const hoop_multipart_options *options, size_t options_size);

/**
 * `hoop_multipart_new(arena, content_type, &reader, &error, options)`: makes a reader for a body of that
 * Content-Type. The boundary has 1 to 70 printable ASCII characters and may stand in quotes. 0; HOOP_EMISSING
 * if the type is not multipart; HOOP_EPARSE if it has no boundary, or none that can be; HOOP_EINVAL for an
 * option; HOOP_ENOMEM. Threads: any. Source: RFC 2046 5.1.1.
 */
#define hoop_multipart_new(arena, content_type, ret_reader, error, ...)                     \
    hoop_multipart_new_sized((arena), (content_type), (ret_reader), (error), (__VA_ARGS__), \
                             sizeof(hoop_multipart_options))

/**
 * Reads on in `*piece`, whose bytes it takes off the front. One of HOOP_MULTIPART_*, where for data `*ret_data` is
 * not empty and lasts as long as the piece, or until the next call if that is sooner; 0 when the piece is used
 * up; or an error, which stays: HOOP_EPARSE for what is no multipart, HOOP_ETOOBIG at a limit.
 * Who can't take more does not call, and keeps the piece.
 *
 * A line that begins like a boundary but goes on otherwise is data. Lines end with CR LF alone. Header
 * lines are not continued; Content-Disposition, its name and its filename come once at most.
 * A Content-Transfer-Encoding is not undone (RFC 7578 4.7 has deprecated it); it is among the headers.
 * `filename*` wins over `filename` (RFC 8187; RFC 7578 has only the latter). What stands in front of the first
 * boundary is passed over. Source: RFC 2046 5.1, RFC 7578 4.
 */
HOOP_API int hoop_multipart_next(hoop_multipart *reader, hoop_str *piece, hoop_str *ret_data);

/**
 * The part that has begun, also when its end is told; NULL before the first. Lasts until the next call behind
 * its end.
 */
HOOP_API const hoop_part *hoop_multipart_part(const hoop_multipart *reader);

/** Tells that the body has ended. 0, or HOOP_EPARSE if the final boundary has not come, or the earlier error. */
HOOP_API int hoop_multipart_finish(hoop_multipart *reader);

/** What is wrong, with the part's number; its code is 0 if nothing is. Lasts as long as the reader. */
HOOP_API const hoop_error *hoop_multipart_error(const hoop_multipart *reader);

HOOP_END_DECLS

#endif
