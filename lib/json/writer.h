/* The inside of hoop_json_writer: its state, and how its mistakes are kept. */
#ifndef HOOP_JSON_WRITER_IN_H
#define HOOP_JSON_WRITER_IN_H

#include "json/write_out.h"
#include "json/write_path.h"

#define HOOP__JSON_LEVELS 12       /* that need no allocation of their own */
#define HOOP__JSON_SAVED  32       /* bytes of a key that are kept when the buffer goes */
#define HOOP__JSON_GONE   SIZE_MAX /* the key is in `saved` */
#define HOOP__JSON_NO_KEY (SIZE_MAX - 1)

enum hoop__json_kind { HOOP__JSON_ROOT, HOOP__JSON_ARRAY, HOOP__JSON_OBJECT };

/* What is open. */
struct hoop__json_level {
    size_t kind; /* enum hoop__json_kind */
    size_t
        at; /* array: values so far; object: where its last key stands in the buffer; root: values */
};

/* What may come next; the values are taken by all up to HOOP__JSON_MEMBER. */
enum hoop__json_expect {
    HOOP__JSON_VALUE,  /* an element or a root */
    HOOP__JSON_MEMBER, /* the value of a key */
    HOOP__JSON_KEY,    /* or the end of the object */
    HOOP__JSON_END,    /* nothing: the text is whole */
    HOOP__JSON_FAILED, /* nothing: `text` says why */
};

struct hoop_json_writer {
    struct hoop__json_out out;
    struct hoop__json_level *top;
    struct hoop__json_level *levels;
    struct hoop__json_level *levels_end;
    uint32_t expect;
    uint32_t lines; /* nonzero: roots or values need more than a comma: indent or sequence */
    uint32_t indent;
    uint32_t sequence;
    size_t max_depth;
    hoop_json_flush_fn *flush; /* the user's; out.flush saves keys first */
    void *data;
    char (*saved)[HOOP__JSON_SAVED]; /* one for each level; NULL without flush */
    const char *text;                /* of the mistake */
    int code;                        /* of the mistake */
    int waits;                       /* flush has said so since it was asked last */
    struct hoop__json_level first[HOOP__JSON_LEVELS];
};

/* Sets up a writer of compact text in `arena`. It has failed, if out of memory. */
void hoop__json_writer_init(hoop_json_writer *writer, hoop_arena *arena, size_t most);

/* Keeps a mistake (HOOP_EINVAL), unless there is one; `what` is a sentence that follows the place. */
void hoop__json_mistake(hoop_json_writer *writer, const char *what);

/* The same (HOOP_EINVAL), for a place within the value that would be next. */
void hoop__json_mistake_below(hoop_json_writer *writer, struct hoop__json_path *path,
                              const char *what);

/* The code of an encoder: HOOP_EINVAL is wrong UTF-8. */
void hoop__json_fail(hoop_json_writer *writer, int code);

/* Copies the keys of the open objects that are about to leave the buffer. */
void hoop__json_save_keys(hoop_json_writer *writer);

/* hoop__json_begin_value(), if it needs more than a look. */
int hoop__json_begin_slowly(hoop_json_writer *writer, size_t room);

/* Before a value: what is due, lines, room for it and two bytes. 0, or it has failed. */
static inline int hoop__json_begin_value(hoop_json_writer *writer, size_t room)
{
    if (writer && writer->expect <= HOOP__JSON_MEMBER && !writer->lines &&
        (size_t)(writer->out.end - writer->out.next) >= room + 2)
        return 0;
    return hoop__json_begin_slowly(writer, room);
}

/* Behind a value, for a root. */
void hoop__json_end_root(hoop_json_writer *writer);

/* Behind a value: the comma, and what is expected next. */
static inline void hoop__json_end_value(hoop_json_writer *writer)
{
    if (writer->expect == HOOP__JSON_MEMBER) {
        *writer->out.next++ = ',';
        writer->expect = HOOP__JSON_KEY;
    } else if (writer->top->kind == HOOP__JSON_ARRAY) {
        *writer->out.next++ = ',';
        writer->top->at++;
    } else {
        hoop__json_end_root(writer);
    }
}

/* A response of a JSON text that lies in the request's arena. NULL: noted. */
const hoop_response *hoop__json_answer(const hoop_request *req, int status, hoop_str text);

#endif
