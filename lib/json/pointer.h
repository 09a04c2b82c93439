/* JSON Pointer (RFC 6901): a pointer taken apart, and the value that it names. */
#ifndef HOOP_JSON_POINTER_H
#define HOOP_JSON_POINTER_H

#include "json/text.h"

/* A pointer's reference tokens, decoded. Lies in memory of jansson's allocator. */
struct hoop__pointer {
    hoop_str *tokens;
    size_t count;
};

/*
 * Takes a pointer apart, also one that begins with '#' (as in a URI's fragment). 0; HOOP_EPARSE or HOOP_ENOMEM
 * with why in `*ret_what`. Ended by hoop__pointer_done(), which is not needed on failure.
 */
int hoop__pointer_read(struct hoop__pointer *pointer, hoop_str text, const char **ret_what);
void hoop__pointer_done(struct hoop__pointer *pointer);

/* The index that a token is, SIZE_MAX if it is none: digits without a leading zero. */
size_t hoop__pointer_index(hoop_str token);

/* The member or element that a token names, borrowed; NULL if there is none, with why. */
json_t *hoop__pointer_step(const json_t *value, hoop_str token, const char **ret_what);

/* The value at the first `count` tokens, borrowed; NULL if there is none, with why. */
json_t *hoop__pointer_find(json_t *root, const struct hoop__pointer *pointer, size_t count,
                           const char **ret_what);

/* A member of an object by a key with length; before jansson 2.14 keys have no NUL. */
static inline json_t *hoop__json_get(const json_t *object, hoop_str key)
{
#if JANSSON_VERSION_HEX >= 0x020e00
    return json_object_getn(object, key.data, key.len);
#else
    return memchr(key.data, '\0', key.len) ? NULL : json_object_get(object, key.data);
#endif
}

/* Sets a member, taking `value` over. 0 or -1. */
static inline int hoop__json_set(json_t *object, hoop_str key, json_t *value)
{
#if JANSSON_VERSION_HEX >= 0x020e00
    return json_object_setn_new(object, key.data, key.len, value);
#else
    if (!memchr(key.data, '\0', key.len))
        return json_object_set_new(object, key.data, value);
    json_decref(value);
    return -1;
#endif
}

/* Removes a member that is there. */
static inline void hoop__json_remove(json_t *object, hoop_str key)
{
#if JANSSON_VERSION_HEX >= 0x020e00
    json_object_deln(object, key.data, key.len);
#else
    json_object_del(object, key.data);
#endif
}

/* A copy of an array or object that holds the same values; NULL if out of memory, also halfway. */
static inline json_t *hoop__json_copy(json_t *value)
{
    json_t *copy = json_copy(value);
    /* jansson leaves out what it has no memory for. */
    if (copy && json_array_size(copy) == json_array_size(value) &&
        json_object_size(copy) == json_object_size(value))
        return copy;
    json_decref(copy);
    return NULL;
}

#endif
