/* The request body: who gets it when, limits, memory, and what breaks off. */
#include "fake.h"

#include "value/exchange.h"

#include <stdio.h>

#define TEXT "Content-Type: text/plain; charset=utf-8\n\n"
#define TOO_LARGE(limit)                                                               \
    "413\nContent-Type: application/problem+json\n\n{\"title\":\"Content Too Large\"," \
    "\"status\":413,\"detail\":\"the body is over the limit of " limit " bytes\"}"

static struct fake f;
static int calls; /* of body functions */

static int setup(void **state)
{
    fake_init(&f);
    calls = 0;
    return 0;
}

static int teardown(void **state)
{
    fake_done(&f);
    return 0;
}

static const hoop_response *echo(const hoop_request *req, hoop_str body, void *data)
{
    calls++;
    assert_int_equal(body.data[body.len], 0);
    return hoop_textf(req, 200, "%s%s", data ? (const char *)data : "", body.data);
}

/* The handler reads at most `*data` bytes. */
static const hoop_response *read_limited(const hoop_request *req, void *data)
{
    return hoop_read_body(req, *(uint64_t *)data, echo, NULL);
}

/* Dispatches a POST with a body to come. */
static struct fake_exchange *post(uint64_t length, hoop_handler_fn *fn, void *data)
{
    struct fake_exchange *fx = fake_make(&f, "POST", "/");
    fake_body(fx, length);
    fx->fake->service.root = hoop_fn(fn, data);
    f.sent[0] = 0;
    hoop__exchange_dispatch(&fx->x);
    return fx;
}

static void end_body(struct fake_exchange *fx)
{
    hoop__exchange_body_end(&fx->x, NULL, 0);
}

/* --- pieces ---------------------------------------------------------------------------------- */

static void test_a_body_by_pieces_of_any_size(void **state)
{
    static const char text[] = "The quick brown fox jumps over the lazy dog";
    for (int known = 0; known < 2; known++)
        for (size_t piece = 1; piece <= sizeof text; piece++) {
            uint64_t limit = HOOP_OFF;
            struct fake_exchange *fx =
                post(known ? sizeof text - 1 : HOOP__LENGTH_UNKNOWN, read_limited, &limit);
            assert_int_equal(fx->wants, 1);
            assert_int_equal(fx->responses, 0);
            for (size_t at = 0; at < sizeof text - 1; at += piece) {
                size_t left = sizeof text - 1 - at;
                hoop__exchange_body(&fx->x, text + at, left < piece ? left : piece);
                hoop__exchange_body(&fx->x, text, 0);
            }
            assert_int_equal(fx->responses, 0);
            end_body(fx);
            assert_string_equal(f.sent, "200\n" TEXT "The quick brown fox jumps over the lazy dog");
            assert_int_equal(fx->wants, 1);
            assert_int_equal(fx->x.body.received, sizeof text - 1);
            fake_end(fx, 0);
        }
}

static void test_a_request_without_body_gives_the_empty_string_at_once(void **state)
{
    uint64_t limit = 1;
    struct fake_exchange *fx = fake_make(&f, "POST", "/");
    f.service.root = hoop_fn(read_limited, &limit);
    hoop__exchange_dispatch(&fx->x);
    assert_string_equal(f.sent, "200\n" TEXT);
    assert_int_equal(fx->wants, 0);
    assert_int_equal(hoop_has_body(&fx->x.request.pub), 0);
    assert_true(hoop_str_is_none(hoop_body(&fx->x.request.pub)));
    fake_end(fx, 0);
}

static void test_an_empty_chunked_body_is_the_empty_string(void **state)
{
    uint64_t limit = 1;
    struct fake_exchange *fx = post(HOOP__LENGTH_UNKNOWN, read_limited, &limit);
    assert_int_equal(hoop_has_body(&fx->x.request.pub), 1);
    assert_true(hoop_str_is_none(hoop_body(&fx->x.request.pub)));
    end_body(fx);
    assert_string_equal(f.sent, "200\n" TEXT);
    assert_false(hoop_str_is_none(hoop_body(&fx->x.request.pub)));
    fake_end(fx, 0);
}

static const hoop_response *length_of(const hoop_request *req, hoop_str body, void *data)
{
    assert_bytes(body.data, body.len, "a\0b", 3);
    return hoop_respond(req, 204);
}

static const hoop_response *read_bytes(const hoop_request *req, void *data)
{
    return hoop_read_body(req, 0, length_of, NULL);
}

static void test_nul_is_a_byte_like_others(void **state)
{
    struct fake_exchange *fx = post(3, read_bytes, NULL);
    hoop__exchange_body(&fx->x, "a\0b", 3);
    end_body(fx);
    assert_string_equal(f.sent, "204\n(no body)");
    fake_end(fx, 0);
}

/* --- limits ---------------------------------------------------------------------------------- */

static void test_limits_of_a_known_length(void **state)
{
    uint64_t limit = 5;
    /* One over: refused before a byte is asked for. */
    struct fake_exchange *fx = post(6, read_limited, &limit);
    assert_string_equal(f.sent, TOO_LARGE("5"));
    assert_int_equal(fx->wants, 0);
    fake_end(fx, 0);
    static const char *const texts[] = { "abcde", "abcd" };
    for (int i = 0; i < 2; i++) {
        fx = post(strlen(texts[i]), read_limited, &limit);
        fake_feed(fx, texts[i]);
        end_body(fx);
        char want[64];
        snprintf(want, sizeof want, "200\n" TEXT "%s", texts[i]);
        assert_string_equal(f.sent, want);
        fake_end(fx, 0);
    }
}

static void test_limits_of_an_unknown_length(void **state)
{
    uint64_t limit = 5;
    struct fake_exchange *fx = post(HOOP__LENGTH_UNKNOWN, read_limited, &limit);
    fake_feed(fx, "abcde");
    assert_int_equal(fx->responses, 0);
    fake_feed(fx, "f"); /* known by now, so it is answered by now */
    assert_string_equal(f.sent, TOO_LARGE("5"));
    assert_int_equal(fx->x.body.state, HOOP__BODY_REFUSED);
    fake_feed(fx, "more");
    end_body(fx);
    assert_int_equal(fx->responses, 1);
    assert_int_equal(calls, 0);
    fake_end(fx, 0);
    fx = post(HOOP__LENGTH_UNKNOWN, read_limited, &limit);
    fake_feed(fx, "abcde");
    end_body(fx);
    assert_string_equal(f.sent, "200\n" TEXT "abcde");
    fake_end(fx, 0);
}

static void test_limit_zero_is_the_servers(void **state)
{
    uint64_t limit = 0;
    f.limits.max_body = 3;
    struct fake_exchange *fx = post(4, read_limited, &limit);
    assert_string_equal(f.sent, TOO_LARGE("3"));
    fake_end(fx, 0);
    limit = HOOP_OFF;
    fx = post(4, read_limited, &limit);
    fake_feed(fx, "abcd");
    end_body(fx);
    assert_string_equal(f.sent, "200\n" TEXT "abcd");
    fake_end(fx, 0);
}

/* --- several readers ------------------------------------------------------------------------- */

static char got[256];

static const hoop_response *note(const hoop_request *req, const hoop_response *res,
                                 const void *value)
{
    snprintf(got + strlen(got), sizeof got - strlen(got), "%s:%d ", (const char *)value,
             (int)res->status);
    return res;
}

static const hoop_response *three_readers(const hoop_request *req, void *data)
{
    hoop_then(req, hoop_read_body(req, 4, echo, "a"), note, "a");
    hoop_then(req, hoop_read_body(req, 2, echo, "b"), note, "b");
    return hoop_then(req, hoop_read_body(req, 6, echo, "c"), note, "c");
}

static void test_readers_with_different_limits_each_get_their_own(void **state)
{
    got[0] = 0;
    struct fake_exchange *fx = post(HOOP__LENGTH_UNKNOWN, three_readers, NULL);
    assert_int_equal(fx->wants, 1);
    fake_feed(fx, "12");
    assert_string_equal(got, "");
    fake_feed(fx, "3");
    assert_string_equal(got, "b:413 ");
    fake_feed(fx, "4");
    end_body(fx);
    assert_string_equal(got, "b:413 a:200 c:200 "); /* in the order in which they asked */
    assert_string_equal(f.sent, "200\n" TEXT "c1234");
    fake_end(fx, 0);
}

static void test_one_reader_left_goes_on_until_its_limit(void **state)
{
    got[0] = 0;
    struct fake_exchange *fx = post(HOOP__LENGTH_UNKNOWN, three_readers, NULL);
    fake_feed(fx, "12345");
    assert_string_equal(got, "a:413 b:413 ");
    assert_int_equal(fx->x.body.state, HOOP__BODY_READING);
    fake_feed(fx, "67");
    assert_string_equal(got, "a:413 b:413 c:413 ");
    assert_int_equal(fx->x.body.state, HOOP__BODY_REFUSED);
    assert_string_equal(f.sent, TOO_LARGE("6"));
    assert_null(hoop_read_body(&fx->x.request.pub, 100, echo, NULL));
    assert_noted(&fx->x.request.pub, HOOP_ETOOBIG, "the body was refused before");
    fake_end(fx, 0);
}

static const hoop_response *read_again(const hoop_request *req, const hoop_response *res,
                                       const void *value)
{
    assert_response(hoop_read_body(req, 4, echo, "again "), "200\n" TEXT "again abcd");
    assert_response(hoop_read_body(req, 3, echo, NULL), TOO_LARGE("3"));
    assert_str(hoop_body(req), "abcd");
    return res;
}

static const hoop_response *read_twice(const hoop_request *req, void *data)
{
    return hoop_then(req, hoop_read_body(req, 0, echo, NULL), read_again, NULL);
}

static void test_who_asks_again_gets_it_at_once(void **state)
{
    struct fake_exchange *fx = post(4, read_twice, NULL);
    fake_feed(fx, "abcd");
    end_body(fx);
    assert_string_equal(f.sent, "200\n" TEXT "abcd");
    assert_int_equal(calls, 2);
    fake_end(fx, 0);
}

static const hoop_response *read_more(const hoop_request *req, hoop_str body, void *data)
{
    return hoop_read_body(req, 0, echo, "inner ");
}

static const hoop_response *read_in_a_reader(const hoop_request *req, void *data)
{
    return hoop_read_body(req, 0, read_more, NULL);
}

static void test_a_reader_may_read(void **state)
{
    struct fake_exchange *fx = post(2, read_in_a_reader, NULL);
    fake_feed(fx, "ab");
    end_body(fx);
    assert_string_equal(f.sent, "200\n" TEXT "inner ab");
    fake_end(fx, 0);
}

static hoop_deferred *kept;

static const hoop_response *owe(const hoop_request *req, hoop_str body, void *data)
{
    kept = hoop_defer(req);
    return hoop_deferred_response(kept);
}

static const hoop_response *read_and_owe(const hoop_request *req, void *data)
{
    return hoop_read_body(req, 0, owe, NULL);
}

static void test_what_a_reader_returns_may_be_pending(void **state)
{
    struct fake_exchange *fx = post(2, read_and_owe, NULL);
    fake_feed(fx, "ab");
    end_body(fx);
    assert_int_equal(fx->responses, 0);
    const hoop_request *theirs = hoop_deferred_request(kept);
    assert_str(hoop_body(theirs), "ab"); /* the bytes stay with the exchange */
    hoop_resolve(kept, hoop_text(theirs, 200, hoop_body(theirs).data));
    fake_turn(&f);
    assert_string_equal(f.sent, "200\n" TEXT "ab");
    fake_end(fx, 0);
}

/* --- in front of a leaf ---------------------------------------------------------------------- */

static const hoop_response *leaf(const hoop_request *req, void *data)
{
    calls++;
    return hoop_textf(req, 200, "leaf %s", hoop_body(req).data);
}

static const hoop_response *wrap(const hoop_request *req, void *data)
{
    /* A middleware: it runs at the head, and sees the response when it comes. */
    assert_true(hoop_str_is_none(hoop_body(req)));
    got[0] = 0;
    return hoop_then(req, hoop_call(*(const hoop_handler *)data, req), note, "wrapped");
}

static void test_the_body_is_read_in_front_of_a_leaf_behind_middleware(void **state)
{
    hoop_handler handler = hoop_fn(leaf, NULL);
    struct fake_exchange *fx = post(3, wrap, &handler);
    assert_int_equal(fx->wants, 1);
    assert_int_equal(calls, 0);
    fake_feed(fx, "abc");
    assert_int_equal(calls, 0);
    end_body(fx);
    assert_int_equal(calls, 1);
    assert_string_equal(got, "wrapped:200 ");
    assert_string_equal(f.sent, "200\n" TEXT "leaf abc");
    fake_end(fx, 0);
}

static void test_a_leaf_is_guarded_by_max_body(void **state)
{
    hoop_handler handler = hoop_fn(leaf, NULL);
    f.limits.max_body = 2;
    struct fake_exchange *fx = post(3, wrap, &handler);
    assert_string_equal(f.sent, TOO_LARGE("2"));
    assert_string_equal(got, "wrapped:413 "); /* middleware sees it like any response */
    assert_int_equal(calls, 0);
    fake_end(fx, 0);
}

static void test_a_streaming_handler_is_called_at_the_head(void **state)
{
    hoop_arena *app = hoop_arena_new();
    hoop_handler handler = hoop_streaming(app, hoop_fn(leaf, NULL));
    struct fake_exchange *fx = post(3, wrap, &handler);
    assert_int_equal(fx->wants, 0);
    assert_int_equal(calls, 1);
    assert_string_equal(f.sent, "200\n" TEXT "leaf ");
    fake_end(fx, 0);
    hoop_arena_free(app);
}

/* --- what breaks off ------------------------------------------------------------------------- */

static void test_a_truncated_body_never_reaches_the_function(void **state)
{
    uint64_t limit = HOOP_OFF;
    for (int size = 0; size < 3; size++) {
        struct fake_exchange *fx = post(size == 1 ? 40000 : 4, read_limited, &limit);
        static char text[30000];
        memset(text, 'x', sizeof text);
        hoop__exchange_body(&fx->x, text, size == 1 ? sizeof text : (size_t)size);
        fake_end(fx, HOOP_EGONE);
        fake_turn(&f);
        assert_int_equal(calls, 0);
    }
}

static const hoop_response *ignore(const hoop_request *req, void *data)
{
    return hoop_text(req, 200, "early");
}

static void test_a_body_that_nobody_reads_is_not_wanted(void **state)
{
    struct fake_exchange *fx = post(3, ignore, NULL);
    assert_string_equal(f.sent, "200\n" TEXT "early");
    assert_int_equal(fx->wants, 0);
    assert_int_equal(fx->x.body.state, HOOP__BODY_COMING);
    fake_end(fx, 0);
}

/* --- memory ---------------------------------------------------------------------------------- */

static void test_memory_grows_with_what_came_and_not_with_what_was_announced(void **state)
{
    static char piece[1024];
    memset(piece, 'x', sizeof piece);
    for (int known = 0; known < 2; known++) {
        uint64_t limit = HOOP_OFF;
        struct fake_exchange *fx =
            post(known ? (uint64_t)1 << 40 : HOOP__LENGTH_UNKNOWN, read_limited, &limit);
        for (size_t came = 1024; came <= 1024 * 1024; came += 1024) {
            hoop__exchange_body(&fx->x, piece, sizeof piece);
            assert_true(fx->x.body.cap <= 2 * came + 2048);
            assert_true(fx->x.body.cap > came);
            /* The arena keeps the small beginnings alone. */
            assert_true(hoop_arena_size(fx->x.arena) < 64 * 1024);
        }
        fake_end(fx, HOOP_EGONE);
    }
}

static void test_a_known_length_is_never_exceeded(void **state)
{
    static char text[50000];
    uint64_t limit = HOOP_OFF;
    memset(text, 'x', sizeof text);
    static const size_t lengths[] = { 1, 2047, 2048, 16383, 16384, 16385, 40000, 50000 };
    for (size_t i = 0; i < HOOP_COUNT(lengths); i++) {
        struct fake_exchange *fx = post(lengths[i], read_bytes, NULL);
        fake_end(fx, HOOP_EGONE);
        fx = post(lengths[i], read_limited, &limit);
        for (size_t at = 0; at < lengths[i]; at += 1000) {
            size_t left = lengths[i] - at;
            hoop__exchange_body(&fx->x, text, left < 1000 ? left : 1000);
        }
        assert_true(fx->x.body.cap <= lengths[i] + 1);
        assert_int_equal(fx->x.body.foreign, lengths[i] >= 16384);
        fx->fake->sent[0] = 0;
        fake_end(fx, HOOP_EGONE);
    }
}

static const hoop_response *length_only(const hoop_request *req, hoop_str body, void *data)
{
    return hoop_textf(req, 200, "%zu", body.len);
}

static const hoop_response *read_length(const hoop_request *req, void *data)
{
    return hoop_read_body(req, HOOP_OFF, length_only, NULL);
}

static void read_each(struct test_allocator *a, void *data)
{
    struct fake g;
    static char text[9000];
    memset(text, 'x', sizeof text);
    if (fake_init_on(&g, &a->hoop))
        return;
    struct fake_exchange *fx = fake_make(&g, "POST", "/");
    if (fx) {
        fake_body(fx, HOOP__LENGTH_UNKNOWN);
        g.service.root = hoop_fn(read_length, NULL);
        hoop__exchange_dispatch(&fx->x);
        for (int i = 0; i < 5; i++)
            hoop__exchange_body(&fx->x, text, sizeof text);
        end_body(fx);
        assert_int_equal(fx->responses, 1);
        if (fx->x.status != 200) {
            assert_int_equal(fx->x.status, 503);
            assert_string_equal(g.log, "1 POST /: 503: out of memory\n");
        }
        fake_end(fx, 0);
    }
    fake_done(&g);
}

static void test_each_allocation_may_fail(void **state)
{
    test_each_allocation(read_each, NULL);
}

/* --- trailers and wrong places --------------------------------------------------------------- */

static void test_trailers_are_kept_apart(void **state)
{
    static const hoop_field trailers[] = { { { "x-sum", 5 }, { "abc", 3 } },
                                           { { "x-sum", 5 }, { "def", 3 } } };
    uint64_t limit = HOOP_OFF;
    struct fake_exchange *fx = post(HOOP__LENGTH_UNKNOWN, read_limited, &limit);
    const hoop_request *req = &fx->x.request.pub;
    assert_true(hoop_str_is_none(hoop_trailer(req, "X-Sum")));
    fake_feed(fx, "a");
    assert_true(hoop_str_is_none(hoop_trailer(req, "X-Sum")));
    hoop__exchange_body_end(&fx->x, trailers, 2);
    assert_str(hoop_trailer(req, "X-Sum"), "abc");
    assert_true(hoop_str_is_none(hoop_trailer(req, "X-Other")));
    assert_true(hoop_str_is_none(hoop_header(req, "X-Sum")));
    assert_true(hoop_str_is_none(hoop_trailer(req, NULL)));
    fake_end(fx, 0);
}

static void test_null_and_requests_of_no_exchange(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *app = hoop_app_request(arena);
    assert_null(hoop_read_body(NULL, 0, echo, NULL));
    assert_true(hoop_str_is_none(hoop_body(NULL)));
    assert_int_equal(hoop_has_body(NULL), 0);
    assert_true(hoop_str_is_none(hoop_trailer(NULL, "a")));
    assert_null(hoop_read_body(app, 0, echo, NULL));
    assert_noted(app, HOOP_EINVAL, "this request has no exchange to read a body from");
    assert_int_equal(hoop_has_body(app), 0);
    assert_true(hoop_str_is_none(hoop_trailer(app, "a")));
    hoop_arena_free(arena);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_body_by_pieces_of_any_size),
        TEST(test_a_request_without_body_gives_the_empty_string_at_once),
        TEST(test_an_empty_chunked_body_is_the_empty_string),
        TEST(test_nul_is_a_byte_like_others),
        TEST(test_limits_of_a_known_length),
        TEST(test_limits_of_an_unknown_length),
        TEST(test_limit_zero_is_the_servers),
        TEST(test_readers_with_different_limits_each_get_their_own),
        TEST(test_one_reader_left_goes_on_until_its_limit),
        TEST(test_who_asks_again_gets_it_at_once),
        TEST(test_a_reader_may_read),
        TEST(test_what_a_reader_returns_may_be_pending),
        TEST(test_the_body_is_read_in_front_of_a_leaf_behind_middleware),
        TEST(test_a_leaf_is_guarded_by_max_body),
        TEST(test_a_streaming_handler_is_called_at_the_head),
        TEST(test_a_truncated_body_never_reaches_the_function),
        TEST(test_a_body_that_nobody_reads_is_not_wanted),
        TEST(test_memory_grows_with_what_came_and_not_with_what_was_announced),
        TEST(test_a_known_length_is_never_exceeded),
        TEST(test_each_allocation_may_fail),
        TEST(test_trailers_are_kept_apart),
        TEST(test_null_and_requests_of_no_exchange),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
