/* The router: paths, parameters, methods, slashes, groups, mounts, and what a request knows of its route. */
#include "router_tools.h"

#define H(text) show, (char *)(text)

/* --- paths ----------------------------------------------------------------------------------- */

static void test_fixed_paths(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/", H("root")), HOOP_GET("/a", H("a")),
                                 HOOP_GET("/a/b", H("ab")), HOOP_GET("/c/", H("c/")),
                                 HOOP_GET("/a long segment/and another", H("long")) };
    hoop_handler h = BUILD(table);
    assert_get(h, "/", "200 root");
    assert_get(h, "/a", "200 a");
    assert_get(h, "/a?x=1", "200 a");
    assert_get(h, "/a/b", "200 ab");
    assert_get(h, "/c/", "200 c/");
    assert_get(h, "/a%20long%20segment/and%20another", "200 long");
    assert_get(h, "/a/", "404");
    assert_get(h, "/c", "404");
    assert_get(h, "/A", "404");
    assert_get(h, "//a", "404");
    assert_get(h, "/a//b", "404");
    assert_get(h, "/ab", "404");
    assert_get(h, "/a%2Fb", "404");
    assert_get(h, "/a/b/c", "404");
    assert_get(h, "/%61/%62", "200 ab");
}

/* Paths without parameters are looked up as a whole, beside those with some: the order is the same. */
static void test_fixed_among_others(void **state)
{
    (void)state;
    const hoop_route table[] = {
        HOOP_GET("/a", pass, NULL),         HOOP_GET("/:x", H("x"), .flags = HOOP_ROUTE_OVERLAPS),
        HOOP_GET("/a/b", H("ab")),          HOOP_GET("/a/:y", H("y"), .flags = HOOP_ROUTE_OVERLAPS),
        HOOP_POST("/a/b", H("post")),       HOOP_GET("/100%", H("percent")),
        HOOP_GET("/rest/*more", H("rest")), HOOP_GET("/rest/in", H("in")),
    };
    hoop_handler h = BUILD_WITH(table, .flags = HOOP_ROUTE_OVERLAPS);
    assert_get(h, "/a", "200 x x=a"); /* the fixed one passes */
    assert_get(h, "/a/b", "200 ab");
    assert_get(h, "/a/c", "200 y y=c");
    assert_get(h, "/a/%62", "200 ab");
    assert_get(h, "/a/b/", "404");
    assert_get(h, "/100%25", "200 percent");
    assert_get(h, "/100%",
               "400 {\"title\":\"Bad Request\",\"status\":400,\"detail\":\"the path has an escape "
               "that is none, or %00\"}");
    assert_get(h, "/rest/in", "200 in");
    assert_get(h, "/rest/in/deeper", "200 rest");
}

static void test_parameters(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/users/:id", H("user")),
                                 HOOP_GET("/f/:name/age", H("f")),
                                 HOOP_GET("/files/{name}.{ext}", H("file")),
                                 HOOP_GET("/files/file-{name}.html", H("html"),
                                          .flags = HOOP_ROUTE_OVERLAPS),
                                 HOOP_GET("/x-:n", H("x")),
                                 HOOP_GET("/t/{id}\\:cancel", H("cancel")),
                                 HOOP_GET("/:/lone", H("lone")) };
    const hoop_route marked[] = { HOOP_NEST("", HOOP_ROUTES(table), .flags = HOOP_ROUTE_OVERLAPS) };
    hoop_handler h = BUILD(marked);
    assert_get(h, "/users/7", "200 user id=7");
    assert_get(h, "/users/", "404");
    assert_get(h, "/users", "404");
    assert_get(h, "/users//2", "404");
    assert_get(h, "/users/foo%20bar", "200 user id=foo bar");
    assert_get(h, "/users/a+b", "200 user id=a+b");
    assert_get(h, "/users/%21%2A%27%28%29%3B%3A%40%26%3D%2B%24%2C%2F%3F%25%23%5B%5D",
               "200 user id=!*'();:@&=+$,/?%#[]");
    assert_get(h, "/f/a%2Fb/age", "200 f name=a/b");
    assert_get(h, "/f%2Fx/age", "404");
    assert_get(h, "/%66/x/age", "200 f name=x");
    assert_get(h, "/files/a.b", "200 file name=a ext=b");
    assert_get(h, "/files/a.tar.gz", "200 file name=a ext=tar.gz");
    assert_get(h, "/files/.b", "404");
    assert_get(h, "/files/a.", "404");
    assert_get(h, "/files/a%2Eb", "200 file name=a ext=b");
    assert_get(h, "/files/file-10.html", "200 html name=10");
    assert_get(h, "/files/file-..html", "200 file name=file- ext=.html");
    assert_get(h, "/x-9", "200 x n=9");
    assert_get(h, "/x-", "404");
    assert_get(h, "/t/8:cancel", "200 cancel id=8");
    assert_get(h, "/:/lone", "200 lone");
}

static void test_terminator_alone(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/files/file-{name}.html", H("html")) };
    hoop_handler h = BUILD(table);
    assert_get(h, "/files/file-10.html", "200 html name=10");
    assert_get(h, "/files/file-..html", "404");
    assert_get(h, "/files/file-.html", "404");
    assert_get(h, "/files/file-10.htm", "404");
    assert_get(h, "/files/file-10.html5", "404");
    assert_get(h, "/files/file-1.0.html", "404");
}

static void test_rest(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/foo/*x", H("rest")), HOOP_GET("/foo", H("foo")),
                                 HOOP_GET("/any/*", H("any")), HOOP_GET("/b/{*rest}", H("b")) };
    hoop_handler h = BUILD(table);
    assert_get(h, "/foo/bar/baz", "200 rest x=bar/baz");
    assert_get(h, "/foo/", "200 rest x=");
    assert_get(h, "/foo", "200 foo");
    assert_get(h, "/foo//", "200 rest x=/");
    assert_get(h, "/foo/a%2Fb/%63", "200 rest x=a/b/c");
    assert_get(h, "/any/1", "200 any *=1");
    assert_get(h, "/any", "404");
    assert_get(h, "/b/1/2/", "200 b rest=1/2/");
}

static void test_order(void **state)
{
    (void)state;
    const hoop_route table[] = {
        HOOP_GET("/*rest", H("rest")),     HOOP_GET("/:a", H("a")),
        HOOP_GET("/{id:int}", H("int")),   HOOP_GET("/{f:json|xml}", H("word")),
        HOOP_GET("/{name}.txt", H("txt")), HOOP_GET("/done", H("done")),
        HOOP_GET("/abba/1", H("abba1")),   HOOP_GET("/:x/2", H("x2")),
        HOOP_GET("/p/:x/q/r", H("pxqr")),  HOOP_GET("/p/y/:b/s", H("pyzs")),
    };
    hoop_handler h = BUILD_WITH(table, .flags = HOOP_ROUTE_OVERLAPS);
    assert_get(h, "/done", "200 done");
    assert_get(h, "/7", "200 int id=7");
    assert_get(h, "/json", "200 word f=json");
    assert_get(h, "/b.txt", "200 txt name=b");
    assert_get(h, "/b.tx", "200 a a=b.tx");
    assert_get(h, "/b/c", "200 rest rest=b/c");
    assert_get(h, "/abba/1", "200 abba1");
    assert_get(h, "/abba/2", "200 x2 x=abba");
    assert_get(h, "/abba/3", "200 rest rest=abba/3");
    assert_get(h, "/p/y/q/r", "200 pxqr x=y");
    assert_get(h, "/p/y/q/s", "200 pyzs b=q");
}

static int is_even(hoop_str value, void *data)
{
    assert_string_equal((const char *)data, "data");
    return (value.data[value.len - 1] - '0') % 2 == 0;
}

static void test_types(void **state)
{
    (void)state;
    const hoop_route_type types[] = { { "even", is_even, (char *)"data" } };
    const hoop_route table[] = {
        HOOP_GET("/int/{id:int}", H("int")),       HOOP_GET("/uint/{id:uint}", H("uint")),
        HOOP_GET("/uuid/{id:uuid}", H("uuid")),    HOOP_GET("/alpha/{id:alpha}", H("alpha")),
        HOOP_GET("/alnum/{id:alnum}", H("alnum")), HOOP_GET("/hex/{id:hex}", H("hex")),
        HOOP_GET("/slug/{id:slug}", H("slug")),    HOOP_GET("/date/{id:date}", H("date")),
        HOOP_GET("/words/{id:a|bc}", H("words")),  HOOP_GET("/even/{id:even}", H("even")),
    };
    hoop_handler h = BUILD_WITH(table, .types = types, .type_count = 1);
    assert_get(h, "/int/-9223372036854775808", "200 int id=-9223372036854775808");
    assert_get(h, "/int/9223372036854775807", "200 int id=9223372036854775807");
    assert_get(h, "/int/9223372036854775808", "404");
    assert_get(h, "/int/-9223372036854775809", "404");
    assert_get(h, "/int/99999999999999999999999", "404");
    assert_get(h, "/int/-", "404");
    assert_get(h, "/int/+1", "404");
    assert_get(h, "/int/1x", "404");
    assert_get(h, "/int/%31", "200 int id=1");
    assert_get(h, "/uint/18446744073709551615", "200 uint id=18446744073709551615");
    assert_get(h, "/uint/18446744073709551616", "404");
    assert_get(h, "/uint/-1", "404");
    assert_get(h, "/uuid/0190163d-8694-739b-aea5-966C26F8AD91",
               "200 uuid id=0190163d-8694-739b-aea5-966C26F8AD91");
    assert_get(h, "/uuid/0190163d-8694-739b-aea5-966C26F8AD9", "404");
    assert_get(h, "/uuid/0190163d-8694-739b-aea5-966C26F8AD911", "404");
    assert_get(h, "/uuid/0190163g-8694-739b-aea5-966C26F8AD91", "404");
    assert_get(h, "/alpha/abC", "200 alpha id=abC");
    assert_get(h, "/alpha/ab1", "404");
    assert_get(h, "/alnum/ab1", "200 alnum id=ab1");
    assert_get(h, "/alnum/a-b", "404");
    assert_get(h, "/hex/09afAF", "200 hex id=09afAF");
    assert_get(h, "/hex/g", "404");
    assert_get(h, "/slug/a-b_1", "200 slug id=a-b_1");
    assert_get(h, "/slug/A", "404");
    assert_get(h, "/date/2024-02-29", "200 date id=2024-02-29");
    assert_get(h, "/date/2023-02-29", "404");
    assert_get(h, "/date/2023-13-01", "404");
    assert_get(h, "/date/2023-1-01", "404");
    assert_get(h, "/words/a", "200 words id=a");
    assert_get(h, "/words/bc", "200 words id=bc");
    assert_get(h, "/words/b", "404");
    assert_get(h, "/words/a|bc", "404");
    assert_get(h, "/even/12", "200 even id=12");
    assert_get(h, "/even/13", "404");
}

static void test_bad_paths(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/a/:x", H("a")), HOOP_POST("/a/:x", H("post")) };
    hoop_handler h = BUILD(table);
    const char *const bad[] = { "/a/%00", "/%00",   "/a/%",          "/a/%4",
                                "/a/%zz", "/a/b%2", "/nothing/%gg/x" };
    for (size_t i = 0; i < HOOP_COUNT(bad); i++) {
        const hoop_response *res = ask(h, "GET", bad[i]);
        assert_int_equal(res->status, 400);
        assert_str(hoop_response_header(res, "content-type"), "application/problem+json");
        assert_str(res->body,
                   "{\"title\":\"Bad Request\",\"status\":400,\"detail\":\"the path has an "
                   "escape that is none, or %00\"}");
    }
    const hoop_handler own = hoop_fn(show, (char *)"own");
    h = BUILD_WITH(table, .bad_path = &own);
    assert_get(h, "/a/%00", "200 own");
}

static void test_no_bleeding(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/a/:x/:y", H("2")), HOOP_GET("/:x/b/c/d", H("1")),
                                 HOOP_GET("/a/:x/:y/z", H("3")) };
    hoop_handler h = BUILD_WITH(table, .flags = HOOP_ROUTE_OVERLAPS);
    /* What a way that led nowhere has put aside must not show. */
    assert_get(h, "/a/b/c/d", "200 1 x=a");
    assert_get(h, "/a/b/c", "200 2 x=b y=c");
    assert_get(h, "/a/b/c/z", "200 3 x=b y=c");
}

static void test_star_target(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/a", H("a")), HOOP_ROUTE("PUT PURGE", "/b", H("b")) };
    hoop_handler h = BUILD(table);
    assert_told(h, "OPTIONS", "*", "204 GET, HEAD, PUT, PURGE, OPTIONS");
    assert_get(h, "*", "404");
}

/* --- methods --------------------------------------------------------------------------------- */

static void test_methods(void **state)
{
    (void)state;
    const hoop_route table[] = {
        HOOP_GET("/a", H("get")),
        HOOP_POST("/a", H("post")),
        HOOP_ROUTE("PUT, PURGE", "/a", H("two")),
        HOOP_ANY("/any", H("any")),
        HOOP_GET("/any", H("any-get")),
        HOOP_ROUTE("HEAD", "/h", H("head")),
        HOOP_GET("/h", H("h-get")),
        HOOP_ROUTE("OPTIONS", "/o", H("options")),
        HOOP_DELETE("/o", H("delete")),
        HOOP_PATCH("/p", H("patch")),
    };
    hoop_handler h = BUILD(table);
    assert_get(h, "/a", "200 get");
    assert_told(h, "HEAD", "/a", "200 get");
    assert_told(h, "POST", "/a", "200 post");
    assert_told(h, "PUT", "/a", "200 two");
    assert_told(h, "PURGE", "/a", "200 two");
    assert_told(h, "purge", "/a", "405 GET, HEAD, POST, PUT, PURGE, OPTIONS");
    assert_told(h, "DELETE", "/a", "405 GET, HEAD, POST, PUT, PURGE, OPTIONS");
    assert_told(h, "OPTIONS", "/a", "204 GET, HEAD, POST, PUT, PURGE, OPTIONS");
    assert_told(h, "PROPFIND", "/any", "200 any");
    assert_told(h, "OPTIONS", "/any", "200 any");
    assert_get(h, "/any", "200 any-get");
    assert_told(h, "HEAD", "/any", "200 any-get");
    assert_told(h, "HEAD", "/h", "200 head");
    assert_get(h, "/h", "200 h-get");
    assert_told(h, "PUT", "/h", "405 HEAD, GET, OPTIONS");
    assert_told(h, "OPTIONS", "/o", "200 options");
    assert_told(h, "GET", "/o", "405 OPTIONS, DELETE");
    assert_told(h, "HEAD", "/p", "405 PATCH, OPTIONS");
    assert_told(h, "GET", "/none", "404");
    assert_told(h, "OPTIONS", "/none", "404");
    const hoop_response *res = ask(h, "DELETE", "/a");
    assert_str(res->body, "Method Not Allowed\n");
    assert_str(hoop_response_header(res, "content-type"), "text/plain; charset=utf-8");
}

static void test_methods_of_several_paths(void **state)
{
    (void)state;
    /* No request satisfies both, so they don't conflict, and each has its own. */
    const hoop_route table[] = { HOOP_GET("/t/done", H("done")), HOOP_POST("/t/:id", H("post")) };
    hoop_handler h = BUILD(table);
    assert_get(h, "/t/done", "200 done");
    assert_told(h, "POST", "/t/done", "200 post id=done");
    assert_told(h, "PUT", "/t/done", "405 GET, HEAD, POST, OPTIONS");
    assert_told(h, "GET", "/t/x", "405 POST, OPTIONS");
}

static void test_defaults_replaced(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/a", H("a")),
                                 HOOP_POST("/c", H("c"), .consumes = "text/plain"),
                                 HOOP_GET("/c", H("c"), .produces = "text/plain") };
    const hoop_handler none = hoop_fn(show, (char *)"none"), wrong = hoop_fn(show, (char *)"wrong"),
                       options = hoop_fn(show, (char *)"options"),
                       accept = hoop_fn(show, (char *)"accept"),
                       media = hoop_fn(show, (char *)"media");
    hoop_handler h =
        BUILD_WITH(table, .not_found = &none, .method_not_allowed = &wrong, .options = &options,
                   .not_acceptable = &accept, .unsupported_media = &media);
    assert_get(h, "/x", "200 none");
    const hoop_response *res = ask(h, "PUT", "/a");
    assert_str(res->body, "wrong");
    assert_str(hoop_response_header(res, "allow"), "GET, HEAD, OPTIONS");
    res = ask(h, "OPTIONS", "/a");
    assert_str(res->body, "options");
    assert_str(hoop_response_header(res, "allow"), "GET, HEAD, OPTIONS");
    res = ask(h, "POST", "/c");
    assert_str(res->body, "media");
    assert_str(hoop_response_header(res, "accept"), "text/plain");
    const hoop_request *req =
        hoop_mock_header(hoop_mock(arena, "GET", "/c", NULL), "accept", "a/b");
    res = hoop_call_sync(h, req);
    assert_str(res->body, "accept");
    assert_str(hoop_response_header(res, "vary"), "Accept");
}

/* --- passing --------------------------------------------------------------------------------- */

static void resolve_pass(void *data)
{
    hoop_deferred *d = data;
    hoop_resolve(d, hoop_pass(hoop_deferred_request(d)));
}

static const hoop_response *pass_later(const hoop_request *req, void *data)
{
    (void)data;
    hoop_deferred *d = hoop_defer(req);
    assert_int_equal(hoop_run_after(req, 10, resolve_pass, d), 0);
    return hoop_deferred_response(d);
}

static void resolve_text(void *data)
{
    hoop_deferred *d = data;
    hoop_resolve(d, hoop_text(hoop_deferred_request(d), 200, "later"));
}

static const hoop_response *text_later(const hoop_request *req, void *data)
{
    (void)data;
    hoop_deferred *d = hoop_defer(req);
    assert_int_equal(hoop_run_after(req, 10, resolve_text, d), 0);
    return hoop_deferred_response(d);
}

static void test_pass(void **state)
{
    (void)state;
    const hoop_route table[] = {
        HOOP_GET("/a", pass),           HOOP_GET("/{x:alpha}", pass_later),
        HOOP_GET("/:id", H("id")),      HOOP_GET("/b", pass_later),
        HOOP_POST("/p", pass_later),    HOOP_GET("/q/r", pass_later),
        HOOP_GET("/later", text_later),
    };
    hoop_handler h = BUILD_WITH(table, .flags = HOOP_ROUTE_OVERLAPS);
    assert_get(h, "/a", "200 id id=a");
    assert_get(h, "/b", "200 id id=b");
    assert_get(h, "/q/r", "404");
    assert_get(h, "/later", "200 later");
    assert_told(h, "POST", "/p", "405 POST, GET, HEAD, OPTIONS");
    const hoop_handler none = hoop_fn(show, (char *)"none");
    h = BUILD_WITH(table, .flags = HOOP_ROUTE_OVERLAPS, .not_found = &none);
    assert_get(h, "/q/r", "200 none");
}

static const hoop_response *give_null(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_fail(req, HOOP_EMISSING, "no row");
}

static void test_null_is_a_failure(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/a", give_null), HOOP_GET("/:x", H("x")) };
    hoop_handler h = BUILD_WITH(table, .flags = HOOP_ROUTE_OVERLAPS);
    const hoop_request *req = hoop_mock(arena, "GET", "/a", NULL);
    assert_null(hoop_call_sync(h, req));
    assert_int_equal(hoop_mock_failure(req)->code, HOOP_EMISSING);
    assert_string_equal(hoop_mock_failure(req)->text, "no row");
    assert_int_equal(hoop_failure_status(HOOP_EMISSING), 500);
}

/* --- slashes --------------------------------------------------------------------------------- */

static void test_slash_redirect(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/a", H("a")), HOOP_ANY("/b/", H("b")),
                                 HOOP_GET("/u/:id", H("u")),
                                 HOOP_GET("/malicious.com/foo/", H("m")),
                                 HOOP_GET("/", H("root")) };
    hoop_handler h = BUILD_WITH(table, .slash = HOOP_SLASH_REDIRECT);
    assert_get(h, "/a", "200 a");
    assert_get(h, "/a/", "301 /a");
    assert_told(h, "HEAD", "/a/", "301 /a");
    assert_told(h, "POST", "/a/", "308 /a");
    assert_get(h, "/a/?x=1&y=%2F", "301 /a?x=1&y=%2F");
    assert_get(h, "/a/?", "301 /a?");
    assert_get(h, "/a////", "301 /a");
    assert_get(h, "/b?q", "301 /b/?q");
    assert_told(h, "PUT", "/b", "308 /b/");
    assert_get(h, "/u/a%2Fb/", "301 /u/a%2Fb");
    assert_get(h, "/u/", "404");
    assert_get(h, "/c/", "404");
    assert_get(h, "//malicious.com/foo", "301 /malicious.com/foo/");
    assert_get(h, "///malicious.com/foo", "301 /malicious.com/foo/");
    assert_get(h, "/\\malicious.com/foo", "301 /malicious.com/foo/");
    assert_get(h, "//a/", "301 /a");
    assert_get(h, "///", "404");
    assert_get(h, "/", "200 root");
}

static void test_slash_both(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/a", H("a")),      HOOP_GET("/b/", H("b")),
                                 HOOP_GET("/c", H("c")),      HOOP_GET("/c/", H("c/")),
                                 HOOP_GET("/u/:id", H("u")),  HOOP_GET("/r/x", H("rx")),
                                 HOOP_GET("/r/*rest", H("r")) };
    hoop_handler h = BUILD_WITH(table, .slash = HOOP_SLASH_BOTH, .flags = HOOP_ROUTE_OVERLAPS);
    assert_get(h, "/a", "200 a");
    assert_get(h, "/a/", "200 a");
    assert_get(h, "/b", "200 b");
    assert_get(h, "/b/", "200 b");
    assert_get(h, "/c", "200 c");
    assert_get(h, "/c/", "200 c/");
    assert_get(h, "/u/7/", "200 u id=7");
    assert_get(h, "/u/", "404");
    assert_get(h, "/a//", "404");
    assert_get(h, "/r/x/", "200 rx");
    assert_get(h, "/r/y/", "200 r rest=y/");
    const hoop_route fixed[] = { HOOP_GET("/a", H("a")), HOOP_GET("/b/", H("b")) };
    h = BUILD_WITH(fixed, .slash = HOOP_SLASH_BOTH);
    assert_get(h, "/a/", "200 a");
    assert_get(h, "/b", "200 b");
    assert_told(h, "POST", "/b", "405 GET, HEAD, OPTIONS");
}

/* --- groups ---------------------------------------------------------------------------------- */

static const hoop_response *mark(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_response *res = hoop_call(next, req);
    return hoop_add_header(req, res, "x-mark", value);
}

static const char *marks(const hoop_response *res)
{
    static char text[256];
    text[0] = 0;
    for (size_t i = 0; i < res->header_count; i++)
        if (hoop_str_eq_c(res->headers[i].name, "x-mark"))
            strcat(text, res->headers[i].value.data);
    return text;
}

static void test_groups(void **state)
{
    (void)state;
    const hoop_middleware m1[] = { HOOP_WRAP("one", mark, "1"), HOOP_WRAP("two", mark, "2") };
    const hoop_middleware m3[] = { HOOP_WRAP("three", mark, "3") };
    const hoop_middleware m4[] = { HOOP_WRAP("four", mark, "4") };
    const hoop_route deep[] = { HOOP_GET("/leaf/:id", H("leaf"), HOOP_WITH(m4)),
                                HOOP_GET("", H("bare")), HOOP_GET("/plain", H("plain")) };
    const hoop_route inner[] = { HOOP_NEST("/deep", HOOP_ROUTES(deep), HOOP_WITH(m3)),
                                 HOOP_NEST("/no", HOOP_ROUTES(deep)), HOOP_GET("/log", H("log")) };
    const hoop_route table[] = { HOOP_NEST("/admin/:org", HOOP_ROUTES(inner), HOOP_WITH(m1)),
                                 HOOP_NEST("/", HOOP_ROUTES(deep)), HOOP_GET("/x", H("x")) };
    hoop_handler h = BUILD(table);
    const hoop_response *res = ask(h, "GET", "/admin/acme/deep/leaf/7");
    assert_string_equal(told(res), "200 leaf id=7 org=acme");
    assert_string_equal(marks(res), "4321"); /* the innermost adds first */
    res = ask(h, "GET", "/admin/acme/no/leaf/7");
    assert_string_equal(marks(res), "421");
    res = ask(h, "GET", "/admin/acme/deep");
    assert_string_equal(told(res), "200 bare org=acme");
    assert_string_equal(marks(res), "321");
    res = ask(h, "GET", "/admin/acme/log");
    assert_string_equal(marks(res), "21");
    assert_string_equal(marks(ask(h, "GET", "/x")), "");
    assert_get(h, "/", "200 bare");
    assert_get(h, "/plain", "200 plain");
    assert_get(h, "/admin/acme/", "404");
    assert_get(h, "/admin//log", "404");
    /* A group's middleware runs for its routes alone, not for what is not found or not allowed. */
    assert_string_equal(marks(ask(h, "PUT", "/admin/acme/log")), "");
}

static int built;

static int count_build(hoop_arena *arena_, const void *options, size_t size, const void **ret_value,
                       hoop_error *error)
{
    (void)arena_;
    (void)options;
    (void)size;
    (void)error;
    built++;
    *ret_value = "b";
    return 0;
}

static void test_group_middleware_is_built_once(void **state)
{
    (void)state;
    static const hoop_middleware_type type = {
        .name = "limit", .wrap = mark, .build = count_build, .size = sizeof(hoop_middleware_type)
    };
    const hoop_middleware with[] = { HOOP_USE(&type, NULL, 0) };
    const hoop_route inner[] = { HOOP_GET("/a", H("a")), HOOP_GET("/b", H("b")),
                                 HOOP_GET("/c", H("c")) };
    const hoop_route table[] = { HOOP_NEST("/g", HOOP_ROUTES(inner), HOOP_WITH(with)) };
    built = 0;
    hoop_handler h = BUILD(table);
    assert_int_equal(built, 1);
    assert_string_equal(marks(ask(h, "GET", "/g/b")), "b");
}

/* --- data and limits ------------------------------------------------------------------------- */

static const hoop_route *seen;

static const hoop_response *look(const hoop_request *req, hoop_handler next, const void *value)
{
    (void)value;
    seen = hoop_request_route(req);
    return hoop_call(next, req);
}

static void test_route_data(void **state)
{
    (void)state;
    static const char role[] = "admin", other[] = "other";
    const hoop_middleware with[] = { HOOP_WRAP("look", look, NULL) };
    const hoop_route inner[] = { HOOP_GET("/a", H("a"), .name = "a"),
                                 HOOP_GET("/b", H("b"), .meta = other, .max_body = 5,
                                          .produces = "text/plain") };
    const hoop_route outer[] = { HOOP_NEST("/in", HOOP_ROUTES(inner)) };
    const hoop_route table[] = {
        HOOP_NEST("/g", HOOP_ROUTES(outer), HOOP_WITH(with), .meta = role, .max_body = 9,
                  .deadline_ms = 77, .produces = "a/b", .consumes = "c/d",
                  .body = HOOP_REQUEST_STREAM),
    };
    hoop_handler h = BUILD(table);
    seen = NULL;
    ask(h, "GET", "/g/in/a");
    assert_string_equal(seen->path, "/g/in/a");
    assert_string_equal(seen->name, "a");
    assert_string_equal(seen->method, "GET");
    assert_ptr_equal(seen->meta, role);
    assert_int_equal(seen->max_body, 9);
    assert_int_equal(seen->deadline_ms, 77);
    assert_int_equal(seen->body, HOOP_REQUEST_STREAM);
    assert_string_equal(seen->produces, "a/b");
    assert_string_equal(seen->consumes, "c/d");
    assert_true(seen->handler == show);
    assert_string_equal((const char *)seen->data, "a");
    const hoop_route *group = hoop_route_group(seen);
    assert_string_equal(group->path, "/g/in");
    group = hoop_route_group(group);
    assert_string_equal(group->path, "/g");
    assert_ptr_equal(group->meta, role);
    assert_null(hoop_route_group(group));
    assert_null(hoop_route_group(NULL));
    ask(h, "GET", "/g/in/b");
    assert_ptr_equal(seen->meta, other);
    assert_int_equal(seen->max_body, 5);
    assert_string_equal(seen->produces, "text/plain");
    assert_null(hoop_request_route(hoop_mock(arena, "GET", "/", NULL)));
    assert_null(hoop_request_route(NULL));
}

static const hoop_response *size_of_body(const hoop_request *req, void *data)
{
    (void)data;
    hoop_str body = hoop_body(req);
    return hoop_textf(req, 200, hoop_str_is_none(body) ? "unread" : "%zu", body.len);
}

static const hoop_response *tell_body(const hoop_request *req, hoop_str body, void *data)
{
    (void)data;
    return hoop_textf(req, 200, "read %zu", body.len);
}

static const hoop_response *read_it(const hoop_request *req, void *data)
{
    return hoop_read_body(req, 0, tell_body, data);
}

static void test_bodies(void **state)
{
    (void)state;
    const hoop_route table[] = {
        HOOP_POST("/small", size_of_body, .max_body = 4),
        HOOP_POST("/normal", size_of_body),
        HOOP_POST("/stream", size_of_body, .body = HOOP_REQUEST_STREAM),
        HOOP_POST("/own", read_it, .body = HOOP_REQUEST_STREAM, .max_body = 4),
        HOOP_POST("/response-kind", size_of_body, .body = HOOP_BODY_STREAM),
        HOOP_POST("/p", pass, .max_body = 4),
        HOOP_POST("/:x", size_of_body),
    };
    hoop_handler h = BUILD_WITH(table, .flags = HOOP_ROUTE_OVERLAPS);
    const struct {
        const char *uri, *body, *told;
    } cases[] = {
        { "/small", "1234", "200 4" },
        { "/small", "12345",
          "413 {\"title\":\"Content Too Large\",\"status\":413,\"detail\":\"the body is over the limit "
          "of 4 bytes\"}" },
        { "/normal", "12345", "200 5" },
        { "/stream", "12345", "200 unread" },
        { "/own", "1234", "200 read 4" },
        { "/own", "12345",
          "413 {\"title\":\"Content Too Large\",\"status\":413,\"detail\":\"the body is over the limit "
          "of 4 bytes\"}" },
        { "/response-kind", "12345", "200 unread" },
        { "/p", "123", "200 3" }, /* the limit of a route that passes goes with it */
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        const hoop_request *req = hoop_mock(arena, "POST", cases[i].uri, cases[i].body);
        assert_string_equal(told(hoop_call_sync(h, req)), cases[i].told);
    }
}

static void resolve_slow(void *data)
{
    hoop_deferred *d = data;
    hoop_resolve(d, hoop_text(hoop_deferred_request(d), 200, "slow"));
}

static const hoop_response *slow(const hoop_request *req, void *data)
{
    (void)data;
    hoop_deferred *d = hoop_defer(req);
    assert_int_equal(hoop_run_after(req, 100, resolve_slow, d), 0);
    return hoop_deferred_response(d);
}

static void test_deadlines(void **state)
{
    (void)state;
    const hoop_route table[] = { HOOP_GET("/short", slow, .deadline_ms = 50),
                                 HOOP_GET("/long", slow, .deadline_ms = 200),
                                 HOOP_GET("/off", slow, .deadline_ms = HOOP_OFF) };
    hoop_handler h = BUILD(table);
    assert_get(h, "/long", "200 slow");
    assert_get(h, "/off", "200 slow");
    const hoop_request *req = hoop_mock(arena, "GET", "/short", NULL);
    assert_null(hoop_call_sync(h, req));
    assert_int_equal(hoop_mock_failure(req)->code, HOOP_ETIMEDOUT);
    assert_string_equal(hoop_mock_failure(req)->text, "the handler took longer than 50 ms");
}

/* --- mounts ---------------------------------------------------------------------------------- */

static const hoop_response *where(const hoop_request *req, void *data)
{
    return hoop_textf(req, 200, "%s context=%s info=%s uri=%s", (const char *)data,
                      hoop_context(req).data, hoop_path_info(req).data, req->uri.data);
}

static void test_mounts(void **state)
{
    (void)state;
    const hoop_handler a = hoop_fn(where, (char *)"a"), b = hoop_fn(where, (char *)"b"),
                       t = hoop_fn(where, (char *)"t");
    const hoop_route table[] = { HOOP_MOUNT("/mount", &a), HOOP_MOUNT("/dir/", &b),
                                 HOOP_MOUNT("/t/:tenant", &t),
                                 HOOP_GET("/plain", where, (char *)"p") };
    hoop_handler h = BUILD(table);
    assert_get(h, "/mount/x", "200 a context=/mount info=/x uri=/mount/x");
    assert_get(h, "/mount/x/%2F?q", "200 a context=/mount info=/x/%2F uri=/mount/x/%2F");
    assert_get(h, "/mount", "200 a context=/mount info=/ uri=/mount");
    assert_get(h, "/mount/", "200 a context=/mount info=/ uri=/mount/");
    assert_told(h, "PURGE", "/mount/x", "200 a context=/mount info=/x uri=/mount/x");
    assert_get(h, "/mountdir/x", "404");
    assert_get(h, "/mountx", "404");
    assert_get(h, "/%6dount/x", "200 a context=/%6dount info=/x uri=/%6dount/x");
    assert_get(h, "/dir/x", "200 b context=/dir info=/x uri=/dir/x");
    assert_get(h, "/dir/", "200 b context=/dir info=/ uri=/dir/");
    assert_get(h, "/dir", "404");
    assert_get(h, "/t/acme/x/y", "200 t context=/t/acme info=/x/y uri=/t/acme/x/y");
    assert_get(h, "/t/acme", "200 t context=/t/acme info=/ uri=/t/acme");
    assert_get(h, "/t", "404");
    assert_get(h, "/plain", "200 p context= info=/plain uri=/plain");
}

static void test_mount_redirect(void **state)
{
    (void)state;
    const hoop_handler files = hoop_fn(pass, NULL), dir = hoop_fn(where, (char *)"dir");
    const hoop_route one[] = { HOOP_MOUNT("/", &files), HOOP_MOUNT("/dir/", &dir) };
    const hoop_route two[] = { HOOP_MOUNT("/dir/", &dir), HOOP_MOUNT("/", &files) };
    for (int i = 0; i < 2; i++) {
        hoop_handler h = build_with(
            i ? two : one, 2,
            &(hoop_router_options){ .slash = HOOP_SLASH_REDIRECT, .flags = HOOP_ROUTE_OVERLAPS });
        assert_get(h, "/dir?a=b", "301 /dir/?a=b");
        assert_told(h, "POST", "/dir", "308 /dir/");
        assert_get(h, "/dir/x", "200 dir context=/dir info=/x uri=/dir/x");
        assert_get(h, "/other", "404");
    }
}

static void test_routers_in_routers(void **state)
{
    (void)state;
    const hoop_route leaf[] = { HOOP_GET("/:id", H("leaf"), .name = "leaf"),
                                HOOP_GET("/", H("index")),
                                HOOP_GET("/w/here", where, (char *)"w") };
    hoop_handler inner =
        build_with(leaf, HOOP_COUNT(leaf), &(hoop_router_options){ .slash = HOOP_SLASH_REDIRECT });
    const hoop_route middle[] = { HOOP_MOUNT("/m/:name", &inner) };
    hoop_handler outer = BUILD(middle);
    const hoop_route table[] = { HOOP_MOUNT("/o", &outer),
                                 HOOP_GET("/o/other", H("other"), .flags = HOOP_ROUTE_OVERLAPS),
                                 HOOP_ANY("/o/m/b/9", H("nine")) };
    hoop_handler h = BUILD_WITH(table, .flags = HOOP_ROUTE_OVERLAPS);
    assert_get(h, "/o/m/b/7", "200 leaf id=7 name=b");
    assert_get(h, "/o/m/b/", "200 index name=b");
    assert_get(h, "/o/m/b", "200 index name=b");
    assert_get(h, "/o/m/b/7/", "301 /o/m/b/7");
    assert_get(h, "/o/m/b/w/here", "200 w context=/o/m/b info=/w/here uri=/o/m/b/w/here");
    assert_get(h, "/o/m/b/x/y/z", "404");
    assert_get(h, "/o/other", "200 other");
    assert_get(h, "/o/m/b/9", "200 nine");
    assert_told(h, "POST", "/o/m/b/7", "405 GET, HEAD, OPTIONS");
}

static const hoop_response *rewrite(const hoop_request *req, hoop_handler next, const void *value)
{
    return hoop_call(next, hoop_with_uri(req, value, NULL));
}

static void test_rewritten_request(void **state)
{
    (void)state;
    const hoop_route leaf[] = { HOOP_GET("/new", where, (char *)"new") };
    hoop_handler inner = BUILD(leaf);
    const hoop_middleware with[] = { HOOP_WRAP("rewrite", rewrite, "/new") };
    const hoop_route table[] = { HOOP_MOUNT("/m", &inner, HOOP_WITH(with)) };
    assert_get(BUILD(table), "/m/old", "200 new context= info=/new uri=/new");
}

static void test_older_tables(void **state)
{
    (void)state;
    /* A program that was compiled when rows ended behind the name. */
    struct old_route {
        const char *method, *path;
        hoop_handler_fn *handler;
        void *data;
        const char *name;
    };
    const struct old_route table[] = { { "GET", "/a", show, (char *)"a", NULL },
                                       { "GET", "/b/:id", show, (char *)"b", "b" } };
    hoop_handler h;
    hoop_error error;
    int rc = hoop_router_new_sized(app, (const hoop_route *)(const void *)table, 2, sizeof table[0],
                                   &h, &error, NULL, 0);
    assert_int_equal(rc, 0);
    assert_get(h, "/a", "200 a");
    assert_get(h, "/b/7", "200 b id=7");
}

static void test_nothing(void **state)
{
    (void)state;
    hoop_handler h = build_with(NULL, 0, NULL);
    assert_get(h, "/", "404");
    hoop_error error;
    assert_int_equal(hoop_router_new(NULL, NULL, 0, &h, &error), HOOP_EINVAL);
    assert_int_equal(hoop_router_new(app, NULL, 1, &h, NULL), HOOP_EINVAL);
    assert_int_equal(hoop_router_new(app, NULL, 0, NULL, NULL), HOOP_EINVAL);
    assert_null(hoop_call(h, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROUTER_TEST(test_fixed_paths),
        ROUTER_TEST(test_fixed_among_others),
        ROUTER_TEST(test_parameters),
        ROUTER_TEST(test_terminator_alone),
        ROUTER_TEST(test_rest),
        ROUTER_TEST(test_order),
        ROUTER_TEST(test_types),
        ROUTER_TEST(test_bad_paths),
        ROUTER_TEST(test_no_bleeding),
        ROUTER_TEST(test_star_target),
        ROUTER_TEST(test_methods),
        ROUTER_TEST(test_methods_of_several_paths),
        ROUTER_TEST(test_defaults_replaced),
        ROUTER_TEST(test_pass),
        ROUTER_TEST(test_null_is_a_failure),
        ROUTER_TEST(test_slash_redirect),
        ROUTER_TEST(test_slash_both),
        ROUTER_TEST(test_groups),
        ROUTER_TEST(test_group_middleware_is_built_once),
        ROUTER_TEST(test_route_data),
        ROUTER_TEST(test_bodies),
        ROUTER_TEST(test_deadlines),
        ROUTER_TEST(test_mounts),
        ROUTER_TEST(test_mount_redirect),
        ROUTER_TEST(test_routers_in_routers),
        ROUTER_TEST(test_rewritten_request),
        ROUTER_TEST(test_older_tables),
        ROUTER_TEST(test_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
