/** @file
 * Middleware "multipart_params": reads forms with files as they come, fields into the parameters, files to temporary
 * files or memory.
 */
#ifndef HOOP_MIDDLEWARE_MULTIPART_PARAMS_H
#define HOOP_MIDDLEWARE_MULTIPART_PARAMS_H

#include <hoop/middleware.h>
#include <hoop/param.h>
#include <hoop/upload.h>

HOOP_BEGIN_DECLS

/** Files go to temporary files. */
#define HOOP_UPLOADS_IN_FILES 0u
/** Files stay in memory. */
#define HOOP_UPLOADS_IN_MEMORY 1u

/**
 * Told how far a form has come: `received` bytes of `length` (UINT64_MAX: not known), and the number of parts that
 * have begun. Numbers never fall. On the loop's thread, for each piece that comes.
 */
typedef void hoop_upload_progress_fn(const hoop_request *req, uint64_t received, uint64_t length,
                                     uint64_t parts, void *data);

/** How forms are read. Zero means the default given here. */
typedef struct hoop_multipart_params_options {
    const char *folder; /**< where temporary files are made: "/tmp" */
    const char
        *charset; /**< of all texts, whatever the client says; NULL: see HOOP_MULTIPART_PARAMS() */
    const char *fallback_charset;      /**< if the client says nothing; NULL: UTF-8 */
    hoop_upload_progress_fn *progress; /**< NULL: nobody is told */
    void *data;                        /**< for `progress` */
    uint64_t max_body;    /**< bytes of the whole: 0: the route's or the server's max_body; 413 */
    uint64_t max_file;    /**< bytes of a file: HOOP_OFF, since the body has its limit; 413 */
    uint64_t max_field;   /**< bytes of a field that is no file: 64 KiB; HOOP_OFF; 413 */
    uint64_t max_fields;  /**< bytes of all of those: 1 MiB; HOOP_OFF; 413 */
    uint32_t max_parts;   /**< fields and files together: 512; 413 */
    uint32_t max_files;   /**< 32; files in temporary files have a descriptor each; 413 */
    uint32_t max_name;    /**< bytes of a name: 1024; 400 */
    uint32_t max_headers; /**< header lines of a part: 32, of 8 KiB together; 400 */
    uint32_t store;       /**< HOOP_UPLOADS_IN_FILES or HOOP_UPLOADS_IN_MEMORY */
    uint32_t lenient;     /**< nonzero: U+FFFD stands for what is no character of its charset */
} hoop_multipart_params_options;

/** The type of HOOP_MULTIPART_PARAMS(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_multipart_params_type;

/**
 * An entry of a chain: `HOOP_MULTIPART_PARAMS(NULL)`, `HOOP_MULTIPART_PARAMS(&options)`. Options are borrowed.
 *
 * Reads a body of type multipart/form-data as it comes (unless the route that was chosen streams its body), and calls
 * what is further in when it is complete. Fields become parameters of the form, so that hoop_param() and kin find them,
 * and hoop_params() gives them as a list (with HOOP_IN_ANY if HOOP_PARAMS() has read the query). Files are
 * hoop_uploads(). There is no hoop_body() then.
 *
 * Files are written by the loop's pool of blocking threads; while a write is under way the client is held up, so that
 * one form needs about 200 KiB of memory and what its fields need, whatever its files' size. Where the system can, the
 * files have no name (O_TMPFILE), so that even a crash leaves none behind. In memory a file needs its size.
 *
 * Texts are in UTF-8 unless told otherwise: by `charset`; else by a field "_charset_"; else by the part's own
 * Content-Type (values); else by `fallback_charset`; else by the request's Content-Type. Known are UTF-8, US-ASCII,
 * ISO-8859-x, windows-125x, KOI8-R and KOI8-U; all become UTF-8. A filename that is right UTF-8 is taken as that.
 *
 * Answers 400 (RFC 9457) for what is no multipart body, a part without name, a NUL in a field, a text that is none in
 * its charset, and beyond max_name and max_headers; 413 beyond the other limits, naming them; 415 for another charset;
 * 503 if the pool is full. A file that can't be written is a failure. What broke off leaves nothing behind.
 *
 * Building makes a file in `folder` to see that it can. Needs nothing, provides "multipart_params". Idempotent:
 * mounted twice, the outer one reads.
 *
 * Source: Ring, wrap-multipart-params; RFC 7578; HTML 4.10.21.7. Unlike Ring: malformed forms are 400 and not 413; all
 * is limited; files go with the exchange and not after an hour; the media type is compared without case; a final
 * boundary without "--" is malformed.
 */
#define HOOP_MULTIPART_PARAMS(...) \
    HOOP_USE(&hoop_multipart_params_type, (__VA_ARGS__), sizeof(hoop_multipart_params_options))

/** The function behind hoop_multipart_params_request(). */
HOOP_API const hoop_request *hoop_multipart_params_request_sized(
    const hoop_request *req, const hoop_response **ret_answer,
    const hoop_multipart_params_options *options, size_t options_size);

/**
 * The request with its form read, if its body has been read (hoop_read_body()); files are written at once, on the
 * calling thread. Or NULL: then `*ret_answer` is the refusal to return, or it stays as it was because that failed
 * (noted). Within a handler, on its thread.
 */
#define hoop_multipart_params_request(req, ret_answer, ...)                 \
    hoop_multipart_params_request_sized((req), (ret_answer), (__VA_ARGS__), \
                                        sizeof(hoop_multipart_params_options))

HOOP_END_DECLS

#endif
