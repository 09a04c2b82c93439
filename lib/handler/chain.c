/* The middleware chain: building, with its checks of order, and calling. */
#include "handler/node.h"

#include <string.h>

/* One middleware around a handler. */
struct link {
    struct hoop__node node;
    hoop_wrap_fn *wrap;
    const void *value;
    hoop_handler next;
    const char *name;
};

static const hoop_response *call_link(const struct hoop__node *node, const hoop_request *req)
{
    const struct link *link = (const struct link *)node;
    return link->wrap(req, link->next, link->value);
}

static void print_link(const struct hoop__node *node, struct hoop__printer *printer)
{
    const struct link *link = (const struct link *)node;
    hoop__print(printer, "%s", link->name);
    hoop__print_handler(printer, link->next);
}

static hoop_handler inner_of_link(const struct hoop__node *node)
{
    return ((const struct link *)node)->next;
}

static const struct hoop__node_ops link_ops = { call_link, print_link, inner_of_link };

/* --- names in lists -------------------------------------------------------------------------- */

/* The next word of a list separated by blanks; 0 at its end. */
static int next_word(const char **rest, hoop_str *ret_word)
{
    const char *start = *rest + strspn(*rest, " ");
    size_t len = strcspn(start, " ");
    *rest = start + len;
    *ret_word = hoop_str_n(start, len);
    return len > 0;
}

static int has_word(const char *list, const char *name)
{
    hoop_str word;
    while (list && next_word(&list, &word))
        if (hoop_str_eq_c(word, name))
            return 1;
    return 0;
}

static int provides(const struct hoop__mount *mount, const char *name)
{
    return strcmp(mount->name, name) == 0 || has_word(mount->provides, name) ||
           (mount->type &&
            (strcmp(mount->type->name, name) == 0 || has_word(mount->type->provides, name)));
}

/* --- checks ---------------------------------------------------------------------------------- */

/* What of the summary's needs stays open behind `mount`. The list is copied up to what changes. */
static int close_needs(hoop_arena *arena, struct hoop__summary *summary,
                       const struct hoop__mount *mount)
{
    const struct hoop__need *open = NULL;
    int closed = 0;
    for (const struct hoop__need *n = summary->needs; n; n = n->next)
        closed |= provides(mount, n->name);
    if (!closed)
        return 0;
    for (const struct hoop__need *n = summary->needs; n; n = n->next) {
        if (provides(mount, n->name))
            continue;
        struct hoop__need *copy = hoop_arena_alloc(arena, sizeof *copy);
        if (!copy)
            return HOOP_ENOMEM;
        *copy = *n;
        copy->next = (struct hoop__need *)(uintptr_t)open;
        open = copy;
    }
    summary->needs = open;
    return 0;
}

static int open_need(hoop_arena *arena, struct hoop__summary *summary, hoop_str word,
                     const char *by)
{
    struct hoop__need *need = hoop_arena_zalloc(arena, sizeof *need);
    hoop_str name = hoop_arena_copy(arena, word);
    if (!need || hoop_str_is_none(name))
        return HOOP_ENOMEM;
    need->name = name.data;
    need->by = by;
    for (const struct hoop__mount *m = summary->mounts; m && !need->provider; m = m->next)
        if (provides(m, name.data))
            need->provider = m->name;
    need->next = (struct hoop__need *)(uintptr_t)summary->needs;
    summary->needs = need;
    return 0;
}

static int open_needs(hoop_arena *arena, struct hoop__summary *summary, const char *list,
                      const char *by)
{
    hoop_str word;
    while (list && next_word(&list, &word))
        if (open_need(arena, summary, word, by))
            return HOOP_ENOMEM;
    return 0;
}

/* Twice on one path is an error, unless it does no harm or the two have different names. */
static int check_twice(const struct hoop__summary *summary, const struct hoop__mount *mount,
                       size_t index, hoop_error *error)
{
    if (mount->type && mount->type->flags & HOOP_IDEMPOTENT)
        return 0;
    for (const struct hoop__mount *m = summary->mounts; m; m = m->next)
        if (m->type == mount->type && strcmp(m->name, mount->name) == 0)
            return hoop_error_set(error, HOOP_ECONFLICT,
                                  "middleware '%s' (entry %zu) is mounted twice on one path: once "
                                  "more further in",
                                  mount->name, index);
    return 0;
}

/* A need that something provides, but further in, is a wrong order and not a missing one. */
static int check_order(const struct hoop__summary *summary, hoop_error *error)
{
    for (const struct hoop__need *n = summary->needs; n; n = n->next)
        if (n->provider)
            return hoop_error_set(
                error, HOOP_ECONFLICT,
                "middleware '%s' needs '%s', which '%s' provides only further in: "
                "mount '%s' in front of '%s'",
                n->by, n->name, n->provider, n->provider, n->by);
    return 0;
}

/* --- building -------------------------------------------------------------------------------- */

static int check_entry(const hoop_middleware *entry, size_t index, hoop_error *error)
{
    const char *name = entry->name ? entry->name : entry->type ? entry->type->name : NULL;
    if (!name || !*name)
        return hoop_error_set(error, HOOP_EINVAL, "middleware entry %zu has no name", index);
    if (entry->type && entry->type->size < sizeof(hoop_middleware_type))
        return hoop_error_set(error, HOOP_EINVAL,
                              "middleware '%s' (entry %zu): its type's size is %u, not %zu", name,
                              index, (unsigned)entry->type->size, sizeof(hoop_middleware_type));
    if (!(entry->type ? entry->type->wrap : entry->wrap))
        return hoop_error_set(error, HOOP_EINVAL, "middleware '%s' (entry %zu) has no function",
                              name, index);
    return 0;
}

/* Mounts an entry in front of what the summary knows. */
static int mount_entry(hoop_arena *arena, const hoop_middleware *entry, size_t index,
                       struct hoop__summary *summary, hoop_error *error)
{
    const hoop_middleware_type *type = entry->type;
    struct hoop__mount *mount = hoop_arena_zalloc(arena, sizeof *mount);
    if (!mount)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    mount->type = type;
    mount->name = entry->name ? entry->name : type->name;
    mount->provides = entry->provides;
    int rc = check_twice(summary, mount, index, error);
    if (rc)
        return rc;
    if (close_needs(arena, summary, mount) ||
        open_needs(arena, summary, entry->needs, mount->name) ||
        (type && open_needs(arena, summary, type->needs, mount->name)))
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    mount->next = (struct hoop__mount *)(uintptr_t)summary->mounts;
    summary->mounts = mount;
    return 0;
}

static int build_link(hoop_arena *arena, const hoop_middleware *entry, size_t index,
                      hoop_handler *handler, struct hoop__summary *summary, hoop_error *error)
{
    int rc = check_entry(entry, index, error);
    if (!rc)
        rc = mount_entry(arena, entry, index, summary, error);
    if (rc)
        return rc;
    struct link *link = hoop_arena_zalloc(arena, sizeof *link);
    if (!link)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    link->node.ops = &link_ops;
    link->node.summary = *summary;
    link->wrap = entry->type ? entry->type->wrap : entry->wrap;
    link->value = entry->options;
    link->next = *handler;
    link->name = summary->mounts->name;
    if (entry->type && entry->type->build) {
        rc = entry->type->build(arena, entry->options, entry->options_size, &link->value, error);
        if (rc)
            return rc;
    }
    *handler = hoop__node_handler(&link->node);
    return 0;
}

int hoop_chain_new_sized(hoop_arena *arena, const hoop_middleware *table, size_t count,
                         size_t entry_size, hoop_handler handler, hoop_handler *ret_handler,
                         hoop_error *error)
{
    if (!arena || !ret_handler || (count && !table))
        return hoop_error_set(error, HOOP_EINVAL, "arena, table and ret_handler may not be NULL");
    int rc = hoop__handler_usable(handler, "the handler of the chain", error);
    if (rc)
        return rc;
    struct hoop__summary summary = hoop__summary_of(handler);
    for (size_t i = count; i-- > 0;) {
        /* A caller that was compiled against an older header has smaller entries. */
        hoop_middleware entry;
        memset(&entry, 0, sizeof entry);
        memcpy(&entry, (const char *)table + i * entry_size,
               entry_size < sizeof entry ? entry_size : sizeof entry);
        rc = build_link(arena, &entry, i, &handler, &summary, error);
        if (rc)
            return rc;
    }
    rc = check_order(&summary, error);
    if (rc)
        return rc;
    *ret_handler = handler;
    return 0;
}
