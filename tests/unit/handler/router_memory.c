/* Each allocation failed once, while building and while routing; and no heap in a lookup. */
#include "router_tools.h"

#include "handler/router.h"

static int is_even(hoop_str value, void *data)
{
    (void)data;
    return (value.data[value.len - 1] - '0') % 2 == 0;
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    (void)value;
    return hoop_call(next, req);
}

static const hoop_handler mounted = { show, NULL };
static const hoop_middleware with[] = { HOOP_WRAP("w", wrap, NULL, .needs = "x") };
static const hoop_middleware outer[] = { HOOP_WRAP("x", wrap, NULL) };
static const hoop_route inner[] = { HOOP_GET("/leaf/:x", show, HOOP_WITH(with), .name = "leaf"),
                                    HOOP_ROUTE("PUT POST", "/{f:a|b}", show) };
static const hoop_route good[] = {
    HOOP_GET("/", show, .produces = "a/b, c/d"),
    HOOP_POST("/files/{name}.{ext}", show, .consumes = "a/b", .name = "file"),
    HOOP_GET("/e/{id:even}/b", show),
    HOOP_NEST("/g", HOOP_ROUTES(inner), HOOP_WITH(outer)),
    HOOP_MOUNT("/m", &mounted),
    HOOP_GET("/rest/*rest", show, .name = "rest"),
    HOOP_PUT("/s/", show, .body = HOOP_REQUEST_STREAM),
};
static const hoop_route bad[] = {
    HOOP_GET("/a", show, .name = "x"), HOOP_GET("/:b", show, .name = "x"), HOOP_GET("/{c", show),
    HOOP_GET("/{x}.a", show),          HOOP_GET("/{x}-a", show),           HOOP_GET("/*r", show)
};
static const hoop_route_type types[] = { { "even", is_even, NULL } };

/* --- building -------------------------------------------------------------------------------- */

struct table {
    const hoop_route *rows;
    size_t count;
    int rc; /* if nothing fails */
};

static void build_table(struct test_allocator *a, void *data)
{
    const struct table *table = data;
    hoop_arena *own =
        hoop_arena_new_with(&(hoop_arena_options){ .allocator = &a->hoop, .block_size = 64 });
    hoop_handler handler = hoop_fn(NULL, NULL);
    hoop_error error;
    hoop_str problems = hoop_str_none();
    if (own) {
        int rc = hoop_router_new_with(own, table->rows, table->count, &handler, &error,
                                      &(hoop_router_options){ .types = types,
                                                              .type_count = 1,
                                                              .not_found = &mounted,
                                                              .ret_problems = &problems });
        if (a->count >= a->fail_at)
            assert_true(rc == HOOP_ENOMEM || rc == table->rc);
        else
            assert_int_equal(rc, table->rc);
        assert_int_equal(rc == 0, handler.fn != NULL);
    }
    hoop_arena_free(own);
}

static void test_building(void **state)
{
    (void)state;
    struct table table = { good, HOOP_COUNT(good), 0 };
    test_each_allocation(build_table, &table);
    struct table wrong = { bad, HOOP_COUNT(bad), HOOP_ECONFLICT };
    test_each_allocation(build_table, &wrong);
}

static void build_others(struct test_allocator *a, void *data)
{
    hoop_arena *own =
        hoop_arena_new_with(&(hoop_arena_options){ .allocator = &a->hoop, .block_size = 64 });
    (void)data;
    if (!own)
        return;
    const hoop_pick rows[] = {
        { .host = "*.a", .header = "b", .value = "c", .handler = &mounted }
    };
    const hoop_route_part parts[] = { { "show", show, NULL, NULL, NULL } };
    hoop_handler handler;
    hoop_live *live;
    const hoop_route *table;
    size_t count;
    int rc = hoop_pick_new(own, rows, 1, &handler, NULL);
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    rc = hoop_live_new(own, mounted, NULL, &live, &handler, NULL);
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    if (!rc) {
        rc = hoop_live_replace(live, mounted, NULL, NULL);
        assert_true(rc == 0 || rc == HOOP_ENOMEM);
    }
    rc = hoop_routes_from_json(own,
                               hoop_str_c("[{\"path\":\"/\",\"handler\":\"show\",\"meta\":[1],"
                                          "\"mount\":\"show\",\"method\":[\"A\",\"B\"]}]"),
                               parts, 1, &table, &count, NULL);
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    hoop_arena_free(own);
}

static void test_building_others(void **state)
{
    (void)state;
    test_each_allocation(build_others, NULL);
}

/* --- routing --------------------------------------------------------------------------------- */

static hoop_handler routed;

static void route_requests(struct test_allocator *a, void *data)
{
    static const char *const uris[] = {
        "/",        "/files/a%2Fb.c", "/e/12/b", "/g/leaf/7", "/g/a",
        "/m/x/%41", "/rest/a/b",      "/s",      "/none",     "/%zz"
    };
    (void)data;
    hoop_arena *own =
        hoop_arena_new_with(&(hoop_arena_options){ .allocator = &a->hoop, .block_size = 64 });
    for (size_t i = 0; own && i < HOOP_COUNT(uris); i++) {
        const hoop_request *req = hoop_mock(own, i % 2 ? "PUT" : "GET", uris[i], "body");
        if (!req)
            continue;
        const hoop_response *res = hoop_call_sync(routed, req);
        /* A body that comes after the failure was answered runs the leaf, which takes the note away. */
        int code = hoop_mock_failure(req)->code;
        if (!res && code != HOOP_ENOMEM && code != HOOP_ENORESPONSE)
            fail_msg("%s: %s", uris[i], hoop_mock_failure(req)->text);
        const char *path = hoop_path_for(req, "leaf", HOOP_PAIRS("x", "a b"));
        hoop_str printed = hoop_router_print(own, routed, (uint32_t)(i % 3));
        hoop_str explained = hoop_router_explain(own, routed, "GET", uris[i]);
        int64_t number = 5;
        const hoop_response *wrong = NULL;
        hoop_param_int64(req, HOOP_IN_HEADER, "host", &number, &wrong);
        assert_non_null(wrong);
        assert_int_equal(wrong->status, 400);
        assert_int_equal(number, 5);
        (void)path;
        (void)printed;
        (void)explained;
    }
    hoop_arena_free(own);
}

static void test_routing(void **state)
{
    (void)state;
    routed = BUILD_WITH(good, .types = types, .type_count = 1, .slash = HOOP_SLASH_REDIRECT);
    test_each_allocation(route_requests, NULL);
}

/* --- one piece of the arena ------------------------------------------------------------------ */

static size_t used_before, used_by_router;

static const hoop_response *measure(const hoop_request *req, void *data)
{
    (void)data;
    used_by_router = (size_t)(uintptr_t)req->arena->next - used_before;
    return hoop_respond(req, 204);
}

static void test_no_heap(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/a/:b/{c:int}/{d}.{e}", measure),
                                 HOOP_GET("/f", measure) };
    hoop_handler h = BUILD(table);
    struct test_allocator a;
    test_allocator_init(&a);
    hoop_arena *own =
        hoop_arena_new_with(&(hoop_arena_options){ .allocator = &a.hoop, .block_size = 65536 });
    const hoop_request *req = hoop_mock(own, "GET", "/a/x/12/y.z", NULL);
    unsigned long before = a.count;
    used_before = (size_t)(uintptr_t)req->arena->next;
    assert_int_equal(hoop_call(h, req)->status, 204);
    assert_int_equal(a.count, before);
    /* The request with its match, four values and their bytes, in one piece. */
    size_t most = sizeof(struct hoop__request) + sizeof(struct hoop__attribute) +
                  sizeof(struct hoop__match) + 4 * sizeof(hoop_str) + 32;
    assert_true(used_by_router <= most);
    hoop_arena_free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROUTER_TEST(test_building),
        ROUTER_TEST(test_building_others),
        ROUTER_TEST(test_routing),
        ROUTER_TEST(test_no_heap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
