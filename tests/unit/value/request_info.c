/* What a request tells on demand: headers, addresses, the host that it names, its body's type. */
#include "fake.h"

#include "value/exchange.h"

static struct fake f;
static struct fake_exchange *fx;
static const hoop_request *req;

static int setup(void **state)
{
    fake_init(&f);
    fx = fake_make(&f, "GET", "/p");
    req = &fx->x.request.pub;
    return 0;
}

static int teardown(void **state)
{
    fake_end(fx, HOOP_EGONE);
    fake_done(&f);
    return 0;
}

/* The request with one header. */
static const hoop_request *with(const char *name, const char *value)
{
    return hoop_with_request_header(req, name, value);
}

static void test_headers(void **state)
{
    static const hoop_field fields[] = {
        { { "accept", 6 }, { "a", 1 } },   { { "cookie", 6 }, { "x=1", 3 } },
        { { "accept", 6 }, { "", 0 } },    { { "accept", 6 }, { "b, c", 4 } },
        { { "cookie", 6 }, { "y=2", 3 } }, { { "host", 4 }, { "h", 1 } },
    };
    fx->x.request.pub.headers = fields;
    fx->x.request.pub.header_count = HOOP_COUNT(fields);
    assert_str(hoop_header(req, "Accept"), "a");
    assert_str(hoop_header_at(req, "accept", 0), "a");
    assert_str(hoop_header_at(req, "accept", 1), "");
    assert_false(hoop_str_is_none(hoop_header_at(req, "accept", 1)));
    assert_str(hoop_header_at(req, "ACCEPT", 2), "b, c");
    assert_true(hoop_str_is_none(hoop_header_at(req, "accept", 3)));
    assert_true(hoop_str_is_none(hoop_header_at(req, "accept", SIZE_MAX)));
    assert_true(hoop_str_is_none(hoop_header(req, "accep")));
    assert_true(hoop_str_is_none(hoop_header(req, NULL)));
    assert_true(hoop_str_is_none(hoop_header(NULL, "accept")));
    assert_str(hoop_header_joined(req, "Accept"), "a, , b, c");
    assert_str(hoop_header_joined(req, "Cookie"), "x=1; y=2");
    assert_ptr_equal(hoop_header_joined(req, "host").data, fields[5].value.data);
    assert_true(hoop_str_is_none(hoop_header_joined(req, "none")));
    assert_true(hoop_str_is_none(hoop_header_joined(NULL, "a")));
    assert_true(hoop_str_is_none(hoop_header_joined(req, NULL)));
}

static void test_the_peers_address(void **state)
{
    struct hoop__peer *peer = &fx->x.peer;
    assert_true(hoop_str_is_none(hoop_remote_addr(req)));
    peer->family = 4;
    memcpy(peer->remote, "\x7f\0\0\1", 4);
    peer->remote_port = 4711;
    assert_str(hoop_remote_addr(req), "127.0.0.1");
    assert_int_equal(hoop_remote_port(req), 4711);
    peer->family = 6;
    memset(peer->remote, 0, 16);
    peer->remote[15] = 1;
    assert_str(hoop_remote_addr(req), "::1");
    memset(peer->remote, 0xff, 16);
    assert_str(hoop_remote_addr(req), "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
    peer->family = 1;
    assert_str(hoop_remote_addr(req), "");
    assert_false(hoop_str_is_none(hoop_remote_addr(req)));
    peer->remote_text = "given";
    assert_str(hoop_remote_addr(req), "given");
    assert_true(hoop_str_is_none(hoop_remote_addr(NULL)));
    assert_int_equal(hoop_remote_port(NULL), 0);
}

static void test_the_clients_certificate(void **state)
{
    assert_true(hoop_str_is_none(hoop_client_cert(req)));
    fx->x.peer.cert = "PEM";
    assert_str(hoop_client_cert(req), "PEM");
    assert_true(hoop_str_is_none(hoop_client_cert(NULL)));
}

static void test_the_host_that_it_names(void **state)
{
    static const struct {
        const char *host;
        const char *name;
        uint32_t port;
    } rows[] = {
        { "example.org", "example.org", 80 },  { "example.org:8080", "example.org", 8080 },
        { "example.org:", "example.org", 80 }, { "[::1]", "[::1]", 80 },
        { "[::1]:81", "[::1]", 81 },           { "10.0.0.1:1", "10.0.0.1", 1 },
    };
    fx->x.peer.local_port = 9; /* of no interest while the request names one */
    for (size_t i = 0; i < HOOP_COUNT(rows); i++) {
        assert_str(hoop_server_name(with("host", rows[i].host)), rows[i].name);
        assert_int_equal(hoop_server_port(with("host", rows[i].host)), rows[i].port);
    }
    fx->x.request.pub.scheme = hoop_str_c("https");
    assert_int_equal(hoop_server_port(with("host", "a")), 443);
    assert_int_equal(hoop_server_port(with("host", "a:80")), 80);
}

static void test_without_a_host_it_is_the_local_address(void **state)
{
    struct hoop__peer *peer = &fx->x.peer;
    assert_true(hoop_str_is_none(hoop_server_name(req)));
    assert_int_equal(hoop_server_port(req), 80);
    peer->family = 4;
    memcpy(peer->local, "\x0a\0\0\2", 4);
    peer->local_port = 8080;
    assert_str(hoop_server_name(req), "10.0.0.2");
    assert_int_equal(hoop_server_port(req), 8080);
    assert_true(hoop_str_is_none(hoop_server_name(NULL)));
    assert_int_equal(hoop_server_port(NULL), 0);
}

static void test_the_full_url(void **state)
{
    assert_str(hoop_request_url(with("host", "h:81")), "http://h:81/p");
    fx->x.request.pub.query_string = hoop_str_c("");
    assert_str(hoop_request_url(with("host", "h")), "http://h/p?");
    fx->x.request.pub.query_string = hoop_str_c("a=%20");
    assert_str(hoop_request_url(with("host", "h")), "http://h/p?a=%20");
    fx->x.peer.family = 4;
    memcpy(fx->x.peer.local, "\x7f\0\0\1", 4);
    assert_str(hoop_request_url(req), "http://127.0.0.1/p?a=%20");
    assert_true(hoop_str_is_none(hoop_request_url(NULL)));
}

static void test_the_type_of_the_body(void **state)
{
    assert_true(hoop_str_is_none(hoop_request_content_type(req)));
    assert_true(hoop_str_is_none(hoop_request_charset(req)));
    assert_str(hoop_request_content_type(with("content-type", "Text/HTML")), "Text/HTML");
    hoop_str type = hoop_request_content_type(with("content-type", "text/html ; charset=utf-8"));
    assert_str(type, "text/html");
    assert_int_equal(type.data[type.len], 0);
    static const struct {
        const char *value;
        const char *charset; /* NULL: none */
    } rows[] = {
        { "text/html; charset=utf-8", "utf-8" },
        { "text/html;Charset=\"UTF-8\"", "UTF-8" },
        { "text/html; a=b; charset=\"u\\tf\\\"\"", "utf\"" },
        { "text/html", NULL },
        { "text/html; charset", NULL },
        { "nonsense", NULL },
    };
    for (size_t i = 0; i < HOOP_COUNT(rows); i++) {
        hoop_str charset = hoop_request_charset(with("content-type", rows[i].value));
        assert_int_equal(hoop_str_is_none(charset), !rows[i].charset);
        if (rows[i].charset) {
            assert_str(charset, rows[i].charset);
            assert_int_equal(charset.data[charset.len], 0);
        }
    }
    assert_true(hoop_str_is_none(hoop_request_content_type(NULL)));
    assert_true(hoop_str_is_none(hoop_request_charset(NULL)));
}

static void test_the_announced_length(void **state)
{
    assert_true(hoop_request_content_length(req) == UINT64_MAX);
    assert_int_equal(hoop_request_content_length(with("content-length", "0")), 0);
    fake_body(fx, 12);
    assert_int_equal(hoop_request_content_length(req), 12);
    fake_body(fx, HOOP__LENGTH_UNKNOWN);
    assert_true(hoop_request_content_length(req) == UINT64_MAX);
    assert_true(hoop_request_content_length(NULL) == UINT64_MAX);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_headers),
        TEST(test_the_peers_address),
        TEST(test_the_clients_certificate),
        TEST(test_the_host_that_it_names),
        TEST(test_without_a_host_it_is_the_local_address),
        TEST(test_the_full_url),
        TEST(test_the_type_of_the_body),
        TEST(test_the_announced_length),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
