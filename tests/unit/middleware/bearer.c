/* Middleware "bearer": tokens good, bad and broken (RFC 6750 3.1), checks, options, memory. */
#include "fake.h"
#include "middleware.h"

static const hoop_bearer_token tokens[] = {
    { "0123456789abcdef", "ann" },
    { "fedcba9876543210", "bob" },
};
static const hoop_bearer_options options = { .tokens = tokens, .token_count = 2 };
static const hoop_middleware entry = HOOP_BEARER(&options);

#define ANSWER(status, title, challenge, detail)                                         \
#status "\nContent-Type: application/problem+json\nWWW-Authenticate: Bearer "        \
            "realm=\"api\"" challenge "\n\n{\"title\":\"" title "\",\"status\":" #status \
            ",\"detail\":\"" detail "\"}"
#define NEEDED ANSWER(401, "Unauthorized", "", "a token is needed")
#define REJECTED \
    ANSWER(401, "Unauthorized", ", error=\"invalid_token\"", "these credentials are not accepted")
#define MALFORMED                                             \
    ANSWER(400, "Bad Request", ", error=\"invalid_request\"", \
           "the Authorization header can't be read")

static const hoop_response *tell(const hoop_request *req, void *data)
{
    const hoop_principal *principal = hoop_identity(req);
    return hoop_textf(req, 200, "from %s", principal ? principal->name.data : "nobody");
}

#define FROM(name) "200\nContent-Type: text/plain; charset=utf-8\n\nfrom " name

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .headers = "Authorization: Bearer 0123456789abcdef", .inner = tell, .want = FROM("ann") },
        { .headers = "Authorization: bearer fedcba9876543210", .inner = tell, .want = FROM("bob") },
        { .want = NEEDED },
        { .uri = "/?access_token=0123456789abcdef", .want = NEEDED },
        { .headers = "Authorization: Basic YTpi", .want = NEEDED },
        { .headers = "Authorization: Bearer 0123456789abcdeF", .want = REJECTED },
        { .headers = "Authorization: Bearer 0123456789abcde", .want = REJECTED },
        { .headers = "Authorization: Bearer a b", .want = MALFORMED },
        { .headers = "Authorization: Bearer", .want = MALFORMED },
        { .headers = "Authorization: Bearer 0123456789abcdef\nAuthorization: Bearer x",
          .want = MALFORMED },
    };
    check_middleware(entry, cases);
}

static const hoop_response *check_scope(const hoop_request *req, hoop_str token, void *data)
{
    if (hoop_str_eq_c(token, "weak"))
        return hoop_with_header(req, hoop_problem(req, 403, "more is needed"), "WWW-Authenticate",
                                "Bearer error=\"insufficient_scope\"");
    return hoop_str_eq_c(token, "carl") ? hoop_accept(req, token, data) : hoop_reject(req);
}

static void test_a_check(void **state)
{
    (void)state;
    static const hoop_bearer_options own = {
        .tokens = tokens,
        .token_count = 1,
        .check = check_scope,
        .optional = 1,
    };
    static const hoop_middleware one = HOOP_BEARER(&own);
    static const struct middleware_case cases[] = {
        { .inner = tell, .want = FROM("nobody") },
        { .headers = "Authorization: Bearer 0123456789abcdef", .inner = tell, .want = FROM("ann") },
        { .headers = "Authorization: Bearer carl", .inner = tell, .want = FROM("carl") },
        { .headers = "Authorization: Bearer dave", .want = REJECTED },
        { .headers = "Authorization: Bearer weak",
          .want = "403\nContent-Type: application/problem+json\nWWW-Authenticate: Bearer "
                  "error=\"insufficient_scope\"\n\n{\"title\":\"Forbidden\",\"status\":403,"
                  "\"detail\":\"more is needed\"}" },
    };
    check_middleware(one, cases);
}

/* buddy-auth's list of backends: each looks at credentials of its own scheme. */
static void test_one_of_two_schemes(void **state)
{
    (void)state;
    static const hoop_bearer_options by_token = { .tokens = tokens,
                                                  .token_count = 1,
                                                  .optional = 1 };
    static const hoop_basic_user users[] = { { "bob", "secret" } };
    static const hoop_basic_auth_options by_name = { .users = users,
                                                     .user_count = 1,
                                                     .optional = 1 };
    static const hoop_access_rule rules[] = { { NULL, NULL, hoop_access_authenticated, NULL } };
    static const hoop_access_rules_options known = { .rules = rules,
                                                     .count = 1,
                                                     .challenge = "Bearer, Basic realm=\"x\"" };
    static const hoop_middleware both[] = { HOOP_BEARER(&by_token), HOOP_BASIC_AUTH(&by_name),
                                            HOOP_ACCESS_RULES(&known) };
    static const hoop_middleware turned[] = { HOOP_BASIC_AUTH(&by_name), HOOP_BEARER(&by_token),
                                              HOOP_ACCESS_RULES(&known) };
#define UNKNOWN                                                                                \
    "401\nContent-Type: application/problem+json\nWWW-Authenticate: Bearer, Basic realm=\"x\"" \
    "\n\n{\"title\":\"Unauthorized\",\"status\":401,\"detail\":\"who are you?\"}"
    static const struct middleware_case cases[] = {
        { .headers = "Authorization: Bearer 0123456789abcdef", .inner = tell, .want = FROM("ann") },
        { .headers = "Authorization: basic Ym9iOnNlY3JldA==", .inner = tell, .want = FROM("bob") },
        { .headers = "Authorization: Digest a=b", .want = UNKNOWN },
        { .want = UNKNOWN },
        { .headers = "Authorization: Bearer bad", .want = REJECTED },
    };
    test_middleware(both, HOOP_COUNT(both), cases, HOOP_COUNT(cases));
    test_middleware(turned, HOOP_COUNT(turned), cases, HOOP_COUNT(cases));
    /* Two at once are no way to try both. */
    static const struct middleware_case twice[] = {
        { .headers = "Authorization: Digest a=b\nAuthorization: Bearer 0123456789abcdef",
          .want = "401\nContent-Type: application/problem+json\nWWW-Authenticate: Bearer "
                  "realm=\"api\"\n\n{\"title\":\"Unauthorized\",\"status\":401,"
                  "\"detail\":\"a token is needed\"}" },
    };
    test_middleware(both, HOOP_COUNT(both), twice, HOOP_COUNT(twice));
}

static void check_refused(const hoop_bearer_options *own, const char *text)
{
    const hoop_middleware chain[] = { HOOP_BEARER(own) };
    test_middleware_refused(chain, 1, HOOP_EINVAL, text);
}

static void test_options_that_are_wrong(void **state)
{
    (void)state;
    static const hoop_bearer_token small[] = { { "0123456789abcde", "ann" } };
    static const hoop_bearer_token no_name[] = { { "0123456789abcdef", NULL } };
    check_refused(NULL, "bearer: neither tokens nor a check are given");
    check_refused(&(hoop_bearer_options){ .tokens = small, .token_count = 1 },
                  "bearer: the token of 'ann' has less than 16 bytes");
    check_refused(&(hoop_bearer_options){ .tokens = no_name, .token_count = 1 },
                  "bearer: token 0 has no name");
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_request *good = hoop_mock_header(req, "Authorization", "Bearer 0123456789abcdef");
    const hoop_response *answer = NULL;
    assert_str(hoop_identity(hoop_bearer_request(good, &answer, &options))->name, "ann");
    assert_null(answer);
    assert_null(hoop_bearer_request(req, &answer, &options));
    assert_response(answer, NEEDED);
    assert_null(hoop_bearer_request(NULL, &answer, &options));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .headers = "Authorization: Bearer 0123456789abcdef",
        .inner = tell,
        .want = FROM("ann"),
    };
    static const struct middleware_case other = { .want = NEEDED };
    test_middleware_memory(&entry, 1, &one);
    test_middleware_memory(&entry, 1, &other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),         cmocka_unit_test(test_one_of_two_schemes),
        cmocka_unit_test(test_a_check),       cmocka_unit_test(test_options_that_are_wrong),
        cmocka_unit_test(test_as_a_function), cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
