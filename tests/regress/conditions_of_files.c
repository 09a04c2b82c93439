/*
 * A date that had not changed hid that the ETag had; ETags changed when the server was started again; headers
 * of a file contradicted one another.
 */
#include "folder.h"

#define TIME    784111777
#define DATE    "Sun, 06 Nov 1994 08:49:37 GMT"
#define EARLIER "Sun, 06 Nov 1994 08:49:36 GMT"
#define LATER   "Sun, 06 Nov 1994 08:49:38 GMT"

static struct folder f;
static char etag[80];

/* In the header lines of a case, '@' is the ETag. */
static const char *lines_of(const char *text)
{
    static char lines[512];
    size_t len = 0;
    for (; *text; text++)
        if (*text == '@')
            len += (size_t)snprintf(lines + len, sizeof lines - len, "%s", etag);
        else
            lines[len++] = *text;
    lines[len] = 0;
    return lines;
}

static const struct {
    const char *lines;
    int status;
    const char *body;
} cases[] = {
    { "If-None-Match: @\r\n", 304, "" },
    { "If-None-Match: W/@\r\n", 304, "" },
    { "If-None-Match: \"a\", W/\"b\", @\r\n", 304, "" },
    { "If-None-Match: \"a\"\r\nIf-None-Match: @\r\n", 304, "" },
    { "If-None-Match: *\r\n", 304, "" },
    { "If-None-Match: \"other\"\r\n", 200, "012345" },
    { "If-None-Match: \"other\"\r\nIf-Modified-Since: " DATE "\r\n", 200, "012345" },
    { "If-None-Match: \"other\"\r\nIf-Modified-Since: " LATER "\r\n", 200, "012345" },
    { "If-None-Match: @\r\nIf-Modified-Since: " EARLIER "\r\n", 304, "" },
    { "If-Modified-Since: " DATE "\r\n", 304, "" },
    { "If-Modified-Since: " LATER "\r\n", 304, "" },
    { "If-Modified-Since: " EARLIER "\r\n", 200, "012345" },
    { "If-Modified-Since: yesterday\r\n", 200, "012345" },
    { "If-Unmodified-Since: " DATE "\r\n", 200, "012345" },
    { "If-Unmodified-Since: " EARLIER "\r\n", 412, NULL },
    { "If-Unmodified-Since: yesterday\r\n", 200, "012345" },
    { "If-Match: @\r\n", 200, "012345" },
    { "If-Match: *\r\n", 200, "012345" },
    { "If-Match: W/@\r\n", 412, NULL },
    { "If-Match: \"other\"\r\n", 412, NULL },
    { "If-Match: @\r\nIf-Unmodified-Since: " EARLIER "\r\n", 200, "012345" },
    { "If-Match: \"other\"\r\nIf-None-Match: @\r\n", 412, NULL },
    { "If-Match: @\r\nIf-None-Match: @\r\n", 304, "" },
    { "If-Unmodified-Since: " EARLIER "\r\nIf-None-Match: @\r\n", 412, NULL },
    { "If-None-Match: @\r\nRange: bytes=0-0\r\n", 304, "" },
    { "If-Match: \"other\"\r\nRange: bytes=9-\r\n", 412, NULL },
    { "If-Range: @\r\nRange: bytes=1-2\r\n", 206, "12" },
    { "If-Range: \"other\"\r\nRange: bytes=1-2\r\n", 200, "012345" },
    { "If-Range: W/@\r\nRange: bytes=1-2\r\n", 200, "012345" },
    { "If-Range: " DATE "\r\nRange: bytes=1-2\r\n", 206, "12" },
    { "If-Range: " EARLIER "\r\nRange: bytes=1-2\r\n", 200, "012345" },
    { "If-Range: " LATER "\r\nRange: bytes=1-2\r\n", 200, "012345" },
    { "If-Range: \"other\"\r\nRange: bytes=9-\r\n", 200, "012345" },
};

static const hoop_response *put_it(const hoop_request *req, void *data)
{
    int status = hoop_precondition(req, etag, TIME);
    return hoop_respond(req, status ? status : 204);
}

static void start(void)
{
    hoop_handler files = folder_handler(
        &f, &(hoop_static_options){ .cache_control = "max-age=60", .precompressed = 1 });
    hoop_handler router;
    const hoop_route routes[] = { HOOP_PUT("/put", put_it), HOOP_MOUNT("/files", &files) };
    hoop_error error = { 0 };
    if (hoop_router_new(f.arena, routes, HOOP_COUNT(routes), &router, &error))
        fail_msg("%s", error.text);
    folder_start(&f, router);
}

static void check(const char *method)
{
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        struct test_answer answer = folder_ask(&f, method, "/files/six", lines_of(cases[i].lines));
        int status = cases[i].status;
        if (status == 206 && strcmp(method, "HEAD") == 0)
            status = 200; /* Range is for GET alone */
        if (answer.status != status)
            fail_msg("%s %s: %d, not %d", method, lines_of(cases[i].lines), answer.status, status);
        if (cases[i].body && strcmp(method, "GET") == 0)
            assert_string_equal(answer.body, cases[i].body);
        if (status != 412) {
            assert_string_equal(folder_header(&answer, "ETag"), etag);
            assert_string_equal(folder_header(&answer, "Cache-Control"), "max-age=60");
            assert_string_equal(folder_header(&answer, "Vary"), "Accept-Encoding");
        }
        assert_string_equal(folder_header(&answer, "Expires"), "");
        assert_string_equal(folder_header(&answer, "Pragma"), "");
        if (status == 304)
            assert_string_equal(folder_header(&answer, "Content-Length"), "");
    }
}

static void test(void **state)
{
    folder_init(&f);
    put(&f.place, "public/six", "012345");
    set_time(&f.place, "public/six", TIME);
    for (int again = 0; again < 2; again++) {
        start();
        struct test_answer answer = folder_ask(&f, "GET", "/files/six", "");
        assert_string_equal(folder_header(&answer, "Last-Modified"), DATE);
        const char *got = folder_header(&answer, "ETag");
        if (again)
            assert_string_equal(got, etag); /* the server was started again */
        strcpy(etag, got);
        assert_int_equal(etag[0], '"');
        check("GET");
        check("HEAD");
        const char *all = "Content-Length: 0\r\nIf-None-Match: *\r\n";
        assert_int_equal(folder_ask(&f, "PUT", "/put", all).status, 412);
        folder_stop(&f);
    }
    place_done(&f.place);
}

REGRESS(test)
