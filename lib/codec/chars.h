/* Classes of bytes that the grammars of HTTP and URLs share; nothing here knows a whole grammar. */
#ifndef HOOP_CODEC_CHARS_H
#define HOOP_CODEC_CHARS_H

#include <stdint.h>

#define HOOP__CHAR_TOKEN      0x01u /* tchar, RFC 9110 5.6.2 */
#define HOOP__CHAR_UNRESERVED 0x02u /* RFC 3986 2.3 */
#define HOOP__CHAR_SUB_DELIM  0x04u /* RFC 3986 2.2 */
#define HOOP__CHAR_HEX        0x08u /* HEXDIG, both cases */
#define HOOP__CHAR_AT_COLON   0x10u /* what pchar has besides the two above, RFC 3986 3.3 */
#define HOOP__CHAR_SLASH      0x20u
#define HOOP__CHAR_QUESTION   0x40u
#define HOOP__CHAR_FORM       0x80u /* not escaped by application/x-www-form-urlencoded (WHATWG) */

/* Bits of HOOP__CHAR_* for each byte. */
extern const uint8_t hoop__chars[256];

static inline unsigned hoop__char_is(char c, unsigned classes)
{
    return hoop__chars[(unsigned char)c] & classes;
}

/* The value of a hexadecimal digit, which the caller has checked. */
static inline unsigned hoop__hex_value(char c)
{
    return ((unsigned char)c & 0x0fu) + ((unsigned char)c >> 6) * 9u;
}

/* Optional white space of RFC 9110 5.6.3. */
static inline int hoop__char_is_ows(char c)
{
    return c == ' ' || c == '\t';
}

#endif
