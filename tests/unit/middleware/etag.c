/* Middleware "etag": which responses get a tag, the same one always, options, memory. */
#include "middleware.h"

static const hoop_middleware entry = HOOP_ETAG(NULL);
static const hoop_etag_options options = { .max_size = 4, .weak = 1 };
static const hoop_middleware weak = HOOP_ETAG(&options);

#define TAG "ETag: \"5-7e407564b45da8d4\"\n"

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .answer = "200\nX: y\n\nhello", .want = "200\nX: y\n" TAG "\nhello" },
        { .method = "HEAD", .answer = "200\n\nhello", .want = "200\n" TAG "\nhello" },
        { .answer = "200\neTaG: \"own\"\n\nhello", .want = "200\neTaG: \"own\"\n\nhello" },
        { .answer = "200\n\nhello", .streamed = 1, .want = "200\n\nhello" },
        { .answer = "200", .want = "200\n(no body)" },
        { .answer = "404\n\nhello", .want = "404\n\nhello" },
        { .answer = "201\n\nhello", .want = "201\n\nhello" },
        { .answer = "206\n\nhello", .want = "206\n\nhello" },
        { .method = "POST", .answer = "200\n\nhello", .want = "200\n\nhello" },
        { .method = "PUT", .answer = "200\n\nhello", .want = "200\n\nhello" },
    };
    check_middleware(entry, cases);
    static const hoop_middleware twice[] = { HOOP_ETAG(&options), HOOP_ETAG(NULL) };
    test_middleware(twice, HOOP_COUNT(twice), cases, HOOP_COUNT(cases));
}

static void test_options(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .answer = "200\n\nhell", .want = "200\nETag: W/\"4-4cfdd6a5784a1192\"\n\nhell" },
        { .answer = "200\n\nhello", .want = "200\n\nhello" },
    };
    check_middleware(weak, cases);
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *a = hoop_text(req, 200, "a"), *b = hoop_text(req, 200, "b");
    hoop_str tag = hoop_response_header(hoop_etag_response(req, a, NULL), "etag");
    assert_true(tag.len > 2);
    assert_true(hoop_str_eq(
        tag,
        hoop_response_header(hoop_etag_response(req, hoop_html(req, 200, "a"), NULL), "etag")));
    assert_false(hoop_str_eq(tag, hoop_response_header(hoop_etag_response(req, b, NULL), "etag")));
    assert_null(hoop_etag_response(req, NULL, NULL));
    assert_null(hoop_etag_response(NULL, a, NULL));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = { .answer = "200\n\nhello",
                                                .want = "200\n" TAG "\nhello" };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
