/* The same handlers behind Apache: a server that speaks AJP/1.3, for examples/ajp.conf. */
#include <hoop.h>

#include "port.h"

/* What a request tells is its client's, not the proxy's, though the connection is from there. */
static const hoop_response *who(const hoop_request *req, void *data)
{
    hoop_str user = hoop_ajp_get(req, HOOP_AJP_REMOTE_USER);
    return hoop_textf(req, 200, "%s from %s, user %s\n", hoop_request_url(req).data,
                      hoop_remote_addr(req).data, hoop_str_is_none(user) ? "unknown" : user.data);
}

/* A plain handler finds its body here, whether its length came first or chunk by chunk. */
static const hoop_response *echo(const hoop_request *req, void *data)
{
    return hoop_bytes(req, 200, "application/octet-stream", hoop_body(req));
}

static const hoop_route routes[] = {
    HOOP_GET("/", who),
    HOOP_POST("/echo", echo),
};

int main(int argc, char **argv)
{
    const hoop_listener listeners[] = {
        {
            .port = argc < 2 ? 8009 : example_port(argc, argv),
            .protocol = HOOP_AJP,
            .ajp_secret = "change-me", /* as examples/ajp.conf has it */
            .ajp_trust_user = 1,       /* Apache has asked for the password */
        },
    };
    static const hoop_limits limits = { .max_body = 16 * 1024 * 1024 };
    hoop_arena *app = hoop_arena_new();
    hoop_handler handler;
    hoop_error error;
    if (hoop_router_new(app, routes, HOOP_COUNT(routes), &handler, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    int status = hoop_serve(
        handler, &(hoop_server_options){ HOOP_LISTENERS(listeners), HOOP_LIMITS(&limits) });
    hoop_arena_free(app);
    return status;
}
