/* A request whose answer was put off and never given had no time limit at all. */
#include "regress.h"

static hoop_deferred *owed[3];

static const hoop_response *later(const hoop_request *req, void *data)
{
    static int next;
    owed[next] = hoop_defer(req);
    return hoop_deferred_response(owed[next++]);
}

static void test(void **state)
{
    hoop_limits limits = { .handler_ms = 50 };
    hoop_server *server =
        test_server_start(hoop_fn(later, NULL), &(hoop_server_options){ HOOP_LIMITS(&limits) });
    struct test_client c = { 0 };
    struct test_answer answer;
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    for (uint64_t i = 1; i <= 3; i++) {
        test_send(&c, REGRESS_GET); /* the connection goes on behind each */
        test_answer(&c, &answer);
        assert_int_equal(answer.status, 503);
        assert_int_equal(regress_stats(server).late_handler, i);
    }
    test_close(&c);
    for (int i = 0; i < 3; i++)
        hoop_deferred_drop(owed[i]);
    test_server_stop(server);
}

REGRESS(test)
