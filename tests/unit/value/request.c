/* The request value: nobody changes one; derived ones share what they don't replace. */
#include "fake.h"

#include "value/exchange.h"

#include <stdio.h>

static struct fake f;
static struct fake_exchange *fx;
static const hoop_request *req;

static const hoop_field fields[] = { { { "host", 4 }, { "h", 1 } },
                                     { { "accept", 6 }, { "a", 1 } },
                                     { { "accept", 6 }, { "b", 1 } } };

static int setup(void **state)
{
    fake_init(&f);
    fx = fake_make(&f, "GET", "/path");
    fx->x.request.pub.query_string = hoop_str_c("q=1");
    fx->x.request.pub.headers = fields;
    fx->x.request.pub.header_count = HOOP_COUNT(fields);
    req = &fx->x.request.pub;
    return 0;
}

static int teardown(void **state)
{
    fake_end(fx, HOOP_EGONE);
    fake_done(&f);
    return 0;
}

/* Everything that a request shows, in one text. */
static const char *show(const hoop_request *r)
{
    static char text[2][1024];
    static int turn;
    char *out = text[turn = !turn];
    int len = snprintf(out, 1024, "%s(%u) %s://%s%s%s %s", r->method.data, r->method_number,
                       r->scheme.data, r->uri.data, hoop_str_is_none(r->query_string) ? "" : "?",
                       r->query_string.data, r->protocol.data);
    for (size_t i = 0; i < r->header_count; i++)
        len += snprintf(out + len, 1024 - (size_t)len, "|%s:%s", r->headers[i].name.data,
                        r->headers[i].value.data);
    return out;
}

#define ORIGINAL "GET(1) http:///path?q=1 HTTP/1.1|host:h|accept:a|accept:b"

static const char key, other;

static void test_assoc_makes_a_new_request(void **state)
{
    const hoop_request *a = hoop_assoc(req, &key, "1");
    const hoop_request *b = hoop_assoc(a, &other, "2");
    const hoop_request *c = hoop_assoc(b, &key, "3");
    const hoop_request *d = hoop_assoc(a, &key, NULL);
    assert_null(hoop_get(req, &key));
    assert_string_equal(hoop_get(a, &key), "1");
    assert_null(hoop_get(a, &other));
    assert_string_equal(hoop_get(b, &key), "1");
    assert_string_equal(hoop_get(c, &key), "3");
    assert_string_equal(hoop_get(c, &other), "2");
    assert_null(hoop_get(d, &key)); /* the later one hides, also as NULL */
    assert_string_equal(show(c), ORIGINAL);
    assert_ptr_equal(c->headers, req->headers); /* shared */
    assert_null(hoop_get(NULL, &key));
    assert_null(hoop_assoc(NULL, &key, "1"));
}

static void test_keys_are_addresses(void **state)
{
    const char one[] = "same", two[] = "same";
    const hoop_request *a = hoop_assoc(req, one, "1");
    assert_null(hoop_get(a, two));
    assert_string_equal(hoop_get(a, one), "1");
}

static void test_with_uri(void **state)
{
    char uri[] = "/new", query[] = "x";
    const hoop_request *a = hoop_with_uri(hoop_assoc(req, &key, "1"), uri, query);
    uri[1] = query[0] = '!';
    assert_string_equal(show(a), "GET(1) http:///new?x HTTP/1.1|host:h|accept:a|accept:b");
    assert_string_equal(hoop_get(a, &key), "1");
    assert_string_equal(show(hoop_with_uri(req, "/n", NULL)),
                        "GET(1) http:///n HTTP/1.1|host:h|accept:a|accept:b");
    assert_string_equal(show(hoop_with_uri(req, "*", "")),
                        "GET(1) http://*? HTTP/1.1|host:h|accept:a|accept:b");
    assert_string_equal(show(req), ORIGINAL);
    assert_null(hoop_with_uri(NULL, "/", NULL));
    assert_null(hoop_failure(req));
    static const char *const bad[] = { "/a?b", "/a b", "/a#b", "", "a", "*a", "/a\nb", "/\x7f" };
    for (size_t i = 0; i < HOOP_COUNT(bad); i++) {
        char want[64];
        fx->x.note = NULL;
        snprintf(want, sizeof want, "'%s' is no path", bad[i]);
        assert_null(hoop_with_uri(req, bad[i], NULL));
        assert_noted(req, HOOP_EINVAL, want);
    }
    assert_null(hoop_with_uri(req, NULL, NULL));
    assert_null(hoop_with_uri(req, "/", "a\r\nb"));
}

static void test_with_method(void **state)
{
    char method[] = "PUT";
    const hoop_request *a = hoop_with_method(req, method);
    method[0] = 'x';
    assert_string_equal(show(a), "PUT(4) http:///path?q=1 HTTP/1.1|host:h|accept:a|accept:b");
    assert_int_equal(hoop_with_method(req, "PURGE")->method_number, HOOP_METHOD_OTHER);
    assert_string_equal(show(req), ORIGINAL);
    assert_null(hoop_failure(req));
    assert_null(hoop_with_method(req, "P T"));
    assert_noted(req, HOOP_EINVAL, "'P T' is no method");
    assert_null(hoop_with_method(req, ""));
    assert_null(hoop_with_method(req, NULL));
    assert_null(hoop_with_method(NULL, "GET"));
}

static void test_with_request_header(void **state)
{
    char name[] = "X-New", value[] = " v ";
    const hoop_request *a = hoop_with_request_header(req, name, value);
    name[0] = value[1] = '!';
    assert_string_equal(show(a),
                        "GET(1) http:///path?q=1 HTTP/1.1|host:h|accept:a|accept:b|x-new:v");
    a = hoop_with_request_header(req, "ACCEPT", "c");
    assert_string_equal(show(a), "GET(1) http:///path?q=1 HTTP/1.1|host:h|accept:c");
    a = hoop_with_request_header(req, "Accept", NULL);
    assert_string_equal(show(a), "GET(1) http:///path?q=1 HTTP/1.1|host:h");
    assert_string_equal(show(req), ORIGINAL);
    assert_null(hoop_failure(req));
    assert_null(hoop_with_request_header(req, "a b", "c"));
    assert_noted(req, HOOP_EINVAL, "'a b: c' can't stand in a header");
    assert_null(hoop_with_request_header(req, "a", "b\r\nc: d"));
    assert_null(hoop_with_request_header(req, NULL, "c"));
    assert_null(hoop_with_request_header(NULL, "a", "c"));
}

static void test_memory_of_the_exchange(void **state)
{
    char *memory = hoop_alloc(req, 10);
    assert_int_equal((uintptr_t)memory % 16, 0);
    assert_string_equal(hoop_strdup(req, "abc"), "abc");
    assert_string_equal(hoop_printf(req, "%d-%s", 7, "x"), "7-x");
    assert_string_equal(hoop_printf(req, "%s", ""), "");
    assert_null(hoop_strdup(req, NULL));
    assert_null(hoop_failure(req));
    assert_null(hoop_alloc(NULL, 1));
    assert_null(hoop_strdup(NULL, "a"));
    assert_null(hoop_printf(NULL, "a"));
    assert_null(hoop_alloc(req, (size_t)1 << 40));
    assert_noted(req, HOOP_ENOMEM, "out of memory");
}

static void test_a_request_for_constants(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *app = hoop_app_request(arena);
    assert_string_equal(show(app), "GET(1) http:/// HTTP/1.1");
    assert_ptr_equal(app->arena, arena);
    assert_null(hoop_app_request(NULL));
    hoop_arena_free(arena);
}

static void derive_each(struct test_allocator *a, void *data)
{
    hoop_arena_options options = { &a->hoop, 0, 1 };
    hoop_arena *tight = hoop_arena_new_with(&options);
    const hoop_request *r = hoop_app_request(tight);
    if (r) {
        const void *all[] = {
            hoop_assoc(r, &key, "1"),   hoop_with_uri(r, "/new", "query"),
            hoop_with_method(r, "PUT"), hoop_with_request_header(r, "a", "b"),
            hoop_alloc(r, 10),          hoop_strdup(r, "text"),
            hoop_printf(r, "text"),
        };
        size_t failed = 0;
        for (size_t i = 0; i < HOOP_COUNT(all); i++)
            failed += !all[i];
        assert_int_equal(failed, a->count >= a->fail_at);
        if (failed)
            assert_noted(r, HOOP_ENOMEM, "out of memory");
    }
    hoop_arena_free(tight);
}

static void test_each_allocation_may_fail(void **state)
{
    test_each_allocation(derive_each, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_assoc_makes_a_new_request),
        TEST(test_keys_are_addresses),
        TEST(test_with_uri),
        TEST(test_with_method),
        TEST(test_with_request_header),
        TEST(test_memory_of_the_exchange),
        TEST(test_a_request_for_constants),
        TEST(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
