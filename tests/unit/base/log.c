/* The log: lines for the hook, and the hook that writes to stderr. */
#include "support.h"

#include "base/loop.h"

#include <stdio.h>
#include <unistd.h>

static int got_level;
static char got_text[600];

static void take(int level, const char *text, void *data)
{
    got_level = level;
    snprintf(got_text, sizeof got_text, "%s", text);
    (*(int *)data)++;
}

static void test_a_line_reaches_the_hook(void **state)
{
    int lines = 0;
    struct hoop_loop loop = { .log = take, .log_data = &lines };
    hoop__log(&loop, HOOP_LOG_WARN, "%s: %d", "status", 503);
    assert_int_equal(lines, 1);
    assert_int_equal(got_level, HOOP_LOG_WARN);
    assert_string_equal(got_text, "status: 503");
}

static void test_silence_without_a_hook(void **state)
{
    struct hoop_loop loop = { .log = NULL };
    hoop__log(&loop, HOOP_LOG_ERROR, "nobody");
    hoop__log(NULL, HOOP_LOG_ERROR, "nobody");
}

static void test_control_characters_cannot_forge_lines(void **state)
{
    int lines = 0;
    struct hoop_loop loop = { .log = take, .log_data = &lines };
    hoop__log(&loop, HOOP_LOG_ERROR, "a\r\nb\x1b[2J\t\x7f\x01 \xc3\xa9");
    assert_string_equal(got_text, "a??b?[2J??? \xc3\xa9");
}

static void test_long_lines_are_cut(void **state)
{
    int lines = 0;
    struct hoop_loop loop = { .log = take, .log_data = &lines };
    hoop__log(&loop, HOOP_LOG_ERROR, "%2000s", "x");
    assert_int_equal(strlen(got_text), 511);
}

static void test_stderr_lines(void **state)
{
    int ends[2], old = dup(2);
    assert_int_equal(pipe(ends), 0);
    dup2(ends[1], 2);
    hoop_log_stderr(HOOP_LOG_ERROR, "one", NULL);
    hoop_log_stderr(HOOP_LOG_WARN, "two", NULL);
    hoop_log_stderr(HOOP_LOG_INFO, "three", NULL);
    hoop_log_stderr(HOOP_LOG_DEBUG, "four", NULL);
    fflush(stderr);
    dup2(old, 2);
    close(old);
    close(ends[1]);
    char text[200];
    size_t len = 0;
    for (ssize_t n; (n = read(ends[0], text + len, sizeof text - len)) > 0;)
        len += (size_t)n;
    close(ends[0]);
    const char *want = "error: one\nwarning: two\nthree\n";
    assert_bytes(text, len, want, strlen(want));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_line_reaches_the_hook),
        cmocka_unit_test(test_silence_without_a_hook),
        cmocka_unit_test(test_control_characters_cannot_forge_lines),
        cmocka_unit_test(test_long_lines_are_cut),
        cmocka_unit_test(test_stderr_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
