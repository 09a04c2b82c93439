/* UTF-8 (RFC 3629, Unicode 3.9): checked, and repaired; no other encoding and no normal forms. */
#ifndef HOOP_CODEC_UTF8_H
#define HOOP_CODEC_UTF8_H

#include <hoop/str.h>

/* The length of the longest front that is whole, right UTF-8: no overlong form, no surrogate. */
size_t hoop__utf8_front(hoop_str text);

/* Nonzero if all of it is UTF-8; NUL counts as a character. */
static inline int hoop__utf8_is_valid(hoop_str text)
{
    return hoop__utf8_front(text) == text.len;
}

/*
 * The size of the text with each maximal wrong part replaced by U+FFFD (Unicode 3.9, as browsers
 * decode); SIZE_MAX if that is more than fits a size_t.
 */
size_t hoop__utf8_repaired_size(hoop_str text);

/* Writes that text, no NUL behind it; `out` is a buffer of its own. Returns its size. */
size_t hoop__utf8_repair(hoop_str text, char *out);

#endif
