/** @file
 * Middleware "dump": what comes and goes, for developers.
 */
#ifndef HOOP_MIDDLEWARE_DUMP_H
#define HOOP_MIDDLEWARE_DUMP_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_dump_options {
    uint32_t show_secrets; /**< nonzero: credentials and cookies are written, too */
    uint32_t reserved;     /**< zero */
} hoop_dump_options;

/** The type of HOOP_DUMP(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_dump_type;

/**
 * An entry of a chain: `HOOP_DUMP(NULL)`, `HOOP_DUMP(&options)`. Options are borrowed.
 *
 * Writes each request and its response to the server's log hook, as HOOP_LOG_DEBUG, a line for each header:
 *
 *     > GET /a?b HTTP/1.1
 *     > host: localhost
 *     < 200
 *     < Content-Type: text/plain
 *     < 5 bytes
 *
 * Values of Authorization, Proxy-Authorization, Cookie and Set-Cookie are left out. A failure further in is
 * `< failed: ` and its reason. Bodies are not written, streams are `< a stream`.
 *
 * Needs nothing, provides nothing. Not idempotent: two of them show what stands between; give one a name.
 *
 * Source: Ring, handle-dump (ring-devel), whose page is hoop_dump().
 */
#define HOOP_DUMP(...) HOOP_USE(&hoop_dump_type, (__VA_ARGS__), sizeof(hoop_dump_options))

/**
 * A handler that answers with the request that it gets: a page for clients that prefer text/html, else text. For
 * developers; credentials and cookies are not shown. `data` is not used.
 */
HOOP_API const hoop_response *hoop_dump(const hoop_request *req, void *data);

HOOP_END_DECLS

#endif
