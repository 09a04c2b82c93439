/* The header fields of a FORWARD_REQUEST: coded and plain names, and those that mean something here. */
#include "ajp/ajp.h"

#include "codec/chars.h"

#include <string.h>

#define NAME(text)             \
    {                          \
        text, sizeof(text) - 1 \
    }

/* By the low byte of their code, from 1. */
static const hoop_str names[] = {
    NAME("accept"),          NAME("accept-charset"), NAME("accept-encoding"),
    NAME("accept-language"), NAME("authorization"),  NAME("connection"),
    NAME("content-type"),    NAME("content-length"), NAME("cookie"),
    NAME("cookie2"),         NAME("host"),           NAME("pragma"),
    NAME("referer"),         NAME("user-agent"),
};

#define CODED 0xa0 /* the high byte of a coded name */

/* What the shortest field has: a coded name and an empty value. */
#define MIN_FIELD 5

/* Of the coded names, those that mean something here; they come plain, too. */
#define CONTENT_LENGTH 8
#define HOST           11

/* --- names and values ------------------------------------------------------------------------ */

static void lower(hoop_str s)
{
    char *c = (char *)(uintptr_t)s.data;
    for (size_t i = 0; i < s.len; i++)
        if ((unsigned char)(c[i] - 'A') < 26)
            c[i] = (char)(c[i] | 0x20);
}

/* The name, and its code or 0. */
static hoop_str read_name(struct hoop__ajp_reader *r, unsigned *ret_code)
{
    *ret_code = 0;
    if (r->end - r->at >= 2 && (unsigned char)*r->at == CODED) {
        unsigned code = hoop__ajp_int(r) & 0xff;
        if (!code || code > HOOP_COUNT(names)) {
            r->bad = 1;
            return hoop_str_none();
        }
        *ret_code = code;
        return names[code - 1];
    }
    hoop_str name = hoop__ajp_string(r);
    if (!hoop__is_token(name)) {
        r->bad = 1;
        return hoop_str_none();
    }
    lower(name);
    return name;
}

/* Without the blanks around it, the NUL moved. */
static hoop_str read_value(struct hoop__ajp_reader *r)
{
    hoop_str value = hoop__ajp_string(r);
    if (hoop_str_is_none(value))
        return hoop_str_n("", 0); /* null, as some send for an empty one */
    if (!hoop__is_field_value(value))
        r->bad = 1;
    if (!value.len ||
        (!hoop__char_is_ows(*value.data) && !hoop__char_is_ows(value.data[value.len - 1])))
        return value;
    value = hoop_str_trim(value);
    ((char *)(uintptr_t)value.data)[value.len] = 0;
    return value;
}

/* --- what means something -------------------------------------------------------------------- */

/* Once. */
static int read_length(struct hoop__ajp_exchange *h, hoop_str value)
{
    if (h->has_length || hoop__length_read(value, &h->length))
        return 400;
    h->has_length = 1;
    return 0;
}

/* The proxy has taken the chunks apart; what it did not understand nobody may guess at. */
static int read_coding(struct hoop__ajp_exchange *h, hoop_str value)
{
    if (h->chunked || !hoop_str_eq_nocase(value, hoop_str_n("chunked", 7)))
        return 400;
    h->chunked = 1;
    return 0;
}

static int note_host(struct hoop__ajp_exchange *h)
{
    if (h->has_host)
        return 400;
    h->has_host = 1;
    return 0;
}

static int note(struct hoop__ajp_exchange *h, unsigned code, const hoop_field *f)
{
    if (code == HOST)
        return note_host(h);
    if (code == CONTENT_LENGTH)
        return read_length(h, f->value);
    if (code)
        return 0;
    switch (f->name.len) {
    case 4:
        return memcmp(f->name.data, "host", 4) == 0 ? note_host(h) : 0;
    case 14:
        return memcmp(f->name.data, "content-length", 14) == 0 ? read_length(h, f->value) : 0;
    case 17:
        return memcmp(f->name.data, "transfer-encoding", 17) == 0 ? read_coding(h, f->value) : 0;
    default:
        return 0;
    }
}

/* --- all ------------------------------------------------------------------------------------- */

int hoop__ajp_fields(struct hoop__ajp_exchange *h, struct hoop__ajp_reader *r)
{
    unsigned count = hoop__ajp_int(r), code;
    if (r->bad || count > (size_t)(r->end - r->at) / MIN_FIELD)
        return 400;
    if (count > h->x.service->limits->max_headers)
        return 431;
    /* One more, for a Host that the proxy did not send. */
    hoop_field *fields = hoop__arena_alloc(h->x.arena, (count + 1) * sizeof *fields);
    if (!fields)
        return 503;
    for (unsigned i = 0; i < count; i++) {
        fields[i].name = read_name(r, &code);
        fields[i].value = read_value(r);
        if (r->bad || note(h, code, &fields[i]))
            return 400;
    }
    h->x.request.pub.headers = fields;
    h->x.request.pub.header_count = count;
    return h->chunked && h->has_length ? 400 : 0;
}
