/* The compact writer; unlike jansson's own it allocates nothing but the text. See text.h. */
#include "json/text.h"

#include "codec/utf8.h"

/* Text under way. What does not fit is counted, so that one more run with the right room does. */
struct writer {
    char *data;
    size_t len;
    size_t cap;
};

static inline void put(struct writer *w, const char *bytes, size_t len)
{
    /* Nothing is copied once something did not fit, since `len` is beyond `cap` by then. */
    if (len > 0 && len <= w->cap && w->len <= w->cap - len)
        memcpy(w->data + w->len, bytes, len);
    w->len += len;
}

static inline void put_char(struct writer *w, char c)
{
    if (w->len < w->cap)
        w->data[w->len] = c;
    w->len++;
}

/* --- scalars --------------------------------------------------------------------------------- */

/* What stands behind the backslash for a byte that can't stand as it is: 'u' is a code, 0 nothing. */
static const char escapes[256] = {
    'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'b', 't', 'n', 'u', 'f', 'r', 'u', 'u', 'u',  'u', 'u',
    'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 'u', 0,   0,   '"', 0,    0,   0,
    0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,    0,   0,
    0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,    0,   0,
    0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   '\\',
};

static void put_escape(struct writer *w, unsigned char c)
{
    static const char digits[] = "0123456789ABCDEF";
    char text[6] = { '\\', escapes[c], '0', '0', digits[c >> 4], digits[c & 15] };
    put(w, text, escapes[c] == 'u' ? 6 : 2);
}

static int put_string(struct writer *w, const char *data, size_t len)
{
    /* Values made by json_string_nocheck() may hold anything. */
    if (!hoop__utf8_is_valid(hoop_str_n(data, len)))
        return HOOP_EINVAL;
    put_char(w, '"');
    size_t from = 0;
    for (size_t at = 0; at < len; at++) {
        unsigned char c = (unsigned char)data[at];
        if (!escapes[c])
            continue;
        put(w, data + from, at - from);
        put_escape(w, c);
        from = at + 1;
    }
    put(w, data + from, len - from);
    put_char(w, '"');
    return 0;
}

static void put_integer(struct writer *w, json_int_t value)
{
    char text[3 * sizeof value + 2], *end = text + sizeof text, *p = end;
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
    do
        *--p = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0)
        *--p = '-';
    put(w, p, (size_t)(end - p));
}

/* jansson knows how to write a real whatever the locale; it needs 25 bytes or so. */
static int put_real(struct writer *w, const json_t *value)
{
    char text[64];
    size_t len = json_dumpb(value, text, sizeof text, JSON_ENCODE_ANY);
    if (len == 0)
        return HOOP_ENOMEM;
    if (len > sizeof text)
        return HOOP_EINVAL;
    put(w, text, len);
    return 0;
}

/* --- values ---------------------------------------------------------------------------------- */

static int put_value(struct writer *w, const json_t *value, int depth);

static int put_array(struct writer *w, const json_t *array, int depth)
{
    size_t count = json_array_size(array);
    put_char(w, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            put_char(w, ',');
        int rc = put_value(w, json_array_get(array, i), depth + 1);
        if (rc < 0)
            return rc;
    }
    put_char(w, ']');
    return 0;
}

static int put_object(struct writer *w, const json_t *object, int depth)
{
    /* Walking an object changes nothing in it, but jansson's functions take it without const. */
    json_t *walked = (json_t *)(uintptr_t)object;
    char separator = '{';
    for (void *i = json_object_iter(walked); i; i = json_object_iter_next(walked, i)) {
        put_char(w, separator);
        separator = ',';
        hoop_str key = hoop__json_key(i);
        int rc = put_string(w, key.data, key.len);
        if (rc < 0)
            return rc;
        put_char(w, ':');
        rc = put_value(w, json_object_iter_value(i), depth + 1);
        if (rc < 0)
            return rc;
    }
    if (separator == '{')
        put_char(w, separator);
    put_char(w, '}');
    return 0;
}

static int put_value(struct writer *w, const json_t *value, int depth)
{
    if (!value || depth > HOOP__JSON_DEPTH)
        return HOOP_EINVAL;
    switch (json_typeof(value)) {
    case JSON_OBJECT:
        return put_object(w, value, depth);
    case JSON_ARRAY:
        return put_array(w, value, depth);
    case JSON_STRING:
        return put_string(w, json_string_value(value), json_string_length(value));
    case JSON_INTEGER:
        put_integer(w, json_integer_value(value));
        return 0;
    case JSON_REAL:
        return put_real(w, value);
    case JSON_TRUE:
        put(w, "true", 4);
        return 0;
    case JSON_FALSE:
        put(w, "false", 5);
        return 0;
    case JSON_NULL:
        put(w, "null", 4);
        return 0;
    }
    return HOOP_EINVAL;
}

/* --- into the arena -------------------------------------------------------------------------- */

/* What to try first: all that is left of the newest chunk, unless that is next to nothing. */
static size_t first_room(const struct hoop_arena *arena)
{
    size_t left = (size_t)(arena->end - arena->next) & ~(HOOP__ALIGN - 1);
    return left >= 128 ? left : 512;
}

int hoop__json_text(struct hoop_arena *arena, const json_t *value, hoop_str *ret_text)
{
    size_t room = first_room(arena);
    struct writer w = { .data = hoop__arena_alloc(arena, room), .cap = room };
    if (!w.data)
        w.cap = room = 0; /* a limit may still leave space for the exact size */
    int rc = put_value(&w, value, 1);
    if (rc < 0 || w.len >= room) {
        /* Given back; it is the newest allocation, so this can't fail. */
        if (w.data)
            hoop__arena_resize(arena, w.data, room, 0);
        if (rc < 0)
            return rc;
        size_t size = w.len;
        w = (struct writer){ .data = hoop__arena_alloc(arena, size + 1), .cap = size };
        if (!w.data)
            return HOOP_ENOMEM;
        rc = put_value(&w, value, 1);
        if (rc < 0)
            return rc;
    } else {
        w.data = hoop__arena_resize(arena, w.data, room, w.len + 1);
        if (!w.data)
            return HOOP_ENOMEM;
    }
    w.data[w.len] = '\0';
    *ret_text = hoop_str_n(w.data, w.len);
    return 0;
}
