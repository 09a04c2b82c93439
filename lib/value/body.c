/* The request body, collected for whoever reads it whole. */
#include "value/body.h"
#include "value/pending.h"

#include <string.h>

#define ARENA_BODY ((size_t)16384) /* up to this size a body lies in the arena */

/* --- collecting ------------------------------------------------------------------------------ */

/* The next capacity for `need` bytes: the announced length at once if it is small, else doubled as the
 * bytes come, never beyond the announced length. */
static size_t next_cap(const struct hoop__body *body, size_t need)
{
    int known = body->length != HOOP__LENGTH_UNKNOWN;
    if (known && body->length < ARENA_BODY)
        return (size_t)body->length + 1;
    size_t cap = body->cap ? body->cap * 2 : 2048;
    if (cap < need)
        cap = need;
    if (known && cap > body->length + 1)
        cap = (size_t)body->length + 1;
    return cap;
}

static int grow(struct hoop__exchange *x, size_t need)
{
    struct hoop__body *body = &x->body;
    size_t cap = next_cap(body, need);
    char *data;
    if (cap <= ARENA_BODY) {
        data = hoop__arena_resize(x->arena, body->data, body->cap, cap);
    } else if (body->foreign) {
        data = hoop__realloc(x->arena->allocator, body->data, cap);
    } else {
        data = hoop__alloc(x->arena->allocator, cap);
        if (data && body->len)
            memcpy(data, body->data, (size_t)body->len);
    }
    if (!data)
        return HOOP_ENOMEM;
    body->foreign = cap > ARENA_BODY;
    body->data = data;
    body->cap = cap;
    return 0;
}

/* Nobody gets the body any more: all that wait have this outcome. */
static void settle_all(struct hoop__exchange *x, const hoop_response *res)
{
    struct hoop__pending *reader = x->body.readers;
    x->body.readers = NULL;
    while (reader) {
        struct hoop__pending *next = reader->next_reader;
        hoop__pending_settle(reader, res);
        reader = next;
    }
}

uint64_t hoop__body_limit(const struct hoop__exchange *x, uint64_t asked)
{
    if (asked)
        return asked;
    return x->max_body ? x->max_body : x->service->limits->max_body;
}

const hoop_response *hoop__body_too_large(const hoop_request *req, uint64_t limit)
{
    HOOP__COUNT(hoop__exchange_of(req)->loop->counters.limit_body, 1);
    return hoop_problemf(req, 413, "the body is over the limit of %llu bytes",
                         (unsigned long long)limit);
}

/* Those whose limit is passed are answered; the others go on waiting. */
static void drop_limited(struct hoop__exchange *x, uint64_t size)
{
    struct hoop__pending **link = &x->body.readers;
    while (*link) {
        struct hoop__pending *reader = *link;
        if (reader->limit >= size) {
            link = &reader->next_reader;
            continue;
        }
        *link = reader->next_reader;
        hoop__pending_settle(reader, hoop__body_too_large(reader->req, reader->limit));
    }
}

static void collect(const struct hoop__body_sink *sink, struct hoop__exchange *x, const char *data,
                    size_t len)
{
    (void)sink;
    struct hoop__body *body = &x->body;
    uint64_t size = body->len + len;
    drop_limited(x, size);
    if (!body->readers) {
        hoop__body_stop(x);
        return;
    }
    if (size >= body->cap && grow(x, (size_t)size + 1)) {
        hoop__fail_memory(&x->request.pub);
        hoop__body_stop(x);
        settle_all(x, NULL);
        return;
    }
    memcpy(body->data + body->len, data, len);
    body->len = size;
}

static void complete(const struct hoop__body_sink *sink, struct hoop__exchange *x, int code)
{
    (void)sink;
    struct hoop__body *body = &x->body;
    if (x->over)
        return; /* nobody can answer any more */
    if (code) {
        hoop_fail(&x->request.pub, code, "the body can't be read: %s", hoop_strerror(code));
        settle_all(x, NULL);
        return;
    }
    body->state = HOOP__BODY_COMPLETE;
    if (body->data)
        body->data[body->len] = 0;
    struct hoop__pending *reader = body->readers;
    body->readers = NULL;
    while (reader) {
        struct hoop__pending *next = reader->next_reader;
        hoop_body_fn *fn = reader->fn.body;
        hoop__pending_settle(
            reader, fn(reader->req, hoop__body_whole(body), (void *)(uintptr_t)reader->value));
        reader = next;
    }
}

static const struct hoop__body_sink collector = { collect, complete };

/* --- reading --------------------------------------------------------------------------------- */

static const hoop_response *read_later(const hoop_request *req, uint64_t limit, hoop_body_fn *fn,
                                       void *data)
{
    struct hoop__exchange *x = hoop__exchange_of(req);
    struct hoop__pending *step = hoop_alloc(req, sizeof *step);
    if (!step)
        return NULL;
    hoop__pending_init(step, req);
    step->fn.body = fn;
    step->value = data;
    step->limit = limit;
    struct hoop__pending **last = &x->body.readers;
    while (*last)
        last = &(*last)->next_reader;
    *last = step;
    hoop__body_read(x, &collector, HOOP__LENGTH_UNKNOWN); /* unless others read already */
    return &step->res.pub;
}

const hoop_response *hoop_read_body(const hoop_request *req, uint64_t limit, hoop_body_fn *fn,
                                    void *data)
{
    struct hoop__exchange *x = req ? hoop__exchange_of(req) : NULL;
    if (!x)
        return hoop_fail(req, HOOP_EINVAL, "this request has no exchange to read a body from");
    if (!hoop__on_loop(req))
        return hoop_fail(req, HOOP_ETHREAD, "hoop_read_body() belongs on the loop's thread");
    limit = hoop__body_limit(x, limit);
    struct hoop__body *body = &x->body;
    switch (body->state) {
    case HOOP__BODY_ABSENT:
        return fn(req, hoop_str_c(""), data);
    case HOOP__BODY_COMPLETE:
        return body->len > limit ? hoop__body_too_large(req, limit)
                                 : fn(req, hoop__body_whole(body), data);
    case HOOP__BODY_REFUSED:
        return hoop_fail(req, HOOP_ETOOBIG, "the body was refused before");
    case HOOP__BODY_CONSUMED:
        return hoop_fail(req, HOOP_EALREADY, "the body was read as a stream");
    case HOOP__BODY_READING:
        if (body->sink != &collector)
            return hoop_fail(req, HOOP_EALREADY, "the body is being read as a stream");
        break;
    case HOOP__BODY_COMING:
        break;
    }
    if ((body->length != HOOP__LENGTH_UNKNOWN && body->length > limit) || body->len > limit)
        return hoop__body_too_large(req, limit);
    return read_later(req, limit, fn, data);
}

hoop_str hoop_body(const hoop_request *req)
{
    struct hoop__exchange *x = req ? hoop__exchange_of(req) : NULL;
    return x && x->body.state == HOOP__BODY_COMPLETE ? hoop__body_whole(&x->body) : hoop_str_none();
}

int hoop_has_body(const hoop_request *req)
{
    struct hoop__exchange *x = req ? hoop__exchange_of(req) : NULL;
    return x && x->body.state != HOOP__BODY_ABSENT;
}

hoop_str hoop_trailer(const hoop_request *req, const char *name)
{
    struct hoop__exchange *x = req ? hoop__exchange_of(req) : NULL;
    if (!x || !name)
        return hoop_str_none();
    size_t i = hoop__field_find(x->body.trailers, x->body.trailer_count, 0, hoop_str_c(name));
    return i < x->body.trailer_count ? x->body.trailers[i].value : hoop_str_none();
}
