/* JSON Merge Patch (RFC 7396): a new value that shares with both what it can. */
#include "json/pointer.h"

/* The result, a new reference; NULL: out of memory, or `*ret_deep` was set. */
static json_t *merge(json_t *target, json_t *patch, size_t depth, int *ret_deep);

static int merge_member(json_t *result, hoop_str key, json_t *patch, size_t depth, int *ret_deep)
{
    json_t *old = hoop__json_get(result, key);
    if (json_is_null(patch)) {
        if (old)
            hoop__json_remove(result, key);
        return 0;
    }
    json_t *merged = merge(old, patch, depth + 1, ret_deep);
    return merged ? hoop__json_set(result, key, merged) : -1;
}

static json_t *merge(json_t *target, json_t *patch, size_t depth, int *ret_deep)
{
    if (!json_is_object(patch))
        return json_incref(patch);
    if (depth >= HOOP__JSON_DEPTH) {
        *ret_deep = 1;
        return NULL;
    }
    json_t *result = json_is_object(target) ? hoop__json_copy(target) : json_object();
    int rc = result ? 0 : -1;
    for (void *i = json_object_iter(patch); i && rc == 0; i = json_object_iter_next(patch, i))
        rc = merge_member(result, hoop__json_key(i), json_object_iter_value(i), depth, ret_deep);
    if (rc == 0)
        return result;
    json_decref(result);
    return NULL;
}

int hoop_json_merge_patch(json_t *document, json_t *patch, json_t **ret_document, hoop_error *error)
{
    int deep = 0;
    if (!patch || !ret_document)
        return hoop_error_set(error, HOOP_EINVAL, "patch and ret_document may not be NULL");
    json_t *merged = merge(document, patch, 0, &deep);
    if (deep)
        return hoop_error_set(error, HOOP_ETOOBIG, "the patch has over %d levels",
                              HOOP__JSON_DEPTH);
    if (!merged)
        return hoop_error_set(error, HOOP_ENOMEM, "%s", hoop_strerror(HOOP_ENOMEM));
    *ret_document = merged;
    return 0;
}
