/* From names to paths: reverse routing from a request and from the router, and query strings. */
#include "router_tools.h"

static const hoop_route routes[] = {
    HOOP_GET("/", show, .name = "home"),
    HOOP_GET("/users/:id", show, .name = "user"),
    HOOP_GET("/typed/{id:int}/{f:json|xml}", show, .name = "typed"),
    HOOP_GET("/files/{name}.{ext}", show, .name = "file"),
    HOOP_GET("/rest/*rest", show, .name = "rest"),
    HOOP_GET("/a b/\\:c/", show, .name = "text"),
};

static void test_from_the_router(void **state)
{
    (void)state;
    hoop_handler h = BUILD(routes);
    static const struct {
        const char *name, *params[6];
        int rc;
        const char *text; /* the path, or the error */
    } cases[] = {
        { "home", { NULL }, 0, "/" },
        { "user", { "id", "7", NULL }, 0, "/users/7" },
        { "user", { "size", "large", "id", "7", NULL }, 0, "/users/7" },
        { "user", { "id", "a b/c", NULL }, 0, "/users/a%20b%2Fc" },
        { "user", { "id", "\xc3\xa4", NULL }, 0, "/users/%C3%A4" },
        { "user", { "id", "!'()*_~.-", NULL }, 0, "/users/!'()*_~.-" },
        { "user", { "id", "a?b#c%", NULL }, 0, "/users/a%3Fb%23c%25" },
        { "user",
          { NULL },
          HOOP_EMISSING,
          "route 'user' (/users/:id) needs the parameter 'id', which is not given" },
        { "user",
          { "id", NULL, NULL },
          HOOP_EMISSING,
          "route 'user' (/users/:id) needs the parameter 'id', which is not given" },
        { "user",
          { "id", "", NULL },
          HOOP_EMISSING,
          "route 'user' (/users/:id) needs the parameter 'id', which is empty" },
        { "user",
          { "id", "..", NULL },
          HOOP_EINVAL,
          "route 'user' (/users/:id): '..' means another path, so it can't be the parameter 'id'" },
        { "typed", { "id", "-5", "f", "xml", NULL }, 0, "/typed/-5/xml" },
        { "typed",
          { "id", "abc", "f", "xml", NULL },
          HOOP_EINVAL,
          "route 'typed' (/typed/{id:int}/{f:json|xml}): 'abc' is no int, so it can't be the parameter "
          "'id'" },
        { "typed",
          { "id", "1", "f", "csv", NULL },
          HOOP_EINVAL,
          "route 'typed' (/typed/{id:int}/{f:json|xml}): 'csv' is no json|xml, so it can't be the "
          "parameter 'f'" },
        { "file", { "name", "a", "ext", "b.c", NULL }, 0, "/files/a.b.c" },
        { "file",
          { "name", "a.b", "ext", "c", NULL },
          HOOP_EINVAL,
          "route 'file' (/files/{name}.{ext}): 'a.b' has the '.' that ends the parameter 'name'" },
        { "rest", { "rest", "a/b c", NULL }, 0, "/rest/a/b%20c" },
        { "rest", { "rest", "", NULL }, 0, "/rest/" },
        { "rest",
          { NULL },
          HOOP_EMISSING,
          "route 'rest' (/rest/*rest) needs the parameter 'rest', which is not given" },
        { "text", { NULL }, 0, "/a%20b/:c/" },
        { "nobody", { NULL }, HOOP_EMISSING, "no route has the name 'nobody'" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        hoop_str path = hoop_str_c("untouched");
        hoop_error error = { 0, "" };
        int rc = hoop_router_path_for(arena, h, cases[i].name, cases[i].params, &path, &error);
        assert_int_equal(rc, cases[i].rc);
        assert_string_equal(rc ? error.text : path.data, cases[i].text);
        if (rc)
            assert_str(path, "untouched");
        else
            assert_int_equal(ask(h, "GET", path.data)->status, 200); /* it leads back */
    }
    hoop_str path;
    hoop_error error;
    assert_int_equal(hoop_router_path_for(arena, h, "home", NULL, &path, &error), 0);
    assert_int_equal(hoop_router_path_for(arena, hoop_fn(show, NULL), "home", NULL, &path, &error),
                     HOOP_EINVAL);
    assert_int_equal(hoop_router_path_for(NULL, h, "home", NULL, &path, NULL), HOOP_EINVAL);
}

static void test_root_rest(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/*rest", show, .name = "all") };
    hoop_handler h = BUILD(table);
    hoop_str path;
    hoop_error error;
    const char *const evil[] = { "rest", "/evil.com", NULL }, *const good[] = { "rest", "a//b",
                                                                                NULL };
    assert_int_equal(hoop_router_path_for(arena, h, "all", evil, &path, &error), HOOP_EINVAL);
    assert_string_equal(error.text,
                        "route 'all' (/*rest): '//evil.com' would lead to another host");
    assert_int_equal(hoop_router_path_for(arena, h, "all", good, &path, &error), 0);
    assert_str(path, "/a//b");
}

static void test_through_chains(void **state)
{
    (void)state;
    hoop_handler h = BUILD(routes), live_handler;
    hoop_live *live;
    hoop_str path;
    assert_int_equal(hoop_live_new(app, h, NULL, &live, &live_handler, NULL), 0);
    assert_int_equal(hoop_router_path_for(arena, live_handler, "home", NULL, &path, NULL), 0);
    assert_str(path, "/");
}

/* --- from a request -------------------------------------------------------------------------- */

static const hoop_response *link_to(const hoop_request *req, void *data)
{
    const char *path = hoop_path_for(req, data, HOOP_PAIRS("id", "a/b"));
    const char *url = hoop_url_for(req, data, HOOP_PAIRS("id", "a/b"));
    return path && url ? hoop_textf(req, 200, "%s %s", path, url) : NULL;
}

static void test_from_a_request(void **state)
{
    (void)state;
    const hoop_route inner[] = {
        HOOP_GET("/own", link_to, (char *)"item"), HOOP_GET("/outer", link_to, (char *)"top"),
        HOOP_GET("/nobody", link_to, (char *)"nobody"),
        HOOP_GET("/items/:id", show, .name = "item"),
        HOOP_GET("/needs/:other", link_to, (char *)"self", .name = "self")
    };
    hoop_handler mounted = BUILD(inner);
    const hoop_route table[] = { HOOP_MOUNT("/m/:tenant", &mounted),
                                 HOOP_GET("/top/:id", link_to, (char *)"top", .name = "top") };
    hoop_handler h = BUILD(table);
    assert_get(h, "/top/1", "200 /top/a%2Fb http://localhost/top/a%2Fb");
    assert_get(h, "/m/x%20y/own", "200 /m/x%20y/items/a%2Fb http://localhost/m/x%20y/items/a%2Fb");
    assert_get(h, "/m/t/outer", "200 /top/a%2Fb http://localhost/top/a%2Fb");
    assert_get(h, "https://example.org:8443/top/1",
               "200 /top/a%2Fb https://example.org:8443/top/a%2Fb");
    const hoop_request *req = hoop_mock(arena, "GET", "/m/t/nobody", NULL);
    assert_null(hoop_call_sync(h, req));
    assert_string_equal(hoop_mock_failure(req)->text, "no route has the name 'nobody'");
    assert_int_equal(hoop_mock_failure(req)->code, HOOP_EMISSING);
    req = hoop_mock(arena, "GET", "/m/t/needs/1", NULL);
    assert_null(hoop_call_sync(h, req));
    assert_string_equal(
        hoop_mock_failure(req)->text,
        "route 'self' (/needs/:other) needs the parameter 'other', which is not given");
    assert_null(hoop_path_for(NULL, "x", NULL));
    assert_null(hoop_url_for(NULL, "x", NULL));
}

static void test_queries(void **state)
{
    (void)state;
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const char *const none[] = { "a", NULL, NULL }, *const list[] = { "a", "b", "a", "c", NULL },
                      *const blank[] = { "a", "b c", NULL },
                      *const odd[] = { "a&b", "c=d", "e", "+%", NULL };
    assert_string_equal(hoop_query_for(req, none), "a=");
    assert_string_equal(hoop_query_for(req, list), "a=b&a=c");
    assert_string_equal(hoop_query_for(req, blank), "a=b+c");
    assert_string_equal(hoop_query_for(req, odd), "a%26b=c%3Dd&e=%2B%25");
    assert_string_equal(hoop_query_for(req, NULL), "");
    assert_null(hoop_query_for(NULL, list));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROUTER_TEST(test_from_the_router), ROUTER_TEST(test_root_rest),
        ROUTER_TEST(test_through_chains),  ROUTER_TEST(test_from_a_request),
        ROUTER_TEST(test_queries),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
