/* Options of callers old and new, and the error that each wrong value gets. */
#include "support.h"

#include "server/options.h"

#include <stdio.h>

static hoop_server_options read_options;
static hoop_limits limits;
static hoop_error error;

static int read(const hoop_server_options *options, size_t size)
{
    memset(&error, 0, sizeof error);
    return hoop__options_read(&read_options, &limits, options, size, &error);
}

static void fills_defaults(void **state)
{
    assert_int_equal(read(NULL, 0), 0);
    assert_int_equal(read_options.threads, 1);
    assert_int_equal(read_options.blocking_threads, 4);
    assert_non_null(read_options.allocator);
    assert_int_equal(limits.max_body, 1024 * 1024);
    assert_true(limits.max_connections >= 64);
    assert_int_equal(limits.max_connections_per_peer, limits.max_connections);
}

static void takes_structs_of_other_versions(void **state)
{
    struct {
        hoop_server_options known;
        uint64_t unknown;
    } longer = { { .port = 7 }, 0 };
    char text[252];
    hoop_server_options shorter = { .host = "x", .port = 7, .threads = 3 };
    assert_int_equal(read(&shorter, offsetof(hoop_server_options, threads)), 0);
    assert_int_equal(read_options.port, 7);
    assert_int_equal(read_options.threads, 1);
    assert_int_equal(read(&longer.known, sizeof longer), 0);
    longer.unknown = 1;
    assert_int_equal(read(&longer.known, sizeof longer), HOOP_EINVAL);
    snprintf(text, sizeof text,
             "options_size is %zu but this library knows %zu bytes, and what lies behind them is "
             "not zero",
             sizeof longer, sizeof longer.known);
    assert_string_equal(error.text, text);

    struct {
        hoop_limits known;
        uint64_t unknown;
    } more = { { .max_body = 7 }, 1 };
    hoop_server_options with = { .limits = &more.known, .limits_size = sizeof more };
    assert_int_equal(read(&with, sizeof with), HOOP_EINVAL);
    assert_int_equal(strncmp(error.text, "limits_size is ", 15), 0);
    more.unknown = 0;
    assert_int_equal(read(&with, sizeof with), 0);
    assert_int_equal(limits.max_body, 7);
    with.limits_size = offsetof(hoop_limits, max_body);
    assert_int_equal(read(&with, sizeof with), 0);
    assert_int_equal(limits.max_body, 1024 * 1024);
}

static void names_the_value_at_fault(void **state)
{
    static const hoop_listener one[1];
    static const hoop_allocator half = { .data = NULL };
    static const struct {
        hoop_server_options options;
        const char *text;
    } cases[] = {
        { { .port = 70000 }, "port 70000 is over 65535" },
        { { .loop = (struct uv_loop_s *)(uintptr_t)16, .threads = 2 },
          "threads can't be given with a host's loop" },
        { { .threads = 5000 }, "threads 5000 is over 1024" },
        { { .blocking_threads = 5000 }, "blocking_threads 5000 is over 1024" },
        { { .server_name = "a\r\nb" }, "server_name has a control character at byte 1" },
        { { .allocator = &half }, "allocator must have all of alloc, realloc and free" },
        { { .listeners = one, .listener_count = 1 },
          "listener_size is 0; it is the size of one listener" },
        { { .listeners = one, .listener_count = 1, .listener_size = 5 },
          "listener_size 5 is the size of no listener" },
        { { .listeners = one, .listener_size = sizeof one[0] },
          "listener_count is 0, but listeners are given" },
        { { .listener_count = 2 }, "listener_count is 2, but listeners is NULL" },
        { { .listeners = one, .listener_count = 1, .listener_size = sizeof one[0], .port = 80 },
          "host, path and port can't be given with listeners" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        assert_int_equal(read(&cases[i].options, sizeof cases[i].options), HOOP_EINVAL);
        assert_int_equal(error.code, HOOP_EINVAL);
        assert_string_equal(error.text, cases[i].text);
    }
}

static int read_listeners(hoop_server_options options, hoop_listener **ret, size_t *ret_count)
{
    assert_int_equal(read(&options, sizeof options), 0);
    return hoop__options_listeners(&read_options, ret, ret_count, &error);
}

static void names_the_listener_at_fault(void **state)
{
    static const struct {
        hoop_listener listener;
        const char *text;
    } cases[] = {
        { { .port = 65536 }, "listener 1: port 65536 is over 65535" },
        { { .protocol = 9 }, "listener 1: protocol 9 is unknown" },
        { { .fd = -3 }, "listener 1: fd -3 is negative" },
        { { .fd = 3, .host = "x" }, "listener 1: fd 3 can't be given with host, port or path" },
        { { .path = "/x", .port = 1 }, "listener 1: path '/x' can't be given with host or port" },
        { { .unix_mode = 01777 }, "listener 1: unix_mode 1777 is over 777" },
        { { .proxy_protocol = 2 }, "listener 1: proxy_protocol 2 is unknown" },
        { { .proxy_trusted = "::1" },
          "listener 1: proxy_trusted is set, but proxy_protocol is off" },
        { { .proxy_protocol = 1, .protocol = HOOP_AJP },
          "listener 1: proxy_protocol can't be given with HOOP_AJP" },
        { { .proxy_protocol = 1, .proxy_trusted = "::1, 10.0.0.0/33,127.0.0.1" },
          "listener 1: proxy_trusted: '10.0.0.0/33' is no address or network" },
        { { .proxy_protocol = 1, .proxy_trusted = "" },
          "listener 1: proxy_trusted: '' is no address or network" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        hoop_listener table[] = { { .port = 80 }, cases[i].listener }, *listeners;
        size_t count;
        assert_int_equal(
            read_listeners((hoop_server_options){ HOOP_LISTENERS(table) }, &listeners, &count),
            HOOP_EINVAL);
        assert_string_equal(error.text, cases[i].text);
    }
}

static void reads_listeners_of_other_versions(void **state)
{
    struct newer {
        hoop_listener known;
        uint64_t unknown;
    } newer[] = { { { .port = 1 }, 0 }, { { .port = 2 }, 0 } };
    hoop_listener *listeners;
    size_t count;
    hoop_server_options options = { .listeners = &newer[0].known,
                                    .listener_count = 2,
                                    .listener_size = sizeof newer[0] };
    assert_int_equal(read_listeners(options, &listeners, &count), 0);
    assert_int_equal(count, 2);
    assert_int_equal(listeners[1].port, 2);
    free(listeners);
    newer[1].unknown = 1;
    assert_int_equal(read_listeners(options, &listeners, &count), HOOP_EINVAL);
    assert_int_equal(strncmp(error.text, "listener_size is ", 17), 0);

    assert_int_equal(
        read_listeners((hoop_server_options){ .host = "h", .port = 5 }, &listeners, &count), 0);
    assert_int_equal(count, 1);
    assert_int_equal(listeners[0].port, 5);
    assert_string_equal(listeners[0].host, "h");
    free(listeners);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills_defaults),
        cmocka_unit_test(takes_structs_of_other_versions),
        cmocka_unit_test(names_the_value_at_fault),
        cmocka_unit_test(names_the_listener_at_fault),
        cmocka_unit_test(reads_listeners_of_other_versions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
