/* Middleware "traceparent": see hoop/middleware/traceparent.h. */
#include "middleware/ids.h"

#include <hoop/middleware/traceparent.h>

#include <string.h>

static const char trace_key;

/* What is built of the options. */
struct tracer {
    hoop_traceparent_options options;
    struct hoop__id_key keys[3]; /* a trace's two halves, a span */
};

/* What lies in the exchange. */
struct traced {
    hoop_trace trace;
    char text[HOOP_TRACEPARENT_SIZE];
    char id[33];
};

const hoop_trace *hoop_trace_of(const hoop_request *req)
{
    return hoop_get(req, &trace_key);
}

/* --- reading --------------------------------------------------------------------------------- */

/* 0 if the request says to which trace it belongs. */
static int read_parent(const hoop_request *req, hoop_traceparent *ret_parent)
{
    if (!hoop_str_is_none(hoop_header_at(req, "traceparent", 1)))
        return HOOP_EPARSE;
    return hoop_traceparent_parse(hoop_header(req, "traceparent"), ret_parent);
}

/* The request's tracestate, if all of it is right; absent if not, or if there is none. */
static hoop_str read_state(const hoop_request *req)
{
    hoop_str state = hoop_header_joined(req, "tracestate"), rest = state, key, value;
    size_t count = 0;
    int rc;
    while ((rc = hoop_tracestate_next(&rest, &key, &value)) == 1)
        count++;
    return rc || !count || count > HOOP_TRACESTATE_MAX ? hoop_str_none() : state;
}

/* --- the span -------------------------------------------------------------------------------- */

static void put_id(uint8_t *out, uint64_t id)
{
    if (!id)
        id = 1; /* all zero is no id */
    for (int i = 0; i < 8; i++)
        out[i] = (uint8_t)(id >> (56 - 8 * i));
}

static void begin_trace(const hoop_request *req, const struct tracer *tracer,
                        hoop_traceparent *span)
{
    put_id(span->trace_id, hoop__id_draw(req, &tracer->keys[0]));
    put_id(span->trace_id + 8, hoop__id_draw(req, &tracer->keys[1]));
    span->flags = HOOP_TRACE_RANDOM | (tracer->options.sample ? HOOP_TRACE_SAMPLED : 0);
}

static const hoop_request *with_trace(const hoop_request *req, const struct tracer *tracer)
{
    if (hoop_get(req, &trace_key))
        return req;
    struct traced *traced = hoop_alloc(req, sizeof *traced);
    if (!traced)
        return NULL;
    memset(traced, 0, sizeof *traced);
    hoop_trace *trace = &traced->trace;
    trace->tracestate = hoop_str_none();
    if (tracer->options.begin_anew || read_parent(req, &trace->parent)) {
        begin_trace(req, tracer, &trace->span);
    } else {
        trace->span = trace->parent;
        trace->span.version = 0;
        trace->tracestate = read_state(req);
        if (hoop_failure(req))
            return NULL;
    }
    put_id(trace->span.parent_id, hoop__id_draw(req, &tracer->keys[2]));
    hoop_traceparent_format(&trace->span, traced->text);
    memcpy(traced->id, traced->text + 3, 32);
    trace->traceparent = hoop_str_n(traced->text, HOOP_TRACEPARENT_SIZE - 1);
    trace->trace_id = hoop_str_n(traced->id, 32);
    return hoop_assoc(req, &trace_key, trace);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_request *more = with_trace(req, value);
    return more ? hoop_call(next, more) : NULL;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    const hoop_traceparent_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    struct tracer *tracer = own ? hoop_arena_zalloc(arena, sizeof *tracer) : NULL;
    if (!tracer)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    tracer->options = *own;
    int rc = hoop__id_keys(tracer->keys, HOOP_COUNT(tracer->keys), "traceparent", error);
    if (!rc)
        *ret_value = tracer;
    return rc;
}

const hoop_middleware_type hoop_traceparent_type = {
    .name = "traceparent",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_traceparent_request_sized(const hoop_request *req,
                                                   const hoop_response **ret_answer,
                                                   const hoop_traceparent_options *options,
                                                   size_t options_size)
{
    (void)ret_answer; /* nothing is refused */
    const void *value = hoop__options_value(req, &hoop_traceparent_type, options, options_size);
    return value ? with_trace(req, value) : NULL;
}
