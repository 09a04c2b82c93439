/* Values of responses on their way to those who write them. */
#ifndef HOOP_MIDDLEWARE_VALUE_H
#define HOOP_MIDDLEWARE_VALUE_H

#include <hoop/json.h>
#include <hoop/response.h>

/* The value of a response that has no body yet; NULL if there is nothing to write. */
const json_t *hoop__value_unwritten(const hoop_response *res);

/* The response with these bytes, which live long enough, as its body, and with the type unless it has one.
 * NULL: noted. */
const hoop_response *hoop__value_written(const hoop_request *req, const hoop_response *res,
                                         hoop_str type, hoop_str bytes);

#endif
