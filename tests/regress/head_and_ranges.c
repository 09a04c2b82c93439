/* Ranges with numbers that are huge or turned round crashed; HEAD told other things than GET, or 416. */
#include "folder.h"

static const struct {
    const char *range;
    int status;
    const char *content_range, *body;
} cases[] = {
    { "bytes=-9999", 206, "bytes 0-5/6", "012345" },
    { "bytes=-6", 206, "bytes 0-5/6", "012345" },
    { "bytes=-1", 206, "bytes 5-5/6", "5" },
    { "bytes=0-", 206, "bytes 0-5/6", "012345" },
    { "bytes=5-", 206, "bytes 5-5/6", "5" },
    { "bytes=1-2", 206, "bytes 1-2/6", "12" },
    { "bytes=0-18446744073709551616", 206, "bytes 0-5/6", "012345" },
    { "bytes=0-99999999999999999999999999999", 206, "bytes 0-5/6", "012345" },
    { "bytes=-18446744073709551616", 206, "bytes 0-5/6", "012345" },
    { "Bytes=1-2", 206, "bytes 1-2/6", "12" },
    { "bytes=0-1,2-3", 206, "bytes 0-3/6", "0123" },
    { "bytes= 0-1 , 2-3 ", 206, "bytes 0-3/6", "0123" },
    { "bytes=,1-2,", 206, "bytes 1-2/6", "12" },
    { "bytes=1-2,100-200", 206, "bytes 1-2/6", "12" },
    { "bytes=6-", 416, "bytes */6", NULL },
    { "bytes=100-200", 416, "bytes */6", NULL },
    { "bytes=18446744073709551615-", 416, "bytes */6", NULL },
    { "bytes=18446744073709551616-18446744073709551617", 416, "bytes */6", NULL },
    { "bytes=-0", 416, "bytes */6", NULL },
    { "bytes=5-2", 200, "", "012345" },
    { "bytes=18446744073709551617-1", 200, "", "012345" },
    { "bytes=a-b", 200, "", "012345" },
    { "bytes=--1", 200, "", "012345" },
    { "bytes=-", 200, "", "012345" },
    { "bytes=", 200, "", "012345" },
    { "bytes", 200, "", "012345" },
    { "bytes=0x1-2", 200, "", "012345" },
    { "bytes=+1-2", 200, "", "012345" },
    { "lines=1-2", 200, "", "012345" },
};

static const hoop_response *dynamic(const hoop_request *req, void *data)
{
    return hoop_text_static(req, 200, hoop_str_eq_c(req->uri, "/empty-text") ? "" : "dynamic");
}

/* Each header line of GET but Date stands in HEAD's head, too, and none more. */
static void same_heads(struct folder *f, const char *target, const char *more)
{
    struct test_answer answer = folder_ask(f, "GET", target, more);
    char *want = strdup(answer.head);
    answer = folder_ask(f, "HEAD", target, more);
    char *date = strstr(want, "\r\nDate: "), *found = strstr(answer.head, "\r\nDate: ");
    assert_non_null(date);
    assert_non_null(found);
    memset(date + 8, '-', 29);
    memset(found + 8, '-', 29);
    assert_string_equal(answer.head, want);
    free(want);
}

static void test(void **state)
{
    struct folder f;
    hoop_handler router;
    hoop_error error = { 0 };
    folder_init(&f);
    put(&f.place, "public/six", "012345");
    put(&f.place, "public/empty", "");
    put_size(&f.place, "public/large", 200000);
    hoop_handler files = folder_handler(&f, &(hoop_static_options){ .listing = 1 });
    const hoop_route routes[] = { HOOP_GET("/text", dynamic), HOOP_GET("/empty-text", dynamic),
                                  HOOP_MOUNT("/files", &files) };
    if (hoop_router_new(f.arena, routes, HOOP_COUNT(routes), &router, &error))
        fail_msg("%s", error.text);
    folder_start(&f, router);
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char line[128];
        snprintf(line, sizeof line, "Range: %s\r\n", cases[i].range);
        struct test_answer answer = folder_ask(&f, "GET", "/files/six", line);
        if (answer.status != cases[i].status)
            fail_msg("%s: %d, not %d", cases[i].range, answer.status, cases[i].status);
        assert_string_equal(folder_header(&answer, "Content-Range"), cases[i].content_range);
        if (cases[i].body)
            assert_string_equal(answer.body, cases[i].body);
        /* Elsewhere, and on HEAD, it means nothing. */
        assert_string_equal(folder_ask(&f, "GET", "/text", line).body, "dynamic");
        assert_int_equal(folder_ask(&f, "GET", "/text", line).status, 200);
        assert_int_equal(folder_ask(&f, "GET", "/empty-text", line).status, 200);
        assert_int_equal(folder_ask(&f, "GET", "/files/", line).status, 200);
        answer = folder_ask(&f, "HEAD", "/files/six", line);
        assert_int_equal(answer.status, 200);
        assert_string_equal(folder_header(&answer, "Content-Length"), "6");
        assert_string_equal(folder_header(&answer, "Content-Range"), "");
    }
    assert_int_equal(folder_ask(&f, "GET", "/files/empty", "Range: bytes=0-\r\n").status, 200);
    static const char *const targets[] = { "/files/six", "/files/empty",   "/files/large",
                                           "/files/",    "/files/nothing", "/text" };
    for (size_t i = 0; i < HOOP_COUNT(targets); i++)
        same_heads(&f, targets[i], "");
    folder_stop(&f);
    place_done(&f.place);
}

REGRESS(test)
