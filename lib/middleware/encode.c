/* Bodies of responses in a content coding; see encode.h. */
#include "middleware/encode.h"

#include "compress/contexts.h"
#include "value/exchange.h"
#include "value/pull.h"

#include <string.h>

/* --- bytes ----------------------------------------------------------------------------------- */

/* Room for as much as there is: what does not get smaller is of no use. */
static int encode_into(struct hoop__codec *codec, hoop_str bytes, char *out, size_t cap,
                       size_t *ret_len)
{
    int rc = hoop__codec_run(codec, &bytes, out, cap, ret_len, HOOP__CODEC_FINISH);
    if (rc == HOOP_EOF)
        return *ret_len < cap ? 0 : HOOP_ETOOBIG;
    return rc == HOOP_EAGAIN ? HOOP_ETOOBIG : rc;
}

int hoop__encode_bytes(const hoop_request *req, enum hoop__coding coding, int level, hoop_str bytes,
                       hoop_str *ret_body)
{
    struct hoop_loop *loop = hoop__exchange_of(req)->loop;
    struct hoop__codec *codec;
    int rc = hoop__contexts_whole_encoder(loop, coding, level, &codec);
    if (rc)
        return rc;
    size_t len = 0;
    char *out = hoop__arena_alloc(req->arena, bytes.len);
    rc = out ? encode_into(codec, bytes, out, bytes.len, &len) : HOOP_ENOMEM;
    hoop__contexts_put(loop, codec);
    if (out)
        out = hoop__arena_resize(req->arena, out, bytes.len, rc ? 0 : len + 1);
    if (rc)
        return rc;
    out[len] = 0;
    *ret_body = hoop_str_n(out, len);
    return 0;
}

/* --- on the pool ----------------------------------------------------------------------------- */

/* Lives in the deferred's arena; nothing of it is touched once the deferred's reference has ended. */
struct encode_job {
    struct hoop__job job;
    hoop_deferred *deferred;
    const hoop_response *res;
    hoop__encoded_fn *fn;
    enum hoop__coding coding;
    int level;
    const hoop_allocator *allocator;
    char *out; /* the allocator's: an arena would keep each size that it had */
    size_t len;
};

static void free_out(void *data)
{
    struct encode_job *job = data;
    hoop__free(job->allocator, job->out);
}

/* Into room for as much as there is, which malloc fills with pages only as it is written to. */
static int encode_all(struct encode_job *job, struct hoop__codec *codec)
{
    size_t cap = job->res->body.len;
    job->out = hoop__alloc(job->allocator, cap);
    int rc = job->out ? encode_into(codec, job->res->body, job->out, cap, &job->len) : HOOP_ENOMEM;
    char *less = rc ? NULL : hoop__realloc(job->allocator, job->out, job->len);
    if (less)
        job->out = less;
    return rc;
}

static void work(struct hoop__job *base)
{
    struct encode_job *job = (struct encode_job *)(void *)base;
    const hoop_request *req = hoop_deferred_request(job->deferred);
    struct hoop__codec *codec = NULL;
    hoop_str body = hoop_str_none();
    int rc = hoop__whole_encoder_new(&codec, job->allocator, job->coding, job->level);
    if (!rc)
        rc = encode_all(job, codec);
    hoop__codec_free(codec);
    if (!rc)
        body = hoop_str_n(job->out, job->len);
    hoop_resolve(job->deferred, job->fn(req, job->res, job->coding, body));
}

static void cancel(struct hoop__job *base)
{
    hoop_deferred_drop(((struct encode_job *)(void *)base)->deferred);
}

static struct encode_job *job_new(hoop_deferred *deferred, const hoop_response *res)
{
    const hoop_request *req = hoop_deferred_request(deferred);
    struct encode_job *job = hoop__arena_alloc(req->arena, sizeof *job);
    if (!job)
        return NULL;
    memset(job, 0, sizeof *job);
    job->job.work = work;
    job->job.cancel = cancel;
    job->deferred = deferred;
    job->res = res;
    job->allocator = req->arena->allocator;
    return hoop_arena_on_dispose(req->arena, free_out, job) ? NULL : job;
}

const hoop_response *hoop__encode_later(const hoop_request *req, const hoop_response *res,
                                        enum hoop__coding coding, int level, hoop__encoded_fn *fn)
{
    struct hoop_loop *loop = hoop__exchange_of(req)->loop;
    hoop_deferred *deferred = hoop_defer(req);
    if (!deferred)
        return NULL;
    const hoop_response *pending = hoop_deferred_response(deferred);
    struct encode_job *job = job_new(deferred, res);
    int rc = HOOP_ENOMEM;
    if (job) {
        job->fn = fn;
        job->coding = coding;
        job->level = level;
        /* From here on only the job's own thread knows what is left of it. */
        rc = loop->ops->block(loop, &job->job);
    }
    if (!rc)
        return pending;
    if (rc == HOOP_EBUSY)
        HOOP__COUNT(loop->counters.limit_blocking, 1);
    hoop_deferred_drop(deferred);
    return NULL;
}

/* --- streams --------------------------------------------------------------------------------- */

#define PIECE HOOP__BLOCK_SIZE /* of the inner source, at a time */

struct encoded {
    struct hoop__source source; /* what the engine pulls */
    struct hoop__pull inner;
    struct hoop__codec *codec; /* NULL: nothing is ever given */
    struct hoop__exchange *x;
    hoop_str left; /* of what the inner source gave */
    enum hoop__codec_op op;
    uint8_t unflushed; /* the codec has taken something since its last flush */
    uint8_t waiting;   /* the inner source has nothing yet */
    char *piece;
};

static struct encoded *encoded_of(struct hoop__source *source)
{
    return (struct encoded *)(void *)source;
}

/* The next bytes for the codec, or what it is to do since there are none. 0, HOOP_EAGAIN, or a code. */
static int ask_inner(struct encoded *e)
{
    size_t len = 0;
    int rc = hoop__pull_some(&e->inner, e->piece, PIECE, &len);
    if (rc < 0) /* shorter than announced: here that is no end, which would look whole */
        return rc == HOOP_EOF ? HOOP_EMISSING : rc;
    e->left = hoop_str_n(e->piece, len);
    e->op = rc == HOOP__PULL_DONE ? HOOP__CODEC_FINISH : HOOP__CODEC_RUN;
    e->unflushed |= len > 0;
    if (rc != HOOP__PULL_WAIT)
        return 0;
    if (!e->unflushed)
        return HOOP_EAGAIN;
    e->op = HOOP__CODEC_FLUSH;
    e->unflushed = 0;
    e->waiting = 1;
    return 0;
}

/*
 * Runs the codec until the buffer is full, all that has come was flushed, or the end. The inner
 * source is asked only when the codec has taken all that came before.
 */
static int pull_encoded(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct encoded *e = encoded_of(source);
    *ret_len = 0;
    if (!e->codec)
        return HOOP_EOF;
    if (!e->inner.source->exchange)
        hoop__pull_begin(&e->inner, source->exchange);
    for (;;) {
        size_t n = 0;
        int rc = hoop__codec_run(e->codec, &e->left, buffer + *ret_len, cap - *ret_len, &n, e->op);
        *ret_len += n;
        if (rc == HOOP_EOF)
            source->trailers = e->inner.source->trailers;
        if (rc && rc != HOOP_EAGAIN)
            return rc;
        if (*ret_len == cap || (!rc && e->waiting && *ret_len)) {
            e->waiting &= rc != 0;
            return 0;
        }
        if (rc)
            continue; /* it wants more room, and has some left */
        e->waiting = 0;
        rc = ask_inner(e);
        if (rc)
            return rc == HOOP_EAGAIN && *ret_len ? 0 : rc;
    }
}

static void finish_encoded(struct hoop__source *source, int code)
{
    struct encoded *e = encoded_of(source);
    struct hoop__codec *codec = e->codec;
    e->codec = NULL;
    hoop__pull_finish(&e->inner, code ? code : e->inner.end_code);
    hoop__contexts_put(e->x->loop, codec);
}

/* Without a codec. NULL: out of memory; then `inner` is as it was. */
static struct encoded *encoded_new(const hoop_request *req, struct hoop__source *inner)
{
    struct encoded *e = hoop__arena_alloc(req->arena, sizeof *e);
    if (!e)
        return NULL;
    memset(e, 0, sizeof *e);
    e->source.pull = pull_encoded;
    e->source.finished = finish_encoded;
    e->source.length = HOOP__LENGTH_UNKNOWN;
    e->x = hoop__exchange_of(req);
    e->left = hoop_str_c("");
    /* Until the hook stands there is nothing that it could finish. */
    if (hoop__source_keep(req, &e->source))
        return NULL;
    e->inner.source = inner;
    return e;
}

struct hoop__source *hoop__encode_source(const hoop_request *req, enum hoop__coding coding,
                                         int level, struct hoop__source *inner)
{
    struct hoop_loop *loop = hoop__exchange_of(req)->loop;
    struct hoop__codec *codec;
    if (hoop__contexts_encoder(loop, coding, level, &codec))
        return NULL;
    char *piece = hoop__arena_alloc(req->arena, PIECE);
    struct encoded *e = piece ? encoded_new(req, inner) : NULL;
    if (!e) {
        hoop__contexts_put(loop, codec);
        return NULL;
    }
    e->codec = codec;
    e->piece = piece;
    return &e->source;
}

struct hoop__source *hoop__encode_nothing(const hoop_request *req, struct hoop__source *inner)
{
    struct encoded *e = encoded_new(req, inner);
    return e ? &e->source : hoop__fail_memory(req);
}
