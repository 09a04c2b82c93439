/* Routes were looked up in the encoded path, and their parameters came encoded. */
#include "regress.h"

static const hoop_response *show(const hoop_request *req, void *data)
{
    return hoop_textf(req, 200, "%s %s", hoop_param(req, "name").data, hoop_param(req, "age").data);
}

static void test(void **state)
{
    static const hoop_route table[] = { HOOP_GET("/f/{name}/age/{age}", show) };
    static const struct {
        const char *uri;
        int status;
        const char *body;
    } cases[] = {
        { "/f/a%2Fb/age/1", 200, "a/b 1" },
        { "/f%2Fx/age/1", 404, NULL },
        { "/%66/x/age/%31", 200, "x 1" },
        { "/f/%00/age/1", 400, NULL },
    };
    hoop_arena *arena = hoop_arena_new();
    hoop_handler handler;
    hoop_error error;
    assert_int_equal(hoop_router_new(arena, table, HOOP_COUNT(table), &handler, &error), 0);
    for (size_t i = 0; i < HOOP_COUNT(cases); i++) {
        const hoop_request *req = hoop_mock(arena, "GET", cases[i].uri, NULL);
        const hoop_response *res = hoop_call_sync(handler, req);
        if (cases[i].status == 404 && hoop_is_pass(res))
            continue;
        assert_int_equal(res->status, cases[i].status);
        if (cases[i].body)
            assert_str(res->body, cases[i].body);
    }
    hoop_arena_free(arena);
}

REGRESS(test)
