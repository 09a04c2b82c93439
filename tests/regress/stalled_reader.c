/* A client that stopped reading kept its connection, and what was to be sent to it, for ever. */
#include "source.h"

#define SIZE ((size_t)64 * 1024 * 1024)

static char *bytes;

static const hoop_response *large(const hoop_request *req, void *data)
{
    return hoop_bytes_static(req, 200, "text/plain", hoop_str_n(bytes, SIZE));
}

static void test(void **state)
{
    hoop_limits limits = { .write_ms = 100 };
    bytes = calloc(1, SIZE);
    hoop_server *server =
        test_server_start(hoop_fn(large, NULL), &(hoop_server_options){ HOOP_LIMITS(&limits) });
    for (uint64_t i = 1; i <= 3; i++) {
        struct test_client c = { 0 };
        test_connect_small(&c, hoop_listener_port(server, 0), 4096);
        test_send(&c, REGRESS_GET);
        regress_until(server, late_write, i);
        test_until_connections(server, 0);
        test_close(&c);
    }
    test_server_stop(server);
    free(bytes);
}

REGRESS(test)
