/* Clients that stopped reading filled the kernel's memory for TCP with megabytes each, which stayed there when
 * their connections had been given up: nobody on the machine could talk to anybody any more. */
#include "source.h"

#include <errno.h>
#include <sys/socket.h>

#define SIZE ((size_t)64 * 1024 * 1024)
#define BOUND \
    ((uint64_t)1024 * 1024) /* of what one is sent: what waits unsent, and what is under way */

static char *bytes;

static const hoop_response *large(const hoop_request *req, void *data)
{
    return hoop_bytes_static(req, 200, "text/plain", hoop_str_n(bytes, SIZE));
}

static void test(void **state)
{
    hoop_limits limits = { .write_ms = 200 };
    bytes = calloc(1, SIZE);
    hoop_server *server =
        test_server_start(hoop_fn(large, NULL), &(hoop_server_options){ HOOP_LIMITS(&limits) });
    struct test_client c = { 0 };
    char buffer[4096];
    ssize_t n;
    test_connect_small(&c, hoop_listener_port(server, 0), 4096);
    test_send(&c, REGRESS_GET);
    regress_until(server, late_write, 1);
    test_until_connections(server, 0);
    assert_in_range(regress_stats(server).bytes_out, 1, BOUND);
    /* What was given up is not kept for him, as it would be if it had been closed in good order. */
    do
        n = recv(c.fd, buffer, sizeof buffer, 0);
    while (n > 0);
    assert_int_equal(n, -1);
    assert_int_equal(errno, ECONNRESET);
    test_close(&c);
    test_server_stop(server);
    free(bytes);
}

REGRESS(test)
