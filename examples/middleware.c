/* A middleware of one's own: written once, it serves handlers that answer at once and later. */
#include "port.h"
#include <hoop.h>

/* The way out: makes another response of the inner one. */
static const hoop_response *stamp(const hoop_request *req, const hoop_response *res,
                                  const void *value)
{
    return hoop_with_header(req, res, "X-Served-By", value);
}

/* The way in: asks the next handler. hoop_then() calls stamp() when its response is there. */
static const hoop_response *wrap_stamp(const hoop_request *req, hoop_handler next,
                                       const void *value)
{
    return hoop_then(req, hoop_call(next, req), stamp, value);
}

/* A middleware may also answer by itself, without the next handler. */
static const hoop_response *wrap_key(const hoop_request *req, hoop_handler next, const void *value)
{
    if (hoop_str_eq_secret(hoop_header(req, "x-key"), hoop_str_c(value)))
        return hoop_call(next, req);
    return hoop_problem(req, 403, "the header X-Key is missing or wrong");
}

static const hoop_response *now(const hoop_request *req, void *data)
{
    return hoop_text(req, 200, "now\n");
}

static void answer(void *deferred)
{
    hoop_resolve(deferred, hoop_text(hoop_deferred_request(deferred), 200, "later\n"));
}

static const hoop_response *later(const hoop_request *req, void *data)
{
    hoop_deferred *deferred = hoop_defer(req);
    if (hoop_run_after(req, 100, answer, deferred))
        hoop_deferred_drop(deferred);
    return hoop_deferred_response(deferred);
}

static const hoop_route routes[] = {
    HOOP_GET("/now", now),
    HOOP_GET("/later", later),
};

/* The first entry meets a request first, and its response last. */
static const hoop_middleware chain[] = {
    HOOP_WRAP("stamp", wrap_stamp, "hoop"),
    HOOP_WRAP("key", wrap_key, "sesame"),
};

int main(int argc, char **argv)
{
    uint32_t port = example_port(argc, argv);
    hoop_error error;
    hoop_handler handler;
    hoop_arena *app = hoop_arena_new();
    if (hoop_router_new(app, routes, HOOP_COUNT(routes), &handler, &error) ||
        hoop_chain_new(app, chain, HOOP_COUNT(chain), handler, &handler, &error)) {
        fprintf(stderr, "middleware: %s\n", error.text);
        return 1;
    }
    int status = hoop_serve(handler, &(hoop_server_options){ .port = port });
    hoop_arena_free(app);
    return status;
}
