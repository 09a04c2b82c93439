/* What the tests of the router share: handlers that tell what they got, and questions in one line. */
#ifndef TEST_ROUTER_TOOLS_H
#define TEST_ROUTER_TOOLS_H

#include "support.h"

#include <stdio.h>

static hoop_arena *app;   /* of what is built */
static hoop_arena *arena; /* of requests */

static inline int set_up(void **state)
{
    (void)state;
    app = hoop_arena_new();
    arena = hoop_arena_new();
    return !app || !arena;
}

static inline int tear_down(void **state)
{
    (void)state;
    hoop_arena_free(arena);
    hoop_arena_free(app);
    return 0;
}

#define ROUTER_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

/* Answers its data, and the parameters that have one of the names that the tests use. */
static inline const hoop_response *show(const hoop_request *req, void *data)
{
    static const char *const names[] = { "id",   "name", "age", "ext", "a", "b",      "c", "x", "y",
                                         "rest", "*",    "org", "o",   "p", "tenant", "f", "n" };
    char text[2048];
    size_t len = (size_t)snprintf(text, sizeof text, "%s", data ? (const char *)data : "ok");
    for (size_t i = 0; i < HOOP_COUNT(names); i++) {
        hoop_str value = hoop_param_in(req, HOOP_IN_PATH, names[i]);
        if (!hoop_str_is_none(value) && len < sizeof text)
            len += (size_t)snprintf(text + len, sizeof text - len, " %s=%s", names[i], value.data);
    }
    return hoop_text(req, 200, text);
}

static inline const hoop_response *pass(const hoop_request *req, void *data)
{
    (void)data;
    return hoop_pass(req);
}

static inline hoop_handler build_with(const hoop_route *table, size_t count,
                                      const hoop_router_options *options)
{
    hoop_handler handler = hoop_fn(NULL, NULL);
    hoop_error error = { 0, "" };
    int rc = hoop_router_new_with(app, table, count, &handler, &error, options);
    if (rc)
        fail_msg("not built: %s", error.text);
    return handler;
}

#define BUILD(table) build_with((table), HOOP_COUNT(table), NULL)
#define BUILD_WITH(table, ...) \
    build_with((table), HOOP_COUNT(table), &(hoop_router_options){ __VA_ARGS__ })

/* The text of the error with which a table is refused. */
static inline const char *refused_with(const hoop_route *table, size_t count,
                                       const hoop_router_options *options)
{
    static hoop_error error;
    hoop_handler handler = hoop_fn(NULL, NULL);
    memset(&error, 0, sizeof error);
    int rc = hoop_router_new_with(app, table, count, &handler, &error, options);
    if (!rc)
        fail_msg("built, but should have been refused");
    assert_int_equal(rc, error.code);
    assert_null(handler.fn);
    return error.text;
}

#define REFUSED(table) refused_with((table), HOOP_COUNT(table), NULL)

static inline const hoop_response *ask(hoop_handler handler, const char *method, const char *uri)
{
    const hoop_request *req = hoop_mock(arena, method, uri, NULL);
    assert_non_null(req);
    const hoop_response *res = hoop_call_sync(handler, req);
    if (!res)
        fail_msg("%s %s failed: %s", method, uri, hoop_mock_failure(req)->text);
    return res;
}

/* "200 text", "404" for a pass, "301 Location", "405 Allow". */
static inline const char *told(const hoop_response *res)
{
    static char text[4096];
    if (hoop_is_pass(res))
        return "404";
    hoop_str location = hoop_response_header(res, "location");
    hoop_str allow = hoop_response_header(res, "allow");
    hoop_str shown = !hoop_str_is_none(location) ? location
                     : !hoop_str_is_none(allow)  ? allow
                                                 : res->body;
    snprintf(text, sizeof text, "%d%s%s", (int)res->status, shown.len ? " " : "", shown.data);
    return text;
}

#define assert_told(handler, method, uri, text) \
    assert_string_equal(told(ask((handler), (method), (uri))), (text))
#define assert_get(handler, uri, text) assert_told((handler), "GET", (uri), (text))

#endif
