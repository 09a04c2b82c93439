/* A form's value of more than some kilobytes was cut, or only its last piece was kept. */
#include "../unit/http1/driver.h"

static const hoop_response *answer(const hoop_request *req, hoop_str body, void *data)
{
    hoop_str value = hoop_param_in(req, HOOP_IN_FORM, "v");
    size_t right = 0;
    while (right < value.len && value.data[right] == (char)('a' + right % 23))
        right++;
    return hoop_textf(req, 200, "%zu %zu", value.len, right);
}

static const hoop_response *read_it(const hoop_request *req, void *data)
{
    return hoop_read_body(req, 0, answer, NULL);
}

#define TYPE "Content-Type: application/x-www-form-urlencoded\r\n"

static void send_value(size_t len, int chunked)
{
    const struct driver_options options = { .limits = { .max_body = 2000000 } };
    char *input = malloc(len + 500), *p = input, want[64];
    struct driver d;
    p += sprintf(p, "POST / HTTP/1.1\r\nHost: a\r\n" TYPE);
    if (chunked)
        p += sprintf(p, "Transfer-Encoding: chunked\r\n\r\n%zx\r\n", len + 6);
    else
        p += sprintf(p, "Content-Length: %zu\r\n\r\n", len + 6);
    p += sprintf(p, "v=");
    for (size_t i = 0; i < len; i++)
        *p++ = (char)('a' + i % 23);
    p += sprintf(p, chunked ? "&w=1\r\n0\r\n\r\n" : "&w=1");
    driver_init(&d, read_it, NULL, &options);
    for (char *at = input; at < p; at += 1448)
        driver_feed(&d, at, p - at < 1448 ? (size_t)(p - at) : 1448);
    snprintf(want, sizeof want, "%zu %zu", len, len);
    assert_got(&d, ok(want, ""));
    driver_done(&d);
    free(input);
}

static void test(void **state)
{
    static const size_t sizes[] = { 1, 15000, 16383, 16384, 18000, 65537, 1048576 };
    for (size_t i = 0; i < HOOP_COUNT(sizes); i++) {
        send_value(sizes[i], 0);
        send_value(sizes[i], 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
