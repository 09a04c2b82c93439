/*
 * The serialiser: jansson's text byte for byte, but for reals, without jansson's allocations for each
 * container. See text.h.
 */
#include "json/text.h"

#include <stdlib.h>

/* A run over a value. */
struct dump {
    struct hoop__json_out *out;
    const struct hoop__json_style *style;
    struct hoop__json_path *path;
    const char *what; /* is wrong */
};

static int put_value(struct dump *d, const json_t *value, size_t depth);

static int refuse(struct dump *d, const char *what)
{
    d->what = what;
    return HOOP_EINVAL;
}

static inline int put_text(struct dump *d, const char *data, size_t len)
{
    int rc = hoop__json_put_string(d->out, data, len);
    if (rc == HOOP_EINVAL && !d->out->code)
        return refuse(d, "the text is no UTF-8");
    return rc;
}

/* Within a container: most values are strings, for which one call less counts. */
static inline int put_inner(struct dump *d, const json_t *value, size_t depth)
{
    if (json_is_string(value))
        return put_text(d, json_string_value(value), json_string_length(value));
    return put_value(d, value, depth);
}

/* --- reals ------------------------------------------------------------------------------------- */

/* With a precision jansson does it, whatever the locale; it needs 40 bytes at most. */
static int put_real(struct dump *d, const json_t *value)
{
    int rc = hoop__json_room(d->out, 64 + 2);
    if (rc)
        return rc;
    if (!d->style->precision) {
        d->out->next = hoop__double_text(json_real_value(value), d->out->next);
        return 0;
    }
    size_t len = json_dumpb(value, d->out->next, 64, JSON_ENCODE_ANY | d->style->precision);
    if (len == 0)
        return d->out->code = HOOP_ENOMEM;
    d->out->next += len;
    return 0;
}

/* --- lines ------------------------------------------------------------------------------------- */

/* What jansson sets between brackets and values: a line, or nothing. */
static inline int put_line(struct dump *d, size_t depth)
{
    if (!d->style->indent)
        return 0;
    return hoop__json_put_line(d->out, (d->style->depth + depth) * d->style->indent);
}

/* A comma, for which there is room, and what stands behind it. */
static inline int put_comma(struct dump *d, size_t depth)
{
    *d->out->next++ = ',';
    if (d->style->indent)
        return put_line(d, depth);
    if (!d->style->compact)
        *d->out->next++ = ' ';
    return 0;
}

/* A bracket, unless what it belongs to is embedded. Room for two bytes is left. */
static inline int put_bracket(struct dump *d, char bracket, size_t depth)
{
    int rc = hoop__json_room(d->out, 3);
    if (rc == 0 && !(d->style->embed && depth == 0))
        *d->out->next++ = bracket;
    return rc;
}

/* --- containers --------------------------------------------------------------------------------- */

static int put_array(struct dump *d, const json_t *array, size_t depth)
{
    size_t count = json_array_size(array);
    int rc = put_bracket(d, '[', depth);
    if (rc == 0 && count > 0)
        rc = put_line(d, depth + 1);
    for (size_t i = 0; i < count && rc == 0; i++) {
        if (i > 0)
            rc = put_comma(d, depth + 1);
        if (rc == 0)
            rc = put_inner(d, json_array_get(array, i), depth + 1);
        if (rc == HOOP_EINVAL)
            hoop__json_path_index(d->path, i);
    }
    if (rc == 0 && count > 0)
        rc = put_line(d, depth);
    return rc ? rc : put_bracket(d, ']', depth);
}

static inline int put_member(struct dump *d, hoop_str key, const json_t *value, size_t depth)
{
    int rc = put_text(d, key.data, key.len);
    if (rc)
        return rc;
    *d->out->next++ = ':';
    if (!d->style->compact)
        *d->out->next++ = ' ';
    rc = put_inner(d, value, depth);
    if (rc == HOOP_EINVAL)
        hoop__json_path_key(d->path, key);
    return rc;
}

struct member {
    hoop_str key;
    const json_t *value;
};

static int compare_keys(const void *a, const void *b)
{
    hoop_str x = ((const struct member *)a)->key, y = ((const struct member *)b)->key;
    int order = memcmp(x.data, y.data, x.len < y.len ? x.len : y.len);
    return order ? order : (x.len > y.len) - (x.len < y.len);
}

static int put_sorted(struct dump *d, json_t *object, size_t count, size_t depth)
{
    const hoop_allocator *allocator = d->out->arena->allocator;
    struct member *members = hoop__alloc(allocator, count * sizeof *members);
    if (!members)
        return d->out->code = HOOP_ENOMEM;
    size_t n = 0;
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i))
        members[n++] = (struct member){ hoop__json_key(i), json_object_iter_value(i) };
    qsort(members, n, sizeof *members, compare_keys);
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        if (i > 0)
            rc = put_comma(d, depth + 1);
        if (rc == 0)
            rc = put_member(d, members[i].key, members[i].value, depth + 1);
    }
    hoop__free(allocator, members);
    return rc;
}

static int put_members(struct dump *d, json_t *object, size_t depth)
{
    void *i = json_object_iter(object);
    for (;;) {
        int rc = put_member(d, hoop__json_key(i), json_object_iter_value(i), depth + 1);
        i = json_object_iter_next(object, i);
        if (rc || !i)
            return rc;
        rc = put_comma(d, depth + 1);
        if (rc)
            return rc;
    }
}

static int put_object(struct dump *d, const json_t *object, size_t depth)
{
    /* Walking an object changes nothing in it, but jansson's functions take it without const. */
    json_t *walked = (json_t *)(uintptr_t)object;
    size_t count = json_object_size(object);
    int rc = put_bracket(d, '{', depth);
    if (rc == 0 && count > 0) {
        rc = put_line(d, depth + 1);
        if (rc == 0)
            rc = d->style->sort ? put_sorted(d, walked, count, depth)
                                : put_members(d, walked, depth);
        if (rc == 0)
            rc = put_line(d, depth);
    }
    return rc ? rc : put_bracket(d, '}', depth);
}

/* --- values ------------------------------------------------------------------------------------- */

static int put_word(struct dump *d, const char *word, size_t len)
{
    int rc = hoop__json_room(d->out, 5 + 2);
    if (rc == 0) {
        memcpy(d->out->next, word, len);
        d->out->next += len;
    }
    return rc;
}

static int put_integer(struct dump *d, int64_t value)
{
    int rc = hoop__json_room(d->out, 24 + 2);
    if (rc == 0)
        hoop__json_put_int(d->out, value);
    return rc;
}

static int put_value(struct dump *d, const json_t *value, size_t depth)
{
    if (!value)
        return refuse(d, "the value is NULL");
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        if (depth < d->style->most)
            return put_object(d, value, depth);
        return refuse(d, "too many levels of arrays and objects");
    case JSON_ARRAY:
        if (depth < d->style->most)
            return put_array(d, value, depth);
        return refuse(d, "too many levels of arrays and objects");
    case JSON_STRING:
        return put_text(d, json_string_value(value), json_string_length(value));
    case JSON_INTEGER:
        return put_integer(d, json_integer_value(value));
    case JSON_REAL:
        return put_real(d, value);
    case JSON_TRUE:
        return put_word(d, "true", 4);
    case JSON_FALSE:
        return put_word(d, "false", 5);
    case JSON_NULL:
        return put_word(d, "null", 4);
    }
    return refuse(d, "the value has no type of JSON");
}

int hoop__json_put_value(struct hoop__json_out *out, const json_t *value,
                         const struct hoop__json_style *style, struct hoop__json_path *path,
                         const char **ret_what)
{
    struct dump d = { out, style, path, NULL };
    int rc = put_value(&d, value, 0);
    if (rc == HOOP_EINVAL && !out->code)
        *ret_what = d.what;
    return rc;
}

/* --- into the arena ------------------------------------------------------------------------------ */

static int write_text(struct hoop_arena *arena, const json_t *value,
                      const struct hoop__json_style *style, uint32_t flags, hoop_str *ret_text,
                      hoop_error *error)
{
    struct hoop__json_out out;
    struct hoop__json_path path;
    const char *what = NULL;
    path.len = 0;
    path.cut = 0;
    int rc = hoop__json_out_init(&out, arena, SIZE_MAX);
    out.flags = flags;
    if (rc == 0)
        rc = hoop__json_put_value(&out, value, style, &path, &what);
    if (rc == 0)
        rc = hoop__json_out_take(&out, ret_text);
    if (rc == 0)
        return 0;
    hoop__json_out_drop(&out);
    if (what)
        return hoop_error_set(error, rc, "%s: %s", hoop__json_path_text(&path), what);
    return hoop_error_set(error, rc, "%s", hoop_strerror(rc));
}

int hoop__json_text(struct hoop_arena *arena, const json_t *value, hoop_str *ret_text,
                    hoop_error *error)
{
    static const struct hoop__json_style style = { .most = HOOP__JSON_DEPTH, .compact = 1 };
    return write_text(arena, value, &style, 0, ret_text, error);
}

int hoop_json_dump(hoop_arena *arena, const json_t *value, size_t flags, hoop_str *ret_text,
                   hoop_error *error)
{
    if (!arena || !ret_text)
        return hoop_error_set(error, HOOP_EINVAL, "arena and ret_text may not be NULL");
    if (!(flags & JSON_ENCODE_ANY) && !json_is_array(value) && !json_is_object(value))
        return hoop_error_set(error, HOOP_EINVAL,
                              "$: the value is no array or object, and JSON_ENCODE_ANY is not set");
    struct hoop__json_style style = { .most = HOOP__JSON_DEPTH };
    style.indent = flags & JSON_MAX_INDENT;
    style.compact = (flags & JSON_COMPACT) != 0;
    style.sort = (flags & JSON_SORT_KEYS) != 0;
    style.embed = (flags & JSON_EMBED) != 0;
    style.precision = flags & JSON_REAL_PRECISION(0x1f);
    uint32_t encode = (flags & JSON_ENSURE_ASCII ? HOOP__JSON_ASCII : 0) |
                      (flags & JSON_ESCAPE_SLASH ? HOOP__JSON_SLASH : 0);
    return write_text(arena, value, &style, encode, ret_text, error);
}
