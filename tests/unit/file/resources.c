/* Resources: the table that the tool makes of tests/data/resources, and how it is served. */
#include "support.h"

#include <hoop/mock.h>
#include <hoop/resource.h>
#include <hoop/router.h>

extern const hoop_resources test_resources;

static hoop_arena *arena;

static int begin(void **state)
{
    arena = hoop_arena_new();
    return 0;
}

static int end(void **state)
{
    hoop_arena_free(arena);
    return 0;
}

static hoop_handler serve(const hoop_resources_options *given)
{
    hoop_handler handler;
    hoop_error error = { 0 };
    hoop_resources_options options = *given;
    options.resources = &test_resources;
    assert_int_equal(hoop_resources_new(arena, &handler, &error, &options), 0);
    return handler;
}

static const hoop_request *get(const char *uri)
{
    return hoop_mock(arena, "GET", uri, NULL);
}

static const hoop_response *expect(hoop_handler handler, const hoop_request *req, int status)
{
    const hoop_response *res = hoop_call_sync(handler, req);
    assert_non_null(res);
    assert_false(hoop_is_pass(res));
    assert_int_equal(res->status, status);
    return res;
}

static void expect_header(const hoop_response *res, const char *name, const char *want)
{
    hoop_str got = hoop_response_header(res, name);
    if (want)
        assert_str(got, want);
    else
        assert_true(hoop_str_is_none(got));
}

static void test_table(void **state)
{
    static const char *const paths[] = { "a b/c\"d.unknown", "empty.txt", "index.html", "style.css",
                                         "sub/index.html" };
    assert_int_equal(test_resources.count, HOOP_COUNT(paths));
    assert_int_equal(test_resources.entry_size, sizeof(hoop_resource));
    for (size_t i = 0; i < HOOP_COUNT(paths); i++) {
        const hoop_resource *r = hoop_resource_find(&test_resources, paths[i]);
        assert_ptr_equal(r, &test_resources.table[i]);
        assert_string_equal(r->path, paths[i]);
        assert_int_equal(strlen(r->etag), 32);
    }
    const hoop_resource *css = hoop_resource_find(&test_resources, "style.css");
    assert_int_equal(css->size, 60 * 23);
    assert_string_equal(css->type, "text/css; charset=utf-8");
    assert_true(css->gzip_size > 10 && css->gzip_size < css->size / 10);
    assert_bytes((const char *)css->br, css->br_size, "pretend this is brotli", 22);
    const hoop_resource *odd = hoop_resource_find(&test_resources, paths[0]);
    assert_null(odd->type);
    assert_null(odd->gzip);
    assert_int_equal(hoop_resource_find(&test_resources, "empty.txt")->size, 0);
    assert_null(hoop_resource_find(&test_resources, ".hidden"));
    assert_null(hoop_resource_find(&test_resources, "style.css.br"));
    assert_null(hoop_resource_find(&test_resources, ""));
    assert_null(hoop_resource_find(NULL, "x"));
    assert_null(hoop_resource_find(&test_resources, NULL));
}

static void test_served(void **state)
{
    hoop_handler h = serve(&(hoop_resources_options){ .cache_control = "max-age=9" });
    const hoop_resource *css = hoop_resource_find(&test_resources, "style.css");
    const hoop_response *res = expect(h, get("/style.css"), 200);
    assert_bytes(res->body.data, res->body.len, (const char *)css->data, css->size);
    assert_ptr_equal(res->body.data, css->data); /* nothing is copied */
    expect_header(res, "Content-Type", "text/css; charset=utf-8");
    expect_header(res, "Vary", "Accept-Encoding");
    expect_header(res, "Cache-Control", "max-age=9");
    expect_header(res, "Content-Encoding", NULL);
    const char *etag = hoop_response_header(res, "ETag").data;
    expect(h, hoop_mock_header(get("/style.css"), "If-None-Match", etag), 304);
    res = expect(h, hoop_mock_header(get("/style.css"), "Range", "bytes=0-3"), 206);
    assert_str(res->body, "body");
    const hoop_request *gz = hoop_mock_header(get("/style.css"), "Accept-Encoding", "gzip");
    res = expect(h, gz, 200);
    expect_header(res, "Content-Encoding", "gzip");
    assert_ptr_equal(res->body.data, css->gzip);
    assert_string_not_equal(hoop_response_header(res, "ETag").data, etag);
    expect(h, hoop_mock_header(gz, "If-None-Match", etag), 200);
    gz = hoop_mock_header(get("/index.html"), "Accept-Encoding", "gzip");
    res = expect(h, gz, 200); /* too small to be worth it */
    expect_header(res, "Content-Encoding", NULL);
    res = expect(h, get("/a%20b/c%22d.unknown"), 200);
    expect_header(res, "Content-Type", NULL);
    assert_int_equal(expect(h, get("/empty.txt"), 200)->body.len, 0);
}

static void test_folders(void **state)
{
    hoop_handler h = serve(&(hoop_resources_options){ .prefix = "/p" });
    assert_str(expect(h, get("/p/sub/"), 200)->body, "<p>sub");
    expect(h, get("/p/"), 200);
    expect_header(expect(h, get("/p"), 301), "Location", "/p/");
    expect_header(expect(h, get("/p/sub?q"), 301), "Location", "/p/sub/?q");
    static const char *const none[] = { "/p/none",       "/p/a%20b",   "/p/a%20b/",
                                        "/p/style.css/", "/px",        "/p/../p/style.css",
                                        "/p//style.css", "/style.css", "/p/.hidden" };
    for (size_t i = 0; i < HOOP_COUNT(none); i++)
        assert_true(hoop_is_pass(hoop_call_sync(h, get(none[i]))));
    expect_header(expect(h, hoop_mock(arena, "PUT", "/p/style.css", NULL), 405), "Allow",
                  "GET, HEAD");
    h = serve(&(hoop_resources_options){ .index = "" });
    assert_true(hoop_is_pass(hoop_call_sync(h, get("/sub"))));
    /* A mount gets its slash, too, or the page's links would lead beside it. */
    hoop_handler mounted, router;
    mounted = serve(&(hoop_resources_options){ 0 });
    const hoop_route routes[] = { HOOP_MOUNT("/m", &mounted) };
    assert_int_equal(hoop_router_new(arena, routes, 1, &router, NULL), 0);
    expect_header(expect(router, get("/m?q"), 301), "Location", "/m/?q");
    expect(router, get("/m/"), 200);
    expect(router, get("/m/sub/"), 200);
}

static const hoop_response *inner(const hoop_request *req, void *data)
{
    return hoop_text(req, 200, "inner");
}

static void test_middleware(void **state)
{
    hoop_handler h;
    hoop_error error;
    const hoop_resources_options options = { .resources = &test_resources };
    const hoop_middleware chain[] = { HOOP_RESOURCES(&options) };
    assert_int_equal(hoop_chain_new(arena, chain, 1, hoop_fn(inner, NULL), &h, &error), 0);
    assert_str(expect(h, get("/sub/"), 200)->body, "<p>sub");
    assert_str(expect(h, get("/x"), 200)->body, "inner");
    assert_str(expect(h, hoop_mock(arena, "POST", "/style.css", NULL), 200)->body, "inner");
    assert_int_equal(hoop_resources_new(arena, &h, &error, NULL), HOOP_EINVAL);
    assert_string_equal(error.text, "resources: there is no table");
    static const hoop_resource wrong[] = { { .path = "b" }, { .path = "a" } };
    const hoop_resources table = { wrong, 2, sizeof(hoop_resource) };
    assert_int_equal(
        hoop_resources_new(arena, &h, &error, &(hoop_resources_options){ .resources = &table }),
        HOOP_EINVAL);
    assert_string_equal(error.text, "resources: 'a' is out of order");
}

static void serve_each(struct test_allocator *allocator, void *data)
{
    static const char *const uris[] = { "/style.css", "/sub/", "/sub?q", "/", "/none" };
    hoop_arena *own = hoop_arena_new_with(&(hoop_arena_options){ .allocator = &allocator->hoop });
    hoop_resources_options options = { .resources = &test_resources, .cache_control = "no-cache" };
    hoop_handler handler;
    hoop_error error;
    if (own && hoop_resources_new(own, &handler, &error, &options) == 0) {
        for (size_t i = 0; i < HOOP_COUNT(uris); i++) {
            const hoop_request *req = hoop_mock(own, "GET", uris[i], NULL);
            req = hoop_mock_header(req, "Accept-Encoding", "gzip");
            req = hoop_mock_header(req, "Range", "bytes=0-1,3-4");
            hoop_response_read(req, hoop_call_sync(handler, req));
        }
    }
    hoop_arena_free(own);
}

static void test_each_allocation_may_fail(void **state)
{
    test_each_allocation(serve_each, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_table, begin, end),
        cmocka_unit_test_setup_teardown(test_served, begin, end),
        cmocka_unit_test_setup_teardown(test_folders, begin, end),
        cmocka_unit_test_setup_teardown(test_middleware, begin, end),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
