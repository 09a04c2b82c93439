/* Media types of routes: 415 by Content-Type, 406 by Accept, what was negotiated, and Vary. */
#include "router_tools.h"

static const hoop_response *tell(const hoop_request *req, void *data)
{
    const hoop_response *res =
        hoop_textf(req, 200, "%s%s", (const char *)data, hoop_request_produces(req).data);
    hoop_str vary = hoop_header(req, "x-vary");
    return vary.len ? hoop_add_header(req, res, "vary", vary.data) : res;
}

static const hoop_response *with_header(hoop_handler h, const char *method, const char *uri,
                                        const char *name, const char *value)
{
    const hoop_request *req = hoop_mock(arena, method, uri, NULL);
    if (value)
        req = hoop_mock_header(req, name, value);
    assert_non_null(req);
    const hoop_response *res = hoop_call_sync(h, req);
    if (!res)
        fail_msg("%s", hoop_mock_failure(req)->text);
    return res;
}

static void test_accept(void **state)
{
    (void)state;
    static const struct {
        const char *produces, *accept, *chosen; /* NULL: 406 */
    } cases[] = {
        { "application/json, text/html", NULL, "application/json" },
        { "application/json, text/html", "", "application/json" },
        { "application/json, text/html", "*/*", "application/json" },
        { "application/json, text/html", "text/html", "text/html" },
        { "application/json, text/html", "TEXT/HTML", "text/html" },
        { "application/json, text/html", "text/*", "text/html" },
        { "application/json, text/html", "text/plain", NULL },
        { "application/json, text/html", "application/json;q=0.4, text/html;q=0.5", "text/html" },
        { "application/json, text/html", "application/json;q=0.5, text/html;q=0.5",
          "application/json" },
        { "application/json, text/html", "*/*, application/json;q=0", "text/html" },
        { "application/json", "*/*, application/json;q=0", NULL },
        { "application/json", "*/*;q=0", NULL },
        { "application/json", "application/*;q=0.000", NULL },
        { "application/json, text/html", "application/*;q=0, */*", "text/html" },
        { "text/plain, text/html", "text/*;q=0.3, text/html;q=0.7", "text/html" },
        { "text/plain, text/html", "text/html;q=0.1, text/*;q=0.7", "text/plain" },
        { "text/plain", "text/*;q=x", "text/plain" },
        { "text/plain, a/b", "text/*;q=9, a/b;q=0.9", "text/plain" },
        { "text/plain", "text/*;x=\"0.0=x\"", "text/plain" },
        { "text/html;level=1, text/html", "text/html;q=0.5, text/html;level=1;q=0.9",
          "text/html;level=1" },
        { "text/html;level=2, text/html", "text/html;level=1", NULL },
        { "foo/bar, qux/burt", "spam/burt", NULL },
        { "foo/bar, qux/burt", "foo/*", "foo/bar" },
        { "foo/bar", "foo", NULL },
        { "foo/bar", "foo, foo/bar", "foo/bar" },
        { "a/b", "a/a, a/*;q=0", NULL },
        { "text/html, text/plain, image/png",
          "application/xml,application/xhtml+xml,text/html;q=0.9, text/plain;q=0.8,image/png,*/*;q=0.5",
          "image/png" },
        { "text/plain", "text/plain;charset=\"", NULL },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        const hoop_route table[] = { HOOP_GET("/a", tell, (char *)"",
                                              .produces = cases[i].produces) };
        const hoop_response *res =
            with_header(BUILD(table), "GET", "/a", "accept", cases[i].accept);
        if (cases[i].chosen ? res->status != 200 || !hoop_str_eq_c(res->body, cases[i].chosen)
                            : res->status != 406)
            fail_msg("%s for %s: %d %s", cases[i].accept, cases[i].produces, res->status,
                     res->body.data);
        assert_str(hoop_response_header(res, "vary"), "Accept");
    }
}

static void test_accept_in_two_lines(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/a", tell, (char *)"", .produces = "a/b, c/d") };
    const hoop_request *req = hoop_mock(arena, "GET", "/a", NULL);
    req = hoop_mock_header(hoop_mock_header(req, "accept", "a/b;q=0.1"), "accept", "c/d");
    assert_str(hoop_call_sync(BUILD(table), req)->body, "c/d");
}

static void test_not_acceptable(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/a", tell, (char *)"", .produces = "a/b, c/d") };
    const hoop_response *res = with_header(BUILD(table), "GET", "/a", "accept", "x/y");
    assert_string_equal(told(res),
                        "406 {\"title\":\"Not Acceptable\",\"status\":406,\"detail\":\"this "
                        "resource can be had as a/b, c/d\"}");
    assert_str(hoop_response_header(res, "content-type"), "application/problem+json");
}

static size_t vary_lines(const hoop_response *res)
{
    size_t count = 0;
    for (size_t i = 0; i < res->header_count; i++)
        count += hoop_str_eq_nocase(res->headers[i].name, hoop_str_c("vary"));
    return count;
}

static void test_vary(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/a", tell, (char *)"", .produces = "a/b"),
                                 HOOP_GET("/b", tell, (char *)"") };
    hoop_handler h = BUILD(table);
    const hoop_response *res = with_header(h, "GET", "/a", "x-vary", "Origin");
    assert_int_equal(vary_lines(res), 2);
    res = with_header(h, "GET", "/a", "x-vary", "Origin, ACCEPT");
    assert_int_equal(vary_lines(res), 1);
    res = with_header(h, "GET", "/a", "x-vary", "*");
    assert_int_equal(vary_lines(res), 1);
    res = with_header(h, "GET", "/b", "accept", "a/b");
    assert_int_equal(vary_lines(res), 0);
    assert_str(res->body, "");
}

static void test_consumes(void **state)
{
    (void)state;
    static const struct {
        const char *consumes, *type;
        int status;
    } cases[] = {
        { "application/json", "application/json", 200 },
        { "application/json", "application/json; charset=utf-8", 200 },
        { "application/json", "APPLICATION/Json", 200 },
        { "application/json", "application/jsonz", 415 },
        { "application/json", "application/vnd.x+json", 415 },
        { "application/json", NULL, 415 },
        { "application/json", "json", 415 },
        { "image/*", "image/png", 200 },
        { "image/*", "text/png", 415 },
        { "*/*", "a/b", 200 },
        { "text/plain, image/*", "image/gif", 200 },
        { "text/plain;charset=utf-8", "text/plain;charset=UTF-8", 200 },
        { "text/plain;charset=utf-8", "text/plain;charset=latin1", 415 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        const hoop_route table[] = { HOOP_POST("/a", tell, (char *)"",
                                               .consumes = cases[i].consumes) };
        const hoop_response *res =
            with_header(BUILD(table), "POST", "/a", "content-type", cases[i].type);
        if (res->status != cases[i].status)
            fail_msg("%s for %s: %d", cases[i].type, cases[i].consumes, res->status);
        if (res->status == 415)
            assert_str(hoop_response_header(res, "accept"), cases[i].consumes);
    }
    const hoop_route table[] = { HOOP_POST("/a", tell, (char *)"", .consumes = "a/b") };
    assert_string_equal(
        told(with_header(BUILD(table), "POST", "/a", "content-type", "x/y")),
        "415 {\"title\":\"Unsupported Media Type\",\"status\":415,\"detail\":\"the body "
        "must be of type a/b\"}");
}

static void test_group_consumes(void **state)
{
    (void)state;
    /* What the group asks for counts where there is a body. */
    const hoop_route inner[] = { HOOP_GET("/a", tell, (char *)"get"),
                                 HOOP_POST("/a", tell, (char *)"post") };
    const hoop_route table[] = { HOOP_NEST("", HOOP_ROUTES(inner), .consumes = "a/b") };
    hoop_handler h = BUILD(table);
    assert_get(h, "/a", "200 get");
    assert_told(h, "POST", "/a", "200 post");
    const hoop_response *res = hoop_call_sync(h, hoop_mock(arena, "POST", "/a", "body"));
    assert_int_equal(res->status, 415);
    res = with_header(h, "POST", "/a", "content-type", "c/d");
    assert_int_equal(res->status, 415);
}

static void test_several_routes_of_one_path(void **state)
{
    (void)state;
    const hoop_route table[] = {
        HOOP_POST("/a", tell, (char *)"1 ", .consumes = "a/b", .flags = HOOP_ROUTE_OVERLAPS),
        HOOP_POST("/a", tell, (char *)"2 ", .consumes = "c/d", .flags = HOOP_ROUTE_OVERLAPS),
        HOOP_GET("/a", tell, (char *)"3 ", .produces = "a/b", .flags = HOOP_ROUTE_OVERLAPS),
        HOOP_GET("/a", tell, (char *)"4 ", .produces = "c/d", .flags = HOOP_ROUTE_OVERLAPS),
    };
    hoop_handler h = BUILD(table);
    assert_str(with_header(h, "POST", "/a", "content-type", "c/d")->body, "2 ");
    assert_int_equal(with_header(h, "POST", "/a", "content-type", "e/f")->status, 415);
    assert_str(with_header(h, "GET", "/a", "accept", "c/d")->body, "4 c/d");
    assert_int_equal(with_header(h, "GET", "/a", "accept", "e/f")->status, 406);
    assert_int_equal(with_header(h, "PUT", "/a", "accept", "e/f")->status, 405);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROUTER_TEST(test_accept),
        ROUTER_TEST(test_accept_in_two_lines),
        ROUTER_TEST(test_not_acceptable),
        ROUTER_TEST(test_vary),
        ROUTER_TEST(test_consumes),
        ROUTER_TEST(test_group_consumes),
        ROUTER_TEST(test_several_routes_of_one_path),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
