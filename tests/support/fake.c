/* The hand-driven loop and the engine without a protocol; see fake.h. */
#include "fake.h"

#include <stdio.h>

/* --- the loop's driver ----------------------------------------------------------------------- */

static struct fake *fake_of(struct hoop_loop *loop)
{
    return (struct fake *)(void *)loop;
}

static void wake(struct hoop_loop *loop)
{
    /* Relaxed, so that this counter hides no missing order from the thread sanitizer. */
    atomic_fetch_add_explicit(&fake_of(loop)->wakes, 1, memory_order_relaxed);
}

static void rearm(struct hoop_loop *loop, uint64_t due)
{
    (void)due;
    fake_of(loop)->rearms++;
    loop->armed = HOOP__NEVER;
}

static int block(struct hoop_loop *loop, struct hoop__job *job)
{
    struct fake *fake = fake_of(loop);
    if (!fake->block_code)
        fake->job = job;
    return fake->block_code;
}

static const struct hoop__loop_ops loop_ops = { wake, rearm, block };

static void log_line(int level, const char *text, void *data)
{
    struct fake *fake = data;
    size_t len = strlen(fake->log);
    snprintf(fake->log + len, sizeof fake->log - len, "%d %s\n", level, text);
}

static int64_t wall(struct hoop_loop *loop)
{
    return fake_of(loop)->wall;
}

static const hoop_response *call_handler(const hoop_request *req, void *data)
{
    return hoop_call(((struct fake *)data)->handler, req);
}

int fake_init_on(struct fake *fake, const hoop_allocator *allocator)
{
    memset(fake, 0, sizeof *fake);
    test_allocator_init(&fake->allocator);
    hoop__limits_fill(&fake->limits, NULL, 0);
    fake->service.limits = &fake->limits;
    fake->service.root = hoop_fn(call_handler, fake);
    int rc = hoop__loop_init(&fake->loop, &loop_ops, allocator ? allocator : &fake->allocator.hoop,
                             &fake->limits, /* now= */ 1000);
    if (rc)
        return rc;
    fake->wall = 784111777; /* Sun, 06 Nov 1994 08:49:37 GMT */
    fake->loop.wall = wall;
    fake->loop.log = log_line;
    fake->loop.log_data = fake;
    return 0;
}

void fake_init(struct fake *fake)
{
    assert_int_equal(fake_init_on(fake, NULL), 0);
}

void fake_close(struct fake *fake)
{
    hoop__loop_close(&fake->loop);
    hoop__exchange_orphan_all(&fake->loop);
}

void fake_done(struct fake *fake)
{
    fake_close(fake);
    hoop__loop_done(&fake->loop);
    assert_int_equal(fake->allocator.live, 0);
}

void fake_turn(struct fake *fake)
{
    hoop__loop_enter(&fake->loop);
    do {
        hoop__loop_mail(&fake->loop);
        hoop__loop_turn(&fake->loop);
    } while (hoop__loop_has_ready(&fake->loop));
}

void fake_advance(struct fake *fake, uint64_t ms)
{
    uint64_t until = fake->loop.now + ms;
    fake_turn(fake);
    for (;;) {
        uint64_t next = hoop__wheel_next(&fake->loop.timers);
        if (next > until)
            break;
        fake->loop.now = next;
        hoop__wheel_run(&fake->loop.timers, next);
        fake_turn(fake);
    }
    fake->loop.now = until;
    hoop__wheel_run(&fake->loop.timers, until);
}

/* --- the engine ------------------------------------------------------------------------------ */

static struct fake_exchange *exchange_of(struct hoop__exchange *x)
{
    return (struct fake_exchange *)(void *)x;
}

static void respond(struct hoop__exchange *x, const struct hoop__response *res)
{
    struct fake_exchange *fx = exchange_of(x);
    fx->responses++;
    fx->response = res;
    fake_render(&res->pub, fx->fake->sent, sizeof fx->fake->sent);
}

static void want_body(struct hoop__exchange *x)
{
    exchange_of(x)->wants++;
}

static void resume(struct hoop__exchange *x)
{
    exchange_of(x)->resumes++;
}

static const struct hoop__exchange_ops exchange_ops = { respond, want_body, resume };

struct fake_exchange *fake_make(struct fake *fake, const char *method, const char *uri)
{
    struct fake_exchange *fx = hoop__block_get(&fake->loop.blocks);
    if (!fx)
        return NULL;
    memset(fx, 0, sizeof *fx);
    fx->fake = fake;
    hoop__exchange_init(&fx->x, &exchange_ops, &fake->loop, &fake->service, fx, sizeof *fx);
    hoop_request *req = &fx->x.request.pub;
    req->method = hoop_str_c(method);
    req->method_number = hoop__method_number(req->method);
    req->scheme = hoop_str_c("http");
    req->protocol = hoop_str_c("HTTP/1.1");
    req->uri = hoop_str_c(uri);
    req->query_string = hoop_str_none();
    return fx;
}

void fake_body(struct fake_exchange *fx, uint64_t length)
{
    fx->x.body.state = HOOP__BODY_COMING;
    fx->x.body.length = length;
}

void fake_feed(struct fake_exchange *fx, const char *text)
{
    hoop__exchange_body(&fx->x, text, strlen(text));
}

void fake_dispatch(struct fake_exchange *fx, hoop_handler_fn *fn, void *data)
{
    fx->fake->sent[0] = 0;
    fx->fake->handler = hoop_fn(fn, data);
    hoop__loop_enter(fx->x.loop);
    hoop__exchange_dispatch(&fx->x);
}

struct fake_exchange *fake_get(struct fake *fake, hoop_handler_fn *fn, void *data)
{
    struct fake_exchange *fx = fake_make(fake, "GET", "/");
    assert_non_null(fx);
    fake_dispatch(fx, fn, data);
    return fx;
}

void fake_end(struct fake_exchange *fx, int code)
{
    hoop__exchange_end(&fx->x, code);
}

/* --- asserting ------------------------------------------------------------------------------- */

static size_t add(char *out, size_t at, size_t cap, const char *data, size_t len)
{
    if (at + len >= cap)
        fail_msg("a response of more than %zu bytes", cap);
    memcpy(out + at, data, len);
    out[at + len] = 0;
    return at + len;
}

void fake_render(const hoop_response *res, char *out, size_t cap)
{
    size_t at = (size_t)snprintf(out, cap, "%d\n", (int)res->status);
    for (size_t i = 0; i < res->header_count; i++) {
        const hoop_field *field = &res->headers[i];
        at = add(out, at, cap, field->name.data, field->name.len);
        at = add(out, at, cap, ": ", 2);
        at = add(out, at, cap, field->value.data, field->value.len);
        at = add(out, at, cap, "\n", 1);
    }
    if (res->body_kind == HOOP_BODY_NONE)
        add(out, at, cap, "(no body)", 9);
    else if (res->body_kind == HOOP_BODY_STREAM)
        add(out, at, cap, "(stream)", 8);
    else if (res->body.len < 4096)
        add(out, add(out, at, cap, "\n", 1), cap, res->body.data, res->body.len);
}

void test_assert_response(const hoop_response *res, const char *want, const char *file, int line)
{
    char got[8192];
    if (!res)
        strcpy(got, "NULL");
    else if (hoop_is_pass(res))
        strcpy(got, "pass");
    else if (hoop_is_pending(res))
        strcpy(got, "pending");
    else
        fake_render(res, got, sizeof got);
    test_assert_bytes(got, strlen(got), want, strlen(want), file, line);
}

void test_assert_noted(const hoop_request *req, int code, const char *text, const char *file,
                       int line)
{
    const hoop_error *note = hoop_failure(req);
    char got[400] = "no note", want[400];
    if (note)
        snprintf(got, sizeof got, "%s: %s", hoop_err_name(note->code), note->text);
    snprintf(want, sizeof want, "%s: %s", hoop_err_name(code), text);
    test_assert_bytes(got, strlen(got), want, strlen(want), file, line);
}
