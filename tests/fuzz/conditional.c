/*
 * Fuzz target: the fields of conditional and range requests, a line each, behind a first line that is a size and
 * a tag. Ranges lie within, overlap nowhere, and mean the same again when written out; verdicts agree with
 * what stronger or weaker requests get.
 */
#include "support.h"

#include "codec/condition.h"
#include "codec/mime.h"
#include "codec/range.h"

#include <inttypes.h>
#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW INT64_C(1718000000)

static hoop_str cut(const char **at, const char *end)
{
    if (*at == end)
        return hoop_str_none();
    const char *start = *at, *stop = memchr(start, '\n', (size_t)(end - start));
    *at = stop ? stop + 1 : end;
    return hoop_str_n(start, (size_t)((stop ? stop : end) - start));
}

static void check_ranges(hoop_str value, uint64_t size)
{
    struct hoop__range ranges[HOOP__RANGES_MAX], again[HOOP__RANGES_MAX];
    char text[HOOP__RANGES_MAX * 48] = "bytes=";
    size_t used = 6;
    int count = hoop__range_parse(value, size, ranges);
    if (count <= 0) {
        if (count != 0 && count != HOOP_EINVAL)
            abort();
        return;
    }
    for (int i = 0; i < count; i++) {
        if (!ranges[i].len || ranges[i].from >= size || ranges[i].len > size - ranges[i].from)
            abort();
        for (int k = 0; k < i; k++)
            if (ranges[k].from <= ranges[i].from + ranges[i].len &&
                ranges[i].from <= ranges[k].from + ranges[k].len)
                abort();
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%" PRIu64 "-%" PRIu64,
                                 i ? "," : "", ranges[i].from, ranges[i].from + ranges[i].len - 1);
        char out[HOOP__CONTENT_RANGE_SIZE];
        if (hoop__content_range_write(&ranges[i], size, out) > sizeof out)
            abort();
    }
    if (hoop__range_parse(hoop_str_n(text, used), size, again) != count ||
        memcmp(ranges, again, (size_t)count * sizeof *ranges) != 0)
        abort();
}

static void check_verdicts(const struct hoop__conditions *c, const struct hoop__validators *v)
{
    enum hoop__verdict reads = hoop__condition_check(c, v, 1, NOW);
    enum hoop__verdict writes = hoop__condition_check(c, v, 0, NOW);
    if (writes == HOOP__NOT_MODIFIED)
        abort();
    if (reads == HOOP__FAILED && writes != HOOP__FAILED)
        abort();
    if (hoop_str_is_none(c->if_match) && hoop_str_is_none(c->if_none_match) &&
        hoop_str_is_none(c->if_modified_since) && hoop_str_is_none(c->if_unmodified_since) &&
        reads != HOOP__PROCEED)
        abort();
    if (hoop__condition_range(c, v, NOW) && !hoop_str_is_none(c->if_range) && v->has_etag &&
        v->etag.weak && c->if_range.len && c->if_range.data[0] == '"')
        abort();
}

static void check_types(hoop_str text)
{
    struct hoop__mime_types types = { text, hoop_str_none() };
    hoop_str type, extension;
    while (hoop__mime_types_next(&types, &type, &extension))
        if (!extension.len || !memchr(type.data, '/', type.len))
            abort();
    hoop__mime_builtin(hoop__mime_extension(text));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *input = malloc(size ? size : 1);
    if (!input)
        return 0;
    if (size)
        memcpy(input, data, size);
    const char *at = input, *end = input + size;
    hoop_str first = cut(&at, end);
    struct hoop__validators v = { .exists = 1, .has_modified = 1, .modified = 784111777 };
    uint64_t length = 0;
    size_t i = 0;
    for (; i < first.len && first.data[i] >= '0' && first.data[i] <= '9'; i++)
        length = length * 10 + (uint64_t)(first.data[i] - '0');
    if (i < first.len)
        v.has_etag =
            hoop__etag_parse(hoop_str_n(first.data + i + 1, first.len - i - 1), &v.etag) == 0;
    struct hoop__conditions c = { cut(&at, end), cut(&at, end), cut(&at, end), cut(&at, end),
                                  cut(&at, end) };
    hoop_str range = cut(&at, end);
    check_verdicts(&c, &v);
    check_ranges(range, length);
    check_ranges(range, UINT64_MAX);
    check_types(hoop_str_n(at, (size_t)(end - at)));
    free(input);
    return 0;
}
