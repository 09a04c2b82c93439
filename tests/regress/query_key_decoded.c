/* Keys of a query were compared as they were sent, so that an encoded one was never found. */
#include "regress.h"

static void test(void **state)
{
    hoop_arena *arena = hoop_arena_new();
    const hoop_request *plain = hoop_mock(arena, "GET", "/?page[size]=3", NULL);
    const hoop_request *encoded = hoop_mock(arena, "GET", "/?page%5Bsize%5D=3", NULL);
    const hoop_request *requests[] = { plain, encoded };
    for (size_t i = 0; i < HOOP_COUNT(requests); i++) {
        int64_t number = 0;
        const hoop_response *bad = NULL;
        assert_non_null(requests[i]);
        assert_str(hoop_param(requests[i], "page[size]"), "3");
        assert_str(hoop_param_in(requests[i], HOOP_IN_QUERY, "page[size]"), "3");
        assert_int_equal(hoop_param_count(requests[i], HOOP_IN_QUERY, "page[size]"), 1);
        assert_str(hoop_param_at(requests[i], HOOP_IN_QUERY, "page[size]", 0), "3");
        hoop_param_int64(requests[i], HOOP_IN_QUERY, "page[size]", &number, &bad);
        assert_int_equal(number, 3);
        assert_null(bad);
    }
    hoop_arena_free(arena);
}

REGRESS(test)
