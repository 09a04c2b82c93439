/* Middleware "flash": see hoop/middleware/flash.h. */
#include "middleware/session.h"

#include <hoop/middleware/flash.h>

#include <string.h>

static const char read_key, left_key;

/* What the request has found; names without the prefix. */
struct flashes {
    hoop_field *items;
    size_t count;
};

/* What a response leaves, newest first. */
struct left {
    const struct left *next;
    hoop_str key;
    hoop_str value;
};

/* --- requests -------------------------------------------------------------------------------- */

const hoop_field *hoop_flashes(const hoop_request *req, size_t *ret_count)
{
    const struct flashes *flashes = hoop_get(req, &read_key);
    *ret_count = flashes ? flashes->count : 0;
    return flashes ? flashes->items : NULL;
}

hoop_str hoop_flash(const hoop_request *req, const char *key)
{
    size_t count;
    const hoop_field *items = hoop_flashes(req, &count);
    return hoop__session_find(items, key ? count : 0, hoop_str_c(key));
}

static int is_flash(hoop_str name, hoop_str prefix)
{
    return name.len > prefix.len && memcmp(name.data, prefix.data, prefix.len) == 0;
}

/* Parts the values of a session: flashes, and the session that handlers see. */
static void part(const struct hoop__session *session, hoop_str prefix, struct flashes *flashes,
                 struct hoop__session *seen, hoop_field *seen_items)
{
    *seen = *session;
    seen->items = seen_items;
    seen->count = flashes->count = 0;
    for (size_t i = 0; i < session->count; i++) {
        hoop_field item = session->items[i];
        if (!is_flash(item.name, prefix)) {
            seen_items[seen->count++] = item;
            continue;
        }
        item.name = hoop_str_n(item.name.data + prefix.len, item.name.len - prefix.len);
        flashes->items[flashes->count++] = item;
    }
}

static const hoop_request *with_flashes(const hoop_request *req, const hoop_flash_options *options)
{
    const struct hoop__session *session = hoop__session_of(req);
    hoop_str prefix = hoop_str_c(options->prefix);
    size_t count = 0;
    for (size_t i = 0; session && i < session->count; i++)
        count += is_flash(session->items[i].name, prefix) != 0;
    if (!count)
        return req;
    struct {
        struct flashes flashes;
        struct hoop__session seen;
    } *both = hoop_alloc(req, sizeof *both + session->count * sizeof(hoop_field));
    if (!both)
        return NULL;
    both->flashes.items = (hoop_field *)(void *)(both + 1);
    part(session, prefix, &both->flashes, &both->seen, both->flashes.items + count);
    const hoop_request *more = hoop_assoc(req, &read_key, &both->flashes);
    return more ? hoop__session_put(more, &both->seen) : NULL;
}

/* --- responses ------------------------------------------------------------------------------- */

static const hoop_response *leave(const hoop_request *req, const hoop_response *res,
                                  const void *value)
{
    struct left *left = (struct left *)(uintptr_t)value; /* made below, and linked once */
    left->next = hoop_response_get(res, &left_key);
    return hoop_response_assoc(req, res, &left_key, left);
}

const hoop_response *hoop_with_flash(const hoop_request *req, const hoop_response *res,
                                     const char *key, const char *value)
{
    if (!req || !res || hoop_is_pass(res))
        return req ? res : NULL;
    if (!key || !*key || !value)
        return hoop_fail(req, HOOP_EINVAL, "a flash needs a name and a value");
    struct left *left = hoop_alloc(req, sizeof *left);
    if (!left)
        return NULL;
    left->next = NULL;
    if (hoop__arena_copy(req->arena, hoop_str_c(key), &left->key) ||
        hoop__arena_copy(req->arena, hoop_str_c(value), &left->value))
        return hoop__fail_memory(req);
    return hoop_then(req, res, leave, left);
}

static const hoop_response *change(const hoop_request *req, const hoop_response *res,
                                   const char *prefix, hoop_str key, const char *value)
{
    hoop_str name = hoop__join(req, (hoop_str[]){ hoop_str_c(prefix), key }, 2);
    return name.len ? hoop_with_session_value(req, res, name.data, value) : NULL;
}

/* The session without what was read, and with what is left. */
static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    const hoop_flash_options *options = value;
    const struct left *left = hoop_response_get(res, &left_key);
    size_t count;
    const hoop_field *items = hoop_flashes(req, &count);
    for (size_t i = 0; i < count && res; i++)
        res = change(req, res, options->prefix, items[i].name, NULL);
    for (; left && res; left = left->next) {
        const struct left *newer = hoop_response_get(res, &left_key);
        while (newer != left && !hoop_str_eq(newer->key, left->key))
            newer = newer->next;
        if (newer == left) /* nobody has left another under this name since */
            res = change(req, res, options->prefix, left->key, left->value.data);
    }
    return res;
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_request *more = with_flashes(req, value);
    return more ? hoop_then(more, hoop_call(next, more), respond, value) : NULL;
}

/* --- building -------------------------------------------------------------------------------- */

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_flash_options *own = hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (!own->prefix)
        own->prefix = "_flash.";
    if (!*own->prefix)
        return hoop_error_set(error, HOOP_EINVAL, "flash: the prefix is empty");
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_flash_type = {
    .name = "flash",
    .needs = "session",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_flash_request_sized(const hoop_request *req,
                                             const hoop_response **ret_answer,
                                             const hoop_flash_options *options, size_t options_size)
{
    (void)ret_answer; /* nothing is refused */
    const void *value = hoop__options_value(req, &hoop_flash_type, options, options_size);
    return value ? with_flashes(req, value) : NULL;
}

const hoop_response *hoop_flash_response_sized(const hoop_request *req, const hoop_response *res,
                                               const hoop_flash_options *options,
                                               size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_flash_type, options, options_size);
    return value ? hoop_then(req, res, respond, value) : NULL;
}
