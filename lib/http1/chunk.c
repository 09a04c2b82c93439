/*
 * The chunked body: sizes, extensions and trailers pass our own guard (RFC 9112 7.1), and llhttp
 * reads along without the extensions. What is read wholly here is never longer than its limit.
 */
#include "http1/http1.h"

#include "codec/chars.h"
#include "http1/scan.h"

#include <string.h>

#define MAX_SIZE_DIGITS 16

/* Has llhttp read what was read here. 0, or 400 if it takes offence. */
static int confirm(struct hoop__h1_exchange *h, const char *data, size_t len)
{
    return hoop__llhttp_execute(&h->parser, data, data + len) == HPE_OK ? 0 : 400;
}

/* --- the line of a chunk --------------------------------------------------------------------- */

/* Extensions, and zeros that stand in front of a size for nothing, have one budget. */
static int count_extra(struct hoop__h1_exchange *h)
{
    if (++h->body.ext_len <= h->limits->max_chunk_extension)
        return 0;
    HOOP__H1_REACHED(h, limit_chunk_extension);
    return 400;
}

static int read_size(struct hoop__h1_exchange *h, char c)
{
    if (hoop__char_is(c, HOOP__CHAR_HEX)) {
        unsigned digit = hoop__hex_value(c);
        if (h->body.left || digit) {
            if (++h->body.size_digits > MAX_SIZE_DIGITS)
                return 400;
        } else if (h->body.state == HOOP__H1_SIZE && count_extra(h)) {
            return 400;
        }
        h->body.left = h->body.left << 4 | digit;
        h->body.state = HOOP__H1_SIZE;
        return confirm(h, &c, 1);
    }
    if (h->body.state == HOOP__H1_SIZE_FIRST)
        return 400;
    if (c == '\r')
        h->body.state = HOOP__H1_SIZE_LF;
    else if (c == ';' && !count_extra(h))
        h->body.state = HOOP__H1_EXT_NAME_FIRST;
    else
        return 400;
    return 0;
}

/* The next state behind a part of an extension that a blank, '=', ';' or CR may follow; 0: none. */
static int ext_next(char c, int blank, int may_equal)
{
    if (hoop__char_is_ows(c))
        return blank;
    if (c == '=' && may_equal)
        return HOOP__H1_EXT_VALUE_FIRST;
    if (c == ';')
        return HOOP__H1_EXT_NAME_FIRST;
    return 0;
}

/* chunk-ext (RFC 9112 7.1.1): *( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] ) */
static int ext_state(int state, char c)
{
    int token = hoop__char_is(c, HOOP__CHAR_TOKEN) != 0;
    switch (state) {
    case HOOP__H1_EXT_NAME_FIRST:
        return hoop__char_is_ows(c) ? state : token ? HOOP__H1_EXT_NAME : 0;
    case HOOP__H1_EXT_NAME:
        if (token)
            return state;
        return c == '\r' ? HOOP__H1_SIZE_LF : ext_next(c, HOOP__H1_EXT_AFTER_NAME, 1);
    case HOOP__H1_EXT_AFTER_NAME:
        return ext_next(c, state, 1);
    case HOOP__H1_EXT_VALUE_FIRST:
        if (c == '"')
            return HOOP__H1_EXT_QUOTED;
        return hoop__char_is_ows(c) ? state : token ? HOOP__H1_EXT_VALUE : 0;
    case HOOP__H1_EXT_VALUE:
        if (token)
            return state;
        return c == '\r' ? HOOP__H1_SIZE_LF : ext_next(c, HOOP__H1_EXT_AFTER_VALUE, 0);
    case HOOP__H1_EXT_QUOTED:
        if (c == '"')
            return HOOP__H1_EXT_AFTER_VALUE;
        return hoop__h1_is_control(c) ? 0 : c == '\\' ? HOOP__H1_EXT_ESCAPED : state;
    case HOOP__H1_EXT_ESCAPED:
        return hoop__h1_is_control(c) ? 0 : HOOP__H1_EXT_QUOTED;
    case HOOP__H1_EXT_AFTER_VALUE:
        return c == '\r' ? HOOP__H1_SIZE_LF : ext_next(c, state, 0);
    default:
        return 0;
    }
}

static int read_ext(struct hoop__h1_exchange *h, char c)
{
    int next = ext_state(h->body.state, c);
    if (!next || (c != '\r' && count_extra(h)))
        return 400;
    h->body.state = (uint8_t)next;
    return 0;
}

/* The LF behind a size: llhttp must have read the same one. */
static int end_size(struct hoop__h1_exchange *h, char c)
{
    if (c != '\n' || confirm(h, "\r\n", 2) || h->parser.content_length != h->body.left)
        return 400;
    if (h->body.left > (uint64_t)INT64_MAX - h->body.received)
        return 400;
    h->body.size_digits = 0;
    h->body.state = h->body.left ? HOOP__H1_DATA : HOOP__H1_TRAILER;
    return 0;
}

/* --- trailers -------------------------------------------------------------------------------- */

/* Room for `n` more bytes of trailers; those that were read move along. 0 or 503. */
static int grow_trailer(struct hoop__h1_exchange *h)
{
    size_t cap = h->body.trailer_cap ? h->body.trailer_cap * 2 : 256;
    char *old = h->body.trailer;
    size_t old_size = h->body.trailer_cap ? h->body.trailer_cap + HOOP__H1_SLACK : 0;
    char *to = hoop__arena_resize(h->x.arena, old, old_size, cap + HOOP__H1_SLACK);
    if (!to)
        return 503;
    for (size_t i = 0; to != old && i < h->body.trailer_count; i++) {
        hoop_field *f = &h->body.trailers[i];
        f->name.data = to + (f->name.data - old);
        f->value.data = to + (f->value.data - old);
    }
    h->body.trailer = to;
    h->body.trailer_cap = cap;
    return 0;
}

static int over_limit(const struct hoop__h1_exchange *h)
{
    HOOP__H1_REACHED(h, limit_trailer);
    return 431;
}

static int add_trailer(struct hoop__h1_exchange *h, char *line, char *eol)
{
    hoop_field f;
    char cut;
    if (hoop__h1_field(line, eol, &f, &cut) || hoop__is_no_trailer(f.name))
        return 400;
    if (h->body.trailer_count >= h->limits->max_headers)
        return over_limit(h);
    if (h->body.trailer_count == h->body.trailers_cap) {
        size_t cap = h->body.trailers_cap ? h->body.trailers_cap * 2 : 4;
        hoop_field *to = hoop__arena_resize(h->x.arena, h->body.trailers,
                                            h->body.trailers_cap * sizeof *to, cap * sizeof *to);
        if (!to)
            return 503;
        h->body.trailers = to;
        h->body.trailers_cap = cap;
    }
    h->body.trailers[h->body.trailer_count++] = f;
    return 0;
}

/* A line of trailers is there with CR and LF. */
static int end_trailer_line(struct hoop__h1_exchange *h)
{
    char *line = h->body.trailer + h->body.trailer_line,
         *end = h->body.trailer + h->body.trailer_len;
    memset(end, 0, HOOP__H1_PAD);
    h->body.state = HOOP__H1_TRAILER;
    if (end - line == 2) {
        if (hoop__llhttp_execute(&h->parser, line, end) != HPE_PAUSED ||
            llhttp_get_error_pos(&h->parser) != end)
            return 400;
        return HOOP__H1_COMPLETE;
    }
    if (confirm(h, line, (size_t)(end - line)))
        return 400;
    h->body.trailer_line = h->body.trailer_len;
    return add_trailer(h, line, end - 2);
}

static int read_trailer(struct hoop__h1_exchange *h, const char **at, const char *end)
{
    uint64_t max = h->limits->max_trailer;
    if (h->body.trailer_len >= max)
        return over_limit(h);
    if (h->body.state == HOOP__H1_TRAILER_LF) {
        if (*(*at)++ != '\n')
            return 400;
        h->body.trailer[h->body.trailer_len++] = '\n';
        return end_trailer_line(h);
    }
    if (h->body.trailer_len >= h->body.trailer_cap) /* an LF may have gone beyond it */
        return grow_trailer(h);
    size_t room = h->body.trailer_cap - h->body.trailer_len;
    if (max - h->body.trailer_len < room)
        room = (size_t)(max - h->body.trailer_len);
    const char *from = *at, *stop = (size_t)(end - from) > room ? from + room : end;
    *at = hoop__h1_copy_line(h->body.trailer + h->body.trailer_len, from, stop);
    h->body.trailer_len += (size_t)(*at - from);
    if (*at == stop)
        return 0;
    if (*(*at)++ != '\r')
        return 400;
    h->body.trailer[h->body.trailer_len++] = '\r';
    h->body.state = HOOP__H1_TRAILER_LF;
    return 0;
}

/* --- all together ---------------------------------------------------------------------------- */

static int read_data(struct hoop__h1_exchange *h, const char **at, const char *end)
{
    size_t n = hoop__h1_body_cap(h, (size_t)(end - *at));
    const char *data = *at;
    if (confirm(h, data, n))
        return 400;
    *at += n;
    h->body.left -= n;
    h->body.received += n;
    if (!h->body.left)
        h->body.state = HOOP__H1_DATA_CR;
    hoop__exchange_body(&h->x, data, n);
    return 0;
}

/* CR and LF behind the data. */
static int end_data(struct hoop__h1_exchange *h, char c)
{
    if (h->body.state == HOOP__H1_DATA_CR) {
        h->body.state = HOOP__H1_DATA_LF;
        return c == '\r' ? 0 : 400;
    }
    h->body.state = HOOP__H1_SIZE_FIRST;
    return c == '\n' ? confirm(h, "\r\n", 2) : 400;
}

static int read_some(struct hoop__h1_exchange *h, const char **at, const char *end)
{
    switch (h->body.state) {
    case HOOP__H1_SIZE_FIRST:
    case HOOP__H1_SIZE:
        return read_size(h, *(*at)++);
    case HOOP__H1_SIZE_LF:
        return end_size(h, *(*at)++);
    case HOOP__H1_DATA:
        return read_data(h, at, end);
    case HOOP__H1_DATA_CR:
    case HOOP__H1_DATA_LF:
        return end_data(h, *(*at)++);
    case HOOP__H1_TRAILER:
    case HOOP__H1_TRAILER_LF:
        return read_trailer(h, at, end);
    default:
        return read_ext(h, *(*at)++);
    }
}

size_t hoop__h1_chunk_read(struct hoop__h1_exchange *h, const char *data, size_t len, int *ret_rc)
{
    const char *at = data, *end = data + len;
    int rc = HOOP__H1_MORE;
    /* Whoever read may have had enough in between. */
    while (at < end && rc == HOOP__H1_MORE && h->x.body.state == HOOP__BODY_READING &&
           h->x.body.credit)
        rc = read_some(h, &at, end);
    if (rc == HOOP__H1_COMPLETE) {
        h->body_done = 1;
        if (h->body.trailer_count)
            hoop__exchange_body_end(&h->x, h->body.trailers, h->body.trailer_count);
        else
            hoop__exchange_body_end(&h->x, NULL, 0);
    }
    *ret_rc = rc;
    return (size_t)(at - data);
}
