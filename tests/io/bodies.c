/* Bodies over real sockets: large ones in both directions, slow readers, bounds on what is kept. */
#include "client.h"

#include <stdio.h>
#include <pthread.h>

#define BIG ((size_t)5 * 1024 * 1024)

static char *big;

/* Bytes whose order shows: a number every eight bytes. */
static int make_big(void **state)
{
    big = malloc(BIG + 1);
    for (size_t i = 0; i < BIG; i += 8)
        snprintf(big + i, 9, "%08zu", i);
    return 0;
}

static int free_big(void **state)
{
    free(big);
    return 0;
}

static const hoop_response *send_big(const hoop_request *req, void *data)
{
    return hoop_bytes_static(req, 200, "text/plain", hoop_str_n(big, BIG));
}

static const hoop_response *send_copy(const hoop_request *req, void *data)
{
    return hoop_bytes(req, 200, "text/plain", hoop_str_n(big, BIG));
}

static const hoop_response *mirror(const hoop_request *req, void *data)
{
    return hoop_bytes(req, 200, "text/plain", hoop_body(req));
}

static const hoop_response *length(const hoop_request *req, void *data)
{
    return hoop_textf(req, 200, "%zu", hoop_body(req).len);
}

static void to_a_slow_reader(void **state)
{
    hoop_handler handlers[] = { hoop_fn(send_big, NULL), hoop_fn(send_copy, NULL) };
    for (size_t i = 0; i < HOOP_COUNT(handlers); i++) {
        hoop_server *server = test_server_start(handlers[i], &(hoop_server_options){ 0 });
        struct test_client c = { 0 };
        struct test_answer answer;
        test_connect_small(&c, hoop_listener_port(server, 0), 4096);
        test_send(&c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
                      "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
        for (int n = 0; n < 2; n++) {
            test_answer(&c, &answer);
            assert_int_equal(answer.status, 200);
            assert_int_equal(answer.body_len, BIG);
            assert_memory_equal(answer.body, big, BIG);
        }
        test_expect_end(&c);
        test_close(&c);
        test_server_stop(server);
    }
}

static void from_a_client_by_length(void **state)
{
    hoop_server *server = test_server_start(hoop_fn(mirror, NULL), &(hoop_server_options){ 0 });
    struct test_client c = { 0 };
    struct test_answer answer;
    size_t len = 1024 * 1024;
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    for (int i = 0; i < 3; i++) {
        test_send(&c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048576\r\n\r\n");
        test_send_bytes(&c, big, len);
        test_answer(&c, &answer);
        assert_int_equal(answer.status, 200);
        assert_int_equal(answer.body_len, len);
        assert_memory_equal(answer.body, big, len);
    }
    test_close(&c);
    test_server_stop(server);
}

static void from_a_client_in_chunks(void **state)
{
    hoop_server *server = test_server_start(hoop_fn(mirror, NULL), &(hoop_server_options){ 0 });
    struct test_client c = { 0 };
    struct test_answer answer;
    size_t len = 1024 * 1024, at = 0;
    char head[32];
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (size_t n = 1; at < len; n = n * 3 + 1) {
        size_t size = n < len - at ? n : len - at;
        snprintf(head, sizeof head, "%zx\r\n", size);
        test_send(&c, head);
        test_send_bytes(&c, big + at, size);
        test_send(&c, "\r\n");
        at += size;
    }
    test_send(&c, "0\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n");
    test_answer(&c, &answer);
    assert_int_equal(answer.status, 200);
    assert_int_equal(answer.body_len, len);
    assert_memory_equal(answer.body, big, len);
    test_expect(&c, 200, "");
    test_close(&c);
    test_server_stop(server);
}

static void too_large_is_refused(void **state)
{
    hoop_server *server = test_server_start(
        hoop_fn(length, NULL),
        &(hoop_server_options){ HOOP_LIMITS(&(hoop_limits){ .max_body = 1000 }) });
    struct test_client c = { 0 };
    struct test_answer answer;
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    /* The client sends on and on: it gets the answer all the same, and no reset destroys it. */
    test_send(&c, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 200000\r\n\r\n");
    test_send_some(&c, big, 200000);
    test_answer(&c, &answer);
    assert_int_equal(answer.status, 413);
    test_read_end(&c);
    test_close(&c);
    test_server_stop(server);
}

/* --- behind a deferred answer ---------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hoop_deferred *owed;

static const hoop_response *defer_first(const hoop_request *req, void *data)
{
    if (!hoop_str_eq_c(req->uri, "/first"))
        return hoop_text_static(req, 200, "x");
    pthread_mutex_lock(&lock);
    owed = hoop_defer(req);
    const hoop_response *res = hoop_deferred_response(owed);
    pthread_mutex_unlock(&lock);
    return res;
}

static void resolve_owed(const char *text)
{
    pthread_mutex_lock(&lock);
    hoop_deferred *deferred = owed;
    owed = NULL;
    pthread_mutex_unlock(&lock);
    hoop_resolve(deferred, hoop_text(hoop_deferred_request(deferred), 200, text));
}

static int has_read_ahead(void *data)
{
    hoop_stats stats;
    hoop_server_stats(data, &stats, sizeof stats);
    return stats.bytes_in >= 20000;
}

static void a_pipeline_behind_a_deferred_answer(void **state)
{
    hoop_server *server = test_server_start(
        hoop_fn(defer_first, NULL),
        &(hoop_server_options){ HOOP_LIMITS(&(hoop_limits){ .max_read_ahead = 20000 }) });
    struct test_client c = { 0 };
    static const char get[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    size_t len = sizeof get - 1, count = 1024 * 1024 / len;
    char *all = malloc(count * len);
    for (size_t i = 0; i < count; i++)
        memcpy(all + i * len, get, len);
    test_connect(&c, "127.0.0.1", hoop_listener_port(server, 0));
    test_send(&c, "GET /first HTTP/1.1\r\nHost: a\r\n\r\n");
    test_until_requests(server, 1);
    size_t sent = test_send_some(&c, all, count * len);
    hoop_stats stats;
    test_until(has_read_ahead, server);
    hoop_server_stats(server, &stats, sizeof stats);
    assert_int_equal(stats.requests, 1);
    assert_in_range(stats.bytes_in, 20000, 20000 + 64);
    resolve_owed("first");
    test_expect(&c, 200, "first");
    for (size_t i = 0; i < sent / len; i++)
        test_expect(&c, 200, "x");
    /* The rest of the one that was cut, and all others: in pieces, since nobody reads meanwhile. */
    for (size_t at = sent, answered = sent / len; answered < count; answered++) {
        size_t end = (answered + 1) * len;
        if (end > at)
            test_send_bytes(&c, all + at, end - at);
        at = end > at ? end : at;
        test_expect(&c, 200, "x");
    }
    free(all);
    test_close(&c);
    test_server_stop(server);
}

static void a_pipeline_that_nobody_reads(void **state)
{
    hoop_server *server = test_server_start(
        hoop_fn(send_big, NULL),
        &(hoop_server_options){ HOOP_LIMITS(&(hoop_limits){ .max_read_ahead = 10000 }) });
    struct test_client c = { 0 };
    test_connect_small(&c, hoop_listener_port(server, 0), 4096);
    for (int i = 0; i < 10; i++)
        test_send(&c, "GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    test_read(&c, 1);
    test_reset(&c);
    test_until_connections(server, 0);
    test_server_stop(server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_a_slow_reader),
        cmocka_unit_test(from_a_client_by_length),
        cmocka_unit_test(from_a_client_in_chunks),
        cmocka_unit_test(too_large_is_refused),
        cmocka_unit_test(a_pipeline_behind_a_deferred_answer),
        cmocka_unit_test(a_pipeline_that_nobody_reads),
    };
    return cmocka_run_group_tests(tests, make_big, free_big);
}
