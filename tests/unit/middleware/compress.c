/* Middleware "compress": negotiation, what is compressed and what is not, headers, streams and their flushes. */
#include "middleware.h"

#include "fake.h"

#include "base/blocks.h"
#include "compress/codec.h"
#include "middleware/encode.h"
#include "value/pull.h"

#include <stdio.h>

/* Without the libraries there is only one thing to be tested. */
#define NEEDS(coding)                   \
    if (!hoop__coding_is_built(coding)) \
    skip()

static char text[200001]; /* "0123456789" again and again */

static int setup(void **state)
{
    for (size_t i = 0; i < sizeof text - 1; i++)
        text[i] = (char)('0' + i % 10);
    return 0;
}

static const char *text_of(size_t len)
{
    return text + sizeof text - 1 - len;
}

/* --- one answer ------------------------------------------------------------------------------ */

static hoop_arena *arena;
static char shown[4096];

/* What comes of a coded body. */
static hoop_str decoded(const hoop_request *req, const hoop_response *res)
{
    hoop_str body = hoop_response_read(req, res);
    enum hoop__coding coding = hoop__coding_of(hoop_response_header(res, "content-encoding"));
    if (coding == HOOP__CODINGS)
        return body;
    char *out = hoop_alloc(req, sizeof text);
    struct hoop__codec *codec;
    size_t len = 0;
    assert_int_equal(hoop__decoder_new(&codec, &hoop__malloc, coding), 0);
    assert_int_equal(hoop__codec_run(codec, &body, out, sizeof text, &len, HOOP__CODEC_FINISH),
                     HOOP_EOF);
    hoop__codec_free(codec);
    return hoop_str_n(out, len);
}

/* The status and headers as one text, lines split by '\n'. */
static const char *head_of(const hoop_response *res)
{
    int n = snprintf(shown, sizeof shown, "%d\n", (int)res->status);
    for (size_t i = 0; i < res->header_count; i++)
        n += snprintf(shown + n, sizeof shown - (size_t)n, "%s: %s\n", res->headers[i].name.data,
                      res->headers[i].value.data);
    return shown;
}

/* Runs a case with `len` digits as the handler's body, and checks head and body. */
static void check(const hoop_middleware *entry, const char *method, const char *headers,
                  const char *head, size_t len, int streamed, const char *want)
{
    arena = hoop_arena_new();
    const char *answer = hoop_arena_printf(arena, "%s\n\n%s", head, text_of(len)).data;
    struct middleware_case one = {
        .method = method, .headers = headers, .answer = answer, .streamed = streamed
    };
    const hoop_response *res = middleware_answer(arena, entry, 1, &one);
    assert_non_null(res);
    if (strcmp(head_of(res), want) != 0)
        fail_msg("%s with %s: got\n%swant\n%s", head, headers ? headers : "", shown, want);
    const hoop_request *req = middleware_request(arena, &one);
    if (!method || strcmp(method, "HEAD") != 0) {
        hoop_str body = decoded(req, res);
        assert_bytes(body.data, body.len, text_of(len), len);
        if (!hoop_str_is_none(hoop_response_header(res, "content-encoding")))
            assert_true(hoop_response_read(req, res).len < len);
    }
    hoop_arena_free(arena);
}

static const hoop_compress_options gzip_options = { .codings = "gzip" };
static const hoop_middleware gzip = HOOP_COMPRESS(&gzip_options);
static const hoop_compress_options all_options = { .codings = "zstd br gzip deflate" };
static const hoop_middleware all = HOOP_COMPRESS(&all_options);
static const hoop_middleware usual = HOOP_COMPRESS(NULL);

#define ACCEPT        "Accept-Encoding: "
#define HTML          "200\nContent-Type: text/html"
#define PLAIN         HTML "\nVary: Accept-Encoding\n"
#define CODED(coding) HTML "\nVary: Accept-Encoding\nContent-Encoding: " coding "\n"

static int has_all(void)
{
    return hoop__coding_is_built(HOOP__GZIP) && hoop__coding_is_built(HOOP__BR) &&
           hoop__coding_is_built(HOOP__ZSTD);
}

/* --- negotiation ----------------------------------------------------------------------------- */

static void test_negotiation(void **state)
{
    if (!has_all())
        skip();
    static const struct {
        const char *accept, *coding; /* NULL: none */
    } cases[] = {
        { "gzip", "gzip" },
        { "GZIP", "gzip" },
        { "x-gzip", "gzip" },
        { "gzip,deflate", "gzip" },
        { "deflate,gzip", "gzip" },
        { "deflate", "deflate" },
        { "deflate, sdch", "deflate" },
        { "br", "br" },
        { "zstd", "zstd" },
        { "gzip, deflate, br, zstd", "zstd" },
        { "gzip, deflate, br", "br" },
        { "gzip;q=1.0, br;q=0.9", "gzip" },
        { "gzip;q=0.5, br;q=0.9, zstd;q=0", "br" },
        { "gzip;q=0", NULL },
        { "gzip;q=0.000", NULL },
        { "gzip;q=0, *", "zstd" },
        { "*", "zstd" },
        { "*;q=0", NULL },
        { "*;q=0, gzip", "gzip" },
        { "*;q=0.5, gzip;q=0.4", "zstd" },
        { "identity", NULL },
        { "identity;q=0.5, gzip;q=0.4", NULL },
        { "identity;q=0.5, gzip;q=0.5", "gzip" },
        { "identity;q=0.5, gzip;q=0.6", "gzip" },
        { "identity, gzip", "gzip" },
        { "identity;q=0, gzip;q=0.001", "gzip" },
        { "identity;q=0", NULL },
        { "", NULL },
        { " ", NULL },
        { "sdch", NULL },
        { "gzipped", NULL },
        { "XXXX", NULL },
        { "gzip;q=", "gzip" },
        { "\"gzip", NULL },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char accept[128], want[256];
        snprintf(accept, sizeof accept, ACCEPT "%s", cases[i].accept);
        snprintf(want, sizeof want, CODED("%s"), cases[i].coding);
        check(&all, NULL, accept, HTML, 5000, 0, cases[i].coding ? want : PLAIN);
        check(&all, NULL, accept, HTML, 5000, 1, cases[i].coding ? want : PLAIN);
    }
    check(&all, NULL, NULL, HTML, 5000, 0, PLAIN);
    check(&all, NULL, ACCEPT "br;q=0.1\n" ACCEPT "gzip", HTML, 5000, 0, CODED("gzip"));
}

static void test_order_of_preference(void **state)
{
    if (!has_all())
        skip();
    static const hoop_compress_options options = { .codings = " br  gzip " };
    static const hoop_middleware entry = HOOP_COMPRESS(&options);
    check(&entry, NULL, ACCEPT "gzip, br, zstd", HTML, 5000, 0, CODED("br"));
    check(&entry, NULL, ACCEPT "zstd", HTML, 5000, 0, PLAIN);
    check(&usual, NULL, ACCEPT "deflate", HTML, 5000, 0, PLAIN);
    check(&usual, NULL, ACCEPT "gzip, br, zstd", HTML, 5000, 0, CODED("zstd"));
}

/* --- what is compressed ---------------------------------------------------------------------- */

static void test_statuses(void **state)
{
    NEEDS(HOOP__GZIP);
    static const int yes[] = { 200, 201, 202, 203, 207, 208, 226, 403, 404 };
    static const int no[] = { 206, 301, 302, 303, 305, 307, 400, 401, 416, 500, 502, 503 };
    char head[64], want[128];
    for (size_t i = 0; i < HOOP_COUNT(yes); i++) {
        snprintf(head, sizeof head, "%d\nContent-Type: text/html", yes[i]);
        snprintf(want, sizeof want, "%s\nVary: Accept-Encoding\nContent-Encoding: gzip\n", head);
        check(&gzip, NULL, ACCEPT "gzip", head, 5000, 0, want);
    }
    for (size_t i = 0; i < HOOP_COUNT(no); i++) {
        snprintf(head, sizeof head, "%d\nContent-Type: text/html", no[i]);
        snprintf(want, sizeof want, "%s\n", head);
        check(&gzip, NULL, ACCEPT "gzip", head, 5000, 0, want);
    }
}

static void test_without_a_body(void **state)
{
    static const struct middleware_case cases[] = {
        { .headers = ACCEPT "gzip", .answer = "204", .want = "204\n(no body)" },
        { .headers = ACCEPT "gzip", .answer = "205", .want = "205\n(no body)" },
        { .headers = ACCEPT "gzip", .answer = HTML, .want = HTML "\n(no body)" },
    };
    check_middleware(usual, cases);
}

static void test_sizes(void **state)
{
    NEEDS(HOOP__GZIP);
    static const hoop_compress_options options = { .codings = "gzip", .min_size = 860 };
    static const hoop_middleware entry = HOOP_COMPRESS(&options);
    check(&gzip, NULL, ACCEPT "gzip", HTML, 1023, 0, HTML "\n");
    check(&gzip, NULL, ACCEPT "gzip", HTML, 1024, 0, CODED("gzip"));
    check(&entry, NULL, ACCEPT "gzip", HTML, 859, 0, HTML "\n");
    check(&entry, NULL, ACCEPT "gzip", HTML, 860, 0, CODED("gzip"));
    /* What has no known length is compressed however short it is. */
    check(&gzip, NULL, ACCEPT "gzip", HTML, 100, 1, CODED("gzip"));
    /* Where identity is refused, neither size nor type count. */
    check(&gzip, NULL, ACCEPT "identity;q=0, gzip", HTML, 100, 0, CODED("gzip"));
    check(&gzip, NULL, ACCEPT "gzip, *;q=0", "200\nContent-Type: image/png", 100, 0,
          "200\nContent-Type: image/png\nVary: Accept-Encoding\nContent-Encoding: gzip\n");
}

static void test_types(void **state)
{
    NEEDS(HOOP__GZIP);
    static const hoop_compress_options options = { .codings = "gzip",
                                                   .types = "image/* !image/png" };
    static const hoop_middleware entry = HOOP_COMPRESS(&options);
    static const char *const yes[] = { "text/html; charset=utf-8", "application/json",
                                       "application/problem+json", "image/svg+xml",
                                       "application/javascript",   "application/wasm",
                                       "text/javascript",          "font/ttf" };
    static const char *const no[] = { "image/png",
                                      "application/octet-stream",
                                      "application/zip",
                                      "text/event-stream",
                                      "video/mp4",
                                      "font/woff2",
                                      "text",
                                      "application/grpc" };
    char head[96], want[200];
    for (size_t i = 0; i < HOOP_COUNT(yes); i++) {
        snprintf(head, sizeof head, "200\nContent-Type: %s", yes[i]);
        snprintf(want, sizeof want, "%s\nVary: Accept-Encoding\nContent-Encoding: gzip\n", head);
        check(&gzip, NULL, ACCEPT "gzip", head, 5000, 0, want);
    }
    for (size_t i = 0; i < HOOP_COUNT(no); i++) {
        snprintf(head, sizeof head, "200\nContent-Type: %s", no[i]);
        snprintf(want, sizeof want, "%s\n", head);
        check(&gzip, NULL, ACCEPT "gzip", head, 5000, 0, want);
    }
    check(&gzip, NULL, ACCEPT "gzip", "200", 5000, 0, "200\n");
    check(&entry, NULL, ACCEPT "gzip", "200\nContent-Type: image/bmp", 5000, 0,
          "200\nContent-Type: image/bmp\nVary: Accept-Encoding\nContent-Encoding: gzip\n");
    check(&entry, NULL, ACCEPT "gzip", "200\nContent-Type: image/png", 5000, 0,
          "200\nContent-Type: image/png\n");
    check(&entry, NULL, ACCEPT "gzip", HTML, 5000, 0, HTML "\n");
}

static void test_what_must_not_change(void **state)
{
    NEEDS(HOOP__GZIP);
    static const char *const heads[] = {
        HTML "\nContent-Encoding: br",
        HTML "\ncontent-encoding: identity",
        HTML "\nCache-Control: private, No-Transform",
        HTML "\nCache-Control: private\nCache-Control: no-transform",
        HTML "\nContent-Range: bytes 0-1/5",
        HTML "\nContent-Digest: sha-256=:AA==:",
        HTML "\nRepr-Digest: sha-256=:AA==:",
        HTML "\nContent-MD5: AA==",
    };
    for (size_t i = 0; i < HOOP_COUNT(heads); i++) {
        struct middleware_case one = { .headers = ACCEPT "gzip" };
        arena = hoop_arena_new();
        one.answer = hoop_arena_printf(arena, "%s\n\n%s", heads[i], text_of(3000)).data;
        one.want = one.answer;
        test_middleware(&gzip, 1, &one, 1);
        hoop_arena_free(arena);
    }
    check(&gzip, NULL, ACCEPT "gzip", HTML "\nCache-Control: max-age=1, x=\"no-transform\"", 3000,
          0,
          HTML "\nCache-Control: max-age=1, x=\"no-transform\"\nVary: Accept-Encoding\n"
               "Content-Encoding: gzip\n");
}

/* --- headers --------------------------------------------------------------------------------- */

static void test_vary(void **state)
{
    NEEDS(HOOP__GZIP);
    static const struct {
        const char *given, *want;
    } cases[] = {
        { "\nVary: Cookie", "\nVary: Cookie, Accept-Encoding" },
        { "\nvary: Cookie", "\nVary: Cookie, Accept-Encoding" },
        { "\nVary: accept-encoding", "\nVary: accept-encoding" },
        { "\nVary: Cookie, Accept-Encoding", "\nVary: Cookie, Accept-Encoding" },
        { "\nVary: *", "\nVary: *" },
        { "\nVary: Cookie\nVary: Origin", "\nVary: Cookie\nVary: Origin\nVary: Accept-Encoding" },
        { "\nVary: Cookie\nVary: accept-Encoding", "\nVary: Cookie\nVary: accept-Encoding" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char head[128], want[256];
        snprintf(head, sizeof head, HTML "%s", cases[i].given);
        snprintf(want, sizeof want, HTML "%s\nContent-Encoding: gzip\n", cases[i].want);
        check(&gzip, NULL, ACCEPT "gzip", head, 5000, 0, want);
        snprintf(want, sizeof want, HTML "%s\n", cases[i].want);
        check(&gzip, NULL, NULL, head, 5000, 0, want);
    }
}

static void test_validators_and_ranges(void **state)
{
    NEEDS(HOOP__GZIP);
    check(&gzip, NULL, ACCEPT "gzip", HTML "\nETag: \"a\"", 5000, 0,
          HTML "\nVary: Accept-Encoding\nETag: W/\"a\"\nContent-Encoding: gzip\n");
    check(&gzip, NULL, ACCEPT "gzip", HTML "\nETag: W/\"a\"", 5000, 0,
          HTML "\nETag: W/\"a\"\nVary: Accept-Encoding\nContent-Encoding: gzip\n");
    check(&gzip, NULL, NULL, HTML "\nETag: \"a\"", 5000, 0,
          HTML "\nETag: \"a\"\nVary: Accept-Encoding\n");
    check(&gzip, NULL, ACCEPT "gzip", HTML "\nAccept-Ranges: bytes\nContent-Length: 5000", 5000, 0,
          CODED("gzip"));
}

static void test_not_modified(void **state)
{
    NEEDS(HOOP__GZIP);
    static const struct middleware_case cases[] = {
        { .headers = "If-None-Match: \"x\", W/\"a\"",
          .answer = "304\nETag: \"a\"",
          .want = "304\nVary: Accept-Encoding\nETag: W/\"a\"\n(no body)" },
        { .headers = "If-None-Match: \"a\"",
          .answer = "304\nETag: \"a\"",
          .want = "304\nETag: \"a\"\nVary: Accept-Encoding\n(no body)" },
        { .headers = "If-None-Match: *",
          .answer = "304\nVary: Cookie",
          .want = "304\nVary: Cookie, Accept-Encoding\n(no body)" },
        { .answer = "304\nETag: \"a\"",
          .want = "304\nETag: \"a\"\nVary: Accept-Encoding\n(no body)" },
    };
    check_middleware(gzip, cases);
}

static void test_head_has_the_headers_of_get(void **state)
{
    NEEDS(HOOP__GZIP);
    static const char want[] =
        HTML "\nVary: Accept-Encoding\nETag: W/\"a\"\nContent-Encoding: gzip\n";
    check(&gzip, "HEAD", ACCEPT "gzip", HTML "\nETag: \"a\"", 5000, 0, want);
    check(&gzip, "HEAD", ACCEPT "gzip", HTML "\nETag: \"a\"", 5000, 1, want);
    check(&gzip, "HEAD", ACCEPT "gzip", HTML, 100, 0, HTML "\n");
    check(&gzip, "HEAD", NULL, HTML, 5000, 0, PLAIN);
}

/* --- choices --------------------------------------------------------------------------------- */

static int skip_secret(const hoop_request *req, const hoop_response *res, const void *data)
{
    return !hoop_str_is_none(hoop_response_header(res, data)) && hoop_str_eq_c(req->uri, "/");
}

static const hoop_response *never(const hoop_request *req, void *data)
{
    return hoop_without_compression(req, hoop_html(req, 200, text_of(5000)));
}

static void test_what_is_left_out(void **state)
{
    NEEDS(HOOP__GZIP);
    static const hoop_compress_options options = { .codings = "gzip",
                                                   .skip = skip_secret,
                                                   .skip_data = "x-secret" };
    static const hoop_middleware entry = HOOP_COMPRESS(&options);
    check(&entry, NULL, ACCEPT "gzip", HTML "\nX-Secret: 1", 5000, 0, HTML "\nX-Secret: 1\n");
    check(&entry, NULL, ACCEPT "gzip", HTML, 5000, 0, CODED("gzip"));
    struct middleware_case one = { .headers = ACCEPT "gzip", .inner = never };
    arena = hoop_arena_new();
    one.want =
        hoop_arena_printf(arena, "200\nContent-Type: text/html; charset=utf-8\n\n%s", text_of(5000))
            .data;
    const hoop_response *res = middleware_answer(arena, &gzip, 1, &one);
    assert_int_equal(res->body.len, 5000);
    assert_string_equal(head_of(res), "200\nContent-Type: text/html; charset=utf-8\n");
    hoop_arena_free(arena);
    assert_null(hoop_without_compression(NULL, NULL));
}

static void test_what_does_not_get_smaller(void **state)
{
    NEEDS(HOOP__GZIP);
    static char noise[70001];
    uint64_t seed = 7;
    for (size_t i = 0; i < sizeof noise - 1; i++) {
        seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        noise[i] = (char)(33 + (seed >> 33) % 200);
    }
    for (size_t len = 1024; len < sizeof noise; len = len * 8 + 5) {
        arena = hoop_arena_new();
        struct middleware_case one = { .headers = ACCEPT "gzip" };
        /* Each byte once, so that not even the code of bytes helps. */
        for (size_t i = 0; i < len; i++)
            noise[i] = (char)(128 + (i * 77 + i / 128 * 31 + i * i / 640) % 127);
        one.answer = hoop_arena_printf(arena, HTML "\n\n%.*s", (int)len, noise).data;
        const hoop_response *res = middleware_answer(arena, &gzip, 1, &one);
        hoop_str body = decoded(middleware_request(arena, &one), res);
        assert_bytes(body.data, body.len, noise, len);
        hoop_arena_free(arena);
    }
}

static void test_twice(void **state)
{
    NEEDS(HOOP__GZIP);
    static const hoop_middleware chain[] = { HOOP_COMPRESS(&all_options),
                                             HOOP_COMPRESS(&gzip_options) };
    if (!has_all())
        skip();
    arena = hoop_arena_new();
    struct middleware_case one = { .headers = ACCEPT "gzip, br" };
    one.answer = hoop_arena_printf(arena, HTML "\n\n%s", text_of(5000)).data;
    const hoop_response *res = middleware_answer(arena, chain, 2, &one);
    assert_string_equal(head_of(res), CODED("gzip"));
    hoop_arena_free(arena);
}

static void test_it_follows_the_outcome(void **state)
{
    static const struct middleware_case cases[] = {
        { .headers = ACCEPT "gzip", .answer = HTML "\n\nshort", .want = HTML "\n\nshort" },
        { .answer = "500\n\nbroken", .want = "500\n\nbroken" },
    };
    check_middleware(usual, cases);
    assert_null(hoop_compress_response(NULL, NULL, NULL));
}

static void test_refused_options(void **state)
{
    static const struct {
        hoop_compress_options options;
        const char *text;
    } cases[] = {
        { { .codings = "gzip lzma" }, "compress: there is no coding 'lzma'" },
        { { .codings = "gzip gzip" }, "compress: 'gzip' is named twice" },
        { { .codings = "" }, "compress: no coding is named" },
        { { .codings = "gzip", .types = "text/html text" }, "compress: 'text' is no media type" },
        { { .gzip_level = 10 }, "compress: level 10 of gzip is not between 1 and 9" },
        { { .br_level = 12 }, "compress: level 12 of br is not between 1 and 11" },
        { { .zstd_level = 20 }, "compress: level 20 of zstd is not between 1 and 19" },
    };
    NEEDS(HOOP__GZIP);
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        hoop_middleware entry = HOOP_COMPRESS(&cases[i].options);
        test_middleware_refused(&entry, 1, HOOP_EINVAL, cases[i].text);
    }
}

/* What a build without a library has to say. */
static void test_codings_that_are_not_built(void **state)
{
    static const char *const names[] = { "gzip", "deflate", "br", "zstd" };
    for (size_t i = 0; i < HOOP_COUNT(names); i++) {
        hoop_compress_options options = { .codings = names[i] };
        hoop_middleware entry = HOOP_COMPRESS(&options);
        char want[64];
        snprintf(want, sizeof want, "compress: this build has no '%s'", names[i]);
        assert_int_equal(hoop_compress_has(names[i]),
                         hoop__coding_is_built(hoop__coding_of(hoop_str_c(names[i]))));
        if (!hoop_compress_has(names[i]))
            test_middleware_refused(&entry, 1, HOOP_EUNSUPPORTED, want);
    }
    assert_int_equal(hoop_compress_has("identity"), 0);
    assert_int_equal(hoop_compress_has(NULL), 0);
    if (hoop_compress_has("gzip") || hoop_compress_has("br") || hoop_compress_has("zstd"))
        return;
    check(&usual, NULL, ACCEPT "gzip, br, zstd", HTML, 5000, 0, HTML "\n");
    check(&usual, NULL, ACCEPT "identity;q=0, gzip", HTML, 5000, 1, HTML "\n");
}

/* --- the pool -------------------------------------------------------------------------------- */

static const hoop_response *large(const hoop_request *req, void *data)
{
    return hoop_compress_response(req, hoop_html(req, 200, text_of(100000)), &gzip_options);
}

static void test_large_bodies_go_to_the_pool(void **state)
{
    NEEDS(HOOP__GZIP);
    struct fake f;
    fake_init(&f);
    struct fake_exchange *fx = fake_make(&f, "GET", "/");
    hoop_field accept = { hoop_str_c("accept-encoding"), hoop_str_c("gzip") };
    fx->x.request.pub.headers = &accept;
    fx->x.request.pub.header_count = 1;
    fake_dispatch(fx, large, NULL);
    assert_non_null(f.job);
    assert_int_equal(fx->responses, 0);
    f.job->work(f.job);
    fake_turn(&f);
    assert_int_equal(fx->responses, 1);
    const hoop_response *res = &fx->response->pub;
    assert_string_equal(head_of(res), "200\nContent-Type: text/html; charset=utf-8\n"
                                      "Vary: Accept-Encoding\nContent-Encoding: gzip\n");
    hoop_str body = decoded(&fx->x.request.pub, res);
    assert_bytes(body.data, body.len, text_of(100000), 100000);
    fake_end(fx, 0);
    fake_done(&f);
}

/* A full pool, or a job that is given up: the body goes as it is, or the exchange fails. */
static void test_the_pool_is_full(void **state)
{
    NEEDS(HOOP__GZIP);
    static const int codes[] = { HOOP_EBUSY, HOOP_ENOMEM };
    for (size_t i = 0; i < HOOP_COUNT(codes); i++) {
        struct fake f;
        fake_init(&f);
        f.block_code = codes[i];
        struct fake_exchange *fx = fake_make(&f, "GET", "/");
        hoop_field accept = { hoop_str_c("accept-encoding"), hoop_str_c("gzip") };
        fx->x.request.pub.headers = &accept;
        fx->x.request.pub.header_count = 1;
        f.sent[0] = 0;
        fake_dispatch(fx, large, NULL);
        assert_int_equal(fx->responses, 1);
        assert_string_equal(head_of(&fx->response->pub),
                            "200\nContent-Type: text/html; charset=utf-8\nVary: Accept-Encoding\n");
        assert_int_equal(fx->response->pub.body.len, 100000);
        assert_int_equal(f.loop.counters.limit_blocking, codes[i] == HOOP_EBUSY);
        fake_turn(&f);
        fake_end(fx, 0);
        fake_done(&f);
    }
}

static void test_a_job_is_given_up(void **state)
{
    NEEDS(HOOP__GZIP);
    struct fake f;
    fake_init(&f);
    struct fake_exchange *fx = fake_make(&f, "GET", "/");
    hoop_field accept = { hoop_str_c("accept-encoding"), hoop_str_c("gzip") };
    fx->x.request.pub.headers = &accept;
    fx->x.request.pub.header_count = 1;
    fake_dispatch(fx, large, NULL);
    f.job->cancel(f.job);
    fake_turn(&f);
    assert_int_equal(fx->responses, 1);
    assert_int_equal(fx->response->pub.status, 500);
    fake_end(fx, 0);
    fake_done(&f);
}

/* --- streams --------------------------------------------------------------------------------- */

/* A source by a script: letters are bytes, '.' is "nothing for now", '!' fails, the end is the end. */
struct script {
    struct hoop__source source;
    const char *at;
    size_t step; /* bytes given at a time */
    int finished, code;
};

static int script_pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct script *s = (struct script *)(void *)source;
    size_t n = strcspn(s->at, ".!");
    *ret_len = 0;
    if (!n && *s->at == '.') {
        s->at++;
        return HOOP_EAGAIN;
    }
    if (!n && *s->at == '!')
        return HOOP_EGONE;
    n = n < cap ? n : cap;
    n = n < s->step ? n : s->step;
    memcpy(buffer, s->at, n);
    s->at += n;
    *ret_len = n;
    return *s->at ? 0 : HOOP_EOF;
}

static void script_finished(struct hoop__source *source, int code)
{
    struct script *s = (struct script *)(void *)source;
    s->finished++;
    s->code = code;
}

static const hoop_response *scripted(const hoop_request *req, void *data)
{
    struct script *s = data;
    s->source.pull = script_pull;
    s->source.finished = script_finished;
    const hoop_response *res = hoop__respond_source(req, 200, "text/html", &s->source);
    return hoop_compress_response(req, res, &gzip_options);
}

static struct fake_exchange *dispatch(struct fake *f, hoop_handler_fn *fn, void *data)
{
    static const hoop_field accept = { { "accept-encoding", 15 }, { "gzip", 4 } };
    struct fake_exchange *fx = fake_make(f, "GET", "/");
    if (!fx)
        return NULL;
    fx->x.request.pub.headers = &accept;
    fx->x.request.pub.header_count = 1;
    fake_dispatch(fx, fn, data);
    return fx;
}

/*
 * Pulls a script with room for `cap` bytes; in front of each wait all that came so far must be there to be
 * decompressed. The code at the end.
 */
static int run_script(const char *script, size_t step, size_t cap, const char *want)
{
    struct fake f;
    struct script s = { .at = script, .step = step, .source.length = UINT64_MAX };
    char plain[4096], buffer[256];
    size_t plain_len = 0, waits = 0;
    struct hoop__codec *codec;
    assert_int_equal(hoop__decoder_new(&codec, &hoop__malloc, HOOP__GZIP), 0);
    fake_init(&f);
    struct fake_exchange *fx = dispatch(&f, scripted, &s);
    struct hoop__source *source = fx->response->source;
    int rc;
    assert_ptr_not_equal(source, &s.source);
    source->exchange = &fx->x;
    do {
        size_t n = 0, len = 0;
        rc = source->pull(source, buffer, cap, &n);
        assert_true(n <= cap && (rc || n));
        hoop_str in = hoop_str_n(buffer, n);
        enum hoop__codec_op op = rc == HOOP_EOF ? HOOP__CODEC_FINISH : HOOP__CODEC_RUN;
        int back =
            hoop__codec_run(codec, &in, plain + plain_len, sizeof plain - plain_len, &len, op);
        assert_int_equal(back, rc == HOOP_EOF ? HOOP_EOF : 0);
        plain_len += len;
        if (rc == HOOP_EAGAIN) {
            /* All in front of this wait, and of the waits before, is here. */
            size_t seen = 0, dots = 0;
            for (const char *p = script; p < s.at; p++)
                *p == '.' ? dots++ : seen++;
            assert_int_equal(plain_len, seen);
            assert_true(++waits <= dots);
        }
    } while (rc == 0 || rc == HOOP_EAGAIN);
    assert_bytes(plain, plain_len, want, rc == HOOP_EOF ? strlen(want) : plain_len);
    assert_int_equal(s.finished, 0);
    hoop__source_finish(source, rc == HOOP_EOF ? 0 : rc);
    hoop__source_finish(source, 5);
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.code, rc == HOOP_EOF ? 0 : rc);
    fake_end(fx, s.code);
    assert_int_equal(s.finished, 1);
    fake_done(&f);
    hoop__codec_free(codec);
    return rc;
}

static void test_flushes_reach_the_wire(void **state)
{
    NEEDS(HOOP__GZIP);
    static const size_t caps[] = { 1, 2, 7, 31, 32, 33, 100, 256 };
    for (size_t c = 0; c < HOOP_COUNT(caps); c++) {
        for (size_t step = 1; step < 9; step++) {
            assert_int_equal(
                run_script("hello .world. ..and all.", step, caps[c], "hello world and all"),
                HOOP_EOF);
            assert_int_equal(run_script("", step, caps[c], ""), HOOP_EOF);
            assert_int_equal(run_script("...", step, caps[c], ""), HOOP_EOF);
            assert_int_equal(run_script("abc", step, caps[c], "abc"), HOOP_EOF);
            assert_int_equal(run_script("abc.def!", step, caps[c], "abcdef"), HOOP_EGONE);
            assert_int_equal(run_script("!", step, caps[c], ""), HOOP_EGONE);
        }
    }
}

/* An announced length counts for the source as it does without compression. */
static void test_lengths_are_looked_at(void **state)
{
    NEEDS(HOOP__GZIP);
    static const struct {
        uint64_t length;
        int rc, code; /* of the pull, and what the inner source hears */
    } cases[] = { { 2000, HOOP_EOF, 0 },
                  { 2001, HOOP_EMISSING, HOOP_EMISSING },
                  { 1999, HOOP_EOF, HOOP_ETOOBIG } };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        struct fake f;
        struct script s = { .at = text_of(2000), .step = 999, .source.length = cases[i].length };
        char buffer[4096];
        size_t n = 0;
        fake_init(&f);
        struct fake_exchange *fx = dispatch(&f, scripted, &s);
        struct hoop__source *source = fx->response->source;
        source->exchange = &fx->x;
        assert_true(source->length == UINT64_MAX);
        int rc = source->pull(source, buffer, sizeof buffer, &n);
        assert_int_equal(rc, cases[i].rc);
        if (rc == HOOP_EOF) {
            struct hoop__codec *codec;
            char plain[4096];
            size_t len = 0;
            hoop_str in = hoop_str_n(buffer, n);
            assert_int_equal(hoop__decoder_new(&codec, &hoop__malloc, HOOP__GZIP), 0);
            assert_int_equal(
                hoop__codec_run(codec, &in, plain, sizeof plain, &len, HOOP__CODEC_FINISH),
                HOOP_EOF);
            hoop__codec_free(codec);
            assert_bytes(plain, len, text_of(2000), (size_t)cases[i].length);
        }
        hoop__source_finish(source, rc == HOOP_EOF ? 0 : rc);
        assert_int_equal(s.code, cases[i].code);
        fake_end(fx, 0);
        fake_done(&f);
    }
}

static void test_trailers_stay(void **state)
{
    NEEDS(HOOP__GZIP);
    static const struct hoop__trailer trailer = { NULL, { { "x", 1 }, { "y", 1 } } };
    struct fake f;
    struct script s = { .at = "abc", .step = 9, .source.length = UINT64_MAX };
    char buffer[256];
    size_t n = 0;
    fake_init(&f);
    struct fake_exchange *fx = dispatch(&f, scripted, &s);
    struct hoop__source *source = fx->response->source;
    source->exchange = &fx->x;
    s.source.trailers = &trailer;
    assert_int_equal(source->pull(source, buffer, sizeof buffer, &n), HOOP_EOF);
    assert_ptr_equal(source->trailers, &trailer);
    hoop__source_finish(source, 0);
    fake_end(fx, 0);
    fake_done(&f);
}

/* Made, but never sent: it ends with its exchange, once, and its context is back. */
static void test_a_stream_that_is_dropped(void **state)
{
    NEEDS(HOOP__GZIP);
    struct fake f;
    struct script s = { .at = "abc", .step = 9, .source.length = UINT64_MAX };
    fake_init(&f);
    struct fake_exchange *fx = dispatch(&f, scripted, &s);
    fake_end(fx, HOOP_EGONE);
    assert_int_equal(s.finished, 1);
    assert_int_equal(s.code, HOOP_ECANCELED);
    fake_done(&f);
}

/* --- memory ---------------------------------------------------------------------------------- */

struct memory {
    hoop_handler_fn *fn;
    const char *script;
};

static void stream_on(struct test_allocator *a, void *data)
{
    struct fake f;
    struct script s = { .at = "hello.world", .step = 3, .source.length = UINT64_MAX };
    char buffer[64];
    if (fake_init_on(&f, &a->hoop))
        return;
    struct fake_exchange *fx = dispatch(&f, scripted, &s);
    if (fx && fx->responses && fx->response->source) {
        struct hoop__source *source = fx->response->source;
        size_t n = 0;
        int rc;
        source->exchange = &fx->x;
        do
            rc = source->pull(source, buffer, sizeof buffer, &n);
        while (rc == 0 || rc == HOOP_EAGAIN);
        assert_int_equal(rc, HOOP_EOF);
        hoop__source_finish(source, 0);
    }
    if (fx) {
        assert_int_equal(fx->responses, 1);
        fake_end(fx, 0);
        assert_true(s.finished == 1 || fx == NULL);
    }
    fake_done(&f);
}

static void pool_on(struct test_allocator *a, void *data)
{
    struct fake f;
    if (fake_init_on(&f, &a->hoop))
        return;
    struct fake_exchange *fx = dispatch(&f, large, NULL);
    if (fx) {
        if (f.job)
            f.job->work(f.job);
        fake_turn(&f);
        assert_int_equal(fx->responses, 1);
        int status = fx->response->pub.status;
        assert_true(status == 200 || status == 503);
        fake_end(fx, 0);
    }
    fake_done(&f);
}

static void test_memory(void **state)
{
    NEEDS(HOOP__GZIP);
    test_each_allocation(stream_on, NULL);
    test_each_allocation(pool_on, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_negotiation),
        cmocka_unit_test(test_order_of_preference),
        cmocka_unit_test(test_statuses),
        cmocka_unit_test(test_without_a_body),
        cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_what_must_not_change),
        cmocka_unit_test(test_vary),
        cmocka_unit_test(test_validators_and_ranges),
        cmocka_unit_test(test_not_modified),
        cmocka_unit_test(test_head_has_the_headers_of_get),
        cmocka_unit_test(test_what_is_left_out),
        cmocka_unit_test(test_what_does_not_get_smaller),
        cmocka_unit_test(test_twice),
        cmocka_unit_test(test_it_follows_the_outcome),
        cmocka_unit_test(test_refused_options),
        cmocka_unit_test(test_codings_that_are_not_built),
        cmocka_unit_test(test_large_bodies_go_to_the_pool),
        cmocka_unit_test(test_the_pool_is_full),
        cmocka_unit_test(test_a_job_is_given_up),
        cmocka_unit_test(test_flushes_reach_the_wire),
        cmocka_unit_test(test_lengths_are_looked_at),
        cmocka_unit_test(test_trailers_stay),
        cmocka_unit_test(test_a_stream_that_is_dropped),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
