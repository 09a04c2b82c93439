/* A transform between the engine and who reads the body: what it has not taken yet is held here. */
#include "value/body.h"
#include "value/pending.h"

#include <string.h>

#define WINDOW ((size_t)16384) /* bytes held at most */

int hoop__body_filter(const hoop_request *req, struct hoop__body_filter *filter)
{
    struct hoop__exchange *x = req ? hoop__exchange_of(req) : NULL;
    if (!x)
        return HOOP_EINVAL;
    if (x->body.state != HOOP__BODY_COMING || x->body.filter)
        return HOOP_EALREADY;
    filter->held = hoop__arena_alloc(x->arena, WINDOW);
    if (!filter->held)
        return HOOP_ENOMEM;
    filter->held_from = filter->held_len = 0;
    filter->allowed = 0;
    filter->last = filter->running = filter->done = 0;
    x->body.filter = filter;
    x->body.length = HOOP__LENGTH_UNKNOWN;
    return 0;
}

uint64_t hoop__filter_room(const struct hoop__body_filter *filter)
{
    return filter->done ? WINDOW : WINDOW - filter->held_len;
}

/* Keeps what was not taken; it fits, since the engine's credit is the room there is. */
static void hold(struct hoop__body_filter *filter, const char *data, size_t len)
{
    if (filter->held_from && filter->held_len)
        memmove(filter->held, filter->held + filter->held_from, filter->held_len);
    filter->held_from = 0;
    memcpy(filter->held + filter->held_len, data, len);
    filter->held_len += len;
}

/* Runs once. Nonzero to go on; what was taken is added to `*taken`. */
static int step(struct hoop__exchange *x, const char *in, size_t len, size_t *taken, char *out)
{
    struct hoop__body_filter *filter = x->body.filter;
    size_t took = 0, made = 0;
    size_t cap = filter->allowed < HOOP__BLOCK_SIZE ? (size_t)filter->allowed : HOOP__BLOCK_SIZE;
    int rc = filter->run(filter, in + *taken, len - *taken, &took, out, cap, &made, filter->last);
    *taken += took;
    filter->done = rc == HOOP_EOF;
    if (rc && rc != HOOP_EOF) {
        hoop__body_finish(x, rc);
        return 0;
    }
    if (made) {
        if (filter->allowed != HOOP__LENGTH_UNKNOWN)
            filter->allowed -= made;
        hoop__body_deliver(x, out, made);
    } else if (filter->last && !took && !filter->done) {
        hoop__body_finish(x, HOOP_EPROTO); /* it waits for more, and there is none */
    }
    return !filter->done && (made || took);
}

/* Makes what it can of `len` bytes at `in`; how many it has taken. */
static size_t run(struct hoop__exchange *x, const char *in, size_t len)
{
    struct hoop__body_filter *filter = x->body.filter;
    size_t taken = 0;
    char *out = hoop__block_get(&x->loop->blocks);
    if (!out) {
        hoop__body_finish(x, HOOP_ENOMEM);
        return len;
    }
    filter->running = 1;
    while (x->body.state == HOOP__BODY_READING && filter->allowed && !filter->done &&
           step(x, in, len, &taken, out))
        ;
    filter->running = 0;
    hoop__block_put(&x->loop->blocks, out);
    if (filter->done) {
        taken = len;
        if (filter->last)
            hoop__body_finish(x, 0);
    }
    return taken;
}

void hoop__filter_feed(struct hoop__exchange *x, const char *data, size_t len)
{
    struct hoop__body_filter *filter = x->body.filter;
    if (filter->done)
        return;
    if (!filter->held_len && !filter->running) {
        size_t taken = run(x, data, len);
        hold(filter, data + taken, len - taken);
        return;
    }
    hold(filter, data, len);
    hoop__filter_run(x);
}

void hoop__filter_run(struct hoop__exchange *x)
{
    struct hoop__body_filter *filter = x->body.filter;
    if (filter->running || (!filter->held_len && !filter->last))
        return;
    size_t taken = run(x, filter->held + filter->held_from, filter->held_len);
    filter->held_from += taken;
    filter->held_len -= taken;
}
