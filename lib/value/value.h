/* The insides of the request and response values; nothing about how they travel. */
#ifndef HOOP_VALUE_VALUE_H
#define HOOP_VALUE_VALUE_H

#include "base/arena.h"

#include <hoop/error.h>
#include <hoop/request.h>
#include <hoop/response.h>

struct hoop__exchange;
struct hoop__pending;

/* A link of a persistent list of attributes; shared by all values derived of one. */
struct hoop__attribute {
    const struct hoop__attribute *next;
    const void *key;
    const void *value;
};

/* A request: the public part first. Derived ones are shallow copies. */
struct hoop__request {
    hoop_request pub;
    struct hoop__exchange *exchange; /* NULL: hoop_app_request() */
    const struct hoop__attribute *attributes;
    const hoop_error **note; /* where hoop_fail() notes: the exchange's or a deferred's slot */
    struct hoop_deferred *deferred; /* whose request it is; NULL: the exchange's own */
};

/* What a response is. */
enum hoop__response_kind { HOOP__READY, HOOP__PENDING, HOOP__PASS };

/* A header array that grows at its end; responses derived of one another share it. */
struct hoop__fields {
    size_t used;
    size_t cap;
    hoop_field *items;
};

/* A trailer field of a response, in a list in the order in which they are sent. */
struct hoop__trailer {
    struct hoop__trailer *next;
    hoop_field field;
};

/*
 * A body that is produced while it is sent: the pull seam, which files and streams stand on. Engines
 * call pull until it ends, then, or when the exchange ends early, finished exactly once.
 */
struct hoop__source {
    /*
     * Writes up to `cap` bytes to `buffer`. 0 and *ret_len > 0: more may follow. HOOP_EOF: the end
     * (*ret_len may still be > 0). HOOP_EAGAIN: nothing now, hoop__source_ready() will be called.
     * Any other code: failed, the response breaks off.
     */
    int (*pull)(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len);
    /* Called once, by hoop__source_finish() alone: 0 (sent in full) or why not. Nothing is called
     * afterwards. On the loop's thread, or, for a response that was never sent, on the arena's. */
    void (*finished)(struct hoop__source *source, int code);
    struct hoop__exchange *exchange;        /* set by the engine before the first pull */
    uint64_t length;                        /* in bytes, or UINT64_MAX: unknown */
    const struct hoop__source_extra *extra; /* NULL, or what it can do besides */
    /* Looked at behind the end by protocols that can send them; names and values that may be sent. */
    const struct hoop__trailer *trailers;
    int done; /* finished was called */
};

/* A piece of a file, by its descriptor, which stays the source's. */
struct hoop__file_piece {
    int file;
    uint64_t offset;
    size_t len;
};

/*
 * What a source may offer besides pull; all of it stands on a known length. Members may be NULL (piece and
 * took only both).
 */
struct hoop__source_extra {
    /*
     * The source gives only `length` bytes from `offset` on, both within what it had at the start, and
     * these are its length from now on. Before the first pull, and again when all of that was given. 0,
     * or a code: then it can't be used any more.
     */
    int (*seek)(struct hoop__source *source, uint64_t offset, uint64_t length);
    /*
     * What comes next, as a piece of a file that is in memory, of a byte at least. Codes as of pull;
     * HOOP_EUNSUPPORTED: pull this time. Asked again, it gives the same or more, until took() or pull()
     * moved on.
     */
    int (*piece)(struct hoop__source *source, struct hoop__file_piece *ret_piece);
    /* `len` bytes of the piece were sent. */
    void (*took)(struct hoop__source *source, size_t len);
};

/* Runs `finished`, unless it has run. */
void hoop__source_finish(struct hoop__source *source, int code);

/* Has the request's arena end the source if nobody else has. 0, or HOOP_ENOMEM: then it has ended. */
int hoop__source_keep(const hoop_request *req, struct hoop__source *source);

/* A response: the public part first. */
struct hoop__response {
    hoop_response pub;
    struct hoop__fields *fields; /* what pub.headers points into; NULL: not growable (constant) */
    const struct hoop__attribute *attributes;
    struct hoop__source *source; /* of HOOP_BODY_STREAM */
    hoop_str head;               /* frozen: status line and rendered headers; else absent */
    size_t head_count; /* how many headers `head` covers; those behind are written apart */
    enum hoop__response_kind kind;
};

static inline struct hoop__response *hoop__response_of(const hoop_response *res)
{
    return (struct hoop__response *)(uintptr_t)res;
}

/* A ready constant response for an error status, without allocation; 500 for unknown ones. */
const struct hoop__response *hoop__canned(int status);

/* A response with a source as its body; takes the source over, also on failure (finished runs). The
 * source lives as long as the request's arena, which ends it if nobody else has. `extra` is NULL
 * afterwards; whoever has more to offer sets it then. */
const hoop_response *hoop__respond_source(const hoop_request *req, int status,
                                          const char *content_type, struct hoop__source *source);

/* The source has more: tells the engine. On the loop's thread. */
void hoop__source_ready(struct hoop__source *source);

/* Nonzero if `s` is a token (RFC 9110 5.6.2) of at least one byte. */
int hoop__is_token(hoop_str s);

/* Nonzero if a field of this name (in lower case) would frame, route or reinterpret a message that was
 * read already, so that it can't be a trailer (RFC 9110 6.5.1). */
int hoop__is_no_trailer(hoop_str name);

/* Nonzero if `s` may be a field value: no control character but TAB. */
int hoop__is_field_value(hoop_str s);

/* A Content-Length: digits alone (RFC 9112 6.3). 0, or HOOP_EPARSE, also for what no file can have. */
int hoop__length_read(hoop_str value, uint64_t *ret_length);

/* The number of a method, HOOP_METHOD_OTHER if it is none of the known. */
uint32_t hoop__method_number(hoop_str method);

/* The first of `count` fields named `name` without case from index `from` on; `count` if none. */
size_t hoop__field_find(const hoop_field *fields, size_t count, size_t from, hoop_str name);

/* Notes an out-of-memory failure and returns NULL. */
void *hoop__fail_memory(const hoop_request *req);

#endif
