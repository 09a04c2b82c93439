/* Conditional requests and ranges: what the files of this subject share, and lib/file uses. */
#ifndef HOOP_VALUE_CONDITIONAL_H
#define HOOP_VALUE_CONDITIONAL_H

#include "codec/condition.h"
#include "codec/range.h"
#include "value/exchange.h"

/* The conditions of a request. 0, or HOOP_ENOMEM (noted). */
int hoop__conditions_of(const hoop_request *req, struct hoop__conditions *ret_conditions);

/* Seconds since 1970, as the exchange's loop tells them, or, on another thread, the system; 0 for a request that has
 * no exchange. */
int64_t hoop__wall_of(const hoop_request *req);

/*
 * What Range asks for, as hoop__range_parse() tells it: a GET with one such header whose If-Range fits. 0: all.
 */
int hoop__ranges_of(const hoop_request *req, const struct hoop__conditions *conditions,
                    const struct hoop__validators *validators, uint64_t size,
                    struct hoop__range *ret_ranges);

/*
 * A source that gives `count` parts of `body` (bytes, or, if `inner` is not NULL, of that source, which can
 * seek and is ended with this one), framed as multipart/byteranges of `type`. In the arena of `req`; its length
 * is set. NULL: noted.
 */
struct hoop__source *hoop__byteranges_new(const hoop_request *req, hoop_str body,
                                          struct hoop__source *inner,
                                          const struct hoop__range *ranges, int count,
                                          uint64_t size, hoop_str boundary, hoop_str type);

#endif
