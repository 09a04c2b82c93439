/** @file
 * Routing: tables of routes as constant data, and the handlers that are built of them.
 */
#ifndef HOOP_ROUTER_H
#define HOOP_ROUTER_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/handler.h>
#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** How a plain handler gets the request's body: `body` of a route. */
#define HOOP_REQUEST_WHOLE  0u /**< it has been read before the handler is called */
#define HOOP_REQUEST_STREAM 2u /**< the handler is called at the head (as hoop_streaming() does) */

/** May overlap with other routes that say so, too: the more specific one is asked first. */
#define HOOP_ROUTE_OVERLAPS 1u

/**
 * A row of a table: constant data, zero means nothing. It is a route (`handler` or `wrapped`), a group
 * (`routes`) or a mount (`mount`).
 *
 * The path begins with '/' (in a group it may also be empty). It is cut at '/', and these stand for
 * what the request has there:
 * - `:name`: what follows, up to the next '/'; one byte at least.
 * - `{name}`: the same, but it may stand inside a segment: it ends at the first byte that is equal to
 *   the one behind the brace (`/files/{name}.{ext}`).
 * - `{name:type}`: only what fits the type: int, uint, uuid, alpha, alnum, hex, slug, date, words
 *   (`{format:json|xml}`), or a type of the program (hoop_route_type). What does not fit is no match.
 * - `*name` or `{*name}`, as the last segment: all that follows, which may be empty.
 *
 * All else is compared as it stands with the request's segment, percent-decoded. A backslash
 * takes the meaning from the byte behind it (`\\:`, `\\{`, `\\*`).
 */
typedef struct hoop_route {
    const char *method;       /**< "GET", or several ("GET POST"); NULL: any method */
    const char *path;         /**< see above; of a group or a mount: the prefix */
    hoop_handler_fn *handler; /**< the function to call */
    void *data;               /**< handed to the handler */
    const char *name; /**< unique in the router; for hoop_path_for() and messages; or NULL */
    const hoop_handler *wrapped;       /**< a built handler (a chain) in place of `handler` */
    const hoop_handler *mount;         /**< gets all below the prefix; see hoop_path_info() */
    const void *meta;                  /**< the program's own, for middleware; NULL: the group's */
    const struct hoop_route *routes;   /**< the rows of a group; HOOP_ROUTES() fills these three */
    size_t route_count;                /**< how many */
    size_t route_size;                 /**< the size of one */
    const hoop_middleware *middleware; /**< around it; HOOP_WITH() fills these three */
    size_t middleware_count;           /**< how many */
    size_t middleware_size;            /**< the size of one */
    const char *produces; /**< media types, best first, by commas; else 406; NULL: the group's */
    const char *consumes; /**< types of the body, wildcards too, by commas; else 415; likewise */
    uint64_t max_body;    /**< bytes, in place of hoop_limits.max_body; 0: the group's */
    uint64_t deadline_ms; /**< in place of hoop_limits.handler_ms; 0: the group's */
    uint32_t body;        /**< one of HOOP_REQUEST_* */
    uint32_t flags;       /**< HOOP_ROUTE_OVERLAPS (of a group: for all in it), or 0 */
} hoop_route;

HOOP_END_DECLS

/**
 * Rows for a method, `HOOP_GET("/users/:id", show, .name = "user")`: path, handler, and further members
 * (the first of them may be the data without its name). GET serves HEAD, too. Before C++20 what may
 * follow is data and name, or HOOP_WITH(), data and name.
 */
#ifdef __cplusplus
#if __cplusplus >= 202002L
/* The members of a row behind path and handler, in their order, so that designators may follow. */
struct hoop_route_rest {
    void *data = nullptr;
    const char *name = nullptr;
    const hoop_handler *wrapped = nullptr;
    const void *meta = nullptr;
    const hoop_route *routes = nullptr;
    size_t route_count = 0;
    size_t route_size = 0;
    const hoop_middleware *middleware = nullptr;
    size_t middleware_count = 0;
    size_t middleware_size = 0;
    const char *produces = nullptr;
    const char *consumes = nullptr;
    uint64_t max_body = 0;
    uint64_t deadline_ms = 0;
    uint32_t body = 0;
    uint32_t flags = 0;
};
constexpr hoop_route hoop_route_of(const char *method, const char *path, hoop_handler_fn *handler,
                                   const hoop_handler *mount, const hoop_route_rest &rest)
{
    return { method,
             path,
             handler,
             rest.data,
             rest.name,
             rest.wrapped,
             mount,
             rest.meta,
             rest.routes,
             rest.route_count,
             rest.route_size,
             rest.middleware,
             rest.middleware_count,
             rest.middleware_size,
             rest.produces,
             rest.consumes,
             rest.max_body,
             rest.deadline_ms,
             rest.body,
             rest.flags };
}
#define HOOP_ROUTE(method_, path_, handler_, ...) \
    hoop_route_of((method_), (path_), (handler_), nullptr, hoop_route_rest{ __VA_ARGS__ })
#define HOOP_ANY(path_, ...)    HOOP_ROUTE(nullptr, path_, __VA_ARGS__)
#define HOOP_GET(path_, ...)    HOOP_ROUTE("GET", path_, __VA_ARGS__)
#define HOOP_POST(path_, ...)   HOOP_ROUTE("POST", path_, __VA_ARGS__)
#define HOOP_PUT(path_, ...)    HOOP_ROUTE("PUT", path_, __VA_ARGS__)
#define HOOP_PATCH(path_, ...)  HOOP_ROUTE("PATCH", path_, __VA_ARGS__)
#define HOOP_DELETE(path_, ...) HOOP_ROUTE("DELETE", path_, __VA_ARGS__)
#define HOOP_NEST(path_, ...) \
    hoop_route_of(nullptr, (path_), nullptr, nullptr, hoop_route_rest{ __VA_ARGS__ })
#define HOOP_MOUNT(path_, mount_, ...) \
    hoop_route_of(nullptr, (path_), nullptr, (mount_), hoop_route_rest{ __VA_ARGS__ })
#define HOOP_ROUTES(table_) \
    .routes = (table_), .route_count = HOOP_COUNT(table_), .route_size = sizeof((table_)[0])
#define HOOP_WITH(table_)                                           \
    .middleware = (table_), .middleware_count = HOOP_COUNT(table_), \
    .middleware_size = sizeof((table_)[0])
#else
/* An array of rows or of middleware with its two sizes. */
struct hoop_route_rows {
    const hoop_route *rows;
    size_t count, size;
};
struct hoop_route_mounts {
    const hoop_middleware *entries;
    size_t count, size;
};
static inline hoop_route_rows hoop_route_rows_of(const hoop_route *rows, size_t count)
{
    hoop_route_rows table = { rows, count, sizeof(hoop_route) };
    return table;
}
static inline hoop_route_mounts hoop_route_mounts_of(const hoop_middleware *entries, size_t count)
{
    hoop_route_mounts table = { entries, count, sizeof(hoop_middleware) };
    return table;
}
static inline hoop_route hoop_route_of(const char *method, const char *path,
                                       hoop_handler_fn *handler, hoop_route_mounts middleware,
                                       void *data = NULL, const char *name = NULL)
{
    hoop_route row = hoop_route();
    row.method = method;
    row.path = path;
    row.handler = handler;
    row.data = data;
    row.name = name;
    row.middleware = middleware.entries;
    row.middleware_count = middleware.count;
    row.middleware_size = middleware.size;
    return row;
}
static inline hoop_route hoop_route_of(const char *method, const char *path,
                                       hoop_handler_fn *handler, void *data = NULL,
                                       const char *name = NULL)
{
    return hoop_route_of(method, path, handler, hoop_route_mounts_of(NULL, 0), data, name);
}
#define HOOP_ROUTE(method_, path_, ...) hoop_route_of((method_), (path_), __VA_ARGS__)
#define HOOP_ANY(path_, ...)            hoop_route_of(NULL, (path_), __VA_ARGS__)
#define HOOP_GET(path_, ...)            hoop_route_of("GET", (path_), __VA_ARGS__)
#define HOOP_POST(path_, ...)           hoop_route_of("POST", (path_), __VA_ARGS__)
#define HOOP_PUT(path_, ...)            hoop_route_of("PUT", (path_), __VA_ARGS__)
#define HOOP_PATCH(path_, ...)          hoop_route_of("PATCH", (path_), __VA_ARGS__)
#define HOOP_DELETE(path_, ...)         hoop_route_of("DELETE", (path_), __VA_ARGS__)
#define HOOP_ROUTES(table_)             hoop_route_rows_of((table_), HOOP_COUNT(table_))
#define HOOP_WITH(table_)               hoop_route_mounts_of((table_), HOOP_COUNT(table_))
static inline hoop_route HOOP_NEST(const char *path, hoop_route_rows rows,
                                   hoop_route_mounts middleware = hoop_route_mounts_of(NULL, 0))
{
    hoop_route row = hoop_route_of(NULL, path, NULL, middleware);
    row.routes = rows.rows;
    row.route_count = rows.count;
    row.route_size = rows.size;
    return row;
}
static inline hoop_route HOOP_MOUNT(const char *path, const hoop_handler *mount,
                                    hoop_route_mounts middleware = hoop_route_mounts_of(NULL, 0))
{
    hoop_route row = hoop_route_of(NULL, path, NULL, middleware);
    row.mount = mount;
    return row;
}
#endif
#else
#define HOOP_ROUTE(method_, path_, ...)                              \
    {                                                                \
        .method = (method_), .path = (path_), .handler = __VA_ARGS__ \
    }
/** A row for any method: path, handler, further members. */
#define HOOP_ANY(path_, ...)    HOOP_ROUTE(NULL, path_, __VA_ARGS__)
/** A row for GET, which serves HEAD, too: path, handler, further members. */
#define HOOP_GET(path_, ...)    HOOP_ROUTE("GET", path_, __VA_ARGS__)
/** A row for POST: path, handler, further members. */
#define HOOP_POST(path_, ...)   HOOP_ROUTE("POST", path_, __VA_ARGS__)
/** A row for PUT: path, handler, further members. */
#define HOOP_PUT(path_, ...)    HOOP_ROUTE("PUT", path_, __VA_ARGS__)
/** A row for PATCH: path, handler, further members. */
#define HOOP_PATCH(path_, ...)  HOOP_ROUTE("PATCH", path_, __VA_ARGS__)
/** A row for DELETE: path, handler, further members. */
#define HOOP_DELETE(path_, ...) HOOP_ROUTE("DELETE", path_, __VA_ARGS__)

/** A group: `HOOP_NEST("/admin", HOOP_ROUTES(table), HOOP_WITH(middleware))`. */
#define HOOP_NEST(path_, ...)        \
    {                                \
        .path = (path_), __VA_ARGS__ \
    }

/** All below a prefix to a built handler: `HOOP_MOUNT("/files", &handler)`; members may follow. */
#define HOOP_MOUNT(path_, ...)                \
    {                                         \
        .path = (path_), .mount = __VA_ARGS__ \
    }

/** Fills the three members of a group's rows from an array. */
#define HOOP_ROUTES(table_) \
    .routes = (table_), .route_count = HOOP_COUNT(table_), .route_size = sizeof((table_)[0])

/** Fills the three members of the middleware from an array. */
#define HOOP_WITH(table_)                                           \
    .middleware = (table_), .middleware_count = HOOP_COUNT(table_), \
    .middleware_size = sizeof((table_)[0])
#endif

HOOP_BEGIN_DECLS

/* --- building --------------------------------------------------------------------------------- */

/** Nonzero if a parameter's value fits. It may have any byte but NUL. Threads: several at once. */
typedef int hoop_route_fits_fn(hoop_str value, void *data);

/**
 * A type of the program for parameters: `{year:leap}`. Which values fit is not known when the table
 * is checked, so routes that differ in such a type alone are taken to overlap.
 */
typedef struct hoop_route_type {
    const char *name;         /**< "leap"; letters, digits, '_' and '-' */
    hoop_route_fits_fn *fits; /**< the predicate */
    void *data;               /**< handed to it */
} hoop_route_type;

/** What a trailing slash means. */
#define HOOP_SLASH_STRICT   0u /**< "/a" and "/a/" are two paths */
#define HOOP_SLASH_REDIRECT 1u /**< who asks for the wrong one is sent to the other: 301 or 308 */
#define HOOP_SLASH_BOTH     2u /**< a route serves both, unless the other one has its own */

/** What hoop_router_new_with() takes; zero means the default. All is copied but `data` pointers. */
typedef struct hoop_router_options {
    const hoop_handler *not_found;          /**< NULL: hoop_pass(), so 404 at the root */
    const hoop_handler *method_not_allowed; /**< NULL: 405, text/plain. Allow is added to it */
    const hoop_handler *options;            /**< NULL: 204. Allow is added to it */
    const hoop_handler *not_acceptable;     /**< NULL: 406, a problem that lists what there is */
    const hoop_handler *unsupported_media;  /**< NULL: 415, likewise. Accept is added to it */
    const hoop_handler *bad_path;           /**< a broken escape or %00; NULL: 400, a problem */
    const hoop_route_type *types;           /**< the program's own types of parameters */
    size_t type_count;                      /**< how many */
    size_t type_size;                       /**< the size of one; 0: as this header has it */
    hoop_str *ret_problems; /**< gets all that is wrong with the table, a line each, in the arena */
    uint32_t slash;         /**< one of HOOP_SLASH_* */
    uint32_t flags;         /**< HOOP_ROUTE_OVERLAPS: for all routes; or 0 */
} hoop_router_options;

/** Builds a router; see hoop_router_new() and hoop_router_new_with(). */
HOOP_API int hoop_router_new_sized(hoop_arena *arena, const hoop_route *table, size_t count,
                                   size_t row_size, hoop_handler *ret_handler, hoop_error *error,
                                   const hoop_router_options *options, size_t options_size);

/**
 * Builds a handler of a table. Of the routes that match, the most specific is asked first, segment by
 * segment from the left: fixed text before a parameter before the rest of the path; hoop_pass() hands
 * on to the next. A path without a route is hoop_pass() (404 at the root); one whose routes have other
 * methods is 405 with Allow, or the answer to OPTIONS.
 *
 * Refuses, naming each route by index, path and name: what is no path, two parameters without text
 * between, an unknown type, a row without a handler, a name used twice, and two routes that some
 * request satisfies both (unless both have HOOP_ROUTE_OVERLAPS). If not all fits into `error`,
 * hoop_router_options.ret_problems has it.
 *
 * Ownership: made in `arena`; table and texts may go; `data`, `meta` and what middleware points to is
 * borrowed. The result is immutable: all loops share it. 0 and `*ret_handler`, or a negative code.
 */
#define hoop_router_new(arena, table, count, ret_handler, error)                                 \
    hoop_router_new_sized((arena), (table), (count), sizeof(hoop_route), (ret_handler), (error), \
                          NULL, 0)

/** hoop_router_new() with a `const hoop_router_options *` as its last argument. */
#define hoop_router_new_with(arena, table, count, ret_handler, error, ...)                       \
    hoop_router_new_sized((arena), (table), (count), sizeof(hoop_route), (ret_handler), (error), \
                          (__VA_ARGS__), sizeof(hoop_router_options))

/** What a JSON document of routes may name: a handler, or a middleware. */
typedef struct hoop_route_part {
    const char *name;                  /**< as the document has it */
    hoop_handler_fn *handler;          /**< for "handler" */
    void *data;                        /**< handed to it */
    const hoop_handler *wrapped;       /**< a built handler, for "handler" and "mount" */
    const hoop_middleware *middleware; /**< for "middleware" */
} hoop_route_part;

/** Reads routes; see hoop_routes_from_json(). */
HOOP_API int hoop_routes_from_json_sized(hoop_arena *arena, hoop_str document,
                                         const hoop_route_part *parts, size_t count,
                                         size_t part_size, const hoop_route **ret_routes,
                                         size_t *ret_count, hoop_error *error);

/**
 * Reads a table from a JSON document: an array of objects with the members of hoop_route: path,
 * method (a text or an array of texts), handler, mount, name, produces, consumes (likewise),
 * max_body, deadline_ms, body ("whole" or "stream"), overlaps (a boolean), middleware (an array of
 * names), routes (an array like this one), and meta (any value; its `meta` is the compact JSON text).
 * Handlers and middleware are names, looked up in `parts`. Unknown names, unknown members and wrong
 * types are refused, with the place in the document. The table is made in `arena`, for hoop_router_new().
 * 0, HOOP_EPARSE, HOOP_EMISSING (an unknown name), HOOP_EINVAL or HOOP_ENOMEM.
 */
#define hoop_routes_from_json(arena, document, parts, count, ret_routes, ret_count, error)      \
    hoop_routes_from_json_sized((arena), (document), (parts), (count), sizeof(hoop_route_part), \
                                (ret_routes), (ret_count), (error))

/* --- what a request knows of its route --------------------------------------------------------- */

/**
 * The route that was chosen for this request, for its middleware and its handler; NULL in front of a
 * router. It is a copy of the row: its path is the whole one, and what the group lends stands in it. Of
 * routers within routers it is the inner one's. Lives with the router.
 */
HOOP_API const hoop_route *hoop_request_route(const hoop_request *req);

/**
 * The group that a route (of hoop_request_route()) or a group stands in, NULL at the top; its `meta` is
 * what the row has. Threads: any.
 */
HOOP_API const hoop_route *hoop_route_group(const hoop_route *route);

/** The media type of `produces` that was negotiated, as it stands there; absent if there is none. */
HOOP_API hoop_str hoop_request_produces(const hoop_request *req);

/**
 * The part of `uri` that mounts have matched, as received; "" outside of mounts. Source: Ring,
 * `:context`.
 */
HOOP_API hoop_str hoop_context(const hoop_request *req);

/**
 * The part of `uri` behind that, beginning with '/'; a mount that was asked for without one gets "/".
 * A router goes by it. A request with another `uri` (hoop_with_uri()) starts anew. Source: Ring,
 * `:path-info`.
 */
HOOP_API hoop_str hoop_path_info(const hoop_request *req);

/* --- from a name to a path --------------------------------------------------------------------- */

/** A list of names and values for the functions below: `HOOP_PAIRS("id", "7")`. C only. */
#define HOOP_PAIRS(...) ((const char *const[]){ __VA_ARGS__, NULL })

/**
 * The path of the route `name`, with its parameters put in and encoded: of the router that the request
 * is in (behind the context it was mounted at), else of one further out. `params` is name, value, name,
 * value ..., NULL (NULL: none); those that the path does not have are left alone. NULL (noted) if there is
 * no such route, or if a value is missing, empty, or does not fit; the note names it.
 */
HOOP_API const char *hoop_path_for(const hoop_request *req, const char *name,
                                   const char *const *params);

/** The same as an absolute URL, with scheme and host as the request names them. */
HOOP_API const char *hoop_url_for(const hoop_request *req, const char *name,
                                  const char *const *params);

/**
 * The same from the router itself: `handler` is what hoop_router_new() gave, or a chain around it. Made
 * in `arena`. 0, HOOP_EMISSING (no such route, or a parameter that is not there), HOOP_EINVAL (a value
 * that does not fit), HOOP_ENOMEM. Threads: any.
 */
HOOP_API int hoop_router_path_for(hoop_arena *arena, hoop_handler handler, const char *name,
                                  const char *const *params, hoop_str *ret_path, hoop_error *error);

/**
 * `pairs` (name, value, name, value ..., NULL) as a query string without '?': "a=b&a=c+d". A NULL value
 * gives "a=". NULL (noted) if out of memory.
 */
HOOP_API const char *hoop_query_for(const hoop_request *req, const char *const *pairs);

/* --- looking at a router ------------------------------------------------------------------------ */

/** How hoop_router_print() writes. */
#define HOOP_PRINT_TABLE 0u /**< a line per route, in the order of the table */
#define HOOP_PRINT_JSON  1u /**< an array of objects, likewise */
#define HOOP_PRINT_TREE  2u /**< segments, indented, in the order in which they are tried */

/**
 * The routes of a router (or of the first one within a chain) as text. `format` is one of
 * HOOP_PRINT_*. Absent if out of memory, or if there is no router. Threads: any.
 */
HOOP_API hoop_str hoop_router_print(hoop_arena *arena, hoop_handler handler, uint32_t format);

/**
 * What a router would do with a request, as text: a line per route, why it does not match or that it
 * does, and the outcome. Conditions as above. Headers are not looked at. Threads: any.
 */
HOOP_API hoop_str hoop_router_explain(hoop_arena *arena, hoop_handler handler, const char *method,
                                      const char *path);

/* --- handlers that pick a handler ---------------------------------------------------------------- */

/** A row of hoop_pick_new(): all that is given must hold. */
typedef struct hoop_pick {
    const char *host;            /**< "example.org", or "*.example.org" for all below; NULL: any */
    const char *scheme;          /**< "https"; NULL: any */
    const char *header;          /**< a header that must be there; NULL: none */
    const char *value;           /**< what it must be, case aside; NULL: anything */
    const hoop_handler *handler; /**< who gets the request */
    uint32_t port;               /**< as hoop_server_port() has it; 0: any */
    uint32_t reserved;           /**< zero */
} hoop_pick;

/** Builds a picking handler; see hoop_pick_new(). */
HOOP_API int hoop_pick_new_sized(hoop_arena *arena, const hoop_pick *table, size_t count,
                                 size_t row_size, hoop_handler *ret_handler, hoop_error *error);

/**
 * A handler that gives a request to the first row of the table that fits, and to the next one if that
 * passes; hoop_pass() if none does. Where headers are looked at, Vary says so. Refuses rows without
 * handler, and what is no host, scheme or header name. Table and texts are copied. 0, or a negative code.
 */
#define hoop_pick_new(arena, table, count, ret_handler, error) \
    hoop_pick_new_sized((arena), (table), (count), sizeof(hoop_pick), (ret_handler), (error))

/* --- replacing a handler while requests run -------------------------------------------------------- */

/** A place for a handler that can be replaced while requests run. */
typedef struct hoop_live hoop_live;

/**
 * A handler that hands each request to the one that `live` holds at the time: first `handler`, whose
 * memory is `generation` (taken over: freed when it was replaced and its last request has ended, or
 * with `arena`; NULL: it lives elsewhere). Made in `arena`, which outlives the server.
 * 0 and both outputs, or a negative code; then `generation` is still the caller's.
 */
HOOP_API int hoop_live_new(hoop_arena *arena, hoop_handler handler, hoop_arena *generation,
                           hoop_live **ret_live, hoop_handler *ret_handler, hoop_error *error);

/**
 * Puts `handler` in place of the one before. Each loop goes over to it soon, on its own; requests that
 * have begun end with what they began with. The new one may need of the middleware around it only what
 * the first one needed. `generation` as above. 0, or a code and a text; then nothing has changed and
 * `generation` is still the caller's. Threads: any.
 */
HOOP_API int hoop_live_replace(hoop_live *live, hoop_handler handler, hoop_arena *generation,
                               hoop_error *error);

/** How many generations are not yet freed, the present one included. Threads: any. */
HOOP_API size_t hoop_live_generations(hoop_live *live);

HOOP_END_DECLS

#endif
