/* Middleware "decompress": see hoop/middleware/decompress.h. */
#include "middleware/codings.h"
#include "middleware/decode.h"
#include "middleware/middleware.h"

#include "codec/list.h"

#include <hoop/middleware/decompress.h>

struct decompress {
    hoop_decompress_options options; /* defaults filled in */
    struct hoop__coding_list codings;
    const char *accepted; /* for Accept-Encoding */
};

/* --- which codings --------------------------------------------------------------------------- */

static const hoop_response *refuse(const struct decompress *c, const hoop_request *req,
                                   const char *why)
{
    return hoop_with_header(req, hoop_problem(req, 415, why), "Accept-Encoding", c->accepted);
}

/*
 * The codings of the body in the order in which they were applied; how many. Else -1, and the answer (NULL if that
 * failed).
 */
static int read_codings(const struct decompress *c, const hoop_request *req,
                        enum hoop__coding codings[HOOP__DECODE_MAX],
                        const hoop_response **ret_answer)
{
    hoop_str rest = hoop_header_joined(req, "content-encoding"), name;
    uint32_t count = 0;
    while (hoop__list_next(&rest, &name) > 0) {
        if (hoop_str_eq_nocase(name, hoop_str_c("identity")))
            continue;
        enum hoop__coding coding = hoop__coding_of(name);
        if (coding == HOOP__CODINGS || !hoop__coding_list_has(&c->codings, coding)) {
            *ret_answer = refuse(c, req, "the body's content coding is not accepted");
            return -1;
        }
        if (count == c->options.max_codings) {
            *ret_answer = refuse(c, req, "the body has too many content codings");
            return -1;
        }
        codings[count++] = coding;
    }
    if (!rest.len)
        return (int)count;
    *ret_answer = refuse(c, req, "the body's content coding can't be read");
    return -1;
}

/* The request whose body is decoded, `*ret_decode` NULL if there is nothing to be done. */
static const hoop_request *decoded(const struct decompress *c, const hoop_request *req,
                                   struct hoop__decode **ret_decode,
                                   const hoop_response **ret_answer)
{
    enum hoop__coding codings[HOOP__DECODE_MAX];
    *ret_decode = NULL;
    if (!hoop_has_body(req) || hoop_str_is_none(hoop_header(req, "content-encoding")))
        return req;
    int count = read_codings(c, req, codings, ret_answer);
    if (count < 0)
        return NULL;
    if (count) {
        *ret_decode = hoop__decode_body(req, codings, (size_t)count, c->options.max_size,
                                        c->options.max_ratio);
        if (!*ret_decode)
            return NULL;
        req = hoop_with_request_header(req, "content-length", NULL);
    }
    return req ? hoop_with_request_header(req, "content-encoding", NULL) : NULL;
}

/* --- the middleware -------------------------------------------------------------------------- */

/* What failed further in, because of the body or for another reason. */
static const hoop_response *explain(const hoop_request *req, const hoop_error *error,
                                    const void *value)
{
    const struct hoop__decode *d = value;
    if (d->code == HOOP_EPARSE)
        return hoop_problem(req, 400, "the compressed body is broken");
    if (d->code == HOOP_ETOOBIG)
        return hoop_problem(req, 413, "the decompressed body is over the limit");
    return hoop_fail(req, error->code, "%s", error->text);
}

static const hoop_response *wrap(const hoop_request *req, hoop_handler next, const void *value)
{
    const hoop_response *answer = NULL;
    struct hoop__decode *decode;
    const hoop_request *plain = decoded(value, req, &decode, &answer);
    if (!plain)
        return answer;
    const hoop_response *res = hoop_call(next, plain);
    return decode ? hoop_catch(req, res, explain, decode) : res;
}

/* "gzip, br" of the list; "identity" if there is none. NULL: out of memory. */
static const char *join(hoop_arena *arena, const struct hoop__coding_list *list)
{
    hoop_str all = hoop_str_c("identity");
    for (size_t i = 0; i < list->count && !hoop_str_is_none(all); i++)
        all = hoop_arena_printf(arena, "%s%s%s", i ? all.data : "", i ? ", " : "",
                                hoop__coding_name(list->items[i]));
    return hoop_str_is_none(all) ? NULL : all.data;
}

static int build(hoop_arena *arena, const void *options, size_t options_size,
                 const void **ret_value, hoop_error *error)
{
    struct decompress *c = hoop_arena_zalloc(arena, sizeof *c);
    hoop_decompress_options *o = hoop__options_copy(arena, options, options_size, sizeof *o, error);
    if (!c || !o)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    int rc = hoop__coding_list_read(o->codings, "gzip deflate br zstd", "decompress", &c->codings,
                                    error);
    if (rc)
        return rc;
    if (o->max_codings > HOOP__DECODE_MAX)
        return hoop_error_set(error, HOOP_EINVAL, "decompress: max_codings %u is over %d",
                              (unsigned)o->max_codings, HOOP__DECODE_MAX);
    if (!o->max_codings)
        o->max_codings = 2;
    if (!o->max_ratio)
        o->max_ratio = 200;
    c->options = *o;
    c->accepted = join(arena, &c->codings);
    if (!c->accepted)
        return hoop_error_set(error, HOOP_ENOMEM, "out of memory");
    *ret_value = c;
    return 0;
}

const hoop_middleware_type hoop_decompress_type = {
    .name = "decompress",
    .wrap = wrap,
    .build = build,
    .flags = HOOP_IDEMPOTENT,
    .size = sizeof(hoop_middleware_type),
};

const hoop_request *hoop_decompress_request_sized(const hoop_request *req,
                                                  const hoop_response **ret_answer,
                                                  const hoop_decompress_options *options,
                                                  size_t options_size)
{
    const hoop_response *answer = NULL;
    struct hoop__decode *decode;
    const void *value = hoop__options_value(req, &hoop_decompress_type, options, options_size);
    const hoop_request *plain = value ? decoded(value, req, &decode, &answer) : NULL;
    if (!plain && answer && ret_answer)
        *ret_answer = answer;
    return plain;
}
