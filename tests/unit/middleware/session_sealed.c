/* The store of sessions in a sealed cookie: what is forged, keys that change, what is too large. */
#include "fake.h"
#include "middleware.h"

#include "crypto/crypto.h"

#include <stdio.h>

#define KEY_A "0123456789abcdef0123456789abcdef"
#define KEY_B "fedcba9876543210fedcba9876543210"

static const hoop_session_store *new_store(hoop_arena *arena, const char *first, const char *second,
                                           const char *purpose)
{
    const hoop_str keys[] = { hoop_str_c(first), hoop_str_c(second) };
    const hoop_session_store *store = NULL;
    hoop_error error = { 0, "" };
    const hoop_session_sealed_options options = { keys, second ? 2 : 1, purpose };
    if (hoop_session_sealed_new(arena, &store, &error, &options))
        fail_msg("%s", error.text);
    return store;
}

static hoop_str seal(const hoop_request *req, const hoop_session_store *store, const char *text)
{
    hoop_session_entry entry = { .id = hoop_str_none(), .data = hoop_str_c(text) };
    assert_non_null(store->write(req, &entry, store->data));
    return entry.id;
}

static hoop_session_entry unseal(const hoop_request *req, const hoop_session_store *store,
                                 hoop_str id)
{
    hoop_session_entry entry = { .id = id };
    assert_non_null(store->read(req, &entry, store->data));
    return entry;
}

static void test_sealed_and_opened(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_session_store *store = new_store(arena, KEY_A, NULL, NULL);
    hoop_str one = seal(req, store, "some text"), two = seal(req, store, "some text");
    assert_int_equal(one.len, (29 + 9 + 16) * 4 / 3);
    assert_false(hoop_str_eq(one, two));
    hoop_session_entry entry = unseal(req, store, one);
    assert_int_equal(entry.outcome, HOOP_SESSION_DONE);
    assert_int_equal(entry.stale, 0);
    assert_str(entry.data, "some text");
    assert_str(unseal(req, store, two).data, "some text");
    assert_str(unseal(req, store, seal(req, store, "")).data, "");
    hoop_arena_free(arena);
}

/* What is sealed for one purpose is nothing for another; the text is copied, as the keys are. */
static void test_purposes(void **state)
{
    (void)state;
    char purpose[] = "login";
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_session_store *login = new_store(arena, KEY_A, NULL, purpose);
    hoop_str text = seal(req, login, "x");
    strcpy(purpose, "other");
    assert_int_equal(unseal(req, login, text).outcome, HOOP_SESSION_DONE);
    assert_int_equal(unseal(req, new_store(arena, KEY_A, NULL, "login"), text).outcome,
                     HOOP_SESSION_DONE);
    assert_int_equal(unseal(req, new_store(arena, KEY_A, NULL, "other"), text).outcome,
                     HOOP_SESSION_MISSING);
    assert_int_equal(unseal(req, new_store(arena, KEY_A, NULL, NULL), text).outcome,
                     HOOP_SESSION_MISSING);
    hoop_arena_free(arena);
}

static void test_what_is_forged(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_session_store *store = new_store(arena, KEY_A, NULL, NULL);
    hoop_str good = seal(req, store, "some text");
    char *text = hoop_strdup(req, good.data);
    for (size_t i = 0; i < good.len; i++) {
        char kept = text[i];
        text[i] = kept == 'A' ? 'B' : 'A';
        assert_int_equal(unseal(req, store, hoop_str_n(text, good.len)).outcome,
                         HOOP_SESSION_MISSING);
        text[i] = kept;
        assert_int_equal(unseal(req, store, hoop_str_n(text, i)).outcome, HOOP_SESSION_MISSING);
    }
    assert_int_equal(unseal(req, store, hoop_str_c("forged")).outcome, HOOP_SESSION_MISSING);
    char large[4100];
    memset(large, 'A', sizeof large);
    assert_int_equal(unseal(req, store, hoop_str_n(large, sizeof large)).outcome,
                     HOOP_SESSION_MISSING);
    hoop_arena_free(arena);
}

static void test_keys_change(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    const hoop_session_store *before = new_store(arena, KEY_A, NULL, NULL);
    const hoop_session_store *between = new_store(arena, KEY_B, KEY_A, NULL);
    const hoop_session_store *after = new_store(arena, KEY_B, NULL, NULL);
    const hoop_session_store *other = new_store(arena, KEY_A, NULL, "other");
    hoop_str old = seal(req, before, "x"), fresh = seal(req, between, "x");
    hoop_session_entry entry = unseal(req, between, old);
    assert_int_equal(entry.outcome, HOOP_SESSION_DONE);
    assert_int_equal(entry.stale, 1);
    assert_int_equal(unseal(req, between, fresh).stale, 0);
    assert_int_equal(unseal(req, after, fresh).outcome, HOOP_SESSION_DONE);
    assert_int_equal(unseal(req, after, old).outcome, HOOP_SESSION_MISSING);
    assert_int_equal(unseal(req, before, fresh).outcome, HOOP_SESSION_MISSING);
    assert_int_equal(unseal(req, other, old).outcome, HOOP_SESSION_MISSING);
    hoop_arena_free(arena);
}

/* --- in a chain ------------------------------------------------------------------------------ */

/* Sets "v" to as many bytes as the query says, and shows how long it was. */
static const hoop_response *fill(const hoop_request *req, void *data)
{
    (void)data;
    size_t len = (size_t)atoi(req->query_string.data);
    hoop_str before = hoop_session_get(req, "v");
    const hoop_response *res = hoop_textf(req, 200, "%zu", before.len);
    char *value = hoop_alloc(req, len + 1);
    memset(value, 'v', len);
    value[len] = 0;
    return len ? hoop_with_session_value(req, res, "v", value) : res;
}

struct client {
    hoop_arena *arena;
    hoop_handler handler;
    const hoop_request *req;
    char cookie[HOOP_COOKIE_MAX + 1];
    int sent; /* a cookie came with the last response */
};

static void mount(struct client *c, const hoop_session_store *store)
{
    const hoop_session_options options = { .store = store, .idle = 100 };
    const hoop_middleware entry = HOOP_SESSION(&options);
    c->handler = hoop_fn(fill, NULL);
    assert_int_equal(hoop_chain_new(c->arena, &entry, 1, c->handler, &c->handler, NULL), 0);
}

static const hoop_response *call(struct client *c, const char *len)
{
    const hoop_request *req = hoop_mock_query(c->req, len);
    if (c->cookie[0])
        req = hoop_with_request_header(req, "Cookie", c->cookie);
    const hoop_response *res = hoop_call_sync(c->handler, req);
    hoop_str line = hoop_response_header(res, "Set-Cookie");
    c->sent = line.len > 0;
    if (c->sent)
        snprintf(c->cookie, sizeof c->cookie, "%.*s", (int)strcspn(line.data, ";"), line.data);
    return res;
}

static void test_a_session_in_a_cookie(void **state)
{
    (void)state;
    struct client c = { .arena = hoop_arena_new() };
    c.req = hoop_mock(c.arena, "GET", "/", NULL);
    mount(&c, new_store(c.arena, KEY_A, NULL, NULL));
    assert_str(call(&c, "7")->body, "0");
    assert_str(call(&c, "0")->body, "7");
    assert_false(c.sent);
    mount(&c, new_store(c.arena, KEY_B, KEY_A, NULL)); /* which seals it anew */
    assert_str(call(&c, "0")->body, "7");
    assert_true(c.sent);
    mount(&c, new_store(c.arena, KEY_B, NULL, NULL));
    assert_str(call(&c, "2900")->body, "7");
    assert_str(call(&c, "0")->body, "2900");
    assert_null(call(&c, "3000"));
    assert_int_equal(hoop_mock_failure(c.req)->code, HOOP_EINVAL);
    assert_string_equal(hoop_mock_failure(c.req)->text,
                        "cookie 'session' takes 4138 bytes, over the 4096 that browsers take");
    hoop_mock_advance(c.req, 100000);
    assert_str(call(&c, "0")->body, "0");
    hoop_arena_free(c.arena);
}

/* --- refusals -------------------------------------------------------------------------------- */

static void check_refused(const hoop_str *keys, size_t count, const char *purpose, const char *text)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_session_store *store = NULL;
    hoop_error error;
    const hoop_session_sealed_options options = { keys, count, purpose };
    assert_int_equal(hoop_session_sealed_new(arena, &store, &error, &options), HOOP_EINVAL);
    assert_string_equal(error.text, text);
    assert_null(store);
    hoop_arena_free(arena);
}

static void test_keys_that_are_wrong(void **state)
{
    (void)state;
    const hoop_str keys[] = { hoop_str_c(KEY_A), hoop_str_c("0123456789abcde") };
    check_refused(keys, 2, NULL, "session: key 1 has 15 bytes, not 32 or more");
    check_refused(keys, 0, NULL, "session: 0 keys are given, not 1 to 8");
    check_refused(keys, 9, NULL, "session: 9 keys are given, not 1 to 8");
    check_refused(keys, 1, KEY_A KEY_A "x", "session: a purpose of over 64 bytes");
}

static void run_tight(struct test_allocator *allocator, void *data)
{
    (void)data;
    hoop_arena_options options = { &allocator->hoop, 0, 1 };
    hoop_arena *arena = hoop_arena_new_with(&options);
    const hoop_str key = hoop_str_c(KEY_A);
    const hoop_session_store *store;
    hoop_session_entry entry = { .id = hoop_str_none(), .data = hoop_str_c("x") };
    hoop_error error = { 0, "" };
    if (!arena)
        return;
    const hoop_session_sealed_options sealed = { &key, 1, NULL };
    if (hoop_session_sealed_new(arena, &store, &error, &sealed)) {
        assert_int_equal(error.code, HOOP_ENOMEM);
    } else {
        const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
        if (req && store->write(req, &entry, store->data) && store->read(req, &entry, store->data))
            assert_str(entry.data, "x");
        else if (req)
            assert_int_equal(hoop_failure(req)->code, HOOP_ENOMEM);
    }
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    test_each_allocation(run_tight, NULL);
}

static void test_without_libcrypto(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_str key = hoop_str_c(KEY_A);
    const hoop_session_store *store = NULL;
    hoop_error error;
    const hoop_session_sealed_options options = { &key, 1, NULL };
    assert_int_equal(hoop_session_sealed_new(arena, &store, &error, &options), HOOP_EUNSUPPORTED);
    assert_string_equal(error.text, "session: sealed cookies need libcrypto, which this build of "
                                    "hoop does not have (feature crypto)");
    assert_null(store);
    hoop_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest without[] = { cmocka_unit_test(test_without_libcrypto) };
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sealed_and_opened),        cmocka_unit_test(test_purposes),
        cmocka_unit_test(test_what_is_forged),           cmocka_unit_test(test_keys_change),
        cmocka_unit_test(test_a_session_in_a_cookie),    cmocka_unit_test(test_keys_that_are_wrong),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    if (hoop__crypto_available())
        return cmocka_run_group_tests(without, NULL, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
