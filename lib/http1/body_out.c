/* The body of a response: bytes copied or by reference, and sources pulled while there is room. */
#include "http1/http1.h"

#include <hoop/error.h>

#include <string.h>

#define COPY_MAX        ((size_t)16384) /* larger bodies go by reference */
#define PULL_MIN        ((size_t)512)   /* less room is not worth a pull */
#define MAX_EMPTY_PULLS 64
#define CHUNK_MAX       ((size_t)0xffff)
#define CHUNK_HEAD      ((size_t)6) /* four digits and CRLF */
#define CHUNK_TAIL      ((size_t)2)
#define LAST_CHUNK      "0\r\n\r\n"
#define LAST_LEN        (sizeof LAST_CHUNK - 1)

void hoop__h1_finish_source(struct hoop__h1_exchange *h, int code)
{
    struct hoop__source *source = h->source;
    if (!source)
        return;
    h->source = NULL;
    hoop__source_finish(source, code);
}

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

/* All that was announced is sent. A source that has still more is told so, the message is whole. */
static void end_length(struct hoop__h1_exchange *h, int code)
{
    if (code != HOOP_EOF) {
        char more;
        size_t n = 0;
        code = h->source->pull(h->source, &more, 1, &n);
        if (n && (code == 0 || code == HOOP_EOF))
            h->end_code = HOOP_ETOOBIG;
        else if (code && code != HOOP_EOF && code != HOOP_EAGAIN)
            h->end_code = code;
    }
    h->out = HOOP__H1_OUT_DONE;
}

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

/* A pull brought `n` bytes and `rc`, which is 0 or HOOP_EOF. 1 to go on, or a code. */
static int take(struct hoop__h1_exchange *h, struct hoop__out *out, size_t n, int rc)
{
    h->x.body_out += n;
    if (h->framing == HOOP__H1_CHUNKED) {
        if (n)
            put_chunk(out, n);
        if (rc == HOOP_EOF) {
            hoop__out_put(out, LAST_CHUNK, LAST_LEN);
            h->out = HOOP__H1_OUT_DONE;
        }
        return 1;
    }
    out->len += n;
    if (h->framing == HOOP__H1_UNTIL_CLOSE) {
        if (rc == HOOP_EOF)
            h->out = HOOP__H1_OUT_DONE;
        return 1;
    }
    h->source_left -= n;
    if (!h->source_left)
        end_length(h, rc);
    else if (rc == HOOP_EOF)
        return HOOP_EOF; /* less than announced */
    return 1;
}

/*
 * A source may find within its own pull that it has more after all, and say so: then it is asked
 * again at once, since no wake would come. One that says so again and again without giving anything
 * is broken.
 */
static int pull_source(struct hoop__h1_exchange *h, char *to, size_t cap, size_t *ret_len)
{
    for (int tries = 0; tries < MAX_EMPTY_PULLS; tries++) {
        h->resumed = 0;
        int rc = h->source->pull(h->source, to, cap, ret_len);
        if (rc != HOOP_EAGAIN || !h->resumed)
            return rc;
    }
    return HOOP_EINVAL;
}

/* 1 to go on, 0 to stop for now, or the code with which the response breaks off. */
static int write_source(struct hoop__h1_exchange *h, struct hoop__out *out)
{
    int chunked = h->framing == HOOP__H1_CHUNKED;
    size_t extra = chunked ? CHUNK_HEAD + CHUNK_TAIL + LAST_LEN : 0;
    size_t room = hoop__out_room(out);
    if (h->framing == HOOP__H1_LENGTH && !h->source_left) {
        end_length(h, 0);
        return 1;
    }
    if (room <= extra || (room < PULL_MIN && out->len))
        return 0;
    size_t cap = room - extra, n = 0;
    if (chunked && cap > CHUNK_MAX)
        cap = CHUNK_MAX;
    if (h->framing == HOOP__H1_LENGTH && cap > h->source_left)
        cap = (size_t)h->source_left;
    char *to = out->data + out->len + (chunked ? CHUNK_HEAD : 0);
    int rc = pull_source(h, to, cap, &n);
    if (rc == HOOP_EAGAIN) {
        h->out = HOOP__H1_OUT_WAIT;
        return 0;
    }
    if (rc == HOOP_EOF || (rc == 0 && n))
        return take(h, out, n, rc);
    return rc ? rc : HOOP_EINVAL;
}

/* --- pieces of files ------------------------------------------------------------------------- */

/* Nonzero if the rest is better sent by the host itself than copied through out. */
static int is_by_piece(const struct hoop__h1_exchange *h)
{
    const struct hoop__source_extra *extra = h->source->extra;
    return extra && extra->piece && h->framing == HOOP__H1_LENGTH && h->source_left > COPY_MAX;
}

/* A source that says within the call that it is ready is asked again, as in pull_source(). */
static int ask_for_piece(struct hoop__h1_exchange *h, struct hoop__file_piece *ret_piece)
{
    for (int tries = 0; tries < MAX_EMPTY_PULLS; tries++) {
        h->resumed = 0;
        int rc = h->source->extra->piece(h->source, ret_piece);
        if (rc != HOOP_EAGAIN || !h->resumed)
            return rc;
    }
    return HOOP_EINVAL;
}

/* As write_source(), or HOOP_EUNSUPPORTED. */
static int write_piece(struct hoop__h1_exchange *h, struct hoop__out *out)
{
    struct hoop__file_piece piece = { 0 };
    if (out->ref_len)
        return 0;
    h->piece = 0;
    int rc = ask_for_piece(h, &piece);
    if (rc == HOOP_EAGAIN) {
        h->out = HOOP__H1_OUT_WAIT;
        return 0;
    }
    if (rc)
        return rc;
    out->ref = NULL;
    out->ref_len = piece.len < h->source_left ? piece.len : (size_t)h->source_left;
    out->file = piece.file;
    out->file_offset = piece.offset;
    h->piece = 1;
    return 0;
}

/* What was sent of a piece of a file. */
static void took_piece(struct hoop__h1_exchange *h, size_t n)
{
    h->piece = 0;
    h->source->extra->took(h->source, n);
    h->x.body_out += n;
    h->source_left -= n;
    if (!h->source_left)
        end_length(h, 0);
}

void hoop__h1_took(struct hoop__h1_exchange *h, size_t n)
{
    if (h->piece)
        took_piece(h, n);
    if (h->out != HOOP__H1_OUT_REF)
        return;
    h->ref += n;
    h->ref_left -= n;
    if (h->after_ref == HOOP__H1_OUT_DONE && h->framing != HOOP__H1_NO_BODY)
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
        case HOOP__H1_OUT_REF:
            write_ref(h, out);
            return 0;
        default:
            return 0;
        }
    }
    return rc;
}
