/* Failures: the note, and the status that answers for it. */
#include "fake.h"

#include "value/value.h"

static void test_the_first_note_stays(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_app_request(arena);
    assert_null(hoop_failure(req));
    assert_null(hoop_fail(req, HOOP_EMISSING, "no row %d", 7));
    assert_null(hoop_fail(req, HOOP_EINVAL, "second"));
    assert_null(hoop__fail_memory(req));
    assert_noted(req, HOOP_EMISSING, "no row 7");
    hoop_arena_free(arena);
}

static void test_derived_requests_share_the_note(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_app_request(arena);
    const hoop_request *derived = hoop_with_method(hoop_assoc(req, "k", "v"), "PUT");
    hoop_fail(derived, HOOP_EMISSING, "inside");
    assert_noted(req, HOOP_EMISSING, "inside");
    hoop_arena_free(arena);
}

static void test_a_long_text_is_cut(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *req = hoop_app_request(arena);
    hoop_fail(req, HOOP_EMISSING, "%1000s", "x");
    assert_int_equal(strlen(hoop_failure(req)->text), 251);
    hoop_arena_free(arena);
}

static void test_without_memory_the_note_says_so(void **state)
{
    hoop_arena_options options = { NULL, 1024, 0 };
    hoop_arena *arena = hoop_arena_new_with(&options);
    const hoop_request *req = hoop_app_request(arena);
    while (hoop_arena_alloc(arena, 1))
        ;
    hoop_fail(req, HOOP_EMISSING, "no row");
    assert_noted(req, HOOP_ENOMEM, "out of memory");
    hoop_arena_free(arena);
}

static void test_null(void **state)
{
    assert_null(hoop_fail(NULL, HOOP_EINVAL, "x"));
    assert_null(hoop_failure(NULL));
    assert_null(hoop__fail_memory(NULL));
}

static void test_statuses(void **state)
{
    assert_int_equal(hoop_failure_status(HOOP_ENOMEM), 503);
    assert_int_equal(hoop_failure_status(HOOP_EBUSY), 503);
    assert_int_equal(hoop_failure_status(HOOP_ETIMEDOUT), 503);
    assert_int_equal(hoop_failure_status(HOOP_ECANCELED), 503);
    assert_int_equal(hoop_failure_status(HOOP_ETOOBIG), 413);
    assert_int_equal(hoop_failure_status(HOOP_EDROPPED), 500);
    assert_int_equal(hoop_failure_status(HOOP_EINVAL), 500);
    assert_int_equal(hoop_failure_status(HOOP_ENORESPONSE), 500);
    assert_int_equal(hoop_failure_status(0), 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_first_note_stays),
        cmocka_unit_test(test_derived_requests_share_the_note),
        cmocka_unit_test(test_a_long_text_is_cut),
        cmocka_unit_test(test_without_memory_the_note_says_so),
        cmocka_unit_test(test_null),
        cmocka_unit_test(test_statuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
