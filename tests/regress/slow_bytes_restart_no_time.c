/* Each byte of a slow head began its time anew, so that some clients could hold all connections. */
#include "../unit/http1/driver.h"

/* Sends `piece` every `ms` until the connection ends; returns the seconds that took. */
static uint64_t trickle(struct driver *d, const char *piece, uint64_t ms)
{
    uint64_t start = d->loop.now;
    while (!d->closed && d->loop.now < start + 1000000) {
        driver_text(d, piece);
        driver_sleep(d, ms);
    }
    return (d->loop.now - start) / 1000;
}

static void test(void **state)
{
    struct driver d;
    driver_init(&d, say, NULL, NULL);
    driver_text(&d, "GET / HTTP/1.1\r\n");
    assert_int_equal(trickle(&d, "X: y\r\n", 1000), 10);
    assert_non_null(strstr(d.got, " 408 "));
    driver_done(&d);

    driver_init(&d, say, NULL, NULL);
    assert_int_equal(trickle(&d, "G", 500), 10);
    driver_done(&d);

    driver_init(&d, echo_text, NULL, NULL);
    driver_text(&d, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n");
    assert_int_equal(trickle(&d, "x", 1000), 5);
    assert_non_null(strstr(d.got, " 408 "));
    driver_done(&d);

    driver_init(&d, echo_text, NULL, NULL); /* a chunk for each byte is no faster */
    driver_text(&d, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    assert_int_equal(trickle(&d, "1\r\nx\r\n", 1000), 5);
    driver_done(&d);

    driver_init(&d, echo_text, NULL, NULL); /* nor are extensions and trailers a body */
    driver_text(&d, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n");
    assert_int_equal(trickle(&d, "X: y\r\n", 1000), 5);
    driver_done(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
