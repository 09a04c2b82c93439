/* hoop_serve() as a program runs it: in a child, ended by signals. */
#include "client.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static const char get[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

static const hoop_response *hello(const hoop_request *req, void *data)
{
    return hoop_text_static(req, 200, "hello");
}

/* Writes each line to the pipe that `data` points to. */
static void write_line(int level, const char *text, void *data)
{
    char line[400];
    int n = snprintf(line, sizeof line, "%d %s\n", level, text);
    if (write(*(int *)data, line, (size_t)n) != n)
        _exit(9);
}

static int log_fd;

static const hoop_response *never(const hoop_request *req, void *data)
{
    write_line(HOOP_LOG_INFO, "dispatched", &log_fd);
    return hoop_deferred_response(hoop_defer(req)); /* and nobody resolves it */
}

static int own_handler_ran;

static void own_handler(int number)
{
    own_handler_ran = 1;
}

struct program {
    pid_t pid;
    FILE *log;
    uint32_t port;
};

static void read_line(struct program *p, char *line, size_t size)
{
    if (!fgets(line, (int)size, p->log))
        fail_msg("the program said nothing more");
    line[strcspn(line, "\n")] = 0;
}

/* The child's whole life. */
static void run(int fd, hoop_handler handler, uint32_t threads)
{
    log_fd = fd;
    signal(SIGTERM, own_handler);
    int rc = hoop_serve(
        handler, &(hoop_server_options){ .log = write_line, .log_data = &fd, .threads = threads });
    /* The old action is back. */
    raise(SIGTERM);
    _exit(own_handler_ran ? rc : 8);
}

static void begin(struct program *p, hoop_handler handler, uint32_t threads)
{
    int fds[2];
    char line[400];
    assert_int_equal(pipe(fds), 0);
    p->pid = fork();
    if (p->pid == 0) {
        close(fds[0]);
        run(fds[1], handler, threads);
    }
    close(fds[1]);
    p->log = fdopen(fds[0], "r");
    read_line(p, line, sizeof line);
    assert_int_equal(strncmp(line, "3 listening on http://127.0.0.1:", 32), 0);
    p->port = (uint32_t)atoi(line + 32);
}

static void expect_exit(struct program *p, int code)
{
    int status;
    assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), code);
    fclose(p->log);
}

static void ends_at_a_signal(void **state)
{
    int signals[] = { SIGTERM, SIGINT };
    for (int i = 0; i < 4; i++) {
        struct program p;
        struct test_client c = { 0 };
        begin(&p, hoop_fn(hello, NULL), i < 2 ? 1 : 3);
        test_connect(&c, "127.0.0.1", p.port);
        test_send(&c, get);
        test_expect(&c, 200, "hello");
        kill(p.pid, signals[i % 2]);
        test_expect_end(&c);
        expect_exit(&p, 0);
        test_close(&c);
    }
}

static void a_second_signal_does_not_wait(void **state)
{
    struct program p;
    struct test_client c = { 0 };
    char line[400];
    begin(&p, hoop_fn(never, NULL), 1);
    test_connect(&c, "127.0.0.1", p.port);
    test_send(&c, get);
    read_line(&p, line, sizeof line);
    assert_string_equal(line, "3 dispatched");
    kill(p.pid, SIGTERM);
    read_line(&p, line, sizeof line);
    assert_string_equal(line + 2, "draining; a second signal stops at once");
    kill(p.pid, SIGTERM);
    test_read_end(&c);
    expect_exit(&p, 0);
    test_close(&c);
}

static void says_why_it_can_not_start(void **state)
{
    int fds[2];
    char line[400] = "";
    hoop_server *server = test_server_start(hoop_fn(hello, NULL), &(hoop_server_options){ 0 });
    uint32_t port = hoop_listener_port(server, 0);
    assert_int_equal(pipe(fds), 0);
    int rc =
        hoop_serve(hoop_fn(hello, NULL),
                   &(hoop_server_options){ .port = port, .log = write_line, .log_data = &fds[1] });
    assert_int_equal(rc, 1);
    ssize_t n = read(fds[0], line, sizeof line - 1);
    char want[80];
    snprintf(want, sizeof want, "1 127.0.0.1:%u: address already in use\n", (unsigned)port);
    assert_int_equal(n, strlen(want));
    assert_string_equal(line, want);
    rc =
        hoop_serve(hoop_fn(hello, NULL),
                   &(hoop_server_options){ .port = 65536, .log = write_line, .log_data = &fds[1] });
    assert_int_equal(rc, 1);
    memset(line, 0, sizeof line);
    assert_true(read(fds[0], line, sizeof line - 1) > 0);
    assert_string_equal(line, "1 port 65536 is over 65535\n");
    close(fds[0]);
    close(fds[1]);
    test_server_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends_at_a_signal),
        cmocka_unit_test(a_second_signal_does_not_wait),
        cmocka_unit_test(says_why_it_can_not_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
