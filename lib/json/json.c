/* JSON as the body of responses and of mock requests; parsing bodies is body.c's. */
#include "json/text.h"
#include "json/writer.h"

#include "value/value.h"

#include <hoop/json.h>
#include <hoop/mock.h>

/* The text of `value` in the request's arena. 0, or a code that is noted. */
static int write_noted(const hoop_request *req, const json_t *value, hoop_str *ret_text)
{
    if (!value) {
        hoop_fail(req, HOOP_EINVAL, "the JSON value is NULL");
        return HOOP_EINVAL;
    }
    hoop_error error;
    int rc = hoop__json_text(req->arena, value, ret_text, &error);
    if (rc == HOOP_ENOMEM)
        hoop__fail_memory(req);
    else if (rc)
        hoop_fail(req, rc, "JSON %s", error.text);
    return rc;
}

const hoop_response *hoop_json(const hoop_request *req, int status, json_t *value)
{
    hoop_str text;
    const hoop_response *res = NULL;
    if (req && write_noted(req, value, &text) == 0)
        res = hoop__json_answer(req, status, text);
    json_decref(value);
    return res;
}

const hoop_response *hoop_json_pack(const hoop_request *req, int status, const char *format, ...)
{
    if (!req)
        return NULL;
    if (!format)
        return hoop_fail(req, HOOP_EINVAL, "the format of the JSON value is NULL");
    json_error_t error;
    va_list args;
    va_start(args, format);
    json_t *value = json_vpack_ex(&error, 0, format, args);
    va_end(args);
    if (value)
        return hoop_json(req, status, value);
    if (json_error_code(&error) == json_error_out_of_memory)
        return hoop__fail_memory(req);
    return hoop_fail(req, HOOP_EINVAL, "the JSON format '%s' does not fit: %s", format, error.text);
}

const hoop_request *hoop_mock_json(const hoop_request *req, json_t *value)
{
    hoop_str text;
    const hoop_request *made = NULL;
    if (req && write_noted(req, value, &text) == 0)
        made = hoop_mock_body(req, "application/json", text);
    json_decref(value);
    return made;
}
