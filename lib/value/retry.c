/* Trying again what failed, after a delay that doubles. */
#include "value/pending.h"

#include <string.h>

#define DEFAULT_ATTEMPTS  3
#define DEFAULT_DELAY     100
#define DEFAULT_MAX_DELAY 10000

struct retry {
    struct hoop__pending step;    /* first: of the response that is returned */
    struct hoop__pending attempt; /* waits for the attempt under way */
    hoop_retry_options options;
    hoop_try_fn *fn;
    const void *value;
    uint64_t delay;
    uint32_t count; /* attempts so far */
};

static struct retry *retry_of_attempt(struct hoop__pending *step)
{
    return (struct retry *)(void *)((char *)step - offsetof(struct retry, attempt));
}

/* Nonzero if the outcome is not good enough, and another attempt is allowed. */
static int try_again(const struct retry *r, const hoop_request *req, const hoop_response *res)
{
    if (r->count >= r->options.attempts || (res && hoop__response_of(res)->kind == HOOP__PASS))
        return 0;
    return r->options.again ? r->options.again(req, res, r->value) : !res;
}

static void next_attempt(void *data);

/* Gives the outcome, or has the next attempt made later. */
static void judge(struct retry *r, const hoop_response *res)
{
    const hoop_request *req = r->step.req;
    if (!try_again(r, req, res)) {
        hoop__pending_settle(&r->step, res);
        return;
    }
    *hoop__request_of(req)->note = NULL;
    uint64_t ms = r->delay;
    r->delay = ms > r->options.max_delay_ms / 2 ? r->options.max_delay_ms : ms * 2;
    if (!hoop__exchange_timer(r->step.x, req->arena, ms, next_attempt, r))
        hoop__pending_settle(&r->step, hoop__fail_memory(req));
}

static const hoop_response *attempt_came(struct hoop__pending *step, const hoop_response *res)
{
    judge(retry_of_attempt(step), res);
    return NULL; /* the outcome is told by the other step */
}

static void await(struct retry *r, const hoop_response *res)
{
    hoop__pending_init(&r->attempt, r->step.req);
    r->attempt.apply = attempt_came;
    if (hoop__pending_wait(&r->attempt, res))
        hoop__pending_settle(&r->step, NULL);
}

static const hoop_response *make_attempt(struct retry *r, const hoop_request *req)
{
    return hoop__pending_look(r->fn(req, ++r->count, r->value));
}

static int is_pending(const hoop_response *res)
{
    return res && hoop__response_of(res)->kind == HOOP__PENDING;
}

static void next_attempt(void *data)
{
    struct retry *r = data;
    if (r->step.x->over || r->step.x->responded)
        return;
    const hoop_response *res = make_attempt(r, r->step.req);
    if (is_pending(res))
        await(r, res);
    else
        judge(r, res);
}

static void fill_options(hoop_retry_options *o, const hoop_retry_options *options, size_t size)
{
    if (options)
        memcpy(o, options, size < sizeof *o ? size : sizeof *o);
    if (!o->attempts)
        o->attempts = DEFAULT_ATTEMPTS;
    if (!o->delay_ms)
        o->delay_ms = DEFAULT_DELAY;
    if (!o->max_delay_ms)
        o->max_delay_ms = DEFAULT_MAX_DELAY;
    if (o->delay_ms > o->max_delay_ms)
        o->delay_ms = o->max_delay_ms;
}

const hoop_response *hoop_retry_sized(const hoop_request *req, hoop_try_fn *fn, const void *value,
                                      const hoop_retry_options *options, size_t size)
{
    struct retry first;
    if (!req)
        return NULL;
    if (!fn || !hoop__exchange_of(req))
        return hoop_fail(req, HOOP_EINVAL, "hoop_retry() needs a function and an exchange");
    if (!hoop__on_loop(req))
        return hoop_fail(req, HOOP_ETHREAD, "hoop_retry() belongs on the loop's thread");
    memset(&first, 0, sizeof first);
    fill_options(&first.options, options, size);
    first.fn = fn;
    first.value = value;
    first.delay = first.options.delay_ms;
    const hoop_response *res = make_attempt(&first, req);
    int again = !is_pending(res) && try_again(&first, req, res);
    if (!is_pending(res) && !again)
        return res;
    struct retry *r = hoop_alloc(req, sizeof *r);
    if (!r)
        return NULL;
    *r = first;
    hoop__pending_init(&r->step, req);
    if (again)
        judge(r, res);
    else
        await(r, res);
    return hoop__pending_look(&r->step.res.pub);
}
