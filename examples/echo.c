/* Tells what it was asked: method, target and length of the body as JSON; POST /body gives the body back,
 * /headers the header lines. For trying clients, proxies and conformance suites against hoop. */
#include "port.h"
#include <hoop.h>
#include <hoop/json.h>

static const hoop_response *headers(const hoop_request *req)
{
    const char *lines = "";
    for (size_t i = 0; lines && i < req->header_count; i++)
        lines = hoop_printf(req, "%s%s: %s\n", lines, req->headers[i].name.data,
                            req->headers[i].value.data);
    return hoop_text(req, 200, lines);
}

static const hoop_response *echo(const hoop_request *req, void *data)
{
    hoop_str body = hoop_body(req);
    if (hoop_str_eq_c(req->uri, "/headers"))
        return headers(req);
    if (hoop_str_eq_c(req->uri, "/body") && req->method_number == HOOP_METHOD_POST)
        return hoop_bytes(req, 200, "application/octet-stream", body);
    /* The path and the query came apart; a target that ends in '?' has an empty query. */
    const char *mark = hoop_str_is_none(req->query_string) ? "" : "?";
    char *target = hoop_printf(req, "%s%s%s", req->uri.data, mark, req->query_string.data);
    return hoop_json_pack(req, 200, "{s:s, s:s, s:I}", "method", req->method.data, "target", target,
                          "length", (json_int_t)body.len);
}

int main(int argc, char **argv)
{
    return hoop_serve(hoop_fn(echo, NULL),
                      &(hoop_server_options){ .port = example_port(argc, argv) });
}
