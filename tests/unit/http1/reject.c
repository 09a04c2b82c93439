/* The answers to what can't be read. */
#include "driver.h"

static void test_all(void **state)
{
    (void)state;
    static const struct {
        const char *input;
        int status;
    } cases[] = {
        { "GET / HTTP/1.1\r\n\r\n", 400 },
        { "GET /aaaaaaaaaaaaaaaaaaaa HTTP/1.1\r\n", 414 },
        { "GET / HTTP/1.1\r\nHost: a\r\nExpect: x\r\n", 417 },
        { "GET / HTTP/1.1\r\nHost: a\r\nA: 1\r\nB: 2\r\n", 431 },
        { "FOO / HTTP/1.1\r\n", 501 },
        { "GET / HTTP/3.0\r\n", 505 },
    };
    const struct driver_options options = { .limits = { .max_target = 20, .max_headers = 2 } };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++)
        driver_refuses(say, NULL, &options, cases[i].input, cases[i].status);
}

/* An answer to HEAD has no body, not even this one. */
static void test_head(void **state)
{
    (void)state;
    static const char input[] = "HEAD / HTTP/1.1\r\nX Y\r\n";
    char want[512];
    strcpy(want, rejection(400));
    *(strstr(want, "\r\n\r\n") + 4) = 0;
    driver_each_split(say, NULL, NULL, input, sizeof input - 1, want, 2);
}

static void test_server_name(void **state)
{
    (void)state;
    struct driver d;
    char name[200];
    const struct driver_options options = { .server_name = "hoop" },
                                long_name = { .server_name = name };
    driver_init(&d, say, NULL, &options);
    driver_text(&d, "BAD\r\n");
    assert_got(&d, "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\n"
                   "Content-Length: 12\r\n" DATE_LINE "Server: hoop\r\n" CLOSE_LINE
                   "\r\nBad Request\n");
    driver_done(&d);
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = 0;
    driver_init(&d, say, NULL, &long_name);
    driver_text(&d, "BAD\r\n");
    assert_got(&d, rejection(400));
    driver_done(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),
        cmocka_unit_test(test_head),
        cmocka_unit_test(test_server_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
