/* Text in an older charset, by its name, made UTF-8. */
#ifndef HOOP_CODEC_CHARSET_H
#define HOOP_CODEC_CHARSET_H

#include <hoop/error.h>
#include <hoop/str.h>

/*
 * A charset by its IANA name, case aside: UTF-8, US-ASCII (taken as UTF-8, of which it is a part), and those of one
 * byte for a character: ISO-8859-x, windows-125x, KOI8-R, KOI8-U. Its constant name; NULL for any other.
 */
const char *hoop__charset(hoop_str name);

#define HOOP__CHARSET_WIDEST 3u /* bytes of UTF-8 that a byte of theirs may need */

/*
 * Makes UTF-8 of a text in one of those; `out` is a buffer of its own of HOOP__CHARSET_WIDEST times text.len. What
 * is no character becomes U+FFFD if `lenient`. 0 and the size; HOOP_EPARSE for what is none; HOOP_EUNSUPPORTED if the
 * system does not have the charset, or no memory to read it.
 */
int hoop__charset_decode(const char *charset, hoop_str text, int lenient, char *out,
                         size_t *ret_size);

#endif
