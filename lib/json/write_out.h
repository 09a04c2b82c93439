/*
 * Where JSON text goes while it is written: a buffer at the arena's end that grows in place, or one that is
 * handed on whenever it is full; and the encoders of strings and numbers, which know no structure.
 */
#ifndef HOOP_JSON_WRITE_OUT_H
#define HOOP_JSON_WRITE_OUT_H

#include "base/arena.h"
#include "json/double.h"

#include <hoop/error.h>
#include <hoop/json_writer.h>
#include <hoop/str.h>

#define HOOP__JSON_DEPTH \
    2048 /* arrays and objects within each other; jansson's parser's limit, too */

/* What an encoder does besides the least. */
#define HOOP__JSON_ASCII 1u /* \u for everything beyond ASCII */
#define HOOP__JSON_SLASH 2u /* \/ for / */

struct hoop__json_out {
    char *next;  /* where the next byte goes */
    char *end;   /* behind the buffer */
    char *start; /* of the buffer */
    size_t size; /* of the buffer */
    struct hoop_arena *arena;
    hoop_json_flush_fn *flush; /* NULL: all stays in the buffer */
    void *data;                /* for flush */
    uint64_t flushed;          /* bytes handed on */
    size_t
        piece; /* as much of a string is encoded at once, so that it fits a buffer that is flushed */
    uint32_t flags;
    int code; /* why the last function failed */
};

/*
 * A buffer in `arena`, which takes what is left of the newest chunk, but `most` bytes. 0, or HOOP_ENOMEM.
 */
int hoop__json_out_init(struct hoop__json_out *out, struct hoop_arena *arena, size_t most);

/* A buffer of `size` bytes, 512 at least, that goes to `flush`. 0, or HOOP_ENOMEM. */
int hoop__json_out_init_flush(struct hoop__json_out *out, struct hoop_arena *arena, size_t size,
                              hoop_json_flush_fn *flush, void *data);

/* Gives the buffer back, if it is the arena's newest allocation. */
void hoop__json_out_drop(struct hoop__json_out *out);

/* Ends the text with a NUL and gives back what is left. 0, or HOOP_ENOMEM. Not for a flushed one. */
int hoop__json_out_take(struct hoop__json_out *out, hoop_str *ret_text);

/*
 * Hands on what is in the buffer but for the last `keep` bytes, which move to its start. 0 or a code.
 */
int hoop__json_out_flush(struct hoop__json_out *out, size_t keep);

int hoop__json_out_grow(struct hoop__json_out *out, size_t size);

/*
 * Makes room for `size` bytes (if it is flushed, for at most the least size of a buffer, less the byte that
 * stays). 0 or a code, which out->code keeps.
 */
static inline int hoop__json_room(struct hoop__json_out *out, size_t size)
{
    return (size_t)(out->end - out->next) >= size ? 0 : hoop__json_out_grow(out, size);
}

/* Copies bytes of any number. 0 or a code. */
int hoop__json_put(struct hoop__json_out *out, const char *data, size_t len);

/*
 * A string with its quotes. Room for two bytes is left behind it. 0 or a code; HOOP_EINVAL for what is no
 * UTF-8.
 */
int hoop__json_put_string(struct hoop__json_out *out, const char *data, size_t len);

/* A number; room as above is the caller's: 24 bytes, HOOP__DOUBLE_SIZE. */
static inline void hoop__json_put_int(struct hoop__json_out *out, int64_t value)
{
    uint64_t left = (uint64_t)value;
    if (value < 0) {
        *out->next++ = '-';
        left = 0 - left;
    }
    out->next = hoop__uint_text(left, out->next);
}

/* A new line and `count` spaces. 0 or a code; room for two bytes is left. */
int hoop__json_put_line(struct hoop__json_out *out, size_t count);

#endif
