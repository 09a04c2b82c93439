/* Responses made of others: value semantics, refusals, attributes, copies, and frozen ones. */
#include "fake.h"

#include "value/response.h"

#include <stdio.h>

#define TEXT "Content-Type: text/plain; charset=utf-8\n"

static hoop_arena *arena;
static const hoop_request *req;

static int setup(void **state)
{
    arena = hoop_arena_new();
    req = hoop_app_request(arena);
    return 0;
}

static int teardown(void **state)
{
    hoop_arena_free(arena);
    return 0;
}

static void anew(void)
{
    req = hoop_app_request(arena);
}

/* --- headers --------------------------------------------------------------------------------- */

static void test_add_keeps_what_is_there_in_order(void **state)
{
    const hoop_response *a = hoop_text(req, 200, "x");
    const hoop_response *b = hoop_add_header(req, a, "Set-Cookie", "a=1");
    const hoop_response *c = hoop_add_header(req, b, "set-cookie", "b=2");
    assert_response(c, "200\n" TEXT "Set-Cookie: a=1\nset-cookie: b=2\n\nx");
    assert_response(b, "200\n" TEXT "Set-Cookie: a=1\n\nx");
    assert_response(a, "200\n" TEXT "\nx");
    assert_str(hoop_response_header(c, "SET-COOKIE"), "a=1");
    assert_true(hoop_str_is_none(hoop_response_header(a, "Set-Cookie")));
}

static void test_add_is_in_place_for_the_owner_of_the_end_alone(void **state)
{
    const hoop_response *a = hoop_respond(req, 200);
    const hoop_response *b = hoop_add_header(req, a, "A", "1");
    assert_ptr_equal(b->headers, a->headers); /* in place */
    const hoop_response *c = hoop_add_header(req, a, "B", "2");
    assert_ptr_not_equal(c->headers, a->headers); /* the end is b's by now */
    const hoop_response *d = hoop_add_header(req, b, "C", "3");
    assert_ptr_equal(d->headers, b->headers);
    assert_response(a, "200\n(no body)");
    assert_response(b, "200\nA: 1\n(no body)");
    assert_response(c, "200\nB: 2\n(no body)");
    assert_response(d, "200\nA: 1\nC: 3\n(no body)");
}

static void test_a_tree_of_responses_keeps_every_value(void **state)
{
    /* Random descendants of random ancestors, each compared with its own record. */
    enum { COUNT = 300 };
    static const hoop_response *all[COUNT];
    static char want[COUNT][8192];
    uint32_t seed = 12345;
    all[0] = hoop_respond(req, 200);
    strcpy(want[0], "200\n(no body)");
    for (int i = 1; i < COUNT; i++) {
        seed = seed * 1664525u + 1013904223u;
        int from = (int)((seed >> 8) % (unsigned)i);
        if (i - from > 20 && seed & 1)
            from = i - 1;
        char name[16];
        snprintf(name, sizeof name, "N%d", i);
        all[i] = hoop_add_header(req, all[from], name, "v");
        size_t len = strlen(want[from]) - strlen("(no body)");
        memcpy(want[i], want[from], len);
        snprintf(want[i] + len, sizeof want[i] - len, "%s: v\n(no body)", name);
    }
    for (int i = 0; i < COUNT; i++)
        assert_response(all[i], want[i]);
}

static void test_with_replaces_all_of_that_name(void **state)
{
    const hoop_response *a = hoop_respond(req, 200);
    a = hoop_add_header(req, a, "X", "1");
    a = hoop_add_header(req, a, "Y", "2");
    a = hoop_add_header(req, a, "x", "3");
    const hoop_response *b = hoop_with_header(req, a, "x", "new");
    assert_response(b, "200\nY: 2\nx: new\n(no body)");
    assert_response(hoop_with_header(req, b, "Z", "more"), "200\nY: 2\nx: new\nZ: more\n(no body)");
    assert_response(hoop_with_header(req, a, "X", NULL), "200\nY: 2\n(no body)");
    assert_response(hoop_with_header(req, a, "none", NULL), "200\nX: 1\nY: 2\nx: 3\n(no body)");
    assert_response(a, "200\nX: 1\nY: 2\nx: 3\n(no body)");
}

static void test_names_and_values_are_copied_and_trimmed(void **state)
{
    char name[] = "Name", value[] = " \tvalue ";
    const hoop_response *a = hoop_add_header(req, hoop_respond(req, 200), name, value);
    name[0] = value[3] = 'x';
    assert_response(a, "200\nName: value\n(no body)");
    assert_int_equal(a->headers[0].value.data[5], 0);
    assert_response(hoop_add_header(req, a, "Empty", ""), "200\nName: value\nEmpty: \n(no body)");
}

static void test_what_cannot_be_sent_is_refused(void **state)
{
    static const struct {
        const char *name;
        const char *value;
        const char *text;
    } rows[] = {
        { "X", "a\r\nSet-Cookie: b", "the value of header 'X' has a control character" },
        { "X", "a\n", "the value of header 'X' has a control character" },
        { "X", "a\rb", "the value of header 'X' has a control character" },
        { "X", "a\1", "the value of header 'X' has a control character" },
        { "X", "\x7f", "the value of header 'X' has a control character" },
        { "X\r\nY", "a", "'X\r\nY' is no header name" },
        { "X Y", "a", "'X Y' is no header name" },
        { "X:", "a", "'X:' is no header name" },
        { "", "a", "'' is no header name" },
        { NULL, "a", "'' is no header name" },
        { "\xc3\xa9", "a", "'\xc3\xa9' is no header name" },
        { "Transfer-Encoding", "chunked", "header 'Transfer-Encoding' is set by the server alone" },
        { "keep-alive", "a", "header 'keep-alive' is set by the server alone" },
        { "Proxy-Connection", "a", "header 'Proxy-Connection' is set by the server alone" },
        { "UPGRADE", "a", "header 'UPGRADE' is set by the server alone" },
        { "TE", "a", "header 'TE' is set by the server alone" },
        { "Trailer", "a", "header 'Trailer' is set by the server alone" },
    };
    for (size_t i = 0; i < HOOP_COUNT(rows); i++) {
        anew();
        const hoop_response *res = hoop_respond(req, 200);
        assert_null(hoop_add_header(req, res, rows[i].name, rows[i].value));
        assert_noted(req, HOOP_EINVAL, rows[i].text);
        anew();
        assert_null(hoop_with_header(req, res, rows[i].name, rows[i].value));
        assert_noted(req, HOOP_EINVAL, rows[i].text);
    }
    anew();
    assert_null(hoop_add_header(req, hoop_respond(req, 200), "X", NULL));
    assert_noted(req, HOOP_EINVAL, "header 'X' needs a value");
    anew();
    assert_response(hoop_add_header(req, hoop_respond(req, 200), "X", "a\tb \xc3\xa9"),
                    "200\nX: a\tb \xc3\xa9\n(no body)");
}

/* --- status, body, attributes ---------------------------------------------------------------- */

static void test_status_and_body_make_another_response(void **state)
{
    char bytes[] = "new";
    const hoop_response *a = hoop_text(req, 200, "old");
    const hoop_response *b = hoop_with_status(req, a, 404);
    const hoop_response *c = hoop_with_body(req, b, hoop_str_c(bytes));
    bytes[0] = 'x';
    assert_response(a, "200\n" TEXT "\nold");
    assert_response(b, "404\n" TEXT "\nold");
    assert_response(c, "404\n" TEXT "\nnew");
    assert_response(hoop_with_body(req, hoop_respond(req, 200), hoop_str_c("x")), "200\n\nx");
}

static const char key, other;

static void test_attributes_go_along_and_hide_older_ones(void **state)
{
    const hoop_response *a = hoop_text(req, 200, "x");
    const hoop_response *b = hoop_response_assoc(req, a, &key, "1");
    const hoop_response *c = hoop_response_assoc(req, b, &other, "2");
    const hoop_response *d = hoop_response_assoc(req, c, &key, "3");
    assert_null(hoop_response_get(a, &key));
    assert_string_equal(hoop_response_get(b, &key), "1");
    assert_null(hoop_response_get(b, &other));
    assert_string_equal(hoop_response_get(d, &key), "3");
    assert_string_equal(hoop_response_get(d, &other), "2");
    d = hoop_with_header(req, hoop_with_status(req, d, 201), "X", "y");
    assert_string_equal(hoop_response_get(d, &key), "3");
    assert_null(hoop_response_get(NULL, &key));
}

static void test_null_and_pass_go_through(void **state)
{
    const hoop_response *pass = hoop_pass(req);
    assert_ptr_equal(hoop_with_header(req, pass, "X", "y"), pass);
    assert_ptr_equal(hoop_add_header(req, pass, "X", "y"), pass);
    assert_ptr_equal(hoop_with_status(req, pass, 200), pass);
    assert_ptr_equal(hoop_with_body(req, pass, hoop_str_c("x")), pass);
    assert_ptr_equal(hoop_response_assoc(req, pass, &key, "x"), pass);
    assert_null(hoop_with_header(req, NULL, "X", "y"));
    assert_null(hoop_add_header(req, NULL, "X", "y"));
    assert_null(hoop_add_header(req, NULL, "X", NULL));
    assert_null(hoop_with_status(req, NULL, 7));
    assert_null(hoop_with_body(req, NULL, hoop_str_c("x")));
    assert_null(hoop_response_assoc(req, NULL, &key, "x"));
    assert_null(hoop_failure(req)); /* going through is no failure */
    const hoop_response *res = hoop_respond(req, 200);
    assert_null(hoop_with_header(NULL, res, "X", "y"));
    assert_null(hoop_add_header(NULL, res, "X", "y"));
    assert_null(hoop_with_status(NULL, res, 200));
    assert_null(hoop_with_body(NULL, res, hoop_str_c("x")));
    assert_null(hoop_response_assoc(NULL, res, &key, "x"));
    assert_true(hoop_str_is_none(hoop_response_header(NULL, "X")));
    assert_true(hoop_str_is_none(hoop_response_header(res, NULL)));
}

/* --- between arenas -------------------------------------------------------------------------- */

static void test_a_constant_response_is_never_appended_to(void **state)
{
    hoop_arena *mine = hoop_arena_new();
    const hoop_request *r = hoop_app_request(mine);
    const hoop_response *constant = hoop_text(req, 200, "constant");
    const hoop_response *a = hoop_add_header(r, constant, "A", "1");
    const hoop_response *b = hoop_add_header(r, constant, "B", "2");
    assert_ptr_equal(a->arena, mine);
    assert_ptr_not_equal(a->headers, constant->headers);
    assert_response(a, "200\n" TEXT "A: 1\n\nconstant");
    assert_response(b, "200\n" TEXT "B: 2\n\nconstant");
    hoop_arena_free(mine);
    assert_response(constant, "200\n" TEXT "\nconstant");
    assert_int_equal(hoop__response_of(constant)->fields->used, 1);
}

static void test_a_copy_outlives_its_origin(void **state)
{
    hoop_arena *brief = hoop_arena_new();
    const hoop_request *r = hoop_app_request(brief);
    const hoop_response *res = hoop_add_header(r, hoop_text(r, 201, "body"), "X", "y");
    res = hoop_response_assoc(r, res, &key, "v");
    const hoop_response *copy = hoop_response_copy(arena, res);
    const hoop_response *none = hoop_response_copy(arena, hoop_respond(r, 204));
    const hoop_response *bytes =
        hoop_response_copy(arena, hoop_bytes(r, 200, NULL, hoop_str_n("a\0b", 3)));
    assert_null(hoop_response_copy(arena, NULL));
    assert_null(hoop_response_copy(NULL, res));
    assert_null(hoop_response_copy(arena, hoop_pass(r)));
    hoop_arena_free(brief);
    assert_response(copy, "201\n" TEXT "X: y\n\nbody");
    assert_ptr_equal(copy->arena, arena);
    assert_null(hoop_response_get(copy, &key));
    assert_response(none, "204\n(no body)");
    assert_bytes(bytes->body.data, bytes->body.len, "a\0b", 3);
}

/* --- frozen ---------------------------------------------------------------------------------- */

#define HEAD \
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain; charset=utf-8\r\nX: y\r\nContent-Length: 2\r\n"

static const hoop_response *frozen_of(const hoop_response *res)
{
    const hoop_response *frozen = hoop_freeze(arena, res);
    assert_non_null(frozen);
    return frozen;
}

static hoop_str head_of(const hoop_response *res)
{
    return hoop__response_of(res)->head;
}

static void test_freeze_renders_once(void **state)
{
    const hoop_response *res = hoop_add_header(req, hoop_text(req, 200, "ok"), "X", "y");
    const hoop_response *frozen = frozen_of(res);
    assert_str(head_of(frozen), HEAD);
    assert_int_equal(hoop__response_of(frozen)->head_count, 2);
    assert_response(frozen, "200\n" TEXT "X: y\n\nok");
    assert_true(hoop_str_is_none(head_of(res)));
    assert_str(head_of(frozen_of(hoop_respond(req, 599))),
               "HTTP/1.1 599 \r\nContent-Length: 0\r\n");
    assert_null(hoop_freeze(arena, NULL));
    assert_null(hoop_freeze(NULL, res));
    assert_null(hoop_freeze(arena, hoop_pass(req)));
}

static void test_adding_a_header_keeps_the_prefix_for_others_too(void **state)
{
    const hoop_response *frozen =
        frozen_of(hoop_add_header(req, hoop_text(req, 200, "ok"), "X", "y"));
    const hoop_response *a = hoop_add_header(req, frozen, "A", "1");
    const hoop_response *b = hoop_with_header(req, frozen, "B", "2");
    assert_str(head_of(a), HEAD);
    assert_int_equal(hoop__response_of(a)->head_count, 2);
    assert_response(a, "200\n" TEXT "X: y\nA: 1\n\nok");
    assert_str(head_of(b), HEAD);
    assert_response(b, "200\n" TEXT "X: y\nB: 2\n\nok");
    assert_response(frozen, "200\n" TEXT "X: y\n\nok");
    assert_null(hoop__response_of(frozen)->fields); /* all loops share it */
}

static void test_every_other_change_drops_the_prefix(void **state)
{
    const hoop_response *frozen =
        frozen_of(hoop_add_header(req, hoop_text(req, 200, "ok"), "X", "y"));
    const hoop_response *changed[] = {
        hoop_with_header(req, frozen, "x", "z"),
        hoop_with_header(req, frozen, "X", NULL),
        hoop_with_status(req, frozen, 201),
        hoop_with_body(req, frozen, hoop_str_c("longer")),
    };
    for (size_t i = 0; i < HOOP_COUNT(changed); i++)
        assert_true(hoop_str_is_none(head_of(changed[i])));
    assert_str(head_of(hoop_response_assoc(req, frozen, &key, "v")), HEAD);
    assert_str(head_of(frozen), HEAD);
}

static void test_heads_that_the_engine_must_look_at_are_not_rendered(void **state)
{
    static const char *const names[] = { "Connection", "date", "Server", "Content-Length" };
    for (size_t i = 0; i < HOOP_COUNT(names); i++) {
        const hoop_response *res = hoop_add_header(req, hoop_text(req, 200, "ok"), names[i], "2");
        assert_true(hoop_str_is_none(head_of(frozen_of(res))));
    }
    assert_true(hoop_str_is_none(head_of(frozen_of(hoop_respond(req, 204)))));
    assert_true(hoop_str_is_none(head_of(frozen_of(hoop_respond(req, 304)))));
}

/* Added behind the prefix, these would stand in the message twice, or against what was rendered. */
static void test_such_a_header_added_later_drops_the_prefix(void **state)
{
    static const char *const names[] = { "Connection", "date", "Server", "Content-Length" };
    const hoop_response *frozen = frozen_of(hoop_text(req, 200, "ok"));
    for (size_t i = 0; i < HOOP_COUNT(names); i++) {
        assert_true(hoop_str_is_none(head_of(hoop_add_header(req, frozen, names[i], "2"))));
        assert_true(hoop_str_is_none(head_of(hoop_with_header(req, frozen, names[i], "2"))));
    }
}

/* --- memory that is short -------------------------------------------------------------------- */

static void change_each(struct test_allocator *a, void *data)
{
    hoop_arena_options options = { &a->hoop, 0, 1 };
    hoop_arena *tight = hoop_arena_new_with(&options);
    const hoop_request *r = hoop_app_request(tight);
    const hoop_response *res = hoop_text(r, 200, "ok");
    if (res) {
        const hoop_response *all[] = {
            hoop_add_header(r, res, "A", "1"),
            hoop_with_header(r, res, "Content-Type", "a/b"),
            hoop_with_status(r, res, 201),
            hoop_with_body(r, res, hoop_str_c("new")),
            hoop_response_assoc(r, res, &key, "v"),
            hoop_response_copy(tight, res),
            hoop_freeze(tight, res),
        };
        size_t failed = 0;
        for (size_t i = 0; i < HOOP_COUNT(all); i++)
            failed += !all[i];
        assert_int_equal(failed, a->count >= a->fail_at);
        assert_response(res, "200\n" TEXT "\nok");
    }
    hoop_arena_free(tight);
}

static void test_each_allocation_may_fail(void **state)
{
    test_each_allocation(change_each, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_add_keeps_what_is_there_in_order),
        TEST(test_add_is_in_place_for_the_owner_of_the_end_alone),
        TEST(test_a_tree_of_responses_keeps_every_value),
        TEST(test_with_replaces_all_of_that_name),
        TEST(test_names_and_values_are_copied_and_trimmed),
        TEST(test_what_cannot_be_sent_is_refused),
        TEST(test_status_and_body_make_another_response),
        TEST(test_attributes_go_along_and_hide_older_ones),
        TEST(test_null_and_pass_go_through),
        TEST(test_a_constant_response_is_never_appended_to),
        TEST(test_a_copy_outlives_its_origin),
        TEST(test_freeze_renders_once),
        TEST(test_adding_a_header_keeps_the_prefix_for_others_too),
        TEST(test_every_other_change_drops_the_prefix),
        TEST(test_heads_that_the_engine_must_look_at_are_not_rendered),
        TEST(test_such_a_header_added_later_drops_the_prefix),
        TEST(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
