/* Middleware "nested_params": see hoop/middleware/nested_params.h. */
#include "middleware/middleware.h"

#include "codec/nested.h"

#include <hoop/json.h>
#include <hoop/middleware/nested_params.h>
#include <hoop/param.h>

#include <string.h>

static const char slot_key = 0;

/* What a request has of the middleware: the tree, or what it is made of once somebody asks for it. */
struct slot {
    const hoop_nested_params_options *options;
    const hoop_field *params;
    size_t count;
    json_t *made;  /* in front of the handler; NULL if nothing can be refused */
    json_t *later; /* by the first who asked; of the exchange's own requests alone */
};

/* The tree being made. */
struct tree {
    const hoop_request *req;
    const hoop_nested_params_options *options;
    hoop_str *keys; /* room for those of one name */
    json_t *root;
    uint32_t values;
    const hoop_response *answer; /* the refusal */
};

/* --- refusals -------------------------------------------------------------------------------- */

static int refuse(struct tree *tree, const char *text, unsigned long limit)
{
    tree->answer =
        hoop_problemf(tree->req, 400, "the parameters have more than %lu %s", limit, text);
    return HOOP_ETOOBIG;
}

/* What stands in front of `key` in the name is not the object that the name needs there. */
static int clash(struct tree *tree, hoop_str name, hoop_str key)
{
    int seen = (int)(key.data - name.data) - 1;
    tree->answer =
        hoop_problemf(tree->req, 400, "the parameters '%.*s' and '%s' exclude each other", seen,
                      name.data, name.data);
    return HOOP_ECONFLICT;
}

static int no_memory(struct tree *tree)
{
    hoop__fail_memory(tree->req);
    return HOOP_ENOMEM;
}

/* --- places in the tree ---------------------------------------------------------------------- */

/* Where a value goes: under a name of an object, or behind the last one of an array. */
struct place {
    json_t *in;
    const char *key; /* NULL: an array */
};

static json_t *value_at(const struct place *place)
{
    return place->key ? json_object_get(place->in, place->key) : NULL;
}

/* Puts a value there; takes the reference over. 0 or a code. */
static int put(struct tree *tree, const struct place *place, json_t *value)
{
    if (!value)
        return no_memory(tree);
    if (++tree->values > tree->options->max_values) {
        json_decref(value);
        return refuse(tree, "values", tree->options->max_values);
    }
    int rc = place->key ? json_object_set_new_nocheck(place->in, place->key, value)
                        : json_array_append_new(place->in, value);
    return rc ? no_memory(tree) : 0;
}

static int is_empty_text(const json_t *value)
{
    return json_is_string(value) && json_string_length(value) == 0;
}

/* The object at a place, made if there is none or an empty text. */
static int object_at(struct tree *tree, const struct place *place, hoop_str name, hoop_str key,
                     json_t **ret_object)
{
    json_t *there = value_at(place);
    if (there && !json_is_object(there) && !is_empty_text(there))
        return clash(tree, name, key);
    if (!json_is_object(there)) {
        there = json_object();
        int rc = put(tree, place, there);
        if (rc)
            return rc;
    }
    *ret_object = there;
    return 0;
}

/* The array at a place; what was there becomes its first element. */
static int array_at(struct tree *tree, const struct place *place, json_t **ret_array)
{
    json_t *there = value_at(place);
    if (!json_is_array(there)) {
        json_t *array = json_array();
        if (array && there && json_array_append(array, there)) {
            json_decref(array);
            array = NULL;
        }
        int rc = put(tree, place, array);
        if (rc)
            return rc;
        there = array;
    }
    *ret_array = there;
    return 0;
}

/* The value of a parameter, at the end of its name. Several make an array. */
static int put_value(struct tree *tree, hoop_str text, struct place place)
{
    if (value_at(&place)) {
        json_t *array;
        int rc = array_at(tree, &place, &array);
        if (rc)
            return rc;
        place.in = array;
        place.key = NULL;
    }
    return put(tree, &place, json_stringn_nocheck(text.data, text.len));
}

/* --- parameters ------------------------------------------------------------------------------ */

/* What stands between separators. */
static int split_at(hoop_str name, char separator, hoop_str *keys, size_t cap, size_t *ret_count)
{
    size_t count = 0, from = 0;
    for (size_t i = 0; i <= name.len; i++) {
        if (i < name.len && name.data[i] != separator)
            continue;
        if (count == cap)
            return HOOP_ETOOBIG;
        keys[count++] = hoop_str_n(name.data + from, i - from);
        from = i + 1;
    }
    *ret_count = count;
    return 0;
}

static int split(struct tree *tree, hoop_str name, size_t *ret_count)
{
    const hoop_nested_params_options *options = tree->options;
    int rc = options->separator
                 ? split_at(name, options->separator[0], tree->keys, options->max_depth, ret_count)
                 : hoop__nested_split(name, tree->keys, options->max_depth, ret_count);
    return rc ? refuse(tree, "levels", options->max_depth) : 0;
}

static int name_place(struct tree *tree, json_t *in, hoop_str key, struct place *place)
{
    hoop_str copy = hoop_arena_copy(tree->req->arena, key);
    if (hoop_str_is_none(copy))
        return no_memory(tree);
    place->in = in;
    place->key = copy.data;
    return 0;
}

/* One key further down: `place` becomes where that key's value goes. */
static int step(struct tree *tree, hoop_str name, hoop_str key, struct place *place)
{
    json_t *in;
    int rc;
    if (!tree->options->separator && key.len == 0) {
        rc = array_at(tree, place, &in);
        if (rc)
            return rc;
        place->in = in;
        place->key = NULL;
        return 0;
    }
    rc = object_at(tree, place, name, key, &in);
    return rc ? rc : name_place(tree, in, key, place);
}

static int add(struct tree *tree, const hoop_field *param)
{
    size_t count;
    struct place place;
    int rc = split(tree, param->name, &count);
    if (!rc)
        rc = name_place(tree, tree->root, tree->keys[0], &place);
    for (size_t i = 1; !rc && i < count; i++)
        rc = step(tree, param->name, tree->keys[i], &place);
    return rc ? rc : put_value(tree, param->value, place);
}

static void drop_tree(void *data)
{
    json_decref(data);
}

/* The tree, which the request's arena drops. NULL: tree->answer refuses it, or that failed (noted). */
static json_t *make(const hoop_request *req, const struct slot *slot,
                    const hoop_response **ret_answer)
{
    struct tree tree = { .req = req, .options = slot->options, .root = json_object() };
    if (!tree.root || hoop_arena_on_dispose(req->arena, drop_tree, tree.root))
        return hoop__fail_memory(req);
    tree.keys = hoop_alloc(req, slot->options->max_depth * sizeof *tree.keys);
    if (!tree.keys)
        return NULL;
    for (size_t i = 0; i < slot->count; i++)
        if (add(&tree, &slot->params[i])) {
            if (tree.answer)
                *ret_answer = tree.answer;
            return NULL;
        }
    return tree.root;
}

json_t *hoop_nested_params(const hoop_request *req)
{
    struct slot *slot = hoop_get(req, &slot_key);
    const hoop_response *none = NULL;
    if (!slot || slot->made)
        return slot ? slot->made : NULL;
    if (!hoop__request_is_own(req))
        return make(req, slot, &none);
    if (!slot->later)
        slot->later = make(req, slot, &none);
    return slot->later;
}

/* Nonzero if making the tree may lead to a refusal: then it is made in front of the handler. Names without
 * levels never clash, and make two values at most, one of them the array of several texts. */
static int may_be_refused(const struct slot *slot)
{
    char mark = slot->options->separator ? slot->options->separator[0] : '[';
    if (slot->count > slot->options->max_values / 2)
        return 1;
    for (size_t i = 0; i < slot->count; i++)
        if (memchr(slot->params[i].name.data, mark, slot->params[i].name.len))
            return 1;
    return 0;
}

static const hoop_request *with_tree(const hoop_request *req,
                                     const hoop_nested_params_options *options,
                                     const hoop_response **ret_answer)
{
    if (hoop_get(req, &slot_key))
        return req;
    struct slot *slot = hoop_alloc(req, sizeof *slot);
    if (!slot)
        return NULL;
    slot->options = options;
    slot->params = hoop_params(req, HOOP_IN_ANY, &slot->count);
    slot->made = slot->later = NULL;
    if (may_be_refused(slot)) {
        slot->made = make(req, slot, ret_answer);
        if (!slot->made)
            return NULL;
    }
    return hoop_assoc(req, &slot_key, slot);
}

/* --- the middleware -------------------------------------------------------------------------- */

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_response *answer = NULL;
    const hoop_request *more = with_tree(req, value, &answer);
    return more ? hoop_call(next, more) : answer;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_nested_params_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (own->separator && (!own->separator[0] || own->separator[1]))
        return hoop_error_set(error, HOOP_EINVAL,
                              "nested_params: the separator '%s' is not one byte", own->separator);
    if (!own->max_depth)
        own->max_depth = 32;
    if (own->max_depth > 1024)
        return hoop_error_set(error, HOOP_EINVAL, "nested_params: a max_depth of %lu is over 1024",
                              (unsigned long)own->max_depth);
    if (!own->max_values)
        own->max_values = 4096;
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_nested_params_type = {
    .name = "nested_params",
    .needs = "params",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_nested_params_request_sized(const hoop_request *req,
                                                     const hoop_response **ret_answer,
                                                     const hoop_nested_params_options *options,
                                                     size_t options_size)
{
    const hoop_response *answer = NULL;
    const void *value = hoop__options_value(req, &hoop_nested_params_type, options, options_size);
    const hoop_request *more = value ? with_tree(req, value, &answer) : NULL;
    if (!more && answer && ret_answer)
        *ret_answer = answer;
    return more;
}
