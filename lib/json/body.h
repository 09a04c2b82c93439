/* What the readers of a body's values need to know of the body. */
#ifndef HOOP_JSON_BODY_H
#define HOOP_JSON_BODY_H

#include <hoop/json_doc.h>

/* The tree that hoop_request_doc() made and keeps with the exchange; NULL if it did not, or keeps none. */
const hoop_json_doc *hoop__body_doc(const hoop_request *req);

#endif
