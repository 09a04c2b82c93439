/* Middleware "hsts": ring.md's cases 2.15-5, plain http, the preload list's rules, memory. */
#include "middleware.h"

#define POLICY "Strict-Transport-Security: max-age=31536000; includeSubDomains\n"
#define FAILED(headers) \
    "500\nContent-Type: text/plain; charset=utf-8\n" headers "\nInternal Server Error\n"
#define PASSED(headers) "404\nContent-Type: text/plain; charset=utf-8\n" headers "\nNot Found\n"
#define SECURED         .failed = FAILED(POLICY), .passed = PASSED(POLICY)

static const hoop_middleware entry = HOOP_HSTS(NULL);

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "https://a/", .want = "200\n" POLICY "\nok", SECURED },
        { .uri = "https://a/",
          .answer = "404\nX: y\n\nno",
          .want = "404\nX: y\n" POLICY "\nno",
          SECURED },
        { .uri = "https://a/",
          .answer = "200\nstrict-transport-security: max-age=1\n\nok",
          .want = "200\nstrict-transport-security: max-age=1\n\nok",
          SECURED },
        { .uri = "http://a/", .want = "200\n\nok" },
    };
    check_middleware(entry, cases);
}

static void check_policy(const hoop_hsts_options *options, const char *want)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "https://a/", NULL);
    const hoop_response *res = hoop_hsts_response(req, hoop_respond(req, 204), options);
    assert_non_null(res);
    assert_str(hoop_response_header(res, "strict-transport-security"), want);
    hoop_arena_free(arena);
}

static void test_options(void **state)
{
    (void)state;
    check_policy(&(hoop_hsts_options){ .max_age = 60 }, "max-age=60; includeSubDomains");
    check_policy(&(hoop_hsts_options){ .forget = 1 }, "max-age=0; includeSubDomains");
    check_policy(&(hoop_hsts_options){ .this_host_only = 1 }, "max-age=31536000");
    check_policy(&(hoop_hsts_options){ .preload = 1, .max_age = 63072000 },
                 "max-age=63072000; includeSubDomains; preload");
}

static void check_refused(const hoop_hsts_options *options, const char *text)
{
    const hoop_middleware chain[] = { HOOP_HSTS(options) };
    test_middleware_refused(chain, 1, HOOP_EINVAL, text);
}

static void test_what_the_preload_list_refuses(void **state)
{
    (void)state;
    check_refused(&(hoop_hsts_options){ .preload = 1, .forget = 1 },
                  "hsts: 'preload' and 'forget' exclude each other");
    check_refused(&(hoop_hsts_options){ .preload = 1, .this_host_only = 1 },
                  "hsts: 'preload' includes the subdomains, 'this_host_only' excludes them");
    check_refused(&(hoop_hsts_options){ .preload = 1, .max_age = 31535999 },
                  "hsts: 'preload' needs a max_age of a year or more");
}

static void test_the_inner_one_has_its_say(void **state)
{
    (void)state;
    static const hoop_hsts_options day = { .max_age = 86400 };
    static const hoop_middleware chain[] = { HOOP_HSTS(NULL), HOOP_HSTS(&day) };
    static const struct middleware_case cases[] = {
        { .uri = "https://a/",
          .want = "200\nStrict-Transport-Security: max-age=86400; includeSubDomains\n\nok",
          .failed = FAILED("Strict-Transport-Security: max-age=86400; includeSubDomains\n"),
          .passed = PASSED("Strict-Transport-Security: max-age=86400; includeSubDomains\n") },
    };
    test_middleware(chain, HOOP_COUNT(chain), cases, HOOP_COUNT(cases));
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "https://a/", NULL);
    assert_null(hoop_hsts_response(req, NULL, NULL));
    assert_null(hoop_hsts_response(NULL, hoop_respond(req, 200), NULL));
    assert_true(hoop_is_pass(hoop_hsts_response(req, hoop_pass(req), NULL)));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .uri = "https://a/",
        .want = "200\nStrict-Transport-Security: max-age=31536000; includeSubDomains\n\nok",
    };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_what_the_preload_list_refuses),
        cmocka_unit_test(test_the_inner_one_has_its_say),
        cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
