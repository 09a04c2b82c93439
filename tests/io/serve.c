/* Serving over real sockets: kinds of addresses, connections that stay, pipelines, old versions. */
#include "client.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static const hoop_response *hello(const hoop_request *req, void *data)
{
    return hoop_text_static(req, 200, "Hello, World!");
}

static const hoop_response *who(const hoop_request *req, void *data)
{
    return hoop_textf(req, 200, "%s %s", hoop_remote_addr(req).data, req->uri.data);
}

static const char get[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

static void ask(hoop_server *server, const char *host, const char *answer)
{
    struct test_client c = { 0 };
    test_connect(&c, host, hoop_listener_port(server, 0));
    test_send(&c, get);
    test_expect(&c, 200, answer);
    test_close(&c);
}

static void over_ipv4(void **state)
{
    hoop_server *server = test_server_start(hoop_fn(who, NULL), &(hoop_server_options){ 0 });
    char url[64];
    assert_int_not_equal(hoop_listener_port(server, 0), 0);
    snprintf(url, sizeof url, "http://127.0.0.1:%u", (unsigned)hoop_listener_port(server, 0));
    assert_string_equal(hoop_listener_url(server, 0), url);
    assert_string_equal(hoop_listener_url(server, 1), "");
    assert_int_equal(hoop_listener_port(server, 1), 0);
    ask(server, "127.0.0.1", "127.0.0.1 /");
    test_server_stop(server);
}

static void over_ipv6(void **state)
{
    hoop_server *server =
        test_server_start(hoop_fn(who, NULL), &(hoop_server_options){ .host = "::1" });
    char url[64];
    snprintf(url, sizeof url, "http://[::1]:%u", (unsigned)hoop_listener_port(server, 0));
    assert_string_equal(hoop_listener_url(server, 0), url);
    ask(server, "::1", "::1 /");
    test_server_stop(server);
}

static void over_both(void **state)
{
    hoop_server *server =
        test_server_start(hoop_fn(who, NULL), &(hoop_server_options){ .host = "::" });
    ask(server, "::1", "::1 /");
    ask(server, "127.0.0.1", "127.0.0.1 /");
    test_server_stop(server);
}

static void by_name(void **state)
{
    hoop_server *server =
        test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ .host = "localhost" });
    const char *host = strstr(hoop_listener_url(server, 0), "[::1]") ? "::1" : "127.0.0.1";
    ask(server, host, "Hello, World!");
    test_server_stop(server);
}

static void over_a_unix_socket(void **state)
{
    char path[64];
    struct stat info;
    struct test_client c = { 0 };
    snprintf(path, sizeof path, "/tmp/hoop-test-%d.sock", (int)getpid());
    hoop_listener listeners[] = { { .path = path, .unix_mode = 0600 }, { .port = 0 } };
    hoop_server *server =
        test_server_start(hoop_fn(who, NULL), &(hoop_server_options){ HOOP_LISTENERS(listeners) });
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(hoop_listener_port(server, 0), 0);
    assert_int_equal(strncmp(hoop_listener_url(server, 0), "unix:/tmp/", 10), 0);
    test_connect_unix(&c, path);
    test_send(&c, get);
    test_expect(&c, 200, " /");
    test_close(&c);
    test_server_stop(server);
    assert_int_equal(stat(path, &info), -1);
}

static int unix_socket(const char *path, int listens)
{
    struct sockaddr_un name = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    strcpy(name.sun_path, path);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, sizeof name), 0);
    if (listens)
        assert_int_equal(listen(fd, 1), 0);
    return fd;
}

static void replaces_what_was_left_over(void **state)
{
    char path[64], text[128];
    struct test_client c = { 0 };
    hoop_server *server = NULL;
    hoop_error error;
    hoop_handler handler = hoop_fn(hello, NULL);
    snprintf(path, sizeof path, "/tmp/hoop-test-%d.sock", (int)getpid());
    snprintf(text, sizeof text, "unix:%s: address already in use", path);

    int fd = unix_socket(path, /* listens= */ 1);
    int rc = hoop_server_new(handler, &server, &error, &(hoop_server_options){ .path = path });
    assert_int_equal(rc, -EADDRINUSE);
    assert_string_equal(error.text, text);
    close(fd);

    rc = hoop_server_new(handler, &server, &error, &(hoop_server_options){ .path = path });
    assert_int_equal(rc, 0);
    assert_int_equal(hoop_server_start(server, NULL), 0);
    test_connect_unix(&c, path);
    test_send(&c, get);
    test_expect(&c, 200, "Hello, World!");
    test_close(&c);

    /* Somebody else's file at that path is left alone, by the end as by the start. */
    unlink(path);
    fclose(fopen(path, "w"));
    test_server_stop(server);
    assert_int_equal(access(path, F_OK), 0);
    rc = hoop_server_new(handler, &server, &error, &(hoop_server_options){ .path = path });
    assert_int_equal(rc, -EADDRINUSE);
    assert_int_equal(access(path, F_OK), 0);
    unlink(path);
}

static void names_a_taken_port(void **state)
{
    hoop_handler handler = hoop_fn(hello, NULL);
    for (uint32_t threads = 1; threads <= 2; threads++) {
        hoop_server *first =
            test_server_start(handler, &(hoop_server_options){ .threads = threads });
        hoop_server *second = NULL;
        hoop_error error;
        char text[64];
        uint32_t port = hoop_listener_port(first, 0);
        int rc = hoop_server_new(handler, &second, &error,
                                 &(hoop_server_options){ .port = port, .threads = threads });
        assert_int_equal(rc, -EADDRINUSE);
        assert_null(second);
        snprintf(text, sizeof text, "127.0.0.1:%u: address already in use", (unsigned)port);
        assert_string_equal(error.text, text);
        test_server_stop(first);
        /* And it can be had again at once. */
        second =
            test_server_start(handler, &(hoop_server_options){ .port = port, .threads = threads });
        assert_int_equal(hoop_listener_port(second, 0), port);
        test_server_stop(second);
    }
}

static void names_a_place_that_is_none(void **state)
{
    hoop_handler handler = hoop_fn(hello, NULL);
    hoop_server *server = NULL;
    hoop_error error;
    assert_int_equal(hoop_server_new(handler, &server, &error,
                                     &(hoop_server_options){ .host = "no.such.host.invalid" }),
                     HOOP_EMISSING);
    assert_string_equal(error.text, "no.such.host.invalid:0: the host is unknown");
    assert_int_equal(hoop_server_new(handler, &server, &error,
                                     &(hoop_server_options){ .host = "192.0.2.1", .port = 80 }),
                     -EADDRNOTAVAIL);
    assert_string_equal(error.text, "192.0.2.1:80: address not available");
    assert_int_equal(hoop_server_new(handler, &server, &error,
                                     &(hoop_server_options){ .path = "/no/such/folder/x" }),
                     -ENOENT);
    assert_string_equal(error.text, "unix:/no/such/folder/x: no such file or directory");
    hoop_listener listeners[] = { { .port = 0 }, { .path = "/no/such/folder/x" } };
    int fds = test_count_fds();
    assert_int_equal(hoop_server_new(handler, &server, &error,
                                     &(hoop_server_options){ HOOP_LISTENERS(listeners) }),
                     -ENOENT);
    assert_string_equal(error.text,
                        "listener 1: unix:/no/such/folder/x: no such file or directory");
    assert_int_equal(test_count_fds(), fds);
}

static void keeps_connections(void **state)
{
    hoop_server *server = test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ 0 });
    struct test_client c = { 0 };
    hoop_stats stats;
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    for (int i = 0; i < 100; i++) {
        test_send(&c, get);
        test_expect(&c, 200, "Hello, World!");
    }
    hoop_server_stats(server, &stats, sizeof stats);
    assert_int_equal(stats.accepted, 1);
    assert_int_equal(stats.connections, 1);
    assert_int_equal(stats.requests, 100);
    assert_int_equal(stats.bytes_in, 100 * (sizeof get - 1));
    test_send(&c, "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    test_expect(&c, 200, "Hello, World!");
    test_expect_end(&c);
    test_close(&c);
    test_until_connections(server, 0);
    test_server_stop(server);
}

static const hoop_response *number(const hoop_request *req, void *data)
{
    return hoop_text(req, 200, req->uri.data + 1);
}

static void answers_a_pipeline_in_order(void **state)
{
    hoop_server *server = test_server_start(hoop_fn(number, NULL), &(hoop_server_options){ 0 });
    struct test_client c = { 0 };
    char all[2048] = "", body[16];
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    for (int i = 0; i < 16; i++)
        sprintf(all + strlen(all), "GET /%d HTTP/1.1\r\nHost: a\r\n\r\n", i);
    test_send(&c, all);
    /* One read has all of them, since one call sent them. */
    test_read(&c, 1);
    int count = 0;
    for (char *at = c.data; (at = strstr(at, "HTTP/1.1 200")); at++)
        count++;
    assert_int_equal(count, 16);
    for (int i = 0; i < 16; i++) {
        sprintf(body, "%d", i);
        test_expect(&c, 200, body);
    }
    test_close(&c);
    test_server_stop(server);
}

static void speaks_http_1_0(void **state)
{
    hoop_server *server = test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ 0 });
    struct test_client c = { 0 };
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    test_expect(&c, 200, "Hello, World!");
    test_send(&c, "GET / HTTP/1.0\r\n\r\n");
    test_expect(&c, 200, "Hello, World!");
    test_expect_end(&c);
    test_close(&c);
    test_server_stop(server);
}

static void shares_the_work_among_loops(void **state)
{
    char path[64];
    snprintf(path, sizeof path, "/tmp/hoop-test-%d.sock", (int)getpid());
    hoop_listener listeners[] = { { .port = 0 }, { .path = path } };
    hoop_server *server = test_server_start(
        hoop_fn(hello, NULL), &(hoop_server_options){ HOOP_LISTENERS(listeners), .threads = 4 });
    struct test_client clients[32] = { 0 };
    for (int i = 0; i < 32; i++) {
        if (i % 2)
            test_connect(&clients[i], "127.0.0.1", hoop_listener_port(server, 0));
        else
            test_connect_unix(&clients[i], path);
        test_send(&clients[i], get);
    }
    for (int i = 0; i < 32; i++) {
        test_expect(&clients[i], 200, "Hello, World!");
        test_close(&clients[i]);
    }
    test_until_connections(server, 0);
    hoop_stats stats;
    hoop_server_stats(server, &stats, sizeof stats);
    assert_int_equal(stats.accepted, 32);
    test_server_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_ipv4),          cmocka_unit_test(over_ipv6),
        cmocka_unit_test(over_both),          cmocka_unit_test(by_name),
        cmocka_unit_test(over_a_unix_socket), cmocka_unit_test(replaces_what_was_left_over),
        cmocka_unit_test(names_a_taken_port), cmocka_unit_test(names_a_place_that_is_none),
        cmocka_unit_test(keeps_connections),  cmocka_unit_test(answers_a_pipeline_in_order),
        cmocka_unit_test(speaks_http_1_0),    cmocka_unit_test(shares_the_work_among_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
