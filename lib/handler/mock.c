/* Mock requests: made by hand, changed as values. Calling with them is call_sync.c's. */
#include "handler/mock.h"

#include "codec/form.h"
#include "codec/host.h"

#include <stdlib.h>
#include <string.h>

int hoop__is_mock(const hoop_request *req)
{
    const struct hoop__exchange *x = hoop__exchange_of(req);
    return x && x->ops == &hoop__mock_ops;
}

/* --- exchanges ------------------------------------------------------------------------------- */

/* The body is there already for whoever calls a handler directly; hoop_call_sync() delivers it. */
static void set_body(struct hoop__mock_exchange *mx, hoop_str body)
{
    mx->body = body;
    memset(&mx->x.body, 0, sizeof mx->x.body);
    if (!body.len) /* as with a server: nothing to come is no body */
        return;
    mx->x.body.state = HOOP__BODY_COMPLETE;
    mx->x.body.length = mx->x.body.received = mx->x.body.len = body.len;
    mx->x.body.data = (char *)(uintptr_t)body.data;
    mx->x.body.trailers = mx->trailers;
    mx->x.body.trailer_count = mx->trailer_count;
}

/* What it holds stays until the arena goes, since the response that was returned lies there. */
static void on_ended(struct hoop__exchange *x)
{
    (void)x;
}

struct hoop__mock_exchange *hoop__mock_exchange(struct hoop__world *world, hoop_arena *arena)
{
    struct hoop__mock_exchange *mx = hoop_arena_zalloc(arena, sizeof *mx);
    if (!mx)
        return NULL;
    mx->world = world;
    mx->next = world->exchanges;
    world->exchanges = mx;
    mx->body = hoop_str_none();
    mx->x.ops = &hoop__mock_ops;
    mx->x.loop = &world->loop;
    mx->x.service = &world->service;
    mx->x.arena = arena;
    mx->x.ended = on_ended;
    mx->x.request.exchange = &mx->x;
    mx->x.request.note = &mx->x.note;
    return mx;
}

struct hoop__mock_exchange *hoop__mock_fork(const hoop_request *req)
{
    const struct hoop__mock_exchange *old = hoop__mock_of(req);
    /* The request may be a deferred's, on an arena of its own: the copy goes to the user's. */
    struct hoop__mock_exchange *mx = hoop__mock_exchange(old->world, old->x.arena);
    if (!mx)
        return NULL;
    mx->x.peer = old->x.peer;
    mx->x.request = *hoop__request_of(req);
    mx->x.request.pub.arena = old->x.arena;
    mx->x.request.exchange = &mx->x;
    mx->x.request.note = &mx->x.note;
    mx->x.request.deferred = NULL;
    mx->chunk = old->chunk;
    mx->trailers = old->trailers;
    mx->trailer_count = old->trailer_count;
    set_body(mx, old->body);
    return mx;
}

/* --- the URL --------------------------------------------------------------------------------- */

struct url {
    hoop_str scheme;
    hoop_str authority;
    hoop_str path;
    hoop_str query;
    uint32_t port;
};

static int cut_authority(hoop_str text, size_t scheme_len, struct url *url, hoop_str *ret_rest)
{
    url->scheme = hoop_str_n(text.data, scheme_len);
    hoop_str rest = hoop_str_n(text.data + scheme_len + 3, text.len - scheme_len - 3);
    size_t len = strcspn(rest.data, "/?");
    url->authority = hoop_str_n(rest.data, len);
    *ret_rest = hoop_str_n(rest.data + len, rest.len - len);
    hoop_str host;
    return hoop__host_split(url->authority, &host, &url->port) || !host.len ? HOOP_EINVAL : 0;
}

/* A path with an optional query, or an absolute URL. */
static int split_url(const char *uri, struct url *url)
{
    hoop_str rest = hoop_str_c(uri);
    url->scheme = hoop_str_c("http");
    url->authority = hoop_str_c("localhost");
    url->port = 0;
    if (strchr(uri, '#') || !hoop__is_field_value(rest) || strchr(uri, ' '))
        return HOOP_EINVAL;
    int rc = 0;
    if (strncmp(uri, "http://", 7) == 0)
        rc = cut_authority(rest, 4, url, &rest);
    else if (strncmp(uri, "https://", 8) == 0)
        rc = cut_authority(rest, 5, url, &rest);
    if (rc)
        return rc;
    if (!url->port)
        url->port = url->scheme.len == 5 ? 443 : 80;
    const char *question = memchr(rest.data, '?', rest.len);
    size_t path_len = question ? (size_t)(question - rest.data) : rest.len;
    url->path = path_len ? hoop_str_n(rest.data, path_len) : hoop_str_c("/");
    url->query = question ? hoop_str_n(question + 1, rest.len - path_len - 1) : hoop_str_none();
    return url->path.data[0] == '/' || hoop_str_eq_c(url->path, "*") ? 0 : HOOP_EINVAL;
}

/* --- making ---------------------------------------------------------------------------------- */

/* 0, or HOOP_ENOMEM; an absent string stays absent. */
static int copy_into(hoop_arena *arena, hoop_str s, hoop_str *ret)
{
    if (!hoop_str_is_none(s))
        return hoop__arena_copy(arena, s, ret);
    *ret = s;
    return 0;
}

static int fill_request(hoop_request *pub, hoop_arena *arena, const char *method,
                        const struct url *url)
{
    pub->arena = arena;
    pub->protocol = hoop_str_c("HTTP/1.1");
    pub->method_number = hoop__method_number(hoop_str_c(method));
    return copy_into(arena, hoop_str_c(method), &pub->method) ||
           copy_into(arena, url->scheme, &pub->scheme) || copy_into(arena, url->path, &pub->uri) ||
           copy_into(arena, url->query, &pub->query_string);
}

const hoop_request *hoop_mock(hoop_arena *arena, const char *method, const char *uri,
                              const char *body)
{
    struct url url;
    if (!arena || !method || !uri || !hoop__is_token(hoop_str_c(method)) || split_url(uri, &url))
        return NULL;
    struct hoop__world *world = hoop__world_new(arena);
    struct hoop__mock_exchange *mx = world ? hoop__mock_exchange(world, arena) : NULL;
    if (!mx || fill_request(&mx->x.request.pub, arena, method, &url))
        return NULL;
    static const uint8_t loopback[4] = { 127, 0, 0, 1 };
    mx->x.peer.family = 4;
    memcpy(mx->x.peer.remote, loopback, 4);
    memcpy(mx->x.peer.local, loopback, 4);
    mx->x.peer.local_port = (uint16_t)url.port;
    mx->x.peer.secure = url.scheme.len == 5;
    hoop_str host;
    if (hoop__arena_copy(arena, url.authority, &host))
        return NULL;
    const hoop_request *req = hoop_mock_header(&mx->x.request.pub, "host", host.data);
    return body ? hoop_mock_body(req, NULL, hoop_str_c(body)) : req;
}

const hoop_request *hoop_mock_header(const hoop_request *req, const char *name, const char *value)
{
    if (!req || !name || !value)
        return NULL;
    /* Only hoop_with_request_header() checks and lower-cases: it replaces, so what was there is put
     * back in front. */
    const hoop_request *one = hoop_with_request_header(req, name, value);
    if (!one)
        return NULL;
    hoop_field *fields = hoop_alloc(req, (req->header_count + 1) * sizeof *fields);
    struct hoop__request *copy = hoop_alloc(req, sizeof *copy);
    if (!fields || !copy)
        return NULL;
    if (req->header_count)
        memcpy(fields, req->headers, req->header_count * sizeof *fields);
    fields[req->header_count] = one->headers[one->header_count - 1];
    *copy = *hoop__request_of(req);
    copy->pub.headers = fields;
    copy->pub.header_count = req->header_count + 1;
    return &copy->pub;
}

const hoop_request *hoop_mock_cookie(const hoop_request *req, const char *name, const char *value)
{
    if (!req || !name || !value)
        return NULL;
    hoop_str old = hoop_header_joined(req, "cookie");
    const char *text = hoop_printf(req, "%s%s%s=%s", old.data, old.len ? "; " : "", name, value);
    return text ? hoop_with_request_header(req, "cookie", text) : NULL;
}

const hoop_request *hoop_mock_query(const hoop_request *req, const char *query_string)
{
    return req ? hoop_with_uri(req, req->uri.data, query_string) : NULL;
}

const hoop_request *hoop_mock_params(const hoop_request *req, const char *const *pairs,
                                     size_t count)
{
    if (!req || count % 2 || (count && !pairs))
        return NULL;
    if (!count)
        return req;
    hoop_str *strs = hoop_alloc(req, (count + 1) * sizeof *strs);
    if (!strs)
        return NULL;
    for (size_t i = 0; i < count; i++)
        strs[i] = hoop_str_c(pairs[i]);
    size_t size = hoop__form_size(strs, count);
    char *text = size < SIZE_MAX ? hoop_alloc(req, size + 1) : NULL;
    if (!text)
        return NULL;
    text[hoop__form_encode(strs, count, text)] = 0;
    if (req->method_number != HOOP_METHOD_GET && req->method_number != HOOP_METHOD_HEAD &&
        req->method_number != HOOP_METHOD_DELETE)
        return hoop_mock_body(req, "application/x-www-form-urlencoded", hoop_str_n(text, size));
    const char *query = hoop_printf(req, "%s%s%s", req->query_string.data,
                                    req->query_string.len && size ? "&" : "", text);
    return query ? hoop_mock_query(req, query) : NULL;
}

const hoop_request *hoop_mock_body(const hoop_request *req, const char *content_type,
                                   hoop_str bytes)
{
    if (!req || !hoop__is_mock(req))
        return NULL;
    hoop_str body;
    if (hoop__arena_copy(req->arena, bytes, &body))
        return NULL;
    char *length = hoop_printf(req, "%zu", bytes.len);
    req = length ? hoop_with_request_header(req, "content-length", length) : NULL;
    if (req && content_type)
        req = hoop_with_request_header(req, "content-type", content_type);
    struct hoop__mock_exchange *mx = req ? hoop__mock_fork(req) : NULL;
    if (!mx)
        return NULL;
    set_body(mx, body);
    return &mx->x.request.pub;
}

const hoop_request *hoop_mock_chunks(const hoop_request *req, size_t size)
{
    struct hoop__mock_exchange *mx = req && hoop__is_mock(req) ? hoop__mock_fork(req) : NULL;
    if (!mx)
        return NULL;
    mx->chunk = size;
    return &mx->x.request.pub;
}

/* Nonzero if there can be such a trailer; its name in lower case. */
static int make_trailer(const hoop_request *req, const char *name, const char *value,
                        hoop_field *ret)
{
    const hoop_request *one =
        hoop_with_request_header(req, name, value); /* checks and lower-cases */
    if (!one)
        return 0;
    *ret = one->headers[one->header_count - 1];
    return !hoop__is_no_trailer(ret->name);
}

const hoop_request *hoop_mock_trailer(const hoop_request *req, const char *name, const char *value)
{
    hoop_field field;
    if (!req || !name || !value || !hoop__is_mock(req) || !make_trailer(req, name, value, &field))
        return NULL;
    struct hoop__mock_exchange *mx = hoop__mock_fork(req);
    hoop_field *fields =
        mx ? hoop_alloc(&mx->x.request.pub, (mx->trailer_count + 1) * sizeof *fields) : NULL;
    if (!fields)
        return NULL;
    if (mx->trailer_count)
        memcpy(fields, mx->trailers, mx->trailer_count * sizeof *fields);
    fields[mx->trailer_count] = field;
    mx->trailers = mx->x.body.trailers = fields;
    mx->trailer_count = ++mx->x.body.trailer_count;
    return &mx->x.request.pub;
}

const hoop_request *hoop_mock_peer(const hoop_request *req, const char *remote_addr,
                                   uint32_t remote_port)
{
    struct hoop__mock_exchange *mx = req && hoop__is_mock(req) ? hoop__mock_fork(req) : NULL;
    char *text = mx && remote_addr ? hoop_arena_strdup(req->arena, remote_addr) : NULL;
    if (!text || remote_port > 65535)
        return NULL;
    mx->x.peer.remote_text = text;
    mx->x.peer.remote_port = (uint16_t)remote_port;
    return &mx->x.request.pub;
}
