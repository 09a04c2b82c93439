/* Percent-encoding (RFC 3986 2.1), both ways; '+' means nothing here, that is form.h's. */
#ifndef HOOP_CODEC_PERCENT_H
#define HOOP_CODEC_PERCENT_H

#include "codec/chars.h"

#include <hoop/error.h>
#include <hoop/str.h>

/* What stays as it is when a part of a URL is encoded: the classes of chars.h. */
#define HOOP__KEEP_COMPONENT HOOP__CHAR_UNRESERVED /* anything put anywhere */
#define HOOP__KEEP_SEGMENT   (HOOP__CHAR_UNRESERVED | HOOP__CHAR_SUB_DELIM | HOOP__CHAR_AT_COLON)
#define HOOP__KEEP_PATH      (HOOP__KEEP_SEGMENT | HOOP__CHAR_SLASH)
#define HOOP__KEEP_QUERY     (HOOP__KEEP_PATH | HOOP__CHAR_QUESTION)

/* Nonzero if there is something to decode; if not, the text is its own decoded form. */
int hoop__percent_is_encoded(hoop_str text);

/*
 * Strict: an escape that is none, and NUL in either form, are refused. Writes at most text.len bytes
 * and no NUL behind them; `out` may be text.data. 0 and the size, or HOOP_EPARSE; then *ret_size is
 * untouched, and `out` holds nothing of use.
 */
int hoop__percent_decode(hoop_str text, char *out, size_t *ret_size);

/* Lenient, as browsers do it: what is no escape stays, "%00" gives NUL. Returns the size. */
size_t hoop__percent_decode_lenient(hoop_str text, char *out);

/* The size of the encoded text; SIZE_MAX if that is more than fits a size_t. */
size_t hoop__percent_size(hoop_str text, unsigned keep);

/* Writes the text with all bytes but those of the classes `keep` as "%XX". Returns its size. */
size_t hoop__percent_encode(hoop_str text, unsigned keep, char *out);

#endif
