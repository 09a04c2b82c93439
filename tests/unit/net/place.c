/* Binding: one socket for each loop where that works, descriptors that come back, systemd's variables. */
#include "support.h"

#include "net/net.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static void has_a_socket_for_each_loop(void **state)
{
    int fds = test_count_fds();
    const char *hosts[] = { NULL, "::1", "0.0.0.0", "::" };
    for (size_t i = 0; i < HOOP_COUNT(hosts); i++) {
        struct hoop__place place = { .allocator = &hoop__malloc };
        hoop_listener listener = { .host = hosts[i] };
        hoop_error error = { 0, "" };
        assert_int_equal(hoop__place_open(&place, &listener, 4, "", &error), 0);
        assert_int_equal(place.fd_count, 4);
        assert_int_equal(test_count_fds(), fds + 4);
        assert_true(place.port > 0);
        hoop__place_done(&place, 0);
        assert_int_equal(test_count_fds(), fds);
    }
}

static void has_one_unix_socket_for_all(void **state)
{
    struct hoop__place place = { .allocator = &hoop__malloc };
    char path[64];
    snprintf(path, sizeof path, "/tmp/hoop-test-%d.sock", (int)getpid());
    hoop_listener listener = { .path = path };
    assert_int_equal(hoop__place_open(&place, &listener, 4, "", NULL), 0);
    assert_int_equal(place.fd_count, 1);
    assert_int_equal(access(path, F_OK), 0);
    hoop__place_done(&place, 0);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void refuses_a_path_that_does_not_fit(void **state)
{
    struct hoop__place place = { .allocator = &hoop__malloc };
    char path[200];
    hoop_error error;
    memset(path, 'x', sizeof path - 1);
    path[sizeof path - 1] = 0;
    hoop_listener listener = { .path = path };
    assert_int_equal(hoop__place_open(&place, &listener, 1, "", &error), HOOP_EINVAL);
    assert_non_null(strstr(error.text, "1 to 107 bytes"));
    listener.path = "";
    assert_int_equal(hoop__place_open(&place, &listener, 1, "listener 3: ", &error), HOOP_EINVAL);
    assert_string_equal(error.text, "listener 3: unix:: the path must have 1 to 107 bytes");
}

static void reads_systemds_variables(void **state)
{
    static const struct {
        const char *pid, *fds;
        uint32_t count;
    } cases[] = {
        { NULL, NULL, 0 },
        { NULL, "2", 0 },
        { "own", NULL, 0 },
        { "own", "2", 2 },
        { "1", "2", 0 },
        { "own", "", 0 },
        { "own", "-1", 0 },
        { "own", "2x", 0 },
        { "own", "0", 0 },
        { "", "2", 0 },
        { "own", "9999999999999999999999", 0 },
    };
    char own[32];
    snprintf(own, sizeof own, "%d", (int)getpid());
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        unsetenv("LISTEN_PID");
        unsetenv("LISTEN_FDS");
        if (cases[i].pid)
            setenv("LISTEN_PID", strcmp(cases[i].pid, "own") ? cases[i].pid : own, 1);
        if (cases[i].fds)
            setenv("LISTEN_FDS", cases[i].fds, 1);
        assert_int_equal(hoop__systemd_count(), cases[i].count);
    }
    unsetenv("LISTEN_PID");
    unsetenv("LISTEN_FDS");
}

static void open_one(struct test_allocator *a, void *data)
{
    struct hoop__place place = { .allocator = &a->hoop };
    hoop_error error = { 0, "" };
    int rc = hoop__place_open(&place, data, 3, "", &error);
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    assert_int_equal(error.code, rc);
    if (!rc)
        hoop__place_done(&place, 0);
}

static void survives_every_failed_allocation(void **state)
{
    int fds = test_count_fds();
    char path[64];
    snprintf(path, sizeof path, "/tmp/hoop-test-%d.sock", (int)getpid());
    hoop_listener listeners[] = { { .port = 0 }, { .path = path } };
    test_each_allocation(open_one, &listeners[0]);
    test_each_allocation(open_one, &listeners[1]);
    assert_int_equal(test_count_fds(), fds);
    assert_int_not_equal(access(path, F_OK), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(has_a_socket_for_each_loop),
        cmocka_unit_test(has_one_unix_socket_for_all),
        cmocka_unit_test(refuses_a_path_that_does_not_fit),
        cmocka_unit_test(reads_systemds_variables),
        cmocka_unit_test(survives_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
