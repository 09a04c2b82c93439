/*
 * The server that Apache is tried with: AJP with a secret, with whatever a handler may do to it.
 * Started by ajp.py as `ajp_server PORT [PACKET_SIZE]`, or with a path in place of the port.
 */
#include <hoop.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

static const hoop_response *show(const hoop_request *req, void *data)
{
    hoop_str user = hoop_ajp_get(req, HOOP_AJP_REMOTE_USER), cert = hoop_client_cert(req);
    const char *text = hoop_printf(
        req, "%s %s %s%s%s\n%s %s:%u from %s user=%s auth=%s tls=%s cert=%zu tenant=%s\n",
        req->method.data, req->protocol.data, req->uri.data,
        hoop_str_is_none(req->query_string) ? "" : "?", req->query_string.data, req->scheme.data,
        hoop_server_name(req).data, (unsigned)hoop_server_port(req), hoop_remote_addr(req).data,
        user.data, hoop_ajp_get(req, HOOP_AJP_AUTH_TYPE).data,
        hoop_ajp_get(req, HOOP_AJP_TLS_PROTOCOL).data, cert.len,
        hoop_ajp_attribute(req, "tenant").data);
    for (size_t i = 0; text && i < req->header_count; i++)
        text = hoop_printf(req, "%s%s: %s\n", text, req->headers[i].name.data,
                           req->headers[i].value.data);
    return hoop_text(req, 200, text);
}

static const hoop_response *echo(const hoop_request *req, void *data)
{
    return hoop_bytes_static(req, 200, "application/octet-stream", hoop_body(req));
}

static const hoop_response *letters(const hoop_request *req, void *data)
{
    size_t len = strtoul(req->uri.data + sizeof "/letters/" - 1, NULL, 10);
    char *text = hoop_alloc(req, len + 1);
    for (size_t i = 0; text && i < len; i++)
        text[i] = (char)('a' + i % 26);
    if (!text)
        return NULL;
    return hoop_bytes_static(req, 200, "text/plain", hoop_str_n(text, len));
}

static void later(void *data)
{
    hoop_deferred *d = data;
    hoop_resolve(d, hoop_text(hoop_deferred_request(d), 200, "later\n"));
}

static const hoop_response *wait(const hoop_request *req, void *data)
{
    hoop_deferred *d = hoop_defer(req);
    if (d && hoop_run_after(req, 50, later, d))
        hoop_deferred_drop(d);
    return hoop_deferred_response(d);
}

static const hoop_response *not_modified(const hoop_request *req, void *data)
{
    return hoop_with_header(req, hoop_respond(req, 304), "ETag", "\"a\"");
}

static const hoop_response *nothing(const hoop_request *req, void *data)
{
    return hoop_respond(req, 204);
}

static const hoop_response *fail(const hoop_request *req, void *data)
{
    return hoop_fail(req, HOOP_EINVAL, "as asked");
}

static const hoop_route routes[] = {
    HOOP_GET("/show", show),           HOOP_PATCH("/show", show),
    HOOP_POST("/show", show),          HOOP_POST("/echo", echo),
    HOOP_PUT("/echo", echo),           HOOP_GET("/letters/{n}", letters),
    HOOP_GET("/wait", wait),           HOOP_GET("/not-modified", not_modified),
    HOOP_GET("/nothing", nothing),     HOOP_GET("/fail", fail),
};

int main(int argc, char **argv)
{
    hoop_listener listener = {
        .protocol = HOOP_AJP,
        .ajp_secret = "s3cr3t",
        .ajp_attributes = "tenant",
        .ajp_trust_user = 1,
        .ajp_packet_size = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0,
    };
    static const hoop_limits limits = { .max_body = 11 * 1024 * 1024,
                                        .max_arena = 64 * 1024 * 1024,
                                        .drain_ms = 3000 };
    const hoop_server_options options = { .listeners = &listener,
                                          .listener_count = 1,
                                          .listener_size = sizeof listener,
                                          HOOP_LIMITS(&limits) };
    hoop_arena *app = hoop_arena_new();
    hoop_handler handler;
    hoop_error error;
    if (argc < 2 || hoop_router_new(app, routes, HOOP_COUNT(routes), &handler, &error))
        return 2;
    if (*argv[1] == '/') {
        listener.path = argv[1];
        listener.unix_mode = 0777;
    } else {
        listener.port = (uint32_t)strtoul(argv[1], NULL, 10);
    }
    int status = hoop_serve(handler, &options);
    hoop_arena_free(app);
    return status;
}
