/* Responses of written JSON, and the one-liners for small objects. */
#include "json/text.h"
#include "json/writer.h"

#include "value/response.h"

#include <hoop/stream.h>

const hoop_response *hoop__json_answer(const hoop_request *req, int status, hoop_str text)
{
    struct hoop__response *res = hoop__response_new(req, status);
    if (!res || hoop__response_append(req, res, hoop_str_n("Content-Type", 12),
                                      hoop_str_n("application/json", 16)))
        return NULL;
    res->pub.body = text;
    res->pub.body_kind = HOOP_BODY_BYTES;
    return &res->pub;
}

const hoop_response *hoop_json_respond(const hoop_request *req, int status, hoop_json_writer *w)
{
    if (!req)
        return NULL;
    if (!w)
        return hoop__fail_memory(req);
    if (w->flush)
        return hoop_fail(req, HOOP_EINVAL, "the JSON was handed on to the writer's flush function");
    if (w->out.arena != req->arena)
        return hoop_fail(req, HOOP_EINVAL, "the JSON writer is not on the request's arena");
    hoop_str text;
    int rc = hoop_json_writer_finish(w, &text, NULL);
    if (rc == HOOP_ENOMEM)
        return hoop__fail_memory(req);
    if (rc)
        return hoop_fail(req, rc, "JSON %s", w->text);
    return hoop__json_answer(req, status, text);
}

static void write_member(hoop_json_writer *w, const hoop_json_member *m)
{
    hoop_json_write_key(w, m->key);
    switch (m->type) {
    case HOOP_JSON_TYPE_NULL:
        hoop_json_write_null(w);
        break;
    case HOOP_JSON_TYPE_STRING:
        hoop_json_write_str(w, m->text);
        break;
    case HOOP_JSON_TYPE_INT:
        hoop_json_write_int(w, m->integer);
        break;
    case HOOP_JSON_TYPE_UINT:
        hoop_json_write_uint(w, (uint64_t)m->integer);
        break;
    case HOOP_JSON_TYPE_DOUBLE:
        hoop_json_write_double(w, m->real);
        break;
    case HOOP_JSON_TYPE_BOOL:
        hoop_json_write_bool(w, m->integer != 0);
        break;
    case HOOP_JSON_TYPE_RAW:
        hoop_json_write_raw(w, m->text);
        break;
    case HOOP_JSON_TYPE_VALUE:
        hoop_json_write_value(w, m->value);
        break;
    default:
        hoop__json_mistake(w, "the member has a type that is not known");
    }
}

void hoop_json_write_members_sized(hoop_json_writer *w, const hoop_json_member *members,
                                   size_t count, size_t member_size)
{
    const char *at = (const char *)members;
    for (size_t i = 0; w && i < count; i++, at += member_size)
        write_member(w, (const hoop_json_member *)(const void *)at);
}

const hoop_response *hoop_json_object_sized(const hoop_request *req, int status,
                                            const hoop_json_member *members, size_t count,
                                            size_t member_size)
{
    if (!req)
        return NULL;
    /* On the stack, so that nothing but the text stays in the arena. */
    hoop_json_writer w;
    hoop__json_writer_init(&w, req->arena, SIZE_MAX);
    hoop_json_begin_object(&w);
    hoop_json_write_members_sized(&w, members, count, member_size);
    hoop_json_end_object(&w);
    return hoop_json_respond(req, status, &w);
}

int hoop_json_flush_to_stream(hoop_str bytes, void *sink)
{
    return hoop_stream_write(sink, bytes);
}
