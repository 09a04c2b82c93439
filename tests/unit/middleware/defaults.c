/* Bundles: ring.md's cases 2.15, the order, entries on, off and with options, what is refused, memory. */
#include "middleware.h"

#include "fake.h"

#include <hoop/defaults.h>
#include <stdio.h>

static hoop_arena *arena;

static int open_arena(void **state)
{
    (void)state;
    arena = hoop_arena_new();
    return arena ? 0 : 1;
}

static int free_arena(void **state)
{
    (void)state;
    hoop_arena_free(arena);
    return 0;
}

static hoop_handler around(const hoop_defaults *defaults, hoop_handler_fn *fn)
{
    hoop_handler handler = hoop_fn(NULL, NULL);
    hoop_error error = { 0, "" };
    if (hoop_defaults_new(arena, defaults, hoop_fn(fn, NULL), &handler, &error))
        fail_msg("%s", error.text);
    assert_int_equal(hoop_check(handler, &error), 0);
    return handler;
}

static const hoop_response *plain(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_bytes(req, 200, NULL, hoop_str_c("foo"));
}

static const hoop_response *html(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_bytes(req, 200, "text/html", hoop_str_c("foo"));
}

static const hoop_response *visits(const hoop_request *req, void *data)
{
    (void)data;
    char text[] = "1";
    hoop_str before = hoop_session_get(req, "n");
    if (before.len)
        text[0] = (char)(before.data[0] + 1);
    return hoop_with_session_value(req, hoop_bytes(req, 200, "text/html", hoop_str_c(text)), "n",
                                   text);
}

static const hoop_request *get(const char *uri)
{
    return hoop_mock(arena, "GET", uri, NULL);
}

static hoop_str header(const hoop_response *res, const char *name)
{
    return hoop_response_header(res, name);
}

/* --- what they are made of ------------------------------------------------------------------- */

static void check_printed(const hoop_defaults *defaults, const char *want)
{
    hoop_str text = hoop_chain_print(arena, around(defaults, plain));
    size_t len = strlen(want);
    assert_true(text.len > len);
    assert_bytes(text.data, len, want, len);
    assert_int_equal(hoop_str_n(text.data + len, text.len - len).len, strlen("handler\n"));
}

static void test_the_order(void **state)
{
    (void)state;
    check_printed(&hoop_defaults_api, "not_modified\ndefault_charset\ncontent_type\nparams\n");
    check_printed(&hoop_defaults_site,
                  "secure_headers\nnot_modified\ndefault_charset\ncontent_type\n"
                  "absolute_redirects\ncookies\nparams\nmultipart_params\nnested_params\nsession\n"
                  "flash\nanti_forgery\n");
    check_printed(&hoop_defaults_secure,
                  "ssl_redirect\nhsts\nsecure_headers\nnot_modified\ndefault_charset\n"
                  "content_type\nabsolute_redirects\ncookies\nparams\nmultipart_params\n"
                  "nested_params\nsession\nflash\nanti_forgery\n");
}

/* Each member of the struct gets into the table, at its place. */
static void test_every_member(void **state)
{
    (void)state;
    static const hoop_middleware entries[40];
    hoop_defaults all = {
        .outer = &entries[38], .outer_count = 1, .inner = &entries[39], .inner_count = 1
    };
    const hoop_middleware **first = &all.forwarded;
    size_t members = (size_t)((const char *)(&all + 1) - (const char *)first) / sizeof *first;
    const hoop_middleware *table;
    size_t count;
    assert_int_equal(hoop_defaults_table(arena, &all, &table, &count, NULL), 0);
    assert_int_equal(count, 2);
    for (size_t i = 0; i < members; i++)
        first[i] = &entries[i];
    assert_int_equal(hoop_defaults_table(arena, &all, &table, &count, NULL), 0);
    assert_int_equal(count, members + 2);
}

/* --- as ring-defaults has them --------------------------------------------------------------- */

static void test_api(void **state)
{
    (void)state;
    hoop_handler api = around(&hoop_defaults_api, plain);
    assert_response(hoop_call_sync(api, get("/")), "200\n\nfoo");
    assert_response(hoop_call_sync(api, get("/a.json")),
                    "200\nContent-Type: application/json\n\nfoo");
    assert_response(hoop_call_sync(around(&hoop_defaults_api, html), get("/")),
                    "200\nContent-Type: text/html; charset=utf-8\n\nfoo");
    assert_int_equal(hoop_call_sync(api, get("/?a=%"))->status, 400);
}

static void test_site(void **state)
{
    (void)state;
    hoop_handler site = around(&hoop_defaults_site, visits);
    const hoop_response *res = hoop_call_sync(site, get("/"));
    assert_str(res->body, "1");
    assert_int_equal(res->header_count, 4);
    assert_str(header(res, "x-frame-options"), "SAMEORIGIN");
    assert_str(header(res, "x-content-type-options"), "nosniff");
    assert_str(header(res, "content-type"), "text/html; charset=utf-8");
    hoop_str cookie = header(res, "set-cookie");
    assert_memory_equal(cookie.data, "session=", 8);
    assert_non_null(strstr(cookie.data, "; HttpOnly"));
    char value[200] = "";
    memcpy(value, cookie.data + 8, strcspn(cookie.data, ";") - 8);
    res = hoop_call_sync(site, hoop_mock_cookie(get("/"), "session", value));
    assert_str(res->body, "2");
}

static void test_forgeries(void **state)
{
    (void)state;
    hoop_handler site = around(&hoop_defaults_site, html);
    const hoop_request *post = hoop_mock(arena, "POST", "/", "");
    assert_int_equal(hoop_call_sync(site, post)->status, 403);
    assert_int_equal(hoop_call_sync(site, hoop_mock_header(post, "x-anti-forgery", "1"))->status,
                     200);
}

/* A token in a form with files is found, and so are its fields by their nested names. */
static const hoop_response *token(const hoop_request *req, void *data)
{
    (void)data;
    if (hoop_str_eq_c(req->method, "GET"))
        return hoop_bytes(req, 200, NULL, hoop_csrf_token(req));
    size_t files;
    hoop_uploads(req, &files);
    return hoop_textf(req, 200, "%s %zu", hoop_param(req, "a").data, files);
}

static void test_forms(void **state)
{
    (void)state;
    hoop_handler site = around(&hoop_defaults_site, token);
    const hoop_response *res = hoop_call_sync(site, get("/"));
    hoop_str cookie = header(res, "set-cookie");
    char body[1000], value[200] = "";
    memcpy(value, cookie.data + 8, strcspn(cookie.data, ";") - 8);
    snprintf(body, sizeof body,
             "--x\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n"
             "--x\r\nContent-Disposition: form-data; name=f; filename=f\r\n\r\n1\r\n"
             "--x\r\nContent-Disposition: form-data; name=__anti-forgery-token\r\n\r\n%s\r\n--x--",
             res->body.data);
    const hoop_request *req = hoop_mock_header(hoop_mock(arena, "POST", "/", body), "content-type",
                                               "multipart/form-data; boundary=x");
    assert_int_equal(hoop_call_sync(site, req)->status, 403);
    req = hoop_mock_cookie(req, "session", value);
    assert_str(hoop_call_sync(site, req)->body, "1 1");
}

static void test_secure(void **state)
{
    (void)state;
    static const char *const trusted[] = { "127.0.0.1" };
    static const hoop_forwarded_options options = { .trusted = trusted, .trusted_count = 1 };
    static const hoop_middleware forwarded = HOOP_FORWARDED(&options);
    hoop_handler secure = around(&hoop_defaults_secure, visits);
    const hoop_response *res = hoop_call_sync(secure, get("/a?b"));
    assert_int_equal(res->status, 301);
    assert_str(header(res, "location"), "https://localhost/a?b");
    res = hoop_call_sync(secure, get("https://localhost/"));
    assert_int_equal(res->status, 200);
    assert_str(header(res, "strict-transport-security"), "max-age=31536000; includeSubDomains");
    hoop_str cookie = header(res, "set-cookie");
    assert_memory_equal(cookie.data, "__Host-session=", 15);
    assert_non_null(strstr(cookie.data, "; Secure"));
    assert_non_null(strstr(cookie.data, "; HttpOnly"));
    const hoop_request *proxied =
        hoop_mock_header(get("http://localhost/"), "x-forwarded-proto", "https");
    assert_int_equal(hoop_call_sync(secure, proxied)->status, 301);
    hoop_defaults behind = hoop_defaults_secure;
    behind.forwarded = &forwarded;
    assert_int_equal(hoop_call_sync(around(&behind, visits), proxied)->status, 200);
}

static const hoop_response *fails(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_fail(req, HOOP_EINVAL, "on purpose");
}

/* A failure that is caught has the headers that any answer has. */
static void test_caught_failures(void **state)
{
    (void)state;
    static const char *const origins[] = { "https://a.example", NULL };
    static const hoop_cors_options options = { .origins = origins };
    static const hoop_middleware cors = HOOP_CORS(&options), caught = HOOP_CATCH_ERRORS(NULL);
    hoop_defaults site = hoop_defaults_secure;
    site.catch_errors = &caught;
    site.cors = &cors;
    const hoop_request *req =
        hoop_mock_header(get("https://localhost/"), "origin", "https://a.example");
    const hoop_response *res = hoop_call_sync(around(&site, fails), req);
    assert_int_equal(res->status, 500);
    assert_str(header(res, "content-type"), "application/problem+json");
    assert_str(header(res, "access-control-allow-origin"), "https://a.example");
    assert_str(header(res, "x-frame-options"), "DENY");
    assert_str(header(res, "strict-transport-security"), "max-age=31536000; includeSubDomains");
}

/* --- changed --------------------------------------------------------------------------------- */

static const hoop_response *wrap_mark(const hoop_request *req, hoop_handler next, const void *value)
{
    return hoop_with_header(req, hoop_call(next, req), "x-mark", value);
}

static void test_options_and_off(void **state)
{
    (void)state;
    static const hoop_secure_headers_options deny = { .frame = "DENY", .csp_off = 1 };
    static const hoop_middleware denied = HOOP_SECURE_HEADERS(&deny);
    hoop_defaults site = hoop_defaults_site;
    site.secure_headers = &denied;
    assert_str(header(hoop_call_sync(around(&site, html), get("/")), "x-frame-options"), "DENY");
    site.secure_headers = NULL;
    assert_true(
        hoop_str_is_none(header(hoop_call_sync(around(&site, html), get("/")), "x-frame-options")));
    /* One of the program's own in the place of another, and around all. */
    static const hoop_middleware mark = HOOP_WRAP("mark", wrap_mark, "1"),
                                 outer[] = { HOOP_WRAP("outer", wrap_mark, "2") },
                                 inner[] = { HOOP_WRAP("inner", wrap_mark, "3") };
    hoop_defaults api = hoop_defaults_api;
    api.files = &mark;
    api.params = NULL;
    check_printed(&api, "not_modified\ndefault_charset\ncontent_type\nmark\n");
    assert_str(header(hoop_call_sync(around(&api, html), get("/")), "x-mark"), "1");
    api.outer = outer;
    api.inner = inner;
    api.outer_count = api.inner_count = 1;
    check_printed(&api, "outer\nnot_modified\ndefault_charset\ncontent_type\nmark\ninner\n");
}

static void check_refused(const hoop_defaults *defaults, int code, const char *text)
{
    hoop_handler handler;
    hoop_error error = { 0, "" };
    int rc = hoop_defaults_new(arena, defaults, hoop_fn(plain, NULL), &handler, &error);
    if (!rc)
        rc = hoop_check(handler, &error);
    assert_int_equal(rc, code);
    assert_string_equal(error.text, text);
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const hoop_cors_options none = { .credentials = 1 };
    static const hoop_middleware cors = HOOP_CORS(&none), empty = { .name = "x" },
                                 cookies = HOOP_SESSION(NULL);
    hoop_defaults site = hoop_defaults_site;
    site.params = NULL;
    check_refused(&site, HOOP_EMISSING,
                  "middleware 'nested_params' needs 'params', which nothing further out provides");
    site = hoop_defaults_site;
    site.cookies = &cookies;
    check_refused(
        &site, HOOP_ECONFLICT,
        "middleware 'session' (entry 5) is mounted twice on one path: once more further in");
    hoop_defaults api = hoop_defaults_api;
    api.files = &empty;
    check_refused(&api, HOOP_EINVAL, "middleware 'x' (entry 3) has no function");
    api = hoop_defaults_api;
    api.cors = &cors;
    check_refused(&api, HOOP_EMISSING, "cors: no origins are given");
    check_refused(NULL, HOOP_EINVAL, "a bundle needs an arena and its entries");
}

static void build_all(struct test_allocator *allocator, void *data)
{
    hoop_arena *tight = hoop_arena_new_with(
        &(hoop_arena_options){ .allocator = &allocator->hoop, .block_size = 1 });
    hoop_handler handler;
    int rc = tight ? hoop_defaults_new(tight, (const hoop_defaults *)data, hoop_fn(plain, NULL),
                                       &handler, NULL)
                   : HOOP_ENOMEM;
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    hoop_arena_free(tight);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation(build_all, (void *)(uintptr_t)&hoop_defaults_api);
    test_each_allocation(build_all, (void *)(uintptr_t)&hoop_defaults_secure);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_arena, free_arena)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_the_order),
        TEST(test_every_member),
        TEST(test_api),
        TEST(test_site),
        TEST(test_forgeries),
        TEST(test_forms),
        TEST(test_secure),
        TEST(test_caught_failures),
        TEST(test_options_and_off),
        TEST(test_what_is_refused),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
