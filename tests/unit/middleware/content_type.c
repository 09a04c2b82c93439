/* Middleware "content_type": ring.md's cases 2.10, own types, what gets none, memory. */
#include "middleware.h"

static const hoop_middleware entry = HOOP_CONTENT_TYPE(NULL);

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "/foo/bar.png", .want = "200\nContent-Type: image/png\n\nok" },
        { .uri = "/foo/bar.txt", .want = "200\nContent-Type: text/plain\n\nok" },
        { .uri = "/foo/bar.txt?x=a.png", .want = "200\nContent-Type: text/plain\n\nok" },
        { .uri = "/foo/bar.png",
          .answer = "200\nCoNteNt-typE: x/y\n\nok",
          .want = "200\nCoNteNt-typE: x/y\n\nok" },
        { .uri = "/FOO.TXT", .want = "200\nContent-Type: text/plain\n\nok" },
        { .uri = "/archive.tar.gz", .want = "200\nContent-Type: application/gzip\n\nok" },
        { .uri = "/v1.2/readme", .want = "200\n\nok" },
        { .uri = "/readme", .want = "200\n\nok" },
        { .uri = "/", .want = "200\n\nok" },
        { .uri = "/a.unheard-of", .want = "200\n\nok" },
        { .uri = "/.png", .want = "200\n\nok" },
        { .uri = "/a.", .want = "200\n\nok" },
        { .uri = "/a.png", .answer = "200", .want = "200\n(no body)" },
        { .uri = "/a.png", .answer = "204\n\nok", .want = "204\n\nok" },
        { .uri = "/a.png", .answer = "304\n\nok", .want = "304\n\nok" },
        { .uri = "/a.png", .answer = "404\n\nno", .want = "404\n\nno" },
        { .uri = "/a.png",
          .answer = "206\n\nok",
          .streamed = 1,
          .want = "206\nContent-Type: image/png\n\nok" },
    };
    check_middleware(entry, cases);
}

static const char *const types[] = { "edn", "application/edn", "png", "image/x-own", NULL };
static const hoop_content_type_options own = { .types = types,
                                               .fallback = "application/octet-stream" };
static const hoop_middleware own_entry = HOOP_CONTENT_TYPE(&own);

static void test_own_types(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "/a.edn", .want = "200\nContent-Type: application/edn\n\nok" },
        { .uri = "/a.EDN", .want = "200\nContent-Type: application/edn\n\nok" },
        { .uri = "/a.png", .want = "200\nContent-Type: image/x-own\n\nok" },
        { .uri = "/a.txt", .want = "200\nContent-Type: text/plain\n\nok" },
        { .uri = "/a.what", .want = "200\nContent-Type: application/octet-stream\n\nok" },
        { .uri = "/a", .want = "200\nContent-Type: application/octet-stream\n\nok" },
    };
    check_middleware(own_entry, cases);
    static const hoop_middleware twice[] = { HOOP_CONTENT_TYPE(NULL), HOOP_CONTENT_TYPE(&own) };
    test_middleware(twice, HOOP_COUNT(twice), cases, HOOP_COUNT(cases));
}

static void test_types_that_are_none(void **state)
{
    (void)state;
    static const char *const bad[] = { "x", "nonsense", NULL }, *const half[] = { "x", NULL };
    static const hoop_content_type_options options[] = { { .types = bad },
                                                         { .types = half },
                                                         { .fallback = "a/b\r\nX: y" } };
    static const char *const texts[] = { "content_type: 'nonsense' is no media type",
                                         "content_type: '(null)' is no media type",
                                         "content_type: 'a/b\r\nX: y' is no media type" };
    for (size_t i = 0; i < HOOP_COUNT(options); i++) {
        const hoop_middleware chain[] = { HOOP_CONTENT_TYPE(&options[i]) };
        test_middleware_refused(chain, 1, HOOP_EINVAL, texts[i]);
    }
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/a.png", NULL);
    const hoop_response *res = hoop_bytes(req, 200, NULL, hoop_str_c("a"));
    assert_str(hoop_response_header(hoop_content_type_response(req, res, NULL), "content-type"),
               "image/png");
    assert_str(hoop_response_header(hoop_content_type_response(req, res, &own), "content-type"),
               "image/x-own");
    assert_null(hoop_content_type_response(req, NULL, NULL));
    assert_null(hoop_content_type_response(NULL, res, NULL));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = { .uri = "/a.png",
                                                .want = "200\nContent-Type: image/png\n\nok" };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_own_types),
        cmocka_unit_test(test_types_that_are_none),
        cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
