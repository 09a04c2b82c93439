/* The serialiser: JSON values as text, with jansson's flags. */
#ifndef HOOP_JSON_TEXT_H
#define HOOP_JSON_TEXT_H

#include "json/write_out.h"
#include "json/write_path.h"

#include <hoop/error.h>
#include <hoop/json.h>
#include <hoop/str.h>

/* How a value is written; made of jansson's flags. */
struct hoop__json_style {
    size_t depth;     /* levels around it, for the indent */
    size_t most;      /* levels that may come */
    size_t indent;    /* spaces of a level; 0: all on one line */
    int compact;      /* no blank behind ':' and ',' */
    int sort;         /* keys in order of their bytes */
    int embed;        /* without its own brackets */
    size_t precision; /* jansson's flags for a real; 0: shortest */
};

/*
 * Writes `value` to `out`, leaving room for two bytes. 0; HOOP_EINVAL for a value that has no text (NULL, a
 * string that is no UTF-8, too many levels, a loop), with its place in `path` and why in `*ret_what`;
 * HOOP_ENOMEM, or what the flush function said.
 */
int hoop__json_put_value(struct hoop__json_out *out, const json_t *value,
                         const struct hoop__json_style *style, struct hoop__json_path *path,
                         const char **ret_what);

/*
 * Writes `value` as json_dumps() with JSON_COMPACT and JSON_ENCODE_ANY does, with a NUL behind it.
 * 0 and `*ret_text`; HOOP_EINVAL; HOOP_ENOMEM. Threads: any that may read the value and use the arena.
 */
int hoop__json_text(struct hoop_arena *arena, const json_t *value, hoop_str *ret_text,
                    hoop_error *error);

/* A string, or what can't stand in one as {"base64": ...}. A new reference; NULL: out of memory. */
json_t *hoop__json_bytes(hoop_str bytes);

/* The key at an iterator of json_object_iter(); before jansson 2.14 no key has a NUL. */
static inline hoop_str hoop__json_key(void *member)
{
#if JANSSON_VERSION_HEX >= 0x020e00
    return hoop_str_n(json_object_iter_key(member), json_object_iter_key_len(member));
#else
    return hoop_str_c(json_object_iter_key(member));
#endif
}

#endif
