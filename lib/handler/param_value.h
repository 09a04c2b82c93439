/* Texts read as typed values; nothing here knows a request. */
#ifndef HOOP_HANDLER_PARAM_VALUE_H
#define HOOP_HANDLER_PARAM_VALUE_H

#include <hoop/error.h>
#include <hoop/str.h>

/* Each gives 0 and the value, or HOOP_EPARSE. The text needs no NUL behind it. */
int hoop__value_int64(hoop_str text, int64_t *ret_value);
int hoop__value_double(hoop_str text, double *ret_value);
int hoop__value_bool(hoop_str text, int *ret_value);
int hoop__value_uuid(hoop_str text, uint8_t ret_value[16]);
int hoop__value_time(hoop_str text, int64_t *ret_value);

#endif
