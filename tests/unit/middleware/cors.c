/* Middleware "cors": ring.md's cases 2.20, errors, credentials, private networks, refusals, memory. */
#include "middleware.h"

#include <stdio.h>

#define APP     "Origin: https://app.example.org"
#define BELOW   "Origin: https://a.b.example.com"
#define EVIL    "Origin: https://evil.example"
#define METHOD  "\nAccess-Control-Request-Method: "
#define HEADERS "\nAccess-Control-Request-Headers: "
#define PREFLIGHT_VARY \
    "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers\n"
#define REFUSED(what)                                              \
    "403\nContent-Type: application/problem+json\n" PREFLIGHT_VARY \
    "\n{\"title\":\"Forbidden\",\"status\":403,\"detail\":\"" what \
    " may not ask for this from another origin\"}"
#define ALLOWED "Access-Control-Allow-Origin: https://app.example.org\n"

#define UNREAD                                                                 \
    .failed = "500\nContent-Type: text/plain; charset=utf-8\nVary: Origin\n\n" \
              "Internal Server Error\n",                                       \
    .passed = "404\nContent-Type: text/plain; charset=utf-8\nVary: Origin\n\nNot Found\n"

static const char *const origins[] = { "https://app.example.org", "https://*.example.com",
                                       "http://localhost:3000", NULL };
static const hoop_cors_options some = {
    .origins = origins,
    .methods = "GET, PUT",
    .headers = "Content-Type, X-Own",
    .expose = "X-Total",
    .max_age_s = 600,
};
static const hoop_middleware entry = HOOP_CORS(&some);

static void test_answers(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .want = "200\nVary: Origin\n\nok", UNREAD },
        { .headers = APP,
          .want = "200\nVary: Origin\n" ALLOWED "Access-Control-Expose-Headers: X-Total\n\nok",
          .failed = "500\nContent-Type: text/plain; charset=utf-8\nVary: Origin\n" ALLOWED
                    "Access-Control-Expose-Headers: X-Total\n\nInternal Server Error\n",
          .passed = "404\nContent-Type: text/plain; charset=utf-8\nVary: Origin\n" ALLOWED
                    "Access-Control-Expose-Headers: X-Total\n\nNot Found\n" },
        { .headers = APP,
          .answer = "404\nVary: Accept\n\nno",
          .want = "404\nVary: Accept\nVary: Origin\n" ALLOWED
                  "Access-Control-Expose-Headers: X-Total\n\nno",
          .failed = "500\nContent-Type: text/plain; charset=utf-8\nVary: Origin\n" ALLOWED
                    "Access-Control-Expose-Headers: X-Total\n\nInternal Server Error\n",
          .passed = "404\nContent-Type: text/plain; charset=utf-8\nVary: Origin\n" ALLOWED
                    "Access-Control-Expose-Headers: X-Total\n\nNot Found\n" },
        { .headers = EVIL,
          .answer = "200\nVary: Accept, origin\n\nok",
          .want = "200\nVary: Accept, origin\n\nok",
          .failed = "500\nContent-Type: text/plain; charset=utf-8\nVary: Origin\n\n"
                    "Internal Server Error\n",
          .passed = "404\nContent-Type: text/plain; charset=utf-8\nVary: Origin\n\nNot Found\n" },
    };
    check_middleware(entry, cases);
}

/* Only whether an origin is allowed. */
static int allows(const hoop_middleware *middleware, const char *origin)
{
    char header[256];
    snprintf(header, sizeof header, "Origin: %s", origin);
    const struct middleware_case one = { .headers = header };
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *res = middleware_answer(arena, middleware, 1, &one);
    hoop_str allowed = hoop_response_header(res, "access-control-allow-origin");
    int yes = !hoop_str_is_none(allowed);
    if (yes && !hoop_str_eq_c(allowed, "*"))
        assert_str(allowed, origin);
    hoop_arena_free(arena);
    return yes;
}

static void test_origins(void **state)
{
    (void)state;
    static const char *const yes[] = { "https://app.example.org", "https://a.example.com",
                                       "https://a.b.example.com", "http://localhost:3000" };
    static const char *const no[] = {
        "http://app.example.org",
        "https://app.example.org:444",
        "https://APP.example.org",
        "https://app.example.org.evil.example",
        "https://example.com",
        "https://.example.com",
        "https://evil/.example.com",
        "https://evil:1.example.com",
        "https://a.example.com:8080",
        "https://evil?.example.com",
        "https://badexample.com",
        "http://localhost",
        "null",
        "",
        "*",
    };
    for (size_t i = 0; i < HOOP_COUNT(yes); i++)
        assert_true(allows(&entry, yes[i]));
    for (size_t i = 0; i < HOOP_COUNT(no); i++)
        assert_false(allows(&entry, no[i]));
}

static void test_preflights(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .method = "OPTIONS",
          .headers = APP METHOD "PUT",
          .want = "200\n" ALLOWED "Access-Control-Allow-Methods: GET, PUT\n"
                  "Access-Control-Max-Age: 600\n" PREFLIGHT_VARY "(no body)" },
        { .method = "OPTIONS",
          .headers = APP METHOD "PUT" HEADERS "content-type,x-own",
          .want = "200\n" ALLOWED "Access-Control-Allow-Methods: GET, PUT\n"
                  "Access-Control-Allow-Headers: Content-Type, X-Own\n"
                  "Access-Control-Max-Age: 600\n" PREFLIGHT_VARY "(no body)" },
        { .method = "OPTIONS", .headers = EVIL METHOD "PUT", .want = REFUSED("this origin") },
        { .method = "OPTIONS",
          .headers = "Origin: null" METHOD "PUT",
          .want = REFUSED("this origin") },
        { .method = "OPTIONS", .headers = APP METHOD "DELETE", .want = REFUSED("this method") },
        { .method = "OPTIONS", .headers = APP METHOD "put", .want = REFUSED("this method") },
        { .method = "OPTIONS",
          .headers = APP METHOD "PUT" HEADERS "x-own, x-other",
          .want = REFUSED("a request with these headers") },
        { .method = "OPTIONS",
          .headers = APP,
          .want = "200\nVary: Origin\n" ALLOWED "Access-Control-Expose-Headers: X-Total\n\nok",
          .failed = "500\nContent-Type: text/plain; charset=utf-8\nVary: Origin\n" ALLOWED
                    "Access-Control-Expose-Headers: X-Total\n\nInternal Server Error\n",
          .passed = "404\nContent-Type: text/plain; charset=utf-8\nVary: Origin\n" ALLOWED
                    "Access-Control-Expose-Headers: X-Total\n\nNot Found\n" },
        { .method = "OPTIONS",
          .headers = "Access-Control-Request-Method: PUT",
          .want = "200\nVary: Origin\n\nok",
          UNREAD },
    };
    check_middleware(entry, cases);
}

static const char *const anyone[] = { "*", NULL };
static const hoop_cors_options open_to_all = { .origins = anyone };
static const hoop_middleware open_entry = HOOP_CORS(&open_to_all);

static void test_anyone(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .headers = EVIL,
          .answer = "200\nAccess-Control-Allow-Origin: https://own\n\nok",
          .want = "200\nAccess-Control-Allow-Origin: https://own\nVary: Origin\n\nok",
          .failed = "500\nContent-Type: text/plain; charset=utf-8\nVary: Origin\n"
                    "Access-Control-Allow-Origin: *\n\nInternal Server Error\n",
          .passed = "404\nContent-Type: text/plain; charset=utf-8\nVary: Origin\n"
                    "Access-Control-Allow-Origin: *\n\nNot Found\n" },
        { .method = "OPTIONS",
          .headers = EVIL METHOD "POST" HEADERS "x-any, x-thing",
          .want = "200\nAccess-Control-Allow-Origin: *\n"
                  "Access-Control-Allow-Methods: GET, HEAD, POST\n"
                  "Access-Control-Allow-Headers: x-any, x-thing\n" PREFLIGHT_VARY "(no body)" },
        { .method = "OPTIONS",
          .headers = EVIL METHOD "POST" HEADERS "x-any, x thing",
          .want = REFUSED("a request with these headers") },
    };
    check_middleware(open_entry, cases);
    assert_true(allows(&open_entry, "https://anyone.example"));
    assert_false(allows(&open_entry, "null"));
}

static int allow_localhost(const hoop_request *req, hoop_str origin, void *data)
{
    return hoop_str_eq_c(req->method, "OPTIONS") == 0 && hoop_str_eq_c(origin, data);
}

static const hoop_cors_options asked = { .allow = allow_localhost,
                                         .data = (void *)(uintptr_t) "http://localhost:1",
                                         .credentials = 1,
                                         .private_network = 1 };
static const hoop_middleware asked_entry = HOOP_CORS(&asked);
static const char *const by_name[] = { "null", NULL };
static const hoop_cors_options null_options = { .origins = by_name, .private_network = 1 };
static const hoop_middleware null_entry = HOOP_CORS(&null_options);

static void test_a_function_and_credentials(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .headers = "Origin: http://localhost:1",
          .want = "200\nVary: Origin\nAccess-Control-Allow-Origin: http://localhost:1\n"
                  "Access-Control-Allow-Credentials: true\n\nok",
          .failed = "500\nContent-Type: text/plain; charset=utf-8\nVary: Origin\n"
                    "Access-Control-Allow-Origin: http://localhost:1\n"
                    "Access-Control-Allow-Credentials: true\n\nInternal Server Error\n",
          .passed = "404\nContent-Type: text/plain; charset=utf-8\nVary: Origin\n"
                    "Access-Control-Allow-Origin: http://localhost:1\n"
                    "Access-Control-Allow-Credentials: true\n\nNot Found\n" },
    };
    check_middleware(asked_entry, cases);
    assert_false(allows(&asked_entry, "http://localhost:2"));
    assert_true(allows(&null_entry, "null"));
    static const struct middleware_case network[] = {
        { .method = "OPTIONS",
          .headers = "Origin: null" METHOD "GET\nAccess-Control-Request-Private-Network: true",
          .want = "200\nAccess-Control-Allow-Origin: null\n"
                  "Access-Control-Allow-Methods: GET, HEAD, POST\n"
                  "Access-Control-Allow-Private-Network: true\n"
                  "Vary: Origin, Access-Control-Request-Method, Access-Control-Request-Headers, "
                  "Access-Control-Request-Private-Network\n(no body)" },
    };
    check_middleware(null_entry, network);
}

static void refused(const hoop_cors_options *options, int code, const char *text)
{
    const hoop_middleware chain[] = { HOOP_CORS(options) };
    test_middleware_refused(chain, 1, code, text);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "example.org", "https://",        "https://a/", "https://a.*.org", "https://Example.org",
        "https://a:0", "https://*.*.org", "://a",       "https://*",       "",
    };
    for (size_t i = 0; i < HOOP_COUNT(bad); i++) {
        const char *const list[] = { bad[i], NULL };
        char text[128];
        snprintf(text, sizeof text, "cors: '%s' is no origin", bad[i]);
        refused(&(hoop_cors_options){ .origins = list }, HOOP_EINVAL, text);
    }
    refused(NULL, HOOP_EMISSING, "cors: no origins are given");
    refused(&(hoop_cors_options){ .origins = anyone, .credentials = 1 }, HOOP_EINVAL,
            "cors: the origin '*' can't go together with credentials");
    /* Any page can have that origin, by a sandboxed frame. */
    refused(&(hoop_cors_options){ .origins = by_name, .credentials = 1 }, HOOP_EINVAL,
            "cors: the origin 'null' can't go together with credentials");
    refused(&(hoop_cors_options){ .origins = anyone, .methods = "*" }, HOOP_EINVAL,
            "cors: '*' is no list of methods");
    refused(&(hoop_cors_options){ .origins = anyone, .headers = "a b" }, HOOP_EINVAL,
            "cors: 'a b' is no list of headers");
    refused(&(hoop_cors_options){ .origins = anyone, .expose = "a\r\nb" }, HOOP_EINVAL,
            "cors: 'a\r\nb' is no list of headers");
    static const hoop_middleware twice[] = { HOOP_CORS(&some), HOOP_CORS(&some) };
    test_middleware_refused(twice, 2, HOOP_ECONFLICT,
                            "middleware 'cors' (entry 0) is mounted twice on one path: once more "
                            "further in");
}

static void test_as_functions(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_ptr_equal(hoop_cors_request(req, &answer, &some), req);
    const hoop_request *asking = hoop_mock_header(hoop_mock(arena, "OPTIONS", "/", NULL), "origin",
                                                  "https://app.example.org");
    asking = hoop_mock_header(asking, "access-control-request-method", "GET");
    assert_null(hoop_cors_request(asking, &answer, &some));
    assert_int_equal(answer->status, 200);
    assert_null(hoop_cors_request(req, &answer, NULL));
    assert_string_equal(hoop_failure(req)->text, "cors: no origins are given");
    const hoop_response *res = hoop_cors_response(
        hoop_mock_header(req, "origin", "http://localhost:3000"), hoop_text(req, 200, "a"), &some);
    assert_str(hoop_response_header(res, "access-control-allow-origin"), "http://localhost:3000");
    assert_null(hoop_cors_response(req, NULL, &some));
    assert_null(hoop_cors_response(NULL, res, &some));
    assert_null(hoop_cors_request(NULL, &answer, &some));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .headers = APP,
          .want = "200\nVary: Origin\n" ALLOWED "Access-Control-Expose-Headers: X-Total\n\nok" },
        { .method = "OPTIONS", .headers = EVIL METHOD "PUT", .want = REFUSED("this origin") },
        { .method = "OPTIONS",
          .headers = APP METHOD "PUT" HEADERS "content-type",
          .want = "200\n" ALLOWED "Access-Control-Allow-Methods: GET, PUT\n"
                  "Access-Control-Allow-Headers: Content-Type, X-Own\n"
                  "Access-Control-Max-Age: 600\n" PREFLIGHT_VARY "(no body)" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++)
        test_middleware_memory(&entry, 1, &cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answers),
        cmocka_unit_test(test_origins),
        cmocka_unit_test(test_preflights),
        cmocka_unit_test(test_anyone),
        cmocka_unit_test(test_a_function_and_credentials),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_as_functions),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
