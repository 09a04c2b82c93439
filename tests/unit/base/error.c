/* Errors: names and texts of the codes, and the value that set-up functions fill. */
#include "support.h"

#include <errno.h>

static void test_names_and_texts_of_our_own(void **state)
{
    static const struct {
        int code;
        const char *name;
        const char *text;
    } rows[] = {
        { HOOP_EINVAL, "HOOP_EINVAL", "invalid argument" },
        { HOOP_ENOMEM, "HOOP_ENOMEM", "out of memory" },
        { HOOP_EALREADY, "HOOP_EALREADY", "already done" },
        { HOOP_ECANCELED, "HOOP_ECANCELED", "cancelled" },
        { HOOP_ETIMEDOUT, "HOOP_ETIMEDOUT", "timed out" },
        { HOOP_EBUSY, "HOOP_EBUSY", "too many things under way" },
        { HOOP_ETOOBIG, "HOOP_ETOOBIG", "too big" },
        { HOOP_EOF, "HOOP_EOF", "end of input" },
        { HOOP_EAGAIN, "HOOP_EAGAIN", "nothing now" },
        { HOOP_EPROTO, "HOOP_EPROTO", "protocol error" },
        { HOOP_EPARSE, "HOOP_EPARSE", "malformed text" },
        { HOOP_ETHREAD, "HOOP_ETHREAD", "wrong thread" },
        { HOOP_EDROPPED, "HOOP_EDROPPED", "the deferred response was dropped" },
        { HOOP_ECONFLICT, "HOOP_ECONFLICT", "conflicting entries" },
        { HOOP_EMISSING, "HOOP_EMISSING", "something needed is missing" },
        { HOOP_ENORESPONSE, "HOOP_ENORESPONSE", "the handler gave no response" },
        { HOOP_EGONE, "HOOP_EGONE", "the client is gone" },
        { HOOP_EUNSUPPORTED, "HOOP_EUNSUPPORTED", "not supported" },
    };
    for (size_t i = 0; i < HOOP_COUNT(rows); i++) {
        assert_string_equal(hoop_err_name(rows[i].code), rows[i].name);
        assert_string_equal(hoop_strerror(rows[i].code), rows[i].text);
        assert_true(rows[i].code <= -10001);
    }
    /* No code of ours lacks a name. */
    for (int code = -10001; code >= -10018; code--)
        assert_memory_equal(hoop_err_name(code), "HOOP_E", 6);
}

static void test_names_and_texts_of_the_system(void **state)
{
    assert_string_equal(hoop_err_name(-EADDRINUSE), "EADDRINUSE");
    assert_string_equal(hoop_strerror(-EADDRINUSE), "address already in use");
    assert_string_equal(hoop_err_name(-ECONNRESET), "ECONNRESET");
    assert_string_equal(hoop_strerror(-EMFILE), "too many open files");
}

static void test_success_and_the_unknown(void **state)
{
    assert_string_equal(hoop_err_name(0), "OK");
    assert_string_equal(hoop_strerror(0), "success");
    assert_string_equal(hoop_err_name(-10019), "UNKNOWN");
    assert_string_equal(hoop_strerror(12345), "unknown error");
    assert_string_equal(hoop_strerror(EADDRINUSE), "unknown error"); /* codes are negative */
}

static void test_set_fills_and_returns_the_code(void **state)
{
    hoop_error error;
    assert_int_equal(hoop_error_set(&error, HOOP_EINVAL, "route %d '%s'", 3, "/a"), HOOP_EINVAL);
    assert_int_equal(error.code, HOOP_EINVAL);
    assert_string_equal(error.text, "route 3 '/a'");
    assert_int_equal(hoop_error_set(NULL, HOOP_EPARSE, "%s", "x"), HOOP_EPARSE);
}

static void test_a_text_that_is_too_long_is_cut(void **state)
{
    hoop_error error;
    memset(&error, 'x', sizeof error);
    hoop_error_set(&error, HOOP_EINVAL, "%300s", "end");
    assert_int_equal(strlen(error.text), sizeof error.text - 1);
    assert_int_equal(sizeof(hoop_error), 256);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_texts_of_our_own),
        cmocka_unit_test(test_names_and_texts_of_the_system),
        cmocka_unit_test(test_success_and_the_unknown),
        cmocka_unit_test(test_set_fills_and_returns_the_code),
        cmocka_unit_test(test_a_text_that_is_too_long_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
