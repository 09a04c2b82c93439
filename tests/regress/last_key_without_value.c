/* The last key of a query or form was lost if it had no value. */
#include "regress.h"

static const struct {
    const char *text;
    size_t a, b; /* values of each */
} cases[] = {
    { "a=1&b", 1, 1 }, { "b", 0, 1 },        { "b=", 0, 1 },    { "=", 0, 0 },   { "&", 0, 0 },
    { "a=1&", 1, 0 },  { "a&a=2&b&", 2, 1 }, { "&&a&&", 1, 0 }, { "b&a", 1, 1 }, { "", 0, 0 },
};

static void check(const hoop_request *req, uint32_t from, size_t i)
{
    assert_int_equal(hoop_param_count(req, from, "a"), cases[i].a);
    assert_int_equal(hoop_param_count(req, from, "b"), cases[i].b);
    if (cases[i].b)
        assert_str(hoop_param_in(req, from, "b"), "");
}

static void test(void **state)
{
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        hoop_arena *arena = hoop_arena_new();
        char uri[64] = "/?";
        strcat(uri, cases[i].text);
        check(hoop_mock(arena, "GET", uri, NULL), HOOP_IN_QUERY, i);
        const hoop_request *req = hoop_mock(arena, "POST", "/", NULL);
        req = hoop_mock_body(req, "application/x-www-form-urlencoded", hoop_str_c(cases[i].text));
        check(req, HOOP_IN_FORM, i);
        hoop_arena_free(arena);
    }
}

REGRESS(test)
