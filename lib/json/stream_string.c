/* Strings and keys of the reader that is fed piece by piece; see stream.h. */
#include "json/read_scan.h"
#include "json/read_string.h"
#include "json/stream.h"

#include "codec/utf8.h"

/* --- what is told ------------------------------------------------------------------------------ */

/* The bytes in it that begin no character. */
static uint64_t count_wide(const char *p, const char *end)
{
    uint64_t count = 0;
    for (; p < end; p++)
        count += ((unsigned char)*p & 0xc0) == 0x80;
    return count;
}

/*
 * A key is over its limit by some of the bytes just read, or by a character that was put together. The place is
 * behind the first character that is over, however the key was cut.
 */
static int key_over(hoop_json_reader *reader, const char *bytes, size_t len)
{
    if (bytes != reader->character && reader->at == bytes + len) {
        const char *end = bytes + len;
        const char *at = end - (reader->token_len - reader->max_key) + 1;
        while (at < end && ((unsigned char)*at & 0xc0) == 0x80)
            at++;
        reader->line_wide -= count_wide(at, end);
        reader->at = at;
    }
    return hoop__stream_over(reader, reader->max_key, "bytes in a key");
}

/* A piece of a string, or of a key, which is collected unless it is whole. */
static int tell(hoop_json_reader *reader, const char *bytes, size_t len, int last)
{
    hoop_str piece = hoop_str_n(bytes, len);
    if (!reader->is_key) {
        if (!reader->events.string || (!len && !last))
            return 0;
        return hoop__stream_told(reader->events.string(piece, last, reader->data));
    }
    reader->token_len += len;
    if (reader->token_len > reader->max_key)
        return key_over(reader, bytes, len);
    if (!reader->events.key)
        return 0;
    if (!last || reader->buffer.len) {
        int rc = hoop__stream_keep(reader, bytes, len);
        if (rc < 0)
            return rc;
        piece = hoop_str_n(reader->buffer.data, reader->buffer.len);
    }
    return last ? hoop__stream_told(reader->events.key(piece, reader->data)) : 0;
}

/* The closing quote; `len` bytes in front of it are not told yet. */
static int finish(hoop_json_reader *reader, const char *bytes, size_t len)
{
    int rc = tell(reader, bytes, len, 1);
    if (rc < 0)
        return rc;
    reader->at++;
    reader->buffer.len = 0;
    if (!reader->is_key)
        return hoop__stream_behind(reader);
    reader->state = HOOP__AT_COLON;
    return 0;
}

int hoop__stream_string_begin(hoop_json_reader *reader, int is_key)
{
    reader->is_key = is_key;
    reader->token_len = 0;
    reader->buffer.len = 0;
    reader->at++;
    reader->state = HOOP__IN_STRING;
    return 0;
}

/* --- characters of several bytes --------------------------------------------------------------- */

static const char utf8_wanted[] = "UTF-8";

/* What may follow a first byte (Unicode 3.9, table 3-7). */
static int begin_character(hoop_json_reader *reader)
{
    unsigned char c = (unsigned char)*reader->at;
    if (c < 0xc2 || c > 0xf4)
        return hoop__stream_expected(reader, utf8_wanted);
    reader->need = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    reader->low = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
    reader->high = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
    reader->character[0] = (char)c;
    reader->have = 1;
    reader->at++;
    reader->state = HOOP__IN_CHARACTER;
    return 0;
}

static int in_character(hoop_json_reader *reader)
{
    unsigned char c = (unsigned char)*reader->at;
    if (c < reader->low || c > reader->high)
        return hoop__stream_expected(reader, utf8_wanted);
    reader->character[reader->have++] = (char)c;
    reader->low = 0x80;
    reader->high = 0xbf;
    reader->at++;
    reader->line_wide++;
    if (reader->have < reader->need)
        return 0;
    reader->state = HOOP__IN_STRING;
    return tell(reader, reader->character, reader->need, 0);
}

/* --- escapes ----------------------------------------------------------------------------------- */

static int in_escape(hoop_json_reader *reader)
{
    char c = hoop__json_escaped(*reader->at);
    if (c) {
        reader->at++;
        reader->state = HOOP__IN_STRING;
        return tell(reader, &c, 1, 0);
    }
    if (*reader->at != 'u')
        return hoop__stream_expected(reader, hoop__stream_string_wants(reader));
    reader->at++;
    reader->state = HOOP__IN_CODE;
    reader->code = reader->digits = 0;
    return 0;
}

/*
 * Whether the digits so far may become a code: not the second half of a pair without the first, not the first
 * where the second has to be, and no NUL.
 */
static const char *wrong_code(const hoop_json_reader *reader, unsigned code, unsigned digits)
{
    static const char second[] = "the second half of a surrogate pair";
    if (reader->code >> 16) {
        if (digits == 1 && code != 0xd)
            return second;
        return digits == 2 && code < 0xdc ? second : NULL;
    }
    if (digits == 2 && code >= 0xdc && code <= 0xdf)
        return "the first half of a surrogate pair before the second";
    return NULL;
}

static int in_code(hoop_json_reader *reader)
{
    unsigned digit = hoop__hex_of(*reader->at);
    if (digit > 15)
        return hoop__stream_expected(reader, "a hexadecimal digit");
    unsigned code = (reader->code & 0xffff) << 4 | digit, first = reader->code >> 16;
    const char *wanted = wrong_code(reader, code, reader->digits + 1);
    if (wanted)
        return hoop__stream_expected(reader, wanted);
    if (reader->digits == 3 && !first && !code && !reader->allow_nul)
        return hoop__stream_stop(reader, HOOP_EPARSE, "\\u0000 is refused in strings");
    reader->code = first << 16 | code;
    reader->digits++;
    reader->at++;
    if (reader->digits < 4)
        return 0;
    if (!first && code >= 0xd800 && code <= 0xdbff) {
        reader->code = code << 16;
        reader->state = HOOP__IN_PAIR;
        return 0;
    }
    if (first)
        code = 0x10000 + ((first - 0xd800) << 10) + (code - 0xdc00);
    char text[4];
    reader->state = HOOP__IN_STRING;
    return tell(reader, text, hoop__utf8_put(code, text), 0);
}

/* Between the halves of a pair: the backslash and the u of the second. */
static int in_pair(hoop_json_reader *reader)
{
    int slash = reader->state == HOOP__IN_PAIR;
    if (*reader->at != (slash ? '\\' : 'u'))
        return hoop__stream_expected(reader, hoop__stream_string_wants(reader));
    reader->at++;
    reader->digits = 0;
    reader->state = slash ? HOOP__IN_PAIR_ESCAPE : HOOP__IN_CODE;
    return 0;
}

/* --- plain text -------------------------------------------------------------------------------- */

static int in_string(hoop_json_reader *reader)
{
    unsigned high = 0;
    const char *from = reader->at, *at = hoop__json_plain(from, reader->end, &high);
    size_t len = (size_t)(at - from);
    if (high) {
        len = hoop__utf8_front(hoop_str_n(from, len));
        reader->line_wide += count_wide(from, from + len);
    }
    reader->at = from + len;
    if (reader->at < reader->end && *reader->at == '"')
        return finish(reader, from, len);
    int rc = tell(reader, from, len, 0);
    if (rc < 0 || reader->at == reader->end)
        return rc;
    if (reader->at < at) /* wrong, or cut at the end of what is fed */
        return begin_character(reader);
    if (*reader->at != '\\')
        return hoop__stream_expected(reader, "control characters as \\u escapes");
    reader->at++;
    reader->state = HOOP__IN_ESCAPE;
    return 0;
}

int hoop__stream_string(hoop_json_reader *reader)
{
    switch (reader->state) {
    case HOOP__IN_CHARACTER:
        return in_character(reader);
    case HOOP__IN_ESCAPE:
        return in_escape(reader);
    case HOOP__IN_CODE:
        return in_code(reader);
    case HOOP__IN_PAIR:
    case HOOP__IN_PAIR_ESCAPE:
        return in_pair(reader);
    default:
        return in_string(reader);
    }
}

const char *hoop__stream_string_wants(const hoop_json_reader *reader)
{
    switch (reader->state) {
    case HOOP__IN_CHARACTER:
        return utf8_wanted;
    case HOOP__IN_ESCAPE:
        return "one of \"\\/bfnrtu behind a backslash";
    case HOOP__IN_CODE:
        return "a hexadecimal digit";
    case HOOP__IN_PAIR:
    case HOOP__IN_PAIR_ESCAPE:
        return "the second half of a surrogate pair";
    default:
        return "the string's closing quote";
    }
}
