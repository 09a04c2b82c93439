/* The driver of middleware tests: each case is run inline, deferred, cancelled, failing and passing. */
#ifndef HOOP_TEST_MIDDLEWARE_H
#define HOOP_TEST_MIDDLEWARE_H

#include "support.h"

/* A request, what answers it further in, and what must come out. All but `want` may be left out. */
struct middleware_case {
    const char *method;     /* NULL: GET */
    const char *uri;        /* NULL: "/" */
    const char *headers;    /* "Name: value\nName: value" */
    const char *body;       /* NULL: none */
    const char *answer;     /* "200\nName: value\n\nbody", what the handler answers */
    hoop_handler_fn *inner; /* in its place: a handler, which tells what it sees; `data` is NULL */
    const char *want;       /* the response, written as `answer` is */
    const char *failed;     /* likewise, if the handler fails; NULL: the failure comes through */
    const char *passed;     /* likewise, if it passes; NULL: the pass comes through */
    int streamed;           /* the answer's body is a stream of unknown length */
};

/*
 * Runs each case through a chain: with a handler that answers at once, one that answers later, and one
 * that answers after the client has left, all of which must give `want`; and, if the handler was asked
 * at all, with one that fails at once or later, and one that passes.
 */
void test_middleware(const hoop_middleware *chain, size_t count,
                     const struct middleware_case *cases, size_t case_count);

/* The same for one entry and an array of cases. */
#define check_middleware(entry, cases) test_middleware(&(entry), 1, (cases), HOOP_COUNT(cases))

/* Has each allocation fail once, of building the chain and of running a case; nothing may get lost, and
 * what comes out is `want` or a failure for lack of memory. */
void test_middleware_memory(const hoop_middleware *chain, size_t count,
                            const struct middleware_case *one);

/* The request of a case, in `arena`; NULL if out of memory. */
const hoop_request *middleware_request(hoop_arena *arena, const struct middleware_case *one);

/* What a chain answers to one case, in `arena`, when the handler answers at once. */
const hoop_response *middleware_answer(hoop_arena *arena, const hoop_middleware *chain,
                                       size_t count, const struct middleware_case *one);

/* The response written as text: "200\nName: value\n\nbody". */
const hoop_response *middleware_response(const hoop_request *req, const char *text, int streamed);

/* Fails unless the chain can't be built, with this code and text. */
void test_middleware_refused(const hoop_middleware *chain, size_t count, int code,
                             const char *text);

#endif
