/* Middleware "not_modified": ring.md's cases 2.11 by the RFC's rules, 412, with etag, memory. */
#include "middleware.h"

#define DATE    "Sun, 06 Nov 1994 08:49:37 GMT"
#define EARLIER "Sun, 06 Nov 1994 08:49:36 GMT"
#define LATER   "Sun, 06 Nov 1994 08:49:38 GMT"

#define BOTH     "200\nETag: \"a\"\nLast-Modified: " DATE "\n\nok"
#define BOTH_304 "304\nETag: \"a\"\nLast-Modified: " DATE "\n(no body)"
#define WEAK     "200\nETag: W/\"a\"\n\nok"
#define DATED    "200\nLast-Modified: " DATE "\n\nok"
#define DATED304 "304\nLast-Modified: " DATE "\n(no body)"
#define FAILED   "412\n(no body)"

static const hoop_middleware entry = HOOP_NOT_MODIFIED(NULL);

static void test_if_none_match(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .answer = BOTH, .want = BOTH },
        { .headers = "If-None-Match: \"a\"", .answer = BOTH, .want = BOTH_304 },
        { .headers = "If-None-Match: \"b\"", .answer = BOTH, .want = BOTH },
        { .headers = "If-None-Match: *", .answer = BOTH, .want = BOTH_304 },
        { .headers = "If-None-Match: \"b\", \"a\"", .answer = BOTH, .want = BOTH_304 },
        { .headers = "If-None-Match: \"b\"\nIf-None-Match: \"a\"",
          .answer = BOTH,
          .want = BOTH_304 },
        { .headers = "If-None-Match: W/\"a\"", .answer = BOTH, .want = BOTH_304 },
        { .headers = "If-None-Match: \"a\"",
          .answer = WEAK,
          .want = "304\nETag: W/\"a\"\n(no body)" },
        { .headers = "If-None-Match: \"A\"", .answer = BOTH, .want = BOTH },
        { .headers = "If-None-Match: a", .answer = BOTH, .want = BOTH },
        { .headers = "If-None-Match: \"a\"",
          .answer = "200\nEtAg: \"a\"\n\nok",
          .want = "304\nEtAg: \"a\"\n(no body)" },
        { .headers = "If-None-Match: \"a\"",
          .answer = "200\nETag: \"a\"\nX: y\nContent-Type: a/b\nCONTENT-LENGTH: 2\n"
                    "Content-Encoding: gzip\nContent-Language: de\nContent-Range: bytes 0-1/2\n"
                    "Cache-Control: no-cache\nVary: Accept\n\nok",
          .want = "304\nETag: \"a\"\nX: y\nCache-Control: no-cache\nVary: Accept\n(no body)" },
        { .headers = "If-None-Match: \"a\"", .answer = "200\n\nok", .want = "200\n\nok" },
        { .headers = "If-None-Match: \"a\"",
          .answer = "200\nETag: a\n\nok",
          .want = "200\nETag: a\n\nok" },
        { .headers = "If-None-Match: \"a\"",
          .answer = "200\nETag: \"a\"\n\nok",
          .streamed = 1,
          .want = "304\nETag: \"a\"\n(no body)" },
        { .method = "HEAD", .headers = "If-None-Match: \"a\"", .answer = BOTH, .want = BOTH_304 },
    };
    check_middleware(entry, cases);
}

static void test_if_modified_since(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .headers = "If-Modified-Since: " DATE, .answer = DATED, .want = DATED304 },
        { .headers = "If-Modified-Since: " LATER, .answer = DATED, .want = DATED304 },
        { .headers = "If-Modified-Since: " EARLIER, .answer = DATED, .want = DATED },
        { .headers = "If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT",
          .answer = DATED,
          .want = DATED304 },
        { .headers = "If-Modified-Since: Sun Nov  6 08:49:37 1994",
          .answer = DATED,
          .want = DATED304 },
        { .headers = "If-Modified-Since: '" DATE "'", .answer = DATED, .want = DATED304 },
        { .headers = "If-Modified-Since: \"" DATE "\"", .answer = DATED, .want = DATED304 },
        { .headers = "If-Modified-Since: '" DATE, .answer = DATED, .want = DATED },
        { .headers = "If-Modified-Since: yesterday", .answer = DATED, .want = DATED },
        { .headers = "If-Modified-Since: " DATE,
          .answer = "200\nLasT-ModiFied: " DATE "\n\nok",
          .want = "304\nLasT-ModiFied: " DATE "\n(no body)" },
        { .headers = "If-Modified-Since: " DATE,
          .answer = "200\nETag: \"a\"\n\nok",
          .want = "200\nETag: \"a\"\n\nok" },
        { .headers = "If-Modified-Since: " DATE,
          .answer = "200\nLast-Modified: yesterday\n\nok",
          .want = "200\nLast-Modified: yesterday\n\nok" },
    };
    check_middleware(entry, cases);
}

/* If-None-Match alone decides where there is one. */
static void test_both(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .headers = "If-None-Match: \"a\"\nIf-Modified-Since: " DATE,
          .answer = BOTH,
          .want = BOTH_304 },
        { .headers = "If-None-Match: \"a\"\nIf-Modified-Since: " EARLIER,
          .answer = BOTH,
          .want = BOTH_304 },
        { .headers = "If-None-Match: \"b\"\nIf-Modified-Since: " DATE,
          .answer = BOTH,
          .want = BOTH },
        { .headers = "If-None-Match: \"b\"\nIf-Modified-Since: " EARLIER,
          .answer = BOTH,
          .want = BOTH },
    };
    check_middleware(entry, cases);
}

static void test_what_fails(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .headers = "If-Match: \"a\"", .answer = BOTH, .want = BOTH },
        { .headers = "If-Match: *", .answer = BOTH, .want = BOTH },
        { .headers = "If-Match: \"b\"", .answer = BOTH, .want = FAILED },
        { .headers = "If-Match: \"a\"", .answer = WEAK, .want = FAILED },
        { .headers = "If-Match: \"b\"",
          .answer = "200\nETag: \"a\"\nX: y\nVary: Accept\n\nok",
          .streamed = 1,
          .want = "412\nVary: Accept\n(no body)" },
        { .headers = "If-Match: \"a\"\nIf-None-Match: \"a\"", .answer = BOTH, .want = BOTH_304 },
        { .headers = "If-Match: \"b\"\nIf-None-Match: \"a\"", .answer = BOTH, .want = FAILED },
        { .headers = "If-Match: \"a\"\nIf-Unmodified-Since: " EARLIER,
          .answer = BOTH,
          .want = BOTH },
        { .headers = "If-Unmodified-Since: " DATE, .answer = BOTH, .want = BOTH },
        { .headers = "If-Unmodified-Since: " EARLIER, .answer = BOTH, .want = FAILED },
    };
    check_middleware(entry, cases);
}

static void test_what_stays(void **state)
{
    (void)state;
    static const char *const methods[] = { "POST", "PUT", "PATCH", "DELETE", "OPTIONS" };
    static const char *const conditions[] = { "If-None-Match: \"a\"", "If-Match: \"b\"" };
    for (size_t i = 0; i < HOOP_COUNT(methods); i++)
        for (size_t k = 0; k < HOOP_COUNT(conditions); k++) {
            const struct middleware_case one[] = {
                { .method = methods[i], .headers = conditions[k], .answer = BOTH, .want = BOTH }
            };
            check_middleware(entry, one);
        }
    static const char *const answers[] = { "302\nETag: \"a\"\n\nok", "404\nETag: \"a\"\n\nok",
                                           "500\nETag: \"a\"\n\nok" };
    for (size_t i = 0; i < HOOP_COUNT(answers); i++) {
        const struct middleware_case one[] = {
            { .headers = "If-None-Match: \"a\"", .answer = answers[i], .want = answers[i] }
        };
        check_middleware(entry, one);
    }
}

static void test_with_etag(void **state)
{
    (void)state;
    static const hoop_middleware chain[] = { HOOP_NOT_MODIFIED(NULL), HOOP_NOT_MODIFIED(NULL),
                                             HOOP_ETAG(NULL) };
    static const struct middleware_case cases[] = {
        { .headers = "If-None-Match: \"0-x\"",
          .answer = "200\n\nhello",
          .want = "200\nETag: \"5-7e407564b45da8d4\"\n\nhello" },
        { .headers = "If-None-Match: \"5-7e407564b45da8d4\"",
          .answer = "200\nContent-Type: text/plain\n\nhello",
          .want = "304\nETag: \"5-7e407564b45da8d4\"\n(no body)" },
    };
    test_middleware(chain, HOOP_COUNT(chain), cases, HOOP_COUNT(cases));
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *res = hoop_with_header(req, hoop_text(req, 200, "a"), "ETag", "\"a\"");
    assert_ptr_equal(hoop_not_modified_response(req, res, NULL), res);
    const hoop_request *knows = hoop_mock_header(req, "if-none-match", "\"a\"");
    assert_int_equal(hoop_not_modified_response(knows, res, NULL)->status, 304);
    assert_null(hoop_not_modified_response(req, NULL, NULL));
    assert_null(hoop_not_modified_response(NULL, res, NULL));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .headers = "If-None-Match: \"b\"\nIf-None-Match: \"a\"",
          .answer = BOTH,
          .want = BOTH_304 },
        { .headers = "If-Match: \"b\"", .answer = BOTH, .want = FAILED },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++)
        test_middleware_memory(&entry, 1, &cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_if_none_match), cmocka_unit_test(test_if_modified_since),
        cmocka_unit_test(test_both),          cmocka_unit_test(test_what_fails),
        cmocka_unit_test(test_what_stays),    cmocka_unit_test(test_with_etag),
        cmocka_unit_test(test_as_a_function), cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
