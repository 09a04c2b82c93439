/* The body of a response: bytes copied or by reference, and sources pulled while there is room. */
#include "http1/http1.h"

#include <hoop/error.h>

#include <string.h>

#define COPY_MAX   ((size_t)16384) /* larger bodies go by reference */
#define PULL_MIN   ((size_t)512)   /* less room is not worth a pull */
#define CHUNK_MAX  ((size_t)0xffff)
#define CHUNK_HEAD ((size_t)6) /* four digits and CRLF */
#define CHUNK_TAIL ((size_t)2)
#define LAST_CHUNK "0\r\n\r\n"
#define LAST_LEN   (sizeof LAST_CHUNK - 1)

/* --- bytes ----------------------------------------------------------------------------------- */

static void write_bytes(struct hoop__h1_exchange *h, struct hoop__out *out)
{
    hoop_str body = h->res->pub.body;
    if (body.len <= COPY_MAX && body.len <= hoop__out_room(out)) {
        hoop__out_put(out, body.data, body.len);
        h->x.body_out += body.len;
        h->out = HOOP__H1_OUT_DONE;
        return;
    }
    h->ref = body.data;
    h->ref_left = body.len;
    h->after_ref = HOOP__H1_OUT_DONE;
    h->out = HOOP__H1_OUT_REF;
}

static void write_ref(struct hoop__h1_exchange *h, struct hoop__out *out)
{
    if (out->ref_len)
        return;
    out->ref = h->ref;
    out->ref_len = h->ref_left;
}

/* --- sources --------------------------------------------------------------------------------- */

/* Frames `n` bytes that stand CHUNK_HEAD behind the end of out. */
static void put_chunk(struct hoop__out *out, size_t n)
{
    static const char hex[] = "0123456789abcdef";
    char *p = out->data + out->len, *data = p + CHUNK_HEAD;
    size_t digits = n > 0xfff ? 4 : n > 0xff ? 3 : n > 0xf ? 2 : 1;
    for (size_t i = 0; i < digits; i++)
        p[i] = hex[n >> 4 * (digits - 1 - i) & 15];
    p += digits;
    *p++ = '\r';
    *p++ = '\n';
    if (p != data)
        memmove(p, data, n);
    memcpy(p + n, "\r\n", CHUNK_TAIL);
    out->len += digits + 2 + n + CHUNK_TAIL;
}

/* Takes `n` bytes that stand in their place behind the end of out. */
static void put_some(struct hoop__h1_exchange *h, struct hoop__out *out, size_t n)
{
    h->x.body_out += n;
    if (h->framing != HOOP__H1_CHUNKED)
        out->len += n;
    else if (n)
        put_chunk(out, n); /* an empty one would be the last */
}

/* 1 to go on, 0 to stop until it is called again, or the code with which the response breaks off. */
static int write_source(struct hoop__h1_exchange *h, struct hoop__out *out)
{
    int chunked = h->framing == HOOP__H1_CHUNKED;
    size_t extra = chunked ? CHUNK_HEAD + CHUNK_TAIL + LAST_LEN : 0;
    size_t room = hoop__out_room(out), cap = 0, n = 0;
    if (!hoop__pull_is_full(&h->pull)) {
        if (room <= extra || (room < PULL_MIN && out->len))
            return 0;
        cap = room - extra;
        if (chunked && cap > CHUNK_MAX)
            cap = CHUNK_MAX;
    }
    int rc = hoop__pull_some(&h->pull, out->data + out->len + (chunked ? CHUNK_HEAD : 0), cap, &n);
    put_some(h, out, n);
    if (rc < 0)
        return rc;
    if (rc == HOOP__PULL_WAIT) {
        h->out = HOOP__H1_OUT_WAIT;
        return 0;
    }
    if (rc == HOOP__PULL_DONE)
        h->out = chunked ? HOOP__H1_OUT_END : HOOP__H1_OUT_DONE;
    return 1;
}

static char *put_text(char *p, hoop_str s)
{
    memcpy(p, s.data, s.len);
    return p + s.len;
}

/* The last chunk and the trailers behind it; without them there is room always. */
static int write_end(struct hoop__h1_exchange *h, struct hoop__out *out)
{
    const struct hoop__trailer *first = h->pull.source->trailers, *t;
    size_t size = LAST_LEN;
    for (t = first; t; t = t->next)
        size += t->field.name.len + t->field.value.len + 4;
    char *text = NULL, *p = out->data + out->len;
    if (size > hoop__out_room(out)) {
        if (out->len || out->ref_len)
            return 0;
        text = p = hoop__arena_alloc(h->x.arena, size);
        if (!text)
            return HOOP_ENOMEM;
    }
    p = put_text(p, hoop_str_n(LAST_CHUNK, LAST_LEN - 2));
    for (t = first; t; t = t->next) {
        p = put_text(p, t->field.name);
        p = put_text(p, hoop_str_n(": ", 2));
        p = put_text(p, t->field.value);
        p = put_text(p, hoop_str_n("\r\n", 2));
    }
    put_text(p, hoop_str_n("\r\n", 2));
    h->out = HOOP__H1_OUT_DONE;
    if (!text) {
        out->len += size;
        return 1;
    }
    h->ref = text;
    h->ref_left = size;
    h->after_ref = HOOP__H1_OUT_DONE;
    h->out = HOOP__H1_OUT_REF;
    return 1;
}

/* --- pieces of files ------------------------------------------------------------------------- */

/* Nonzero if the rest is better sent by the host itself than copied through out. */
static int is_by_piece(const struct hoop__h1_exchange *h)
{
    const struct hoop__source_extra *extra = h->pull.source->extra;
    return extra && extra->piece && h->framing == HOOP__H1_LENGTH && h->pull.left > COPY_MAX;
}

/* As write_source(), or HOOP_EUNSUPPORTED. */
static int write_piece(struct hoop__h1_exchange *h, struct hoop__out *out)
{
    struct hoop__file_piece piece = { 0 };
    if (out->ref_len)
        return 0;
    h->piece = 0;
    int rc = hoop__pull_piece(&h->pull, &piece);
    if (rc == HOOP__PULL_WAIT)
        h->out = HOOP__H1_OUT_WAIT;
    if (rc != HOOP__PULL_MORE)
        return rc;
    out->ref = NULL;
    out->ref_len = piece.len;
    out->file = piece.file;
    out->file_offset = piece.offset;
    h->piece = 1;
    return 0;
}

/* What was sent of a piece of a file. */
static void took_piece(struct hoop__h1_exchange *h, size_t n)
{
    h->piece = 0;
    h->x.body_out += n;
    if (hoop__pull_took(&h->pull, n) == HOOP__PULL_DONE)
        h->out = HOOP__H1_OUT_DONE;
}

void hoop__h1_took(struct hoop__h1_exchange *h, size_t n)
{
    if (h->piece)
        took_piece(h, n);
    if (h->out != HOOP__H1_OUT_REF)
        return;
    h->ref += n;
    h->ref_left -= n;
    if (h->after_ref == HOOP__H1_OUT_DONE && h->framing == HOOP__H1_LENGTH) /* else trailers */
        h->x.body_out += n;
    if (!h->ref_left)
        h->out = h->after_ref;
}

/* --- all together ---------------------------------------------------------------------------- */

int hoop__h1_write(struct hoop__h1_exchange *h, struct hoop__out *out)
{
    int rc = 1;
    while (rc > 0) {
        switch (h->out) {
        case HOOP__H1_OUT_HEAD:
            rc = hoop__h1_write_head(h, out);
            break;
        case HOOP__H1_OUT_BYTES:
            write_bytes(h, out);
            break;
        case HOOP__H1_OUT_SOURCE:
            rc = is_by_piece(h) ? write_piece(h, out) : HOOP_EUNSUPPORTED;
            if (rc == HOOP_EUNSUPPORTED)
                rc = write_source(h, out);
            break;
        case HOOP__H1_OUT_END:
            rc = write_end(h, out);
            break;
        case HOOP__H1_OUT_REF:
            write_ref(h, out);
            return 0;
        default:
            return 0;
        }
    }
    return rc;
}
