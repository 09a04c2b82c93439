/* Middleware "secure_headers": the defaults, ring.md's cases 2.15-7, -8 and -21, nonces, memory. */
#include "middleware.h"

#include <stdio.h>

#define CSP                                                                              \
    "Content-Security-Policy: default-src 'self'; base-uri 'self'; form-action 'self'; " \
    "frame-ancestors 'none'; object-src 'none'\n"
#define REST                                                         \
    "X-Content-Type-Options: nosniff\n"                              \
    "Referrer-Policy: strict-origin-when-cross-origin\n"             \
    "Permissions-Policy: camera=(), geolocation=(), microphone=()\n" \
    "Cross-Origin-Opener-Policy: same-origin\n"                      \
    "Cross-Origin-Resource-Policy: same-origin\n"

#define FAILED(headers) \
    "500\nContent-Type: text/plain; charset=utf-8\n" headers "\nInternal Server Error\n"
#define PASSED(headers) "404\nContent-Type: text/plain; charset=utf-8\n" headers "\nNot Found\n"
/* The answers for a handler that gives none have them, too. */
#define SECURED .failed = FAILED(ALL), .passed = PASSED(ALL)
#define ALL     CSP "X-Frame-Options: DENY\n" REST

static const hoop_middleware entry = HOOP_SECURE_HEADERS(NULL);

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .want = "200\n" ALL "\nok", SECURED },
        { .answer = "500\nx-frame-options: SAMEORIGIN\n\nno",
          .want = "500\nx-frame-options: SAMEORIGIN\n" CSP REST "\nno",
          SECURED },
        { .answer = "304\nETag: \"a\"", .want = "304\nETag: \"a\"\n" ALL "(no body)", SECURED },
    };
    check_middleware(entry, cases);
}

static const hoop_secure_headers_options nothing = {
    .csp_off = 1,
    .frame = "",
    .content_type = "",
    .referrer = "",
    .permissions = "",
    .opener = "",
    .resource = "",
};

static void test_each_can_be_left_out(void **state)
{
    (void)state;
    static const hoop_middleware none = HOOP_SECURE_HEADERS(&nothing);
    static const struct middleware_case cases[] = { { .want = "200\n\nok" } };
    check_middleware(none, cases);
}

static const hoop_csp_directive directives[] = {
    { "default-src", " 'none'  https://a.example " },
    { "upgrade-insecure-requests", NULL },
    { "sandbox", "" },
};

static void test_values_of_ones_own(void **state)
{
    (void)state;
    static const hoop_secure_headers_options own = {
        .csp = directives,
        .csp_count = HOOP_COUNT(directives),
        .csp_report_only = 1,
        .frame = "SAMEORIGIN",
        .content_type = "",
        .referrer = "no-referrer",
        .permissions = "",
        .opener = "",
        .resource = "",
        .embedder = "require-corp",
    };
    static const hoop_middleware one = HOOP_SECURE_HEADERS(&own);
#define OWN                                                                              \
    "Content-Security-Policy-Report-Only: default-src 'none' https://a.example; "        \
    "upgrade-insecure-requests; sandbox\nX-Frame-Options: SAMEORIGIN\nReferrer-Policy: " \
    "no-referrer\nCross-Origin-Embedder-Policy: require-corp\n"
    static const struct middleware_case cases[] = {
        { .want = "200\n" OWN "\nok", .failed = FAILED(OWN), .passed = PASSED(OWN) },
    };
    check_middleware(one, cases);
}

/* --- nonces ---------------------------------------------------------------------------------- */

static const hoop_csp_directive with_nonces[] = {
    { "script-src", "'nonce' 'strict-dynamic'" },
    { "style-src", "'self' 'nonce'" },
};
static const hoop_secure_headers_options nonces = {
    .csp = with_nonces,
    .csp_count = HOOP_COUNT(with_nonces),
};

static const hoop_response *tell_nonce(const hoop_request *req, void *data)
{
    hoop_str nonce = hoop_csp_nonce(req);
    return hoop_textf(req, 200, "%s", nonce.data);
}

static void test_a_nonce_for_each_request(void **state)
{
    (void)state;
    static const hoop_middleware chain[] = { HOOP_SECURE_HEADERS(&nonces),
                                             HOOP_SECURE_HEADERS(&nonces) };
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler = hoop_fn(tell_nonce, NULL);
    assert_int_equal(hoop_chain_new(arena, chain, 2, handler, &handler, NULL), 0);
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *first = hoop_call_sync(handler, req);
    const hoop_response *second = hoop_call_sync(handler, req);
    assert_int_equal(first->body.len, 24);
    assert_false(hoop_str_eq(first->body, second->body));
    char want[256];
    snprintf(want, sizeof want,
             "script-src 'nonce-%s' 'strict-dynamic'; style-src 'self' 'nonce-%s'",
             first->body.data, first->body.data);
    assert_str(hoop_response_header(first, "content-security-policy"), want);
    hoop_arena_free(arena);
}

static void test_without_nonces_none_is_drawn(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *answer = NULL;
    assert_ptr_equal(hoop_secure_headers_request(req, &answer, NULL), req);
    assert_true(hoop_str_is_none(hoop_csp_nonce(req)));
    assert_true(hoop_str_is_none(hoop_csp_nonce(NULL)));
    const hoop_request *more = hoop_secure_headers_request(req, &answer, &nonces);
    assert_int_equal(hoop_csp_nonce(more).len, 24);
    assert_ptr_equal(hoop_secure_headers_request(more, &answer, &nonces), more);
    assert_null(answer);
    hoop_arena_free(arena);
}

/* --- refusals -------------------------------------------------------------------------------- */

static void check_csp(const char *name, const char *sources, const char *text)
{
    const hoop_csp_directive csp[] = { { "default-src", "'self'" }, { name, sources } };
    const hoop_secure_headers_options own = { .csp = csp, .csp_count = 2 };
    const hoop_middleware chain[] = { HOOP_SECURE_HEADERS(&own) };
    test_middleware_refused(chain, 1, HOOP_EINVAL, text);
}

static void check_options(const hoop_secure_headers_options *own, const char *text)
{
    const hoop_middleware chain[] = { HOOP_SECURE_HEADERS(own) };
    test_middleware_refused(chain, 1, HOOP_EINVAL, text);
}

static void test_options_that_are_wrong(void **state)
{
    (void)state;
    check_csp("scripts-src", "", "secure_headers: 'scripts-src' is no directive of CSP");
    check_csp(NULL, "", "secure_headers: '' is no directive of CSP");
    check_csp("default-src", "*", "secure_headers: 'default-src' stands twice");
    check_csp("img-src", "a; b", "secure_headers: 'a; b' can't be sources of img-src");
    check_csp("img-src", "a, b", "secure_headers: 'a, b' can't be sources of img-src");
    check_csp("img-src", "a\nb", "secure_headers: 'a\nb' can't be sources of img-src");
    check_csp("img-src",
              "'nonce' 'nonce' 'nonce' 'nonce' 'nonce' 'nonce' 'nonce' 'nonce' 'nonce' 'nonce' "
              "'nonce' 'nonce' 'nonce' 'nonce' 'nonce' 'nonce' 'nonce'",
              "secure_headers: more than 16 nonces in the policy");
    check_options(&(hoop_secure_headers_options){ .frame = "ALLOW-FROM https://a" },
                  "secure_headers: frame is 'ALLOW-FROM https://a', not DENY or SAMEORIGIN");
    check_options(&(hoop_secure_headers_options){ .referrer = "a\r\nb" },
                  "secure_headers: 'a\r\nb' can't be a value of Referrer-Policy");
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *res = hoop_respond(req, 200);
    assert_int_equal(hoop_secure_headers_response(req, res, NULL)->header_count, 7);
    assert_ptr_equal(hoop_secure_headers_response(req, res, &nothing), res);
    assert_null(hoop_secure_headers_response(req, NULL, NULL));
    assert_null(hoop_secure_headers_response(NULL, res, NULL));
    assert_true(hoop_is_pass(hoop_secure_headers_response(req, hoop_pass(req), NULL)));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .want = "200\n" CSP "X-Frame-Options: DENY\n" REST "\nok",
    };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_each_can_be_left_out),
        cmocka_unit_test(test_values_of_ones_own),
        cmocka_unit_test(test_a_nonce_for_each_request),
        cmocka_unit_test(test_without_nonces_none_is_drawn),
        cmocka_unit_test(test_options_that_are_wrong),
        cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
