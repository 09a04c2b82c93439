/* The page that shows a developer what failed. */
#ifndef HOOP_MIDDLEWARE_ERROR_PAGE_H
#define HOOP_MIDDLEWARE_ERROR_PAGE_H

#include <hoop/error.h>
#include <hoop/handler.h>

/* The failure, the request and the handlers further in, as HTML, all escaped. NULL: noted. */
const hoop_response *hoop__error_page(const hoop_request *req, int status, const hoop_error *error,
                                      hoop_handler next);

#endif
