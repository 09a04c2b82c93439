/* Responses of files, and hoop_file(). */
#include "file/file.h"

#include <hoop/range.h>

static const hoop_response *with_body(const hoop_request *req, int status, struct hoop__file *file)
{
    if (file->contents) {
        if (hoop__file_hold(req, file))
            return NULL;
        return hoop_bytes_static(req, status, NULL, hoop_str_n(file->contents, (size_t)file->size));
    }
    struct hoop__source *source = hoop__file_source_new(req, file);
    if (!source)
        return NULL;
    const hoop_response *res = hoop__respond_source(req, status, NULL, source);
    if (res)
        source->extra = &hoop__file_source_extra;
    return res;
}

const hoop_response *hoop__file_respond(const hoop_request *req, int status,
                                        struct hoop__file *file, hoop_str type)
{
    const hoop_response *pub = with_body(req, status, file);
    if (!pub)
        return NULL;
    /* Its strings are the file's, which the exchange holds, or its source; that runs as long. */
    struct hoop__response *res = hoop__response_of(pub);
    if (!file->contents && hoop__file_hold(req, file))
        return NULL;
    if ((type.len && hoop__response_append(req, res, hoop_str_c("Content-Type"), type)) ||
        hoop__response_append(req, res, hoop_str_c("Last-Modified"),
                              hoop_str_n(file->last_modified, HOOP__DATE_LEN)) ||
        hoop__response_append(req, res, hoop_str_c("ETag"), hoop_str_n(file->etag, file->etag_len)))
        return NULL;
    return pub;
}

static const hoop_response *found(const hoop_request *req, struct hoop__file *file, void *data)
{
    int status = *(const int *)data;
    if (file->kind != HOOP__FILE_PLAIN)
        return hoop_problem(req, 404, NULL);
    const hoop_response *res = hoop__file_respond(req, status, file, file->type);
    return res && status == 200 ? hoop_with_ranges(req, res) : res;
}

const hoop_response *hoop_file(const hoop_request *req, int status, const hoop_folder *folder,
                               const char *path)
{
    if (!req)
        return NULL;
    if (!folder || !path)
        return hoop_fail(req, HOOP_EINVAL, "hoop_file() needs a folder and a path");
    hoop_str text = hoop_str_c(path);
    if (!hoop__root_path_ok(text, folder->options.dot_files != 0))
        return hoop_problem(req, 404, NULL);
    int *keep = hoop_alloc(req, sizeof *keep);
    if (!keep)
        return NULL;
    *keep = status;
    return hoop__file_find(req, folder, text, /* derived= */ 0, found, keep);
}
