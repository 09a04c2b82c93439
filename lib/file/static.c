/* The way from a request's path to a file: index, slash, precompressed siblings; see hoop/file.h. */
#include "file/file.h"
#include "file/way.h"
#include "middleware/middleware.h"

#include <hoop/range.h>

#include <string.h>

/* A request on its way; in the exchange's arena. */
struct serve {
    const hoop_static_options *options;
    hoop_handler next;             /* asked if there is nothing; fn NULL: pass */
    const hoop_response *original; /* the handler's 404, if it was asked first; or NULL */
    hoop_str path;                 /* of the file, or of the folder */
    const char *index;             /* the names that are still to be tried */
    struct hoop__file *plain;      /* what a sibling stands for; held by the exchange */
    uint32_t tried;                /* encodings, by bits */
    int encoding;                  /* tried last */
    int slash;                     /* the client's path ended in one */
};

static const hoop_response *not_found(const hoop_request *req, const struct serve *s)
{
    if (s->original)
        return s->original;
    return s->next.fn ? hoop_call(s->next, req) : hoop_pass(req);
}

static const hoop_response *sorry(const hoop_request *req)
{
    return hoop__fail_memory(req);
}

/* A path made of two, with a NUL. Absent if out of memory. */
static hoop_str join(const hoop_request *req, hoop_str a, const char *between, hoop_str b)
{
    size_t gap = strlen(between);
    char *text = hoop_alloc(req, a.len + gap + b.len + 1);
    if (!text)
        return hoop_str_none();
    memcpy(text, a.data, a.len);
    memcpy(text + a.len, between, gap);
    memcpy(text + a.len + gap, b.data, b.len);
    text[a.len + gap + b.len] = 0;
    return hoop_str_n(text, a.len + gap + b.len);
}

/* --- sending --------------------------------------------------------------------------------- */

static const hoop_response *send_file(const hoop_request *req, const struct serve *s,
                                      struct hoop__file *file, const char *encoding)
{
    hoop_str type = s->plain ? s->plain->type : file->type;
    const hoop_response *res = hoop__file_respond(req, 200, file, type);
    if (encoding)
        res = hoop__with(req, res, "Content-Encoding", encoding);
    if (s->options->precompressed)
        res = hoop__with(req, res, "Vary", "Accept-Encoding");
    if (s->options->cache_control)
        res = hoop__with(req, res, "Cache-Control", s->options->cache_control);
    return res ? hoop_with_ranges(req, res) : NULL;
}

static const hoop_response *try_sibling(const hoop_request *req, struct serve *s);

/* One that is older than its file is not of it. */
static int is_older(const struct hoop__file *sibling, const struct hoop__file *plain)
{
    return sibling->modified.tv_sec < plain->modified.tv_sec;
}

static const hoop_response *on_sibling(const hoop_request *req, struct hoop__file *file, void *data)
{
    struct serve *s = data;
    if (file->kind != HOOP__FILE_PLAIN || is_older(file, s->plain))
        return try_sibling(req, s);
    return send_file(req, s, file, hoop__encodings[s->encoding].name);
}

static const hoop_response *try_sibling(const hoop_request *req, struct serve *s)
{
    s->encoding = hoop__next_encoding(req, &s->tried);
    if (s->encoding < 0)
        return send_file(req, s, s->plain, NULL);
    hoop_str path = join(req, s->path, ".", hoop_str_c(hoop__encodings[s->encoding].extension));
    if (hoop_str_is_none(path))
        return sorry(req);
    return hoop__file_find(req, s->options->folder, path, /* derived= */ 1, on_sibling, s);
}

static const hoop_response *send(const hoop_request *req, struct serve *s, struct hoop__file *file)
{
    if (!s->options->precompressed || hoop_str_is_none(hoop_header(req, "accept-encoding")))
        return send_file(req, s, file, NULL);
    if (hoop__file_hold(req, file))
        return NULL;
    s->plain = file;
    return try_sibling(req, s);
}

/* --- folders --------------------------------------------------------------------------------- */

static const hoop_response *try_index(const hoop_request *req, struct serve *s, hoop_str folder);

static const hoop_response *on_index(const hoop_request *req, struct hoop__file *file, void *data)
{
    struct serve *s = data;
    if (file->kind == HOOP__FILE_PLAIN)
        return send(req, s, file);
    hoop_str path = s->path;
    const char *slash = memrchr(path.data, '/', path.len);
    hoop_str folder = slash ? hoop_str_n(path.data, (size_t)(slash - path.data)) : hoop_str_c(".");
    return try_index(req, s, folder);
}

static const hoop_response *try_index(const hoop_request *req, struct serve *s, hoop_str folder)
{
    s->index += strspn(s->index, " ");
    size_t len = strcspn(s->index, " ");
    int top = hoop_str_eq_c(folder, ".");
    if (!len) {
        if (!s->options->listing)
            return not_found(req, s);
        hoop_str path = join(req, folder, "", hoop_str_c(""));
        return hoop_str_is_none(path) ? sorry(req)
                                      : hoop__file_listing(req, s->options->folder, path);
    }
    hoop_str name = hoop_str_n(s->index, len);
    s->index += len;
    s->path = join(req, top ? hoop_str_c("") : folder, top ? "" : "/", name);
    if (hoop_str_is_none(s->path))
        return sorry(req);
    return hoop__file_find(req, s->options->folder, s->path, /* derived= */ 1, on_index, s);
}

static const hoop_response *on_path(const hoop_request *req, struct hoop__file *file, void *data)
{
    struct serve *s = data;
    if (file->kind == HOOP__FILE_PLAIN)
        return s->slash ? not_found(req, s) : send(req, s, file);
    if (file->kind == HOOP__FILE_MISSING || (!*s->index && !s->options->listing))
        return not_found(req, s);
    return s->slash ? try_index(req, s, s->path) : hoop__add_slash(req);
}

/* --- the request ----------------------------------------------------------------------------- */

static const hoop_response *serve(const hoop_request *req, struct serve *s)
{
    const hoop_static_options *o = s->options;
    hoop_str encoded;
    if (hoop__path_below(req, o->prefix, &encoded))
        return not_found(req, s);
    char *path = hoop_alloc(req, encoded.len + 2);
    if (!path)
        return NULL;
    if (!encoded.len) { /* the mount or the prefix itself, as a folder */
        memcpy(path, ".", 2);
        s->slash = 0;
    } else if (hoop__root_path(encoded, o->folder->options.dot_files != 0, path, &s->slash)) {
        return not_found(req, s);
    }
    s->path = hoop_str_c(path);
    s->index = o->index;
    return hoop__file_find(req, o->folder, s->path, /* derived= */ 0, on_path, s);
}

static struct serve *serve_new(const hoop_request *req, const hoop_static_options *options,
                               hoop_handler next, const hoop_response *original)
{
    struct serve *s = hoop_alloc(req, sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->options = options;
    s->next = next;
    s->original = original;
    return s;
}

/* --- the middleware -------------------------------------------------------------------------- */

static const hoop_response *behind(const hoop_request *req, const hoop_response *res,
                                   const void *value)
{
    if (res->status != 404)
        return res;
    struct serve *s = serve_new(req, value, hoop_fn(NULL, NULL), res);
    return s ? serve(req, s) : NULL;
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_static_options *options = value;
    if (!hoop__reads(req))
        return hoop_call(next, req);
    if (options->prefer_handler) {
        const hoop_response *res = hoop_call(next, req);
        if (!hoop_is_pass(res))
            return hoop_then(req, res, behind, value);
        next = hoop_fn(NULL, NULL);
    }
    struct serve *s = serve_new(req, options, next, NULL);
    return s ? serve(req, s) : NULL;
}

static int check(const hoop_static_options *o, hoop_error *error)
{
    if (!o->folder)
        return hoop_error_set(error, HOOP_EINVAL, "static_files: there is no folder");
    if (strchr(o->index, '/'))
        return hoop_error_set(error, HOOP_EINVAL, "static_files: '%s' are no names of files",
                              o->index);
    return hoop__check_way("static_files", o->prefix, o->cache_control, error);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_static_options *own = hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (!own->index)
        own->index = "index.html";
    int rc = check(own, error);
    if (rc == 0)
        *ret_value = own;
    return rc;
}

const hoop_middleware_type hoop_static_files_type = {
    .name = "static_files",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

/* --- the handler ----------------------------------------------------------------------------- */

static const hoop_response *handle(const hoop_request *req, void *data)
{
    if (!hoop__reads(req))
        return hoop__only_reads(req);
    struct serve *s = serve_new(req, data, hoop_fn(NULL, NULL), NULL);
    return s ? serve(req, s) : NULL;
}

int hoop_static_new_sized(hoop_arena *arena, hoop_handler *ret_handler, hoop_error *error,
                          const hoop_static_options *options, size_t options_size)
{
    const void *value;
    if (!arena || !ret_handler)
        return hoop_error_set(error, HOOP_EINVAL, "hoop_static_new() needs an arena");
    int rc = build(arena, options, options_size, &value, error);
    if (rc)
        return rc;
    /* Called at the head, so that a body that nobody wants is not read for a 405. */
    hoop_handler handler = hoop_streaming(arena, hoop_fn(handle, (void *)(uintptr_t)value));
    if (!handler.fn)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    *ret_handler = handler;
    return 0;
}
