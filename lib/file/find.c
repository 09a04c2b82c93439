/* Looking a path up: in the cache, at once, or on the pool; see file.h. */
#include "file/file.h"
#include "file/offload.h"
#include "value/pending.h"

/* In the exchange's arena, which gives back what nobody took. */
struct lookup {
    const struct hoop_folder *folder;
    const hoop_allocator *allocator;
    hoop_str path;
    hoop__found_fn *fn;
    void *data;
    struct hoop__file *file; /* with a reference */
    int code;
    int derived;
};

static void drop(void *data)
{
    hoop__file_unref(((struct lookup *)data)->file);
}

static void load(void *arg)
{
    struct lookup *l = arg;
    l->code = hoop__file_load(l->folder, l->path, l->allocator, /* may_wait= */ 1, &l->file);
}

static const hoop_response *fail(const hoop_request *req, int code, hoop_str path)
{
    if (code == HOOP_ENOMEM)
        return hoop__fail_memory(req);
    return hoop_fail(req, code, "there is no descriptor left to open '%s'", path.data);
}

static void remember(const hoop_request *req, const struct lookup *l)
{
    struct hoop_loop *loop = hoop_loop_of(req);
    if (l->file->kind == HOOP__FILE_MISSING && !l->derived)
        return;
    struct hoop__file_cache *cache = hoop__file_cache_of(loop, l->folder);
    if (cache)
        hoop__file_cache_put(cache, l->file, loop->now);
}

static const hoop_response *loaded(const hoop_request *req, const hoop_response *res,
                                   const void *value)
{
    (void)res;
    struct lookup *l = (struct lookup *)(uintptr_t)value;
    if (l->code)
        return fail(req, l->code, l->path);
    remember(req, l);
    return l->fn(req, l->file, l->data);
}

static const hoop_response *load_later(const hoop_request *req, const struct lookup *lookup)
{
    struct lookup *l = hoop_alloc(req, sizeof *l);
    if (!l)
        return NULL;
    *l = *lookup;
    if (hoop__arena_copy(req->arena, lookup->path, &l->path) ||
        hoop_arena_on_dispose(req->arena, drop, l))
        return hoop__fail_memory(req);
    return hoop__offload(req, load, loaded, l);
}

/* On a thread that may wait: without the cache, which is the loop's. */
static const hoop_response *find_here(const hoop_request *req, struct lookup *l)
{
    l->allocator = req->arena->allocator;
    load(l);
    const hoop_response *res = l->code ? fail(req, l->code, l->path) : l->fn(req, l->file, l->data);
    hoop__file_unref(l->file);
    return res;
}

const hoop_response *hoop__file_find(const hoop_request *req, const struct hoop_folder *folder,
                                     hoop_str path, int derived, hoop__found_fn *fn, void *data)
{
    struct lookup l = {
        .folder = folder, .path = path, .fn = fn, .data = data, .derived = derived
    };
    if (!hoop__exchange_of(req))
        return hoop_fail(req, HOOP_EINVAL, "a file needs a request of an exchange");
    if (!hoop__on_loop(req))
        return find_here(req, &l);
    struct hoop_loop *loop = hoop_loop_of(req);
    struct hoop__file_cache *cache = hoop__file_cache_of(loop, folder);
    if (!cache)
        return hoop__fail_memory(req);
    struct hoop__file *known = hoop__file_cache_get(cache, folder, path, loop->now);
    if (known) {
        hoop__file_ref(known); /* it may lose its place in the cache meanwhile */
        const hoop_response *res = fn(req, known, data);
        hoop__file_unref(known);
        return res;
    }
    l.allocator = loop->allocator;
    l.code = hoop__file_load(folder, path, loop->allocator, /* may_wait= */ 0, &l.file);
    if (l.code == HOOP_EAGAIN)
        return load_later(req, &l);
    const hoop_response *res = loaded(req, NULL, &l);
    hoop__file_unref(l.file);
    return res;
}
