/* A request's body read as a stream of JSON. */
#include "value/exchange.h"

#include <hoop/json_reader.h>

/* A body under way; lies in the exchange's arena. */
struct body {
    hoop_json_reader *reader;
    hoop_read_end_fn *end;
    void *data;
};

static int on_chunk(hoop_reader *stream, hoop_str bytes, hoop_arena *scratch, void *data)
{
    struct body *body = data;
    return hoop_json_reader_feed(body->reader, bytes);
}

/* The 400 for a body that is no JSON, unless the program has an answer of its own. */
static const hoop_response *on_end(const hoop_request *req, int code, void *data)
{
    struct body *body = data;
    if (code == 0)
        code = hoop_json_reader_end(body->reader);
    const hoop_json_error *error = hoop_json_reader_error(body->reader);
    const hoop_response *res = NULL;
    if (body->end)
        res = body->end(req, code, body->data);
    else if (code == 0)
        res = hoop_respond(req, 204);
    if (res || !error || error->code != code || (code != HOOP_EPARSE && code != HOOP_ETOOBIG))
        return res;
    return hoop_problem(req, 400, error->text);
}

/* Without a reader nothing is read, but the end is told. */
static const hoop_response *no_reader(const hoop_request *req, const hoop_json_stream_options *o,
                                      int code)
{
    if (code == HOOP_ENOMEM)
        hoop__fail_memory(req);
    else
        hoop_fail(req, code,
                  "the framing of the JSON stream is none of HOOP_JSON_ONE, _LINES, _SEQ");
    return o->end ? o->end(req, code, o->data) : NULL;
}

const hoop_response *hoop_read_json_stream_sized(const hoop_request *req,
                                                 const hoop_json_stream_options *options,
                                                 size_t options_size)
{
    hoop_json_stream_options o = { 0 };
    if (options)
        memcpy(&o, options, options_size < sizeof o ? options_size : sizeof o);
    if (!req)
        return NULL;
    if (o.reader && o.reader->framing > HOOP_JSON_SEQ)
        return no_reader(req, &o, HOOP_EINVAL);
    struct body *body = hoop_alloc(req, sizeof *body);
    hoop_json_reader *reader =
        body ? hoop_json_reader_new(req->arena, o.events, o.data, o.reader) : NULL;
    if (!reader)
        return no_reader(req, &o, HOOP_ENOMEM);
    body->reader = reader;
    body->end = o.end;
    body->data = o.data;
    return hoop_read_stream(req, &(hoop_read_options){ .chunk = on_chunk,
                                                       .end = on_end,
                                                       .data = body,
                                                       .limit = o.limit,
                                                       .ret_reader = o.ret_reader });
}
