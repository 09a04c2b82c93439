/* Middleware "dump" and the handler hoop_dump(): see hoop/middleware/dump.h. */
#include "handler/router.h"
#include "middleware/html.h"
#include "middleware/middleware.h"

#include <hoop/accept.h>
#include <hoop/log.h>
#include <hoop/middleware/dump.h>

static const char hidden[] = "(not shown)";

/* The value, unless it is a secret. */
static hoop_str shown(const hoop_field *field, int show_secrets)
{
    static const char *const names[] = { "authorization", "proxy-authorization", "cookie",
                                         "set-cookie" };
    for (size_t i = 0; i < HOOP_COUNT(names) && !show_secrets; i++)
        if (hoop_str_eq_nocase(field->name, hoop_str_c(names[i])))
            return hoop_str_c(hidden);
    return field->value;
}

/* --- lines in the log ------------------------------------------------------------------------ */

static void log_fields(const struct hoop_loop *loop, char way, const hoop_field *fields,
                       size_t count, const hoop_dump_options *options)
{
    for (size_t i = 0; i < count; i++)
        hoop__log(loop, HOOP_LOG_DEBUG, "%c %s: %s", way, fields[i].name.data,
                  shown(&fields[i], options->show_secrets != 0).data);
}

static void log_request(const hoop_request *req, const hoop_dump_options *options)
{
    const struct hoop_loop *loop = hoop__exchange_of(req)->loop;
    int query = !hoop_str_is_none(req->query_string);
    hoop__log(loop, HOOP_LOG_DEBUG, "> %s %s%s%s %s", req->method.data, req->uri.data,
              query ? "?" : "", req->query_string.data, req->protocol.data);
    log_fields(loop, '>', req->headers, req->header_count, options);
}

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    const struct hoop_loop *loop = hoop__exchange_of(req)->loop;
    hoop__log(loop, HOOP_LOG_DEBUG, "< %d", (int)res->status);
    log_fields(loop, '<', res->headers, res->header_count, value);
    if (res->body_kind == HOOP_BODY_BYTES)
        hoop__log(loop, HOOP_LOG_DEBUG, "< %zu bytes", res->body.len);
    else if (res->body_kind != HOOP_BODY_NONE)
        hoop__log(loop, HOOP_LOG_DEBUG, "< a stream");
    return res;
}

static const hoop_response *failed(const hoop_request *req, const hoop_error *error,
                                   const void *value)
{
    (void)value;
    hoop__log(hoop__exchange_of(req)->loop, HOOP_LOG_DEBUG, "< failed: %s", error->text);
    return hoop_fail(req, error->code, "%s", error->text);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    log_request(req, value);
    const hoop_response *res = hoop_then(req, hoop_call(next, req), respond, value);
    return hoop_catch(req, res, failed, NULL);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_dump_options *own = hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_dump_type = {
    .name = "dump",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

/* --- the handler ----------------------------------------------------------------------------- */

static hoop_str target_of(const hoop_request *req)
{
    int query = !hoop_str_is_none(req->query_string);
    return hoop_arena_printf(req->arena, "%s%s%s", req->uri.data, query ? "?" : "",
                             req->query_string.data);
}

static const hoop_response *as_text(const hoop_request *req, hoop_str target)
{
    struct hoop__html text = { req, NULL, 0, 0, 0 };
    hoop__html_put(&text, req->method.data);
    hoop__html_put(&text, " ");
    hoop__html_put(&text, target.data);
    hoop__html_put(&text, " ");
    hoop__html_put(&text, req->protocol.data);
    hoop__html_put(&text, "\n");
    for (size_t i = 0; i < req->header_count; i++) {
        hoop__html_put(&text, req->headers[i].name.data);
        hoop__html_put(&text, ": ");
        hoop__html_put(&text, shown(&req->headers[i], 0).data);
        hoop__html_put(&text, "\n");
    }
    hoop_str all = hoop__html_done(&text);
    return hoop_str_is_none(all) ? NULL
                                 : hoop_bytes_static(req, 200, "text/plain; charset=utf-8", all);
}

static const hoop_response *as_page(const hoop_request *req, hoop_str target)
{
    struct hoop__html html = { req, NULL, 0, 0, 0 };
    hoop__html_put(&html, "<!DOCTYPE html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n"
                          "<title>Request</title>\n<table>\n");
    hoop__html_row(&html, hoop_str_c("method"), req->method);
    hoop__html_row(&html, hoop_str_c("target"), target);
    hoop__html_row(&html, hoop_str_c("protocol"), req->protocol);
    hoop__html_row(&html, hoop_str_c("scheme"), req->scheme);
    hoop__html_row(&html, hoop_str_c("from"), hoop_remote_addr(req));
    for (size_t i = 0; i < req->header_count; i++)
        hoop__html_row(&html, req->headers[i].name, shown(&req->headers[i], 0));
    hoop__html_put(&html, "</table>\n</html>\n");
    hoop_str page = hoop__html_done(&html);
    return hoop_str_is_none(page) ? NULL
                                  : hoop_bytes_static(req, 200, "text/html; charset=utf-8", page);
}

const hoop_response *hoop_dump(const hoop_request *req, void *data)
{
    static const char *const types[] = { "text/plain", "text/html" };
    size_t best = 0;
    (void)data;
    if (!req)
        return NULL;
    hoop_str accept = hoop_header_joined(req, "accept"), target = target_of(req);
    if (hoop_str_is_none(target))
        return hoop__fail_memory(req);
    int html = !hoop_str_is_none(accept) &&
               !hoop_accept_best(HOOP_ACCEPT_MEDIA, accept, types, 2, &best) && best == 1;
    return hoop__add_vary(req, html ? as_page(req, target) : as_text(req, target), "Accept");
}
