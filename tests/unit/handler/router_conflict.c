/* What the router refuses to build, and the words in which it says so. */
#include "router_tools.h"

#define TWO(first, second)                            \
    {                                                 \
        HOOP_GET(first, show), HOOP_GET(second, show) \
    }

static int is_even(hoop_str value, void *data)
{
    (void)data;
    return (value.data[value.len - 1] - '0') % 2 == 0;
}

static const hoop_route_type types[] = { { "even", is_even, NULL } };

/* Nonzero if the two paths conflict, in both orders. */
static int conflict(const char *first, const char *second)
{
    int found[2];
    for (int i = 0; i < 2; i++) {
        const hoop_route table[] = TWO(i ? second : first, i ? first : second);
        hoop_handler handler;
        hoop_error error;
        hoop_router_options options = { .types = types, .type_count = 1 };
        int rc = hoop_router_new_with(app, table, 2, &handler, &error, &options);
        if (rc && rc != HOOP_ECONFLICT)
            fail_msg("%s", error.text);
        found[i] = rc != 0;
    }
    assert_int_equal(found[0], found[1]);
    return found[0];
}

static void test_pairs(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        int conflict;
    } cases[] = {
        { "/a", "/a", 1 },
        { "/a", "/:a", 1 },
        { "/a/:b", "/:a/b", 1 },
        { "/ab/:b", "/:a/ba", 1 },
        { "/*a", "/:a/ba/ca", 1 },
        { "/a/1/2", "/*b", 1 },
        { "/a", "/:a/b", 0 },
        { "/a", "/a/", 0 },
        { "/a", "/a/1", 0 },
        { "/a", "/a/:b", 0 },
        { "/a", "/a/*b", 0 },
        { "/r/:o/:p/x", "/r/:q/:s/y", 0 },
        { "/a/", "/a/*b", 1 },
        { "/a/", "/a/:b", 0 },
        { "/todos/done", "/todos/{id:int}", 0 },
        { "/todos/7", "/todos/{id:int}", 1 },
        { "/todos/07", "/todos/{id:int}", 1 },
        { "/todos/99999999999999999999", "/todos/{id:int}", 0 },
        { "/{a:int}", "/{b:int}", 1 },
        { "/{a:int}", "/{b:uint}", 1 },
        { "/{a:int}", "/{b:uuid}", 0 },
        { "/{a:int}", "/{b:alpha}", 0 },
        { "/{a:int}", "/{b:hex}", 1 },
        { "/{a:int}", "/{b:date}", 0 },
        { "/{a:uuid}", "/{b:slug}", 1 },
        { "/{a:uuid}", "/{b:hex}", 0 },
        { "/{a:uuid}", "/{b:date}", 0 },
        { "/{a:date}", "/{b:slug}", 1 },
        { "/{a:alpha}", "/{b:alnum}", 1 },
        { "/{a:alpha}", "/{b:uint}", 0 },
        { "/{a:int}", "/:b", 1 },
        { "/{f:json|xml}", "/{g:xml|csv}", 1 },
        { "/{f:json|xml}", "/{g:csv|txt}", 0 },
        { "/{f:json|xml}", "/json", 1 },
        { "/{f:json|xml}", "/csv", 0 },
        { "/{f:json|12}", "/{id:int}", 1 },
        { "/{f:json|xml}", "/{id:int}", 0 },
        { "/{f:json|xml}", "/{a:alpha}", 1 },
        { "/{a}.pdf", "/{a}-pdf", 1 }, /* two ends of one parameter */
        { "/{a}.pdf", "/{a}.txt", 0 },
        { "/{a}.pdf", "/{a}.{b}", 1 },
        { "/{a}.pdf", "/:b", 1 },
        { "/{a}.pdf", "/{b:int}", 0 },
        { "/{a}.pdf", "/{b:alnum}", 0 },
        { "/x-{a}", "/{b}-y", 1 },
        { "/x-{a}", "/y-{b}", 0 },
        { "/x-{a}", "/x-", 0 },
        { "/x-{a}", "/x-1", 1 },
        { "/x-{a:int}", "/x-{b:alpha}", 0 },
        { "/{a:int}-{b}", "/{c:date}", 1 }, /* 1111-11-11 */
        { "/{a:int}.{b:int}", "/{c:alpha}.{d}", 0 },
        { "/{a:even}", "/12", 1 },
        { "/{a:even}", "/13", 0 },
        { "/{a:even}", "/{b:int}", 1 }, /* nothing is known of it */
        { "/{a:even}", "/{b:even}", 1 },
        { "/a/*x", "/a/*y", 1 },
        { "/a/*x", "/:b/c/*y", 1 },
        { "/a/*x", "/b/*y", 0 },
        { "/a/b/c", "/a/*x", 1 },
        { "/:a/:b", "/:c", 0 },
        { "/a/:b/c/:d", "/:x/b/:y/d", 1 },
        { "/a/:b/c/:d", "/:x/b/e/d", 0 },
        { "/", "/:a", 0 },
        { "/", "/*a", 1 },
        { "/a\\:b", "/a:b", 1 },
        { "/:", "/\\:", 1 },
        { "/{a}b", "/bb", 0 }, /* a parameter ends at the first b, so it would be empty */
        { "/{a}bc", "/xbc", 1 },
        { "/{a}bc", "/xbbc", 0 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        int found = conflict(cases[i].a, cases[i].b);
        if (found != cases[i].conflict)
            fail_msg("%s and %s: %d", cases[i].a, cases[i].b, found);
    }
}

static void test_methods_and_mounts(void **state)
{
    (void)state;
    const hoop_handler mount = hoop_fn(show, NULL);
    const hoop_route apart[] = { HOOP_GET("/a", show), HOOP_POST("/a", show), HOOP_ANY("/a", show),
                                 HOOP_POST("/:b", show, .flags = HOOP_ROUTE_OVERLAPS),
                                 HOOP_ROUTE("HEAD", "/a", show) };
    assert_string_equal(
        REFUSED(apart),
        "2 problems: route 3 POST '/:b' conflicts with route 1 POST '/a': both match "
        "'/a'; route 3 POST '/:b' conflicts with route 2 * '/a': both match '/a'");
    const hoop_route any[] = { HOOP_ANY("/a", show), HOOP_ANY("/a", show) };
    assert_string_equal(REFUSED(any),
                        "route 1 * '/a' conflicts with route 0 * '/a': both match '/a'");
    const hoop_route list[] = { HOOP_ROUTE("GET PUT", "/a", show),
                                HOOP_ROUTE("POST,PUT", "/a", show) };
    assert_string_equal(
        REFUSED(list),
        "route 1 POST,PUT '/a' conflicts with route 0 GET PUT '/a': both match '/a'");
    const hoop_route mounts[] = { HOOP_MOUNT("/m", &mount), HOOP_GET("/m/x", show) };
    assert_string_equal(REFUSED(mounts),
                        "route 1 GET '/m/x' conflicts with route 0 * '/m': both match '/m/x'");
    const hoop_route twice[] = { HOOP_MOUNT("/m", &mount), HOOP_MOUNT("/m", &mount) };
    assert_string_equal(REFUSED(twice),
                        "route 1 * '/m' conflicts with route 0 * '/m': both match '/m'");
    /* At one place a row for a method comes before the mount, which takes any. */
    const hoop_route bare[] = { HOOP_MOUNT("/m", &mount), HOOP_GET("/m", show, (char *)"own") };
    assert_get(BUILD(bare), "/m", "200 own");
    const hoop_route behind[] = { HOOP_MOUNT("/m/", &mount), HOOP_GET("/m", show),
                                  HOOP_GET("/mx/y", show) };
    BUILD(behind);
}

static void test_opting_out(void **state)
{
    (void)state;
    const hoop_route one[] = { HOOP_GET("/a", show, .flags = HOOP_ROUTE_OVERLAPS),
                               HOOP_GET("/:a", show) };
    assert_string_equal(REFUSED(one),
                        "route 1 GET '/:a' conflicts with route 0 GET '/a': both match '/a'");
    const hoop_route all[] = {
        HOOP_GET("/:a", show, (char *)"param", .flags = HOOP_ROUTE_OVERLAPS),
        HOOP_GET("/a", show, (char *)"first", .flags = HOOP_ROUTE_OVERLAPS),
        HOOP_GET("/a", show, (char *)"second", .flags = HOOP_ROUTE_OVERLAPS),
    };
    assert_get(BUILD(all), "/a", "200 first");
    const hoop_route plain[] = TWO("/a", "/:a");
    assert_get(BUILD_WITH(plain, .flags = HOOP_ROUTE_OVERLAPS), "/a", "200 ok");
    const hoop_route ends[] = {
        HOOP_GET("/{a}.pdf", show, (char *)"dot", .flags = HOOP_ROUTE_OVERLAPS),
        HOOP_GET("/{a}-pdf", show, (char *)"dash", .flags = HOOP_ROUTE_OVERLAPS),
    };
    assert_get(BUILD(ends), "/x-y.pdf", "200 dot a=x-y");
    assert_get(BUILD(ends), "/x.y-pdf", "200 dash a=x.y");
}

static void test_all_are_listed(void **state)
{
    (void)state;
    const hoop_route inner[] = { HOOP_GET("/x", show, .name = "inner x"), HOOP_GET("/:y", show) };
    const hoop_route table[] = {
        HOOP_GET("/a", show, .name = "a"),   HOOP_GET("/:b", show, .name = "b"),
        HOOP_GET("/c/{d:int}", show),        HOOP_GET("/c/{e:uint}", show, .name = "e"),
        HOOP_NEST("/g", HOOP_ROUTES(inner)), HOOP_GET("/g/x", show, .name = "gx"),
    };
    hoop_str all = hoop_str_none();
    const char *text =
        refused_with(table, HOOP_COUNT(table), &(hoop_router_options){ .ret_problems = &all });
    assert_str(
        all, "route 1 GET '/:b' ('b') conflicts with route 0 GET '/a' ('a'): both match '/a'\n"
             "route 3 GET '/c/{e:uint}' ('e') conflicts with route 2 GET '/c/{d:int}': both match "
             "'/c/1'\n"
             "route 4.1 GET '/g/:y' conflicts with route 4.0 GET '/g/x' ('inner x'): both match "
             "'/g/x'\n"
             "route 5 GET '/g/x' ('gx') conflicts with route 4.0 GET '/g/x' ('inner x'): both "
             "match '/g/x'\n"
             "route 5 GET '/g/x' ('gx') conflicts with route 4.1 GET '/g/:y': both match '/g/x'\n");
    assert_true(strlen(text) <= 251);
    assert_memory_equal(text, "5 problems: route ", 18);
    assert_non_null(strstr(text, "; and "));
    assert_string_equal(text + strlen(text) - 5, " more");
    /* Without the place for all of them it is the same. */
    assert_memory_equal(REFUSED(table), "5 problems: ", 12);
}

static void test_very_many(void **state)
{
    (void)state;
    enum { COUNT = 60 }; /* each with each: 1770 */
    hoop_route table[COUNT];
    memset(table, 0, sizeof table);
    for (int i = 0; i < COUNT; i++) {
        table[i].path = "/a";
        table[i].handler = show;
    }
    hoop_str all = hoop_str_none();
    const char *text = refused_with(table, COUNT, &(hoop_router_options){ .ret_problems = &all });
    assert_memory_equal(text, "1770 problems: route 1 * '/a' conflicts with route 0 * '/a'", 56);
    size_t lines = 0;
    for (size_t i = 0; i < all.len; i++)
        lines += all.data[i] == '\n';
    assert_int_equal(lines, 1001);
    assert_string_equal(all.data + all.len - 13, "and 770 more\n");
}

static void test_long_messages(void **state)
{
    (void)state;
    /* A first text that fills the error by itself, and others behind it. */
    char wide[200] = "/{";
    memset(wide + 2, 'x', 150);
    wide[152] = '!';
    const hoop_route table[] = { HOOP_GET(wide, show), HOOP_GET("/{", show), HOOP_GET("/}", show) };
    const char *text = REFUSED(table);
    assert_int_equal(strlen(text), 251);
    assert_memory_equal(text, "3 problems: route 0 GET '/{xxx", 30);
    assert_string_equal(text + 251 - 12, "; and 2 more");
}

static void test_bad_syntax(void **state)
{
    (void)state;
    static const struct {
        const char *path, *text;
    } cases[] = {
        { "a", "route 0 GET 'a': a path begins with '/'" },
        { "", "route 0 GET '': a path begins with '/'" },
        { "/{a}{b}",
          "route 0 GET '/{a}{b}': two parameters without text between: nothing tells where "
          "the first one ends" },
        { "/{a}:b",
          "route 0 GET '/{a}:b': two parameters without text between: nothing tells where the "
          "first one ends (write '\\:' for a colon)" },
        { "/x/{y", "route 0 GET '/x/{y': the parameter '{y' is not closed: add '}'" },
        { "/x/{y/z}", "route 0 GET '/x/{y/z}': the parameter '{y' is not closed: add '}'" },
        { "/{}",
          "route 0 GET '/{}': '{}' is no parameter: write {name} or {name:type}, the name in "
          "letters, digits, '_' and '-'" },
        { "/{a b}",
          "route 0 GET '/{a b}': '{a b}' is no parameter: write {name} or {name:type}, the "
          "name in letters, digits, '_' and '-'" },
        { "/{a:float}",
          "route 0 GET '/{a:float}': the type 'float' of the parameter 'a' is unknown: int, uint, uuid, "
          "alpha, alnum, hex, slug, date, words like a|b, or one of hoop_router_options.types" },
        { "/{a:x||y}",
          "route 0 GET '/{a:x||y}': the type 'x||y' of the parameter 'a' is unknown: int, uint, uuid, "
          "alpha, alnum, hex, slug, date, words like a|b, or one of hoop_router_options.types" },
        { "/a}", "route 0 GET '/a}': a '}' closes nothing: write '\\}' for the character" },
        { "/a*",
          "route 0 GET '/a*': a '*' stands at the start of the last segment: write '\\*' for the "
          "character" },
        { "/*a/b",
          "route 0 GET '/*a/b': nothing can follow '*a', which takes the rest of the path" },
        { "/*a b", "route 0 GET '/*a b': 'a b' is no name for the rest of a path" },
        { "/:a/:a",
          "route 0 GET '/:a/:a': the parameter 'a' is there twice: give each its own name" },
        { "/:a.json",
          "route 0 GET '/:a.json': ':a.json' goes up to the next '/', and '.' can't stand in a "
          "name: write {name} where a parameter ends before that, '\\:' for a colon" },
        { "/a?b", "route 0 GET '/a?b': a path ends in front of '?'" },
        { "/a#b", "route 0 GET '/a#b': a path ends in front of '#'" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        const hoop_route table[] = { HOOP_GET(cases[i].path, show) };
        assert_string_equal(REFUSED(table), cases[i].text);
    }
}

static void test_limits(void **state)
{
    (void)state;
    char path[1024] = "";
    for (int i = 0; i < 33; i++)
        sprintf(path + strlen(path), "/:a%d", i);
    const hoop_route params[] = { HOOP_GET(path, show) };
    assert_non_null(strstr(REFUSED(params), "more than 32 parameters"));
    path[0] = 0;
    for (int i = 0; i < 129; i++)
        strcat(path, "/a");
    const hoop_route segments[] = { HOOP_GET(path, show) };
    assert_non_null(strstr(REFUSED(segments), "more than 128 segments"));
    path[strlen(path) - 2] = 0;
    const hoop_route enough[] = { HOOP_GET(path, show) };
    assert_get(BUILD(enough), path, "200 ok");
    path[0] = 0;
    for (int i = 0; i < 31; i++)
        sprintf(path + strlen(path), "/:a%d", i);
    strcat(path, "/*x");
    const hoop_route many[] = { HOOP_GET(path, show) };
    hoop_handler handler = BUILD(many);
    path[0] = 0;
    for (int i = 0; i < 31; i++)
        strcat(path, "/v");
    strcat(path, "/r/s");
    assert_get(handler, path, "200 ok x=r/s");
}

static void test_bad_rows(void **state)
{
    (void)state;
    const hoop_handler built = hoop_fn(show, NULL), empty = hoop_fn(NULL, NULL);
    const hoop_route inner[] = { HOOP_GET("/x", NULL) };
    const struct {
        hoop_route row;
        const char *text;
    } cases[] = {
        { HOOP_GET("/a", NULL), "route 0 GET '/a': it has no handler" },
        { HOOP_GET(NULL, show), "route 0 GET '(null)': it has no path" },
        { HOOP_GET("/a", show, .wrapped = &built),
          "route 0 GET '/a': it may have one of handler, wrapped, mount and routes, not several" },
        { HOOP_GET("/a", NULL, .wrapped = &empty),
          "route 0 GET '/a': its handler is empty (no function, or out of memory)" },
        { HOOP_ROUTE("G T", "/a", show, .name = "ok"), NULL },
        { HOOP_ROUTE("G@T", "/a", show), "route 0 G@T '/a': its method is no token" },
        { HOOP_ROUTE("", "/a", show),
          "route 0  '/a': its method is empty; NULL stands for all methods" },
        { HOOP_GET("/a", show, .body = 7), "route 0 GET '/a': its body is none of HOOP_REQUEST_*" },
        { HOOP_GET("/a", show, .flags = 8),
          "route 0 GET '/a': its flags are none of HOOP_ROUTE_*" },
        { HOOP_GET("/a", show, .produces = "html"),
          "route 0 GET '/a': 'html' is no media type: write type/subtype, several by commas" },
        { HOOP_GET("/a", show, .consumes = ","),
          "route 0 GET '/a': ',' is no list of media types" },
        { HOOP_GET("/a", show, .middleware_count = 1),
          "route 0 GET '/a': its middleware is NULL, but the count is not 0" },
        { HOOP_NEST("/g", HOOP_ROUTES(inner)), "route 0.0 GET '/g/x': it has no handler" },
        { HOOP_NEST("/g", HOOP_ROUTES(inner), .method = "GET"),
          "group 0 '/g': a group has no method: give it to its routes" },
        { HOOP_MOUNT("/m/*rest", &built),
          "route 0 * '/m/*rest': a mount takes the rest of the path by itself: leave '*rest' away" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        if (cases[i].text)
            assert_string_equal(refused_with(&cases[i].row, 1, NULL), cases[i].text);
        else
            build_with(&cases[i].row, 1, NULL);
    }
}

static void test_names(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/a", show, .name = "x"),
                                 HOOP_GET("/b", show, .name = "x") };
    assert_string_equal(REFUSED(table),
                        "route 1 GET '/b' ('x'): route 0 '/a' has the same name: names "
                        "are unique");
    hoop_router_options overlaps = { .flags = HOOP_ROUTE_OVERLAPS };
    assert_non_null(strstr(refused_with(table, 2, &overlaps), "names are unique"));
}

static void test_bad_options(void **state)
{
    (void)state;
    const hoop_handler empty = hoop_fn(NULL, NULL);
    const hoop_route_type no_name[] = { { "a b", is_even, NULL } },
                          no_fn[] = { { "a", NULL, NULL } };
    const struct {
        hoop_router_options options;
        const char *text;
    } cases[] = {
        { { .slash = 3 }, "slash is 3, not one of HOOP_SLASH_*" },
        { { .flags = 2 }, "the flags are none of HOOP_ROUTE_*" },
        { { .type_count = 1 }, "types is NULL, but type_count is not 0" },
        { { .types = no_name, .type_count = 1 },
          "type 0: 'a b' is no name of a type (letters, digits, '_', '-')" },
        { { .types = no_fn, .type_count = 1 }, "type 0 'a' has no function" },
        { { .not_found = &empty },
          "the router's not_found is empty (no function, or out of memory)" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++)
        assert_string_equal(refused_with(NULL, 0, &cases[i].options), cases[i].text);
}

/* --- chains ---------------------------------------------------------------------------------- */

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    (void)value;
    return hoop_call(next, req);
}

static void test_needs(void **state)
{
    (void)state;
    const hoop_middleware need[] = { HOOP_WRAP("cart", wrap, NULL, .needs = "session") };
    const hoop_middleware give[] = { HOOP_WRAP("session", wrap, NULL) };
    const hoop_middleware wrong[] = { HOOP_WRAP("cart", wrap, NULL, .needs = "session"),
                                      HOOP_WRAP("session", wrap, NULL) };
    hoop_error error;
    const hoop_route open[] = { HOOP_GET("/a", show, HOOP_WITH(need), .name = "basket"),
                                HOOP_GET("/b", show) };
    hoop_handler h = BUILD(open);
    assert_int_equal(hoop_check(h, &error), HOOP_EMISSING);
    assert_string_equal(error.text,
                        "middleware 'cart' of route 'basket' needs 'session', which nothing "
                        "further out provides");
    /* A group around, a chain around, and a group within a mounted router each close it. */
    const hoop_route closed[] = { HOOP_NEST("/g", HOOP_ROUTES(open), HOOP_WITH(give)) };
    assert_int_equal(hoop_check(BUILD(closed), &error), 0);
    hoop_handler around;
    assert_int_equal(hoop_chain_new(app, give, 1, h, &around, &error), 0);
    assert_int_equal(hoop_check(around, &error), 0);
    const hoop_route mounted[] = { HOOP_MOUNT("/m", &h, HOOP_WITH(give)) };
    assert_int_equal(hoop_check(BUILD(mounted), &error), 0);
    /* A group's own need is named by the group. */
    const hoop_route inside[] = { HOOP_GET("/a", show, HOOP_WITH(give)) };
    const hoop_route needy[] = { HOOP_NEST("/g", HOOP_ROUTES(inside), HOOP_WITH(need)) };
    assert_string_equal(REFUSED(needy),
                        "group 0 '/g': middleware 'cart' needs 'session', which 'session' provides "
                        "only further in: mount 'session' in front of 'cart'");
    const hoop_route plain[] = { HOOP_GET("/b", show) };
    const hoop_route group[] = { HOOP_NEST("/g", HOOP_ROUTES(plain), HOOP_WITH(need)) };
    assert_int_equal(hoop_check(BUILD(group), &error), HOOP_EMISSING);
    assert_string_equal(error.text,
                        "middleware 'cart' of route '/g' needs 'session', which nothing "
                        "further out provides");
    const hoop_route order[] = { HOOP_GET("/a", show, HOOP_WITH(wrong), .name = "w") };
    assert_string_equal(
        REFUSED(order),
        "route 0 GET '/a' ('w'): middleware 'cart' needs 'session', which 'session' "
        "provides only further in: mount 'session' in front of 'cart'");
    const hoop_route doubled[] = { HOOP_GET("/a", show, HOOP_WITH(give)) };
    const hoop_route twice[] = { HOOP_NEST("/g", HOOP_ROUTES(doubled), HOOP_WITH(give)) };
    assert_string_equal(REFUSED(twice),
                        "group 0 '/g': middleware 'session' (entry 0) is mounted twice on "
                        "one path: once more further in");
    /* On two paths it may stand twice. */
    const hoop_route apart[] = { HOOP_GET("/a", show, HOOP_WITH(give)),
                                 HOOP_GET("/b", show, HOOP_WITH(give)) };
    assert_int_equal(hoop_check(BUILD(apart), &error), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROUTER_TEST(test_pairs),       ROUTER_TEST(test_methods_and_mounts),
        ROUTER_TEST(test_opting_out),  ROUTER_TEST(test_all_are_listed),
        ROUTER_TEST(test_very_many),   ROUTER_TEST(test_long_messages),
        ROUTER_TEST(test_bad_syntax),  ROUTER_TEST(test_limits),
        ROUTER_TEST(test_bad_rows),    ROUTER_TEST(test_names),
        ROUTER_TEST(test_bad_options), ROUTER_TEST(test_needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
