/* Middleware "flash": what a response leaves is there once, beside a session of any fate. */
#include "fake.h"
#include "middleware.h"

#include "middleware/session.h"

#include <stdio.h>

/* --- a client, whose handler does what "X-Do" says ------------------------------------------- */

static char *show(const hoop_request *req, char *end, const char *mark, const hoop_field *items,
                  size_t count)
{
    (void)req;
    for (size_t i = 0; i < count; i++)
        end += sprintf(end, "%s%s=%s ", mark, items[i].name.data, items[i].value.data);
    return end;
}

static const hoop_response *act(const hoop_request *req, void *data)
{
    (void)data;
    char text[512] = "";
    size_t count, flash_count;
    const hoop_field *items = hoop_session(req, &count);
    const hoop_field *flashes = hoop_flashes(req, &flash_count);
    show(req, show(req, text, "", items, count), "!", flashes, flash_count);
    const hoop_response *res = hoop_bytes(req, 200, NULL, hoop_str_c(text));
    char *rest = hoop_strdup(req, hoop_header(req, "x-do").data), *save = NULL;
    for (char *verb = rest ? strtok_r(rest, ",", &save) : NULL; verb;
         verb = strtok_r(NULL, ",", &save)) {
        char key[16] = "", value[16] = "";
        verb += *verb == ' ';
        if (sscanf(verb, "flash %15[^=]=%15s", key, value) == 2)
            res = hoop_with_flash(req, res, key, value);
        else if (sscanf(verb, "set %15[^=]=%15s", key, value) == 2)
            res = hoop_with_session_value(req, res, key, value);
        else if (strcmp(verb, "clear") == 0)
            res = hoop_session_clear(req, res);
        else if (strcmp(verb, "fail") == 0)
            res = hoop_fail(req, HOOP_EINVAL, "broken on purpose");
    }
    return res;
}

struct client {
    hoop_arena *arena;
    hoop_handler handler;
    const hoop_request *req;
    char cookie[64];
    int sent; /* the last response had a cookie */
};

static struct client new_client(void)
{
    struct client c = { .arena = hoop_arena_new() };
    const hoop_middleware chain[] = { HOOP_SESSION(NULL), HOOP_FLASH(NULL) };
    c.handler = hoop_fn(act, NULL);
    assert_int_equal(hoop_chain_new(c.arena, chain, 2, c.handler, &c.handler, NULL), 0);
    c.req = hoop_mock(c.arena, "GET", "/", NULL);
    return c;
}

static const hoop_response *ask(struct client *c, const char *what)
{
    const hoop_request *req = hoop_with_request_header(c->req, "X-Do", what);
    if (c->cookie[0])
        req = hoop_with_request_header(req, "Cookie", c->cookie);
    const hoop_response *res = hoop_call_sync(c->handler, req);
    hoop_str line = hoop_response_header(res, "Set-Cookie");
    c->sent = line.len > 0;
    if (c->sent)
        snprintf(c->cookie, sizeof c->cookie, "%.*s", (int)strcspn(line.data, ";"), line.data);
    return res;
}

static void check_saw(struct client *c, const char *what, const char *saw)
{
    const hoop_response *res = ask(c, what);
    assert_non_null(res);
    assert_str(res->body, saw);
}

static void test_once(void **state)
{
    (void)state;
    struct client c = new_client();
    check_saw(&c, "", "");
    assert_false(c.sent);
    check_saw(&c, "flash note=saved, set a=1", "");
    check_saw(&c, "", "a=1 !note=saved ");
    check_saw(&c, "", "a=1 ");
    check_saw(&c, "flash x=1, flash y=2, flash x=3", "a=1 ");
    check_saw(&c, "set b=2", "a=1 !x=3 !y=2 ");
    check_saw(&c, "", "a=1 b=2 ");
    hoop_arena_free(c.arena);
}

static void test_a_new_one_replaces_the_old(void **state)
{
    (void)state;
    struct client c = new_client();
    check_saw(&c, "flash note=one, flash more=1", "");
    check_saw(&c, "flash note=two", "!more=1 !note=one ");
    check_saw(&c, "flash note=two", "!note=two ");
    check_saw(&c, "", "!note=two ");
    check_saw(&c, "", "");
    hoop_arena_free(c.arena);
}

static void test_a_session_that_ends(void **state)
{
    (void)state;
    struct client c = new_client();
    check_saw(&c, "set a=1, flash old=1", "");
    check_saw(&c, "flash note=bye, clear", "a=1 !old=1 ");
    check_saw(&c, "", "!note=bye ");
    check_saw(&c, "", "");
    hoop_arena_free(c.arena);
}

static void test_a_failure_keeps_it(void **state)
{
    (void)state;
    struct client c = new_client();
    check_saw(&c, "flash note=1", "");
    assert_null(ask(&c, "fail"));
    check_saw(&c, "", "!note=1 ");
    check_saw(&c, "", "");
    hoop_arena_free(c.arena);
}

/* --- the chain ------------------------------------------------------------------------------- */

static const hoop_response *constant_read(const hoop_request *req, hoop_session_entry *entry,
                                          void *data)
{
    static const hoop_field items[] = { { { "_flash.n", 8 }, { "v", 1 } },
                                        { { "a", 1 }, { "1", 1 } } };
    const struct hoop__session session = { items, 2, 1, UINT64_C(0xffffffff) };
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
        hoop_str_c(memmem(entry->data.data, entry->data.len, "_flash", 6) ? "with" : "without");
    return hoop__session_said();
}

static const hoop_session_store constant = { constant_read, constant_write, constant_write, NULL };
static const hoop_session_options options = { .store = &constant,
                                              .idle = HOOP_OFF,
                                              .lifetime = HOOP_OFF };

static const hoop_response *look(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_bytes(req, 200, NULL, hoop_flash(req, "n"));
}

static const hoop_response *put(const hoop_request *req, void *data)
{
    return hoop_with_flash(req, look(req, data), "m", "x");
}

#define COOKIE(id) "Set-Cookie: session=" id "; Path=/; HttpOnly; SameSite=Lax\n"

static void test_in_a_chain(void **state)
{
    (void)state;
    static const hoop_middleware chain[] = { HOOP_SESSION(&options), HOOP_FLASH(NULL) };
    static const struct middleware_case cases[] = {
        { .want = "200\n\nok" },
        { .headers = "Cookie: session=K", .want = "200\n" COOKIE("without") "\nok" },
        { .headers = "Cookie: session=K", .inner = look, .want = "200\n" COOKIE("without") "\nv" },
        { .headers = "Cookie: session=K", .inner = put, .want = "200\n" COOKIE("with") "\nv" },
        { .inner = put, .want = "200\n" COOKIE("with") "\n" },
    };
    test_middleware(chain, 2, cases, HOOP_COUNT(cases));
    test_middleware_memory(chain, 2, &cases[3]);
}

static void test_it_needs_a_session(void **state)
{
    (void)state;
    static const hoop_middleware reversed[] = { HOOP_FLASH(NULL), HOOP_SESSION(NULL) };
    static const hoop_flash_options empty = { "" };
    static const hoop_middleware refused[] = { HOOP_FLASH(&empty) };
    static const hoop_middleware alone[] = { HOOP_FLASH(NULL) };
    test_middleware_refused(refused, 1, HOOP_EINVAL, "flash: the prefix is empty");
    test_middleware_refused(
        reversed, 2, HOOP_ECONFLICT,
        "middleware 'flash' needs 'session', which 'session' provides only further "
        "in: mount 'session' in front of 'flash'");
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler = hoop_fn(act, NULL);
    hoop_error error;
    assert_int_equal(hoop_chain_new(arena, alone, 1, handler, &handler, &error), 0);
    assert_int_equal(hoop_check(handler, &error), HOOP_EMISSING);
    hoop_arena_free(arena);
}

static void test_as_functions(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    const hoop_request *req = hoop_mock_cookie(hoop_mock(arena, "GET", "/", NULL), "session", "K");
    req = hoop_session_request(req, &answer, &options);
    const hoop_request *more = hoop_flash_request(req, &answer, NULL);
    assert_str(hoop_flash(more, "n"), "v");
    assert_true(hoop_str_is_none(hoop_session_get(more, "_flash.n")));
    assert_str(hoop_session_get(more, "a"), "1");
    assert_true(hoop_str_is_none(hoop_flash(more, NULL)));
    assert_true(hoop_str_is_none(hoop_flash(NULL, "n")));
    const hoop_response *res = hoop_flash_response(more, hoop_respond(more, 204), NULL);
    assert_non_null(hoop__session_changes(res));
    assert_null(hoop_flash_response(more, NULL, NULL));
    assert_null(hoop_with_flash(NULL, res, "a", "b"));
    assert_null(hoop_with_flash(more, NULL, "a", "b"));
    assert_null(hoop_with_flash(more, res, "a", NULL));
    assert_noted(more, HOOP_EINVAL, "a flash needs a name and a value");
    hoop_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_once),
        cmocka_unit_test(test_a_new_one_replaces_the_old),
        cmocka_unit_test(test_a_session_that_ends),
        cmocka_unit_test(test_a_failure_keeps_it),
        cmocka_unit_test(test_in_a_chain),
        cmocka_unit_test(test_it_needs_a_session),
        cmocka_unit_test(test_as_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
