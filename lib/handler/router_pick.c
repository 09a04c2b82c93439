/* A handler that picks a handler by host, scheme, port and headers. */
#include "handler/router.h"

#include "codec/host.h"

#include <hoop/deferred.h>

#include <string.h>

struct choice {
    hoop_str host;   /* without "*" in front if `below`; absent: any */
    int below;       /* a subdomain of `host`, which begins with '.' */
    hoop_str scheme; /* absent: any */
    const char *header;
    hoop_str value; /* absent: anything */
    uint32_t port;
    hoop_handler handler;
};

struct picker {
    struct hoop__node node;
    struct choice *choices;
    size_t count;
};

/* --- choosing -------------------------------------------------------------------------------- */

static int fits_host(const struct choice *choice, hoop_str host)
{
    if (!choice->below)
        return hoop_str_eq_nocase(choice->host, host);
    if (host.len <= choice->host.len)
        return 0;
    size_t front = host.len - choice->host.len;
    return hoop_str_eq_nocase(choice->host, hoop_str_n(host.data + front, choice->host.len));
}

static int fits_header(const struct choice *choice, const hoop_request *req)
{
    hoop_str value;
    for (size_t i = 0; !hoop_str_is_none(value = hoop_header_at(req, choice->header, i)); i++)
        if (hoop_str_is_none(choice->value) || hoop_str_eq_nocase(value, choice->value))
            return 1;
    return 0;
}

static int fits(const struct choice *choice, const hoop_request *req, hoop_str host)
{
    if (!hoop_str_is_none(choice->host) && !fits_host(choice, host))
        return 0;
    if (!hoop_str_is_none(choice->scheme) && !hoop_str_eq_nocase(choice->scheme, req->scheme))
        return 0;
    if (choice->port && choice->port != hoop_server_port(req))
        return 0;
    return !choice->header || fits_header(choice, req);
}

static const hoop_response *pick_from(const struct picker *picker, const hoop_request *req,
                                      size_t from);

/* A pending response whose pass is to be followed by the next row. */
struct picked {
    const struct picker *picker;
    const hoop_request *req;
    size_t next;
};

static const hoop_response *go_on(void *data)
{
    const struct picked *picked = data;
    return pick_from(picked->picker, picked->req, picked->next);
}

/* The response, with the headers in Vary that were looked at on the way to it. */
static const hoop_response *answer(const struct picker *picker, const hoop_request *req,
                                   const hoop_response *res, size_t last)
{
    for (size_t i = 0; i <= last; i++)
        if (picker->choices[i].header)
            res = hoop__add_vary(req, res, picker->choices[i].header);
    return res;
}

static const hoop_response *pick_from(const struct picker *picker, const hoop_request *req,
                                      size_t from)
{
    hoop_str host = hoop_server_name(req);
    for (size_t i = from; i < picker->count; i++) {
        if (!fits(&picker->choices[i], req, host))
            continue;
        const hoop_response *res =
            answer(picker, req, hoop_call(picker->choices[i].handler, req), i);
        if (hoop_is_pass(res))
            continue;
        if (!hoop_is_pending(res) || i + 1 == picker->count)
            return res;
        struct picked *picked = hoop_alloc(req, sizeof *picked);
        if (!picked)
            return NULL;
        picked->picker = picker;
        picked->req = req;
        picked->next = i + 1;
        return hoop__or_else(req, res, go_on, picked);
    }
    return hoop_pass(req);
}

static const hoop_response *call_picker(const struct hoop__node *node, const hoop_request *req)
{
    return pick_from((const struct picker *)(const void *)node, req, 0);
}

static void print_picker(const struct hoop__node *node, struct hoop__printer *printer)
{
    const struct picker *picker = (const struct picker *)(const void *)node;
    hoop__print(printer, "pick");
    printer->depth++;
    for (size_t i = 0; i < picker->count; i++) {
        const struct choice *c = &picker->choices[i];
        hoop__print(printer, "%s://%s%s:%u %s%s%s", c->scheme.len ? c->scheme.data : "*",
                    c->below ? "*" : "", c->host.len ? c->host.data : "*", (unsigned)c->port,
                    c->header ? c->header : "", hoop_str_is_none(c->value) ? "" : "=",
                    c->value.data);
        printer->depth++;
        hoop__print_handler(printer, c->handler);
        printer->depth--;
    }
    printer->depth--;
}

static const struct hoop__node_ops picker_ops = { call_picker, print_picker, NULL };

/* --- building -------------------------------------------------------------------------------- */

static int keep(hoop_arena *arena, const char *text, hoop_str *ret)
{
    *ret = hoop_str_none();
    return text ? hoop__arena_copy(arena, hoop_str_c(text), ret) : 0;
}

static int check(const hoop_pick *row, size_t index, hoop_error *error)
{
    hoop_str host = hoop_str_c(row->host), name;
    uint32_t port;
    if (!row->handler)
        return hoop_error_set(error, HOOP_EINVAL, "row %zu has no handler", index);
    if (host.len > 2 && memcmp(host.data, "*.", 2) == 0)
        host = hoop_str_n(host.data + 2, host.len - 2);
    if (row->host && (!host.len || hoop__host_split(host, &name, &port) || name.len != host.len ||
                      memchr(host.data, '*', host.len)))
        return hoop_error_set(error, HOOP_EINVAL,
                              "row %zu: '%s' is no host: write a name, an address, or *.NAME; the "
                              "port is a member of its own",
                              index, row->host);
    if (row->scheme && !hoop__is_token(hoop_str_c(row->scheme)))
        return hoop_error_set(error, HOOP_EINVAL, "row %zu: '%s' is no scheme", index, row->scheme);
    if (row->header && !hoop__is_token(hoop_str_c(row->header)))
        return hoop_error_set(error, HOOP_EINVAL, "row %zu: '%s' is no header name", index,
                              row->header);
    if (row->value && !row->header)
        return hoop_error_set(error, HOOP_EINVAL, "row %zu has a value without a header", index);
    if (row->port > 65535)
        return hoop_error_set(error, HOOP_EINVAL, "row %zu: %u is no port", index,
                              (unsigned)row->port);
    return 0;
}

static int fill(hoop_arena *arena, struct choice *choice, const hoop_pick *row, size_t index,
                struct hoop__summary *summary, hoop_error *error)
{
    hoop_str text = hoop_arena_printf(arena, "row %zu", index);
    int rc = check(row, index, error);
    if (!rc)
        rc = hoop__handler_usable(*row->handler, text.data, error);
    if (rc)
        return rc;
    choice->below = row->host && row->host[0] == '*';
    choice->port = row->port;
    choice->handler = *row->handler;
    choice->header = row->header ? hoop_arena_strdup(arena, row->header) : NULL;
    struct hoop__summary own = hoop__summary_of(*row->handler);
    if (hoop_str_is_none(text) || (row->header && !choice->header) ||
        keep(arena, row->host ? row->host + choice->below : NULL, &choice->host) ||
        keep(arena, row->scheme, &choice->scheme) || keep(arena, row->value, &choice->value) ||
        hoop__summary_join(arena, summary, &own, text.data))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    return 0;
}

int hoop_pick_new_sized(hoop_arena *arena, const hoop_pick *table, size_t count, size_t row_size,
                        hoop_handler *ret_handler, hoop_error *error)
{
    if (!arena || !ret_handler || (count && !table))
        return hoop_error_set(error, HOOP_EINVAL, "arena, table and ret_handler may not be NULL");
    struct picker *picker = hoop_arena_zalloc(arena, sizeof *picker);
    struct choice *choices = hoop_arena_zalloc(arena, (count + 1) * sizeof *choices);
    if (!picker || !choices)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        hoop_pick row;
        memset(&row, 0, sizeof row);
        memcpy(&row, (const char *)table + i * row_size,
               row_size < sizeof row ? row_size : sizeof row);
        int rc = fill(arena, &choices[i], &row, i, &picker->node.summary, error);
        if (rc)
            return rc;
    }
    picker->node.ops = &picker_ops;
    picker->choices = choices;
    picker->count = count;
    *ret_handler = hoop__node_handler(&picker->node);
    return 0;
}
