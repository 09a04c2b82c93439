/* Credentials and challenges: read as the RFC has them, written so that they are read again. */
#include "tools.h"

#include <hoop/auth.h>

#include <stdio.h>

static hoop_arena *arena;

static int set_up(void **state)
{
    arena = hoop_arena_new();
    return !arena;
}

static int tear_down(void **state)
{
    hoop_arena_free(arena);
    return 0;
}

/* As "scheme|token|params", "-" for what is absent. */
static void show(const hoop_auth *auth, char *out, size_t cap)
{
    hoop_str token = hoop_str_is_none(auth->token) ? hoop_str_c("-") : auth->token;
    hoop_str params = hoop_str_is_none(auth->params) ? hoop_str_c("-") : auth->params;
    snprintf(out, cap, "%.*s|%.*s|%.*s", (int)auth->scheme.len, auth->scheme.data, (int)token.len,
             token.data, (int)params.len, params.data);
}

static void parses(const char *value, const char *want)
{
    hoop_str text = tight_c(value);
    hoop_auth auth;
    char got[256];
    int rc = hoop_auth_parse(text, &auth);
    assert_int_equal(rc, want ? 0 : HOOP_EPARSE);
    if (want) {
        show(&auth, got, sizeof got);
        assert_string_equal(got, want);
    }
    drop(text);
}

static void test_parse(void **state)
{
    parses("Basic", "Basic|-|-");
    parses("Basic ", "Basic|-|-");
    parses("Basic dXNlcg==", "Basic|dXNlcg==|-");
    parses("Bearer  a-._~+/b", "Bearer|a-._~+/b|-");
    parses(" Bearer\tx ", "Bearer|x|-");
    parses("Digest a=b, c=\"d\", ???", "Digest|-|a=b, c=\"d\", ???");
    parses("X a=", "X|a=|-");
    parses("X a=b", "X|-|a=b");
    parses("X =", "X|-|=");
    parses("X a b", "X|-|a b");
    parses("", NULL);
    parses("  ", NULL);
    parses("\"Basic\" x", NULL);
    parses("Basic,x", NULL);
    parses("Basic:x", NULL);
}

static void param(const char *value, const char *name, const char *want)
{
    hoop_str text = tight_c(value);
    hoop_auth auth;
    assert_int_equal(hoop_auth_parse(text, &auth), 0);
    hoop_str got = hoop_auth_param_of(arena, &auth, name);
    assert_int_equal(hoop_str_is_none(got), !want);
    assert_str(got, want ? want : "");
    drop(text);
}

static void test_params(void **state)
{
    static const char digest[] = "Digest username=\"Mufasa\", Realm=\"a,b\", ???, uri = /x, "
                                 "qop=auth, nc=, opaque=\"\\\"q\\\\\", qop=other, bad=\"x\"y";
    param(digest, "username", "Mufasa");
    param(digest, "realm", "a,b");
    param(digest, "URI", NULL); /* "/x" is no token */
    param(digest, "qop", "auth");
    param(digest, "nc", NULL);
    param(digest, "opaque", "\"q\\");
    param(digest, "bad", NULL);
    param(digest, "none", NULL);
    param("X a\t=\t\"b\"", "a", "b");
    param("X a=\"\"", "a", "");
    param("Basic abc=", "abc", NULL);
    assert_true(hoop_str_is_none(hoop_auth_param_of(arena, NULL, "a")));
}

static void challenges(const char *header, const char *want)
{
    hoop_str text = tight_c(header), rest = text, kept;
    hoop_auth auth;
    char got[512] = "", one[256];
    int rc;
    for (kept = rest; (rc = hoop_challenge_next(&rest, &auth)) > 0; kept = rest) {
        show(&auth, one, sizeof one);
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s%s", *got ? " & " : "", one);
    }
    if (rc < 0) {
        strcat(got, "!");
        assert_true(rest.data == kept.data && rest.len == kept.len);
    } else {
        assert_int_equal(rest.len, 0);
    }
    assert_string_equal(got, want);
    drop(text);
}

static void test_challenges(void **state)
{
    /* RFC 9110 11.6.1's example. */
    challenges(
        "Basic realm=\"simple\", Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\"",
        "Basic|-|realm=\"simple\" & "
        "Newauth|-|realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\"");
    challenges("", "");
    challenges(" , ", "");
    challenges("Negotiate", "Negotiate|-|-");
    challenges("Negotiate, Basic realm=x", "Negotiate|-|- & Basic|-|realm=x");
    challenges("Negotiate abc==, NTLM", "Negotiate|abc==|- & NTLM|-|-");
    challenges("A ,b=c", "A|-|,b=c");
    challenges("A b = c, d = \"e\"", "A|-|b = c, d = \"e\"");
    challenges("a=b", "!");
    challenges("A b=c, ???", "!");
    challenges("A b=\"c", "!");
    challenges("A, b=\"c", "!");
}

static void formats(const char *scheme, const hoop_auth_param *params, size_t count,
                    const char *want)
{
    hoop_str value = hoop_str_none();
    hoop_error error;
    int rc = hoop_challenge_format(arena, scheme, params, count, &value, &error);
    if (rc)
        fail_msg("%s", error.text);
    assert_str(value, want);
    assert_int_equal(value.data[value.len], 0);
}

static void test_format(void **state)
{
    static const hoop_auth_param params[] = { { "realm", "a \"b\" \\" }, { "charset", "UTF-8" } };
    static const hoop_auth_param bad[] = { { "realm", "a\r\nb" }, { "a b", "c" }, { NULL, "c" } };
    hoop_str value = hoop_str_c("kept");
    hoop_error error;
    formats("Negotiate", NULL, 0, "Negotiate");
    formats("Basic", params, 1, "Basic realm=\"a \\\"b\\\" \\\\\"");
    formats("Basic", params, 2, "Basic realm=\"a \\\"b\\\" \\\\\", charset=\"UTF-8\"");
    formats("X", (hoop_auth_param[]){ { "a", NULL } }, 1, "X a=\"\"");
    assert_int_equal(hoop_challenge_format(arena, "X", bad, 1, &value, &error), HOOP_EINVAL);
    assert_non_null(strstr(error.text, "'realm' has a control character"));
    assert_int_equal(hoop_challenge_format(arena, "X", bad + 1, 1, &value, &error), HOOP_EINVAL);
    assert_non_null(strstr(error.text, "'a b' is no token"));
    assert_int_equal(hoop_challenge_format(arena, "X", bad + 2, 1, &value, NULL), HOOP_EINVAL);
    assert_int_equal(hoop_challenge_format(arena, "X Y", NULL, 0, &value, &error), HOOP_EINVAL);
    assert_non_null(strstr(error.text, "scheme 'X Y'"));
    assert_int_equal(hoop_challenge_format(arena, NULL, NULL, 0, &value, NULL), HOOP_EINVAL);
    assert_int_equal(hoop_challenge_format(NULL, "X", NULL, 0, &value, NULL), HOOP_EINVAL);
    assert_str(value, "kept");
}

static void format_once(struct test_allocator *allocator, void *data)
{
    static const hoop_auth_param params[] = { { "realm", "\"quoted\" text that takes some room" } };
    hoop_arena *own = hoop_arena_new_with(
        &(hoop_arena_options){ .allocator = &allocator->hoop, .block_size = 128 });
    hoop_str value;
    hoop_auth auth;
    if (!own)
        return;
    int rc = hoop_challenge_format(own, "X", params, 1, &value, NULL);
    assert_true(rc == 0 || rc == HOOP_ENOMEM);
    if (rc == 0 && hoop_auth_parse(value, &auth) == 0) {
        hoop_str text = hoop_auth_param_of(own, &auth, "realm");
        assert_true(hoop_str_is_none(text) || hoop_str_eq_c(text, params[0].value));
    }
    hoop_arena_free(own);
}

static void test_memory(void **state)
{
    test_each_allocation(format_once, NULL);
}

static void test_random(void **state)
{
    uint64_t seed = 7235;
    for (int i = 0; i < 100000; i++) {
        hoop_str text = random_text(&seed, 24, "Aab=, \"\\/"), rest = text;
        hoop_auth auth;
        size_t count = 0;
        while (hoop_challenge_next(&rest, &auth) > 0) {
            assert_true(auth.scheme.len > 0 && auth.scheme.data >= text.data);
            assert_true(hoop_str_is_none(auth.token) || hoop_str_is_none(auth.params));
            assert_true(auth.params.len + auth.token.len < text.len);
            count++;
        }
        assert_true(count <= text.len);
        drop(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),      cmocka_unit_test(test_params),
        cmocka_unit_test(test_challenges), cmocka_unit_test(test_format),
        cmocka_unit_test(test_memory),     cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
