/* Calling a handler with a mock request and waiting for what would be sent. */
#include "handler/mock.h"
#include "handler/node.h"

#include <string.h>

/* --- the engine's side of a mock exchange ---------------------------------------------------- */

static void respond(struct hoop__exchange *x, const struct hoop__response *res)
{
    ((struct hoop__mock_exchange *)(void *)x)->response = res;
}

static void want_body(struct hoop__exchange *x)
{
    (void)x; /* whoever delivers looks at the credit again behind each turn */
}

static void resume(struct hoop__exchange *x)
{
    ((struct hoop__mock_exchange *)(void *)x)->pull.resumed = 1;
}

const struct hoop__exchange_ops hoop__mock_ops = { respond, want_body, resume };

/* --- the request's body ---------------------------------------------------------------------- */

/* Delivers the next piece of the body, or its end. Nonzero if there was one. */
static int deliver_some(struct hoop__mock_exchange *mx)
{
    struct hoop__body *body = &mx->x.body;
    size_t n = mx->body.len - mx->delivered;
    if (mx->ended || body->state != HOOP__BODY_READING)
        return 0;
    if (!body->credit && n) {
        mx->world->pauses += !mx->paused;
        mx->paused = 1;
        return 0;
    }
    mx->paused = 0;
    if (!n) {
        mx->ended = 1;
        hoop__exchange_body_end(&mx->x, mx->trailers, mx->trailer_count);
        return 1;
    }
    if (mx->chunk && n > mx->chunk)
        n = mx->chunk;
    if (n > body->credit)
        n = (size_t)body->credit;
    const char *data = mx->body.data + mx->delivered;
    mx->delivered += n;
    hoop__exchange_body(&mx->x, data, n);
    return 1;
}

/* --- streams --------------------------------------------------------------------------------- */

struct collected {
    struct hoop__mock_exchange *mx;
    char *data;
    size_t len, cap;
    int code; /* as of hoop__pull_some() */
};

static int make_room(struct collected *c)
{
    if (c->cap - c->len >= 4096)
        return 0;
    size_t cap = c->cap * 2 + 8192;
    char *grown = hoop__arena_resize(c->mx->x.arena, c->data, c->cap, cap);
    if (!grown)
        return HOOP_ENOMEM;
    c->data = grown;
    c->cap = cap;
    return 0;
}

/* Pulls until the source ends, fails, or has nothing now. Nonzero when there is nothing to wait for. */
static int collect_some(void *data)
{
    struct collected *c = data;
    int moved;
    do {
        size_t len = 0;
        c->code = make_room(c);
        if (!c->code)
            c->code = hoop__pull_some(&c->mx->pull, c->data + c->len, c->cap - c->len - 1, &len);
        c->len += len;
        moved = c->code == HOOP__PULL_WAIT && deliver_some(c->mx);
        if (moved)
            hoop__world_turn(c->mx->world);
    } while (c->code == HOOP__PULL_MORE || moved);
    return c->code != HOOP__PULL_WAIT;
}

/* The whole of a source; absent if it failed. Runs `finished`. */
static hoop_str collect(struct hoop__mock_exchange *mx, struct hoop__source *source)
{
    struct collected c = { .mx = mx };
    memset(&mx->pull, 0, sizeof mx->pull);
    mx->pull.source = source;
    hoop__pull_begin(&mx->pull, &mx->x);
    int rc = hoop__world_run(mx->world, &mx->x, collect_some, &c);
    if (!rc)
        rc = c.code == HOOP__PULL_DONE ? mx->pull.end_code : c.code;
    hoop__pull_finish(&mx->pull, rc);
    if (rc) {
        hoop_error_set(&mx->world->failure, rc, "the response's stream failed: %s",
                       hoop_strerror(rc));
        return hoop_str_none();
    }
    c.data[c.len] = 0;
    mx->x.body_out = c.len;
    return hoop_str_n(c.data, c.len);
}

/* Where the trailers of a collected response are. */
static const char trailers_key;

/* The response with its stream's bytes in place of the stream. */
static const hoop_response *collected(struct hoop__mock_exchange *mx,
                                      const struct hoop__response *res)
{
    hoop_str bytes = collect(mx, res->source);
    if (hoop_str_is_none(bytes))
        return NULL;
    struct hoop__response *copy = hoop_arena_alloc(mx->x.arena, sizeof *copy);
    if (!copy) {
        hoop_error_set(&mx->world->failure, HOOP_ENOMEM, "out of memory");
        return NULL;
    }
    *copy = *res;
    struct hoop__attribute *attribute = hoop_arena_alloc(mx->x.arena, sizeof *attribute);
    if (!attribute) {
        hoop_error_set(&mx->world->failure, HOOP_ENOMEM, "out of memory");
        return NULL;
    }
    *attribute = (struct hoop__attribute){ res->attributes, &trailers_key, res->source->trailers };
    copy->attributes = attribute;
    copy->source = NULL;
    copy->pub.body = bytes;
    copy->pub.body_kind = HOOP_BODY_BYTES;
    return &copy->pub;
}

/* --- calling --------------------------------------------------------------------------------- */

/* Delivers the body while somebody reads it. Nonzero when the outcome is there. */
static int step(void *data)
{
    struct hoop__mock_exchange *mx = data;
    while (!mx->x.responded && deliver_some(mx))
        hoop__world_turn(mx->world);
    return mx->x.responded;
}

/* What was given to the engine, but failures and passes as the handler gave them. */
static const hoop_response *outcome(struct hoop__mock_exchange *mx, int rc)
{
    hoop_error *failure = &mx->world->failure;
    const struct hoop__response *res = mx->response;
    const hoop_request *req = &mx->x.request.pub;
    if (rc) {
        hoop_error_set(failure, HOOP_ETIMEDOUT,
                       "the handler never answered %s %s: nothing is left that could make it",
                       req->method.data, req->uri.data);
        return NULL;
    }
    if (res == hoop__canned(404))
        return hoop_pass(req);
    if (!res->pub.arena) { /* one of the constants that stand for a failure */
        int code = mx->x.note ? mx->x.note->code : HOOP_ENORESPONSE;
        hoop_error_set(failure, code, "%s", mx->x.note ? mx->x.note->text : hoop_strerror(code));
        return NULL;
    }
    return res->source ? collected(mx, res) : &res->pub;
}

const hoop_response *hoop_call_sync(hoop_handler handler, const hoop_request *req)
{
    if (!req || !hoop__is_mock(req))
        return NULL;
    struct hoop__world *world = hoop__mock_of(req)->world;
    struct hoop__mock_exchange *mx = hoop__mock_fork(req);
    hoop_error_set(&world->failure, mx ? 0 : HOOP_ENOMEM, "%s", mx ? "" : "out of memory");
    if (!mx)
        return NULL;
    mx->handler = handler;
    mx->service = world->service;
    mx->service.root = hoop_fn(hoop__root_fn, &mx->handler);
    mx->x.service = &mx->service;
    if (mx->x.body.state == HOOP__BODY_COMPLETE) {
        memset(&mx->x.body, 0, sizeof mx->x.body);
        mx->x.body.state = HOOP__BODY_COMING;
        mx->x.body.length = mx->trailer_count ? HOOP__LENGTH_UNKNOWN : mx->body.len;
    }
    world->pauses = 0;
    hoop__loop_enter(&world->loop);
    hoop__exchange_dispatch(&mx->x);
    const hoop_response *res = outcome(mx, hoop__world_run(world, &mx->x, step, mx));
    if (res && res->body_kind == HOOP_BODY_BYTES)
        mx->x.body_out = res->body.len;
    hoop__exchange_end(&mx->x, world->failure.code);
    return res;
}

const hoop_error *hoop_mock_failure(const hoop_request *req)
{
    static const hoop_error none = { HOOP_EINVAL, "the request was not made by hoop_mock()" };
    return req && hoop__is_mock(req) ? &hoop__mock_of(req)->world->failure : &none;
}

uint32_t hoop_mock_pauses(const hoop_request *req)
{
    return req && hoop__is_mock(req) ? hoop__mock_of(req)->world->pauses : 0;
}

hoop_str hoop_response_trailer(const hoop_response *res, const char *name)
{
    if (!res || !name || hoop_is_pending(res))
        return hoop_str_none();
    const struct hoop__trailer *t = hoop_response_get(res, &trailers_key);
    while (t && !hoop_str_eq_nocase(t->field.name, hoop_str_c(name)))
        t = t->next;
    return t ? t->field.value : hoop_str_none();
}

hoop_str hoop_response_read(const hoop_request *req, const hoop_response *res)
{
    if (!req || !res || hoop_is_pending(res))
        return hoop_str_none();
    struct hoop__source *source = hoop__response_of(res)->source;
    if (source)
        return hoop__is_mock(req) ? collect(hoop__mock_of(req), source) : hoop_str_none();
    return res->body_kind == HOOP_BODY_BYTES ? res->body : hoop_str_c("");
}
