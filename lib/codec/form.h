/* application/x-www-form-urlencoded as WHATWG's URL standard has it; names are not nested here. */
#ifndef HOOP_CODEC_FORM_H
#define HOOP_CODEC_FORM_H

#include <hoop/error.h>
#include <hoop/str.h>

/*
 * Takes the next pair off the front of `*rest`, still encoded, as slices: split at '&' and at the
 * first '='; empty pairs are skipped; without '=' the value is the absent string, which equals "".
 * 1, or 0 at the end.
 */
int hoop__form_next(hoop_str *rest, hoop_str *ret_name, hoop_str *ret_value);

/* Nonzero if there is something to decode ('+' or '%'). */
int hoop__form_is_encoded(hoop_str text);

/*
 * Decodes a name or value: '+' is a space, then as hoop__percent_decode(). At most text.len bytes;
 * `out` may be text.data. 0 and the size, or HOOP_EPARSE for a broken escape or NUL.
 */
int hoop__form_decode(hoop_str text, char *out, size_t *ret_size);

/* The same as browsers do it: what is no escape stays, "%00" gives NUL. Returns the size. */
size_t hoop__form_decode_lenient(hoop_str text, char *out);

/*
 * The size of the serialised pairs (name, value, name, value ...; `count` strings, an even number);
 * SIZE_MAX if that is more than fits a size_t.
 */
size_t hoop__form_size(const hoop_str *pairs, size_t count);

/* Writes them as "name=value&name=value", no NUL. Returns the size. */
size_t hoop__form_encode(const hoop_str *pairs, size_t count, char *out);

#endif
