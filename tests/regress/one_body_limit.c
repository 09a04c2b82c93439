/* There was a second, hidden limit on some kinds of bodies beside the one that could be set. */
#include "../unit/http1/driver.h"

#include <hoop/json.h>

static const hoop_response *by_json(const hoop_request *req, json_t *value, void *data)
{
    return hoop_text(req, 200, json_is_string(value) ? "json" : "other");
}

static const hoop_response *by_form(const hoop_request *req, hoop_str body, void *data)
{
    return hoop_text(req, 200, hoop_param_in(req, HOOP_IN_FORM, "\"x").len ? "form" : "raw");
}

static const hoop_response *by_path(const hoop_request *req, void *data)
{
    if (hoop_str_eq_c(req->uri, "/json"))
        return hoop_read_json(req, 0, by_json, NULL);
    return hoop_read_body(req, 0, by_form, NULL);
}

static void test(void **state)
{
    static const struct {
        const char *path, *type;
    } kinds[] = {
        { "/json", "application/json" },
        { "/form", "application/x-www-form-urlencoded" },
        { "/raw", "application/octet-stream" },
        { "/raw", "text/plain" },
    };
    static const size_t limits[] = { 100, 8192, 8193, 100000, 1048576 };
    for (size_t i = 0; i < HOOP_COUNT(kinds); i++) {
        for (size_t k = 0; k < HOOP_COUNT(limits); k++) {
            for (size_t len = limits[k] - 1; len <= limits[k] + 1; len++) {
                const struct driver_options options = { .limits = { .max_body = limits[k] } };
                char *input = malloc(len + 300);
                struct driver d;
                int at = sprintf(input,
                                 "POST %s HTTP/1.1\r\nHost: a\r\nContent-Type: %s\r\n"
                                 "Content-Length: %zu\r\n\r\n",
                                 kinds[i].path, kinds[i].type, len);
                memset(input + at, 'x', len);
                input[at] = input[(size_t)at + len - 1] = '"';
                driver_init(&d, by_path, NULL, &options);
                driver_feed(&d, input, (size_t)at + len);
                assert_int_equal(atoi(d.got + 9), len <= limits[k] ? 200 : 413);
                driver_done(&d);
                free(input);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
