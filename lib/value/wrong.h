/* The 400 that lists each value of a request that is not what it should be: parameters, parts of bodies. */
#ifndef HOOP_VALUE_WRONG_H
#define HOOP_VALUE_WRONG_H

#include "value/value.h"

/* So many are listed; what is wrong beyond them makes the same 400. */
#define HOOP__WRONG_MOST 32

/* One value that is wrong. Static strings, but for `name` and `value`, which are copied. */
struct hoop__wrong {
    const char *place;    /* "query", "body" */
    const char *kind;     /* what `name` is, and its key in the list: "parameter", "pointer" */
    const char *name;     /* of the value */
    hoop_str value;       /* as it was sent; absent: it is missing */
    const char *expected; /* "an integer" */
};

/*
 * Makes `*bad` (NULL before the first) a problem that lists `wrong` behind what it had listed. `bad` may be
 * NULL. HOOP_EMISSING, or HOOP_EPARSE if there is a value.
 */
int hoop__wrong(const hoop_request *req, const struct hoop__wrong *wrong,
                const hoop_response **bad);

/* Nonzero if the list is full, so that what is wrong besides need not be named. */
int hoop__wrong_is_full(const hoop_response *bad);

#endif
