/* Requests and responses out of JSON: exact round trips, and what is refused, by name. */
#include "tools.h"

#include <stdio.h>

static void test_request(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    json_t *value = json_loads(
        "{\"method\":\"PURGE\",\"scheme\":\"https\",\"protocol\":\"HTTP/1.0\",\"uri\":\"/a\","
        "\"query_string\":\"\",\"headers\":[[\"x\",\"1\"],[\"host\",\"h:1\"],[\"x\",\"\"]],"
        "\"remote_addr\":\"::1\",\"remote_port\":65535,\"body\":{\"base64\":\"AP8=\"}}",
        0, NULL);
    const hoop_request *req = NULL;
    hoop_error error = { 1, "untouched" };
    assert_int_equal(hoop_request_from_json(arena, value, &req, &error), 0);
    json_decref(value);
    assert_string_equal(error.text, "untouched");
    assert_ptr_equal(req->arena, arena);
    assert_str(req->method, "PURGE");
    assert_int_equal(req->method_number, HOOP_METHOD_OTHER);
    assert_str(req->scheme, "https");
    assert_str(req->protocol, "HTTP/1.0");
    assert_str(req->uri, "/a");
    assert_str(req->query_string, "");
    assert_false(hoop_str_is_none(req->query_string));
    assert_int_equal(req->header_count, 3);
    assert_str(req->headers[0].name, "x");
    assert_str(req->headers[0].value, "1");
    assert_str(req->headers[1].name, "host");
    assert_str(req->headers[1].value, "h:1");
    assert_str(req->headers[2].name, "x");
    assert_str(req->headers[2].value, "");
    assert_str(hoop_remote_addr(req), "::1");
    assert_int_equal(hoop_remote_port(req), 65535);
    assert_str(hoop_server_name(req), "h");
    assert_int_equal(hoop_server_port(req), 1);
    assert_bytes(hoop_body(req).data, hoop_body(req).len, "\0\xff", 2);
    hoop_arena_free(arena);
}

/* No bytes are no body. */
static void test_empty_body(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    json_t *value = json_pack("{s:s,s:s,s:s}", "method", "GET", "uri", "/", "body", "");
    const hoop_request *req = NULL;
    assert_int_equal(hoop_request_from_json(arena, value, &req, NULL), 0);
    json_object_del(value, "body");
    assert_int_equal(hoop_body(req).len, 0);
    const hoop_request *other = NULL;
    assert_int_equal(hoop_request_from_json(arena, value, &other, NULL), 0);
    assert_true(hoop_request_equal(req, other));
    json_decref(value);
    hoop_arena_free(arena);
}

/* What may be left out, and what then stands there. */
static void test_least_request(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    json_t *value = json_pack("{s:s,s:s}", "method", "GET", "uri", "/");
    const hoop_request *req = NULL;
    assert_int_equal(hoop_request_from_json(arena, value, &req, NULL), 0);
    json_decref(value);
    assert_int_equal(req->method_number, HOOP_METHOD_GET);
    assert_str(req->scheme, "http");
    assert_str(req->protocol, "HTTP/1.1");
    assert_true(hoop_str_is_none(req->query_string));
    assert_int_equal(req->header_count, 0);
    assert_true(hoop_str_is_none(hoop_remote_addr(req)));
    assert_int_equal(hoop_remote_port(req), 0);
    assert_int_equal(hoop_server_port(req), 80);
    assert_false(hoop_has_body(req));
    assert_true(hoop_str_is_none(hoop_body(req)));
    hoop_arena_free(arena);
}

static const hoop_response *echo(const hoop_request *req, void *data)
{
    hoop_str addr = hoop_remote_addr(req);
    return hoop_textf(req, 200, "%s %s?%s %s %s %s", req->method.data, req->uri.data,
                      req->query_string.data, hoop_header(req, "a").data, addr.data,
                      hoop_body(req).data);
}

/* It is a mock request: handlers can be called with it. */
static void test_call(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    json_t *value =
        json_pack("{s:s,s:s,s:s,s:[[s,s]],s:s,s:s}", "method", "PUT", "uri", "/p", "query_string",
                  "q", "headers", "a", "b", "remote_addr", "10.0.0.1", "body", "bytes");
    const hoop_request *req = NULL;
    assert_int_equal(hoop_request_from_json(arena, value, &req, NULL), 0);
    json_decref(value);
    const hoop_response *res = hoop_call_sync(hoop_fn(echo, NULL), req);
    assert_non_null(res);
    assert_str(res->body, "PUT /p?q b 10.0.0.1 bytes");
    hoop_arena_free(arena);
}

static void refuse_request(const char *text, int code, const char *want)
{
    hoop_arena *arena = hoop_arena_new();
    json_error_t json_error;
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, &json_error);
    if (!value)
        fail_msg("%s: %s", text, json_error.text);
    const hoop_request *req = NULL;
    hoop_error error = { 0 };
    assert_int_equal(hoop_request_from_json(arena, value, &req, &error), code);
    assert_int_equal(error.code, code);
    assert_string_equal(error.text, want);
    assert_null(req);
    assert_int_equal(hoop_request_from_json(arena, value, &req, NULL), code);
    json_decref(value);
    hoop_arena_free(arena);
}

#define BASE "\"method\":\"GET\",\"uri\":\"/\""

static void test_refused_shapes(void **state)
{
    refuse_request("[]", HOOP_EINVAL, "the request is an array, not an object");
    refuse_request("null", HOOP_EINVAL, "the request is null, not an object");
    refuse_request("{}", HOOP_EMISSING, "the request has no method");
    refuse_request("{\"method\":\"GET\"}", HOOP_EMISSING, "the request has no uri");
    refuse_request("{" BASE ",\"url\":\"/\"}", HOOP_EINVAL,
                   "the request has the unknown key 'url'");
    refuse_request("{" BASE ",\"Method\":\"GET\"}", HOOP_EINVAL,
                   "the request has the unknown key 'Method'");
    refuse_request("{" BASE ",\"status\":200}", HOOP_EINVAL,
                   "the request has the unknown key 'status'");
    refuse_request("{\"method\":7,\"uri\":\"/\"}", HOOP_EINVAL, "method is a number, not a string");
    refuse_request("{\"method\":\"GET\",\"uri\":null}", HOOP_EINVAL, "uri is null, not a string");
    refuse_request("{" BASE ",\"body\":true}", HOOP_EINVAL, "body is true, not a string");
    refuse_request("{" BASE ",\"body\":[]}", HOOP_EINVAL, "body is an array, not a string");
    refuse_request("{" BASE ",\"remote_port\":\"1\"}", HOOP_EINVAL,
                   "remote_port is a string, not a whole number");
    refuse_request("{" BASE ",\"remote_port\":1.5}", HOOP_EINVAL,
                   "remote_port is a number, not a whole number");
    refuse_request("{" BASE ",\"remote_port\":65536}", HOOP_EINVAL,
                   "remote_port is 65536, not 0 to 65535");
    refuse_request("{" BASE ",\"remote_port\":-1}", HOOP_EINVAL,
                   "remote_port is -1, not 0 to 65535");
    refuse_request("{" BASE ",\"headers\":{}}", HOOP_EINVAL,
                   "headers is an object, not an array of pairs");
    refuse_request("{" BASE ",\"headers\":[[\"a\",\"b\"],[\"a\"]]}", HOOP_EINVAL,
                   "header 1 is not a pair of name and value");
    refuse_request("{" BASE ",\"headers\":[\"a\"]}", HOOP_EINVAL,
                   "header 0 is not a pair of name and value");
    refuse_request("{" BASE ",\"headers\":[[1,\"b\"]]}", HOOP_EINVAL,
                   "the name of header 0 is a number, not a string");
    refuse_request("{" BASE ",\"headers\":[[\"a\",false]]}", HOOP_EINVAL,
                   "the value of header 0 is false, not a string");
}

static void test_refused_base64(void **state)
{
    refuse_request("{" BASE ",\"body\":{}}", HOOP_EINVAL, "body has no base64 text: it is missing");
    refuse_request("{" BASE ",\"body\":{\"base64\":1}}", HOOP_EINVAL,
                   "body has no base64 text: it is a number");
    refuse_request("{" BASE ",\"body\":{\"base64\":\"A\"}}", HOOP_EINVAL, "body is no base64");
    refuse_request("{" BASE ",\"body\":{\"base64\":\"AB==\"}}", HOOP_EINVAL, "body is no base64");
    refuse_request("{" BASE ",\"body\":{\"base64\":\"\",\"x\":1}}", HOOP_EINVAL,
                   "body has the unknown key 'x'");
    refuse_request("{" BASE ",\"body\":{\"stream\":true}}", HOOP_EINVAL,
                   "body has the unknown key 'stream'");
    refuse_request("{\"method\":{\"base64\":\"R0U=\",\"base65\":1},\"uri\":\"/\"}", HOOP_EINVAL,
                   "method has the unknown key 'base65'");
}

static void test_refused_values(void **state)
{
    refuse_request("{\"method\":\"G T\",\"uri\":\"/\"}", HOOP_EINVAL,
                   "the method 'G T' is no token");
    refuse_request("{\"method\":\"\",\"uri\":\"/\"}", HOOP_EINVAL, "the method '' is no token");
    refuse_request("{" BASE ",\"scheme\":\"ftp\"}", HOOP_EINVAL,
                   "the scheme 'ftp' is not http, https, ws or wss");
    refuse_request("{" BASE ",\"protocol\":\"1.1\"}", HOOP_EINVAL,
                   "the protocol '1.1' is not like 'HTTP/1.1'");
    refuse_request("{\"method\":\"GET\",\"uri\":\"a\"}", HOOP_EINVAL,
                   "the uri 'a' does not begin with '/'");
    refuse_request("{\"method\":\"GET\",\"uri\":\"/a?b\"}", HOOP_EINVAL,
                   "the uri '/a?b' has a blank, a control character, '?' or '#'");
    refuse_request("{\"method\":\"GET\",\"uri\":\"/a\\u0000b\"}", HOOP_EINVAL,
                   "the uri '/a?b' has a blank, a control character, '?' or '#'");
    refuse_request("{" BASE ",\"query_string\":\"a b\"}", HOOP_EINVAL,
                   "the query string 'a b' has a blank, a control character or '#'");
    refuse_request("{" BASE ",\"headers\":[[\"X\",\"\"]]}", HOOP_EINVAL,
                   "the header name 'X' is not in lower case");
    refuse_request("{" BASE ",\"headers\":[[\"x:\",\"\"]]}", HOOP_EINVAL,
                   "the header name 'x:' is no token");
    refuse_request("{" BASE ",\"headers\":[[\"x\",\"a\\r\\nb: c\"]]}", HOOP_EINVAL,
                   "the value of header 'x' has a control character: 'a??b: c'");
    refuse_request("{" BASE ",\"headers\":[[\"x\",\" a\"]]}", HOOP_EINVAL,
                   "the value of header 'x' has blanks around it: ' a'");
    refuse_request("{" BASE ",\"remote_addr\":\"a\\u0000\"}", HOOP_EINVAL,
                   "remote_addr has a control character");
}

static void test_arguments(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    json_t *value = json_pack("{s:s,s:s}", "method", "GET", "uri", "/");
    const hoop_request *req = NULL;
    const hoop_response *res = NULL;
    assert_int_equal(hoop_request_from_json(NULL, value, &req, NULL), HOOP_EINVAL);
    assert_int_equal(hoop_request_from_json(arena, NULL, &req, NULL), HOOP_EINVAL);
    assert_int_equal(hoop_request_from_json(arena, value, NULL, NULL), HOOP_EINVAL);
    assert_int_equal(hoop_response_from_json(NULL, value, &res, NULL), HOOP_EINVAL);
    assert_int_equal(hoop_response_from_json(arena, NULL, &res, NULL), HOOP_EINVAL);
    assert_int_equal(hoop_response_from_json(arena, value, NULL, NULL), HOOP_EINVAL);
    json_decref(value);
    hoop_arena_free(arena);
}

/* --- responses ------------------------------------------------------------------------------- */

static void test_response(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    json_t *value =
        json_loads("{\"status\":299,\"headers\":[[\"X-A\",\"1\"],[\"content-type\",\"a/b\"],"
                   "[\"x-a\",{\"base64\":\"5A==\"}]],\"body\":\"x\"}",
                   0, NULL);
    const hoop_response *res = NULL;
    assert_int_equal(hoop_response_from_json(arena, value, &res, NULL), 0);
    json_decref(value);
    assert_ptr_equal(res->arena, arena);
    assert_int_equal(res->status, 299);
    assert_int_equal(res->body_kind, HOOP_BODY_BYTES);
    assert_str(res->body, "x");
    assert_int_equal(res->header_count, 3);
    assert_str(res->headers[0].name, "X-A");
    assert_str(res->headers[0].value, "1");
    assert_str(res->headers[1].name, "content-type");
    assert_str(res->headers[2].name, "x-a");
    assert_str(res->headers[2].value, "\xe4");

    value = json_pack("{s:i}", "status", 204);
    assert_int_equal(hoop_response_from_json(arena, value, &res, NULL), 0);
    json_decref(value);
    assert_int_equal(res->status, 204);
    assert_int_equal(res->header_count, 0);
    assert_int_equal(res->body_kind, HOOP_BODY_NONE);
    hoop_arena_free(arena);
}

static void refuse_response(const char *text, int code, const char *want)
{
    hoop_arena *arena = hoop_arena_new();
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    const hoop_response *res = NULL;
    hoop_error error = { 0 };
    assert_non_null(value);
    assert_int_equal(hoop_response_from_json(arena, value, &res, &error), code);
    assert_int_equal(error.code, code);
    assert_string_equal(error.text, want);
    assert_null(res);
    json_decref(value);
    hoop_arena_free(arena);
}

static void test_refused_responses(void **state)
{
    refuse_response("7", HOOP_EINVAL, "the response is a number, not an object");
    refuse_response("{}", HOOP_EINVAL, "status is missing, not a whole number");
    refuse_response("{\"status\":\"200\"}", HOOP_EINVAL, "status is a string, not a whole number");
    refuse_response("{\"status\":199}", HOOP_EINVAL, "status is 199, not 200 to 599");
    refuse_response("{\"status\":600}", HOOP_EINVAL, "status is 600, not 200 to 599");
    refuse_response("{\"status\":9223372036854775807}", HOOP_EINVAL,
                    "status is 9223372036854775807, not 200 to 599");
    refuse_response("{\"status\":200,\"method\":\"GET\"}", HOOP_EINVAL,
                    "the response has the unknown key 'method'");
    refuse_response("{\"status\":200,\"headers\":[[\"a\",\"b\",\"c\"]]}", HOOP_EINVAL,
                    "header 0 is not a pair of name and value");
    refuse_response("{\"status\":200,\"headers\":[[\"a b\",\"\"]]}", HOOP_EINVAL,
                    "'a b' is no header name");
    refuse_response("{\"status\":200,\"headers\":[[\"a\",\"\\n\"]]}", HOOP_EINVAL,
                    "the value of header 'a' has a control character");
    refuse_response("{\"status\":200,\"headers\":[[\"Transfer-Encoding\",\"chunked\"]]}",
                    HOOP_EINVAL, "header 'Transfer-Encoding' is set by the server alone");
    refuse_response("{\"status\":200,\"body\":{\"stream\":true}}", HOOP_EUNSUPPORTED,
                    "the body was a stream, whose bytes are not in the JSON form");
    refuse_response("{\"status\":200,\"body\":{\"stream\":false}}", HOOP_EINVAL,
                    "body has the unknown key 'stream'");
    refuse_response("{\"status\":200,\"body\":{\"stream\":true,\"base64\":\"\"}}", HOOP_EINVAL,
                    "body has the unknown key 'stream'");
    refuse_response("{\"status\":200,\"body\":null}", HOOP_EINVAL, "body is null, not a string");
}

/* --- there and back -------------------------------------------------------------------------- */

static json_t *through_text(json_t *value)
{
    assert_non_null(value);
    char *text = json_dumps(value, JSON_COMPACT);
    assert_non_null(text);
    json_t *back = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(back);
    assert_true(json_equal(value, back));
    free(text);
    json_decref(value);
    return back;
}

static hoop_str header_value(uint64_t *seed, hoop_arena *arena)
{
    hoop_str s = random_bytes(seed, arena, 12);
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];
        if (c < 0x20 || c == 0x7f)
            ((char *)(uintptr_t)s.data)[i] = '\t';
    }
    return hoop_str_trim(s);
}

static const hoop_request *random_request(uint64_t *seed, hoop_arena *arena)
{
    static const char *const methods[] = { "GET", "POST", "PUT", "x-odd!", "OPTIONS" };
    static const char *const names[] = { "a", "X-Long-Name", "accept", "host", "A" };
    char uri[128];
    hoop_str path = random_of(seed, arena, 20, "abc/%20\xc3\xa4\xff-._~");
    hoop_str query = random_of(seed, arena, 20, "a=&%3d+\xfe?/");
    snprintf(uri, sizeof uri, "%s/%s%s%s", random_below(seed, 2) ? "https://h:8" : "", path.data,
             random_below(seed, 2) ? "?" : "", "");
    if (uri[strlen(uri) - 1] == '?')
        snprintf(uri + strlen(uri), sizeof uri - strlen(uri), "%s", query.data);
    const hoop_request *req = hoop_mock(arena, methods[random_below(seed, 5)], uri, NULL);
    for (uint32_t n = random_below(seed, 6); n > 0; n--) {
        hoop_str value = header_value(seed, arena);
        req =
            hoop_mock_header(req, names[random_below(seed, 5)], hoop_arena_copy(arena, value).data);
    }
    if (random_below(seed, 2))
        req = hoop_mock_body(req, random_below(seed, 2) ? "a/b" : NULL,
                             random_bytes(seed, arena, 40));
    if (random_below(seed, 2))
        req =
            hoop_mock_peer(req, random_below(seed, 2) ? "" : "fe80::1", random_below(seed, 65536));
    assert_non_null(req);
    return req;
}

static void test_random_requests(void **state)
{
    uint64_t seed = 4242;
    for (int i = 0; i < 3000; i++) {
        hoop_arena *arena = hoop_arena_new(), *other = hoop_arena_new();
        const hoop_request *req = random_request(&seed, arena), *back = NULL;
        hoop_error error = { 0, "" };
        json_t *value = through_text(hoop_request_to_json(req));
        if (hoop_request_from_json(other, value, &back, &error))
            fail_msg("%s", error.text);
        assert_true(hoop_request_equal(req, back));
        assert_int_equal(hoop_lint_request(req, NULL), 0);
        json_t *again = hoop_request_to_json(back);
        assert_true(json_equal(value, again));
        json_decref(again);
        json_decref(value);
        /* Nothing of the first one is needed any more. */
        hoop_arena_free(arena);
        assert_int_equal(hoop_lint_request(back, NULL), 0);
        hoop_arena_free(other);
    }
}

static void test_random_responses(void **state)
{
    static const char *const names[] = { "a", "X-Long-Name", "set-cookie", "content-length", "A" };
    uint64_t seed = 777;
    for (int i = 0; i < 3000; i++) {
        hoop_arena *arena = hoop_arena_new(), *other = hoop_arena_new();
        const hoop_request *req = hoop_app_request(arena);
        int status = 200 + (int)random_below(&seed, 400);
        const hoop_response *res =
            random_below(&seed, 3)
                ? hoop_bytes(req, status, random_below(&seed, 2) ? " a/b " : NULL,
                             random_bytes(&seed, arena, 60))
                : hoop_respond(req, status);
        for (uint32_t n = random_below(&seed, 12); n > 0; n--)
            res = hoop_add_header(req, res, names[random_below(&seed, 5)],
                                  hoop_arena_copy(arena, header_value(&seed, arena)).data);
        assert_non_null(res);
        const hoop_response *back = NULL;
        json_t *value = through_text(hoop_response_to_json(res));
        assert_int_equal(hoop_response_from_json(other, value, &back, NULL), 0);
        assert_true(hoop_response_equal(res, back));
        json_t *again = hoop_response_to_json(back);
        assert_true(json_equal(value, again));
        json_decref(again);
        json_decref(value);
        hoop_arena_free(arena);
        assert_true(back->status == status);
        hoop_arena_free(other);
    }
}

/* Anything at all: what is taken is right, what is refused says why. */
static void test_random_values(void **state)
{
    static const char *const keys[] = { "method",       "scheme",  "protocol",    "uri",
                                        "query_string", "headers", "remote_addr", "remote_port",
                                        "body",         "status" };
    static const char *const texts[] = { "GET", "/",  "HTTP/1.1", "http",   "a",
                                         "",    "\n", "*",        "OPTIONS" };
    uint64_t seed = 99;
    int requests = 0, responses = 0;
    for (int i = 0; i < 20000; i++) {
        hoop_arena *arena = hoop_arena_new();
        json_t *value = json_object();
        if (random_below(&seed, 3) > 0) {
            json_object_set_new(value, "method", json_string("OPTIONS"));
            json_object_set_new(value, "uri", json_string("/"));
        } else {
            json_object_set_new(value, "status", json_integer(random_below(&seed, 700)));
        }
        for (uint32_t n = random_below(&seed, 3); n > 0; n--) {
            json_t *member = random_below(&seed, 4) ? json_string(texts[random_below(&seed, 9)])
                                                    : random_json(&seed, 3);
            json_object_set_new(value, keys[random_below(&seed, 10)], member);
        }
        const hoop_request *req = NULL;
        const hoop_response *res = NULL;
        hoop_error error = { 0 };
        if (hoop_request_from_json(arena, value, &req, &error) == 0) {
            requests++;
            assert_int_equal(hoop_lint_request(req, NULL), 0);
        } else {
            assert_true(error.code < 0 && error.text[0] != '\0');
        }
        if (hoop_response_from_json(arena, value, &res, &error) == 0) {
            responses++;
            assert_true(res->status >= 200 && res->status <= 599);
        }
        json_decref(value);
        hoop_arena_free(arena);
    }
    assert_true(requests > 100 && responses > 100);
}

static void read_once(struct test_allocator *allocator, void *data)
{
    json_t *const *values = data;
    hoop_arena *arena = failing_arena(allocator);
    const hoop_request *req = NULL;
    const hoop_response *res = NULL;
    hoop_error error = { 0 };
    if (!arena)
        return;
    int rc = hoop_request_from_json(arena, values[0], &req, &error);
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    assert_true((rc == 0) == (req != NULL) && error.code == rc);
    error.code = 0;
    rc = hoop_response_from_json(arena, values[1], &res, &error);
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    assert_true((rc == 0) == (res != NULL) && error.code == rc);
    hoop_arena_free(arena);
}

static void test_allocations(void **state)
{
    json_t *values[2] = {
        json_pack("{s:s,s:s,s:[[s,s],[s,s]],s:{s:s}}", "method", "GET", "uri", "/", "headers", "a",
                  "b", "c", "d", "body", "base64", "AAAA"),
        json_pack("{s:i,s:[[s,s],[s,s],[s,s],[s,s],[s,s],[s,s],[s,s]],s:s}", "status", 200,
                  "headers", "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n",
                  "body", "text"),
    };
    test_each_allocation(read_once, values);
    json_decref(values[0]);
    json_decref(values[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_request),
        cmocka_unit_test(test_least_request),
        cmocka_unit_test(test_call),
        cmocka_unit_test(test_empty_body),
        cmocka_unit_test(test_refused_shapes),
        cmocka_unit_test(test_refused_base64),
        cmocka_unit_test(test_refused_values),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_response),
        cmocka_unit_test(test_refused_responses),
        cmocka_unit_test(test_random_requests),
        cmocka_unit_test(test_random_responses),
        cmocka_unit_test(test_random_values),
        cmocka_unit_test(test_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
