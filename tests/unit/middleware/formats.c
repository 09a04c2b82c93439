/* Middleware "formats": ring.md's cases 2.18 of bodies, own formats, refusals, memory. */
#include "middleware.h"

#include <hoop/json.h>

#include <stdio.h>

/* --- a format of its own: an object's names, one a line ---------------------------------------- */

static int encode_names(const hoop_request *req, const json_t *value, hoop_str *ret_bytes)
{
    char text[256] = "";
    const char *name;
    json_t *member;
    json_object_foreach((json_t *)(uintptr_t)value, name, member)
    {
        strcat(text, name);
        strcat(text, "\n");
    }
    *ret_bytes = hoop_arena_copy(req->arena, hoop_str_c(text));
    if (!hoop_str_is_none(*ret_bytes))
        return 0;
    hoop_fail(req, HOOP_ENOMEM, "out of memory");
    return HOOP_ENOMEM;
}

static int decode_names(const hoop_request *req, hoop_str body, json_t **ret_value,
                        const hoop_response **ret_answer)
{
    if (hoop_str_eq_c(body, "bad")) {
        *ret_answer = hoop_problem(req, 400, "bad names");
        return HOOP_EPARSE;
    }
    if (hoop_str_eq_c(body, "worse")) {
        hoop_fail(req, HOOP_EINVAL, "worse");
        return HOOP_EINVAL;
    }
    *ret_value = json_stringn(body.data, body.len);
    return 0;
}

static const hoop_format names = { "text/x-names, text/*, +names", decode_names, encode_names };
static const hoop_format *const all[] = { &hoop_format_json, &names, &hoop_format_form, NULL };
static const hoop_formats_options options = { .formats = all, .max_body = 40 };
static const hoop_formats_options strict = { .strict = 1 };

static const hoop_middleware entry = HOOP_FORMATS(&options);
static const hoop_middleware strict_entry = HOOP_FORMATS(&strict);

#define PROBLEM(status, headers, title, detail)                                          \
#status "\nContent-Type: application/problem+json\n" headers "\n{\"title\":\"" title \
            "\",\"status\":" #status ",\"detail\":\"" detail "\"}"

/* --- responses --------------------------------------------------------------------------------- */

static const hoop_response *object(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_value(req, 200, json_pack("{s:i,s:i}", "a", 1, "b", 2));
}

static const hoop_response *forced(const hoop_request *req, void *data)
{
    return hoop_with_header(req, object(req, data), "content-type", "text/X-names; x=y");
}

static const hoop_response *impossible(const hoop_request *req, void *data)
{
    return hoop_with_header(req, object(req, data), "content-type", "image/png");
}

#define AS_JSON  "200\nContent-Type: application/json\nVary: Accept\n\n{\"a\":1,\"b\":2}"
#define AS_NAMES "200\nContent-Type: text/x-names\nVary: Accept\n\na\nb\n"
#define NONE \
    PROBLEM(406, "Vary: Accept\n", "Not Acceptable", "no format that is accepted is written here")

static void test_responses(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .inner = object, .want = AS_JSON },
        { .headers = "Accept: */*", .inner = object, .want = AS_JSON },
        { .headers = "Accept: text/x-names", .inner = object, .want = AS_NAMES },
        { .headers = "Accept: text/*", .inner = object, .want = AS_NAMES },
        { .headers = "Accept: application/json;q=0.5, text/x-names",
          .inner = object,
          .want = AS_NAMES },
        { .headers = "Accept: application/json;q=0, */*", .inner = object, .want = AS_NAMES },
        { .headers = "Accept: text/x-names;q=0.1\nAccept: application/json;q=0.2",
          .inner = object,
          .want = AS_JSON },
        { .headers = "Accept: image/png", .inner = object, .want = NONE },
        { .headers = "Accept: application/x-www-form-urlencoded", .inner = object, .want = NONE },
        { .headers = "Accept: application/json",
          .inner = forced,
          .want = "200\ncontent-type: text/X-names; x=y\n\na\nb\n" },
        { .headers = "Accept: image/png", .answer = "200\n\ntext", .want = "200\n\ntext" },
        { .answer = "204", .want = "204\n(no body)" },
    };
    check_middleware(entry, cases);
}

static void test_a_type_that_none_writes(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_null(hoop_formats_response(req, impossible(req, NULL), &options));
    assert_string_equal(hoop_failure(req)->text, "formats: none writes 'image/png'");
    hoop_arena_free(arena);
}

/* --- requests ---------------------------------------------------------------------------------- */

static const hoop_response *show(const hoop_request *req, void *data)
{
    (void)data;
    json_t *value = hoop_request_value(req);
    hoop_str text = hoop_str_c("none");
    if (value && hoop_json_dump(req->arena, value, JSON_COMPACT | JSON_ENCODE_ANY, &text, NULL))
        return hoop_fail(req, HOOP_ENOMEM, "out of memory");
    return hoop_bytes_static(req, 200, NULL, text);
}

#define TYPE "Content-Type: "

static void test_requests(void **state)
{
    (void)state;
    static const char *const cases[][3] = {
        { TYPE "application/json", "{\"a\":[1]}", "{\"a\":[1]}" },
        { TYPE "Application/JSON; charset=UTF-8", "false", "false" },
        { TYPE "application/vnd.x+json", "{}", "none" },
        { TYPE "application/jsonz", "{}", "none" },
        { TYPE "text/x-names", "hello", "\"hello\"" },
        { TYPE "application/x+names", "hello", "\"hello\"" },
        { TYPE "application/x-www-form-urlencoded", "a=1&b=%20&a=2&a=3",
          "{\"a\":[\"1\",\"2\",\"3\"],\"b\":\" \"}" },
        { TYPE "image/png", "x", "none" },
        { TYPE "nonsense", "x", "none" },
        { "X: y", "x", "none" },
        { TYPE "application/json", "", "none" },
        { TYPE "application/json", NULL, "none" },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        char want[128];
        snprintf(want, sizeof want, "200\n\n%s", cases[i][2]);
        const struct middleware_case one[] = { { .method = "POST",
                                                 .headers = cases[i][0],
                                                 .body = cases[i][1],
                                                 .inner = show,
                                                 .want = want } };
        check_middleware(entry, one);
    }
}

static void test_refused_requests(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .method = "POST",
          .headers = TYPE "text/x-names",
          .body = "bad",
          .want = PROBLEM(400, "", "Bad Request", "bad names") },
        { .method = "POST",
          .headers = TYPE "application/x-www-form-urlencoded",
          .body = "a=%",
          .want = PROBLEM(400, "", "Bad Request", "the form has a '%' that begins no escape") },
        { .method = "POST",
          .headers = TYPE "application/json; charset=latin1",
          .body = "{}",
          .want = PROBLEM(415, "", "Unsupported Media Type", "the body must be in UTF-8") },
        { .method = "POST",
          .headers = TYPE "application/json",
          .body = "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17]",
          .want = PROBLEM(413, "", "Content Too Large", "the body is over the limit of 40 bytes") },
    };
    check_middleware(entry, cases);
    static const struct middleware_case alone[] = {
        { .method = "POST",
          .headers = TYPE "text/x-names",
          .body = "a",
          .want = PROBLEM(415, "", "Unsupported Media Type", "no format reads this body") },
        { .method = "POST",
          .headers = TYPE "application/json",
          .body = "[1]",
          .inner = show,
          .want = "200\n\n[1]" },
        { .inner = show, .want = "200\n\nnone" },
    };
    check_middleware(strict_entry, alone);
}

/* Broken JSON is told with its place, by the parser. */
static void test_failures(void **state)
{
    (void)state;
    const struct middleware_case broken = { .method = "POST",
                                            .headers = TYPE "application/json",
                                            .body = "{" },
                                 worse = { .method = "POST",
                                           .headers = TYPE "text/x-names",
                                           .body = "worse" };
    hoop_arena *arena = hoop_arena_new();
    assert_int_equal(middleware_answer(arena, &entry, 1, &broken)->status, 400);
    assert_null(middleware_answer(arena, &entry, 1, &worse));
    hoop_arena_free(arena);
}

/* --- building ---------------------------------------------------------------------------------- */

static void test_what_is_refused(void **state)
{
    (void)state;
    static const hoop_format useless = { "a/b", NULL, NULL },
                             untyped = { NULL, NULL, encode_names },
                             suffix = { "+json", NULL, encode_names },
                             split = { "a/b; c=\"\r\nX: y\"", NULL, encode_names };
    static const hoop_format *const lists[][3] = { { &hoop_format_json, &useless, NULL },
                                                   { &untyped, NULL },
                                                   { &suffix, NULL },
                                                   { &split, NULL },
                                                   { &hoop_format_form, NULL } };
    static const char *const texts[] = {
        "formats: 'a/b' neither reads nor writes",
        "formats: the types of format 0, '', begin with no media type",
        "formats: the types of format 0, '+json', begin with no media type",
        "formats: the types of format 0, 'a/b; c=\"\r\nX: y\"', begin with no media type",
        "formats: none of them writes",
    };
    for (size_t i = 0; i < HOOP_COUNT(lists); i++) {
        const hoop_formats_options bad = { .formats = lists[i] };
        const hoop_middleware chain[] = { HOOP_FORMATS(&bad) };
        test_middleware_refused(chain, 1, HOOP_EINVAL, texts[i]);
    }
}

static void test_as_functions(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    const hoop_request *req = hoop_mock(arena, "GET", "/", NULL);
    assert_ptr_equal(hoop_formats_request(req, &answer, NULL), req);
    assert_str(hoop_formats_response(req, object(req, NULL), NULL)->body, "{\"a\":1,\"b\":2}");
    assert_null(hoop_formats_request(NULL, &answer, NULL));
    assert_null(hoop_formats_response(NULL, NULL, NULL));
    assert_null(hoop_request_value(NULL));
    hoop_arena_free(arena);
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .method = "POST",
          .headers = TYPE "application/x-www-form-urlencoded\nAccept: text/*",
          .body = "a=1&a=2",
          .inner = object,
          .want = AS_NAMES },
        { .headers = "Accept: image/png", .inner = object, .want = NONE },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++)
        test_middleware_memory(&entry, 1, &cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_responses),    cmocka_unit_test(test_a_type_that_none_writes),
        cmocka_unit_test(test_requests),     cmocka_unit_test(test_refused_requests),
        cmocka_unit_test(test_failures),     cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_as_functions), cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
