/** @file
 * Middleware "access_log": a line for each request, when it has ended.
 */
#ifndef HOOP_MIDDLEWARE_ACCESS_LOG_H
#define HOOP_MIDDLEWARE_ACCESS_LOG_H

#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** A line in the combined format of Apache and nginx; hoop_access_log_options.format. */
#define HOOP_LOG_COMBINED 0u
/** A line in JSON. */
#define HOOP_LOG_JSON 1u

/**
 * Takes a line without newline, NUL-terminated and borrowed for the call. On the loop's thread; several loops call
 * at once.
 */
typedef void hoop_access_log_fn(hoop_str line, void *data);

/** Nonzero if this request is not to be logged (a health check). */
typedef int hoop_access_log_skip_fn(const hoop_request *req, const void *data);

/** Zero means the default given here. */
typedef struct hoop_access_log_options {
    hoop_access_log_fn *write;     /**< NULL: the server's log hook, as HOOP_LOG_INFO */
    void *data;                    /**< of `write` */
    hoop_access_log_skip_fn *skip; /**< NULL: all are logged */
    const void *skip_data;         /**< of `skip` */
    /**
     * Names of query parameters whose values are not written, `redact_count` of them. None: password, passwd, secret,
     * token, access_token, refresh_token, api_key, apikey, code, signature. Case aside
     */
    const char *const *redact;
    size_t redact_count; /**< how many */
    uint64_t slow_ms;    /**< lines of requests that took as long are marked; 0: none is */
    uint32_t format;     /**< HOOP_LOG_COMBINED or HOOP_LOG_JSON */
    uint32_t reserved;   /**< zero */
} hoop_access_log_options;

/** The type of HOOP_ACCESS_LOG(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_access_log_type;

/**
 * An entry of a chain: `HOOP_ACCESS_LOG(NULL)`, `HOOP_ACCESS_LOG(&options)`. Options are borrowed; those of
 * a chain live as long as its arena.
 *
 * Each request gives one line, when its last byte is written or it was given up (hoop_on_done()). Combined:
 *
 *     192.0.2.1 - ann [06/Nov/1994:08:49:37 +0000] "GET /a?b=c HTTP/1.1" 200 5 "-" "curl/7.88.1"
 *
 * with ` slow 1234ms` behind it if it was slow. JSON:
 *
 *     {"time":"1994-11-06T08:49:37Z","remote":"192.0.2.1","user":"ann","method":"GET","uri":"/a?b=c",
 *      "protocol":"HTTP/1.1","status":200,"bytes":5,"ms":12,"referer":"...","agent":"curl/7.88.1",
 *      "id":"...","trace":"...","slow":true,"aborted":"HOOP_EGONE"}
 *
 * in which what is not known is left out. The user is whom authentication has recognised further in. `id` and
 * `trace` need HOOP_REQUEST_ID() and HOOP_TRACEPARENT() further out, `remote` HOOP_FORWARDED() behind a
 * proxy. What a client sent can't forge lines: quotes, backslashes, control characters and what is no UTF-8 are
 * written as \\xHH (combined) or escaped (JSON); long values are cut. A format that is none is refused when the chain
 * is built.
 *
 * Needs nothing, provides nothing. Not idempotent: give a second one a name of its own.
 *
 * Source: Apache's combined log format; ring-logger, whose redaction this has. Unlike there: one line, at the end.
 */
#define HOOP_ACCESS_LOG(...) \
    HOOP_USE(&hoop_access_log_type, (__VA_ARGS__), sizeof(hoop_access_log_options))

HOOP_END_DECLS

#endif
