/* The heads of responses: status lines, the fields that are the engine's, frozen heads. */
#include "driver.h"

#define GET  "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
#define HEAD "HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"

/* A response to make: what the handler of these tests reads. */
struct recipe {
    int status;              /* 0: 200 */
    const char *headers[12]; /* names and values */
    const char *body;        /* NULL: none */
    const hoop_response *ready;
};

static const hoop_response *cook(const hoop_request *req, void *data)
{
    const struct recipe *r = data;
    int status = r->status ? r->status : 200;
    if (r->ready)
        return r->ready;
    const hoop_response *res =
        r->body ? hoop_bytes(req, status, NULL, hoop_str_c(r->body)) : hoop_respond(req, status);
    for (size_t i = 0; r->headers[i]; i += 2)
        res = hoop_add_header(req, res, r->headers[i], r->headers[i + 1]);
    return res;
}

static void check(struct recipe recipe, const char *input, const struct driver_options *options,
                  const char *want, int close)
{
    struct driver d;
    driver_init(&d, cook, &recipe, options);
    driver_text(&d, input);
    assert_got(&d, want);
    assert_int_equal(d.closed, close);
    driver_done(&d);
}

/* --- status lines ----------------------------------------------------------------------------- */

static void test_status_lines(void **state)
{
    (void)state;
    for (int status = 0; status < 700; status++) {
        char want[128];
        hoop_str line = hoop__h1_status_line(status);
        const char *reason = hoop_reason(status);
        assert_int_equal(line.len != 0, *reason != 0);
        if (!line.len)
            continue;
        snprintf(want, sizeof want, "HTTP/1.1 %d %s\r\n", status, reason);
        assert_str(line, want);
    }
}

static void test_unknown_status(void **state)
{
    (void)state;
    check((struct recipe){ .status = 299, .body = "x" }, GET, NULL,
          "HTTP/1.1 299 \r\nContent-Length: 1\r\n" DATE_LINE "\r\nx", 0);
    check((struct recipe){ .status = 599 }, GET, NULL,
          "HTTP/1.1 599 \r\nContent-Length: 0\r\n" DATE_LINE "\r\n", 0);
}

/* --- fields ----------------------------------------------------------------------------------- */

static void test_fields(void **state)
{
    (void)state;
    const struct driver_options server = { .server_name = "hoop" };
    check((struct recipe){ .headers = { "X-A", "1", "x-b", "", "X-A", "2" }, .body = "hello" }, GET,
          NULL,
          "HTTP/1.1 200 OK\r\nX-A: 1\r\nx-b: \r\nX-A: 2\r\nContent-Length: 5\r\n" DATE_LINE
          "\r\nhello",
          0);
    check((struct recipe){ .body = "x" }, GET, &server,
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n" DATE_LINE "Server: hoop\r\n\r\nx", 0);
    check((struct recipe){ .headers = { "sERVER", "mine", "dATE", "now" }, .body = "x" }, GET,
          &server, "HTTP/1.1 200 OK\r\nsERVER: mine\r\ndATE: now\r\nContent-Length: 1\r\n\r\nx", 0);
}

static void test_length_is_true(void **state)
{
    (void)state;
    check((struct recipe){ .headers = { "Content-Length", "99" }, .body = "x" }, GET, NULL,
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n" DATE_LINE "\r\nx", 0);
    check((struct recipe){ .headers = { "content-length", "99" } }, GET, NULL,
          "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" DATE_LINE "\r\n", 0);
    check((struct recipe){ .headers = { "Content-Length", "99" }, .body = "x" }, HEAD, NULL,
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n" DATE_LINE "\r\n", 0);
    check((struct recipe){ .headers = { "Content-Length", "99" } }, HEAD, NULL,
          "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n" DATE_LINE "\r\n", 0);
    check((struct recipe){ .headers = { "Content-Length", "9x", "Content-Length", "8" } }, HEAD,
          NULL, "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n" DATE_LINE "\r\n", 0);
    check((struct recipe){ 0 }, HEAD, NULL,
          "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" DATE_LINE "\r\n", 0);
}

static void test_connection(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        int close;
    } cases[] = { { "close", 1 },      { "Close", 1 },     { "x, close", 1 }, { "close,x", 1 },
                  { "keep-alive", 0 }, { "x, closed", 0 }, { "upgrade", 0 },  { " , close ,", 1 } };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char want[256];
        snprintf(want, sizeof want, "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n" DATE_LINE "%s\r\nx",
                 cases[i].close ? CLOSE_LINE : "");
        check((struct recipe){ .headers = { "Connection", cases[i].value }, .body = "x" }, GET,
              NULL, want, cases[i].close);
    }
}

/* --- statuses without a body ------------------------------------------------------------------ */

static void test_bodyless(void **state)
{
    (void)state;
    static const char *const inputs[] = { GET, HEAD };
    for (size_t i = 0; i < 2; i++) {
        const char *in = inputs[i];
        check((struct recipe){ .status = 204 }, in, NULL,
              "HTTP/1.1 204 No Content\r\n" DATE_LINE "\r\n", 0);
        check((struct recipe){ .status = 204, .headers = { "Content-Length", "3" }, .body = "abc" },
              in, NULL, "HTTP/1.1 204 No Content\r\n" DATE_LINE "\r\n", 0);
        check((struct recipe){ .status = 205, .headers = { "Content-Length", "3" }, .body = "abc" },
              in, NULL, "HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n" DATE_LINE "\r\n", 0);
        check((struct recipe){ .status = 304 }, in, NULL,
              "HTTP/1.1 304 Not Modified\r\n" DATE_LINE "\r\n", 0);
        check((struct recipe){ .status = 304, .body = "abc" }, in, NULL,
              "HTTP/1.1 304 Not Modified\r\n" DATE_LINE "\r\n", 0);
        check(
            (struct recipe){ .status = 304, .headers = { "Content-Length", "33" }, .body = "abc" },
            in, NULL, "HTTP/1.1 304 Not Modified\r\nContent-Length: 33\r\n" DATE_LINE "\r\n", 0);
    }
}

/* A body behind HEAD or 304 would be taken for the next response. */
static void test_nothing_between(void **state)
{
    (void)state;
    static const int statuses[] = { 200, 204, 205, 304, 404 };
    for (size_t i = 0; i < HOOP_COUNT(statuses); i++) {
        struct driver d;
        struct recipe recipe = { .status = statuses[i], .body = "body" };
        driver_init(&d, cook, &recipe, NULL);
        driver_text(&d, HEAD HEAD);
        const char *first_end = strstr(d.got, "\r\n\r\n");
        assert_memory_equal(first_end + 4, "HTTP/1.1 ", 9);
        assert_string_equal(strstr(first_end + 4, "\r\n\r\n"), "\r\n\r\n");
        driver_done(&d);
    }
}

/* --- frozen ----------------------------------------------------------------------------------- */

/* Leaves what was rendered as it is. */
static const hoop_response *keep_first(const hoop_request *req, void *data)
{
    return hoop_add_header(req, data, "X-More", "1");
}

/* Connection is the engine's business, rendered or not. */
static const hoop_response *add_close(const hoop_request *req, void *data)
{
    return hoop_add_header(req, data, "Connection", "close");
}

static void check_added(hoop_handler_fn *fn, const hoop_response *res, const char *input,
                        const char *want)
{
    struct driver d;
    driver_init(&d, fn, (void *)(uintptr_t)res, NULL);
    driver_text(&d, input);
    assert_got(&d, want);
    driver_done(&d);
}

static void test_frozen(void **state)
{
    (void)state;
    static const char *const versions[] = { "1.1", "1.0" };
    hoop_arena *app = hoop_arena_new();
    const hoop_request *req = hoop_app_request(app);
    const hoop_response *plain = hoop_text(req, 200, "hello");
    const hoop_response *frozen = hoop_freeze(app, plain);
    const struct driver_options server = { .server_name = "hoop" };
    assert_true(hoop__response_of(frozen)->head.len > 0);
    for (size_t i = 0; i < 2; i++) {
        char input[128], want[512];
        snprintf(input, sizeof input, "GET / HTTP/%s\r\nHost: a\r\nConnection: keep-alive\r\n\r\n",
                 versions[i]);
        snprintf(
            want, sizeof want,
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n" DATE_LINE
            "Server: hoop\r\n%s\r\nhello",
            i ? KEEP_LINE : "");
        check((struct recipe){ .ready = frozen }, input, &server, want, 0);
        check((struct recipe){ .ready = plain }, input, &server, want, 0);
        snprintf(want, sizeof want,
                 "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
                 "Content-Length: 5\r\nX-More: 1\r\n" DATE_LINE "%s\r\nhello",
                 i ? KEEP_LINE : "");
        check_added(keep_first, frozen, input, want);
        check_added(add_close, frozen, input,
                    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\n"
                    "Content-Length: 5\r\n" DATE_LINE CLOSE_LINE "\r\nhello");
    }
    check(
        (struct recipe){ .ready = frozen }, HEAD, NULL,
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 5\r\n" DATE_LINE
        "\r\n",
        0);
    frozen = hoop_freeze(app, hoop_text(req, 205, "x"));
    check((struct recipe){ .ready = frozen }, GET, NULL,
          "HTTP/1.1 205 Reset Content\r\nContent-Type: text/plain; charset=utf-8\r\n"
          "Content-Length: 0\r\n" DATE_LINE "\r\n",
          0);
    frozen = hoop_freeze(app, hoop_text(req, 304, "x"));
    check((struct recipe){ .ready = frozen }, GET, NULL,
          "HTTP/1.1 304 Not Modified\r\nContent-Type: text/plain; charset=utf-8\r\n" DATE_LINE
          "\r\n",
          0);
    hoop_arena_free(app);
}

/* --- heads that don't fit --------------------------------------------------------------------- */

static const hoop_response *many_headers(const hoop_request *req, void *data)
{
    const hoop_response *res = hoop_text(req, 200, "end");
    for (int i = 0; i < *(int *)data; i++)
        res = hoop_add_header(req, res, hoop_printf(req, "Name-%03d", i),
                              hoop_printf(req, "%0100d", i));
    return res;
}

/* A head larger than out goes by reference, however little of it a send takes. */
static void test_large_head(void **state)
{
    (void)state;
    int count = 100;
    struct driver whole;
    driver_init(&whole, many_headers, &count, NULL);
    driver_text(&whole, GET GET);
    static const size_t takes[] = { 0, 1, 1000 };
    for (size_t i = 0; i < HOOP_COUNT(takes); i++) {
        const struct driver_options options = { .out_cap = 512, .take = takes[i] };
        struct driver d;
        driver_init(&d, many_headers, &count, &options);
        driver_text(&d, GET GET);
        assert_bytes(d.got, d.got_len, whole.got, whole.got_len);
        driver_done(&d);
    }
    driver_done(&whole);
}

static void send_large(struct test_allocator *allocator, void *data)
{
    struct driver d;
    const struct driver_options options = { .allocator = &allocator->hoop, .out_cap = 512 };
    driver_init(&d, many_headers, data, &options);
    if (!d.failed)
        driver_text(&d, GET);
    driver_done(&d);
}

static void test_memory(void **state)
{
    (void)state;
    int count = 60;
    test_each_allocation(send_large, &count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_status_lines),    cmocka_unit_test(test_unknown_status),
        cmocka_unit_test(test_fields),          cmocka_unit_test(test_length_is_true),
        cmocka_unit_test(test_connection),      cmocka_unit_test(test_bodyless),
        cmocka_unit_test(test_nothing_between), cmocka_unit_test(test_frozen),
        cmocka_unit_test(test_large_head),      cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
