/* Requests and responses as JSON values; the way back is from_json.c's. */
#include "json/text.h"
#include "value/exchange.h"

#include "codec/base64.h"
#include "codec/utf8.h"

#include <hoop/json.h>

/* Bytes that JSON text can't hold. NULL: out of memory. */
static json_t *base64_json(hoop_str bytes)
{
    json_malloc_t alloc;
    json_free_t release;
    size_t size = hoop__base64_size(bytes.len);
    json_get_alloc_funcs(&alloc, &release);
    char *text = size < SIZE_MAX ? alloc(size) : NULL;
    if (!text)
        return NULL;
    hoop__base64_encode(bytes, text);
    json_t *object = json_object();
    int rc = json_object_set_new_nocheck(object, "base64", json_stringn_nocheck(text, size));
    release(text);
    if (rc == 0)
        return object;
    json_decref(object);
    return NULL;
}

json_t *hoop__json_bytes(hoop_str bytes)
{
    if (memchr(bytes.data, '\0', bytes.len) || !hoop__utf8_is_valid(bytes))
        return base64_json(bytes);
    return json_stringn_nocheck(bytes.data, bytes.len);
}

/* Adds a member, taking `value` over. 0, or -1, also if `value` or `object` is NULL. */
static int set(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new_nocheck(object, key, value);
}

static int set_bytes(json_t *object, const char *key, hoop_str bytes)
{
    return hoop_str_is_none(bytes) ? 0 : set(object, key, hoop__json_bytes(bytes));
}

static json_t *field_json(const hoop_field *field)
{
    json_t *pair = json_array();
    if (json_array_append_new(pair, hoop__json_bytes(field->name)) == 0 &&
        json_array_append_new(pair, hoop__json_bytes(field->value)) == 0)
        return pair;
    json_decref(pair);
    return NULL;
}

static json_t *fields_json(const hoop_field *fields, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        if (json_array_append_new(list, field_json(&fields[i])) < 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* Left out if the peer is unknown, which hoop_remote_addr() tells just as a want of memory. */
static int set_remote_addr(json_t *object, const hoop_request *req)
{
    const struct hoop__exchange *x = hoop__exchange_of(req);
    if (!x || (!x->peer.remote_text && x->peer.family == 0))
        return 0;
    hoop_str addr = hoop_remote_addr(req);
    return hoop_str_is_none(addr) ? -1 : set(object, "remote_addr", hoop__json_bytes(addr));
}

json_t *hoop_request_to_json(const hoop_request *req)
{
    if (!req)
        return NULL;
    json_t *object = json_object();
    /* No bytes are no body, however they were framed. */
    hoop_str body = hoop_body(req).len > 0 ? hoop_body(req) : hoop_str_none();
    int rc = set_bytes(object, "method", req->method) < 0 ||
             set_bytes(object, "scheme", req->scheme) < 0 ||
             set_bytes(object, "protocol", req->protocol) < 0 ||
             set_bytes(object, "uri", req->uri) < 0 ||
             set_bytes(object, "query_string", req->query_string) < 0 ||
             set(object, "headers", fields_json(req->headers, req->header_count)) < 0 ||
             set_remote_addr(object, req) < 0 ||
             set(object, "remote_port", json_integer((json_int_t)hoop_remote_port(req))) < 0 ||
             set_bytes(object, "body", body) < 0;
    if (!rc)
        return object;
    json_decref(object);
    return NULL;
}

static int set_body(json_t *object, const hoop_response *res)
{
    switch (res->body_kind) {
    case HOOP_BODY_BYTES:
        return set(object, "body", hoop__json_bytes(res->body));
    case HOOP_BODY_STREAM:
        return set(object, "body", json_pack("{s:b}", "stream", 1));
    default:
        return 0;
    }
}

json_t *hoop_response_to_json(const hoop_response *res)
{
    if (!res || hoop_is_pending(res) || hoop_is_pass(res))
        return NULL;
    json_t *object = json_object();
    if (set(object, "status", json_integer(res->status)) == 0 &&
        set(object, "headers", fields_json(res->headers, res->header_count)) == 0 &&
        set_body(object, res) == 0)
        return object;
    json_decref(object);
    return NULL;
}
