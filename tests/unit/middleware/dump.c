/* Middleware "dump" and the handler hoop_dump(): lines, pages, what is not shown, memory. */
#include "fake.h"
#include "middleware.h"

#include <hoop/middleware/dump.h>

static const hoop_middleware entry = HOOP_DUMP(NULL);

static void test_in_a_chain(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .want = "200\n\nok" },
        { .answer = "404\nX: y\n\nno", .want = "404\nX: y\n\nno" },
    };
    check_middleware(entry, cases);
}

static const hoop_response *answer(const hoop_request *req, void *data)
{
    if (data)
        return hoop_fail(req, HOOP_EMISSING, "no row");
    return hoop_add_header(req, hoop_text(req, 200, "hello"), "Set-Cookie", "id=secret");
}

static void check_log(const hoop_dump_options *options, void *data, const char *want)
{
    struct fake fake;
    hoop_arena *app = hoop_arena_new();
    const hoop_middleware chain[] = { HOOP_DUMP(options) };
    hoop_handler handler = hoop_fn(answer, data);
    fake_init(&fake);
    assert_int_equal(hoop_chain_new(app, chain, 1, handler, &handler, NULL), 0);
    struct fake_exchange *fx = fake_make(&fake, "GET", "/a");
    const hoop_request *req = hoop_with_request_header(&fx->x.request.pub, "Cookie", "id=secret");
    fx->x.request.pub.headers = req->headers;
    fx->x.request.pub.header_count = req->header_count;
    fake_dispatch(fx, handler.fn, handler.data);
    assert_string_equal(fake.log, want);
    fake_end(fx, 0);
    fake_done(&fake);
    hoop_arena_free(app);
}

static void test_lines(void **state)
{
    (void)state;
    static char yes[] = "yes";
    check_log(NULL, NULL,
              "4 > GET /a HTTP/1.1\n4 > cookie: (not shown)\n4 < 200\n"
              "4 < Content-Type: text/plain; charset=utf-8\n4 < Set-Cookie: (not shown)\n"
              "4 < 5 bytes\n");
    check_log(&(hoop_dump_options){ .show_secrets = 1 }, NULL,
              "4 > GET /a HTTP/1.1\n4 > cookie: id=secret\n4 < 200\n"
              "4 < Content-Type: text/plain; charset=utf-8\n4 < Set-Cookie: id=secret\n"
              "4 < 5 bytes\n");
    check_log(NULL, yes,
              "4 > GET /a HTTP/1.1\n4 > cookie: (not shown)\n4 < failed: no row\n"
              "1 GET /a: 500: no row\n");
}

static void test_the_handler(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const struct middleware_case plain = { .uri = "/a?<b>",
                                           .headers = "Cookie: id=secret\nX: <y>" };
    const struct middleware_case page = { .uri = "/a?<b>", .headers = "Accept: text/html\nX: <y>" };
    assert_response(
        hoop_dump(middleware_request(arena, &plain), NULL),
        "200\nContent-Type: text/plain; charset=utf-8\nVary: Accept\n\nGET /a?<b> HTTP/1.1\n"
        "host: localhost\ncookie: (not shown)\nx: <y>\n");
    assert_response(hoop_dump(middleware_request(arena, &page), NULL),
                    "200\nContent-Type: text/html; charset=utf-8\nVary: Accept\n\n"
                    "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                    "<title>Request</title>\n<table>\n<tr><th>method</th><td>GET</td></tr>\n"
                    "<tr><th>target</th><td>/a?&lt;b&gt;</td></tr>\n"
                    "<tr><th>protocol</th><td>HTTP/1.1</td></tr>\n"
                    "<tr><th>scheme</th><td>http</td></tr>\n"
                    "<tr><th>from</th><td>127.0.0.1</td></tr>\n"
                    "<tr><th>host</th><td>localhost</td></tr>\n"
                    "<tr><th>accept</th><td>text/html</td></tr>\n"
                    "<tr><th>x</th><td>&lt;y&gt;</td></tr>\n</table>\n</html>\n");
    assert_null(hoop_dump(NULL, NULL));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case one = { .want = "200\n\nok" };
    test_middleware_memory(&entry, 1, &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_a_chain),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_the_handler),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
