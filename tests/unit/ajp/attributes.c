/* Attributes: the secret, who is believed, what is let in, and what handlers see of them. */
#include "tools.h"

static const hoop_response *tell(const hoop_request *req, void *data)
{
    (void)data;
    static const uint32_t codes[] = {
        HOOP_AJP_REMOTE_USER,  HOOP_AJP_AUTH_TYPE,
        HOOP_AJP_ROUTE,        HOOP_AJP_TLS_CIPHER,
        HOOP_AJP_TLS_SESSION,  HOOP_AJP_TLS_KEY_SIZE,
        HOOP_AJP_TLS_PROTOCOL, 1,
        HOOP__AJP_SECRET,      999,
    };
    const char *text = "";
    for (size_t i = 0; i < HOOP_COUNT(codes); i++) {
        hoop_str s = hoop_ajp_get(req, codes[i]);
        check_nul(s);
        text = hoop_printf(req, "%s[%s]", text, hoop_str_is_none(s) ? "-" : s.data);
    }
    hoop_str cert = hoop_client_cert(req);
    hoop_str x = hoop_ajp_attribute(req, "X_a"), lb = hoop_ajp_attribute(req, "JK_LB_ACTIVATION");
    return hoop_textf(req, 200, "%s %s %s %s", text, hoop_str_is_none(cert) ? "-" : cert.data,
                      hoop_str_is_none(x) ? "-" : x.data, hoop_str_is_none(lb) ? "-" : lb.data);
}

static void put_all(struct bytes *b, unsigned secure)
{
    begin_request(b, &(struct start){ .secure = secure });
    put_attribute(b, 1, "context");
    put_attribute(b, 2, "servlet");
    put_attribute(b, 3, "user");
    put_attribute(b, 4, "Basic");
    put_attribute(b, 6, "route");
    put_attribute(b, 7, "PEM\nlines");
    put_attribute(b, 8, "cipher");
    put_attribute(b, 9, "session");
    put8(b, 11);
    put16(b, 256);
    put_named(b, "AJP_SSL_PROTOCOL", "TLSv1.3");
    put_named(b, "JK_LB_ACTIVATION", "ACT");
    end_request(b);
}

static void test_what_is_told(void **state)
{
    (void)state;
    hoop_listener listener = { .protocol = HOOP_AJP, .ajp_trust_user = 1 };
    struct driver_options options = { .config = &listener };
    struct bytes in = { 0 };
    put_all(&in, 1);
    shows(tell, &options, &in,
          "[user][Basic][route][cipher][session][256][TLSv1.3][-][-][-] PEM\nlines - ACT");
    put_all(&in, 1); /* who the user is nobody believes unless told so */
    shows(tell, NULL, &in,
          "[-][-][route][cipher][session][256][TLSv1.3][-][-][-] PEM\nlines - ACT");
    put_all(&in, 0); /* no certificate without TLS */
    shows(tell, NULL, &in, "[-][-][route][cipher][session][256][TLSv1.3][-][-][-] - - ACT");
    put_get(&in, "/");
    shows(tell, NULL, &in, "[-][-][-][-][-][-][-][-][-][-] - - -");
}

/* --- the secret ------------------------------------------------------------------------------- */

static void test_secret(void **state)
{
    (void)state;
    hoop_listener listener = { .protocol = HOOP_AJP, .ajp_secret = "s3cr3t" };
    struct driver_options options = { .config = &listener };
    static const char *const wrong[] = { "", "s3cr3", "s3cr3tt", "S3CR3T", NULL };
    struct bytes in = { 0 };
    begin_request(&in, &(struct start){ 0 });
    put_attribute(&in, 12, "s3cr3t");
    end_request(&in);
    shows(tell, &options, &in, "[-][-][-][-][-][-][-][-][-][-] - - -");
    for (size_t i = 0; i < HOOP_COUNT(wrong); i++) {
        begin_request(&in, &(struct start){ 0 });
        put_attribute(&in, 12, wrong[i]);
        end_request(&in);
        refuses(&options, &in, 403);
    }
    put_get(&in, "/");
    refuses(&options, &in, 403);
    /* It comes first, whatever else is wrong with the values. */
    begin_request(&in, &(struct start){ .uri = "x" });
    end_request(&in);
    refuses(&options, &in, 403);
    begin_request(&in, &(struct start){ 0 });
    put_attribute(&in, 12, "s3cr3t"); /* none is set: none is asked for */
    end_request(&in);
    shows(tell, NULL, &in, "[-][-][-][-][-][-][-][-][-][-] - - -");
}

/* --- others ----------------------------------------------------------------------------------- */

static void test_named(void **state)
{
    (void)state;
    hoop_listener listener = { .protocol = HOOP_AJP, .ajp_attributes = "tenant, X_*" };
    struct driver_options options = { .config = &listener };
    struct bytes in = { 0 };
    begin_request(&in, &(struct start){ 0 });
    put_named(&in, "X_a", "1");
    put_named(&in, "tenant", "2");
    put_named(&in, "X_null", NULL);
    put_named(&in, "CERT_ISSUER", "3");
    end_request(&in);
    shows(tell, &options, &in, "[-][-][-][-][-][-][-][-][-][-] - 1 -");
    static const char *const refused[] = { "Tenant", "tenants", "x_a", "remote_user",
                                           "javax.servlet.include.request_uri" };
    for (size_t i = 0; i < HOOP_COUNT(refused); i++) {
        begin_request(&in, &(struct start){ 0 });
        put_named(&in, refused[i], "v");
        end_request(&in);
        refuses(&options, &in, 403);
    }
    begin_request(&in, &(struct start){ 0 });
    put_named(&in, "X_a", "v");
    end_request(&in);
    refuses(NULL, &in, 403);
    static const char *const broken[] = { "", "a\nb", NULL };
    for (size_t i = 0; i < HOOP_COUNT(broken); i++) {
        begin_request(&in, &(struct start){ 0 });
        put_named(&in, broken[i], "v");
        end_request(&in);
        refuses(&options, &in, 400);
    }
}

/* They count as header fields do. */
static void test_named_limit(void **state)
{
    (void)state;
    struct driver_options options = { .limits = { .max_headers = 3 } };
    for (int n = 2; n < 4; n++) {
        struct bytes in = { 0 };
        begin_request(&in, &(struct start){ .fields = 1 });
        put_coded(&in, 0xa00b, "h");
        for (int i = 0; i < n; i++)
            put_named(&in, "CERT_FLAGS", "1");
        end_request(&in);
        if (n == 2)
            shows(tell, &options, &in, "[-][-][-][-][-][-][-][-][-][-] - - -");
        else
            refuses(&options, &in, 431);
    }
}

static void test_broken(void **state)
{
    (void)state;
    struct bytes in = { 0 };
    static const unsigned unknown[] = { 0, 14, 100, 254 };
    for (size_t i = 0; i < HOOP_COUNT(unknown); i++) {
        begin_request(&in, &(struct start){ 0 });
        put_attribute(&in, unknown[i], "v");
        end_request(&in);
        refuses(NULL, &in, 400);
    }
    for (unsigned code = 1; code < 14; code++) {
        if (code == 10)
            continue;
        begin_request(&in, &(struct start){ .method = code == 13 ? STORED : GET });
        for (int twice = 0; twice < 2; twice++) {
            put8(&in, code);
            if (code == 11)
                put16(&in, 1);
            else
                put_string(&in, "a");
        }
        end_request(&in);
        refuses(NULL, &in, 400);
    }
    for (unsigned code = 3; code < 10; code++) {
        if (code == 7)
            continue;
        hoop_listener listener = { .protocol = HOOP_AJP, .ajp_trust_user = 1 };
        struct driver_options options = { .config = &listener };
        begin_request(&in, &(struct start){ 0 });
        put_attribute(&in, code, "a\r\nb");
        end_request(&in);
        refuses(&options, &in, 400);
    }
}

static void test_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *patterns, *name;
        int fits;
    } cases[] = {
        { NULL, "a", 0 },       { "", "a", 0 },       { "a", "a", 1 },
        { "a", "b", 0 },        { "a", "aa", 0 },     { "*", "", 1 },
        { "*", "anything", 1 }, { "a*", "a", 1 },     { "a*", "ab", 1 },
        { "a*", "ba", 0 },      { "*a", "ba", 1 },    { "*a", "ab", 0 },
        { "a*c", "abbc", 1 },   { "a*c", "abcb", 0 }, { "a*b*c", "axbybzc", 1 },
        { "**", "x", 1 },       { "b,a", "a", 1 },    { " ,\tb ,, a ", "a", 1 },
        { ",", "", 0 },         { "ab", "a", 0 },     { "*aab", "aaaab", 1 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++)
        assert_int_equal(hoop__ajp_allows(cases[i].patterns, hoop_str_c(cases[i].name)),
                         cases[i].fits);
}

/* A request that came another way has nothing of this. */
static void test_others(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_app_request(arena);
    assert_true(hoop_str_is_none(hoop_ajp_get(req, HOOP_AJP_REMOTE_USER)));
    assert_true(hoop_str_is_none(hoop_ajp_attribute(req, "a")));
    assert_true(hoop_str_is_none(hoop_ajp_get(NULL, HOOP_AJP_REMOTE_USER)));
    assert_true(hoop_str_is_none(hoop_ajp_attribute(NULL, "a")));
    assert_true(hoop_str_is_none(hoop_ajp_attribute(req, NULL)));
    hoop_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_told), cmocka_unit_test(test_secret),
        cmocka_unit_test(test_named),        cmocka_unit_test(test_named_limit),
        cmocka_unit_test(test_broken),       cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
