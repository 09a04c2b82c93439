/*
 * A million hostile requests on one loop: what is held afterwards is what was held before. Takes the number of
 * requests as its argument, so that a short run belongs to every test run.
 */
#include "driver.h"

static const hoop_response *by_method(const hoop_request *req, void *data)
{
    return req->method_number == HOOP_METHOD_POST ? echo_text(req, NULL) : show(req, NULL);
}

#define HOST "Host: a\r\n"

static const char *const inputs[] = {
    "GET / HTTP/1.1\r\n" HOST "\r\n",
    "GET /\x01 HTTP/1.1\r\n" HOST "\r\n",
    "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\n" HOST HOST "\r\n",
    "GET / HTTP/1.1\r\n" HOST "A : b\r\n\r\n",
    "POST / HTTP/1.1\r\n" HOST "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "POST / HTTP/1.1\r\n" HOST "Content-Length: 3, 3\r\n\r\nabc",
    "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nab",
    "POST / HTTP/1.1\r\n" HOST "Content-Length: 99999999999\r\n\r\nab",
    "POST / HTTP/1.1\r\n" HOST
    "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX-T: y\r\n\r\n",
    "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\nhello",
    "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n5;a=\"b\\\r\nhello",
    "POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\nContent-Length: 9\r\n\r\n",
    "POST / HTTP/1.1\r\n" HOST "Expect: x\r\nContent-Length: 9\r\n\r\n",
    "CONNECT a:1 HTTP/1.1\r\n" HOST "\r\n",
    "GET / HTTP/9.9\r\n" HOST "\r\n",
    "G",
    "\r\n\r\n\r\n",
    "\x16\x03\x01\x02",
    "HEAD / HTTP/1.1\r\n" HOST "\r\nGET / HTTP/1.1\r\n" HOST "\r\nBAD\r\n\r\n",
};

static unsigned long requests = 20000;

static void test(void **state)
{
    static char large[12000];
    struct test_allocator allocator;
    struct driver d;
    unsigned long before = 0, live = 0;
    test_allocator_init(&allocator);
    const struct driver_options options = { .allocator = &allocator.hoop };
    memset(large, 'x', sizeof large);
    driver_init(&d, by_method, NULL, &options);
    for (unsigned long i = 0; i < requests; i++) {
        const char *input = inputs[i % HOOP_COUNT(inputs)];
        size_t len = strlen(input), cut = i / HOOP_COUNT(inputs) % (len + 1);
        driver_feed(&d, input, cut);
        driver_feed(&d, input + cut, len - cut);
        if (i % 50 == 49)
            driver_feed(&d, large, sizeof large);
        if (i % 3 == 0)
            driver_eof(&d);
        if (i % 7 == 0)
            driver_sleep(&d, 70000);
        d.engine->ops->stop(d.engine, HOOP_EGONE);
        hoop__loop_turn(&d.loop);
        /* A fresh connection. */
        hoop__http1.init(d.engine, &d.host);
        d.out.len = d.out.ref_len = d.in_len = d.got_len = 0;
        d.eof = d.closed = d.linger = 0;
        if (i == requests / 100)
            before = allocator.live;
        live = allocator.live;
    }
    print_message(
        "%lu requests: %lu pieces of memory after a hundredth, %lu at the end; %llu errors\n",
        requests, before, live, (unsigned long long)d.loop.counters.errors);
    assert_int_equal(live, before);
    assert_true(d.loop.blocks.held < 32);
    driver_done(&d);
    assert_int_equal(allocator.live, 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test) };
    if (argc > 1)
        requests = strtoul(argv[1], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
