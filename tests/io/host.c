/* A server as a guest on the host's own loop: nothing is left behind, and no signal is touched. */
#include "client.h"

#include <uv.h>

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

static const char get[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

static const hoop_response *hello(const hoop_request *req, void *data)
{
    return hoop_text_static(req, 200, "hello");
}

static void count(void *data)
{
    ++*(int *)data;
}

/* Runs the host's loop until there is something to read on the client's side. */
static void run_until_readable(uv_loop_t *uv, struct test_client *c)
{
    struct pollfd p = { c->fd, POLLIN, 0 };
    for (int i = 0; i < 10000 && poll(&p, 1, 0) == 0; i++) {
        uv_run(uv, UV_RUN_NOWAIT);
        poll(NULL, 0, 1);
    }
}

static void ask(uv_loop_t *uv, hoop_server *server)
{
    struct test_client c = { 0 };
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, get);
    run_until_readable(uv, &c);
    test_expect(&c, 200, "hello");
    test_close(&c);
}

static hoop_server *begin(uv_loop_t *uv, hoop_handler handler)
{
    assert_int_equal(uv_loop_init(uv), 0);
    return test_server_start(handler, &(hoop_server_options){ .loop = uv });
}

static void leaves_nothing_behind(void **state)
{
    uv_loop_t uv;
    int ended = 0, fds = test_count_fds();
    hoop_server *server = begin(&uv, hoop_fn(hello, NULL));
    ask(&uv, server);
    assert_int_equal(hoop_server_wait(server), HOOP_EINVAL);
    assert_int_equal(hoop_server_stop(server, count, &ended), 0);
    assert_int_equal(ended, 0);
    assert_int_equal(uv_run(&uv, UV_RUN_DEFAULT), 0);
    assert_int_equal(ended, 1);
    hoop_stats stats;
    hoop_server_stats(server, &stats, sizeof stats);
    assert_int_equal(stats.accepted, 1);
    assert_int_equal(stats.connections, 0);
    hoop_server_free(server);
    assert_int_equal(uv_loop_close(&uv), 0);
    assert_int_equal(test_count_fds(), fds);
}

static void frees_itself_behind_free(void **state)
{
    uv_loop_t uv;
    struct test_client c = { 0 };
    hoop_server *server = begin(&uv, hoop_fn(hello, NULL));
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, get);
    run_until_readable(&uv, &c);
    hoop_server_free(server);
    assert_int_equal(uv_run(&uv, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&uv), 0);
    test_expect(&c, 200, "hello");
    test_expect_end(&c);
    test_close(&c);
}

static void free_it(void *data)
{
    hoop_server_free(*(hoop_server **)data);
}

static void is_freed_by_its_last_callback(void **state)
{
    uv_loop_t uv;
    hoop_server *server = begin(&uv, hoop_fn(hello, NULL));
    int ended = 0;
    ask(&uv, server);
    assert_int_equal(hoop_server_stop(server, count, &ended), 0);
    assert_int_equal(hoop_server_drain(server, 1000, free_it, &server), 0);
    assert_int_equal(uv_run(&uv, UV_RUN_DEFAULT), 0);
    assert_int_equal(ended, 1);
    assert_int_equal(uv_loop_close(&uv), 0);
}

static void two_share_a_loop(void **state)
{
    uv_loop_t uv;
    hoop_server *first = begin(&uv, hoop_fn(hello, NULL));
    hoop_server *second =
        test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ .loop = &uv });
    ask(&uv, first);
    ask(&uv, second);
    hoop_server_free(first);
    ask(&uv, second);
    hoop_server_free(second);
    assert_int_equal(uv_run(&uv, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&uv), 0);
}

/* --- the host resolves ----------------------------------------------------------------------- */

static hoop_deferred *owed;

static const hoop_response *deferred(const hoop_request *req, void *data)
{
    owed = hoop_defer(req);
    return hoop_deferred_response(owed);
}

static void resolve(uv_timer_t *timer)
{
    if (!owed)
        return;
    hoop_deferred *d = owed;
    owed = NULL;
    hoop_resolve(d, hoop_text(hoop_deferred_request(d), 200, "hello"));
}

static void serves_what_the_host_resolves(void **state)
{
    uv_loop_t uv;
    uv_timer_t timer;
    hoop_server *server = begin(&uv, hoop_fn(deferred, NULL));
    uv_timer_init(&uv, &timer);
    uv_timer_start(&timer, resolve, 1, 1);
    for (int i = 0; i < 10; i++)
        ask(&uv, server);
    uv_close((uv_handle_t *)&timer, NULL);
    hoop_server_free(server);
    assert_int_equal(uv_run(&uv, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&uv), 0);
}

/* --- signals --------------------------------------------------------------------------------- */

static char large[1000000];

static const hoop_response *send_large(const hoop_request *req, void *data)
{
    return hoop_bytes_static(req, 200, "text/plain", hoop_str_n(large, sizeof large));
}

static void raises_no_sigpipe(void **state)
{
    uv_loop_t uv;
    struct test_client c = { 0 };
    hoop_stats stats;
    signal(SIGPIPE, SIG_DFL); /* whose default kills */
    hoop_server *server = begin(&uv, hoop_fn(send_large, NULL));
    for (int how = 0; how < 2; how++) {
        test_connect_small(&c, hoop_listener_port(server, 0), 4096);
        test_send(&c, get);
        test_send(&c, get);
        run_until_readable(&uv, &c);
        if (how)
            test_reset(&c);
        else
            test_close(&c);
        for (int i = 0; i < 10000; i++) {
            uv_run(&uv, UV_RUN_NOWAIT);
            hoop_server_stats(server, &stats, sizeof stats);
            if (!stats.connections)
                break;
            poll(NULL, 0, 1);
        }
        assert_int_equal(stats.connections, 0);
    }
    hoop_server_free(server);
    assert_int_equal(uv_run(&uv, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&uv), 0);
}

/* --- out of memory --------------------------------------------------------------------------- */

static void from_new_to_free(struct test_allocator *a, void *data)
{
    uv_loop_t uv;
    hoop_server *server = NULL;
    hoop_error error = { 0, "" };
    char path[64];
    snprintf(path, sizeof path, "/tmp/hoop-test-%d.sock", (int)getpid());
    hoop_listener listeners[] = { { .port = 0 }, { .path = path } };
    assert_int_equal(uv_loop_init(&uv), 0);
    int rc = hoop_server_new(
        hoop_fn(hello, NULL), &server, &error,
        &(hoop_server_options){ HOOP_LISTENERS(listeners), .loop = &uv, .allocator = &a->hoop });
    assert_int_equal(rc, error.code);
    if (!rc)
        rc = hoop_server_start(server, &error);
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    assert_int_equal(rc, error.code);
    if (!rc) {
        struct test_client c = { 0 };
        test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
        test_send(&c, get);
        run_until_readable(&uv, &c);
        test_read(&c, 0);
        test_close(&c);
    }
    hoop_server_free(server);
    assert_int_equal(uv_run(&uv, UV_RUN_DEFAULT), 0);
    assert_int_equal(uv_loop_close(&uv), 0);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void survives_every_failed_allocation(void **state)
{
    int fds = test_count_fds();
    test_each_allocation(from_new_to_free, NULL);
    assert_int_equal(test_count_fds(), fds);
}

/* libuv opens a pipe of its own with the first loop, and keeps it. */
static int warm_up(void **state)
{
    uv_loop_t uv;
    return uv_loop_init(&uv) || uv_loop_close(&uv);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_nothing_behind),
        cmocka_unit_test(frees_itself_behind_free),
        cmocka_unit_test(is_freed_by_its_last_callback),
        cmocka_unit_test(two_share_a_loop),
        cmocka_unit_test(serves_what_the_host_resolves),
        cmocka_unit_test(raises_no_sigpipe),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, warm_up, NULL);
}
