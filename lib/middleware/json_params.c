/* Middleware "json_params": see hoop/middleware/json_params.h. */
#include "middleware/middleware.h"

#include "codec/media.h"
#include "handler/params.h"
#include "middleware/body.h"

#include <hoop/body.h>
#include <hoop/json.h>
#include <hoop/middleware/json_params.h>

static const char read_key = 0; /* the body has been made parameters */

static int is_json(const hoop_request *req)
{
    struct hoop__media media;
    return !hoop__media_parse(hoop_str_trim(hoop_header(req, "content-type")), &media) &&
           hoop__media_means(&media, hoop_str_n("application/json, +json", 23));
}

static int is_open(const hoop_request *req)
{
    return hoop_has_body(req) && !hoop_get(req, &read_key) && is_json(req);
}

/* Nonzero if a value has more levels than that. The parser has its own limit, so this ends. */
static int is_deeper(json_t *value, uint32_t levels)
{
    const char *key;
    size_t i;
    json_t *member;
    if (!json_is_object(value) && !json_is_array(value))
        return 0;
    if (levels == 0)
        return 1;
    json_object_foreach(value, key, member) if (is_deeper(member, levels - 1)) return 1;
    json_array_foreach(value, i, member) if (is_deeper(member, levels - 1)) return 1;
    return 0;
}

/* --- members as parameters ------------------------------------------------------------------- */

/* The text of a text, a number, true or false; absent for anything else, or if out of memory. */
static hoop_str text_of(const hoop_request *req, const json_t *value)
{
    hoop_str text = hoop_str_none();
    if (json_is_string(value))
        return hoop_str_n(json_string_value(value), json_string_length(value));
    if (json_is_boolean(value))
        return hoop_str_c(json_is_true(value) ? "true" : "false");
    if (json_is_number(value))
        hoop_json_dump(req->arena, value, JSON_ENCODE_ANY, &text, NULL);
    return text;
}

static int is_scalar(const json_t *value)
{
    return json_is_string(value) || json_is_boolean(value) || json_is_number(value);
}

static int add_scalar(const hoop_request *req, struct hoop__param_list *list, const char *name,
                      const json_t *value)
{
    hoop_str text = text_of(req, value);
    return hoop_str_is_none(text) || hoop__param_list_add(req->arena, list, hoop_str_c(name), text);
}

/* A member, or each element of one. Nonzero: out of memory. */
static int add_member(const hoop_request *req, struct hoop__param_list *list, const char *name,
                      json_t *value)
{
    size_t i;
    json_t *element;
    if (is_scalar(value))
        return add_scalar(req, list, name, value);
    json_array_foreach(value, i,
                       element) if (is_scalar(element) &&
                                    add_scalar(req, list, name, element)) return HOOP_ENOMEM;
    return 0;
}

static const hoop_request *put_members(const hoop_request *req, json_t *object)
{
    static const struct hoop__params nothing = { NULL, 0, 0, NULL, 0, 0 };
    const struct hoop__params *known = hoop__params_of(req);
    struct hoop__params params = known ? *known : nothing;
    struct hoop__param_list list = { NULL, 0, 0 };
    const char *name;
    json_t *member;
    for (size_t i = 0; i < params.query_count; i++)
        if (hoop__param_list_add(req->arena, &list, params.items[i].name, params.items[i].value))
            return hoop__fail_memory(req);
    json_object_foreach(object, name, member) if (add_member(req, &list, name,
                                                             member)) return hoop__fail_memory(req);
    params.items = list.items;
    params.form_count = list.count - params.query_count;
    params.has_form = 1;
    return hoop__params_put(req, &params);
}

/* --- the middleware -------------------------------------------------------------------------- */

static const hoop_request *with_json(const hoop_request *req,
                                     const hoop_json_params_options *options,
                                     const hoop_response **ret_answer)
{
    if (!is_open(req) || hoop_body(req).len == 0)
        return req;
    if (!hoop__body_is_utf8(req)) {
        *ret_answer = hoop_problem(req, 415, "JSON must be in UTF-8");
        return NULL;
    }
    json_t *value = hoop_request_json(req, ret_answer);
    if (!value)
        return NULL;
    if (options->max_depth != HOOP_OFF32 && is_deeper(value, options->max_depth)) {
        *ret_answer = hoop_problemf(req, 400, "the JSON has more than %lu levels",
                                    (unsigned long)options->max_depth);
        return NULL;
    }
    req = hoop_assoc(req, &read_key, &read_key);
    return req && json_is_object(value) ? put_members(req, value) : req;
}

static const hoop_response *go_on(const hoop_request *req, hoop_handler next,
                                  const hoop_json_params_options *options)
{
    const hoop_response *answer = NULL;
    const hoop_request *more = with_json(req, options, &answer);
    return more ? hoop_call(next, more) : answer;
}

static const hoop_response *with_body(const hoop_request *req, hoop_str body, void *data)
{
    (void)body;
    const struct hoop__rest *rest = data;
    return go_on(req, rest->next, rest->value);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_json_params_options *options = value;
    if (!is_open(req) || hoop__body_is_streamed(req))
        return hoop_call(next, req);
    struct hoop__rest *rest = hoop__rest_new(req, next, value);
    return rest ? hoop_read_body(req, options->max_body, with_body, rest) : NULL;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_json_params_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (!own->max_depth)
        own->max_depth = 64;
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_json_params_type = {
    .name = "json_params",
    .provides = "json",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_json_params_request_sized(const hoop_request *req,
                                                   const hoop_response **ret_answer,
                                                   const hoop_json_params_options *options,
                                                   size_t options_size)
{
    const hoop_response *answer = NULL;
    const void *value = hoop__options_value(req, &hoop_json_params_type, options, options_size);
    const hoop_request *more = value ? with_json(req, value, &answer) : NULL;
    if (!more && answer && ret_answer)
        *ret_answer = answer;
    return more;
}
