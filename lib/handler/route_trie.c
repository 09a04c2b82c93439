/* The trie of templates: built once, then walked by every request without a lock or an allocation. */
#include "handler/router.h"

#include "codec/percent.h"

#include <string.h>

/* --- maps ------------------------------------------------------------------------------------ */

static void put(struct hoop__map *map, struct hoop__map_entry entry)
{
    uint32_t i = (uint32_t)entry.key & map->mask;
    while (map->entries[i].value)
        i = (i + 1) & map->mask;
    map->entries[i] = entry;
}

/* Twice the room; the old one stays in the arena, as large as all before it together. */
static int grow_map(hoop_arena *arena, struct hoop__map *map)
{
    uint32_t size = map->entries ? (map->mask + 1) * 2 : 2;
    struct hoop__map grown = { .mask = size - 1, .count = map->count };
    grown.entries = size ? hoop_arena_zalloc(arena, size * sizeof *grown.entries) : NULL;
    if (!grown.entries)
        return HOOP_ENOMEM;
    for (uint32_t i = 0; map->entries && i <= map->mask; i++)
        if (map->entries[i].value)
            put(&grown, map->entries[i]);
    *map = grown;
    return 0;
}

int hoop__map_add(hoop_arena *arena, struct hoop__map *map, hoop_str text, void *value)
{
    if ((!map->entries || (map->count + 1) * 2 > map->mask + 1) && grow_map(arena, map))
        return HOOP_ENOMEM;
    struct hoop__map_entry entry = { hoop__hash(text.data, text.len), text.data, text.len, value };
    put(map, entry);
    map->count++;
    return 0;
}

/* --- building -------------------------------------------------------------------------------- */

/* Nonzero if `a` goes in front of `b` in a leaf: rows for any method stand last, else table order. */
static int in_front(const struct hoop__row *a, const struct hoop__row *b)
{
    int a_any = a->methods == HOOP__ANY_METHOD, b_any = b->methods == HOOP__ANY_METHOD;
    return a_any != b_any ? b_any : a->order < b->order;
}

static int leaf_add(hoop_arena *arena, struct hoop__leaf *leaf, struct hoop__row *row)
{
    if (!leaf->count) {
        leaf->one = row;
        leaf->rows = &leaf->one;
        leaf->count = leaf->cap = 1;
        return 0;
    }
    if (leaf->count == leaf->cap) {
        uint32_t cap = leaf->cap * 2;
        struct hoop__row **rows = hoop_arena_alloc(arena, cap * sizeof *rows);
        if (!rows)
            return HOOP_ENOMEM;
        memcpy(rows, leaf->rows, leaf->count * sizeof *rows);
        leaf->rows = rows;
        leaf->cap = cap;
    }
    uint32_t at = leaf->count++;
    for (; at > 0 && in_front(row, leaf->rows[at - 1]); at--)
        leaf->rows[at] = leaf->rows[at - 1];
    leaf->rows[at] = row;
    return 0;
}

static struct hoop__trie *text_child(hoop_arena *arena, struct hoop__trie *node, hoop_str text)
{
    struct hoop__trie *child = hoop__map_find(&node->texts, text);
    if (child)
        return child;
    child = hoop_arena_zalloc(arena, sizeof *child);
    return child && !hoop__map_add(arena, &node->texts, text, child) ? child : NULL;
}

static int grow_branches(hoop_arena *arena, struct hoop__trie *node)
{
    uint32_t cap = node->branch_cap ? node->branch_cap * 2 : 1;
    struct hoop__branch *branches = hoop_arena_alloc(arena, cap * sizeof *branches);
    if (!branches)
        return HOOP_ENOMEM;
    if (node->branch_count)
        memcpy(branches, node->branches, node->branch_count * sizeof *branches);
    node->branches = branches;
    node->branch_cap = cap;
    return 0;
}

static struct hoop__trie *branch_child(hoop_arena *arena, struct hoop__trie *node,
                                       const struct hoop__segment *segment)
{
    for (uint32_t i = 0; i < node->branch_count; i++)
        if (hoop__segment_same(node->branches[i].segment, segment))
            return node->branches[i].child;
    struct hoop__trie *child = hoop_arena_zalloc(arena, sizeof *child);
    if (!child || (node->branch_count == node->branch_cap && grow_branches(arena, node)))
        return NULL;
    uint32_t at = node->branch_count++;
    for (; at > 0 && hoop__segment_order(segment, node->branches[at - 1].segment) < 0; at--)
        node->branches[at] = node->branches[at - 1];
    node->branches[at].segment = segment;
    node->branches[at].child = child;
    node->branches[at].param_count = segment->param_count;
    const struct hoop__piece *piece = &segment->pieces[0];
    node->branches[at].takes_all =
        segment->piece_count == 1 && piece->is_param && !piece->text.len && !piece->type;
    return child;
}

int hoop__trie_add(hoop_arena *arena, struct hoop__trie *root, struct hoop__row *row)
{
    struct hoop__trie *node = root;
    for (uint32_t i = 0; i < row->path.segment_count; i++) {
        const struct hoop__segment *segment = &row->path.segments[i];
        node = hoop__segment_is_text(segment) ? text_child(arena, node, segment->pieces[0].text)
                                              : branch_child(arena, node, segment);
        if (!node)
            return HOOP_ENOMEM;
    }
    if (row->path.has_rest && leaf_add(arena, &node->rest, row))
        return HOOP_ENOMEM;
    if (!row->path.has_rest || row->path.takes_bare)
        return leaf_add(arena, &node->leaf, row);
    return 0;
}

/* The path of a template without parameters, without backslashes. Absent: out of memory. */
static hoop_str plain_path(hoop_arena *arena, const struct hoop__template *t)
{
    size_t size = 1;
    for (uint32_t i = 0; i < t->segment_count; i++)
        size += t->segments[i].pieces[0].text.len + 1;
    char *text = hoop_arena_alloc(arena, size), *end = text;
    if (!text)
        return hoop_str_none();
    for (uint32_t i = 0; i < t->segment_count; i++) {
        hoop_str s = t->segments[i].pieces[0].text;
        *end++ = '/';
        memcpy(end, s.data, s.len);
        end += s.len;
    }
    *end = 0;
    return hoop_str_n(text, (size_t)(end - text));
}

/* Where the trie ends for a template without parameters. */
static struct hoop__leaf *leaf_of(struct hoop__trie *node, const struct hoop__template *t)
{
    for (uint32_t i = 0; i < t->segment_count && node; i++)
        node = hoop__map_find(&node->texts, t->segments[i].pieces[0].text);
    return node ? &node->leaf : NULL;
}

int hoop__router_flatten(hoop_arena *arena, struct hoop__router *router)
{
    router->is_flat = 1;
    for (size_t i = 0; i < router->count; i++) {
        struct hoop__row *row = router->rows[i];
        if (row->path.param_count || row->path.has_rest) {
            router->is_flat = 0;
            continue;
        }
        hoop_str path = plain_path(arena, &row->path);
        if (hoop_str_is_none(path))
            return HOOP_ENOMEM;
        struct hoop__leaf *leaf = leaf_of(&router->trie, &row->path);
        /* A request with '%' in its path is decoded first, so it never looks here. */
        if (!leaf || memchr(path.data, '%', path.len) || hoop__map_find(&router->paths, path))
            continue;
        if (hoop__map_add(arena, &router->paths, path, leaf))
            return HOOP_ENOMEM;
    }
    return 0;
}

/* --- opening a path -------------------------------------------------------------------------- */

int hoop__path_open(hoop_arena *arena, hoop_str path, struct hoop__search *search,
                    const char **ret_start)
{
    search->cut = '/';
    search->end = path.data + path.len;
    *ret_start = path.data;
    if (!hoop__percent_is_encoded(path))
        return 0;
    /* Decoding gives no NUL, so it can stand for the slashes that cut. */
    char *decoded = hoop_arena_alloc(arena, path.len + 1), *out = decoded;
    if (!decoded)
        return HOOP_ENOMEM;
    const char *at = path.data;
    while (at < search->end) {
        *out++ = 0;
        const char *begin = at + 1;
        at = memchr(begin, '/', (size_t)(search->end - begin));
        if (!at)
            at = search->end;
        size_t size;
        if (hoop__percent_decode(hoop_str_n(begin, (size_t)(at - begin)), out, &size))
            return HOOP_EPARSE;
        out += size;
    }
    *out = 0;
    search->cut = 0;
    search->end = out;
    *ret_start = decoded;
    return 0;
}

/* --- walking --------------------------------------------------------------------------------- */

static int names_method(const struct hoop__row *row, hoop_str method)
{
    for (uint32_t i = 0; i < row->method_count; i++)
        if (hoop_str_eq(row->method_names[i], method))
            return 1;
    return 0;
}

int hoop__row_takes(const struct hoop__row *row, uint32_t number, hoop_str method)
{
    if (!(row->methods >> number & 1))
        return 0;
    return number != HOOP_METHOD_OTHER || row->methods == HOOP__ANY_METHOD ||
           names_method(row, method);
}

/* A row whose path and method fit. Nonzero if it is what was looked for. */
static int accept_row(struct hoop__search *s, const struct hoop__row *row)
{
    hoop_str media = hoop_str_none();
    if (s->req && row->consume_count && !hoop__route_consumes(row, s->req)) {
        s->unsupported = 1;
        s->closest = row;
        return 0;
    }
    if (s->req && row->produce_count) {
        const struct hoop__route_media *best = hoop__route_produces(row, s->req);
        if (!best) {
            s->unacceptable = 1;
            s->closest = row;
            return 0;
        }
        media = best->text;
    }
    if (s->skip) {
        s->skip--;
        return 0;
    }
    s->row = row;
    s->media = media;
    return 1;
}

/* HEAD goes to rows that name it, then to those for GET, then to those for any method. */
static int accept_head(struct hoop__search *s, const struct hoop__leaf *leaf)
{
    for (int pass = 0; pass < 3; pass++) {
        for (uint32_t i = 0; i < leaf->count; i++) {
            const struct hoop__row *row = leaf->rows[i];
            int any = row->methods == HOOP__ANY_METHOD;
            int named = !any && names_method(row, s->method_name);
            if (hoop__row_takes(row, s->method, s->method_name) &&
                pass == (named ? 0
                         : any ? 2
                               : 1) &&
                accept_row(s, row))
                return 1;
        }
    }
    return 0;
}

static int accept(struct hoop__search *s, const struct hoop__leaf *leaf)
{
    if (s->each) {
        for (uint32_t i = 0; i < leaf->count; i++)
            s->each(s->each_data, leaf->rows[i]);
        return 0;
    }
    if (s->method == HOOP_METHOD_HEAD && accept_head(s, leaf))
        return 1;
    for (uint32_t i = 0; i < leaf->count; i++) {
        const struct hoop__row *row = leaf->rows[i];
        if (!hoop__row_takes(row, s->method, s->method_name))
            s->refused = 1;
        else if (s->method != HOOP_METHOD_HEAD && accept_row(s, row))
            return 1;
    }
    return 0;
}

/* At the end of the path. */
static int end_at(struct hoop__search *s, const struct hoop__trie *node)
{
    if (node->leaf.count && accept(s, &node->leaf))
        return 1;
    if (s->router->options.slash != HOOP_SLASH_BOTH || !node->texts.count)
        return 0;
    const struct hoop__trie *slash = hoop__map_find(&node->texts, hoop_str_c(""));
    return slash && slash->leaf.count && accept(s, &slash->leaf);
}

/* What the walk needs to go on to one of the branches. */
static int walk(struct hoop__search *s, const struct hoop__trie *node, const char *at);

static int walk_branches(struct hoop__search *s, const struct hoop__trie *node, hoop_str text,
                         const char *next)
{
    uint32_t kept = s->value_count;
    for (uint32_t i = 0; i < node->branch_count; i++) {
        const struct hoop__branch *branch = &node->branches[i];
        if (branch->takes_all)
            s->values[kept] = text;
        else if (!hoop__segment_match(branch->segment, text, s->values + kept))
            continue;
        s->value_count = kept + branch->param_count;
        if (walk(s, branch->child, next))
            return 1;
    }
    s->value_count = kept;
    return 0;
}

/* The segment that begins at `at`; NULL: there is none. Nonzero if a row was found. */
static int walk(struct hoop__search *s, const struct hoop__trie *node, const char *at)
{
    for (;;) {
        if (!at)
            return end_at(s, node);
        const char *stop = at;
        while (stop < s->end && *stop != s->cut)
            stop++;
        const char *next = stop < s->end ? stop + 1 : NULL;
        size_t len = (size_t)(stop - at);
        int bare_slash = !len && !next && s->router->options.slash == HOOP_SLASH_BOTH;
        const struct hoop__trie *child = NULL;
        if (node->texts.count) {
            const struct hoop__map_entry *entry =
                hoop__map_probe(&node->texts, hoop__hash(at, len), at, len);
            child = entry ? entry->value : NULL;
        }
        if (child && !node->branch_count && !node->rest.count && !bare_slash) {
            node = child; /* there is no other way, so nothing has to be remembered */
            at = next;
            continue;
        }
        if (child && walk(s, child, next))
            return 1;
        if (bare_slash && node->leaf.count && accept(s, &node->leaf))
            return 1;
        if (len && node->branch_count && walk_branches(s, node, hoop_str_n(at, len), next))
            return 1;
        if (!node->rest.count)
            return 0;
        s->values[s->value_count] = hoop_str_n(at, (size_t)(s->end - at));
        return accept(s, &node->rest);
    }
}

/* The whole path at once, where no path has a parameter. */
static const struct hoop__row *find_whole(struct hoop__search *s, const char *start)
{
    hoop_str path = hoop_str_n(start, (size_t)(s->end - start));
    const struct hoop__leaf *leaf = hoop__map_find(&s->router->paths, path);
    return leaf && accept(s, leaf) ? s->row : NULL;
}

const struct hoop__row *hoop__route_find(struct hoop__search *search, const char *start)
{
    search->value_count = 0;
    search->row = NULL;
    if (start == search->end || *start != search->cut)
        return NULL;
    if (search->router->is_flat && search->cut && search->router->options.slash != HOOP_SLASH_BOTH)
        return find_whole(search, start);
    return walk(search, &search->router->trie, start + 1) ? search->row : NULL;
}
