/* Middleware "params": ring.md's cases 2.2, limits, what is refused, double mounting, memory. */
#include "middleware.h"

#include <stdio.h>

#define FORM "Content-Type: application/x-www-form-urlencoded"

static const hoop_middleware entry = HOOP_PARAMS(NULL);

static void add(char *text, size_t size, const char *format, const char *a, const char *b)
{
    size_t len = strlen(text);
    snprintf(text + len, size - len, format, a, b);
}

/* Tells all parameters: "query: name=value ...; form: ...; all: ...". */
static const hoop_response *show(const hoop_request *req, void *data)
{
    (void)data;
    static const struct {
        uint32_t place;
        const char *name;
    } places[] = { { HOOP_IN_QUERY, "query:" },
                   { HOOP_IN_FORM, "; form:" },
                   { HOOP_IN_ANY, "; all:" } };
    char text[4096] = "";
    for (size_t i = 0; i < HOOP_COUNT(places); i++) {
        size_t count;
        const hoop_field *items = hoop_params(req, places[i].place, &count);
        add(text, sizeof text, "%s%s", places[i].name, "");
        for (size_t k = 0; k < count; k++)
            add(text, sizeof text, " %s=%s", items[k].name.data, items[k].value.data);
    }
    return hoop_bytes(req, 200, NULL, hoop_str_c(text));
}

#define PROBLEM(status, title, detail)                                        \
#status "\nContent-Type: application/problem+json\n\n{\"title\":\"" title \
            "\",\"status\":" #status ",\"detail\":\"" detail "\"}"
#define BAD(detail) PROBLEM(400, "Bad Request", detail)

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "/?foo=bar&biz=bat%25",
          .want = "200\n\nquery: foo=bar biz=bat%; form:; all: foo=bar biz=bat%" },
        { .uri = "/?foo", .want = "200\n\nquery: foo=; form:; all: foo=" },
        { .uri = "/?foo=bar",
          .method = "POST",
          .headers = FORM,
          .body = "biz=bat%25",
          .want = "200\n\nquery: foo=bar; form: biz=bat%; all: foo=bar biz=bat%" },
        { .uri = "/?a=1&b=2&a=3",
          .method = "POST",
          .headers = FORM,
          .body = "a=4&a=5",
          .want = "200\n\nquery: a=1 b=2 a=3; form: a=4 a=5; all: a=1 b=2 a=3 a=4 a=5" },
        { .uri = "/",
          .method = "POST",
          .headers = "Content-Type: application/json",
          .body = "a=4&a=5",
          .want = "200\n\nquery:; form:; all:" },
        { .uri = "/",
          .method = "POST",
          .headers = FORM,
          .body = "",
          .want = "200\n\nquery:; form:; all:" },
        { .want = "200\n\nquery:; form:; all:" },
        { .uri = "/?", .want = "200\n\nquery:; form:; all:" },
        { .uri = "/?&&a&&=b&c==d&", .want = "200\n\nquery: a= =b c==d; form:; all: a= =b c==d" },
        { .uri = "/?a+b=c+d%2B&%C3%A4=%e2%82%ac",
          .want = "200\n\nquery: a b=c d+ ä=€; form:; all: a b=c d+ ä=€" },
        { .method = "POST",
          .headers = "content-type: Application/X-WWW-Form-URLEncoded ; Charset=\"UTF-8\"",
          .body = "a=1",
          .want = "200\n\nquery:; form: a=1; all: a=1" },
        { .method = "PATCH",
          .headers = FORM ";charset=us-ascii",
          .body = "a=1",
          .want = "200\n\nquery:; form: a=1; all: a=1" },
    };
    struct middleware_case shown[HOOP_COUNT(cases)];
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        shown[i] = cases[i];
        shown[i].inner = show;
    }
    check_middleware(entry, shown);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "/?%=b", .want = BAD("the query has a '%' that begins no escape") },
        { .uri = "/?a=%", .want = BAD("the query has a '%' that begins no escape") },
        { .uri = "/?a=%4", .want = BAD("the query has a '%' that begins no escape") },
        { .uri = "/?a=%zz", .want = BAD("the query has a '%' that begins no escape") },
        { .uri = "/?a=%00", .want = BAD("the query has a NUL") },
        { .uri = "/?a=%FF", .want = BAD("the query has bytes that are no UTF-8") },
        { .uri = "/?%c3=1", .want = BAD("the query has bytes that are no UTF-8") },
        { .method = "POST",
          .headers = FORM,
          .body = "a=1&b=%+",
          .want = BAD("the form has a '%' that begins no escape") },
        { .method = "POST",
          .headers = FORM "; charset=UTF-16",
          .body = "a=1",
          .want = PROBLEM(415, "Unsupported Media Type", "a form must be in UTF-8") },
        { .method = "POST",
          .headers = FORM "; charset=klingon",
          .body = "a=1",
          .want = PROBLEM(415, "Unsupported Media Type", "a form must be in UTF-8") },
    };
    check_middleware(entry, cases);
}

static void test_lenient(void **state)
{
    (void)state;
    static const hoop_params_options lenient = { .lenient = 1 };
    static const hoop_middleware chain[] = { HOOP_PARAMS(&lenient) };
    static const struct middleware_case cases[] = {
        { .uri = "/?%=b&a=%4&c=%zz%",
          .inner = show,
          .want = "200\n\nquery: %=b a=%4 c=%zz%; form:; all: %=b a=%4 c=%zz%" },
        { .uri = "/?a=%FFx&%c3=1",
          .inner = show,
          .want = "200\n\nquery: a=\xef\xbf\xbdx \xef\xbf\xbd=1; form:; "
                  "all: a=\xef\xbf\xbdx \xef\xbf\xbd=1" },
        { .uri = "/?a=%00", .want = BAD("the query has a NUL") },
    };
    check_middleware(chain[0], cases);
}

static void test_limits(void **state)
{
    (void)state;
    static const hoop_params_options tight = { .max_form = 10, .max_count = 2, .max_name = 3 };
    static const hoop_middleware chain[] = { HOOP_PARAMS(&tight) };
    static const struct middleware_case cases[] = {
        { .uri = "/?abc=1&d=2",
          .inner = show,
          .want = "200\n\nquery: abc=1 d=2; form:; all: abc=1 d=2" },
        { .uri = "/?a=1&b=2&c=3", .want = BAD("the query has too many parameters") },
        { .uri = "/?%61bcd=1", .want = BAD("the query has a name that is too long") },
        { .uri = "/?a=1",
          .method = "POST",
          .headers = FORM,
          .body = "b=2",
          .inner = show,
          .want = "200\n\nquery: a=1; form: b=2; all: a=1 b=2" },
        { .uri = "/?a=1",
          .method = "POST",
          .headers = FORM,
          .body = "b=2&c=3",
          .want = BAD("the form has too many parameters") },
        { .method = "POST",
          .headers = FORM,
          .body = "a=12345678",
          .inner = show,
          .want = "200\n\nquery:; form: a=12345678; all: a=12345678" },
        { .method = "POST",
          .headers = FORM,
          .body = "a=123456789",
          .want = PROBLEM(413, "Content Too Large", "the body is over the limit of 10 bytes") },
    };
    check_middleware(chain[0], cases);
}

/* What was read is what the look-ups find. */
static const hoop_response *look_up(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_textf(
        req, 200, "%s %s %s %zu %s %zu %d", hoop_param(req, "a").data,
        hoop_param_in(req, HOOP_IN_FORM, "a").data, hoop_param(req, "c").data,
        hoop_param_count(req, HOOP_IN_QUERY, "a"), hoop_param_at(req, HOOP_IN_QUERY, "a", 0).data,
        hoop_param_count(req, HOOP_IN_FORM, "a"), hoop_str_is_none(hoop_param(req, "b")));
}

static void test_look_ups(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "/?a=1&a=%32",
          .method = "POST",
          .headers = FORM,
          .body = "a=3&c=4",
          .inner = look_up,
          .want = "200\nContent-Type: text/plain; charset=utf-8\n\n2 3 4 2 1 1 1" },
    };
    check_middleware(entry, cases);
    test_middleware(NULL, 0, cases, HOOP_COUNT(cases));
}

static const hoop_response *wrap_query(const hoop_request *req, hoop_handler next,
                                       const void *value)
{
    return hoop_call(next, hoop_with_uri(req, req->uri.data, value));
}

static void test_mounted_twice(void **state)
{
    (void)state;
    static const hoop_params_options query_only = { .query_only = 1 }, none = { .max_count = 1 };
    static const hoop_middleware chain[] = { HOOP_PARAMS(&query_only), HOOP_PARAMS(NULL),
                                             HOOP_PARAMS(&none) };
    static const struct middleware_case cases[] = {
        { .uri = "/?a=1&b=2",
          .method = "POST",
          .headers = FORM,
          .body = "c=3",
          .inner = show,
          .want = "200\n\nquery: a=1 b=2; form: c=3; all: a=1 b=2 c=3" },
    };
    test_middleware(chain, HOOP_COUNT(chain), cases, HOOP_COUNT(cases));
    static const hoop_middleware moved[] = { HOOP_PARAMS(NULL),
                                             HOOP_WRAP("query", wrap_query, "x=y"),
                                             HOOP_PARAMS(NULL) };
    static const struct middleware_case other[] = {
        { .uri = "/?a=1&b=2",
          .method = "POST",
          .headers = FORM,
          .body = "c=3",
          .inner = show,
          .want = "200\n\nquery: x=y; form: c=3; all: x=y c=3" },
    };
    test_middleware(moved, HOOP_COUNT(moved), other, HOOP_COUNT(other));
    static const struct middleware_case unread[] = {
        { .uri = "/?a=1&b=2",
          .method = "POST",
          .headers = FORM,
          .body = "c=3",
          .inner = show,
          .want = "200\n\nquery:; form: c=3; all:" },
    };
    test_middleware(moved, HOOP_COUNT(moved) - 1, unread, HOOP_COUNT(unread));
}

/* A leaf that streams its body finds it unread. */
static const hoop_response *streaming(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_textf(req, 200, "%d %s", hoop_str_is_none(hoop_body(req)),
                      hoop_param(req, "a").data);
}

static void test_streaming_routes(void **state)
{
    (void)state;
    static const hoop_middleware chain[] = { HOOP_PARAMS(NULL) };
    static const hoop_route routes[] = {
        HOOP_POST("/whole", streaming),
        HOOP_POST("/stream", streaming, .body = HOOP_REQUEST_STREAM),
    };
    static const hoop_route groups[] = { HOOP_NEST("/", HOOP_ROUTES(routes), HOOP_WITH(chain)) };
    hoop_arena *arena = hoop_arena_new();
    hoop_handler router;
    hoop_error error;
    assert_int_equal(hoop_router_new(arena, groups, 1, &router, &error), 0);
    const hoop_request *whole = hoop_mock(arena, "POST", "/whole?a=1", "b=2"),
                       *stream = hoop_mock(arena, "POST", "/stream?a=1", "b=2");
    whole = hoop_mock_header(whole, "content-type", "application/x-www-form-urlencoded");
    stream = hoop_mock_header(stream, "content-type", "application/x-www-form-urlencoded");
    assert_str(hoop_call_sync(router, whole)->body, "0 1");
    assert_str(hoop_call_sync(router, stream)->body, "1 1");
    hoop_arena_free(arena);
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    size_t count = 9;
    const hoop_request *req = hoop_mock(arena, "GET", "/?a=1", NULL);
    assert_null(hoop_params(req, HOOP_IN_QUERY, &count));
    assert_int_equal(count, 0);
    const hoop_request *more = hoop_params_request(req, &answer, NULL);
    assert_str(hoop_params(more, HOOP_IN_QUERY, &count)->value, "1");
    assert_int_equal(count, 1);
    assert_null(hoop_params(more, HOOP_IN_HEADER, &count));
    assert_null(hoop_params(NULL, HOOP_IN_ANY, &count));
    assert_ptr_equal(hoop_params_request(more, &answer, NULL), more);
    assert_null(answer);
    req = hoop_mock(arena, "GET", "/?a=%", NULL);
    assert_null(hoop_params_request(req, &answer, NULL));
    assert_int_equal(answer->status, 400);
    assert_null(hoop_params_request(req, NULL, NULL));
    more = hoop_params_request(req, NULL, &(hoop_params_options){ .lenient = 1 });
    assert_str(hoop_params(more, HOOP_IN_QUERY, &count)->value, "%");
    assert_null(hoop_params_request(NULL, &answer, NULL));
    hoop_arena_free(arena);
}

static const hoop_middleware two[] = { HOOP_PARAMS(&(hoop_params_options){ .lenient = 1 }),
                                       HOOP_PARAMS(NULL) };

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "/?a=1&b=%FF&c=3&d=4&e=5&f=6&g=7&h=8&i=9",
          .method = "POST",
          .headers = FORM,
          .body = "j=1",
          .inner = show,
          .want = "200\n\nquery: a=1 b=\xef\xbf\xbd c=3 d=4 e=5 f=6 g=7 h=8 i=9; form: j=1; "
                  "all: a=1 b=\xef\xbf\xbd c=3 d=4 e=5 f=6 g=7 h=8 i=9 j=1" },
        { .uri = "/?a=1", .answer = "200\n\nok", .want = "200\n\nok" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++)
        test_middleware_memory(two, HOOP_COUNT(two), &cases[i]);
    static const struct middleware_case bad = {
        .uri = "/?a=%", .want = BAD("the query has a '%' that begins no escape")
    };
    test_middleware_memory(&entry, 1, &bad);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_lenient),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_look_ups),
        cmocka_unit_test(test_mounted_twice),
        cmocka_unit_test(test_streaming_routes),
        cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
