/* How responses are made; shared by the constructors and by the functions that change one. */
#ifndef HOOP_VALUE_RESPONSE_H
#define HOOP_VALUE_RESPONSE_H

#include "value/value.h"

#define HOOP__FIRST_FIELDS 6 /* room for headers that a response starts with */

/* A fresh response with room for a few headers and none in it. NULL: noted. */
struct hoop__response *hoop__response_new(const hoop_request *req, int status);

/* Appends a header whose strings live long enough. 0, or HOOP_ENOMEM (noted). */
int hoop__response_append(const hoop_request *req, struct hoop__response *res, hoop_str name,
                          hoop_str value);

/* A shallow copy in the arena of `req`, to change. NULL: noted. */
struct hoop__response *hoop__response_derive(const hoop_request *req, const hoop_response *res);

/*
 * The ready `res` with one header more (absent value: none), in the place of all of its name if
 * `replace` is set. Strings are borrowed: they live in the arena of `req` or for ever, and are known
 * to be fit. NULL: noted.
 */
const hoop_response *hoop__response_with(const hoop_request *req, const hoop_response *res,
                                         hoop_str name, hoop_str value, int replace);

/* The ready `res` without body; a stream is ended without being run. NULL: noted. */
const hoop_response *hoop__response_bare(const hoop_request *req, const hoop_response *res);

/* 0, or HOOP_EINVAL and a note, for a header that a handler may set. */
int hoop__check_header(const hoop_request *req, hoop_str name, hoop_str value);

#endif
