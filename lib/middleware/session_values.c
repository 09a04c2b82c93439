/* Values of sessions: how handlers read them, and how responses carry what is to be changed. */
#include "middleware/session.h"

#include "value/response.h"

#include <string.h>

static const char session_key, change_key, age_key;

/* --- requests -------------------------------------------------------------------------------- */

const struct hoop__session *hoop__session_of(const hoop_request *req)
{
    return hoop_get(req, &session_key);
}

const hoop_request *hoop__session_put(const hoop_request *req, const struct hoop__session *session)
{
    return hoop_assoc(req, &session_key, session);
}

const hoop_field *hoop_session(const hoop_request *req, size_t *ret_count)
{
    const struct hoop__session *session = hoop__session_of(req);
    *ret_count = session ? session->count : 0;
    return session ? session->items : NULL;
}

hoop_str hoop__session_find(const hoop_field *items, size_t count, hoop_str key)
{
    for (size_t i = 0; i < count; i++)
        if (hoop_str_eq(items[i].name, key))
            return items[i].value;
    return hoop_str_none();
}

hoop_str hoop_session_get(const hoop_request *req, const char *key)
{
    size_t count;
    const hoop_field *items = hoop_session(req, &count);
    return hoop__session_find(items, key ? count : 0, hoop_str_c(key));
}

/* --- responses ------------------------------------------------------------------------------- */

const struct hoop__session_change *hoop__session_changes(const hoop_response *res)
{
    return hoop_response_get(res, &change_key);
}

/* Appends a change, which is in the arena of `req`, and linked once. */
static const hoop_response *link_change(const hoop_request *req, const hoop_response *res,
                                        const void *value)
{
    struct hoop__session_change *change = (struct hoop__session_change *)(uintptr_t)value;
    change->next = hoop__session_changes(res);
    return hoop_response_assoc(req, res, &change_key, change);
}

static const hoop_response *with_change(const hoop_request *req, const hoop_response *res,
                                        enum hoop__session_kind kind, hoop_str key, hoop_str value)
{
    if (!req || !res || hoop_is_pass(res))
        return req ? res : NULL;
    struct hoop__session_change *change = hoop_alloc(req, sizeof *change);
    if (!change)
        return NULL;
    change->next = NULL;
    change->kind = kind;
    change->key = change->value = hoop_str_none();
    if (key.len && hoop__arena_copy(req->arena, key, &change->key))
        return hoop__fail_memory(req);
    if (!hoop_str_is_none(value) && hoop__arena_copy(req->arena, value, &change->value))
        return hoop__fail_memory(req);
    return hoop_then(req, res, link_change, change);
}

const hoop_response *hoop_with_session_value(const hoop_request *req, const hoop_response *res,
                                             const char *key, const char *value)
{
    if (req && res && (!key || !*key))
        return hoop_fail(req, HOOP_EINVAL, "a value of the session needs a name");
    return with_change(req, res, HOOP__SESSION_SET, hoop_str_c(key), hoop_str_c(value));
}

const hoop_response *hoop_session_clear(const hoop_request *req, const hoop_response *res)
{
    return with_change(req, res, HOOP__SESSION_CLEAR, hoop_str_none(), hoop_str_none());
}

const hoop_response *hoop_session_rotate(const hoop_request *req, const hoop_response *res)
{
    return with_change(req, res, HOOP__SESSION_ROTATE, hoop_str_none(), hoop_str_none());
}

const hoop_response *hoop_with_session_max_age(const hoop_request *req, const hoop_response *res,
                                               uint64_t seconds)
{
    if (!req || !res || hoop_is_pass(res))
        return req ? res : NULL;
    uint64_t *kept = hoop_alloc(req, sizeof *kept);
    if (!kept)
        return NULL;
    *kept = seconds;
    return hoop_response_assoc(req, res, &age_key, kept);
}

const uint64_t *hoop__session_max_age(const hoop_response *res)
{
    return hoop_response_get(res, &age_key);
}

/* --- applying -------------------------------------------------------------------------------- */

/* Sets or removes one value; `items` has room for one more. */
static void set(hoop_field *items, size_t *count, const struct hoop__session_change *change)
{
    size_t i = 0;
    while (i < *count && !hoop_str_eq(items[i].name, change->key))
        i++;
    if (hoop_str_is_none(change->value)) {
        if (i < *count)
            memmove(&items[i], &items[i + 1], (--*count - i) * sizeof *items);
        return;
    }
    items[i].name = change->key;
    items[i].value = change->value;
    *count += i == *count;
}

static int same(const struct hoop__session *base, const hoop_field *items, size_t count)
{
    if (base->count != count)
        return 0;
    for (size_t i = 0; i < count; i++) {
        hoop_str value = hoop__session_find(base->items, count, items[i].name);
        if (hoop_str_is_none(value) || !hoop_str_eq(value, items[i].value))
            return 0;
    }
    return 1;
}

int hoop__session_apply(const hoop_request *req, const struct hoop__session *base,
                        const struct hoop__session_change *changes,
                        struct hoop__session_plan *ret_plan)
{
    struct hoop__session_plan plan = { base->items, base->count, 0, 0, 0 };
    size_t number = 0, count = base->count;
    for (const struct hoop__session_change *c = changes; c; c = c->next)
        number++;
    const struct hoop__session_change **order =
        number ? hoop_alloc(req, number * sizeof *order + (count + number) * sizeof(hoop_field))
               : NULL;
    if (number && !order)
        return HOOP_ENOMEM;
    hoop_field *items = (hoop_field *)(void *)(order + number);
    for (size_t i = number; changes; changes = changes->next)
        order[--i] = changes;
    if (number && count)
        memcpy(items, base->items, count * sizeof *items);
    for (size_t i = 0; i < number; i++) {
        if (order[i]->kind == HOOP__SESSION_SET) {
            set(items, &count, order[i]);
            continue;
        }
        plan.rotated |= order[i]->kind == HOOP__SESSION_ROTATE;
        if (order[i]->kind == HOOP__SESSION_CLEAR) {
            plan.cleared = 1;
            count = 0;
        }
    }
    if (number) {
        plan.items = items;
        plan.count = count;
        plan.changed = !same(base, items, count);
    }
    *ret_plan = plan;
    return 0;
}
