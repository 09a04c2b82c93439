/* Middleware "cookies": what is read of a request, and the lines that a response gets. */
#include "fake.h"
#include "middleware.h"

#include <stdio.h>

/* Writes all cookies as "name=value|". */
static const hoop_response *show(const hoop_request *req, void *data)
{
    (void)data;
    char text[512] = "";
    size_t count, used = 0;
    const hoop_cookie_pair *pairs = hoop_cookies(req, &count);
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s=%s|", pairs[i].name.data,
                                 pairs[i].value.data);
    return hoop_bytes(req, 200, NULL, hoop_str_c(count ? text : pairs ? "none" : "unread"));
}

#define SHOWS(cookies, text)                                                 \
    {                                                                        \
        .headers = "Cookie: " cookies, .inner = show, .want = "200\n\n" text \
    }

static void test_cookies_are_read(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_COOKIES(NULL);
    static const struct middleware_case cases[] = {
        { .inner = show, .want = "200\n\nunread" },
        SHOWS("a=b", "a=b|"),
        SHOWS("a=b; c=d,e=f", "a=b|c=d,e=f|"),
        SHOWS("a=\"b\"", "a=b|"),
        SHOWS("a=hello+world", "a=hello+world|"),
        SHOWS("a=abc==", "a=abc==|"),
        SHOWS("a=%3D%3D", "a=%3D%3D|"),
        SHOWS("a=%D", "a=%D|"),
        SHOWS("a=1; a=2", "a=1|a=2|"),
        SHOWS("junk; =x; ; b=2", "b=2|"),
        SHOWS("junk", "none"),
        SHOWS("a=b\nCookie: c=d", "a=b|c=d|"),
    };
    check_middleware(entry, cases);
}

static void test_cookies_are_decoded(void **state)
{
    (void)state;
    static const hoop_cookies_options form = { .encoding = HOOP_COOKIE_FORM, .commas = 1 };
    static const hoop_middleware entry = HOOP_COOKIES(&form);
    static const struct middleware_case cases[] = {
        SHOWS("a=hello+world", "a=hello world|"),
        SHOWS("a=abc==", "a=abc==|"),
        SHOWS("a=%D", "none"),
        SHOWS("a=x%00y; b=1", "b=1|"),
        SHOWS("a=%22/test%22", "a=\"/test\"|"),
        SHOWS("a=b; c=d,e=f", "a=b|c=d|e=f|"),
        SHOWS("a=b, ,;c=d,", "a=b|c=d|"),
    };
    check_middleware(entry, cases);
}

static void test_too_many(void **state)
{
    (void)state;
    static const hoop_cookies_options two = { .max_count = 2 };
    static const hoop_middleware entry = HOOP_COOKIES(&two);
    static const struct middleware_case cases[] = {
        SHOWS("a=1; b=2", "a=1|b=2|"),
        { .headers = "Cookie: a=1; b=2; c=3",
          .want = "400\nContent-Type: application/problem+json\n\n{\"title\":\"Bad "
                  "Request\",\"status\":400,\"detail\":\"the request has more than 2 cookies\"}" },
    };
    check_middleware(entry, cases);
}

static void test_mounted_twice_the_outer_reads(void **state)
{
    (void)state;
    static const hoop_cookies_options form = { .encoding = HOOP_COOKIE_FORM };
    static const hoop_middleware chain[] = { HOOP_COOKIES(&form), HOOP_COOKIES(NULL) };
    static const struct middleware_case cases[] = { SHOWS("a=1+2", "a=1 2|") };
    test_middleware(chain, 2, cases, 1);
}

static void test_one_by_name(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_true(hoop_str_is_none(hoop_cookie(req, "a")));
    assert_ptr_equal(hoop_cookies_request(req, &answer, NULL), req);
    req = hoop_mock_header(req, "Cookie", "a=1+1; b=; a=2");
    req = hoop_mock_header(req, "Cookie", "c=3");
    assert_str(hoop_cookie(req, "a"), "1+1");
    assert_str(hoop_cookie(req, "c"), "3");
    assert_true(hoop_str_is_none(hoop_cookie(req, "A")));
    const hoop_request *more =
        hoop_cookies_request(req, &answer, &(hoop_cookies_options){ .encoding = HOOP_COOKIE_FORM });
    assert_str(hoop_cookie(more, "a"), "1 1");
    assert_str(hoop_cookie(more, "b"), "");
    assert_false(hoop_str_is_none(hoop_cookie(more, "b")));
    assert_str(hoop_cookie(more, "c"), "3");
    assert_true(hoop_str_is_none(hoop_cookie(more, "d")));
    assert_null(hoop_cookies_request(req, &answer, &(hoop_cookies_options){ .max_count = 3 }));
    assert_int_equal(answer->status, 400);
    assert_true(hoop_str_is_none(hoop_cookie(NULL, "a")));
    assert_true(hoop_str_is_none(hoop_cookie(req, NULL)));
    assert_null(hoop_cookies_request(NULL, &answer, NULL));
    hoop_arena_free(arena);
}

/* --- responses ------------------------------------------------------------------------------- */

static const hoop_response *set_two(const hoop_request *req, void *data)
{
    (void)data;
    static const hoop_cookie_options all = {
        .path = "/", .domain = "x", .secure = 1, .http_only = 1
    };
    const hoop_response *res = hoop_add_header(req, hoop_respond(req, 204), "Set-Cookie", "z=0");
    return hoop_add_cookie(req, hoop_add_cookie(req, res, "a", "b", &all), "c", "d", NULL);
}

static void test_each_has_its_line(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_COOKIES(NULL);
    static const struct middleware_case cases[] = {
        { .inner = set_two,
          .want = "204\nSet-Cookie: z=0\nSet-Cookie: a=b; Path=/; Domain=x; Secure; HttpOnly\n"
                  "Set-Cookie: c=d\n(no body)" },
    };
    check_middleware(entry, cases);
}

static const hoop_response *add(const hoop_request *req, const char *name, const char *value,
                                const hoop_cookie_options *options)
{
    return hoop_add_cookie(req, hoop_respond(req, 204), name, value, options);
}

static void test_lines(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_response(
        add(req, "a", "hello world", &(hoop_cookie_options){ .encoding = HOOP_COOKIE_FORM }),
        "204\nSet-Cookie: a=hello+world\n(no body)");
    assert_response(
        add(req, "a", NULL, &(hoop_cookie_options){ .path = "/x", .remove = 1 }),
        "204\nSet-Cookie: a=; Path=/x; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT\n(no body)");
    assert_null(hoop_add_cookie(req, NULL, "a", "b", NULL));
    assert_null(hoop_add_cookie(NULL, hoop_respond(req, 204), "a", "b", NULL));
    assert_true(hoop_is_pass(hoop_add_cookie(req, hoop_pass(req), "a", "b", NULL)));
    hoop_arena_free(arena);
}

static void check_bad(const char *name, const char *value, const hoop_cookie_options *options,
                      const char *text)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_null(add(req, name, value, options));
    assert_noted(req, HOOP_EINVAL, text);
    hoop_arena_free(arena);
}

static void test_cookies_that_are_refused(void **state)
{
    (void)state;
    char large[4097];
    memset(large, 'x', sizeof large - 1);
    large[sizeof large - 1] = 0;
    check_bad("a b", "c", NULL, "the cookie's name 'a b' is no token");
    check_bad("a", "b\r\nX: y", NULL,
              "cookie 'a': byte 1 of the value (0x0d) can't stand in a cookie: set an encoding");
    check_bad("a", "b", &(hoop_cookie_options){ .same_site = HOOP_SAME_SITE_NONE },
              "cookie 'a': SameSite=None needs secure");
    check_bad("__Host-a", "b", &(hoop_cookie_options){ .secure = 1 },
              "cookie '__Host-a' has a prefix that needs path \"/\" and no domain");
    check_bad("a", large, NULL, "cookie 'a' takes 4098 bytes, over the 4096 that browsers take");
}

static void test_options_that_are_wrong(void **state)
{
    (void)state;
    static const hoop_cookies_options odd = { .encoding = 9 };
    static const hoop_middleware chain[] = { HOOP_COOKIES(&odd) };
    test_middleware_refused(chain, 1, HOOP_EINVAL,
                            "cookies: encoding is 9, not one of HOOP_COOKIE_*");
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_COOKIES(NULL);
    static const struct middleware_case read = SHOWS("a=b; c=d", "a=b|c=d|");
    static const struct middleware_case written = {
        .inner = set_two,
        .want = "204\nSet-Cookie: z=0\nSet-Cookie: a=b; Path=/; Domain=x; Secure; HttpOnly\n"
                "Set-Cookie: c=d\n(no body)",
    };
    test_middleware_memory(&entry, 1, &read);
    test_middleware_memory(&entry, 1, &written);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cookies_are_read),
        cmocka_unit_test(test_cookies_are_decoded),
        cmocka_unit_test(test_too_many),
        cmocka_unit_test(test_mounted_twice_the_outer_reads),
        cmocka_unit_test(test_one_by_name),
        cmocka_unit_test(test_each_has_its_line),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_cookies_that_are_refused),
        cmocka_unit_test(test_options_that_are_wrong),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
