/* A deferred response: the handler returns at once, and a timer answers later. */
#include "port.h"
#include <hoop.h>

static const hoop_response *now(const hoop_request *req, void *data)
{
    return hoop_text(req, 200, "now\n");
}

/* Gives the response that was promised; it is made with the deferred's own request. */
static void answer(void *deferred)
{
    hoop_resolve(deferred, hoop_text(hoop_deferred_request(deferred), 200, "later\n"));
}

/* Promises a response. Meanwhile the loop serves others. */
static const hoop_response *later(const hoop_request *req, void *data)
{
    hoop_deferred *deferred = hoop_defer(req);
    if (hoop_run_after(req, 500, answer, deferred))
        hoop_deferred_drop(deferred);
    return hoop_deferred_response(deferred);
}

static const hoop_route routes[] = {
    HOOP_GET("/now", now),
    HOOP_GET("/later", later),
};

int main(int argc, char **argv)
{
    uint32_t port = example_port(argc, argv);
    hoop_error error;
    hoop_handler handler;
    hoop_arena *app = hoop_arena_new();
    if (hoop_router_new(app, routes, HOOP_COUNT(routes), &handler, &error)) {
        fprintf(stderr, "async: %s\n", error.text);
        return 1;
    }
    int status = hoop_serve(handler, &(hoop_server_options){ .port = port });
    hoop_arena_free(app);
    return status;
}
