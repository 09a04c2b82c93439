/* Names of nested parameters, `a[b][]`, split into the keys that they are made of. */
#ifndef HOOP_CODEC_NESTED_H
#define HOOP_CODEC_NESTED_H

#include <hoop/error.h>
#include <hoop/str.h>

/*
 * Splits a name: what stands in front of the first bracket, then what stands in each pair of brackets ("" for
 * `[]`, an element of a list). As Ring has it: a name that has brackets but does not end in ']' is one key as it
 * stands, what stands between the pairs is passed over, and a key may hold '['. Slices of `name`. 0, or
 * HOOP_ETOOBIG if there are more than `cap` keys (at least 1). Linear. Source: ring.middleware.nested-params.
 */
int hoop__nested_split(hoop_str name, hoop_str *keys, size_t cap, size_t *ret_count);

#endif
