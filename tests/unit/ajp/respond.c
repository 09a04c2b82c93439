/* SEND_HEADERS byte by byte: names, lengths, what is left out, and heads that fit no packet. */
#include "tools.h"

static void ask(struct driver *d, unsigned method, hoop_handler_fn *fn, void *data,
                const struct driver_options *options)
{
    struct bytes in = { 0 };
    begin_request(&in, &(struct start){ .method = method });
    end_request(&in);
    ajp_init(d, fn, data, options);
    driver_feed(d, in.data, in.len);
    bytes_done(&in);
}

/* Answers with the status, the fields and the body of `data`. */
struct answer {
    int status;
    const char *fields[24]; /* name, value, ... */
    const char *body;       /* NULL: none */
};

static const hoop_response *answer(const hoop_request *req, void *data)
{
    const struct answer *a = data;
    const hoop_response *res = a->body ? hoop_bytes(req, a->status, NULL, hoop_str_c(a->body))
                                       : hoop_respond(req, a->status);
    for (size_t i = 0; a->fields[i]; i += 2)
        res = hoop_add_header(req, res, a->fields[i], a->fields[i + 1]);
    return res;
}

static void test_names(void **state)
{
    (void)state;
    struct answer a = {
        200,
        { "Content-Type", "1", "content-language", "2",  "Date",        "3", "LAST-MODIFIED",  "4",
          "Location",     "5", "Set-Cookie",       "6",  "Set-Cookie2", "7", "Servlet-Engine", "8",
          "Status",       "9", "WWW-Authenticate", "10", "X-Y",         "11" },
        "",
    };
    static const unsigned codes[] = { 0xa001, 0xa002, 0xa004, 0xa005, 0xa006,
                                      0xa007, 0xa008, 0xa009, 0xa00a, 0xa00b };
    struct bytes want = { 0 };
    struct driver d;
    begin_headers(&want, 200, "OK", 12);
    for (unsigned i = 0; i < 10; i++) {
        char value[4];
        snprintf(value, sizeof value, "%u", i + 1);
        put_coded(&want, codes[i], value);
    }
    put_field(&want, "X-Y", "11");
    put_coded(&want, 0xa003, "0");
    end(&want);
    put(&want, END_KEEP);
    ask(&d, GET, answer, &a, NULL);
    assert_sent(&d, &want);
    driver_done(&d);
    bytes_done(&want);
}

/* The connection is none of the client's, and the length is what it is. */
static void test_left_out(void **state)
{
    (void)state;
    struct answer a = { 200, { "Connection", "close", "Content-Length", "77" }, "ab" };
    struct bytes want = { 0 };
    struct driver d;
    begin_headers(&want, 200, "OK", 2);
    put_coded(&want, 0xa003, "2");
    put_coded(&want, 0xa004, DRIVER_DATE);
    end(&want);
    put_chunk(&want, "ab", 2);
    put(&want, END_KEEP);
    ask(&d, GET, answer, &a, NULL);
    assert_sent(&d, &want);
    driver_done(&d);
    bytes_done(&want);
}

static void test_lengths(void **state)
{
    (void)state;
    static const struct {
        unsigned method;
        int status;
        const char *given, *body, *told, *sent;
    } cases[] = {
        { GET, 200, NULL, NULL, "0", NULL },   { GET, 200, NULL, "", "0", NULL },
        { GET, 200, NULL, "abc", "3", "abc" }, { HEAD, 200, NULL, "abc", "3", NULL },
        { HEAD, 200, "77", NULL, "77", NULL }, { HEAD, 200, "7x", NULL, "0", NULL },
        { GET, 200, "77", NULL, "0", NULL },   { GET, 204, NULL, "abc", NULL, NULL },
        { GET, 205, NULL, "abc", "0", NULL },  { GET, 304, NULL, NULL, NULL, NULL },
        { GET, 304, "77", NULL, "77", NULL },  { GET, 299, NULL, "a", "1", "a" },
        { GET, 404, NULL, "abc", "3", "abc" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        struct answer a = { cases[i].status, { NULL }, cases[i].body };
        struct bytes want = { 0 };
        struct driver d;
        if (cases[i].given) {
            a.fields[0] = "Content-Length";
            a.fields[1] = cases[i].given;
        }
        begin_headers(&want, a.status, a.status == 299 ? "299" : hoop_reason(a.status),
                      cases[i].told ? 2 : 1);
        if (cases[i].told)
            put_coded(&want, 0xa003, cases[i].told);
        put_coded(&want, 0xa004, DRIVER_DATE);
        end(&want);
        if (cases[i].sent)
            put_chunk(&want, cases[i].sent, strlen(cases[i].sent));
        put(&want, END_KEEP);
        ask(&d, cases[i].method, answer, &a, NULL);
        assert_sent(&d, &want);
        driver_done(&d);
        bytes_done(&want);
    }
}

static void test_server_name(void **state)
{
    (void)state;
    struct driver_options options = { .server_name = "hoop" };
    for (int own = 0; own < 2; own++) {
        struct answer a = { 200, { own ? "server" : NULL, "mine" }, NULL };
        struct bytes want = { 0 };
        struct driver d;
        begin_headers(&want, 200, "OK", 3);
        if (own)
            put_field(&want, "server", "mine");
        put_coded(&want, 0xa003, "0");
        put_coded(&want, 0xa004, DRIVER_DATE);
        if (!own)
            put_field(&want, "Server", "hoop");
        end(&want);
        put(&want, END_KEEP);
        ask(&d, GET, answer, &a, &options);
        assert_sent(&d, &want);
        driver_done(&d);
        bytes_done(&want);
    }
}

/* --- heads that fit no packet ----------------------------------------------------------------- */

static const hoop_response *large_head(const hoop_request *req, void *data)
{
    size_t len = *(size_t *)data;
    char *value = hoop_alloc(req, len + 1);
    memset(value, 'a', len);
    value[len] = 0;
    return hoop_with_header(req, hoop_text(req, 200, "ok"), "x", value);
}

static void test_large_heads(void **state)
{
    (void)state;
    hoop_listener large = { .protocol = HOOP_AJP, .ajp_packet_size = 65536 };
    for (size_t len = 7000; len < 70000; len += 500) {
        for (int size = 0; size < 2; size++) {
            struct driver_options options = { .config = size ? &large : NULL };
            size_t max = size ? 65536 : 8192;
            struct driver d;
            ask(&d, GET, large_head, &len, &options);
            int status = (int)hoop__ajp_get16(d.got + 5);
            if (len + 300 < max)
                assert_int_equal(status, 200);
            if (len > max)
                assert_int_equal(status, 500);
            assert_true(hoop__ajp_get16(d.got + 2) + 4 <= max);
            assert_memory_equal(d.got + d.got_len - 6, "AB\0\2\5\1", 6);
            assert_false(d.closed);
            driver_done(&d);
        }
    }
}

/* A source that is given up is told so. */
static int never_pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    (void)source, (void)buffer, (void)cap, (void)ret_len;
    fail_msg("pulled");
    return HOOP_EOF;
}

static int finished_code;

static void note_finished(struct hoop__source *source, int code)
{
    (void)source;
    finished_code = code;
}

static const hoop_response *large_head_of_source(const hoop_request *req, void *data)
{
    static char value[9000];
    struct hoop__source *source = hoop_alloc(req, sizeof *source);
    memset(source, 0, sizeof *source);
    source->pull = never_pull;
    source->finished = note_finished;
    source->length = 5;
    memset(value, 'a', sizeof value - 1);
    (void)data;
    return hoop_with_header(req, hoop__respond_source(req, 200, NULL, source), "x", value);
}

static void test_large_head_of_source(void **state)
{
    (void)state;
    struct driver d;
    finished_code = 1;
    ask(&d, GET, large_head_of_source, NULL, NULL);
    assert_int_equal(hoop__ajp_get16(d.got + 5), 500);
    assert_int_equal(finished_code, HOOP_ETOOBIG);
    driver_done(&d);
}

/* What was rendered for HTTP/1 is written anew from the fields. */
static const hoop_response *frozen;

static const hoop_response *answer_frozen(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_add_header(req, frozen, "X-Y", "z");
}

static void test_frozen(void **state)
{
    (void)state;
    hoop_arena *app = hoop_arena_new();
    frozen = hoop_freeze(app, hoop_text(hoop_app_request(app), 200, "ok"));
    struct bytes want = { 0 };
    struct driver d;
    begin_headers(&want, 200, "OK", 4);
    put_coded(&want, 0xa001, "text/plain; charset=utf-8");
    put_field(&want, "X-Y", "z");
    put_coded(&want, 0xa003, "2");
    put_coded(&want, 0xa004, DRIVER_DATE);
    end(&want);
    put_chunk(&want, "ok", 2);
    put(&want, END_KEEP);
    ask(&d, GET, answer_frozen, NULL, NULL);
    assert_sent(&d, &want);
    driver_done(&d);
    bytes_done(&want);
    hoop_arena_free(app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),       cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_lengths),     cmocka_unit_test(test_server_name),
        cmocka_unit_test(test_large_heads), cmocka_unit_test(test_large_head_of_source),
        cmocka_unit_test(test_frozen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
