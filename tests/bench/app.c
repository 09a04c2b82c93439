/* The application that the benchmarks serve; see app.h. */
#include "app.h"

#include <hoop/json.h>

#define MESSAGE "Hello, World!"

static const hoop_response *give(const hoop_request *req, void *data)
{
    return data;
}

static const hoop_response *make_text(const hoop_request *req, void *data)
{
    return hoop_text(req, 200, MESSAGE);
}

static const hoop_response *make_json(const hoop_request *req, void *data)
{
    return hoop_json_pack(req, 200, "{s:s}", "message", MESSAGE);
}

/* The way that a handler takes whose JSON is not at hand as a json_t. */
static const hoop_response *write_json(const hoop_request *req, void *data)
{
    return hoop_json_object(req, 200, HOOP_JSON_STR("message", MESSAGE));
}

static const hoop_response *pass_through(const hoop_request *req, hoop_handler next,
                                         const void *value)
{
    return hoop_call(next, req);
}

static const hoop_middleware chain[] = {
    HOOP_WRAP("pass-through", pass_through, NULL),
};

int app_new(hoop_arena *arena, hoop_handler *ret_handler, hoop_error *error)
{
    const hoop_request *app = hoop_app_request(arena);
    const hoop_response *text = hoop_freeze(arena, hoop_text(app, 200, MESSAGE));
    if (!text)
        return hoop_error_set(error, HOOP_ENOMEM, "no frozen response: out of memory");
    void *frozen = (void *)(uintptr_t)text; /* a handler's data is not const */
    const hoop_route routes[] = {
        HOOP_GET("/", make_text, NULL),        HOOP_GET("/about", make_text, NULL),
        HOOP_GET("/health", make_text, NULL),  HOOP_GET("/users", make_text, NULL),
        HOOP_POST("/users", make_text, NULL),  HOOP_GET("/users/online", make_text, NULL),
        HOOP_GET("/plaintext", give, frozen),  HOOP_GET("/plaintext2", make_text, NULL),
        HOOP_GET("/json", make_json, NULL),    HOOP_GET("/json-writer", write_json, NULL),
        HOOP_POST("/upload", make_text, NULL),
    };
    hoop_handler handler;
    int rc = hoop_router_new(arena, routes, HOOP_COUNT(routes), &handler, error);
    if (rc)
        return rc;
    return hoop_chain_new(arena, chain, HOOP_COUNT(chain), handler, ret_handler, error);
}
