/* The router's handler: finds the route of a request, leaves the match in it, and calls the route. */
#include "handler/router.h"

#include "codec/list.h"
#include "value/pending.h"

#include <string.h>

const char hoop__match_key = 0;

static const struct hoop__router *router_of(const struct hoop__node *node)
{
    return (const struct hoop__router *)(const void *)node; /* its first member */
}

const struct hoop__match *hoop__match_of(const hoop_request *req)
{
    return hoop_get(req, &hoop__match_key);
}

/* --- the path that the router goes by -------------------------------------------------------- */

struct place {
    hoop_str context;
    hoop_str path;
    const struct hoop__match *parent;
};

/* What mounts have left of the path; all of it if there were none, or if the request was rewritten since. */
static struct place place_of(const hoop_request *req)
{
    const struct hoop__match *m = hoop__match_of(req);
    struct place place = { hoop_str_n("", 0), req->uri, m };
    if (m && m->uri == req->uri.data) {
        place.context = m->context;
        place.path = m->path_info;
    }
    return place;
}

/* --- the match ------------------------------------------------------------------------------- */

/* All that the router knows of a request, in one piece of the exchange's arena. */
struct matched {
    struct hoop__request request;
    struct hoop__attribute attribute;
    struct hoop__match match;
};

static char *put_text(char *out, hoop_str text, hoop_str *ret)
{
    memcpy(out, text.data, text.len);
    out[text.len] = 0;
    *ret = hoop_str_n(out, text.len);
    return out + text.len + 1;
}

/* How much of the path the fixed part of a mount has taken. */
static size_t mounted_len(const struct hoop__row *row, hoop_str path)
{
    const char *at = path.data, *end = path.data + path.len;
    for (uint32_t i = 0; i < row->path.segment_count; i++) {
        at = memchr(at + 1, '/', (size_t)(end - at - 1));
        if (!at)
            return path.len;
    }
    return (size_t)(at - path.data);
}

/* Context and path info behind a mount; the context is copied to `out`. */
static void enter_mount(struct hoop__match *match, const struct place *place, char *out)
{
    size_t taken = mounted_len(match->row, place->path);
    memcpy(out, place->context.data, place->context.len);
    memcpy(out + place->context.len, place->path.data, taken);
    out[place->context.len + taken] = 0;
    match->context = hoop_str_n(out, place->context.len + taken);
    match->path_info = taken < place->path.len
                           ? hoop_str_n(place->path.data + taken, place->path.len - taken)
                           : hoop_str_n("/", 1);
}

/* The match's own part, and a request that has it. */
static inline const hoop_request *put_match(struct matched *all, const hoop_request *req,
                                            const struct place *place)
{
    all->match.parent = place->parent;
    all->match.uri = req->uri.data;
    all->request = *hoop__request_of(req);
    all->attribute.next = all->request.attributes;
    all->attribute.key = &hoop__match_key;
    all->attribute.value = &all->match;
    all->request.attributes = &all->attribute;
    return &all->request.pub;
}

/* The same where there is no parameter, no mount and no media type. */
static inline const hoop_request *with_fixed_match(const hoop_request *req,
                                                   const struct hoop__router *router,
                                                   const struct hoop__row *row,
                                                   const struct place *place)
{
    struct matched *all = hoop__arena_alloc(req->arena, sizeof *all);
    if (!all)
        return hoop__fail_memory(req);
    all->match.router = router;
    all->match.row = row;
    all->match.media = hoop_str_none();
    all->match.values = NULL;
    all->match.value_count = 0;
    all->match.context = place->context;
    all->match.path_info = place->path;
    return put_match(all, req, place);
}

/* The request with the match in it. NULL: out of memory, noted. */
static const hoop_request *with_match(const hoop_request *req, const struct hoop__search *s,
                                      const struct place *place)
{
    const struct hoop__row *row = s->row;
    uint32_t count = row->path.param_count;
    size_t size = sizeof(struct matched) + count * sizeof(hoop_str);
    for (uint32_t i = 0; i < count; i++)
        size += s->values[i].len + 1;
    if (row->pub.mount)
        size += place->context.len + place->path.len + 1;
    struct matched *all = hoop__arena_alloc(req->arena, size);
    if (!all)
        return hoop__fail_memory(req);
    hoop_str *values = (hoop_str *)(void *)(all + 1);
    char *out = (char *)(values + count);
    for (uint32_t i = 0; i < count; i++)
        out = put_text(out, s->values[i], &values[i]);
    if (count && row->path.has_rest && !s->cut) {
        /* Within the rest of a decoded path the cuts become slashes again. */
        char *text = (char *)(uintptr_t)values[count - 1].data;
        for (size_t i = 0; i < values[count - 1].len; i++)
            if (!text[i])
                text[i] = '/';
    }
    struct hoop__match *match = &all->match;
    match->router = s->router;
    match->row = row;
    match->media = s->media;
    match->values = values;
    match->value_count = count;
    match->context = place->context;
    match->path_info = place->path;
    if (row->pub.mount)
        enter_mount(match, place, out);
    return put_match(all, req, place);
}

/* --- calling a route ------------------------------------------------------------------------- */

/* What a route puts in place of the server's limits, to be put back if it passes. */
struct limits {
    uint64_t max_body;
    uint64_t handler_ms;
};

static struct limits set_limits(const hoop_request *req, const struct hoop__row *row)
{
    struct limits old = { 0, 0 };
    struct hoop__exchange *x = hoop__exchange_of(req);
    if (!x || (!row->pub.max_body && !row->pub.deadline_ms))
        return old;
    old.max_body = x->max_body;
    old.handler_ms = x->handler_ms;
    if (row->pub.max_body)
        x->max_body = row->pub.max_body;
    if (row->pub.deadline_ms)
        hoop__exchange_deadline(x, row->pub.deadline_ms);
    return old;
}

static void restore_limits(const hoop_request *req, const struct hoop__row *row, struct limits old)
{
    struct hoop__exchange *x = hoop__exchange_of(req);
    if (!x)
        return;
    if (row->pub.max_body)
        x->max_body = old.max_body;
    if (row->pub.deadline_ms)
        hoop__exchange_deadline(x, old.handler_ms);
}

static const hoop_response *call_row(const hoop_request *req, const struct hoop__search *s,
                                     const struct place *place)
{
    const hoop_request *matched = with_match(req, s, place);
    if (!matched)
        return NULL;
    const hoop_response *res = hoop_call(s->row->stages[0], matched);
    return s->row->produce_count ? hoop__add_vary(req, res, "Accept") : res;
}

/* --- where no route takes the request -------------------------------------------------------- */

struct allow {
    hoop_arena *arena;
    hoop_str text;
};

static void allow(struct allow *allow, hoop_str method)
{
    if (!hoop_str_is_none(allow->text) && !hoop__list_has(allow->text, method))
        allow->text = hoop_arena_printf(allow->arena, "%s%s%.*s", allow->text.data,
                                        allow->text.len ? ", " : "", (int)method.len, method.data);
}

static void allow_row(void *data, const struct hoop__row *row)
{
    for (uint32_t i = 0; i < row->method_count; i++) {
        allow(data, row->method_names[i]);
        if (hoop_str_eq_c(row->method_names[i], "GET"))
            allow(data, hoop_str_c("HEAD"));
    }
}

/* The methods of a path. Absent: out of memory. */
static hoop_str allowed(const hoop_request *req, struct hoop__search *s, const char *start)
{
    struct allow list = { req->arena, hoop_str_c("") };
    s->each = allow_row;
    s->each_data = &list;
    hoop__route_find(s, start);
    s->each = NULL;
    allow(&list, hoop_str_c("OPTIONS"));
    return list.text;
}

/* The response with a header, unless it has that already. */
struct header {
    const char *name;
    const char *value;
};

static const hoop_response *add_missing(const hoop_request *req, const hoop_response *res,
                                        const void *value)
{
    const struct header *header = value;
    if (!hoop_str_is_none(hoop_response_header(res, header->name)))
        return res;
    return hoop_add_header(req, res, header->name, header->value);
}

static const hoop_response *with_missing(const hoop_request *req, const hoop_response *res,
                                         const char *name, const char *value)
{
    struct header *header = hoop_alloc(req, sizeof *header);
    if (!header)
        return NULL;
    header->name = name;
    header->value = value;
    return hoop_then(req, res, add_missing, header);
}

static const hoop_response *wrong_method(const struct hoop__router *router, const hoop_request *req,
                                         const char *methods)
{
    int asked = req->method_number == HOOP_METHOD_OPTIONS;
    hoop_handler handler = asked ? router->allow_options : router->method_not_allowed;
    const hoop_response *res = handler.fn ? hoop_call(handler, req)
                               : asked    ? hoop_respond(req, 204)
                                          : hoop_text_static(req, 405, "Method Not Allowed\n");
    return with_missing(req, res, "Allow", methods);
}

static const hoop_response *wrong_media(const struct hoop__router *router, const hoop_request *req,
                                        const struct hoop__search *s)
{
    const hoop_route *route = &s->closest->pub;
    if (s->unsupported) {
        const hoop_response *res =
            router->unsupported_media.fn
                ? hoop_call(router->unsupported_media, req)
                : hoop_problemf(req, 415, "the body must be of type %s", route->consumes);
        return with_missing(req, res, "Accept", route->consumes);
    }
    const hoop_response *res =
        router->not_acceptable.fn
            ? hoop_call(router->not_acceptable, req)
            : hoop_problemf(req, 406, "this resource can be had as %s", route->produces);
    return hoop__add_vary(req, res, "Accept");
}

/* What the other spelling of a path leads to, and the path as it was asked for. */
struct other {
    struct hoop__search *asked;
    const char *start;
    const struct hoop__row *row;   /* that only the other spelling leads to */
    const struct hoop__row *tried; /* being compared */
    int same;
};

static void compare_row(void *data, const struct hoop__row *row)
{
    struct other *other = data;
    other->same |= row == other->tried;
}

/* A row that the path as it was asked for leads to, too, has had its turn. */
static void note_row(void *data, const struct hoop__row *row)
{
    struct other *other = data;
    other->tried = row;
    other->same = 0;
    other->asked->each = compare_row;
    other->asked->each_data = other;
    hoop__route_find(other->asked, other->start);
    other->asked->each = NULL;
    if (!other->same)
        other->row = row;
}

/* The path with its trailing slash taken away or added, and none of the tricks by which browsers
 * take a path for another host. Absent: there is no such path, or out of memory. */
static hoop_str other_spelling(hoop_arena *arena, hoop_str path)
{
    hoop_str bare = path;
    while (bare.len && bare.data[bare.len - 1] == '/')
        bare.len--;
    int had_slash = bare.len != path.len;
    while (bare.len &&
           (bare.data[0] == '/' || bare.data[0] == '\\' || (unsigned char)bare.data[0] <= ' ')) {
        bare.data++;
        bare.len--;
    }
    if (!bare.len)
        return hoop_str_none();
    return hoop_arena_printf(arena, "/%.*s%s", (int)bare.len, bare.data, had_slash ? "" : "/");
}

/* The redirect to the other spelling of the path; NULL if that leads nowhere else. */
static const hoop_response *redirect(const struct hoop__router *router, const hoop_request *req,
                                     struct hoop__search *s, const struct place *place,
                                     const char *start)
{
    if (router->options.slash != HOOP_SLASH_REDIRECT)
        return NULL;
    hoop_str path = other_spelling(req->arena, place->path);
    struct other other = { .asked = s, .start = start };
    struct hoop__search search = *s;
    const char *other_start;
    if (hoop_str_is_none(path) || hoop__path_open(req->arena, path, &search, &other_start))
        return NULL;
    search.each = note_row;
    search.each_data = &other;
    hoop__route_find(&search, other_start);
    if (!other.row)
        return NULL;
    int get = req->method_number == HOOP_METHOD_GET || req->method_number == HOOP_METHOD_HEAD;
    int query = !hoop_str_is_none(req->query_string);
    const char *location = hoop_printf(req, "%s%s%s%s", place->context.data, path.data,
                                       query ? "?" : "", req->query_string.data);
    return location ? hoop_redirect(req, get ? 301 : 308, location) : NULL;
}

static const hoop_response *no_route(const struct hoop__router *router, const hoop_request *req,
                                     struct hoop__search *s, const struct place *place,
                                     const char *start)
{
    if (s->unsupported || s->unacceptable)
        return wrong_media(router, req, s);
    if (s->refused) {
        hoop_str methods = allowed(req, s, start);
        if (hoop_str_is_none(methods))
            return hoop__fail_memory(req);
        return wrong_method(router, req, methods.data);
    }
    if (req->method_number == HOOP_METHOD_OPTIONS && hoop_str_eq_c(place->path, "*"))
        return wrong_method(router, req, router->all_methods);
    const hoop_response *res = redirect(router, req, s, place, start);
    if (res)
        return res;
    return router->not_found.fn ? hoop_call(router->not_found, req) : hoop_pass(req);
}

/* --- routing --------------------------------------------------------------------------------- */

static const hoop_response *route(const struct hoop__router *router, const hoop_request *req,
                                  uint32_t skip);

/* A pending response whose pass is to be followed by something else. */
struct or_else {
    struct hoop__pending step;
    hoop__or_else_fn *fn;
    void *data;
};

static const hoop_response *apply_or_else(struct hoop__pending *step, const hoop_response *res)
{
    const struct or_else *o = (const struct or_else *)(const void *)step;
    return hoop_is_pass(res) ? o->fn(o->data) : res;
}

const hoop_response *hoop__or_else(const hoop_request *req, const hoop_response *res,
                                   hoop__or_else_fn *fn, void *data)
{
    struct hoop__pending *source = hoop__pending_of(res);
    if (source->consumer || source->root || !hoop__on_loop(req))
        return res;
    struct or_else *o = hoop_alloc(req, sizeof *o);
    if (!o)
        return NULL;
    hoop__pending_init(&o->step, req);
    o->step.apply = apply_or_else;
    o->step.source = source;
    source->consumer = &o->step;
    o->fn = fn;
    o->data = data;
    return &o->step.res.pub;
}

/* Where to go on when the route that was asked passes. */
struct resume {
    const struct hoop__router *router;
    const hoop_request *req;
    const struct hoop__row *row;
    struct limits limits;
    uint32_t skip;
};

static const hoop_response *go_on(void *data)
{
    const struct resume *r = data;
    restore_limits(r->req, r->row, r->limits);
    return route(r->router, r->req, r->skip);
}

/* Nonzero if anything but a pass would follow the candidate at hand. */
static int has_more(const struct hoop__router *router, struct hoop__search *s, const char *start,
                    uint32_t skip)
{
    s->skip = skip;
    return router->not_found.fn || router->options.slash == HOOP_SLASH_REDIRECT ||
           hoop__route_find(s, start) || s->refused || s->unsupported || s->unacceptable;
}

static const hoop_response *resume_later(const struct hoop__router *router, const hoop_request *req,
                                         const hoop_response *res, const struct hoop__row *row,
                                         struct limits limits, uint32_t skip)
{
    struct resume *resume = hoop_alloc(req, sizeof *resume);
    if (!resume)
        return NULL;
    resume->router = router;
    resume->req = req;
    resume->row = row;
    resume->limits = limits;
    resume->skip = skip;
    return hoop__or_else(req, res, go_on, resume);
}

/* Prepares a search. 0, HOOP_EPARSE or HOOP_ENOMEM. */
static int open_search(struct hoop__search *s, const struct hoop__router *router,
                       const hoop_request *req, hoop_str path, const char **ret_start)
{
    s->router = router;
    s->method = req->method_number;
    s->method_name = req->method;
    s->req = req;
    s->each = NULL;
    s->refused = s->unsupported = s->unacceptable = 0;
    return hoop__path_open(req->arena, path, s, ret_start);
}

/* Asks the routes of a request one after another, from the `skip`-th on. */
static const hoop_response *route(const struct hoop__router *router, const hoop_request *req,
                                  uint32_t skip)
{
    struct hoop__search s;
    const char *start;
    struct place place = place_of(req);
    int rc = open_search(&s, router, req, place.path, &start);
    if (rc == HOOP_ENOMEM)
        return hoop__fail_memory(req);
    if (rc)
        return router->bad_path.fn
                   ? hoop_call(router->bad_path, req)
                   : hoop_problem(req, 400, "the path has an escape that is none, or %00");
    for (;; skip++) {
        s.skip = skip;
        s.refused = s.unsupported = s.unacceptable = 0;
        const struct hoop__row *row = hoop__route_find(&s, start);
        if (!row)
            return no_route(router, req, &s, &place, start);
        struct limits limits = set_limits(req, row);
        const hoop_response *res = hoop__pending_look(call_row(req, &s, &place));
        if (hoop_is_pending(res) && has_more(router, &s, start, skip + 1))
            return resume_later(router, req, res, row, limits, skip + 1);
        if (!hoop_is_pass(res))
            return res;
        restore_limits(req, row, limits);
    }
}

/* What the first row gave is not ready: it passes, or is still to come. */
static const hoop_response *behind_first(const struct hoop__router *router, const hoop_request *req,
                                         const struct hoop__row *row, struct limits limits,
                                         const hoop_response *res)
{
    struct hoop__search s;
    const char *start;
    if (hoop_is_pass(res)) {
        restore_limits(req, row, limits);
        return route(router, req, 1);
    }
    if (!open_search(&s, router, req, place_of(req).path, &start) && has_more(router, &s, start, 1))
        return resume_later(router, req, res, row, limits, 1);
    return res;
}

/*
 * The row that comes first for a request, if its path is in the table as it came and nothing but the
 * method has to be looked at; NULL: hoop__route_find() has to tell.
 */
static inline const struct hoop__row *find_fixed(const struct hoop__router *router, uint32_t method,
                                                 hoop_str path)
{
    const struct hoop__leaf *leaf = hoop__map_find(&router->paths, path);
    if (!leaf || method == HOOP_METHOD_HEAD || method == HOOP_METHOD_OTHER ||
        router->options.slash == HOOP_SLASH_BOTH)
        return NULL;
    for (uint32_t i = 0; i < leaf->count; i++) {
        const struct hoop__row *row = leaf->rows[i];
        if (row->methods >> method & 1)
            return row->consume_count || row->produce_count ? NULL : row;
    }
    return NULL;
}

/* A path that stands in the table as it came is found at once; all else by the trie. */
static const hoop_response *call_router(const struct hoop__node *node, const hoop_request *req)
{
    const struct hoop__router *router = router_of(node);
    struct place place = place_of(req);
    const struct hoop__row *row = find_fixed(router, req->method_number, place.path);
    if (!row)
        return route(router, req, 0);
    const hoop_request *matched = with_fixed_match(req, router, row, &place);
    if (!matched)
        return NULL;
    struct limits limits = set_limits(req, row);
    const hoop_response *res = hoop_call(row->stages[0], matched);
    if (!res || hoop__response_of(res)->kind == HOOP__READY)
        return res;
    res = hoop__pending_look(res);
    if (!res || hoop__response_of(res)->kind == HOOP__READY)
        return res;
    return behind_first(router, req, row, limits, res);
}

static void print_router(const struct hoop__node *node, struct hoop__printer *printer)
{
    const struct hoop__router *router = router_of(node);
    hoop__print(printer, "router");
    printer->depth++;
    for (size_t i = 0; i < router->count; i++) {
        const struct hoop__row *row = router->rows[i];
        hoop__print(printer, "%s %s", row->pub.method ? row->pub.method : "*", row->pub.path);
        printer->depth++;
        for (uint32_t k = 0; k < row->stage_count; k++)
            if (hoop__node_of(row->stages[k]))
                hoop__print_handler(printer, row->stages[k]);
        printer->depth--;
    }
    printer->depth--;
}

const struct hoop__node_ops hoop__router_ops = { call_router, print_router, NULL };

/* --- between the chains of groups ------------------------------------------------------------ */

/* Stands at the end of a group's chain. */
struct dispatcher {
    struct hoop__node node;
    const struct hoop__router *router;
    uint32_t stage;
};

static const hoop_response *call_dispatcher(const struct hoop__node *node, const hoop_request *req)
{
    const struct dispatcher *d = (const struct dispatcher *)(const void *)node;
    const struct hoop__match *m = hoop__match_of(req);
    while (m && m->router != d->router)
        m = m->parent;
    if (!m)
        return hoop_fail(req, HOOP_EINVAL, "a middleware handed on a request of another origin");
    return hoop_call(m->row->stages[d->stage], req);
}

static void print_dispatcher(const struct hoop__node *node, struct hoop__printer *printer)
{
    (void)node;
    (void)printer; /* the next stage is printed by the router */
}

hoop_handler hoop__route_dispatcher(hoop_arena *arena, const struct hoop__router *router,
                                    uint32_t next_stage, const struct hoop__summary *summary)
{
    static const struct hoop__node_ops ops = { call_dispatcher, print_dispatcher, NULL };
    struct dispatcher *d = hoop_arena_zalloc(arena, sizeof *d);
    if (!d)
        return hoop_fn(NULL, NULL);
    d->node.ops = &ops;
    d->node.summary = *summary;
    d->router = router;
    d->stage = next_stage;
    return hoop__node_handler(&d->node);
}

hoop_handler hoop__route_leaf(hoop_arena *arena, const hoop_route *route)
{
    hoop_handler leaf = hoop_fn(route->handler, route->data);
    return route->body == HOOP_REQUEST_STREAM ? hoop_streaming(arena, leaf) : leaf;
}

const struct hoop__router *hoop__router_of(hoop_handler handler)
{
    const struct hoop__node *node;
    while ((node = hoop__node_of(handler)) != NULL) {
        if (node->ops == &hoop__router_ops)
            return router_of(node);
        if (!node->ops->inner)
            return NULL;
        handler = node->ops->inner(node);
    }
    return NULL;
}
