/* Parameters: where they are found, typed values good and bad, and the 400 that tells what is wrong. */
#include "router_tools.h"

#include "handler/param_value.h"

/* --- values ---------------------------------------------------------------------------------- */

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rc;
        int64_t value;
    } cases[] = {
        { "42", 0, 42 },
        { "-1", 0, -1 },
        { "0", 0, 0 },
        { "-0", 0, 0 },
        { "007", 0, 7 },
        { "9223372036854775807", 0, INT64_MAX },
        { "-9223372036854775808", 0, INT64_MIN },
        { "9223372036854775808", HOOP_EPARSE, 0 },
        { "-9223372036854775809", HOOP_EPARSE, 0 },
        { "99999999999999999999999", HOOP_EPARSE, 0 },
        { "", HOOP_EPARSE, 0 },
        { "-", HOOP_EPARSE, 0 },
        { "+1", HOOP_EPARSE, 0 },
        { " 42", HOOP_EPARSE, 0 },
        { "42 ", HOOP_EPARSE, 0 },
        { "42x", HOOP_EPARSE, 0 },
        { "4.2", HOOP_EPARSE, 0 },
        { "0x10", HOOP_EPARSE, 0 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        int64_t value = 99;
        assert_int_equal(hoop__value_int64(hoop_str_c(cases[i].text), &value), cases[i].rc);
        assert_int_equal(value, cases[i].rc ? 99 : cases[i].value);
    }
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rc;
        double value;
    } cases[] = {
        { "1", 0, 1 },
        { "-1.5", 0, -1.5 },
        { "1e3", 0, 1000 },
        { "1.25E-2", 0, 0.0125 },
        { "0", 0, 0 },
        { "1e+2", 0, 100 },
        { "nan", HOOP_EPARSE, 0 },
        { "inf", HOOP_EPARSE, 0 },
        { "infinity", HOOP_EPARSE, 0 },
        { "1e999", HOOP_EPARSE, 0 },
        { ".5", HOOP_EPARSE, 0 },
        { "1.", HOOP_EPARSE, 0 },
        { "1e", HOOP_EPARSE, 0 },
        { "0x1p3", HOOP_EPARSE, 0 },
        { "+1", HOOP_EPARSE, 0 },
        { "1,5", HOOP_EPARSE, 0 },
        { "", HOOP_EPARSE, 0 },
        { " 1", HOOP_EPARSE, 0 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        double value = 99;
        assert_int_equal(hoop__value_double(hoop_str_c(cases[i].text), &value), cases[i].rc);
        assert_true(value == (cases[i].rc ? 99 : cases[i].value));
    }
}

static void test_booleans(void **state)
{
    (void)state;
    static const char *const yes[] = { "true", "1", "on" }, *const no[] = { "false", "0", "off" },
                             *const bad[] = { "TRUE", "yes", "", "2", "t", " on" };
    int value;
    for (size_t i = 0; i < HOOP_COUNT(yes); i++) {
        value = 9;
        assert_int_equal(hoop__value_bool(hoop_str_c(yes[i]), &value), 0);
        assert_int_equal(value, 1);
        assert_int_equal(hoop__value_bool(hoop_str_c(no[i]), &value), 0);
        assert_int_equal(value, 0);
    }
    for (size_t i = 0; i < HOOP_COUNT(bad); i++)
        assert_int_equal(hoop__value_bool(hoop_str_c(bad[i]), &value), HOOP_EPARSE);
}

static void test_uuids(void **state)
{
    (void)state;
    static const uint8_t want[16] = { 0x01, 0x90, 0x16, 0x3d, 0x86, 0x94, 0x73, 0x9b,
                                      0xae, 0xa5, 0x96, 0x6c, 0x26, 0xf8, 0xad, 0x91 };
    uint8_t value[16];
    assert_int_equal(hoop__value_uuid(hoop_str_c("0190163d-8694-739b-aea5-966C26F8AD91"), value),
                     0);
    assert_memory_equal(value, want, 16);
    static const char *const bad[] = { "",
                                       "0190163d8694739baea5966c26f8ad91",
                                       "0190163d-8694-739b-aea5-966c26f8ad9",
                                       "0190163d-8694-739b-aea5-966c26f8ad911",
                                       "0190163g-8694-739b-aea5-966c26f8ad91",
                                       "0190163d-8694-739b-aea5_966c26f8ad91",
                                       "{190163d-8694-739b-aea5-966c26f8ad9}" };
    for (size_t i = 0; i < HOOP_COUNT(bad); i++)
        assert_int_equal(hoop__value_uuid(hoop_str_c(bad[i]), value), HOOP_EPARSE);
}

static void test_times(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int rc;
        int64_t value;
    } cases[] = {
        { "1970-01-01T00:00:00Z", 0, 0 },
        { "1970-01-01t00:00:01z", 0, 1000 },
        { "1985-04-12T23:20:50.52Z", 0, INT64_C(482196050520) },
        { "1996-12-19T16:39:57-08:00", 0, INT64_C(851042397000) },
        { "1990-12-31T23:59:60Z", 0, INT64_C(662688000000) },
        { "1990-12-31T15:59:60-08:00", 0, INT64_C(662688000000) },
        { "1937-01-01T12:00:27.87+00:20", 0, INT64_C(-1041337172130) },
        { "2000-02-29T00:00:00Z", 0, INT64_C(951782400000) },
        { "0000-01-01T00:00:00Z", 0, INT64_C(-62167219200000) },
        { "2026-11-30T09:00:00.123456789Z", 0, INT64_C(1796029200123) },
        { "1990-12-31T22:59:60Z", HOOP_EPARSE, 0 },
        { "1900-02-29T00:00:00Z", HOOP_EPARSE, 0 },
        { "2026-13-01T00:00:00Z", HOOP_EPARSE, 0 },
        { "2026-00-01T00:00:00Z", HOOP_EPARSE, 0 },
        { "2026-01-32T00:00:00Z", HOOP_EPARSE, 0 },
        { "2026-01-01T24:00:00Z", HOOP_EPARSE, 0 },
        { "2026-01-01T00:60:00Z", HOOP_EPARSE, 0 },
        { "2026-01-01T00:00:00", HOOP_EPARSE, 0 },
        { "2026-01-01 00:00:00Z", HOOP_EPARSE, 0 },
        { "2026-01-01T00:00:00.Z", HOOP_EPARSE, 0 },
        { "2026-01-01T00:00:00+0100", HOOP_EPARSE, 0 },
        { "2026-01-01T00:00:00+24:00", HOOP_EPARSE, 0 },
        { "2026-01-01T00:00:00Zx", HOOP_EPARSE, 0 },
        { "2026-1-01T00:00:00Z", HOOP_EPARSE, 0 },
        { "2026-01-01", HOOP_EPARSE, 0 },
        { "", HOOP_EPARSE, 0 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        int64_t value = 99;
        int rc = hoop__value_time(hoop_str_c(cases[i].text), &value);
        if (rc != cases[i].rc || value != (rc ? 99 : cases[i].value))
            fail_msg("%s: %d %lld", cases[i].text, rc, (long long)value);
    }
}

/* --- places ---------------------------------------------------------------------------------- */

static const hoop_response *(*look)(const hoop_request *req);

static const hoop_response *looked(const hoop_request *req, void *data)
{
    (void)data;
    return look(req);
}

static const hoop_response *in_handler(const hoop_request *req,
                                       const hoop_response *(*fn)(const hoop_request *))
{
    const hoop_route table[] = { HOOP_ANY("/p/:id/*rest", looked), HOOP_ANY("/:id", looked) };
    look = fn;
    const hoop_response *res = hoop_call_sync(BUILD(table), req);
    if (!res)
        fail_msg("%s", hoop_mock_failure(req)->text);
    return res;
}

static const hoop_response *look_at_places(const hoop_request *req)
{
    assert_str(hoop_param(req, "id"), "7 8");
    assert_str(hoop_param_in(req, HOOP_IN_PATH, "id"), "7 8");
    assert_str(hoop_param_in(req, HOOP_IN_QUERY, "id"), "q");
    assert_str(hoop_param_in(req, HOOP_IN_FORM, "id"), "f2");
    assert_str(hoop_param_in(req, HOOP_IN_HEADER, "Id"), "h1");
    assert_str(hoop_param(req, "rest"), "a/b");
    assert_str(hoop_param(req, "only-form"), "x+y z");
    assert_str(hoop_param(req, "list"), "3");
    assert_int_equal(hoop_param_count(req, HOOP_IN_QUERY, "list"), 3);
    assert_str(hoop_param_at(req, HOOP_IN_QUERY, "list", 0), "1");
    assert_str(hoop_param_at(req, HOOP_IN_ANY, "list", 1), "2");
    assert_str(hoop_param_at(req, HOOP_IN_QUERY, "list", 2), "3");
    assert_true(hoop_str_is_none(hoop_param_at(req, HOOP_IN_QUERY, "list", 3)));
    assert_int_equal(hoop_param_count(req, HOOP_IN_FORM, "id"), 2);
    assert_str(hoop_param_at(req, HOOP_IN_FORM, "id", 0), "f1");
    assert_int_equal(hoop_param_count(req, HOOP_IN_HEADER, "id"), 2);
    assert_str(hoop_param_at(req, HOOP_IN_HEADER, "id", 1), "h2");
    assert_int_equal(hoop_param_count(req, HOOP_IN_PATH, "id"), 1);
    assert_true(hoop_str_is_none(hoop_param_at(req, HOOP_IN_PATH, "id", 1)));
    assert_str(hoop_param(req, "page[size]"), "3");
    assert_str(hoop_param(req, "bare"), "");
    assert_false(hoop_str_is_none(hoop_param(req, "bare")));
    assert_str(hoop_param(req, "odd"), "%zz%");
    assert_true(hoop_str_is_none(hoop_param(req, "nul")));
    assert_true(hoop_str_is_none(hoop_param(req, "none")));
    assert_true(hoop_str_is_none(hoop_param_in(req, 5, "id")));
    assert_true(hoop_str_is_none(hoop_param_in(req, 0, NULL)));
    assert_true(hoop_str_is_none(hoop_param(NULL, "id")));
    assert_int_equal(hoop_param_count(NULL, 0, "id"), 0);
    return hoop_respond(req, 204);
}

static void test_places(void **state)
{
    (void)state;
    const hoop_request *req = hoop_mock(
        arena, "POST",
        "/p/7%208/a/b?id=q&list=1&list=2&page%5Bsize%5D=3&list=3&bare&odd=%zz%&nul=a%00b", NULL);
    req = hoop_mock_header(hoop_mock_header(req, "id", "h1"), "id", "h2");
    req = hoop_mock_body(req, "application/x-www-form-urlencoded; charset=utf-8",
                         hoop_str_c("id=f1&id=f2&only-form=x%2By+z"));
    assert_int_equal(in_handler(req, look_at_places)->status, 204);
}

static const hoop_response *look_at_json(const hoop_request *req)
{
    assert_true(hoop_str_is_none(hoop_param(req, "a")));
    return hoop_respond(req, 204);
}

static void test_body_that_is_no_form(void **state)
{
    (void)state;
    const hoop_request *req = hoop_mock(arena, "POST", "/x", "a=1");
    assert_int_equal(in_handler(req, look_at_json)->status, 204);
    req =
        hoop_mock_body(hoop_mock(arena, "POST", "/x", NULL), "application/json", hoop_str_c("a=1"));
    assert_int_equal(in_handler(req, look_at_json)->status, 204);
}

/* --- typed ----------------------------------------------------------------------------------- */

static const hoop_response *read_good(const hoop_request *req)
{
    int64_t id = 0, limit = 20, offset = 3, at = 0;
    double x = 0;
    int done = -1;
    uint8_t uuid[16];
    hoop_str text = hoop_str_none();
    const hoop_response *bad = NULL;
    assert_int_equal(hoop_param_int64(req, HOOP_IN_PATH, "id", &id, &bad), 1);
    assert_int_equal(hoop_param_int64(req, HOOP_IN_QUERY, "limit", &limit, &bad), 1);
    assert_int_equal(hoop_param_int64(req, HOOP_IN_QUERY, "offset", &offset, &bad), 0);
    assert_int_equal(hoop_param_double(req, HOOP_IN_QUERY, "x", &x, &bad), 1);
    assert_int_equal(hoop_param_bool(req, HOOP_IN_ANY | HOOP_REQUIRED, "done", &done, &bad), 1);
    assert_int_equal(hoop_param_uuid(req, HOOP_IN_QUERY, "uuid", uuid, &bad), 1);
    assert_int_equal(hoop_param_time(req, HOOP_IN_HEADER, "x-at", &at, &bad), 1);
    assert_int_equal(hoop_param_text(req, HOOP_IN_QUERY | HOOP_REQUIRED, "text", &text, &bad), 1);
    assert_null(bad);
    return hoop_textf(req, 200, "%d %d %d %d %d %d %d %s", (int)id, (int)limit, (int)offset,
                      (int)(x * 10), done, uuid[15], (int)at, text.data);
}

static void test_typed(void **state)
{
    (void)state;
    const hoop_request *req = hoop_mock(arena, "GET",
                                        "/7?limit=5&x=1.5&done=true&text=a+b&"
                                        "uuid=00000000-0000-0000-0000-0000000000ff",
                                        NULL);
    req = hoop_mock_header(req, "x-at", "1970-01-01T00:00:01Z");
    assert_str(in_handler(req, read_good)->body, "7 5 3 15 1 255 1000 a b");
}

static const hoop_response *read_bad(const hoop_request *req)
{
    int64_t limit = 20;
    const hoop_response *bad = NULL;
    assert_int_equal(hoop_param_int64(req, HOOP_IN_QUERY, "limit", &limit, &bad), HOOP_EPARSE);
    assert_int_equal(limit, 20);
    return bad;
}

static void test_bad_value(void **state)
{
    (void)state;
    const hoop_response *res = in_handler(hoop_mock(arena, "GET", "/x?limit=zz", NULL), read_bad);
    assert_int_equal(res->status, 400);
    assert_str(hoop_response_header(res, "content-type"), "application/problem+json");
    assert_str(res->body,
               "{\"title\":\"Bad Request\",\"status\":400,\"detail\":\"query parameter 'limit' is "
               "'zz', expected an integer\",\"errors\":[{\"in\":\"query\",\"parameter\":\"limit\","
               "\"value\":\"zz\",\"expected\":\"an integer\"}]}");
    res = in_handler(hoop_mock(arena, "GET", "/x?limit=%00", NULL), read_bad);
    assert_int_equal(res->status, 400);
    res = in_handler(hoop_mock(arena, "GET", "/x?limit=%22%FF%C3%A4%0A", NULL), read_bad);
    assert_non_null(strstr(res->body.data, "\"value\":\"\\\"\xef\xbf\xbd\xc3\xa4\\u000a\""));
    char uri[1000] = "/x?limit=";
    memset(uri + 9, 'y', 900);
    res = in_handler(hoop_mock(arena, "GET", uri, NULL), read_bad);
    assert_true(res->body.len < 700);
    /* Of several the last one counts. */
    res = in_handler(hoop_mock(arena, "GET", "/x?limit=1&limit=b", NULL), read_bad);
    assert_non_null(strstr(res->body.data, "\"value\":\"b\""));
}

static const hoop_response *read_all_bad(const hoop_request *req)
{
    int64_t number = 1;
    double x = 2;
    int flag = 3;
    uint8_t uuid[16];
    hoop_str text = hoop_str_c("kept");
    const hoop_response *bad = NULL;
    assert_int_equal(hoop_param_int64(req, HOOP_IN_PATH, "id", &number, &bad), HOOP_EPARSE);
    assert_int_equal(hoop_param_double(req, HOOP_IN_QUERY | HOOP_REQUIRED, "x", &x, &bad),
                     HOOP_EMISSING);
    assert_int_equal(hoop_param_bool(req, HOOP_IN_FORM, "f", &flag, &bad), HOOP_EPARSE);
    assert_int_equal(hoop_param_uuid(req, HOOP_IN_HEADER, "host", uuid, &bad), HOOP_EPARSE);
    assert_int_equal(hoop_param_time(req, HOOP_IN_ANY | HOOP_REQUIRED, "at", &number, &bad),
                     HOOP_EMISSING);
    assert_int_equal(hoop_param_text(req, HOOP_IN_QUERY | HOOP_REQUIRED, "t", &text, &bad),
                     HOOP_EPARSE);
    assert_int_equal(number, 1);
    assert_int_equal(flag, 3);
    assert_str(text, "kept");
    return bad;
}

static void test_all_at_once(void **state)
{
    (void)state;
    const hoop_request *req = hoop_mock(arena, "POST", "/abba?t=", NULL);
    req = hoop_mock_body(req, "application/x-www-form-urlencoded", hoop_str_c("f=maybe"));
    const hoop_response *res = in_handler(req, read_all_bad);
    assert_str(
        res->body,
        "{\"title\":\"Bad Request\",\"status\":400,\"detail\":\"path parameter 'id' is 'abba', expected "
        "an integer (and more, see errors)\",\"errors\":["
        "{\"in\":\"path\",\"parameter\":\"id\",\"value\":\"abba\",\"expected\":\"an integer\"},"
        "{\"in\":\"query\",\"parameter\":\"x\",\"expected\":\"a number\"},"
        "{\"in\":\"form\",\"parameter\":\"f\",\"value\":\"maybe\",\"expected\":\"true or false\"},"
        "{\"in\":\"header\",\"parameter\":\"host\",\"value\":\"localhost\",\"expected\":\"a UUID\"},"
        "{\"in\":\"query\",\"parameter\":\"at\",\"expected\":\"a date and time like "
        "2026-11-30T09:00:00Z\"},"
        "{\"in\":\"query\",\"parameter\":\"t\",\"value\":\"\",\"expected\":\"a text\"}]}");
}

static void test_null_arguments(void **state)
{
    (void)state;
    int64_t value = 4;
    const hoop_response *bad = NULL;
    const hoop_request *req = hoop_mock(arena, "GET", "/?a=x", NULL);
    assert_int_equal(hoop_param_int64(NULL, HOOP_IN_QUERY, "a", &value, &bad), HOOP_EINVAL);
    assert_int_equal(hoop_param_int64(req, HOOP_IN_QUERY, NULL, &value, &bad), HOOP_EINVAL);
    assert_int_equal(hoop_param_int64(req, HOOP_IN_QUERY, "a", NULL, &bad), HOOP_EINVAL);
    assert_int_equal(hoop_param_int64(req, 9, "a", &value, &bad), HOOP_EINVAL);
    assert_null(bad);
    assert_int_equal(hoop_param_int64(req, HOOP_IN_QUERY, "a", &value, NULL), HOOP_EPARSE);
    assert_int_equal(value, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_booleans),
        cmocka_unit_test(test_uuids),
        cmocka_unit_test(test_times),
        ROUTER_TEST(test_places),
        ROUTER_TEST(test_body_that_is_no_form),
        ROUTER_TEST(test_typed),
        ROUTER_TEST(test_bad_value),
        ROUTER_TEST(test_all_at_once),
        ROUTER_TEST(test_null_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
