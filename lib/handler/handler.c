/* Calling handlers: nodes at the head of a request, plain functions with the body read. */
#include "handler/node.h"

#include <hoop/body.h>

/* --- calling --------------------------------------------------------------------------------- */

/* A plain function's answer. A note that led to no failure is taken away: it explains nothing. */
static const hoop_response *call_leaf(hoop_handler handler, const hoop_request *req)
{
    const hoop_response *res = handler.fn(req, handler.data);
    const hoop_error **note = hoop__request_of(req)->note;
    if (res && *note)
        *note = NULL;
    return res;
}

static const hoop_response *leaf_with_body(const hoop_request *req, hoop_str body, void *data)
{
    (void)body; /* the handler asks by hoop_body() */
    return call_leaf(*(const hoop_handler *)data, req);
}

static const hoop_response *read_then_call(hoop_handler handler, const hoop_request *req)
{
    hoop_handler *kept = hoop_alloc(req, sizeof *kept);
    if (!kept)
        return NULL;
    *kept = handler;
    return hoop_read_body(req, 0, leaf_with_body, kept);
}

/* Not if a middleware has read it as a stream to its end: what it made of it is what the leaf gets. */
static int has_body_to_read(const hoop_request *req)
{
    const struct hoop__exchange *x = hoop__exchange_of(req);
    return x && x->body.state != HOOP__BODY_ABSENT && x->body.state != HOOP__BODY_COMPLETE &&
           x->body.state != HOOP__BODY_CONSUMED;
}

const hoop_response *hoop_call(hoop_handler handler, const hoop_request *req)
{
    if (!req)
        return NULL;
    if (handler.fn == hoop__node_fn) {
        const struct hoop__node *node = handler.data;
        return node->ops->call(node, req);
    }
    if (!handler.fn)
        return hoop_fail(req, HOOP_EINVAL, "the handler is empty");
    return has_body_to_read(req) ? read_then_call(handler, req) : call_leaf(handler, req);
}

const hoop_response *hoop__node_fn(const hoop_request *req, void *node)
{
    const struct hoop__node *n = node;
    return req ? n->ops->call(n, req) : NULL;
}

const hoop_response *hoop__root_fn(const hoop_request *req, void *data)
{
    return hoop_call(*(const hoop_handler *)data, req);
}

/* --- nodes ----------------------------------------------------------------------------------- */

const struct hoop__node *hoop__node_of(hoop_handler handler)
{
    return handler.fn == hoop__node_fn ? handler.data : NULL;
}

struct hoop__summary hoop__summary_of(hoop_handler handler)
{
    const struct hoop__node *node = hoop__node_of(handler);
    struct hoop__summary nothing = { NULL, NULL };
    return node ? node->summary : nothing;
}

static const hoop_response *call_broken(const struct hoop__node *node, const hoop_request *req)
{
    return hoop_fail(req, node->broken->code, "%s", node->broken->text);
}

static void print_broken(const struct hoop__node *node, struct hoop__printer *printer)
{
    hoop__print(printer, "broken: %s", node->broken->text);
}

static const struct hoop__node_ops broken_ops = { call_broken, print_broken };

hoop_handler hoop__broken(hoop_arena *arena, int code, const char *text)
{
    struct {
        struct hoop__node node;
        hoop_error error;
    } *both = hoop_arena_zalloc(arena, sizeof *both);
    if (!both)
        return hoop_fn(NULL, NULL);
    hoop_error_set(&both->error, code, "%s", text);
    both->node.ops = &broken_ops;
    both->node.broken = &both->error;
    return hoop__node_handler(&both->node);
}

/* --- checking -------------------------------------------------------------------------------- */

int hoop__handler_usable(hoop_handler handler, const char *what, hoop_error *error)
{
    if (!handler.fn)
        return hoop_error_set(error, HOOP_EINVAL, "%s is empty (no function, or out of memory)",
                              what);
    const struct hoop__node *node = hoop__node_of(handler);
    if (node && node->broken)
        return hoop_error_set(error, node->broken->code, "%s: %s", what, node->broken->text);
    return 0;
}

int hoop_check(hoop_handler handler, hoop_error *error)
{
    int rc = hoop__handler_usable(handler, "the handler", error);
    if (rc)
        return rc;
    const struct hoop__need *need = hoop__summary_of(handler).needs;
    if (!need)
        return 0;
    if (need->route)
        return hoop_error_set(error, HOOP_EMISSING,
                              "middleware '%s' of route '%s' needs '%s', which nothing further out "
                              "provides",
                              need->by, need->route, need->name);
    return hoop_error_set(error, HOOP_EMISSING,
                          "middleware '%s' needs '%s', which nothing further out provides",
                          need->by, need->name);
}
