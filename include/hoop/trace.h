/** @file
 * Trace context between services: traceparent and tracestate, read and written.
 */
#ifndef HOOP_TRACE_H
#define HOOP_TRACE_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/** Bits of hoop_traceparent.flags. */
#define HOOP_TRACE_SAMPLED 1u /**< the caller may have recorded the trace */
#define HOOP_TRACE_RANDOM  2u /**< the right half of the trace's identifier is random (level 2) */

/** Which trace a request belongs to, and which span asked. */
typedef struct hoop_traceparent {
    uint8_t trace_id[16]; /**< not all zero */
    uint8_t parent_id[8]; /**< of the span that sent the request; not all zero */
    uint32_t flags;       /**< HOOP_TRACE_*, 8 bits */
    uint32_t version;     /**< as received; 0 is written */
} hoop_traceparent;

/** Room for a traceparent as text, its NUL included. */
#define HOOP_TRACEPARENT_SIZE 56

/** How many members a tracestate has at most. */
#define HOOP_TRACESTATE_MAX 32

/**
 * Reads the value of a traceparent header. Of a version above 0 what is behind the flags is not looked at, as the
 * source asks. 0, or HOOP_EPARSE; then a new trace is to be begun. Threads: any.
 * Source: W3C Trace Context 3.2.
 */
HOOP_API int hoop_traceparent_parse(hoop_str value, hoop_traceparent *ret_parent);

/** Writes it as version 0 with a NUL behind: 55 bytes. Threads: any. */
HOOP_API void hoop_traceparent_format(const hoop_traceparent *parent,
                                      char out[HOOP_TRACEPARENT_SIZE]);

/**
 * Takes the next member off the front of `*rest`, the value of a tracestate header. 1, 0 at the end, or HOOP_EPARSE for
 * what is none (then `*rest` stays); the whole tracestate is then to be dropped. Threads: any.
 * Source: W3C Trace Context 3.3.
 */
HOOP_API int hoop_tracestate_next(hoop_str *rest, hoop_str *ret_key, hoop_str *ret_value);

/**
 * Writes a tracestate in which `key` has `value` and stands first, the others of `state` behind it; if that would
 * be more than HOOP_TRACESTATE_MAX, without the last ones. What `state` has behind a member that is none is dropped. 0;
 * HOOP_EINVAL for a key or value that is none; HOOP_ENOMEM. Threads: any. Source: W3C Trace Context 3.5.
 */
HOOP_API int hoop_tracestate_set(hoop_arena *arena, hoop_str state, hoop_str key, hoop_str value,
                                 hoop_str *ret_state);

HOOP_END_DECLS

#endif
