/*
 * The head that nearly every request has: here as a whole, regular, within its block. It is copied,
 * checked, lower-cased and split in one pass, or found in the memo. Whatever is out of the ordinary,
 * faults above all, is left to head.c.
 */
#include "http1/field.h"
#include "http1/memo.h"

#include <string.h>

#define STEP ((size_t)32) /* bytes looked at in one go */

/*
 * Bytes on their way into the block, one for one. `from` stands in the input, or, for the last bytes of
 * it, where STEP can't be read any more, in the block itself, with zeros behind them.
 */
struct way {
    const char *from, *end;
    char *to;
};

static HOOP__H1_COLD struct way move_rest(struct way way)
{
    size_t rest = (size_t)(way.end - way.from);
    memcpy(way.to, way.from, rest);
    memset(way.to + rest, 0, STEP + 1);
    way.from = way.to;
    way.end = way.to + rest + STEP + 1;
    return way;
}

/* One byte more can be read, too: an LF behind a CR. */
static HOOP__H1_HOT void have_step(struct way *way)
{
    if ((size_t)(way->end - way->from) <= STEP)
        *way = move_rest(*way);
}

/* --- steps ----------------------------------------------------------------------------------- */

/*
 * Copies the line at hand up to its CR, whose copy it returns, and goes behind its LF; NULL if there is
 * another control character or an end. What the first step found is handed in.
 */
static HOOP__H1_HOT char *find_end(struct way *way, unsigned suspects)
{
    for (;;) {
        for (; suspects; suspects &= suspects - 1) {
            size_t at = (size_t)__builtin_ctz(suspects);
            if (memcmp(way->from + at, "\r\n", 2) != 0) {
                if (hoop__h1_is_control(way->from[at]))
                    return NULL;
                continue; /* TAB, or beyond ASCII */
            }
            char *eol = way->to + at;
            way->from += at + 2;
            way->to = eol + 2;
            return eol;
        }
        way->from += STEP;
        way->to += STEP;
        have_step(way);
        suspects = hoop__h1_copy_32(way->to, way->from);
    }
}

/* The request line, as far as it changes nothing in the copy. Where its target ends, or NULL. */
static HOOP__H1_HOT char *read_request_line(struct hoop__h1_exchange *h, struct way *way)
{
    char *target_end;
    have_step(way);
    char *eol = find_end(way, hoop__h1_copy_32(way->to, way->from));
    size_t len = (size_t)(way->to - h->head);
    /* What may be too long is for head.c to look at, and to count. */
    if (!eol || len > h->limits->max_target ||
        hoop__h1_request_line(h, h->head, eol, &target_end) || h->minor > 1 || h->authority.data)
        return NULL;
    return target_end;
}

/* The value without the blanks around it; the one cut off directly behind it, or 0, is returned. */
static HOOP__H1_COLD char trim(char *line, char *eol, hoop_str *value)
{
    char *from = line, *end = eol;
    while (hoop__h1_is_blank(*from))
        from++; /* the CR stops it */
    while (hoop__h1_is_blank(end[-1]) && end > from)
        end--;
    value->data = from;
    value->len = (size_t)(end - from);
    char cut = end < eol ? *end : 0;
    *end = 0;
    return cut;
}

/* Copies and splits a field line. 0 if it is none, or not a plain one. */
static HOOP__H1_HOT int read_field(struct hoop__h1_exchange *h, struct way *way, hoop_field *f)
{
    char *line = way->to, cut = 0;
    size_t n;
    unsigned suspects = hoop__h1_copy_named(line, way->from, &n);
    char *eol = find_end(way, suspects);
    if (!eol)
        return 0;
    if (!n && !(n = hoop__h1_lower_name(line, eol)))
        return 0;
    char *value = line + n + 1;
    f->name.data = line;
    f->name.len = n;
    line[n] = 0;
    value += *value == ' ';
    /* No byte up to the CR is less than a blank, but TAB. */
    if ((unsigned char)*value > ' ' && (unsigned char)eol[-1] > ' ') {
        f->value.data = value;
        f->value.len = (size_t)(eol - value);
        *eol = 0;
    } else {
        cut = trim(value, eol, &f->value);
    }
    return hoop__h1_note_field(h, f, cut) == 0;
}

/* --- the head -------------------------------------------------------------------------------- */

static const char *stop_of(const struct hoop__h1_exchange *h, const char *data, size_t len)
{
    uint64_t max = h->limits->max_head < h->head_cap ? h->limits->max_head : h->head_cap;
    return data + (len < max ? len : (size_t)max);
}

/* All fields, and the empty line. 0 if not all of it is here and plain. */
static HOOP__H1_HOT int read_fields(struct hoop__h1_exchange *h, struct way *way)
{
    hoop_field *f = h->fields, *last = f + h->field_cap;
    for (;; f++) {
        have_step(way);
        if (*way->from == '\r')
            break;
        if (f == last || !read_field(h, way, f))
            return 0;
    }
    h->field_count = (size_t)(f - h->fields);
    way->to += 2;
    return way->from[1] == '\n' && hoop__h1_head_check(h) == 0;
}

/*
 * The memo knows the block at `data`: llhttp has read it before, so that here it reads the request
 * line alone. What was consumed of it, or 0.
 */
static size_t recall(struct hoop__h1_exchange *h, const char *data, const char *end,
                     size_t line_len)
{
    char *empty = h->head + line_len, *to = empty + 2;
    const struct hoop__h1_memo_entry *entry = hoop__h1_memo_find(h, data, end, to);
    if (!entry)
        return 0;
    empty[0] = '\r';
    empty[1] = '\n';
    if (hoop__h1_head_confirm(h, h->head, to))
        return 0;
    hoop__h1_memo_use(h, entry, to);
    h->head_len = line_len + 2 + entry->len;
    return entry->len;
}

/* What was consumed, or 0. */
static size_t read_whole(struct hoop__h1_exchange *h, const char *data, size_t len)
{
    const char *stop = stop_of(h, data, len);
    struct way way = { data, stop, h->head };
    char *target_end = read_request_line(h, &way);
    if (!target_end)
        return 0;
    size_t line_len = (size_t)(way.to - h->head);
    if (h->engine->memo_slot) {
        size_t n = recall(h, data + line_len, stop, line_len);
        if (n) {
            hoop__h1_cut_line(h, target_end);
            return line_len + n;
        }
        way.from = data + line_len; /* its copy, if there was one, is written over */
        way.end = stop;
        way.to = h->head + line_len;
    }
    if (!read_fields(h, &way))
        return 0;
    size_t size = (size_t)(way.to - h->head);
    if (hoop__h1_head_confirm(h, data, data + size))
        return 0;
    hoop__h1_cut_line(h, target_end);
    h->head_len = size;
    if (h->engine->memo_wait)
        h->engine->memo_wait--;
    else
        hoop__h1_memo_note(h, data + line_len, h->head + line_len, size - line_len);
    return size;
}

size_t hoop__h1_head_whole(struct hoop__h1_exchange *h, const char *data, size_t len)
{
    size_t n = read_whole(h, data, len);
    if (!n)
        hoop__h1_head_again(h);
    h->has_line = n != 0;
    return n;
}
