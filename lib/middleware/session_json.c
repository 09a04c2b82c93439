/* Sessions as JSON: values that are JSON texts, and the whole as an object; see hoop/json.h. */
#include "middleware/session.h"

#include "json/text.h"

static void drop_value(void *data)
{
    json_decref(data);
}

/* What is wrong is told by its place alone: what a session has does not belong in a log. */
json_t *hoop_session_json(const hoop_request *req, const char *key)
{
    static const size_t flags = JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_REJECT_DUPLICATES;
    json_error_t error;
    hoop_str text = hoop_session_get(req, key);
    if (hoop_str_is_none(text))
        return NULL;
    json_t *value = json_loadb(text.data, text.len, flags, &error);
    if (value)
        return hoop_arena_on_dispose(req->arena, drop_value, value) ? hoop__fail_memory(req)
                                                                    : value;
    if (json_error_code(&error) == json_error_out_of_memory)
        return hoop__fail_memory(req);
    hoop_fail(req, HOOP_EPARSE, "the session's '%s' is no JSON: line %d, column %d", key,
              error.line, error.column);
    return NULL;
}

const hoop_response *hoop_with_session_json(const hoop_request *req, const hoop_response *res,
                                            const char *key, json_t *value)
{
    hoop_str text = hoop_str_c("");
    hoop_error error;
    int rc =
        req && res && !hoop_is_pass(res) ? hoop__json_text(req->arena, value, &text, &error) : 0;
    json_decref(value);
    if (rc)
        return hoop_fail(req, rc, "the session's '%s' can't be written: %s", key ? key : "",
                         error.text);
    return hoop_with_session_value(req, res, key, text.data);
}

json_t *hoop_session_to_json(const hoop_request *req)
{
    size_t count;
    const hoop_field *items = hoop_session(req, &count);
    json_t *object = json_object();
    for (size_t i = 0; object && i < count; i++)
        if (json_object_set_new_nocheck(object, items[i].name.data,
                                        hoop__json_bytes(items[i].value))) {
            json_decref(object);
            object = NULL;
        }
    return object;
}
