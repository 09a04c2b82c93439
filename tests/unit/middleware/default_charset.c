/* Middleware "default_charset": ring.md's cases 2.10-11, other charsets, double mounting, memory. */
#include "middleware.h"

static const hoop_middleware entry = HOOP_DEFAULT_CHARSET(NULL);

static const hoop_default_charset_options latin = { .charset = "iso-8859-1" };
static const hoop_middleware latin_entry = HOOP_DEFAULT_CHARSET(&latin);

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .answer = "200\nContent-Type: text/html\n\n<p>",
          .want = "200\nContent-Type: text/html; charset=utf-8\n\n<p>" },
        { .answer = "404\nContent-Type: application/xml\nX: y\n\n<a/>",
          .want = "404\nX: y\nContent-Type: application/xml; charset=utf-8\n\n<a/>" },
        { .answer = "200\ncontent-TYPE: Text/CSS; x=y\n\na",
          .want = "200\nContent-Type: Text/CSS; x=y; charset=utf-8\n\na" },
        { .answer = "200\nContent-Type: text/html; Charset=gbk\n\na",
          .want = "200\nContent-Type: text/html; Charset=gbk\n\na" },
        { .answer = "200\nContent-Type: image/png\n\na",
          .want = "200\nContent-Type: image/png\n\na" },
        { .answer = "200\nContent-Type: image/png; of=text/plain\n\na",
          .want = "200\nContent-Type: image/png; of=text/plain\n\na" },
        { .answer = "200\nContent-Type: application/xmlx\n\na",
          .want = "200\nContent-Type: application/xmlx\n\na" },
        { .answer = "200\nContent-Type: text\n\na", .want = "200\nContent-Type: text\n\na" },
        { .answer = "200\n\na", .want = "200\n\na" },
        { .answer = "204", .want = "204\n(no body)" },
    };
    check_middleware(entry, cases);
}

static void test_another_charset(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .answer = "200\nContent-Type: text/plain\n\na",
          .want = "200\nContent-Type: text/plain; charset=iso-8859-1\n\na" },
    };
    check_middleware(latin_entry, cases);
}

static void test_the_inner_one_has_its_say(void **state)
{
    (void)state;
    static const hoop_middleware chain[] = { HOOP_DEFAULT_CHARSET(NULL),
                                             HOOP_DEFAULT_CHARSET(&latin) };
    static const struct middleware_case cases[] = {
        { .answer = "200\nContent-Type: text/plain\n\na",
          .want = "200\nContent-Type: text/plain; charset=iso-8859-1\n\na" },
    };
    test_middleware(chain, HOOP_COUNT(chain), cases, HOOP_COUNT(cases));
}

static void test_a_charset_that_is_none(void **state)
{
    (void)state;
    static const hoop_default_charset_options bad = { .charset = "utf-8\r\nX: y" };
    static const hoop_middleware chain[] = { HOOP_DEFAULT_CHARSET(&bad) };
    test_middleware_refused(chain, 1, HOOP_EINVAL,
                            "default_charset: the charset 'utf-8\r\nX: y' is no token");
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *res = hoop_bytes(req, 200, "text/css", hoop_str_c("a"));
    assert_str(hoop_response_header(hoop_default_charset_response(req, res, NULL), "content-type"),
               "text/css; charset=utf-8");
    res = hoop_default_charset_response(req, res,
                                        &(hoop_default_charset_options){ .charset = "us-ascii" });
    assert_str(hoop_response_header(res, "content-type"), "text/css; charset=us-ascii");
    assert_null(hoop_default_charset_response(req, NULL, NULL));
    assert_null(hoop_default_charset_response(NULL, res, NULL));
    assert_true(hoop_is_pass(hoop_default_charset_response(req, hoop_pass(req), NULL)));
    assert_null(
        hoop_default_charset_response(req, res, &(hoop_default_charset_options){ .charset = "" }));
    assert_string_equal(hoop_failure(req)->text, "default_charset: the charset '' is no token");
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .answer = "200\nContent-Type: text/plain\n\na",
        .want = "200\nContent-Type: text/plain; charset=utf-8\n\na",
    };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_another_charset),
        cmocka_unit_test(test_the_inner_one_has_its_say),
        cmocka_unit_test(test_a_charset_that_is_none),
        cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
