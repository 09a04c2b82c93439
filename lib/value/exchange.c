/* The life of an exchange: dispatch, outcome, cancel, end, and the callbacks that see it. */
#include "value/exchange.h"

#include "value/body.h"
#include "value/deferred.h"
#include "value/hold.h"
#include "value/pending.h"

#include <string.h>

/* In pieces for which no loop over bytes is made. */
static inline void clear(struct hoop__exchange *x)
{
    enum { SIZE = offsetof(struct hoop__exchange, own_arena), PIECE = 64 };
    char *p = (char *)x;
    for (size_t i = 0; i < SIZE / PIECE; i++, p += PIECE)
        memset(p, 0, PIECE);
    memset(p, 0, SIZE % PIECE);
}

void hoop__exchange_init(struct hoop__exchange *x, const struct hoop__exchange_ops *ops,
                         struct hoop_loop *loop, const struct hoop__service *service, void *block,
                         size_t used)
{
    clear(x);
    x->ops = ops;
    x->loop = loop;
    x->service = service;
    x->arena = &x->own_arena;
    x->request.exchange = x;
    x->request.note = &x->note;
    x->request.pub.arena = x->arena;
    uint64_t limit = service->limits->max_arena;
    hoop__arena_init(x->arena, &loop->blocks, loop->allocator,
                     limit < SIZE_MAX ? (size_t)limit : SIZE_MAX, x, block, used);
}

/* --- dispatch and outcome -------------------------------------------------------------------- */

static void respond(struct hoop__exchange *x, const struct hoop__response *res)
{
    x->responded = 1;
    x->status = res->pub.status;
    x->ops->respond(x, res);
}

int hoop__exchange_on_canned(const hoop_request *req, hoop_then_fn *fn, const void *value)
{
    struct hoop__exchange *x = hoop__exchange_of(req);
    struct hoop__canned_change *change = x ? hoop_alloc(req, sizeof *change) : NULL;
    if (!change)
        return x ? HOOP_ENOMEM : 0;
    change->next = x->canned_changes;
    change->req = req;
    change->fn = fn;
    change->value = value;
    x->canned_changes = change;
    return 0;
}

/* Answers for a handler that gave no response. What middleware can't do to it stays undone. */
static void respond_canned(struct hoop__exchange *x, int status)
{
    const hoop_response *res = &hoop__canned(status)->pub;
    for (struct hoop__canned_change *c = x->canned_changes; c; c = c->next) {
        const hoop_response *changed = c->fn(c->req, res, c->value);
        if (changed && hoop__response_of(changed)->kind == HOOP__READY)
            res = changed;
    }
    respond(x, hoop__response_of(res));
}

/* The log line that says why a handler's failure was answered as it was. */
static void answer_failure(struct hoop__exchange *x)
{
    int code = x->note ? x->note->code : HOOP_ENORESPONSE;
    int status = hoop_failure_status(code);
    HOOP__COUNT(x->loop->counters.failures, 1);
    hoop__log(x->loop, HOOP_LOG_ERROR, "%s %s: %d: %s", x->request.pub.method.data,
              x->request.pub.uri.data, status, x->note ? x->note->text : hoop_strerror(code));
    respond_canned(x, status);
}

/* An exchange may send what lives in its own arenas, in an application's, or is constant. */
static int may_send(const struct hoop__exchange *x, const hoop_response *res)
{
    return !res->arena || !res->arena->owner || res->arena->owner == x;
}

/* The milliseconds that the handler has; a route may have set its own. */
static uint64_t time_allowed(const struct hoop__exchange *x)
{
    return x->handler_ms ? x->handler_ms : x->service->limits->handler_ms;
}

/* The handler's time is up: what waits is told, the client gets 503, what comes later is dropped. */
static void on_deadline(void *data)
{
    struct hoop__exchange *x = data;
    if (x->responded || x->over)
        return;
    uint64_t since = hoop__body_handler_since(x);
    if (since < x->pending_ms)
        since = x->pending_ms;
    if (x->loop->now - since < time_allowed(x)) { /* the client's time, or not all of its own */
        hoop__loop_timer(x->loop, &x->deadline->timer, since + time_allowed(x));
        return;
    }
    HOOP__COUNT(x->loop->counters.late_handler, 1);
    hoop__exchange_cancel(x);
    if (x->responded)
        return;
    x->note = NULL;
    hoop_fail(&x->request.pub, HOOP_ETIMEDOUT, "the handler took longer than %llu ms",
              (unsigned long long)time_allowed(x));
    answer_failure(x);
}

static void await(struct hoop__exchange *x, const hoop_response *res)
{
    struct hoop__pending *step = hoop__pending_of(res);
    if (step->consumer || step->root) {
        hoop_fail(&x->request.pub, HOOP_EINVAL, "a pending response was returned twice");
        answer_failure(x);
        return;
    }
    step->root = 1;
    x->pending_ms = x->loop->now;
    uint64_t ms = time_allowed(x);
    if (ms == HOOP_OFF || x->deadline)
        return;
    x->deadline = hoop__exchange_timer(x, x->arena, ms, on_deadline, x);
    if (x->deadline)
        x->deadline->gives_up = 1;
}

void hoop__exchange_deadline(struct hoop__exchange *x, uint64_t ms)
{
    x->handler_ms = ms;
    if (!x->deadline || x->over)
        return; /* it is set once the response is found to be pending */
    x->pending_ms = x->loop->now;
    ms = time_allowed(x);
    if (ms == HOOP_OFF)
        hoop__timer_clear(&x->loop->timers, &x->deadline->timer);
    else
        hoop__loop_timer(x->loop, &x->deadline->timer, x->loop->now + ms);
}

void hoop__exchange_settle(struct hoop__exchange *x, const hoop_response *res)
{
    if (x->responded || x->over)
        return;
    res = hoop__pending_look(res);
    if (!res) {
        answer_failure(x);
        return;
    }
    switch (hoop__response_of(res)->kind) {
    case HOOP__PENDING:
        await(x, res);
        return;
    case HOOP__PASS:
        respond_canned(x, 404);
        return;
    case HOOP__READY:
        break;
    }
    if (!may_send(x, res)) {
        hoop_fail(&x->request.pub, HOOP_EINVAL, "the response belongs to another exchange");
        answer_failure(x);
        return;
    }
    respond(x, hoop__response_of(res));
}

void hoop__exchange_dispatch(struct hoop__exchange *x)
{
    x->started_ms = x->loop->now;
    HOOP__COUNT(x->loop->counters.requests, 1);
    hoop_handler root = x->service->root;
    const hoop_response *res = root.fn(&x->request.pub, root.data);
    if (res && hoop__response_of(res)->kind == HOOP__READY && may_send(x, res))
        respond(x, hoop__response_of(res));
    else
        hoop__exchange_settle(x, res);
}

/* --- the end --------------------------------------------------------------------------------- */

void hoop__exchange_cancel(struct hoop__exchange *x)
{
    if (x->cancelled)
        return;
    x->cancelled = 1;
    while (x->cancels) {
        struct hoop__hook *hook = x->cancels;
        x->cancels = hook->next;
        hook->fn.cancel(hook->data);
    }
}

void hoop__exchange_drain(struct hoop__exchange *x)
{
    x->draining = 1;
    while (x->drains && !x->over) {
        struct hoop__hook *hook = x->drains;
        x->drains = hook->next;
        hook->fn.cancel(hook->data);
    }
}

static void clear_timers(struct hoop__exchange *x)
{
    for (struct hoop__exchange_timer *t = x->timers; t; t = t->next)
        hoop__timer_clear(&x->loop->timers, &t->timer);
    x->timers = NULL;
}

static void run_dones(struct hoop__exchange *x)
{
    if (!x->dones)
        return;
    hoop_done done = {
        .started_ms = x->started_ms,
        .ended_ms = x->ended_ms,
        .body_in = x->body.received,
        .body_out = x->body_out,
        .status = x->status,
        .code = x->code,
    };
    while (x->dones) {
        struct hoop__hook *hook = x->dones;
        x->dones = hook->next;
        hook->fn.done(&done, hook->data);
    }
}

void hoop__exchange_release(struct hoop__exchange *x)
{
    /* All hooks run before any memory goes: they may look at what lies in another of these arenas. */
    int held = atomic_load_explicit(&x->holds, memory_order_relaxed) != NULL;
    if (held)
        hoop__holds_dispose(x);
    if (x->arena == &x->own_arena)
        hoop__arena_dispose(x->arena);
    if (held)
        hoop__holds_release(x);
    if (x->body.foreign)
        hoop__free(x->arena->allocator, x->body.data);
    x->body.foreign = 0;
    if (x->arena == &x->own_arena)
        hoop__arena_done(x->arena);
}

void hoop__exchange_finish(struct hoop__exchange *x)
{
    run_dones(x);
    if (x->arena->full) /* or a deferred's */
        HOOP__COUNT(x->loop->counters.limit_arena, 1);
    if (x->timers)
        clear_timers(x);
    if (x->ended)
        x->ended(x);
    else
        hoop__exchange_release(x);
}

/* Nothing waits for the end of one without holds, and there is no more to give back than the arena. */
static inline int is_plain(const struct hoop__exchange *x)
{
    return !x->dones && !x->timers && !x->ended && !x->body.foreign && x->arena == &x->own_arena &&
           !x->own_arena.full;
}

void hoop__exchange_end(struct hoop__exchange *x, int code)
{
    x->over = 1;
    x->code = code;
    x->ended_ms = x->loop->now;
    if (code == 0)
        HOOP__COUNT(x->loop->counters.responses, 1);
    else if (!x->cancelled)
        hoop__exchange_cancel(x);
    if (x->body.state == HOOP__BODY_READING)
        hoop__body_finish(x, code ? code : HOOP_ECANCELED);
    if (atomic_load_explicit(&x->holds, memory_order_relaxed)) {
        hoop__holds_over(x, code ? code : HOOP_ECANCELED);
    } else if (is_plain(x)) {
        hoop__arena_done(x->arena);
        return;
    }
    if (!atomic_load_explicit(&x->open_holds, memory_order_relaxed)) {
        hoop__exchange_finish(x);
        return;
    }
    struct hoop_loop *loop = x->loop;
    x->lingers = 1;
    x->prev_lingering = NULL;
    x->next_lingering = loop->lingering;
    if (loop->lingering)
        loop->lingering->prev_lingering = x;
    loop->lingering = x;
}

void hoop__exchange_unlinger(struct hoop__exchange *x)
{
    if (x->prev_lingering)
        x->prev_lingering->next_lingering = x->next_lingering;
    else
        x->loop->lingering = x->next_lingering;
    if (x->next_lingering)
        x->next_lingering->prev_lingering = x->prev_lingering;
}

/* From here on the exchange belongs to whoever ends its last hold, on whatever thread. */
static int orphan(struct hoop__exchange *x)
{
    hoop__holds_close(x);
    x->loop = NULL;
    if (x->arena == &x->own_arena)
        hoop__arena_orphan(x->arena);
    return atomic_load_explicit(&x->open_holds, memory_order_acquire) == 0;
}

/*
 * The loop will never come to these times. What would have run then runs now, since it may hold a
 * deferred or something else that it has to give back.
 */
static void fire_timers(struct hoop__exchange *x)
{
    struct hoop__exchange_timer *t = x->timers;
    x->timers = NULL;
    for (; t; t = t->next) {
        int set = hoop__timer_is_set(&t->timer);
        hoop__timer_clear(&x->loop->timers, &t->timer);
        if (set && !t->gives_up)
            t->fn(t->data);
    }
}

void hoop__exchange_orphan_all(struct hoop_loop *loop)
{
    while (loop->lingering) {
        struct hoop__exchange *x = loop->lingering;
        loop->lingering = x->next_lingering;
        x->lingers = 0;
        fire_timers(x);
        hoop__holds_over(x, x->code ? x->code : HOOP_ECANCELED); /* what began behind the end */
        run_dones(x);
        pthread_mutex_lock(&loop->mailbox->lock);
        int last = orphan(x);
        pthread_mutex_unlock(&loop->mailbox->lock);
        if (last)
            hoop__exchange_release(x);
    }
}

/* --- what sees it ---------------------------------------------------------------------------- */

int hoop__on_loop(const hoop_request *req)
{
    const struct hoop__request *r = hoop__request_of(req);
    if (r->deferred)
        return hoop__mailbox_here(r->deferred->hold.mailbox);
    return r->exchange && r->exchange->loop && hoop__mailbox_here(r->exchange->loop->mailbox);
}

static struct hoop__hook *new_hook(const hoop_request *req, void *data, int *ret_code)
{
    if (!req || !hoop__exchange_of(req)) {
        *ret_code = HOOP_EINVAL;
        return NULL;
    }
    if (!hoop__on_loop(req)) {
        *ret_code = HOOP_ETHREAD;
        return NULL;
    }
    struct hoop__hook *hook = hoop__arena_alloc(hoop__exchange_of(req)->arena, sizeof *hook);
    *ret_code = hook ? 0 : HOOP_ENOMEM;
    if (hook)
        hook->data = data;
    return hook;
}

int hoop_on_done(const hoop_request *req, hoop_done_fn *fn, void *data)
{
    int rc;
    struct hoop__hook *hook = new_hook(req, data, &rc);
    if (!hook)
        return rc;
    struct hoop__exchange *x = hoop__exchange_of(req);
    hook->fn.done = fn;
    hook->next = x->dones;
    x->dones = hook;
    return 0;
}

int hoop_on_drain(const hoop_request *req, hoop_task_fn *fn, void *data)
{
    int rc;
    struct hoop__hook *hook = new_hook(req, data, &rc);
    if (!hook)
        return rc;
    struct hoop__exchange *x = hoop__exchange_of(req);
    if (x->draining) {
        fn(data);
        return 0;
    }
    hook->fn.cancel = fn;
    hook->next = x->drains;
    x->drains = hook;
    return 0;
}

int hoop_on_cancel(const hoop_request *req, hoop_task_fn *fn, void *data)
{
    int rc;
    struct hoop__hook *hook = new_hook(req, data, &rc);
    if (!hook)
        return rc;
    struct hoop__exchange *x = hoop__exchange_of(req);
    if (x->cancelled) {
        fn(data);
        return 0;
    }
    hook->fn.cancel = fn;
    hook->next = x->cancels;
    x->cancels = hook;
    return 0;
}

static void fire(struct hoop__timer *timer)
{
    struct hoop__exchange_timer *t = (struct hoop__exchange_timer *)timer;
    hoop_task_fn *fn = t->fn;
    void *data = t->data;
    if (t->again) {
        t->next_idle = t->x->idle_timers;
        t->x->idle_timers = t;
    }
    fn(data);
}

static void set(struct hoop__exchange_timer *t, uint64_t ms, hoop_task_fn *fn, void *data)
{
    struct hoop_loop *loop = t->x->loop;
    t->fn = fn;
    t->data = data;
    hoop__loop_timer(loop, &t->timer,
                     ms < HOOP__NEVER - loop->now ? loop->now + ms : HOOP__NEVER - 1);
}

struct hoop__exchange_timer *hoop__exchange_timer(struct hoop__exchange *x, hoop_arena *arena,
                                                  uint64_t ms, hoop_task_fn *fn, void *data)
{
    struct hoop__exchange_timer *t = hoop__arena_alloc(arena, sizeof *t);
    if (!t)
        return NULL;
    memset(t, 0, sizeof *t);
    t->timer.fire = fire;
    t->x = x;
    t->next = x->timers;
    x->timers = t;
    set(t, ms, fn, data);
    return t;
}

int hoop_run_after(const hoop_request *req, uint64_t ms, hoop_task_fn *fn, void *data)
{
    if (!req || !hoop__exchange_of(req) || !fn)
        return HOOP_EINVAL;
    if (!hoop__on_loop(req))
        return HOOP_ETHREAD;
    struct hoop__exchange *x = hoop__exchange_of(req);
    struct hoop__exchange_timer *t = x->idle_timers;
    if (t) { /* a long exchange may do this for ever */
        x->idle_timers = t->next_idle;
        set(t, ms, fn, data);
        return 0;
    }
    t = hoop__exchange_timer(x, x->arena, ms, fn, data);
    if (t)
        t->again = 1;
    return t ? 0 : HOOP_ENOMEM;
}

hoop_loop *hoop_loop_of(const hoop_request *req)
{
    struct hoop__exchange *x = req ? hoop__exchange_of(req) : NULL;
    return x ? x->loop : NULL;
}
