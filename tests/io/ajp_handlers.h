/*
 * The handlers that Apache is tried with; shared by ajp_server.c, and by the test that replays what was
 * recorded of it.
 */
#ifndef HOOP_TEST_AJP_HANDLERS_H
#define HOOP_TEST_AJP_HANDLERS_H

#include <hoop.h>

#include <stdlib.h>

static const hoop_response *tell_all(const hoop_request *req, void *data)
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

static const hoop_response *wait_a_little(const hoop_request *req, void *data)
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

static const hoop_response *fail_now(const hoop_request *req, void *data)
{
    return hoop_fail(req, HOOP_EINVAL, "as asked");
}

static const hoop_route routes[] = {
    HOOP_GET("/show", tell_all),      HOOP_PATCH("/show", tell_all),
    HOOP_POST("/show", tell_all),     HOOP_POST("/echo", echo),
    HOOP_PUT("/echo", echo),          HOOP_GET("/letters/{n}", letters),
    HOOP_GET("/wait", wait_a_little), HOOP_GET("/not-modified", not_modified),
    HOOP_GET("/nothing", nothing),    HOOP_GET("/fail", fail_now),
};

/* The router of all these. 0 or a code. */
static inline int ajp_handlers(hoop_arena *app, hoop_handler *ret_handler)
{
    return hoop_router_new(app, routes, HOOP_COUNT(routes), ret_handler, NULL);
}

#endif
