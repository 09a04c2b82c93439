/* Middleware "request_id": see hoop/middleware/request_id.h. */
#include "middleware/ids.h"

#include "value/response.h"

#include <hoop/middleware/request_id.h>

#define ID_DIGITS 32
#define MAX_ID    128u

static const char id_key;

/* What is built of the options. */
struct ids {
    hoop_request_id_options options;
    struct hoop__id_key keys[2]; /* one for each half of an id */
};

/* --- requests -------------------------------------------------------------------------------- */

hoop_str hoop_request_id(const hoop_request *req)
{
    const hoop_str *id = hoop_get(req, &id_key);
    return id ? *id : hoop_str_none();
}

static int is_fit(hoop_str id)
{
    static const char others[] = "-_.:+/=@";
    for (size_t i = 0; i < id.len; i++) {
        unsigned char c = (unsigned char)id.data[i];
        int alnum = (unsigned)(c - '0') < 10 || (unsigned)((c | 0x20) - 'a') < 26;
        if (!alnum && (!c || !strchr(others, c)))
            return 0;
    }
    return id.len > 0 && id.len <= MAX_ID;
}

static const hoop_request *with_id(const hoop_request *req, const struct ids *ids)
{
    if (hoop_get(req, &id_key))
        return req;
    hoop_str *id = hoop_alloc(req, sizeof *id + ID_DIGITS + 1);
    if (!id)
        return NULL;
    *id = ids->options.trust ? hoop_header(req, ids->options.header) : hoop_str_none();
    if (!is_fit(*id)) {
        char *text = (char *)(id + 1), *end = text;
        for (int half = 0; half < 2; half++)
            end = hoop__id_write(hoop__id_draw(req, &ids->keys[half]), end);
        *end = 0;
        *id = hoop_str_n(text, ID_DIGITS);
    }
    return hoop_assoc(req, &id_key, id);
}

/* --- responses ------------------------------------------------------------------------------- */

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    const struct ids *ids = value;
    hoop_str id = hoop_request_id(req), name = hoop_str_c(ids->options.header);
    if (ids->options.no_response || !id.len ||
        !hoop_str_is_none(hoop_response_header(res, ids->options.header)))
        return res;
    return hoop__response_with(req, res, name, id, /* replace= */ 0);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const struct ids *ids = value;
    const hoop_request *more = with_id(req, ids);
    if (more && !ids->options.no_response && hoop__exchange_on_canned(more, respond, value))
        return NULL;
    return more ? hoop_then(more, hoop_call(next, more), respond, value) : NULL;
}

/* --- building -------------------------------------------------------------------------------- */

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    const hoop_request_id_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    struct ids *ids = own ? hoop_arena_zalloc(arena, sizeof *ids) : NULL;
    if (!ids)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    ids->options = *own;
    if (!own->header)
        ids->options.header = "X-Request-Id";
    if (!hoop__is_token(hoop_str_c(ids->options.header)))
        return hoop_error_set(error, HOOP_EINVAL, "request_id: '%s' is no header name",
                              ids->options.header);
    int rc = hoop__id_keys(ids->keys, HOOP_COUNT(ids->keys), "request_id", error);
    if (rc)
        return rc;
    *ret_value = ids;
    return 0;
}

const hoop_middleware_type hoop_request_id_type = {
    .name = "request_id",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_request_id_request_sized(const hoop_request *req,
                                                  const hoop_response **ret_answer,
                                                  const hoop_request_id_options *options,
                                                  size_t options_size)
{
    (void)ret_answer; /* nothing is refused */
    const void *value = hoop__options_value(req, &hoop_request_id_type, options, options_size);
    return value ? with_id(req, value) : NULL;
}

const hoop_response *hoop_request_id_response_sized(const hoop_request *req,
                                                    const hoop_response *res,
                                                    const hoop_request_id_options *options,
                                                    size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_request_id_type, options, options_size);
    return value ? hoop_then(req, res, respond, value) : NULL;
}
