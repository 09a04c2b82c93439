/* A streamed response that had ended was complete for the client only when the connection timed out. */
#include "source.h"

static const hoop_response *stream(const hoop_request *req, void *data)
{
    return test_source_respond(req, 10, 5, /* known= */ 0, /* endless= */ 0);
}

static void test(void **state)
{
    /* No time of the connection's can help: they are all off. */
    hoop_limits limits = { .idle_ms = HOOP_OFF,
                           .first_byte_ms = HOOP_OFF,
                           .head_ms = HOOP_OFF,
                           .write_ms = HOOP_OFF,
                           .handler_ms = HOOP_OFF };
    hoop_server *server =
        test_server_start(hoop_fn(stream, NULL), &(hoop_server_options){ HOOP_LIMITS(&limits) });
    struct test_client c = { 0 };
    struct test_answer answer;
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    for (int i = 0; i < 3; i++) {
        test_send(&c, REGRESS_GET);
        test_answer(&c, &answer);
        assert_int_equal(answer.status, 200);
        assert_int_equal(answer.body_len, 10);
    }
    regress_until(server, responses, 3);
    assert_int_equal(regress_stats(server).accepted, 1);
    test_close(&c);
    test_server_stop(server);
}

REGRESS(test)
