/* Routers from JSON documents: every member, and every way in which a document can be wrong. */
#include "router_tools.h"

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    return hoop_add_header(req, hoop_call(next, req), "x-wrap", value);
}

static const hoop_response *tell_meta(const hoop_request *req, void *data)
{
    (void)data;
    const hoop_route *route = hoop_request_route(req);
    return hoop_textf(req, 200, "%s %llu %llu %u", (const char *)route->meta,
                      (unsigned long long)route->max_body, (unsigned long long)route->deadline_ms,
                      (unsigned)route->body);
}

static const hoop_middleware stamp = HOOP_WRAP("stamp", wrap, "s");
static const hoop_handler built = { show, (char *)"built" };
static const hoop_route_part parts[] = {
    { "show", show, (char *)"shown", NULL, NULL },
    { "meta", tell_meta, NULL, NULL, NULL },
    { "built", NULL, NULL, &built, NULL },
    { "stamp", NULL, NULL, NULL, &stamp },
};

static int read_document(const char *text, hoop_handler *ret_handler, hoop_error *error)
{
    const hoop_route *table;
    size_t count;
    int rc = hoop_routes_from_json(app, hoop_str_c(text), parts, HOOP_COUNT(parts), &table, &count,
                                   error);
    return rc ? rc : hoop_router_new(app, table, count, ret_handler, error);
}

static void test_document(void **state)
{
    (void)state;
    hoop_handler h;
    hoop_error error = { 0, "" };
    int rc = read_document(
        "[ {\"path\": \"/\", \"handler\": \"show\", \"method\": \"GET\", \"name\": \"home\"},"
        "  {\"path\": \"/u/:id\", \"handler\": \"show\", \"method\": [\"PUT\", \"POST\"],"
        "   \"consumes\": [\"a/b\", \"c/d\"], \"produces\": \"e/f\"},"
        "  {\"path\": \"/any\", \"handler\": \"built\"},"
        "  {\"path\": \"/m\", \"mount\": \"built\"},"
        "  {\"path\": \"/m2\", \"mount\": \"show\"},"
        "  {\"path\": \"/g\", \"middleware\": [\"stamp\"], \"meta\": {\"role\": [1, null]},"
        "   \"routes\": [{\"path\": \"/meta\", \"handler\": \"meta\", \"max_body\": 5,"
        "                 \"deadline_ms\": \"off\", \"body\": \"stream\", \"overlaps\": true},"
        "                {\"path\": \"/:x\", \"handler\": \"show\", \"overlaps\": true,"
        "                 \"body\": \"whole\"}]},"
        "  {\"path\": \"/none\", \"routes\": []}]",
        &h, &error);
    if (rc)
        fail_msg("%s", error.text);
    assert_get(h, "/", "200 shown");
    assert_told(h, "POST", "/", "405 GET, HEAD, OPTIONS");
    const hoop_request *req =
        hoop_mock_header(hoop_mock(arena, "PUT", "/u/7", NULL), "content-type", "c/d");
    assert_string_equal(told(hoop_call_sync(h, req)), "200 shown id=7");
    assert_told(h, "GET", "/u/7", "405 PUT, POST, OPTIONS");
    assert_int_equal(ask(h, "POST", "/u/7")->status, 415);
    assert_get(h, "/any", "200 built");
    assert_get(h, "/m/x", "200 built");
    assert_get(h, "/m2/x", "200 shown");
    const hoop_response *res = ask(h, "GET", "/g/meta");
    assert_string_equal(told(res), "200 {\"role\":[1,null]} 5 18446744073709551615 2");
    assert_str(hoop_response_header(res, "x-wrap"), "s");
    assert_get(h, "/g/y", "200 shown x=y");
    assert_get(h, "/none", "404");
}

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rc;
        const char *error;
    } cases[] = {
        { "[", HOOP_EPARSE, "line 1 column 1: ']' expected near end of file" },
        { "{}", HOOP_EINVAL, "routes: routes are an array" },
        { "[7]", HOOP_EINVAL, "routes[0]: a route is an object" },
        { "[{\"path\":\"/\",\"handler\":\"shwo\"}]", HOOP_EMISSING,
          "routes[0]: handler 'shwo' is not among the 4 names that the program knows" },
        { "[{\"path\":\"/\",\"handler\":\"stamp\"}]", HOOP_EMISSING,
          "routes[0]: 'stamp' is no handler" },
        { "[{\"path\":\"/\",\"mount\":\"stamp\"}]", HOOP_EMISSING,
          "routes[0]: 'stamp' is no handler" },
        { "[{\"path\":\"/\",\"mount\":7}]", HOOP_EINVAL, "routes[0]: 'mount' is no string" },
        { "[{\"middleware\":\"stamp\"}]", HOOP_EINVAL,
          "routes[0]: 'middleware' is no array of names" },
        { "[{\"middleware\":[\"show\"]}]", HOOP_EMISSING, "routes[0]: 'show' is no middleware" },
        { "[{\"middleware\":[\"x\"]}]", HOOP_EMISSING,
          "routes[0]: middleware 'x' is not among the 4 names that the program knows" },
        { "[{},{\"pth\":\"/\"}]", HOOP_EINVAL, "routes[1]: the member 'pth' is unknown" },
        { "[{\"routes\":[{},{\"path\":7}]}]", HOOP_EINVAL,
          "routes[0].routes[1]: 'path' is no string" },
        { "[{\"path\":\"a\\u0000b\"}]", HOOP_EPARSE,
          "line 1 column 19: \\u0000 is not allowed without JSON_ALLOW_NUL near '\"a\\u0000b\"'" },
        { "[{\"method\":[7]}]", HOOP_EINVAL, "routes[0]: 'method' is no string" },
        { "[{\"max_body\":0}]", HOOP_EINVAL,
          "routes[0]: 'max_body' is neither a whole number above 0 nor \"off\"" },
        { "[{\"max_body\":1.5}]", HOOP_EINVAL,
          "routes[0]: 'max_body' is neither a whole number above 0 nor \"off\"" },
        { "[{\"body\":\"some\"}]", HOOP_EINVAL,
          "routes[0]: 'body' is neither \"whole\" nor \"stream\"" },
        { "[{\"overlaps\":1}]", HOOP_EINVAL, "routes[0]: 'overlaps' is neither true nor false" },
        { "[{\"path\":\"/\",\"path\":\"/a\"}]", HOOP_EPARSE,
          "line 1 column 19: duplicate object key near '\"path\"'" },
        { "[{\"path\":\"/\"}]", HOOP_EINVAL, "route 0 * '/': it has no handler" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        hoop_handler h = hoop_fn(NULL, NULL);
        hoop_error error = { 0, "" };
        assert_int_equal(read_document(cases[i].text, &h, &error), cases[i].rc);
        assert_string_equal(error.text, cases[i].error);
        assert_null(h.fn);
    }
    char deep[2000] = "";
    for (int i = 0; i < 33; i++)
        strcat(deep, "[{\"routes\":");
    strcat(deep, "[]");
    for (int i = 0; i < 33; i++)
        strcat(deep, "}]");
    hoop_handler h;
    hoop_error error;
    assert_int_equal(read_document(deep, &h, &error), HOOP_EINVAL);
    assert_non_null(strstr(error.text, "nested too deeply"));
    const hoop_route *table;
    size_t count;
    assert_int_equal(hoop_routes_from_json(NULL, hoop_str_c("[]"), parts, 1, &table, &count, NULL),
                     HOOP_EINVAL);
    assert_int_equal(hoop_routes_from_json(app, hoop_str_c("[]"), NULL, 0, &table, &count, NULL),
                     0);
    assert_int_equal(count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { ROUTER_TEST(test_document), ROUTER_TEST(test_refused) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
