/* Who gets the request body as it comes, how much of it, and what may stand in between. */
#ifndef HOOP_VALUE_BODY_H
#define HOOP_VALUE_BODY_H

#include "value/exchange.h"

/* Gets the body; one at a time. On the loop's thread. */
struct hoop__body_sink {
    /* Some bytes, valid during the call. It may change the credit, and stop. */
    void (*data)(const struct hoop__body_sink *sink, struct hoop__exchange *x, const char *data,
                 size_t len);
    /*
     * Nothing more comes; exactly once, unless it has stopped. 0: that was all, trailers are there.
     * Else it broke off, or the exchange is over.
     */
    void (*end)(const struct hoop__body_sink *sink, struct hoop__exchange *x, int code);
};

/*
 * Makes something else of the body, in front of everybody who reads: a middleware installs it at the
 * head. Memory that it needs goes with the exchange.
 */
struct hoop__body_filter {
    /*
     * Takes of `len` bytes at `in` and makes up to `cap` bytes at `out`; says how many of each. It is
     * called again with what was left and more; with `last` once no more comes, until it has made
     * nothing. 0, HOOP_EOF (it has made all there is; what comes is dropped), or why it failed.
     */
    int (*run)(struct hoop__body_filter *filter, const char *in, size_t len, size_t *ret_taken,
               char *out, size_t cap, size_t *ret_made, int last);
    /* filter.c's own. */
    char *held; /* what came and was not taken */
    size_t held_from, held_len;
    uint64_t allowed;   /* the credit of who reads */
    uint64_t paused_at; /* when that fell to zero */
    uint8_t last;       /* no more comes */
    uint8_t running;    /* inside hoop__filter_run() */
    uint8_t done;       /* it has made all */
};

/* Puts a filter in front of a body that nobody has asked for yet. 0, HOOP_EALREADY, HOOP_ENOMEM. */
int hoop__body_filter(const hoop_request *req, struct hoop__body_filter *filter);

/*
 * Has `sink` get a body that nobody has asked for yet (COMING), with this credit. HOOP_EALREADY otherwise.
 */
int hoop__body_read(struct hoop__exchange *x, const struct hoop__body_sink *sink, uint64_t credit);

/* Sets how many bytes the sink can take from now on. Within data(), or any time on the loop. */
void hoop__body_allow(struct hoop__exchange *x, uint64_t credit);

/* The sink wants no more: it hears nothing again, what comes is dropped. */
void hoop__body_stop(struct hoop__exchange *x);

/* Bytes for the sink: from the engine, or what the filter made of them. */
void hoop__body_deliver(struct hoop__exchange *x, const char *data, size_t len);

/* It broke off, or all has come: tells the sink, once. */
void hoop__body_finish(struct hoop__exchange *x, int code);

/* The limit of a reader: what it asked for, or the route's or the service's if that is 0. */
uint64_t hoop__body_limit(const struct hoop__exchange *x, uint64_t asked);

/* The response for a body over its limit; counted. */
const hoop_response *hoop__body_too_large(const hoop_request *req, uint64_t limit);

/* All of a body that was collected. */
static inline hoop_str hoop__body_whole(const struct hoop__body *body)
{
    return body->data ? hoop_str_n(body->data, (size_t)body->len) : hoop_str_c("");
}

/*
 * Since when the handler is waited for, not the client: the last pause that still lasts, or the end of the body;
 * `now` while the client is to send.
 */
uint64_t hoop__body_handler_since(const struct hoop__exchange *x);

/* How long reading was paused so far. */
uint64_t hoop__body_paused_ms(const struct hoop__exchange *x);

/* --- filter.c -------------------------------------------------------------------------------- */

/* Bytes of the engine; they are held until they are taken. */
void hoop__filter_feed(struct hoop__exchange *x, const char *data, size_t len);

/* Makes and delivers as much as the sink can take. */
void hoop__filter_run(struct hoop__exchange *x);

/* How much the engine may deliver now. */
uint64_t hoop__filter_room(const struct hoop__body_filter *filter);

#endif
