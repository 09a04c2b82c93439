/** @file
 * The dispatcher: a table of exact paths.
 */
#ifndef HOOP_ROUTER_H
#define HOOP_ROUTER_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/handler.h>

HOOP_BEGIN_DECLS

/** A row of the table: constant data. */
typedef struct hoop_route {
    const char *method;       /**< "GET"; NULL: any method */
    const char *path;         /**< exact, begins with '/' */
    hoop_handler_fn *handler; /**< required, unless `wrapped` is given */
    void *data;               /**< handed to the handler */
    const char *name;         /**< for messages; NULL: the path */
    const hoop_handler *wrapped; /**< a built handler in place of `handler` */
} hoop_route;

/** A row for GET (which serves HEAD, too), and likewise for the other methods. */
#ifdef __cplusplus
static inline hoop_route hoop_route_row(const char *method, const char *path,
                                        hoop_handler_fn *handler, void *data)
{
    hoop_route row = {method, path, handler, data, NULL, NULL};
    return row;
}
#define HOOP_ANY(path_, ...) hoop_route_any(path_, __VA_ARGS__)
static inline hoop_route hoop_route_any(const char *path, hoop_handler_fn *handler,
                                        void *data = NULL)
{
    return hoop_route_row(NULL, path, handler, data);
}
static inline hoop_route HOOP_GET(const char *path, hoop_handler_fn *handler, void *data = NULL)
{
    return hoop_route_row("GET", path, handler, data);
}
static inline hoop_route HOOP_POST(const char *path, hoop_handler_fn *handler, void *data = NULL)
{
    return hoop_route_row("POST", path, handler, data);
}
static inline hoop_route HOOP_PUT(const char *path, hoop_handler_fn *handler, void *data = NULL)
{
    return hoop_route_row("PUT", path, handler, data);
}
static inline hoop_route HOOP_PATCH(const char *path, hoop_handler_fn *handler, void *data = NULL)
{
    return hoop_route_row("PATCH", path, handler, data);
}
static inline hoop_route HOOP_DELETE(const char *path, hoop_handler_fn *handler, void *data = NULL)
{
    return hoop_route_row("DELETE", path, handler, data);
}
#else
#define HOOP_ROUTE(method_, path_, ...)                                                            \
    {                                                                                              \
        .method = (method_), .path = (path_), .handler = __VA_ARGS__                               \
    }
#define HOOP_ANY(path_, ...) HOOP_ROUTE(NULL, path_, __VA_ARGS__)
#define HOOP_GET(path_, ...) HOOP_ROUTE("GET", path_, __VA_ARGS__)
#define HOOP_POST(path_, ...) HOOP_ROUTE("POST", path_, __VA_ARGS__)
#define HOOP_PUT(path_, ...) HOOP_ROUTE("PUT", path_, __VA_ARGS__)
#define HOOP_PATCH(path_, ...) HOOP_ROUTE("PATCH", path_, __VA_ARGS__)
#define HOOP_DELETE(path_, ...) HOOP_ROUTE("DELETE", path_, __VA_ARGS__)
#endif

/**
 * Builds the dispatcher. A path that no row has is hoop_pass() (404 at the root); a method that none
 * of a path's rows has is 405 with Allow; OPTIONS is answered with Allow unless a row takes it.
 * Refuses, naming the row: a path that does not begin with '/' or has `:`, `{` or `*`, a row without
 * handler, the same path and method twice. Made in `arena`; the table's strings are borrowed.
 * 0 and `*ret_handler`, or a negative code.
 */
HOOP_API int hoop_router_new_sized(hoop_arena *arena, const hoop_route *table, size_t count,
                                   size_t row_size, hoop_handler *ret_handler, hoop_error *error);

/** hoop_router_new_sized() with the size of a row filled in. */
#define hoop_router_new(arena, table, count, ret_handler, error)                                   \
    hoop_router_new_sized((arena), (table), (count), sizeof(hoop_route), (ret_handler), (error))

HOOP_END_DECLS

#endif
