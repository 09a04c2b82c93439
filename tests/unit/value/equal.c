/* Equality of requests and of responses: what counts, and what does not. */
#include "support.h"

#include "value/exchange.h"

/* --- requests -------------------------------------------------------------------------------- */

static const hoop_request *base(hoop_arena *arena)
{
    const hoop_request *req = hoop_mock(arena, "POST", "/a?b", "body");
    req = hoop_mock_header(req, "x", "1");
    req = hoop_mock_header(req, "y", "2");
    assert_non_null(req);
    return req;
}

/* Both ways round, and each with itself. */
static void requests(const hoop_request *a, const hoop_request *b, int equal)
{
    assert_int_equal(hoop_request_equal(a, b), equal);
    assert_int_equal(hoop_request_equal(b, a), equal);
    assert_int_equal(hoop_request_equal(a, a), 1);
}

static void test_same_requests(void **state)
{
    hoop_arena *arena = hoop_arena_new(), *other = hoop_arena_new();
    static const char key;
    const hoop_request *a = base(arena);
    requests(a, base(other), 1);
    requests(a, hoop_assoc(a, &key, arena), 1);
    requests(a, hoop_mock_peer(a, "127.0.0.1", 0), 1);
    requests(a, hoop_with_request_header(hoop_mock_header(a, "z", "1"), "z", NULL), 1);
    requests(hoop_app_request(arena), hoop_app_request(other), 1);
    hoop_arena_free(other);
    hoop_arena_free(arena);
}

static void test_null_requests(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    assert_true(hoop_request_equal(NULL, NULL));
    requests(base(arena), NULL, 0);
    hoop_arena_free(arena);
}

static void test_different_requests(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *a = base(arena);
    requests(a, hoop_with_method(a, "PUT"), 0);
    requests(a, hoop_with_method(a, "post"), 0);
    requests(a, hoop_with_uri(a, "/A", "b"), 0);
    requests(a, hoop_with_uri(a, "/a", "c"), 0);
    requests(a, hoop_with_uri(a, "/a", ""), 0);
    requests(hoop_with_uri(a, "/a", ""), hoop_with_uri(a, "/a", NULL), 0);
    requests(a, hoop_mock_header(a, "z", ""), 0);
    requests(a, hoop_with_request_header(a, "y", "3"), 0);
    requests(a, hoop_with_request_header(a, "x", "1"), 0); /* moved to the end */
    requests(a, hoop_mock_peer(a, "127.0.0.2", 0), 0);
    requests(a, hoop_mock_peer(a, "127.0.0.1", 1), 0);
    requests(a, hoop_mock_peer(a, "", 0), 0);
    requests(a, hoop_app_request(arena), 0);

    hoop_request *changed = &hoop__request_of(base(arena))->pub;
    changed->scheme = hoop_str_c("https");
    requests(a, changed, 0);
    changed = &hoop__request_of(base(arena))->pub;
    changed->protocol = hoop_str_c("HTTP/1.0");
    requests(a, changed, 0);
    hoop_arena_free(arena);
}

static void test_bodies(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *none = hoop_mock(arena, "POST", "/", NULL);
    const hoop_request *four = hoop_mock_body(none, NULL, hoop_str_n("a\0bc", 4));
    requests(four, hoop_mock_body(none, NULL, hoop_str_n("a\0bc", 4)), 1);
    requests(four, hoop_mock_body(none, NULL, hoop_str_n("a\0bd", 4)), 0);
    requests(four, hoop_with_request_header(none, "content-length", "4"), 0);
    /* No bytes are no body, and one that was not read does not count. */
    requests(hoop_mock_body(none, NULL, hoop_str_c("")),
             hoop_with_request_header(none, "content-length", "0"), 1);
    hoop__exchange_of(four)->body.state = HOOP__BODY_COMING;
    requests(four, hoop_with_request_header(none, "content-length", "4"), 1);
    hoop_arena_free(arena);
}

/* The peer in binary and as text, and peers of each kind. */
static void test_peers(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *a = base(arena), *b = base(arena);
    struct hoop__peer *peer = &hoop__exchange_of(a)->peer;
    memset(peer, 0, sizeof *peer);
    peer->family = 6;
    peer->remote[15] = 1;
    requests(a, hoop_mock_peer(b, "::1", 0), 1);
    requests(a, hoop_mock_peer(b, "::2", 0), 0);
    peer->family = 1;
    requests(a, hoop_mock_peer(b, "", 0), 1);
    peer->family = 0;
    requests(a, hoop_mock_peer(b, "", 0), 0);
    requests(a, b, 0);
    hoop__exchange_of(b)->peer.family = 0;
    requests(a, b, 1);
    hoop_arena_free(arena);
}

/* --- responses ------------------------------------------------------------------------------- */

static void responses(const hoop_response *a, const hoop_response *b, int equal)
{
    assert_int_equal(hoop_response_equal(a, b), equal);
    assert_int_equal(hoop_response_equal(b, a), equal);
    assert_int_equal(hoop_response_equal(a, a), 1);
}

static void test_same_responses(void **state)
{
    hoop_arena *arena = hoop_arena_new(), *other = hoop_arena_new();
    static const char key;
    const hoop_request *req = hoop_app_request(arena);
    const hoop_response *a = hoop_add_header(req, hoop_text(req, 200, "x"), "X-A", "1");
    responses(a, hoop_response_copy(other, a), 1);
    responses(a, hoop_freeze(other, a), 1);
    responses(a, hoop_response_assoc(req, a, &key, arena), 1);
    responses(a, hoop_add_header(req, hoop_text_static(req, 200, "x"), "x-a", "1"), 1);
    responses(hoop_respond(req, 204), hoop_respond(req, 204), 1);
    assert_true(hoop_response_equal(NULL, NULL));
    hoop_arena_free(other);
    hoop_arena_free(arena);
}

static void test_different_responses(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_app_request(arena);
    const hoop_response *a = hoop_text(req, 200, "x");
    responses(a, NULL, 0);
    responses(a, hoop_text(req, 201, "x"), 0);
    responses(a, hoop_text(req, 200, "y"), 0);
    responses(a, hoop_text(req, 200, "x "), 0);
    responses(a, hoop_html(req, 200, "x"), 0);
    responses(a, hoop_bytes(req, 200, NULL, hoop_str_c("x")), 0);
    responses(a, hoop_add_header(req, a, "a", ""), 0);
    const hoop_response *ab = hoop_add_header(req, hoop_add_header(req, a, "a", "1"), "b", "2");
    const hoop_response *ba = hoop_add_header(req, hoop_add_header(req, a, "b", "2"), "a", "1");
    responses(ab, ba, 0);
    responses(hoop_respond(req, 200), hoop_bytes(req, 200, NULL, hoop_str_c("")), 0);
    responses(a, hoop_pass(req), 0);
    responses(hoop_pass(req), hoop_pass(req), 1);
    hoop_arena_free(arena);
}

static int no_pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    *ret_len = 0;
    return HOOP_EOF;
}

static void no_finished(struct hoop__source *source, int code)
{
}

static void test_streams(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    struct hoop__source one = { .pull = no_pull, .finished = no_finished, .length = 1 }, two = one;
    const hoop_response *a = hoop__respond_source(req, 200, NULL, &one);
    responses(a, hoop__respond_source(req, 200, NULL, &two), 0);
    static const char key;
    responses(a, hoop_response_assoc(req, a, &key, NULL), 1);
    responses(a, hoop_bytes(req, 200, NULL, hoop_str_c("")), 0);
    hoop_arena_free(arena);
}

static const hoop_response *pend(const hoop_request *req, void *data)
{
    hoop_deferred *one = hoop_defer(req), *two = hoop_defer(req);
    const hoop_response *res = hoop_deferred_response(one);
    responses(res, hoop_deferred_response(two), 0);
    responses(res, hoop_respond(req, 200), 0);
    hoop_deferred_drop(two);
    hoop_resolve(one, hoop_respond(hoop_deferred_request(one), 204));
    return res;
}

static void test_pending(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *res =
        hoop_call_sync(hoop_fn(pend, NULL), hoop_mock(arena, "GET", "/", NULL));
    assert_non_null(res);
    hoop_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_requests),
        cmocka_unit_test(test_null_requests),
        cmocka_unit_test(test_different_requests),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_peers),
        cmocka_unit_test(test_same_responses),
        cmocka_unit_test(test_different_responses),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_pending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
