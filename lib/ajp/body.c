/* The body of a response in SEND_BODY_CHUNK packets, flush packets, and END_RESPONSE. */
#include "ajp/ajp.h"

#include <hoop/error.h>

#include <string.h>

#define CHUNK_EXTRA (HOOP__AJP_CHUNK_HEAD + 1) /* and the NUL */
#define CHUNK_MIN   ((size_t)512)              /* less room is not worth a packet */

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

/* 1 to go on, 0 to stop until it is called again, or the code with which the response breaks off. */
static int write_source(struct hoop__ajp_exchange *h, struct hoop__out *out)
{
    size_t cap = 0, n = 0;
    if (!hoop__pull_is_full(&h->pull)) {
        cap = chunk_cap(h, out);
        if (!cap)
            return 0;
    }
    int rc = hoop__pull_some(&h->pull, out->data + out->len + HOOP__AJP_CHUNK_HEAD, cap, &n);
    h->x.body_out += n;
    if (n)
        hoop__ajp_put_chunk(out, n); /* an empty one would be a flush */
    if (rc < 0)
        return rc;
    if (rc == HOOP__PULL_WAIT)
        h->out = HOOP__AJP_OUT_FLUSH;
    else if (rc == HOOP__PULL_DONE)
        h->out = HOOP__AJP_OUT_END; /* the protocol has no trailers */
    return 1;
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
