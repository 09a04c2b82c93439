/* When the last line end of a head came together with the body, the body lost its first bytes. */
#include "../unit/http1/driver.h"

static void test(void **state)
{
    static const struct {
        const char *head, *body;
    } cases[] = {
        { "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n", "hello" },
        { "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n",
          "5\r\nhello\r\n0\r\n\r\n" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        for (size_t back = 0; back < 4; back++) {
            struct driver d;
            char rest[64];
            size_t cut = strlen(cases[i].head) - back;
            snprintf(rest, sizeof rest, "%s\r\n%s", cases[i].head + cut, cases[i].body);
            driver_init(&d, echo_text, NULL, NULL);
            driver_feed(&d, cases[i].head, cut);
            driver_text(&d, rest);
            assert_got(&d, ok("hello", ""));
            assert_int_equal(d.loop.counters.requests, 1);
            driver_done(&d);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
