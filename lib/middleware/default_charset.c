/* Middleware "default_charset": see hoop/middleware/default_charset.h. */
#include "middleware/middleware.h"

#include "codec/media.h"
#include "value/response.h"

#include <hoop/middleware/default_charset.h>

static int is_text(const struct hoop__media *media)
{
    return hoop_str_eq_nocase(media->type, hoop_str_c("text")) ||
           hoop__media_is(media, "application", "xml");
}

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    const hoop_default_charset_options *options = value;
    struct hoop__media media;
    struct hoop__param charset;
    hoop_str type = hoop_response_header(res, "content-type");
    if (!type.len || hoop__media_parse(hoop_str_trim(type), &media) || !is_text(&media) ||
        hoop__media_param(&media, "charset", &charset))
        return res;
    const hoop_str parts[] = { type, hoop_str_n("; charset=", 10), hoop_str_c(options->charset) };
    hoop_str said = hoop__join(req, parts, HOOP_COUNT(parts));
    return hoop_str_is_none(said) ? NULL
                                  : hoop__response_with(req, res, hoop_str_n("Content-Type", 12),
                                                        said, /* replace= */ 1);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    return hoop_then(req, hoop_call(next, req), respond, value);
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_default_charset_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (!own->charset)
        own->charset = "utf-8";
    if (!hoop__is_token(hoop_str_c(own->charset)))
        return hoop_error_set(error, HOOP_EINVAL, "default_charset: the charset '%s' is no token",
                              own->charset);
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_default_charset_type = {
    .name = "default_charset",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_response *hoop_default_charset_response_sized(
    const hoop_request *req, const hoop_response *res, const hoop_default_charset_options *options,
    size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_default_charset_type, options, options_size);
    return value ? hoop_then(req, res, respond, value) : NULL;
}
