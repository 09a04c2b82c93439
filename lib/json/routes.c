/* Tables of routes read from a JSON document; what the names in it mean, the program says. */
#include "json/text.h"

#include <hoop/router.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MAX_DEPTH 32 /* of groups within groups */
#define SHOWN     80 /* bytes of a place in a message */

struct reader {
    hoop_arena *arena;
    const hoop_route_part *parts;
    size_t count;
    size_t part_size;
    hoop_error *error;
    char place[640]; /* "[2].routes[0]" */
    int depth;
};

/* --- telling --------------------------------------------------------------------------------- */

static int refuse(struct reader *r, int code, const char *format, ...) HOOP_PRINTF(3, 4);

static int refuse(struct reader *r, int code, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* Of a place far down the end is what helps. */
    size_t len = strlen(r->place);
    const char *place = len > SHOWN ? r->place + len - SHOWN : r->place;
    return hoop_error_set(r->error, code, "%s%s: %s", len > SHOWN ? "..." : "", place, text);
}

static int no_memory(struct reader *r)
{
    return hoop_error_set(r->error, HOOP_ENOMEM, "out of memory");
}

/* --- values ---------------------------------------------------------------------------------- */

static int read_text(struct reader *r, const char *key, const json_t *value, const char **ret)
{
    if (!json_is_string(value))
        return refuse(r, HOOP_EINVAL, "'%s' is no string", key);
    if (strlen(json_string_value(value)) != json_string_length(value))
        return refuse(r, HOOP_EINVAL, "'%s' has a NUL", key);
    *ret = hoop_arena_strdup(r->arena, json_string_value(value));
    return *ret ? 0 : no_memory(r);
}

/* A string, or an array of them, which `between` joins. */
static int read_texts(struct reader *r, const char *key, const json_t *value, const char *between,
                      const char **ret)
{
    if (!json_is_array(value))
        return read_text(r, key, value, ret);
    hoop_str all = hoop_str_c("");
    for (size_t i = 0; i < json_array_size(value); i++) {
        const char *one;
        int rc = read_text(r, key, json_array_get(value, i), &one);
        if (rc)
            return rc;
        all = hoop_arena_printf(r->arena, "%s%s%s", all.data, i ? between : "", one);
        if (hoop_str_is_none(all))
            return no_memory(r);
    }
    *ret = all.data;
    return 0;
}

static int read_number(struct reader *r, const char *key, const json_t *value, uint64_t *ret)
{
    if (json_is_string(value) && strcmp(json_string_value(value), "off") == 0) {
        *ret = HOOP_OFF;
        return 0;
    }
    if (!json_is_integer(value) || json_integer_value(value) <= 0)
        return refuse(r, HOOP_EINVAL, "'%s' is neither a whole number above 0 nor \"off\"", key);
    *ret = (uint64_t)json_integer_value(value);
    return 0;
}

/* The part that a name stands for. */
static int find_part(struct reader *r, const char *key, const json_t *value, hoop_route_part *ret)
{
    if (!json_is_string(value))
        return refuse(r, HOOP_EINVAL, "'%s' is no string", key);
    const char *name = json_string_value(value);
    for (size_t i = 0; i < r->count; i++) {
        hoop_route_part part;
        memset(&part, 0, sizeof part);
        memcpy(&part, (const char *)r->parts + i * r->part_size,
               r->part_size < sizeof part ? r->part_size : sizeof part);
        if (part.name && strcmp(part.name, name) == 0) {
            *ret = part;
            return 0;
        }
    }
    return refuse(r, HOOP_EMISSING, "%s '%s' is not among the %zu names that the program knows",
                  key, name, r->count);
}

/* --- members --------------------------------------------------------------------------------- */

static int read_handler(struct reader *r, const json_t *value, hoop_route *route)
{
    hoop_route_part part;
    int rc = find_part(r, "handler", value, &part);
    if (rc)
        return rc;
    if (!part.handler && !part.wrapped)
        return refuse(r, HOOP_EMISSING, "'%s' is no handler", part.name);
    route->handler = part.handler;
    route->data = part.data;
    if (!part.handler)
        route->wrapped = part.wrapped;
    return 0;
}

static int read_mount(struct reader *r, const json_t *value, hoop_route *route)
{
    hoop_route_part part;
    int rc = find_part(r, "mount", value, &part);
    if (rc)
        return rc;
    hoop_handler *handler = hoop_arena_alloc(r->arena, sizeof *handler);
    if (!handler)
        return no_memory(r);
    *handler = part.wrapped ? *part.wrapped : hoop_fn(part.handler, part.data);
    if (!handler->fn)
        return refuse(r, HOOP_EMISSING, "'%s' is no handler", part.name);
    route->mount = handler;
    return 0;
}

static int read_middleware(struct reader *r, const json_t *value, hoop_route *route)
{
    size_t count = json_array_size(value);
    if (!json_is_array(value))
        return refuse(r, HOOP_EINVAL, "'middleware' is no array of names");
    hoop_middleware *entries = hoop_arena_alloc(r->arena, count * sizeof *entries);
    if (!entries)
        return no_memory(r);
    for (size_t i = 0; i < count; i++) {
        hoop_route_part part;
        int rc = find_part(r, "middleware", json_array_get(value, i), &part);
        if (rc)
            return rc;
        if (!part.middleware)
            return refuse(r, HOOP_EMISSING, "'%s' is no middleware", part.name);
        entries[i] = *part.middleware;
    }
    route->middleware = entries;
    route->middleware_count = count;
    route->middleware_size = sizeof *entries;
    return 0;
}

static int read_body(struct reader *r, const json_t *value, hoop_route *route)
{
    const char *text = json_is_string(value) ? json_string_value(value) : "";
    if (strcmp(text, "stream") == 0)
        route->body = HOOP_REQUEST_STREAM;
    else if (strcmp(text, "whole") != 0)
        return refuse(r, HOOP_EINVAL, "'body' is neither \"whole\" nor \"stream\"");
    return 0;
}

static int read_overlaps(struct reader *r, const json_t *value, hoop_route *route)
{
    if (!json_is_boolean(value))
        return refuse(r, HOOP_EINVAL, "'overlaps' is neither true nor false");
    route->flags = json_is_true(value) ? HOOP_ROUTE_OVERLAPS : 0;
    return 0;
}

static int read_meta(struct reader *r, const json_t *value, hoop_route *route)
{
    hoop_str text;
    int rc = hoop__json_text(r->arena, value, &text, NULL);
    if (rc == HOOP_ENOMEM)
        return no_memory(r);
    if (rc)
        return refuse(r, rc, "'meta' has no text");
    route->meta = text.data;
    return 0;
}

static int read_table(struct reader *r, const json_t *array, const hoop_route **ret_routes,
                      size_t *ret_count);

static int read_routes(struct reader *r, const json_t *value, hoop_route *route)
{
    route->route_size = sizeof *route;
    return read_table(r, value, &route->routes, &route->route_count);
}

static int read_member(struct reader *r, const char *key, const json_t *value, hoop_route *route)
{
    static const struct {
        const char *key;
        int (*read)(struct reader *r, const json_t *value, hoop_route *route);
    } others[] = {
        { "handler", read_handler },       { "mount", read_mount },
        { "middleware", read_middleware }, { "body", read_body },
        { "overlaps", read_overlaps },     { "meta", read_meta },
        { "routes", read_routes },
    };
    if (strcmp(key, "path") == 0)
        return read_text(r, key, value, &route->path);
    if (strcmp(key, "name") == 0)
        return read_text(r, key, value, &route->name);
    if (strcmp(key, "method") == 0)
        return read_texts(r, key, value, " ", &route->method);
    if (strcmp(key, "produces") == 0)
        return read_texts(r, key, value, ", ", &route->produces);
    if (strcmp(key, "consumes") == 0)
        return read_texts(r, key, value, ", ", &route->consumes);
    if (strcmp(key, "max_body") == 0)
        return read_number(r, key, value, &route->max_body);
    if (strcmp(key, "deadline_ms") == 0)
        return read_number(r, key, value, &route->deadline_ms);
    for (size_t i = 0; i < HOOP_COUNT(others); i++)
        if (strcmp(key, others[i].key) == 0)
            return others[i].read(r, value, route);
    return refuse(r, HOOP_EINVAL, "the member '%s' is unknown", key);
}

/* --- tables ---------------------------------------------------------------------------------- */

static int read_route(struct reader *r, const json_t *object, hoop_route *route)
{
    if (!json_is_object(object))
        return refuse(r, HOOP_EINVAL, "a route is an object");
    json_t *walked = (json_t *)(uintptr_t)object;
    for (void *i = json_object_iter(walked); i; i = json_object_iter_next(walked, i)) {
        int rc = read_member(r, json_object_iter_key(i), json_object_iter_value(i), route);
        if (rc)
            return rc;
    }
    return 0;
}

static int read_table(struct reader *r, const json_t *array, const hoop_route **ret_routes,
                      size_t *ret_count)
{
    size_t count = json_array_size(array), place_len = strlen(r->place);
    if (!json_is_array(array))
        return refuse(r, HOOP_EINVAL, "routes are an array");
    if (r->depth++ == MAX_DEPTH)
        return refuse(r, HOOP_EINVAL, "groups are nested too deeply");
    /* Room for one at least, so that an empty group is told from none. */
    hoop_route *routes = hoop_arena_zalloc(r->arena, (count + 1) * sizeof *routes);
    if (!routes)
        return no_memory(r);
    for (size_t i = 0; i < count; i++) {
        snprintf(r->place + place_len, sizeof r->place - place_len, "%s[%zu]",
                 place_len > 6 ? ".routes" : "", i);
        int rc = read_route(r, json_array_get(array, i), &routes[i]);
        if (rc)
            return rc;
    }
    r->place[place_len] = 0;
    r->depth--;
    *ret_routes = routes;
    *ret_count = count;
    return 0;
}

int hoop_routes_from_json_sized(hoop_arena *arena, hoop_str document, const hoop_route_part *parts,
                                size_t count, size_t part_size, const hoop_route **ret_routes,
                                size_t *ret_count, hoop_error *error)
{
    if (!arena || !ret_routes || !ret_count || (count && !parts))
        return hoop_error_set(error, HOOP_EINVAL,
                              "arena, parts, ret_routes and ret_count may not be NULL");
    json_error_t where;
    json_t *root = json_loadb(document.data, document.len, JSON_REJECT_DUPLICATES, &where);
    if (!root && json_error_code(&where) == json_error_out_of_memory)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    if (!root)
        return hoop_error_set(error, HOOP_EPARSE, "line %d column %d: %s", where.line, where.column,
                              where.text);
    struct reader r = { .arena = arena, .parts = parts, .count = count, .part_size = part_size };
    r.error = error;
    memcpy(r.place, "routes", sizeof "routes");
    int rc = read_table(&r, root, ret_routes, ret_count);
    json_decref(root);
    return rc;
}
