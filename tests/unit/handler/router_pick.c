/* Handlers that pick a handler by host, scheme, port and header. */
#include "router_tools.h"

#define H(text)              \
    {                        \
        show, (char *)(text) \
    }

static const hoop_handler a = H("a"), b = H("b"), c = H("c"), d = H("d"), e = H("e"),
                          passes = { pass, NULL };

static hoop_handler pick(const hoop_pick *table, size_t count)
{
    hoop_handler handler;
    hoop_error error;
    if (hoop_pick_new(app, table, count, &handler, &error))
        fail_msg("%s", error.text);
    return handler;
}

static void test_hosts(void **state)
{
    (void)state;
    const hoop_pick table[] = {
        { .host = "example.org", .port = 8080, .handler = &a },
        { .host = "Example.org", .scheme = "https", .handler = &b },
        { .host = "example.org", .handler = &c },
        { .host = "*.example.org", .handler = &d },
        { .host = "[::1]", .handler = &e },
    };
    hoop_handler h = pick(table, HOOP_COUNT(table));
    assert_get(h, "http://example.org:8080/x", "200 a");
    assert_get(h, "https://EXAMPLE.ORG/x", "200 b");
    assert_get(h, "http://example.org/x", "200 c");
    assert_get(h, "http://www.example.org/x", "200 d");
    assert_get(h, "http://a.b.example.org/x", "200 d");
    assert_get(h, "http://[::1]/x", "200 e");
    assert_get(h, "http://badexample.org/x", "404");
    assert_get(h, "http://.example.org/x", "404");
    assert_get(h, "http://example.org.evil/x", "404");
    assert_get(h, "/x", "404");
}

static void test_headers(void **state)
{
    (void)state;
    const hoop_pick table[] = { { .header = "X-Api", .value = "2", .handler = &a },
                                { .header = "x-api", .handler = &b },
                                { .handler = &c } };
    hoop_handler h = pick(table, HOOP_COUNT(table));
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_response *res = hoop_call_sync(h, hoop_mock_header(req, "x-api", "2"));
    assert_str(res->body, "a");
    assert_str(hoop_response_header(res, "vary"), "X-Api");
    res = hoop_call_sync(h, hoop_mock_header(hoop_mock_header(req, "x-api", "1"), "x-api", "2"));
    assert_str(res->body, "a");
    res = hoop_call_sync(h, hoop_mock_header(req, "x-api", "3"));
    assert_str(res->body, "b");
    res = hoop_call_sync(h, req);
    assert_str(res->body, "c");
    assert_str(hoop_response_header(res, "vary"), "X-Api");
}

static void resolve_pass(void *data)
{
    hoop_deferred *deferred = data;
    hoop_resolve(deferred, hoop_pass(hoop_deferred_request(deferred)));
}

static const hoop_response *pass_later(const hoop_request *req, void *data)
{
    (void)data;
    hoop_deferred *deferred = hoop_defer(req);
    assert_int_equal(hoop_run_after(req, 10, resolve_pass, deferred), 0);
    return hoop_deferred_response(deferred);
}

static void test_passing(void **state)
{
    (void)state;
    const hoop_handler later = hoop_fn(pass_later, NULL);
    const hoop_route routes[] = { HOOP_GET("/x", show, (char *)"routed") };
    const hoop_handler router = BUILD(routes);
    const hoop_pick table[] = { { .handler = &passes },
                                { .handler = &later },
                                { .handler = &router },
                                { .host = "other", .handler = &a } };
    hoop_handler h = pick(table, HOOP_COUNT(table));
    assert_get(h, "/x", "200 routed");
    assert_get(h, "http://other/y", "200 a");
    assert_get(h, "/y", "404");
    const hoop_pick last[] = { { .handler = &later } };
    assert_get(pick(last, 1), "/x", "404");
    assert_get(pick(NULL, 0), "/x", "404");
    assert_str(hoop_chain_print(arena, h), "pick\n"
                                           "  *://*:0 \n"
                                           "    handler\n"
                                           "  *://*:0 \n"
                                           "    handler\n"
                                           "  *://*:0 \n"
                                           "    router\n"
                                           "      GET /x\n"
                                           "  *://other:0 \n"
                                           "    handler\n");
}

static void test_refused(void **state)
{
    (void)state;
    const hoop_handler empty = hoop_fn(NULL, NULL);
    const struct {
        hoop_pick row;
        const char *text;
    } cases[] = {
        { { .host = "a" }, "row 0 has no handler" },
        { { .handler = &empty }, "row 0 is empty (no function, or out of memory)" },
        { { .host = "a:80", .handler = &a },
          "row 0: 'a:80' is no host: write a name, an address, or *.NAME; the port is a member of its "
          "own" },
        { { .host = "", .handler = &a },
          "row 0: '' is no host: write a name, an address, or *.NAME; the port is a member of its own" },
        { { .host = "*.", .handler = &a },
          "row 0: '*.' is no host: write a name, an address, or *.NAME; the port is a member of its own" },
        { { .scheme = "", .handler = &a }, "row 0: '' is no scheme" },
        { { .header = "a b", .handler = &a }, "row 0: 'a b' is no header name" },
        { { .value = "a", .handler = &a }, "row 0 has a value without a header" },
        { { .port = 65536, .handler = &a }, "row 0: 65536 is no port" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        hoop_handler handler;
        hoop_error error;
        assert_int_equal(hoop_pick_new(app, &cases[i].row, 1, &handler, &error), HOOP_EINVAL);
        assert_string_equal(error.text, cases[i].text);
    }
    hoop_handler handler;
    assert_int_equal(hoop_pick_new(NULL, NULL, 0, &handler, NULL), HOOP_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { ROUTER_TEST(test_hosts), ROUTER_TEST(test_headers),
                                        ROUTER_TEST(test_passing), ROUTER_TEST(test_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
