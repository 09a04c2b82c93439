/* Building a router of a table: from opened groups to the finished, immutable handler. */
#include "handler/router.h"

#include "codec/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern const struct hoop__node_ops hoop__router_ops;

/* --- options --------------------------------------------------------------------------------- */

static int use_handler(const hoop_handler *given, const char *what, hoop_handler *ret_handler,
                       struct hoop__route_build *build, struct hoop__summary *summary,
                       hoop_error *error)
{
    if (!given)
        return 0;
    int rc = hoop__handler_usable(*given, what, error);
    if (rc)
        return rc;
    struct hoop__summary own = hoop__summary_of(*given);
    *ret_handler = *given;
    if (hoop__summary_join(build->arena, summary, &own, what))
        build->out_of_memory = 1;
    return 0;
}

/* The handlers that take the place of the defaults. */
static int use_handlers(struct hoop__route_build *build, struct hoop__summary *summary,
                        hoop_error *error)
{
    struct hoop__router *r = build->router;
    const struct {
        const hoop_handler *given;
        const char *what;
        hoop_handler *ret;
    } all[] = {
        { r->options.not_found, "the router's not_found", &r->not_found },
        { r->options.method_not_allowed, "the router's method_not_allowed",
          &r->method_not_allowed },
        { r->options.options, "the router's options", &r->allow_options },
        { r->options.not_acceptable, "the router's not_acceptable", &r->not_acceptable },
        { r->options.unsupported_media, "the router's unsupported_media", &r->unsupported_media },
        { r->options.bad_path, "the router's bad_path", &r->bad_path },
    };
    for (size_t i = 0; i < HOOP_COUNT(all); i++) {
        int rc = use_handler(all[i].given, all[i].what, all[i].ret, build, summary, error);
        if (rc)
            return rc;
    }
    return 0;
}

static int check_options(const hoop_router_options *options, hoop_error *error)
{
    if (options->slash > HOOP_SLASH_BOTH)
        return hoop_error_set(error, HOOP_EINVAL, "slash is %u, not one of HOOP_SLASH_*",
                              (unsigned)options->slash);
    if (options->flags & ~HOOP_ROUTE_OVERLAPS)
        return hoop_error_set(error, HOOP_EINVAL, "the flags are none of HOOP_ROUTE_*");
    if (options->type_count && !options->types)
        return hoop_error_set(error, HOOP_EINVAL, "types is NULL, but type_count is not 0");
    return 0;
}

/* --- the last steps -------------------------------------------------------------------------- */

/* The chains that each row's request goes through: those of its groups, then its own. */
static int set_stages(hoop_arena *arena, struct hoop__row *row)
{
    uint32_t count = 1;
    for (const struct hoop__route_group *g = row->group; g; g = g->parent)
        count += g->chain.fn != NULL;
    row->stage_count = count;
    row->stages = &row->handler;
    if (count == 1)
        return 0;
    hoop_handler *stages = hoop_arena_alloc(arena, count * sizeof *stages);
    if (!stages)
        return HOOP_ENOMEM;
    stages[--count] = row->handler;
    for (const struct hoop__route_group *g = row->group; g; g = g->parent)
        if (g->chain.fn)
            stages[--count] = g->chain;
    row->stages = stages;
    return 0;
}

static int list_methods(hoop_arena *arena, struct hoop__router *router)
{
    hoop_str all = hoop_str_c("");
    for (size_t i = 0; i < router->count; i++) {
        const struct hoop__row *row = router->rows[i];
        for (uint32_t k = 0; k < row->method_count; k++) {
            const char *name = row->method_names[k].data;
            if (hoop__list_has(all, row->method_names[k]))
                continue;
            int head = strcmp(name, "GET") == 0 && !hoop__list_has(all, hoop_str_c("HEAD"));
            all = hoop_arena_printf(arena, "%s%s%s%s", all.data, all.len ? ", " : "", name,
                                    head ? ", HEAD" : "");
            if (hoop_str_is_none(all))
                return HOOP_ENOMEM;
        }
    }
    if (!hoop__list_has(all, hoop_str_c("OPTIONS")))
        all = hoop_arena_printf(arena, "%s%sOPTIONS", all.data, all.len ? ", " : "");
    router->all_methods = all.data;
    return hoop_str_is_none(all) ? HOOP_ENOMEM : 0;
}

static int finish(hoop_arena *arena, struct hoop__router *router)
{
    for (size_t i = 0; i < router->count; i++)
        if (set_stages(arena, router->rows[i]))
            return HOOP_ENOMEM;
    if (list_methods(arena, router))
        return HOOP_ENOMEM;
    return hoop__router_flatten(arena, router);
}

/* --- problems -------------------------------------------------------------------------------- */

/* As many problems as fit into an error, and how many more there are. */
static int tell_error(const struct hoop__route_build *build, hoop_error *error)
{
    if (!error)
        return build->code;
    if (build->problem_count == 1)
        return hoop_error_set(error, build->code, "%s", build->problems->text.data);
    char more[48];
    size_t told = 0, size = sizeof error->text;
    hoop_error_set(error, build->code, "%zu problems: ", build->problem_count);
    size_t len = strlen(error->text);
    for (const struct hoop__problem *p = build->problems; p; p = p->next) {
        size_t left = build->problem_count - told - 1, need = p->text.len + (told ? 2 : 0);
        size_t kept = left ? (size_t)snprintf(more, sizeof more, "; and %zu more", left) : 0;
        size_t room = size - 1 - len > kept ? size - 1 - len - kept : 0;
        if (told && need > room)
            break; /* only the first is cut */
        snprintf(error->text + len, room + 1, "%s%s", told ? "; " : "", p->text.data);
        len += need < room ? need : room;
        told++;
    }
    if (told < build->problem_count)
        snprintf(error->text + len, size - len, "; and %zu more", build->problem_count - told);
    return build->code;
}

/* All of them, a line each. */
static int tell_all(const struct hoop__route_build *build, hoop_str *ret_text)
{
    size_t size = 64, told = 0;
    for (const struct hoop__problem *p = build->problems; p; p = p->next)
        size += p->text.len + 1;
    char *text = hoop_arena_alloc(build->arena, size), *end = text;
    if (!text)
        return HOOP_ENOMEM;
    for (const struct hoop__problem *p = build->problems; p; p = p->next, told++) {
        memcpy(end, p->text.data, p->text.len);
        end += p->text.len;
        *end++ = '\n';
    }
    *end = 0;
    if (told < build->problem_count)
        end += sprintf(end, "and %zu more\n", build->problem_count - told);
    *ret_text = hoop_str_n(text, (size_t)(end - text));
    return 0;
}

static int compare_problems(const void *x, const void *y)
{
    const struct hoop__problem *a = *(struct hoop__problem *const *)x;
    const struct hoop__problem *b = *(struct hoop__problem *const *)y;
    if (a->b->order != b->b->order)
        return a->b->order < b->b->order ? -1 : 1;
    return a->a->order < b->a->order ? -1 : a->a->order > b->a->order;
}

/* Conflicts in the order of the table, whatever way the walk took; they are the last of the list. */
static void sort_conflicts(struct hoop__route_build *build)
{
    size_t count = 0;
    struct hoop__problem **first = &build->problems;
    while (*first && !(*first)->a)
        first = &(*first)->next;
    for (const struct hoop__problem *p = *first; p; p = p->next)
        count++;
    if (count < 2)
        return;
    struct hoop__problem **list = hoop_arena_alloc(build->scratch, count * sizeof(void *));
    if (!list) {
        build->out_of_memory = 1;
        return;
    }
    count = 0;
    for (struct hoop__problem *p = *first; p; p = p->next)
        list[count++] = p;
    qsort(list, count, sizeof *list, compare_problems);
    for (size_t i = 0; i < count; i++) {
        *first = list[i];
        first = &list[i]->next;
    }
    *first = NULL;
}

static int outcome(struct hoop__route_build *build, hoop_error *error)
{
    sort_conflicts(build);
    hoop_str *ret_problems = build->router->options.ret_problems;
    if (build->problem_count && ret_problems && !build->out_of_memory &&
        tell_all(build, ret_problems))
        build->out_of_memory = 1;
    if (build->out_of_memory)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    return build->problem_count ? tell_error(build, error) : 0;
}

/* --- building -------------------------------------------------------------------------------- */

static int fill(struct hoop__route_build *build, const hoop_route *table, size_t count,
                size_t row_size, hoop_error *error)
{
    struct hoop__router *router = build->router;
    struct hoop__summary *summary = &router->node.summary;
    int rc = check_options(&router->options, error);
    if (!rc)
        rc = hoop__route_types(build->arena, &router->options, &build->types, error);
    if (!rc)
        rc = use_handlers(build, summary, error);
    if (rc)
        return rc;
    router->top.pub.path = "";
    router->top.pub.flags = router->options.flags;
    hoop__route_table(build, table, count, row_size, &router->top, summary);
    if (!build->out_of_memory && !(router->options.flags & HOOP_ROUTE_OVERLAPS))
        hoop__route_conflicts(build);
    rc = outcome(build, error);
    if (!rc && finish(build->arena, router))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    return rc;
}

int hoop_router_new_sized(hoop_arena *arena, const hoop_route *table, size_t count, size_t row_size,
                          hoop_handler *ret_handler, hoop_error *error,
                          const hoop_router_options *options, size_t options_size)
{
    if (!arena || !ret_handler || (count && !table))
        return hoop_error_set(error, HOOP_EINVAL, "arena, table and ret_handler may not be NULL");
    struct hoop__router *router = hoop_arena_zalloc(arena, sizeof *router);
    hoop_arena *scratch =
        hoop_arena_new_with(&(hoop_arena_options){ .allocator = arena->allocator });
    if (!router || !scratch) {
        hoop_arena_free(scratch);
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    }
    if (options)
        memcpy(&router->options, options,
               options_size < sizeof router->options ? options_size : sizeof router->options);
    router->node.ops = &hoop__router_ops;
    struct hoop__route_build build = { .arena = arena, .scratch = scratch, .router = router };
    build.last_problem = &build.problems;
    int rc = fill(&build, table, count, row_size, error);
    hoop_arena_free(scratch);
    if (!rc)
        *ret_handler = hoop__node_handler(&router->node);
    return rc;
}
