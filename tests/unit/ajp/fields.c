/* Header fields of a request: coded and plain names, values, and the lengths that decide on the body. */
#include "tools.h"

static void test_coded_names(void **state)
{
    (void)state;
    static const char *const names[] = {
        "accept",
        "accept-charset",
        "accept-encoding",
        "accept-language",
        "authorization",
        "connection",
        "content-type",
        NULL,
        "cookie",
        "cookie2",
        "host",
        "pragma",
        "referer",
        "user-agent",
    };
    for (unsigned i = 0; i < HOOP_COUNT(names); i++) {
        struct bytes in = { 0 };
        char want[64];
        if (!names[i])
            continue;
        begin_request(&in, &(struct start){ .no_name = 1, .fields = 1 });
        put_coded(&in, 0xa001 + i, "v");
        end_request(&in);
        snprintf(want, sizeof want, "GET 1 http HTTP/1.1 /\n%s=v\n", names[i]);
        shows(show, NULL, &in, want);
    }
    static const unsigned wrong[] = { 0xa000, 0xa00f, 0xa0ff };
    for (size_t i = 0; i < HOOP_COUNT(wrong); i++) {
        struct bytes in = { 0 };
        begin_request(&in, &(struct start){ .fields = 1 });
        put_coded(&in, wrong[i], "v");
        end_request(&in);
        refuses(NULL, &in, 400);
    }
}

static void test_plain_names_and_values(void **state)
{
    (void)state;
    struct bytes in = { 0 };
    begin_request(&in, &(struct start){ .fields = 7 });
    put_field(&in, "HoSt", "h");
    put_field(&in, "X-Y", " a b\t");
    put_field(&in, "x-y", "");
    put_field(&in, "X-Null", NULL);
    put_field(&in, "X-Blank", " \t ");
    put_field(&in, "X-Utf", "\xc3\xa4");
    put_field(&in, "X-Tab", "a\tb");
    end_request(&in);
    shows(show, NULL, &in,
          "GET 1 http HTTP/1.1 /\nhost=h\nx-y=a b\nx-y=\nx-null=\nx-blank=\nx-utf=\xc3\xa4\n"
          "x-tab=a\tb\n");
    static const char *const bad_names[] = { "", "a b", "a:", "a\n", "\xc3\xa4", NULL };
    for (size_t i = 0; i < HOOP_COUNT(bad_names); i++) {
        begin_request(&in, &(struct start){ .fields = 1 });
        put_field(&in, bad_names[i], "v");
        end_request(&in);
        refuses(NULL, &in, 400);
    }
    static const char *const bad_values[] = { "a\nb", "a\r", "\x01", "a\x7f" };
    for (size_t i = 0; i < HOOP_COUNT(bad_values); i++) {
        begin_request(&in, &(struct start){ .fields = 1 });
        put_field(&in, "x", bad_values[i]);
        end_request(&in);
        refuses(NULL, &in, 400);
    }
}

static void test_counts(void **state)
{
    (void)state;
    struct driver_options options = { .limits = { .max_headers = 3 } };
    struct bytes in = { 0 };
    begin_request(&in, &(struct start){ .fields = 3 });
    put_coded(&in, 0xa00b, "h");
    put_coded(&in, 0xa001, "1");
    put_coded(&in, 0xa001, "2");
    end_request(&in);
    shows(show, &options, &in, "GET 1 http HTTP/1.1 /\nhost=h\naccept=1\naccept=2\n");
    begin_request(&in, &(struct start){ .fields = 4 });
    for (int i = 0; i < 4; i++)
        put_coded(&in, 0xa001, "1");
    end_request(&in);
    refuses(&options, &in, 431);
    begin_request(&in, &(struct start){ .fields = 2 }); /* one of them comes */
    put_coded(&in, 0xa001, "1");
    end_request(&in);
    refuses(NULL, &in, 400);
    begin_request(&in, &(struct start){ .fields = 0xffff });
    put_coded(&in, 0xa001, "1");
    end_request(&in);
    refuses(NULL, &in, 400);
    begin_request(&in, &(struct start){ 0 }); /* none should come */
    put_coded(&in, 0xa001, "1");
    end_request(&in);
    refuses(NULL, &in, 400);
}

/* What two servers could read in two ways nobody reads. */
static void test_framing(void **state)
{
    (void)state;
    static const struct {
        const char *names[2], *values[2];
    } bad[] = {
        { { "Content-Length" }, { "" } },
        { { "Content-Length" }, { "-1" } },
        { { "Content-Length" }, { "+1" } },
        { { "Content-Length" }, { "1 1" } },
        { { "Content-Length" }, { "0x1" } },
        { { "Content-Length" }, { "1,1" } },
        { { "Content-Length" }, { "9223372036854775808" } },
        { { "Content-Length" }, { "99999999999999999999999999" } },
        { { "Content-Length", "content-length" }, { "1", "1" } },
        { { "Content-Length", "Transfer-Encoding" }, { "1", "chunked" } },
        { { "Transfer-Encoding", "Content-Length" }, { "chunked", "0" } },
        { { "Transfer-Encoding", "Transfer-Encoding" }, { "chunked", "chunked" } },
        { { "Transfer-Encoding" }, { "gzip" } },
        { { "Transfer-Encoding" }, { "gzip, chunked" } },
        { { "Transfer-Encoding" }, { "identity" } },
        { { "Transfer-Encoding" }, { "chunked, chunked" } },
        { { "Transfer-Encoding" }, { "" } },
        { { "Host", "host" }, { "a", "a" } },
    };
    for (size_t i = 0; i < HOOP_COUNT(bad); i++) {
        struct bytes in = { 0 };
        unsigned count = bad[i].names[1] ? 2 : 1;
        begin_request(&in, &(struct start){ .method = POST, .fields = count });
        for (unsigned k = 0; k < count; k++)
            put_field(&in, bad[i].names[k], bad[i].values[k]);
        end_request(&in);
        refuses(NULL, &in, 400);
    }
    struct bytes in = { 0 };
    begin_request(&in, &(struct start){ .method = POST, .fields = 2 });
    put_coded(&in, 0xa008, "1"); /* coded and plain are the same field */
    put_field(&in, "content-length", "1");
    end_request(&in);
    refuses(NULL, &in, 400);
    begin_request(&in, &(struct start){ .fields = 2 });
    put_coded(&in, 0xa00b, "a");
    put_field(&in, "HOST", "a");
    end_request(&in);
    refuses(NULL, &in, 400);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_coded_names),
        cmocka_unit_test(test_plain_names_and_values),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_framing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
