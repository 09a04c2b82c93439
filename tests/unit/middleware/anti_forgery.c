/* Middleware "anti_forgery": origins, tokens in session and cookie, what is refused and how it is told. */
#include "fake.h"
#include "middleware.h"

#include "crypto/crypto.h"
#include "middleware/csrf.h"
#include "middleware/session.h"

#include <stdio.h>
#include <stdlib.h>

#define A16 "AAAAAAAAAAAAAAAA"
#define A64 A16 A16 A16 A16
/* The secret of the session K is 32 zeros, so this is a token of it, under a mask of zeros. */
#define SECRET A16 A16 "AAAAAAAAAAA"
#define TOKEN  A64 A16 "AAAAAA"
#define WRONG  A64 A16 "AAAAAQ"

/* --- a session that is always the same ------------------------------------------------------- */

static const hoop_response *constant_read(const hoop_request *req, hoop_session_entry *entry,
                                          void *data)
{
    static const hoop_field items[] = { { { "_csrf", 5 }, { SECRET, 43 } } };
    const struct hoop__session session = { items, hoop_str_eq_c(entry->id, "K"), 1, 1 };
    (void)data;
    return hoop__session_encode(req->arena, &session, &entry->data) ? hoop__fail_memory(req)
                                                                    : hoop__session_said();
}

static const hoop_response *constant_write(const hoop_request *req, hoop_session_entry *entry,
                                           void *data)
{
    (void)req;
    (void)data;
    entry->id =
        hoop_str_c(memmem(entry->data.data, entry->data.len, "_csrf", 5) ? "with" : "without");
    return hoop__session_said();
}

static const hoop_session_store constant = { constant_read, constant_write, constant_write, NULL };
static const hoop_session_options session = { .store = &constant,
                                              .idle = HOOP_OFF,
                                              .lifetime = HOOP_OFF };

#define STACK(options) HOOP_PARAMS(NULL), HOOP_SESSION(&session), HOOP_ANTI_FORGERY(options)
#define FORM           "\nContent-Type: application/x-www-form-urlencoded"
#define K              "Cookie: session=K"
#define L              "Cookie: session=L" /* it has no token */
#define OK             .want = "200\n\nok"
#define PROBLEM(more)                                                                    \
    "403\nContent-Type: application/problem+json\n\n{\"title\":\"Forbidden\","           \
    "\"status\":403,\"detail\":\"this may be a forged request; load the page again and " \
    "retry" more "\"}"
#define REFUSED .want = PROBLEM("")

static void test_methods_and_tokens(void **state)
{
    (void)state;
    static const hoop_middleware chain[] = { STACK(NULL) };
    static const struct middleware_case cases[] = {
        { .method = "GET", OK },
        { .method = "HEAD", OK },
        { .method = "OPTIONS", OK },
        { .method = "POST", REFUSED },
        { .method = "PUT", REFUSED },
        { .method = "PATCH", REFUSED },
        { .method = "DELETE", REFUSED },
        { .method = "TRACE", REFUSED },
        { .method = "POST", .headers = K, REFUSED },
        { .method = "POST", .headers = K "\nX-CSRF-Token: " TOKEN, OK },
        { .method = "POST", .headers = K "\nX-XSRF-Token: " TOKEN, OK },
        { .method = "POST", .headers = K "\nX-Nota-Token: " TOKEN, REFUSED },
        { .method = "POST", .headers = K "\nX-CSRF-Token: " WRONG, REFUSED },
        { .method = "POST", .headers = K "\nX-CSRF-Token: " TOKEN "A", REFUSED },
        { .method = "POST", .headers = K "\nX-CSRF-Token: " SECRET, REFUSED },
        { .method = "POST", .headers = K "\nX-CSRF-Token: ", REFUSED },
        { .method = "POST", .headers = L "\nX-CSRF-Token: " TOKEN, REFUSED },
        { .method = "POST", .headers = "X-CSRF-Token: " TOKEN, REFUSED },
        { .method = "POST", .headers = K FORM, .body = "__anti-forgery-token=" TOKEN, OK },
        { .method = "POST", .headers = K FORM, .body = "__anti-forgery-token=" WRONG, REFUSED },
        { .method = "POST",
          .headers = K FORM "\nX-CSRF-Token: " TOKEN,
          .body = "__anti-forgery-token=" WRONG,
          REFUSED },
        { .method = "POST", .uri = "/?__anti-forgery-token=" TOKEN, .headers = K, REFUSED },
    };
    test_middleware(chain, 3, cases, HOOP_COUNT(cases));
}

static void test_origins(void **state)
{
    (void)state;
    static const char *const origins[] = { "https://a.example", NULL };
    static const hoop_anti_forgery_options options = { .origins = origins };
    static const hoop_middleware chain[] = { STACK(&options) };
    static const struct middleware_case cases[] = {
        { .method = "POST", .headers = "Sec-Fetch-Site: same-origin", OK },
        { .method = "POST", .headers = "Sec-Fetch-Site: none", OK },
        { .method = "POST", .headers = "Sec-Fetch-Site: cross-site", REFUSED },
        { .method = "POST", .headers = "Sec-Fetch-Site: same-site", REFUSED },
        { .method = "POST",
          .headers = K "\nX-CSRF-Token: " TOKEN "\nSec-Fetch-Site: cross-site",
          REFUSED },
        { .method = "GET", .headers = "Sec-Fetch-Site: cross-site", OK },
        /* A handshake for a WebSocket is a GET that acts in a user's name. */
        { .uri = "http://h.example/",
          .headers = "Upgrade: h2c, WebSocket\nOrigin: http://evil.example",
          REFUSED },
        { .uri = "http://h.example/", .headers = "Upgrade: websocket\nOrigin: null", REFUSED },
        { .headers = "Upgrade: websocket\nSec-Fetch-Site: cross-site", REFUSED },
        { .uri = "http://h.example/",
          .headers = "Upgrade: websocket\nOrigin: http://h.example",
          OK },
        { .headers = "Upgrade: websocket\nOrigin: https://a.example", OK },
        { .headers = "Upgrade: websocket", OK },
        { .uri = "http://h.example/", .headers = "Upgrade: h2c\nOrigin: http://evil.example", OK },
        { .method = "POST", .uri = "http://h.example/", .headers = "Origin: http://h.example", OK },
        { .method = "POST",
          .uri = "http://H.example:80/",
          .headers = "Origin: http://h.example",
          OK },
        { .method = "POST",
          .uri = "http://h.example:81/",
          .headers = "Origin: http://h.example:81",
          OK },
        { .method = "POST",
          .uri = "http://h.example:81/",
          .headers = "Origin: http://h.example",
          REFUSED },
        { .method = "POST",
          .uri = "http://h.example/",
          .headers = "Origin: https://h.example",
          REFUSED },
        { .method = "POST",
          .uri = "http://h.example/",
          .headers = "Origin: http://evil.example",
          REFUSED },
        { .method = "POST", .uri = "http://h.example/", .headers = "Origin: null", REFUSED },
        { .method = "POST", .headers = K "\nX-CSRF-Token: " TOKEN "\nOrigin: null", REFUSED },
        { .method = "POST",
          .headers =
              K "\nX-CSRF-Token: " TOKEN "\nSec-Fetch-Site: cross-site\nOrigin: https://a.example",
          OK },
        { .method = "POST",
          .headers = "Sec-Fetch-Site: cross-site\nOrigin: https://a.example",
          REFUSED },
    };
    test_middleware(chain, 3, cases, HOOP_COUNT(cases));
}

static hoop_str query_token(const hoop_request *req, void *data)
{
    return hoop_param_in(req, HOOP_IN_QUERY, data);
}

static const hoop_response *own_answer(const hoop_request *req, void *data)
{
    return hoop_text(req, 418, data);
}

static char t_name[] = "t", own_text[] = "no";

static void test_options(void **state)
{
    (void)state;
    static const hoop_anti_forgery_options strict = { .always_token = 1, .development = 1 };
    static const hoop_anti_forgery_options own = {
        .token = query_token,
        .token_data = t_name,
        .safe_header = "X-Safe",
        .refused = own_answer,
        .refused_data = own_text,
    };
    static const hoop_middleware chain[] = { STACK(&strict) }, other[] = { STACK(&own) };
#define TEAPOT .want = "418\nContent-Type: text/plain; charset=utf-8\n\nno"
    static const struct middleware_case cases[] = {
        { .method = "POST",
          .headers = "Sec-Fetch-Site: same-origin",
          .want = PROBLEM(" (it brings no token)") },
        { .method = "POST",
          .headers = "Sec-Fetch-Site: cross-site",
          .want = PROBLEM(" (Sec-Fetch-Site says that another site has sent it)") },
        { .method = "POST",
          .uri = "http://a/",
          .headers = "Origin: null",
          .want = PROBLEM(" (its Origin is not this server's)") },
        { .method = "POST",
          .headers = "X-CSRF-Token: " TOKEN,
          .want = PROBLEM(" (its session has no token)") },
        { .method = "POST",
          .headers = K "\nX-CSRF-Token: " WRONG,
          .want = PROBLEM(" (its token is wrong)") },
        { .method = "POST",
          .headers = K "\nX-CSRF-Token: " WRONG "\nAccept: text/html",
          .want = "403\nContent-Type: text/html; charset=utf-8\n\n"
                  "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>"
                  "Forbidden</title></head><body>\n<h1>Invalid anti-forgery token</h1>\n<p>This "
                  "may be a forged request. Load the page again and retry. (its token is wrong)"
                  "</p>\n</body></html>\n" },
        { .method = "POST",
          .headers = K "\nSec-Fetch-Site: same-origin\nX-CSRF-Token: " TOKEN,
          OK },
    };
    static const struct middleware_case others[] = {
        { .method = "POST", .uri = "/?t=" TOKEN, .headers = K, OK },
        { .method = "POST", .headers = K "\nX-CSRF-Token: " TOKEN, TEAPOT },
        { .method = "POST", .headers = "X-Safe: any", OK },
        { .method = "POST", .headers = "X-Safe: any\nSec-Fetch-Site: cross-site", TEAPOT },
        { .method = "POST", .headers = "X-Safe:  ", TEAPOT },
    };
    test_middleware(chain, 3, cases, HOOP_COUNT(cases));
    test_middleware(other, 3, others, HOOP_COUNT(others));
}

/* --- the life of a secret -------------------------------------------------------------------- */

static const hoop_response *give(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_csrf_token(req).len == 86 ? hoop_respond(req, 204)
                                          : hoop_fail(req, HOOP_EMISSING, "no token");
}

static const hoop_response *give_and_rotate(const hoop_request *req, void *data)
{
    return hoop_session_rotate(req, give(req, data));
}

static const hoop_response *give_and_clear(const hoop_request *req, void *data)
{
    return hoop_session_clear(req, give(req, data));
}

static const hoop_response *give_and_set(const hoop_request *req, void *data)
{
    return hoop_with_session_value(req, give(req, data), "x", "1");
}

#define COOKIE(id) "Set-Cookie: session=" id "; Path=/; HttpOnly; SameSite=Lax\n"
#define GONE                                                                                     \
    "Set-Cookie: session=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 00:00:00 GMT; HttpOnly; " \
    "SameSite=Lax\n"

static void test_the_secret_in_the_session(void **state)
{
    (void)state;
    static const hoop_middleware chain[] = { STACK(NULL) };
    static const struct middleware_case cases[] = {
        { .inner = give, .want = "204\n" COOKIE("with") "(no body)" },
        { .headers = L, .inner = give, .want = "204\n" COOKIE("with") "(no body)" },
        { .headers = K, .inner = give, .want = "204\n(no body)" },
        { .headers = K, .inner = give_and_set, .want = "204\n" COOKIE("with") "(no body)" },
        { .headers = K, .inner = give_and_rotate, .want = "204\n" COOKIE("without") "(no body)" },
        { .inner = give_and_rotate, .want = "204\n" COOKIE("with") "(no body)" },
        { .headers = K, .inner = give_and_clear, .want = "204\n" GONE "(no body)" },
        { .inner = give_and_clear, .want = "204\n(no body)" },
    };
    test_middleware(chain, 3, cases, HOOP_COUNT(cases));
    test_middleware_memory(chain, 3, &cases[0]);
}

static void test_tokens_are_masked(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_true(hoop_str_is_none(hoop_csrf_token(req)));
    assert_true(hoop_str_is_none(hoop_csrf_field(req)));
    const hoop_request *one = hoop_anti_forgery_request(req, &answer, NULL);
    const hoop_request *two = hoop_anti_forgery_request(req, &answer, NULL);
    hoop_str a = hoop_csrf_token(one), b = hoop_csrf_token(one), c = hoop_csrf_token(two);
    assert_int_equal(a.len, 86);
    assert_false(hoop_str_eq(a, b));
    const hoop_response *res = hoop_anti_forgery_response(one, hoop_respond(one, 204), NULL);
    const struct hoop__session_change *change = hoop__session_changes(res);
    unsigned char secret[HOOP__CSRF_SECRET];
    assert_str(change->key, "_csrf");
    assert_true(hoop__csrf_read(change->value, secret));
    assert_true(hoop__csrf_fits(a, secret));
    assert_true(hoop__csrf_fits(b, secret));
    assert_false(hoop__csrf_fits(c, secret));
    assert_false(hoop__csrf_fits(change->value, secret));
    assert_null(hoop_anti_forgery_response(one, NULL, NULL));
    assert_null(hoop_anti_forgery_request(NULL, &answer, NULL));
    assert_null(hoop_anti_forgery_request(hoop_with_method(req, "POST"), &answer, NULL));
    assert_int_equal(answer->status, 403);
    hoop_arena_free(arena);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* ring.md's case 2.14-5: no two are the same, and all are characters of base64url. */
static void test_a_thousand_tokens(void **state)
{
    (void)state;
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const char *tokens[1000];
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    const hoop_request *req =
        hoop_anti_forgery_request(hoop_mock(arena, "GET", "/", NULL), &answer, NULL);
    for (size_t i = 0; i < 1000; i++) {
        hoop_str token = hoop_csrf_token(req);
        assert_int_equal(token.len, 86);
        assert_int_equal(strspn(token.data, alphabet), 86);
        tokens[i] = token.data;
    }
    qsort(tokens, 1000, sizeof tokens[0], compare);
    for (size_t i = 1; i < 1000; i++)
        assert_string_not_equal(tokens[i - 1], tokens[i]);
    hoop_arena_free(arena);
}

static void test_the_hidden_field(void **state)
{
    (void)state;
    static const char begin[] = "<input type=\"hidden\" name=\"a&lt;b&quot;&amp;c\" value=\"",
                      end[] = "\">";
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    const hoop_request *req =
        hoop_anti_forgery_request(hoop_mock(arena, "GET", "/", NULL), &answer,
                                  &(hoop_anti_forgery_options){ .field = "a<b\"&c" });
    hoop_str field = hoop_csrf_field(req);
    assert_int_equal(field.len, sizeof begin - 1 + 86 + sizeof end - 1);
    assert_memory_equal(field.data, begin, sizeof begin - 1);
    assert_string_equal(field.data + sizeof begin - 1 + 86, end);
    hoop_arena_free(arena);
}

/* --- the secret in a cookie ------------------------------------------------------------------ */

#define KEY_A "0123456789abcdef0123456789abcdef"
#define KEY_B "fedcba9876543210fedcba9876543210"

static hoop_str keys[] = { { KEY_A, 32 }, { KEY_B, 32 } };
static hoop_str old_keys[] = { { KEY_B, 32 } };

static hoop_str user(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_header(req, "x-user");
}

static const hoop_anti_forgery_options by_cookie = { .keys = keys, .key_count = 2 };
static const hoop_anti_forgery_options by_old_key = { .keys = old_keys, .key_count = 1 };
static const hoop_anti_forgery_options by_user = {
    .keys = keys, .key_count = 2, .subject = user, .cookie = "csrf"
};

/* Gets a token and its cookie, and says what a POST with them is answered under other options. */
static int post(const hoop_anti_forgery_options *first, const char *first_user,
                const hoop_anti_forgery_options *second, const char *second_user)
{
    char pair[256];
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    req = hoop_with_request_header(req, "X-User", first_user);
    req = hoop_anti_forgery_request(req, &answer, first);
    hoop_str token = hoop_csrf_token(req);
    const hoop_response *res = hoop_anti_forgery_response(req, hoop_respond(req, 204), first);
    hoop_str line = hoop_response_header(res, "Set-Cookie");
    assert_true(line.len > 0);
    snprintf(pair, sizeof pair, "%.*s", (int)strcspn(line.data, ";"), line.data);
    req = hoop_mock(arena, "POST", "/", NULL);
    req = hoop_with_request_header(req, "X-User", second_user);
    req = hoop_with_request_header(req, "X-CSRF-Token", token.data);
    req = hoop_with_request_header(req, "Cookie", pair);
    req = hoop_anti_forgery_request(req, &answer, second);
    int status = req ? 200 : answer->status;
    if (req) /* the client has its cookie already */
        assert_ptr_equal(hoop_anti_forgery_response(req, res, second), res);
    hoop_arena_free(arena);
    return status;
}

static void test_a_signed_cookie(void **state)
{
    (void)state;
    assert_int_equal(post(&by_cookie, "", &by_cookie, ""), 200);
    assert_int_equal(post(&by_old_key, "", &by_cookie, ""), 200);
    assert_int_equal(post(&by_cookie, "", &by_old_key, ""), 403);
    assert_int_equal(post(&by_user, "ann", &by_user, "ann"), 200);
    assert_int_equal(post(&by_user, "ann", &by_user, "bob"), 403);
}

static void test_the_cookie(void **state)
{
    (void)state;
    static const char value[] = "__Host-csrf=";
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    const hoop_request *req =
        hoop_anti_forgery_request(hoop_mock(arena, "GET", "/", NULL), &answer, &by_cookie);
    const hoop_response *res = hoop_respond(req, 204);
    assert_ptr_equal(hoop_anti_forgery_response(req, res, &by_cookie), res);
    hoop_csrf_token(req);
    hoop_str line =
        hoop_response_header(hoop_anti_forgery_response(req, res, &by_cookie), "Set-Cookie");
    assert_memory_equal(line.data, value, sizeof value - 1);
    assert_string_equal(line.data + sizeof value - 1 + 86,
                        "; Path=/; Secure; HttpOnly; SameSite=Lax");
    /* A rotation of the session does away with it. */
    const char *pair = hoop_printf(req, "%.*s", (int)strcspn(line.data, ";"), line.data);
    const hoop_request *next =
        hoop_with_request_header(hoop_mock(arena, "GET", "/", NULL), "Cookie", pair);
    next = hoop_anti_forgery_request(next, &answer, &by_cookie);
    res = hoop_session_rotate(next, hoop_respond(next, 204));
    assert_response(hoop_anti_forgery_response(next, res, &by_cookie),
                    "204\nSet-Cookie: __Host-csrf=; Path=/; Max-Age=0; Expires=Thu, 01 Jan 1970 "
                    "00:00:00 GMT; Secure; HttpOnly; SameSite=Lax\n(no body)");
    hoop_arena_free(arena);
}

static void test_forged_cookies(void **state)
{
    (void)state;
    static const hoop_middleware chain[] = { HOOP_PARAMS(NULL),
                                             HOOP_ANTI_FORGERY_COOKIE(&by_cookie) };
    static const struct middleware_case cases[] = {
        { OK },
        { .method = "POST", REFUSED },
        { .method = "POST", .headers = "Sec-Fetch-Site: same-origin", OK },
        { .method = "POST", .headers = "X-CSRF-Token: " TOKEN, REFUSED },
        { .method = "POST",
          .headers = "Cookie: __Host-csrf=" TOKEN "\nX-CSRF-Token: " TOKEN,
          REFUSED },
        { .method = "POST", .headers = "Cookie: __Host-csrf=x\nX-CSRF-Token: x", REFUSED },
    };
    test_middleware(chain, 2, cases, HOOP_COUNT(cases));
}

/* --- refusals -------------------------------------------------------------------------------- */

static void check_refused(const hoop_middleware *entry, int code, const char *text)
{
    const hoop_middleware chain[] = { HOOP_PARAMS(NULL), HOOP_SESSION(&session), *entry };
    test_middleware_refused(chain, 3, code, text);
}

static void test_options_that_are_wrong(void **state)
{
    (void)state;
    static const hoop_middleware keyed = HOOP_ANTI_FORGERY(&by_cookie);
    check_refused(&keyed, HOOP_EINVAL, "anti_forgery: keys are for HOOP_ANTI_FORGERY_COOKIE");
    static const hoop_middleware twice[] = { STACK(NULL), HOOP_ANTI_FORGERY(NULL) };
    test_middleware_refused(twice, 4, HOOP_ECONFLICT,
                            "middleware 'anti_forgery' (entry 2) is mounted twice on one path: "
                            "once more further in");
    static const hoop_middleware alone[] = { HOOP_PARAMS(NULL), HOOP_ANTI_FORGERY(NULL) };
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler = hoop_fn(give, NULL);
    hoop_error error;
    assert_int_equal(hoop_chain_new(arena, alone, 2, handler, &handler, &error), 0);
    assert_int_equal(hoop_check(handler, &error), HOOP_EMISSING);
    hoop_arena_free(arena);
}

static void test_keys_that_are_wrong(void **state)
{
    (void)state;
    static const hoop_str shorts[] = { { "0123456789abcdef", 16 } };
    static const hoop_anti_forgery_options weak = { .keys = shorts, .key_count = 1 };
    static const hoop_anti_forgery_options odd = { .keys = keys, .key_count = 1, .cookie = "a b" };
    static const hoop_middleware keyless = HOOP_ANTI_FORGERY_COOKIE(NULL);
    static const hoop_middleware weakly = HOOP_ANTI_FORGERY_COOKIE(&weak);
    static const hoop_middleware oddly = HOOP_ANTI_FORGERY_COOKIE(&odd);
    check_refused(&keyless, HOOP_EINVAL, "anti_forgery: 0 keys are given, not 1 to 8");
    check_refused(&weakly, HOOP_EINVAL, "anti_forgery: key 0 has 16 bytes, not 32 or more");
    check_refused(&oddly, HOOP_EINVAL, "the cookie's name 'a b' is no token");
}

static void test_without_libcrypto(void **state)
{
    (void)state;
    static const hoop_middleware entry = HOOP_ANTI_FORGERY_COOKIE(&by_cookie);
    check_refused(&entry, HOOP_EUNSUPPORTED,
                  "anti_forgery: signed cookies need libcrypto, which this build of hoop does not "
                  "have (feature crypto)");
}

#define COMMON                                                                              \
    cmocka_unit_test(test_methods_and_tokens), cmocka_unit_test(test_origins),              \
        cmocka_unit_test(test_options), cmocka_unit_test(test_the_secret_in_the_session),   \
        cmocka_unit_test(test_tokens_are_masked), cmocka_unit_test(test_a_thousand_tokens), \
        cmocka_unit_test(test_the_hidden_field), cmocka_unit_test(test_options_that_are_wrong)

int main(void)
{
    const struct CMUnitTest without[] = { COMMON, cmocka_unit_test(test_without_libcrypto) };
    const struct CMUnitTest tests[] = {
        COMMON,
        cmocka_unit_test(test_a_signed_cookie),
        cmocka_unit_test(test_the_cookie),
        cmocka_unit_test(test_forged_cookies),
        cmocka_unit_test(test_keys_that_are_wrong),
    };
    if (hoop__crypto_available())
        return cmocka_run_group_tests(without, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
