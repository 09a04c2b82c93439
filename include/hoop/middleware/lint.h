/** @file
 * Middleware "lint": whether the values that go through it keep the rules.
 */
#ifndef HOOP_MIDDLEWARE_LINT_H
#define HOOP_MIDDLEWARE_LINT_H

#include <hoop/lint.h>
#include <hoop/middleware.h>

HOOP_BEGIN_DECLS

/** Zero means the default given here. */
typedef struct hoop_lint_options {
    const char *outer; /**< who stands further out, for messages: "the server" */
    const char *inner; /**< who stands further in: "the handler" */
} hoop_lint_options;

/** The type of HOOP_LINT(), for tables that are made by hand. */
HOOP_API extern const hoop_middleware_type hoop_lint_type;

/**
 * An entry of a chain: `HOOP_LINT(NULL)`, `HOOP_LINT(&options)`. Options are borrowed; those of a chain live as
 * long as its arena.
 *
 * A request and a response that break the rules (hoop_lint_request(), hoop_lint_response(), which are its pure
 * functions) become a failure, which names who made it: `the response of 'stamp' breaks a rule: ...`. For
 * tests and developers; it costs a look at each header.
 *
 * Needs nothing, provides nothing. Not idempotent: each looks at another place; give each a name, or use
 * hoop_lint_chain_new().
 *
 * Source: Ring, wrap-lint (ring-devel). Unlike there: ws and wss are schemes, and whose value it was is said.
 */
#define HOOP_LINT(...) HOOP_USE(&hoop_lint_type, (__VA_ARGS__), sizeof(hoop_lint_options))

/**
 * hoop_chain_new_sized() with a HOOP_LINT() in front of each entry and of the handler, so that the first who
 * breaks a rule is named.
 */
HOOP_API int hoop_lint_chain_new_sized(hoop_arena *arena, const hoop_middleware *table,
                                       size_t count, size_t entry_size, hoop_handler handler,
                                       hoop_handler *ret_handler, hoop_error *error);

/** hoop_lint_chain_new_sized() with the size of an entry filled in; in place of hoop_chain_new(). */
#define hoop_lint_chain_new(arena, table, count, handler, ret_handler, error)                \
    hoop_lint_chain_new_sized((arena), (table), (count), sizeof(hoop_middleware), (handler), \
                              (ret_handler), (error))

HOOP_END_DECLS

#endif
