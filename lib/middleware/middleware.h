/* What the files of this room share: options of any size, values for pure functions. */
#ifndef HOOP_MIDDLEWARE_MIDDLEWARE_H
#define HOOP_MIDDLEWARE_MIDDLEWARE_H

#include "value/exchange.h"

#include <hoop/deferred.h>
#include <hoop/middleware.h>

/*
 * A copy of an options struct in `arena`, `own_size` bytes as this library knows it: what the caller's
 * compiler did not know is zero, and so is all of it if `options` is NULL. NULL: out of memory, told.
 */
void *hoop__options_copy(hoop_arena *arena, const void *options, size_t options_size,
                         size_t own_size, hoop_error *error);

/* The value that a type builds of its options, in the arena of `req`; for pure functions. NULL: noted. */
const void *hoop__options_value(const hoop_request *req, const hoop_middleware_type *type,
                                const void *options, size_t options_size);

/* The end of a pure function that refuses: hands `answer` out, unless making it failed. Returns NULL. */
const hoop_request *hoop__refused(const hoop_response **ret_answer, const hoop_response *answer);

/* Texts one behind the other, in the request's arena, with a NUL behind. Absent: out of memory, noted. */
hoop_str hoop__join(const hoop_request *req, const hoop_str *parts, size_t count);

/* A number as text, likewise. */
hoop_str hoop__number_text(const hoop_request *req, uint64_t number);

/* Continues a request behind its body: what hoop_read_body() needs to know of a middleware. */
struct hoop__rest {
    hoop_handler next;
    const void *value;
};

/* One of those in the request's arena. NULL: noted. */
struct hoop__rest *hoop__rest_new(const hoop_request *req, hoop_handler next, const void *value);

#endif
