/* How responses get a cookie; for middleware that keeps something in one. */
#ifndef HOOP_MIDDLEWARE_COOKIES_INSIDE_H
#define HOOP_MIDDLEWARE_COOKIES_INSIDE_H

#include <hoop/cookie.h>
#include <hoop/response.h>

/* hoop_add_cookie_sized() for a value of any bytes. */
const hoop_response *hoop__add_set_cookie(const hoop_request *req, const hoop_response *res,
                                          const char *name, hoop_str value,
                                          const hoop_cookie_options *options, size_t options_size);

#endif
