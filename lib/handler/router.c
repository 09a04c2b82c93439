/* The dispatcher: exact paths by a hash table that is built once and never changes. */
#include "handler/node.h"

#include <hoop/router.h>

#include <string.h>

/* One row, ready to be called. */
struct row {
    hoop_str path;
    hoop_str method; /* absent: any */
    uint32_t method_number;
    hoop_handler handler;
    const char *name;
    struct row *other; /* the next row of the same path */
};

/* A path and its rows; a slot of the table. */
struct slot {
    uint32_t hash;
    struct row *rows;
    const char *allow; /* the methods, for Allow */
};

struct router {
    struct hoop__node node;
    struct slot *slots;
    uint32_t mask;
    struct row *rows;
    size_t count;
};

/* --- looking up ------------------------------------------------------------------------------ */

/* FNV-1a: paths are short, and the table is made by the program, not by clients. */
static uint32_t hash_of(hoop_str path)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < path.len; i++)
        hash = (hash ^ (unsigned char)path.data[i]) * 16777619u;
    return hash;
}

static struct slot *find(const struct router *router, hoop_str path)
{
    uint32_t hash = hash_of(path), i = hash & router->mask;
    while (router->slots[i].rows) {
        struct slot *slot = &router->slots[i];
        if (slot->hash == hash && hoop_str_eq(slot->rows->path, path))
            return slot;
        i = (i + 1) & router->mask;
    }
    return &router->slots[i];
}

static int takes(const struct row *row, uint32_t number, hoop_str method)
{
    if (row->method_number != number)
        return 0;
    return number != HOOP_METHOD_OTHER || hoop_str_eq(row->method, method);
}

/*
 * The row for a method: its own; for HEAD, GET's, whose body the protocol leaves out; the row for any
 * method, wherever it stands in the table.
 */
static const struct row *choose(const struct slot *slot, const hoop_request *req)
{
    const struct row *get = NULL, *any = NULL;
    for (const struct row *row = slot->rows; row; row = row->other) {
        if (hoop_str_is_none(row->method))
            any = row;
        else if (takes(row, req->method_number, req->method))
            return row;
        else if (row->method_number == HOOP_METHOD_GET)
            get = row;
    }
    return get && req->method_number == HOOP_METHOD_HEAD ? get : any;
}

static const hoop_response *call_router(const struct hoop__node *node, const hoop_request *req)
{
    const struct router *router = (const struct router *)node;
    const struct slot *slot = find(router, req->uri);
    if (!slot->rows)
        return hoop_pass(req);
    const struct row *row = choose(slot, req);
    if (row)
        return hoop_call(row->handler, req);
    int status = req->method_number == HOOP_METHOD_OPTIONS ? 204 : 405;
    const hoop_response *res =
        status == 204 ? hoop_respond(req, 204) : hoop_text_static(req, 405, "Method Not Allowed\n");
    return hoop_add_header(req, res, "Allow", slot->allow);
}

static void print_router(const struct hoop__node *node, struct hoop__printer *printer)
{
    const struct router *router = (const struct router *)node;
    hoop__print(printer, "router");
    printer->depth++;
    for (size_t i = 0; i < router->count; i++) {
        const struct row *row = &router->rows[i];
        hoop__print(printer, "%s %s", hoop_str_is_none(row->method) ? "*" : row->method.data,
                    row->path.data);
        if (hoop__node_of(row->handler)) {
            printer->depth++;
            hoop__print_handler(printer, row->handler);
            printer->depth--;
        }
    }
    printer->depth--;
}

static const struct hoop__node_ops router_ops = {call_router, print_router};

/* --- building -------------------------------------------------------------------------------- */

static int check_route(const hoop_route *route, size_t index, hoop_error *error)
{
    if (!route->path || route->path[0] != '/')
        return hoop_error_set(error, HOOP_EINVAL, "route %zu '%s': a path begins with '/'", index,
                              route->path ? route->path : "(null)");
    if (strpbrk(route->path, ":{*"))
        return hoop_error_set(error, HOOP_EINVAL,
                              "route %zu '%s': this dispatcher takes exact paths, without ':', '{' "
                              "and '*'",
                              index, route->path);
    if (route->method && !hoop__is_token(hoop_str_c(route->method)))
        return hoop_error_set(error, HOOP_EINVAL, "route %zu '%s': '%s' is no method", index,
                              route->path, route->method);
    if (!route->handler == !route->wrapped)
        return hoop_error_set(error, HOOP_EINVAL, "route %zu '%s' needs a handler%s", index,
                              route->path, route->handler ? ", not two" : "");
    if (route->wrapped)
        return hoop__handler_usable(*route->wrapped, route->path, error);
    return 0;
}

static void fill_row(struct row *row, const hoop_route *route)
{
    row->path = hoop_str_c(route->path);
    row->method = hoop_str_c(route->method);
    row->method_number = route->method ? hoop__method_number(row->method) : HOOP_METHOD_OTHER;
    row->handler = route->wrapped ? *route->wrapped : hoop_fn(route->handler, route->data);
    row->name = route->name ? route->name : route->path;
}

static int same_method(const struct row *a, const struct row *b)
{
    return hoop_str_is_none(a->method) == hoop_str_is_none(b->method) &&
           hoop_str_eq(a->method, b->method);
}

static int insert(struct router *router, struct row *row, hoop_error *error)
{
    struct slot *slot = find(router, row->path);
    struct row **last = &slot->rows;
    for (; *last; last = &(*last)->other)
        if (same_method(*last, row))
            return hoop_error_set(error, HOOP_ECONFLICT, "route %zu '%s' conflicts with route %zu '%s'",
                                  (size_t)(row - router->rows), row->name,
                                  (size_t)(*last - router->rows), (*last)->name);
    *last = row;
    slot->hash = hash_of(row->path);
    return 0;
}

static int has_method(const struct slot *slot, uint32_t number)
{
    for (const struct row *row = slot->rows; row; row = row->other)
        if (row->method_number == number)
            return 1;
    return 0;
}

/* Those of the rows, and those that are served without a row of their own: HEAD and OPTIONS. */
static int list_methods(hoop_arena *arena, struct slot *slot)
{
    hoop_str allow = hoop_str_c("");
    int head = has_method(slot, HOOP_METHOD_HEAD), options = has_method(slot, HOOP_METHOD_OPTIONS);
    for (const struct row *row = slot->rows; row; row = row->other) {
        if (hoop_str_is_none(row->method))
            continue;
        allow = hoop_arena_printf(arena, "%s%s%s%s", allow.data, allow.len ? ", " : "",
                                  row->method.data,
                                  !head && row->method_number == HOOP_METHOD_GET ? ", HEAD" : "");
        if (hoop_str_is_none(allow))
            return HOOP_ENOMEM;
    }
    if (!options)
        allow = hoop_arena_printf(arena, "%s%sOPTIONS", allow.data, allow.len ? ", " : "");
    slot->allow = allow.data;
    return hoop_str_is_none(allow) ? HOOP_ENOMEM : 0;
}

/* What the row's handler needs stays open in the router; the route's name goes with it. */
static int add_summary(hoop_arena *arena, struct hoop__summary *all, const struct row *row)
{
    struct hoop__summary one = hoop__summary_of(row->handler);
    for (const struct hoop__need *n = one.needs; n; n = n->next) {
        struct hoop__need *copy = hoop_arena_alloc(arena, sizeof *copy);
        if (!copy)
            return HOOP_ENOMEM;
        *copy = *n;
        copy->route = n->route ? n->route : row->name;
        copy->next = (struct hoop__need *)(uintptr_t)all->needs;
        all->needs = copy;
    }
    for (const struct hoop__mount *m = one.mounts; m; m = m->next) {
        struct hoop__mount *copy = hoop_arena_alloc(arena, sizeof *copy);
        if (!copy)
            return HOOP_ENOMEM;
        *copy = *m;
        copy->next = (struct hoop__mount *)(uintptr_t)all->mounts;
        all->mounts = copy;
    }
    return 0;
}

static int fill(hoop_arena *arena, struct router *router, const hoop_route *table, size_t row_size,
                hoop_error *error)
{
    for (size_t i = 0; i < router->count; i++) {
        hoop_route route;
        memset(&route, 0, sizeof route);
        memcpy(&route, (const char *)table + i * row_size,
               row_size < sizeof route ? row_size : sizeof route);
        int rc = check_route(&route, i, error);
        if (rc)
            return rc;
        fill_row(&router->rows[i], &route);
        rc = insert(router, &router->rows[i], error);
        if (rc)
            return rc;
        if (add_summary(arena, &router->node.summary, &router->rows[i]))
            return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    }
    return 0;
}

int hoop_router_new_sized(hoop_arena *arena, const hoop_route *table, size_t count, size_t row_size,
                          hoop_handler *ret_handler, hoop_error *error)
{
    if (!arena || !ret_handler || (count && !table))
        return hoop_error_set(error, HOOP_EINVAL, "arena, table and ret_handler may not be NULL");
    uint32_t size = 8;
    while (size < count * 2)
        size *= 2;
    struct router *router = hoop_arena_zalloc(arena, sizeof *router);
    struct slot *slots = hoop_arena_zalloc(arena, size * sizeof *slots);
    struct row *rows = hoop_arena_zalloc(arena, (count + 1) * sizeof *rows);
    if (!router || !slots || !rows)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    router->node.ops = &router_ops;
    router->slots = slots;
    router->mask = size - 1;
    router->rows = rows;
    router->count = count;
    int rc = fill(arena, router, table, row_size, error);
    for (uint32_t i = 0; !rc && i < size; i++)
        if (slots[i].rows && list_methods(arena, &slots[i]))
            rc = hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    if (!rc)
        *ret_handler = hoop__node_handler(&router->node);
    return rc;
}
