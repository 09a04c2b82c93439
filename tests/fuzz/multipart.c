/*
 * Fuzz target: bytes as a multipart body, whole against pieces. The first byte is the size of the pieces; then comes
 * the Content-Type up to a line end, then the body. Both ways have to give the same parts, bytes and error.
 */
#include "support.h"

#include <hoop/multipart.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What was read, run together in a way that does not hang on the pieces. */
struct outcome {
    int rc;
    size_t events; /* but for data */
    size_t bytes;
    uint64_t hash;
};

static void mix(struct outcome *out, hoop_str s)
{
    for (size_t i = 0; i < s.len; i++)
        out->hash = (out->hash ^ (unsigned char)s.data[i]) * UINT64_C(1099511628211);
}

static void check_str(hoop_str s)
{
    if (s.data[s.len] != 0)
        abort();
}

static void take_part(struct outcome *out, const hoop_part *part)
{
    check_str(part->name);
    check_str(part->filename);
    check_str(part->filename_sent);
    if (memchr(part->filename.data, '/', part->filename.len))
        abort();
    for (size_t i = 0; i < part->header_count; i++) {
        check_str(part->headers[i].name);
        check_str(part->headers[i].value);
        mix(out, part->headers[i].name);
        mix(out, part->headers[i].value);
    }
    mix(out, part->name);
    mix(out, part->filename_sent);
}

static void feed(hoop_multipart *reader, hoop_str piece, struct outcome *out)
{
    hoop_str bytes;
    while ((out->rc = hoop_multipart_next(reader, &piece, &bytes)) > 0) {
        if (out->rc == HOOP_MULTIPART_DATA) {
            if (!bytes.len)
                abort();
            mix(out, bytes);
            out->bytes += bytes.len;
            continue;
        }
        out->events++;
        mix(out, hoop_str_n(&"PDEF"[out->rc - 1], 1));
        if (out->rc == HOOP_MULTIPART_PART)
            take_part(out, hoop_multipart_part(reader));
    }
}

static struct outcome read_in(hoop_str type, hoop_str body, size_t step)
{
    struct outcome out = { 0, 0, 0, 0 };
    hoop_arena *arena = hoop_arena_new();
    hoop_multipart *reader;
    hoop_multipart_options options = { .max_parts = 20, .max_headers = 4, .max_head = 200 };
    out.rc = hoop_multipart_new(arena, type, &reader, NULL, &options);
    if (out.rc == 0) {
        for (size_t at = 0; at < body.len && out.rc == 0; at += step) {
            size_t len = step < body.len - at ? step : body.len - at;
            char *copy = malloc(len);
            memcpy(copy, body.data + at, len);
            feed(reader, hoop_str_n(copy, len), &out);
            free(copy);
        }
        int rc = hoop_multipart_finish(reader);
        if (out.rc < 0 && rc != out.rc)
            abort();
        out.rc = rc;
        if (hoop_multipart_error(reader)->code != rc || out.bytes > body.len)
            abort();
    }
    hoop_arena_free(arena);
    return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 20000)
        return 0;
    const char *text = (const char *)data + 1, *end = (const char *)data + size;
    const char *line = memchr(text, '\n', size - 1);
    if (!line)
        return 0;
    hoop_str type = hoop_str_n(text, (size_t)(line - text));
    hoop_str body = hoop_str_n(line + 1, (size_t)(end - line - 1));
    struct outcome whole = read_in(type, body, body.len + 1);
    size_t step = data[0] ? data[0] : 1;
    struct outcome cut = read_in(type, body, step);
    /* In front of an error less data may have been given out if the body came whole. */
    if (whole.rc != cut.rc || whole.events != cut.events)
        abort();
    if (whole.rc == 0 && (whole.hash != cut.hash || whole.bytes != cut.bytes))
        abort();
    return 0;
}
