/* SEND_HEADERS, and answers to what can't be read; the body and END_RESPONSE are body.c's. */
#include "ajp/ajp.h"

#include <hoop/error.h>

#include <string.h>

/* --- names ----------------------------------------------------------------------------------- */

#define CODE_CONTENT_TYPE   0xa001u
#define CODE_CONTENT_LENGTH 0xa003u
#define CODE_DATE           0xa004u

static int is_name(hoop_str name, const char *text)
{
    for (size_t i = 0; i < name.len; i++)
        if ((name.data[i] | 0x20) != text[i])
            return 0;
    return 1;
}

/* The code of a name, or 0. */
static unsigned code_of(hoop_str name)
{
    switch (name.len) {
    case 4:
        return is_name(name, "date") ? CODE_DATE : 0;
    case 6:
        return is_name(name, "status") ? 0xa00au : 0;
    case 8:
        return is_name(name, "location") ? 0xa006u : 0;
    case 10:
        return is_name(name, "set-cookie") ? 0xa007u : 0;
    case 11:
        return is_name(name, "set-cookie2") ? 0xa008u : 0;
    case 12:
        return is_name(name, "content-type") ? CODE_CONTENT_TYPE : 0;
    case 13:
        return is_name(name, "last-modified") ? 0xa005u : 0;
    case 14:
        return is_name(name, "servlet-engine") ? 0xa009u : 0;
    case 16:
        if (is_name(name, "content-language"))
            return 0xa002u;
        return is_name(name, "www-authenticate") ? 0xa00bu : 0;
    default:
        return 0;
    }
}

/* Fields that mean the connection, which here is none of the client's, or the framing. */
static int is_ours(hoop_str name)
{
    switch (name.len) {
    case 10:
        return is_name(name, "connection") || is_name(name, "keep-alive");
    case 14:
        return is_name(name, "content-length");
    case 17:
        return is_name(name, "transfer-encoding");
    default:
        return 0;
    }
}

/* --- what is written ------------------------------------------------------------------------- */

struct plan {
    size_t size;        /* of the packet, or a little less than this */
    hoop_str user_text; /* a Content-Length of the handler's; else absent */
    uint64_t length;
    uint8_t told; /* 0: no length; 1: `length`; 2: `user_text` */
    uint8_t date; /* the handler set one */
    uint8_t server;
};

static int is_number(hoop_str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.data[i] < '0' || s.data[i] > '9')
            return 0;
    return s.len > 0 && s.len < 20;
}

static void look_at(struct plan *plan, const hoop_field *f)
{
    plan->size += f->name.len + f->value.len + 6;
    switch (f->name.len) {
    case 4:
        plan->date |= (uint8_t)is_name(f->name, "date");
        break;
    case 6:
        plan->server |= (uint8_t)is_name(f->name, "server");
        break;
    case 14:
        if (is_name(f->name, "content-length") && is_number(f->value) && !plan->user_text.len)
            plan->user_text = f->value;
        break;
    default:
        break;
    }
}

/* Statuses that have no body, whatever the handler gave (RFC 9110 15.3.5, 15.3.6, 15.4.5). */
static int is_bodyless(int status)
{
    return status == 204 || status == 205 || status == 304;
}

/* Whether there is a body, and what is told of its length; as HTTP/1 does it. */
static void decide_body(struct hoop__ajp_exchange *h, struct plan *plan)
{
    const hoop_response *res = &h->res->pub;
    int head = h->x.request.pub.method_number == HOOP_METHOD_HEAD, user = plan->user_text.len != 0;
    h->no_body = 1;
    if (is_bodyless(res->status)) {
        plan->told = res->status == 205 ? 1 : res->status == 304 && user ? 2 : 0;
        return;
    }
    plan->told = 1;
    if (res->body_kind == HOOP_BODY_NONE) {
        plan->told = head && user ? 2 : 1;
        return;
    }
    if (res->body_kind == HOOP_BODY_BYTES)
        plan->length = res->body.len;
    else if (h->res->source->length != HOOP__LENGTH_UNKNOWN)
        plan->length = h->res->source->length;
    else
        plan->told = 0;
    h->no_body = head || (res->body_kind == HOOP_BODY_BYTES && !res->body.len);
}

static struct plan make_plan(struct hoop__ajp_exchange *h)
{
    const hoop_response *res = &h->res->pub;
    struct plan plan = { 0 };
    for (size_t i = 0; i < res->header_count; i++)
        look_at(&plan, &res->headers[i]);
    decide_body(h, &plan);
    plan.server |= (uint8_t)!h->x.service->server_name;
    /* Its head, type, status, reason, count, the length, Date and Server, at their longest. */
    plan.size += HOOP__AJP_HEAD + 3 + 50 + 2 + 25 + 34 + 11;
    if (!plan.server)
        plan.size += h->engine->server_len;
    return plan;
}

/* --- writing --------------------------------------------------------------------------------- */

static char *put_text(char *p, const char *text, size_t len)
{
    p = hoop__ajp_put16(p, len);
    memcpy(p, text, len);
    p[len] = 0;
    return p + len + 1;
}

static size_t put_digits(char digits[20], uint64_t n)
{
    char reversed[20];
    size_t len = 0;
    do
        reversed[len++] = (char)('0' + n % 10);
    while (n /= 10);
    for (size_t i = 0; i < len; i++)
        digits[i] = reversed[len - 1 - i];
    return len;
}

static char *put_number(char *p, uint64_t n)
{
    char digits[20];
    return put_text(p, digits, put_digits(digits, n));
}

/* Type, status and reason; a phrase must come, so that a status without one has its number. */
static char *put_start(char *p, int status)
{
    const char *reason = hoop_reason(status);
    *p++ = HOOP__AJP_SEND_HEADERS;
    p = hoop__ajp_put16(p, (unsigned)status);
    return *reason ? put_text(p, reason, strlen(reason)) : put_number(p, (unsigned)status);
}

static char *put_field(char *p, const hoop_field *f)
{
    unsigned code = code_of(f->name);
    p = code ? hoop__ajp_put16(p, code) : put_text(p, f->name.data, f->name.len);
    return put_text(p, f->value.data, f->value.len);
}

static char *put_date(char *p, struct hoop_loop *loop)
{
    p = hoop__ajp_put16(p, CODE_DATE);
    return put_text(p, hoop__loop_date(loop), HOOP__DATE_LEN);
}

static char *put_server(char *p, const char *name, size_t len)
{
    p = put_text(p, "Server", 6);
    return put_text(p, name, len);
}

/* All fields behind the count, which comes back. */
static char *put_fields(char *p, struct hoop__ajp_exchange *h, const struct plan *plan,
                        size_t *ret_count)
{
    const hoop_response *res = &h->res->pub;
    size_t count = 0;
    for (size_t i = 0; i < res->header_count; i++) {
        if (is_ours(res->headers[i].name))
            continue;
        p = put_field(p, &res->headers[i]);
        count++;
    }
    if (plan->told) {
        p = hoop__ajp_put16(p, CODE_CONTENT_LENGTH);
        p = plan->told == 1 ? put_number(p, plan->length)
                            : put_text(p, plan->user_text.data, plan->user_text.len);
        count++;
    }
    if (!plan->date) {
        p = put_date(p, h->x.loop);
        count++;
    }
    if (!plan->server) {
        p = put_server(p, h->x.service->server_name, h->engine->server_len);
        count++;
    }
    *ret_count = count;
    return p;
}

/* Magic and length of the packet that begins at `packet` and ends at `end`. */
static void put_packet_head(char *packet, const char *end)
{
    packet[0] = 'A';
    packet[1] = 'B';
    hoop__ajp_put16(packet + 2, (size_t)(end - packet) - HOOP__AJP_HEAD);
}

/* What follows the head. */
static uint8_t body_state(struct hoop__ajp_exchange *h)
{
    if (h->no_body)
        return HOOP__AJP_OUT_END;
    if (h->res->pub.body_kind == HOOP_BODY_BYTES) {
        h->rest = h->res->pub.body;
        return HOOP__AJP_OUT_BYTES;
    }
    hoop__pull_begin(&h->pull, &h->x);
    return HOOP__AJP_OUT_SOURCE;
}

/* A head that no packet takes can't be sent, nor can one that ends no response. */
static void give_up_response(struct hoop__ajp_exchange *h, size_t size)
{
    struct hoop__exchange *x = &h->x;
    hoop__log(x->loop, HOOP_LOG_ERROR,
              "%s %s: 500: a head of %zu bytes and status %d can't go into "
              "one packet of %lu",
              x->request.pub.method.data, x->request.pub.uri.data, size, (int)h->res->pub.status,
              (unsigned long)h->engine->packet_size);
    HOOP__COUNT(x->loop->counters.failures, 1);
    hoop__pull_finish(&h->pull, HOOP_ETOOBIG);
    h->res = hoop__canned(500);
    x->status = 500;
}

int hoop__ajp_write_head(struct hoop__ajp_exchange *h, struct hoop__out *out)
{
    struct plan plan = make_plan(h);
    if (plan.size > h->engine->packet_size || h->res->pub.status < 200) {
        give_up_response(h, plan.size);
        plan = make_plan(h);
    }
    if (plan.size > hoop__out_room(out))
        return 0;
    char *packet = out->data + out->len,
         *p = put_start(packet + HOOP__AJP_HEAD, h->res->pub.status);
    size_t count;
    char *end = put_fields(p + 2, h, &plan, &count);
    hoop__ajp_put16(p, count);
    put_packet_head(packet, end);
    out->len += (size_t)(end - packet);
    h->out = body_state(h);
    return 1;
}

/* --- errors ---------------------------------------------------------------------------------- */

#define SERVER_MAX 128 /* a longer name does not go with an error */

int hoop__ajp_write_reject(struct hoop__ajp *e, struct hoop__out *out)
{
    static const char type[] = "text/plain; charset=utf-8";
    const char *reason = hoop_reason(e->reject), *server = e->base.host->service->server_name;
    size_t len = strlen(reason), server_len = e->server_len <= SERVER_MAX ? e->server_len : 0;
    if (2 * len + server_len + 160 > hoop__out_room(out))
        return 0;
    char *packet = out->data + out->len, *p = put_start(packet + HOOP__AJP_HEAD, e->reject);
    p = hoop__ajp_put16(p, 3u + (server_len != 0));
    p = hoop__ajp_put16(p, CODE_CONTENT_TYPE);
    p = put_text(p, type, sizeof type - 1);
    p = hoop__ajp_put16(p, CODE_CONTENT_LENGTH);
    p = put_number(p, len + 1);
    p = put_date(p, e->base.host->loop);
    if (server_len)
        p = put_server(p, server, server_len);
    put_packet_head(packet, p);
    out->len += (size_t)(p - packet);
    if (!e->reject_head) {
        p = out->data + out->len + HOOP__AJP_CHUNK_HEAD;
        memcpy(p, reason, len);
        p[len] = '\n';
        hoop__ajp_put_chunk(out, len + 1);
    }
    hoop__ajp_put_end(out, /* reuse= */ 0);
    return 1;
}
