/* Middleware "content_type": see hoop/middleware/content_type.h. */
#include "middleware/middleware.h"

#include "codec/media.h"
#include "codec/mime.h"
#include "value/response.h"

#include <hoop/middleware/content_type.h>

/* The type of an extension: the program's, the built-in one, or absent. */
static hoop_str type_of(const hoop_content_type_options *options, hoop_str extension)
{
    if (hoop_str_is_none(extension))
        return extension;
    for (const char *const *pair = options->types; pair && *pair; pair += 2)
        if (hoop_str_eq_nocase(extension, hoop_str_c(pair[0])))
            return hoop_str_c(pair[1]);
    return hoop__mime_builtin(extension);
}

static int wants_type(const hoop_response *res)
{
    return res->status >= 200 && res->status < 300 && res->status != 204 && res->status != 205 &&
           res->body_kind != HOOP_BODY_NONE &&
           hoop_str_is_none(hoop_response_header(res, "content-type"));
}

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    const hoop_content_type_options *options = value;
    if (!wants_type(res))
        return res;
    hoop_str type = type_of(options, hoop__mime_extension(req->uri));
    if (hoop_str_is_none(type))
        type = hoop_str_c(options->fallback);
    return hoop_str_is_none(type) ? res
                                  : hoop__response_with(req, res, hoop_str_n("Content-Type", 12),
                                                        type, /* replace= */ 0);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    return hoop_then(req, hoop_call(next, req), respond, value);
}

static int check_type(const char *type, hoop_error *error)
{
    struct hoop__media media;
    hoop_str text = hoop_str_c(type);
    if (type && hoop__is_field_value(text) && !hoop__media_parse(text, &media))
        return 0;
    return hoop_error_set(error, HOOP_EINVAL, "content_type: '%s' is no media type",
                          type ? type : "(null)");
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_content_type_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    int rc = own->fallback ? check_type(own->fallback, error) : 0;
    for (const char *const *pair = own->types; !rc && pair && *pair; pair += 2)
        rc = check_type(pair[1], error);
    if (!rc)
        *ret_value = own;
    return rc;
}

const hoop_middleware_type hoop_content_type_type = {
    .name = "content_type",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_response *hoop_content_type_response_sized(const hoop_request *req,
                                                      const hoop_response *res,
                                                      const hoop_content_type_options *options,
                                                      size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_content_type_type, options, options_size);
    return value ? hoop_then(req, res, respond, value) : NULL;
}
