/* The request value: derived requests, attributes, and what a handler may allocate. */
#include "value/exchange.h"
#include "value/via.h"

#include <stdarg.h>
#include <string.h>

/* A shallow copy that shares everything; the copy is in the arena of `req`. NULL: noted. */
static struct hoop__request *derive(const hoop_request *req)
{
    struct hoop__request *copy = hoop__arena_alloc(req->arena, sizeof *copy);
    if (!copy)
        return hoop__fail_memory(req);
    *copy = *hoop__request_of(req);
    return copy;
}

/* --- attributes ------------------------------------------------------------------------------ */

const hoop_request *hoop_assoc(const hoop_request *req, const void *key, const void *value)
{
    if (!req)
        return NULL;
    struct {
        struct hoop__request request;
        struct hoop__attribute attribute;
    } *both = hoop__arena_alloc(req->arena, sizeof *both);
    if (!both)
        return hoop__fail_memory(req);
    both->request = *hoop__request_of(req);
    both->attribute.next = both->request.attributes;
    both->attribute.key = key;
    both->attribute.value = value;
    both->request.attributes = &both->attribute;
    return &both->request.pub;
}

static void *find(const struct hoop__attribute *list, const void *key)
{
    for (; list; list = list->next)
        if (list->key == key)
            return (void *)(uintptr_t)list->value;
    return NULL;
}

void *hoop_get(const hoop_request *req, const void *key)
{
    return req ? find(hoop__request_of(req)->attributes, key) : NULL;
}

void *hoop_response_get(const hoop_response *res, const void *key)
{
    return res ? find(hoop__response_of(res)->attributes, key) : NULL;
}

/* --- derived requests ------------------------------------------------------------------------ */

const hoop_request *hoop_with_uri(const hoop_request *req, const char *uri,
                                  const char *query_string)
{
    if (!req)
        return NULL;
    hoop_str path = hoop_str_c(uri), query = hoop_str_c(query_string);
    if (path.len == 0 || (path.data[0] != '/' && strcmp(path.data, "*") != 0) ||
        path.data[strcspn(path.data, "?# ")] || !hoop__is_field_value(path) ||
        !hoop__is_field_value(query)) {
        hoop_fail(req, HOOP_EINVAL, "'%s' is no path", path.data);
        return NULL;
    }
    struct hoop__request *copy = derive(req);
    if (!copy)
        return NULL;
    if (hoop__arena_copy(req->arena, path, &copy->pub.uri) ||
        (query_string && hoop__arena_copy(req->arena, query, &copy->pub.query_string)))
        return hoop__fail_memory(req);
    if (!query_string)
        copy->pub.query_string = hoop_str_none();
    return &copy->pub;
}

const hoop_request *hoop_with_method(const hoop_request *req, const char *method)
{
    if (!req)
        return NULL;
    hoop_str name = hoop_str_c(method);
    if (!hoop__is_token(name)) {
        hoop_fail(req, HOOP_EINVAL, "'%s' is no method", name.data);
        return NULL;
    }
    struct hoop__request *copy = derive(req);
    if (!copy)
        return NULL;
    if (hoop__arena_copy(req->arena, name, &copy->pub.method))
        return hoop__fail_memory(req);
    copy->pub.method_number = hoop__method_number(name);
    return &copy->pub;
}

static int lower_copy(hoop_arena *arena, hoop_str name, hoop_str *ret)
{
    if (hoop__arena_copy(arena, name, ret))
        return HOOP_ENOMEM;
    char *c = (char *)(uintptr_t)ret->data;
    for (size_t i = 0; i < ret->len; i++)
        if ((unsigned char)(c[i] - 'A') < 26)
            c[i] = (char)(c[i] | 0x20);
    return 0;
}

const hoop_request *hoop_with_request_header(const hoop_request *req, const char *name,
                                             const char *value)
{
    if (!req)
        return NULL;
    hoop_str n = hoop_str_c(name), v = hoop_str_trim(hoop_str_c(value));
    if (!hoop__is_token(n) || !hoop__is_field_value(v)) {
        hoop_fail(req, HOOP_EINVAL, "'%s: %s' can't stand in a header", n.data, v.data);
        return NULL;
    }
    struct hoop__request *copy = derive(req);
    hoop_field *fields = hoop_alloc(req, (req->header_count + 1) * sizeof *fields);
    if (!copy || !fields)
        return NULL;
    size_t count = 0;
    for (size_t i = 0; i < req->header_count; i++)
        if (!hoop_str_eq_nocase(req->headers[i].name, n))
            fields[count++] = req->headers[i];
    if (value) {
        hoop_field *field = &fields[count++];
        if (lower_copy(req->arena, n, &field->name) ||
            hoop__arena_copy(req->arena, v, &field->value))
            return hoop__fail_memory(req);
    }
    copy->pub.headers = fields;
    copy->pub.header_count = count;
    return &copy->pub;
}

/* --- through a proxy ------------------------------------------------------------------------- */

const char hoop__remote_key;

const hoop_request *hoop__with_remote(const hoop_request *req, hoop_str addr, uint32_t port)
{
    struct hoop__remote *remote = hoop_alloc(req, sizeof *remote);
    if (!remote)
        return NULL;
    remote->port = port;
    remote->addr = addr;
    if (!hoop_str_is_none(addr) && hoop__arena_copy(req->arena, addr, &remote->addr))
        return hoop__fail_memory(req);
    return hoop_assoc(req, &hoop__remote_key, remote);
}

const hoop_request *hoop__with_scheme(const hoop_request *req, int secure)
{
    struct hoop__request *copy = derive(req);
    if (!copy)
        return NULL;
    copy->pub.scheme = hoop_str_c(secure ? "https" : "http");
    return &copy->pub;
}

/* --- memory ---------------------------------------------------------------------------------- */

void *hoop_alloc(const hoop_request *req, size_t size)
{
    if (!req)
        return NULL;
    void *memory = hoop__arena_alloc(req->arena, size);
    return memory ? memory : hoop__fail_memory(req);
}

char *hoop_strdup(const hoop_request *req, const char *text)
{
    if (!req || !text)
        return NULL;
    char *copy = hoop_arena_strdup(req->arena, text);
    return copy ? copy : hoop__fail_memory(req);
}

char *hoop_printf(const hoop_request *req, const char *format, ...)
{
    if (!req)
        return NULL;
    va_list args;
    va_start(args, format);
    hoop_str s = hoop_arena_vprintf(req->arena, format, args);
    va_end(args);
    return hoop_str_is_none(s) ? hoop__fail_memory(req) : (char *)(uintptr_t)s.data;
}

const hoop_request *hoop_app_request(hoop_arena *arena)
{
    struct {
        struct hoop__request request;
        const hoop_error *note;
    } *both = hoop_arena_zalloc(arena, sizeof *both);
    if (!both)
        return NULL;
    both->request.note = &both->note;
    hoop_request *pub = &both->request.pub;
    pub->arena = arena;
    pub->method = hoop_str_c("GET");
    pub->method_number = HOOP_METHOD_GET;
    pub->scheme = hoop_str_c("http");
    pub->protocol = hoop_str_c("HTTP/1.1");
    pub->uri = hoop_str_c("/");
    pub->query_string = hoop_str_none();
    return pub;
}
