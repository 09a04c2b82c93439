/* Media types by extension that a program adds to the built-in ones. */
#include "codec/media.h"
#include "codec/mime.h"
#include "file/file.h"

#include <errno.h>
#include <stdio.h>

#define BUCKETS  256
#define MAX_FILE ((size_t)4 << 20) /* of a table in a file */

struct row {
    struct row *next;
    hoop_str extension; /* lower case */
    hoop_str type;
};

struct hoop_mime_types {
    hoop_arena *arena;
    struct row *buckets[BUCKETS];
};

static size_t bucket_of(hoop_str extension)
{
    uint32_t hash = 5381;
    for (size_t i = 0; i < extension.len; i++)
        hash = hash * 33 + ((unsigned char)extension.data[i] | 0x20);
    return hash % BUCKETS;
}

hoop_mime_types *hoop_mime_types_new(hoop_arena *arena)
{
    hoop_mime_types *types = arena ? hoop_arena_zalloc(arena, sizeof *types) : NULL;
    if (types)
        types->arena = arena;
    return types;
}

static int add(hoop_mime_types *types, hoop_str extension, hoop_str type)
{
    struct row *row = hoop_arena_alloc(types->arena, sizeof *row);
    if (!row || hoop__arena_copy(types->arena, extension, &row->extension) ||
        hoop__arena_copy(types->arena, type, &row->type))
        return HOOP_ENOMEM;
    struct row **bucket = &types->buckets[bucket_of(extension)];
    row->next = *bucket;
    *bucket = row;
    return 0;
}

int hoop_mime_types_add(hoop_mime_types *types, const char *extension, const char *type)
{
    struct hoop__media media;
    if (!types || !extension || !type || !*extension || hoop__media_parse(hoop_str_c(type), &media))
        return HOOP_EINVAL;
    return add(types, hoop_str_c(extension), hoop_str_c(type));
}

static int add_all(hoop_mime_types *types, hoop_str text)
{
    struct hoop__mime_types walk = { text, hoop_str_none() };
    hoop_str type, extension;
    while (hoop__mime_types_next(&walk, &type, &extension))
        if (add(types, extension, type))
            return HOOP_ENOMEM;
    return 0;
}

/* The whole file. 0, a code, or an errno below zero. */
static int read_file(hoop_arena *arena, FILE *file, hoop_str *ret)
{
    char *text = NULL;
    size_t len = 0, cap = 0;
    for (;;) {
        if (len == cap) {
            if (cap >= MAX_FILE)
                return HOOP_ETOOBIG;
            size_t more = cap ? cap * 2 : 65536;
            char *next = hoop__arena_resize(arena, text, cap, more);
            if (!next)
                return HOOP_ENOMEM;
            text = next;
            cap = more;
        }
        size_t n = fread(text + len, 1, cap - len, file);
        if (!n)
            break;
        len += n;
    }
    *ret = hoop_str_n(text, len);
    return ferror(file) ? -EIO : 0;
}

int hoop_mime_types_read(hoop_mime_types *types, const char *path, hoop_error *error)
{
    hoop_str text;
    if (!types)
        return hoop_error_set(error, HOOP_EINVAL, "there is no table to read types into");
    if (!path)
        path = "/etc/mime.types";
    FILE *file = fopen(path, "re");
    if (!file) {
        int code = -errno;
        return hoop_error_set(error, code, "'%s' can't be read: %s", path, hoop_strerror(code));
    }
    hoop_arena *scratch = hoop_arena_new();
    int rc = scratch ? read_file(scratch, file, &text) : HOOP_ENOMEM;
    fclose(file);
    if (!rc)
        rc = add_all(types, text);
    hoop_arena_free(scratch);
    return rc ? hoop_error_set(error, rc, "'%s' can't be read: %s", path, hoop_strerror(rc)) : 0;
}

hoop_str hoop_mime_type(const hoop_mime_types *types, const char *path)
{
    if (!path)
        return hoop_str_none();
    hoop_str extension = hoop__mime_extension(hoop_str_c(path));
    if (types && extension.len) {
        const struct row *row = types->buckets[bucket_of(extension)];
        for (; row; row = row->next)
            if (hoop_str_eq_nocase(row->extension, extension))
                return row->type;
    }
    return hoop__mime_builtin(extension);
}
