/* Middleware "basic_auth": credentials good, bad and broken, checks now and later, options, memory. */
#include "fake.h"
#include "middleware.h"

static const hoop_basic_user users[] = { { "ann", "secret" }, { "bob", "a:b" }, { "", "" } };
static const hoop_basic_auth_options options = { .users = users, .user_count = 3 };
static const hoop_middleware entry = HOOP_BASIC_AUTH(&options);

#define CHALLENGE "WWW-Authenticate: Basic realm=\"protected\", charset=\"UTF-8\"\n"
#define PROBLEM(detail)                                       \
    "401\nContent-Type: application/problem+json\n" CHALLENGE \
    "\n{\"title\":\"Unauthorized\",\"status\":401,\"detail\":\"" detail "\"}"
#define NEEDED   PROBLEM("a name and a password are needed")
#define REJECTED PROBLEM("these credentials are not accepted")

static const hoop_response *tell(const hoop_request *req, void *data)
{
    const hoop_principal *principal = hoop_identity(req);
    return principal ? hoop_textf(req, 200, "from %s", principal->name.data)
                     : hoop_text_static(req, 200, "from nobody");
}

#define FROM(name) "200\nContent-Type: text/plain; charset=utf-8\n\nfrom " name

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .headers = "Authorization: Basic YW5uOnNlY3JldA==", .inner = tell, .want = FROM("ann") },
        { .headers = "Authorization: bASIC  Ym9iOmE6Yg==", .inner = tell, .want = FROM("bob") },
        { .headers = "Authorization: Basic Og==", .inner = tell, .want = FROM("") },
        { .want = NEEDED },
        { .headers = "Authorization: Bearer YW5uOnNlY3JldA==", .want = NEEDED },
        { .headers = "Authorization: Basic YW5uOnNlY3JldA", .want = REJECTED },
        { .headers = "Authorization: Basic", .want = REJECTED },
        { .headers = "Authorization: Basic YW5u", .want = REJECTED },
        { .headers = "Authorization: Basic YW5uOlNlY3JldA==", .want = REJECTED }, /* Secret */
        { .headers = "Authorization: Basic Ym9iOnNlY3JldA==", .want = REJECTED }, /* bob:secret */
        { .headers = "Authorization: Basic YW5uOnNlY3JldA==\nAuthorization: Basic Og==",
          .want = REJECTED },
    };
    check_middleware(entry, cases);
}

static void test_optional(void **state)
{
    (void)state;
    static const hoop_basic_auth_options own = {
        .users = users,
        .user_count = 1,
        .optional = 1,
        .realm = "a \"b\"",
    };
    static const hoop_middleware one = HOOP_BASIC_AUTH(&own);
    static const struct middleware_case cases[] = {
        { .inner = tell, .want = FROM("nobody") },
        { .headers = "Authorization: Basic YW5uOnNlY3JldA==", .inner = tell, .want = FROM("ann") },
        { .headers = "Authorization: Basic Og==",
          .want = "401\nContent-Type: application/problem+json\nWWW-Authenticate: Basic realm=\"a "
                  "\\\"b\\\"\", charset=\"UTF-8\"\n\n{\"title\":\"Unauthorized\",\"status\":401,"
                  "\"detail\":\"these credentials are not accepted\"}" },
    };
    check_middleware(one, cases);
}

/* --- checks ---------------------------------------------------------------------------------- */

static const hoop_response *verdict(const hoop_request *req, hoop_str user, hoop_str password)
{
    if (hoop_str_eq_c(user, "gone"))
        return hoop_problem(req, 403, "this account is closed");
    if (hoop_str_eq_c(user, "broken"))
        return hoop_fail(req, HOOP_EGONE, "no database");
    return hoop_str_eq_c(password, "pass") ? hoop_accept(req, user, NULL) : hoop_reject(req);
}

static const hoop_response *check_now(const hoop_request *req, hoop_str user, hoop_str password,
                                      void *data)
{
    return verdict(req, user, password);
}

struct later {
    hoop_deferred *deferred;
    hoop_str user, password;
};

static void resolve(void *data)
{
    struct later *later = data;
    hoop_resolve(later->deferred,
                 verdict(hoop_deferred_request(later->deferred), later->user, later->password));
}

static const hoop_response *check_later(const hoop_request *req, hoop_str user, hoop_str password,
                                        void *data)
{
    struct later *later = hoop_alloc(req, sizeof *later);
    if (!later)
        return NULL;
    later->user = user;
    later->password = password;
    later->deferred = hoop_defer(req);
    if (!later->deferred || hoop_run_after(req, 10, resolve, later))
        return NULL;
    return hoop_deferred_response(later->deferred);
}

static const struct middleware_case check_cases[] = {
    { .headers = "Authorization: Basic YW5uOnBhc3M=", .inner = tell, .want = FROM("ann") },
    { .headers = "Authorization: Basic YW5uOm5v", .want = REJECTED },
    { .headers = "Authorization: Basic Z29uZTpub3Bl",
      .want = "403\nContent-Type: application/problem+json\n\n{\"title\":\"Forbidden\","
              "\"status\":403,\"detail\":\"this account is closed\"}" },
};

static void test_checks(void **state)
{
    (void)state;
    static const hoop_basic_auth_options now = { .check = check_now };
    static const hoop_basic_auth_options later = { .check = check_later };
    static const hoop_middleware at_once = HOOP_BASIC_AUTH(&now);
    static const hoop_middleware afterwards = HOOP_BASIC_AUTH(&later);
    check_middleware(at_once, check_cases);
    check_middleware(afterwards, check_cases);
}

static void test_a_check_that_fails(void **state)
{
    (void)state;
    static const hoop_basic_auth_options later = { .check = check_later };
    static const hoop_middleware chain[] = { HOOP_BASIC_AUTH(&later) };
    static const struct middleware_case one = {
        .headers = "Authorization: Basic YnJva2VuOng=",
    };
    hoop_arena *arena = hoop_arena_new();
    assert_null(middleware_answer(arena, chain, 1, &one));
    hoop_arena_free(arena);
}

/* --- the rest -------------------------------------------------------------------------------- */

static void check_refused(const hoop_basic_auth_options *own, const char *text)
{
    const hoop_middleware chain[] = { HOOP_BASIC_AUTH(own) };
    test_middleware_refused(chain, 1, HOOP_EINVAL, text);
}

static void test_options_that_are_wrong(void **state)
{
    (void)state;
    static const hoop_basic_user colon[] = { { "a", "b" }, { "a:b", "c" } };
    static const hoop_basic_user no_name[] = { { NULL, "c" } };
    static const hoop_basic_user no_password[] = { { "a", NULL } };
    check_refused(NULL, "basic_auth: neither users nor a check are given");
    check_refused(&(hoop_basic_auth_options){ .users = colon, .user_count = 2 },
                  "basic_auth: user 1, 'a:b', can't log in");
    check_refused(&(hoop_basic_auth_options){ .users = no_name, .user_count = 1 },
                  "basic_auth: user 0, 'NULL', can't log in");
    check_refused(&(hoop_basic_auth_options){ .users = no_password, .user_count = 1 },
                  "basic_auth: user 0, 'a', can't log in");
}

static void test_a_realm_that_is_wrong(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_basic_auth_options own = { .check = check_now, .realm = "a\r\nb" };
    const hoop_middleware chain[] = { HOOP_BASIC_AUTH(&own) };
    hoop_handler handler = hoop_fn(tell, NULL);
    assert_int_equal(hoop_chain_new(arena, chain, 1, handler, &handler, NULL), HOOP_EINVAL);
    hoop_arena_free(arena);
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_request *good = hoop_mock_header(req, "Authorization", "Basic YW5uOnNlY3JldA==");
    const hoop_response *answer = NULL;
    assert_str(hoop_identity(hoop_basic_auth_request(good, &answer, &options))->name, "ann");
    assert_null(answer);
    assert_null(hoop_basic_auth_request(req, &answer, &options));
    assert_response(answer, NEEDED);
    assert_null(hoop_basic_auth_request(NULL, &answer, &options));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .headers = "Authorization: Basic YW5uOnNlY3JldA==",
        .inner = tell,
        .want = FROM("ann"),
    };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_optional),
        cmocka_unit_test(test_checks),
        cmocka_unit_test(test_a_check_that_fails),
        cmocka_unit_test(test_options_that_are_wrong),
        cmocka_unit_test(test_a_realm_that_is_wrong),
        cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
