/* The request body by length, and what both framings share; chunks are chunk.c's. */
#include "http1/http1.h"

#include <string.h>

void hoop__h1_body_init(struct hoop__h1_exchange *h)
{
    struct hoop__body *body = &h->x.body;
    if (!h->chunked && !h->length) {
        /* Nothing to continue with: an expectation is pointless (RFC 9110 10.1.1). */
        h->body_done = 1;
        h->expect = 0;
        return;
    }
    memset(&h->body, 0, sizeof h->body);
    if (h->chunked) {
        body->state = HOOP__BODY_COMING;
        body->length = HOOP__LENGTH_UNKNOWN;
        h->body.state = HOOP__H1_SIZE_FIRST;
        llhttp_resume(&h->parser);
        return;
    }
    /* Counting needs no second reader: the two agreed on the number. */
    body->state = HOOP__BODY_COMING;
    body->length = h->length;
    h->body.left = h->length;
}

size_t hoop__h1_body_cap(const struct hoop__h1_exchange *h, size_t len)
{
    uint64_t cap = h->body.left < h->x.body.credit ? h->body.left : h->x.body.credit;
    return len < cap ? len : (size_t)cap;
}

size_t hoop__h1_body_read(struct hoop__h1_exchange *h, const char *data, size_t len, int *ret_rc)
{
    h->expect = 0; /* the client did not wait */
    if (h->chunked)
        return hoop__h1_chunk_read(h, data, len, ret_rc);
    size_t n = hoop__h1_body_cap(h, len);
    h->body.left -= n;
    h->body.received += n;
    *ret_rc = HOOP__H1_MORE;
    hoop__exchange_body(&h->x, data, n);
    if (h->body.left)
        return n;
    h->body_done = 1;
    *ret_rc = HOOP__H1_COMPLETE;
    if (h->x.body.state == HOOP__BODY_READING)
        hoop__exchange_body_end(&h->x, NULL, 0);
    return n;
}

uint64_t hoop__h1_body_deadline(const struct hoop__h1_exchange *h)
{
    const hoop_limits *limits = h->limits;
    uint64_t rate = limits->body_rate, ms = limits->body_grace_ms;
    if (rate == HOOP_OFF || ms == HOOP_OFF)
        return HOOP__NEVER;
    /* As long as what came so far may have taken at the lowest rate, but at least the grace. */
    uint64_t earned = h->body.received / rate * 1000 + h->body.received % rate * 1000 / rate;
    if (earned > ms)
        ms = earned;
    uint64_t from = h->body.wanted_at + hoop__body_paused_ms(&h->x);
    return ms < HOOP__NEVER - from ? from + ms : HOOP__NEVER;
}
