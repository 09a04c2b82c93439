/* Files of a form: looked up, and kept; see hoop/upload.h. */
#include "middleware/upload.h"

#include "middleware/temp_file.h"

#include <hoop/error.h>

static const char uploads_key = 0;

const struct hoop__uploads *hoop__uploads_of(const hoop_request *req)
{
    return hoop_get(req, &uploads_key);
}

const hoop_request *hoop__uploads_put(const hoop_request *req, const struct hoop__uploads *uploads)
{
    return hoop_assoc(req, &uploads_key, uploads);
}

const hoop_upload *hoop_uploads(const hoop_request *req, size_t *ret_count)
{
    const struct hoop__uploads *uploads = req ? hoop__uploads_of(req) : NULL;
    *ret_count = uploads ? uploads->count : 0;
    return *ret_count ? uploads->items : NULL;
}

const hoop_upload *hoop_upload_find(const hoop_request *req, const char *name)
{
    size_t count;
    const hoop_upload *uploads = hoop_uploads(req, &count);
    while (name && count-- > 0)
        if (hoop_str_eq(uploads[count].name, hoop_str_c(name)))
            return &uploads[count];
    return NULL;
}

int hoop_upload_keep(const hoop_upload *upload, const char *path)
{
    if (!upload || !path)
        return HOOP_EINVAL;
    if (upload->fd < 0)
        return hoop__temp_save(upload->bytes, path);
    return hoop__temp_keep(upload->fd, upload->path.data, upload->size, path);
}
