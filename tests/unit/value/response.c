/* The constructors: what they make, what they refuse, and whose the bytes are. */
#include "fake.h"

#include "value/exchange.h"

#include <stdio.h>

#define TEXT "Content-Type: text/plain; charset=utf-8\n\n"

static hoop_arena *arena;
static const hoop_request *req;

static int setup(void **state)
{
    arena = hoop_arena_new();
    req = hoop_app_request(arena);
    return 0;
}

static int teardown(void **state)
{
    hoop_arena_free(arena);
    return 0;
}

/* A fresh request, whose note is empty. */
static void anew(void)
{
    req = hoop_app_request(arena);
}

static void test_what_each_constructor_makes(void **state)
{
    assert_response(hoop_respond(req, 204), "204\n(no body)");
    assert_response(hoop_text(req, 200, "hello"), "200\n" TEXT "hello");
    assert_response(hoop_text(req, 200, ""), "200\n" TEXT);
    assert_response(hoop_text_static(req, 200, "hello"), "200\n" TEXT "hello");
    assert_response(hoop_textf(req, 418, "%s %d", "n", 7), "418\n" TEXT "n 7");
    assert_response(hoop_html(req, 200, "<p>"),
                    "200\nContent-Type: text/html; charset=utf-8\n\n<p>");
    assert_response(hoop_bytes(req, 200, "image/png", hoop_str_n("ab", 2)),
                    "200\nContent-Type: image/png\n\nab");
    assert_response(hoop_bytes(req, 200, NULL, hoop_str_n("ab", 2)), "200\n\nab");
    assert_response(hoop_bytes_static(req, 206, "a/b", hoop_str_c("x")),
                    "206\nContent-Type: a/b\n\nx");
    assert_response(hoop_redirect(req, 303, "/login?a=1"), "303\nLocation: /login?a=1\n(no body)");
    assert_null(hoop_failure(req));
    assert_ptr_equal(hoop_text(req, 200, "x")->arena, arena);
}

static void test_bytes_may_have_nul(void **state)
{
    const hoop_response *res = hoop_bytes(req, 200, NULL, hoop_str_n("a\0b", 3));
    assert_bytes(res->body.data, res->body.len, "a\0b", 3);
}

static void test_constructors_copy_and_static_borrows(void **state)
{
    char text[] = "abc", type[] = "a/b";
    const hoop_response *copied[] = {
        hoop_text(req, 200, text),
        hoop_html(req, 200, text),
        hoop_bytes(req, 200, type, hoop_str_c(text)),
        hoop_textf(req, 200, "%s", text),
    };
    const hoop_response *borrowed[] = {
        hoop_text_static(req, 200, text),
        hoop_bytes_static(req, 200, type, hoop_str_c(text)),
    };
    text[0] = 'x';
    type[0] = 'x';
    for (size_t i = 0; i < HOOP_COUNT(copied); i++)
        assert_str(copied[i]->body, "abc");
    for (size_t i = 0; i < HOOP_COUNT(borrowed); i++)
        assert_str(borrowed[i]->body, "xbc");
    assert_str(hoop_response_header(copied[2], "content-type"), "a/b");
    assert_str(hoop_response_header(borrowed[1], "content-type"), "a/b"); /* the bytes alone */
}

/* Bytes that must be freed by somebody. */
static char *heap(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return strcpy(copy, text);
}

static int taken;

static void take(void *data)
{
    taken++;
    free(data);
}

static void test_take_takes_over_also_on_failure(void **state)
{
    taken = 0;
    char *memory = heap("taken");
    const hoop_response *res = hoop_bytes_take(req, 200, NULL, hoop_str_c(memory), take, memory);
    assert_response(res, "200\n\ntaken");
    assert_int_equal(taken, 0);
    memory = heap("bad status");
    assert_null(hoop_bytes_take(req, 999, NULL, hoop_str_c(memory), take, memory));
    memory = heap("bad type");
    assert_null(hoop_bytes_take(req, 200, "a\r\nb", hoop_str_c(memory), take, memory));
    memory = heap("no request");
    assert_null(hoop_bytes_take(NULL, 200, NULL, hoop_str_c(memory), take, memory));
    assert_int_equal(taken, 1);
    hoop_arena_free(arena);
    assert_int_equal(taken, 4);
    /* Without memory, too. */
    hoop_arena_options options = { NULL, sizeof(struct hoop__request) + 512, 0 };
    arena = hoop_arena_new_with(&options);
    anew();
    while (hoop_arena_alloc(arena, 1))
        ;
    memory = heap("no memory");
    assert_null(hoop_bytes_take(req, 200, NULL, hoop_str_c(memory), take, memory));
    assert_int_equal(taken, 5);
    assert_noted(req, HOOP_ENOMEM, "out of memory");
}

static void test_a_status_out_of_range_is_refused(void **state)
{
    static const int bad[] = { -1, 0, 99, 100, 101, 199, 600, 999, 1200, INT32_MAX, INT32_MIN };
    for (size_t i = 0; i < HOOP_COUNT(bad); i++) {
        char want[64];
        snprintf(want, sizeof want, "status %d is not between 200 and 599", bad[i]);
        anew();
        assert_null(hoop_respond(req, bad[i]));
        assert_noted(req, HOOP_EINVAL, want);
        anew();
        assert_null(hoop_text(req, bad[i], "x"));
        assert_null(hoop_text_static(req, bad[i], "x"));
        assert_null(hoop_textf(req, bad[i], "x"));
        assert_null(hoop_html(req, bad[i], "x"));
        assert_null(hoop_bytes(req, bad[i], NULL, hoop_str_c("x")));
        assert_null(hoop_problem(req, bad[i], "x"));
        assert_null(hoop_with_status(req, hoop_respond(req, 200), bad[i]));
        assert_noted(req, HOOP_EINVAL, want);
    }
    assert_int_equal(hoop_respond(req, 200)->status, 200);
    assert_int_equal(hoop_respond(req, 599)->status, 599);
}

static void test_a_content_type_never_splits_a_message(void **state)
{
    static const char *const bad[] = { "a/b\r\nX: y", "a/b\n", "a/b\r", "\1", "a\x7f", "" };
    for (size_t i = 0; i < HOOP_COUNT(bad); i++) {
        anew();
        assert_null(hoop_bytes(req, 200, bad[i], hoop_str_c("x")));
        char want[100];
        snprintf(want, sizeof want, "content type '%s' can't stand in a header", bad[i]);
        assert_noted(req, HOOP_EINVAL, want);
        assert_null(hoop_bytes_static(req, 200, bad[i], hoop_str_c("x")));
    }
}

static void test_redirects(void **state)
{
    static const int good[] = { 301, 302, 303, 307, 308 };
    for (size_t i = 0; i < HOOP_COUNT(good); i++)
        assert_int_equal(hoop_redirect(req, good[i], "/")->status, good[i]);
    assert_null(hoop_failure(req));
    static const int bad[] = { 200, 300, 304, 305, 306, 309, 404 };
    for (size_t i = 0; i < HOOP_COUNT(bad); i++) {
        char want[64];
        snprintf(want, sizeof want, "status %d is no redirect", bad[i]);
        anew();
        assert_null(hoop_redirect(req, bad[i], "/"));
        assert_noted(req, HOOP_EINVAL, want);
    }
    anew();
    assert_null(hoop_redirect(req, 302, "/a\r\nSet-Cookie: x=y"));
    assert_noted(req, HOOP_EINVAL, "the value of header 'Location' has a control character");
    anew();
    assert_null(hoop_redirect(req, 302, ""));
    assert_noted(req, HOOP_EINVAL, "a redirect needs a location");
    assert_null(hoop_redirect(req, 302, NULL));
}

static void test_problems(void **state)
{
    assert_response(hoop_problem(req, 404, NULL), "404\nContent-Type: application/problem+json\n\n"
                                                  "{\"title\":\"Not Found\",\"status\":404}");
    assert_response(hoop_problem(req, 422, "a \"b\" \\ \n\t\x01 \xc3\xa9"),
                    "422\nContent-Type: application/problem+json\n\n"
                    "{\"title\":\"Unprocessable Content\",\"status\":422,"
                    "\"detail\":\"a \\\"b\\\" \\\\ \\u000a\\u0009\\u0001 \xc3\xa9\"}");
    assert_response(hoop_problemf(req, 400, "row %d", 7),
                    "400\nContent-Type: application/problem+json\n\n"
                    "{\"title\":\"Bad Request\",\"status\":400,\"detail\":\"row 7\"}");
    assert_response(hoop_problem(req, 599, ""), "599\nContent-Type: application/problem+json\n\n"
                                                "{\"title\":\"\",\"status\":599,\"detail\":\"\"}");
}

static void test_problems_are_utf8_whatever_the_detail_is(void **state)
{
    assert_response(hoop_problem(req, 400, "a\xff\"b"),
                    "400\nContent-Type: application/problem+json\n\n"
                    "{\"title\":\"Bad Request\",\"status\":400,"
                    "\"detail\":\"a\xef\xbf\xbd\\\"b\"}");
}

static void test_null_text_is_refused(void **state)
{
    assert_null(hoop_text(req, 200, NULL));
    assert_noted(req, HOOP_EINVAL, "the text is NULL");
    assert_null(hoop_text_static(req, 200, NULL));
    assert_null(hoop_html(req, 200, NULL));
}

static void test_null_request_gives_null(void **state)
{
    assert_null(hoop_respond(NULL, 200));
    assert_null(hoop_text(NULL, 200, "x"));
    assert_null(hoop_text_static(NULL, 200, "x"));
    assert_null(hoop_textf(NULL, 200, "x"));
    assert_null(hoop_html(NULL, 200, "x"));
    assert_null(hoop_bytes(NULL, 200, NULL, hoop_str_c("x")));
    assert_null(hoop_bytes_static(NULL, 200, NULL, hoop_str_c("x")));
    assert_null(hoop_redirect(NULL, 302, "/"));
    assert_null(hoop_problem(NULL, 400, NULL));
    assert_null(hoop_problemf(NULL, 400, "x"));
}

/* --- sources --------------------------------------------------------------------------------- */

struct probe {
    struct hoop__source source;
    int finished;
    int code;
};

static int pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    *ret_len = 0;
    return HOOP_EOF;
}

static void finished(struct hoop__source *source, int code)
{
    struct probe *p = (struct probe *)source;
    p->finished++;
    p->code = code;
}

static void test_a_source_is_taken_over_also_on_failure(void **state)
{
    struct fake f;
    static struct probe p; /* the arena of `req` looks at it when it ends */
    p.source.pull = pull;
    p.source.finished = finished;
    p.finished = 0;
    fake_init(&f);
    struct fake_exchange *fx = fake_make(&f, "GET", "/");
    const hoop_request *r = &fx->x.request.pub;
    assert_null(hoop__respond_source(r, 99, "a/b", &p.source));
    assert_int_equal(p.finished, 1);
    assert_null(hoop__respond_source(r, 200, "a\n", &p.source));
    assert_int_equal(p.finished, 2);
    assert_null(hoop__respond_source(NULL, 200, NULL, &p.source));
    assert_int_equal(p.finished, 3);
    fake_end(fx, HOOP_EGONE);
    assert_int_equal(p.finished, 3);
    assert_null(hoop__respond_source(req, 200, NULL, &p.source));
    assert_int_equal(p.finished, 4);
    assert_noted(req, HOOP_EINVAL, "a stream can't be a constant response");
    fake_done(&f);
}

static void test_a_source_that_is_never_sent_ends_with_the_exchange(void **state)
{
    struct fake f;
    struct probe p = { .source = { .pull = pull, .finished = finished, .length = UINT64_MAX } };
    fake_init(&f);
    struct fake_exchange *fx = fake_make(&f, "GET", "/");
    const hoop_request *r = &fx->x.request.pub;
    const hoop_response *res = hoop__respond_source(r, 200, "a/b", &p.source);
    assert_response(res, "200\nContent-Type: a/b\n(stream)");
    assert_ptr_equal(hoop__response_of(res)->source, &p.source);
    /* A middleware puts another body in its place; the older response is what it was. */
    assert_response(hoop_with_body(r, res, hoop_str_c("x")), "200\nContent-Type: a/b\n\nx");
    assert_response(res, "200\nContent-Type: a/b\n(stream)");
    assert_null(hoop_response_copy(arena, res));
    assert_null(hoop_freeze(arena, res));
    assert_int_equal(p.finished, 0);
    fake_end(fx, 0);
    assert_int_equal(p.finished, 1);
    assert_int_equal(p.code, HOOP_ECANCELED);
    fake_done(&f);
}

static void test_a_source_is_finished_once(void **state)
{
    struct probe p = { .source = { .pull = pull, .finished = finished } };
    hoop__source_finish(&p.source, 0);
    hoop__source_finish(&p.source, HOOP_EGONE);
    assert_int_equal(p.finished, 1);
    assert_int_equal(p.code, 0);
}

static const hoop_response *give_stream(const hoop_request *request, void *data)
{
    return hoop__respond_source(request, 200, NULL, data);
}

static void test_a_source_that_has_more_tells_the_engine_while_there_is_one(void **state)
{
    struct fake f;
    struct probe p = { .source = { .pull = pull, .finished = finished, .length = UINT64_MAX } };
    fake_init(&f);
    hoop__source_ready(&p.source); /* not asked for yet */
    struct fake_exchange *fx = fake_get(&f, give_stream, &p.source);
    p.source.exchange = &fx->x;
    hoop__source_ready(&p.source);
    assert_int_equal(fx->resumes, 1);
    fake_end(fx, 0);
    fake_done(&f);
}

/* --- memory that is short -------------------------------------------------------------------- */

static void make_each(struct test_allocator *a, void *data)
{
    hoop_arena_options options = { &a->hoop, 0, 1 };
    hoop_arena *tight = hoop_arena_new_with(&options);
    const hoop_request *r = hoop_app_request(tight);
    if (r) {
        const hoop_response *all[] = {
            hoop_respond(r, 204),
            hoop_text(r, 200, "text"),
            hoop_text_static(r, 200, "text"),
            hoop_textf(r, 200, "%s", "text"),
            hoop_html(r, 200, "text"),
            hoop_bytes(r, 200, "a/b", hoop_str_c("text")),
            hoop_bytes_static(r, 200, "a/b", hoop_str_c("text")),
            hoop_redirect(r, 302, "/"),
            hoop_problem(r, 400, "detail"),
            hoop_problemf(r, 400, "%s", "detail"),
            hoop_problem(r, 400, "\xff"),
        };
        size_t failed = 0;
        for (size_t i = 0; i < HOOP_COUNT(all); i++)
            failed += !all[i];
        assert_int_equal(failed, a->count >= a->fail_at);
        if (failed)
            assert_noted(r, HOOP_ENOMEM, "out of memory");
        else
            assert_null(hoop_failure(r));
    }
    hoop_arena_free(tight);
}

static void test_each_allocation_may_fail(void **state)
{
    test_each_allocation(make_each, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_what_each_constructor_makes),
        TEST(test_bytes_may_have_nul),
        TEST(test_constructors_copy_and_static_borrows),
        TEST(test_take_takes_over_also_on_failure),
        TEST(test_a_status_out_of_range_is_refused),
        TEST(test_a_content_type_never_splits_a_message),
        TEST(test_redirects),
        TEST(test_problems),
        TEST(test_problems_are_utf8_whatever_the_detail_is),
        TEST(test_null_text_is_refused),
        TEST(test_null_request_gives_null),
        TEST(test_a_source_is_taken_over_also_on_failure),
        TEST(test_a_source_that_is_never_sent_ends_with_the_exchange),
        TEST(test_a_source_is_finished_once),
        TEST(test_a_source_that_has_more_tells_the_engine_while_there_is_one),
        TEST(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
