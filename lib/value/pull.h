/* Taking the bytes of a source, for engines of every protocol: its length, its end, its faults. */
#ifndef HOOP_VALUE_PULL_H
#define HOOP_VALUE_PULL_H

#include "value/exchange.h"

/* A source on its way; part of an engine's exchange. */
struct hoop__pull {
    struct hoop__source *source; /* NULL: none, or finished() has run */
    uint64_t left;               /* of its length; HOOP__LENGTH_UNKNOWN: until its end */
    int end_code; /* of a message that is whole, though the source had something to say */
    int resumed;  /* the source spoke up while it was pulled */
};

/* What hoop__pull_some() came to, beside a negative code, with which the response breaks off. */
#define HOOP__PULL_WAIT 0 /* nothing for now: the source will be ready later */
#define HOOP__PULL_MORE 1 /* bytes, and more may follow */
#define HOOP__PULL_DONE 2 /* the last bytes, if any; trailers are there */

/* The response is about to be written. */
static inline void hoop__pull_begin(struct hoop__pull *pull, struct hoop__exchange *x)
{
    pull->left = pull->source->length;
    pull->source->exchange = x;
}

/* Nonzero if all that was announced has been given, so that hoop__pull_some() needs no room. */
static inline int hoop__pull_is_full(const struct hoop__pull *pull)
{
    return pull->left == 0;
}

/* Gets up to `cap` bytes; with a negative code there may be some as well. */
int hoop__pull_some(struct hoop__pull *pull, char *to, size_t cap, size_t *ret_len);

/* What comes next as a piece of a file, no longer than its length, of a source that offers that: MORE, WAIT
 * or a code, HOOP_EUNSUPPORTED among them. */
int hoop__pull_piece(struct hoop__pull *pull, struct hoop__file_piece *ret_piece);

/* `n` bytes of the piece were sent: MORE or DONE. */
int hoop__pull_took(struct hoop__pull *pull, size_t n);

/* Runs finished() of a source that the response still holds. */
void hoop__pull_finish(struct hoop__pull *pull, int code);

#endif
