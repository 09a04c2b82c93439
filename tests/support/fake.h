/* A loop driven by hand and an engine without a protocol, for tests of the value layer. */
#ifndef HOOP_TEST_FAKE_H
#define HOOP_TEST_FAKE_H

#include "support.h"

#include "value/exchange.h"

#include <stdatomic.h>

/* The loop, with all that its driver was asked for. Begins with the loop, so that ops find it. */
struct fake {
    struct hoop_loop loop;
    struct test_allocator allocator; /* used unless another one was given */
    hoop_limits limits;              /* to be changed before a request is made */
    struct hoop__service service;
    hoop_handler handler;  /* what the service's root calls */
    atomic_int wakes;      /* how often another thread, or a bound, asked for a turn */
    int rearms;            /* how often an earlier timer was told */
    int64_t wall;          /* seconds of the loop's wall clock */
    int block_code;        /* what the blocking pool answers */
    struct hoop__job *job; /* the last one that it took */
    char log[2048];        /* "LEVEL text\n" of each line */
    char sent[8192];       /* what the newest response was, as fake_render() has it */
};

/* An exchange whose engine is the test. It is gone after fake_end(), unless a deferred is open. */
struct fake_exchange {
    struct hoop__exchange x;
    struct fake *fake;
    const struct hoop__response *response; /* given to respond(); it goes with the exchange */
    int responses;                         /* calls of respond() */
    int wants;                             /* calls of want_body() */
    int resumes;                           /* calls of resume() */
};

/* A loop at the time 1000 on an allocator that counts. Fails the test if it can't. */
void fake_init(struct fake *fake);

/* The same on a given allocator; 0 or a code. Racing threads should not meet at a counting one. */
int fake_init_on(struct fake *fake, const hoop_allocator *allocator);

/* Closes the loop and gives all back; nothing may be left on the counting allocator. */
void fake_done(struct fake *fake);

/* The steps of fake_done(), for tests that do something in between. */
void fake_close(struct fake *fake);

/* An exchange with a request that was not dispatched yet; NULL only if out of memory. */
struct fake_exchange *fake_make(struct fake *fake, const char *method, const char *uri);

/* Announces a body (HOOP__LENGTH_UNKNOWN: chunked) that nobody has asked for yet. */
void fake_body(struct fake_exchange *fx, uint64_t length);

/* Delivers bytes of the body, and its end. */
void fake_feed(struct fake_exchange *fx, const char *text);

/* Has a handler answer it. */
void fake_dispatch(struct fake_exchange *fx, hoop_handler_fn *fn, void *data);

/* fake_make() and fake_dispatch() of GET /. */
struct fake_exchange *fake_get(struct fake *fake, hoop_handler_fn *fn, void *data);

/* Ends it as an engine does: 0 (sent in full) or a code. */
void fake_end(struct fake_exchange *fx, int code);

/* Runs what was posted and queued, until nothing is left. */
void fake_turn(struct fake *fake);

/* Lets so many milliseconds pass, timer by timer. */
void fake_advance(struct fake *fake, uint64_t ms);

/* "STATUS\nName: value\n...\n\nbody" of a response. */
void fake_render(const hoop_response *res, char *out, size_t cap);

/* Fails unless a response is exactly this, or is NULL, pending or pass. */
#define assert_response(res, text) test_assert_response((res), (text), __FILE__, __LINE__)
void test_assert_response(const hoop_response *res, const char *want, const char *file, int line);

/* Fails unless the note of a request is this code and text. */
#define assert_noted(req, code, text) test_assert_noted((req), (code), (text), __FILE__, __LINE__)
void test_assert_noted(const hoop_request *req, int code, const char *text, const char *file,
                       int line);

#endif
