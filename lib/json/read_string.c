/* Escapes of JSON strings. */
#include "json/read_string.h"

#include "json/read.h"

unsigned hoop__hex_of(char c)
{
    unsigned digit = (unsigned char)c - '0', letter = ((unsigned char)c | 0x20u) - 'a';
    return digit < 10 ? digit : letter < 6 ? letter + 10 : 16;
}

/* The four digits at `p`, or 0x10000 and more. */
static unsigned code_of(const char *p)
{
    unsigned code = 0, wrong = 0;
    for (int i = 0; i < 4; i++) {
        unsigned digit = hoop__hex_of(p[i]);
        wrong |= digit & 16;
        code = code << 4 | (digit & 15);
    }
    return wrong ? 0x10000 : code;
}

size_t hoop__utf8_put(unsigned code, char *out)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* The character of a \u at `*at`, behind which is `end`. Nonzero if it is one. */
static int take_code(const char **at, const char *end, int allow_nul, unsigned *ret_code)
{
    const char *p = *at;
    unsigned code = end - p >= 6 ? code_of(p + 2) : 0x10000;
    p += 6;
    if (code >= 0xd800 && code < 0xdc00) {
        unsigned low = end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? code_of(p + 2) : 0;
        if (low < 0xdc00 || low > 0xdfff)
            return 0;
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        p += 6;
    } else if (code >= 0xdc00 && (code < 0xe000 || code > 0xffff)) {
        return 0;
    }
    *at = p;
    *ret_code = code;
    return code || allow_nul;
}

char hoop__json_escaped(char c)
{
    static const char pairs[] = "\"\"\\\\//b\bf\fn\nr\rt\t";
    for (const char *p = pairs; *p; p += 2)
        if (*p == c)
            return p[1];
    return 0;
}

size_t hoop__unescape(hoop_str raw, char *out, int allow_nul)
{
    const char *p = raw.data, *end = p + raw.len;
    char *first = out;
    for (;;) {
        const char *slash = memchr(p, '\\', (size_t)(end - p));
        size_t len = (size_t)((slash ? slash : end) - p);
        memcpy(out, p, len);
        out += len;
        if (!slash)
            return (size_t)(out - first);
        p = slash;
        unsigned code = (unsigned char)hoop__json_escaped(p[1]);
        if (code)
            p += 2;
        else if (p[1] != 'u' || !take_code(&p, end, allow_nul, &code))
            return SIZE_MAX;
        out += hoop__utf8_put(code, out);
    }
}
