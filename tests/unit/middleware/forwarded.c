/* Middleware "forwarded": peers trusted and not, both kinds of header, ring.md's cases 2.15-1, -6, -19, memory. */
#include "fake.h"
#include "middleware.h"

static const char *const proxies[] = { "127.0.0.0/8", "10.0.0.0/8", "2001:db8::/32", "unix" };

static const hoop_forwarded_options usual = { .trusted = proxies, .trusted_count = 4 };
static const hoop_forwarded_options standard = {
    .trusted = proxies,
    .trusted_count = 4,
    .standard = 1,
    .use_host = 1,
};
static const hoop_middleware usual_entry = HOOP_FORWARDED(&usual);
static const hoop_middleware standard_entry = HOOP_FORWARDED(&standard);

static const hoop_response *tell(const hoop_request *req, void *data)
{
    hoop_str addr = hoop_remote_addr(req);
    hoop_str name = hoop_server_name(req);
    if (hoop_failure(req))
        return NULL;
    return hoop_textf(req, 200, "%s|%u|%s|%s|%u", hoop_str_is_none(addr) ? "unknown" : addr.data,
                      (unsigned)hoop_remote_port(req), req->scheme.data, name.data,
                      (unsigned)hoop_server_port(req));
}

#define SEEN(text) "200\nContent-Type: text/plain; charset=utf-8\n\n" text
#define BROKEN(header)                                                                      \
    "400\nContent-Type: application/problem+json\n\n{\"title\":\"Bad Request\",\"status\":" \
    "400,\"detail\":\"" header " can't be read\"}"

static void test_the_usual_headers(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .inner = tell,
          .headers = "X-Forwarded-For: 192.0.2.1",
          .want = SEEN("192.0.2.1|0|http|localhost|80") },
        { .inner = tell,
          .headers = "X-Forwarded-For: 1.1.1.1, 192.0.2.1",
          .want = SEEN("192.0.2.1|0|http|localhost|80") },
        { .inner = tell,
          .headers = "X-Forwarded-For: 192.0.2.1, 10.1.1.1\nX-Forwarded-For: 10.2.2.2",
          .want = SEEN("192.0.2.1|0|http|localhost|80") },
        { .inner = tell,
          .headers = "X-Forwarded-For: 10.1.1.1, 10.2.2.2",
          .want = SEEN("10.1.1.1|0|http|localhost|80") },
        { .inner = tell,
          .headers = "X-Forwarded-For: [2001:DB9::1]:81",
          .want = SEEN("2001:db9::1|81|http|localhost|80") },
        { .inner = tell,
          .headers = "X-Forwarded-For: unknown",
          .want = SEEN("unknown|0|http|localhost|80") },
        { .inner = tell,
          .headers = "X-Forwarded-For: 192.0.2.1\nX-Forwarded-Proto: HTTPS",
          .want = SEEN("192.0.2.1|0|https|localhost|443") },
        { .inner = tell,
          .uri = "https://localhost/",
          .headers = "X-Forwarded-For: 192.0.2.1\nX-Forwarded-Proto: http",
          .want = SEEN("192.0.2.1|0|http|localhost|80") },
        { .inner = tell,
          .headers = "X-Forwarded-For: 192.0.2.1, 10.0.0.1\nX-Forwarded-Proto: https, http",
          .want = SEEN("192.0.2.1|0|https|localhost|443") },
        { .inner = tell,
          .headers = "X-Forwarded-For: 192.0.2.1\nX-Forwarded-Host: evil.net",
          .want = SEEN("192.0.2.1|0|http|localhost|80") },
        { .inner = tell,
          .headers = "Forwarded: for=192.0.2.1",
          .want = SEEN("127.0.0.1|0|http|localhost|80") },
        { .inner = tell, .want = SEEN("127.0.0.1|0|http|localhost|80") },
        { .inner = tell,
          .headers = "X-Forwarded-Proto: https",
          .want = SEEN("127.0.0.1|0|https|localhost|443") },
        { .inner = tell,
          .headers = "X-Forwarded-Proto: http, https",
          .want = SEEN("127.0.0.1|0|https|localhost|443") },
        { .headers = "X-Forwarded-Proto: gopher",
          .want = BROKEN("X-Forwarded-For, -Proto or -Host") },
        { .headers = "X-Forwarded-For: 192.0.2.1\nX-Forwarded-Proto: gopher",
          .want = BROKEN("X-Forwarded-For, -Proto or -Host") },
        { .headers = "X-Forwarded-For: 192.0.2.1, 300.0.0.1",
          .want = BROKEN("X-Forwarded-For, -Proto or -Host") },
        { .headers = "X-Forwarded-For: junk, 192.0.2.1",
          .inner = tell,
          .want = SEEN("192.0.2.1|0|http|localhost|80") },
    };
    check_middleware(usual_entry, cases);
}

static void test_the_standard_header(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .inner = tell,
          .headers = "Forwarded: for=192.0.2.1;proto=https;host=a.example",
          .want = SEEN("192.0.2.1|0|https|a.example|443") },
        { .inner = tell,
          .headers = "Forwarded: for=1.1.1.1;host=evil.net, For=\"[2001:db9::1]:81\"",
          .want = SEEN("2001:db9::1|81|http|localhost|80") },
        { .inner = tell,
          .headers = "Forwarded: for=192.0.2.1;host=\"a.example:8080\", for=10.0.0.1;host=in",
          .want = SEEN("192.0.2.1|0|http|a.example|8080") },
        { .inner = tell,
          .headers = "Forwarded: for=_hidden;proto=https",
          .want = SEEN("unknown|0|https|localhost|443") },
        { .inner = tell,
          .headers = "Forwarded: proto=https",
          .want = SEEN("unknown|0|https|localhost|443") },
        { .inner = tell,
          .headers = "X-Forwarded-For: 192.0.2.1",
          .want = SEEN("127.0.0.1|0|http|localhost|80") },
        { .headers = "Forwarded: for=192.0.2.1;for=192.0.2.2", .want = BROKEN("Forwarded") },
        { .headers = "Forwarded: for=192.0.2.1;host=\"a b\"", .want = BROKEN("Forwarded") },
    };
    check_middleware(standard_entry, cases);
}

static void check_peer(const char *addr, const hoop_forwarded_options *options, const char *want)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req =
        hoop_mock_header(hoop_mock(arena, "GET", "/", NULL), "X-Forwarded-For", "192.0.2.1");
    const hoop_response *answer = NULL;
    req = hoop_forwarded_request(hoop_mock_peer(req, addr, 7), &answer, options);
    assert_str(hoop_remote_addr(req), want);
    assert_null(answer);
    hoop_arena_free(arena);
}

static void test_peers(void **state)
{
    (void)state;
    static const hoop_forwarded_options no_unix = { .trusted = proxies, .trusted_count = 3 };
    check_peer("10.255.0.1", &usual, "192.0.2.1");
    check_peer("::ffff:10.0.0.1", &usual, "192.0.2.1");
    check_peer("2001:db8::1", &usual, "192.0.2.1");
    check_peer("11.0.0.1", &usual, "11.0.0.1");
    check_peer("2001:db9::1", &usual, "2001:db9::1");
    check_peer("", &usual, "192.0.2.1");
    check_peer("", &no_unix, "");
}

static void test_the_scheme_may_be_left_alone(void **state)
{
    (void)state;
    static const hoop_forwarded_options own = {
        .trusted = proxies,
        .trusted_count = 1,
        .ignore_proto = 1,
        .use_host = 1,
    };
    static const hoop_middleware one = HOOP_FORWARDED(&own);
    static const struct middleware_case cases[] = {
        { .inner = tell,
          .headers = "X-Forwarded-For: 192.0.2.1\nX-Forwarded-Proto: x\nX-Forwarded-Host: a:81",
          .want = SEEN("192.0.2.1|0|http|a|81") },
    };
    check_middleware(one, cases);
}

/* Ring's `header` of wrap-forwarded-scheme. */
static void test_another_header_tells_the_scheme(void **state)
{
    (void)state;
    static const hoop_forwarded_options own = { .trusted = proxies,
                                                .trusted_count = 1,
                                                .proto_header = "X-Scheme" };
    static const hoop_forwarded_options odd = { .trusted = proxies,
                                                .trusted_count = 1,
                                                .proto_header = "X Scheme" };
    static const hoop_middleware one = HOOP_FORWARDED(&own), refused[] = { HOOP_FORWARDED(&odd) };
    static const struct middleware_case cases[] = {
        { .inner = tell,
          .headers = "X-Forwarded-Proto: https",
          .want = SEEN("127.0.0.1|0|http|localhost|80") },
        { .inner = tell,
          .headers = "X-Scheme: https",
          .want = SEEN("127.0.0.1|0|https|localhost|443") },
        { .inner = tell,
          .uri = "https://localhost/",
          .headers = "X-Scheme: http",
          .want = SEEN("127.0.0.1|0|http|localhost|80") },
    };
    check_middleware(one, cases);
    test_middleware_refused(refused, 1, HOOP_EINVAL, "forwarded: 'X Scheme' is no header name");
}

static void check_refused(const char *const *list, size_t count, const char *text)
{
    const hoop_forwarded_options own = { .trusted = list, .trusted_count = count };
    const hoop_middleware chain[] = { HOOP_FORWARDED(&own) };
    test_middleware_refused(chain, 1, HOOP_EINVAL, text);
}

static void test_lists_that_are_wrong(void **state)
{
    (void)state;
    static const char *const lists[] = { "10.1.0.0/8", "localhost", NULL };
    check_refused(NULL, 0, "forwarded: nobody is trusted");
    check_refused(&lists[0], 1, "forwarded: '10.1.0.0/8' is no network");
    check_refused(&lists[1], 1, "forwarded: 'localhost' is no network");
    check_refused(&lists[2], 1, "forwarded: 'NULL' is no network");
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .inner = tell,
        .headers = "Forwarded: for=192.0.2.1;proto=https;host=a.example",
        .want = SEEN("192.0.2.1|0|https|a.example|443"),
    };
    test_middleware_memory(&standard_entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_usual_headers),
        cmocka_unit_test(test_the_standard_header),
        cmocka_unit_test(test_peers),
        cmocka_unit_test(test_the_scheme_may_be_left_alone),
        cmocka_unit_test(test_another_header_tells_the_scheme),
        cmocka_unit_test(test_lists_that_are_wrong),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
