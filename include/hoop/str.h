/** @file
 * hoop_str, the string value: a pointer and a length, passed by value.
 */
#ifndef HOOP_STR_H
#define HOOP_STR_H

#include <hoop/export.h>

#include <string.h>

HOOP_BEGIN_DECLS

/**
 * A piece of text or bytes. `data` is never NULL. The strings of a request (and all that the library
 * makes) have a NUL behind their last byte and none within, unless stated, so C functions may read
 * them. Frozen: this struct never changes.
 *
 * Ownership: a slice owns nothing; the comment of whoever gave it says how long it lives.
 */
typedef struct hoop_str {
    const char *data; /**< the first byte; never NULL */
    size_t len;       /**< bytes, the NUL not counted */
} hoop_str;

/** What `data` of an absent string points to: an empty text whose address tells it from "". */
HOOP_API extern const char hoop_str_none_data[1];

/** The slice of a C string; NULL gives the absent string. The text is borrowed. */
static inline hoop_str hoop_str_c(const char *text)
{
    hoop_str s;
    s.data = text ? text : hoop_str_none_data;
    s.len = text ? strlen(text) : 0;
    return s;
}

/** The slice of `len` bytes at `data`; borrowed. `data` may be NULL if `len` is 0. */
static inline hoop_str hoop_str_n(const char *data, size_t len)
{
    hoop_str s;
    s.data = data ? data : "";
    s.len = data ? len : 0;
    return s;
}

/** The absent string: empty, and told from "" by hoop_str_is_none(). */
static inline hoop_str hoop_str_none(void)
{
    hoop_str s;
    s.data = hoop_str_none_data;
    s.len = 0;
    return s;
}

/** The absent string as a constant, for static tables. */
#define HOOP_STR_NONE         \
    {                         \
        hoop_str_none_data, 0 \
    }

/** Nonzero if `s` is the absent string (a header that was not sent, a target without `?`). */
static inline int hoop_str_is_none(hoop_str s)
{
    return s.data == hoop_str_none_data;
}

/** Nonzero if both have the same bytes; the absent string equals "". */
static inline int hoop_str_eq(hoop_str a, hoop_str b)
{
    return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

/** Nonzero if `s` has the bytes of the C string `text`. */
static inline int hoop_str_eq_c(hoop_str s, const char *text)
{
    return hoop_str_eq(s, hoop_str_c(text));
}

/** Nonzero if both are equal when ASCII letters are compared without case. Threads: any. */
HOOP_API int hoop_str_eq_nocase(hoop_str a, hoop_str b);

/**
 * Compares byte by byte in a time that depends on the lengths alone, for secrets.
 * Nonzero if equal. Threads: any.
 */
HOOP_API int hoop_str_eq_secret(hoop_str a, hoop_str b);

/** `s` without the spaces and tabs at both ends. The result may lack the NUL. Threads: any. */
HOOP_API hoop_str hoop_str_trim(hoop_str s);

HOOP_END_DECLS

#endif
