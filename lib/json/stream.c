/* The reader that is fed piece by piece: structure and framing; see stream.h. */
#include "json/stream.h"

#include "json/read_error.h"
#include "json/read_scan.h"

#include <stdio.h>

#define RS '\x1e'

/* --- errors ------------------------------------------------------------------------------------ */

static int failed(hoop_json_reader *reader, int code, const char *what, int shows, const char *text)
{
    hoop_json_error *error = &reader->error;
    error->offset = reader->offset + (uint64_t)(reader->at - reader->first);
    error->line = reader->line;
    error->column = error->offset - reader->line_offset - reader->line_wide + 1;
    hoop__read_error_text(error, code, what, shows ? text : NULL);
    return code;
}

int hoop__stream_expected(hoop_json_reader *reader, const char *expected)
{
    char found[16];
    hoop__read_error_found(*reader->at, found);
    return failed(reader, HOOP_EPARSE, expected, 1, found);
}

int hoop__stream_short(hoop_json_reader *reader, const char *expected)
{
    return failed(reader, HOOP_EPARSE, expected, 1, "the end");
}

int hoop__stream_stop(hoop_json_reader *reader, int code, const char *text)
{
    return failed(reader, code, text, 0, NULL);
}

int hoop__stream_over(hoop_json_reader *reader, uint64_t limit, const char *of)
{
    char text[100];
    snprintf(text, sizeof text, "more than %llu %s", (unsigned long long)limit, of);
    return hoop__stream_stop(reader, HOOP_ETOOBIG, text);
}

int hoop__stream_keep(hoop_json_reader *reader, const char *bytes, size_t len)
{
    struct hoop__stream_buffer *buffer = &reader->buffer;
    if (len == 0)
        return 0;
    if (len > buffer->cap - buffer->len) {
        size_t cap = (buffer->len + len) * 2 + 32;
        char *data = hoop__arena_alloc(reader->arena, cap);
        if (!data)
            return hoop__stream_stop(reader, HOOP_ENOMEM, hoop_strerror(HOOP_ENOMEM));
        if (buffer->len)
            memcpy(data, buffer->data, buffer->len);
        buffer->data = data;
        buffer->cap = cap;
    }
    memcpy(buffer->data + buffer->len, bytes, len);
    buffer->len += len;
    return 0;
}

/* --- levels ------------------------------------------------------------------------------------ */

static int in_object(const hoop_json_reader *reader)
{
    uint64_t level = reader->depth - 1;
    return reader->kinds[level / 8] >> level % 8 & 1;
}

static int more_levels(hoop_json_reader *reader)
{
    size_t size = (size_t)(reader->kinds_cap / 8);
    unsigned char *kinds = hoop__arena_alloc(reader->arena, size * 2);
    if (!kinds)
        return hoop__stream_stop(reader, HOOP_ENOMEM, hoop_strerror(HOOP_ENOMEM));
    memcpy(kinds, reader->kinds, size);
    memset(kinds + size, 0, size);
    reader->kinds = kinds;
    reader->kinds_cap *= 2;
    return 0;
}

static int begin(hoop_json_reader *reader, int is_object)
{
    if (reader->depth == reader->max_depth)
        return hoop__stream_over(reader, reader->max_depth, "arrays and objects within each other");
    int rc = reader->depth == reader->kinds_cap ? more_levels(reader) : 0;
    if (rc < 0)
        return rc;
    uint64_t level = reader->depth++;
    unsigned char bit = (unsigned char)(1u << level % 8);
    if (is_object)
        reader->kinds[level / 8] |= bit;
    else
        reader->kinds[level / 8] &= (unsigned char)~bit;
    reader->at++;
    reader->state = is_object ? HOOP__AT_FIRST_KEY : HOOP__AT_FIRST;
    int (*event)(void *) = is_object ? reader->events.object_begin : reader->events.array_begin;
    return hoop__stream_told(event ? event(reader->data) : 0);
}

static int end(hoop_json_reader *reader)
{
    int (*event)(void *) = in_object(reader) ? reader->events.object_end : reader->events.array_end;
    reader->at++;
    int rc = event ? event(reader->data) : 0;
    reader->depth--;
    return rc < 0 ? rc : hoop__stream_behind(reader);
}

int hoop__stream_count(hoop_json_reader *reader)
{
    if (reader->values++ == reader->max_values)
        return hoop__stream_over(reader, reader->max_values, "values");
    return 0;
}

static int text_end(hoop_json_reader *reader)
{
    return hoop__stream_told(reader->events.text_end ? reader->events.text_end(reader->data) : 0);
}

int hoop__stream_behind(hoop_json_reader *reader)
{
    if (reader->depth) {
        reader->state = HOOP__AT_BEHIND;
        return 0;
    }
    reader->state = HOOP__AT_END;
    /* A number or literal of a sequence may have been cut: it counts with white space behind it. */
    if (reader->framing == HOOP_JSON_SEQ && reader->bare)
        return 0;
    return text_end(reader);
}

/* --- white space and framing ------------------------------------------------------------------- */

static void new_line(hoop_json_reader *reader, const char *behind)
{
    reader->line++;
    reader->line_offset = reader->offset + (uint64_t)(behind - reader->first);
    reader->line_wide = 0;
}

/* Goes behind white space; where lines count, up to a line's end. 1 if a byte follows. */
static int skip_space(hoop_json_reader *reader)
{
    const char *p = reader->at;
    for (; p < reader->end && hoop__json_is_space(*p); p++) {
        if (*p != '\n')
            continue;
        if (reader->framing == HOOP_JSON_LINES && reader->state != HOOP__AT_START)
            break;
        new_line(reader, p + 1);
    }
    reader->at = p;
    return p < reader->end;
}

/* What makes a text of the bytes that begin here. */
static void begin_text(hoop_json_reader *reader, enum hoop__stream_state state)
{
    reader->state = state;
    reader->text_offset = reader->offset + (uint64_t)(reader->at - reader->first);
    reader->values = 0;
    reader->depth = 0;
    reader->bare = 0;
    reader->buffer.len = 0;
}

static int at_value(hoop_json_reader *reader)
{
    int rc = 0;
    switch (*reader->at) {
    case '{':
    case '[':
        rc = hoop__stream_count(reader);
        return rc < 0 ? rc : begin(reader, *reader->at == '{');
    case '"':
        rc = hoop__stream_count(reader);
        return rc < 0 ? rc : hoop__stream_string_begin(reader, 0);
    case ']':
        if (reader->state == HOOP__AT_FIRST)
            return end(reader);
        break;
    default:
        break;
    }
    return hoop__stream_scalar_begin(reader);
}

/* At a text's first byte that is no white space. */
static int at_start(hoop_json_reader *reader)
{
    begin_text(reader, HOOP__AT_VALUE);
    return at_value(reader);
}

static int at_record(hoop_json_reader *reader)
{
    if (*reader->at != RS)
        return hoop__stream_expected(reader, "RS (0x1e) in front of a text");
    reader->at++;
    begin_text(reader, HOOP__AT_START);
    return 0;
}

static int at_key(hoop_json_reader *reader)
{
    if (*reader->at == '"')
        return hoop__stream_string_begin(reader, 1);
    if (reader->state == HOOP__AT_KEY)
        return hoop__stream_expected(reader, "a key in quotes");
    return *reader->at == '}' ? end(reader)
                              : hoop__stream_expected(reader, "a key in quotes or '}'");
}

static int at_behind(hoop_json_reader *reader)
{
    int object = in_object(reader);
    if (*reader->at == ',') {
        reader->at++;
        reader->state = object ? HOOP__AT_KEY : HOOP__AT_VALUE;
        return 0;
    }
    if (*reader->at == (object ? '}' : ']'))
        return end(reader);
    return hoop__stream_expected(reader, object ? "',' or '}'" : "',' or ']'");
}

/* Behind a text. */
static int at_end(hoop_json_reader *reader)
{
    if (reader->framing == HOOP_JSON_LINES) {
        if (*reader->at != '\n')
            return hoop__stream_expected(reader, "the end of the line");
        reader->state = HOOP__AT_START;
        return 0;
    }
    if (reader->framing == HOOP_JSON_SEQ) {
        if (*reader->at != RS)
            return hoop__stream_expected(reader, "RS (0x1e)");
        reader->state = HOOP__AT_RECORD;
        return 0;
    }
    return hoop__stream_expected(reader, "the end");
}

/* Behind a number or literal of a sequence, which counts if white space follows. */
static int at_bare_end(hoop_json_reader *reader)
{
    if (!hoop__json_is_space(*reader->at))
        return hoop__stream_expected(reader, "white space behind the value");
    reader->bare = 0;
    return text_end(reader);
}

/* A wrong text is skipped up to where the next may begin. */
static int at_broken(hoop_json_reader *reader)
{
    char border = reader->framing == HOOP_JSON_SEQ ? RS : '\n';
    for (; reader->at < reader->end && *reader->at != border; reader->at++) {
        if (*reader->at == '\n')
            new_line(reader, reader->at + 1);
        reader->line_wide += ((unsigned char)*reader->at & 0xc0) == 0x80;
    }
    if (reader->at < reader->end)
        begin_text(reader, border == RS ? HOOP__AT_RECORD : HOOP__AT_START);
    return 0;
}

/* --- the machine ------------------------------------------------------------------------------- */

static int at_colon(hoop_json_reader *reader)
{
    if (*reader->at != ':')
        return hoop__stream_expected(reader, "':'");
    reader->at++;
    reader->state = HOOP__AT_VALUE;
    return 0;
}

/* Reads on in the state; at least one byte is there. */
static int step(hoop_json_reader *reader)
{
    if (reader->state == HOOP__AT_END && reader->bare && reader->framing == HOOP_JSON_SEQ)
        return at_bare_end(reader);
    if (reader->state == HOOP__AT_BROKEN)
        return at_broken(reader);
    if (reader->state < HOOP__AT_BROKEN && reader->state != HOOP__AT_RECORD && !skip_space(reader))
        return 0;
    switch (reader->state) {
    case HOOP__AT_START:
        /* Records without a text are none. */
        return reader->framing == HOOP_JSON_SEQ && *reader->at == RS ? at_record(reader)
                                                                     : at_start(reader);
    case HOOP__AT_RECORD:
        return at_record(reader);
    case HOOP__AT_VALUE:
    case HOOP__AT_FIRST:
        return at_value(reader);
    case HOOP__AT_FIRST_KEY:
    case HOOP__AT_KEY:
        return at_key(reader);
    case HOOP__AT_COLON:
        return at_colon(reader);
    case HOOP__AT_BEHIND:
        return at_behind(reader);
    case HOOP__AT_END:
        return at_end(reader);
    case HOOP__IN_NUMBER:
        return hoop__stream_number(reader);
    case HOOP__IN_LITERAL:
        return hoop__stream_literal(reader);
    default:
        return hoop__stream_string(reader);
    }
}

/* Ends the reading, or, where that is wanted, only the text. */
static int settle(hoop_json_reader *reader, int rc)
{
    if (!reader->error.code)
        return hoop__stream_stop(reader, rc, "stopped by the program");
    if (rc == HOOP_ENOMEM || reader->framing == HOOP_JSON_ONE || !reader->events.broken)
        return rc;
    hoop_json_error error = reader->error;
    reader->error.code = 0;
    reader->state = HOOP__AT_BROKEN;
    rc = hoop__stream_told(reader->events.broken(&error, reader->data));
    return rc < 0 ? hoop__stream_stop(reader, rc, "stopped by the program") : 0;
}

static int is_over(const hoop_json_reader *reader)
{
    uint64_t so_far = reader->offset + (uint64_t)(reader->at - reader->first) - reader->text_offset;
    return reader->state != HOOP__AT_START && reader->state != HOOP__AT_RECORD &&
           reader->state != HOOP__AT_END && reader->state != HOOP__AT_BROKEN &&
           so_far > reader->max_bytes;
}

int hoop_json_reader_feed(hoop_json_reader *reader, hoop_str bytes)
{
    if (!reader)
        return HOOP_EINVAL;
    if (reader->error.code)
        return reader->error.code;
    reader->first = reader->at = bytes.data;
    reader->end = bytes.data + bytes.len;
    int rc = 0;
    while (rc == 0 && reader->at < reader->end) {
        rc = step(reader);
        if (rc == 0 && is_over(reader))
            rc = hoop__stream_over(reader, reader->max_bytes, "bytes");
        if (rc < 0)
            rc = settle(reader, rc);
    }
    reader->offset += (uint64_t)(reader->at - reader->first);
    reader->first = reader->end = reader->at = "";
    return rc;
}

/* What the end is too early for; NULL if it is not. */
static const char *wants(const hoop_json_reader *reader)
{
    switch (reader->state) {
    case HOOP__AT_START:
        return reader->framing == HOOP_JSON_ONE ? "a value" : NULL;
    case HOOP__AT_VALUE:
        return "a value";
    case HOOP__AT_FIRST:
        return "a value or ']'";
    case HOOP__AT_FIRST_KEY:
        return "a key in quotes or '}'";
    case HOOP__AT_KEY:
        return "a key in quotes";
    case HOOP__AT_COLON:
        return "':'";
    case HOOP__AT_BEHIND:
        return in_object(reader) ? "',' or '}'" : "',' or ']'";
    case HOOP__AT_END:
        return reader->bare && reader->framing == HOOP_JSON_SEQ ? "white space behind the value"
                                                                : NULL;
    case HOOP__IN_LITERAL:
        return hoop__stream_literal_name(reader);
    case HOOP__IN_NUMBER:
        return hoop__stream_number_wants(reader);
    case HOOP__AT_RECORD:
    case HOOP__AT_BROKEN:
        return NULL;
    default:
        return hoop__stream_string_wants(reader);
    }
}

int hoop_json_reader_end(hoop_json_reader *reader)
{
    if (!reader)
        return HOOP_EINVAL;
    if (reader->error.code)
        return reader->error.code;
    int rc = 0;
    const char *wanted = wants(reader);
    if (!wanted && reader->state == HOOP__IN_NUMBER)
        rc = hoop__stream_number_end(reader, reader->at);
    /* The number at the end may still want something behind it. */
    if (rc == 0 && !wanted)
        wanted = wants(reader);
    if (rc == 0 && wanted)
        rc = hoop__stream_short(reader, wanted);
    return rc < 0 ? settle(reader, rc) : 0;
}

/* --- the public rest --------------------------------------------------------------------------- */

const hoop_json_error *hoop_json_reader_error(const hoop_json_reader *reader)
{
    return reader && reader->error.code ? &reader->error : NULL;
}

size_t hoop_json_reader_depth(const hoop_json_reader *reader)
{
    return reader ? (size_t)reader->depth : 0;
}

void hoop__stream_init(hoop_json_reader *reader, struct hoop_arena *arena,
                       const hoop_json_reader_options *limits)
{
    memset(reader, 0, sizeof *reader);
    reader->arena = arena;
    reader->max_bytes = limits->max_bytes;
    reader->max_values = limits->max_values;
    reader->max_depth = limits->max_depth;
    reader->max_key = limits->max_key;
    reader->max_number = limits->max_number;
    reader->framing = limits->framing;
    reader->allow_nul = limits->allow_nul;
    reader->first = reader->at = reader->end = "";
    reader->line = 1;
    reader->state = limits->framing == HOOP_JSON_SEQ ? HOOP__AT_RECORD : HOOP__AT_START;
    reader->kinds = reader->first_kinds;
    reader->kinds_cap = sizeof reader->first_kinds * 8;
}

static uint64_t or_usual(uint64_t limit, uint64_t usual)
{
    return limit ? limit : usual;
}

hoop_json_reader *hoop_json_reader_new_sized(hoop_arena *arena, const hoop_json_events *events,
                                             size_t events_size, void *data,
                                             const hoop_json_reader_options *options,
                                             size_t options_size)
{
    hoop_json_reader_options o = { 0 };
    if (options)
        memcpy(&o, options, options_size < sizeof o ? options_size : sizeof o);
    if (o.framing > HOOP_JSON_SEQ || !arena)
        return NULL;
    hoop_json_reader *reader = hoop__arena_alloc(arena, sizeof *reader);
    if (!reader)
        return NULL;
    o.max_bytes = or_usual(o.max_bytes, UINT64_C(1) << 30);
    o.max_values = or_usual(o.max_values, 100000000);
    o.max_depth = or_usual(o.max_depth, 2048);
    o.max_key = or_usual(o.max_key, 4096);
    o.max_number = or_usual(o.max_number, 1024);
    hoop__stream_init(reader, arena, &o);
    if (events)
        memcpy(&reader->events, events,
               events_size < sizeof reader->events ? events_size : sizeof reader->events);
    reader->data = data;
    return reader;
}
