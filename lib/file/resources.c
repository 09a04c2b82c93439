/* Files that are part of the program; see hoop/resource.h. */
#include "file/root.h"
#include "file/way.h"
#include "middleware/middleware.h"

#include <hoop/range.h>
#include <hoop/resource.h>

#include <string.h>

/* --- the table ------------------------------------------------------------------------------- */

static const hoop_resource *at(const hoop_resources *r, size_t i)
{
    return (const hoop_resource *)(const void *)((const char *)r->table + i * r->entry_size);
}

/* The first entry whose path is not less than `path`. */
static size_t lower_bound(const hoop_resources *r, const char *path)
{
    size_t low = 0, high = r->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(at(r, middle)->path, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const hoop_resource *hoop_resource_find(const hoop_resources *resources, const char *path)
{
    if (!resources || !path)
        return NULL;
    size_t i = lower_bound(resources, path);
    return i < resources->count && strcmp(at(resources, i)->path, path) == 0 ? at(resources, i)
                                                                             : NULL;
}

/* --- sending --------------------------------------------------------------------------------- */

static hoop_str form_of(const hoop_resource *r, int encoding)
{
    const unsigned char *data = encoding < 0    ? r->data
                                : encoding == 0 ? r->br
                                : encoding == 1 ? r->zstd
                                                : r->gzip;
    size_t size = encoding < 0    ? r->size
                  : encoding == 0 ? r->br_size
                  : encoding == 1 ? r->zstd_size
                                  : r->gzip_size;
    return data ? hoop_str_n((const char *)data, size) : hoop_str_none();
}

static const hoop_response *send(const hoop_request *req, const hoop_resources_options *o,
                                 const hoop_resource *r)
{
    uint32_t tried = 0;
    int encoding, varies = r->br || r->zstd || r->gzip;
    do
        encoding = hoop__next_encoding(req, &tried);
    while (encoding >= 0 && hoop_str_is_none(form_of(r, encoding)));
    const char *name = encoding < 0 ? "" : hoop__encodings[encoding].name;
    const char *etag = hoop_printf(req, "\"%s%s%s\"", r->etag, *name ? "-" : "", name);
    if (!etag)
        return NULL;
    const hoop_response *res = hoop_bytes_static(req, 200, r->type, form_of(r, encoding));
    res = hoop__with(req, res, "ETag", etag);
    if (*name)
        res = hoop__with(req, res, "Content-Encoding", name);
    if (varies)
        res = hoop__with(req, res, "Vary", "Accept-Encoding");
    if (o->cache_control)
        res = hoop__with(req, res, "Cache-Control", o->cache_control);
    return res ? hoop_with_ranges(req, res) : NULL;
}

/* --- finding --------------------------------------------------------------------------------- */

/* The index file of a folder ("." is the topmost); NULL: it has none. Absent memory counts as none, too. */
static const hoop_resource *index_of(const hoop_request *req, const hoop_resources_options *o,
                                     const char *folder)
{
    if (!*o->index)
        return NULL;
    int top = strcmp(folder, ".") == 0;
    const char *path = hoop_printf(req, "%s%s%s", top ? "" : folder, top ? "" : "/", o->index);
    return path ? hoop_resource_find(o->resources, path) : NULL;
}

/* The answer, or NULL and `*ret_found` 0 if there is nothing. */
static const hoop_response *answer(const hoop_request *req, const hoop_resources_options *o,
                                   int *ret_found)
{
    hoop_str encoded;
    int slash = 0;
    *ret_found = 0;
    if (hoop__path_below(req, o->prefix, &encoded))
        return NULL;
    char *path = hoop_alloc(req, encoded.len + 2);
    *ret_found = !path;
    if (!path)
        return NULL;
    if (!encoded.len)
        memcpy(path, ".", 2);
    else if (hoop__root_path(encoded, /* dots= */ 1, path, &slash))
        return NULL;
    const hoop_resource *r =
        slash ? index_of(req, o, path) : hoop_resource_find(o->resources, path);
    *ret_found = 1;
    if (r)
        return send(req, o, r);
    if (!slash && index_of(req, o, path))
        return hoop__add_slash(req);
    *ret_found = 0;
    return NULL;
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    int found = 0;
    const hoop_response *res = hoop__reads(req) ? answer(req, value, &found) : NULL;
    return found ? res : hoop_call(next, req);
}

static const hoop_response *handle(const hoop_request *req, void *data)
{
    int found;
    if (!hoop__reads(req))
        return hoop__only_reads(req);
    const hoop_response *res = answer(req, data, &found);
    return found ? res : hoop_pass(req);
}

/* --- building -------------------------------------------------------------------------------- */

static int check(const hoop_resources_options *o, hoop_error *error)
{
    const hoop_resources *r = o->resources;
    if (!r || (!r->table && r->count))
        return hoop_error_set(error, HOOP_EINVAL, "resources: there is no table");
    if (r->count && r->entry_size < sizeof(hoop_resource))
        return hoop_error_set(error, HOOP_EINVAL,
                              "resources: the table's entries are of %zu bytes, not %zu",
                              r->entry_size, sizeof(hoop_resource));
    for (size_t i = 1; i < r->count; i++)
        if (strcmp(at(r, i - 1)->path, at(r, i)->path) >= 0)
            return hoop_error_set(error, HOOP_EINVAL, "resources: '%s' is out of order",
                                  at(r, i)->path);
    return hoop__check_way("resources", o->prefix, o->cache_control, error);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_resources_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (!own->index)
        own->index = "index.html";
    int rc = check(own, error);
    if (rc == 0)
        *ret_value = own;
    return rc;
}

const hoop_middleware_type hoop_resources_type = {
    .name = "resources",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

int hoop_resources_new_sized(hoop_arena *arena, hoop_handler *ret_handler, hoop_error *error,
                             const hoop_resources_options *options, size_t options_size)
{
    const void *value;
    if (!arena || !ret_handler)
        return hoop_error_set(error, HOOP_EINVAL, "hoop_resources_new() needs an arena");
    int rc = build(arena, options, options_size, &value, error);
    if (rc)
        return rc;
    hoop_handler handler = hoop_streaming(arena, hoop_fn(handle, (void *)(uintptr_t)value));
    if (!handler.fn)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    *ret_handler = handler;
    return 0;
}
