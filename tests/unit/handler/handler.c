/* Calling handlers, checking them, and handlers that could not be made. */
#include "fake.h"

#include "handler/node.h"

#define TEXT "Content-Type: text/plain; charset=utf-8\n\n"

static hoop_arena *arena;
static const hoop_request *req;

static int setup(void **state)
{
    arena = hoop_arena_new();
    req = hoop_app_request(arena);
    return 0;
}

static int teardown(void **state)
{
    hoop_arena_free(arena);
    return 0;
}

static const hoop_response *say(const hoop_request *r, void *data)
{
    return hoop_text(r, 200, data);
}

static void test_a_plain_function_is_called_with_its_data(void **state)
{
    hoop_handler handler = hoop_fn(say, "hello");
    assert_response(hoop_call(handler, req), "200\n" TEXT "hello");
    assert_int_equal(hoop_check(handler, NULL), 0);
    assert_null(hoop__node_of(handler));
    assert_null(hoop_call(handler, NULL));
}

static void test_a_node_is_a_handler_like_any(void **state)
{
    hoop_handler node = hoop_streaming(arena, hoop_fn(say, "node"));
    assert_response(node.fn(req, node.data), "200\n" TEXT "node");
    assert_null(node.fn(NULL, node.data));
    assert_response(hoop__root_fn(req, &node), "200\n" TEXT "node");
    assert_null(hoop__broken(NULL, HOOP_EINVAL, "no arena").fn);
}

static void test_an_empty_handler_is_refused(void **state)
{
    hoop_error error;
    hoop_handler empty = hoop_fn(NULL, NULL);
    assert_null(hoop_call(empty, req));
    assert_noted(req, HOOP_EINVAL, "the handler is empty");
    assert_int_equal(hoop_check(empty, &error), HOOP_EINVAL);
    assert_string_equal(error.text, "the handler is empty (no function, or out of memory)");
    assert_int_equal(hoop_check(empty, NULL), HOOP_EINVAL);
}

static void test_a_broken_handler_says_why(void **state)
{
    hoop_error error;
    hoop_handler broken = hoop__broken(arena, HOOP_EUNSUPPORTED, "made of glass");
    assert_null(hoop_call(broken, req));
    assert_noted(req, HOOP_EUNSUPPORTED, "made of glass");
    assert_int_equal(hoop_check(broken, &error), HOOP_EUNSUPPORTED);
    assert_string_equal(error.text, "the handler: made of glass");
    assert_str(hoop_chain_print(arena, broken), "broken: made of glass\n");
}

static const hoop_response *recover(const hoop_request *r, void *data)
{
    hoop_respond(r, 99);
    return hoop_text(r, 200, "recovered");
}

static void test_a_note_that_led_to_no_failure_is_taken_away(void **state)
{
    assert_response(hoop_call(hoop_fn(recover, NULL), req), "200\n" TEXT "recovered");
    assert_null(hoop_failure(req));
    assert_null(hoop_call(hoop_fn(NULL, NULL), req));
    assert_noted(req, HOOP_EINVAL, "the handler is empty");
}

static const hoop_response *use_up(const hoop_request *r, void *data)
{
    while (hoop_alloc(r, 64))
        ;
    hoop__request_of(r)->exchange->note = NULL;
    return NULL;
}

static const hoop_response *use_up_and_call(const hoop_request *r, void *data)
{
    use_up(r, NULL);
    return hoop_call(hoop_fn(say, "x"), r);
}

static void test_without_memory_to_read_the_body_it_is_503(void **state)
{
    struct fake f;
    fake_init(&f);
    f.limits.max_arena = 8192;
    struct fake_exchange *fx = fake_make(&f, "POST", "/");
    fake_body(fx, 3);
    f.service.root = hoop_fn(use_up_and_call, NULL);
    hoop__exchange_dispatch(&fx->x);
    assert_int_equal(fx->x.status, 503);
    assert_string_equal(f.log, "1 POST /: 503: out of memory\n");
    fake_end(fx, 0);
    fake_done(&f);
}

static void test_printing(void **state)
{
    assert_str(hoop_chain_print(arena, hoop_fn(say, NULL)), "handler\n");
    assert_str(hoop_chain_print(arena, hoop_fn(NULL, NULL)), "empty handler\n");
    assert_true(hoop_str_is_none(hoop_chain_print(NULL, hoop_fn(say, NULL))));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_a_plain_function_is_called_with_its_data),
        TEST(test_a_node_is_a_handler_like_any),
        TEST(test_an_empty_handler_is_refused),
        TEST(test_a_broken_handler_says_why),
        TEST(test_a_note_that_led_to_no_failure_is_taken_away),
        TEST(test_without_memory_to_read_the_body_it_is_503),
        TEST(test_printing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
