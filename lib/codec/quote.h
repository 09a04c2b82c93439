/* Quoted strings of header values (RFC 9110 5.6.4), written; they are read by media.h. */
#ifndef HOOP_CODEC_QUOTE_H
#define HOOP_CODEC_QUOTE_H

#include <hoop/str.h>

/* Nonzero if a byte may stand in a quoted string, by itself or behind a backslash. */
static inline int hoop__is_quotable(char c)
{
    unsigned char u = (unsigned char)c;
    return u == '\t' || (u >= 0x20 && u != 0x7f);
}

/* The size of the text between quotes, these included. 0 if it has a control character. */
size_t hoop__quote_size(hoop_str text);

/* Writes it, no NUL. Returns the size. */
size_t hoop__quote(hoop_str text, char *out);

#endif
