/* hoop_value(): responses whose body is yet to be written. */
#include "middleware/value.h"

#include "value/exchange.h"
#include "value/response.h"

#include <hoop/middleware/formats.h>

static const char value_key = 0;

static void drop_value(void *data)
{
    json_decref(data);
}

const hoop_response *hoop_value(const hoop_request *req, int status, json_t *value)
{
    if (!req || !value) {
        json_decref(value);
        return hoop_fail(req, HOOP_EINVAL, "the value of the response is NULL");
    }
    if (hoop_arena_on_dispose(req->arena, drop_value, value))
        return hoop__fail_memory(req);
    return hoop_response_assoc(req, hoop_respond(req, status), &value_key, value);
}

json_t *hoop_response_value(const hoop_response *res)
{
    return hoop_response_get(res, &value_key);
}

const json_t *hoop__value_unwritten(const hoop_response *res)
{
    return res->body_kind == HOOP_BODY_NONE ? hoop_response_value(res) : NULL;
}

const hoop_response *hoop__value_written(const hoop_request *req, const hoop_response *res,
                                         hoop_str type, hoop_str bytes)
{
    struct hoop__response *copy = hoop__response_derive(req, res);
    if (!copy)
        return NULL;
    copy->pub.body = bytes;
    copy->pub.body_kind = HOOP_BODY_BYTES;
    copy->head = hoop_str_none();
    if (!hoop_str_is_none(hoop_response_header(res, "content-type")))
        return &copy->pub;
    return hoop__response_with(req, &copy->pub, hoop_str_n("Content-Type", 12), type,
                               /* replace= */ 0);
}
