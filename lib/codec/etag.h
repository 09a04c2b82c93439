/* Entity tags (RFC 9110 8.8.3): read, compared, and looked for in a list; how they are made is not known here. */
#ifndef HOOP_CODEC_ETAG_H
#define HOOP_CODEC_ETAG_H

#include <hoop/error.h>
#include <hoop/str.h>

struct hoop__etag {
    hoop_str opaque; /* what stands between the quotes; a backslash in it is a byte like another */
    int weak;
};

/* Reads one tag, with nothing around it. 0, or HOOP_EPARSE with the output untouched. */
int hoop__etag_parse(hoop_str text, struct hoop__etag *ret_etag);

/*
 * Takes the next tag off the front of a list; empty elements are skipped. 1 and `*ret_etag`, 0 at the end,
 * HOOP_EPARSE for what is no tag (then `*rest` stays).
 */
int hoop__etag_next(hoop_str *rest, struct hoop__etag *ret_etag);

/* Both strong, and the same bytes (RFC 9110 8.8.3.2). */
int hoop__etag_equal_strong(const struct hoop__etag *a, const struct hoop__etag *b);

/* The same bytes, weak or strong. */
int hoop__etag_equal_weak(const struct hoop__etag *a, const struct hoop__etag *b);

#define HOOP__ETAG_STRONG 1
#define HOOP__ETAG_WEAK   0

/* Nonzero if a tag of the list equals `etag`. A broken list ends where it breaks. */
int hoop__etag_list_has(hoop_str list, const struct hoop__etag *etag, int strong);

/* Nonzero if the value of an If-Match or If-None-Match is `*`, blanks aside. */
int hoop__etag_list_is_any(hoop_str list);

#endif
