/* Conflicts: pairs of rows that some request satisfies both, found by walking the trie against itself. */
#include "handler/router.h"

#include <string.h>

#define MAX_TOLD 1000 /* conflicts with a text of their own */

/* The walk: a request path that leads to both nodes at hand is kept for the message. */
struct pairs {
    struct hoop__route_build *build;
    struct hoop__overlap *room;
    hoop_str example[HOOP__MAX_SEGMENTS]; /* absent: some text, which is not known */
    uint32_t depth;
};

/* --- telling --------------------------------------------------------------------------------- */

/* A path that satisfies both; absent if none is known for sure. */
static hoop_str example_path(struct pairs *p, const char *tail)
{
    hoop_arena *arena = p->build->scratch;
    hoop_str path = hoop_str_c("");
    for (uint32_t i = 0; i < p->depth; i++) {
        if (hoop_str_is_none(p->example[i]))
            return hoop_str_none();
        path = hoop_arena_printf(arena, "%s/%.*s", path.data, (int)p->example[i].len,
                                 p->example[i].data);
        if (hoop_str_is_none(path))
            return path;
    }
    return hoop_arena_printf(arena, "%s%s", path.data, p->depth && !*tail ? "" : tail);
}

static int known(const struct hoop__route_build *build, const struct hoop__row *a,
                 const struct hoop__row *b)
{
    size_t looked_at = 0;
    for (const struct hoop__problem *q = build->problems; q && looked_at < MAX_TOLD; q = q->next)
        if (looked_at++, (q->a == a && q->b == b) || (q->a == b && q->b == a))
            return 1;
    return 0;
}

static int may_overlap(const struct hoop__route_build *build, const struct hoop__row *a,
                       const struct hoop__row *b)
{
    return (a->pub.flags & b->pub.flags & HOOP_ROUTE_OVERLAPS) != 0 || known(build, a, b);
}

static const char *label(struct hoop__route_build *build, const struct hoop__row *row)
{
    const char *name = row->pub.name;
    const char *cut = row->path.path.len > HOOP__SHOWN_PATH ? "..." : "";
    hoop_str s = hoop_arena_printf(build->scratch, "route %s %s '%.*s%s'%s%s%s", row->index,
                                   row->pub.method ? row->pub.method : "*", (int)HOOP__SHOWN_PATH,
                                   row->path.path.data, cut, name ? " ('" : "", name ? name : "",
                                   name ? "')" : "");
    build->out_of_memory |= hoop_str_is_none(s);
    return s.data;
}

static void tell(struct pairs *p, const struct hoop__row *a, const struct hoop__row *b,
                 const char *tail)
{
    if (may_overlap(p->build, a, b))
        return;
    if (p->build->problem_count >= MAX_TOLD) {
        p->build->problem_count++; /* counted, but nobody reads that many */
        return;
    }
    const struct hoop__row *first = a->order < b->order ? a : b, *second = first == a ? b : a;
    hoop_str example = example_path(p, tail);
    hoop__route_problem(p->build, HOOP_ECONFLICT, first, second, "%s conflicts with %s: %s%s%s",
                        label(p->build, second), label(p->build, first),
                        example.len ? "both match '" : "both may match one path", example.data,
                        example.len ? "'" : "");
}

/* --- methods --------------------------------------------------------------------------------- */

static int share_name(const struct hoop__row *a, const struct hoop__row *b)
{
    for (uint32_t i = 0; i < a->method_count; i++)
        for (uint32_t j = 0; j < b->method_count; j++)
            if (hoop_str_eq(a->method_names[i], b->method_names[j]))
                return 1;
    return 0;
}

/* Nonzero if a request has a method that both take. `same_place`: a row for any method comes last. */
static int share_method(const struct hoop__row *a, const struct hoop__row *b, int same_place)
{
    int a_any = a->methods == HOOP__ANY_METHOD, b_any = b->methods == HOOP__ANY_METHOD;
    if (a_any || b_any)
        return a_any == b_any || !same_place;
    return share_name(a, b);
}

static void compare(struct pairs *p, const struct hoop__leaf *a, const struct hoop__leaf *b,
                    const char *tail)
{
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = a == b ? i + 1 : 0; j < b->count; j++)
            if (a->rows[i] != b->rows[j] && share_method(a->rows[i], b->rows[j], a == b))
                tell(p, a->rows[i], b->rows[j], tail);
}

/* --- the rest of a path against all that lies below ------------------------------------------ */

/* Some text that a segment takes; absent if none is known. */
static hoop_str text_for(struct pairs *p, const struct hoop__segment *segment)
{
    hoop_str example;
    hoop__segment_overlap(p->build->scratch, p->room, segment, segment, &example);
    return example;
}

static void below(struct pairs *p, const struct hoop__leaf *rest, const struct hoop__trie *node,
                  int top)
{
    if (!top)
        compare(p, rest, &node->leaf, "");
    if (rest != &node->rest)
        compare(p, rest, &node->rest, "/x");
    if (p->depth == HOOP__MAX_SEGMENTS)
        return;
    for (uint32_t i = 0; node->texts.count && i <= node->texts.mask; i++) {
        const struct hoop__map_entry *entry = &node->texts.entries[i];
        if (!entry->value)
            continue;
        p->example[p->depth++] = hoop_str_n(entry->text, entry->len);
        below(p, rest, entry->value, 0);
        p->depth--;
    }
    for (uint32_t i = 0; i < node->branch_count; i++) {
        p->example[p->depth] = text_for(p, node->branches[i].segment);
        p->depth++;
        below(p, rest, node->branches[i].child, 0);
        p->depth--;
    }
}

/* --- pairs of nodes -------------------------------------------------------------------------- */

static void compare_nodes(struct pairs *p, const struct hoop__trie *a, const struct hoop__trie *b);

static void go(struct pairs *p, hoop_str text, const struct hoop__trie *a,
               const struct hoop__trie *b)
{
    if (p->depth == HOOP__MAX_SEGMENTS || p->build->out_of_memory)
        return;
    p->example[p->depth++] = text;
    compare_nodes(p, a, b);
    p->depth--;
}

/* Fixed texts of `a` that parameters of `b` take. */
static void texts_and_branches(struct pairs *p, const struct hoop__trie *a,
                               const struct hoop__trie *b)
{
    hoop_str values[HOOP__MAX_PARAMS];
    if (!a->texts.count || !b->branch_count)
        return;
    for (uint32_t i = 0; i <= a->texts.mask; i++) {
        const struct hoop__map_entry *entry = &a->texts.entries[i];
        hoop_str text = hoop_str_n(entry->text, entry->len);
        for (uint32_t j = 0; entry->value && j < b->branch_count; j++)
            if (text.len && hoop__segment_match(b->branches[j].segment, text, values))
                go(p, text, entry->value, b->branches[j].child);
    }
}

/* The first row at or below a node, to be named in a message. */
static const struct hoop__row *some_row(const struct hoop__trie *node)
{
    while (!node->leaf.count && !node->rest.count) {
        if (node->branch_count) {
            node = node->branches[0].child;
            continue;
        }
        uint32_t i = 0;
        while (!node->texts.entries[i].value)
            i++;
        node = node->texts.entries[i].value;
    }
    return node->leaf.count ? node->leaf.rows[0] : node->rest.rows[0];
}

/*
 * Two patterns at one place that are equal up to a parameter and then end it in two ways: no text
 * satisfies both, but what the value is depends on a byte far behind, which nobody sees in the table.
 */
static void two_ends(struct pairs *p, const struct hoop__branch *a, const struct hoop__branch *b)
{
    uint32_t i = 0, count = a->segment->piece_count;
    if (b->segment->piece_count < count)
        count = b->segment->piece_count;
    for (; i < count; i++) {
        const struct hoop__piece *x = &a->segment->pieces[i], *y = &b->segment->pieces[i];
        if (!x->is_param || !y->is_param || x->type != y->type || !hoop_str_eq(x->text, y->text))
            return;
        if (x->stop == y->stop)
            continue;
        const struct hoop__row *r = some_row(a->child), *s = some_row(b->child);
        if (!x->stop || !y->stop || may_overlap(p->build, r, s))
            return;
        hoop__route_problem(
            p->build, HOOP_ECONFLICT, r, s,
            "%s and %s: a parameter at one place ends at '%c' in '%.*s' and at '%c' "
            "in '%.*s'",
            label(p->build, r), label(p->build, s), x->stop, (int)a->segment->text.len,
            a->segment->text.data, y->stop, (int)b->segment->text.len, b->segment->text.data);
        return;
    }
}

static void branches_and_branches(struct pairs *p, const struct hoop__trie *a,
                                  const struct hoop__trie *b)
{
    for (uint32_t i = 0; i < a->branch_count; i++) {
        for (uint32_t j = a == b ? i : 0; j < b->branch_count; j++) {
            hoop_str text;
            const struct hoop__branch *x = &a->branches[i], *y = &b->branches[j];
            if (hoop__segment_overlap(p->build->scratch, p->room, x->segment, y->segment, &text))
                go(p, text, x->child, y->child);
            else if (a == b)
                two_ends(p, x, y);
        }
    }
}

static void texts_and_texts(struct pairs *p, const struct hoop__trie *a, const struct hoop__trie *b)
{
    const struct hoop__trie *few = a->texts.count <= b->texts.count ? a : b;
    const struct hoop__trie *many = few == a ? b : a;
    if (!few->texts.count)
        return;
    for (uint32_t i = 0; i <= few->texts.mask; i++) {
        const struct hoop__map_entry *entry = &few->texts.entries[i];
        hoop_str text = hoop_str_n(entry->text, entry->len);
        struct hoop__trie *other = entry->value ? hoop__map_find(&many->texts, text) : NULL;
        if (other)
            go(p, text, entry->value, other);
    }
}

/* All that a path which leads to both nodes can go on to. The two may be one and the same. */
static void compare_nodes(struct pairs *p, const struct hoop__trie *a, const struct hoop__trie *b)
{
    compare(p, &a->leaf, &b->leaf, "");
    compare(p, &a->rest, &b->rest, "/x");
    if (a->rest.count)
        below(p, &a->rest, b, 1);
    if (b->rest.count && a != b)
        below(p, &b->rest, a, 1);
    texts_and_texts(p, a, b);
    texts_and_branches(p, a, b);
    if (a != b)
        texts_and_branches(p, b, a);
    branches_and_branches(p, a, b);
}

void hoop__route_conflicts(struct hoop__route_build *build)
{
    struct pairs *p = hoop_arena_zalloc(build->scratch, sizeof *p);
    if (p)
        p->room = hoop__overlap_new(build->scratch);
    if (!p || !p->room) {
        build->out_of_memory = 1;
        return;
    }
    p->build = build;
    compare_nodes(p, &build->router->trie, &build->router->trie);
}
