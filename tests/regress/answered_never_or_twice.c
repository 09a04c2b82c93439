/* A handler that gave no answer, or two, ended the whole process. */
#include "../unit/http1/driver.h"

static const hoop_response *kept;
static hoop_deferred *owed;

static const hoop_response *by_path(const hoop_request *req, void *data)
{
    switch (req->uri.data[1]) {
    case 'n': /* none, without a word */
        return NULL;
    case 'd': /* a promise that is dropped */
        owed = hoop_defer(req);
        kept = hoop_deferred_response(owed);
        hoop_deferred_drop(owed);
        return kept;
    case 't': /* twice */
        owed = hoop_deferred_ref(hoop_defer(req));
        kept = hoop_deferred_response(owed);
        assert_int_equal(hoop_resolve(owed, hoop_text(hoop_deferred_request(owed), 200, "1")), 0);
        assert_int_equal(hoop_resolve(owed, hoop_text(hoop_deferred_request(owed), 200, "2")),
                         HOOP_EALREADY);
        return kept;
        return kept;
    default:
        return hoop_text(req, 200, "ok");
    }
}

static void ask(struct driver *d, const char *path, int status)
{
    char input[100];
    snprintf(input, sizeof input, "GET %s HTTP/1.1\r\nHost: a\r\n\r\n", path);
    d->got_len = 0;
    driver_text(d, input);
    assert_int_equal(d->got_len > 12 ? atoi(d->got + 9) : 0, status);
    assert_int_equal(d->closed, 0);
}

static void test(void **state)
{
    struct driver d;
    driver_init(&d, by_path, NULL, NULL);
    for (int i = 0; i < 3; i++) {
        ask(&d, "/none", 500);
        ask(&d, "/dropped", 500);
        ask(&d, "/twice", 200);
        ask(&d, "/", 200);
    }
    assert_int_equal(d.loop.counters.pending, 0);
    driver_done(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
