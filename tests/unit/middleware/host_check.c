/* Middleware "host_check": hosts of the list and others, ports, subdomains, memory. */
#include "fake.h"
#include "middleware.h"

static const char *const hosts[] = { "example.com", "*.example.org", "[::1]:8080" };
static const hoop_host_check_options options = { hosts, HOOP_COUNT(hosts) };
static const hoop_middleware entry = HOOP_HOST_CHECK(&options);

#define NOT_OURS                                         \
    "421\nContent-Type: application/problem+json\n\n"    \
    "{\"title\":\"Misdirected Request\",\"status\":421," \
    "\"detail\":\"this server does not answer for that host\"}"

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "http://example.com/", .want = "200\n\nok" },
        { .uri = "http://EXAMPLE.com:81/", .want = "200\n\nok" },
        { .uri = "http://example.com./", .want = "200\n\nok" },
        { .uri = "http://a.b.example.org/", .want = "200\n\nok" },
        { .uri = "http://[::1]:8080/", .want = "200\n\nok" },
        { .uri = "http://example.org/", .want = NOT_OURS },
        { .uri = "http://.example.org/", .want = NOT_OURS },
        { .uri = "http://badexample.org/", .want = NOT_OURS },
        { .uri = "http://example.com.evil.net/", .want = NOT_OURS },
        { .uri = "http://www.example.com/", .want = NOT_OURS },
        { .uri = "http://[::1]/", .want = NOT_OURS },
        { .uri = "http://[::1]:8081/", .want = NOT_OURS },
        { .method = "POST", .uri = "http://evil.net/", .body = "x", .want = NOT_OURS },
    };
    check_middleware(entry, cases);
}

static void test_the_default_port_is_the_schemes(void **state)
{
    (void)state;
    static const char *const secure[] = { "a.example:443" };
    static const hoop_host_check_options own = { secure, 1 };
    static const hoop_middleware one = HOOP_HOST_CHECK(&own);
    static const struct middleware_case cases[] = {
        { .uri = "https://a.example/", .want = "200\n\nok" },
        { .uri = "https://a.example:443/", .want = "200\n\nok" },
        { .uri = "http://a.example/", .want = NOT_OURS },
    };
    check_middleware(one, cases);
}

static void test_no_host(void **state)
{
    (void)state;
    static const char *const any[] = { "*" };
    static const hoop_host_check_options all = { any, 1 };
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "http://a/", NULL);
    const hoop_response *answer = NULL;
    assert_ptr_equal(hoop_host_check_request(req, &answer, &all), req);
    req = hoop_with_request_header(req, "Host", NULL);
    assert_null(hoop_host_check_request(req, &answer, &all));
    assert_response(answer, NOT_OURS);
    answer = NULL;
    assert_null(hoop_host_check_request(NULL, &answer, &all));
    assert_null(answer);
    hoop_arena_free(arena);
}

static void check_refused(const char *const *list, size_t count, const char *text)
{
    const hoop_host_check_options own = { list, count };
    const hoop_middleware chain[] = { HOOP_HOST_CHECK(&own) };
    test_middleware_refused(chain, 1, HOOP_EINVAL, text);
}

static void test_lists_that_are_wrong(void **state)
{
    (void)state;
    static const char *const lists[] = { "a b", "*.", "a.*.b", "a:99999", "", NULL };
    check_refused(NULL, 0, "host_check: the list of hosts is empty");
    check_refused(&lists[0], 1, "host_check: 'a b' is no host");
    check_refused(&lists[1], 1, "host_check: '*.' is no host");
    check_refused(&lists[2], 1, "host_check: 'a.*.b' is no host");
    check_refused(&lists[3], 1, "host_check: 'a:99999' is no host");
    check_refused(&lists[4], 1, "host_check: '' is no host");
    check_refused(&lists[5], 1, "host_check: 'NULL' is no host");
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = { .uri = "http://evil.net/", .want = NOT_OURS };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_the_default_port_is_the_schemes),
        cmocka_unit_test(test_no_host),
        cmocka_unit_test(test_lists_that_are_wrong),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
