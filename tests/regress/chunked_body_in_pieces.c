/* A chunked body was seen as empty, or only its first chunk was read. */
#include "../unit/http1/driver.h"

static const hoop_response *sum(const hoop_request *req, hoop_str body, void *data)
{
    size_t wrong = 0;
    for (size_t i = 0; i < body.len; i++)
        wrong += body.data[i] != (char)('a' + i % 23);
    return hoop_textf(req, 200, "%zu %zu", body.len, wrong);
}

static const hoop_response *read_it(const hoop_request *req, void *data)
{
    return hoop_read_body(req, 0, sum, NULL);
}

static void send_in_chunks(size_t chunk, size_t count, size_t step)
{
    size_t cap = (chunk + 32) * count + 200, at = 0, total = 0;
    char *input = malloc(cap), want[64];
    struct driver d;
    at +=
        (size_t)sprintf(input, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n");
    for (size_t i = 0; i < count; i++) {
        at += (size_t)sprintf(input + at, "%zX\r\n", chunk);
        for (size_t k = 0; k < chunk; k++, total++)
            input[at++] = (char)('a' + total % 23);
        memcpy(input + at, "\r\n", 2);
        at += 2;
    }
    at += (size_t)sprintf(input + at, "0\r\n\r\n");
    driver_init(&d, read_it, NULL, NULL);
    for (size_t from = 0; from < at; from += step)
        driver_feed(&d, input + from, at - from < step ? at - from : step);
    snprintf(want, sizeof want, "%zu 0", total);
    assert_got(&d, ok(want, ""));
    driver_done(&d);
    free(input);
}

static void test(void **state)
{
    static const size_t sizes[] = { 1, 2, 255, 4096, 16383, 16384, 16385, 65537, 1048576 };
    static const size_t steps[] = { SIZE_MAX / 2, 65536, 1448 };
    for (size_t i = 0; i < HOOP_COUNT(sizes); i++)
        for (size_t k = 0; k < HOOP_COUNT(steps); k++) {
            send_in_chunks(sizes[i], 1, steps[k]);
            send_in_chunks(sizes[i], sizes[i] < 1000 ? 1000 : 1048576 / sizes[i], steps[k]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
