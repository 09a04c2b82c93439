/* The request body as a JSON value or as a tree, each made once for each exchange. */
#include "json/body.h"

#include "value/exchange.h"

#include "json/from_doc.h"
#include "json/read.h"

#include <hoop/json.h>

/* What an exchange keeps in body.parsed; lies in the arena whose end drops the value. */
struct parsed {
    hoop_str body; /* what was parsed */
    const hoop_json_doc *doc;
    const hoop_response *doc_problem; /* in place of the tree; both NULL: not asked for */
    json_t *value;
    const hoop_response *value_problem; /* likewise */
};

static void drop_value(void *data)
{
    json_decref(data);
}

/*
 * Only the arena's memory, and the depth, are limits besides that of the body itself. Two members of one name
 * are refused, since two programs may take different ones of them; "\u0000" is, too, so that strings are safe
 * for C.
 */
static const struct hoop__doc_limits body_limits = {
    .max_bytes = HOOP__DOC_MOST,
    .max_values = HOOP__DOC_MOST,
    .max_depth = HOOP__DOC_DEPTH,
    .duplicates = HOOP_DOC_REFUSE,
};

/* The tree in `arena`, or the problem. 0, or a code that is noted. */
static int parse(const hoop_request *req, struct hoop_arena *arena, hoop_str body,
                 const hoop_json_doc **ret_doc, const hoop_response **ret_problem)
{
    hoop_json_error error;
    if (body.len == 0) {
        *ret_problem = hoop_problem(req, 400, "the body is empty, but JSON is expected");
        return *ret_problem ? 0 : HOOP_ENOMEM;
    }
    int rc = hoop__doc_parse(arena, body, &body_limits, ret_doc, &error);
    if (rc == 0)
        return 0;
    if (rc != HOOP_ENOMEM)
        *ret_problem = hoop_problem(req, 400, error.text);
    else
        hoop__fail_memory(req);
    return *ret_problem ? 0 : HOOP_ENOMEM;
}

/* --- what the exchange keeps ------------------------------------------------------------------- */

/* What was parsed of this body before, or NULL. */
static struct parsed *look_for_parsed(const hoop_request *req, hoop_str body)
{
    struct parsed *parsed = hoop__request_is_own(req) ? hoop__exchange_of(req)->body.parsed : NULL;
    if (parsed && (parsed->body.data != body.data || parsed->body.len != body.len))
        return NULL;
    return parsed;
}

/*
 * A place for what is parsed. A deferred's request may be used by another thread on an arena of its own: it
 * parses for itself.
 */
static struct parsed *find_parsed(const hoop_request *req)
{
    hoop_str body = hoop_body(req);
    if (hoop_str_is_none(body) && hoop_has_body(req)) {
        hoop_fail(req, HOOP_EINVAL, "the body was not read yet: hoop_read_json() does that");
        return NULL;
    }
    struct parsed *parsed = look_for_parsed(req, body);
    if (parsed || !req)
        return parsed;
    parsed = hoop_alloc(req, sizeof *parsed);
    if (!parsed)
        return NULL;
    *parsed = (struct parsed){ .body = body };
    if (hoop__request_is_own(req))
        hoop__exchange_of(req)->body.parsed = parsed;
    return parsed;
}

/* --- trees ------------------------------------------------------------------------------------- */

const hoop_json_doc *hoop__body_doc(const hoop_request *req)
{
    struct parsed *parsed = look_for_parsed(req, hoop_body(req));
    return parsed ? parsed->doc : NULL;
}

const hoop_json_doc *hoop_request_doc(const hoop_request *req, const hoop_response **ret_problem)
{
    struct parsed *parsed = find_parsed(req);
    if (parsed && !parsed->doc && !parsed->doc_problem)
        parse(req, req->arena, parsed->body, &parsed->doc, &parsed->doc_problem);
    if (parsed && parsed->doc)
        return parsed->doc;
    if (ret_problem)
        *ret_problem = parsed ? parsed->doc_problem : NULL;
    return NULL;
}

/* --- values ------------------------------------------------------------------------------------ */

/* The value of a tree, which the request's arena drops, or the problem. Neither: noted. */
static void make_value(const hoop_request *req, const hoop_json_doc *doc, struct parsed *parsed)
{
    int deep; /* never: body_limits saw to it */
    json_t *value = hoop__json_from_node(hoop_doc_root(doc), &deep);
    if (value) {
        if (hoop_arena_on_dispose(req->arena, drop_value, value) == 0)
            parsed->value = value;
    } else {
        hoop_json_error error;
        const hoop_json_node *misfit = hoop__json_misfit(hoop_doc_root(doc));
        if (misfit) {
            hoop__json_misfit_error(parsed->body, misfit, &error);
            parsed->value_problem = hoop_problem(req, 400, error.text);
        }
    }
    if (!parsed->value && !parsed->value_problem)
        hoop__fail_memory(req);
}

/* Where nobody has asked for the tree, it lies in an arena that goes once the value is made. */
static void parse_value(const hoop_request *req, struct parsed *parsed)
{
    struct hoop_arena scratch, *arena = req->arena;
    const hoop_json_doc *doc = NULL;
    hoop__arena_init(&scratch, arena->blocks, arena->allocator, arena->limit - arena->held, NULL,
                     NULL, 0);
    if (parse(req, &scratch, parsed->body, &doc, &parsed->value_problem) == 0 && doc)
        make_value(req, doc, parsed);
    hoop__arena_done(&scratch);
}

json_t *hoop_request_json(const hoop_request *req, const hoop_response **ret_problem)
{
    struct parsed *parsed = find_parsed(req);
    if (parsed && !parsed->value && !parsed->value_problem) {
        if (parsed->doc)
            make_value(req, parsed->doc, parsed);
        else
            parse_value(req, parsed);
    }
    if (parsed && parsed->value)
        return parsed->value;
    if (ret_problem)
        *ret_problem = parsed ? parsed->value_problem : NULL;
    return NULL;
}

/* --- reading at the head ----------------------------------------------------------------------- */

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

/* The same for a tree. */
struct doc_reader {
    hoop_doc_fn *fn;
    void *data;
};

static const hoop_response *on_doc_body(const hoop_request *req, hoop_str body, void *data)
{
    const struct doc_reader *reader = data;
    const hoop_response *problem = NULL;
    const hoop_json_doc *doc = hoop_request_doc(req, &problem);
    return doc ? reader->fn(req, doc, reader->data) : problem;
}

const hoop_response *hoop_read_doc(const hoop_request *req, uint64_t limit, hoop_doc_fn *fn,
                                   void *data)
{
    if (!req)
        return NULL;
    if (!fn)
        return hoop_fail(req, HOOP_EINVAL, "hoop_read_doc() needs a function");
    struct doc_reader *reader = hoop_alloc(req, sizeof *reader);
    if (!reader)
        return NULL;
    reader->fn = fn;
    reader->data = data;
    return hoop_read_body(req, limit, on_doc_body, reader);
}
