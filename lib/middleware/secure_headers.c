/* Middleware "secure_headers": see hoop/middleware/secure_headers.h. */
#include "middleware/middleware.h"

#include "base/random.h"
#include "codec/base64.h"
#include "value/response.h"

#include <hoop/middleware/secure_headers.h>

#include <string.h>

#define NONCE_WORD  "'nonce'"
#define NONCE_BYTES 16
#define MAX_HEADERS 8

/* Where in the policy a nonce is put in: in front of a closing quote. */
#define MAX_NONCES 16

/* What is built of the options. */
struct headers {
    hoop_field items[MAX_HEADERS]; /* the policy, if there is one, first */
    size_t count;
    size_t nonces; /* places of the policy's value at which a nonce goes in */
    size_t places[MAX_NONCES];
};

static const char nonce_key;

/* --- requests -------------------------------------------------------------------------------- */

hoop_str hoop_csp_nonce(const hoop_request *req)
{
    const hoop_str *nonce = hoop_get(req, &nonce_key);
    return nonce ? *nonce : hoop_str_none();
}

static const hoop_request *with_nonce(const hoop_request *req, const struct headers *headers)
{
    char bytes[NONCE_BYTES];
    if (!headers->nonces || hoop_get(req, &nonce_key))
        return req;
    size_t size = hoop__base64_size(sizeof bytes);
    hoop_str *nonce = hoop_alloc(req, sizeof *nonce + size + 1);
    if (!nonce)
        return NULL;
    int rc = hoop__random(bytes, sizeof bytes);
    if (rc) {
        hoop_fail(req, rc, "no random bytes for a nonce: %s", hoop_strerror(rc));
        return NULL;
    }
    char *text = (char *)(nonce + 1);
    *nonce = hoop_str_n(text, hoop__base64_encode(hoop_str_n(bytes, sizeof bytes), text));
    text[nonce->len] = 0;
    return hoop_assoc(req, &nonce_key, nonce);
}

/* --- responses ------------------------------------------------------------------------------- */

/* The policy with the request's nonce at each of its places. Absent: noted. */
static hoop_str filled(const hoop_request *req, const struct headers *headers)
{
    hoop_str policy = headers->items[0].value, nonce = hoop_csp_nonce(req);
    char *text = hoop_alloc(req, policy.len + headers->nonces * nonce.len + 1), *end = text;
    size_t from = 0;
    if (!text)
        return hoop_str_none();
    for (size_t i = 0; i < headers->nonces; i++) {
        size_t place = headers->places[i];
        memcpy(end, policy.data + from, place - from);
        memcpy(end + place - from, nonce.data, nonce.len);
        end += place - from + nonce.len;
        from = place;
    }
    memcpy(end, policy.data + from, policy.len - from + 1);
    return hoop_str_n(text, (size_t)(end - text) + policy.len - from);
}

static int is_set(const hoop_response *res, hoop_str name)
{
    return hoop__field_find(res->headers, res->header_count, 0, name) < res->header_count;
}

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    const struct headers *headers = value;
    struct hoop__response *more = NULL;
    for (size_t i = 0; i < headers->count; i++) {
        hoop_field field = headers->items[i];
        if (is_set(res, field.name))
            continue;
        if (i == 0 && headers->nonces) {
            field.value = filled(req, headers);
            if (hoop_str_is_none(field.value))
                return NULL;
        }
        if (!more)
            more = hoop__response_derive(req, res);
        if (!more || hoop__response_append(req, more, field.name, field.value))
            return NULL;
    }
    return more ? &more->pub : res;
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_request *own = with_nonce(req, value);
    if (own && hoop__exchange_on_canned(own, respond, value))
        return NULL;
    return own ? hoop_then(own, hoop_call(next, own), respond, value) : NULL;
}

/* --- building -------------------------------------------------------------------------------- */

static const hoop_csp_directive default_csp[] = {
    { "default-src", "'self'" },     { "base-uri", "'self'" },   { "form-action", "'self'" },
    { "frame-ancestors", "'none'" }, { "object-src", "'none'" },
};

static int is_directive(const char *name)
{
    static const char *const known[] = {
        "base-uri",
        "child-src",
        "connect-src",
        "default-src",
        "fenced-frame-src",
        "font-src",
        "form-action",
        "frame-ancestors",
        "frame-src",
        "img-src",
        "manifest-src",
        "media-src",
        "object-src",
        "report-to",
        "report-uri",
        "require-trusted-types-for",
        "sandbox",
        "script-src",
        "script-src-attr",
        "script-src-elem",
        "style-src",
        "style-src-attr",
        "style-src-elem",
        "trusted-types",
        "upgrade-insecure-requests",
        "webrtc",
        "worker-src",
    };
    for (size_t i = 0; i < HOOP_COUNT(known); i++)
        if (strcmp(known[i], name) == 0)
            return 1;
    return 0;
}

/* 0 if the directive may stand in a policy behind those in front of it. */
static int check_directive(const hoop_csp_directive *csp, size_t index, hoop_error *error)
{
    const char *name = csp[index].name ? csp[index].name : "";
    const char *sources = csp[index].sources ? csp[index].sources : "";
    if (!is_directive(name))
        return hoop_error_set(error, HOOP_EINVAL, "secure_headers: '%s' is no directive of CSP",
                              name);
    for (size_t i = 0; i < index; i++)
        if (strcmp(csp[i].name, name) == 0)
            return hoop_error_set(error, HOOP_EINVAL, "secure_headers: '%s' stands twice", name);
    if (sources[strcspn(sources, ";,")] || !hoop__is_field_value(hoop_str_c(sources)))
        return hoop_error_set(error, HOOP_EINVAL, "secure_headers: '%s' can't be sources of %s",
                              sources, name);
    return 0;
}

/* Appends the sources, with the places of nonces noted. Returns the new end, or NULL: too many. */
static char *put_sources(struct headers *headers, const char *begin, char *end, const char *sources)
{
    while (*sources) {
        size_t len = strcspn(sources, " "), word = sizeof NONCE_WORD - 1;
        *end++ = ' ';
        if (len == word && memcmp(sources, NONCE_WORD, word) == 0) {
            if (headers->nonces == MAX_NONCES)
                return NULL;
            memcpy(end, "'nonce-'", 8);
            headers->places[headers->nonces++] = (size_t)(end + 7 - begin);
            end += 8;
        } else {
            memcpy(end, sources, len);
            end += len;
        }
        sources += len;
        sources += strspn(sources, " ");
    }
    return end;
}

static int add_policy(hoop_arena *arena, const hoop_secure_headers_options *options,
                      struct headers *headers, hoop_error *error)
{
    const hoop_csp_directive *csp = options->csp_count ? options->csp : default_csp;
    size_t count = options->csp_count ? options->csp_count : HOOP_COUNT(default_csp), size = 1;
    for (size_t i = 0; i < count; i++) {
        int rc = check_directive(csp, i, error);
        if (rc)
            return rc;
        /* A word of two bytes grows by one when it becomes a word of the policy: a blank before it. */
        size += strlen(csp[i].name) + 2 * strlen(csp[i].sources ? csp[i].sources : "") + 4;
    }
    char *text = hoop_arena_alloc(arena, size), *end = text;
    if (!text)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    for (size_t i = 0; i < count; i++) {
        if (i)
            end = (char *)memcpy(end, "; ", 2) + 2;
        end = (char *)memcpy(end, csp[i].name, strlen(csp[i].name)) + strlen(csp[i].name);
        const char *sources = csp[i].sources ? csp[i].sources : "";
        end = put_sources(headers, text, end, sources + strspn(sources, " "));
        if (!end)
            return hoop_error_set(error, HOOP_EINVAL,
                                  "secure_headers: more than %d nonces in the policy", MAX_NONCES);
    }
    *end = 0;
    headers->items[headers->count].name =
        hoop_str_c(options->csp_report_only ? "Content-Security-Policy-Report-Only"
                                            : "Content-Security-Policy");
    headers->items[headers->count++].value = hoop_str_n(text, (size_t)(end - text));
    return 0;
}

static int add_header(struct headers *headers, const char *name, const char *value,
                      const char *standard, hoop_error *error)
{
    hoop_str text = hoop_str_c(value ? value : standard);
    if (!hoop__is_field_value(text))
        return hoop_error_set(error, HOOP_EINVAL, "secure_headers: '%s' can't be a value of %s",
                              text.data, name);
    if (!text.len)
        return 0;
    headers->items[headers->count].name = hoop_str_c(name);
    headers->items[headers->count++].value = text;
    return 0;
}

static int is_frame_option(const char *text)
{
    return !text || !*text || strcmp(text, "DENY") == 0 || strcmp(text, "SAMEORIGIN") == 0;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    const hoop_secure_headers_options *own =
        hoop__options_copy(arena, options, options_size, sizeof *own, error);
    struct headers *headers = own ? hoop_arena_zalloc(arena, sizeof *headers) : NULL;
    if (!headers)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    if (!is_frame_option(own->frame))
        return hoop_error_set(error, HOOP_EINVAL,
                              "secure_headers: frame is '%s', not DENY or SAMEORIGIN", own->frame);
    int rc = own->csp_off ? 0 : add_policy(arena, own, headers, error);
    const struct {
        const char *name, *value, *standard;
    } rows[] = {
        { "X-Frame-Options", own->frame, "DENY" },
        { "X-Content-Type-Options", own->content_type, "nosniff" },
        { "Referrer-Policy", own->referrer, "strict-origin-when-cross-origin" },
        { "Permissions-Policy", own->permissions, "camera=(), geolocation=(), microphone=()" },
        { "Cross-Origin-Opener-Policy", own->opener, "same-origin" },
        { "Cross-Origin-Resource-Policy", own->resource, "same-origin" },
        { "Cross-Origin-Embedder-Policy", own->embedder, "" },
    };
    for (size_t i = 0; !rc && i < HOOP_COUNT(rows); i++)
        rc = add_header(headers, rows[i].name, rows[i].value, rows[i].standard, error);
    if (!rc)
        *ret_value = headers;
    return rc;
}

const hoop_middleware_type hoop_secure_headers_type = {
    .name = "secure_headers",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_secure_headers_request_sized(const hoop_request *req,
                                                      const hoop_response **ret_answer,
                                                      const hoop_secure_headers_options *options,
                                                      size_t options_size)
{
    (void)ret_answer; /* nothing is refused */
    const void *value = hoop__options_value(req, &hoop_secure_headers_type, options, options_size);
    return value ? with_nonce(req, value) : NULL;
}

const hoop_response *hoop_secure_headers_response_sized(const hoop_request *req,
                                                        const hoop_response *res,
                                                        const hoop_secure_headers_options *options,
                                                        size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_secure_headers_type, options, options_size);
    return value ? hoop_then(req, res, respond, value) : NULL;
}
