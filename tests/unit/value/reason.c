/* Statuses: reason phrases, the constant responses, and pass. */
#include "fake.h"

#include "value/value.h"

static void test_reasons(void **state)
{
    static const struct {
        int status;
        const char *reason;
    } rows[] = {
        { 100, "Continue" },
        { 200, "OK" },
        { 204, "No Content" },
        { 226, "IM Used" },
        { 304, "Not Modified" },
        { 404, "Not Found" },
        { 405, "Method Not Allowed" },
        { 413, "Content Too Large" },
        { 422, "Unprocessable Content" },
        { 451, "Unavailable For Legal Reasons" },
        { 500, "Internal Server Error" },
        { 503, "Service Unavailable" },
        { 511, "Network Authentication Required" },
    };
    for (size_t i = 0; i < HOOP_COUNT(rows); i++)
        assert_string_equal(hoop_reason(rows[i].status), rows[i].reason);
    static const int unknown[] = { -1, 0, 99, 199, 299, 306, 418, 419, 499, 509, 510, 512, 600 };
    for (size_t i = 0; i < HOOP_COUNT(unknown); i++)
        assert_string_equal(hoop_reason(unknown[i]), "");
}

static void test_the_table_is_searched_to_both_ends(void **state)
{
    int known = 0;
    for (int status = 0; status < 700; status++)
        known += hoop_reason(status)[0] != 0;
    assert_int_equal(known, 60);
}

static void test_errors_are_answered_from_constants(void **state)
{
    static const int own[] = { 400, 404, 413, 500, 503 };
    for (size_t i = 0; i < HOOP_COUNT(own); i++) {
        const struct hoop__response *res = hoop__canned(own[i]);
        assert_int_equal(res->pub.status, own[i]);
        assert_null(res->pub.arena);
        assert_ptr_equal(hoop__canned(own[i]), res);
        assert_memory_equal(res->pub.body.data, hoop_reason(own[i]), res->pub.body.len - 1);
    }
    assert_response(&hoop__canned(503)->pub,
                    "503\nContent-Type: text/plain; charset=utf-8\n\nService Unavailable\n");
    assert_ptr_equal(hoop__canned(418), hoop__canned(500));
}

static void test_a_constant_can_be_changed_like_any_response(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_app_request(arena);
    const hoop_response *res = hoop_add_header(req, &hoop__canned(404)->pub, "X", "y");
    assert_response(res, "404\nContent-Type: text/plain; charset=utf-8\nX: y\n\nNot Found\n");
    assert_int_equal(hoop__canned(404)->pub.header_count, 1);
    hoop_arena_free(arena);
}

static void test_pass_is_one_constant(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_app_request(arena);
    assert_ptr_equal(hoop_pass(req), hoop_pass(hoop_app_request(arena)));
    assert_true(hoop_is_pass(hoop_pass(req)));
    assert_false(hoop_is_pending(hoop_pass(req)));
    assert_null(hoop_pass(NULL));
    assert_false(hoop_is_pass(NULL));
    assert_false(hoop_is_pass(hoop_respond(req, 404)));
    assert_false(hoop_is_pending(hoop_respond(req, 404)));
    hoop_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_the_table_is_searched_to_both_ends),
        cmocka_unit_test(test_errors_are_answered_from_constants),
        cmocka_unit_test(test_a_constant_can_be_changed_like_any_response),
        cmocka_unit_test(test_pass_is_one_constant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
