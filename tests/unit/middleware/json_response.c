/* Middleware "json_response": ring.md's cases 2.16-9, options, values of responses, memory. */
#include "middleware.h"

#include <hoop/json.h>

static const hoop_middleware entry = HOOP_JSON_RESPONSE(NULL);

static const hoop_response *object(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_value(req, 201, json_pack("{s:s,s:[i,b]}", "name", "\xc3\xa4", "a", 1, 0));
}

static const hoop_response *typed(const hoop_request *req, void *data)
{
    return hoop_with_header(req, object(req, data), "content-TYPE", "application/x+json");
}

static const hoop_response *with_bytes(const hoop_request *req, void *data)
{
    return hoop_with_body(req, object(req, data), hoop_str_c("own"));
}

static const hoop_response *scalar(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_value(req, 200, json_string("x"));
}

#define TEXT "{\"name\":\"\xc3\xa4\",\"a\":[1,false]}"

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .inner = object, .want = "201\nContent-Type: application/json\n\n" TEXT },
        { .inner = typed, .want = "201\ncontent-TYPE: application/x+json\n\n" TEXT },
        { .inner = scalar, .want = "200\nContent-Type: application/json\n\n\"x\"" },
        { .inner = with_bytes, .want = "201\n\nown" },
        { .answer = "200\nX: y\n\ntext", .want = "200\nX: y\n\ntext" },
        { .answer = "204", .want = "204\n(no body)" },
        { .answer = "200\n\ntext", .streamed = 1, .want = "200\n\ntext" },
    };
    check_middleware(entry, cases);
    static const hoop_middleware twice[] = { HOOP_JSON_RESPONSE(NULL), HOOP_JSON_RESPONSE(NULL) };
    test_middleware(twice, HOOP_COUNT(twice), cases, HOOP_COUNT(cases));
}

static const hoop_json_response_options pretty = { .indent = 1, .ascii = 1, .sort = 1 };
static const hoop_middleware pretty_entry = HOOP_JSON_RESPONSE(&pretty);

static void test_options(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .inner = object,
          .want = "201\nContent-Type: application/json\n\n"
                  "{\n \"a\": [\n  1,\n  false\n ],\n \"name\": \"\\u00E4\"\n}" },
    };
    check_middleware(pretty_entry, cases);
    static const hoop_json_response_options bad = { .indent = 32 };
    static const hoop_middleware refused[] = { HOOP_JSON_RESPONSE(&bad) };
    test_middleware_refused(refused, 1, HOOP_EINVAL, "json_response: an indent of 32 is over 31");
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *res = object(req, NULL);
    assert_int_equal(res->body_kind, HOOP_BODY_NONE);
    assert_int_equal(json_object_size(hoop_response_value(res)), 2);
    assert_str(hoop_json_response_response(req, res, NULL)->body, TEXT);
    assert_null(hoop_json_response_response(req, NULL, NULL));
    assert_null(hoop_json_response_response(NULL, res, NULL));
    assert_null(hoop_response_value(NULL));
    assert_null(hoop_response_value(hoop_text(req, 200, "x")));
    assert_null(hoop_value(NULL, 200, json_object()));
    assert_null(hoop_value(req, 99, json_object()));
    assert_null(hoop_value(req, 200, NULL));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .inner = object, .want = "201\nContent-Type: application/json\n\n" TEXT
    };
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
