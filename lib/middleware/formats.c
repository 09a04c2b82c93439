/* Middleware "formats": see hoop/middleware/formats.h. */
#include "middleware/middleware.h"

#include "codec/list.h"
#include "handler/router.h"
#include "middleware/body.h"
#include "middleware/value.h"

#include <hoop/accept.h>
#include <hoop/body.h>
#include <hoop/middleware/formats.h>

static const char value_key = 0;

struct formats {
    hoop_formats_options options;
    const char **offers;         /* the types that are sent */
    const hoop_format **writers; /* the formats that they are of */
    size_t offer_count;
};

json_t *hoop_request_value(const hoop_request *req)
{
    return hoop_get(req, &value_key);
}

/* --- requests -------------------------------------------------------------------------------- */

/* The format that reads a type; NULL if none does. */
static const hoop_format *reader_of(const struct formats *formats, hoop_str type)
{
    struct hoop__media media;
    if (hoop__media_parse(hoop_str_trim(type), &media))
        return NULL;
    for (const hoop_format *const *f = formats->options.formats; *f; f++)
        if ((*f)->decode && hoop__media_means(&media, hoop_str_c((*f)->types)))
            return *f;
    return NULL;
}

static void drop_value(void *data)
{
    json_decref(data);
}

static const hoop_request *decoded(const hoop_request *req, const hoop_format *format,
                                   const hoop_response **ret_answer)
{
    json_t *value = NULL;
    if (!hoop__body_is_utf8(req)) {
        *ret_answer = hoop_problem(req, 415, "the body must be in UTF-8");
        return NULL;
    }
    if (format->decode(req, hoop_body(req), &value, ret_answer))
        return NULL;
    if (hoop_arena_on_dispose(req->arena, drop_value, value))
        return hoop__fail_memory(req);
    return hoop_assoc(req, &value_key, value);
}

/* The request with its value, if its body is here. NULL, and the answer or a note. */
static const hoop_request *with_value(const hoop_request *req, const struct formats *formats,
                                      const hoop_response **ret_answer)
{
    hoop_str type = hoop_header(req, "content-type");
    const hoop_format *format = reader_of(formats, type);
    if (!hoop_has_body(req) || hoop_request_value(req))
        return req;
    if (!format && formats->options.strict) {
        *ret_answer = hoop_problem(req, 415, "no format reads this body");
        return NULL;
    }
    return format && hoop_body(req).len ? decoded(req, format, ret_answer) : req;
}

/* --- responses ------------------------------------------------------------------------------- */

static const hoop_response *written(const hoop_request *req, const hoop_response *res,
                                    const hoop_format *format, const char *type)
{
    hoop_str bytes;
    if (format->encode(req, hoop_response_value(res), &bytes))
        return NULL;
    return hoop__value_written(req, res, hoop_str_c(type), bytes);
}

/* By the Content-Type that the handler has set. */
static const hoop_response *forced(const hoop_request *req, const hoop_response *res,
                                   const struct formats *formats, hoop_str type)
{
    struct hoop__media media;
    for (size_t i = 0; !hoop__media_parse(hoop_str_trim(type), &media) && i < formats->offer_count;
         i++)
        if (hoop__media_means(&media, hoop_str_c(formats->writers[i]->types)))
            return written(req, res, formats->writers[i], formats->offers[i]);
    return hoop_fail(req, HOOP_EINVAL, "formats: none writes '%s'", type.data);
}

static const hoop_response *negotiated(const hoop_request *req, const hoop_response *res,
                                       const struct formats *formats)
{
    size_t best = 0;
    hoop_str accept = hoop_header_joined(req, "accept");
    if (hoop_accept_best(HOOP_ACCEPT_MEDIA, accept, formats->offers, formats->offer_count, &best))
        res = hoop_problem(req, 406, "no format that is accepted is written here");
    else
        res = written(req, res, formats->writers[best], formats->offers[best]);
    return hoop__add_vary(req, res, "Accept");
}

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    const struct formats *formats = value;
    if (!hoop__value_unwritten(res))
        return res;
    hoop_str type = hoop_response_header(res, "content-type");
    return hoop_str_is_none(type) ? negotiated(req, res, formats) : forced(req, res, formats, type);
}

/* --- the middleware -------------------------------------------------------------------------- */

static const hoop_response *go_on(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_response *answer = NULL;
    const hoop_request *more = with_value(req, value, &answer);
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
    const struct formats *formats = value;
    const hoop_response *res;
    if (!hoop_has_body(req) || hoop__body_is_streamed(req)) {
        res = hoop_call(next, req);
    } else if (!reader_of(formats, hoop_header(req, "content-type"))) {
        res = go_on(req, next, value);
    } else {
        struct hoop__rest *rest = hoop__rest_new(req, next, value);
        res = rest ? hoop_read_body(req, formats->options.max_body, with_body, rest) : NULL;
    }
    return hoop_then(req, res, respond, value);
}

/* --- building -------------------------------------------------------------------------------- */

static int check(const hoop_format *format, size_t index, hoop_error *error)
{
    struct hoop__media media;
    hoop_str rest = hoop_str_c(format->types), first;
    if (hoop__list_next(&rest, &first) <= 0 || hoop__media_parse(first, &media) ||
        !hoop__is_field_value(first))
        return hoop_error_set(error, HOOP_EINVAL,
                              "formats: the types of format %zu, '%s', begin with no media type",
                              index, format->types ? format->types : "");
    if (!format->decode && !format->encode)
        return hoop_error_set(error, HOOP_EINVAL, "formats: '%s' neither reads nor writes",
                              format->types);
    return 0;
}

/* The first type of each format that writes, with a NUL behind it. */
static int offer(hoop_arena *arena, struct formats *own, const hoop_format *format)
{
    hoop_str rest = hoop_str_c(format->types), first;
    if (!format->encode || hoop__list_next(&rest, &first) <= 0)
        return 0;
    hoop_str copy = hoop_arena_copy(arena, first);
    if (hoop_str_is_none(copy))
        return HOOP_ENOMEM;
    own->offers[own->offer_count] = copy.data;
    own->writers[own->offer_count++] = format;
    return 0;
}

static int collect(hoop_arena *arena, struct formats *own, hoop_error *error)
{
    size_t count = 0;
    while (own->options.formats[count])
        count++;
    own->offers = hoop_arena_zalloc(arena, (count + 1) * sizeof *own->offers);
    own->writers = hoop_arena_zalloc(arena, (count + 1) * sizeof *own->writers);
    if (!own->offers || !own->writers)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        int rc = check(own->options.formats[i], i, error);
        if (rc)
            return rc;
        if (offer(arena, own, own->options.formats[i]))
            return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    }
    return own->offer_count ? 0
                            : hoop_error_set(error, HOOP_EINVAL, "formats: none of them writes");
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    static const hoop_format *const json_alone[] = { &hoop_format_json, NULL };
    struct formats *own = hoop_arena_zalloc(arena, sizeof *own);
    const hoop_formats_options *copy =
        hoop__options_copy(arena, options, options_size, sizeof *copy, error);
    if (!own || !copy)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    own->options = *copy;
    if (!own->options.formats)
        own->options.formats = json_alone;
    int rc = collect(arena, own, error);
    if (!rc)
        *ret_value = own;
    return rc;
}

const hoop_middleware_type hoop_formats_type = {
    .name = "formats",
    .provides = "value",
    .wrap = wrap,
    .build = build,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_formats_request_sized(const hoop_request *req,
                                               const hoop_response **ret_answer,
                                               const hoop_formats_options *options,
                                               size_t options_size)
{
    const hoop_response *answer = NULL;
    const void *value = hoop__options_value(req, &hoop_formats_type, options, options_size);
    const hoop_request *more = value ? with_value(req, value, &answer) : NULL;
    if (!more && answer && ret_answer)
        *ret_answer = answer;
    return more;
}

const hoop_response *hoop_formats_response_sized(const hoop_request *req, const hoop_response *res,
                                                 const hoop_formats_options *options,
                                                 size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_formats_type, options, options_size);
    return value ? hoop_then(req, res, respond, value) : NULL;
}
