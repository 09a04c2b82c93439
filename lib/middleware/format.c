/* The formats that come with the library: JSON, and urlencoded forms. */
#include "value/exchange.h"

#include "handler/params.h"

#include <hoop/json.h>
#include <hoop/middleware/formats.h>

/* --- JSON ------------------------------------------------------------------------------------ */

static int decode_json(const hoop_request *req, hoop_str body, json_t **ret_value,
                       const hoop_response **ret_answer)
{
    (void)body; /* it is the request's */
    json_t *value = hoop_request_json(req, ret_answer);
    if (!value)
        return HOOP_EPARSE;
    *ret_value = json_incref(value);
    return 0;
}

static int encode_json(const hoop_request *req, const json_t *value, hoop_str *ret_bytes)
{
    hoop_error error;
    int rc = hoop_json_dump(req->arena, value, JSON_COMPACT | JSON_ENCODE_ANY, ret_bytes, &error);
    if (rc)
        hoop_fail(req, rc, "formats: %s", error.text);
    return rc;
}

const hoop_format hoop_format_json = {
    .types = "application/json",
    .decode = decode_json,
    .encode = encode_json,
};

/* --- forms ----------------------------------------------------------------------------------- */

enum { MAX_COUNT = 512, MAX_NAME = 1024 };

/* Several values of one name make an array. Nonzero: out of memory. */
static int put(json_t *object, const hoop_field *pair)
{
    json_t *text = json_stringn_nocheck(pair->value.data, pair->value.len);
    json_t *there = json_object_get(object, pair->name.data);
    if (!there || !text)
        return !text || json_object_set_new_nocheck(object, pair->name.data, text);
    if (json_is_array(there))
        return json_array_append_new(there, text);
    json_t *array = json_array();
    if (!array || json_array_append(array, there)) {
        json_decref(array);
        json_decref(text);
        return HOOP_ENOMEM;
    }
    if (json_array_append_new(array, text)) {
        json_decref(array);
        return HOOP_ENOMEM;
    }
    return json_object_set_new_nocheck(object, pair->name.data, array);
}

static int decode_form(const hoop_request *req, hoop_str body, json_t **ret_value,
                       const hoop_response **ret_answer)
{
    static const struct hoop__params_rules rules = { MAX_COUNT, MAX_NAME, 0 };
    struct hoop__param_list list = { NULL, 0, 0 };
    const char *problem = NULL;
    int rc = hoop__params_read(req->arena, body, &rules, &list, &problem);
    if (problem)
        *ret_answer = hoop_problemf(req, 400, "the form has %s", problem);
    if (rc == HOOP_ENOMEM)
        hoop__fail_memory(req);
    if (rc)
        return rc;
    json_t *object = json_object();
    for (size_t i = 0; object && i < list.count; i++)
        if (put(object, &list.items[i])) {
            json_decref(object);
            object = NULL;
        }
    if (!object) {
        hoop__fail_memory(req);
        return HOOP_ENOMEM;
    }
    *ret_value = object;
    return 0;
}

const hoop_format hoop_format_form = {
    .types = "application/x-www-form-urlencoded",
    .decode = decode_form,
};
