/* The combinators: hoop_then(), hoop_catch(), hoop_timeout(), and the chain of steps behind them. */
#include "value/pending.h"

#include <string.h>

void hoop__pending_init(struct hoop__pending *step, const hoop_request *req)
{
    memset(step, 0, sizeof *step);
    step->res.kind = HOOP__PENDING;
    step->res.pub.arena = req->arena;
    step->res.pub.body = hoop_str_none();
    step->x = hoop__exchange_of(req);
    step->req = req;
}

const hoop_response *hoop__pending_look(const hoop_response *res)
{
    while (res && hoop__response_of(res)->kind == HOOP__PENDING) {
        struct hoop__pending *step = hoop__pending_of(res);
        if (!step->settled)
            break;
        res = step->result;
    }
    return res;
}

int hoop__pending_wait(struct hoop__pending *step, const hoop_response *res)
{
    struct hoop__pending *source = hoop__pending_of(res);
    if (source->consumer || source->root || source == step) {
        hoop_fail(step->req, HOOP_EINVAL, "a pending response has a consumer already");
        return HOOP_EINVAL;
    }
    source->consumer = step;
    step->source = source;
    return 0;
}

void hoop__pending_settle(struct hoop__pending *step, const hoop_response *res)
{
    for (;;) {
        if (step->settled)
            return; /* the loser of a race, or what came after a timeout */
        res = hoop__pending_look(res);
        if (res && hoop__response_of(res)->kind == HOOP__PENDING) {
            /* The result is itself to come: whoever waited for this step waits for that one. */
            if (!hoop__pending_wait(step, res)) {
                step->apply = NULL; /* what comes is the result as it is */
                return;
            }
            res = NULL;
        }
        step->settled = 1;
        step->result = res;
        if (step->root) {
            hoop__exchange_settle(step->x, res);
            return;
        }
        struct hoop__pending *next = step->consumer;
        if (!next || next->settled || next->source != step)
            return; /* nobody waits, or a timeout has put something else in its place */
        step = next;
        if (step->apply)
            res = step->apply(step, res);
    }
}

static struct hoop__pending *new_step(const hoop_request *req)
{
    if (!hoop__on_loop(req)) {
        hoop_fail(req, HOOP_ETHREAD, "a pending response is waited for on the loop's thread");
        return NULL;
    }
    struct hoop__pending *step = hoop_alloc(req, sizeof *step);
    if (step)
        hoop__pending_init(step, req);
    return step;
}

/* --- then ------------------------------------------------------------------------------------ */

static const hoop_response *apply_then(struct hoop__pending *step, const hoop_response *res)
{
    if (!res || hoop__response_of(res)->kind == HOOP__PASS)
        return res;
    return step->fn.then(step->req, res, step->value);
}

static const hoop_response *then_later(const hoop_request *req, const hoop_response *res,
                                       hoop_then_fn *fn, const void *value)
{
    struct hoop__pending *step = new_step(req);
    if (!step || hoop__pending_wait(step, res))
        return NULL;
    step->apply = apply_then;
    step->fn.then = fn;
    step->value = value;
    return &step->res.pub;
}

const hoop_response *hoop_then(const hoop_request *req, const hoop_response *res, hoop_then_fn *fn,
                               const void *value)
{
    if (!req || !res)
        return NULL;
    if (hoop__response_of(res)->kind == HOOP__READY)
        return fn(req, res, value);
    res = hoop__pending_look(res);
    if (!res || hoop__response_of(res)->kind == HOOP__PASS)
        return res;
    if (hoop__response_of(res)->kind == HOOP__READY)
        return fn(req, res, value);
    return then_later(req, res, fn, value);
}

/* --- catch ----------------------------------------------------------------------------------- */

static const hoop_response *call_catch(const hoop_request *req, hoop_catch_fn *fn,
                                       const void *value)
{
    static const hoop_error unknown = { HOOP_ENORESPONSE, "the handler gave no response" };
    const hoop_error **note = hoop__request_of(req)->note;
    /* What a deferred's request waited for has noted with the exchange, as it came home. */
    if (!*note && hoop__request_of(req)->deferred && hoop__on_loop(req))
        note = &hoop__exchange_of(req)->note;
    const hoop_error *error = *note ? *note : &unknown;
    *note = NULL;
    return fn(req, error, value);
}

static const hoop_response *apply_catch(struct hoop__pending *step, const hoop_response *res)
{
    return res ? res : call_catch(step->req, step->fn.caught, step->value);
}

const hoop_response *hoop_catch(const hoop_request *req, const hoop_response *res,
                                hoop_catch_fn *fn, const void *value)
{
    if (!req)
        return NULL;
    res = hoop__pending_look(res);
    if (!res)
        return call_catch(req, fn, value);
    if (hoop__response_of(res)->kind != HOOP__PENDING)
        return res;
    struct hoop__pending *step = new_step(req);
    if (!step || hoop__pending_wait(step, res))
        return NULL;
    step->apply = apply_catch;
    step->fn.caught = fn;
    step->value = value;
    return &step->res.pub;
}

/* --- timeout --------------------------------------------------------------------------------- */

static const hoop_response *call_timeout(const hoop_request *req, hoop_timeout_fn *fn,
                                         const void *value)
{
    if (fn)
        return fn(req, value);
    return hoop_fail(req, HOOP_ETIMEDOUT, "the response did not come in time");
}

static void on_timeout(void *data)
{
    struct hoop__pending *step = data;
    if (step->settled || step->x->over || step->x->responded)
        return;
    hoop__pending_settle(step, call_timeout(step->req, step->fn.timeout, step->value));
}

static const hoop_response *apply_timeout(struct hoop__pending *step, const hoop_response *res)
{
    hoop__timer_clear(&step->x->loop->timers, &step->timer->timer);
    return res;
}

const hoop_response *hoop_timeout(const hoop_request *req, const hoop_response *res, uint64_t ms,
                                  hoop_timeout_fn *fn, const void *value)
{
    if (!req)
        return NULL;
    res = hoop__pending_look(res);
    if (!res || hoop__response_of(res)->kind != HOOP__PENDING)
        return res;
    if (ms == 0)
        return call_timeout(req, fn, value);
    struct hoop__pending *step = new_step(req);
    if (!step)
        return NULL;
    step->timer = hoop__exchange_timer(step->x, req->arena, ms, on_timeout, step);
    if (!step->timer)
        return hoop__fail_memory(req);
    step->timer->gives_up = 1;
    if (hoop__pending_wait(step, res)) {
        hoop__timer_clear(&step->x->loop->timers, &step->timer->timer);
        return NULL;
    }
    step->apply = apply_timeout;
    step->fn.timeout = fn;
    step->value = value;
    return &step->res.pub;
}
