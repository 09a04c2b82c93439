/* Middleware "traceparent": traces that go on and that begin, what is dropped, memory. */
#include "fake.h"
#include "middleware.h"

#include <stdio.h>

static const hoop_middleware entry = HOOP_TRACEPARENT(NULL);

#define PARENT "00-0123456789abcdef0123456789abcdef-fedcba9876543210-01"

static const hoop_response *tell(const hoop_request *req, void *data)
{
    const hoop_trace *trace = hoop_trace_of(req);
    return hoop_textf(req, 200, "%s|%s|%u|%s|%d", trace->trace_id.data,
                      hoop_str_is_none(trace->tracestate) ? "none" : trace->tracestate.data,
                      (unsigned)trace->span.flags,
                      memcmp(trace->span.parent_id, trace->parent.parent_id, 8) ? "new" : "old",
                      (int)trace->parent.flags);
}

#define TOLD(text) "200\nContent-Type: text/plain; charset=utf-8\n\n" text

static void test_a_trace_goes_on(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .inner = tell,
          .headers = "Traceparent: " PARENT "\nTracestate: a=1,b=2",
          .want = TOLD("0123456789abcdef0123456789abcdef|a=1,b=2|1|new|1") },
        { .inner = tell,
          .headers = "Traceparent: 00-0123456789abcdef0123456789abcdef-fedcba9876543210-00\n"
                     "Tracestate: a=1\nTracestate: b=2",
          .want = TOLD("0123456789abcdef0123456789abcdef|a=1, b=2|0|new|0") },
        { .inner = tell,
          .headers = "Traceparent: " PARENT "\nTracestate: A=1",
          .want = TOLD("0123456789abcdef0123456789abcdef|none|1|new|1") },
        { .inner = tell,
          .headers = "Traceparent: " PARENT,
          .want = TOLD("0123456789abcdef0123456789abcdef|none|1|new|1") },
    };
    check_middleware(entry, cases);
}

static const hoop_trace *trace_of(hoop_arena *arena, const char *headers,
                                  const hoop_traceparent_options *options)
{
    const struct middleware_case one = { .headers = headers };
    const hoop_response *answer = NULL;
    const hoop_request *req =
        hoop_traceparent_request(middleware_request(arena, &one), &answer, options);
    assert_null(answer);
    const hoop_trace *trace = hoop_trace_of(req);
    assert_non_null(trace);
    char text[HOOP_TRACEPARENT_SIZE];
    hoop_traceparent_format(&trace->span, text);
    assert_str(trace->traceparent, text);
    return trace;
}

static void test_a_trace_begins(void **state)
{
    (void)state;
    static const char *const headers[] = {
        NULL,
        "Traceparent: 00-00000000000000000000000000000000-fedcba9876543210-01",
        "Traceparent: 00-0123456789ABCDEF0123456789abcdef-fedcba9876543210-01",
        "Traceparent: " PARENT "\nTraceparent: " PARENT,
    };
    hoop_arena *arena = hoop_arena_new();
    static const uint8_t none[16];
    for (size_t i = 0; i < HOOP_COUNT(headers); i++) {
        const hoop_trace *trace = trace_of(arena, headers[i], NULL);
        assert_memory_equal(trace->parent.trace_id, none, 16);
        assert_memory_not_equal(trace->span.trace_id, none, 16);
        assert_memory_not_equal(trace->span.parent_id, none, 8);
        assert_int_equal(trace->span.flags, HOOP_TRACE_RANDOM);
        assert_true(hoop_str_is_none(trace->tracestate));
    }
    const hoop_traceparent_options edge = { .begin_anew = 1, .sample = 1 };
    const hoop_trace *trace = trace_of(arena, "Traceparent: " PARENT "\nTracestate: a=1", &edge);
    assert_int_equal(trace->span.flags, HOOP_TRACE_RANDOM | HOOP_TRACE_SAMPLED);
    assert_true(hoop_str_is_none(trace->tracestate));
    assert_null(strstr(trace->traceparent.data, "0123456789abcdef"));
    hoop_arena_free(arena);
}

static void test_it_is_one_span(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *answer = NULL;
    const hoop_request *more = hoop_traceparent_request(req, &answer, NULL);
    assert_ptr_equal(hoop_traceparent_request(more, &answer, NULL), more);
    assert_null(hoop_trace_of(req));
    assert_null(hoop_trace_of(NULL));
    assert_null(hoop_traceparent_request(NULL, &answer, NULL));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .inner = tell,
        .headers = "Traceparent: " PARENT "\nTracestate: a=1\nTracestate: b=2",
        .want = TOLD("0123456789abcdef0123456789abcdef|a=1, b=2|1|new|1"),
    };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_trace_goes_on),
        cmocka_unit_test(test_a_trace_begins),
        cmocka_unit_test(test_it_is_one_span),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
