/* Comma-separated lists of header values (RFC 9110 5.6.1): split into elements, and searched. */
#ifndef HOOP_CODEC_LIST_H
#define HOOP_CODEC_LIST_H

#include <hoop/error.h>
#include <hoop/str.h>

/*
 * Takes the next element off the front of `*rest`. Elements are split at commas outside quoted
 * strings and trimmed; empty ones are skipped, as the RFC asks. What an element holds is
 * not looked at. Not for lists of entity tags, in which a backslash escapes nothing.
 * 1 and `*ret_item` (a slice), 0 at the end, HOOP_EPARSE if a quoted string does not end (then
 * `*rest` stays).
 */
int hoop__list_next(hoop_str *rest, hoop_str *ret_item);

/* Nonzero if an element of the list is `token`, case aside. A broken list ends where it breaks. */
int hoop__list_has(hoop_str list, hoop_str token);

#endif
