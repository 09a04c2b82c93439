/* Several responses become one: all of them, the first of them; and one that comes after a while. */
#include "value/pending.h"

#include <string.h>

struct group;

/* Waits for one of the responses. */
struct member {
    struct hoop__pending step; /* first */
    struct group *group;
    size_t index;
};

/* Waits for what all its members come to. */
struct group {
    struct hoop__pending step; /* first */
    size_t count;
    size_t open; /* members that wait still */
    hoop_all_fn *fn;
    const hoop_response **results;
    struct member members[];
};

static int is_pending(const hoop_response *res)
{
    return res && hoop__response_of(res)->kind == HOOP__PENDING;
}

static int is_response(const hoop_response *res)
{
    return res && hoop__response_of(res)->kind == HOOP__READY;
}

/* One of all is there; what it was waited for is told to the group, this step itself has no result. */
static const hoop_response *one_of_all(struct hoop__pending *step, const hoop_response *res)
{
    const struct member *member = (const struct member *)step;
    struct group *group = member->group;
    if (group->step.settled)
        return NULL;
    if (!is_response(res)) {
        hoop__pending_settle(&group->step, res);
        return NULL;
    }
    group->results[member->index] = res;
    if (--group->open == 0)
        hoop__pending_settle(&group->step, group->fn(group->step.req, group->results, group->count,
                                                     group->step.value));
    return NULL;
}

static const hoop_response *one_of_race(struct hoop__pending *step, const hoop_response *res)
{
    hoop__pending_settle(&((const struct member *)step)->group->step, res);
    return NULL;
}

static struct group *new_group(const hoop_request *req, size_t count)
{
    size_t one = sizeof(struct member) + sizeof(hoop_response *);
    if (!hoop__on_loop(req)) {
        hoop_fail(req, HOOP_ETHREAD, "a pending response is waited for on the loop's thread");
        return NULL;
    }
    struct group *group =
        count < SIZE_MAX / one / 2 ? hoop_alloc(req, sizeof *group + count * one) : NULL;
    if (!group)
        return hoop__fail_memory(req);
    memset(group, 0, sizeof *group + count * one);
    hoop__pending_init(&group->step, req);
    group->count = count;
    group->results = (const hoop_response **)(void *)&group->members[count];
    return group;
}

/* Has a member wait for each of the responses that are pending. */
static const hoop_response *wait_for_each(struct group *group,
                                          const hoop_response *const *responses,
                                          const hoop_response *(*apply)(struct hoop__pending *,
                                                                        const hoop_response *))
{
    for (size_t i = 0; i < group->count; i++) {
        struct member *member = &group->members[i];
        const hoop_response *res = hoop__pending_look(responses[i]);
        group->results[i] = res;
        if (!is_pending(res))
            continue;
        hoop__pending_init(&member->step, group->step.req);
        member->step.apply = apply;
        member->group = group;
        member->index = i;
        group->open++;
        if (hoop__pending_wait(&member->step, res)) {
            group->step.settled = 1; /* those that wait already find nobody */
            return NULL;
        }
    }
    return &group->step.res.pub;
}

const hoop_response *hoop_all(const hoop_request *req, const hoop_response *const *responses,
                              size_t count, hoop_all_fn *fn, const void *value)
{
    size_t pending = 0;
    if (!req)
        return NULL;
    if (!fn || (count && !responses))
        return hoop_fail(req, HOOP_EINVAL, "hoop_all() needs responses and a function");
    for (size_t i = 0; i < count; i++) {
        const hoop_response *res = hoop__pending_look(responses[i]);
        pending += is_pending(res) || res != responses[i];
        if (!is_pending(res) && !is_response(res))
            return res;
    }
    if (!pending)
        return fn(req, responses, count, value);
    struct group *group = new_group(req, count);
    if (!group)
        return NULL;
    group->fn = fn;
    group->step.value = value;
    const hoop_response *res = wait_for_each(group, responses, one_of_all);
    return !res || group->open ? res : fn(req, group->results, count, value);
}

const hoop_response *hoop_race(const hoop_request *req, const hoop_response *const *responses,
                               size_t count)
{
    if (!req)
        return NULL;
    if (!count || !responses)
        return hoop_fail(req, HOOP_EINVAL, "hoop_race() needs responses");
    for (size_t i = 0; i < count; i++) {
        const hoop_response *res = hoop__pending_look(responses[i]);
        if (!is_pending(res))
            return res;
    }
    struct group *group = new_group(req, count);
    return group ? wait_for_each(group, responses, one_of_race) : NULL;
}

/* --- after a while --------------------------------------------------------------------------- */

static void on_time(void *data)
{
    struct hoop__pending *step = data;
    if (!step->x->over && !step->x->responded)
        hoop__pending_settle(step, step->fn.timeout(step->req, step->value));
}

const hoop_response *hoop_after(const hoop_request *req, uint64_t ms, hoop_timeout_fn *fn,
                                const void *value)
{
    if (!req)
        return NULL;
    if (!fn || !hoop__exchange_of(req))
        return hoop_fail(req, HOOP_EINVAL, "hoop_after() needs a function and an exchange");
    if (!hoop__on_loop(req))
        return hoop_fail(req, HOOP_ETHREAD, "hoop_after() belongs on the loop's thread");
    struct hoop__pending *step = hoop_alloc(req, sizeof *step);
    if (!step)
        return NULL;
    hoop__pending_init(step, req);
    step->fn.timeout = fn;
    step->value = value;
    if (!hoop__exchange_timer(step->x, req->arena, ms, on_time, step))
        return hoop__fail_memory(req);
    return &step->res.pub;
}
