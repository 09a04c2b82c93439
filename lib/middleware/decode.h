/* Bodies of requests out of their content codings, as a filter between the engine and who reads. */
#ifndef HOOP_MIDDLEWARE_DECODE_H
#define HOOP_MIDDLEWARE_DECODE_H

#include "compress/codec.h"
#include "value/body.h"

#define HOOP__DECODE_MAX 8 /* codings on one body */

/* One coding, and what it made for the next one. */
struct hoop__decode_stage {
    struct hoop__codec *codec;
    char *buffer; /* of all but the last one, which writes to the reader's */
    size_t from, len;
    int ended;
};

struct hoop__decode {
    struct hoop__body_filter filter; /* first */
    struct hoop__exchange *x;
    uint64_t max_size; /* 0: that of the route or the server */
    uint64_t max_ratio;
    uint64_t in, out;
    int code; /* why it has failed */
    size_t count;
    struct hoop__decode_stage stages[HOOP__DECODE_MAX]; /* in the order in which they are undone */
};

/*
 * Puts a filter in front of the request's body. `codings` are in the order in which they were applied.
 * NULL: noted.
 */
struct hoop__decode *hoop__decode_body(const hoop_request *req, const enum hoop__coding *codings,
                                       size_t count, uint64_t max_size, uint64_t max_ratio);

#endif
