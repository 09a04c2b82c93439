/* Basic and Bearer: RFC 7617's examples, what is refused, there and back. */
#include "tools.h"

#include <hoop/auth.h>

static void basic(const char *value, int rc, const char *user, const char *password)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str text = tight_c(value), got_user = hoop_str_c("kept"), got_password = got_user;
    int got = hoop_basic_parse(arena, text, &got_user, &got_password);
    if (got != rc)
        fail_msg("'%s' gave %d, not %d", value, got, rc);
    assert_str(got_user, rc ? "kept" : user);
    assert_str(got_password, rc ? "kept" : password);
    if (!rc) {
        assert_int_equal(got_user.data[got_user.len], 0);
        assert_int_equal(got_password.data[got_password.len], 0);
    }
    drop(text);
    hoop_arena_free(arena);
}

static void test_basic(void **state)
{
    basic("Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==", 0, "Aladdin", "open sesame");
    basic("basic dGVzdDoxMjPCow==", 0, "test", "123\xc2\xa3");
    basic("BASIC   YTpi ", 0, "a", "b");
    basic("Basic Og==", 0, "", "");
    basic("Basic YTpiOmM=", 0, "a", "b:c");
    basic("", HOOP_EMISSING, NULL, NULL);
    basic(" ", HOOP_EMISSING, NULL, NULL);
    basic("Bearer YTpi", HOOP_EMISSING, NULL, NULL);
    basic("Basic", HOOP_EPARSE, NULL, NULL);
    basic("Basic YTpi YTpi", HOOP_EPARSE, NULL, NULL);
    basic("Basic YTpiOmM", HOOP_EPARSE, NULL, NULL); /* no padding */
    basic("Basic YWI=", HOOP_EPARSE, NULL, NULL);    /* no colon */
    basic("Basic YTpi!!!!", HOOP_EPARSE, NULL, NULL);
    basic("Basic YTpi/w==", HOOP_EPARSE, NULL, NULL);
    basic("Basic YTpiAA==", HOOP_EPARSE, NULL, NULL); /* NUL */
    basic("Basic YTpiCg==", HOOP_EPARSE, NULL, NULL); /* line feed */
    basic("Basic YTr8", HOOP_EPARSE, NULL, NULL);     /* Latin-1 */
    basic("\x01", HOOP_EPARSE, NULL, NULL);
    hoop_str text;
    assert_int_equal(hoop_basic_parse(NULL, hoop_str_c("Basic YTpi"), &text, &text), HOOP_EINVAL);
    hoop_arena *arena = hoop_arena_new();
    assert_int_equal(hoop_basic_parse(arena, hoop_str_none(), &text, &text), HOOP_EMISSING);
    hoop_arena_free(arena);
}

static void test_bearer(void **state)
{
    hoop_str token = hoop_str_c("kept");
    assert_int_equal(hoop_bearer_parse(hoop_str_c("Bearer mF_9.B5f-4.1JqM"), &token), 0);
    assert_str(token, "mF_9.B5f-4.1JqM");
    assert_int_equal(hoop_bearer_parse(hoop_str_c("bearer a=="), &token), 0);
    assert_str(token, "a==");
    assert_int_equal(hoop_bearer_parse(hoop_str_c("Bearer"), &token), HOOP_EPARSE);
    assert_int_equal(hoop_bearer_parse(hoop_str_c("Bearer a b"), &token), HOOP_EPARSE);
    assert_int_equal(hoop_bearer_parse(hoop_str_c("Bearer a,b"), &token), HOOP_EPARSE);
    assert_int_equal(hoop_bearer_parse(hoop_str_c("Bearer \"a\""), &token), HOOP_EPARSE);
    assert_int_equal(hoop_bearer_parse(hoop_str_c("Basic a"), &token), HOOP_EMISSING);
    assert_int_equal(hoop_bearer_parse(hoop_str_none(), &token), HOOP_EMISSING);
    assert_str(token, "a==");
}

static void test_format(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    hoop_str value = hoop_str_none();
    assert_int_equal(
        hoop_basic_format(arena, hoop_str_c("Aladdin"), hoop_str_c("open sesame"), &value), 0);
    assert_str(value, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==");
    assert_int_equal(value.data[value.len], 0);
    assert_int_equal(hoop_basic_format(arena, hoop_str_c("a:b"), hoop_str_c("c"), &value),
                     HOOP_EINVAL);
    assert_int_equal(hoop_basic_format(arena, hoop_str_c("a\n"), hoop_str_c("c"), &value),
                     HOOP_EINVAL);
    assert_int_equal(hoop_basic_format(arena, hoop_str_c("a"), hoop_str_c("\xff"), &value),
                     HOOP_EINVAL);
    assert_int_equal(hoop_basic_format(NULL, hoop_str_c("a"), hoop_str_c("b"), &value),
                     HOOP_EINVAL);
    hoop_arena_free(arena);
}

static void once(struct test_allocator *allocator, void *data)
{
    char big[3000];
    hoop_arena *arena = hoop_arena_new_with(&(hoop_arena_options){ .allocator = &allocator->hoop });
    hoop_str value, user, password;
    memset(big, 'p', sizeof big);
    if (!arena)
        return;
    int rc = hoop_basic_format(arena, hoop_str_c("user"), hoop_str_n(big, sizeof big), &value);
    if (rc == 0)
        rc = hoop_basic_parse(arena, value, &user, &password);
    assert_true(rc == HOOP_ENOMEM || (rc == 0 && hoop_str_eq_c(user, "user")));
    if (rc == 0)
        assert_bytes(password.data, password.len, big, sizeof big);
    hoop_arena_free(arena);
}

static void test_memory(void **state)
{
    test_each_allocation(once, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_basic),
        cmocka_unit_test(test_bearer),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
