/* Lists of media types: which are in them, and which words are none. */
#include "support.h"

#include "middleware/types.h"

static void test_what_is_in_a_list(void **state)
{
    static const struct {
        const char *list, *type;
        int have;
    } cases[] = {
        { "text/html", "text/html", 1 },
        { "text/html", "TEXT/Html; charset=utf-8", 1 },
        { "text/html", " text/html ", 1 },
        { "text/html", "text/htmlx", 0 },
        { "text/html", "text", 0 },
        { "text/html", "", 0 },
        { "text/*", "text/plain", 1 },
        { "text/*", "texts/plain", 0 },
        { "*/*", "image/png", 1 },
        { "+json", "application/problem+json", 1 },
        { "+json", "application/problem+JSON;v=1", 1 },
        { "+json", "application/json", 0 },
        { "+json", "application/+json", 0 },
        { "text/* !text/event-stream", "text/event-stream", 0 },
        { "!text/event-stream text/*", "text/Event-Stream", 0 },
        { "text/* !text/event-stream", "text/csv", 1 },
        { "*/* !image/* !+zip", "image/png", 0 },
        { "*/* !image/* !+zip", "application/epub+zip", 0 },
        { "*/* !image/* !+zip", "application/pdf", 1 },
        { "  image/png   text/css ", "text/css", 1 },
        { "", "text/css", 0 },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        hoop_arena *arena = hoop_arena_new();
        struct hoop__types types;
        hoop_str word;
        assert_int_equal(hoop__types_read(arena, cases[i].list, &types, &word), 0);
        if (hoop__types_have(&types, hoop_str_c(cases[i].type)) != cases[i].have)
            fail_msg("'%s' in '%s'", cases[i].type, cases[i].list);
        hoop_arena_free(arena);
    }
}

static void test_words_that_are_none(void **state)
{
    static const char *const words[] = {
        "text",   "text/", "/html", "!",           "+",    "!+",
        "*/html", "*",     "a/b/c", "text/html;q", "a/\"", "+a/b"
    };
    for (size_t i = 0; i < HOOP_COUNT(words); i++) {
        hoop_arena *arena = hoop_arena_new();
        struct hoop__types types;
        hoop_str word = hoop_str_none();
        const char *list = hoop_arena_printf(arena, "text/css %s text/*", words[i]).data;
        if (hoop__types_read(arena, list, &types, &word) != HOOP_EINVAL)
            fail_msg("'%s' is taken", words[i]);
        assert_str(word, words[i]);
        hoop_arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_in_a_list),
        cmocka_unit_test(test_words_that_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
