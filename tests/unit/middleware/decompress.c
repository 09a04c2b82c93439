/* Middleware "decompress": what is accepted, how it is read, and what is made of broken and of huge bodies. */
#include "middleware.h"

#include "fake.h"

#include "base/blocks.h"
#include "compress/codec.h"
#include "value/body.h"

#include <stdio.h>

#define NEEDS_ALL()                                                               \
    if (!hoop__coding_is_built(HOOP__GZIP) || !hoop__coding_is_built(HOOP__BR) || \
        !hoop__coding_is_built(HOOP__ZSTD))                                       \
    skip()

static const hoop_middleware usual = HOOP_DECOMPRESS(NULL);

/* --- building blocks ------------------------------------------------------------------------- */

/* Room for all that the tests compress. */
static char packed[1 << 20];

static hoop_str pack(enum hoop__coding coding, hoop_str in)
{
    static char out[1 << 20];
    struct hoop__codec *codec;
    size_t len = 0;
    assert_int_equal(hoop__encoder_new(&codec, &hoop__malloc, coding, 0), 0);
    assert_int_equal(hoop__codec_run(codec, &in, out, sizeof out, &len, HOOP__CODEC_FINISH),
                     HOOP_EOF);
    hoop__codec_free(codec);
    memcpy(packed, out, len);
    return hoop_str_n(packed, len);
}

/* Tells what the handler sees. */
static const hoop_response *tell(const hoop_request *req, void *data)
{
    hoop_str body = hoop_body(req);
    hoop_str coding = hoop_header(req, "content-encoding");
    hoop_str length = hoop_header(req, "content-length");
    return hoop_textf(req, 200, "%s/%s/%zu:%.20s", hoop_str_is_none(coding) ? "-" : coding.data,
                      hoop_str_is_none(length) ? "-" : length.data, body.len, body.data);
}

static hoop_arena *arena;

/* What a chain of one entry answers to a POST of these bytes. */
static const hoop_response *post(const hoop_middleware *entry, hoop_handler_fn *fn,
                                 const char *coding, hoop_str body)
{
    hoop_handler handler;
    hoop_error error;
    const hoop_request *req = hoop_mock(arena, "POST", "/", NULL);
    req = hoop_mock_body(req, "text/plain", body);
    if (coding)
        req = hoop_mock_header(req, "Content-Encoding", coding);
    assert_int_equal(hoop_chain_new(arena, entry, 1, hoop_fn(fn, NULL), &handler, &error), 0);
    const hoop_response *res = hoop_call_sync(handler, req);
    if (!res)
        print_message("%s\n", hoop_mock_failure(req)->text);
    return res;
}

static int setup(void **state)
{
    arena = hoop_arena_new();
    return 0;
}

static int teardown(void **state)
{
    hoop_arena_free(arena);
    return 0;
}

/* --- what is accepted ------------------------------------------------------------------------ */

static void test_each_coding(void **state)
{
    NEEDS_ALL();
    static const char *const names[] = { "gzip", "x-gzip", "GZIP", "deflate", "br", "zstd" };
    for (size_t i = 0; i < HOOP_COUNT(names); i++) {
        hoop_str body = pack(hoop__coding_of(hoop_str_c(names[i])), hoop_str_c("hello world"));
        assert_str(post(&usual, tell, names[i], body)->body, "-/-/11:hello world");
    }
}

static void test_several_in_their_order(void **state)
{
    NEEDS_ALL();
    static const struct {
        const char *names;
        enum hoop__coding first, second;
    } cases[] = { { "gzip, br", HOOP__GZIP, HOOP__BR },
                  { "br,gzip", HOOP__BR, HOOP__GZIP },
                  { "zstd, identity , deflate", HOOP__ZSTD, HOOP__DEFLATE },
                  { "gzip, gzip", HOOP__GZIP, HOOP__GZIP } };
    char text[30001];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i * i % 23);
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        hoop_str body = pack(cases[i].first, hoop_str_n(text, 30000));
        body = pack(cases[i].second, body);
        assert_str(post(&usual, tell, cases[i].names, body)->body,
                   hoop_arena_printf(arena, "-/-/30000:%.20s", text).data);
    }
}

static void test_what_goes_through(void **state)
{
    assert_str(post(&usual, tell, NULL, hoop_str_c("plain"))->body, "-/5/5:plain");
    assert_str(post(&usual, tell, "identity", hoop_str_c("plain"))->body, "-/5/5:plain");
    assert_str(post(&usual, tell, "", hoop_str_c("plain"))->body, "-/5/5:plain");
    static const struct middleware_case cases[] = {
        { .headers = "Content-Encoding: gzip",
          .inner = tell,
          .want = "200\nContent-Type: text/plain; charset=utf-8\n\ngzip/-/0:" },
        { .answer = "404\n\nno", .want = "404\n\nno" },
    };
    check_middleware(usual, cases);
}

static void assert_refused(const hoop_response *res, int status, const char *accepted,
                           const char *detail)
{
    assert_non_null(res);
    assert_int_equal(res->status, status);
    hoop_str header = hoop_response_header(res, "accept-encoding");
    if (accepted)
        assert_str(header, accepted);
    else
        assert_true(hoop_str_is_none(header));
    if (!strstr(res->body.data, detail))
        fail_msg("%s", res->body.data);
}

static void test_what_is_refused_at_the_head(void **state)
{
    NEEDS_ALL();
    static const hoop_decompress_options options = { .codings = "br gzip", .max_codings = 1 };
    static const hoop_middleware entry = HOOP_DECOMPRESS(&options);
    hoop_str body = hoop_str_c("whatever");
    assert_refused(post(&usual, tell, "lzma", body), 415, "gzip, deflate, br, zstd",
                   "is not accepted");
    assert_refused(post(&usual, tell, "gzip, aws-chunked", body), 415, "gzip, deflate, br, zstd",
                   "is not accepted");
    assert_refused(post(&usual, tell, "gzip, gzip, gzip", body), 415, "gzip, deflate, br, zstd",
                   "too many");
    assert_refused(post(&usual, tell, "\"gzip", body), 415, "gzip, deflate, br, zstd",
                   "can't be read");
    assert_refused(post(&entry, tell, "zstd", body), 415, "br, gzip", "is not accepted");
    assert_refused(post(&entry, tell, "gzip, br", body), 415, "br, gzip", "too many");
}

/* --- broken bodies --------------------------------------------------------------------------- */

static void test_broken_bodies(void **state)
{
    NEEDS_ALL();
    static const char *const names[] = { "gzip", "deflate", "br", "zstd" };
    for (size_t i = 0; i < HOOP_COUNT(names); i++) {
        hoop_str body = pack(hoop__coding_of(hoop_str_c(names[i])), hoop_str_c("hello world"));
        for (size_t len = 1; len < body.len; len++)
            assert_refused(post(&usual, tell, names[i], hoop_str_n(packed, len)), 400, NULL,
                           "is broken");
        memcpy(packed + body.len, "x", 1);
        assert_refused(post(&usual, tell, names[i], hoop_str_n(packed, body.len + 1)), 400, NULL,
                       "is broken");
        assert_refused(post(&usual, tell, names[i], hoop_str_c("hello, I am no such thing")), 400,
                       NULL, "is broken");
    }
}

/* --- limits ---------------------------------------------------------------------------------- */

static void test_limits(void **state)
{
    NEEDS_ALL();
    static char zeros[900000];
    static const hoop_decompress_options off = { .max_ratio = HOOP_OFF32, .max_size = HOOP_OFF };
    static const hoop_decompress_options small = { .max_size = 1000 };
    static const hoop_decompress_options wide = { .max_ratio = 2000 };
    static const hoop_middleware off_entry = HOOP_DECOMPRESS(&off);
    static const hoop_middleware small_entry = HOOP_DECOMPRESS(&small);
    static const hoop_middleware wide_entry = HOOP_DECOMPRESS(&wide);
    memset(zeros, 'z', sizeof zeros);
    hoop_str bomb = pack(HOOP__GZIP, hoop_str_n(zeros, sizeof zeros));
    assert_true(bomb.len < sizeof zeros / 900);
    assert_refused(post(&usual, tell, "gzip", bomb), 413, NULL, "over the limit");
    assert_str(post(&wide_entry, tell, "gzip", bomb)->body, "-/-/900000:zzzzzzzzzzzzzzzzzzzz");
    assert_str(post(&off_entry, tell, "gzip", bomb)->body, "-/-/900000:zzzzzzzzzzzzzzzzzzzz");
    assert_refused(post(&small_entry, tell, "gzip", bomb), 413, NULL, "over the limit");
    bomb = pack(HOOP__GZIP, hoop_str_n(zeros, 1000));
    assert_str(post(&small_entry, tell, "gzip", bomb)->body, "-/-/1000:zzzzzzzzzzzzzzzzzzzz");
    bomb = pack(HOOP__GZIP, hoop_str_n(zeros, 1001));
    assert_refused(post(&small_entry, tell, "gzip", bomb), 413, NULL, "over the limit");
    /* Up to 64 KiB no ratio counts. */
    bomb = pack(HOOP__BR, hoop_str_n(zeros, 65536));
    assert_true(bomb.len < 65536 / 1000);
    assert_str(post(&usual, tell, "br", bomb)->body, "-/-/65536:zzzzzzzzzzzzzzzzzzzz");
    bomb = pack(HOOP__BR, hoop_str_n(zeros, 65537));
    assert_refused(post(&usual, tell, "br", bomb), 413, NULL, "over the limit");
}

/* Endless members of which nothing comes: what comes in has the limit, too. */
static void test_nothing_without_end(void **state)
{
    NEEDS_ALL();
    static const hoop_decompress_options small = { .max_size = 1000 };
    static const hoop_middleware entry = HOOP_DECOMPRESS(&small);
    hoop_str empty = pack(HOOP__GZIP, hoop_str_c(""));
    size_t len = 0;
    char many[2000];
    for (; len + empty.len <= sizeof many; len += empty.len)
        memcpy(many + len, packed, empty.len);
    assert_refused(post(&entry, tell, "gzip", hoop_str_n(many, len)), 413, NULL, "over the limit");
    assert_str(post(&entry, tell, "gzip", hoop_str_n(many, empty.len * 3))->body, "-/-/0:");
}

/* --- piece by piece -------------------------------------------------------------------------- */

static hoop_handler chain_of(hoop_arena *app, hoop_handler_fn *fn)
{
    hoop_handler handler = hoop_fn(NULL, NULL);
    hoop_error error;
    int rc = hoop_chain_new(app, &usual, 1, hoop_fn(fn, NULL), &handler, &error);
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    return handler;
}

static struct fake_exchange *start(struct fake *f, hoop_handler *handler, const char *coding)
{
    struct fake_exchange *fx = fake_make(f, "POST", "/");
    if (!fx)
        return NULL;
    hoop_field *field = hoop_alloc(&fx->x.request.pub, sizeof *field);
    if (field) {
        field->name = hoop_str_c("content-encoding");
        field->value = hoop_str_c(coding);
        fx->x.request.pub.headers = field;
        fx->x.request.pub.header_count = 1;
    }
    fake_body(fx, HOOP__LENGTH_UNKNOWN);
    fake_dispatch(fx, handler->fn, handler->data);
    return fx;
}

static void test_cut_anywhere(void **state)
{
    NEEDS_ALL();
    static const char *const names[] = { "gzip", "br", "zstd", "gzip, br" };
    for (size_t i = 0; i < HOOP_COUNT(names); i++) {
        hoop_str body =
            i == 3 ? pack(HOOP__BR, pack(HOOP__GZIP, hoop_str_c("hello world")))
                   : pack(hoop__coding_of(hoop_str_c(names[i])), hoop_str_c("hello world"));
        for (size_t cut = 0; cut <= body.len; cut++) {
            struct fake f;
            fake_init(&f);
            hoop_handler handler = chain_of(arena, tell);
            struct fake_exchange *fx = start(&f, &handler, names[i]);
            assert_int_equal(fx->wants, 1);
            if (cut)
                hoop__exchange_body(&fx->x, packed, cut);
            if (cut < body.len)
                hoop__exchange_body(&fx->x, packed + cut, body.len - cut);
            hoop__exchange_body_end(&fx->x, NULL, 0);
            fake_turn(&f);
            assert_string_equal(f.sent, "200\nContent-Type: text/plain; charset=utf-8\n\n"
                                        "-/-/11:hello world");
            fake_end(fx, 0);
            fake_done(&f);
        }
    }
}

/* Chunked, and nothing came: that is an empty body. */
static void test_no_byte_at_all(void **state)
{
    NEEDS_ALL();
    struct fake f;
    fake_init(&f);
    hoop_handler handler = chain_of(arena, tell);
    struct fake_exchange *fx = start(&f, &handler, "gzip");
    hoop__exchange_body_end(&fx->x, NULL, 0);
    fake_turn(&f);
    assert_string_equal(f.sent, "200\nContent-Type: text/plain; charset=utf-8\n\n-/-/0:");
    fake_end(fx, 0);
    fake_done(&f);
}

static void test_the_client_leaves(void **state)
{
    NEEDS_ALL();
    struct fake f;
    fake_init(&f);
    hoop_handler handler = chain_of(arena, tell);
    struct fake_exchange *fx = start(&f, &handler, "zstd");
    hoop__exchange_body(&fx->x, packed, 1);
    fake_end(fx, HOOP_EGONE);
    fake_done(&f);
}

static const hoop_response *fails(const hoop_request *req, void *data)
{
    return hoop_fail(req, HOOP_EMISSING, "no such row");
}

static void test_other_failures_stay(void **state)
{
    NEEDS_ALL();
    struct fake f;
    fake_init(&f);
    hoop_handler handler = chain_of(arena, fails);
    hoop_str body = pack(HOOP__GZIP, hoop_str_c("hello"));
    struct fake_exchange *fx = start(&f, &handler, "gzip");
    hoop__exchange_body(&fx->x, packed, body.len);
    hoop__exchange_body_end(&fx->x, NULL, 0);
    fake_turn(&f);
    assert_int_equal(fx->response->pub.status, 500);
    assert_non_null(strstr(f.log, "no such row"));
    fake_end(fx, 0);
    fake_done(&f);
}

/* --- the pure function, options, memory ------------------------------------------------------ */

static const hoop_response *pure(const hoop_request *req, void *data)
{
    const hoop_response *answer = NULL;
    req = hoop_decompress_request(req, &answer, NULL);
    return req ? hoop_call(hoop_fn(tell, NULL), req) : answer;
}

static void test_the_pure_function(void **state)
{
    NEEDS_ALL();
    hoop_handler handler = hoop_streaming(arena, hoop_fn(pure, NULL));
    const hoop_request *req = hoop_mock(arena, "POST", "/", NULL);
    req = hoop_mock_body(req, NULL, pack(HOOP__BR, hoop_str_c("hello")));
    const hoop_request *br = hoop_mock_header(req, "Content-Encoding", "br");
    assert_str(hoop_call_sync(handler, br)->body, "-/-/5:hello");
    const hoop_request *other = hoop_mock_header(req, "Content-Encoding", "compress");
    assert_int_equal(hoop_call_sync(handler, other)->status, 415);
    /* Broken, and nobody who explains it. */
    const hoop_request *gzip = hoop_mock_header(req, "Content-Encoding", "gzip");
    assert_null(hoop_call_sync(handler, gzip));
    assert_int_equal(hoop_mock_failure(gzip)->code, HOOP_EPARSE);
    assert_null(hoop_decompress_request(NULL, NULL, NULL));
}

/* A body that was read already can't be changed any more. */
static const hoop_response *too_late(const hoop_request *req, void *data)
{
    hoop_handler handler = chain_of(arena, tell);
    return hoop_call(handler, req);
}

static void test_mounted_too_far_in(void **state)
{
    NEEDS_ALL();
    const hoop_request *req = hoop_mock(arena, "POST", "/", "abc");
    req = hoop_mock_header(req, "Content-Encoding", "gzip");
    assert_null(hoop_call_sync(hoop_fn(too_late, NULL), req));
    assert_string_equal(hoop_mock_failure(req)->text,
                        "decompress has to meet the request before the body is read");
}

static void test_refused_options(void **state)
{
    NEEDS_ALL();
    static const struct {
        hoop_decompress_options options;
        const char *text;
    } cases[] = {
        { { .codings = "gzip x" }, "decompress: there is no coding 'x'" },
        { { .codings = "br br" }, "decompress: 'br' is named twice" },
        { { .codings = " " }, "decompress: no coding is named" },
        { { .max_codings = 9 }, "decompress: max_codings 9 is over 8" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        hoop_middleware entry = HOOP_DECOMPRESS(&cases[i].options);
        test_middleware_refused(&entry, 1, HOOP_EINVAL, cases[i].text);
    }
}

static void memory_on(struct test_allocator *a, void *data)
{
    struct fake f;
    hoop_str body = pack(HOOP__BR, pack(HOOP__GZIP, hoop_str_c("hello world")));
    hoop_arena *app = hoop_arena_new_with(&(hoop_arena_options){ .allocator = &a->hoop });
    if (!app)
        return;
    hoop_handler handler = chain_of(app, tell);
    if (handler.fn && fake_init_on(&f, &a->hoop) == 0) {
        struct fake_exchange *fx = start(&f, &handler, "gzip, br");
        if (fx) {
            hoop__exchange_body(&fx->x, packed, body.len);
            hoop__exchange_body_end(&fx->x, NULL, 0);
            fake_turn(&f);
            assert_int_equal(fx->responses, 1);
            int status = fx->response->pub.status;
            assert_true(status == 200 || status == 503);
            fake_end(fx, 0);
        }
        fake_done(&f);
    }
    hoop_arena_free(app);
}

static void test_memory(void **state)
{
    NEEDS_ALL();
    test_each_allocation(memory_on, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_each_coding),
        TEST(test_several_in_their_order),
        TEST(test_what_goes_through),
        TEST(test_what_is_refused_at_the_head),
        TEST(test_broken_bodies),
        TEST(test_limits),
        TEST(test_nothing_without_end),
        TEST(test_cut_anywhere),
        TEST(test_no_byte_at_all),
        TEST(test_the_client_leaves),
        TEST(test_other_failures_stay),
        TEST(test_the_pure_function),
        TEST(test_mounted_too_far_in),
        TEST(test_refused_options),
        TEST(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
