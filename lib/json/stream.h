/* The reader that is fed piece by piece: its state, and what its files share. */
#ifndef HOOP_JSON_STREAM_H
#define HOOP_JSON_STREAM_H

#include "base/arena.h"

#include <hoop/json_reader.h>

/* What comes next. */
enum hoop__stream_state {
    HOOP__AT_START,       /* a text, or the end */
    HOOP__AT_RECORD,      /* RS */
    HOOP__AT_VALUE,       /* a value */
    HOOP__AT_FIRST,       /* a value or ']' */
    HOOP__AT_FIRST_KEY,   /* a key or '}' */
    HOOP__AT_KEY,         /* a key */
    HOOP__AT_COLON,       /* ':' */
    HOOP__AT_BEHIND,      /* ',' or the container's end */
    HOOP__AT_END,         /* what is behind a text */
    HOOP__AT_BROKEN,      /* skipping to the next text */
    HOOP__IN_STRING,      /* within quotes */
    HOOP__IN_CHARACTER,   /* within a character of several bytes */
    HOOP__IN_ESCAPE,      /* behind a backslash */
    HOOP__IN_CODE,        /* within the digits of \u */
    HOOP__IN_PAIR,        /* between the halves of a surrogate pair */
    HOOP__IN_PAIR_ESCAPE, /* behind the second half's backslash */
    HOOP__IN_NUMBER,
    HOOP__IN_LITERAL
};

/* Where a number stands. */
enum hoop__number_state {
    HOOP__NUMBER_SIGN,  /* behind the minus */
    HOOP__NUMBER_ZERO,  /* complete */
    HOOP__NUMBER_WHOLE, /* complete */
    HOOP__NUMBER_POINT,
    HOOP__NUMBER_FRACTION, /* complete */
    HOOP__NUMBER_E,
    HOOP__NUMBER_E_SIGN,
    HOOP__NUMBER_EXPONENT /* complete */
};

/* Bytes collected for an event that is told in whole. */
struct hoop__stream_buffer {
    char *data;
    size_t len, cap;
};

struct hoop_json_reader {
    hoop_json_events events;
    void *data;
    struct hoop_arena *arena;
    uint64_t max_bytes, max_values, max_depth, max_key, max_number;
    uint32_t framing, allow_nul;

    const char *first, *at, *end; /* what is fed: its begin, where the reader is, its end */
    uint64_t offset;              /* of `first` in all that was fed */
    uint64_t text_offset;         /* of the text's begin */
    uint64_t line;                /* from 1 */
    uint64_t line_offset;         /* of the line's begin */
    uint64_t line_wide;           /* bytes in it that begin no character */

    enum hoop__stream_state state;
    enum hoop__number_state number;
    int is_key;          /* the string is one */
    int bare;            /* the text was no array, object or string: its end does not show */
    const char *literal; /* what is still to come of it */
    int literal_value;   /* 1, 0, or -1 for null */

    unsigned code, digits; /* of a \u; the first half of a pair is kept above 16 bits */
    char character[4];     /* of several bytes */
    unsigned have, need;   /* its bytes so far, and in all */
    unsigned low, high;    /* what its next byte may be */

    struct hoop__stream_buffer buffer;
    uint64_t token_len; /* of the key or number, whether or not it is collected */

    uint64_t values, depth;
    unsigned char *kinds; /* a bit for each level: 1 an object */
    uint64_t kinds_cap;   /* in levels */
    unsigned char first_kinds[32];

    hoop_json_error error;
};

/* What is fed is read as far as it is known to be right; then a function says what had to be there. */
int hoop__stream_expected(hoop_json_reader *reader, const char *expected);

/* Stops with a code and a text that needs no "expected". */
int hoop__stream_stop(hoop_json_reader *reader, int code, const char *text);

/* Stops at a limit: "more than 2048 values". */
int hoop__stream_over(hoop_json_reader *reader, uint64_t limit, const char *of);

/* The end was reached where `expected` had to come. */
int hoop__stream_short(hoop_json_reader *reader, const char *expected);

/* A container or scalar begins: counts it. */
int hoop__stream_count(hoop_json_reader *reader);

/* A value is complete: what comes next. */
int hoop__stream_behind(hoop_json_reader *reader);

/* What an event returned: only a negative code stops. */
static inline int hoop__stream_told(int rc)
{
    return rc < 0 ? rc : 0;
}

/* Appends to the buffer. */
int hoop__stream_keep(hoop_json_reader *reader, const char *bytes, size_t len);

/* --- stream_string.c --------------------------------------------------------------------------- */

int hoop__stream_string_begin(hoop_json_reader *reader, int is_key);
int hoop__stream_string(hoop_json_reader *reader); /* goes on; at least one byte is there */

/* What a string that ends too early wants. */
const char *hoop__stream_string_wants(const hoop_json_reader *reader);

/* --- stream_scalar.c --------------------------------------------------------------------------- */

int hoop__stream_scalar_begin(
    hoop_json_reader *reader); /* a number or literal, by its first byte */
int hoop__stream_number(hoop_json_reader *reader);
int hoop__stream_number_end(hoop_json_reader *reader, const char *from);
int hoop__stream_literal(hoop_json_reader *reader);
const char *hoop__stream_literal_name(const hoop_json_reader *reader);

/* What a number that ends here wants; NULL if it is complete. */
const char *hoop__stream_number_wants(const hoop_json_reader *reader);

/* --- stream.c ---------------------------------------------------------------------------------- */

/* Sets up a reader whose limits are its options' as they are. */
void hoop__stream_init(hoop_json_reader *reader, struct hoop_arena *arena,
                       const hoop_json_reader_options *limits);

#endif
