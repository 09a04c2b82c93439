/* A client that stopped reading a stream just when the server made a pause kept its connection for ever. */
#include "source.h"

#define SIZE ((size_t)64 * 1024 * 1024)

static const hoop_response *large(const hoop_request *req, void *data)
{
    return test_source_respond(req, 400 * SIZE, 65536, /* known= */ 1, 0);
}

static void test(void **state)
{
    hoop_limits limits = { .write_ms = 100 };
    hoop_server *server =
        test_server_start(hoop_fn(large, NULL), &(hoop_server_options){ HOOP_LIMITS(&limits) });
    for (uint64_t i = 1; i <= 3; i++) {
        struct test_client c = { 0 };
        test_connect_small(&c, hoop_listener_port(server, 0), 65536);
        test_send(&c, REGRESS_GET);
        regress_until(server, late_write, i);
        test_until_connections(server, 0);
        test_close(&c);
    }
    test_server_stop(server);
}

REGRESS(test)
