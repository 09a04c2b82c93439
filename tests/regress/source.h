/* A body of a response that is made while it is sent, for the tests of streaming; no test lives here. */
#ifndef HOOP_TEST_SOURCE_H
#define HOOP_TEST_SOURCE_H

#include "regress.h"

#include "value/exchange.h"

#include <stdatomic.h>

/* Gives `total` bytes, at most `piece` at a time; then waits for ever if `endless`. */
struct test_source {
    struct hoop__source source;
    uint64_t total, piece;
    int endless;
};

static atomic_ullong test_pulled;   /* bytes, of all sources */
static atomic_int test_finished;    /* sources that have ended */
static atomic_int test_finish_code; /* of the last one */

static inline char test_source_byte(uint64_t at)
{
    return (char)('a' + at % 23);
}

static int test_source_pull(struct hoop__source *source, char *buffer, size_t cap, size_t *ret_len)
{
    struct test_source *s = (struct test_source *)source;
    uint64_t at = s->source.length == HOOP__LENGTH_UNKNOWN ? s->total : s->source.length - s->total;
    size_t n = s->piece < cap ? (size_t)s->piece : cap;
    if (n > s->total)
        n = (size_t)s->total;
    for (size_t i = 0; i < n; i++)
        buffer[i] = test_source_byte(at + i);
    s->total -= n;
    *ret_len = n;
    atomic_fetch_add(&test_pulled, n);
    if (s->total)
        return 0;
    if (s->endless)
        return n ? 0 : HOOP_EAGAIN;
    return HOOP_EOF;
}

static void test_source_finished(struct hoop__source *source, int code)
{
    atomic_store(&test_finish_code, code);
    atomic_fetch_add(&test_finished, 1);
}

/* A response of `total` bytes; its length is told if `known`. */
static inline const hoop_response *test_source_respond(const hoop_request *req, uint64_t total,
                                                       uint64_t piece, int known, int endless)
{
    struct test_source *s = hoop_alloc(req, sizeof *s);
    memset(s, 0, sizeof *s);
    s->source.pull = test_source_pull;
    s->source.finished = test_source_finished;
    s->source.length = known ? total : HOOP__LENGTH_UNKNOWN;
    s->total = total;
    s->piece = piece;
    s->endless = endless;
    return hoop__respond_source(req, 200, "text/plain", &s->source);
}

#endif
