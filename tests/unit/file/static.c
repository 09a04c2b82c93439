/* Serving a folder: what is found and what is not, index, slash, siblings, conditions, listing, changes. */
#include "tools.h"

#include "base/loop.h"

#include <hoop/mock.h>
#include <hoop/router.h>

#include <pthread.h>

#define TIME 784111777
#define DATE "Sun, 06 Nov 1994 08:49:37 GMT"

static struct place place;
static hoop_arena *arena;
static const hoop_folder *folder;

static void begin(const hoop_folder_options *options)
{
    hoop_error error;
    place_init(&place);
    arena = hoop_arena_new();
    make(&place, "public/dir");
    put(&place, "public/index.html", "<p>top");
    put(&place, "public/a.txt", "hello");
    put(&place, "public/A b.css", "css");
    put(&place, "public/.hidden", "no");
    put(&place, "public/dir/index.htm", "htm");
    put(&place, "public/none", "");
    put_size(&place, "public/large.bin", 200000);
    link_to(&place, "public/out", "../secret");
    set_time(&place, "public/a.txt", TIME);
    set_time(&place, "public/large.bin", TIME);
    assert_int_equal(hoop_folder_open_sized(arena, in(&place, "public"), &folder, &error, options,
                                            sizeof *options),
                     0);
}

static void end(void)
{
    hoop_arena_free(arena);
    place_done(&place);
}

static hoop_handler serve(const hoop_static_options *given)
{
    hoop_handler handler;
    hoop_error error = { 0 };
    hoop_static_options options = *given;
    options.folder = folder;
    assert_int_equal(hoop_static_new(arena, &handler, &error, &options), 0);
    return handler;
}

static hoop_handler plain(void)
{
    return serve(&(hoop_static_options){ 0 });
}

static const hoop_request *get(const char *uri)
{
    return hoop_mock(arena, "GET", uri, NULL);
}

static const hoop_response *expect(hoop_handler handler, const hoop_request *req, int status,
                                   const char *body)
{
    const hoop_response *res = hoop_call_sync(handler, req);
    if (!res)
        fail_msg("%s failed: %s", req->uri.data, hoop_mock_failure(req)->text);
    assert_false(hoop_is_pass(res));
    assert_int_equal(res->status, status);
    if (body)
        assert_str(hoop_response_read(req, res), body);
    return res;
}

static void expect_pass(hoop_handler handler, const char *uri)
{
    const hoop_response *res = hoop_call_sync(handler, get(uri));
    if (!res || !hoop_is_pass(res))
        fail_msg("'%s' was answered", uri);
}

static void expect_header(const hoop_response *res, const char *name, const char *want)
{
    hoop_str got = hoop_response_header(res, name);
    if (want)
        assert_str(got, want);
    else
        assert_true(hoop_str_is_none(got));
}

static const hoop_folder_options *const variants[] = {
    &(hoop_folder_options){ 0 }, &(hoop_folder_options){ .max_file = 1 },
    &(hoop_folder_options){ .uncached = 1 },
    &(hoop_folder_options){ .links = HOOP_LINKS_ALL }, /* always by the pool */
};

static void test_files(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(variants); i++) {
        begin(variants[i]);
        hoop_handler h = plain();
        for (int again = 0; again < 3; again++) {
            const hoop_response *res = expect(h, get("/a.txt"), 200, "hello");
            expect_header(res, "Content-Type", "text/plain; charset=utf-8");
            expect_header(res, "Last-Modified", DATE);
            expect_header(res, "Accept-Ranges", "bytes");
            expect_header(res, "Cache-Control", NULL);
            expect_header(res, "Vary", NULL);
            hoop_str etag = hoop_response_header(res, "ETag");
            assert_true(etag.len > 2 && etag.data[0] == '"');
            expect(h, get("/A%20b.css"), 200, "css");
            res = expect(h, get("/none"), 200, "");
            expect_header(res, "Content-Type", NULL);
            res = expect(h, get("/large.bin"), 200, NULL);
            hoop_str body = hoop_response_read(get("/"), res);
            assert_int_equal(body.len, 200000);
            for (size_t k = 0; k < body.len; k++)
                assert_int_equal(body.data[k], 'a' + k % 23);
            expect(h, get("/"), 200, "<p>top");
            expect(h, get("/index.html"), 200, "<p>top");
        }
        end();
    }
}

static void test_not_there(void **state)
{
    begin(NULL);
    hoop_handler h = plain();
    static const char *const uris[] = {
        "/nothing",
        "/a",
        "/a.txt/",
        "/a.txt/x",
        "/../secret",
        "/%2e%2e/secret",
        "/dir/../../secret",
        "/..%2fsecret",
        "/out",
        "/.hidden",
        "/%2ehidden",
        "/dir%2findex.htm",
        "//a.txt",
        "/dir//index.htm",
        "/a.txt%00",
        "/./a.txt",
        "/..%5csecret",
        "/A.TXT",
        "/%zz",
        "/dir/nothing",
        "/nothing/",
    };
    for (int again = 0; again < 2; again++)
        for (size_t i = 0; i < HOOP_COUNT(uris); i++)
            expect_pass(h, uris[i]);
    assert_int_equal(mkfifo(in(&place, "public/fifo"), 0644), 0);
    link_to(&place, "public/null", "/dev/null");
    expect_pass(h, "/fifo");
    expect_pass(h, "/null");
    char name[600] = "/";
    memset(name + 1, 'n', 500);
    expect_pass(h, name);
    if (geteuid() != 0) {
        put(&place, "public/unreadable", "x");
        chmod(in(&place, "public/unreadable"), 0);
        expect_pass(h, "/unreadable");
    }
    end();
}

static void test_methods(void **state)
{
    begin(NULL);
    hoop_handler h = plain();
    const hoop_request *head = hoop_mock(arena, "HEAD", "/large.bin", NULL);
    const hoop_response *res = expect(h, head, 200, NULL);
    const hoop_response *whole = expect(h, get("/large.bin"), 200, NULL);
    for (size_t i = 0; i < whole->header_count; i++)
        expect_header(res, whole->headers[i].name.data, whole->headers[i].value.data);
    res = expect(h, hoop_mock(arena, "POST", "/a.txt", "x"), 405, NULL);
    expect_header(res, "Allow", "GET, HEAD");
    end();
}

static void test_conditions(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(variants); i++) {
        begin(variants[i]);
        hoop_handler h = serve(&(hoop_static_options){ .cache_control = "max-age=60" });
        const hoop_response *res = expect(h, get("/a.txt"), 200, NULL);
        const char *etag = hoop_response_header(res, "ETag").data;
        res = expect(h, hoop_mock_header(get("/a.txt"), "If-None-Match", etag), 304, "");
        expect_header(res, "ETag", etag);
        expect_header(res, "Cache-Control", "max-age=60");
        expect(h, hoop_mock_header(get("/a.txt"), "If-Modified-Since", DATE), 304, "");
        expect(h, hoop_mock_header(get("/a.txt"), "If-Match", "\"other\""), 412, NULL);
        res = expect(h, hoop_mock_header(get("/a.txt"), "Range", "bytes=1-2"), 206, "el");
        expect_header(res, "Content-Range", "bytes 1-2/5");
        res = expect(h, hoop_mock_header(get("/a.txt"), "Range", "bytes=9-"), 416, NULL);
        expect_header(res, "Content-Range", "bytes */5");
        expect(h, hoop_mock_header(get("/none"), "Range", "bytes=0-"), 200, "");
        res = expect(h, hoop_mock_header(get("/large.bin"), "Range", "bytes=23-25,199999-"), 206,
                     NULL);
        hoop_str body = hoop_response_read(get("/"), res);
        assert_non_null(strstr(body.data, "bytes 23-25/200000\r\n\r\nabc\r\n--"));
        res = expect(h, hoop_mock_header(get("/large.bin"), "Range", "bytes=199990-"), 206, NULL);
        assert_int_equal(hoop_response_read(get("/"), res).len, 10);
        end();
    }
}

static void test_folders(void **state)
{
    begin(NULL);
    hoop_handler h = serve(&(hoop_static_options){ .index = "index.html  index.htm" });
    const hoop_response *res = expect(h, get("/dir"), 301, NULL);
    expect_header(res, "Location", "/dir/");
    res = expect(h, get("/dir?a=b&c"), 301, NULL);
    expect_header(res, "Location", "/dir/?a=b&c");
    expect(h, get("/dir/"), 200, "htm");
    h = serve(&(hoop_static_options){ .index = "" });
    expect_pass(h, "/");
    expect_pass(h, "/dir");
    expect_pass(h, "/dir/");
    h = plain();
    expect_pass(h, "/dir/"); /* index.htm is not asked for */
    end();
}

static void test_prefix(void **state)
{
    begin(NULL);
    hoop_handler h = serve(&(hoop_static_options){ .prefix = "/static" });
    expect(h, get("/static/a.txt"), 200, "hello");
    expect(h, get("/static/"), 200, "<p>top");
    expect_header(expect(h, get("/static"), 301, NULL), "Location", "/static/");
    expect_pass(h, "/staticx/a.txt");
    expect_pass(h, "/static../secret");
    expect_pass(h, "/static/../secret");
    expect_pass(h, "/a.txt");
    expect_pass(h, "/");
    end();
}

static void test_mount(void **state)
{
    begin(NULL);
    hoop_handler h = plain(), router;
    hoop_error error;
    const hoop_route routes[] = { HOOP_MOUNT("/files", &h) };
    assert_int_equal(hoop_router_new(arena, routes, 1, &router, &error), 0);
    expect(router, get("/files/a.txt"), 200, "hello");
    expect_header(expect(router, get("/files/dir"), 301, NULL), "Location", "/files/dir/");
    expect_pass(router, "/filesx/a.txt");
    expect_pass(router, "/files/nothing");
    end();
}

static void test_siblings(void **state)
{
    begin(NULL);
    put(&place, "public/x.css", "plain");
    put(&place, "public/x.css.gz", "gzipped");
    put(&place, "public/x.css.br", "brotli");
    put(&place, "public/y.css", "newer");
    put(&place, "public/y.css.gz", "stale");
    set_time(&place, "public/y.css.gz", TIME);
    hoop_handler h = serve(&(hoop_static_options){ .precompressed = 1 });
    static const struct {
        const char *accept, *body, *encoding;
    } cases[] = {
        { NULL, "plain", NULL },
        { "gzip", "gzipped", "gzip" },
        { "gzip, br", "brotli", "br" },
        { "br;q=0.5, gzip", "gzipped", "gzip" },
        { "zstd", "plain", NULL },
        { "zstd, gzip;q=0.9", "gzipped", "gzip" },
        { "gzip;q=0", "plain", NULL },
        { "*", "brotli", "br" },
        { "identity, gzip;q=0.5", "plain", NULL },
        { "", "plain", NULL },
        { "br;q=0, *", "gzipped", "gzip" },
    };
    for (int again = 0; again < 2; again++) {
        for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
            const hoop_request *req = get("/x.css");
            if (cases[i].accept)
                req = hoop_mock_header(req, "Accept-Encoding", cases[i].accept);
            const hoop_response *res = expect(h, req, 200, cases[i].body);
            expect_header(res, "Content-Encoding", cases[i].encoding);
            expect_header(res, "Content-Type", "text/css; charset=utf-8");
            expect_header(res, "Vary", "Accept-Encoding");
        }
        expect(h, hoop_mock_header(get("/y.css"), "Accept-Encoding", "gzip"), 200, "newer");
    }
    const hoop_response *a = expect(h, get("/x.css"), 200, NULL);
    const hoop_response *b =
        expect(h, hoop_mock_header(get("/x.css"), "Accept-Encoding", "gzip"), 200, NULL);
    assert_false(hoop_str_eq(hoop_response_header(a, "ETag"), hoop_response_header(b, "ETag")));
    end();
}

static const hoop_response *inner(const hoop_request *req, void *data)
{
    int status = *(int *)data;
    return status ? hoop_text(req, status, "inner") : hoop_pass(req);
}

static void test_middleware(void **state)
{
    begin(NULL);
    int status = 404;
    hoop_error error;
    hoop_handler h, next = hoop_fn(inner, &status);
    hoop_static_options options = { .folder = folder };
    hoop_middleware chain[] = { HOOP_STATIC_FILES(&options) };
    assert_int_equal(hoop_chain_new(arena, chain, 1, next, &h, &error), 0);
    expect(h, get("/a.txt"), 200, "hello");
    expect(h, get("/other"), 404, "inner");
    expect(h, hoop_mock(arena, "POST", "/a.txt", NULL), 404, "inner");
    options.prefer_handler = 1;
    assert_int_equal(hoop_chain_new(arena, chain, 1, next, &h, &error), 0);
    expect(h, get("/a.txt"), 200, "hello");
    expect(h, get("/other"), 404, "inner");
    status = 200;
    expect(h, get("/a.txt"), 200, "inner");
    status = 0;
    expect(h, get("/a.txt"), 200, "hello");
    expect_pass(h, "/other");
    static const hoop_static_options wrong[] = {
        { .prefix = "x" }, { .prefix = "/x/" }, { .cache_control = "a\nb" }, { .index = "a/b" }
    };
    for (size_t i = 0; i < HOOP_COUNT(wrong); i++) {
        options = wrong[i];
        options.folder = folder;
        assert_int_equal(hoop_static_new(arena, &h, &error, &options), HOOP_EINVAL);
    }
    assert_int_equal(hoop_static_new(arena, &h, &error, NULL), HOOP_EINVAL);
    assert_string_equal(error.text, "static_files: there is no folder");
    assert_int_equal(hoop_folder_open(arena, "/nowhere/at/all", &folder, &error, NULL), -ENOENT);
    assert_non_null(strstr(error.text, "'/nowhere/at/all'"));
    end();
}

static void test_listing(void **state)
{
    begin(NULL);
    make(&place, "public/list");
    make(&place, "public/list/sub");
    put(&place, "public/list/<b>&\"'.txt", "x");
    put(&place, "public/list/javascript:x", "x");
    put(&place, "public/list/.hidden", "x");
    link_to(&place, "public/list/l", "../../secret");
    hoop_handler h = serve(&(hoop_static_options){ .listing = 1 });
    const hoop_response *res = expect(h, get("/list/"), 200, NULL);
    expect_header(res, "Content-Type", "text/html; charset=utf-8");
    const char *page = hoop_response_read(get("/"), res).data;
    assert_non_null(strstr(page, "<title>/list</title>"));
    assert_non_null(strstr(page, "<a href=\"../\">"));
    assert_non_null(strstr(page, "<a href=\"./sub/\">sub/</a>"));
    assert_non_null(
        strstr(page, "<a href=\"./%3Cb%3E%26%22%27.txt\">&lt;b&gt;&amp;&quot;&#39;.txt</a>"));
    assert_non_null(strstr(page, "<a href=\"./javascript%3Ax\">"));
    assert_null(strstr(page, "hidden"));
    expect(h, get("/"), 200, "<p>top"); /* an index goes first */
    expect_pass(h, "/list/l");
    expect_header(expect(h, get("/list"), 301, NULL), "Location", "/list/");
    end();
}

static struct hoop__file_counts counts;

static const hoop_response *ask_for_all(const hoop_request *req, void *data)
{
    const struct hoop__file_counts *most = data;
    static const char *const names[] = { "a.txt", "index.html", "none", "large.bin", "A b.css" };
    for (int round = 0; round < 3; round++)
        for (size_t i = 0; i < HOOP_COUNT(names); i++) {
            hoop_file(req, 200, folder, names[(i * (size_t)(round + 1)) % HOOP_COUNT(names)]);
            counts = hoop__file_cache_counts(hoop__file_cache_of(hoop_loop_of(req), folder));
            assert_in_range(counts.known, 0, most->known);
            assert_in_range(counts.open, 0, most->open);
            assert_in_range(counts.bytes, 0, most->bytes);
        }
    return hoop_text(req, 200, "all");
}

/* However many files are asked for, as many are kept as may be. */
static void test_bounds(void **state)
{
    struct hoop__file_counts most = { 2, 1, 8 };
    begin(&(hoop_folder_options){ .max_known = 2, .max_open = 1, .max_bytes = 8, .max_file = 7 });
    expect(hoop_fn(ask_for_all, &most), get("/"), 200, "all");
    assert_int_equal(counts.known, 2);
    end();
    most = (struct hoop__file_counts){ 100, 2, 100 };
    begin(&(hoop_folder_options){ .max_open = 2, .max_bytes = 100, .max_file = 1 });
    expect(hoop_fn(ask_for_all, &most), get("/"), 200, "all");
    assert_int_equal(counts.open, 2);
    end();
}

/* What is known of a file is trusted for a second, and no longer. */
static void test_changes(void **state)
{
    begin(NULL);
    hoop_handler h = plain();
    const hoop_request *req = get("/a.txt");
    expect(h, req, 200, "hello");
    put(&place, "public/a.txt", "hello again");
    expect(h, req, 200, "hello");
    hoop_mock_advance(req, 999);
    expect(h, req, 200, "hello");
    hoop_mock_advance(req, 1);
    expect(h, req, 200, "hello again");
    put(&place, "public/new", "new");
    assert_int_equal(rename("/nonexistent", "x"), -1);
    char to[128];
    snprintf(to, sizeof to, "%s/public/a.txt", place.top);
    assert_int_equal(rename(in(&place, "public/new"), to), 0);
    hoop_mock_advance(req, 1000);
    expect(h, req, 200, "new");
    assert_int_equal(unlink(to), 0);
    hoop_mock_advance(req, 1000);
    expect_pass(h, "/a.txt");
    link_to(&place, "public/a.txt", "../secret");
    expect_pass(h, "/a.txt");
    end();
}

static const hoop_response *named(const hoop_request *req, void *data)
{
    return hoop_file(req, hoop_str_eq_c(req->query_string, "404") ? 404 : 200, folder, data);
}

static void test_hoop_file(void **state)
{
    begin(NULL);
    expect(hoop_fn(named, "a.txt"), get("/x"), 200, "hello");
    expect(hoop_fn(named, "a.txt"), hoop_mock_header(get("/x?404"), "Range", "bytes=0-0"), 404,
           "hello");
    expect(hoop_fn(named, "a.txt"), hoop_mock_header(get("/x"), "Range", "bytes=0-0"), 206, "h");
    static const char *const none[] = { "nothing", "../secret", "dir",     "",
                                        "/a.txt",  "out",       ".hidden", "a.txt/" };
    for (size_t i = 0; i < HOOP_COUNT(none); i++)
        expect(hoop_fn(named, (void *)(uintptr_t)none[i]), get("/x"), 404, NULL);
    assert_null(hoop_file(NULL, 200, folder, "a.txt"));
    const hoop_request *req = get("/x");
    assert_null(hoop_call_sync(hoop_fn(named, NULL), req));
    assert_int_equal(hoop_mock_failure(req)->code, HOOP_EINVAL);
    end();
}

static pthread_t opener;
static hoop_loop *opener_loop;

static void *open_there(void *data)
{
    const hoop_request *req = hoop_deferred_request(data);
    hoop_resolve(data, hoop_file(req, 200, folder, req->uri.data + 1));
    return NULL;
}

static const hoop_response *opened_there(const hoop_request *req, void *data)
{
    hoop_deferred *d = hoop_defer(req);
    opener_loop = hoop_loop_of(req);
    const hoop_response *res = hoop_deferred_response(d);
    assert_int_equal(pthread_create(&opener, NULL, open_there, d), 0);
    return res;
}

/* As a blocking handler does. */
static void test_hoop_file_on_another_thread(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(variants); i++) {
        begin(variants[i]);
        hoop_handler h = hoop_fn(opened_there, NULL);
        const hoop_response *res = expect(h, get("/a.txt"), 200, "hello");
        assert_null(hoop__loop_local(opener_loop, folder)); /* that is the loop's own */
        pthread_join(opener, NULL);
        expect_header(res, "Last-Modified", DATE);
        const hoop_request *req = get("/large.bin");
        res = expect(h, req, 200, NULL);
        assert_int_equal(hoop_response_read(req, res).len, 200000);
        pthread_join(opener, NULL);
        expect(h, hoop_mock_header(get("/a.txt"), "If-Modified-Since", DATE), 304, "");
        pthread_join(opener, NULL);
        expect(h, get("/nothing"), 404, NULL);
        pthread_join(opener, NULL);
        end();
    }
}

static void each_allocation(struct test_allocator *allocator, void *data)
{
    const hoop_arena_options options = { .allocator = &allocator->hoop };
    hoop_arena *own = hoop_arena_new_with(&options);
    hoop_handler h = *(hoop_handler *)data;
    static const char *const uris[] = { "/a.txt", "/large.bin", "/dir/", "/dir", "/x" };
    for (size_t i = 0; i < HOOP_COUNT(uris); i++) {
        const hoop_request *req = hoop_mock(own, "GET", uris[i], NULL);
        req = hoop_mock_header(req, "Accept-Encoding", "gzip");
        const hoop_response *res = hoop_call_sync(h, req);
        hoop_response_read(req, res);
    }
    hoop_arena_free(own);
}

static void test_memory(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(variants); i += 3) {
        begin(variants[i]);
        int before = test_count_fds();
        hoop_handler h = serve(&(hoop_static_options){ .precompressed = 1, .listing = 1 });
        test_each_allocation(each_allocation, &h);
        assert_int_equal(test_count_fds(), before);
        end();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_not_there),
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_folders),
        cmocka_unit_test(test_prefix),
        cmocka_unit_test(test_mount),
        cmocka_unit_test(test_siblings),
        cmocka_unit_test(test_middleware),
        cmocka_unit_test(test_listing),
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_hoop_file),
        cmocka_unit_test(test_hoop_file_on_another_thread),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
