/* Conditional requests (RFC 9110 13): the preconditions of a request against the validators of what it asks for. */
#ifndef HOOP_CODEC_CONDITION_H
#define HOOP_CODEC_CONDITION_H

#include "codec/etag.h"

#include <stdint.h>

/* What is known of the selected representation now. */
struct hoop__validators {
    int exists;   /* there is one; a PUT that would make it finds 0 */
    int has_etag; /* `etag` is set */
    int has_modified;
    struct hoop__etag etag;
    int64_t modified; /* Last-Modified, in seconds since 1970 */
};

/* The values of the five fields; absent strings for those that are not there. Several lines of a list are
 * joined, of any other field there is one. */
struct hoop__conditions {
    hoop_str if_match;
    hoop_str if_none_match;
    hoop_str if_modified_since;
    hoop_str if_unmodified_since;
    hoop_str if_range;
};

enum hoop__verdict {
    HOOP__PROCEED,      /* do what was asked; also without any condition */
    HOOP__NOT_MODIFIED, /* 304 */
    HOOP__FAILED        /* 412 */
};

/*
 * Steps 1 to 4 of RFC 9110 13.2.2: If-Match, else If-Unmodified-Since; then If-None-Match, else
 * If-Modified-Since. `reads`: the method is GET or HEAD. `now` (seconds since 1970) is for two-digit years.
 * To be asked only if the answer without conditions would be a 2xx (13.2.1).
 */
enum hoop__verdict hoop__condition_check(const struct hoop__conditions *conditions,
                                         const struct hoop__validators *validators, int reads,
                                         int64_t now);

/*
 * Step 5: nonzero if a Range of this request is to be followed, as there is no If-Range or it fits.
 * A date fits only if it is the very same and at least a second old (RFC 9110 8.8.2.2).
 */
int hoop__condition_range(const struct hoop__conditions *conditions,
                          const struct hoop__validators *validators, int64_t now);

#endif
