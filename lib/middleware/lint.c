/* Middleware "lint": see hoop/middleware/lint.h. */
#include "middleware/middleware.h"

#include <hoop/middleware/lint.h>

#include <string.h>

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    const hoop_lint_options *options = value;
    hoop_error error;
    if (hoop_lint_response(req, res, &error) == 0)
        return res;
    return hoop_fail(req, error.code, "the response of '%s' breaks a rule: %s", options->inner,
                     error.text);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_lint_options *options = value;
    hoop_error error;
    if (hoop_lint_request(req, &error))
        return hoop_fail(req, error.code, "the request that '%s' gives to '%s' breaks a rule: %s",
                         options->outer, options->inner, error.text);
    return hoop_then(req, hoop_call(next, req), respond, value);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_lint_options *own = hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (!own->outer)
        own->outer = "the server";
    if (!own->inner)
        own->inner = "the handler";
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_lint_type = {
    .name = "lint",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

/* --- a whole chain --------------------------------------------------------------------------- */

/* The entries of a table whose entries the caller's compiler knew with another size. */
static hoop_middleware entry_at(const hoop_middleware *table, size_t index, size_t entry_size)
{
    hoop_middleware entry;
    memset(&entry, 0, sizeof entry);
    memcpy(&entry, (const char *)table + index * entry_size,
           entry_size < sizeof entry ? entry_size : sizeof entry);
    return entry;
}

static const char *name_of(const hoop_middleware *entry)
{
    if (entry->name)
        return entry->name;
    return entry->type && entry->type->name ? entry->type->name : "?";
}

/* A look at what passes between two entries, under a name of its own. 0, or HOOP_ENOMEM. */
static int add_look(hoop_arena *arena, size_t index, const char *outer, const char *inner,
                    hoop_middleware *ret_entry)
{
    hoop_lint_options *options = hoop_arena_zalloc(arena, sizeof *options);
    hoop_str name = hoop_arena_printf(arena, "lint %zu", index);
    if (!options || hoop_str_is_none(name))
        return HOOP_ENOMEM;
    options->outer = outer;
    options->inner = inner;
    memset(ret_entry, 0, sizeof *ret_entry);
    ret_entry->type = &hoop_lint_type;
    ret_entry->name = name.data;
    ret_entry->options = options;
    ret_entry->options_size = sizeof *options;
    return 0;
}

int hoop_lint_chain_new_sized(hoop_arena *arena, const hoop_middleware *table, size_t count,
                              size_t entry_size, hoop_handler handler, hoop_handler *ret_handler,
                              hoop_error *error)
{
    hoop_middleware *all = hoop_arena_alloc(arena, (2 * count + 1) * sizeof *all);
    const char *outer = NULL;
    int rc = all ? 0 : HOOP_ENOMEM;
    for (size_t i = 0; !rc && i <= count; i++) {
        const char *inner = NULL;
        if (i < count) {
            all[2 * i + 1] = entry_at(table, i, entry_size);
            inner = name_of(&all[2 * i + 1]);
        }
        rc = add_look(arena, i, outer, inner, &all[2 * i]);
        outer = inner;
    }
    if (rc)
        return hoop_error_set(error, rc, "out of memory");
    return hoop_chain_new(arena, all, 2 * count + 1, handler, ret_handler, error);
}
