/* The reader of multipart bodies: boundaries and data. Headers are part.c's; see hoop/multipart.h. */
#include "codec/multipart.h"

#include "base/sized.h"
#include "codec/chars.h"
#include "codec/media.h"

#include <stdarg.h>
#include <stdio.h>

#define DEFAULT_PARTS   1000u
#define DEFAULT_HEADERS 32u
#define MAX_HEADERS     1000u
#define DEFAULT_HEAD    8192u
#define MAX_HEAD        (1u << 20)
#define SHORT           12u /* bytes of a delimiter for which another search is faster */

/* --- making a reader ------------------------------------------------------------------------- */

/*
 * A boundary without quotes that is no token, as some senders have it (`boundary=----=_Part_1`): up to the next
 * semicolon or blank. `params` begins with the parameter.
 */
static hoop_str bare_boundary(hoop_str params)
{
    static const char name[] = "boundary=";
    size_t at = 0, len = sizeof name - 1;
    while (at < params.len && (params.data[at] == ';' || hoop__char_is_ows(params.data[at])))
        at++;
    hoop_str rest = hoop_str_n(params.data + at, params.len - at);
    if (rest.len <= len || rest.data[len] == '"' ||
        !hoop_str_eq_nocase(hoop_str_n(rest.data, len), hoop_str_n(name, len)))
        return hoop_str_none();
    size_t end = len;
    while (end < rest.len && rest.data[end] != ';' && !hoop__char_is_ows(rest.data[end]))
        end++;
    return hoop_str_n(rest.data + len, end - len);
}

/* Writes the boundary of a Content-Type to `out`, which has room for it and no more. Its length, or 0. */
static size_t read_boundary(hoop_str params, char out[HOOP__MAX_BOUNDARY])
{
    struct hoop__param param;
    int rc;
    while ((rc = hoop__param_next(&params, &param)) > 0)
        if (hoop_str_eq_nocase(param.name, hoop_str_c("boundary")))
            break;
    hoop_str value = rc > 0 ? param.value : bare_boundary(params);
    if (value.len > 2 * HOOP__MAX_BOUNDARY)
        return 0;
    char plain[2 * HOOP__MAX_BOUNDARY];
    size_t len = hoop__param_unescape(rc > 0 && param.escaped ? value : hoop_str_n("", 0), plain);
    if (rc > 0 && param.escaped)
        value = hoop_str_n(plain, len);
    if (!value.len || value.len > HOOP__MAX_BOUNDARY || value.data[value.len - 1] == ' ')
        return 0;
    for (size_t at = 0; at < value.len; at++)
        if (value.data[at] < ' ' || value.data[at] > '~')
            return 0;
    memcpy(out, value.data, value.len);
    return value.len;
}

/* Makes the tables of the search (Horspool's): how far to go on by the byte under the delimiter's last. */
static void set_delimiter(struct hoop_multipart *reader, size_t boundary_len)
{
    size_t len = 4 + boundary_len;
    memcpy(reader->delimiter, "\r\n--", 4);
    memset(reader->shift, (int)len, sizeof reader->shift);
    reader->again = len;
    for (size_t at = 0; at < len; at++) {
        unsigned char c = (unsigned char)reader->delimiter[at];
        if (at + 1 == len)
            reader->again = reader->shift[c];
        reader->shift[c] = (uint8_t)(len - 1 - at);
    }
    reader->delimiter_len = len;
    /* At the start of the body no line end has to stand in front of it. */
    reader->matched = reader->skip = 2;
}

static int set_limits(hoop_multipart_options *o, hoop_error *error)
{
    o->max_parts = o->max_parts ? o->max_parts : DEFAULT_PARTS;
    o->max_headers = o->max_headers ? o->max_headers : DEFAULT_HEADERS;
    o->max_head = o->max_head ? o->max_head : DEFAULT_HEAD;
    o->max_part = o->max_part ? o->max_part : HOOP_OFF;
    o->max_total = o->max_total ? o->max_total : HOOP_OFF;
    if (o->max_headers > MAX_HEADERS)
        return hoop_error_set(error, HOOP_EINVAL, "max_headers is %llu, over %u",
                              (unsigned long long)o->max_headers, MAX_HEADERS);
    if (o->max_head > MAX_HEAD)
        return hoop_error_set(error, HOOP_EINVAL, "max_head is %llu, over %u",
                              (unsigned long long)o->max_head, MAX_HEAD);
    return 0;
}

int hoop_multipart_new_sized(hoop_arena *arena, hoop_str content_type, hoop_multipart **ret_reader,
                             hoop_error *error, const hoop_multipart_options *options,
                             size_t options_size)
{
    hoop_multipart_options limits;
    struct hoop__media media;
    if (!arena || hoop__copy_sized(&limits, sizeof limits, options, options_size))
        return hoop_error_set(error, HOOP_EINVAL, "%s",
                              arena ? "the options are of a newer version" : "there is no arena");
    int rc = set_limits(&limits, error);
    if (rc)
        return rc;
    if (hoop__media_parse(hoop_str_trim(content_type), &media) ||
        !hoop_str_eq_nocase(media.type, hoop_str_c("multipart")))
        return hoop_error_set(error, HOOP_EMISSING, "the type '%.*s' is not multipart",
                              content_type.len > 80 ? 80 : (int)content_type.len,
                              content_type.data);
    struct hoop_multipart *reader = hoop_arena_zalloc(arena, sizeof *reader);
    if (reader) {
        reader->head = hoop_arena_alloc(arena, (size_t)limits.max_head);
        reader->text = hoop_arena_alloc(arena, (size_t)limits.max_head + 3);
        reader->headers =
            hoop_arena_alloc(arena, (size_t)limits.max_headers * sizeof *reader->headers);
    }
    if (!reader || !reader->head || !reader->text || !reader->headers)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    size_t len = read_boundary(media.params, reader->delimiter + 4);
    if (len == 0)
        return hoop_error_set(error, HOOP_EPARSE,
                              "'%.*s' has no boundary of 1 to %u printable characters",
                              content_type.len > 80 ? 80 : (int)content_type.len, content_type.data,
                              HOOP__MAX_BOUNDARY);
    reader->limits = limits;
    set_delimiter(reader, len);
    *ret_reader = reader;
    return 0;
}

/* --- errors ---------------------------------------------------------------------------------- */

int hoop__multipart_fail(struct hoop_multipart *reader, int code, const char *format, ...)
{
    char text[200];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    reader->state = HOOP__MULTIPART_FAILED;
    if (reader->parts)
        return hoop_error_set(&reader->error, code, "part %llu: %s",
                              (unsigned long long)reader->parts, text);
    return hoop_error_set(&reader->error, code, "%s", text);
}

/* --- data ------------------------------------------------------------------------------------ */

/* Takes `len` bytes off the front of a piece. */
static hoop_str take(hoop_str *piece, size_t len)
{
    hoop_str front = hoop_str_n(piece->data, len);
    *piece = hoop_str_n(piece->data + len, piece->len - len);
    return front;
}

/* Passes data on, or over if it stands in front of the first part. HOOP_MULTIPART_DATA, 0 or an error. */
static int give(struct hoop_multipart *reader, hoop_str bytes, hoop_str *ret_data)
{
    if (!reader->in_part) {
        for (size_t at = 0; !reader->has_preamble && at < bytes.len; at++)
            reader->has_preamble = bytes.data[at] != '\r' && bytes.data[at] != '\n';
        return 0;
    }
    if (!bytes.len)
        return 0;
    reader->part_size += bytes.len;
    reader->total += bytes.len;
    if (reader->part_size > reader->limits.max_part)
        return hoop__multipart_fail(reader, HOOP_ETOOBIG, "'%.60s' is over %llu bytes",
                                    reader->part.name.data,
                                    (unsigned long long)reader->limits.max_part);
    if (reader->total > reader->limits.max_total)
        return hoop__multipart_fail(reader, HOOP_ETOOBIG, "all parts are over %llu bytes",
                                    (unsigned long long)reader->limits.max_total);
    *ret_data = bytes;
    return HOOP_MULTIPART_DATA;
}

/* The next CR; by hand at first, since a call for each is slow where there are many. NULL if there is none. */
static const char *next_cr(const char *p, const char *end)
{
    for (size_t n = 0; n < 8; n++, p++) {
        if (p == end)
            return NULL;
        if (*p == '\r')
            return p;
    }
    return memchr(p, '\r', (size_t)(end - p));
}

/* find() for a delimiter that is so short that its CR is found faster than steps of its length are made. */
static size_t find_short(const struct hoop_multipart *reader, hoop_str piece)
{
    const char *p = piece.data, *end = p + piece.len;
    size_t len = reader->delimiter_len;
    while ((p = next_cr(p, end)) && (size_t)(end - p) >= len) {
        if (p[1] == '\n' && p[2] == '-' && memcmp(p, reader->delimiter, len) == 0)
            return (size_t)(p - piece.data);
        p++;
    }
    return piece.len;
}

/* Where the delimiter stands in a piece; piece.len if it doesn't. */
static size_t find(const struct hoop_multipart *reader, hoop_str piece)
{
    if (reader->delimiter_len < SHORT)
        return find_short(reader, piece);
    const char *p = piece.data;
    size_t last = reader->delimiter_len - 1, at = last;
    while (at < piece.len) {
        size_t shift = reader->shift[(unsigned char)p[at]];
        if (shift) {
            at += shift;
            continue;
        }
        if (p[at - last] == '\r' && memcmp(p + at - last, reader->delimiter, last) == 0)
            return at - last;
        at += reader->again;
    }
    return piece.len;
}

/* How many bytes at the end of a piece, which has no delimiter, may be the front of one. */
static size_t front_at_end(const struct hoop_multipart *reader, hoop_str piece)
{
    size_t len = 0, most = reader->delimiter_len - 1;
    /* There is one CR in a delimiter, its first byte, so only the last one in the piece may be it. */
    while (len < piece.len && len < most)
        if (piece.data[piece.len - ++len] == '\r')
            return memcmp(piece.data + piece.len - len, reader->delimiter, len) == 0 ? len : 0;
    return 0;
}

/* Bytes that were held back as the front of a delimiter turn out to be data. */
static int give_back(struct hoop_multipart *reader, size_t len, hoop_str *ret_data)
{
    hoop_str bytes = hoop_str_n(reader->delimiter + reader->skip, len - reader->skip);
    reader->matched = reader->skip = 0;
    reader->state = reader->in_part ? HOOP__MULTIPART_DATA : HOOP__MULTIPART_BEFORE;
    return give(reader, bytes, ret_data);
}

/* Goes on in a delimiter whose front has come. */
static int match_on(struct hoop_multipart *reader, hoop_str *piece, hoop_str *ret_data)
{
    size_t left = reader->delimiter_len - reader->matched, n = 0;
    const char *rest = reader->delimiter + reader->matched;
    while (n < left && n < piece->len && piece->data[n] == rest[n])
        n++;
    take(piece, n);
    reader->matched += n;
    if (n == left) {
        reader->state = HOOP__MULTIPART_BEHIND;
        return 0;
    }
    return piece->len ? give_back(reader, reader->matched, ret_data) : 0;
}

static int read_data(struct hoop_multipart *reader, hoop_str *piece, hoop_str *ret_data)
{
    if (reader->matched)
        return match_on(reader, piece, ret_data);
    size_t at = find(reader, *piece);
    int found = at < piece->len;
    size_t held = found ? reader->delimiter_len : front_at_end(reader, *piece);
    hoop_str bytes = take(piece, found ? at : piece->len - held);
    take(piece, held);
    reader->matched = held;
    if (found)
        reader->state = HOOP__MULTIPART_BEHIND;
    return give(reader, bytes, ret_data);
}

/* --- behind a boundary ----------------------------------------------------------------------- */

static int end_part(struct hoop_multipart *reader)
{
    int told = reader->in_part ? HOOP_MULTIPART_PART_END : 0;
    reader->in_part = 0;
    return told;
}

/* A line end: the next part begins. */
static int next_part(struct hoop_multipart *reader)
{
    int told = end_part(reader);
    if (reader->parts == reader->limits.max_parts)
        return hoop__multipart_fail(reader, HOOP_ETOOBIG, "there are more than %llu parts",
                                    (unsigned long long)reader->limits.max_parts);
    reader->parts++;
    reader->in_head = 0;
    reader->state = HOOP__MULTIPART_HEAD;
    return told;
}

/* Two hyphens: there are no more. */
static int close_parts(struct hoop_multipart *reader)
{
    if (!reader->parts && reader->has_preamble)
        return hoop__multipart_fail(reader, HOOP_EPARSE,
                                    "the final boundary comes before any other");
    reader->state = HOOP__MULTIPART_CLOSING;
    return end_part(reader);
}

/* Looks at the byte behind a boundary's text. It is a boundary only if the line ends, or two hyphens follow. */
static int read_behind(struct hoop_multipart *reader, hoop_str *piece, hoop_str *ret_data)
{
    char c = piece->data[0], tail = reader->tail;
    int is_blank = hoop__char_is_ows(c);
    if ((tail == 0 && (c == '-' || c == '\r' || is_blank)) ||
        (tail == ' ' && (c == '\r' || is_blank))) {
        reader->tail = is_blank ? ' ' : c;
        reader->padded |= (uint8_t)is_blank;
        take(piece, 1);
        return 0;
    }
    int padded = reader->padded;
    reader->tail = 0;
    reader->padded = 0;
    if ((tail == '-' && c == '-') || (tail == '\r' && c == '\n')) {
        take(piece, 1);
        reader->matched = reader->skip = 0;
        return c == '-' ? close_parts(reader) : next_part(reader);
    }
    if (padded)
        return hoop__multipart_fail(reader, HOOP_EPARSE,
                                    "a boundary is followed by blanks and then 0x%02x",
                                    (unsigned char)c);
    reader->delimiter[reader->delimiter_len] = tail;
    return give_back(reader, reader->delimiter_len + (tail != 0), ret_data);
}

/* --- the whole ------------------------------------------------------------------------------- */

static int read_head(struct hoop_multipart *reader, hoop_str *piece)
{
    /* Not before: when the end of a part is told, it has to be there still. */
    if (!reader->in_head)
        hoop__part_begin(reader);
    int rc = hoop__part_read(reader, piece);
    if (rc <= 0)
        return rc;
    reader->state = HOOP__MULTIPART_DATA;
    reader->in_part = 1;
    reader->part_size = 0;
    /* The empty line's end may be that in front of a boundary: a part without data (RFC 2046 5.1.1). */
    reader->matched = reader->skip = 2;
    return HOOP_MULTIPART_PART;
}

int hoop_multipart_next(hoop_multipart *reader, hoop_str *piece, hoop_str *ret_data)
{
    int rc = 0;
    while (rc == 0) {
        switch (reader->state) {
        case HOOP__MULTIPART_FAILED:
            return reader->error.code;
        case HOOP__MULTIPART_CLOSING:
            reader->state = HOOP__MULTIPART_AFTER;
            return HOOP_MULTIPART_END;
        case HOOP__MULTIPART_AFTER:
            take(piece, piece->len);
            return 0;
        default:
            break;
        }
        if (!piece->len)
            return 0;
        if (reader->state == HOOP__MULTIPART_HEAD)
            rc = read_head(reader, piece);
        else if (reader->state == HOOP__MULTIPART_BEHIND)
            rc = read_behind(reader, piece, ret_data);
        else
            rc = read_data(reader, piece, ret_data);
    }
    return rc;
}

const hoop_part *hoop_multipart_part(const hoop_multipart *reader)
{
    return reader->part.headers ? &reader->part : NULL;
}

int hoop_multipart_finish(hoop_multipart *reader)
{
    switch (reader->state) {
    case HOOP__MULTIPART_FAILED:
        return reader->error.code;
    case HOOP__MULTIPART_CLOSING:
    case HOOP__MULTIPART_AFTER:
        return 0;
    case HOOP__MULTIPART_HEAD:
        return hoop__multipart_fail(reader, HOOP_EPARSE, "the body ends within its headers");
    default:
        return hoop__multipart_fail(reader, HOOP_EPARSE,
                                    reader->in_part ? "the body ends without the final boundary"
                                                    : "the body has no boundary line");
    }
}

const hoop_error *hoop_multipart_error(const hoop_multipart *reader)
{
    return &reader->error;
}
