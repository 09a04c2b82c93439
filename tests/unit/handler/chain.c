/* The chain: the order of calls, what is refused and in which words, and needs across borders. */
#include "fake.h"

#include "value/exchange.h"

#include <stdio.h>

#define TEXT "Content-Type: text/plain; charset=utf-8\n\n"

static hoop_arena *arena;
static const hoop_request *req;
static char order[256];

static int setup(void **state)
{
    arena = hoop_arena_new();
    req = hoop_app_request(arena);
    order[0] = 0;
    return 0;
}

static int teardown(void **state)
{
    hoop_arena_free(arena);
    return 0;
}

static const hoop_response *leaf(const hoop_request *r, void *data)
{
    strcat(order, "leaf ");
    return hoop_text(r, 200, "leaf");
}

static const hoop_response *after(const hoop_request *r, const hoop_response *res,
                                  const void *value)
{
    strcat(order, value);
    strcat(order, "< ");
    return res;
}

/* Notes when the request comes, and when the response goes. */
static const hoop_response *trace(const hoop_request *r, hoop_handler next, const void *value)
{
    strcat(order, value);
    strcat(order, "> ");
    return hoop_then(r, hoop_call(next, r), after, value);
}

static const hoop_response *plain(const hoop_request *r, hoop_handler next, const void *value)
{
    return hoop_call(next, r);
}

static const hoop_response *stop(const hoop_request *r, hoop_handler next, const void *value)
{
    return hoop_text(r, 403, "no further");
}

static hoop_handler leaf_handler(void)
{
    return hoop_fn(leaf, NULL);
}

/* Builds a chain that must be right. */
static hoop_handler build(const hoop_middleware *table, size_t count, hoop_handler handler)
{
    hoop_error error;
    hoop_handler built = hoop_fn(NULL, NULL);
    int rc = hoop_chain_new(arena, table, count, handler, &built, &error);
    if (rc)
        fail_msg("%s", error.text);
    return built;
}

/* Builds one that must be refused in these words, and leave the output as it was. */
static void refuse(const hoop_middleware *table, size_t count, hoop_handler handler, int code,
                   const char *text)
{
    hoop_error error = { 0, "" };
    hoop_handler built = hoop_fn(leaf, "untouched");
    assert_int_equal(hoop_chain_new(arena, table, count, handler, &built, &error), code);
    assert_string_equal(error.text, text);
    assert_int_equal(error.code, code);
    assert_string_equal(built.data, "untouched");
    assert_int_equal(hoop_chain_new(arena, table, count, handler, &built, NULL), code);
}

/* --- calling --------------------------------------------------------------------------------- */

static void test_the_first_entry_meets_the_request_first(void **state)
{
    static const hoop_middleware table[] = {
        HOOP_WRAP("a", trace, "a"),
        HOOP_WRAP("b", trace, "b"),
        HOOP_WRAP("c", trace, "c"),
    };
    hoop_handler chain = build(table, 3, leaf_handler());
    assert_response(hoop_call(chain, req), "200\n" TEXT "leaf");
    assert_string_equal(order, "a> b> c> leaf c< b< a< ");
    assert_str(hoop_chain_print(arena, chain), "a\nb\nc\nhandler\n");
    assert_int_equal(hoop_check(chain, NULL), 0);
}

static void test_a_middleware_may_answer_by_itself(void **state)
{
    static const hoop_middleware table[] = {
        HOOP_WRAP("a", trace, "a"),
        HOOP_WRAP("guard", stop, NULL),
        HOOP_WRAP("c", trace, "c"),
    };
    assert_response(hoop_call(build(table, 3, leaf_handler()), req), "403\n" TEXT "no further");
    assert_string_equal(order, "a> a< ");
}

static void test_an_empty_chain_is_its_handler(void **state)
{
    hoop_handler chain = build(NULL, 0, leaf_handler());
    assert_true(chain.fn == leaf);
}

static void test_the_table_may_go(void **state)
{
    hoop_middleware table[] = { HOOP_WRAP("a", trace, "a") };
    hoop_handler chain = build(table, 1, leaf_handler());
    memset(table, 0xff, sizeof table);
    assert_response(hoop_call(chain, req), "200\n" TEXT "leaf");
    assert_string_equal(order, "a> leaf a< ");
}

static void test_entries_of_an_older_caller_are_smaller(void **state)
{
    struct old {
        const hoop_middleware_type *type;
        const char *name;
        hoop_wrap_fn *wrap;
        const void *options;
    } table[] = { { NULL, "a", trace, "a" }, { NULL, "b", trace, "b" } };
    hoop_handler chain;
    assert_int_equal(hoop_chain_new_sized(arena, (const hoop_middleware *)(const void *)table, 2,
                                          sizeof table[0], leaf_handler(), &chain, NULL),
                     0);
    hoop_call(chain, req);
    assert_string_equal(order, "a> b> leaf b< a< ");
}

/* --- types ----------------------------------------------------------------------------------- */

static int build_upper(hoop_arena *a, const void *options, size_t options_size,
                       const void **ret_value, hoop_error *error)
{
    const char *text = options ? options : "default";
    if (strcmp(text, "bad") == 0)
        return hoop_error_set(error, HOOP_EPARSE, "upper: '%s' is no option", text);
    hoop_str value = hoop_arena_printf(a, "%s/%zu", text, options_size);
    if (hoop_str_is_none(value))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    *ret_value = value.data;
    return 0;
}

#define TYPE(...)                                         \
    {                                                     \
        __VA_ARGS__, .size = sizeof(hoop_middleware_type) \
    }

static const hoop_middleware_type upper_type =
    TYPE(.name = "upper", .wrap = trace, .build = build_upper);
static const hoop_middleware_type plain_type = TYPE(.name = "plain", .wrap = trace);
static const hoop_middleware_type calm_type =
    TYPE(.name = "calm", .wrap = plain, .flags = HOOP_IDEMPOTENT);
static const hoop_middleware_type source_type =
    TYPE(.name = "source", .wrap = plain, .provides = "water  fish");
static const hoop_middleware_type user_type = TYPE(.name = "user", .wrap = plain, .needs = "fish");

static void test_a_type_builds_its_value_of_the_options(void **state)
{
    static const hoop_middleware table[] = {
        HOOP_USE(&upper_type, "x", 2),
        { .type = &upper_type, .name = "second" },
        HOOP_USE(&plain_type, "p", 2),
    };
    hoop_handler chain = build(table, 3, leaf_handler());
    hoop_call(chain, req);
    assert_string_equal(order, "x/2> default/0> p> leaf p< default/0< x/2< ");
    assert_str(hoop_chain_print(arena, chain), "upper\nsecond\nplain\nhandler\n");
}

static void test_a_type_that_refuses_its_options(void **state)
{
    static const hoop_middleware table[] = { HOOP_USE(&upper_type, "bad", 4) };
    refuse(table, 1, leaf_handler(), HOOP_EPARSE, "upper: 'bad' is no option");
}

/* --- what is refused ------------------------------------------------------------------------- */

static void test_entries_that_say_nothing(void **state)
{
    static const hoop_middleware nameless[] = { HOOP_WRAP("a", trace, "a"),
                                                HOOP_WRAP(NULL, trace, "b") };
    refuse(nameless, 2, leaf_handler(), HOOP_EINVAL, "middleware entry 1 has no name");
    static const hoop_middleware empty[] = { HOOP_WRAP("", trace, "b") };
    refuse(empty, 1, leaf_handler(), HOOP_EINVAL, "middleware entry 0 has no name");
    static const hoop_middleware idle[] = { HOOP_WRAP("a", NULL, "a") };
    refuse(idle, 1, leaf_handler(), HOOP_EINVAL, "middleware 'a' (entry 0) has no function");
    static const hoop_middleware_type idle_type = TYPE(.name = "idle");
    static const hoop_middleware idle_use[] = { HOOP_USE(&idle_type, NULL, 0) };
    refuse(idle_use, 1, leaf_handler(), HOOP_EINVAL, "middleware 'idle' (entry 0) has no function");
    static const hoop_middleware_type unsized_type = { .name = "old", .wrap = trace };
    static const hoop_middleware unsized_use[] = { HOOP_USE(&unsized_type, NULL, 0) };
    char want[100];
    snprintf(want, sizeof want, "middleware 'old' (entry 0): its type's size is 0, not %zu",
             sizeof(hoop_middleware_type));
    refuse(unsized_use, 1, leaf_handler(), HOOP_EINVAL, want);
}

static void test_handlers_that_cannot_be_called(void **state)
{
    static const hoop_middleware table[] = { HOOP_WRAP("a", trace, "a") };
    refuse(table, 1, hoop_fn(NULL, NULL), HOOP_EINVAL,
           "the handler of the chain is empty (no function, or out of memory)");
    refuse(table, 1, hoop_blocking(arena, build(table, 1, leaf_handler())), HOOP_EINVAL,
           "the handler of the chain: hoop_blocking() wraps a leaf, not a chain or a router: those "
           "would run on the wrong thread");
    refuse(NULL, 1, leaf_handler(), HOOP_EINVAL, "arena, table and ret_handler may not be NULL");
    hoop_handler built;
    assert_int_equal(hoop_chain_new(NULL, table, 1, leaf_handler(), &built, NULL), HOOP_EINVAL);
    assert_int_equal(hoop_chain_new(arena, table, 1, leaf_handler(), NULL, NULL), HOOP_EINVAL);
}

static void test_twice_on_one_path(void **state)
{
    static const hoop_middleware twice[] = {
        HOOP_USE(&plain_type, NULL, 0),
        HOOP_WRAP("b", trace, "b"),
        HOOP_USE(&plain_type, NULL, 0),
    };
    refuse(twice, 3, leaf_handler(), HOOP_ECONFLICT,
           "middleware 'plain' (entry 0) is mounted twice on one path: once more further in");
    static const hoop_middleware names[] = { HOOP_WRAP("b", trace, "b"),
                                             HOOP_WRAP("b", plain, "b") };
    refuse(names, 2, leaf_handler(), HOOP_ECONFLICT,
           "middleware 'b' (entry 0) is mounted twice on one path: once more further in");
}

static void test_twice_is_right_for_the_idempotent_and_the_differently_named(void **state)
{
    static const hoop_middleware table[] = {
        HOOP_USE(&calm_type, NULL, 0),
        HOOP_USE(&calm_type, NULL, 0),
        { .type = &plain_type, .name = "one", .options = "1" },
        { .type = &plain_type, .name = "two", .options = "2" },
    };
    hoop_call(build(table, 4, leaf_handler()), req);
    assert_string_equal(order, "1> 2> leaf 2< 1< ");
}

static void test_twice_across_chains(void **state)
{
    static const hoop_middleware inner[] = { HOOP_USE(&plain_type, NULL, 0) };
    static const hoop_middleware outer[] = { HOOP_WRAP("b", trace, "b"),
                                             HOOP_USE(&plain_type, NULL, 0) };
    refuse(outer, 2, build(inner, 1, leaf_handler()), HOOP_ECONFLICT,
           "middleware 'plain' (entry 1) is mounted twice on one path: once more further in");
}

/* --- needs ----------------------------------------------------------------------------------- */

static void test_needs_are_met_further_out(void **state)
{
    static const hoop_middleware by_list[] = { HOOP_USE(&source_type, NULL, 0),
                                               HOOP_USE(&user_type, NULL, 0) };
    assert_int_equal(hoop_check(build(by_list, 2, leaf_handler()), NULL), 0);
    static const hoop_middleware by_name[] = {
        HOOP_WRAP("params", plain, NULL),
        HOOP_WRAP("form", plain, NULL, .needs = " params  source ", .provides = "fields"),
        HOOP_WRAP("check", plain, NULL, .needs = "fields"),
    };
    static const hoop_middleware around[] = { HOOP_USE(&source_type, NULL, 0) };
    hoop_handler open = build(by_name, 3, leaf_handler());
    hoop_error error;
    assert_int_equal(hoop_check(open, &error), HOOP_EMISSING);
    assert_string_equal(error.text,
                        "middleware 'form' needs 'source', which nothing further out provides");
    assert_int_equal(hoop_check(build(around, 1, open), NULL), 0);
    /* The open one is a value: what was built around it has not changed it. */
    assert_int_equal(hoop_check(open, NULL), HOOP_EMISSING);
}

static void test_a_name_that_only_begins_alike_meets_no_need(void **state)
{
    static const hoop_middleware table[] = {
        HOOP_WRAP("param", plain, NULL, .provides = "paramsx xparams"),
        HOOP_WRAP("form", plain, NULL, .needs = "params"),
    };
    hoop_error error;
    assert_int_equal(hoop_check(build(table, 2, leaf_handler()), &error), HOOP_EMISSING);
    assert_string_equal(error.text,
                        "middleware 'form' needs 'params', which nothing further out provides");
}

static void test_nobody_provides_for_itself(void **state)
{
    static const hoop_middleware table[] = {
        HOOP_WRAP("self", plain, NULL, .needs = "thing", .provides = "thing"),
    };
    hoop_error error;
    assert_int_equal(hoop_check(build(table, 1, leaf_handler()), &error), HOOP_EMISSING);
    assert_string_equal(error.text,
                        "middleware 'self' needs 'thing', which nothing further out provides");
}

static void test_a_wrong_order_is_told_with_the_right_one(void **state)
{
    static const hoop_middleware table[] = {
        HOOP_USE(&user_type, NULL, 0),
        HOOP_WRAP("b", trace, "b"),
        HOOP_USE(&source_type, NULL, 0),
    };
    refuse(table, 3, leaf_handler(), HOOP_ECONFLICT,
           "middleware 'user' needs 'fish', which 'source' provides only further in: mount "
           "'source' in front of 'user'");
    static const hoop_middleware inner[] = { HOOP_USE(&source_type, NULL, 0) };
    static const hoop_middleware outer[] = { HOOP_USE(&user_type, NULL, 0) };
    refuse(outer, 1, build(inner, 1, leaf_handler()), HOOP_ECONFLICT,
           "middleware 'user' needs 'fish', which 'source' provides only further in: mount "
           "'source' in front of 'user'");
}

static void test_provided_on_both_sides_is_no_wrong_order(void **state)
{
    static const hoop_middleware table[] = {
        { .type = &source_type, .name = "outer" },
        HOOP_USE(&user_type, NULL, 0),
        { .type = &source_type, .name = "inner" },
    };
    assert_int_equal(hoop_check(build(table, 3, leaf_handler()), NULL), 0);
}

static hoop_handler route_to(const hoop_handler *handler, const char *name)
{
    hoop_route table[] = {
        { .method = "GET", .path = "/plain", .handler = leaf },
        { .method = "GET", .path = "/a", .wrapped = handler, .name = name },
    };
    hoop_error error;
    hoop_handler router;
    if (hoop_router_new(arena, table, 2, &router, &error))
        fail_msg("%s", error.text);
    return router;
}

static void test_needs_cross_a_router_and_name_the_route(void **state)
{
    static const hoop_middleware inner[] = { HOOP_USE(&user_type, NULL, 0) };
    static const hoop_middleware outer[] = { HOOP_USE(&source_type, NULL, 0) };
    hoop_handler chain = build(inner, 1, leaf_handler());
    hoop_handler router = route_to(&chain, "animals");
    hoop_error error;
    assert_int_equal(hoop_check(router, &error), HOOP_EMISSING);
    assert_string_equal(error.text, "middleware 'user' of route 'animals' needs 'fish', which "
                                    "nothing further out provides");
    assert_int_equal(hoop_check(build(outer, 1, router), NULL), 0);
}

static void test_twice_and_wrong_order_are_seen_through_a_router(void **state)
{
    static const hoop_middleware inner[] = { HOOP_USE(&source_type, NULL, 0),
                                             HOOP_USE(&plain_type, NULL, 0) };
    static const hoop_middleware twice[] = { HOOP_USE(&plain_type, NULL, 0) };
    static const hoop_middleware order_[] = { HOOP_USE(&user_type, NULL, 0) };
    hoop_handler chain = build(inner, 2, leaf_handler());
    hoop_handler router = route_to(&chain, NULL);
    refuse(twice, 1, router, HOOP_ECONFLICT,
           "middleware 'plain' (entry 0) is mounted twice on one path: once more further in");
    refuse(order_, 1, router, HOOP_ECONFLICT,
           "middleware 'user' needs 'fish', which 'source' provides only further in: mount "
           "'source' in front of 'user'");
}

/* --- memory that is short -------------------------------------------------------------------- */

static void chain_each(struct test_allocator *a, void *data)
{
    static const hoop_middleware table[] = {
        HOOP_WRAP("water", plain, NULL),
        { .type = &upper_type, .options = "o", .needs = "water" },
        HOOP_WRAP("b", trace, "b", .needs = "upper water fish"),
    };
    hoop_arena_options options = { &a->hoop, 0, 1 };
    hoop_arena *tight = hoop_arena_new_with(&options);
    if (!tight)
        return;
    hoop_error error = { 0, "" };
    hoop_handler chain = hoop_fn(leaf, NULL);
    int rc = hoop_chain_new(tight, table, 3, chain, &chain, &error);
    hoop_str text = hoop_chain_print(tight, chain);
    if (rc) {
        assert_int_equal(rc, HOOP_ENOMEM);
        assert_true(chain.fn == leaf);
    } else {
        assert_int_equal(hoop_check(chain, NULL), HOOP_EMISSING);
        if (!hoop_str_is_none(text))
            assert_str(text, "water\nupper\nb\nhandler\n");
    }
    assert_int_equal(rc != 0 || hoop_str_is_none(text), a->count >= a->fail_at);
    hoop_arena_free(tight);
}

static void test_each_allocation_may_fail(void **state)
{
    test_each_allocation(chain_each, NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_the_first_entry_meets_the_request_first),
        TEST(test_a_middleware_may_answer_by_itself),
        TEST(test_an_empty_chain_is_its_handler),
        TEST(test_the_table_may_go),
        TEST(test_entries_of_an_older_caller_are_smaller),
        TEST(test_a_type_builds_its_value_of_the_options),
        TEST(test_a_type_that_refuses_its_options),
        TEST(test_entries_that_say_nothing),
        TEST(test_handlers_that_cannot_be_called),
        TEST(test_twice_on_one_path),
        TEST(test_twice_is_right_for_the_idempotent_and_the_differently_named),
        TEST(test_twice_across_chains),
        TEST(test_needs_are_met_further_out),
        TEST(test_a_name_that_only_begins_alike_meets_no_need),
        TEST(test_nobody_provides_for_itself),
        TEST(test_a_wrong_order_is_told_with_the_right_one),
        TEST(test_provided_on_both_sides_is_no_wrong_order),
        TEST(test_needs_cross_a_router_and_name_the_route),
        TEST(test_twice_and_wrong_order_are_seen_through_a_router),
        TEST(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
