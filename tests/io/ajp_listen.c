/* Where AJP may be listened for, and with what settings: refused when the server is made, with a text. */
#include "support.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static const hoop_response *hello(const hoop_request *req, void *data)
{
    return hoop_text(req, 200, "hello");
}

/* Makes a server of one listener, and returns the code; the text or the URL is in `text`. */
static int make(const hoop_listener *listener, char text[256])
{
    hoop_error error = { 0, "" };
    hoop_server *server = NULL;
    int rc = hoop_server_new(hoop_fn(hello, NULL), &server, &error,
                             &(hoop_server_options){ .listeners = listener,
                                                     .listener_count = 1,
                                                     .listener_size = sizeof *listener });
    snprintf(text, 256, "%s", rc ? error.text : hoop_listener_url(server, 0));
    hoop_server_free(server);
    return rc;
}

static void test_reach(void **state)
{
    static const struct {
        const char *host, *secret;
        int rc;
    } cases[] = {
        { NULL, NULL, 0 },
        { "127.0.0.1", NULL, 0 },
        { "127.9.9.9", NULL, 0 },
        { "localhost", NULL, 0 },
        { "0.0.0.0", NULL, HOOP_EINVAL },
        { "0.0.0.0", "s3cr3t", 0 },
        { "127.0.0.1", "s3cr3t", 0 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char text[256];
        hoop_listener listener = { .host = cases[i].host,
                                   .protocol = HOOP_AJP,
                                   .ajp_secret = cases[i].secret };
        int fds = test_count_fds();
        assert_int_equal(make(&listener, text), cases[i].rc);
        assert_int_equal(test_count_fds(), fds);
        if (cases[i].rc)
            assert_string_equal(text, "0.0.0.0:0: AJP there needs ajp_secret, since other machines "
                                      "can reach it");
        else
            assert_int_equal(strncmp(text, "ajp://", 6), 0);
    }
}

static void test_reach_by_ipv6(void **state)
{
    char text[256];
    hoop_listener listener = { .host = "::", .protocol = HOOP_AJP };
    int rc = make(&listener, text);
    if (rc == -EAFNOSUPPORT || rc == -EADDRNOTAVAIL)
        skip();
    assert_int_equal(rc, HOOP_EINVAL);
    listener.ajp_secret = "s3cr3t";
    assert_int_equal(make(&listener, text), 0);
    listener.host = "::1";
    listener.ajp_secret = NULL;
    assert_int_equal(make(&listener, text), 0);
    assert_int_equal(strncmp(text, "ajp://[::1]:", 12), 0);
}

/* A descriptor from elsewhere is judged by where it is bound; it stays the caller's if refused. */
static void test_inherited(void **state)
{
    for (int local = 0; local < 2; local++) {
        char text[256];
        struct sockaddr_in address = { .sin_family = AF_INET };
        address.sin_addr.s_addr = htonl(local ? INADDR_LOOPBACK : INADDR_ANY);
        int fd = socket(AF_INET, SOCK_STREAM, 0);
        assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
        assert_int_equal(listen(fd, 1), 0);
        hoop_listener listener = { .fd = fd, .protocol = HOOP_AJP };
        assert_int_equal(make(&listener, text), local ? 0 : HOOP_EINVAL);
        if (!local) {
            assert_non_null(strstr(text, "needs ajp_secret"));
            assert_int_equal(close(fd), 0);
        }
    }
}

static void test_unix(void **state)
{
    char text[256], path[64];
    snprintf(path, sizeof path, "/tmp/hoop-ajp-%ld", (long)getpid());
    hoop_listener listener = { .path = path, .protocol = HOOP_AJP };
    assert_int_equal(make(&listener, text), 0);
    assert_int_equal(strncmp(text, "unix:/tmp/hoop-ajp-", 19), 0);
}

static void test_settings(void **state)
{
    static char long_secret[5000];
    memset(long_secret, 's', sizeof long_secret - 1);
    const struct {
        hoop_listener listener;
        const char *text; /* NULL: right */
    } cases[] = {
        { { .protocol = HOOP_AJP, .ajp_secret = "" }, "ajp_secret is empty" },
        { { .protocol = HOOP_AJP, .ajp_secret = long_secret }, "ajp_secret is over 4096 bytes" },
        { { .protocol = HOOP_AJP, .ajp_packet_size = 8191 },
          "ajp_packet_size 8191 is not 8192 to 65536" },
        { { .protocol = HOOP_AJP, .ajp_packet_size = 65537 },
          "ajp_packet_size 65537 is not 8192 to 65536" },
        { { .protocol = HOOP_AJP, .ajp_packet_size = 8192 }, NULL },
        { { .protocol = HOOP_AJP, .ajp_packet_size = 65536 }, NULL },
        { { .protocol = HOOP_AJP, .ajp_attributes = "x", .ajp_trust_user = 1 }, NULL },
        { { .ajp_secret = "x" }, "ajp_* is set, but the protocol 0 is not HOOP_AJP" },
        { { .ajp_trust_user = 1 }, "ajp_* is set, but the protocol 0 is not HOOP_AJP" },
        { { .protocol = 77 }, "protocol 77 is unknown" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char text[256];
        int rc = make(&cases[i].listener, text);
        assert_int_equal(rc, cases[i].text ? HOOP_EINVAL : 0);
        if (cases[i].text)
            assert_string_equal(text, cases[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reach),     cmocka_unit_test(test_reach_by_ipv6),
        cmocka_unit_test(test_inherited), cmocka_unit_test(test_unix),
        cmocka_unit_test(test_settings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
