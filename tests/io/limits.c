/* Limits on connections and descriptors, descriptors that were inherited, and what an idle server costs. */
#include "client.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static const char get[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
static atomic_int lines;

static const hoop_response *hello(const hoop_request *req, void *data)
{
    return hoop_text_static(req, 200, "hello");
}

static void count_line(int level, const char *text, void *data)
{
    if (strstr(text, "can't accept: too many open files"))
        atomic_fetch_add(&lines, 1);
}

static int has_refused(void *data)
{
    hoop_stats stats;
    hoop_server_stats(data, &stats, sizeof stats);
    return stats.refused > 0;
}

static void refuses_too_many(void **state)
{
    hoop_limits limits[] = { { .max_connections = 3 }, { .max_connections_per_peer = 3 } };
    for (size_t i = 0; i < HOOP_COUNT(limits); i++) {
        hoop_server *server = test_server_start(
            hoop_fn(hello, NULL), &(hoop_server_options){ HOOP_LIMITS(&limits[i]), .threads = 2 });
        struct test_client c[3] = { 0 }, more = { 0 };
        uint32_t port = hoop_listener_port(server, 0);
        for (int n = 0; n < 3; n++) {
            test_connect(&c[n], "127.0.0.1", port);
            test_send(&c[n], get);
            test_expect(&c[n], 200, "hello");
        }
        test_connect(&more, "127.0.0.1", port);
        test_expect_end(&more);
        test_close(&more);
        test_until(has_refused, server);
        /* When one has gone there is room for another. */
        test_close(&c[0]);
        test_until_connections(server, 2);
        test_connect(&more, "127.0.0.1", port);
        test_send(&more, get);
        test_expect(&more, 200, "hello");
        test_close(&more);
        test_close(&c[1]);
        test_close(&c[2]);
        test_server_stop(server);
    }
}

static int has_line(void *data)
{
    return atomic_load(&lines) > 0;
}

/* In a child, since the limit is the process's. */
static void run_out_of_descriptors(void)
{
    struct rlimit limit;
    struct test_client c[30] = { 0 };
    hoop_server *server =
        test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ .log = count_line });
    int used = test_count_fds();
    uint32_t port = hoop_listener_port(server, 0);
    /* The clients' descriptors come first, then there is room for ten of the server's. */
    for (int i = 0; i < 10; i++) {
        test_connect(&c[i], "127.0.0.1", port);
        test_send(&c[i], get);
        test_expect(&c[i], 200, "hello");
    }
    for (int i = 10; i < 30; i++)
        c[i].fd = socket(AF_INET, SOCK_STREAM, 0);
    getrlimit(RLIMIT_NOFILE, &limit);
    rlim_t old = limit.rlim_cur;
    limit.rlim_cur = (rlim_t)used + 10 + 10 + 20 - 3;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    struct sockaddr_in name = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 10; i < 30; i++) {
        assert_int_equal(connect(c[i].fd, (struct sockaddr *)&name, sizeof name), 0);
        test_send(&c[i], get);
    }
    test_until(has_line, NULL);
    /* Those that are served go on, and the others' turn comes as descriptors come free. */
    test_send(&c[0], get);
    test_expect(&c[0], 200, "hello");
    limit.rlim_cur = old;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    for (int i = 10; i < 30; i++)
        test_expect(&c[i], 200, "hello");
    assert_true(atomic_load(&lines) <= 10);
    for (int i = 0; i < 30; i++)
        test_close(&c[i]);
    test_server_stop(server);
}

static void recovers_without_descriptors(void **state)
{
    run_out_of_descriptors();
}

static int listening_socket(uint32_t *ret_port)
{
    struct sockaddr_in name = { .sin_family = AF_INET };
    socklen_t len = sizeof name;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)&name, len), 0);
    assert_int_equal(listen(fd, 10), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&name, &len), 0);
    *ret_port = ntohs(name.sin_port);
    return fd;
}

static void takes_an_inherited_descriptor(void **state)
{
    uint32_t port;
    int fds = test_count_fds(), fd = listening_socket(&port);
    hoop_server *server = NULL;
    hoop_error error;
    char text[80];
    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        hoop_listener listeners[] = { { .fd = dup(fd) } };
        server = test_server_start(
            hoop_fn(hello, NULL),
            &(hoop_server_options){ HOOP_LISTENERS(listeners), .threads = threads });
        assert_int_equal(hoop_listener_port(server, 0), port);
        struct test_client c[12] = { 0 };
        for (int i = 0; i < 12; i++) {
            test_connect(&c[i], "127.0.0.1", port);
            test_send(&c[i], get);
        }
        for (int i = 0; i < 12; i++) {
            test_expect(&c[i], 200, "hello");
            test_close(&c[i]);
        }
        test_server_stop(server);
    }
    close(fd);
    assert_int_equal(test_count_fds(), fds);

    int plain = socket(AF_INET, SOCK_STREAM, 0);
    hoop_listener wrong[] = { { .fd = plain } };
    snprintf(text, sizeof text, "descriptor %d: no listening stream socket", plain);
    assert_int_equal(hoop_server_new(hoop_fn(hello, NULL), &server, &error,
                                     &(hoop_server_options){ HOOP_LISTENERS(wrong) }),
                     HOOP_EINVAL);
    assert_string_equal(error.text, text);
    /* Where there is no server the descriptor stays the caller's. */
    assert_int_equal(close(plain), 0);
    wrong[0].fd = 500;
    assert_int_not_equal(hoop_server_new(hoop_fn(hello, NULL), &server, &error,
                                         &(hoop_server_options){ HOOP_LISTENERS(wrong) }),
                         0);
    assert_string_equal(error.text, "descriptor 500: bad file descriptor");
}

/* What systemd does: two sockets at 3 and 4, and the variables. Exits 0 if all is well. */
static void serve_as_a_unit(void)
{
    uint32_t ports[2];
    char pid[32];
    for (int i = 0; i < 2; i++) {
        int fd = listening_socket(&ports[i]);
        if (dup2(fd, 10 + i) < 0)
            _exit(2);
    }
    for (int i = 0; i < 2; i++)
        if (dup2(10 + i, 3 + i) < 0)
            _exit(3);
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    setenv("LISTEN_PID", pid, 1);
    setenv("LISTEN_FDS", "2", 1);
    hoop_server *server = test_server_start(
        hoop_fn(hello, NULL), &(hoop_server_options){ .listen_fds = 1, .host = "192.0.2.1" });
    for (size_t i = 0; i < 2; i++) {
        struct test_client c = { 0 };
        if (hoop_listener_port(server, i) != ports[i])
            _exit(4);
        test_connect(&c, "127.0.0.1", ports[i]);
        test_send(&c, get);
        test_expect(&c, 200, "hello");
        test_close(&c);
    }
    test_server_stop(server);
    _exit(0);
}

static void takes_systemds_sockets(void **state)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0)
        serve_as_a_unit();
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    /* What is meant for another process is none of ours. */
    setenv("LISTEN_PID", "1", 1);
    setenv("LISTEN_FDS", "2", 1);
    hoop_server *server =
        test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ .listen_fds = 1 });
    assert_int_not_equal(hoop_listener_port(server, 0), 0);
    test_server_stop(server);
}

static void allocates_nothing_in_the_steady_state(void **state)
{
    struct test_allocator a;
    struct test_client c = { 0 };
    test_allocator_init(&a);
    hoop_server *server =
        test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ .allocator = &a.hoop });
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    unsigned long before = 0;
    for (int i = 0; i < 1000; i++) {
        test_send(&c, get);
        if (i % 3 == 0)
            test_send(&c, get);
        test_expect(&c, 200, "hello");
        if (i % 3 == 0)
            test_expect(&c, 200, "hello");
        if (i == 10)
            before = a.count;
    }
    assert_int_equal(a.count, before);
    test_close(&c);
    test_server_stop(server);
    assert_int_equal(a.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_systemds_sockets), /* forks: before there are threads */
        cmocka_unit_test(refuses_too_many),
        cmocka_unit_test(recovers_without_descriptors),
        cmocka_unit_test(takes_an_inherited_descriptor),
        cmocka_unit_test(allocates_nothing_in_the_steady_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
