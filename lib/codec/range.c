/* The reader of Range and the writers of Content-Range and multipart/byteranges; see range.h. */
#include "codec/range.h"

#include "codec/chars.h"

#include <string.h>

/* --- reading --------------------------------------------------------------------------------- */

/* Digits at `*at`; what is too large counts as UINT64_MAX. Nonzero if there were any. */
static int read_number(hoop_str text, size_t *at, uint64_t *ret)
{
    uint64_t n = 0;
    size_t start = *at;
    for (; *at < text.len && text.data[*at] >= '0' && text.data[*at] <= '9'; ++*at) {
        uint64_t digit = (uint64_t)(text.data[*at] - '0');
        n = n > (UINT64_MAX - digit) / 10 ? UINT64_MAX : n * 10 + digit;
    }
    *ret = n;
    return *at > start;
}

enum spec { SPEC_BROKEN, SPEC_EMPTY, SPEC_FULL };

/* int-range or suffix-range of RFC 9110 14.1.2, as bytes of `size`; SPEC_EMPTY if they can't be had. */
static enum spec read_spec(hoop_str text, size_t *at, uint64_t size, struct hoop__range *ret)
{
    uint64_t first, last;
    int has_first = read_number(text, at, &first);
    if (*at == text.len || text.data[*at] != '-')
        return SPEC_BROKEN;
    ++*at;
    int has_last = read_number(text, at, &last);
    if (!has_first) {
        ret->len = last < size ? last : size;
        ret->from = size - ret->len;
        return !has_last ? SPEC_BROKEN : ret->len ? SPEC_FULL : SPEC_EMPTY;
    }
    if (has_last && last < first)
        return SPEC_BROKEN;
    if (first >= size)
        return SPEC_EMPTY;
    ret->from = first;
    ret->len = (!has_last || last >= size ? size - 1 : last) - first + 1;
    return SPEC_FULL;
}

static size_t skip_ows(hoop_str text, size_t at)
{
    while (at < text.len && hoop__char_is_ows(text.data[at]))
        at++;
    return at;
}

static void sort(struct hoop__range *ranges, int count)
{
    for (int i = 1; i < count; i++) {
        struct hoop__range range = ranges[i];
        int k = i;
        for (; k > 0 && ranges[k - 1].from > range.from; k--)
            ranges[k] = ranges[k - 1];
        ranges[k] = range;
    }
}

/* Nonzero if `b`, which does not begin before `a`, begins within it or directly behind. */
static int meets(const struct hoop__range *a, const struct hoop__range *b)
{
    return b->from <= a->from + a->len;
}

/* Merges what meets. Returns the new count; nothing changes if nothing meets. */
static int merge(struct hoop__range *ranges, int count)
{
    struct hoop__range sorted[HOOP__RANGES_MAX];
    int used = 0;
    memcpy(sorted, ranges, (size_t)count * sizeof *ranges);
    sort(sorted, count);
    for (int i = 0; i < count; i++) {
        struct hoop__range *last = used ? &sorted[used - 1] : NULL;
        if (!last || !meets(last, &sorted[i])) {
            sorted[used++] = sorted[i];
            continue;
        }
        uint64_t end = sorted[i].from + sorted[i].len;
        if (end > last->from + last->len)
            last->len = end - last->from;
    }
    if (used < count)
        memcpy(ranges, sorted, (size_t)used * sizeof *ranges);
    return used;
}

int hoop__range_parse(hoop_str value, uint64_t size, struct hoop__range *ret)
{
    static const char unit[] = "bytes";
    struct hoop__range ranges[HOOP__RANGES_MAX];
    int count = 0, specs = 0;
    size_t at = sizeof unit - 1;
    if (value.len <= at || value.data[at] != '=' ||
        !hoop_str_eq_nocase(hoop_str_n(value.data, at), hoop_str_n(unit, at)) || !size)
        return 0;
    for (at = skip_ows(value, at + 1); at < value.len; at = skip_ows(value, at)) {
        if (value.data[at] == ',') { /* also in front of, between and behind the elements */
            at++;
            continue;
        }
        struct hoop__range range;
        enum spec spec = read_spec(value, &at, size, &range);
        at = skip_ows(value, at);
        if (spec == SPEC_BROKEN || (at < value.len && value.data[at] != ',') ||
            ++specs > HOOP__RANGES_MAX)
            return 0;
        if (spec == SPEC_FULL)
            ranges[count++] = range;
    }
    if (!specs)
        return 0;
    if (!count)
        return HOOP_EINVAL;
    count = merge(ranges, count);
    memcpy(ret, ranges, (size_t)count * sizeof *ranges);
    return count;
}

/* --- writing --------------------------------------------------------------------------------- */

/* Where to write, or, without a place, how much it would be. */
struct pen {
    char *out;
    size_t size;
};

static void put(struct pen *pen, const char *bytes, size_t len)
{
    if (pen->out)
        memcpy(pen->out + pen->size, bytes, len);
    pen->size += len;
}

static void put_text(struct pen *pen, const char *text)
{
    put(pen, text, strlen(text));
}

static void put_number(struct pen *pen, uint64_t n)
{
    char digits[20], *at = digits + sizeof digits;
    do
        *--at = (char)('0' + n % 10);
    while (n /= 10);
    put(pen, at, (size_t)(digits + sizeof digits - at));
}

static void put_content_range(struct pen *pen, const struct hoop__range *range, uint64_t size)
{
    put_text(pen, "bytes ");
    put_number(pen, range->from);
    put_text(pen, "-");
    put_number(pen, range->from + range->len - 1);
    put_text(pen, "/");
    put_number(pen, size);
}

size_t hoop__content_range_write(const struct hoop__range *range, uint64_t size, char *out)
{
    struct pen pen = { out, 0 };
    put_content_range(&pen, range, size);
    return pen.size;
}

size_t hoop__content_range_write_none(uint64_t size, char *out)
{
    struct pen pen = { out, 0 };
    put_text(&pen, "bytes */");
    put_number(&pen, size);
    return pen.size;
}

size_t hoop__byteranges_head(hoop_str boundary, hoop_str type, const struct hoop__range *range,
                             uint64_t size, int first, char *out)
{
    struct pen pen = { out, 0 };
    put_text(&pen, first ? "--" : "\r\n--");
    put(&pen, boundary.data, boundary.len);
    if (type.len) {
        put_text(&pen, "\r\nContent-Type: ");
        put(&pen, type.data, type.len);
    }
    put_text(&pen, "\r\nContent-Range: ");
    put_content_range(&pen, range, size);
    put_text(&pen, "\r\n\r\n");
    return pen.size;
}

size_t hoop__byteranges_end(hoop_str boundary, char *out)
{
    struct pen pen = { out, 0 };
    put_text(&pen, "\r\n--");
    put(&pen, boundary.data, boundary.len);
    put_text(&pen, "--\r\n");
    return pen.size;
}
