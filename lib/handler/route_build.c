/* Tables opened into rows: groups, inherited members, chains, and what is wrong with each of them. */
#include "handler/router.h"

#include <stdarg.h>
#include <string.h>

#define MAX_DEPTH 32 /* of groups in groups */

/* --- problems -------------------------------------------------------------------------------- */

void hoop__route_problem(struct hoop__route_build *build, int code, const struct hoop__row *a,
                         const struct hoop__row *b, const char *format, ...)
{
    build->problem_count++;
    if (!build->code)
        build->code = code;
    va_list args;
    va_start(args, format);
    struct hoop__problem *problem = hoop_arena_zalloc(build->scratch, sizeof *problem);
    hoop_str text = hoop_arena_vprintf(build->scratch, format, args);
    va_end(args);
    if (!problem || hoop_str_is_none(text)) {
        build->out_of_memory = 1;
        return;
    }
    problem->a = a;
    problem->b = b;
    problem->text = text;
    *build->last_problem = problem;
    build->last_problem = &problem->next;
}

static void row_problem(struct hoop__route_build *build, const struct hoop__row *row, int code,
                        const char *text)
{
    if (code == HOOP_ENOMEM) {
        build->out_of_memory = 1;
        return;
    }
    const char *name = row->pub.name;
    const char *path = row->pub.path ? row->pub.path : "(null)";
    /* A path that fills the message would leave no room for what is wrong with it. */
    const char *cut = strlen(path) > HOOP__SHOWN_PATH ? "..." : "";
    hoop__route_problem(build, code, NULL, NULL, "route %s %s '%.*s%s'%s%s%s: %s", row->index,
                        row->pub.method ? row->pub.method : "*", (int)HOOP__SHOWN_PATH, path, cut,
                        name ? " ('" : "", name ? name : "", name ? "')" : "", text);
}

static void group_problem(struct hoop__route_build *build, const struct hoop__route_group *group,
                          int code, const char *text)
{
    if (code == HOOP_ENOMEM)
        build->out_of_memory = 1;
    else
        hoop__route_problem(build, code, NULL, NULL, "group %s '%s': %s", group->index,
                            group->pub.path ? group->pub.path : "", text);
}

/* --- what rows have of their groups ---------------------------------------------------------- */

/* A copy of a text of the table, NULL for NULL. */
static const char *keep(struct hoop__route_build *build, const char *text)
{
    const char *copy = text ? hoop_arena_strdup(build->arena, text) : NULL;
    if (text && !copy)
        build->out_of_memory = 1;
    return copy;
}

/* The prefix and the path of a row, with one slash where both have one. NULL: out of memory. */
static const char *join(struct hoop__route_build *build, const char *prefix, const char *path)
{
    size_t len = strlen(prefix);
    if (len && prefix[len - 1] == '/' && path[0] == '/')
        len--;
    hoop_str joined = hoop_arena_printf(build->arena, "%.*s%s", (int)len, prefix, path);
    if (hoop_str_is_none(joined))
        build->out_of_memory = 1;
    return joined.data;
}

/* Fills what a row leaves out, and copies its texts. `group` is what it stands in. */
static void inherit(struct hoop__route_build *build, hoop_route *row, const hoop_route *group)
{
    row->method = keep(build, row->method);
    row->name = keep(build, row->name);
    row->path = row->path ? join(build, group->path, row->path) : NULL;
    row->produces = row->produces ? keep(build, row->produces) : group->produces;
    row->consumes = row->consumes ? keep(build, row->consumes) : group->consumes;
    if (!row->meta)
        row->meta = group->meta;
    if (!row->max_body)
        row->max_body = group->max_body;
    if (!row->deadline_ms)
        row->deadline_ms = group->deadline_ms;
    if (!row->body)
        row->body = group->body;
    row->flags |= group->flags;
}

/* A row as the caller's compiler knew it, in whole. */
static hoop_route read_row(const hoop_route *table, size_t index, size_t row_size)
{
    hoop_route row;
    memset(&row, 0, sizeof row);
    memcpy(&row, (const char *)table + index * row_size,
           row_size < sizeof row ? row_size : sizeof row);
    return row;
}

static const char *index_of(struct hoop__route_build *build, const struct hoop__route_group *group,
                            size_t i)
{
    hoop_str s = group->index ? hoop_arena_printf(build->arena, "%s.%zu", group->index, i)
                              : hoop_arena_printf(build->arena, "%zu", i);
    if (hoop_str_is_none(s))
        build->out_of_memory = 1;
    return s.data;
}

/* --- summaries ------------------------------------------------------------------------------- */

static int join_needs(hoop_arena *arena, struct hoop__summary *all, const struct hoop__need *more,
                      const char *route)
{
    for (const struct hoop__need *n = more; n; n = n->next) {
        const struct hoop__need *same = all->needs;
        while (same && (strcmp(same->name, n->name) != 0 || strcmp(same->by, n->by) != 0))
            same = same->next;
        if (same)
            continue; /* of many routes with the same need one is named */
        struct hoop__need *copy = hoop_arena_alloc(arena, sizeof *copy);
        if (!copy)
            return HOOP_ENOMEM;
        *copy = *n;
        copy->route = n->route ? n->route : route;
        copy->next = (struct hoop__need *)(uintptr_t)all->needs;
        all->needs = copy;
    }
    return 0;
}

int hoop__summary_join(hoop_arena *arena, struct hoop__summary *all,
                       const struct hoop__summary *more, const char *route)
{
    if (join_needs(arena, all, more->needs, route))
        return HOOP_ENOMEM;
    for (const struct hoop__mount *m = more->mounts; m; m = m->next) {
        const struct hoop__mount *same = all->mounts;
        while (same && (same->type != m->type || strcmp(same->name, m->name) != 0))
            same = same->next;
        if (same)
            continue;
        struct hoop__mount *copy = hoop_arena_alloc(arena, sizeof *copy);
        if (!copy)
            return HOOP_ENOMEM;
        *copy = *m;
        copy->next = (struct hoop__mount *)(uintptr_t)all->mounts;
        all->mounts = copy;
    }
    return 0;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* The methods of a row: names, separated by blanks or commas. */
static void set_methods(struct hoop__route_build *build, struct hoop__row *row)
{
    static const char between[] = " ,";
    row->methods = HOOP__ANY_METHOD;
    if (!row->pub.method)
        return;
    hoop_str *names = hoop_arena_alloc(build->arena, (strlen(row->pub.method) + 1) * sizeof *names);
    if (!names) {
        build->out_of_memory = 1;
        return;
    }
    row->methods = 0;
    row->method_names = names;
    const char *at = row->pub.method + strspn(row->pub.method, between);
    while (*at) {
        hoop_str name;
        size_t len = strcspn(at, between);
        if (hoop__arena_copy(build->arena, hoop_str_n(at, len), &name)) {
            build->out_of_memory = 1;
            return;
        }
        if (!hoop__is_token(name))
            row_problem(build, row, HOOP_EINVAL, "its method is no token");
        names[row->method_count++] = name;
        uint32_t number = hoop__method_number(name);
        row->methods |= 1u << number;
        if (number == HOOP_METHOD_GET)
            row->methods |= 1u << HOOP_METHOD_HEAD;
        at += len;
        at += strspn(at, between);
    }
    if (!row->method_count)
        row_problem(build, row, HOOP_EINVAL, "its method is empty; NULL stands for all methods");
}

static void set_media(struct hoop__route_build *build, struct hoop__row *row, int own_consumes)
{
    hoop_error error;
    int rc;
    if (row->pub.produces) {
        rc = hoop__route_media_parse(build->arena, row->pub.produces, &row->produces,
                                     &row->produce_count, &error);
        if (rc)
            row_problem(build, row, rc, error.text);
    }
    if (row->pub.consumes) {
        rc = hoop__route_media_parse(build->arena, row->pub.consumes, &row->consumes,
                                     &row->consume_count, &error);
        if (rc)
            row_problem(build, row, rc, error.text);
    }
    row->needs_body_type = own_consumes ? 1 : 0;
}

/* The leaf and the route's own middleware around it. */
static int set_handler(struct hoop__route_build *build, struct hoop__row *row)
{
    hoop_error error;
    const hoop_handler *built = row->pub.wrapped ? row->pub.wrapped : row->pub.mount;
    row->handler = built ? *built : hoop__route_leaf(build->arena, &row->pub);
    int rc = !built && !row->handler.fn ? hoop_error_set(&error, HOOP_ENOMEM, "out of memory")
                                        : hoop__handler_usable(row->handler, "its handler", &error);
    if (!rc && row->pub.middleware_count)
        rc = hoop_chain_new_sized(build->arena, row->pub.middleware, row->pub.middleware_count,
                                  row->pub.middleware_size ? row->pub.middleware_size
                                                           : sizeof(hoop_middleware),
                                  row->handler, &row->handler, &error);
    if (rc)
        row_problem(build, row, rc, error.text);
    return rc;
}

static void set_name(struct hoop__route_build *build, struct hoop__row *row)
{
    hoop_str name = hoop_str_c(row->pub.name);
    if (!row->pub.name)
        return;
    const struct hoop__row *other = hoop__map_find(&build->router->names, name);
    if (other) {
        hoop_str text =
            hoop_arena_printf(build->scratch, "route %s '%s' has the same name: names are unique",
                              other->index, other->pub.path);
        row_problem(build, row, hoop_str_is_none(text) ? HOOP_ENOMEM : HOOP_ECONFLICT, text.data);
    } else if (hoop__map_add(build->arena, &build->router->names, name, row)) {
        build->out_of_memory = 1;
    }
}

/* Whether it is a route, a group or a mount, and only one of them. */
static const char *check_kind(const hoop_route *row)
{
    int kinds = (row->handler != NULL) + (row->wrapped != NULL) + (row->mount != NULL) +
                (row->routes != NULL);
    if (!row->path)
        return "it has no path";
    if (kinds == 0)
        return "it has no handler";
    if (kinds > 1)
        return "it may have one of handler, wrapped, mount and routes, not several";
    if (row->middleware_count && !row->middleware)
        return "its middleware is NULL, but the count is not 0";
    if (row->body != HOOP_REQUEST_WHOLE && row->body != HOOP_REQUEST_STREAM)
        return "its body is none of HOOP_REQUEST_*";
    if (row->flags & ~HOOP_ROUTE_OVERLAPS)
        return "its flags are none of HOOP_ROUTE_*";
    return NULL;
}

static int add_row(struct hoop__route_build *build, struct hoop__row *row)
{
    struct hoop__router *router = build->router;
    if (router->count == build->row_cap) {
        size_t cap = build->row_cap ? build->row_cap * 2 : 16;
        struct hoop__row **rows = hoop_arena_alloc(build->arena, cap * sizeof *rows);
        if (!rows)
            return HOOP_ENOMEM;
        if (router->count)
            memcpy(rows, router->rows, router->count * sizeof *rows);
        router->rows = rows;
        build->row_cap = cap;
    }
    row->order = (uint32_t)router->count;
    router->rows[router->count++] = row;
    return hoop__trie_add(build->arena, &router->trie, row);
}

static void open_row(struct hoop__route_build *build, const hoop_route *given, const char *index,
                     const struct hoop__route_group *group, struct hoop__summary *summary)
{
    struct hoop__row *row = hoop_arena_zalloc(build->arena, sizeof *row);
    if (!row) {
        build->out_of_memory = 1;
        return;
    }
    row->pub = *given;
    row->group = group;
    row->index = index;
    inherit(build, &row->pub, &group->pub);
    const char *wrong = check_kind(&row->pub);
    if (wrong) {
        row_problem(build, row, HOOP_EINVAL, wrong);
        return;
    }
    hoop_error error;
    int rc = hoop__template_parse(build->arena, &build->types, hoop_str_c(row->pub.path),
                                  row->pub.mount != NULL, &row->path, &error);
    if (rc) {
        row_problem(build, row, rc, error.text);
        return;
    }
    set_methods(build, row);
    set_media(build, row, given->consumes != NULL);
    set_name(build, row);
    if (set_handler(build, row))
        return;
    struct hoop__summary own = hoop__summary_of(row->handler);
    if (hoop__summary_join(build->arena, summary, &own,
                           row->pub.name ? row->pub.name : row->pub.path) ||
        add_row(build, row))
        build->out_of_memory = 1;
    /* What the table has may go; it is all in the handler now. */
    row->pub.middleware = NULL;
    row->pub.middleware_count = 0;
    row->pub.wrapped = NULL;
}

/* --- groups ---------------------------------------------------------------------------------- */

/* The group's middleware around what calls the next stage of whatever row was matched. */
static void build_group_chain(struct hoop__route_build *build, struct hoop__route_group *group,
                              struct hoop__summary *summary)
{
    hoop_error error;
    const hoop_route *pub = &group->pub;
    hoop_handler inner =
        hoop__route_dispatcher(build->arena, build->router, group->level + 1, summary);
    if (!inner.fn) {
        build->out_of_memory = 1;
        return;
    }
    int rc =
        hoop_chain_new_sized(build->arena, pub->middleware, pub->middleware_count,
                             pub->middleware_size ? pub->middleware_size : sizeof(hoop_middleware),
                             inner, &group->chain, &error);
    if (rc)
        group_problem(build, group, rc, error.text);
    else
        *summary = hoop__summary_of(group->chain);
}

static void open_group(struct hoop__route_build *build, const hoop_route *given, const char *index,
                       const struct hoop__route_group *parent, struct hoop__summary *all)
{
    struct hoop__route_group *group = hoop_arena_zalloc(build->arena, sizeof *group);
    if (!group) {
        build->out_of_memory = 1;
        return;
    }
    group->pub = *given;
    group->parent = parent;
    group->index = index;
    int parent_has_chain = parent->pub.middleware_count != 0;
    group->level = parent->level + (uint32_t)parent_has_chain;
    inherit(build, &group->pub, &parent->pub);
    const char *wrong = check_kind(&group->pub);
    if (!wrong && given->method)
        wrong = "a group has no method: give it to its routes";
    uint32_t depth = 0;
    for (const struct hoop__route_group *g = parent; g; g = g->parent)
        depth++;
    if (!wrong && depth > MAX_DEPTH)
        wrong = "groups are nested too deeply";
    if (wrong) {
        group_problem(build, group, HOOP_EINVAL, wrong);
        return;
    }
    struct hoop__summary summary = { NULL, NULL };
    hoop__route_table(build, given->routes, given->route_count,
                      given->route_size ? given->route_size : sizeof(hoop_route), group, &summary);
    if (group->pub.middleware_count && !build->out_of_memory)
        build_group_chain(build, group, &summary);
    if (hoop__summary_join(build->arena, all, &summary, group->pub.path))
        build->out_of_memory = 1;
    group->pub.routes = NULL;
    group->pub.route_count = 0;
    group->pub.middleware = NULL;
}

void hoop__route_table(struct hoop__route_build *build, const hoop_route *table, size_t count,
                       size_t row_size, struct hoop__route_group *group,
                       struct hoop__summary *summary)
{
    for (size_t i = 0; i < count && !build->out_of_memory; i++) {
        hoop_route row = read_row(table, i, row_size);
        const char *index = index_of(build, group, i);
        if (row.routes)
            open_group(build, &row, index, group, summary);
        else
            open_row(build, &row, index, group, summary);
    }
}
