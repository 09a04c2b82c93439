/* A handler that answers later had no way to learn that its client was gone, and its answer crashed. */
#include "regress.h"

#include <stdatomic.h>

static atomic_int cancels, dones;
static hoop_deferred *_Atomic owed;

static void on_cancel(void *data)
{
    atomic_fetch_add(&cancels, 1);
}

static void on_done(const hoop_done *done, void *data)
{
    atomic_fetch_add(&dones, 1);
}

static const hoop_response *later(const hoop_request *req, void *data)
{
    hoop_on_cancel(req, on_cancel, NULL);
    hoop_on_done(req, on_done, NULL);
    hoop_deferred *d = hoop_defer(req);
    const hoop_response *res = hoop_deferred_response(d);
    atomic_store(&owed, d);
    return res;
}

static int has_cancelled(void *data)
{
    return atomic_load(&cancels) > 0;
}

static int is_done(void *data)
{
    return atomic_load(&dones) > 0;
}

static void test(void **state)
{
    for (int how = 0; how < 2; how++) {
        hoop_server *server = test_server_start(hoop_fn(later, NULL), &(hoop_server_options){ 0 });
        struct test_client c = { 0 };
        atomic_store(&cancels, 0);
        atomic_store(&dones, 0);
        test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
        test_send(&c, REGRESS_GET);
        test_until_requests(server, 1);
        if (how)
            test_reset(&c);
        else
            test_close(&c);
        test_until(has_cancelled, NULL);
        hoop_deferred *d = atomic_load(&owed);
        const hoop_request *req = hoop_deferred_request(d);
        assert_int_equal(hoop_resolve(d, hoop_text(req, 200, "nobody hears it")), 0);
        test_until(is_done, NULL);
        test_until_connections(server, 0);
        assert_int_equal(atomic_load(&cancels), 1);
        assert_int_equal(atomic_load(&dones), 1);
        assert_int_equal(regress_stats(server).pending, 0);
        test_server_stop(server);
    }
}

REGRESS(test)
