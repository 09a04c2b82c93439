/* Routers as text: the table, JSON, and the tree in the order in which it is walked. */
#include "handler/router.h"

#include <inttypes.h>
#include <string.h>

/* --- strings of bytes ------------------------------------------------------------------------ */

void hoop__print_bytes(struct hoop__printer *printer, const char *data, size_t len)
{
    if (printer->failed)
        return;
    if (printer->cap - printer->len <= len) {
        size_t cap = (printer->len + len + 64) * 2;
        char *text = hoop_arena_alloc(printer->arena, cap);
        if (!text) {
            printer->failed = 1;
            return;
        }
        if (printer->len)
            memcpy(text, printer->text, printer->len);
        printer->text = text;
        printer->cap = cap;
    }
    memcpy(printer->text + printer->len, data, len);
    printer->len += len;
    printer->text[printer->len] = 0;
}

static void put(struct hoop__printer *printer, const char *text)
{
    hoop__print_bytes(printer, text, strlen(text));
}

void hoop__print_json_string(struct hoop__printer *printer, hoop_str text)
{
    static const char hex[] = "0123456789abcdef";
    put(printer, "\"");
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];
        if (c == '"' || c == '\\') {
            char escaped[2] = { '\\', (char)c };
            hoop__print_bytes(printer, escaped, 2);
        } else if (c < 0x20) {
            char escaped[6] = { '\\', 'u', '0', '0', hex[c >> 4], hex[c & 15] };
            hoop__print_bytes(printer, escaped, 6);
        } else {
            hoop__print_bytes(printer, text.data + i, 1);
        }
    }
    put(printer, "\"");
}

static void pad(struct hoop__printer *printer, size_t have, size_t want)
{
    do
        put(printer, " ");
    while (++have < want);
}

/* --- what stands around a route ----------------------------------------------------------------- */

/* The middleware of a row, in the order in which a request meets it. */
static void put_middleware(struct hoop__printer *printer, const struct hoop__row *row, int json)
{
    int count = 0;
    for (uint32_t k = 0; k < row->stage_count; k++) {
        hoop_handler handler = row->stages[k];
        const struct hoop__node *node;
        while ((node = hoop__node_of(handler)) != NULL && node->ops->inner &&
               node->summary.mounts) {
            /* The first mount of a link is its own. */
            hoop_str name = hoop_str_c(node->summary.mounts->name);
            if (count++)
                put(printer, json ? "," : " ");
            if (json)
                hoop__print_json_string(printer, name);
            else
                hoop__print_bytes(printer, name.data, name.len);
            handler = node->ops->inner(node);
        }
    }
}

static int has_middleware(const struct hoop__row *row)
{
    for (uint32_t k = 0; k < row->stage_count; k++) {
        const struct hoop__node *node = hoop__node_of(row->stages[k]);
        if (node && node->ops->inner && node->summary.mounts)
            return 1;
    }
    return 0;
}

static const char *methods_of(const struct hoop__row *row)
{
    return row->pub.method ? row->pub.method : "*";
}

/* --- the table ----------------------------------------------------------------------------------- */

static void print_table(const struct hoop__router *router, struct hoop__printer *printer)
{
    size_t method_width = 0, path_width = 0;
    for (size_t i = 0; i < router->count; i++) {
        const struct hoop__row *row = router->rows[i];
        size_t method = strlen(methods_of(row)), path = row->path.path.len;
        method_width = method > method_width ? method : method_width;
        path_width = path > path_width ? path : path_width;
    }
    for (size_t i = 0; i < router->count; i++) {
        const struct hoop__row *row = router->rows[i];
        put(printer, methods_of(row));
        pad(printer, strlen(methods_of(row)), method_width + 1);
        put(printer, row->pub.path);
        if (row->pub.name || has_middleware(row) || row->pub.mount) {
            pad(printer, row->path.path.len, path_width + 1);
            put(printer, row->pub.name ? row->pub.name : "-");
        }
        if (row->pub.mount)
            put(printer, " mount");
        if (has_middleware(row)) {
            put(printer, " [");
            put_middleware(printer, row, 0);
            put(printer, "]");
        }
        put(printer, "\n");
    }
}

/* --- JSON ---------------------------------------------------------------------------------------- */

static void put_member(struct hoop__printer *printer, const char *name, const char *value)
{
    if (!value)
        return;
    put(printer, ",\"");
    put(printer, name);
    put(printer, "\":");
    hoop__print_json_string(printer, hoop_str_c(value));
}

static void put_number(struct hoop__printer *printer, const char *name, uint64_t value)
{
    if (!value)
        return;
    hoop_str text = value == HOOP_OFF
                        ? hoop_arena_printf(printer->arena, ",\"%s\":\"off\"", name)
                        : hoop_arena_printf(printer->arena, ",\"%s\":%" PRIu64, name, value);
    hoop__print_bytes(printer, text.data, text.len);
    printer->failed |= hoop_str_is_none(text);
}

static void put_media(struct hoop__printer *printer, const char *name,
                      const struct hoop__route_media *media, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        put(printer, i ? "," : ",\"");
        if (!i) {
            put(printer, name);
            put(printer, "\":[");
        }
        hoop__print_json_string(printer, media[i].text);
    }
    if (count)
        put(printer, "]");
}

static void print_json_row(struct hoop__printer *printer, const struct hoop__row *row)
{
    put(printer, "{\"index\":");
    hoop__print_json_string(printer, hoop_str_c(row->index));
    put_member(printer, "path", row->pub.path);
    if (row->method_count)
        put(printer, ",\"method\":[");
    for (uint32_t i = 0; i < row->method_count; i++) {
        if (i)
            put(printer, ",");
        hoop__print_json_string(printer, row->method_names[i]);
    }
    if (row->method_count)
        put(printer, "]");
    put_member(printer, "name", row->pub.name);
    if (row->pub.mount)
        put(printer, ",\"mount\":true");
    if (has_middleware(row)) {
        put(printer, ",\"middleware\":[");
        put_middleware(printer, row, 1);
        put(printer, "]");
    }
    put_media(printer, "produces", row->produces, row->produce_count);
    put_media(printer, "consumes", row->consumes, row->consume_count);
    put_number(printer, "max_body", row->pub.max_body);
    put_number(printer, "deadline_ms", row->pub.deadline_ms);
    if (row->pub.body == HOOP_REQUEST_STREAM)
        put(printer, ",\"body\":\"stream\"");
    if (row->pub.flags & HOOP_ROUTE_OVERLAPS)
        put(printer, ",\"overlaps\":true");
    put(printer, "}");
}

static void print_json(const struct hoop__router *router, struct hoop__printer *printer)
{
    put(printer, "[");
    for (size_t i = 0; i < router->count; i++) {
        put(printer, i ? ",\n " : "");
        print_json_row(printer, router->rows[i]);
    }
    put(printer, "]\n");
}

/* --- the tree ------------------------------------------------------------------------------------ */

static void put_rows(struct hoop__printer *printer, const struct hoop__leaf *leaf)
{
    for (uint32_t i = 0; i < leaf->count; i++) {
        const struct hoop__row *row = leaf->rows[i];
        put(printer, i ? ", " : "  ");
        put(printer, methods_of(row));
        if (row->pub.name) {
            put(printer, " ");
            put(printer, row->pub.name);
        }
    }
    put(printer, "\n");
}

static void print_node(struct hoop__printer *printer, const struct hoop__trie *node);

static void put_child(struct hoop__printer *printer, hoop_str segment,
                      const struct hoop__trie *child)
{
    for (int i = 0; i < printer->depth; i++)
        put(printer, "  ");
    put(printer, "/");
    hoop__print_bytes(printer, segment.data, segment.len);
    put_rows(printer, &child->leaf);
    printer->depth++;
    print_node(printer, child);
    printer->depth--;
}

/* The fixed text of the children that comes next behind `last` in the order of bytes; NULL: none. */
static const struct hoop__map_entry *next_text(const struct hoop__trie *node,
                                               const struct hoop__map_entry *last)
{
    const struct hoop__map_entry *next = NULL;
    for (uint32_t i = 0; node->texts.count && i <= node->texts.mask; i++) {
        const struct hoop__map_entry *e = &node->texts.entries[i];
        if (e->value && (!last || strcmp(e->text, last->text) > 0) &&
            (!next || strcmp(e->text, next->text) < 0))
            next = e;
    }
    return next;
}

static void print_node(struct hoop__printer *printer, const struct hoop__trie *node)
{
    const struct hoop__map_entry *e = NULL;
    while ((e = next_text(node, e)) != NULL)
        put_child(printer, hoop_str_n(e->text, e->len), e->value);
    for (uint32_t i = 0; i < node->branch_count; i++)
        put_child(printer, node->branches[i].segment->text, node->branches[i].child);
    for (uint32_t i = 0; i < node->rest.count; i++) {
        const struct hoop__row *row = node->rest.rows[i];
        struct hoop__leaf one = { .rows = &node->rest.rows[i], .count = 1 };
        for (int k = 0; k < printer->depth; k++)
            put(printer, "  ");
        put(printer, "/*");
        if (row->pub.mount)
            put(printer, " mount");
        else if (!hoop_str_eq_c(row->path.names[row->path.param_count - 1], "*"))
            put(printer, row->path.names[row->path.param_count - 1].data);
        put_rows(printer, &one);
    }
}

hoop_str hoop_router_print(hoop_arena *arena, hoop_handler handler, uint32_t format)
{
    const struct hoop__router *router = hoop__router_of(handler);
    struct hoop__printer printer = { .arena = arena };
    if (!arena || !router || format > HOOP_PRINT_TREE)
        return hoop_str_none();
    put(&printer, "");
    if (format == HOOP_PRINT_JSON)
        print_json(router, &printer);
    else if (format == HOOP_PRINT_TREE)
        print_node(&printer, &router->trie);
    else
        print_table(router, &printer);
    return printer.failed ? hoop_str_none() : hoop_str_n(printer.text, printer.len);
}
