/* Middleware "json_params": ring.md's cases 2.16 of requests, members as parameters, limits, memory. */
#include "middleware.h"

#include <hoop/json.h>

#include <stdio.h>

#define JSON "Content-Type: application/json"
#define PROBLEM(status, title, detail)                                        \
#status "\nContent-Type: application/problem+json\n\n{\"title\":\"" title \
            "\",\"status\":" #status ",\"detail\":\"" detail "\"}"

static const hoop_middleware chain[] = { HOOP_PARAMS(NULL), HOOP_JSON_PARAMS(NULL),
                                         HOOP_JSON_PARAMS(NULL) };

/* Tells the parameters of query and body, and the value. */
static const hoop_response *show(const hoop_request *req, void *data)
{
    (void)data;
    size_t count;
    char text[1024] = "";
    const hoop_field *items = hoop_params(req, HOOP_IN_ANY, &count);
    for (size_t i = 0; i < count; i++) {
        size_t len = strlen(text);
        snprintf(text + len, sizeof text - len, "%s=%s ", items[i].name.data, items[i].value.data);
    }
    json_t *value = hoop_has_body(req) ? hoop_request_json(req, NULL) : NULL;
    hoop_str json = hoop_str_c("none");
    if (value && hoop_json_dump(req->arena, value, JSON_COMPACT | JSON_ENCODE_ANY, &json, NULL))
        return hoop_fail(req, HOOP_ENOMEM, "out of memory");
    size_t len = strlen(text);
    snprintf(text + len, sizeof text - len, "%s", json.data);
    return hoop_bytes(req, 200, NULL, hoop_str_c(text));
}

static void test_cases(void **state)
{
    (void)state;
    static const char *const cases[][4] = {
        { JSON, "/", "{\"a\":\"b\"}", "a=b {\"a\":\"b\"}" },
        { "Content-Type: application/vnd.foobar+json; charset=utf-8", "/", "{\"a\":1}",
          "a=1 {\"a\":1}" },
        { "Content-Type: Application/JSON-Patch+JSON", "/", "[1,2]", "[1,2]" },
        { JSON, "/?id=3", "{\"a\":\"b\",\"id\":4}", "id=3 a=b id=4 {\"a\":\"b\",\"id\":4}" },
        { JSON, "/?id=3", "[{\"a\":1}]", "id=3 [{\"a\":1}]" },
        { JSON, "/", "false", "false" },
        { JSON, "/", "null", "null" },
        { JSON, "/", "{\"a\":true,\"b\":false,\"c\":null,\"d\":1.5,\"e\":9007199254740993}",
          "a=true b=false d=1.5 e=9007199254740993 "
          "{\"a\":true,\"b\":false,\"c\":null,\"d\":1.5,\"e\":9007199254740993}" },
        { JSON, "/", "{\"a\":[1,\"x\",[2],null,{\"b\":3}],\"c\":{\"d\":4},\"e\":[]}",
          "a=1 a=x {\"a\":[1,\"x\",[2],null,{\"b\":3}],\"c\":{\"d\":4},\"e\":[]}" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char want[512];
        snprintf(want, sizeof want, "200\n\n%s", cases[i][3]);
        const struct middleware_case one[] = { { .method = "POST",
                                                 .headers = cases[i][0],
                                                 .uri = cases[i][1],
                                                 .body = cases[i][2],
                                                 .inner = show,
                                                 .want = want } };
        test_middleware(chain, HOOP_COUNT(chain), one, 1);
    }
}

/* Says whether the body is there and how many parameters it gave. */
static const hoop_response *bare(const hoop_request *req, void *data)
{
    (void)data;
    size_t count;
    hoop_params(req, HOOP_IN_FORM, &count);
    return hoop_textf(req, 200, "%zu %zu", hoop_body(req).len, count);
}

static void test_what_is_left_alone(void **state)
{
    (void)state;
    static const char *const types[] = {
        "Content-Type: application/xml",   "Content-Type: application/json5",
        "Content-Type: application/jsonz", "Content-Type: text/plain; x=application/json",
        "Content-Type: application/+json", "X: y"
    };
    for (size_t i = 0; i < HOOP_COUNT(types); i++) {
        const struct middleware_case one[] = {
            { .method = "POST",
              .headers = types[i],
              .body = "{\"a\":1}",
              .inner = bare,
              .want = "200\nContent-Type: text/plain; charset=utf-8\n\n7 0" }
        };
        test_middleware(chain, HOOP_COUNT(chain), one, 1);
    }
    static const struct middleware_case cases[] = {
        { .method = "POST",
          .headers = JSON,
          .body = "",
          .inner = bare,
          .want = "200\nContent-Type: text/plain; charset=utf-8\n\n0 0" },
        { .method = "GET",
          .headers = JSON,
          .inner = bare,
          .want = "200\nContent-Type: text/plain; charset=utf-8\n\n0 0" },
    };
    test_middleware(chain, HOOP_COUNT(chain), cases, HOOP_COUNT(cases));
}

static const hoop_json_params_options tight = { .max_body = 20, .max_depth = 2 };
static const hoop_middleware tight_entry = HOOP_JSON_PARAMS(&tight);

/* Only the status counts where the parser has words of its own. */
static int status_of(const char *body)
{
    const struct middleware_case one = { .method = "POST", .headers = JSON, .body = body };
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *res = middleware_answer(arena, &tight_entry, 1, &one);
    int status = res->status;
    hoop_arena_free(arena);
    return status;
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "{", "nonsense", "{\"a\":1}x", "[1,]", "{\"a\":1,\"a\":2}", "NaN", "\"\\ud800\"", "[[[1]]]"
    };
    for (size_t i = 0; i < HOOP_COUNT(bad); i++)
        assert_int_equal(status_of(bad[i]), 400);
    assert_int_equal(status_of("[[1]]"), 200);
    assert_int_equal(status_of("{\"a\":{\"b\":\"cccc\"}}"), 200);
    static const struct middleware_case cases[] = {
        { .method = "POST",
          .headers = JSON,
          .body = "[{\"a\":[1]}]",
          .want = PROBLEM(400, "Bad Request", "the JSON has more than 2 levels") },
        { .method = "POST",
          .headers = JSON,
          .body = "[1,2,3,4,5,6,7,8,9,10]",
          .want = PROBLEM(413, "Content Too Large", "the body is over the limit of 20 bytes") },
        { .method = "POST",
          .headers = JSON "; charset=GBK",
          .body = "{}",
          .want = PROBLEM(415, "Unsupported Media Type", "JSON must be in UTF-8") },
    };
    check_middleware(tight_entry, cases);
}

static const hoop_response *look_up(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_textf(req, 200, "%s %s %zu %s", hoop_param(req, "id").data,
                      hoop_param_in(req, HOOP_IN_FORM, "id").data,
                      hoop_param_count(req, HOOP_IN_FORM, "tag"), hoop_param(req, "tag").data);
}

/* Without "params", too. */
static void test_look_ups(void **state)
{
    (void)state;
    static const hoop_middleware alone = HOOP_JSON_PARAMS(NULL);
    static const struct middleware_case cases[] = {
        { .method = "POST",
          .uri = "/?id=3",
          .headers = JSON,
          .body = "{\"id\":4,\"tag\":[\"x\",\"y\"]}",
          .inner = look_up,
          .want = "200\nContent-Type: text/plain; charset=utf-8\n\n3 4 2 y" },
    };
    check_middleware(alone, cases);
    test_middleware(chain, HOOP_COUNT(chain), cases, HOOP_COUNT(cases));
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_ptr_equal(hoop_json_params_request(req, &answer, NULL), req);
    assert_null(hoop_json_params_request(NULL, &answer, NULL));
    assert_null(answer);
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .method = "POST",
          .uri = "/?z=1",
          .headers = JSON,
          .body = "{\"a\":[1,true],\"b\":\"c\"}",
          .inner = show,
          .want = "200\n\nz=1 a=1 a=true b=c {\"a\":[1,true],\"b\":\"c\"}" },
    };
    test_middleware_memory(chain, HOOP_COUNT(chain), &cases[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),           cmocka_unit_test(test_what_is_left_alone),
        cmocka_unit_test(test_what_is_refused), cmocka_unit_test(test_look_ups),
        cmocka_unit_test(test_as_a_function),   cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
