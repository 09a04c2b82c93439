/* A query that ends in a percent sign, or has a key alone, was read beyond its end. */
#include "../unit/http1/driver.h"

static const hoop_response *ask_all(const hoop_request *req, void *data)
{
    static const char *const names[] = { "a", "k", "zz", "", "%", "%zz" };
    for (size_t i = 0; i < HOOP_COUNT(names); i++) {
        hoop_str value = hoop_param(req, names[i]);
        if (!hoop_str_is_none(value))
            check_nul(value);
        hoop_param_count(req, HOOP_IN_QUERY, names[i]);
    }
    return hoop_text(req, 200, "ok");
}

static void test(void **state)
{
    static const char *const queries[] = { "%",      "a=%", "a=%4", "%zz=1", "&&=&",  "k",     "=",
                                           "a=%4&k", "k&%", "+",    "a=%%",  "a=%4%", "k=%00", "" };
    for (size_t i = 0; i < HOOP_COUNT(queries); i++) {
        struct driver d;
        char input[128];
        snprintf(input, sizeof input, "GET /?%s HTTP/1.1\r\nHost: a\r\n\r\n", queries[i]);
        driver_init(&d, ask_all, NULL, NULL);
        driver_text(&d, input); /* from memory of exactly its size */
        assert_got(&d, ok("ok", ""));
        driver_done(&d);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
