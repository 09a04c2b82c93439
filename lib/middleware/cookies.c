/* Middleware "cookies": see hoop/middleware/cookies.h. */
#include "middleware/cookies.h"
#include "middleware/middleware.h"

#include "value/response.h"

#include <hoop/middleware/cookies.h>

#include <string.h>

static const char jar_key;

/* The cookies of a request. */
struct jar {
    hoop_cookie_pair *pairs;
    size_t count;
};

/* --- requests -------------------------------------------------------------------------------- */

const hoop_cookie_pair *hoop_cookies(const hoop_request *req, size_t *ret_count)
{
    const struct jar *jar = hoop_get(req, &jar_key);
    *ret_count = jar ? jar->count : 0;
    return jar ? jar->pairs : NULL;
}

hoop_str hoop_cookie(const hoop_request *req, const char *name)
{
    const struct jar *jar = hoop_get(req, &jar_key);
    hoop_str header;
    if (!req || !name)
        return hoop_str_none();
    for (size_t i = 0; jar && i < jar->count; i++)
        if (hoop_str_eq_c(jar->pairs[i].name, name))
            return jar->pairs[i].value;
    for (size_t i = 0; !jar; i++) {
        header = hoop_header_at(req, "cookie", i);
        if (hoop_str_is_none(header))
            break;
        hoop_str value = hoop_cookie_at(header, name, 0);
        if (!hoop_str_is_none(value))
            return value;
    }
    return hoop_str_none();
}

/* Takes the next cookie; with commas as separators the piece is what stands in front of one. */
static int next(hoop_str *rest, int commas, hoop_cookie_pair *ret)
{
    if (!commas)
        return hoop_cookie_next(rest, ret);
    while (rest->len) {
        size_t len = 0;
        while (len < rest->len && rest->data[len] != ';' && rest->data[len] != ',')
            len++;
        hoop_str piece = hoop_str_n(rest->data, len);
        len += len < rest->len;
        *rest = hoop_str_n(rest->data + len, rest->len - len);
        if (hoop_cookie_next(&piece, ret))
            return 1;
    }
    return 0;
}

/* How many pairs the headers may hold at most. */
static size_t bound(const hoop_request *req, const hoop_cookies_options *options)
{
    size_t count = 0;
    hoop_str header;
    for (size_t i = 0; header = hoop_header_at(req, "cookie", i), !hoop_str_is_none(header); i++) {
        hoop_cookie_pair pair;
        while (next(&header, options->commas != 0, &pair))
            count++;
    }
    return count;
}

/* Name and value as strings with a NUL behind them. 0; HOOP_EPARSE: to be left out; or HOOP_ENOMEM. */
static int decode(const hoop_request *req, const hoop_cookies_options *options,
                  hoop_cookie_pair *pair)
{
    int rc = hoop_cookie_decode(req->arena, pair->value, options->encoding, &pair->value);
    if (rc)
        return rc;
    return hoop_cookie_decode(req->arena, pair->name, HOOP_COOKIE_PLAIN, &pair->name);
}

static int fill(const hoop_request *req, const hoop_cookies_options *options, struct jar *jar)
{
    hoop_str header;
    for (size_t i = 0; header = hoop_header_at(req, "cookie", i), !hoop_str_is_none(header); i++) {
        hoop_cookie_pair pair;
        while (next(&header, options->commas != 0, &pair)) {
            int rc = decode(req, options, &pair);
            if (rc == HOOP_ENOMEM)
                return rc;
            if (!rc)
                jar->pairs[jar->count++] = pair;
        }
    }
    return 0;
}

static const hoop_request *with_cookies(const hoop_request *req,
                                        const hoop_cookies_options *options,
                                        const hoop_response **ret_answer)
{
    if (hoop_get(req, &jar_key) || hoop_str_is_none(hoop_header(req, "cookie")))
        return req;
    size_t count = bound(req, options);
    if (count > options->max_count) {
        *ret_answer = hoop_problemf(req, 400, "the request has more than %llu cookies",
                                    (unsigned long long)options->max_count);
        return NULL;
    }
    struct jar *jar = hoop_alloc(req, sizeof *jar + count * sizeof *jar->pairs);
    if (!jar)
        return NULL;
    jar->pairs = (hoop_cookie_pair *)(void *)(jar + 1);
    jar->count = 0;
    if (fill(req, options, jar)) {
        hoop__fail_memory(req);
        return NULL;
    }
    return hoop_assoc(req, &jar_key, jar);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler inner, const void *value)
{
    const hoop_response *answer = NULL;
    const hoop_request *more = with_cookies(req, value, &answer);
    return more ? hoop_call(inner, more) : answer;
}

/* --- building -------------------------------------------------------------------------------- */

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    hoop_cookies_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    if (!own)
        return HOOP_ENOMEM;
    if (!own->max_count)
        own->max_count = 128;
    if (own->encoding > HOOP_COOKIE_FORM)
        return hoop_error_set(error, HOOP_EINVAL,
                              "cookies: encoding is %u, not one of HOOP_COOKIE_*", own->encoding);
    *ret_value = own;
    return 0;
}

const hoop_middleware_type hoop_cookies_type = {
    .name = "cookies",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_cookies_request_sized(const hoop_request *req,
                                               const hoop_response **ret_answer,
                                               const hoop_cookies_options *options,
                                               size_t options_size)
{
    const hoop_response *answer = NULL;
    const void *value = hoop__options_value(req, &hoop_cookies_type, options, options_size);
    const hoop_request *more = value ? with_cookies(req, value, &answer) : NULL;
    return more ? more : hoop__refused(ret_answer, answer);
}

/* --- responses ------------------------------------------------------------------------------- */

static const hoop_response *add_line(const hoop_request *req, const hoop_response *res,
                                     const void *value)
{
    const hoop_str *line = value;
    return hoop__response_with(req, res, hoop_str_c("Set-Cookie"), *line, /* replace= */ 0);
}

const hoop_response *hoop__add_set_cookie(const hoop_request *req, const hoop_response *res,
                                          const char *name, hoop_str value,
                                          const hoop_cookie_options *options, size_t options_size)
{
    hoop_error error = { 0, "" };
    hoop_str line;
    if (!req || !res || hoop_is_pass(res))
        return req ? res : NULL;
    int rc =
        hoop_cookie_format_sized(req->arena, name, value, &line, &error, options, options_size);
    /* That a cookie is too large is no fault of the client's. */
    if (rc)
        return hoop_fail(req, rc == HOOP_ETOOBIG ? HOOP_EINVAL : rc, "%s", error.text);
    if (!hoop_is_pending(res))
        return add_line(req, res, &line);
    hoop_str *kept = hoop_alloc(req, sizeof *kept);
    if (!kept)
        return NULL;
    *kept = line;
    return hoop_then(req, res, add_line, kept);
}

const hoop_response *hoop_add_cookie_sized(const hoop_request *req, const hoop_response *res,
                                           const char *name, const char *value,
                                           const hoop_cookie_options *options, size_t options_size)
{
    return hoop__add_set_cookie(req, res, name, hoop_str_c(value), options, options_size);
}
