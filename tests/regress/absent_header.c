/* A client that sent no User-Agent crashed code that looked at it. */
#include "../unit/http1/driver.h"

static const hoop_response *look(const hoop_request *req, void *data)
{
    assert_true(hoop_str_is_none(hoop_header(req, "User-Agent")));
    assert_int_equal(hoop_header(req, "User-Agent").len, 0);
    assert_true(hoop_str_is_none(hoop_header_at(req, "User-Agent", 0)));
    assert_true(hoop_str_is_none(hoop_header_joined(req, "User-Agent")));
    assert_true(hoop_str_is_none(hoop_param(req, "none")));
    assert_true(hoop_str_is_none(hoop_request_content_type(req)));
    assert_true(hoop_str_is_none(hoop_request_charset(req)));
    assert_true(hoop_str_is_none(hoop_trailer(req, "none")));
    assert_true(hoop_str_is_none(hoop_client_cert(req)));
    assert_false(hoop_str_eq_c(hoop_header(req, "User-Agent"), "curl"));
    assert_false(hoop_str_eq_nocase(hoop_header(req, "User-Agent"), hoop_str_c("curl")));
    return hoop_text(req, 200, "ok");
}

static void test(void **state)
{
    struct driver d;
    driver_init(&d, look, NULL, NULL);
    driver_text(&d, "GET / HTTP/1.0\r\n\r\n");
    assert_got(&d, ok("ok", CLOSE_LINE));
    driver_done(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
