/* The constructors of responses. */
#include "value/response.h"

#include "codec/utf8.h"
#include "value/exchange.h"

#include <stdarg.h>
#include <string.h>

static const char text_plain[] = "text/plain; charset=utf-8";
static const char text_html[] = "text/html; charset=utf-8";
static const char problem_json[] = "application/problem+json";

/* The response and the room for its first headers, in one allocation. */
struct fresh {
    struct hoop__response res;
    struct hoop__fields fields;
    hoop_field items[HOOP__FIRST_FIELDS];
};

struct hoop__response *hoop__response_new(const hoop_request *req, int status)
{
    if (!req)
        return NULL;
    if (status < 200 || status > 599) {
        hoop_fail(req, HOOP_EINVAL, "status %d is not between 200 and 599", status);
        return NULL;
    }
    struct fresh *fresh = hoop__arena_alloc(req->arena, sizeof *fresh);
    if (!fresh)
        return hoop__fail_memory(req);
    struct hoop__response *res = &fresh->res;
    fresh->fields.used = 0;
    fresh->fields.cap = HOOP__FIRST_FIELDS;
    fresh->fields.items = fresh->items;
    res->pub.arena = req->arena;
    res->pub.headers = fresh->items;
    res->pub.header_count = 0;
    res->pub.body = hoop_str_none();
    res->pub.status = status;
    res->pub.body_kind = HOOP_BODY_NONE;
    res->fields = &fresh->fields;
    res->attributes = NULL;
    res->source = NULL;
    res->head = hoop_str_none();
    res->head_count = 0;
    res->kind = HOOP__READY;
    return res;
}

/* A response with bytes that live long enough, and a constant or copied content type. */
static struct hoop__response *with_bytes(const hoop_request *req, int status, hoop_str type,
                                         hoop_str bytes)
{
    struct hoop__response *res = hoop__response_new(req, status);
    if (!res)
        return NULL;
    if (type.len) {
        res->fields->items[0].name = hoop_str_n("Content-Type", 12);
        res->fields->items[0].value = type;
        res->fields->used = res->pub.header_count = 1;
    }
    res->pub.body = bytes;
    res->pub.body_kind = HOOP_BODY_BYTES;
    return res;
}

const hoop_response *hoop_respond(const hoop_request *req, int status)
{
    struct hoop__response *res = hoop__response_new(req, status);
    return res ? &res->pub : NULL;
}

/* --- text ------------------------------------------------------------------------------------ */

static const hoop_response *text_of(const hoop_request *req, int status, hoop_str type,
                                    const char *text, int copy)
{
    if (!req)
        return NULL;
    if (!text)
        return hoop_fail(req, HOOP_EINVAL, "the text is NULL");
    hoop_str bytes = hoop_str_c(text);
    if (copy && hoop__arena_copy(req->arena, bytes, &bytes))
        return hoop__fail_memory(req);
    struct hoop__response *res = with_bytes(req, status, type, bytes);
    return res ? &res->pub : NULL;
}

const hoop_response *hoop_text(const hoop_request *req, int status, const char *text)
{
    return text_of(req, status, hoop_str_n(text_plain, sizeof text_plain - 1), text, 1);
}

const hoop_response *hoop_text_static(const hoop_request *req, int status, const char *text)
{
    return text_of(req, status, hoop_str_n(text_plain, sizeof text_plain - 1), text, 0);
}

const hoop_response *hoop_html(const hoop_request *req, int status, const char *html)
{
    return text_of(req, status, hoop_str_n(text_html, sizeof text_html - 1), html, 1);
}

const hoop_response *hoop_textf(const hoop_request *req, int status, const char *format, ...)
{
    if (!req)
        return NULL;
    va_list args;
    va_start(args, format);
    hoop_str text = hoop_arena_vprintf(req->arena, format, args);
    va_end(args);
    if (hoop_str_is_none(text))
        return hoop__fail_memory(req);
    struct hoop__response *res =
        with_bytes(req, status, hoop_str_n(text_plain, sizeof text_plain - 1), text);
    return res ? &res->pub : NULL;
}

/* --- bytes ----------------------------------------------------------------------------------- */

/* A copy of a content type that was found fit; the empty string stands for none. */
static int copy_type(const hoop_request *req, const char *type, hoop_str *ret)
{
    *ret = hoop_str_c("");
    if (!type)
        return 0;
    hoop_str value = hoop_str_c(type);
    if (!value.len || !hoop__is_field_value(value)) {
        hoop_fail(req, HOOP_EINVAL, "content type '%s' can't stand in a header", type);
        return HOOP_EINVAL;
    }
    if (hoop__arena_copy(req->arena, value, ret)) {
        hoop__fail_memory(req);
        return HOOP_ENOMEM;
    }
    return 0;
}

const hoop_response *hoop_bytes_static(const hoop_request *req, int status,
                                       const char *content_type, hoop_str bytes)
{
    hoop_str type;
    if (!req || copy_type(req, content_type, &type))
        return NULL;
    struct hoop__response *res = with_bytes(req, status, type, bytes);
    return res ? &res->pub : NULL;
}

const hoop_response *hoop_bytes(const hoop_request *req, int status, const char *content_type,
                                hoop_str bytes)
{
    if (!req)
        return NULL;
    if (hoop__arena_copy(req->arena, bytes, &bytes))
        return hoop__fail_memory(req);
    return hoop_bytes_static(req, status, content_type, bytes);
}

const hoop_response *hoop_bytes_take(const hoop_request *req, int status, const char *content_type,
                                     hoop_str bytes, hoop_dispose_fn *fn, void *data)
{
    if (!req) {
        fn(data);
        return NULL;
    }
    if (hoop_arena_on_dispose(req->arena, fn, data))
        return hoop__fail_memory(req);
    return hoop_bytes_static(req, status, content_type, bytes);
}

void hoop__source_finish(struct hoop__source *source, int code)
{
    if (source->done)
        return;
    source->done = 1;
    source->finished(source, code);
}

static void drop_source(void *data)
{
    hoop__source_finish(data, HOOP_ECANCELED);
}

int hoop__source_keep(const hoop_request *req, struct hoop__source *source)
{
    return hoop_arena_on_dispose(req->arena, drop_source, source);
}

const hoop_response *hoop__respond_source(const hoop_request *req, int status,
                                          const char *content_type, struct hoop__source *source)
{
    source->done = 0;
    source->exchange = NULL;
    source->trailers = NULL;
    source->extra = NULL;
    /* A response that is dropped on its way, and never sent, gives its source back with its arena. */
    if (!req || hoop__source_keep(req, source)) {
        hoop__source_finish(source, HOOP_ENOMEM);
        return hoop__fail_memory(req);
    }
    hoop_str type;
    struct hoop__response *res = NULL;
    if (!hoop__exchange_of(req)) /* constants are sent again and again, a source runs once */
        hoop_fail(req, HOOP_EINVAL, "a stream can't be a constant response");
    else if (!copy_type(req, content_type, &type))
        res = with_bytes(req, status, type, hoop_str_none());
    if (!res) {
        hoop__source_finish(source, HOOP_EINVAL);
        return NULL;
    }
    res->pub.body_kind = HOOP_BODY_STREAM;
    res->source = source;
    return &res->pub;
}

void hoop__source_ready(struct hoop__source *source)
{
    struct hoop__exchange *x = source->exchange;
    if (x && !x->over)
        x->ops->resume(x);
}

/* --- redirects and problems ------------------------------------------------------------------ */

const hoop_response *hoop_redirect(const hoop_request *req, int status, const char *location)
{
    if (!req)
        return NULL;
    if (status != 301 && status != 302 && status != 303 && status != 307 && status != 308)
        return hoop_fail(req, HOOP_EINVAL, "status %d is no redirect", status);
    if (!location || !*location)
        return hoop_fail(req, HOOP_EINVAL, "a redirect needs a location");
    return hoop_add_header(req, hoop_respond(req, status), "Location", location);
}

/* Appends `text` to `out` as it stands within a JSON string; bytes from 0x80 on stay as they are. */
static char *escape_json(char *out, const char *text)
{
    static const char hex[] = "0123456789abcdef";
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') {
            *out++ = '\\';
            *out++ = (char)c;
        } else if (c < 0x20) {
            memcpy(out, "\\u00", 4);
            out[4] = hex[c >> 4];
            out[5] = hex[c & 15];
            out += 6;
        } else {
            *out++ = (char)c;
        }
    }
    return out;
}

/* JSON is UTF-8 throughout: what a client sent and a handler quotes may be none. */
static const char *repaired(const hoop_request *req, hoop_str text)
{
    size_t size = hoop__utf8_repaired_size(text);
    char *copy = size < SIZE_MAX ? hoop_alloc(req, size + 1) : NULL;
    if (copy)
        copy[hoop__utf8_repair(text, copy)] = 0;
    return copy;
}

const hoop_response *hoop_problem(const hoop_request *req, int status, const char *detail)
{
    if (!req)
        return NULL;
    const char *title = hoop_reason(status);
    if (detail && !hoop__utf8_is_valid(hoop_str_c(detail))) {
        detail = repaired(req, hoop_str_c(detail));
        if (!detail)
            return NULL;
    }
    size_t size = strlen(title) + (detail ? 6 * strlen(detail) : 0) + 64;
    char *json = hoop_alloc(req, size), *end = json;
    if (!json)
        return NULL;
    memcpy(end, "{\"title\":\"", 10);
    end = escape_json(end + 10, title);
    memcpy(end, "\",\"status\":", 11);
    end += 11;
    *end++ = (char)('0' + status / 100 % 10);
    *end++ = (char)('0' + status / 10 % 10);
    *end++ = (char)('0' + status % 10);
    if (detail) {
        memcpy(end, ",\"detail\":\"", 11);
        end = escape_json(end + 11, detail);
        *end++ = '"';
    }
    *end++ = '}';
    *end = 0;
    struct hoop__response *res =
        with_bytes(req, status, hoop_str_n(problem_json, sizeof problem_json - 1),
                   hoop_str_n(json, (size_t)(end - json)));
    return res ? &res->pub : NULL;
}

const hoop_response *hoop_problemf(const hoop_request *req, int status, const char *format, ...)
{
    if (!req)
        return NULL;
    va_list args;
    va_start(args, format);
    hoop_str detail = hoop_arena_vprintf(req->arena, format, args);
    va_end(args);
    if (hoop_str_is_none(detail))
        return hoop__fail_memory(req);
    return hoop_problem(req, status, detail.data);
}
