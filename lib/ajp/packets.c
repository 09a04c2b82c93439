/* The beginnings of packets that come, and the small ones that go; what they lead to is engine.c's. */
#include "ajp/ajp.h"

#include <string.h>

#define PONG_LEN 5u
#define ASK_LEN  7u

size_t hoop__ajp_take_head(struct hoop__ajp *e, const char *data, size_t len, size_t want)
{
    size_t n = want - e->head_len;
    if (n > len)
        n = len;
    memcpy(e->head + e->head_len, data, n);
    e->head_len = (uint8_t)(e->head_len + n);
    return n;
}

/*
 * What the beginning of a data packet says, as far as it is here. 0: more of it must come; 1: a packet
 * begins, or is over if data_left is zero: the end; -1: it is wrong.
 */
static int check_data_head(struct hoop__ajp *e)
{
    static const uint8_t magic[2] = { 0x12, 0x34 };
    if (memcmp(e->head, magic, e->head_len < 2 ? e->head_len : 2) != 0)
        return -1;
    if (e->head_len < HOOP__AJP_HEAD)
        return 0;
    uint32_t len = hoop__ajp_get16(e->head + 2);
    if (len > e->packet_size - HOOP__AJP_HEAD || len == 1)
        return -1;
    if (len && e->head_len < HOOP__AJP_DATA_HEAD)
        return 0;
    /* Nothing may stand behind the data, and no more come than was announced: what is left over
     * would be read as the next request. */
    uint32_t data = len ? hoop__ajp_get16(e->head + HOOP__AJP_HEAD) : 0;
    if ((len && data != len - 2) || data > e->body_left)
        return -1;
    e->data_left = data;
    e->due = 0;
    e->head_len = 0;
    return 1;
}

size_t hoop__ajp_data_head(struct hoop__ajp *e, const char *data, size_t len, int *ret_rc)
{
    size_t n = 0;
    *ret_rc = 0;
    if (e->head_len < HOOP__AJP_HEAD) {
        n = hoop__ajp_take_head(e, data, len, HOOP__AJP_HEAD);
        *ret_rc = check_data_head(e);
    }
    if (!*ret_rc && n < len) {
        n += hoop__ajp_take_head(e, data + n, len - n, HOOP__AJP_DATA_HEAD);
        *ret_rc = check_data_head(e);
    }
    return n;
}

/* --- small packets --------------------------------------------------------------------------- */

void hoop__ajp_write_pong(struct hoop__ajp *e, struct hoop__out *out)
{
    static const char pong[PONG_LEN] = { 'A', 'B', 0, 1, HOOP__AJP_CPONG };
    e->pong = hoop__out_room(out) < PONG_LEN;
    if (!e->pong)
        hoop__out_put(out, pong, PONG_LEN);
}

void hoop__ajp_write_ask(struct hoop__ajp *e, struct hoop__out *out)
{
    char ask[ASK_LEN] = { 'A', 'B', 0, 3, HOOP__AJP_GET_BODY_CHUNK };
    if (hoop__out_room(out) < ASK_LEN)
        return;
    hoop__ajp_put16(ask + 5, e->packet_size - HOOP__AJP_DATA_HEAD);
    hoop__out_put(out, ask, ASK_LEN);
    e->h->ask = 0;
    e->due = 1;
}

/* --- time ------------------------------------------------------------------------------------ */

uint64_t hoop__ajp_body_deadline(const struct hoop__ajp_exchange *h)
{
    const hoop_limits *limits = h->x.service->limits;
    uint64_t rate = limits->body_rate, ms = limits->body_grace_ms;
    if (rate == HOOP_OFF || ms == HOOP_OFF)
        return HOOP__NEVER;
    uint64_t earned = h->received / rate * 1000 + h->received % rate * 1000 / rate;
    if (earned > ms)
        ms = earned;
    uint64_t from = h->wanted_at + hoop__body_paused_ms(&h->x);
    return ms < HOOP__NEVER - from ? from + ms : HOOP__NEVER;
}
