/* Routers as text: the table, JSON, the tree, the chain's print, and explanations. */
#include "router_tools.h"

#include <jansson.h>

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    (void)value;
    return hoop_call(next, req);
}

static const hoop_middleware outer[] = { HOOP_WRAP("auth", wrap, NULL),
                                         HOOP_WRAP("log", wrap, NULL) };
static const hoop_middleware own[] = { HOOP_WRAP("cache", wrap, NULL) };
static const hoop_handler files = { show, NULL };
static const hoop_route inner[] = {
    HOOP_GET("/log", show, .name = "log", HOOP_WITH(own)),
    HOOP_ROUTE("PUT POST", "/{id:int}", show, .consumes = "a/b", .max_body = 10),
};
static const hoop_route routes[] = {
    HOOP_GET("/", show),
    HOOP_GET("/users/:id", show, .name = "user", .produces = "text/html, a/b",
             .deadline_ms = HOOP_OFF),
    HOOP_NEST("/admin", HOOP_ROUTES(inner), HOOP_WITH(outer)),
    HOOP_MOUNT("/files", &files),
    HOOP_ANY("/any/*rest", show, .body = HOOP_REQUEST_STREAM, .flags = HOOP_ROUTE_OVERLAPS),
};

static void test_table(void **state)
{
    (void)state;
    hoop_str text = hoop_router_print(arena, BUILD(routes), HOOP_PRINT_TABLE);
    assert_str(text, "GET      /\n"
                     "GET      /users/:id      user\n"
                     "GET      /admin/log      log [auth log cache]\n"
                     "PUT POST /admin/{id:int} - [auth log]\n"
                     "*        /files          - mount\n"
                     "*        /any/*rest\n");
}

static void test_json(void **state)
{
    (void)state;
    hoop_str text = hoop_router_print(arena, BUILD(routes), HOOP_PRINT_JSON);
    assert_str(
        text,
        "[{\"index\":\"0\",\"path\":\"/\",\"method\":[\"GET\"]},\n"
        " {\"index\":\"1\",\"path\":\"/users/:id\",\"method\":[\"GET\"],\"name\":\"user\","
        "\"produces\":[\"text/html\",\"a/b\"],\"deadline_ms\":\"off\"},\n"
        " {\"index\":\"2.0\",\"path\":\"/admin/log\",\"method\":[\"GET\"],\"name\":\"log\","
        "\"middleware\":[\"auth\",\"log\",\"cache\"]},\n"
        " {\"index\":\"2.1\",\"path\":\"/admin/{id:int}\",\"method\":[\"PUT\",\"POST\"],"
        "\"middleware\":[\"auth\",\"log\"],\"consumes\":[\"a/b\"],\"max_body\":10},\n"
        " {\"index\":\"3\",\"path\":\"/files\",\"mount\":true},\n"
        " {\"index\":\"4\",\"path\":\"/any/*rest\",\"body\":\"stream\",\"overlaps\":true}]\n");
    json_t *value = json_loadb(text.data, text.len, 0, NULL);
    assert_non_null(value);
    json_decref(value);
    const hoop_route odd[] = { HOOP_GET("/\"\\\\\x01", show) };
    assert_str(hoop_router_print(arena, BUILD(odd), HOOP_PRINT_JSON),
               "[{\"index\":\"0\",\"path\":\"/\\\"\\\\\\\\\\u0001\",\"method\":[\"GET\"]}]\n");
}

static void test_tree(void **state)
{
    (void)state;
    assert_str(hoop_router_print(arena, BUILD(routes), HOOP_PRINT_TREE), "/  GET\n"
                                                                         "/admin\n"
                                                                         "  /log  GET log\n"
                                                                         "  /{id:int}  PUT POST\n"
                                                                         "/any\n"
                                                                         "  /*rest  *\n"
                                                                         "/files  *\n"
                                                                         "  /* mount  *\n"
                                                                         "/users\n"
                                                                         "  /:id  GET user\n");
}

static void test_chain_print(void **state)
{
    (void)state;
    assert_str(hoop_chain_print(arena, BUILD(routes)), "router\n"
                                                       "  GET /\n"
                                                       "  GET /users/:id\n"
                                                       "  GET /admin/log\n"
                                                       "    auth\n"
                                                       "    log\n"
                                                       "    cache\n"
                                                       "    handler\n"
                                                       "  PUT POST /admin/{id:int}\n"
                                                       "    auth\n"
                                                       "    log\n"
                                                       "  * /files\n"
                                                       "  * /any/*rest\n"
                                                       "    streaming handler\n");
}

static void test_no_router(void **state)
{
    (void)state;
    hoop_handler h = BUILD(routes), chain;
    assert_true(hoop_str_is_none(hoop_router_print(arena, hoop_fn(show, NULL), HOOP_PRINT_TABLE)));
    assert_true(hoop_str_is_none(hoop_router_print(arena, h, 3)));
    assert_true(hoop_str_is_none(hoop_router_print(NULL, h, 0)));
    assert_true(hoop_str_is_none(hoop_router_explain(arena, hoop_fn(show, NULL), "GET", "/")));
    assert_true(hoop_str_is_none(hoop_router_explain(arena, h, NULL, "/")));
    const hoop_middleware around[] = { HOOP_WRAP("around", wrap, NULL) };
    assert_int_equal(hoop_chain_new(app, around, 1, h, &chain, NULL), 0);
    assert_false(hoop_str_is_none(hoop_router_print(arena, chain, HOOP_PRINT_TABLE)));
    assert_str(hoop_router_print(arena, build_with(NULL, 0, NULL), HOOP_PRINT_TABLE), "");
}

static void test_explain(void **state)
{
    (void)state;
    const hoop_route table[] = {
        HOOP_GET("/", show),
        HOOP_GET("/todos/done", show, .name = "done"),
        HOOP_GET("/todos/{id:int}", show, .name = "todo"),
        HOOP_POST("/todos/:word", show),
        HOOP_GET("/todos/{name}.{ext}", show),
        HOOP_GET("/todos/x/y", show),
        HOOP_GET("/todos/*rest", show),
        HOOP_GET("/other", show),
    };
    hoop_handler h = BUILD_WITH(table, .flags = HOOP_ROUTE_OVERLAPS);
    assert_str(hoop_router_explain(arena, h, "GET", "/todos/zz%41?q=1"),
               "0 GET /: segment 1 is 'todos', not ''\n"
               "1 GET /todos/done done: segment 2 is 'zzA', not 'done'\n"
               "2 GET /todos/{id:int} todo: segment 2 is 'zzA', which is no int\n"
               "3 POST /todos/:word: the path matches, the method GET does not\n"
               "4 GET /todos/{name}.{ext}: segment 2 is 'zzA', which does not fit '{name}.{ext}'\n"
               "5 GET /todos/x/y: segment 2 is 'zzA', not 'x'\n"
               "6 GET /todos/*rest: matches\n"
               "7 GET /other: segment 1 is 'todos', not 'other'\n"
               "chosen: 6 /todos/*rest, rest='zzA'\n");
    assert_str(hoop_router_explain(arena, h, "PUT", "/todos"),
               "0 GET /: segment 1 is 'todos', not ''\n"
               "1 GET /todos/done done: the path ends in front of '/done'\n"
               "2 GET /todos/{id:int} todo: the path ends in front of '/{id:int}'\n"
               "3 POST /todos/:word: the path ends in front of '/:word'\n"
               "4 GET /todos/{name}.{ext}: the path ends in front of '/{name}.{ext}'\n"
               "5 GET /todos/x/y: the path ends in front of '/x'\n"
               "6 GET /todos/*rest: the path ends in front of '/*'\n"
               "7 GET /other: segment 1 is 'todos', not 'other'\n"
               "outcome: no route\n");
    assert_str(hoop_router_explain(arena, h, "GET", "/%"),
               "outcome: 400, the path has an escape that is none, or %00\n");
    const hoop_route few[] = { HOOP_GET("/a", show), HOOP_GET("/:x/b", show) };
    h = BUILD(few);
    assert_str(hoop_router_explain(arena, h, "GET", "/a/"),
               "0 GET /a: the path has a slash behind it\n"
               "1 GET /:x/b: segment 2 is '', not 'b'\n"
               "outcome: no route\n");
    assert_str(hoop_router_explain(arena, h, "GET", "//b"),
               "0 GET /a: segment 1 is '', not 'a'\n"
               "1 GET /:x/b: segment 1 is empty, and ':x' takes one byte at least\n"
               "outcome: no route\n");
    assert_str(hoop_router_explain(arena, h, "PUT", "/a"),
               "0 GET /a: the path matches, the method PUT does not\n"
               "1 GET /:x/b: the path ends in front of '/b'\n"
               "outcome: 405 with Allow\n");
    assert_str(hoop_router_explain(arena, h, "HEAD", "/a"),
               "0 GET /a: matches\n"
               "1 GET /:x/b: the path ends in front of '/b'\n"
               "chosen: 0 /a\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROUTER_TEST(test_table),       ROUTER_TEST(test_json),      ROUTER_TEST(test_tree),
        ROUTER_TEST(test_chain_print), ROUTER_TEST(test_no_router), ROUTER_TEST(test_explain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
