/* The buffer of JSON text under way: it grows at the arena's end, or is flushed. See write_out.h. */
#include "json/write_out.h"

#define LEAST_LEFT 128               /* in the newest chunk, to begin there */
#define FIRST_SIZE ((size_t)512)     /* if it has not */
#define LARGE      ((size_t)1 << 20) /* from here on a buffer grows by half instead of twice */

static int begin(struct hoop__json_out *out, struct hoop_arena *arena, size_t size)
{
    out->start = hoop__arena_alloc(arena, size);
    out->next = out->start;
    out->end = out->start ? out->start + size : NULL;
    out->size = size;
    out->arena = arena;
    out->flush = NULL;
    out->data = NULL;
    out->flushed = 0;
    out->piece = SIZE_MAX;
    out->flags = 0;
    return out->code = out->start ? 0 : HOOP_ENOMEM;
}

/* What is left of the newest chunk in whole steps of the arena. */
static size_t left_of(const struct hoop_arena *arena)
{
    return (size_t)(arena->end - arena->next) & ~(HOOP__ALIGN - 1);
}

int hoop__json_out_init(struct hoop__json_out *out, struct hoop_arena *arena, size_t most)
{
    size_t left = left_of(arena);
    if (left < LEAST_LEFT)
        left = FIRST_SIZE;
    if (begin(out, arena, left < most ? left : most) == 0)
        return 0;
    /* A limit may still leave space for the exact size. */
    return begin(out, arena, 0);
}

int hoop__json_out_init_flush(struct hoop__json_out *out, struct hoop_arena *arena, size_t size,
                              hoop_json_flush_fn *flush, void *data)
{
    if (begin(out, arena, size))
        return out->code;
    out->flush = flush;
    out->data = data;
    out->piece = size / 8; /* each byte may become six */
    return 0;
}

void hoop__json_out_drop(struct hoop__json_out *out)
{
    if (out->start && out->start + out->size == out->arena->next)
        out->arena->next = out->start;
    out->start = out->next = out->end = NULL;
}

int hoop__json_out_take(struct hoop__json_out *out, hoop_str *ret_text)
{
    if (hoop__json_room(out, 1))
        return out->code;
    *out->next = '\0';
    ret_text->data = out->start;
    ret_text->len = (size_t)(out->next - out->start);
    /* What is left is given back, if nothing came behind it in the arena. */
    if (out->start + out->size == out->arena->next)
        out->arena->next = out->start + ((ret_text->len + HOOP__ALIGN) & ~(HOOP__ALIGN - 1));
    return 0;
}

int hoop__json_out_flush(struct hoop__json_out *out, size_t keep)
{
    size_t len = (size_t)(out->next - out->start);
    if (out->code)
        return out->code;
    if (len <= keep)
        return 0;
    out->code = out->flush(hoop_str_n(out->start, len - keep), out->data);
    if (out->code)
        return out->code;
    memmove(out->start, out->next - keep, keep);
    out->flushed += len - keep;
    out->next = out->start + keep;
    return 0;
}

/* How large the buffer becomes that needs `need` bytes. */
static size_t next_size(const struct hoop__json_out *out, size_t need)
{
    const struct hoop_arena *arena = out->arena;
    size_t size = out->size < LARGE ? 2 * out->size : out->size + out->size / 2;
    if (size < need)
        size = need;
    /* In place, as long as the chunk has room. */
    if (out->start + out->size == arena->next && out->size + left_of(arena) >= need &&
        out->size + left_of(arena) < size)
        size = out->size + left_of(arena);
    return (size + HOOP__ALIGN - 1) & ~(HOOP__ALIGN - 1);
}

int hoop__json_out_grow(struct hoop__json_out *out, size_t size)
{
    size_t used = (size_t)(out->next - out->start);
    if (out->code)
        return out->code;
    if (out->flush)
        /* The last byte may be a comma that the end of an array takes back. */
        return hoop__json_out_flush(out, 1);
    if (size > SIZE_MAX / 4 - used)
        return out->code = HOOP_ENOMEM;
    size_t want = next_size(out, used + size);
    char *start = hoop__arena_resize(out->arena, out->start, out->size, want);
    if (!start) {
        want = (used + size + HOOP__ALIGN - 1) & ~(HOOP__ALIGN - 1);
        start = hoop__arena_resize(out->arena, out->start, out->size, want);
    }
    if (!start)
        return out->code = HOOP_ENOMEM;
    out->start = start;
    out->next = start + used;
    out->end = start + want;
    out->size = want;
    return 0;
}

int hoop__json_put(struct hoop__json_out *out, const char *data, size_t len)
{
    while (len > 0) {
        size_t part = len < out->piece ? len : out->piece;
        if (hoop__json_room(out, part + 2))
            return out->code;
        memcpy(out->next, data, part);
        out->next += part;
        data += part;
        len -= part;
    }
    return hoop__json_room(out, 2);
}

int hoop__json_put_line(struct hoop__json_out *out, size_t count)
{
    if (hoop__json_room(out, 3))
        return out->code;
    *out->next++ = '\n';
    while (count > 0) {
        size_t part = count < out->piece ? count : out->piece;
        if (hoop__json_room(out, part + 2))
            return out->code;
        memset(out->next, ' ', part);
        out->next += part;
        count -= part;
    }
    return 0;
}
