/* What middleware that reads bodies asks of a request. */
#ifndef HOOP_MIDDLEWARE_BODY_H
#define HOOP_MIDDLEWARE_BODY_H

#include "codec/media.h"

#include <hoop/request.h>

/* Nonzero if the charset of Content-Type is UTF-8 or a part of it, or is not said. */
int hoop__body_is_utf8(const hoop_request *req);

/* Nonzero if the leaf of the route that was chosen reads the body by itself. */
int hoop__body_is_streamed(const hoop_request *req);

/* Nonzero if a type is one of a list, by commas; "+json" in it is every type with that suffix. */
int hoop__media_means(const struct hoop__media *media, hoop_str list);

#endif
