/** @file
 * Middleware "traceparent": which trace a request belongs to (W3C Trace Context).
 */
#ifndef HOOP_MIDDLEWARE_TRACEPARENT_H
#define HOOP_MIDDLEWARE_TRACEPARENT_H

#include <hoop/trace.h>
#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_traceparent_options {
    uint32_t
        begin_anew; /**< nonzero: what clients send is not looked at; at the edge of one's own systems */
    uint32_t sample; /**< nonzero: traces that begin here say that they are recorded */
} hoop_traceparent_options;

/** The type of HOOP_TRACEPARENT(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_traceparent_type;

/**
 * An entry of a chain: `HOOP_TRACEPARENT(NULL)`, `HOOP_TRACEPARENT(&options)`. Options are borrowed.
 *
 * A request with a traceparent belongs to that trace; one without, or with one that is none, begins a trace. In both
 * cases the request is a span with an id of its own. hoop_trace_of() tells all that, and what to send to other
 * services. tracestate goes along if it is right, as it came. More than one traceparent counts as none.
 *
 * Needs nothing, provides "traceparent". Idempotent: mounted twice, it is one span.
 *
 * Source: W3C Trace Context, 3.2 to 3.4. Costs no system call, as HOOP_REQUEST_ID().
 */
#define HOOP_TRACEPARENT(...) \
    HOOP_USE(&hoop_traceparent_type, (__VA_ARGS__), sizeof(hoop_traceparent_options))

/** The span that a request is. */
typedef struct hoop_trace {
    hoop_traceparent
        span; /**< this request's: its trace, and as parent_id its own id: what to send on */
    hoop_traceparent parent; /**< as received; all zero if the trace begins here */
    hoop_str traceparent;    /**< `span` as text: the header to send to other services */
    hoop_str tracestate;     /**< the header to send along; absent if there is none */
    hoop_str trace_id;       /**< 32 hexadecimal digits, for logs */
} hoop_trace;

/** The span that this request is; NULL without HOOP_TRACEPARENT(). Lives with the exchange. */
HOOP_API const hoop_trace *hoop_trace_of(const hoop_request *req);

/** The function behind hoop_traceparent_request(). */
HOOP_API const hoop_request *hoop_traceparent_request_sized(const hoop_request *req,
                                                            const hoop_response **ret_answer,
                                                            const hoop_traceparent_options *options,
                                                            size_t options_size);

/** The request with its trace. NULL: that failed (noted); nothing is refused. */
#define hoop_traceparent_request(req, ret_answer, ...)                 \
    hoop_traceparent_request_sized((req), (ret_answer), (__VA_ARGS__), \
                                   sizeof(hoop_traceparent_options))

HOOP_END_DECLS

#endif
