/* The page that shows a developer what failed; see error_page.h. */
#include "middleware/error_page.h"

#include "middleware/html.h"

#include <hoop/middleware.h>
#include <hoop/response.h>
#include <hoop/router.h>

#include <stdio.h>

static const char head[] =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";

static const char style[] =
    "<style>\n"
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;"
    "color:#1b1b1b;background:#fff}\n"
    "h1{font-size:1.6rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}\n"
    ".why{border-left:4px solid #c62828;background:#fdecea;padding:.75rem 1rem;margin:1rem 0;"
    "white-space:pre-wrap;overflow-wrap:anywhere}\n"
    "table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;"
    "padding:.25rem .75rem .25rem 0;border-bottom:1px solid #ddd;overflow-wrap:anywhere}\n"
    "th{white-space:nowrap;font-weight:600}td,pre{font-family:ui-monospace,monospace;"
    "font-size:.875rem}pre{background:#f5f5f5;padding:1rem;overflow-x:auto}\n"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}"
    ".why{background:#3a1a1a}pre{background:#222}th,td{border-color:#444}}\n"
    "</style>\n";

static int is_secret(hoop_str name)
{
    static const char *const names[] = { "authorization", "cookie", "proxy-authorization" };
    for (size_t i = 0; i < HOOP_COUNT(names); i++)
        if (hoop_str_eq_c(name, names[i]))
            return 1;
    return 0;
}

static void put_failure(struct hoop__html *html, int status, const hoop_error *error)
{
    char line[160];
    snprintf(line, sizeof line, "<title>%d %s</title>\n", status, hoop_reason(status));
    hoop__html_put(html, line);
    hoop__html_put(html, style);
    snprintf(line, sizeof line, "</head>\n<body>\n<h1>%d %s</h1>\n<p class=\"why\">", status,
             hoop_reason(status));
    hoop__html_put(html, line);
    hoop__html_text(html, hoop_str_c(error->text));
    snprintf(line, sizeof line, "</p>\n<p>%s (%d): %s</p>\n", hoop_err_name(error->code),
             error->code, hoop_strerror(error->code));
    hoop__html_put(html, line);
}

static void put_request(struct hoop__html *html, const hoop_request *req)
{
    hoop__html_put(html, "<h2>Request</h2>\n<table>\n");
    hoop__html_row(html, hoop_str_c("method"), req->method);
    hoop__html_row(html, hoop_str_c("uri"), req->uri);
    if (!hoop_str_is_none(req->query_string))
        hoop__html_row(html, hoop_str_c("query string"), req->query_string);
    hoop__html_row(html, hoop_str_c("protocol"), req->protocol);
    hoop__html_row(html, hoop_str_c("scheme"), req->scheme);
    hoop__html_row(html, hoop_str_c("from"), hoop_remote_addr(req));
    hoop__html_put(html, "</table>\n<h2>Headers</h2>\n<table>\n");
    for (size_t i = 0; i < req->header_count; i++)
        hoop__html_row(html, req->headers[i].name,
                       is_secret(req->headers[i].name) ? hoop_str_c("(not shown)")
                                                       : req->headers[i].value);
    hoop__html_put(html, "</table>\n");
}

static void put_text(struct hoop__html *html, const char *heading, hoop_str text)
{
    hoop__html_put(html, heading);
    hoop__html_put(html, "<pre>");
    hoop__html_text(html, text);
    hoop__html_put(html, "</pre>\n");
}

const hoop_response *hoop__error_page(const hoop_request *req, int status, const hoop_error *error,
                                      hoop_handler next)
{
    struct hoop__html html = { req, NULL, 0, 0, 0 };
    hoop_str chain = hoop_chain_print(req->arena, next);
    hoop_str route = hoop_router_explain(req->arena, next, req->method.data, req->uri.data);
    if (hoop_str_is_none(chain))
        return hoop_fail(req, HOOP_ENOMEM, "out of memory");
    hoop__html_put(&html, head);
    put_failure(&html, status, error);
    put_request(&html, req);
    if (!hoop_str_is_none(route))
        put_text(&html, "<h2>Route</h2>\n", route);
    put_text(&html, "<h2>Handlers further in</h2>\n", chain);
    hoop__html_put(&html, "</body>\n</html>\n");
    hoop_str page = hoop__html_done(&html);
    if (hoop_str_is_none(page))
        return NULL;
    /* Of its own, since the page has its style within, and a program's policy may forbid that. */
    return hoop_with_header(req, hoop_bytes_static(req, status, "text/html; charset=utf-8", page),
                            "Content-Security-Policy",
                            "default-src 'none'; style-src 'unsafe-inline'");
}
