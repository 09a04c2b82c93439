/** @file
 * Middleware as constant data, and the chain that is built of it.
 */
#ifndef HOOP_MIDDLEWARE_H
#define HOOP_MIDDLEWARE_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/handler.h>

HOOP_BEGIN_DECLS

/**
 * Wraps a handler: may answer by itself, hand on a derived request, and change the response by
 * hoop_then(). `value` is the entry's value, or what its type built of the options.
 */
typedef const hoop_response *hoop_wrap_fn(const hoop_request *req, hoop_handler next,
                                          const void *value);

/**
 * Makes a middleware's value of its options, once, when the chain is built. `options_size` is the
 * size that the caller's compiler knew. On success sets `*ret_value` (in `arena`) and returns 0.
 */
typedef int hoop_build_fn(hoop_arena *arena, const void *options, size_t options_size,
                          const void **ret_value, hoop_error *error);

/** Mounted twice on one path does no harm: the inner one sees that and does nothing, by itself. */
#define HOOP_IDEMPOTENT 1u

/** A kind of middleware: shared by all its uses, constant. */
typedef struct hoop_middleware_type {
    const char *name;  /**< "params" */
    const char *needs; /**< names that must be provided further out, separated by blanks; or NULL */
    const char
        *provides; /**< names that it provides to what is further in, besides its own; or NULL */
    hoop_wrap_fn *wrap;   /**< the middleware itself */
    hoop_build_fn *build; /**< NULL: the options are the value */
    uint32_t flags;       /**< HOOP_IDEMPOTENT or 0 */
    uint32_t size;        /**< sizeof(hoop_middleware_type), as whoever made the type knows it */
} hoop_middleware_type;

/** One entry of a chain: constant data, made by HOOP_WRAP() or by a macro of its type. */
typedef struct hoop_middleware {
    const hoop_middleware_type *type; /**< NULL: `wrap` says it all */
    const char *name;                 /**< NULL: the type's */
    hoop_wrap_fn *wrap;               /**< for entries without a type */
    const void *options;              /**< of the type, or the value of `wrap` */
    size_t options_size;              /**< what the caller's compiler knows of the options */
    const char *needs;                /**< as in the type, for entries without one */
    const char *provides;             /**< likewise; its own name always is */
} hoop_middleware;

/**
 * An entry of your own: a name, a function, and optionally its value:
 * `HOOP_WRAP("stamp", wrap_stamp, "hoop")`. In C further members may follow: `.needs = "params"`.
 */
#ifdef __cplusplus
static inline hoop_middleware HOOP_WRAP(const char *name, hoop_wrap_fn *wrap,
                                        const void *value = NULL, const char *needs = NULL,
                                        const char *provides = NULL)
{
    hoop_middleware entry = { NULL, name, wrap, value, 0, needs, provides };
    return entry;
}
#else
#define HOOP_WRAP(name_, wrap_, ...)                             \
    {                                                            \
        .name = (name_), .wrap = (wrap_), .options = __VA_ARGS__ \
    }
#endif

/** An entry of a type, with its options (NULL: the defaults). Types have a macro of their own. */
#ifdef __cplusplus
static inline hoop_middleware HOOP_USE(const hoop_middleware_type *type, const void *options = NULL,
                                       size_t options_size = 0)
{
    hoop_middleware entry = { type, NULL, NULL, options, options_size, NULL, NULL };
    return entry;
}
#else
#define HOOP_USE(type_, options_, options_size_)                                \
    {                                                                           \
        .type = (type_), .options = (options_), .options_size = (options_size_) \
    }
#endif

/**
 * Builds the chain of `count` entries around `handler`; the first entry meets the request first. Refuses,
 * naming entries: a need that is provided only further in, the same type or name twice on one path
 * (unless idempotent or named differently), an entry without function. A need that nobody provides
 * stays open for a chain further out; hoop_check() refuses it at the root.
 * Ownership: made in `arena`; the table may go, options and values are borrowed.
 * 0 and `*ret_handler`, or a negative code.
 */
HOOP_API int hoop_chain_new_sized(hoop_arena *arena, const hoop_middleware *table, size_t count,
                                  size_t entry_size, hoop_handler handler,
                                  hoop_handler *ret_handler, hoop_error *error);

/** hoop_chain_new_sized() with the size of an entry filled in. */
#define hoop_chain_new(arena, table, count, handler, ret_handler, error)                \
    hoop_chain_new_sized((arena), (table), (count), sizeof(hoop_middleware), (handler), \
                         (ret_handler), (error))

/**
 * The handler as a text, a line per middleware and route, for logs and tests:
 * what meets a request first stands first. Absent if out of memory.
 */
HOOP_API hoop_str hoop_chain_print(hoop_arena *arena, hoop_handler handler);

HOOP_END_DECLS

#endif
