/*
 * The AJP/1.3 engine's structs and the functions that its files share; no I/O, and nothing that
 * another room needs but the protocol itself. docs/internals/ajp.md tells how they work together.
 */
#ifndef HOOP_AJP_AJP_H
#define HOOP_AJP_AJP_H

#include "value/body.h"
#include "value/engine.h"
#include "value/pull.h"

#include <hoop/server.h>

/* AJP/1.3; the host's `config` is a hoop_listener, or NULL for all defaults. */
extern const struct hoop__protocol hoop__ajp;

/* The host's out must have this much room when it is empty. */
#define HOOP__AJP_MIN_OUT 512

#define HOOP__AJP_PACKET     8192u /* bytes of a packet with its head, unless both ends agree on more */
#define HOOP__AJP_MAX_PACKET 65536u
#define HOOP__AJP_HEAD       4u /* magic and length */
#define HOOP__AJP_DATA_HEAD  6u /* and the length of the data */
#define HOOP__AJP_CHUNK_HEAD 7u /* of SEND_BODY_CHUNK; behind the data comes a NUL */

/* The first byte of a packet's payload. */
#define HOOP__AJP_FORWARD_REQUEST 2
#define HOOP__AJP_SEND_BODY_CHUNK 3
#define HOOP__AJP_SEND_HEADERS    4
#define HOOP__AJP_END_RESPONSE    5
#define HOOP__AJP_GET_BODY_CHUNK  6
#define HOOP__AJP_CPONG           9
#define HOOP__AJP_CPING           10

/* Attributes that are nobody's but the engine's; the others are HOOP_AJP_*. */
#define HOOP__AJP_QUERY         5u
#define HOOP__AJP_CERT          7u
#define HOOP__AJP_SECRET        12u
#define HOOP__AJP_STORED_METHOD 13u
#define HOOP__AJP_TEXTS         14u

/* What a connection is at. */
enum hoop__ajp_state {
    HOOP__AJP_IDLE,    /* no byte of a packet is here */
    HOOP__AJP_BEGIN,   /* magic, length and type of a packet are coming */
    HOOP__AJP_REQUEST, /* a FORWARD_REQUEST is coming */
    HOOP__AJP_RUN,     /* an exchange is dispatched */
    HOOP__AJP_DISCARD, /* answered; the data packet that was owed is read and dropped */
    HOOP__AJP_CLOSED   /* nothing is read any more; `want` says how to close */
};

/* What stands between the exchange and its last byte. */
enum hoop__ajp_out {
    HOOP__AJP_OUT_NONE,   /* no response yet */
    HOOP__AJP_OUT_HEAD,   /* the response is there, nothing of it is written */
    HOOP__AJP_OUT_BYTES,  /* the body, bytes */
    HOOP__AJP_OUT_SOURCE, /* the body, a source that may have more */
    HOOP__AJP_OUT_FLUSH,  /* a source has nothing now: the proxy is to pass on what it holds */
    HOOP__AJP_OUT_WAIT,   /* that was told, the source has still nothing */
    HOOP__AJP_OUT_END,    /* END_RESPONSE */
    HOOP__AJP_OUT_DONE    /* all is in the host's hands */
};

struct hoop__ajp_exchange;

/* A connection. All that belongs to a request lies in the exchange's block, so this is small. */
struct hoop__ajp {
    struct hoop__engine base;
    const hoop_listener *listener; /* its settings; NULL: all defaults */
    struct hoop__ajp_exchange *h;  /* the request at hand; NULL when idle */
    uint64_t requests;             /* dispatched so far */
    uint64_t body_left;            /* of the announced length; HOOP__LENGTH_UNKNOWN until the end */
    uint32_t packet_size;          /* the most bytes of a packet, both ways */
    uint32_t secret_len;
    uint32_t server_len; /* of service->server_name */
    uint32_t data_left;  /* bytes of the data packet at hand still to come */
    uint16_t reject;     /* the status of an error answer that waits for room; 0: none */
    uint8_t reject_head; /* it answers HEAD: without its body */
    uint8_t state;       /* enum hoop__ajp_state */
    uint8_t head[8];     /* the first bytes of a packet, while they come in pieces */
    uint8_t head_len;
    uint8_t due;    /* the peer owes a data packet whose head is not complete */
    uint8_t pong;   /* CPONG waits for room */
    uint8_t eof;    /* the peer sends nothing more */
    uint8_t unread; /* the host has bytes that were not consumed */
    uint8_t draining;
    uint8_t linger; /* closing: read on for a while */
    uint8_t busy;   /* inside a call of the host: no need to wake it */
};

/* A named attribute of a request. */
struct hoop__ajp_named {
    struct hoop__ajp_named *next; /* in the order in which they came */
    hoop_str name, value;
};

/* What a request brought along besides what every request has; hangs on it as an attribute. */
struct hoop__ajp_info {
    hoop_str texts[HOOP__AJP_TEXTS]; /* by code; absent if they did not come, or are not believed */
    struct hoop__ajp_named *named;
    struct hoop__ajp_named **last;
    uint32_t key_size;
    uint32_t seen; /* a bit for each code that came */
};

/*
 * One request and its response; at the start of a block of the loop. What lies between `zero_from` and
 * `zero_to` is zero at the start, the rest is set when it is needed.
 */
struct hoop__ajp_exchange {
    struct hoop__exchange x;
    struct hoop__ajp *engine; /* NULL once the engine is done with it */
    char *packet;             /* the payload; in this block if it fits, else in the arena */
    uint32_t packet_len;
    uint32_t packet_read;

    char zero_from[1];
    uint8_t out;       /* enum hoop__ajp_out */
    uint8_t wanted;    /* somebody reads the body */
    uint8_t body_done; /* nothing of it is to come */
    uint8_t broken;    /* it can't be read on */
    uint8_t ask;       /* GET_BODY_CHUNK is to be sent */
    uint8_t no_body;   /* the response has none, whatever the handler gave */
    uint8_t keep;      /* the connection stays open behind this response */
    uint8_t has_length;
    uint8_t chunked;
    uint8_t has_host;
    uint64_t length; /* Content-Length */
    uint64_t received;
    struct hoop__pull pull; /* of the response's source */
    char zero_to[1];

    uint64_t wanted_at; /* when the body was first wanted */
    const struct hoop__response *res;
    hoop_str rest;                    /* of bytes that are the body */
    struct hoop__attribute attribute; /* that `info` hangs on */
    struct hoop__ajp_info info;
    char block[]; /* the packet, then the arena */
};

extern const struct hoop__exchange_ops hoop__ajp_exchange_ops;

/* Reading a payload: each call moves on, or sets `bad` and gives nothing. */
struct hoop__ajp_reader {
    char *at, *end;
    int bad;
};

static inline unsigned hoop__ajp_get16(const void *p)
{
    const unsigned char *b = p;
    return (unsigned)b[0] << 8 | b[1];
}

static inline char *hoop__ajp_put16(char *p, size_t n)
{
    p[0] = (char)(n >> 8);
    p[1] = (char)n;
    return p + 2;
}

static inline unsigned hoop__ajp_byte(struct hoop__ajp_reader *r)
{
    if (r->at >= r->end) {
        r->bad = 1;
        return 0;
    }
    return (unsigned char)*r->at++;
}

static inline unsigned hoop__ajp_int(struct hoop__ajp_reader *r)
{
    if (r->end - r->at < 2) {
        r->bad = 1;
        return 0;
    }
    unsigned n = hoop__ajp_get16(r->at);
    r->at += 2;
    return n;
}

/* A string with its NUL, none within; the absent string for null. It lies in the packet. */
static inline hoop_str hoop__ajp_string(struct hoop__ajp_reader *r)
{
    unsigned n = hoop__ajp_int(r);
    if (r->bad || n == 0xffff)
        return hoop_str_none();
    if ((size_t)(r->end - r->at) <= n || r->at[n] || memchr(r->at, 0, n)) {
        r->bad = 1;
        return hoop_str_none();
    }
    hoop_str s = hoop_str_n(r->at, n);
    r->at += n + 1;
    return s;
}

/* --- packets.c ------------------------------------------------------------------------------- */

/* Collects up to `want` bytes of a packet's beginning in e->head. Returns how many were taken. */
size_t hoop__ajp_take_head(struct hoop__ajp *e, const char *data, size_t len, size_t want);

/*
 * Takes of the beginning of a data packet; returns how many bytes. `*ret_rc` 0: more of it must come; 1: a
 * packet has begun, or, if data_left is zero, was the end; -1: it is wrong.
 */
size_t hoop__ajp_data_head(struct hoop__ajp *e, const char *data, size_t len, int *ret_rc);

/* CPONG, if there is room; e->pong says whether it waits. */
void hoop__ajp_write_pong(struct hoop__ajp *e, struct hoop__out *out);

/* Asks for the next part of the body; one at a time, since each is answered by exactly one packet. */
void hoop__ajp_write_ask(struct hoop__ajp *e, struct hoop__out *out);

/* When the body will have been too slow, if nothing more comes; as HTTP/1 has it. */
uint64_t hoop__ajp_body_deadline(const struct hoop__ajp_exchange *h);

/* --- request.c, fields.c, attributes.c ------------------------------------------------------- */

/*
 * Makes the request of a complete packet, exchange and all. 0, or the status of an error answer; the
 * exchange is set up in any case.
 */
int hoop__ajp_request(struct hoop__ajp_exchange *h);

/* Reads the header fields into the request. 0, or a status. */
int hoop__ajp_fields(struct hoop__ajp_exchange *h, struct hoop__ajp_reader *r);

/* Reads the attributes up to their end. 0, or a status. */
int hoop__ajp_attributes(struct hoop__ajp_exchange *h, struct hoop__ajp_reader *r);

/* Nonzero if a name fits one of the patterns, which stand between commas and blanks; '*' is any text. */
int hoop__ajp_allows(const char *patterns, hoop_str name);

/* --- respond.c, body.c ----------------------------------------------------------------------- */

/*
 * Writes SEND_HEADERS of h->res, and sets what the body needs. 1 if it is written, 0 if out must be sent
 * first.
 */
int hoop__ajp_write_head(struct hoop__ajp_exchange *h, struct hoop__out *out);

/*
 * Writes as much of the response as there is and fits. h->out says where it stands; a negative code
 * if it broke off, so that the connection must be closed.
 */
int hoop__ajp_write(struct hoop__ajp_exchange *h, struct hoop__out *out);

/* Writes the error answer e->reject. 0 if out must be sent first. */
int hoop__ajp_write_reject(struct hoop__ajp *e, struct hoop__out *out);

/* Frames `n` bytes that stand HOOP__AJP_CHUNK_HEAD behind the end of out. */
void hoop__ajp_put_chunk(struct hoop__out *out, size_t n);

/* END_RESPONSE; there must be room for HOOP__AJP_END_LEN bytes. */
#define HOOP__AJP_END_LEN 6u
void hoop__ajp_put_end(struct hoop__out *out, int reuse);

#endif
