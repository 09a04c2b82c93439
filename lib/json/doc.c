/* Walking a tree: look-up by key and index, iteration, and the plain values. */
#include "json/read.h"

#include "json/number.h"

const hoop_json_node *hoop_doc_root(const hoop_json_doc *doc)
{
    return doc ? doc->root : NULL;
}

uint32_t hoop_doc_type(const hoop_json_node *node)
{
    return node ? hoop__node_type(node) : 0;
}

size_t hoop_doc_size(const hoop_json_node *node)
{
    return node && hoop__node_holds(node) ? node->size : 0;
}

/* --- look-up ----------------------------------------------------------------------------------- */

/* The key's node among the members of a small object. */
static const hoop_json_node *find_few(const hoop_json_node *object, hoop_str key)
{
    const hoop_json_node *at = object + 1, *found = NULL;
    uint32_t hash = hoop__key_hash(hoop__key_first(key.data, key.len), key.len);
    for (uint32_t i = 0; i < object->size; i++) {
        at = i ? hoop__node_next(hoop__node_next(at)) : hoop__node_here(at);
        if (at->kind >> HOOP__NODE_HASH != hash || !hoop_str_eq(hoop__node_str(at), key))
            continue;
        found = at;
        if (!(object->kind & HOOP__NODE_LAST))
            break;
    }
    return found;
}

const hoop_json_node *hoop_doc_get_str(const hoop_json_node *object, hoop_str key)
{
    if (hoop_doc_type(object) != HOOP_DOC_OBJECT)
        return NULL;
    const hoop_json_node *found = object->kind & HOOP__NODE_INDEXED
                                      ? hoop__members_find(object->end[-1].table, key)
                                      : find_few(object, key);
    return found ? hoop__node_next(found) : NULL;
}

const hoop_json_node *hoop_doc_get(const hoop_json_node *object, const char *key)
{
    return key ? hoop_doc_get_str(object, hoop_str_c(key)) : NULL;
}

const hoop_json_node *hoop_doc_at(const hoop_json_node *array, size_t index)
{
    if (hoop_doc_type(array) != HOOP_DOC_ARRAY || index >= array->size)
        return NULL;
    if (array->kind & HOOP__NODE_INDEXED)
        return ((const hoop_json_node *const *)array->end[-1].table)[index];
    if ((uintptr_t)array->end == (uintptr_t)(array + 1 + array->size))
        return array + 1 + index;
    const hoop_json_node *at = hoop__node_here(array + 1);
    while (index--)
        at = hoop__node_next(at);
    return at;
}

/* --- iteration --------------------------------------------------------------------------------- */

hoop_json_iter hoop_doc_iter(const hoop_json_node *node)
{
    hoop_json_iter iter = { node ? node + 1 : NULL, hoop_doc_size(node) };
    return iter;
}

int hoop_doc_next(hoop_json_iter *iter, hoop_str *ret_key, const hoop_json_node **ret_value)
{
    if (!iter || !iter->left)
        return 0;
    const hoop_json_node *value = hoop__node_here(iter->at);
    hoop_str key = hoop_str_none();
    if (hoop__node_type(value) == HOOP__NODE_KEY) {
        key = hoop__node_str(value);
        value = hoop__node_next(value);
    }
    iter->left--;
    iter->at = hoop__node_holds(value) ? value->end : value + 1;
    if (ret_key)
        *ret_key = key;
    if (ret_value)
        *ret_value = value;
    return 1;
}

/* --- values ------------------------------------------------------------------------------------ */

hoop_str hoop_doc_str(const hoop_json_node *node)
{
    return hoop_doc_type(node) == HOOP_DOC_STRING ? hoop__node_str(node) : hoop_str_none();
}

hoop_str hoop_doc_number(const hoop_json_node *node)
{
    return hoop_doc_type(node) == HOOP_DOC_NUMBER ? hoop__node_str(node) : hoop_str_none();
}

static int is_whole(const hoop_json_node *node)
{
    return hoop_doc_type(node) == HOOP_DOC_NUMBER && !(node->kind & HOOP__NODE_REAL);
}

int hoop_doc_to_int64(const hoop_json_node *node, int64_t *ret_value)
{
    if (!ret_value || !is_whole(node))
        return HOOP_EINVAL;
    return hoop__number_int64(hoop__node_str(node), ret_value);
}

int hoop_doc_to_uint64(const hoop_json_node *node, uint64_t *ret_value)
{
    if (!ret_value || !is_whole(node))
        return HOOP_EINVAL;
    return hoop__number_uint64(hoop__node_str(node), ret_value);
}

int hoop_doc_to_double(const hoop_json_node *node, double *ret_value)
{
    if (!ret_value || hoop_doc_type(node) != HOOP_DOC_NUMBER)
        return HOOP_EINVAL;
    return hoop__number_double(hoop__node_str(node), ret_value);
}

int hoop_doc_to_bool(const hoop_json_node *node, int *ret_value)
{
    uint32_t type = hoop_doc_type(node);
    if (!ret_value || (type != HOOP_DOC_TRUE && type != HOOP_DOC_FALSE))
        return HOOP_EINVAL;
    *ret_value = type == HOOP_DOC_TRUE;
    return 0;
}
