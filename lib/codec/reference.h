/* URI references (RFC 3986 4.2, 5.2): told apart, and resolved against a path; no scheme is known here. */
#ifndef HOOP_CODEC_REFERENCE_H
#define HOOP_CODEC_REFERENCE_H

#include <hoop/str.h>

/* Nonzero if the reference begins with a scheme and ':'. */
int hoop__reference_is_absolute(hoop_str reference);

/* Nonzero if it begins with "//": it has an authority, but no scheme. */
int hoop__reference_has_authority(hoop_str reference);

/* The room that the next function needs at most. */
static inline size_t hoop__reference_room(hoop_str path, hoop_str query, hoop_str reference)
{
    return path.len + query.len + reference.len + 2;
}

/*
 * Resolves a reference without scheme and authority against an absolute path and its query (absent: none):
 * path, query and fragment of what it means, dot segments taken out. No NUL is written. Returns the size.
 */
size_t hoop__reference_resolve(hoop_str path, hoop_str query, hoop_str reference, char *out);

#endif
