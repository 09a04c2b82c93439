/* Middleware "params": see hoop/middleware/params.h. */
#include "middleware/middleware.h"

#include "codec/media.h"
#include "handler/params.h"
#include "middleware/body.h"

#include <hoop/body.h>
#include <hoop/middleware/params.h>

/* --- the form -------------------------------------------------------------------------------- */

static int is_form(const hoop_request *req)
{
    struct hoop__media media;
    return !hoop__media_parse(hoop_str_trim(hoop_header(req, "content-type")), &media) &&
           hoop__media_is(&media, "application", "x-www-form-urlencoded");
}

/* Nonzero if there is a form that nobody has read. */
static int form_is_open(const hoop_request *req, const hoop_params_options *options)
{
    if (options->query_only || !hoop_has_body(req))
        return 0;
    const struct hoop__params *params = hoop__params_of(req);
    return !(params && params->has_form) && is_form(req);
}

/* --- reading --------------------------------------------------------------------------------- */

static const hoop_response *refuse(const hoop_request *req, int code, const char *place,
                                   const char *problem)
{
    if (code == HOOP_ENOMEM)
        return hoop__fail_memory(req);
    return hoop_problemf(req, 400, "the %s has %s", place, problem);
}

/* Reads a text to the end of the list. 0, or nonzero and the answer. */
static int read_into(const hoop_request *req, hoop_str text, const char *place,
                     const hoop_params_options *options, struct hoop__param_list *list,
                     const hoop_response **ret_answer)
{
    const struct hoop__params_rules rules = { options->max_count, options->max_name,
                                              options->lenient != 0 };
    const char *problem = NULL;
    int code = hoop__params_read(req->arena, text, &rules, list, &problem);
    if (code)
        *ret_answer = refuse(req, code, place, problem);
    return code;
}

static int copy_into(const hoop_request *req, const hoop_field *items, size_t first, size_t count,
                     struct hoop__param_list *list)
{
    for (size_t i = first; i < first + count; i++)
        if (hoop__param_list_add(req->arena, list, items[i].name, items[i].value)) {
            hoop__fail_memory(req);
            return HOOP_ENOMEM;
        }
    return 0;
}

/* The body of a form that nobody has read; absent if there is none. Nonzero and the answer if it can't
 * be read. */
static int open_form(const hoop_request *req, const hoop_params_options *options,
                     hoop_str *ret_form, const hoop_response **ret_answer)
{
    *ret_form = form_is_open(req, options) ? hoop_body(req) : hoop_str_none();
    if (hoop_str_is_none(*ret_form) || hoop__body_is_utf8(req))
        return 0;
    *ret_answer = hoop_problem(req, 415, "a form must be in UTF-8");
    return HOOP_EUNSUPPORTED;
}

static const hoop_request *with_params(const hoop_request *req, const hoop_params_options *options,
                                       const hoop_response **ret_answer)
{
    static const struct hoop__params nothing = { NULL, 0, 0, NULL, 0, 0 };
    const struct hoop__params *known = hoop__params_of(req);
    struct hoop__params params = known ? *known : nothing;
    struct hoop__param_list list = { NULL, 0, 0 };
    hoop_str form;
    int query_known = params.has_query && params.query == req->query_string.data;
    if (open_form(req, options, &form, ret_answer))
        return NULL;
    if (query_known && hoop_str_is_none(form))
        return req;
    if (query_known ? copy_into(req, params.items, 0, params.query_count, &list)
                    : read_into(req, req->query_string, "query", options, &list, ret_answer))
        return NULL;
    size_t query_count = list.count;
    if (hoop_str_is_none(form)
            ? copy_into(req, params.items, params.query_count, params.form_count, &list)
            : read_into(req, form, "form", options, &list, ret_answer))
        return NULL;
    params.has_form |= !hoop_str_is_none(form);
    params.has_query = 1;
    params.query = req->query_string.data;
    params.items = list.items;
    params.query_count = query_count;
    params.form_count = list.count - query_count;
    return hoop__params_put(req, &params);
}

/* --- the middleware -------------------------------------------------------------------------- */

static const hoop_response *go_on(const hoop_request *req, hoop_handler next,
                                  const hoop_params_options *options)
{
    const hoop_response *answer = NULL;
    const hoop_request *more = with_params(req, options, &answer);
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
    const hoop_params_options *options = value;
    if (!form_is_open(req, options) || hoop__body_is_streamed(req))
        return go_on(req, next, options);
    struct hoop__rest *rest = hoop__rest_new(req, next, value);
    return rest ? hoop_read_body(req, options->max_form, with_body, rest) : NULL;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_params_options *own = hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (!own->max_count)
        own->max_count = 512;
    if (!own->max_name)
        own->max_name = 1024;
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_params_type = {
    .name = "params",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_params_request_sized(const hoop_request *req,
                                              const hoop_response **ret_answer,
                                              const hoop_params_options *options,
                                              size_t options_size)
{
    const hoop_response *answer = NULL;
    const void *value = hoop__options_value(req, &hoop_params_type, options, options_size);
    const hoop_request *more = value ? with_params(req, value, &answer) : NULL;
    return more ? more : hoop__refused(ret_answer, answer);
}
