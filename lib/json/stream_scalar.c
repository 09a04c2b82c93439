/* Numbers and literals of the reader that is fed piece by piece; see stream.h. */
#include "json/read_scan.h"
#include "json/stream.h"

/* --- numbers ----------------------------------------------------------------------------------- */

static int is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

/* The state behind `c`; -1 if it ends the number. Source: RFC 8259 6. */
static int next_of(enum hoop__number_state state, char c)
{
    switch (state) {
    case HOOP__NUMBER_SIGN:
        return c == '0' ? HOOP__NUMBER_ZERO : is_digit(c) ? HOOP__NUMBER_WHOLE : -1;
    case HOOP__NUMBER_WHOLE:
        if (is_digit(c))
            return HOOP__NUMBER_WHOLE;
        return c == '.' ? HOOP__NUMBER_POINT : (c | 0x20) == 'e' ? HOOP__NUMBER_E : -1;
    case HOOP__NUMBER_ZERO:
        return c == '.' ? HOOP__NUMBER_POINT : (c | 0x20) == 'e' ? HOOP__NUMBER_E : -1;
    case HOOP__NUMBER_POINT:
        return is_digit(c) ? HOOP__NUMBER_FRACTION : -1;
    case HOOP__NUMBER_FRACTION:
        return is_digit(c) ? HOOP__NUMBER_FRACTION : (c | 0x20) == 'e' ? HOOP__NUMBER_E : -1;
    case HOOP__NUMBER_E:
        if (c == '+' || c == '-')
            return HOOP__NUMBER_E_SIGN;
        return is_digit(c) ? HOOP__NUMBER_EXPONENT : -1;
    default:
        return is_digit(c) ? HOOP__NUMBER_EXPONENT : -1;
    }
}

const char *hoop__stream_number_wants(const hoop_json_reader *reader)
{
    switch (reader->number) {
    case HOOP__NUMBER_ZERO:
    case HOOP__NUMBER_WHOLE:
    case HOOP__NUMBER_FRACTION:
    case HOOP__NUMBER_EXPONENT:
        return NULL;
    case HOOP__NUMBER_E:
        return "a digit or a sign";
    default:
        return "a digit";
    }
}

/* Tells the number of which what is from `from` on has not been kept. */
int hoop__stream_number_end(hoop_json_reader *reader, const char *from)
{
    hoop_str text = hoop_str_n(from, (size_t)(reader->at - from));
    int rc = 0;
    if (reader->events.number && reader->buffer.len) {
        rc = hoop__stream_keep(reader, text.data, text.len);
        text = hoop_str_n(reader->buffer.data, reader->buffer.len);
    }
    if (rc == 0 && reader->events.number)
        rc = hoop__stream_told(reader->events.number(text, reader->data));
    reader->buffer.len = 0;
    return rc < 0 ? rc : hoop__stream_behind(reader);
}

int hoop__stream_number(hoop_json_reader *reader)
{
    const char *from = reader->at;
    for (; reader->at < reader->end; reader->at++) {
        int next = next_of(reader->number, *reader->at);
        if (next < 0) {
            const char *wanted = hoop__stream_number_wants(reader);
            return wanted ? hoop__stream_expected(reader, wanted)
                          : hoop__stream_number_end(reader, from);
        }
        if (reader->token_len++ == reader->max_number)
            return hoop__stream_over(reader, reader->max_number, "bytes in a number");
        reader->number = (enum hoop__number_state)next;
    }
    if (!reader->events.number)
        return 0;
    return hoop__stream_keep(reader, from, (size_t)(reader->at - from));
}

/* --- literals ---------------------------------------------------------------------------------- */

const char *hoop__stream_literal_name(const hoop_json_reader *reader)
{
    static const char *const names[] = { "null", "false", "true" };
    return names[reader->literal_value + 1];
}

int hoop__stream_literal(hoop_json_reader *reader)
{
    for (; reader->at < reader->end && *reader->literal; reader->at++, reader->literal++)
        if (*reader->at != *reader->literal)
            return hoop__stream_expected(reader, hoop__stream_literal_name(reader));
    if (*reader->literal)
        return 0;
    int rc = 0;
    if (reader->literal_value < 0)
        rc = reader->events.null ? reader->events.null(reader->data) : 0;
    else if (reader->events.boolean)
        rc = reader->events.boolean(reader->literal_value, reader->data);
    return rc < 0 ? rc : hoop__stream_behind(reader);
}

/* --- by the first byte ------------------------------------------------------------------------- */

static int begin_literal(hoop_json_reader *reader, int value)
{
    reader->literal_value = value;
    reader->literal = hoop__stream_literal_name(reader);
    reader->state = HOOP__IN_LITERAL;
    reader->bare = reader->depth == 0;
    return hoop__stream_count(reader);
}

static int begin_number(hoop_json_reader *reader)
{
    /* In front of the first digit a number is as it is behind its sign. */
    reader->number = HOOP__NUMBER_SIGN;
    reader->token_len = *reader->at == '-';
    reader->state = HOOP__IN_NUMBER;
    reader->buffer.len = 0;
    reader->bare = reader->depth == 0;
    int rc = hoop__stream_count(reader);
    if (rc < 0 || *reader->at != '-')
        return rc;
    reader->at++;
    return reader->events.number ? hoop__stream_keep(reader, "-", 1) : 0;
}

int hoop__stream_scalar_begin(hoop_json_reader *reader)
{
    switch (*reader->at) {
    case 't':
        return begin_literal(reader, 1);
    case 'f':
        return begin_literal(reader, 0);
    case 'n':
        return begin_literal(reader, -1);
    case '-':
        return begin_number(reader);
    default:
        if (is_digit(*reader->at))
            return begin_number(reader);
        return hoop__stream_expected(reader, reader->state == HOOP__AT_FIRST ? "a value or ']'"
                                                                             : "a value");
    }
}
