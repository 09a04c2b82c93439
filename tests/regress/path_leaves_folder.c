/* A path without a slash in front, or another spelling of "..", led out of the folder that was served. */
#include "folder.h"

static const struct {
    const char *target;
    size_t len;         /* 0: that of the text */
    int status, routed; /* 0: the same behind a router */
} cases[] = {
    { "../secret", 0, 400 },
    { "x/../../secret", 0, 400 },
    { "secret", 0, 400 },
    { "\\..\\secret", 0, 400 },
    { "/\0../secret", 11, 400 },
    { "/a.txt\0", 7, 400 },
    { "/..%2fsecret", 0, 404 },
    { "/%2e%2e/secret", 0, 404 },
    { "/%2E%2e%2Fsecret", 0, 404 },
    { "/.%2e/secret", 0, 404 },
    { "/%252e%252e/secret", 0, 404 },
    { "/%c0%ae%c0%ae/secret", 0, 404 },
    { "/..;/secret", 0, 404 },
    { "/../secret", 0, 404 },
    { "/../public/a.txt", 0, 404 },
    { "/sub/../../secret", 0, 404 },
    { "/a.txt/../../secret", 0, 404 },
    { "/sub/./../..", 0, 404 },
    { "/..", 0, 404 },
    { "//etc/passwd", 0, 404 },
    { "/%2fetc/passwd", 0, 404 },
    { "/..%5csecret", 0, 404 },
    { "/..%5c..%5csecret", 0, 404 },
    { "/a.txt%00", 0, 404, 400 },
    { "/%00", 0, 404, 400 },
    { "/out", 0, 404 },
    { "/up/secret", 0, 404 },
    { "/up/public/a.txt", 0, 404 },
    { "/absolute", 0, 404 },
    { "/process/root/etc/passwd", 0, 404 },
    { "http://a/../secret", 0, 404 },
    { "http://a/%2e%2e/secret", 0, 404 },
};

static void ask_all(uint32_t port, const char *prefix, int routed)
{
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        struct test_client c = { 0 };
        struct test_answer answer;
        const char *target = cases[i].target;
        size_t len = cases[i].len ? cases[i].len : strlen(target);
        test_connect(&c, "127.0.0.1", port);
        test_send(&c, "GET ");
        if (target[0] == '/')
            test_send(&c, prefix);
        test_send_bytes(&c, target, len);
        test_send(&c, " HTTP/1.1\r\nHost: a\r\n\r\n");
        test_answer(&c, &answer);
        int status = routed && cases[i].routed ? cases[i].routed : cases[i].status;
        if (answer.status != status)
            fail_msg("'%s': %d, not %d", target, answer.status, status);
        assert_null(strstr(answer.body, "the secret"));
        test_close(&c);
    }
}

static const hoop_response *nothing(const hoop_request *req, void *data)
{
    return hoop_pass(req);
}

static void test(void **state)
{
    struct folder f;
    hoop_error error;
    hoop_handler chained, mounted;
    folder_init(&f);
    make(&f.place, "public/sub");
    put(&f.place, "public/a.txt", "hello");
    link_to(&f.place, "public/out", "../secret");
    link_to(&f.place, "public/up", "..");
    link_to(&f.place, "public/absolute", "/etc/passwd");
    link_to(&f.place, "public/process", "/proc/self");
    hoop_handler files = folder_handler(&f, &(hoop_static_options){ .listing = 1 });
    hoop_static_options options = { .folder = f.folder, .prefix = "/static" };
    hoop_middleware chain[] = { HOOP_STATIC_FILES(&options) };
    assert_int_equal(hoop_chain_new(f.arena, chain, 1, hoop_fn(nothing, NULL), &chained, &error),
                     0);
    const hoop_route routes[] = { HOOP_MOUNT("/static", &files) };
    assert_int_equal(hoop_router_new(f.arena, routes, 1, &mounted, &error), 0);
    const hoop_handler ways[] = { files, chained, mounted };
    for (size_t i = 0; i < HOOP_COUNT(ways); i++) {
        const char *prefix = i ? "/static" : "";
        char good[32];
        folder_start(&f, ways[i]);
        snprintf(good, sizeof good, "%s/a.txt", prefix);
        struct test_answer answer = folder_ask(&f, "GET", good, "");
        assert_string_equal(answer.body, "hello");
        ask_all(hoop_listener_port(f.server, 0), prefix, /* routed= */ i == 2);
        test_close(&f.client);
        test_server_stop(f.server);
    }
    hoop_arena_free(f.arena);
    place_done(&f.place);
}

REGRESS(test)
