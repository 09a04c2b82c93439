/** @file
 * JSON: jansson's values as bodies, and requests and responses as JSON. The one header that
 * includes <jansson.h>; programs that use it link jansson, too.
 */
#ifndef HOOP_JSON_H
#define HOOP_JSON_H

#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/json_writer.h>
#include <hoop/request.h>
#include <hoop/response.h>

#include <jansson.h>

HOOP_BEGIN_DECLS

/**
 * application/json, compact. Takes over the reference to `value`, also on failure. NULL (noted) if
 * `value` is NULL or can't be written, or out of memory.
 */
HOOP_API const hoop_response *hoop_json(const hoop_request *req, int status, json_t *value);

/**
 * json_pack() and hoop_json() in one: `hoop_json_pack(req, 200, "{s:s}", "message", text)`. NULL
 * (noted, with jansson's message) if the format does not fit.
 */
HOOP_API const hoop_response *hoop_json_pack(const hoop_request *req, int status,
                                             const char *format, ...);

/**
 * `value` as text in `arena`, with a NUL behind it: what json_dumps() gives with the same flags
 * (JSON_COMPACT, JSON_INDENT(n), JSON_SORT_KEYS, JSON_ENSURE_ASCII, JSON_ESCAPE_SLASH, JSON_ENCODE_ANY,
 * JSON_EMBED, JSON_REAL_PRECISION(n)), byte for byte, but several times faster, and reals without
 * JSON_REAL_PRECISION are written as by hoop_json_write_double(): 0.1, not 0.10000000000000001. 0 and
 * `*ret_text`; HOOP_EINVAL, with the place in `error`, for what has no text: NULL, a string that is no
 * UTF-8, over 2048 levels (so a loop, too), no array or object without JSON_ENCODE_ANY; HOOP_ENOMEM.
 */
HOOP_API int hoop_json_dump(hoop_arena *arena, const json_t *value, size_t flags,
                            hoop_str *ret_text, hoop_error *error);

/** `value` as the next value of a writer, in the writer's own form. Borrowed. */
HOOP_API void hoop_json_write_value(hoop_json_writer *writer, const json_t *value);

/** What HOOP_JSON_VALUE() is made of. */
static inline hoop_json_member hoop_json_member_value(const char *key, const json_t *value)
{
    hoop_json_member member = hoop_json_member_of(key, HOOP_JSON_TYPE_VALUE);
    member.value = value;
    return member;
}

/** A member (hoop/json_writer.h) whose value is a json_t, which is borrowed. */
#define HOOP_JSON_VALUE(key, value) hoop_json_member_value((key), (value))

/** Continues with the parsed body. `value` is borrowed: it lives with the exchange. */
typedef const hoop_response *hoop_json_fn(const hoop_request *req, json_t *value, void *data);

/**
 * The body as a JSON value, parsed once and kept with the exchange; the handler finds it here at once,
 * a middleware that runs at the head uses hoop_read_json(). NULL if the body was not read, is empty, or
 * is no JSON: then `*ret_problem` is the 400 to return, application/problem+json with line and
 * column, so that `if (!value) return problem;` is all it takes. Out of memory, or with the body not
 * read, it is NULL and the reason is noted. Left alone on success.
 */
HOOP_API json_t *hoop_request_json(const hoop_request *req, const hoop_response **ret_problem);

/** Reads the body (hoop_read_body(), `limit` as there), parses it, and continues with the value. A
 * body that is no JSON is answered 400 without `fn`. */
HOOP_API const hoop_response *hoop_read_json(const hoop_request *req, uint64_t limit,
                                             hoop_json_fn *fn, void *data);

/**
 * A request as a JSON value: method, scheme, protocol, uri, query_string, headers (an array of
 * [name, value] in order), remote_addr, remote_port, and the body if it was read. Bytes that are no
 * UTF-8 (or have a NUL) become {"base64": "..."}. Absent strings and an empty body are left out. The caller owns the reference.
 * NULL if out of memory.
 */
HOOP_API json_t *hoop_request_to_json(const hoop_request *req);

/** A response likewise: status, headers, body; a stream's body is {"stream": true}. NULL for pending
 * and pass. */
HOOP_API json_t *hoop_response_to_json(const hoop_response *res);

/**
 * The request that hoop_request_to_json() wrote, in `arena`, as by hoop_mock(); only method
 * and uri are required. Unknown keys, wrong types and values that can't stand in a request are refused and named. 0 and `*ret_request`.
 */
HOOP_API int hoop_request_from_json(hoop_arena *arena, const json_t *value,
                                    const hoop_request **ret_request, hoop_error *error);

/** The response likewise; one whose body was a stream is refused with HOOP_EUNSUPPORTED. */
HOOP_API int hoop_response_from_json(hoop_arena *arena, const json_t *value,
                                     const hoop_response **ret_response, hoop_error *error);

/** `req` with `value` written as its body, and application/json; takes the reference over. */
HOOP_API const hoop_request *hoop_mock_json(const hoop_request *req, json_t *value);

HOOP_END_DECLS

#endif
