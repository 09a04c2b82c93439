/** @file
 * The log hook: hoop prints nothing by itself, it hands lines to the host.
 */
#ifndef HOOP_LOG_H
#define HOOP_LOG_H

#include <hoop/export.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/** How weighty a line is. */
#define HOOP_LOG_ERROR 1 /**< a request failed by the program's fault, or the server can't go on */
#define HOOP_LOG_WARN  2 /**< something was refused or given up that an operator should know */
#define HOOP_LOG_INFO  3 /**< started, listening, draining, stopped */
#define HOOP_LOG_DEBUG 4 /**< what a developer of the program wants to see */

/**
 * Takes one line without newline. `level` is one of HOOP_LOG_*. The text is borrowed for the call
 * and has no control characters. Threads: called from any of the server's threads, several at once.
 */
typedef void hoop_log_fn(int level, const char *text, void *data);

/**
 * A log hook that writes `TEXT`, `warning: TEXT` and `error: TEXT` lines to stderr, none for
 * HOOP_LOG_DEBUG; for programs that want no more.
 */
HOOP_API void hoop_log_stderr(int level, const char *text, void *data);

HOOP_END_DECLS

#endif
