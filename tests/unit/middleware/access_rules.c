/* Middleware "access_rules": rules in order, paths that could be read in two ways, answers, memory. */
#include "fake.h"
#include "middleware.h"

#define PROBLEM(status, title, detail)                                        \
#status "\nContent-Type: application/problem+json\n\n{\"title\":\"" title \
            "\",\"status\":" #status ",\"detail\":\"" detail "\"}"
#define DENIED   PROBLEM(403, "Forbidden", "this is not allowed")
#define TWO_WAYS PROBLEM(400, "Bad Request", "the path can be read in two ways")

static int is_named(const hoop_request *req, const void *data)
{
    const hoop_principal *principal = hoop_identity(req);
    return principal && hoop_str_eq_c(principal->name, data);
}

static const hoop_access_rule rules[] = {
    { "/admin/public", NULL, hoop_access_anyone, NULL },
    { "/admin/*", NULL, is_named, "root" },
    { "/own/*", "GET HEAD", hoop_access_anyone, NULL },
    { "/own/*", "POST", hoop_access_authenticated, NULL },
    { "/never", NULL, hoop_access_nobody, NULL },
    { "/open*", NULL, hoop_access_anyone, NULL },
};

/* A HEAD tells as much as the headers of its GET: what one may not get one may not ask about. */
static const hoop_access_rule gets[] = {
    { "/secret/*", "GET", hoop_access_nobody, NULL },
    { "/own/*", "HEAD", hoop_access_nobody, NULL },
};
static const hoop_access_rules_options all_but_gets = { .rules = gets, .count = 2, .open = 1 };

static const hoop_access_rules_options options = { .rules = rules, .count = 5 };
static const hoop_middleware entry = HOOP_ACCESS_RULES(&options);

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "/admin/public", .want = "200\n\nok" },
        { .uri = "/admin", .want = DENIED },
        { .uri = "/admin/", .want = DENIED },
        { .uri = "/admin/a/b?c=d", .want = DENIED },
        { .uri = "/adm%69n/a", .want = DENIED },
        { .uri = "/own/a", .want = "200\n\nok" },
        { .method = "HEAD", .uri = "/own", .want = "200\n\nok" },
        { .method = "POST", .uri = "/own/a", .body = "x", .want = DENIED },
        { .method = "DELETE", .uri = "/own/a", .want = DENIED },
        { .uri = "/ownership", .want = DENIED },
        { .uri = "/never", .want = DENIED },
        { .uri = "/other", .want = DENIED },
        { .uri = "/own%2Fa", .want = TWO_WAYS },
        { .uri = "/own%5ca", .want = TWO_WAYS },
        { .uri = "/own/..", .want = TWO_WAYS },
        { .uri = "/own/%2e%2E/admin", .want = TWO_WAYS },
        { .uri = "/own/./a", .want = TWO_WAYS },
        { .uri = "//own/a", .want = TWO_WAYS },
        { .uri = "/own//a", .want = TWO_WAYS },
        { .uri = "/own/%zz", .want = TWO_WAYS },
        { .uri = "/own/%00", .want = TWO_WAYS },
        { .uri = "/own/...", .want = "200\n\nok" },
        { .uri = "/own/a/", .want = "200\n\nok" },
    };
    check_middleware(entry, cases);
}

static void test_a_rule_for_get_is_one_for_head(void **state)
{
    (void)state;
    static const hoop_middleware one = HOOP_ACCESS_RULES(&all_but_gets);
    static const struct middleware_case cases[] = {
        { .method = "GET", .uri = "/secret/a", .want = DENIED },
        { .method = "HEAD", .uri = "/secret/a", .want = DENIED },
        { .method = "POST", .uri = "/secret/a", .want = "200\n\nok" },
        { .method = "HEAD", .uri = "/own/a", .want = DENIED },
        { .method = "GET", .uri = "/own/a", .want = "200\n\nok" },
    };
    check_middleware(one, cases);
}

static const hoop_response *as_root(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_request *more = hoop_with_identity(req, hoop_str_c(value), NULL);
    return more ? hoop_call(next, more) : NULL;
}

static void test_who_is_known(void **state)
{
    (void)state;
    static const hoop_access_rules_options with_challenge = {
        .rules = rules,
        .count = 5,
        .challenge = "Basic realm=\"x\"",
        .login = "/login",
    };
    static const hoop_middleware root[] = { HOOP_WRAP("as", as_root, "root"),
                                            HOOP_ACCESS_RULES(&with_challenge) };
    static const hoop_middleware other[] = { HOOP_WRAP("as", as_root, "other"),
                                             HOOP_ACCESS_RULES(&with_challenge) };
    static const struct middleware_case allowed[] = {
        { .uri = "/admin/a", .want = "200\n\nok" },
        { .method = "POST", .uri = "/own/a", .body = "x", .want = "200\n\nok" },
        { .uri = "/never", .want = DENIED },
    };
    static const struct middleware_case denied[] = { { .uri = "/admin/a", .want = DENIED } };
    test_middleware(root, 2, allowed, HOOP_COUNT(allowed));
    test_middleware(other, 2, denied, HOOP_COUNT(denied));
}

static const hoop_response *hide(const hoop_request *req, void *data)
{
    return hoop_text_static(req, 404, data);
}

static void test_answers_to_who_is_not_known(void **state)
{
    (void)state;
    static const hoop_access_rules_options by_login = {
        .challenge = "Basic realm=\"x\"",
        .login = "/login",
    };
    static char nothing[] = "nothing here";
    static const hoop_access_rules_options by_handler = {
        .login = "/login",
        .denied = hide,
        .denied_data = nothing,
    };
    static const hoop_access_rules_options all = { .open = 1 };
    static const hoop_middleware login = HOOP_ACCESS_RULES(&by_login);
    static const hoop_middleware handler = HOOP_ACCESS_RULES(&by_handler);
    static const hoop_middleware open_to_all = HOOP_ACCESS_RULES(&all);
    static const struct middleware_case to_login[] = {
        { .want = "303\nLocation: /login\n(no body)" },
        { .method = "POST",
          .body = "x",
          .want =
              "401\nContent-Type: application/problem+json\nWWW-Authenticate: Basic realm=\"x\"\n"
              "\n{\"title\":\"Unauthorized\",\"status\":401,\"detail\":\"who are you?\"}" },
        { .uri = "/a//b", .want = "303\nLocation: /login\n(no body)" },
    };
    static const struct middleware_case hidden[] = {
        { .want = "404\nContent-Type: text/plain; charset=utf-8\n\nnothing here" },
    };
    static const struct middleware_case any[] = { { .uri = "/%2f/..", .want = "200\n\nok" } };
    check_middleware(login, to_login);
    check_middleware(handler, hidden);
    check_middleware(open_to_all, any);
}

static void check_refused(const hoop_access_rules_options *own, const char *text)
{
    const hoop_middleware chain[] = { HOOP_ACCESS_RULES(own) };
    test_middleware_refused(chain, 1, HOOP_EINVAL, text);
}

static void test_options_that_are_wrong(void **state)
{
    (void)state;
    static const hoop_access_rule no_function[] = { { "/a", NULL, NULL, NULL } };
    static const hoop_access_rule no_slash[] = { { "a", NULL, hoop_access_anyone, NULL } };
    static const hoop_access_rule star[] = { { "/a/*/b", NULL, hoop_access_anyone, NULL } };
    check_refused(&(hoop_access_rules_options){ .rules = no_function, .count = 1 },
                  "access_rules: rule 0 has no function");
    check_refused(&(hoop_access_rules_options){ .rules = no_slash, .count = 1 },
                  "access_rules: rule 0: 'a' is no path");
    check_refused(&(hoop_access_rules_options){ .rules = star, .count = 1 },
                  "access_rules: rule 0: '/a/*/b' is no path");
    check_refused(&(hoop_access_rules_options){ .rules = rules, .count = 6 },
                  "access_rules: rule 5: '/open*' is no path");
    check_refused(&(hoop_access_rules_options){ .challenge = "" },
                  "access_rules: '' is no challenge");
    check_refused(&(hoop_access_rules_options){ .login = "/a\r\nb" },
                  "access_rules: '/a\r\nb' is no place to log in");
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/own/a", NULL);
    const hoop_response *answer = NULL;
    assert_ptr_equal(hoop_access_rules_request(req, &answer, &options), req);
    assert_null(answer);
    assert_null(hoop_access_rules_request(hoop_mock(arena, "GET", "/x", NULL), &answer, &options));
    assert_response(answer, DENIED);
    assert_null(hoop_access_rules_request(NULL, &answer, &options));
    hoop_arena_free(arena);
}

static void test_identity(void **state)
{
    (void)state;
    int row;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_null(hoop_identity(req));
    assert_null(hoop_identity(NULL));
    const hoop_request *more = hoop_with_identity(req, hoop_str_c("ann"), &row);
    assert_str(hoop_identity(more)->name, "ann");
    assert_ptr_equal(hoop_identity(more)->data, &row);
    assert_null(hoop_identity(req));
    assert_null(hoop_with_identity(NULL, hoop_str_c("ann"), NULL));
    const hoop_response *res = hoop_accept(req, hoop_str_c("bob"), &row);
    assert_str(hoop_accepted(res)->name, "bob");
    assert_null(hoop_accepted(hoop_reject(req)));
    assert_int_equal(hoop_reject(req)->status, 401);
    assert_null(hoop_accepted(NULL));
    assert_null(hoop_accept(NULL, hoop_str_c("bob"), NULL));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = { .uri = "/adm%69n/a", .want = DENIED };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_a_rule_for_get_is_one_for_head),
        cmocka_unit_test(test_who_is_known),
        cmocka_unit_test(test_answers_to_who_is_not_known),
        cmocka_unit_test(test_options_that_are_wrong),
        cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_identity),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
