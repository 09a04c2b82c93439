/* The driver of middleware tests; see middleware.h. */
#include "middleware.h"

#include "fake.h"

#include <stdio.h>

enum mode { INLINE, DEFERRED, CANCELLED, FAILED, DROPPED, PASSED };

static const char *const mode_names[] = { "inline", "deferred", "cancelled",
                                          "failed", "dropped",  "passed" };

struct run {
    const struct middleware_case *one;
    enum mode mode;
    int calls; /* of the handler */
    const hoop_request *req;
    hoop_deferred *deferred;
};

/* --- the handler further in ------------------------------------------------------------------ */

struct bytes {
    struct hoop__source source;
    const char *text;
};

static int pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct bytes *bytes = (struct bytes *)(void *)source;
    size_t len = strlen(bytes->text);
    if (len > cap)
        len = cap;
    memcpy(buffer, bytes->text, len);
    bytes->text += len;
    *ret_len = len;
    return *bytes->text ? 0 : HOOP_EOF;
}

static void finished(struct hoop__source *source, int code)
{
    (void)source;
    (void)code;
}

static const hoop_response *body_of(const hoop_request *req, int status, const char *text,
                                    int streamed)
{
    if (!streamed)
        return *text ? hoop_bytes_static(req, status, NULL, hoop_str_c(text))
                     : hoop_respond(req, status);
    struct bytes *bytes = hoop_alloc(req, sizeof *bytes);
    if (!bytes)
        return NULL;
    memset(bytes, 0, sizeof *bytes);
    bytes->source.pull = pull;
    bytes->source.finished = finished;
    bytes->source.length = UINT64_MAX;
    bytes->text = text;
    return hoop__respond_source(req, status, NULL, &bytes->source);
}

const hoop_response *middleware_response(const hoop_request *req, const char *text, int streamed)
{
    const char *body = strstr(text, "\n\n");
    const hoop_response *res = body_of(req, atoi(text), body ? body + 2 : "", streamed);
    const char *end = body ? body : text + strlen(text);
    for (const char *line = memchr(text, '\n', (size_t)(end - text)); line && line < end;) {
        char pair[1024];
        const char *stop = memchr(line + 1, '\n', (size_t)(end - line - 1));
        snprintf(pair, sizeof pair, "%.*s", (int)((stop ? stop : end) - line - 1), line + 1);
        char *value = strstr(pair, ": ");
        if (value)
            *value = 0;
        res = hoop_add_header(req, res, pair, value ? value + 2 : "");
        line = stop;
    }
    return res;
}

static const hoop_response *answer(const hoop_request *req, const struct middleware_case *one)
{
    if (one->inner)
        return one->inner(req, NULL);
    return middleware_response(req, one->answer ? one->answer : "200\n\nok", one->streamed);
}

static void resolve(void *data)
{
    struct run *run = data;
    if (run->mode == DROPPED)
        hoop_deferred_drop(run->deferred);
    else
        hoop_resolve(run->deferred, answer(hoop_deferred_request(run->deferred), run->one));
}

static void client_leaves(void *data)
{
    struct run *run = data;
    hoop__exchange_cancel(hoop__exchange_of(run->req));
}

static const hoop_response *answer_later(const hoop_request *req, struct run *run)
{
    run->req = req;
    run->deferred = hoop_defer(req);
    if (!run->deferred)
        return NULL;
    const hoop_response *res = hoop_deferred_response(run->deferred);
    assert_int_equal(hoop_run_after(req, 10, resolve, run), 0);
    if (run->mode == CANCELLED)
        assert_int_equal(hoop_run_after(req, 5, client_leaves, run), 0);
    return res;
}

static const hoop_response *handle(const hoop_request *req, void *data)
{
    struct run *run = data;
    run->calls++;
    switch (run->mode) {
    case FAILED:
        return hoop_fail(req, HOOP_EINVAL, "broken on purpose");
    case PASSED:
        return hoop_pass(req);
    case DEFERRED:
    case CANCELLED:
    case DROPPED:
        return answer_later(req, run);
    case INLINE:
        break;
    }
    return answer(req, run->one);
}

/* --- running --------------------------------------------------------------------------------- */

const hoop_request *middleware_request(hoop_arena *arena, const struct middleware_case *one)
{
    const hoop_request *req =
        hoop_mock(arena, one->method ? one->method : "GET", one->uri ? one->uri : "/", one->body);
    for (const char *line = one->headers; line && req;) {
        char pair[1024];
        const char *stop = strchr(line, '\n');
        snprintf(pair, sizeof pair, "%.*s", stop ? (int)(stop - line) : (int)strlen(line), line);
        char *value = strstr(pair, ": ");
        if (value)
            *value = 0;
        req = hoop_mock_header(req, pair, value ? value + 2 : "");
        line = stop ? stop + 1 : NULL;
    }
    return req;
}

static hoop_handler build(hoop_arena *app, const hoop_middleware *chain, size_t count,
                          struct run *run)
{
    hoop_handler handler = hoop_fn(handle, run);
    hoop_error error = { 0, "" };
    if (hoop_chain_new(app, chain, count, handler, &handler, &error))
        fail_msg("the chain can't be built: %s", error.text);
    return handler;
}

const hoop_response *middleware_answer(hoop_arena *arena, const hoop_middleware *chain,
                                       size_t count, const struct middleware_case *one)
{
    struct run *run = hoop_arena_zalloc(arena, sizeof *run);
    run->one = one;
    return hoop_call_sync(build(arena, chain, count, run), middleware_request(arena, one));
}

static void check_text(const struct run *run, size_t index, const hoop_response *res,
                       const char *want)
{
    static char got[65536];
    fake_render(res, got, sizeof got);
    if (strcmp(got, want))
        fail_msg("case %zu (%s %s), %s:\n--- got\n%s\n--- want\n%s", index,
                 run->one->method ? run->one->method : "GET", run->one->uri ? run->one->uri : "/",
                 mode_names[run->mode], got, want);
}

/* What a failure, or a pass, must have become on its way out. */
static void check_other(const struct run *run, size_t index, const hoop_response *res)
{
    const char *want = run->mode == PASSED ? run->one->passed : run->one->failed;
    if (want)
        check_text(run, index, res, want);
    else if (run->mode == PASSED ? !hoop_is_pass(res) : res != NULL)
        check_text(run, index, res, run->mode == PASSED ? "a pass" : "a failure");
}

static void run_case(const hoop_middleware *chain, size_t count, const struct middleware_case *one,
                     size_t index)
{
    int calls = 0;
    for (enum mode mode = INLINE; mode <= (calls ? PASSED : INLINE); mode++) {
        hoop_arena *app = hoop_arena_new(), *arena = hoop_arena_new();
        struct run run = { .one = one, .mode = mode };
        hoop_handler handler = build(app, chain, count, &run);
        const hoop_request *req = middleware_request(arena, one);
        const hoop_response *res = hoop_call_sync(handler, req);
        if (mode <= CANCELLED)
            check_text(&run, index, res, one->want);
        else
            check_other(&run, index, res);
        calls = run.calls;
        hoop_arena_free(arena);
        hoop_arena_free(app);
    }
}

void test_middleware(const hoop_middleware *chain, size_t count,
                     const struct middleware_case *cases, size_t case_count)
{
    for (size_t i = 0; i < case_count; i++)
        run_case(chain, count, &cases[i], i);
}

/* --- lack of memory -------------------------------------------------------------------------- */

struct memory {
    const hoop_middleware *chain;
    size_t count;
    const struct middleware_case *one;
    enum mode mode;
};

static void run_tight(struct test_allocator *allocator, void *data)
{
    const struct memory *memory = data;
    hoop_arena_options options = { &allocator->hoop, 0, 1 };
    hoop_arena *arena = hoop_arena_new_with(&options);
    struct run run = { .one = memory->one, .mode = memory->mode };
    hoop_handler handler = hoop_fn(handle, &run);
    hoop_error error = { 0, "" };
    if (!arena)
        return;
    int rc = hoop_chain_new(arena, memory->chain, memory->count, handler, &handler, &error);
    const hoop_request *req = rc ? NULL : middleware_request(arena, memory->one);
    const hoop_response *res = req ? hoop_call_sync(handler, req) : NULL;
    if (rc)
        assert_int_equal(rc, HOOP_ENOMEM);
    else if (res && res->status != 503) /* 503: a failure's answer that somebody has changed */
        check_text(&run, 0, res, memory->one->want);
    else if (res)
        assert_true(allocator->count >= allocator->fail_at);
    else if (req)
        assert_int_equal(hoop_mock_failure(req)->code, HOOP_ENOMEM);
    hoop_arena_free(arena);
}

void test_middleware_memory(const hoop_middleware *chain, size_t count,
                            const struct middleware_case *one)
{
    struct memory memory = { chain, count, one, INLINE };
    test_each_allocation(run_tight, &memory);
}

void test_middleware_refused(const hoop_middleware *chain, size_t count, int code, const char *text)
{
    hoop_arena *app = hoop_arena_new();
    hoop_handler handler = hoop_fn(handle, NULL);
    hoop_error error = { 0, "" };
    assert_int_equal(hoop_chain_new(app, chain, count, handler, &handler, &error), code);
    assert_string_equal(error.text, text);
    hoop_arena_free(app);
}
