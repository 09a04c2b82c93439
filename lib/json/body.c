/* The request body as a JSON value, parsed once for each exchange. */
#include "value/exchange.h"

#include "codec/utf8.h"

#include <hoop/json.h>

/*
 * Any value may stand alone (RFC 8259). Two members of one name are refused, since two programs may
 * take different ones of them; "\u0000" is, too, so that strings are safe for C.
 */
#define PARSE_FLAGS (JSON_DECODE_ANY | JSON_REJECT_DUPLICATES)

/* What an exchange keeps in body.parsed; lies in the arena whose end drops the value. */
struct parsed {
    hoop_str body;                /* what was parsed */
    json_t *value;                /* or NULL */
    const hoop_response *problem; /* or NULL */
};

static void drop_value(void *data)
{
    json_decref(data);
}

/* jansson's message with its place. NULL: noted. */
static const hoop_response *syntax_problem(const hoop_request *req, const json_error_t *error)
{
    /* jansson's own text would tell the client of a flag of ours. */
    const char *text = json_error_code(error) == json_error_null_character
                           ? "\\u0000 is refused in strings"
                           : error->text;
    /* The message may quote the body, which may be cut within a character. */
    size_t len = hoop__utf8_front(hoop_str_c(text));
    return hoop_problemf(req, 400, "line %d, column %d: %.*s", error->line, error->column, (int)len,
                         text);
}

/* jansson drops a NUL behind a number or a literal, so that "[1\0,2]" would pass. */
static const hoop_response *nul_problem(const hoop_request *req, hoop_str body, const char *nul)
{
    size_t line = 1, column = 1;
    for (const char *p = body.data; p < nul; p++) {
        if (*p == '\n') {
            line++;
            column = 1;
        } else {
            column += ((unsigned char)*p & 0xc0) != 0x80;
        }
    }
    return hoop_problemf(req, 400, "line %zu, column %zu: NUL is not allowed", line, column);
}

/* Parses the body into an arena-owned value, or makes the problem. 0, or a code that is noted. */
static int parse(const hoop_request *req, hoop_str body, struct parsed *parsed)
{
    json_error_t error;
    parsed->body = body;
    parsed->value = NULL;
    const char *nul = memchr(body.data, '\0', body.len);
    if (body.len == 0) {
        parsed->problem = hoop_problem(req, 400, "the body is empty, but JSON is expected");
    } else if (nul) {
        parsed->problem = nul_problem(req, body, nul);
    } else {
        parsed->value = json_loadb(body.data, body.len, PARSE_FLAGS, &error);
        if (parsed->value) {
            parsed->problem = NULL;
            if (hoop_arena_on_dispose(req->arena, drop_value, parsed->value) == 0)
                return 0;
        } else if (json_error_code(&error) != json_error_out_of_memory) {
            parsed->problem = syntax_problem(req, &error);
        } else {
            parsed->problem = NULL;
        }
    }
    if (parsed->problem)
        return 0;
    hoop__fail_memory(req);
    return HOOP_ENOMEM;
}

static struct parsed *parse_new(const hoop_request *req, hoop_str body)
{
    struct parsed *parsed = hoop_alloc(req, sizeof *parsed);
    return parsed && parse(req, body, parsed) == 0 ? parsed : NULL;
}

/*
 * Only requests of the exchange itself share what was parsed. A deferred's request may be used by
 * another thread on an arena of its own: it parses for itself.
 */
static struct parsed *find_parsed(const hoop_request *req, hoop_str body)
{
    struct hoop__exchange *x = hoop__exchange_of(req);
    if (!x || hoop__request_of(req)->deferred || req->arena != x->arena)
        return parse_new(req, body);
    struct parsed *parsed = x->body.parsed;
    if (!parsed || parsed->body.data != body.data || parsed->body.len != body.len)
        x->body.parsed = parsed = parse_new(req, body);
    return parsed;
}

json_t *hoop_request_json(const hoop_request *req, const hoop_response **ret_problem)
{
    struct parsed *parsed = NULL;
    hoop_str body = hoop_body(req);
    if (hoop_str_is_none(body) && hoop_has_body(req))
        hoop_fail(req, HOOP_EINVAL, "the body was not read yet: hoop_read_json() does that");
    else if (req)
        parsed = find_parsed(req, body);
    if (parsed && parsed->value)
        return parsed->value;
    if (ret_problem)
        *ret_problem = parsed ? parsed->problem : NULL;
    return NULL;
}

/* Who reads on, for on_body(). */
struct reader {
    hoop_json_fn *fn;
    void *data;
};

static const hoop_response *on_json(const hoop_request *req, const struct reader *reader)
{
    const hoop_response *problem = NULL;
    json_t *value = hoop_request_json(req, &problem);
    return value ? reader->fn(req, value, reader->data) : problem;
}

static const hoop_response *on_body(const hoop_request *req, hoop_str body, void *data)
{
    (void)body; /* it is the exchange's by now */
    return on_json(req, data);
}

const hoop_response *hoop_read_json(const hoop_request *req, uint64_t limit, hoop_json_fn *fn,
                                    void *data)
{
    if (!req)
        return NULL;
    if (!fn)
        return hoop_fail(req, HOOP_EINVAL, "hoop_read_json() needs a function");
    struct reader *reader = hoop_alloc(req, sizeof *reader);
    if (!reader)
        return NULL;
    reader->fn = fn;
    reader->data = data;
    return hoop_read_body(req, limit, on_body, reader);
}
