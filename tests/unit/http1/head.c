/* The head: what is read of it, what is refused, its limits, and its memory. */
#include "driver.h"

#define GET  "GET / HTTP/1.1\r\n"
#define HOST "Host: a\r\n"

/* --- what is read ----------------------------------------------------------------------------- */

static void test_fields(void **state)
{
    (void)state;
    static const struct {
        const char *fields, *shown;
    } cases[] = {
        { "Host: a\r\n", "host=a\n" },
        { "hOsT:a\r\n", "host=a\n" },
        { "Host: \t a b\t \r\n", NULL },
        { "Host:\ta\t\r\nX:\t y \t z \t\r\n", "host=a\nx=y \t z\n" },
        { "X:\r\nY: \r\nHost: a\r\n", "x=\ny=\nhost=a\n" },
        { "Host: a\r\nX: 1\r\nX: 2\r\n", "host=a\nx=1\nx=2\n" },
        { "Host: a\r\n!#$%&'*+-.^_`|~09azAZ: v\r\n", "host=a\n!#$%&'*+-.^_`|~09azaz=v\n" },
        { "Host: a\r\nAccept-Language-Of-The-Client: v\r\n",
          "host=a\naccept-language-of-the-client=v\n" },
        { "Host: a\r\nFifteen-Letters: v\r\nSixteen-Letters-: w\r\nA_1: x\r\n",
          "host=a\nfifteen-letters=v\nsixteen-letters-=w\na_1=x\n" },
        { "Host: a\r\nX: caf\xc3\xa9 \xff\x80\r\n", "host=a\nx=caf\xc3\xa9 \xff\x80\n" },
        { "Host: a\r\nX: ()<>@,;:\\\"/[]?={} :\r\n", "host=a\nx=()<>@,;:\\\"/[]?={} :\n" },
        { "Host: a\r\nUpgrade: x\r\nConnection: upgrade\r\n",
          "host=a\nupgrade=x\nconnection=upgrade\n" },
        { "Host: [::1]:8080\r\n", "host=[::1]:8080\n" },
        { "Host:\r\n", "host=\n" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char input[512], shown[512];
        snprintf(input, sizeof input, GET "%s\r\n", cases[i].fields);
        if (!cases[i].shown) {
            driver_refuses(show, NULL, NULL, input, 400);
            continue;
        }
        snprintf(shown, sizeof shown, "GET 1 http HTTP/1.1 /\n%s", cases[i].shown);
        driver_each_split(show, NULL, NULL, input, strlen(input), ok(shown, ""), 0);
    }
}

static void test_secure(void **state)
{
    (void)state;
    const struct driver_options options = { .secure = 1 };
    const char input[] = GET HOST "\r\n";
    driver_each_split(show, NULL, &options, input, strlen(input),
                      ok("GET 1 https HTTP/1.1 /\nhost=a\n", ""), 0);
}

/* The connection's own texts may go before the exchange does. */
static const hoop_response *show_peer(const hoop_request *req, void *data)
{
    const struct driver_options *options = data;
    assert_ptr_not_equal(hoop_client_cert(req).data, options->cert);
    return hoop_textf(req, 200, "%s %s", hoop_remote_addr(req).data, hoop_client_cert(req).data);
}

static void ask_peer(struct test_allocator *allocator, void *data)
{
    struct driver d;
    struct driver_options *options = data;
    options->allocator = &allocator->hoop;
    driver_init(&d, show_peer, options, options);
    if (!d.failed)
        driver_text(&d, GET HOST "\r\n");
    driver_done(&d);
}

static void test_peer(void **state)
{
    (void)state;
    static char cert[20000];
    memset(cert, 'c', sizeof cert - 1);
    struct driver_options options = { .cert = "PEM" };
    const char input[] = GET HOST "\r\n";
    driver_each_split(show_peer, &options, &options, input, strlen(input), ok("peer PEM", ""), 0);
    options.cert = cert;
    test_each_allocation(ask_peer, &options);
}

/* --- what is refused -------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    (void)state;
    static const struct {
        const char *fields;
        int status;
    } cases[] = {
        { "\r\n", 400 },           /* no Host */
        { HOST HOST "\r\n", 400 }, /* two */
        { HOST "X: 1\r\nHost: b\r\n\r\n", 400 },
        { "Host: a b\r\n\r\n", 400 },
        { "Host: a/b\r\n\r\n", 400 },
        { "Host: u@a\r\n\r\n", 400 },
        { "Host: a:99999\r\n\r\n", 400 },
        { HOST " X: 1\r\n\r\n", 400 }, /* folds */
        { HOST "X: 1\r\n\tY: 2\r\n\r\n", 400 },
        { " X: 1\r\n" HOST "\r\n", 400 },
        { HOST "X : 1\r\n\r\n", 400 }, /* blanks in front of the colon */
        { HOST "X\t: 1\r\n\r\n", 400 },
        { HOST ": 1\r\n\r\n", 400 }, /* no name */
        { HOST "X\r\n\r\n", 400 },   /* no colon */
        { HOST "X(: 1\r\n\r\n", 400 },
        { HOST "X\x80: 1\r\n\r\n", 400 },
        { HOST "A-very-long-name-with-a-bad\x7f-byte: 1\r\n\r\n", 400 },
        { HOST "X: a\x01z\r\n\r\n", 400 }, /* control characters */
        { HOST "X: a\x7f\r\n\r\n", 400 },
        { HOST "X: a\nY: b\r\n\r\n", 400 }, /* LF alone */
        { HOST "X: a\rY: b\r\n\r\n", 400 }, /* CR alone */
        { HOST "X: a\r\r\n\r\n", 400 },
        { HOST "\r\rX", 400 },
        { HOST "\n", 400 },
        { HOST "Content-Length: 1\r\nContent-Length: 1\r\n\r\n", 400 },
        { HOST "Content-Length: 1, 1\r\n\r\n", 400 },
        { HOST "Content-Length: +1\r\n\r\n", 400 },
        { HOST "Content-Length: -1\r\n\r\n", 400 },
        { HOST "Content-Length: 0x1\r\n\r\n", 400 },
        { HOST "Content-Length:\r\n\r\n", 400 },
        { HOST "Content-Length: 1\t\r\n\r\n", 400 },
        { HOST "Content-Length: 9223372036854775808\r\n\r\n", 400 },
        { HOST "Content-Length: 99999999999999999999999\r\n\r\n", 400 },
        { HOST "Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n", 400 },
        { HOST "Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", 400 },
        { HOST "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400 },
        { HOST "Transfer-Encoding: gzip, chunked\r\n\r\n", 400 },
        { HOST "Transfer-Encoding: chunked, identity\r\n\r\n", 400 },
        { HOST "Transfer-Encoding: identity\r\n\r\n", 400 },
        { HOST "Transfer-Encoding: chunked;x\r\n\r\n", 400 },
        { HOST "Transfer-Encoding: chunked\t\r\n\r\n", 400 },
        { HOST "Transfer-Encoding:\r\n\r\n", 400 },
        { HOST "Transfer-Encoding: chunke\x44\x44\r\n\r\n", 400 },
        { HOST "Expect: tea\r\n\r\n", 417 },
        { HOST "Expect: 100-continue, tea\r\n\r\n", 417 },
        { HOST "Expect: 100-Continuf\r\n\r\n", 417 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char input[512];
        snprintf(input, sizeof input, GET "%s", cases[i].fields);
        driver_refuses(show, NULL, NULL, input, cases[i].status);
    }
}

static void test_nul_bytes(void **state)
{
    (void)state;
    static const char value[] = GET HOST "X: a\0b\r\n\r\n", name[] = GET HOST "X\0: b\r\n\r\n";
    static const char target[] = "GET /\0 HTTP/1.1\r\n" HOST "\r\n";
    driver_each_split(show, NULL, NULL, value, sizeof value - 1, rejection(400), 2);
    driver_each_split(show, NULL, NULL, name, sizeof name - 1, rejection(400), 2);
    driver_each_split(show, NULL, NULL, target, sizeof target - 1, rejection(400), 2);
}

/* Every byte in every place of a head: refused, or read the same however it is cut. */
static void test_every_byte(void **state)
{
    (void)state;
    static const char base[] =
        "POST /a?b HTTP/1.1\r\nHost: a\r\nX-Y: z\r\nContent-Length: 0\r\n\r\n";
    for (size_t at = 0; at < sizeof base - 1; at++) {
        for (int c = 0; c < 256; c++) {
            char input[sizeof base];
            struct driver whole, cut;
            memcpy(input, base, sizeof base);
            input[at] = (char)c;
            driver_init(&whole, show, NULL, NULL);
            driver_init(&cut, show, NULL, NULL);
            driver_feed(&whole, input, sizeof base - 1);
            driver_feed_cut(&cut, input, sizeof base - 1, 0);
            assert_bytes(cut.got, cut.got_len, whole.got, whole.got_len);
            assert_int_equal(cut.closed, whole.closed);
            driver_done(&whole);
            driver_done(&cut);
        }
    }
}

/* --- limits ----------------------------------------------------------------------------------- */

/* A head of exactly `len` bytes, made long by one field. */
static char *head_of(size_t len)
{
    static const char start[] = GET HOST "X: ", end[] = "\r\n\r\n";
    char *head = malloc(len + 1);
    memset(head, 'x', len);
    memcpy(head, start, sizeof start - 1);
    memcpy(head + len - (sizeof end - 1), end, sizeof end);
    return head;
}

/* Whole, and in pieces of `step`: the status of the answer. */
static int status_of(const struct driver_options *options, const char *input, size_t len,
                     size_t step)
{
    struct driver d;
    driver_init(&d, say, NULL, options);
    for (size_t at = 0; at < len; at += step)
        driver_feed(&d, input + at, len - at < step ? len - at : step);
    int status = d.got_len > 12 ? atoi(d.got + 9) : 0;
    driver_done(&d);
    return status;
}

static void test_max_head(void **state)
{
    (void)state;
    static const size_t limits[] = { 200, 2048, 4096, 32768 };
    static const size_t steps[] = { SIZE_MAX / 2, 1, 7, 1000 };
    for (size_t i = 0; i < HOOP_COUNT(limits); i++) {
        struct driver_options options = { .limits = { .max_head = limits[i] } };
        for (size_t k = 0; k < HOOP_COUNT(steps); k++) {
            for (size_t len = limits[i] - 3; len < limits[i] + 4; len++) {
                char *head = head_of(len);
                assert_int_equal(status_of(&options, head, len, steps[k]),
                                 len <= limits[i] ? 200 : 431);
                free(head);
            }
        }
    }
}

/* Lines that end everywhere around the end of the block, so that each way to outgrow it is met. */
static void test_block_end(void **state)
{
    (void)state;
    size_t room = HOOP__BLOCK_SIZE - offsetof(struct hoop__h1_exchange, block);
    for (size_t len = room - 150; len < room + 20; len++) {
        char *head = head_of(len), *two = malloc(len + 32);
        memcpy(two, head, len - 2);
        strcpy(two + len - 2, "Y: z\r\n\r\n");
        assert_int_equal(status_of(NULL, head, len, len), 200);
        assert_int_equal(status_of(NULL, head, len, 1), 200);
        assert_int_equal(status_of(NULL, two, len + 6, len), 200);
        assert_int_equal(status_of(NULL, two, len + 6, len - 3), 200);
        assert_int_equal(status_of(NULL, two, len + 6, 1), 200);
        free(head);
        free(two);
    }
}

static void test_endless_head(void **state)
{
    (void)state;
    char *flood = malloc(1 << 20);
    memset(flood, 'A', 1 << 20);
    assert_int_equal(status_of(NULL, flood, 1 << 20, 4096), 414);
    memcpy(flood, GET "X: ", 19);
    assert_int_equal(status_of(NULL, flood, 1 << 20, 4096), 431);
    assert_int_equal(status_of(NULL, flood, 1 << 20, 1 << 20), 431);
    free(flood);
}

static void test_max_headers(void **state)
{
    (void)state;
    static const size_t limits[] = { 1, 23, 24, 25, 47, 48, 128 };
    for (size_t i = 0; i < HOOP_COUNT(limits); i++) {
        struct driver_options options = { .limits = { .max_headers = limits[i] } };
        for (size_t count = limits[i]; count < limits[i] + 2; count++) {
            char head[4096] = GET HOST;
            for (size_t k = 1; k < count; k++)
                strcat(head, "X: y\r\n");
            strcat(head, "\r\n");
            int want = count <= limits[i] ? 200 : 431;
            assert_int_equal(status_of(&options, head, strlen(head), 4096), want);
            assert_int_equal(status_of(&options, head, strlen(head), 1), want);
        }
    }
}

static void test_max_target(void **state)
{
    (void)state;
    static const size_t limits[] = { 1, 100, 8192 };
    for (size_t i = 0; i < HOOP_COUNT(limits); i++) {
        struct driver_options options = { .limits = { .max_target = limits[i] } };
        for (size_t len = limits[i]; len < limits[i] + 80; len++) {
            char *head = malloc(len + 64);
            memset(head, '/', len + 64);
            memcpy(head, "GET ", 4);
            strcpy(head + 4 + len, " HTTP/1.1\r\n" HOST "\r\n");
            int want = len <= limits[i] ? 200 : 414;
            assert_int_equal(status_of(&options, head, strlen(head), 100000), want);
            assert_int_equal(status_of(&options, head, strlen(head), 11), want);
            free(head);
        }
    }
}

/* Limits that are off: a head of a megabyte is read, and its strings are right wherever they went. */
static void test_no_limits(void **state)
{
    (void)state;
    struct driver_options options = {
        .limits = { .max_head = HOOP_OFF, .max_headers = HOOP_OFF, .max_target = HOOP_OFF }
    };
    size_t len = 1 << 20;
    char *head = head_of(len);
    assert_int_equal(status_of(&options, head, len, len), 200);
    assert_int_equal(status_of(&options, head, len, 1000), 200);
    free(head);
    options.limits.max_arena = 65536;
    head = head_of(len);
    assert_int_equal(status_of(&options, head, len, len), 503);
    free(head);
}

static const hoop_response *sum(const hoop_request *req, void *data)
{
    (void)data;
    size_t names = 0, values = 0;
    check_nul(req->method);
    check_nul(req->uri);
    check_nul(req->query_string);
    for (size_t i = 0; i < req->header_count; i++) {
        check_nul(req->headers[i].name);
        check_nul(req->headers[i].value);
        names += req->headers[i].name.len;
        values += req->headers[i].value.len;
    }
    return hoop_textf(req, 200, "%s?%s %zu %zu %zu", req->uri.data, req->query_string.data,
                      req->header_count, names, values);
}

/* Heads that outgrow the block once and twice, cut everywhere. */
static void test_large(void **state)
{
    (void)state;
    char head[9000] = "GET http://b/u?q HTTP/1.1\r\n" HOST;
    for (int i = 0; i < 100; i++)
        sprintf(head + strlen(head), "Name-%02d: %060d\r\n", i, i);
    strcat(head, "\r\n");
    driver_each_split(sum, NULL, NULL, head, strlen(head), ok("/u?q 101 704 6001", ""), 0);
}

/* --- leading empty lines ---------------------------------------------------------------------- */

static void test_empty_lines(void **state)
{
    (void)state;
    static const char one[] = "\r\n" GET HOST "\r\n\r\n\r\n" GET HOST "\r\n";
    char want[1024];
    strcpy(want, ok("ok", ""));
    strcat(want, ok("ok", ""));
    driver_each_split(say, NULL, NULL, one, sizeof one - 1, want, 0);
    driver_refuses(say, NULL, NULL, "\r\n\r\n\r\n" GET HOST "\r\n", 400);
    driver_refuses(say, NULL, NULL, "\r" GET HOST "\r\n", 400);
    driver_refuses(say, NULL, NULL, "\n" GET HOST "\r\n", 400);
    driver_refuses(say, NULL, NULL, "\r\r\n" GET HOST "\r\n", 400);
}

/* --- memory ----------------------------------------------------------------------------------- */

static void read_heads(struct test_allocator *allocator, void *data)
{
    struct driver d;
    const struct driver_options options = { .allocator = &allocator->hoop };
    driver_init(&d, say, NULL, &options);
    if (!d.failed) {
        driver_text(&d, data);
        assert_true(d.got_len > 12);
        int status = atoi(d.got + 9);
        assert_true(status == 200 || status == 503 || status == 500);
    }
    driver_done(&d);
}

static void test_memory(void **state)
{
    (void)state;
    static char head[9000] = GET HOST;
    for (int i = 0; i < 100; i++)
        sprintf(head + strlen(head), "Name-%02d: %060d\r\n", i, i);
    strcat(head, "\r\n");
    test_each_allocation(read_heads, head);
    strcpy(head, GET HOST "\r\n");
    test_each_allocation(read_heads, head);
}

/* In the steady state a request takes no memory but a block that was there before. */
static void test_no_allocation(void **state)
{
    (void)state;
    struct test_allocator allocator;
    struct driver d;
    test_allocator_init(&allocator);
    const struct driver_options options = { .allocator = &allocator.hoop };
    driver_init(&d, say, NULL, &options);
    for (int i = 0; i < 2; i++) /* the memo's memory comes with the second */
        driver_text(&d, GET HOST "Accept: text/plain\r\nConnection: keep-alive\r\n\r\n");
    unsigned long before = allocator.count;
    for (int i = 0; i < 100; i++)
        driver_text(&d, GET HOST "Accept: text/plain\r\nConnection: keep-alive\r\n\r\n");
    assert_int_equal(allocator.count, before);
    driver_done(&d);
    assert_int_equal(allocator.live, 0);
    assert_true(sizeof(struct hoop__h1) <= 160);
}

/* --- llhttp ----------------------------------------------------------------------------------- */

/* The loose parser would take this; the define that makes it strict must have reached its sources. */
static void test_llhttp_is_strict(void **state)
{
    (void)state;
    static const char input[] = "GET / HTTP/1.1\r\n\rX";
    llhttp_settings_t settings;
    llhttp_t parser;
    llhttp_settings_init(&settings);
    llhttp_init(&parser, HTTP_REQUEST, &settings);
    llhttp_errno_t err = llhttp_execute(&parser, input, sizeof input - 1);
    assert_int_not_equal(err, HPE_OK);
#if LLHTTP_VERSION_MAJOR < 9
    assert_int_equal(err, HPE_STRICT);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_secure),
        cmocka_unit_test(test_peer),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_nul_bytes),
        cmocka_unit_test(test_every_byte),
        cmocka_unit_test(test_max_head),
        cmocka_unit_test(test_block_end),
        cmocka_unit_test(test_endless_head),
        cmocka_unit_test(test_max_headers),
        cmocka_unit_test(test_max_target),
        cmocka_unit_test(test_no_limits),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_empty_lines),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_no_allocation),
        cmocka_unit_test(test_llhttp_is_strict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
