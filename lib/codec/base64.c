/* The two base64 codecs, by tables; see base64.h. */
#include "codec/base64.h"

static const char std_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char url_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

#define NO 64 /* no digit */

static const uint8_t std_values[128] = {
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, /* 0x00 */
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, /* 0x10 */
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, 62, NO, NO, NO, 63, /* 0x20 */
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61, NO, NO, NO, NO, NO, NO, /* 0x30 */
    NO, 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, /* 0x40 */
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, NO, NO, NO, NO, NO, /* 0x50 */
    NO, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, /* 0x60 */
    41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, NO, NO, NO, NO, NO, /* 0x70 */
};

static const uint8_t url_values[128] = {
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, /* 0x00 */
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, /* 0x10 */
    NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, NO, 62, NO, NO, /* 0x20 */
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61, NO, NO, NO, NO, NO, NO, /* 0x30 */
    NO, 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, /* 0x40 */
    15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, NO, NO, NO, NO, 63, /* 0x50 */
    NO, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, /* 0x60 */
    41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, NO, NO, NO, NO, NO, /* 0x70 */
};

size_t hoop__base64_size(size_t len)
{
    size_t groups = len / 3 + (len % 3 > 0);
    return groups > SIZE_MAX / 4 ? SIZE_MAX : groups * 4;
}

size_t hoop__base64url_size(size_t len)
{
    size_t rest = len % 3;
    size_t groups = len / 3;
    return groups > SIZE_MAX / 4 - 1 ? SIZE_MAX : groups * 4 + (rest ? rest + 1 : 0);
}

/* The digits alone; both encoders. */
static char *encode(hoop_str bytes, const char *digits, char *out)
{
    const unsigned char *p = (const unsigned char *)bytes.data;
    size_t left = bytes.len;

    for (; left >= 3; left -= 3, p += 3) {
        uint32_t bits = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2];
        *out++ = digits[bits >> 18];
        *out++ = digits[bits >> 12 & 63];
        *out++ = digits[bits >> 6 & 63];
        *out++ = digits[bits & 63];
    }
    if (left > 0) {
        uint32_t bits = (uint32_t)p[0] << 16 | (left > 1 ? (uint32_t)p[1] << 8 : 0);
        *out++ = digits[bits >> 18];
        *out++ = digits[bits >> 12 & 63];
        if (left > 1)
            *out++ = digits[bits >> 6 & 63];
    }
    return out;
}

size_t hoop__base64_encode(hoop_str bytes, char *out)
{
    char *end = encode(bytes, std_digits, out);
    for (size_t pad = (3 - bytes.len % 3) % 3; pad > 0; pad--)
        *end++ = '=';
    return (size_t)(end - out);
}

size_t hoop__base64url_encode(hoop_str bytes, char *out)
{
    return (size_t)(encode(bytes, url_digits, out) - out);
}

static size_t digit_bytes(size_t digits)
{
    size_t rest = digits % 4;
    return digits / 4 * 3 + (rest ? rest - 1 : 0);
}

/* The digits of a padded text, whose length is a multiple of four. */
static size_t without_padding(hoop_str text)
{
    size_t len = text.len;
    for (int i = 0; i < 2 && len > 0 && text.data[len - 1] == '='; i++)
        len--;
    return len;
}

int hoop__base64_decoded_size(hoop_str text, size_t *ret_size)
{
    if (text.len % 4 != 0)
        return HOOP_EPARSE;
    *ret_size = digit_bytes(without_padding(text));
    return 0;
}

int hoop__base64url_decoded_size(hoop_str text, size_t *ret_size)
{
    if (text.len % 4 == 1)
        return HOOP_EPARSE;
    *ret_size = digit_bytes(text.len);
    return 0;
}

/* The value of a digit, NO for other bytes. */
static uint32_t value_of(const uint8_t *values, char c)
{
    return (unsigned char)c < 128 ? values[(unsigned char)c] : NO;
}

/* Decodes `len` digits, the rest of which by four is not one. Both decoders. */
static int decode(const char *p, size_t len, const uint8_t *values, char *out)
{
    for (; len >= 4; len -= 4, p += 4) {
        uint32_t a = value_of(values, p[0]), b = value_of(values, p[1]);
        uint32_t c = value_of(values, p[2]), d = value_of(values, p[3]);
        if ((a | b | c | d) & NO)
            return HOOP_EPARSE;
        uint32_t bits = a << 18 | b << 12 | c << 6 | d;
        *out++ = (char)(unsigned char)(bits >> 16);
        *out++ = (char)(unsigned char)(bits >> 8);
        *out++ = (char)(unsigned char)bits;
    }
    if (len == 0)
        return 0;
    uint32_t a = value_of(values, p[0]), b = value_of(values, p[1]);
    uint32_t c = len == 3 ? value_of(values, p[2]) : 0;
    if ((a | b | c) & NO || (len == 2 ? b & 15 : c & 3))
        return HOOP_EPARSE;
    uint32_t bits = a << 18 | b << 12 | c << 6;
    *out++ = (char)(unsigned char)(bits >> 16);
    if (len == 3)
        *out = (char)(unsigned char)(bits >> 8);
    return 0;
}

int hoop__base64_decode(hoop_str text, char *out, size_t *ret_size)
{
    size_t size;
    if (hoop__base64_decoded_size(text, &size) < 0 ||
        decode(text.data, without_padding(text), std_values, out) < 0)
        return HOOP_EPARSE;
    *ret_size = size;
    return 0;
}

int hoop__base64url_decode(hoop_str text, char *out, size_t *ret_size)
{
    size_t size;
    if (hoop__base64url_decoded_size(text, &size) < 0 ||
        decode(text.data, text.len, url_values, out) < 0)
        return HOOP_EPARSE;
    *ret_size = size;
    return 0;
}
