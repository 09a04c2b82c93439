/* Middleware "concurrency_limit": see hoop/middleware/concurrency_limit.h. */
#include "middleware/middleware.h"

#include <hoop/middleware/concurrency_limit.h>

#include <stdatomic.h>

/* What is built of the options; `count` changes. */
struct crowd {
    uint64_t max;
    const char *retry_after;
    _Atomic uint64_t count;
};

static void leave(const hoop_done *done, void *data)
{
    (void)done;
    struct crowd *crowd = data;
    atomic_fetch_sub_explicit(&crowd->count, 1, memory_order_relaxed);
}

/* Nonzero if the request may come in; it is counted then. */
static int enter(struct crowd *crowd)
{
    if (atomic_fetch_add_explicit(&crowd->count, 1, memory_order_relaxed) < crowd->max)
        return 1;
    atomic_fetch_sub_explicit(&crowd->count, 1, memory_order_relaxed);
    return 0;
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    struct crowd *crowd = (struct crowd *)(uintptr_t)value; /* in the chain's arena */
    if (!enter(crowd))
        return hoop_with_header(req, hoop_problem(req, 503, "too many requests are under way"),
                                "Retry-After", crowd->retry_after);
    int rc = hoop_on_done(req, leave, crowd);
    if (rc) {
        leave(NULL, crowd);
        return hoop_fail(req, rc, "concurrency_limit: %s", hoop_strerror(rc));
    }
    return hoop_call(next, req);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    const hoop_concurrency_limit_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    struct crowd *crowd = own ? hoop_arena_zalloc(arena, sizeof *crowd) : NULL;
    if (!crowd)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    crowd->max = own->max ? own->max : 256;
    atomic_init(&crowd->count, 0);
    hoop_str seconds = hoop_arena_printf(
        arena, "%llu", own->retry_after ? (unsigned long long)own->retry_after : 1ull);
    if (hoop_str_is_none(seconds))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    crowd->retry_after = seconds.data;
    *ret_value = crowd;
    return 0;
}

const hoop_middleware_type hoop_concurrency_limit_type = {
    .name = "concurrency_limit",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};
