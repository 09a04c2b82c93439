/* Middleware "method_override": header and form, what is allowed, its need of params, memory. */
#include "middleware.h"

#define FORM   "Content-Type: application/x-www-form-urlencoded"
#define HEADER "X-HTTP-Method-Override: "
#define REFUSED                                                                  \
    "400\nContent-Type: application/problem+json\n\n{\"title\":\"Bad Request\"," \
    "\"status\":400,\"detail\":\"the method asked for in place of POST is not allowed\"}"

static const hoop_middleware chain[] = { HOOP_PARAMS(NULL), HOOP_METHOD_OVERRIDE(NULL),
                                         HOOP_METHOD_OVERRIDE(NULL) };

static const hoop_response *method(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_bytes(req, 200, NULL, req->method);
}

static void test_cases(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .method = "POST", .headers = FORM, .body = "_method=put&a=1", .want = "200\n\nPUT" },
        { .method = "POST", .headers = FORM, .body = "_method=DELETE", .want = "200\n\nDELETE" },
        { .method = "POST", .headers = FORM, .body = "_method=", .want = "200\n\nPOST" },
        { .method = "POST", .headers = FORM, .body = "_method=POST", .want = "200\n\nPOST" },
        { .method = "POST", .headers = FORM, .body = "a=1", .want = "200\n\nPOST" },
        { .method = "POST", .headers = HEADER "Patch", .want = "200\n\nPATCH" },
        { .method = "POST",
          .headers = HEADER "PATCH\n" FORM,
          .body = "_method=put",
          .want = "200\n\nPATCH" },
        { .method = "POST", .headers = FORM, .body = "_method=CONNECT", .want = REFUSED },
        { .method = "POST", .headers = FORM, .body = "_method=GET", .want = REFUSED },
        { .method = "POST", .headers = HEADER "a b", .want = REFUSED },
        { .method = "POST", .headers = HEADER "PUT, DELETE", .want = REFUSED },
        { .method = "GET", .headers = HEADER "PUT", .want = "200\n\nGET" },
        { .method = "GET", .uri = "/?_method=PUT", .want = "200\n\nGET" },
        { .method = "POST", .uri = "/?_method=PUT", .want = "200\n\nPOST" },
        { .method = "PUT", .headers = HEADER "DELETE", .want = "200\n\nPUT" },
    };
    struct middleware_case shown[HOOP_COUNT(cases)];
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        shown[i] = cases[i];
        shown[i].inner = method;
    }
    test_middleware(chain, HOOP_COUNT(chain), shown, HOOP_COUNT(shown));
}

static const hoop_method_override_options own = { .methods = "LINK,UNLINK",
                                                  .field = "verb",
                                                  .header = "" };
static const hoop_middleware own_chain[] = { HOOP_PARAMS(NULL), HOOP_METHOD_OVERRIDE(&own) };

static void test_options(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .method = "POST",
          .headers = FORM,
          .body = "verb=unlink",
          .inner = method,
          .want = "200\n\nUNLINK" },
        { .method = "POST", .headers = FORM, .body = "verb=PUT", .want = REFUSED },
        { .method = "POST", .headers = HEADER "PUT", .inner = method, .want = "200\n\nPOST" },
    };
    test_middleware(own_chain, HOOP_COUNT(own_chain), cases, HOOP_COUNT(cases));
}

static void test_what_is_refused(void **state)
{
    (void)state;
    static const hoop_method_override_options bad = { .methods = "PUT, A B" };
    static const hoop_middleware wrong[] = { HOOP_METHOD_OVERRIDE(&bad) };
    test_middleware_refused(wrong, 1, HOOP_EINVAL,
                            "method_override: 'PUT, A B' is no list of methods");
    static const hoop_middleware order[] = { HOOP_METHOD_OVERRIDE(NULL), HOOP_PARAMS(NULL) };
    test_middleware_refused(order, 2, HOOP_ECONFLICT,
                            "middleware 'method_override' needs 'params', which 'params' provides "
                            "only further in: mount 'params' in front of 'method_override'");
}

static void test_it_needs_params(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler = hoop_fn(method, NULL);
    hoop_error error;
    assert_int_equal(hoop_chain_new(arena, chain + 1, 1, handler, &handler, &error), 0);
    assert_int_equal(hoop_check(handler, &error), HOOP_EMISSING);
    assert_string_equal(error.text, "middleware 'method_override' needs 'params', which nothing "
                                    "further out provides");
    hoop_arena_free(arena);
}

static void test_as_a_function(void **state)
{
    (void)state;
    hoop_arena *arena = hoop_arena_new();
    const hoop_response *answer = NULL;
    const hoop_request *req = hoop_mock(arena, "POST", "/", NULL);
    assert_ptr_equal(hoop_method_override_request(req, &answer, NULL), req);
    const hoop_request *put = hoop_mock_header(req, "x-http-method-override", "put");
    put = hoop_method_override_request(put, &answer, NULL);
    assert_str(put->method, "PUT");
    assert_int_equal(put->method_number, HOOP_METHOD_PUT);
    assert_null(answer);
    const hoop_request *bad = hoop_mock_header(req, "x-http-method-override", "TRACE");
    assert_null(hoop_method_override_request(bad, &answer, NULL));
    assert_int_equal(answer->status, 400);
    assert_null(hoop_method_override_request(NULL, &answer, NULL));
    hoop_arena_free(arena);
}

/* A field of a form with files counts as well. */
static void test_in_a_form_with_files(void **state)
{
    (void)state;
    static const hoop_middleware with_files[] = { HOOP_PARAMS(NULL), HOOP_MULTIPART_PARAMS(NULL),
                                                  HOOP_METHOD_OVERRIDE(NULL) };
    static const struct middleware_case cases[] = {
        { .method = "POST",
          .headers = "Content-Type: multipart/form-data; boundary=x",
          .body = "--x\r\nContent-Disposition: form-data; name=_method\r\n\r\ndelete\r\n--x--",
          .inner = method,
          .want = "200\n\nDELETE" },
    };
    test_middleware(with_files, HOOP_COUNT(with_files), cases, HOOP_COUNT(cases));
}

static void test_each_allocation_may_fail(void **state)
{
    (void)state;
    static const struct middleware_case cases[] = {
        { .method = "POST",
          .headers = FORM,
          .body = "_method=put",
          .inner = method,
          .want = "200\n\nPUT" },
        { .method = "POST", .headers = HEADER "x", .want = REFUSED },
    };
    for (size_t i = 0; i < HOOP_COUNT(cases); i++)
        test_middleware_memory(chain, HOOP_COUNT(chain), &cases[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_it_needs_params),
        cmocka_unit_test(test_as_a_function),
        cmocka_unit_test(test_in_a_form_with_files),
        cmocka_unit_test(test_each_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
