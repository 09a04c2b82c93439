/* The example of a REST service without a socket: its handlers, called by mock requests. */
#define main example_main
#include "../../../examples/rest.c"
#undef main

#include "support.h"

static hoop_arena *app, *arena;
static hoop_handler handler;

static int set_up(void **state)
{
    hoop_error error;
    (void)state;
    app = hoop_arena_new();
    arena = hoop_arena_new();
    return build(app, &handler, &error);
}

static int tear_down(void **state)
{
    (void)state;
    hoop_arena_free(arena);
    hoop_arena_free(app);
    clear_todos();
    return 0;
}

static const hoop_response *ask(const char *method, const char *uri, const char *body)
{
    const hoop_request *req = hoop_mock(arena, method, uri, body);
    const hoop_response *res = hoop_call_sync(handler, req);
    if (!res)
        fail_msg("%s", hoop_mock_failure(req)->text);
    return res;
}

#define assert_answer(method, uri, body_, status_, text)           \
    do {                                                           \
        const hoop_response *res_ = ask((method), (uri), (body_)); \
        assert_int_equal(res_->status, (status_));                 \
        assert_str(res_->body, (text));                            \
    } while (0)

#define PROBLEM(title, status, detail) \
    "{\"title\":\"" title "\",\"status\":" #status ",\"detail\":\"" detail "\"}"

static void test_life_of_a_todo(void **state)
{
    (void)state;
    assert_answer("GET", "/todos", NULL, 200, "[]");
    const hoop_response *res = ask("POST", "/todos", "{\"title\":\"a\"}");
    assert_int_equal(res->status, 201);
    assert_str(res->body, "{\"id\":1,\"title\":\"a\",\"done\":false}");
    assert_str(hoop_response_header(res, "location"), "/todos/1");
    assert_str(hoop_response_header(res, "content-type"), "application/json");
    assert_answer("POST", "/todos", "{\"title\":\"b\",\"done\":true}", 201,
                  "{\"id\":2,\"title\":\"b\",\"done\":true}");
    assert_answer("GET", "/todos/1", NULL, 200, "{\"id\":1,\"title\":\"a\",\"done\":false}");
    assert_answer("PATCH", "/todos/1", "{\"done\":true}", 200,
                  "{\"id\":1,\"title\":\"a\",\"done\":true}");
    assert_answer("PUT", "/todos/1", "{\"id\":1,\"title\":\"c\"}", 200,
                  "{\"id\":1,\"title\":\"c\",\"done\":false}");
    assert_answer("GET", "/todos?done=true", NULL, 200,
                  "[{\"id\":2,\"title\":\"b\",\"done\":true}]");
    assert_answer("GET", "/todos?done=false", NULL, 200,
                  "[{\"id\":1,\"title\":\"c\",\"done\":false}]");
    assert_answer("GET", "/todos?limit=1", NULL, 200,
                  "[{\"id\":1,\"title\":\"c\",\"done\":false}]");
    assert_answer("GET", "/todos?limit=0", NULL, 200, "[]");
    assert_answer("DELETE", "/todos/1", NULL, 204, "");
    assert_answer("DELETE", "/todos/1", NULL, 404,
                  PROBLEM("Not Found", 404, "there is no to-do 1"));
    assert_answer("GET", "/todos", NULL, 200, "[{\"id\":2,\"title\":\"b\",\"done\":true}]");
    /* An id is never given twice. */
    assert_answer("POST", "/todos", "{\"title\":\"d\"}", 201,
                  "{\"id\":3,\"title\":\"d\",\"done\":false}");
}

static void test_what_is_wrong(void **state)
{
    (void)state;
    ask("POST", "/todos", "{\"title\":\"a\"}");
    assert_int_equal(ask("GET", "/todos?limit=zz", NULL)->status, 400);
    assert_int_equal(ask("GET", "/todos?done=maybe", NULL)->status, 400);
    assert_answer("GET", "/todos?limit=-1", NULL, 400,
                  PROBLEM("Bad Request", 400, "the limit is 0 or more"));
    assert_answer("GET", "/todos/x", NULL, 404, PROBLEM("Not Found", 404, "GET /todos/x"));
    assert_answer("GET", "/todos/", NULL, 404, PROBLEM("Not Found", 404, "GET /todos/"));
    assert_answer("GET", "/todos/7", NULL, 404, PROBLEM("Not Found", 404, "there is no to-do 7"));
    assert_answer("POST", "/todos", "{}", 400, PROBLEM("Bad Request", 400, "the title is missing"));
    assert_answer("POST", "/todos", "[]", 400, PROBLEM("Bad Request", 400, "a to-do is an object"));
    assert_answer("POST", "/todos", "{\"title\":7}", 400,
                  PROBLEM("Bad Request", 400, "the title is a string that is not empty"));
    assert_answer("POST", "/todos", "{\"title\":\"\"}", 400,
                  PROBLEM("Bad Request", 400, "the title is a string that is not empty"));
    assert_answer("POST", "/todos", "{\"title\":\"a\",\"done\":1}", 400,
                  PROBLEM("Bad Request", 400, "done is true or false"));
    assert_answer("POST", "/todos", "{\"title\":\"a\",\"dnoe\":true}", 400,
                  PROBLEM("Bad Request", 400, "a to-do has no 'dnoe'"));
    assert_int_equal(ask("POST", "/todos", "{")->status, 400);
    assert_int_equal(ask("POST", "/todos", NULL)->status, 400);
    assert_answer("PUT", "/todos/1", "{\"done\":true}", 400,
                  PROBLEM("Bad Request", 400, "the title is missing"));
    assert_int_equal(ask("PATCH", "/todos/7", "{}")->status, 404);
    const hoop_response *res = ask("DELETE", "/todos", NULL);
    assert_int_equal(res->status, 405);
    assert_str(hoop_response_header(res, "allow"), "GET, HEAD, POST, OPTIONS");
    assert_str(hoop_response_header(res, "content-type"), "application/problem+json");
    res = ask("OPTIONS", "/todos/1", NULL);
    assert_int_equal(res->status, 204);
    assert_str(hoop_response_header(res, "allow"), "GET, HEAD, PUT, PATCH, DELETE, OPTIONS");
    assert_answer("GET", "/todos", NULL, 200, "[{\"id\":1,\"title\":\"a\",\"done\":false}]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_life_of_a_todo, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_wrong, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
