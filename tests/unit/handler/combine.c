/* Several responses and one: all, the first, after a while, again; channels; all on the virtual clock. */
#include "support.h"

#include <pthread.h>
#include <stdio.h>

static hoop_arena *arena;

static int setup(void **state)
{
    arena = hoop_arena_new();
    return 0;
}

static int teardown(void **state)
{
    hoop_arena_free(arena);
    return 0;
}

static const hoop_response *call(hoop_handler_fn *fn, const void *data)
{
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    return hoop_call_sync(hoop_fn(fn, (void *)(uintptr_t)data), req);
}

static const hoop_response *say(const hoop_request *req, const void *value)
{
    return value ? hoop_text(req, 200, value) : hoop_fail(req, HOOP_EBUSY, "busy");
}

/* Responses by a script: "a" is there, "3b" comes after three milliseconds, "-" has failed, "2-" fails. */
static const hoop_response *make(const hoop_request *req, const char *what)
{
    if (*what == '-')
        return say(req, NULL);
    if (*what < '0' || *what > '9')
        return say(req, what);
    return hoop_after(req, (uint64_t)(*what - '0'), say, what[1] == '-' ? NULL : what + 1);
}

static const hoop_response *join(const hoop_request *req, const hoop_response *const *responses,
                                 size_t count, const void *value)
{
    char *text = hoop_printf(req, "%s", (const char *)value);
    for (size_t i = 0; i < count; i++)
        text = hoop_printf(req, "%s%s", text, responses[i]->body.data);
    return hoop_text(req, 200, text);
}

static const hoop_response *run_script(const hoop_request *req, void *data)
{
    const char *const *script = data;
    const hoop_response *responses[4];
    size_t count = 0;
    for (; script[count + 1]; count++)
        responses[count] = make(req, script[count + 1]);
    return *script[0] == 'a' ? hoop_all(req, responses, count, join, ":")
                             : hoop_race(req, responses, count);
}

static void test_all_and_race(void **state)
{
    static const struct {
        const char *script[5];
        const char *want; /* NULL: failed */
    } cases[] = {
        { { "all", "a", "b" }, ":ab" },
        { { "all", "3a", "b", "1c" }, ":abc" },
        { { "all", "1a" }, ":a" },
        { { "all" }, ":" },
        { { "all", "a", "-", "5b" }, NULL },
        { { "all", "9a", "1-", "5b" }, NULL },
        { { "race", "3a", "1b", "2c" }, "b" },
        { { "race", "3a", "b", "c" }, "b" },
        { { "race", "3a", "1-" }, NULL },
        { { "race", "1a", "3-" }, "a" },
        { { "race" }, NULL },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        const hoop_response *res = call(run_script, cases[i].script);
        if (cases[i].want)
            assert_str(res->body, cases[i].want);
        else
            assert_null(res);
    }
    assert_null(hoop_all(NULL, NULL, 0, join, ""));
    assert_null(hoop_race(NULL, NULL, 0));
    assert_null(hoop_after(NULL, 1, say, ""));
}

/* --- again ------------------------------------------------------------------------------------ */

struct tries {
    hoop_retry_options options;
    const char *script[6]; /* what each attempt comes to */
    uint32_t attempts;
    uint64_t at[6]; /* when each began */
};

static const hoop_response *attempt(const hoop_request *req, uint32_t n, const void *value)
{
    struct tries *t = (struct tries *)(uintptr_t)value;
    assert_int_equal(n, t->attempts + 1);
    t->at[t->attempts] = hoop_loop_now(hoop_loop_of(req));
    return make(req, t->script[t->attempts++]);
}

static const hoop_response *retry(const hoop_request *req, void *data)
{
    struct tries *t = data;
    return hoop_retry(req, attempt, t, &t->options);
}

static int until_c(const hoop_request *req, const hoop_response *res, const void *value)
{
    return !res || !hoop_str_eq_c(res->body, "c");
}

static void test_retry(void **state)
{
    struct tries t = { .script = { "a" } };
    assert_str(call(retry, &t)->body, "a");
    assert_int_equal(t.attempts, 1);

    t = (struct tries){ .script = { "-", "5-", "2b" } };
    assert_str(call(retry, &t)->body, "b");
    assert_int_equal(t.attempts, 3);
    assert_int_equal(t.at[1] - t.at[0], 100);
    assert_int_equal(t.at[2] - t.at[1], 205);

    t = (struct tries){ .script = { "-", "-", "1-" } };
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_null(hoop_call_sync(hoop_fn(retry, &t), req));
    assert_int_equal(hoop_mock_failure(req)->code, HOOP_EBUSY);
    assert_int_equal(t.attempts, 3);

    t = (struct tries){ .options = { .again = until_c, .attempts = 5, .max_delay_ms = 150 },
                        .script = { "a", "-", "3b", "1c", "d" } };
    assert_str(call(retry, &t)->body, "c");
    assert_int_equal(t.attempts, 4);
    assert_int_equal(t.at[2] - t.at[1], 150);
    assert_int_equal(t.at[3] - t.at[2], 153);
    assert_null(hoop_retry(NULL, attempt, &t, NULL));
}

/* --- channels --------------------------------------------------------------------------------- */

static void *write_numbers(void *data)
{
    char text[16];
    for (int i = 0; i < 1000; i++) {
        int rc;
        snprintf(text, sizeof text, "%d,", i);
        do /* a test has time to burn, a program would wait for something else */
            rc = hoop_channel_put(data, hoop_str_c(text));
        while (rc == HOOP_EBUSY);
        assert_int_equal(rc, 0);
    }
    assert_int_equal(hoop_channel_close(data, 0), 0);
    hoop_channel_unref(data);
    return NULL;
}

static pthread_t writer;

static const hoop_response *stream_channel(const hoop_request *req, void *data)
{
    hoop_channel *channel = hoop_channel_new(64);
    const hoop_response *res = hoop_channel_stream(req, 200, "text/plain", channel);
    assert_int_equal(pthread_create(&writer, NULL, write_numbers, channel), 0);
    return res;
}

static void test_channel_of_a_thread(void **state)
{
    const hoop_response *res = call(stream_channel, NULL);
    pthread_join(writer, NULL);
    assert_non_null(res);
    const char *at = res->body.data;
    for (int i = 0; i < 1000; i++) {
        char *end;
        assert_int_equal(strtol(at, &end, 10), i);
        assert_int_equal(*end, ',');
        at = end + 1;
    }
    assert_int_equal(*at, 0);
}

static const hoop_response *given_channel(const hoop_request *req, void *data)
{
    return hoop_channel_stream(req, 200, NULL, data);
}

static void test_channel_states(void **state)
{
    hoop_channel *channel = hoop_channel_new(4);
    assert_int_equal(hoop_channel_put(channel, hoop_str_c("abc")), 0);
    assert_int_equal(hoop_channel_put(channel, hoop_str_c("de")), HOOP_EBUSY);
    assert_int_equal(hoop_channel_put(channel, hoop_str_c("defgh")), HOOP_ETOOBIG);
    assert_int_equal(hoop_channel_put(channel, hoop_str_c("d")), 0);
    assert_int_equal(hoop_channel_close(channel, 0), 0);
    assert_int_equal(hoop_channel_close(channel, 0), HOOP_EALREADY);
    assert_int_equal(hoop_channel_put(channel, hoop_str_c("")), HOOP_EALREADY);
    assert_str(call(given_channel, channel)->body, "abcd");
    assert_null(call(given_channel, channel)); /* once */
    hoop_channel_unref(channel);

    channel = hoop_channel_new(0);
    hoop_channel_put(channel, hoop_str_c("abc"));
    assert_int_equal(hoop_channel_close(channel, HOOP_EPARSE), 0);
    assert_null(call(given_channel, channel));
    assert_int_equal(hoop_channel_put(channel, hoop_str_c("x")), HOOP_EPARSE);
    hoop_channel_unref(channel);
    assert_int_equal(hoop_channel_put(NULL, hoop_str_c("x")), HOOP_EINVAL);
    assert_int_equal(hoop_channel_close(NULL, 0), HOOP_EINVAL);
    assert_null(hoop_channel_ref(NULL));
    assert_null(hoop_channel_stream(NULL, 200, NULL, NULL));
    hoop_channel_unref(NULL);
}

/* --- streams under mock ----------------------------------------------------------------------- */

static const hoop_response *pipe_it(const hoop_request *req, void *data)
{
    return hoop_pipe(req, 200, "text/plain", &(hoop_pipe_options){ .window = 7 });
}

static void test_mock_pipe(void **state)
{
    const hoop_request *req = hoop_mock(arena, "POST", "/", "0123456789abcdef");
    req = hoop_mock_trailer(hoop_mock_chunks(req, 3), "X-Sum", "77");
    assert_non_null(req);
    const hoop_response *res = hoop_call_sync(hoop_streaming(arena, hoop_fn(pipe_it, NULL)), req);
    assert_str(res->body, "0123456789abcdef");
    assert_str(hoop_response_trailer(res, "x-sum"), "77");
    assert_true(hoop_str_is_none(hoop_response_trailer(res, "x-other")));
    assert_null(hoop_mock_trailer(req, "Content-Length", "1"));
}

static size_t chunks;

static void resume(void *data)
{
    hoop_reader_resume(data);
}

static int slowly(hoop_reader *reader, hoop_str bytes, hoop_arena *scratch, void *data)
{
    chunks++;
    hoop_run_after(hoop_reader_request(reader), 1000, resume, reader);
    return HOOP_WAIT;
}

static const hoop_response *read_slowly(const hoop_request *req, void *data)
{
    return hoop_read_stream(req, &(hoop_read_options){ .chunk = slowly });
}

static void test_mock_pauses(void **state)
{
    const hoop_request *req = hoop_mock(arena, "POST", "/", "0123456789");
    chunks = 0;
    const hoop_response *res =
        hoop_call_sync(hoop_streaming(arena, hoop_fn(read_slowly, NULL)), hoop_mock_chunks(req, 3));
    assert_int_equal(res->status, 204);
    assert_int_equal(chunks, 4);
    assert_int_equal(hoop_mock_pauses(req), 3);
    /* A body that was read before comes in one piece. */
    res = hoop_call_sync(hoop_fn(read_slowly, NULL), req);
    assert_int_equal(res->status, 204);
    assert_int_equal(chunks, 5);
}

/* --- memory ----------------------------------------------------------------------------------- */

static const hoop_response *fill_channel(const hoop_request *req, void *data)
{
    hoop_channel *channel = hoop_channel_new(0);
    assert_int_equal(hoop_channel_put(channel, hoop_str_c("abc")), 0);
    const hoop_response *res = hoop_channel_stream(req, 200, "text/plain", channel);
    hoop_channel_close(channel, 0);
    hoop_channel_unref(channel);
    return res;
}

/* What a handler gives with little memory: what it should, or nothing and the reason. */
static void call_tight(hoop_arena *own, hoop_handler_fn *fn, const void *data, const char *want)
{
    const hoop_request *req = hoop_mock(own, "POST", "/", "0123456789");
    hoop_handler handler = hoop_streaming(own, hoop_fn(fn, (void *)(uintptr_t)data));
    if (!req || !handler.fn)
        return;
    const hoop_response *res = hoop_call_sync(handler, req);
    if (res && want)
        assert_str(hoop_response_read(req, res), want);
    else if (!res)
        assert_int_not_equal(hoop_mock_failure(req)->code, 0);
}

static void call_each(struct test_allocator *allocator, void *data)
{
    static const char *const all[] = { "all", "a", "2b", "1c", NULL };
    static const char *const race[] = { "race", "2a", "1b", NULL };
    hoop_arena *own = hoop_arena_new_with(&(hoop_arena_options){ .allocator = &allocator->hoop });
    struct tries tries = { .script = { "-", "1-", "1b" } };
    call_tight(own, run_script, all, ":abc");
    call_tight(own, run_script, race, "b");
    call_tight(own, retry, &tries, NULL); /* less memory may be one failure more */
    call_tight(own, fill_channel, NULL, "abc");
    call_tight(own, pipe_it, NULL, "0123456789");
    call_tight(own, read_slowly, NULL, "");
    hoop_arena_free(own);
}

static void test_each_allocation_may_fail(void **state)
{
    test_each_allocation(call_each, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_all_and_race, setup, teardown),
        cmocka_unit_test_setup_teardown(test_retry, setup, teardown),
        cmocka_unit_test_setup_teardown(test_channel_of_a_thread, setup, teardown),
        cmocka_unit_test_setup_teardown(test_channel_states, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mock_pipe, setup, teardown),
        cmocka_unit_test_setup_teardown(test_mock_pauses, setup, teardown),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
