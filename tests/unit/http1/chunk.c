/* Chunked bodies: sizes, extensions, trailers, and what is refused of them. */
#include "driver.h"

#define POST "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

static void test_read(void **state)
{
    (void)state;
    static const struct {
        const char *chunks, *body;
    } cases[] = {
        { "0\r\n\r\n", "" },
        { "5\r\nhello\r\n0\r\n\r\n", "hello" },
        { "1\r\nh\r\n2\r\nel\r\n2\r\nlo\r\n0\r\n\r\n", "hello" },
        { "a\r\n0123456789\r\nB\r\n0123456789a\r\n0\r\n\r\n", "01234567890123456789a" },
        { "0000000000000000000000000000005\r\nhello\r\n00000\r\n\r\n", "hello" },
        { "5;a\r\nhello\r\n0;b=c\r\n\r\n", "hello" },
        { "5;a=b;c=\"d e\" ; f = g;h\r\nhello\r\n0\r\n\r\n", "hello" },
        { "5 ;a\r\nhello\r\n0\r\n\r\n", NULL },
        { "5;a=\"q;\\\"x\\\\\"\r\nhello\r\n0\r\n\r\n", "hello" },
        { "5;a=\"\xe4\xff\"\r\nhello\r\n0\r\n\r\n", "hello" },
        { "5\r\nhello\r\n0\r\nX-T: v\r\n\r\n", "hello [v]" },
        { "5\r\nhello\r\n0\r\nA:\r\nx-t:  a b \t\r\nX-T: w\r\n\r\n", "hello [a b]" },
        { "2\r\n\r\n\r\n0\r\n\r\n", "\r\n" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char input[512];
        snprintf(input, sizeof input, POST "%s", cases[i].chunks);
        if (cases[i].body)
            driver_each_split(echo_text, NULL, NULL, input, strlen(input), ok(cases[i].body, ""),
                              0);
        else
            driver_refuses(echo_text, NULL, NULL, input, 400);
    }
}

static void test_pipelined(void **state)
{
    (void)state;
    static const char input[] =
        POST "2\r\nab\r\n0\r\nX-T: t\r\n\r\n" POST "0\r\n\r\n" POST "1;x\r\nc\r\n0\r\n\r\n";
    char want[2048];
    strcpy(want, ok("ab [t]", ""));
    strcat(want, ok("", ""));
    strcat(want, ok("c", ""));
    driver_each_split(echo_text, NULL, NULL, input, sizeof input - 1, want, 0);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const cases[] = {
        "\r\n",
        ";a\r\n",
        "g\r\n",
        " 5\r\n",
        "\t5\r\n",
        "+5\r\n",
        "-5\r\n",
        "0x5\r\n",
        "5 \r\n",
        "5,5\r\n",
        "\"5\"\r\n",
        "5\n",
        "5\rX",
        "5\r\r\n",
        "5;\r\n",
        "5;a\n",
        "5;a\r\r\n",
        "5;a=\r\n",
        "5;a=b=c\r\n",
        "5;a b\r\n",
        "5;a=\"b\r\n",
        "5;a=\"b\"c\r\n",
        "5;a=\x01\r\n",
        "5;a=\"\x01\"\r\n",
        "5;a=\"\\\x01\"\r\n",
        "5;a \r\n",
        "5;=b\r\n",
        "5;a=(\r\n",
        "fffffffffffffffff\r\n",
        "10000000000000005\r\n",
        "FFFFFFFFFFFFFFFF\r\n",
        "8000000000000000\r\n",
        "3\r\nhello\r\n",
        "5\r\nhello\n",
        "5\r\nhello\rX",
        "5\r\nhello0\r\n",
        "5\r\nhello\r\n\r\n",
        "1\r\nh\r\n7fffffffffffffff\r\n",
        "0\r\nX\r\n\r\n",
        "0\r\n: x\r\n\r\n",
        "0\r\nX : y\r\n\r\n",
        "0\r\n X: y\r\n\r\n",
        "0\r\nX: y\r\n z\r\n\r\n",
        "0\r\nX: y\n\r\n",
        "0\r\nX: y\rz\r\n",
        "0\r\nX: \x01\r\n\r\n",
        "0\r\n\rX",
        "0\r\n\n",
        "0\r\nContent-Length: 4\r\n\r\n",
        "0\r\nTransfer-Encoding: chunked\r\n\r\n",
        "0\r\nhOST: b\r\n\r\n",
        "0\r\nConnection: close\r\n\r\n",
        "0\r\nUpgrade: x\r\n\r\n",
        "0\r\nTE: x\r\n\r\n",
        "0\r\nTrailer: x\r\n\r\n",
        "0\r\nCookie: x\r\n\r\n",
        "0\r\nAuthorization: x\r\n\r\n",
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char input[256];
        snprintf(input, sizeof input, POST "%s", cases[i]);
        driver_refuses(echo_text, NULL, NULL, input, 400);
    }
}

static int status_of(const struct driver_options *options, const char *chunks, size_t step)
{
    struct driver d;
    driver_init(&d, echo_text, NULL, options);
    driver_text(&d, POST);
    for (size_t at = 0, len = strlen(chunks); at < len; at += step)
        driver_feed(&d, chunks + at, len - at < step ? len - at : step);
    int status = d.got_len > 12 ? atoi(d.got + 9) : 0;
    driver_done(&d);
    return status;
}

/* Extensions of a body have one budget, and zeros that say nothing count, too. */
static void test_max_extension(void **state)
{
    (void)state;
    static const size_t steps[] = { 1, 3, 100000 };
    const struct driver_options options = { .limits = { .max_chunk_extension = 100 } };
    for (size_t i = 0; i < HOOP_COUNT(steps); i++) {
        for (size_t n = 90; n < 110; n++) {
            char one[512] = "1;", many[2048] = "", zeros[256];
            memset(one + 2, 'x', n - 1);
            strcpy(one + n + 1, "\r\na\r\n0\r\n\r\n");
            assert_int_equal(status_of(&options, one, steps[i]), n <= 100 ? 200 : 400);
            for (size_t k = 0; k < n / 2; k++)
                strcat(many, "1;x\r\na\r\n"); /* two bytes each */
            strcat(many, "0\r\n\r\n");
            assert_int_equal(status_of(&options, many, steps[i]), n / 2 * 2 <= 100 ? 200 : 400);
            memset(zeros, '0', n + 1);
            strcpy(zeros + n + 1, "1\r\na\r\n0\r\n\r\n");
            assert_int_equal(status_of(&options, zeros, steps[i]), n <= 100 ? 200 : 400);
        }
    }
}

static void test_max_trailer(void **state)
{
    (void)state;
    static const size_t steps[] = { 1, 3, 100000 };
    const struct driver_options options = { .limits = { .max_trailer = 1000 } };
    for (size_t i = 0; i < HOOP_COUNT(steps); i++) {
        for (size_t n = 995; n < 1005; n++) {
            char chunks[2048] = "0\r\nX-T: ";
            memset(chunks + 8, 'x', n - 9); /* n bytes with the empty line */
            strcpy(chunks + 8 + n - 9, "\r\n\r\n");
            assert_int_equal(status_of(&options, chunks, steps[i]), n <= 1000 ? 200 : 431);
        }
    }
}

static void test_many_trailers(void **state)
{
    (void)state;
    char chunks[4096] = "0\r\n";
    for (int i = 0; i < 100; i++)
        sprintf(chunks + strlen(chunks), "Name-%d: %d\r\n", i, i * i);
    strcat(chunks, "X-T: last\r\n\r\n");
    char input[5000];
    snprintf(input, sizeof input, POST "%s", chunks);
    driver_each_split(echo_text, NULL, NULL, input, strlen(input), ok(" [last]", ""), 0);
    const struct driver_options options = { .limits = { .max_headers = 100 } };
    assert_int_equal(status_of(&options, chunks, 7), 431);
}

/* Chunks of all sizes around those of buffers. */
static void test_sizes(void **state)
{
    (void)state;
    static const size_t sizes[] = { 1, 2, 15, 16, 255, 256, 4095, 4096, 16383, 16384, 65537 };
    for (size_t i = 0; i < HOOP_COUNT(sizes); i++) {
        struct driver d;
        char line[32];
        char *data = malloc(sizes[i] + 1);
        memset(data, 'x', sizes[i]);
        data[sizes[i]] = 0;
        driver_init(&d, echo_text, NULL, NULL);
        driver_text(&d, POST);
        for (int k = 0; k < 3; k++) {
            snprintf(line, sizeof line, "%zX\r\n", sizes[i]);
            driver_text(&d, line);
            driver_text(&d, data);
            driver_text(&d, "\r\n");
        }
        driver_text(&d, "0\r\n\r\n");
        snprintf(line, sizeof line, "Content-Length: %zu\r\n", 3 * sizes[i]);
        assert_non_null(strstr(d.got, line));
        assert_true(d.got_len > 3 * sizes[i]);
        assert_int_equal(strspn(d.got + d.got_len - 3 * sizes[i], "x"), 3 * sizes[i]);
        free(data);
        driver_done(&d);
    }
}

static void read_all(struct test_allocator *allocator, void *data)
{
    struct driver d;
    const struct driver_options options = { .allocator = &allocator->hoop };
    driver_init(&d, echo_text, NULL, &options);
    if (!d.failed)
        driver_text(&d, data);
    driver_done(&d);
}

static void test_memory(void **state)
{
    (void)state;
    static char input[32768] = POST "5\r\nhello\r\n0\r\n";
    for (int i = 0; i < 100; i++)
        sprintf(input + strlen(input), "Name-%02d: %060d\r\n", i, i);
    strcat(input, "\r\n");
    test_each_allocation(read_all, input);
    strcpy(input, POST "5000\r\n");
    memset(input + strlen(input), 'x', 0x5000);
    strcat(input, "\r\n0\r\n\r\n");
    test_each_allocation(read_all, input);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),        cmocka_unit_test(test_pipelined),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_max_extension),
        cmocka_unit_test(test_max_trailer), cmocka_unit_test(test_many_trailers),
        cmocka_unit_test(test_sizes),       cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
