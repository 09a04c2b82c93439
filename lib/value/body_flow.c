/* The way of the request body from the engine to its sink: credit, pauses, the end. */
#include "value/body.h"

/* --- credit ---------------------------------------------------------------------------------- */

/* What the engine may deliver; it hears of it when that rises from nothing. */
static void set_credit(struct hoop__exchange *x, uint64_t credit)
{
    struct hoop__body *body = &x->body;
    uint64_t was = body->credit;
    body->credit = credit;
    if (!was == !credit || x->over)
        return;
    if (!credit) {
        body->paused_at = x->loop->now;
        return;
    }
    if (body->paused_at)
        body->paused_ms += x->loop->now - body->paused_at;
    body->paused_at = 0;
    x->ops->want_body(x);
}

uint64_t hoop__body_paused_ms(const struct hoop__exchange *x)
{
    const struct hoop__body *body = &x->body;
    return body->paused_ms + (body->paused_at ? x->loop->now - body->paused_at : 0);
}

uint64_t hoop__body_handler_since(const struct hoop__exchange *x)
{
    const struct hoop__body *body = &x->body;
    if (body->state != HOOP__BODY_READING)
        return body->ended_at;
    if (body->filter)
        return body->filter->allowed ? x->loop->now : body->filter->paused_at;
    return body->credit ? x->loop->now : body->paused_at;
}

void hoop__body_allow(struct hoop__exchange *x, uint64_t credit)
{
    struct hoop__body_filter *filter = x->body.filter;
    if (x->body.state != HOOP__BODY_READING)
        return;
    if (!filter) {
        set_credit(x, credit);
        return;
    }
    if (!credit && filter->allowed)
        filter->paused_at = x->loop->now;
    filter->allowed = credit;
    if (credit)
        hoop__filter_run(x);
    if (x->body.state == HOOP__BODY_READING)
        set_credit(x, hoop__filter_room(filter));
}

/* --- beginning and end ----------------------------------------------------------------------- */

int hoop__body_read(struct hoop__exchange *x, const struct hoop__body_sink *sink, uint64_t credit)
{
    if (x->body.state != HOOP__BODY_COMING)
        return HOOP_EALREADY;
    x->body.state = HOOP__BODY_READING;
    x->body.sink = sink;
    hoop__body_allow(x, credit);
    return 0;
}

void hoop__body_stop(struct hoop__exchange *x)
{
    if (x->body.state != HOOP__BODY_READING)
        return;
    x->body.state = HOOP__BODY_REFUSED;
    x->body.sink = NULL;
    x->body.ended_at = x->loop->now;
}

void hoop__body_finish(struct hoop__exchange *x, int code)
{
    struct hoop__body *body = &x->body;
    const struct hoop__body_sink *sink = body->sink;
    if (body->state != HOOP__BODY_READING)
        return;
    body->state = code ? HOOP__BODY_REFUSED : HOOP__BODY_CONSUMED;
    body->ended_at = x->loop->now;
    body->sink = NULL;
    sink->end(sink, x, code);
}

/* --- what comes ------------------------------------------------------------------------------ */

void hoop__body_deliver(struct hoop__exchange *x, const char *data, size_t len)
{
    if (x->body.state == HOOP__BODY_READING)
        x->body.sink->data(x->body.sink, x, data, len);
}

void hoop__exchange_body(struct hoop__exchange *x, const char *data, size_t len)
{
    struct hoop__body *body = &x->body;
    if (body->state != HOOP__BODY_READING)
        return;
    body->received += len;
    if (body->filter) {
        hoop__filter_feed(x, data, len);
        if (body->state == HOOP__BODY_READING)
            set_credit(x, hoop__filter_room(body->filter));
        return;
    }
    if (body->credit != HOOP__LENGTH_UNKNOWN)
        set_credit(x, len < body->credit ? body->credit - len : 0);
    body->sink->data(body->sink, x, data, len);
}

void hoop__exchange_body_end(struct hoop__exchange *x, const hoop_field *trailers, size_t count)
{
    struct hoop__body *body = &x->body;
    body->trailers = trailers;
    body->trailer_count = count;
    if (body->state != HOOP__BODY_READING)
        return;
    if (!body->filter) {
        hoop__body_finish(x, 0);
        return;
    }
    body->filter->last = 1;
    hoop__filter_run(x);
}
