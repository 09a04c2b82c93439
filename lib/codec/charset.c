/* Charsets of one byte for a character, by the system's iconv; see charset.h. */
#include "codec/charset.h"

#include "codec/utf8.h"

#include <iconv.h>
#include <string.h>

/*
 * A list, since a client names the charset: iconv knows some with states and shifts, which have been a danger,
 * and which no browser sends unless the page was in them.
 */
static const char *const known[] = {
    "UTF-8",        "US-ASCII",     "ISO-8859-1",   "ISO-8859-2",   "ISO-8859-3",   "ISO-8859-4",
    "ISO-8859-5",   "ISO-8859-6",   "ISO-8859-7",   "ISO-8859-8",   "ISO-8859-9",   "ISO-8859-10",
    "ISO-8859-13",  "ISO-8859-14",  "ISO-8859-15",  "ISO-8859-16",  "WINDOWS-1250", "WINDOWS-1251",
    "WINDOWS-1252", "WINDOWS-1253", "WINDOWS-1254", "WINDOWS-1255", "WINDOWS-1256", "WINDOWS-1257",
    "WINDOWS-1258", "KOI8-R",       "KOI8-U",
};

const char *hoop__charset(hoop_str name)
{
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (hoop_str_eq_nocase(name, hoop_str_c(known[i])))
            return i == 1 ? known[0] : known[i];
    return NULL;
}

static int copy_utf8(hoop_str text, int lenient, char *out, size_t *ret_size)
{
    if (!lenient && !hoop__utf8_is_valid(text))
        return HOOP_EPARSE;
    *ret_size = hoop__utf8_repair(text, out);
    return 0;
}

static int convert(iconv_t cd, hoop_str text, int lenient, char *out, size_t *ret_size)
{
    char *in = (char *)(uintptr_t)text.data, *start = out;
    size_t left = text.len, room = text.len * HOOP__CHARSET_WIDEST;
    while (iconv(cd, &in, &left, &out, &room) == (size_t)-1) {
        if (!lenient || !left)
            return HOOP_EPARSE;
        memcpy(out, "\xef\xbf\xbd", 3); /* U+FFFD */
        out += 3;
        room -= 3;
        in++;
        left--;
    }
    *ret_size = (size_t)(out - start);
    return 0;
}

int hoop__charset_decode(const char *charset, hoop_str text, int lenient, char *out,
                         size_t *ret_size)
{
    if (charset == known[0])
        return copy_utf8(text, lenient, out, ret_size);
    iconv_t cd = iconv_open("UTF-8", charset);
    if (cd == (iconv_t)-1)
        return HOOP_EUNSUPPORTED;
    int rc = convert(cd, text, lenient, out, ret_size);
    iconv_close(cd);
    return rc;
}
