/* Middleware "compress": see hoop/middleware/compress.h. */
#include "middleware/codings.h"
#include "middleware/encode.h"
#include "middleware/middleware.h"
#include "middleware/types.h"

#include "codec/list.h"
#include "value/response.h"

#include <hoop/accept.h>
#include <hoop/middleware/compress.h>

struct compress {
    hoop_compress_options options; /* defaults filled in */
    struct hoop__types types;
    struct hoop__coding_list codings; /* offered, best first */
};

static const char without; /* the key of hoop_without_compression() */

/* --- may it be compressed -------------------------------------------------------------------- */

/* Those whose bodies are a representation that is worth it: Ring's list, and those of WebDAV. */
static int has_status(const hoop_response *res)
{
    int status = res->status;
    return (status >= 200 && status <= 203) || status == 207 || status == 208 || status == 226 ||
           status == 403 || status == 404;
}

/* What says itself how its bytes are coded, or would be wrong if they were others. */
static int is_fixed(const hoop_response *res)
{
    static const char *const names[] = { "content-encoding", "content-range", "content-digest",
                                         "repr-digest",      "digest",        "content-md5" };
    for (size_t i = 0; i < HOOP_COUNT(names); i++)
        if (!hoop_str_is_none(hoop_response_header(res, names[i])))
            return 1;
    for (size_t i = 0; i < res->header_count; i++)
        if (hoop_str_eq_nocase(res->headers[i].name, hoop_str_c("cache-control")) &&
            hoop__list_has(res->headers[i].value, hoop_str_c("no-transform")))
            return 1;
    return 0;
}

/* The size of the body; HOOP_OFF if nobody knows. */
static uint64_t size_of(const hoop_response *res)
{
    if (res->body_kind == HOOP_BODY_NONE)
        return 0;
    return res->body_kind == HOOP_BODY_BYTES ? res->body.len
                                             : hoop__response_of(res)->source->length;
}

static int may_compress(const struct compress *c, const hoop_request *req, const hoop_response *res)
{
    if (!c->codings.count || !has_status(res) || !size_of(res) || is_fixed(res) ||
        hoop_response_get(res, &without))
        return 0;
    return !c->options.skip || !c->options.skip(req, res, c->options.skip_data);
}

static int is_worth_it(const struct compress *c, const hoop_response *res)
{
    return size_of(res) >= c->options.min_size &&
           hoop__types_have(&c->types, hoop_response_header(res, "content-type"));
}

/* --- negotiation ----------------------------------------------------------------------------- */

static uint32_t quality(hoop_str accepted, const char *coding)
{
    return hoop_accept_quality(HOOP_ACCEPT_ENCODING, accepted, hoop_str_c(coding));
}

/* The coding that the client wants most; none (HOOP__CODINGS) if it would rather have identity, wanted by `best`. */
static enum hoop__coding choose(const struct compress *c, hoop_str accepted, uint32_t best)
{
    enum hoop__coding chosen = HOOP__CODINGS;
    if (!accepted.len)
        return chosen;
    for (size_t i = 0; i < c->codings.count; i++) {
        uint32_t q = quality(accepted, hoop__coding_name(c->codings.items[i]));
        /* As much as identity is enough, but of two codings the first one stays. */
        if (q && (q > best || (q == best && chosen == HOOP__CODINGS))) {
            best = q;
            chosen = c->codings.items[i];
        }
    }
    return chosen;
}

static int level_of(const struct compress *c, enum hoop__coding coding)
{
    const hoop_compress_options *o = &c->options;
    return (int)(coding == HOOP__BR     ? o->br_level
                 : coding == HOOP__ZSTD ? o->zstd_level
                                        : o->gzip_level);
}

/* --- headers --------------------------------------------------------------------------------- */

static int is_named(const hoop_field *field, const char *name)
{
    return hoop_str_eq_nocase(field->name, hoop_str_c(name));
}

/* Nonzero if the response varies by Accept-Encoding, as far as caches know. */
static int varies(const hoop_response *res)
{
    for (size_t i = 0; i < res->header_count; i++)
        if (is_named(&res->headers[i], "vary") &&
            (hoop__list_has(res->headers[i].value, hoop_str_c("accept-encoding")) ||
             hoop__list_has(res->headers[i].value, hoop_str_c("*"))))
            return 1;
    return 0;
}

/* The response with Vary, in the line that is there or in one of its own. */
static const hoop_response *with_vary(const hoop_request *req, const hoop_response *res)
{
    hoop_str vary = hoop_response_header(res, "vary"), name = hoop_str_c("Vary");
    if (varies(res))
        return res;
    if (!vary.len ||
        hoop__field_find(res->headers, res->header_count,
                         hoop__field_find(res->headers, res->header_count, 0, name) + 1,
                         name) < res->header_count)
        return hoop__response_with(req, res, name, hoop_str_c("Accept-Encoding"), /* replace= */ 0);
    hoop_str both = hoop__join(req, (hoop_str[]){ vary, hoop_str_n(", Accept-Encoding", 17) }, 2);
    return hoop_str_is_none(both) ? NULL
                                  : hoop__response_with(req, res, name, both, /* replace= */ 1);
}

static int is_strong(hoop_str etag)
{
    return etag.len && *etag.data == '"';
}

static hoop_str weakened(const hoop_request *req, hoop_str etag)
{
    return hoop__join(req, (hoop_str[]){ hoop_str_n("W/", 2), etag }, 2);
}

/* The value of a strong ETag as a weak one: other bytes, the same meaning (RFC 9110 8.8.1). */
static const hoop_response *with_weak_etag(const hoop_request *req, const hoop_response *res)
{
    hoop_str etag = res ? hoop_response_header(res, "etag") : hoop_str_none();
    if (!is_strong(etag))
        return res;
    hoop_str weak = weakened(req, etag);
    return hoop_str_is_none(weak)
               ? NULL
               : hoop__response_with(req, res, hoop_str_c("ETag"), weak, /* replace= */ 1);
}

static const hoop_response *without_header(const hoop_request *req, const hoop_response *res,
                                           const char *name)
{
    if (!res || hoop_str_is_none(hoop_response_header(res, name)))
        return res;
    return hoop__response_with(req, res, hoop_str_c(name), hoop_str_none(), /* replace= */ 1);
}

/* A response whose body is coded from now on, still with its old body; a value of its own. */
static struct hoop__response *coded(const hoop_request *req, const hoop_response *res,
                                    enum hoop__coding coding)
{
    res = with_vary(req, res);
    res = with_weak_etag(req, res);
    res = without_header(req, res, "content-length");
    res = without_header(req, res, "accept-ranges");
    if (res)
        res = hoop__response_with(req, res, hoop_str_c("Content-Encoding"),
                                  hoop_str_c(hoop__coding_name(coding)), /* replace= */ 0);
    struct hoop__response *own = hoop__response_of(res); /* made just now */
    if (own)
        own->head = hoop_str_none();
    return own;
}

/* A client that has the coded one asks whether that is fresh: what says so must speak of it. */
static const hoop_response *not_modified(const hoop_request *req, const hoop_response *res)
{
    hoop_str etag = hoop_response_header(res, "etag");
    hoop_str known = hoop_header_joined(req, "if-none-match");
    res = with_vary(req, res);
    if (!res || !is_strong(etag) || hoop_str_is_none(known))
        return res;
    hoop_str weak = weakened(req, etag);
    if (hoop_str_is_none(weak))
        return NULL;
    return strstr(known.data, weak.data) ? with_weak_etag(req, res) : res;
}

/* --- bodies ---------------------------------------------------------------------------------- */

static const hoop_response *with_bytes(const hoop_request *req, const hoop_response *res,
                                       enum hoop__coding coding, hoop_str body)
{
    if (hoop_str_is_none(body))
        return with_vary(req, res);
    struct hoop__response *own = coded(req, res, coding);
    if (!own)
        return NULL;
    own->pub.body = body;
    return &own->pub;
}

/* With `source` in the place of the body; what the source would do is done if there is no memory. */
static const hoop_response *with_source(const hoop_request *req, const hoop_response *res,
                                        enum hoop__coding coding, struct hoop__source *source)
{
    struct hoop__response *own = source ? coded(req, res, coding) : NULL;
    if (!own)
        return NULL;
    own->pub.body = hoop_str_none();
    own->pub.body_kind = HOOP_BODY_STREAM;
    own->source = source;
    return &own->pub;
}

static const hoop_response *compress_bytes(const struct compress *c, const hoop_request *req,
                                           const hoop_response *res, enum hoop__coding coding)
{
    int level = level_of(c, coding);
    if (res->body.len > c->options.max_inline) {
        const hoop_response *pending = hoop__encode_later(req, res, coding, level, with_bytes);
        return pending ? pending : with_vary(req, res);
    }
    hoop_str body = hoop_str_none();
    hoop__encode_bytes(req, coding, level, res->body, &body);
    return with_bytes(req, res, coding, body);
}

static const hoop_response *compress_body(const struct compress *c, const hoop_request *req,
                                          const hoop_response *res, enum hoop__coding coding)
{
    struct hoop__source *inner = hoop__response_of(res)->source;
    if (req->method_number == HOOP_METHOD_HEAD)
        return with_source(req, res, coding, hoop__encode_nothing(req, inner));
    if (res->body_kind == HOOP_BODY_BYTES)
        return compress_bytes(c, req, res, coding);
    struct hoop__source *source = hoop__encode_source(req, coding, level_of(c, coding), inner);
    return source ? with_source(req, res, coding, source) : with_vary(req, res);
}

/* --- the middleware -------------------------------------------------------------------------- */

static const hoop_response *respond(const hoop_request *req, const hoop_response *res,
                                    const void *value)
{
    const struct compress *c = value;
    if (res->status == 304 && c->codings.count)
        return not_modified(req, res);
    if (!may_compress(c, req, res))
        return res;
    hoop_str accepted = hoop_header_joined(req, "accept-encoding");
    uint32_t identity = quality(accepted, "identity");
    if (identity && !is_worth_it(c, res))
        return res;
    enum hoop__coding coding = choose(c, accepted, identity);
    if (coding == HOOP__CODINGS || !hoop__exchange_of(req))
        return with_vary(req, res);
    return compress_body(c, req, res, coding);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    return hoop_then(req, hoop_call(next, req), respond, value);
}

static int check_level(enum hoop__coding coding, uint32_t level, hoop_error *error)
{
    struct hoop__levels levels = hoop__coding_levels(coding);
    if (!level || (level >= (uint32_t)levels.min && level <= (uint32_t)levels.max))
        return 0;
    return hoop_error_set(error, HOOP_EINVAL, "compress: level %u of %s is not between %d and %d",
                          (unsigned)level, hoop__coding_name(coding), levels.min, levels.max);
}

static int check(struct compress *c, hoop_arena *arena, hoop_error *error)
{
    hoop_compress_options *o = &c->options;
    hoop_str word;
    int rc = check_level(HOOP__GZIP, o->gzip_level, error);
    if (!rc)
        rc = check_level(HOOP__BR, o->br_level, error);
    if (!rc)
        rc = check_level(HOOP__ZSTD, o->zstd_level, error);
    if (!rc)
        rc = hoop__coding_list_read(o->codings, "zstd br gzip", "compress", &c->codings, error);
    if (rc)
        return rc;
    rc = hoop__types_read(arena, o->types ? o->types : HOOP_COMPRESS_TYPES, &c->types, &word);
    if (rc == HOOP_EINVAL)
        return hoop_error_set(error, rc, "compress: '%.*s' is no media type", (int)word.len,
                              word.data);
    return rc ? hoop_error_set(error, rc, "out of memory") : 0;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    struct compress *c = hoop__options_copy(arena, NULL, 0, sizeof *c, error);
    if (!c)
        return HOOP_ENOMEM;
    if (options)
        memcpy(&c->options, options,
               options_size < sizeof c->options ? options_size : sizeof c->options);
    int rc = check(c, arena, error);
    if (rc)
        return rc;
    if (!c->options.min_size)
        c->options.min_size = 1024;
    if (!c->options.max_inline)
        c->options.max_inline = 65536;
    *ret_value = c;
    return 0;
}

const hoop_middleware_type hoop_compress_type = {
    .name = "compress",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_response *hoop_compress_response_sized(const hoop_request *req, const hoop_response *res,
                                                  const hoop_compress_options *options,
                                                  size_t options_size)
{
    const void *value = hoop__options_value(req, &hoop_compress_type, options, options_size);
    return value ? hoop_then(req, res, respond, value) : NULL;
}

const hoop_response *hoop_without_compression(const hoop_request *req, const hoop_response *res)
{
    return hoop_response_assoc(req, res, &without, &without);
}

int hoop_compress_has(const char *coding)
{
    enum hoop__coding c = coding ? hoop__coding_of(hoop_str_c(coding)) : HOOP__CODINGS;
    return c != HOOP__CODINGS && hoop__coding_is_built(c);
}
