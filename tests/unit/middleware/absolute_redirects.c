/* Middleware "absolute_redirects": ring.md's case 2.15-9, hosts that may be named, memory. */
#include "middleware.h"

static const hoop_middleware entry = HOOP_ABSOLUTE_REDIRECTS(NULL);

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "http://example.com/bar/baz.html",
          .answer = "302\nLocation: /foo",
          .want = "302\nLocation: http://example.com/foo\n(no body)" },
        { .uri = "http://example.com/bar/baz.html",
          .answer = "302\nLocation: http://x/y",
          .want = "302\nLocation: http://x/y\n(no body)" },
        { .uri = "http://example.com/bar/baz.html",
          .answer = "302\nLocation: ../foo",
          .want = "302\nLocation: http://example.com/foo\n(no body)" },
        { .uri = "https://example.com:8443/bar/?q=1",
          .answer = "303\nlocation: x?y#z\nX: y\n\nbody",
          .want = "303\nX: y\nLocation: https://example.com:8443/bar/x?y#z\n\nbody" },
        { .uri = "https://example.com/bar?q=1",
          .answer = "307\nLocation: #top",
          .want = "307\nLocation: https://example.com/bar?q=1#top\n(no body)" },
        { .uri = "https://example.com/bar?q=1",
          .answer = "308\nLocation: //other.example/x",
          .want = "308\nLocation: https://other.example/x\n(no body)" },
        { .uri = "http://[::1]:8080/a",
          .answer = "201\nLocation: b",
          .want = "201\nLocation: http://[::1]:8080/b\n(no body)" },
        { .uri = "/a",
          .answer = "301\nLocation: /",
          .want = "301\nLocation: http://localhost/\n(no body)" },
        { .uri = "/a", .answer = "200\nLocation: /foo", .want = "200\nLocation: /foo\n(no body)" },
        { .uri = "/a", .answer = "304\nLocation: /foo", .want = "304\nLocation: /foo\n(no body)" },
        { .uri = "/a", .answer = "302\nX: y", .want = "302\nX: y\n(no body)" },
    };
    check_middleware(entry, cases);
}

static const char *const hosts[] = { "example.com", "[::1]", NULL };
static const hoop_absolute_redirects_options known = { .hosts = hosts };
static const hoop_middleware checked = HOOP_ABSOLUTE_REDIRECTS(&known);

static void test_hosts(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "http://EXAMPLE.com:81/a",
          .answer = "302\nLocation: /foo",
          .want = "302\nLocation: http://EXAMPLE.com:81/foo\n(no body)" },
        { .uri = "http://[::1]/a",
          .answer = "302\nLocation: /foo",
          .want = "302\nLocation: http://[::1]/foo\n(no body)" },
        { .uri = "http://evil.example/a",
          .answer = "302\nLocation: /foo",
          .want = "302\nLocation: /foo\n(no body)" },
    };
    check_middleware(checked, cases);
}

/* A request that names no host, or two kinds of nonsense. */
static void test_no_host(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *res = hoop_redirect(req, 302, "/x");
    static const char *const bad[] = { NULL, "", "a/b", "a:b", "a b", "host:99999" };
    for (size_t i = 0; i < HOOP_COUNT(bad); i++) {
        const hoop_request *other = hoop_with_request_header(req, "host", bad[i]);
        assert_ptr_equal(hoop_absolute_redirects_response(other, res, NULL), res);
    }
    assert_str(hoop_response_header(hoop_absolute_redirects_response(req, res, NULL), "location"),
               "http://localhost/x");
    assert_null(hoop_absolute_redirects_response(req, NULL, NULL));
    assert_null(hoop_absolute_redirects_response(NULL, res, NULL));
    assert_true(hoop_is_pass(hoop_absolute_redirects_response(req, hoop_pass(req), NULL)));
    hoop_arena_free(arena);
}

static void test_refused_hosts(void **state)
{
    (void)state;
    static const char *const with_port[] = { "example.com:80", NULL };
    static const hoop_absolute_redirects_options bad = { .hosts = with_port };
    static const hoop_middleware chain[] = { HOOP_ABSOLUTE_REDIRECTS(&bad) };
    test_middleware_refused(chain, 1, HOOP_EINVAL,
                            "absolute_redirects: 'example.com:80' is no host without port");
}

static void test_mounted_twice(void **state)
{
    (void)state;
    static const hoop_middleware chain[] = { HOOP_ABSOLUTE_REDIRECTS(NULL),
                                             HOOP_ABSOLUTE_REDIRECTS(NULL) };
    static const struct middleware_case cases[] = {
        { .answer = "302\nLocation: /foo",
          .want = "302\nLocation: http://localhost/foo\n(no body)" },
    };
    test_middleware(chain, HOOP_COUNT(chain), cases, HOOP_COUNT(cases));
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .answer = "302\nLocation: ./foo\nX: y",
        .want = "302\nX: y\nLocation: http://localhost/foo\n(no body)",
    };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),         cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_no_host),       cmocka_unit_test(test_refused_hosts),
        cmocka_unit_test(test_mounted_twice), cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
