/* Middleware "ssl_redirect": ring.md's cases 2.15-2 to -4, requests without a host, options, memory. */
#include "fake.h"
#include "middleware.h"

static const hoop_middleware entry = HOOP_SSL_REDIRECT(NULL);

#define ONLY_HTTPS                                                                            \
    "403\nContent-Type: application/problem+json\n\n{\"title\":\"Forbidden\",\"status\":403," \
    "\"detail\":\"this is served by https only\"}"

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "http://a.example/b?c=d",
          .want = "301\nLocation: https://a.example/b?c=d\n(no body)" },
        { .method = "HEAD",
          .uri = "http://a.example/b",
          .want = "301\nLocation: https://a.example/b\n(no body)" },
        { .method = "POST",
          .uri = "http://a.example/b?",
          .body = "x",
          .want = "307\nLocation: https://a.example/b?\n(no body)" },
        { .method = "OPTIONS",
          .uri = "http://a.example/",
          .want = "307\nLocation: https://a.example/\n(no body)" },
        { .uri = "http://a.example:8080/b",
          .want = "301\nLocation: https://a.example/b\n(no body)" },
        { .uri = "http://[::1]:8080//evil/%2e",
          .want = "301\nLocation: https://[::1]//evil/%2e\n(no body)" },
        { .uri = "https://a.example/b", .want = "200\n\nok" },
    };
    check_middleware(entry, cases);
}

static void test_a_port_and_a_host(void **state)
{
    (void)state;
    static const hoop_ssl_redirect_options other = { .host = "b.example", .port = 8443 };
    static const hoop_middleware to_other = HOOP_SSL_REDIRECT(&other);
    static const struct middleware_case cases[] = {
        { .uri = "http://a.example:8080/c",
          .want = "301\nLocation: https://b.example:8443/c\n(no body)" },
    };
    check_middleware(to_other, cases);
}

static void test_nowhere_to_go(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req =
        hoop_with_request_header(hoop_mock(arena, "GET", "http://a/", NULL), "Host", NULL);
    const hoop_response *answer = NULL;
    assert_null(hoop_ssl_redirect_request(req, &answer, NULL));
    assert_response(answer, ONLY_HTTPS);
    req = hoop_with_uri(hoop_mock(arena, "OPTIONS", "http://a/", NULL), "*", NULL);
    assert_null(hoop_ssl_redirect_request(req, &answer, NULL));
    assert_response(answer, ONLY_HTTPS);
    hoop_arena_free(arena);
}

static void check_refused(const hoop_ssl_redirect_options *options, const char *text)
{
    const hoop_middleware chain[] = { HOOP_SSL_REDIRECT(options) };
    test_middleware_refused(chain, 1, HOOP_EINVAL, text);
}

static void test_options_that_are_wrong(void **state)
{
    (void)state;
    check_refused(&(hoop_ssl_redirect_options){ .port = 65536 },
                  "ssl_redirect: there is no port 65536");
    check_refused(&(hoop_ssl_redirect_options){ .host = "a.example:8443" },
                  "ssl_redirect: 'a.example:8443' is no host without port");
    check_refused(&(hoop_ssl_redirect_options){ .host = "a.example:" },
                  "ssl_redirect: 'a.example:' is no host without port");
    check_refused(&(hoop_ssl_redirect_options){ .host = "" },
                  "ssl_redirect: '' is no host without port");
    check_refused(&(hoop_ssl_redirect_options){ .host = "a/b" },
                  "ssl_redirect: 'a/b' is no host without port");
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "https://a/", NULL);
    const hoop_response *answer = NULL;
    assert_ptr_equal(hoop_ssl_redirect_request(req, &answer, NULL), req);
    assert_null(answer);
    assert_null(hoop_ssl_redirect_request(NULL, &answer, NULL));
    assert_null(answer);
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .uri = "http://a.example/b?c=d",
        .want = "301\nLocation: https://a.example/b?c=d\n(no body)",
    };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),         cmocka_unit_test(test_a_port_and_a_host),
        cmocka_unit_test(test_nowhere_to_go), cmocka_unit_test(test_options_that_are_wrong),
        cmocka_unit_test(test_as_a_function), cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
