/* Responses made of other responses: headers, status, body, attributes; copies and frozen ones. */
#include "value/response.h"

#include "value/exchange.h"

#include <hoop/deferred.h>

#include <stdio.h>
#include <string.h>

/* --- headers --------------------------------------------------------------------------------- */

int hoop__check_header(const hoop_request *req, hoop_str name, hoop_str value)
{
    /* Framing and connection options are the protocol's; a handler that set them could split messages. */
    static const char *const forbidden[] = { "transfer-encoding", "keep-alive", "proxy-connection",
                                             "upgrade",           "te",         "trailer" };
    if (!hoop__is_token(name)) {
        hoop_fail(req, HOOP_EINVAL, "'%s' is no header name", name.data);
        return HOOP_EINVAL;
    }
    if (!hoop__is_field_value(value)) {
        hoop_fail(req, HOOP_EINVAL, "the value of header '%s' has a control character", name.data);
        return HOOP_EINVAL;
    }
    for (size_t i = 0; i < HOOP_COUNT(forbidden); i++) {
        if (hoop_str_eq_nocase(name, hoop_str_c(forbidden[i]))) {
            hoop_fail(req, HOOP_EINVAL, "header '%s' is set by the server alone", name.data);
            return HOOP_EINVAL;
        }
    }
    return 0;
}

struct hoop__response *hoop__response_derive(const hoop_request *req, const hoop_response *res)
{
    struct hoop__response *copy = hoop__arena_alloc(req->arena, sizeof *copy);
    if (!copy)
        return hoop__fail_memory(req);
    *copy = *hoop__response_of(res);
    /* Once it has grown out of another arena's response it is this one's; a source goes along. */
    copy->pub.arena = req->arena;
    return copy;
}

/* A header array of its own with room for `more` beyond those it has. */
static int own_fields(const hoop_request *req, struct hoop__response *res, size_t more)
{
    size_t count = res->pub.header_count, cap = count + more + HOOP__FIRST_FIELDS;
    struct hoop__fields *fields =
        hoop__arena_alloc(req->arena, sizeof *fields + cap * sizeof(hoop_field));
    if (!fields) {
        hoop__fail_memory(req);
        return HOOP_ENOMEM;
    }
    fields->items = (hoop_field *)(void *)(fields + 1);
    fields->cap = cap;
    fields->used = count;
    if (count)
        memcpy(fields->items, res->pub.headers, count * sizeof(hoop_field));
    res->fields = fields;
    res->pub.headers = fields->items;
    return 0;
}

int hoop__response_append(const hoop_request *req, struct hoop__response *res, hoop_str name,
                          hoop_str value)
{
    struct hoop__fields *fields = res->fields;
    size_t count = res->pub.header_count;
    if ((!fields || fields->used != count || count == fields->cap) && own_fields(req, res, 1))
        return HOOP_ENOMEM;
    fields = res->fields;
    fields->items[count].name = name;
    fields->items[count].value = value;
    fields->used = res->pub.header_count = count + 1;
    return 0;
}

/* Name and value copied into one piece of the arena. */
static int copy_pair(const hoop_request *req, hoop_str *name, hoop_str *value)
{
    char *text = hoop__arena_alloc(req->arena, name->len + value->len + 2);
    if (!text) {
        hoop__fail_memory(req);
        return HOOP_ENOMEM;
    }
    memcpy(text, name->data, name->len + 1);
    memcpy(text + name->len + 1, value->data, value->len);
    text[name->len + 1 + value->len] = 0;
    name->data = text;
    value->data = text + name->len + 1;
    return 0;
}

/*
 * Headers that the engine has to look at: they change what is rendered besides, so they don't go with
 * a head that is rendered already.
 */
static int is_looked_at(hoop_str name)
{
    static const char *const names[] = { "connection", "date", "server", "content-length" };
    for (size_t i = 0; i < HOOP_COUNT(names); i++)
        if (hoop_str_eq_nocase(name, hoop_str_c(names[i])))
            return 1;
    return 0;
}

/* What is to be done to a response's headers, kept while it is pending. */
struct header_change {
    hoop_str name;
    hoop_str value; /* absent: remove */
    int replace;
};

const hoop_response *hoop__response_with(const hoop_request *req, const hoop_response *res,
                                         hoop_str name, hoop_str value, int replace)
{
    struct hoop__response *copy = hoop__response_derive(req, res);
    if (!copy)
        return NULL;
    /* The array may be appended to in place only by the arena's own thread. */
    if (res->arena != req->arena)
        copy->fields = NULL;
    size_t count = res->header_count;
    if (replace && hoop__field_find(res->headers, count, 0, name) < count) {
        if (own_fields(req, copy, 1))
            return NULL;
        hoop_field *items = copy->fields->items;
        size_t kept = 0;
        for (size_t i = 0; i < count; i++)
            if (!hoop_str_eq_nocase(items[i].name, name))
                items[kept++] = items[i];
        copy->pub.header_count = copy->fields->used = kept;
        copy->head = hoop_str_none();
    }
    if (!hoop_str_is_none(value) && hoop__response_append(req, copy, name, value))
        return NULL;
    if (is_looked_at(name))
        copy->head = hoop_str_none();
    return &copy->pub;
}

static const hoop_response *change_header(const hoop_request *req, const hoop_response *res,
                                          const void *value)
{
    const struct header_change *change = value;
    return hoop__response_with(req, res, change->name, change->value, change->replace);
}

static const hoop_response *apply_header(const hoop_request *req, const hoop_response *res,
                                         const char *name, const char *value, int replace)
{
    if (!req || !res || hoop_is_pass(res))
        return req ? res : NULL;
    struct header_change change = { hoop_str_c(name), hoop_str_c(value), replace };
    if (value)
        change.value = hoop_str_trim(change.value);
    if (hoop__check_header(req, change.name, change.value))
        return NULL;
    if (value && copy_pair(req, &change.name, &change.value))
        return NULL;
    if (!hoop_is_pending(res))
        return change_header(req, res, &change);
    struct header_change *kept = hoop_alloc(req, sizeof *kept);
    if (!kept)
        return NULL;
    *kept = change;
    if (!value && hoop__arena_copy(req->arena, change.name, &kept->name))
        return hoop__fail_memory(req);
    return hoop_then(req, res, change_header, kept);
}

const hoop_response *hoop_with_header(const hoop_request *req, const hoop_response *res,
                                      const char *name, const char *value)
{
    return apply_header(req, res, name, value, /* replace= */ 1);
}

const hoop_response *hoop_add_header(const hoop_request *req, const hoop_response *res,
                                     const char *name, const char *value)
{
    if (!value && req && res)
        return hoop_fail(req, HOOP_EINVAL, "header '%s' needs a value", name ? name : "");
    return apply_header(req, res, name, value, /* replace= */ 0);
}

hoop_str hoop_response_header(const hoop_response *res, const char *name)
{
    if (!res || !name)
        return hoop_str_none();
    size_t i = hoop__field_find(res->headers, res->header_count, 0, hoop_str_c(name));
    return i < res->header_count ? res->headers[i].value : hoop_str_none();
}

/* --- status, body, attributes ---------------------------------------------------------------- */

static const hoop_response *change_status(const hoop_request *req, const hoop_response *res,
                                          const void *value)
{
    struct hoop__response *copy = hoop__response_derive(req, res);
    if (!copy)
        return NULL;
    copy->pub.status = (int32_t)(intptr_t)value;
    copy->head = hoop_str_none();
    return &copy->pub;
}

const hoop_response *hoop_with_status(const hoop_request *req, const hoop_response *res, int status)
{
    if (req && res && (status < 200 || status > 599))
        return hoop_fail(req, HOOP_EINVAL, "status %d is not between 200 and 599", status);
    return hoop_then(req, res, change_status, (const void *)(intptr_t)status);
}

static const hoop_response *change_body(const hoop_request *req, const hoop_response *res,
                                        const void *value)
{
    const hoop_str *bytes = value;
    struct hoop__response *copy = hoop__response_derive(req, res);
    if (!copy)
        return NULL;
    copy->source = NULL; /* the older response has it still */
    copy->pub.body = *bytes;
    copy->pub.body_kind = HOOP_BODY_BYTES;
    copy->head = hoop_str_none();
    return &copy->pub;
}

const hoop_response *hoop_with_body(const hoop_request *req, const hoop_response *res,
                                    hoop_str bytes)
{
    if (!req || !res || hoop_is_pass(res))
        return req ? res : NULL;
    hoop_str *kept = hoop_alloc(req, sizeof *kept);
    if (!kept)
        return NULL;
    if (hoop__arena_copy(req->arena, bytes, kept))
        return hoop__fail_memory(req);
    return hoop_then(req, res, change_body, kept);
}

const hoop_response *hoop__response_bare(const hoop_request *req, const hoop_response *res)
{
    struct hoop__response *copy = hoop__response_derive(req, res);
    if (!copy)
        return NULL;
    if (copy->source)
        hoop__source_finish(copy->source, 0); /* no body was to be sent */
    copy->source = NULL;
    copy->pub.body = hoop_str_none();
    copy->pub.body_kind = HOOP_BODY_NONE;
    copy->head = hoop_str_none();
    return &copy->pub;
}

static const hoop_response *change_attribute(const hoop_request *req, const hoop_response *res,
                                             const void *value)
{
    const struct hoop__attribute *attribute = value;
    struct hoop__response *copy = hoop__response_derive(req, res);
    struct hoop__attribute *link = copy ? hoop_alloc(req, sizeof *link) : NULL;
    if (!link)
        return NULL;
    link->next = copy->attributes;
    link->key = attribute->key;
    link->value = attribute->value;
    copy->attributes = link;
    return &copy->pub;
}

const hoop_response *hoop_response_assoc(const hoop_request *req, const hoop_response *res,
                                         const void *key, const void *value)
{
    if (!req || !res)
        return NULL;
    struct hoop__attribute attribute = { NULL, key, value };
    if (!hoop_is_pending(res))
        return hoop_then(req, res, change_attribute, &attribute);
    struct hoop__attribute *kept = hoop_alloc(req, sizeof *kept);
    if (!kept)
        return NULL;
    *kept = attribute;
    return hoop_then(req, res, change_attribute, kept);
}

/* --- copies ---------------------------------------------------------------------------------- */

static int copy_fields(const hoop_request *req, struct hoop__response *copy,
                       const hoop_response *res)
{
    for (size_t i = 0; i < res->header_count; i++) {
        hoop_str name = res->headers[i].name, value = res->headers[i].value;
        if (copy_pair(req, &name, &value) || hoop__response_append(req, copy, name, value))
            return HOOP_ENOMEM;
    }
    return 0;
}

/* A deep copy in an arena; the request made for it is a few hundred bytes of the same arena. */
static struct hoop__response *deep_copy(hoop_arena *arena, const hoop_response *res)
{
    if (!arena || !res || hoop__response_of(res)->kind != HOOP__READY ||
        res->body_kind == HOOP_BODY_STREAM)
        return NULL;
    const hoop_request *req = hoop_app_request(arena);
    struct hoop__response *copy = hoop__response_new(req, res->status);
    if (!copy || copy_fields(req, copy, res))
        return NULL;
    copy->pub.body_kind = res->body_kind;
    if (res->body_kind == HOOP_BODY_BYTES && hoop__arena_copy(arena, res->body, &copy->pub.body))
        return NULL;
    return copy;
}

const hoop_response *hoop_response_copy(hoop_arena *arena, const hoop_response *res)
{
    struct hoop__response *copy = deep_copy(arena, res);
    return copy ? &copy->pub : NULL;
}

/*
 * The head without what changes from answer to answer, as HTTP/1.1 writes it. Headers that the engine
 * has to look at stand in the way of that: such a response stays as it is.
 */
static int can_render(const hoop_response *res)
{
    for (size_t i = 0; i < res->header_count; i++)
        if (is_looked_at(res->headers[i].name))
            return 0;
    return res->status != 204 && res->status != 205 && res->status != 304;
}

static int render(hoop_arena *arena, struct hoop__response *res)
{
    const hoop_response *pub = &res->pub;
    size_t size = 64 + strlen(hoop_reason(pub->status));
    for (size_t i = 0; i < pub->header_count; i++)
        size += pub->headers[i].name.len + pub->headers[i].value.len + 4;
    char *head = hoop__arena_alloc(arena, size), *end = head;
    if (!head)
        return HOOP_ENOMEM;
    end += sprintf(end, "HTTP/1.1 %d %s\r\n", (int)pub->status, hoop_reason(pub->status));
    for (size_t i = 0; i < pub->header_count; i++)
        end += sprintf(end, "%s: %s\r\n", pub->headers[i].name.data, pub->headers[i].value.data);
    end += sprintf(end, "Content-Length: %zu\r\n", pub->body.len);
    res->head = hoop_str_n(head, (size_t)(end - head));
    res->head_count = pub->header_count;
    return 0;
}

const hoop_response *hoop_freeze(hoop_arena *arena, const hoop_response *res)
{
    struct hoop__response *copy = deep_copy(arena, res);
    if (!copy || (can_render(&copy->pub) && render(arena, copy)))
        return NULL;
    /* Shared by all loops from now on: nobody appends to its array in place. */
    copy->fields = NULL;
    return &copy->pub;
}
