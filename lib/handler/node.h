/* Handlers that the library makes: one function, and nodes that say what they are. */
#ifndef HOOP_HANDLER_NODE_H
#define HOOP_HANDLER_NODE_H

#include "value/exchange.h"

#include <hoop/handler.h>
#include <hoop/middleware.h>

struct hoop__node;
struct hoop__printer;

/* What kinds of node do. */
struct hoop__node_ops {
    const hoop_response *(*call)(const struct hoop__node *node, const hoop_request *req);
    /* Writes what it is and what is behind it; see print.c. */
    void (*print)(const struct hoop__node *node, struct hoop__printer *printer);
    /* The one handler that it is around, for who looks for a router; NULL: there is none. */
    hoop_handler (*inner)(const struct hoop__node *node);
};

/* Something that a middleware needs and that nothing so far provides. */
struct hoop__need {
    struct hoop__need *next;
    const char *name;     /* what is needed */
    const char *by;       /* the middleware that needs it */
    const char *route;    /* the route it is mounted on; NULL: none */
    const char *provider; /* who provides it, but further in; NULL: nobody */
};

/* A middleware that stands on some path through a handler. */
struct hoop__mount {
    struct hoop__mount *next;
    const struct hoop_middleware_type *type; /* NULL: of its own */
    const char *name;
    const char *provides; /* further names; NULL: none */
};

/* What is known of all paths through a handler; the lists are shared, never changed. */
struct hoop__summary {
    const struct hoop__need *needs; /* open ones */
    const struct hoop__mount *mounts;
};

/* The first member of every node; what `data` of such a handler points to. */
struct hoop__node {
    const struct hoop__node_ops *ops;
    struct hoop__summary summary;
    const hoop_error *broken; /* why it could not be made; NULL: it was */
};

/* The function of all handlers that are nodes. */
const hoop_response *hoop__node_fn(const hoop_request *req, void *node);

/* Calls the hoop_handler that `data` points to; what a server's root is made of. */
const hoop_response *hoop__root_fn(const hoop_request *req, void *data);

/* The node behind a handler; NULL for a plain function. */
const struct hoop__node *hoop__node_of(hoop_handler handler);

static inline hoop_handler hoop__node_handler(const struct hoop__node *node)
{
    return hoop_fn(hoop__node_fn, (void *)(uintptr_t)node);
}

/* What is known of a handler; nothing of a plain function. */
struct hoop__summary hoop__summary_of(hoop_handler handler);

/* Refuses empty and broken handlers. 0, or a code and a text. `what` begins the text. */
int hoop__handler_usable(hoop_handler handler, const char *what, hoop_error *error);

/* A handler that fails with this error, and that hoop_check() refuses. */
hoop_handler hoop__broken(hoop_arena *arena, int code, const char *text);

/* Text being printed, with how deep it stands. */
struct hoop__printer {
    hoop_arena *arena;
    char *text;
    size_t len;
    size_t cap;
    int depth;
    int failed;
};

void hoop__print(struct hoop__printer *printer, const char *format, ...) HOOP_PRINTF(2, 3);
void hoop__print_handler(struct hoop__printer *printer, hoop_handler handler);

#endif
