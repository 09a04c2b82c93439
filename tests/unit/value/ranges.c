/* Responses cut to what was asked for: bytes, sources that seek, every status and header. */
#include "support.h"

#include "value/response.h"

#include <hoop/deferred.h>
#include <hoop/mock.h>
#include <hoop/range.h>

#include <stdio.h>

#define BODY "0123456789abcdefghijklmnopqrstuvwxyzABCD" /* 40 bytes */
#define SIZE 40
#define LAST "Sun, 06 Nov 1994 08:49:37 GMT"

/* How the handler answers. */
struct answer {
    int status;
    int kind; /* 0 bytes, 1 a source that seeks, 2 one that doesn't, 3 one without length, 4 no body */
    int pending;
    const char *etag, *modified, *accept_ranges;
};

struct seekable {
    struct hoop__source source;
    size_t at, end;
    int seeks, finished;
};

static struct seekable *last;
static int ends; /* sources that ended */

static int pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct seekable *s = (struct seekable *)source;
    size_t n = s->end - s->at;
    n = n < cap ? n : cap;
    n = n < 3 ? n : 3;
    memcpy(buffer, BODY + s->at, n);
    s->at += n;
    *ret_len = n;
    return s->at == s->end ? HOOP_EOF : 0;
}

static int seek(struct hoop__source *source, uint64_t offset, uint64_t length)
{
    struct seekable *s = (struct seekable *)source;
    s->at = (size_t)offset;
    s->end = (size_t)(offset + length);
    source->length = length;
    s->seeks++;
    return 0;
}

static void finished(struct hoop__source *source, int code)
{
    ((struct seekable *)source)->finished++;
    ends++;
}

static const struct hoop__source_extra seeks = { .seek = seek };

static const hoop_response *with_source(const hoop_request *req, const struct answer *a)
{
    struct seekable *s = hoop_alloc(req, sizeof *s);
    memset(s, 0, sizeof *s);
    s->end = SIZE;
    s->source.pull = pull;
    s->source.finished = finished;
    s->source.length = a->kind == 3 ? UINT64_MAX : SIZE;
    const hoop_response *res = hoop__respond_source(req, a->status, "text/x", &s->source);
    if (a->kind != 2)
        s->source.extra = &seeks;
    last = s;
    return res;
}

static const hoop_response *make(const hoop_request *req, const struct answer *a)
{
    const hoop_response *res =
        a->kind == 0   ? hoop_bytes_static(req, a->status, "text/x", hoop_str_n(BODY, SIZE))
        : a->kind == 4 ? hoop_respond(req, a->status)
                       : with_source(req, a);
    if (a->etag)
        res = hoop_with_header(req, res, "eTaG", a->etag);
    if (a->modified)
        res = hoop_with_header(req, res, "LAST-modified", a->modified);
    if (a->accept_ranges)
        res = hoop_with_header(req, res, "Accept-Ranges", a->accept_ranges);
    return hoop_with_header(req, res, "Vary", "X");
}

static const hoop_response *resolve_later(const hoop_request *req, const struct answer *a)
{
    hoop_deferred *d = hoop_defer(req);
    const hoop_response *res = hoop_deferred_response(d);
    hoop_resolve(d, make(hoop_deferred_request(d), a));
    return res;
}

static const hoop_response *handler(const hoop_request *req, void *data)
{
    const struct answer *a = data;
    return hoop_with_ranges(req, a->pending ? resolve_later(req, a) : make(req, a));
}

struct ask {
    const char *method, *name, *value, *name2, *value2;
};

static hoop_arena *arena;

/* All that the last exchange held goes. */
static void end(void)
{
    hoop_arena_free(arena);
    arena = NULL;
}

static const hoop_response *ask(const struct answer *a, struct ask q, hoop_str *ret_body)
{
    end();
    ends = 0;
    arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, q.method ? q.method : "GET", "/", NULL);
    if (q.name)
        req = hoop_mock_header(req, q.name, q.value);
    if (q.name2)
        req = hoop_mock_header(req, q.name2, q.value2);
    const hoop_response *res = hoop_call_sync(hoop_fn(handler, (void *)(uintptr_t)a), req);
    assert_non_null(res);
    if (ret_body)
        *ret_body = hoop_response_read(req, res);
    return res;
}

static void expect_header(const hoop_response *res, const char *name, const char *want)
{
    hoop_str got = hoop_response_header(res, name);
    if (!want)
        assert_true(hoop_str_is_none(got));
    else
        assert_str(got, want);
}

static void test_single(void **state)
{
    for (int kind = 0; kind < 2; kind++) {
        for (int pending = 0; pending < 2; pending++) {
            struct answer a = { 200, kind, pending, "\"v\"", LAST, NULL };
            hoop_str body;
            const hoop_response *res =
                ask(&a, (struct ask){ .name = "Range", .value = "bytes=2-10" }, &body);
            assert_int_equal(res->status, 206);
            assert_str(body, "23456789a");
            expect_header(res, "Content-Range", "bytes 2-10/40");
            expect_header(res, "Content-Type", "text/x");
            expect_header(res, "Accept-Ranges", "bytes");
            expect_header(res, "ETag", "\"v\"");
            expect_header(res, "Last-Modified", LAST);
            expect_header(res, "Vary", "X");
            res = ask(&a, (struct ask){ .name = "Range", .value = "bytes=-5" }, &body);
            assert_int_equal(res->status, 206);
            assert_str(body, "zABCD");
            res = ask(&a, (struct ask){ 0 }, &body);
            assert_int_equal(res->status, 200);
            assert_str(body, BODY);
            expect_header(res, "Accept-Ranges", "bytes");
            expect_header(res, "Content-Range", NULL);
        }
    }
}

static void test_several(void **state)
{
    for (int kind = 0; kind < 2; kind++) {
        struct answer a = { 200, kind, 0, NULL, NULL, NULL };
        hoop_str body;
        const hoop_response *res =
            ask(&a, (struct ask){ .name = "Range", .value = "bytes=30-, 0-4,6-6" }, &body);
        assert_int_equal(res->status, 206);
        expect_header(res, "Content-Range", NULL);
        hoop_str type = hoop_response_header(res, "Content-Type");
        const char *multipart = "multipart/byteranges; boundary=";
        assert_memory_equal(type.data, multipart, strlen(multipart));
        const char *boundary = type.data + strlen(multipart);
        assert_int_equal(strlen(boundary), 24);
        char want[1024];
        snprintf(want, sizeof want,
                 "--%s\r\nContent-Type: text/x\r\nContent-Range: bytes 30-39/40\r\n\r\nuvwxyzABCD"
                 "\r\n--%s\r\nContent-Type: text/x\r\nContent-Range: bytes 0-4/40\r\n\r\n01234"
                 "\r\n--%s\r\nContent-Type: text/x\r\nContent-Range: bytes 6-6/40\r\n\r\n6"
                 "\r\n--%s--\r\n",
                 boundary, boundary, boundary, boundary);
        assert_str(body, want);
        if (kind) {
            assert_int_equal(last->seeks, 3);
            assert_int_equal(last->finished, 1);
        }
    }
}

static void test_not_satisfiable(void **state)
{
    for (int kind = 0; kind < 2; kind++) {
        struct answer a = { 200, kind, 0, NULL, NULL, NULL };
        const hoop_response *res =
            ask(&a, (struct ask){ .name = "Range", .value = "bytes=40-" }, NULL);
        assert_int_equal(res->status, 416);
        expect_header(res, "Content-Range", "bytes */40");
    }
}

static void expect_whole(const struct answer *a, struct ask q)
{
    hoop_str body;
    const hoop_response *res = ask(a, q, &body);
    assert_int_equal(res->status, a->status);
    expect_header(res, "Content-Range", NULL);
    if (a->kind != 4)
        assert_str(body, BODY);
}

static void test_ignored(void **state)
{
    const struct ask part = { .name = "Range", .value = "bytes=0-1" };
    for (int kind = 0; kind < 5; kind++) {
        struct answer a = { 200, kind, 0, "\"v\"", NULL, NULL };
        if (kind > 1)
            expect_whole(&a, part);
        expect_whole(&a, (struct ask){ .name = "Range", .value = "bytes=a" });
        expect_whole(&a, (struct ask){ "GET", "Range", "bytes=0-1", "Range", "bytes=2-3" });
        expect_whole(&a, (struct ask){ "HEAD", "Range", "bytes=0-1", NULL, NULL });
        expect_whole(&a, (struct ask){ "HEAD", "Range", "bytes=99-", NULL, NULL });
        expect_whole(&a, (struct ask){ "POST", "Range", "bytes=0-1", "If-Match", "\"w\"" });
        expect_whole(&a, (struct ask){ "GET", "Range", "bytes=0-1", "If-Range", "\"w\"" });
        a.status = 404;
        expect_whole(&a, (struct ask){ "GET", "Range", "bytes=0-1", "If-None-Match", "\"v\"" });
    }
    struct answer a = { 200, 0, 0, NULL, NULL, "none" };
    expect_whole(&a, part);
}

static void test_if_range(void **state)
{
    struct answer a = { 200, 1, 0, "\"v\"", LAST, NULL };
    static const struct {
        const char *value;
        int status;
    } cases[] = { { "\"v\"", 206 },
                  { "W/\"v\"", 200 },
                  { LAST, 206 },
                  { "Sun, 06 Nov 1994 08:49:38 GMT", 200 },
                  { "no", 200 } };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++)
        assert_int_equal(
            ask(&a, (struct ask){ "GET", "Range", "bytes=0-1", "If-Range", cases[i].value }, NULL)
                ->status,
            cases[i].status);
}

static void test_not_modified(void **state)
{
    for (int kind = 0; kind < 5; kind++) {
        for (int head = 0; head < 2; head++) {
            struct answer a = { 200, kind, kind & 1, "\"v\"", LAST, NULL };
            const hoop_response *res = ask(&a,
                                           (struct ask){ head ? "HEAD" : "GET", "If-None-Match",
                                                         "W/\"v\"", "Range", "bytes=0-1" },
                                           NULL);
            assert_int_equal(res->status, 304);
            assert_int_equal(res->body_kind, HOOP_BODY_NONE);
            expect_header(res, "ETag", "\"v\"");
            expect_header(res, "Last-Modified", LAST);
            expect_header(res, "Vary", "X");
            expect_header(res, "Content-Type", NULL);
            expect_header(res, "Accept-Ranges", NULL);
            end();
            assert_int_equal(ends, kind > 0 && kind < 4);
        }
    }
    struct answer a = { 200, 0, 0, "\"v\"", LAST, NULL };
    assert_int_equal(
        ask(&a, (struct ask){ "GET", "If-Modified-Since", LAST, NULL, NULL }, NULL)->status, 304);
    assert_int_equal(
        ask(&a, (struct ask){ "GET", "If-Modified-Since", LAST, "If-None-Match", "\"w\"" }, NULL)
            ->status,
        200);
    assert_int_equal(
        ask(&a, (struct ask){ "GET", "If-None-Match", "\"w\"", "If-None-Match", "\"v\"" }, NULL)
            ->status,
        304);
}

static void test_failed(void **state)
{
    struct answer a = { 200, 1, 0, "\"v\"", LAST, NULL };
    const hoop_response *res =
        ask(&a, (struct ask){ "GET", "If-Match", "\"w\"", NULL, NULL }, NULL);
    assert_int_equal(res->status, 412);
    expect_header(res, "ETag", NULL);
    end();
    assert_int_equal(ends, 1);
    assert_int_equal(ask(&a, (struct ask){ "GET", "If-Match", "\"v\"", NULL, NULL }, NULL)->status,
                     200);
    assert_int_equal(ask(&a,
                         (struct ask){ "GET", "If-Unmodified-Since",
                                       "Sun, 06 Nov 1994 08:49:36 GMT", NULL, NULL },
                         NULL)
                         ->status,
                     412);
}

static const hoop_response *frozen_handler(const hoop_request *req, void *data)
{
    return hoop_with_ranges(req, data);
}

static void test_frozen(void **state)
{
    hoop_arena *app = hoop_arena_new();
    const hoop_request *maker = hoop_app_request(app);
    const hoop_response *constant = hoop_freeze(
        app, hoop_with_header(maker, hoop_bytes(maker, 200, "text/x", hoop_str_n(BODY, SIZE)),
                              "ETag", "\"v\""));
    hoop_handler h = hoop_fn(frozen_handler, (void *)(uintptr_t)constant);
    const hoop_request *req = hoop_mock(app, "GET", "/", NULL);
    const hoop_response *res = hoop_call_sync(h, hoop_mock_header(req, "Range", "bytes=1-2"));
    assert_int_equal(res->status, 206);
    assert_str(res->body, "12");
    assert_true(hoop_str_is_none(hoop__response_of(res)->head));
    assert_str(constant->body, BODY);
    res = hoop_call_sync(h, hoop_mock_header(req, "If-None-Match", "*"));
    assert_int_equal(res->status, 304);
    hoop_arena_free(app);
}

static int asked;

static const hoop_response *precondition(const hoop_request *req, void *data)
{
    const char *etag = data;
    asked = hoop_precondition(req, etag, etag ? HOOP_NO_TIME : HOOP_NO_TIME);
    return hoop_respond(req, asked ? asked : 204);
}

static int check(const char *method, const char *etag, const char *name, const char *value)
{
    hoop_arena *a = hoop_arena_new();
    const hoop_request *req = hoop_mock(a, method, "/", NULL);
    hoop_call_sync(hoop_fn(precondition, (void *)(uintptr_t)etag),
                   hoop_mock_header(req, name, value));
    hoop_arena_free(a);
    return asked;
}

static void test_precondition(void **state)
{
    assert_int_equal(check("PUT", "\"v\"", "If-Match", "\"v\""), 0);
    assert_int_equal(check("PUT", "\"v\"", "If-Match", "\"w\""), 412);
    assert_int_equal(check("PUT", "\"v\"", "If-Match", "*"), 0);
    assert_int_equal(check("PUT", NULL, "If-Match", "*"), 412);
    assert_int_equal(check("PUT", "\"v\"", "If-None-Match", "*"), 412);
    assert_int_equal(check("PUT", NULL, "If-None-Match", "*"), 0);
    assert_int_equal(check("GET", "\"v\"", "If-None-Match", "\"v\""), 304);
    assert_int_equal(check("HEAD", "\"v\"", "If-None-Match", "\"v\""), 304);
    assert_int_equal(check("DELETE", "\"v\"", "If-None-Match", "\"v\""), 412);
    assert_int_equal(check("OPTIONS", "\"v\"", "If-Match", "\"w\""), 0);
    assert_int_equal(check("PUT", "unquoted", "If-Match", "\"w\""), 0);
    assert_int_equal(hoop_precondition(NULL, NULL, 0), 0);
    assert_null(hoop_with_ranges(NULL, NULL));
}

static void each_allocation(struct test_allocator *allocator, void *data)
{
    struct answer a = { 200, 1, 0, "\"v\"", LAST, NULL };
    const hoop_arena_options options = { .allocator = &allocator->hoop };
    hoop_arena *own = hoop_arena_new_with(&options);
    const hoop_request *req = hoop_mock(own, "GET", "/", NULL);
    req = hoop_mock_header(req, "Range", data);
    const hoop_response *res = hoop_call_sync(hoop_fn(handler, &a), req);
    assert_true(!res || res->status == 206 || res->status >= 500);
    hoop_arena_free(own);
}

static void test_memory(void **state)
{
    test_each_allocation(each_allocation, "bytes=0-1");
    test_each_allocation(each_allocation, "bytes=0-1,5-6");
}

static int cleanup(void **state)
{
    hoop_arena_free(arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_single),          cmocka_unit_test(test_several),
        cmocka_unit_test(test_not_satisfiable), cmocka_unit_test(test_ignored),
        cmocka_unit_test(test_if_range),        cmocka_unit_test(test_not_modified),
        cmocka_unit_test(test_failed),          cmocka_unit_test(test_frozen),
        cmocka_unit_test(test_precondition),    cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, cleanup);
}
