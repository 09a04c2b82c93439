/* Middleware "catch_errors": problems in production, the page and the full problem in development, memory. */
#include "fake.h"
#include "middleware.h"

static const hoop_middleware entry = HOOP_CATCH_ERRORS(NULL);
static const hoop_catch_errors_options open_options = { .development = 1 };
static const hoop_middleware open_entry = HOOP_CATCH_ERRORS(&open_options);

#define PRODUCTION                                    \
    "500\nContent-Type: application/problem+json\n\n" \
    "{\"title\":\"Internal Server Error\",\"status\":500}"

static void test_in_production(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .want = "200\n\nok", .failed = PRODUCTION },
        { .headers = "Accept: text/html", .want = "200\n\nok", .failed = PRODUCTION },
    };
    check_middleware(entry, cases);
}

static const hoop_response *fail_with(const hoop_request *req, void *data)
{
    return hoop_fail(req, *(int *)data, "no <row> 'for' \"%s\" & co", req->uri.data);
}

static const hoop_response *failed(hoop_arena *arena, int code, const char *accept)
{
    hoop_handler handler = hoop_fn(fail_with, &code);
    const hoop_request *req = hoop_mock(arena, "GET", "/<b>?q=<i>", NULL);
    if (accept)
        req = hoop_mock_header(req, "Accept", accept);
    req = hoop_mock_header(req, "Authorization", "Basic c2VjcmV0");
    req = hoop_mock_header(req, "Cookie", "id=secret");
    assert_int_equal(hoop_chain_new(arena, &open_entry, 1, handler, &handler, NULL), 0);
    return hoop_call_sync(handler, req);
}

static void test_the_full_problem(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *res = failed(arena, HOOP_EMISSING, NULL);
    assert_response(res, "500\nContent-Type: application/problem+json\nVary: Accept\n\n"
                         "{\"title\":\"Internal Server Error\",\"status\":500,\"detail\":\"no "
                         "<row> 'for' \\\"/<b>\\\" & co\",\"code\":-10015,\"name\":"
                         "\"HOOP_EMISSING\"}");
    res = failed(arena, HOOP_EBUSY, "application/json");
    assert_int_equal(res->status, 503);
    assert_str(hoop_response_header(res, "content-type"), "application/problem+json");
    res = failed(arena, HOOP_EBUSY, "text/html;q=0.5, application/problem+json");
    assert_str(hoop_response_header(res, "content-type"), "application/problem+json");
    hoop_arena_free(arena);
}

static void assert_has(hoop_str page, const char *part)
{
    if (!strstr(page.data, part))
        fail_msg("'%s' is not in:\n%s", part, page.data);
}

static void test_the_page(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *res =
        failed(arena, HOOP_EMISSING, "text/html,application/xhtml+xml,*/*;q=0.8");
    assert_int_equal(res->status, 500);
    assert_str(hoop_response_header(res, "content-type"), "text/html; charset=utf-8");
    assert_str(hoop_response_header(res, "vary"), "Accept");
    assert_str(hoop_response_header(res, "content-security-policy"),
               "default-src 'none'; style-src 'unsafe-inline'");
    assert_has(res->body, "<title>500 Internal Server Error</title>");
    assert_has(res->body, "no &lt;row&gt; &#39;for&#39; &quot;/&lt;b&gt;&quot; &amp; co");
    assert_has(res->body, "HOOP_EMISSING (-10015): something needed is missing");
    assert_has(res->body, "<tr><th>uri</th><td>/&lt;b&gt;</td></tr>");
    assert_has(res->body, "<tr><th>query string</th><td>q=&lt;i&gt;</td></tr>");
    assert_has(res->body, "<tr><th>authorization</th><td>(not shown)</td></tr>");
    assert_null(strstr(res->body.data, "secret"));
    assert_null(strstr(res->body.data, "c2VjcmV0"));
    assert_null(strstr(res->body.data, "<b>"));
    hoop_arena_free(arena);
}

/* What the router made of the request is told. */
static void test_the_route(void **state)
{
    (void)state;
    int code = HOOP_EINVAL;
    const hoop_route routes[] = { HOOP_GET("/a/{id:int}", fail_with, &code),
                                  HOOP_GET("/a/<b>", fail_with, &code) };
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler;
    assert_int_equal(hoop_router_new(arena, routes, 2, &handler, NULL), 0);
    assert_int_equal(hoop_chain_new(arena, &open_entry, 1, handler, &handler, NULL), 0);
    const hoop_request *req =
        hoop_mock_header(hoop_mock(arena, "GET", "/a/7", NULL), "Accept", "text/html");
    const hoop_response *res = hoop_call_sync(handler, req);
    assert_has(res->body, "<h2>Route</h2>\n<pre>0 GET /a/{id:int}: matches\n");
    assert_has(res->body, "1 GET /a/&lt;b&gt;: ");
    assert_has(res->body, "chosen: 0 /a/{id:int}, id=&#39;7&#39;\n</pre>");
    hoop_arena_free(arena);
}

static void test_the_log(void **state)
{
    (void)state;
    static const hoop_catch_errors_options quiet_options = { .quiet = 1 };
    static const hoop_middleware quiet = HOOP_CATCH_ERRORS(&quiet_options);
    const hoop_middleware *entries[] = { &entry, &quiet };
    static const char *const logs[] = { "1 GET /x: 500: no <row> 'for' \"/x\" & co\n", "" };
    for (int i = 0; i < 2; i++) {
        struct fake fake;
        int code = HOOP_EINVAL;
        hoop_arena *app = hoop_arena_new();
        hoop_handler handler = hoop_fn(fail_with, &code);
        fake_init(&fake);
        assert_int_equal(hoop_chain_new(app, entries[i], 1, handler, &handler, NULL), 0);
        struct fake_exchange *fx = fake_make(&fake, "GET", "/x");
        fake_dispatch(fx, handler.fn, handler.data);
        assert_response(&fx->response->pub, PRODUCTION);
        assert_string_equal(fake.log, logs[i]);
        fake_end(fx, 0);
        fake_done(&fake);
        hoop_arena_free(app);
    }
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = {
        .want = "200\n\nok",
        .failed = "503\nContent-Type: application/problem+json\n\n"
                  "{\"title\":\"Service Unavailable\",\"status\":503}",
    };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_production), cmocka_unit_test(test_the_full_problem),
        cmocka_unit_test(test_the_page),      cmocka_unit_test(test_the_route),
        cmocka_unit_test(test_the_log),       cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
