/* The writer's structure: what may follow what, commas and lines. Its mistakes are write_error.c's. */
#include "json/writer.h"

#include <math.h>

/* A comma stands behind each value; the end of the array or object takes the last one back. */

/* --- levels ------------------------------------------------------------------------------------ */

static size_t depth_of(const hoop_json_writer *w)
{
    return (size_t)(w->top - w->levels);
}

static int grow_levels(hoop_json_writer *w)
{
    size_t count = (size_t)(w->levels_end - w->levels);
    struct hoop__json_level *levels = hoop__arena_alloc(w->out.arena, 2 * count * sizeof *levels);
    char(*saved)[HOOP__JSON_SAVED] = w->saved;
    if (saved)
        saved = hoop__arena_alloc(w->out.arena, 2 * count * sizeof *saved);
    if (!levels || (w->saved && !saved))
        return HOOP_ENOMEM;
    memcpy(levels, w->levels, count * sizeof *levels);
    if (saved)
        memcpy(saved, w->saved, count * sizeof *saved);
    w->levels = levels;
    w->levels_end = levels + 2 * count;
    w->top = levels + count - 1;
    w->saved = saved;
    return 0;
}

/* A line behind an opening bracket or a comma; the writer has failed if not 0. */
static int put_line(hoop_json_writer *w, size_t depth)
{
    int rc = hoop__json_put_line(&w->out, depth * w->indent);
    if (rc)
        hoop__json_fail(w, rc);
    return rc;
}

static int begin_special(hoop_json_writer *w)
{
    if (w->top->kind == HOOP__JSON_ARRAY && w->indent)
        return put_line(w, depth_of(w));
    if (w->top->kind == HOOP__JSON_ROOT && w->sequence == HOOP_JSON_SEQ) {
        int rc = hoop__json_room(&w->out, 1);
        if (rc) {
            hoop__json_fail(w, rc);
            return rc;
        }
        *w->out.next++ = '\x1e';
    }
    return 0;
}

static int refuse_value(hoop_json_writer *w)
{
    hoop__json_mistake(w, w->expect == HOOP__JSON_KEY ? "a value stands where a key is due"
                                                      : "a value follows the end of the text");
    return HOOP_EINVAL;
}

int hoop__json_begin_slowly(hoop_json_writer *w, size_t room)
{
    if (!w)
        return HOOP_ENOMEM;
    if (w->expect > HOOP__JSON_MEMBER)
        return refuse_value(w);
    if (w->lines && begin_special(w))
        return w->code;
    int rc = hoop__json_room(&w->out, room + 2);
    if (rc)
        hoop__json_fail(w, rc);
    return rc;
}

void hoop__json_end_root(hoop_json_writer *w)
{
    w->top->at++;
    if (w->sequence)
        *w->out.next++ = '\n';
    else
        w->expect = HOOP__JSON_END;
}

/* --- containers --------------------------------------------------------------------------------- */

static void begin(hoop_json_writer *w, char bracket, size_t kind, uint32_t expect)
{
    if (hoop__json_begin_value(w, 1))
        return;
    if (depth_of(w) >= w->max_depth) {
        hoop__json_mistake(w, "too many levels of arrays and objects");
        return;
    }
    if (w->top + 1 == w->levels_end && grow_levels(w)) {
        hoop__json_fail(w, HOOP_ENOMEM);
        return;
    }
    *w->out.next++ = bracket;
    w->top++;
    w->top->kind = kind;
    w->top->at = kind == HOOP__JSON_ARRAY ? 0 : HOOP__JSON_NO_KEY;
    w->expect = expect;
}

static void refuse_end(hoop_json_writer *w, size_t kind)
{
    const char *what = kind == HOOP__JSON_OBJECT ? "an object is ended, but none is open here"
                                                 : "an array is ended, but none is open here";
    if (kind == HOOP__JSON_OBJECT && w->expect == HOOP__JSON_MEMBER)
        what = "the object is ended where the value of its last key is due";
    hoop__json_mistake(w, what);
}

static void end(hoop_json_writer *w, char bracket, size_t kind, uint32_t expect)
{
    if (!w)
        return;
    if (w->expect != expect || w->top->kind != kind) {
        refuse_end(w, kind);
        return;
    }
    int any = w->out.next[-1] == ',';
    w->out.next -= any;
    if (any && w->indent && put_line(w, depth_of(w) - 1))
        return;
    int rc = hoop__json_room(&w->out, 3);
    if (rc) {
        hoop__json_fail(w, rc);
        return;
    }
    *w->out.next++ = bracket;
    w->top--;
    w->expect = w->top->kind == HOOP__JSON_OBJECT ? HOOP__JSON_MEMBER : HOOP__JSON_VALUE;
    hoop__json_end_value(w);
}

void hoop_json_begin_object(hoop_json_writer *w)
{
    begin(w, '{', HOOP__JSON_OBJECT, HOOP__JSON_KEY);
}

void hoop_json_end_object(hoop_json_writer *w)
{
    end(w, '}', HOOP__JSON_OBJECT, HOOP__JSON_KEY);
}

void hoop_json_begin_array(hoop_json_writer *w)
{
    begin(w, '[', HOOP__JSON_ARRAY, HOOP__JSON_VALUE);
}

void hoop_json_end_array(hoop_json_writer *w)
{
    end(w, ']', HOOP__JSON_ARRAY, HOOP__JSON_VALUE);
}

/* --- keys --------------------------------------------------------------------------------------- */

static void refuse_key(hoop_json_writer *w)
{
    hoop__json_mistake(w, w->expect == HOOP__JSON_MEMBER ? "a key follows a key that has no value"
                                                         : "a key stands outside of an object");
}

/* So that what the buffer hands on is no part of the key, unless the key is long. */
static int room_for_key(hoop_json_writer *w, size_t len)
{
    int rc = hoop__json_room(&w->out, 64 + (len < w->out.piece ? len : w->out.piece));
    if (rc)
        hoop__json_fail(w, rc);
    return rc;
}

void hoop_json_write_key_str(hoop_json_writer *w, hoop_str key)
{
    if (!w)
        return;
    if (w->expect != HOOP__JSON_KEY) {
        refuse_key(w);
        return;
    }
    if (w->indent && put_line(w, depth_of(w)))
        return;
    if (w->flush && room_for_key(w, key.len))
        return;
    w->top->at = (size_t)(w->out.next - w->out.start) + 1;
    int rc = hoop__json_put_string(&w->out, key.data, key.len);
    if (rc) {
        hoop__json_fail(w, rc);
        return;
    }
    *w->out.next++ = ':';
    if (w->indent)
        *w->out.next++ = ' ';
    w->expect = HOOP__JSON_MEMBER;
}

void hoop_json_write_key(hoop_json_writer *w, const char *key)
{
    if (!key && w) {
        hoop__json_mistake(w, "the key is NULL");
        return;
    }
    hoop_json_write_key_str(w, hoop_str_c(key));
}

/* --- values ------------------------------------------------------------------------------------- */

void hoop_json_write_null(hoop_json_writer *w)
{
    if (hoop__json_begin_value(w, 4))
        return;
    memcpy(w->out.next, "null", 4);
    w->out.next += 4;
    hoop__json_end_value(w);
}

void hoop_json_write_bool(hoop_json_writer *w, int value)
{
    if (hoop__json_begin_value(w, 5))
        return;
    memcpy(w->out.next, value ? "true" : "false", value ? 4 : 5);
    w->out.next += value ? 4 : 5;
    hoop__json_end_value(w);
}

void hoop_json_write_int(hoop_json_writer *w, int64_t value)
{
    if (hoop__json_begin_value(w, 24))
        return;
    hoop__json_put_int(&w->out, value);
    hoop__json_end_value(w);
}

void hoop_json_write_uint(hoop_json_writer *w, uint64_t value)
{
    if (hoop__json_begin_value(w, 24))
        return;
    w->out.next = hoop__uint_text(value, w->out.next);
    hoop__json_end_value(w);
}

void hoop_json_write_double(hoop_json_writer *w, double value)
{
    if (!isfinite(value)) {
        if (w && w->expect <= HOOP__JSON_MEMBER)
            hoop__json_mistake(w, isnan(value) ? "NaN is no number of JSON"
                                               : "an infinity is no number of JSON");
        else
            hoop__json_begin_value(w, 0);
        return;
    }
    if (hoop__json_begin_value(w, HOOP__DOUBLE_SIZE))
        return;
    w->out.next = hoop__double_text(value, w->out.next);
    hoop__json_end_value(w);
}

void hoop_json_write_str(hoop_json_writer *w, hoop_str text)
{
    if (hoop_str_is_none(text)) {
        hoop_json_write_null(w);
        return;
    }
    if (hoop__json_begin_value(w, 0))
        return;
    int rc = hoop__json_put_string(&w->out, text.data, text.len);
    if (rc)
        hoop__json_fail(w, rc);
    else
        hoop__json_end_value(w);
}

void hoop_json_write_string(hoop_json_writer *w, const char *text)
{
    hoop_json_write_str(w, hoop_str_c(text));
}

void hoop_json_write_raw(hoop_json_writer *w, hoop_str json)
{
    if (hoop__json_begin_value(w, 0))
        return;
    if (json.len == 0) {
        hoop__json_mistake(w, "the raw text is empty");
        return;
    }
    int rc = hoop__json_put(&w->out, json.data, json.len);
    if (rc)
        hoop__json_fail(w, rc);
    else
        hoop__json_end_value(w);
}
