/*
 * JSON Patch (RFC 6902). The document is never touched: on the way to each change what others hold, too, is copied
 * first, one array or object at a time, and what nobody else holds is changed in place.
 */
#include "json/patch.h"
#include "json/pointer.h"

#include "codec/utf8.h"

#define MAX_OPERATIONS 1000
#define MAX_NODES      1000000
#define SHOWN_PATH     120 /* bytes of a path in an error */

/* A patch under way. */
struct patch {
    json_t *root; /* owned; shares with the document what is not changed */
    uint64_t budget;
    const char *what; /* is wrong */
};

/* One operation, read. */
struct operation {
    hoop_str name;
    hoop_str path_text;
    hoop_str from_text;
    struct hoop__pointer path;
    struct hoop__pointer from; /* of move and copy */
    json_t *value;             /* of add, replace and test; borrowed */
};

static int refuse(struct patch *p, int code, const char *what)
{
    p->what = what;
    return code;
}

static int no_memory(struct patch *p)
{
    return refuse(p, HOOP_ENOMEM, "out of memory");
}

/* --- what is ours ------------------------------------------------------------------------------ */

static int is_container(const json_t *value)
{
    return json_is_array(value) || json_is_object(value);
}

/* A copy of a container, whose members are then held twice. 0 or a code. */
static int copy_container(struct patch *p, json_t *held, json_t **ret_copy)
{
    size_t width = json_is_array(held) ? json_array_size(held) : json_object_size(held);
    if (width > p->budget)
        return refuse(p, HOOP_ETOOBIG, "the patch copies more values than max_nodes");
    p->budget -= width;
    json_t *copy = hoop__json_copy(held);
    if (!copy)
        return no_memory(p);
    *ret_copy = copy;
    return 0;
}

/* Sets what a token names in a container of ours, where something is. Takes `value` over. 0 or -1. */
static int set_existing(json_t *parent, hoop_str token, json_t *value)
{
    return json_is_array(parent) ? json_array_set_new(parent, hoop__pointer_index(token), value)
                                 : hoop__json_set(parent, token, value);
}

/* Makes the root ours alone, so that it may be changed. 0 or a code. */
static int own_root(struct patch *p)
{
    if (!is_container(p->root))
        return refuse(p, HOOP_EMISSING, "what it goes through is no array or object");
    if (p->root->refcount == 1)
        return 0;
    json_t *copy;
    int rc = copy_container(p, p->root, &copy);
    if (rc == 0) {
        json_decref(p->root);
        p->root = copy;
    }
    return rc;
}

/* The same for what a token names in a container that is ours. */
static int own_child(struct patch *p, json_t *parent, hoop_str token, json_t **ret_child)
{
    json_t *child = hoop__pointer_step(parent, token, &p->what), *copy;
    if (!child)
        return HOOP_EMISSING;
    if (!is_container(child))
        return refuse(p, HOOP_EMISSING, "what it goes through is no array or object");
    if (child->refcount > 1) {
        int rc = copy_container(p, child, &copy);
        if (rc)
            return rc;
        if (set_existing(parent, token, copy))
            return no_memory(p);
        child = copy;
    }
    *ret_child = child;
    return 0;
}

/* The container that a path's last token stands in, ours alone as all above it. 0 or a code. */
static int own_parent(struct patch *p, const struct hoop__pointer *path, json_t **ret_parent)
{
    int rc = own_root(p);
    json_t *parent = p->root;
    for (size_t i = 0; rc == 0 && i + 1 < path->count; i++)
        rc = own_child(p, parent, path->tokens[i], &parent);
    if (rc == 0)
        *ret_parent = parent;
    return rc;
}

/* --- changes ------------------------------------------------------------------------------------ */

/* Refuses a value that is too large or would lie too deep. 0 or a code. */
static int measure(struct patch *p, const struct hoop__pointer *path, const json_t *value)
{
    size_t most = HOOP__JSON_DEPTH > path->count ? HOOP__JSON_DEPTH - path->count : 0;
    if (path->count > HOOP__JSON_DEPTH || hoop__json_measure(value, &p->budget, most) == SIZE_MAX)
        return refuse(p, HOOP_ETOOBIG,
                      p->budget ? "too many levels of arrays and objects"
                                : "the patch copies more values than max_nodes");
    return 0;
}

static void set_root(struct patch *p, json_t *value)
{
    json_incref(value);
    json_decref(p->root);
    p->root = value;
}

static int insert(struct patch *p, json_t *array, hoop_str token, json_t *value)
{
    size_t size = json_array_size(array), index = hoop__pointer_index(token);
    if (hoop_str_eq_c(token, "-"))
        index = size;
    if (index == SIZE_MAX)
        return refuse(p, HOOP_EMISSING,
                      "an array has indexes only, without leading zeros, and '-'");
    if (index > size)
        return refuse(p, HOOP_EMISSING, "the index is beyond the array's end");
    return json_array_insert_new(array, index, json_incref(value)) ? no_memory(p) : 0;
}

/* Adds a value, which is borrowed. 0 or a code. */
static int add(struct patch *p, const struct hoop__pointer *path, json_t *value)
{
    json_t *parent;
    int rc = measure(p, path, value);
    if (rc)
        return rc;
    if (path->count == 0) {
        set_root(p, value);
        return 0;
    }
    rc = own_parent(p, path, &parent);
    if (rc)
        return rc;
    hoop_str last = path->tokens[path->count - 1];
    if (json_is_array(parent))
        return insert(p, parent, last, value);
    return hoop__json_set(parent, last, json_incref(value)) ? no_memory(p) : 0;
}

static int take_out(struct patch *p, const struct hoop__pointer *path)
{
    json_t *parent;
    if (path->count == 0)
        return refuse(p, HOOP_EINVAL, "the whole document can't be removed");
    int rc = own_parent(p, path, &parent);
    if (rc)
        return rc;
    hoop_str last = path->tokens[path->count - 1];
    if (!hoop__pointer_step(parent, last, &p->what))
        return HOOP_EMISSING;
    if (json_is_array(parent))
        json_array_remove(parent, hoop__pointer_index(last));
    else
        hoop__json_remove(parent, last);
    return 0;
}

static int replace(struct patch *p, const struct hoop__pointer *path, json_t *value)
{
    json_t *parent;
    int rc = measure(p, path, value);
    if (rc)
        return rc;
    if (path->count == 0) {
        set_root(p, value);
        return 0;
    }
    rc = own_parent(p, path, &parent);
    if (rc)
        return rc;
    hoop_str last = path->tokens[path->count - 1];
    if (!hoop__pointer_step(parent, last, &p->what))
        return HOOP_EMISSING;
    return set_existing(parent, last, json_incref(value)) ? no_memory(p) : 0;
}

/* Nonzero if `path` lies below `from`. */
static int is_below(const struct hoop__pointer *path, const struct hoop__pointer *from)
{
    if (path->count <= from->count)
        return 0;
    for (size_t i = 0; i < from->count; i++)
        if (!hoop_str_eq(path->tokens[i], from->tokens[i]))
            return 0;
    return 1;
}

/* move, or copy. */
static int transfer(struct patch *p, const struct operation *op, int move)
{
    json_t *value = hoop__pointer_find(p->root, &op->from, op->from.count, &p->what);
    if (!value)
        return refuse(p, HOOP_EMISSING, "nothing is at 'from'");
    if (move && is_below(&op->path, &op->from))
        return refuse(p, HOOP_EINVAL, "a value can't be moved into itself");
    if (move && hoop_str_eq(op->path_text, op->from_text))
        return 0; /* to where it is; a member keeps its place */
    json_incref(value);
    int rc = move ? take_out(p, &op->from) : 0;
    if (rc == 0)
        rc = add(p, &op->path, value);
    json_decref(value);
    return rc;
}

static int test(struct patch *p, const struct operation *op)
{
    const json_t *found = hoop__pointer_find(p->root, &op->path, op->path.count, &p->what);
    if (!found)
        return HOOP_EMISSING;
    return hoop__json_equal(found, op->value)
               ? 0
               : refuse(p, HOOP_ECONFLICT, "the value is not the one that is tested for");
}

/* --- operations --------------------------------------------------------------------------------- */

static const struct rule {
    const char *name;
    int has_value;
    int has_from;
} rules[] = {
    { "add", 1, 0 },  { "remove", 0, 0 }, { "replace", 1, 0 },
    { "move", 0, 1 }, { "copy", 0, 1 },   { "test", 1, 0 },
};

enum { ADD, REMOVE, REPLACE, MOVE, COPY, TEST };

static hoop_str string_of(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value))
        return hoop_str_none();
    return hoop_str_n(json_string_value(value), json_string_length(value));
}

/* Does one operation whose pointers are read. 0 or a code. */
static int run(struct patch *p, size_t rule, const struct operation *op)
{
    switch (rule) {
    case ADD:
        return add(p, &op->path, op->value);
    case REMOVE:
        return take_out(p, &op->path);
    case REPLACE:
        return replace(p, &op->path, op->value);
    case MOVE:
    case COPY:
        return transfer(p, op, rule == MOVE);
    default:
        return test(p, op);
    }
}

/* A pointer of a patch, which is never a URI's fragment. */
static int read_pointer(struct patch *p, hoop_str text, struct hoop__pointer *ret_pointer)
{
    if (text.len > 0 && text.data[0] == '#')
        return refuse(p, HOOP_EPARSE, "a pointer is empty or begins with '/'");
    return hoop__pointer_read(ret_pointer, text, &p->what);
}

static int read_and_run(struct patch *p, size_t rule, struct operation *op)
{
    int rc = read_pointer(p, op->path_text, &op->path);
    if (rc)
        return rc;
    if (rules[rule].has_from) {
        rc = read_pointer(p, op->from_text, &op->from);
        if (rc == HOOP_EPARSE)
            p->what = "'from' is no JSON Pointer";
    }
    if (rc == 0)
        rc = run(p, rule, op);
    hoop__pointer_done(&op->path);
    hoop__pointer_done(&op->from);
    return rc;
}

/* One operation of the patch. 0 or a code; `op` has what the error names. */
static int apply(struct patch *p, const json_t *json, struct operation *op)
{
    if (!json_is_object(json))
        return refuse(p, HOOP_EPARSE, "it is no object");
    op->name = string_of(json, "op");
    size_t rule = 0;
    while (rule < HOOP_COUNT(rules) && !hoop_str_eq_c(op->name, rules[rule].name))
        rule++;
    if (rule == HOOP_COUNT(rules))
        return refuse(p, HOOP_EPARSE, "'op' is none of add, remove, replace, move, copy and test");
    op->path_text = string_of(json, "path");
    if (hoop_str_is_none(op->path_text))
        return refuse(p, HOOP_EPARSE, "'path' is missing or no string");
    op->from_text = string_of(json, "from");
    if (rules[rule].has_from && hoop_str_is_none(op->from_text))
        return refuse(p, HOOP_EPARSE, "'from' is missing or no string");
    op->value = json_object_get(json, "value");
    if (rules[rule].has_value && !op->value)
        return refuse(p, HOOP_EPARSE, "'value' is missing");
    return read_and_run(p, rule, op);
}

static int tell(const struct patch *p, int rc, size_t number, const struct operation *op,
                hoop_error *error)
{
    if (hoop_str_is_none(op->path_text))
        return hoop_error_set(error, rc, "operation %zu: %s", number, p->what);
    hoop_str path = hoop_str_n(op->path_text.data,
                               op->path_text.len < SHOWN_PATH ? op->path_text.len : SHOWN_PATH);
    return hoop_error_set(error, rc, "operation %zu (%.*s '%.*s'): %s", number, (int)op->name.len,
                          op->name.data, (int)hoop__utf8_front(path), path.data, p->what);
}

static int apply_all(struct patch *p, const json_t *operations, hoop_error *error)
{
    size_t count = json_array_size(operations);
    for (size_t i = 0; i < count; i++) {
        struct operation op;
        memset(&op, 0, sizeof op);
        op.name = op.path_text = op.from_text = hoop_str_none();
        int rc = apply(p, json_array_get(operations, i), &op);
        if (rc)
            return tell(p, rc, i, &op, error);
    }
    return 0;
}

int hoop_json_patch_sized(json_t *document, const json_t *patch, json_t **ret_document,
                          hoop_error *error, const hoop_json_patch_options *options,
                          size_t options_size)
{
    hoop_json_patch_options o = { 0 };
    if (options)
        memcpy(&o, options, options_size < sizeof o ? options_size : sizeof o);
    if (!document || !ret_document)
        return hoop_error_set(error, HOOP_EINVAL, "document and ret_document may not be NULL");
    if (!json_is_array(patch))
        return hoop_error_set(error, HOOP_EPARSE, "the patch is no array");
    uint64_t most = o.max_operations ? o.max_operations : MAX_OPERATIONS;
    if (json_array_size(patch) > most)
        return hoop_error_set(error, HOOP_ETOOBIG, "the patch has %zu operations, over %llu",
                              json_array_size(patch), (unsigned long long)most);
    struct patch p = { json_incref(document), o.max_nodes ? o.max_nodes : MAX_NODES, "" };
    int rc = apply_all(&p, patch, error);
    if (rc) {
        json_decref(p.root);
        return rc;
    }
    *ret_document = p.root;
    return 0;
}
