/* The writer: JSON values as compact text in an arena. */
#ifndef HOOP_JSON_TEXT_H
#define HOOP_JSON_TEXT_H

#include "base/arena.h"

#include <hoop/error.h>
#include <hoop/str.h>

#include <jansson.h>

#define HOOP__JSON_DEPTH 2048 /* arrays and objects within each other; the parser's limit, too */

/*
 * Writes `value` as json_dumps() with JSON_COMPACT and JSON_ENCODE_ANY does, with a NUL behind it.
 * 0 and `*ret_text`; HOOP_EINVAL for a value that has no text (a string that is no UTF-8, too many
 * levels, a loop); HOOP_ENOMEM. Threads: any that may read the value and use the arena.
 */
int hoop__json_text(struct hoop_arena *arena, const json_t *value, hoop_str *ret_text);

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
