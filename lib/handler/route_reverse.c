/* Reverse routing: from the name of a route and its parameters to a path, and query strings. */
#include "handler/router.h"

#include "codec/form.h"
#include "codec/percent.h"

#include <string.h>

/* What went wrong on the way to a path. */
static int missing(const struct hoop__row *row, hoop_str name, const char *what, hoop_error *error)
{
    return hoop_error_set(error, HOOP_EMISSING,
                          "route '%s' (%s) needs the parameter '%s', which %s", row->pub.name,
                          row->pub.path, name.data, what);
}

static const char *find_param(const char *const *params, hoop_str name)
{
    for (; params && params[0]; params += 2)
        if (hoop_str_eq_c(name, params[0]))
            return params[1];
    return NULL;
}

/* Room for the path, grown as it comes. */
struct path {
    hoop_arena *arena;
    char *text;
    size_t len, cap;
};

static int append(struct path *path, hoop_str text, unsigned keep)
{
    size_t size = hoop__percent_size(text, keep);
    if (size >= SIZE_MAX / 4)
        return HOOP_ENOMEM;
    if (path->len + size + 1 > path->cap) {
        size_t cap = (path->len + size + 1) * 2;
        char *grown = hoop_arena_alloc(path->arena, cap);
        if (!grown)
            return HOOP_ENOMEM;
        if (path->len)
            memcpy(grown, path->text, path->len);
        path->text = grown;
        path->cap = cap;
    }
    path->len += hoop__percent_encode(text, keep, path->text + path->len);
    path->text[path->len] = 0;
    return 0;
}

/* What a value must be, so that the path leads back to the route. */
static int check_value(const struct hoop__row *row, const struct hoop__piece *piece, hoop_str name,
                       hoop_str value, hoop_error *error)
{
    if (piece->type && !hoop__route_type_fits(piece->type, value))
        return hoop_error_set(
            error, HOOP_EINVAL, "route '%s' (%s): '%s' is no %s, so it can't be the parameter '%s'",
            row->pub.name, row->pub.path, value.data, piece->type->name, name.data);
    if (hoop_str_eq_c(value, ".") || hoop_str_eq_c(value, ".."))
        return hoop_error_set(error, HOOP_EINVAL,
                              "route '%s' (%s): '%s' means another path, so it can't be the "
                              "parameter '%s'",
                              row->pub.name, row->pub.path, value.data, name.data);
    if (piece->stop && memchr(value.data, piece->stop, value.len))
        return hoop_error_set(error, HOOP_EINVAL,
                              "route '%s' (%s): '%s' has the '%c' that ends the parameter '%s'",
                              row->pub.name, row->pub.path, value.data, piece->stop, name.data);
    return 0;
}

static int put_segment(struct path *path, const struct hoop__row *row,
                       const struct hoop__segment *segment, const hoop_str *names,
                       const char *const *params, hoop_error *error)
{
    if (append(path, hoop_str_c("/"), HOOP__KEEP_PATH))
        return HOOP_ENOMEM;
    for (uint32_t i = 0; i < segment->piece_count; i++) {
        const struct hoop__piece *piece = &segment->pieces[i];
        if (append(path, piece->text, HOOP__KEEP_SEGMENT))
            return HOOP_ENOMEM;
        if (!piece->is_param)
            continue;
        hoop_str name = *names++;
        const char *value = find_param(params, name);
        if (!value || !*value)
            return missing(row, name, value ? "is empty" : "is not given", error);
        int rc = check_value(row, piece, name, hoop_str_c(value), error);
        if (rc)
            return rc;
        if (append(path, hoop_str_c(value), HOOP__KEEP_SEGMENT))
            return HOOP_ENOMEM;
    }
    return 0;
}

/* 0, HOOP_EMISSING or HOOP_EINVAL with a text, or HOOP_ENOMEM without. */
static int build_path(struct path *path, const struct hoop__row *row, const char *const *params,
                      hoop_error *error)
{
    const struct hoop__template *t = &row->path;
    const hoop_str *names = t->names;
    for (uint32_t i = 0; i < t->segment_count; i++) {
        int rc = put_segment(path, row, &t->segments[i], names, params, error);
        if (rc)
            return rc;
        names += t->segments[i].param_count;
    }
    if (t->has_rest && !(row->pub.mount && t->takes_bare)) {
        const char *rest = row->pub.mount ? "" : find_param(params, *names);
        if (!rest)
            return missing(row, *names, "is not given", error);
        if (!path->len && (*rest == '/' || *rest == '\\'))
            return hoop_error_set(error, HOOP_EINVAL,
                                  "route '%s' (%s): '/%s' would lead to another host",
                                  row->pub.name, row->pub.path, rest);
        if (append(path, hoop_str_c("/"), HOOP__KEEP_PATH) ||
            append(path, hoop_str_c(rest), HOOP__KEEP_PATH))
            return HOOP_ENOMEM;
    }
    return 0;
}

/* The route and the path; `context` stands in front. */
static int path_of(hoop_arena *arena, const struct hoop__router *router, hoop_str context,
                   const char *name, const char *const *params, hoop_str *ret_path,
                   hoop_error *error)
{
    const struct hoop__row *row = hoop__map_find(&router->names, hoop_str_c(name));
    if (!row)
        return hoop_error_set(error, HOOP_EMISSING, "no route has the name '%s'", name);
    struct path path = { .arena = arena };
    int rc = append(&path, hoop_str_c(""), HOOP__KEEP_PATH);
    hoop_str text = hoop_str_none();
    if (!rc)
        rc = build_path(&path, row, params, error);
    if (!rc) {
        text = hoop_arena_printf(arena, "%s%s", context.data, path.text);
        rc = hoop_str_is_none(text) ? HOOP_ENOMEM : 0;
    }
    if (rc == HOOP_ENOMEM)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    if (!rc)
        *ret_path = text;
    return rc;
}

int hoop_router_path_for(hoop_arena *arena, hoop_handler handler, const char *name,
                         const char *const *params, hoop_str *ret_path, hoop_error *error)
{
    const struct hoop__router *router = hoop__router_of(handler);
    if (!arena || !name || !ret_path)
        return hoop_error_set(error, HOOP_EINVAL, "arena, name and ret_path may not be NULL");
    if (!router)
        return hoop_error_set(error, HOOP_EINVAL, "the handler is no router");
    return path_of(arena, router, hoop_str_c(""), name, params, ret_path, error);
}

const char *hoop_path_for(const hoop_request *req, const char *name, const char *const *params)
{
    const struct hoop__match *m = req ? hoop__match_of(req) : NULL;
    if (!req || !name)
        return NULL;
    for (; m; m = m->parent) {
        if (!hoop__map_find(&m->router->names, hoop_str_c(name)))
            continue;
        /* What the mounts around this router have taken, which is its parent's context. */
        int mounted = m->parent && m->parent->uri == m->uri;
        hoop_str path, context = mounted ? m->parent->context : hoop_str_c("");
        hoop_error error;
        int rc = path_of(req->arena, m->router, context, name, params, &path, &error);
        if (!rc)
            return path.data;
        if (rc == HOOP_ENOMEM)
            hoop__fail_memory(req);
        else
            hoop_fail(req, rc, "%s", error.text);
        return NULL;
    }
    hoop_fail(req, HOOP_EMISSING, "no route has the name '%s'", name);
    return NULL;
}

const char *hoop_url_for(const hoop_request *req, const char *name, const char *const *params)
{
    const char *path = hoop_path_for(req, name, params);
    if (!path)
        return NULL;
    hoop_str host = hoop_header(req, "host");
    if (!host.len)
        host = hoop_server_name(req);
    return hoop_printf(req, "%s://%s%s", req->scheme.data, host.data, path);
}

const char *hoop_query_for(const hoop_request *req, const char *const *pairs)
{
    size_t count = 0;
    if (!req)
        return NULL;
    while (pairs && pairs[count])
        count += 2;
    hoop_str *strs = hoop_alloc(req, (count + 1) * sizeof *strs);
    if (!strs)
        return NULL;
    for (size_t i = 0; i < count; i++)
        strs[i] = hoop_str_c(pairs[i] ? pairs[i] : "");
    size_t size = hoop__form_size(strs, count);
    char *text = size < SIZE_MAX ? hoop_alloc(req, size + 1) : NULL;
    if (!text)
        return hoop__fail_memory(req);
    text[hoop__form_encode(strs, count, text)] = 0;
    return text;
}
