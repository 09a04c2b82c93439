/* Bodies of responses in a content coding: bytes at once or on the pool, streams as they are sent. */
#ifndef HOOP_MIDDLEWARE_ENCODE_H
#define HOOP_MIDDLEWARE_ENCODE_H

#include "compress/codec.h"
#include "value/value.h"

/*
 * Compresses bytes into the arena of `req`. 0 and `*ret_body`; HOOP_ETOOBIG if they would not get smaller; else why
 * they can't be compressed now. On the loop's thread.
 */
int hoop__encode_bytes(const hoop_request *req, enum hoop__coding coding, int level, hoop_str bytes,
                       hoop_str *ret_body);

/*
 * Makes the response of what became of its bytes; `body` is absent if they stay as they are. On the pool, with
 * a deferred's request.
 */
typedef const hoop_response *hoop__encoded_fn(const hoop_request *req, const hoop_response *res,
                                              enum hoop__coding coding, hoop_str body);

/*
 * Has the bytes of `res` compressed on the blocking pool; the response is pending meanwhile. NULL, with
 * nothing noted that would matter, if the pool or the loop can't take it.
 */
const hoop_response *hoop__encode_later(const hoop_request *req, const hoop_response *res,
                                        enum hoop__coding coding, int level, hoop__encoded_fn *fn);

/*
 * A source that compresses what `inner` gives, and takes it over. NULL if that can't be now, then `inner` is
 * as it was.
 */
struct hoop__source *hoop__encode_source(const hoop_request *req, enum hoop__coding coding,
                                         int level, struct hoop__source *inner);

/* A source in the place of one that HEAD will not have sent; takes `inner` (or NULL) over. NULL: noted. */
struct hoop__source *hoop__encode_nothing(const hoop_request *req, struct hoop__source *inner);

#endif
