/* Bodies of requests out of their content codings; see decode.h. */
#include "middleware/decode.h"

#include "compress/contexts.h"

#include <string.h>

#define BETWEEN     HOOP__BLOCK_SIZE  /* bytes between two codings */
#define RATIO_FLOOR ((uint64_t)65536) /* so much may come of however little */

static void release(struct hoop__decode *d)
{
    for (size_t i = 0; i < d->count; i++) {
        hoop__contexts_put(d->x->loop, d->stages[i].codec);
        d->stages[i].codec = NULL;
    }
}

static void dispose(void *data)
{
    release(data);
}

/* --- one step -------------------------------------------------------------------------------- */

/* Runs a stage on what is in front of it. Nonzero if it got on; `*ret_code` if it failed. */
static int run_stage(struct hoop__decode *d, size_t i, hoop_str *in, int last, char *out,
                     size_t cap, size_t *ret_made, int *ret_code)
{
    struct hoop__decode_stage *stage = &d->stages[i];
    size_t before = in->len;
    *ret_made = 0;
    if (stage->ended || !cap)
        return 0;
    int rc = hoop__codec_run(stage->codec, in, out, cap, ret_made,
                             last ? HOOP__CODEC_FINISH : HOOP__CODEC_RUN);
    stage->ended = rc == HOOP_EOF;
    if (rc && rc != HOOP_EOF && rc != HOOP_EAGAIN)
        *ret_code = rc;
    return in->len < before || *ret_made || stage->ended;
}

/* A stage that fills the buffer of the next one, which has taken all that was in it. */
static int run_inner(struct hoop__decode *d, size_t i, hoop_str *in, int last, int *ret_code)
{
    struct hoop__decode_stage *stage = &d->stages[i];
    size_t made;
    if (stage->len)
        return 0;
    stage->from = 0;
    int moved = run_stage(d, i, in, last, stage->buffer, BETWEEN, &made, ret_code);
    stage->len = made;
    return moved;
}

/* Every stage once, from the engine's side to the reader's. Nonzero to go on. */
static int run_all(struct hoop__decode *d, hoop_str *in, int last, char *out, size_t cap,
                   size_t *ret_made, int *ret_code)
{
    int moved = 0;
    hoop_str *from = in;
    hoop_str between;
    for (size_t i = 0; i < d->count && !*ret_code; i++) {
        size_t made;
        if (i + 1 < d->count) {
            moved |= run_inner(d, i, from, last, ret_code);
        } else {
            moved |= run_stage(d, i, from, last, out + *ret_made, cap - *ret_made, &made, ret_code);
            *ret_made += made;
        }
        if (i) { /* what it has taken of its neighbour's */
            struct hoop__decode_stage *before = &d->stages[i - 1];
            before->from += before->len - between.len;
            before->len = between.len;
        }
        between = hoop_str_n(d->stages[i].buffer ? d->stages[i].buffer + d->stages[i].from : "",
                             d->stages[i].len);
        from = &between;
        last = d->stages[i].ended;
    }
    return moved;
}

/* --- limits ---------------------------------------------------------------------------------- */

static uint64_t max_size(const struct hoop__decode *d)
{
    if (d->max_size)
        return d->max_size;
    return d->x->max_body ? d->x->max_body : d->x->service->limits->max_body;
}

/* What comes in has the limit, too: there are endless bodies of which nothing comes out. */
static int is_too_big(const struct hoop__decode *d)
{
    uint64_t max = max_size(d);
    if (d->out > max || d->in > max)
        return 1;
    return d->out > RATIO_FLOOR && d->out / d->max_ratio > d->in;
}

static int fail(struct hoop__decode *d, int code)
{
    d->code = code;
    release(d);
    return code;
}

/* --- the filter ------------------------------------------------------------------------------ */

static int run(struct hoop__body_filter *filter, const char *in, size_t len, size_t *ret_taken,
               char *out, size_t cap, size_t *ret_made, int last)
{
    struct hoop__decode *d = (struct hoop__decode *)(void *)filter;
    hoop_str rest = hoop_str_n(in, len);
    int code = 0;
    *ret_taken = *ret_made = 0;
    if (d->code)
        return d->code;
    if (last && !len && !d->in)
        return HOOP_EOF; /* no byte came at all: nothing is what that stands for */
    while (run_all(d, &rest, last, out, cap, ret_made, &code) && !code)
        ;
    *ret_taken = len - rest.len;
    d->in += *ret_taken;
    d->out += *ret_made;
    if (!code && is_too_big(d)) {
        HOOP__COUNT(d->x->loop->counters.limit_body, 1);
        code = HOOP_ETOOBIG;
    }
    if (code)
        return fail(d, code);
    if (!d->stages[d->count - 1].ended)
        return 0;
    release(d);
    return HOOP_EOF;
}

static int open_stages(struct hoop__decode *d, const hoop_request *req,
                       const enum hoop__coding *codings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct hoop__decode_stage *stage = &d->stages[i];
        /* The last one that was applied is undone first. */
        if (hoop__contexts_decoder(d->x->loop, codings[count - 1 - i], &stage->codec))
            return HOOP_ENOMEM;
        d->count++;
        if (i + 1 < count && !(stage->buffer = hoop__arena_alloc(req->arena, BETWEEN)))
            return HOOP_ENOMEM;
    }
    return 0;
}

struct hoop__decode *hoop__decode_body(const hoop_request *req, const enum hoop__coding *codings,
                                       size_t count, uint64_t max_size, uint64_t max_ratio)
{
    struct hoop__decode *d = hoop__arena_alloc(req->arena, sizeof *d);
    if (!d)
        return hoop__fail_memory(req);
    memset(d, 0, sizeof *d);
    d->filter.run = run;
    d->x = hoop__exchange_of(req);
    d->max_size = max_size;
    d->max_ratio = max_ratio;
    if (hoop_arena_on_dispose(req->arena, dispose, d))
        return hoop__fail_memory(req);
    int rc = open_stages(d, req, codings, count);
    if (!rc)
        rc = hoop__body_filter(req, &d->filter);
    if (!rc)
        return d;
    release(d);
    if (rc == HOOP_ENOMEM)
        return hoop__fail_memory(req);
    hoop_fail(req, rc, "decompress has to meet the request before the body is read");
    return NULL;
}
