/* FORWARD_REQUEST: methods, targets, hosts and peers, and that nothing cut short is a request. */
#include "tools.h"

/* --- methods ---------------------------------------------------------------------------------- */

static void test_methods(void **state)
{
    (void)state;
    static const char *const names[] = {
        "OPTIONS 6",
        "GET 1",
        "HEAD 2",
        "POST 3",
        "PUT 4",
        "DELETE 5",
        "TRACE 8",
        "PROPFIND 0",
        "PROPPATCH 0",
        "MKCOL 0",
        "COPY 0",
        "MOVE 0",
        "LOCK 0",
        "UNLOCK 0",
        "ACL 0",
        "REPORT 0",
        "VERSION-CONTROL 0",
        "CHECKIN 0",
        "CHECKOUT 0",
        "UNCHECKOUT 0",
        "SEARCH 0",
        "MKWORKSPACE 0",
        "UPDATE 0",
        "LABEL 0",
        "MERGE 0",
        "BASELINE-CONTROL 0",
        "MKACTIVITY 0",
    };
    for (unsigned i = 0; i < HOOP_COUNT(names); i++) {
        struct bytes in = { 0 };
        char want[64];
        if (i + 1 == HEAD)
            continue;
        begin_request(&in, &(struct start){ .method = i + 1, .no_name = 1 });
        end_request(&in);
        snprintf(want, sizeof want, "%s http HTTP/1.1 /\n", names[i]);
        shows(show, NULL, &in, want);
    }
    static const unsigned wrong[] = { 28, 29, 100, 254 };
    for (size_t i = 0; i < HOOP_COUNT(wrong); i++) {
        struct bytes in = { 0 };
        begin_request(&in, &(struct start){ .method = wrong[i] });
        end_request(&in);
        refuses(NULL, &in, 400);
    }
}

static void test_stored_method(void **state)
{
    (void)state;
    static const struct {
        unsigned code;
        const char *name;
        int status;
        const char *shown;
    } cases[] = {
        { STORED, "PATCH", 0, "PATCH 7 http HTTP/1.1 /\nhost=example.org\n" },
        { STORED, "WHATEVER", 0, "WHATEVER 0 http HTTP/1.1 /\nhost=example.org\n" },
        { STORED, "CONNECT", 501, NULL },
        { STORED, "PA TCH", 400, NULL },
        { STORED, "", 400, NULL },
        { STORED, NULL, 400, NULL },
        { GET, "PATCH", 400, NULL },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        struct bytes in = { 0 };
        begin_request(&in, &(struct start){ .method = cases[i].code });
        put_attribute(&in, 13, cases[i].name);
        end_request(&in);
        if (cases[i].status)
            refuses(NULL, &in, cases[i].status);
        else
            shows(show, NULL, &in, cases[i].shown);
    }
    struct bytes in = { 0 };
    begin_request(&in, &(struct start){ .method = STORED });
    end_request(&in);
    refuses(NULL, &in, 400);
}

/* --- targets ---------------------------------------------------------------------------------- */

static void test_targets(void **state)
{
    (void)state;
    static const struct {
        unsigned method;
        const char *uri, *query;
        int status;
        const char *shown;
    } cases[] = {
        { GET, "/a%20b", NULL, 0, "GET 1 http HTTP/1.1 /a%20b\nhost=h\n" },
        { GET, "/a", "b=c", 0, "GET 1 http HTTP/1.1 /a ?b=c\nhost=h\n" },
        { GET, "/a", "", 0, "GET 1 http HTTP/1.1 /a ?\nhost=h\n" },
        { GET, "/a", "b?c", 0, "GET 1 http HTTP/1.1 /a ?b?c\nhost=h\n" },
        { OPTIONS, "*", NULL, 0, "OPTIONS 6 http HTTP/1.1 *\nhost=h\n" },
        { GET, "http://x:81/y", NULL, 0, "GET 1 http HTTP/1.1 /y\nhost=x:81\n" },
        { GET, "HTTPS://x", "q", 0, "GET 1 http HTTP/1.1 / ?q\nhost=x\n" },
        { OPTIONS, "http://x", NULL, 0, "OPTIONS 6 http HTTP/1.1 *\nhost=x\n" },
        { GET, "*", NULL, 400, NULL },
        { OPTIONS, "*", "a", 400, NULL },
        { GET, "", NULL, 400, NULL },
        { GET, "a", NULL, 400, NULL },
        { GET, "http:///a", NULL, 400, NULL },
        { GET, "http://u@x/", NULL, 400, NULL },
        { GET, "ftp://x/", NULL, 400, NULL },
        { GET, "/a?b", NULL, 400, NULL },
        { GET, "/a#b", NULL, 400, NULL },
        { GET, "/a b", NULL, 400, NULL },
        { GET, "/a\n", NULL, 400, NULL },
        { GET, "/\xc3\xa4", NULL, 400, NULL },
        { GET, "/\x7f", NULL, 400, NULL },
        { GET, "/a", "b c", 400, NULL },
        { GET, "/a", "b#c", 400, NULL },
        { GET, "/0123456789", NULL, 414, NULL },
        { GET, "/01234", "678901", 414, NULL },
        { GET, "/01234", "67", 0, "GET 1 http HTTP/1.1 /01234 ?67\nhost=h\n" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        struct driver_options options = { .limits = { .max_target = i > 22 ? 10 : 0 } };
        struct bytes in = { 0 };
        begin_request(
            &in, &(struct start){ .method = cases[i].method, .uri = cases[i].uri, .fields = 1 });
        put_coded(&in, 0xa00b, "h");
        if (cases[i].query)
            put_attribute(&in, 5, cases[i].query);
        end_request(&in);
        if (cases[i].status)
            refuses(&options, &in, cases[i].status);
        else
            shows(show, &options, &in, cases[i].shown);
    }
}

static void test_protocols(void **state)
{
    (void)state;
    static const char *const good[] = { "HTTP/1.0", "HTTP/1.1", "HTTP/2.0", "HTTP/3", "INCLUDED" };
    static const char *const bad[] = { "", "HTTP 1", "a\nb", "HTTP/1.1\x7f",
                                       "HTTP/012345678901234567890123456789" };
    for (size_t i = 0; i < HOOP_COUNT(good); i++) {
        struct bytes in = { 0 };
        char want[64];
        begin_request(&in, &(struct start){ .protocol = good[i] });
        end_request(&in);
        snprintf(want, sizeof want, "GET 1 http %s /\nhost=example.org\n", good[i]);
        shows(show, NULL, &in, want);
    }
    for (size_t i = 0; i < HOOP_COUNT(bad); i++) {
        struct bytes in = { 0 };
        begin_request(&in, &(struct start){ .protocol = bad[i] });
        end_request(&in);
        refuses(NULL, &in, 400);
    }
}

/* --- hosts and peers -------------------------------------------------------------------------- */

static const hoop_response *tell_peer(const hoop_request *req, void *data)
{
    (void)data;
    hoop_str remote = hoop_remote_addr(req);
    return hoop_textf(req, 200, "%s %u %s %u %s", hoop_str_is_none(remote) ? "none" : remote.data,
                      (unsigned)hoop_remote_port(req), hoop_server_name(req).data,
                      (unsigned)hoop_server_port(req), hoop_request_url(req).data);
}

static void test_hosts(void **state)
{
    (void)state;
    static const struct {
        const char *host, *name;
        unsigned port, secure;
        const char *told; /* NULL: 400 */
    } cases[] = {
        { "h:81", "n", 90, 0, "192.0.2.7 0 h 81 http://h:81/" },
        { "h", "n", 90, 1, "192.0.2.7 0 h 443 https://h/" },
        { NULL, "n", 80, 0, "192.0.2.7 0 n 80 http://n/" },
        { NULL, "n", 443, 1, "192.0.2.7 0 n 443 https://n/" },
        { NULL, "n", 443, 0, "192.0.2.7 0 n 443 http://n:443/" },
        { NULL, "n", 65535, 200, "192.0.2.7 0 n 65535 https://n:65535/" },
        { "", "n", 81, 0, "192.0.2.7 0 n 81 http://n:81/" },
        { NULL, "::1", 81, 0, "192.0.2.7 0 [::1] 81 http://[::1]:81/" },
        { NULL, "[::1]", 81, 0, "192.0.2.7 0 [::1] 81 http://[::1]:81/" },
        { NULL, "", 81, 0, "192.0.2.7 0  81 http:///" },
        { "a b", "n", 80, 0, NULL },
        { "a/b", "n", 80, 0, NULL },
        { NULL, "a b", 80, 0, NULL },
        { NULL, "n:81", 80, 0, NULL },
        { NULL, "n\n", 80, 0, NULL },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        struct bytes in = { 0 };
        begin_request(&in, &(struct start){ .name = cases[i].name,
                                            .port = cases[i].port,
                                            .secure = cases[i].secure,
                                            .fields = cases[i].host != NULL });
        if (cases[i].host)
            put_coded(&in, 0xa00b, cases[i].host);
        end_request(&in);
        if (cases[i].told)
            shows(tell_peer, NULL, &in, cases[i].told);
        else
            refuses(NULL, &in, 400);
    }
}

static void test_peers(void **state)
{
    (void)state;
    struct bytes in = { 0 };
    begin_request(&in, &(struct start){ .no_remote = 1, .no_name = 1, .port = 90 });
    put_named(&in, "AJP_LOCAL_ADDR", "10.0.0.1");
    put_named(&in, "AJP_REMOTE_PORT", "4711");
    end_request(&in);
    shows(tell_peer, NULL, &in, "none 4711  90 http:///");
    begin_request(&in, &(struct start){ .no_name = 1, .port = 90 });
    put_named(&in, "AJP_LOCAL_ADDR", "10.0.0.1");
    end_request(&in);
    shows(tell_peer, NULL, &in, "192.0.2.7 0 10.0.0.1 90 http://10.0.0.1/");
    begin_request(&in, &(struct start){ .remote = "2001:db8::1", .no_name = 1, .port = 90 });
    put_named(&in, "AJP_LOCAL_ADDR", "2001:db8::2");
    put_named(&in, "AJP_REMOTE_PORT", "65536");
    end_request(&in);
    shows(tell_peer, NULL, &in, "2001:db8::1 0 2001:db8::2 90 http://2001:db8::2/");
    begin_request(&in, &(struct start){ .remote = "192.0.2.1\r\nX: y" });
    end_request(&in);
    refuses(NULL, &in, 400);
}

/* --- lengths ---------------------------------------------------------------------------------- */

/* One with everything in it. */
static void put_full(struct bytes *b)
{
    begin_request(b, &(struct start){ .method = STORED, .uri = "/p", .fields = 3 });
    put_coded(b, 0xa00b, "h");
    put_field(b, "X-Y", "z");
    put_coded(b, 0xa001, "*/*");
    put_attribute(b, 1, "c");
    put_attribute(b, 2, "s");
    put_attribute(b, 3, "user");
    put_attribute(b, 4, "Basic");
    put_attribute(b, 5, "q");
    put_attribute(b, 6, "r");
    put_attribute(b, 7, "cert");
    put_attribute(b, 8, "cipher");
    put_attribute(b, 9, "session");
    put_named(b, "AJP_REMOTE_PORT", "5");
    put8(b, 11);
    put16(b, 256);
    put_attribute(b, 12, "secret");
    put_attribute(b, 13, "PATCH");
    end_request(b);
}

/* A packet that ends anywhere within what it should have is none. */
static void test_cut_short(void **state)
{
    (void)state;
    struct bytes full = { 0 };
    put_full(&full);
    size_t len = full.len;
    for (size_t n = 5; n < len; n++) {
        struct bytes in = { 0 };
        struct driver d;
        struct bytes want = { 0 };
        put(&in, full.data, n);
        end(&in);
        put_rejection(&want, 400);
        ajp_init(&d, say, NULL, NULL);
        driver_feed(&d, in.data, in.len);
        assert_sent(&d, &want);
        assert_true(d.closed && d.linger);
        driver_done(&d);
        bytes_done(&in);
        bytes_done(&want);
    }
    bytes_done(&full);
}

/* Whatever one byte of it becomes, nothing is read that is not there, and it is answered. */
static void test_each_byte_changed(void **state)
{
    (void)state;
    static const unsigned char values[] = { 0x00, 0x01, 0x0a, 0x20, 0x7f, 0x80, 0xa0, 0xfe, 0xff };
    struct bytes full = { 0 };
    put_full(&full);
    for (size_t at = 5; at < full.len; at++) {
        for (size_t i = 0; i < HOOP_COUNT(values); i++) {
            struct driver d;
            char was = full.data[at];
            full.data[at] = (char)values[i];
            ajp_init(&d, show, NULL, NULL);
            driver_feed(&d, full.data, full.len);
            full.data[at] = was;
            assert_true(d.got_len > 6);
            assert_memory_equal(d.got + d.got_len - 6, d.closed ? "AB\0\2\5\0" : "AB\0\2\5\1", 6);
            driver_done(&d);
        }
    }
    bytes_done(&full);
}

static void test_bytes_behind_the_end(void **state)
{
    (void)state;
    struct bytes in = { 0 };
    begin_request(&in, &(struct start){ 0 });
    put8(&in, 0xff);
    put8(&in, 0xff);
    end(&in);
    refuses(NULL, &in, 400);
}

static void test_strings_need_their_nul(void **state)
{
    (void)state;
    struct bytes in = { 0 };
    put_get(&in, "/abc");
    char *uri = memchr(in.data, '/', in.len);
    uri = memchr(uri + 1, '/', in.len - (size_t)(uri + 1 - in.data));
    uri[4] = 'x'; /* in place of the NUL */
    refuses(NULL, &in, 400);
    put_get(&in, "/abc");
    uri = memchr(in.data, '/', in.len);
    uri = memchr(uri + 1, '/', in.len - (size_t)(uri + 1 - in.data));
    uri[2] = 0; /* one within */
    refuses(NULL, &in, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_methods),
        cmocka_unit_test(test_stored_method),
        cmocka_unit_test(test_targets),
        cmocka_unit_test(test_protocols),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_peers),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_each_byte_changed),
        cmocka_unit_test(test_bytes_behind_the_end),
        cmocka_unit_test(test_strings_need_their_nul),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
