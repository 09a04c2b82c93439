/* Why a text was refused; see read_error.h. */
#include "json/read_error.h"

#include "codec/utf8.h"
#include "json/stream.h"

#include <stdio.h>

void hoop__read_error_found(char c, char ret_text[16])
{
    if (c == '\n')
        snprintf(ret_text, 16, "a line's end");
    else if (c > ' ' && c < 0x7f)
        snprintf(ret_text, 16, "'%c'", c);
    else
        snprintf(ret_text, 16, "byte 0x%02x", (unsigned char)c);
}

void hoop__read_error_text(hoop_json_error *error, int code, const char *what, const char *found)
{
    error->code = code;
    snprintf(error->text, sizeof error->text, "line %llu, column %llu: %s%s%s%s",
             (unsigned long long)error->line, (unsigned long long)error->column,
             found ? "expected " : "", what, found ? ", found " : "", found ? found : "");
}

/* The place of an offset in a text. */
static void locate(hoop_str text, size_t offset, hoop_json_error *error)
{
    error->offset = offset;
    error->line = error->column = 1;
    for (size_t i = 0; i < offset; i++) {
        if (text.data[i] == '\n') {
            error->line++;
            error->column = 1;
        } else {
            error->column += ((unsigned char)text.data[i] & 0xc0) != 0x80;
        }
    }
}

int hoop__read_error_at(hoop_str text, size_t offset, const char *what, hoop_json_error *error)
{
    locate(text, offset, error);
    hoop__read_error_text(error, HOOP_EPARSE, what, NULL);
    return HOOP_EPARSE;
}

int hoop__read_error_plain(int code, const char *text, hoop_json_error *error)
{
    error->offset = 0;
    error->line = error->column = 1;
    error->code = code;
    snprintf(error->text, sizeof error->text, "%s", text);
    return code;
}

int hoop__read_error_size(size_t most, hoop_json_error *error)
{
    hoop__read_error_plain(HOOP_ETOOBIG, "", error);
    error->offset = most;
    snprintf(error->text, sizeof error->text, "the text has more than %zu bytes", most);
    return HOOP_ETOOBIG;
}

int hoop__read_error_twice(hoop_str text, const struct hoop_json_node *key, hoop_json_error *error)
{
    uint64_t offset;
    char what[200];
    if (key->kind & HOOP__NODE_COPIED)
        memcpy(&offset, key->text - sizeof offset, sizeof offset);
    else
        offset = (uint64_t)(key->text - 1 - text.data);
    /* A name that is cut is cut between characters. */
    size_t len = hoop__utf8_front(hoop_str_n(key->text, key->size < 120 ? key->size : 120));
    snprintf(what, sizeof what, "the object has two members named '%.*s'", (int)len, key->text);
    return hoop__read_error_at(text, (size_t)offset, what, error);
}

int hoop__read_error(struct hoop_arena *arena, hoop_str text, const struct hoop__doc_limits *limits,
                     hoop_json_error *error)
{
    hoop_json_reader reader;
    hoop__stream_init(&reader, arena,
                      &(hoop_json_reader_options){ .max_bytes = UINT64_MAX,
                                                   .max_values = limits->max_values,
                                                   .max_depth = limits->max_depth,
                                                   .max_key = UINT64_MAX,
                                                   .max_number = UINT64_MAX,
                                                   .allow_nul = limits->allow_nul });
    int rc = hoop_json_reader_feed(&reader, text);
    if (rc == 0)
        hoop_json_reader_end(&reader);
    if (reader.error.code == HOOP_ENOMEM)
        return hoop__read_error_plain(HOOP_ENOMEM, hoop_strerror(HOOP_ENOMEM), error);
    *error = reader.error;
    return error->code;
}
