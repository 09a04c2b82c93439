/* Mock requests: their defaults, and each function that makes another one. */
#include "fake.h"

#include "handler/mock.h"

static hoop_arena *arena;

static int setup(void **state)
{
    arena = hoop_arena_new();
    return 0;
}

static int teardown(void **state)
{
    hoop_arena_free(arena);
    return 0;
}

static const hoop_request *get(const char *uri)
{
    return hoop_mock(arena, "GET", uri, NULL);
}

/* --- hoop_mock() ----------------------------------------------------------------------------- */

static void test_defaults(void **state)
{
    const hoop_request *req = get("/a%20b?x=%31&y");
    assert_str(req->method, "GET");
    assert_int_equal(req->method_number, HOOP_METHOD_GET);
    assert_str(req->scheme, "http");
    assert_str(req->protocol, "HTTP/1.1");
    assert_str(req->uri, "/a%20b"); /* stays encoded */
    assert_str(req->query_string, "x=%31&y");
    assert_int_equal(req->header_count, 1);
    assert_str(req->headers[0].name, "host");
    assert_str(req->headers[0].value, "localhost");
    assert_str(hoop_server_name(req), "localhost");
    assert_int_equal(hoop_server_port(req), 80);
    assert_str(hoop_remote_addr(req), "127.0.0.1");
    assert_int_equal(hoop_has_body(req), 0);
    assert_true(hoop_str_is_none(hoop_body(req)));
    assert_ptr_equal(req->arena, arena);
    assert_int_equal(hoop_lint_request(req, NULL), 0);
}

static void test_urls(void **state)
{
    static const struct {
        const char *url;
        const char *scheme;
        const char *host; /* the header */
        const char *name;
        uint32_t port;
        const char *uri;
        const char *query; /* NULL: absent */
    } rows[] = {
        { "http://example.org/a", "http", "example.org", "example.org", 80, "/a", NULL },
        { "https://example.org", "https", "example.org", "example.org", 443, "/", NULL },
        { "https://example.org:8443?q", "https", "example.org:8443", "example.org", 8443, "/",
          "q" },
        { "http://[::1]:81/", "http", "[::1]:81", "[::1]", 81, "/", NULL },
        { "", "http", "localhost", "localhost", 80, "/", NULL },
        { "?", "http", "localhost", "localhost", 80, "/", "" },
        { "/?a?b", "http", "localhost", "localhost", 80, "/", "a?b" },
        { "//a//b", "http", "localhost", "localhost", 80, "//a//b", NULL },
        { "*", "http", "localhost", "localhost", 80, "*", NULL },
    };
    for (size_t i = 0; i < HOOP_COUNT(rows); i++) {
        const hoop_request *req = get(rows[i].url);
        assert_non_null(req);
        assert_str(req->scheme, rows[i].scheme);
        assert_str(hoop_header(req, "host"), rows[i].host);
        assert_str(hoop_server_name(req), rows[i].name);
        assert_int_equal(hoop_server_port(req), rows[i].port);
        assert_str(req->uri, rows[i].uri);
        assert_int_equal(hoop_str_is_none(req->query_string), !rows[i].query);
        if (rows[i].query)
            assert_str(req->query_string, rows[i].query);
    }
}

static void test_what_cannot_stand_in_a_request(void **state)
{
    static const char *const bad[] = { "a",
                                       "http://",
                                       "http:///a",
                                       "https://:80/",
                                       "/a b",
                                       "/a\n",
                                       "/a#b",
                                       "http://a:0/",
                                       "http://a:99999/",
                                       "http://a b/",
                                       "http://user@host/",
                                       "ftp://a/" };
    for (size_t i = 0; i < HOOP_COUNT(bad); i++)
        assert_null(get(bad[i]));
    assert_null(hoop_mock(arena, "G T", "/", NULL));
    assert_null(hoop_mock(arena, "", "/", NULL));
    assert_null(hoop_mock(arena, NULL, "/", NULL));
    assert_null(hoop_mock(arena, "GET", NULL, NULL));
    assert_null(hoop_mock(NULL, "GET", "/", NULL));
}

static void test_a_body_sets_its_length(void **state)
{
    const hoop_request *req = hoop_mock(arena, "POST", "/", "text");
    assert_str(hoop_header(req, "content-length"), "4");
    assert_str(hoop_body(req), "text"); /* for who calls a handler directly */
    assert_int_equal(hoop_has_body(req), 1);
    assert_int_equal(hoop_request_content_length(req), 4);
    req = hoop_mock(arena, "POST", "/", "");
    assert_str(hoop_header(req, "content-length"), "0");
    assert_int_equal(hoop_has_body(req), 0);
    assert_int_equal(hoop_request_content_length(req), 0);
}

/* --- making others --------------------------------------------------------------------------- */

static void test_header_is_added_and_its_name_lower_cased(void **state)
{
    const hoop_request *req = get("/");
    const hoop_request *one = hoop_mock_header(req, "X-Name", " one ");
    const hoop_request *two = hoop_mock_header(one, "x-name", "two");
    assert_int_equal(two->header_count, 3);
    assert_str(two->headers[1].name, "x-name");
    assert_str(two->headers[1].value, "one");
    assert_str(two->headers[2].value, "two");
    assert_int_equal(req->header_count, 1);
    assert_int_equal(one->header_count, 2);
    assert_null(hoop_mock_header(req, "a b", "c"));
    assert_null(hoop_mock_header(req, "a", "b\n"));
    assert_null(hoop_mock_header(req, NULL, "b"));
    assert_null(hoop_mock_header(req, "a", NULL));
    assert_null(hoop_mock_header(NULL, "a", "b"));
}

static void test_cookies_are_appended(void **state)
{
    const hoop_request *req = hoop_mock_cookie(get("/"), "a", "1");
    assert_str(hoop_header(req, "cookie"), "a=1");
    const hoop_request *two = hoop_mock_cookie(req, "b", "2");
    assert_str(hoop_header(two, "cookie"), "a=1; b=2");
    assert_str(hoop_header(req, "cookie"), "a=1");
    req = hoop_mock_header(hoop_mock_header(get("/"), "Cookie", "x=1"), "Cookie", "y=2");
    req = hoop_mock_cookie(req, "z", "3");
    assert_str(hoop_header_joined(req, "cookie"), "x=1; y=2; z=3");
    assert_null(hoop_mock_cookie(NULL, "a", "b"));
    assert_null(hoop_mock_cookie(req, NULL, "b"));
    assert_null(hoop_mock_cookie(req, "a", NULL));
}

static void test_query_is_replaced(void **state)
{
    assert_str(hoop_mock_query(get("/p?a"), "b=1")->query_string, "b=1");
    assert_str(hoop_mock_query(get("/p?a"), "b=1")->uri, "/p");
    assert_true(hoop_str_is_none(hoop_mock_query(get("/p?a"), NULL)->query_string));
    assert_null(hoop_mock_query(NULL, "a"));
}

static void test_params_go_to_the_query_or_the_body(void **state)
{
    static const char *const pairs[] = { "a b", "1&2", "\xc3\xa9", "" };
    static const char *const in_query[] = { "GET", "HEAD", "DELETE" };
    for (size_t i = 0; i < HOOP_COUNT(in_query); i++) {
        const hoop_request *req =
            hoop_mock_params(hoop_mock(arena, in_query[i], "/", NULL), pairs, 4);
        assert_str(req->query_string, "a+b=1%262&%C3%A9=");
        assert_int_equal(hoop_has_body(req), 0);
    }
    assert_str(hoop_mock_params(get("/?x=0"), pairs, 2)->query_string, "x=0&a+b=1%262");
    static const char *const in_body[] = { "POST", "PUT", "PATCH", "PURGE" };
    for (size_t i = 0; i < HOOP_COUNT(in_body); i++) {
        const hoop_request *req =
            hoop_mock_params(hoop_mock(arena, in_body[i], "/?q", NULL), pairs, 4);
        assert_str(req->query_string, "q");
        assert_str(hoop_body(req), "a+b=1%262&%C3%A9=");
        assert_str(hoop_header(req, "content-type"), "application/x-www-form-urlencoded");
        assert_str(hoop_header(req, "content-length"), "17");
    }
    const hoop_request *req = get("/");
    assert_ptr_equal(hoop_mock_params(req, NULL, 0), req);
    assert_null(hoop_mock_params(req, pairs, 3));
    assert_null(hoop_mock_params(req, NULL, 2));
    assert_null(hoop_mock_params(NULL, pairs, 2));
}

static void test_body_with_its_type(void **state)
{
    const hoop_request *req = hoop_mock(arena, "POST", "/", "first");
    req = hoop_mock_header(req, "Content-Type", "a/b");
    const hoop_request *two = hoop_mock_body(req, "c/d", hoop_str_n("x\0y", 3));
    assert_bytes(hoop_body(two).data, hoop_body(two).len, "x\0y", 3);
    assert_str(hoop_header_joined(two, "content-length"), "3");
    assert_str(hoop_header_joined(two, "content-type"), "c/d");
    assert_str(hoop_body(req), "first");
    const hoop_request *three = hoop_mock_body(req, NULL, hoop_str_c("z"));
    assert_str(hoop_header_joined(three, "content-type"), "a/b");
    assert_null(hoop_mock_body(NULL, NULL, hoop_str_c("z")));
    assert_null(hoop_mock_body(hoop_app_request(arena), NULL, hoop_str_c("z")));
}

static void test_peer(void **state)
{
    const hoop_request *req = hoop_mock(arena, "POST", "/", "body");
    const hoop_request *other = hoop_mock_peer(req, "2001:db8::1", 4711);
    assert_str(hoop_remote_addr(other), "2001:db8::1");
    assert_int_equal(hoop_remote_port(other), 4711);
    assert_str(hoop_body(other), "body");
    assert_str(hoop_remote_addr(req), "127.0.0.1");
    assert_null(hoop_mock_peer(req, "1.2.3.4", 65536));
    assert_null(hoop_mock_peer(req, NULL, 1));
    assert_null(hoop_mock_peer(NULL, "1.2.3.4", 1));
}

static const char key;

static void test_attributes_go_along(void **state)
{
    const hoop_request *req = hoop_assoc(get("/"), &key, "v");
    req = hoop_mock_peer(hoop_mock_body(hoop_mock_header(req, "a", "b"), NULL, hoop_str_c("x")),
                         "1.2.3.4", 1);
    assert_string_equal(hoop_get(req, &key), "v");
    assert_str(hoop_header(req, "a"), "b");
}

static void test_the_date_is_that_of_the_virtual_clock(void **state)
{
    const hoop_request *req = get("/");
    assert_string_equal(hoop__loop_date(hoop_loop_of(req)), "Sun, 06 Nov 1994 08:49:38 GMT");
    hoop_mock_advance(req, 61000);
    assert_string_equal(hoop__loop_date(hoop_loop_of(req)), "Sun, 06 Nov 1994 08:50:39 GMT");
}

/* --- handlers that are called directly ------------------------------------------------------- */

static hoop_deferred *kept;
static char order[16];

static void note_done(const hoop_done *done, void *data)
{
    assert_int_equal(done->code, HOOP_ECANCELED);
    strcat(order, data);
}

static void resolve_kept(void *data)
{
    hoop_resolve(kept, hoop_text(hoop_deferred_request(kept), 200, "later"));
}

static const hoop_response *slow(const hoop_request *req, void *data)
{
    kept = hoop_defer(req);
    hoop_on_done(req, note_done, "d");
    hoop_run_after(req, 1000, resolve_kept, NULL);
    return hoop_deferred_response(kept);
}

static int came;

static const hoop_response *see(const hoop_request *req, const hoop_response *res,
                                const void *value)
{
    came++;
    assert_response(res, "200\nContent-Type: text/plain; charset=utf-8\n\nlater");
    return res;
}

static void test_advance_lets_time_pass(void **state)
{
    const hoop_request *req = get("/");
    order[0] = came = 0;
    hoop_then(req, slow(req, NULL), see, NULL);
    uint64_t before = hoop_loop_now(hoop_loop_of(req));
    hoop_mock_advance(req, 999);
    assert_int_equal(came, 0);
    hoop_mock_advance(req, 1);
    assert_int_equal(came, 1);
    assert_int_equal(hoop_loop_now(hoop_loop_of(req)), before + 1000);
    hoop_mock_advance(NULL, 1);
    hoop_mock_advance(hoop_app_request(arena), 1);
    /* Nobody ends the exchange of a handler called directly, so the arena does. */
    hoop_arena_free(arena);
    assert_string_equal(order, "d");
    arena = hoop_arena_new();
}

/* --- memory that is short -------------------------------------------------------------------- */

static void mock_each(struct test_allocator *a, void *data)
{
    static const char *const pairs[] = { "a", "1" };
    hoop_arena_options options = { &a->hoop, 0, 1 };
    hoop_arena *tight = hoop_arena_new_with(&options);
    if (!tight)
        return;
    const hoop_request *req = hoop_mock(tight, "POST", "http://h:81/p?q", "body");
    const hoop_request *all[] = {
        req,
        hoop_mock_header(req, "X-A", "b"),
        hoop_mock_cookie(req, "a", "b"),
        hoop_mock_query(req, "a"),
        hoop_mock_params(req, pairs, 2),
        hoop_mock_params(hoop_with_method(req, "GET"), pairs, 2),
        hoop_mock_body(req, "a/b", hoop_str_c("x")),
        hoop_mock_peer(req, "1.2.3.4", 5),
    };
    size_t failed = 0;
    for (size_t i = 0; i < HOOP_COUNT(all); i++)
        failed += !all[i];
    assert_int_equal(failed > 0, a->count >= a->fail_at);
    hoop_arena_free(tight);
}

static void test_each_allocation_may_fail(void **state)
{
    test_each_allocation(mock_each, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_defaults),
        TEST(test_urls),
        TEST(test_what_cannot_stand_in_a_request),
        TEST(test_a_body_sets_its_length),
        TEST(test_header_is_added_and_its_name_lower_cased),
        TEST(test_cookies_are_appended),
        TEST(test_query_is_replaced),
        TEST(test_params_go_to_the_query_or_the_body),
        TEST(test_body_with_its_type),
        TEST(test_peer),
        TEST(test_attributes_go_along),
        TEST(test_the_date_is_that_of_the_virtual_clock),
        TEST(test_advance_lets_time_pass),
        TEST(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
