/* The body of a response in SEND_BODY_CHUNK packets, flush packets, and END_RESPONSE. */
#include "ajp/ajp.h"

#include <hoop/error.h>

#include <string.h>

#define CHUNK_EXTRA     (HOOP__AJP_CHUNK_HEAD + 1) /* and the NUL */
#define CHUNK_MIN       ((size_t)512)              /* less room is not worth a packet */
#define MAX_EMPTY_PULLS 64

void hoop__ajp_finish_source(struct hoop__ajp_exchange *h, int code)
{
    struct hoop__source *source = h->source;
    if (!source)
        return;
    h->source = NULL;
    hoop__source_finish(source, code);
}

/* --- packets --------------------------------------------------------------------------------- */

void hoop__ajp_put_chunk(struct hoop__out *out, size_t n)
{
    char *p = out->data + out->len;
    p[0] = 'A';
    p[1] = 'B';
    hoop__ajp_put16(p + 2, n + CHUNK_EXTRA - HOOP__AJP_HEAD);
    p[4] = HOOP__AJP_SEND_BODY_CHUNK;
    hoop__ajp_put16(p + 5, n);
    p[HOOP__AJP_CHUNK_HEAD + n] = 0;
    out->len += n + CHUNK_EXTRA;
}

void hoop__ajp_put_end(struct hoop__out *out, int reuse)
{
    const char end[] = { 'A', 'B', 0, 2, HOOP__AJP_END_RESPONSE, reuse != 0 };
    hoop__out_put(out, end, HOOP__AJP_END_LEN);
}

/* How much data the next packet may have; 0: out must be sent first. */
static size_t chunk_cap(const struct hoop__ajp_exchange *h, const struct hoop__out *out)
{
    size_t room = hoop__out_room(out), max = h->engine->packet_size - CHUNK_EXTRA;
    if (room <= CHUNK_EXTRA || (room < CHUNK_MIN && out->len))
        return 0;
    room -= CHUNK_EXTRA;
    return room < max ? room : max;
}

/* --- bytes ----------------------------------------------------------------------------------- */

static int write_bytes(struct hoop__ajp_exchange *h, struct hoop__out *out)
{
    size_t n = h->rest.len, room = hoop__out_room(out), cap = chunk_cap(h, out);
    if (n + CHUNK_EXTRA <= room && n < CHUNK_MIN && !cap)
        cap = n; /* what is small must not wait for room that it does not need */
    if (!cap)
        return 0;
    if (n > cap)
        n = cap;
    memcpy(out->data + out->len + HOOP__AJP_CHUNK_HEAD, h->rest.data, n);
    hoop__ajp_put_chunk(out, n);
    h->x.body_out += n;
    h->rest.data += n;
    h->rest.len -= n;
    if (!h->rest.len)
        h->out = HOOP__AJP_OUT_END;
    return 1;
}

/* --- sources --------------------------------------------------------------------------------- */

/* All that was announced is sent. A source that has still more is told so, the message is whole. */
static void end_length(struct hoop__ajp_exchange *h, int code)
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
    h->out = HOOP__AJP_OUT_END;
}

/* A pull brought `n` bytes and `rc`, which is 0 or HOOP_EOF. 1 to go on, or a code. */
static int take(struct hoop__ajp_exchange *h, struct hoop__out *out, size_t n, int rc)
{
    h->x.body_out += n;
    if (n)
        hoop__ajp_put_chunk(out, n); /* an empty one would be a flush */
    if (h->source->length == HOOP__LENGTH_UNKNOWN) {
        if (rc == HOOP_EOF)
            h->out = HOOP__AJP_OUT_END;
        return 1;
    }
    h->source_left -= n;
    if (!h->source_left)
        end_length(h, rc);
    else if (rc == HOOP_EOF)
        return HOOP_EOF; /* less than announced */
    return 1;
}

/* Again at once if the source found within its pull that it has more; see lib/http1/body_out.c. */
static int pull_source(struct hoop__ajp_exchange *h, char *to, size_t cap, size_t *ret_len)
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
static int write_source(struct hoop__ajp_exchange *h, struct hoop__out *out)
{
    size_t cap = chunk_cap(h, out), n = 0;
    int known = h->source->length != HOOP__LENGTH_UNKNOWN;
    if (known && !h->source_left) {
        end_length(h, 0);
        return 1;
    }
    if (!cap)
        return 0;
    if (known && cap > h->source_left)
        cap = (size_t)h->source_left;
    int rc = pull_source(h, out->data + out->len + HOOP__AJP_CHUNK_HEAD, cap, &n);
    if (rc == HOOP_EAGAIN) {
        h->out = HOOP__AJP_OUT_FLUSH;
        return 1;
    }
    if (rc == HOOP_EOF || (rc == 0 && n))
        return take(h, out, n, rc);
    return rc ? rc : HOOP_EINVAL;
}

/*
 * The proxy holds back what came so far, to make its packets full. Since nothing more comes for now,
 * it is told to pass that on.
 */
static int write_flush(struct hoop__ajp_exchange *h, struct hoop__out *out)
{
    if (hoop__out_room(out) < CHUNK_EXTRA)
        return 0;
    hoop__ajp_put_chunk(out, 0);
    h->out = HOOP__AJP_OUT_WAIT;
    return 0;
}

/* --- all together ---------------------------------------------------------------------------- */

static int write_end(struct hoop__ajp_exchange *h, struct hoop__out *out)
{
    if (hoop__out_room(out) < HOOP__AJP_END_LEN)
        return 0;
    hoop__ajp_put_end(out, h->keep);
    h->out = HOOP__AJP_OUT_DONE;
    return 0;
}

int hoop__ajp_write(struct hoop__ajp_exchange *h, struct hoop__out *out)
{
    int rc = 1;
    while (rc > 0) {
        switch (h->out) {
        case HOOP__AJP_OUT_HEAD:
            rc = hoop__ajp_write_head(h, out);
            break;
        case HOOP__AJP_OUT_BYTES:
            rc = write_bytes(h, out);
            break;
        case HOOP__AJP_OUT_SOURCE:
            rc = write_source(h, out);
            break;
        case HOOP__AJP_OUT_FLUSH:
            rc = write_flush(h, out);
            break;
        case HOOP__AJP_OUT_END:
            rc = write_end(h, out);
            break;
        default:
            return 0;
        }
    }
    return rc;
}
