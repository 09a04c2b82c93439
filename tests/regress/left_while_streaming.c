/* Whoever wrote to a stream never learnt that the client had left, on a connection used before. */
#include "source.h"

static atomic_int cancels, dones;

static void on_cancel(void *data)
{
    atomic_fetch_add(&cancels, 1);
}

static void on_done(const hoop_done *done, void *data)
{
    atomic_fetch_add(&dones, 1);
}

static const hoop_response *stream(const hoop_request *req, void *data)
{
    hoop_on_cancel(req, on_cancel, NULL);
    hoop_on_done(req, on_done, NULL);
    return test_source_respond(req, 10, 5, 0, /* endless= */ hoop_str_eq_c(req->uri, "/endless"));
}

static int has_cancelled(void *data)
{
    return atomic_load(&cancels) > 0;
}

static void test(void **state)
{
    for (int how = 0; how < 2; how++) {
        hoop_server *server = test_server_start(hoop_fn(stream, NULL), &(hoop_server_options){ 0 });
        struct test_client c = { 0 };
        struct test_answer answer;
        atomic_store(&cancels, 0);
        atomic_store(&dones, 0);
        atomic_store(&test_finished, 0);
        test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
        for (int i = 0; i < 2; i++) {
            test_send(&c, REGRESS_GET);
            test_answer(&c, &answer);
        }
        test_send(&c, "GET /endless HTTP/1.1\r\nHost: a\r\n\r\n");
        test_answer_head(&c, &answer);
        assert_int_equal(atomic_load(&cancels), 0);
        if (how)
            test_reset(&c);
        else
            test_close(&c);
        test_until(has_cancelled, NULL);
        test_server_stop(server);
        assert_int_equal(atomic_load(&cancels), 1);
        assert_int_equal(atomic_load(&dones), 3);
        assert_int_equal(atomic_load(&test_finished), 3);
    }
}

REGRESS(test)
