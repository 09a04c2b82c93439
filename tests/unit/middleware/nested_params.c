/* Middleware "nested_params": ring.md's cases 2.3, clashes, limits, another separator, memory. */
#include "middleware.h"

#include <hoop/json.h>

#include <stdio.h>
#include <stdlib.h>

static const hoop_middleware chain[] = { HOOP_PARAMS(NULL), HOOP_NESTED_PARAMS(NULL),
                                         HOOP_NESTED_PARAMS(NULL) };

/* Tells the tree. */
static const hoop_response *show(const hoop_request *req, void *data)
{
    (void)data;
    hoop_str text;
    if (hoop_json_dump(req->arena, hoop_nested_params(req), JSON_COMPACT, &text, NULL))
        return hoop_fail(req, HOOP_ENOMEM, "out of memory");
    return hoop_bytes_static(req, 200, NULL, text);
}

#define BAD(detail)                                                                             \
    "400\nContent-Type: application/problem+json\n\n{\"title\":\"Bad Request\",\"status\":400," \
    "\"detail\":\"" detail "\"}"
#define CLASH(a, b) BAD("the parameters '" a "' and '" b "' exclude each other")

static void test_cases(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        { "/", "{}" },
        { "/?x[y]=z", "{\"x\":{\"y\":\"z\"}}" },
        { "/?a[b][c]=d", "{\"a\":{\"b\":{\"c\":\"d\"}}}" },
        { "/?a%5Bb%5D=c", "{\"a\":{\"b\":\"c\"}}" },
        { "/?foo[]=bar", "{\"foo\":[\"bar\"]}" },
        { "/?foo[]=bar&foo[]=baz", "{\"foo\":[\"bar\",\"baz\"]}" },
        { "/?a[x][]=b&a[x][][y]=c", "{\"a\":{\"x\":[\"b\",{\"y\":\"c\"}]}}" },
        { "/?a[][x]=c&a[][y]=d", "{\"a\":[{\"x\":\"c\"},{\"y\":\"d\"}]}" },
        { "/?a=b&a=c&a=d", "{\"a\":[\"b\",\"c\",\"d\"]}" },
        { "/?a[b]=c&a[b]=d", "{\"a\":{\"b\":[\"c\",\"d\"]}}" },
        { "/?a[x%0Ay]=b", "{\"a\":{\"x\\ny\":\"b\"}}" },
        { "/?foo=&foo[bar]=baz", "{\"foo\":{\"bar\":\"baz\"}}" },
        { "/?foo[bar]=&foo[bar][baz]=bam", "{\"foo\":{\"bar\":{\"baz\":\"bam\"}}}" },
        { "/?foo=1&foo[]=2", "{\"foo\":[\"1\",\"2\"]}" },
        { "/?foo[bar]=1&foo=2", "{\"foo\":[{\"bar\":\"1\"},\"2\"]}" },
        { "/?foo[bar=1&foo]=2", "{\"foo[bar\":\"1\",\"foo]\":\"2\"}" },
        { "/?[foo]=v", "{\"\":{\"foo\":\"v\"}}" },
        { "/?foo[a]x[b]=v", "{\"foo\":{\"a\":{\"b\":\"v\"}}}" },
        { "/?a[b]=1&a[c]=2&d=3", "{\"a\":{\"b\":\"1\",\"c\":\"2\"},\"d\":\"3\"}" },
        { "/?a[][]=1&a[][]=2", "{\"a\":[[\"1\"],[\"2\"]]}" },
        { "/?a.b=c", "{\"a.b\":\"c\"}" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char want[256];
        snprintf(want, sizeof want, "200\n\n%s", cases[i][1]);
        const struct middleware_case one[] = {
            { .uri = cases[i][0], .inner = show, .want = want }
        };
        test_middleware(chain, HOOP_COUNT(chain), one, 1);
    }
}

static void test_clashes(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "/?foo=1&foo[bar]=2", .want = CLASH("foo", "foo[bar]") },
        { .uri = "/?foo=1&foo[a][b]=2", .want = CLASH("foo", "foo[a][b]") },
        { .uri = "/?foo[a]=1&foo[a][b]=2", .want = CLASH("foo[a]", "foo[a][b]") },
        { .uri = "/?foo[]=1&foo[x]=2", .want = CLASH("foo", "foo[x]") },
        { .uri = "/?foo=1&foo=2&foo[x]=3", .want = CLASH("foo", "foo[x]") },
    };
    test_middleware(chain, HOOP_COUNT(chain), cases, HOOP_COUNT(cases));
}

static const hoop_nested_params_options tight = { .separator = ".",
                                                  .max_depth = 3,
                                                  .max_values = 4 };
static const hoop_middleware dotted[] = { HOOP_PARAMS(NULL), HOOP_NESTED_PARAMS(&tight) };

static void test_options(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "/?a.b=c&a[]=d",
          .inner = show,
          .want = "200\n\n{\"a\":{\"b\":\"c\"},\"a[]\":\"d\"}" },
        { .uri = "/?a.b.c=d", .inner = show, .want = "200\n\n{\"a\":{\"b\":{\"c\":\"d\"}}}" },
        { .uri = "/?a.b.c.d=e", .want = BAD("the parameters have more than 3 levels") },
        { .uri = "/?a.b=1&c.d=2&e=3", .want = BAD("the parameters have more than 4 values") },
        { .uri = "/?a.b=1&a=2&a.=3", .want = CLASH("a", "a.") },
    };
    test_middleware(dotted, HOOP_COUNT(dotted), cases, HOOP_COUNT(cases));
}

/* The form's parameters are in it, too; depth is limited by default. */
static void test_forms_and_depth(void **state)
{
    (void)state;
    char deep[200] = "/?x";
    for (int i = 0; i < 32; i++)
        strcat(deep, "[]");
    strcat(deep, "=1");
    const struct middleware_case cases[] = {
        { .method = "POST",
          .uri = "/?a[b]=1",
          .headers = "Content-Type: application/x-www-form-urlencoded",
          .body = "a[c]=2&d=3",
          .inner = show,
          .want = "200\n\n{\"a\":{\"b\":\"1\",\"c\":\"2\"},\"d\":\"3\"}" },
        { .uri = deep, .want = BAD("the parameters have more than 32 levels") },
    };
    test_middleware(chain, HOOP_COUNT(chain), cases, HOOP_COUNT(cases));
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const hoop_nested_params_options bad[] = { { .separator = "::" },
                                                      { .separator = "" },
                                                      { .max_depth = 1025 } };
    static const char *const texts[] = { "nested_params: the separator '::' is not one byte",
                                         "nested_params: the separator '' is not one byte",
                                         "nested_params: a max_depth of 1025 is over 1024" };
    for (size_t i = 0; i < HOOP_COUNT(bad); i++) {
        const hoop_middleware one[] = { HOOP_NESTED_PARAMS(&bad[i]) };
        test_middleware_refused(one, 1, HOOP_EINVAL, texts[i]);
    }
}

static size_t made;

static void *count_alloc(size_t size)
{
    made++;
    return malloc(size);
}

/* How much jansson made for a request, in front of its handler and until that has asked. */
static void check_made(const char *uri, int in_front, int when_asked)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    const hoop_request *req =
        hoop_params_request(hoop_mock(arena, "GET", uri, NULL), &answer, NULL);
    json_set_alloc_funcs(count_alloc, free);
    made = 0;
    req = hoop_nested_params_request(req, &answer, NULL);
    assert_int_equal(made > 0, in_front);
    made = 0;
    json_t *tree = hoop_nested_params(req);
    assert_int_equal(made > 0, when_asked);
    assert_true(json_is_object(tree));
    made = 0;
    assert_ptr_equal(hoop_nested_params(req), tree);
    assert_int_equal(made, 0);
    json_set_alloc_funcs(malloc, free);
    hoop_arena_free(arena);
}

/* Nothing is made that nobody asks for, unless it may have to be refused. */
static void test_made_when_asked_for(void **state)
{
    (void)state;
    check_made("/", 0, 1);
    check_made("/?a=1&a=2&b=3", 0, 1);
    check_made("/?a=1&b[c]=2", 1, 0);
    check_made("/?a=1&b%5B=2", 1, 0);
}

static const hoop_response *later(const hoop_request *req, void *data)
{
    hoop_deferred *d = hoop_defer(req);
    const hoop_request *own = hoop_deferred_request(d);
    json_t *one = hoop_nested_params(own), *two = hoop_nested_params(req);
    /* A tree of names without levels is made for each arena: another thread may have it. */
    assert_int_equal(one != two, hoop_str_is_none(hoop_param(req, "a[b]")));
    assert_true(json_equal(one, two));
    hoop_resolve(d, show(own, data));
    return hoop_deferred_response(d);
}

static void test_deferred_requests(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "/?a=1", .inner = later, .want = "200\n\n{\"a\":\"1\"}" },
        { .uri = "/?a[b]=1", .inner = later, .want = "200\n\n{\"a\":{\"b\":\"1\"}}" },
    };
    test_middleware(chain, HOOP_COUNT(chain), cases, HOOP_COUNT(cases));
}

static const hoop_nested_params_options few = { .max_values = 4 };
static const hoop_middleware limited[] = { HOOP_PARAMS(NULL), HOOP_NESTED_PARAMS(&few) };

/* The limit holds for names without levels, too, whether asked for or not. */
static void test_flat_names_are_counted(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "/?a=1&b=2", .want = "200\n\nok" },
        { .uri = "/?a=1&b=2&c=3&d=4", .want = "200\n\nok" },
        { .uri = "/?a=1&b=2&c=3&d=4&e=5", .want = BAD("the parameters have more than 4 values") },
        { .uri = "/?a=1&a=2&a=3", .want = "200\n\nok" },
        { .uri = "/?a=1&a=2&b=1&b=2", .want = BAD("the parameters have more than 4 values") },
    };
    test_middleware(limited, HOOP_COUNT(limited), cases, HOOP_COUNT(cases));
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    const hoop_request *req = hoop_mock(arena, "GET", "/?a[b]=1", NULL);
    assert_null(hoop_nested_params(req));
    const hoop_request *more = hoop_nested_params_request(req, &answer, NULL);
    assert_int_equal(json_object_size(hoop_nested_params(more)), 0);
    more = hoop_nested_params_request(hoop_params_request(req, &answer, NULL), &answer, NULL);
    assert_int_equal(json_object_size(hoop_nested_params(more)), 1);
    assert_ptr_equal(hoop_nested_params_request(more, &answer, NULL), more);
    assert_null(answer);
    assert_null(hoop_nested_params_request(NULL, &answer, NULL));
    assert_null(hoop_nested_params(NULL));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .uri = "/?a[b]=1&a[c][]=2&d=3&d=4",
          .inner = show,
          .want = "200\n\n{\"a\":{\"b\":\"1\",\"c\":[\"2\"]},\"d\":[\"3\",\"4\"]}" },
        { .uri = "/?foo=1&foo[bar]=2", .want = CLASH("foo", "foo[bar]") },
        { .uri = "/?foo=1", .inner = show, .want = "200\n\n{\"foo\":\"1\"}" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++)
        test_middleware_memory(chain, HOOP_COUNT(chain), &cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_clashes),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_forms_and_depth),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_made_when_asked_for),
        cmocka_unit_test(test_deferred_requests),
        cmocka_unit_test(test_flat_names_are_counted),
        cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
