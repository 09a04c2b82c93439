/* The files of a form, where they are known from. */
#ifndef HOOP_MIDDLEWARE_UPLOAD_H
#define HOOP_MIDDLEWARE_UPLOAD_H

#include <hoop/upload.h>

/* What hangs on a request whose form was read. */
struct hoop__uploads {
    const hoop_upload *items;
    size_t count;
};

/* NULL: nobody has read a form. */
const struct hoop__uploads *hoop__uploads_of(const hoop_request *req);

/* A request that has them; `uploads` lies in its arena. NULL: noted. */
const hoop_request *hoop__uploads_put(const hoop_request *req, const struct hoop__uploads *uploads);

#endif
