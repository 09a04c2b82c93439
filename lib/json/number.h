/* Numbers of JSON, read from their text; their grammar has been checked. */
#ifndef HOOP_JSON_NUMBER_H
#define HOOP_JSON_NUMBER_H

#include <hoop/error.h>
#include <hoop/str.h>

#include <stdint.h>

/* A number without fraction and exponent. 0, or HOOP_ETOOBIG. */
int hoop__number_int64(hoop_str text, int64_t *ret_value);
int hoop__number_uint64(hoop_str text, uint64_t *ret_value);

/* The nearest double, ties to even; HOOP_ETOOBIG if that is infinite. In any locale. */
int hoop__number_double(hoop_str text, double *ret_value);

#endif
