/* Bodies read as streams of JSON: events, the answer, and the 400. */
#include "reader_tools.h"

/* What a handler counted, and what its end was told. */
struct seen {
    int64_t sum;
    int ends, code, own, stops;
    uint32_t framing;
};

static int add_number(hoop_str number, void *data)
{
    struct seen *seen = data;
    char text[32] = "";
    assert_true(number.len < sizeof text);
    memcpy(text, number.data, number.len);
    seen->sum += strtoll(text, NULL, 10);
    return seen->stops ? -99 : 0;
}

static const hoop_response *on_end(const hoop_request *req, int code, void *data)
{
    struct seen *seen = data;
    seen->ends++;
    seen->code = code;
    if (code && seen->own)
        return hoop_text(req, 422, "mine");
    return code ? NULL : hoop_textf(req, 200, "%lld", (long long)seen->sum);
}

static const hoop_response *sum_up(const hoop_request *req, void *data)
{
    static const hoop_json_events events = { .number = add_number };
    struct seen *seen = data;
    return hoop_read_json_stream(
        req, &(hoop_json_stream_options){
                 .events = &events,
                 .reader = &(hoop_json_reader_options){ .framing = seen->framing },
                 .end = on_end,
                 .data = seen,
             });
}

static const hoop_response *check_only(const hoop_request *req, void *data)
{
    return hoop_read_json_stream(req, NULL);
}

static const hoop_response *post(hoop_arena *arena, hoop_handler_fn *fn, struct seen *seen,
                                 const char *body)
{
    return hoop_call_sync(hoop_streaming(arena, hoop_fn(fn, seen)),
                          hoop_mock(arena, "POST", "/", body));
}

static void test_right(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    struct seen seen = { 0 };
    const hoop_response *res = post(arena, sum_up, &seen, "[1,{\"a\":2},[39]]");
    assert_int_equal(res->status, 200);
    assert_str(res->body, "42");
    assert_int_equal(seen.ends, 1);
    seen = (struct seen){ .framing = HOOP_JSON_LINES };
    assert_str(post(arena, sum_up, &seen, "[1]\n2\n{\"a\":3}")->body, "6");
    assert_int_equal(post(arena, check_only, NULL, "[1]")->status, 204);
    hoop_arena_free(arena);
}

static void test_wrong(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    struct seen seen = { 0 };
    const hoop_response *res = post(arena, sum_up, &seen, "[1,\n x]");
    assert_int_equal(res->status, 400);
    assert_str(res->body, "{\"title\":\"Bad Request\",\"status\":400,\"detail\":"
                          "\"line 2, column 2: expected a value, found 'x'\"}");
    assert_int_equal(seen.ends, 1);
    assert_int_equal(seen.code, HOOP_EPARSE);
    assert_int_equal(seen.sum, 1);
    /* Too short is told at the end. */
    seen = (struct seen){ 0 };
    assert_int_equal(post(arena, sum_up, &seen, "[1,2")->status, 400);
    assert_int_equal(seen.code, HOOP_EPARSE);
    assert_int_equal(seen.ends, 1);
    seen = (struct seen){ .own = 1 };
    assert_str(post(arena, sum_up, &seen, "[1,2")->body, "mine");
    assert_int_equal(post(arena, check_only, NULL, "[1}")->status, 400);
    hoop_arena_free(arena);
}

static void test_stop(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    struct seen seen = { .stops = 1, .own = 1 };
    assert_str(post(arena, sum_up, &seen, "[1,2]")->body, "mine");
    assert_int_equal(seen.code, -99);
    assert_int_equal(seen.sum, 1);
    seen = (struct seen){ .framing = 9, .own = 1 };
    assert_str(post(arena, sum_up, &seen, "[1]")->body, "mine");
    assert_int_equal(seen.code, HOOP_EINVAL);
    assert_int_equal(seen.ends, 1);
    assert_null(hoop_read_json_stream(NULL, NULL));
    hoop_arena_free(arena);
}

static void read_once(struct test_allocator *allocator, void *data)
{
    struct seen seen = { .own = 1 };
    hoop_arena *arena = failing_arena(allocator);
    if (!arena)
        return;
    hoop_handler handler = hoop_streaming(arena, hoop_fn(sum_up, &seen));
    const hoop_request *req = hoop_mock(arena, "POST", "/", data);
    if (handler.fn && req)
        hoop_call_sync(handler, req);
    assert_true(seen.ends <= 1);
    hoop_arena_free(arena);
}

static void test_allocations(void **state)
{
    test_each_allocation(read_once, "[1,2,3]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_right),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_stop),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
