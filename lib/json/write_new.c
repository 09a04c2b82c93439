/* Writers made, flushed and ended. */
#include "json/writer.h"

#include <hoop/json_writer.h>
#include <hoop/stream.h>

#define FIRST_BUFFER  1024 /* so that other allocations beside it find room in the block */
#define LEAST_BUFFER  512
#define USUAL_BUFFER  16384
#define GREATEST_SIZE (UINT32_C(1) << 30) /* of a buffer */

void hoop__json_writer_init(hoop_json_writer *w, hoop_arena *arena, size_t most)
{
    w->levels = w->top = w->first;
    w->levels_end = w->first + HOOP__JSON_LEVELS;
    w->top->kind = HOOP__JSON_ROOT;
    w->top->at = 0;
    w->expect = HOOP__JSON_VALUE;
    w->lines = 0;
    w->indent = 0;
    w->sequence = HOOP_JSON_ONE;
    w->max_depth = HOOP__JSON_DEPTH;
    w->flush = NULL;
    w->data = NULL;
    w->saved = NULL;
    w->text = "";
    w->code = 0;
    w->waits = 0;
    int rc = hoop__json_out_init(&w->out, arena, most);
    if (rc)
        hoop__json_fail(w, rc);
}

hoop_json_writer *hoop_json_writer_new(hoop_arena *arena)
{
    hoop_json_writer *w = arena ? hoop__arena_alloc(arena, sizeof *w) : NULL;
    if (w)
        hoop__json_writer_init(w, arena, FIRST_BUFFER);
    return w;
}

/* Keys are saved before the bytes go. */
static int flush_writer(hoop_str bytes, void *data)
{
    hoop_json_writer *w = data;
    hoop__json_save_keys(w);
    int rc = w->flush(bytes, w->data);
    w->waits |= rc > 0;
    return rc < 0 ? rc : 0;
}

static int init_flush(hoop_json_writer *w, const hoop_json_writer_options *o)
{
    uint64_t size = o->buffer_size ? o->buffer_size : USUAL_BUFFER;
    if (size < LEAST_BUFFER)
        size = LEAST_BUFFER;
    if (size > GREATEST_SIZE)
        size = GREATEST_SIZE;
    hoop_arena *arena = w->out.arena;
    hoop__json_out_drop(&w->out);
    w->flush = o->flush;
    w->data = o->data;
    w->saved = hoop__arena_alloc(arena, HOOP__JSON_LEVELS * sizeof *w->saved);
    if (!w->saved)
        return HOOP_ENOMEM;
    return hoop__json_out_init_flush(&w->out, arena, (size_t)size, flush_writer, w);
}

hoop_json_writer *hoop_json_writer_new_sized(hoop_arena *arena,
                                             const hoop_json_writer_options *options,
                                             size_t options_size)
{
    hoop_json_writer_options o = { 0 };
    if (options)
        memcpy(&o, options, options_size < sizeof o ? options_size : sizeof o);
    hoop_json_writer *w = hoop_json_writer_new(arena);
    if (!w || (o.flush && init_flush(w, &o)))
        return NULL;
    if (o.max_depth)
        w->max_depth = o.max_depth == HOOP_OFF32 ? SIZE_MAX : o.max_depth;
    w->sequence = o.sequence;
    w->indent = o.sequence == HOOP_JSON_LINES ? 0 : o.indent;
    w->lines = w->indent || w->sequence;
    w->out.flags = o.ascii ? HOOP__JSON_ASCII : 0;
    if (o.sequence > HOOP_JSON_SEQ)
        hoop__json_mistake(w, "the option sequence is none of HOOP_JSON_ONE, _LINES, _SEQ");
    return w;
}

int hoop_json_writer_code(const hoop_json_writer *w)
{
    return w ? w->code : HOOP_ENOMEM;
}

int hoop_json_writer_wait(hoop_json_writer *w)
{
    if (!w || w->code)
        return hoop_json_writer_code(w);
    int waits = w->waits;
    w->waits = 0;
    return waits ? HOOP_WAIT : 0;
}

int hoop_json_writer_flush(hoop_json_writer *w)
{
    if (!w)
        return HOOP_ENOMEM;
    if (w->code || !w->flush)
        return w->code;
    /* A comma may still be taken back; else all goes, but for the bracket that end() looks at. */
    int rc = hoop__json_out_flush(&w->out, w->top > w->levels);
    if (rc)
        hoop__json_fail(w, rc);
    return rc;
}

/* Ends the text; `*ret_text` is left alone if it is flushed. 0 or the code of the first mistake. */
static int end_text(hoop_json_writer *w, hoop_str *ret_text)
{
    if (w->expect == HOOP__JSON_FAILED)
        return w->code;
    if (w->top > w->levels)
        hoop__json_mistake(w, w->top->kind == HOOP__JSON_ARRAY ? "the array was not ended"
                                                               : "the object was not ended");
    else if (w->top->at == 0 && !w->sequence)
        hoop__json_mistake(w, "nothing was written");
    else if (w->flush)
        hoop_json_writer_flush(w);
    else if (hoop__json_out_take(&w->out, ret_text))
        hoop__json_fail(w, w->out.code);
    return w->code;
}

int hoop_json_writer_finish(hoop_json_writer *w, hoop_str *ret_text, hoop_error *error)
{
    if (!w)
        return hoop_error_set(error, HOOP_ENOMEM, "%s", hoop_strerror(HOOP_ENOMEM));
    hoop_str text = hoop_str_none();
    int rc = end_text(w, &text);
    if (rc)
        return hoop_error_set(error, rc, "%s", w->text);
    w->expect = HOOP__JSON_FAILED;
    w->code = HOOP_EALREADY;
    w->text = "the text was ended before";
    if (ret_text)
        *ret_text = text;
    return 0;
}
