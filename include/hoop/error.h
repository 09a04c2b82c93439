/** @file
 * Error codes and the error value that set-up functions fill.
 */
#ifndef HOOP_ERROR_H
#define HOOP_ERROR_H

#include <hoop/export.h>

HOOP_BEGIN_DECLS

/**
 * hoop's own codes. They lie below -10000; codes of the system and of libuv come through unchanged
 * (-EADDRINUSE and so on). An HTTP status is never an error code.
 */
#define HOOP_EINVAL       (-10001) /**< an argument that can't be right; the text names it */
#define HOOP_ENOMEM       (-10002) /**< out of memory, or over an arena's limit */
#define HOOP_EALREADY     (-10003) /**< the deferred was resolved before, the list was taken before */
#define HOOP_ECANCELED    (-10004) /**< the loop has closed, or the exchange was cancelled */
#define HOOP_ETIMEDOUT    (-10005) /**< a deadline passed */
#define HOOP_EBUSY        (-10006) /**< a limit on things under way is reached */
#define HOOP_ETOOBIG      (-10007) /**< more bytes than the limit allows */
#define HOOP_EOF          (-10008) /**< the end: no more bytes */
#define HOOP_EAGAIN       (-10009) /**< nothing now; it will be told when there is more */
#define HOOP_EPROTO       (-10010) /**< the peer broke the protocol */
#define HOOP_EPARSE       (-10011) /**< text that does not follow its grammar */
#define HOOP_ETHREAD      (-10012) /**< called on a thread that may not */
#define HOOP_EDROPPED     (-10013) /**< the last reference to a deferred went without an answer */
#define HOOP_ECONFLICT    (-10014) /**< two entries of a table exclude each other */
#define HOOP_EMISSING     (-10015) /**< something needed is not there; the text names it */
#define HOOP_ENORESPONSE  (-10016) /**< a handler returned NULL and noted no reason */
#define HOOP_EGONE        (-10017) /**< the client left before the end */
#define HOOP_EUNSUPPORTED (-10018) /**< this build or this platform can't do it */

/**
 * A code and a text that names the value at fault and what would be right.
 * Frozen: this struct never changes. Where a function takes a `hoop_error *`, NULL is allowed.
 */
typedef struct hoop_error {
    int code;       /**< 0, or a negative code */
    char text[252]; /**< a whole sentence without full stop, NUL-terminated, cut if too long */
} hoop_error;

/**
 * A short English text for a code of hoop or of the system ("out of memory"). Unknown codes give
 * "unknown error". Ownership: static. Threads: any.
 */
HOOP_API const char *hoop_strerror(int code);

/** The name of a code ("HOOP_ENOMEM", "EADDRINUSE"), "UNKNOWN" otherwise. Static. Threads: any. */
HOOP_API const char *hoop_err_name(int code);

/**
 * Fills `error` (NULL allowed) with `code` and a printf-formatted text, and returns `code`, so that
 * a function can end with `return hoop_error_set(error, HOOP_EINVAL, ...)`. Threads: any.
 */
HOOP_API int hoop_error_set(hoop_error *error, int code, const char *format, ...) HOOP_PRINTF(3, 4);

HOOP_END_DECLS

#endif
