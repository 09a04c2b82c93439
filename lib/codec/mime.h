/* Media types by file extension: the built-in table, and the reader of the system's. */
#ifndef HOOP_CODEC_MIME_H
#define HOOP_CODEC_MIME_H

#include <hoop/str.h>

/* What stands behind the last dot of a path's last name; absent without one, and for names like
 * ".profile". A slice of the path. */
hoop_str hoop__mime_extension(hoop_str path);

/* Writes the extension in lower case; extension.len bytes, which it returns. */
size_t hoop__mime_fold(hoop_str extension, char *out);

/* The built-in type of an extension without its dot, in any case; absent if it is unknown. */
hoop_str hoop__mime_builtin(hoop_str extension);

/* The table itself, in order. */
size_t hoop__mime_builtin_count(void);
hoop_str hoop__mime_builtin_at(size_t index, hoop_str *ret_type);

/* A walk over a text in the format of /etc/mime.types; set `rest`, and `type` to the absent string. */
struct hoop__mime_types {
    hoop_str rest;
    hoop_str type; /* of the line at hand; absent in front of it */
};

/* The next pair, as slices of the text; lines that begin with no media type are skipped. 1, or 0 at the end. */
int hoop__mime_types_next(struct hoop__mime_types *types, hoop_str *ret_type,
                          hoop_str *ret_extension);

#endif
