/** @file
 * JSON: jansson's values as bodies, and requests and responses as JSON. The one header that
 * includes <jansson.h>; programs that use it link jansson, too.
 */
#ifndef HOOP_JSON_H
#define HOOP_JSON_H

#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/json_doc.h>
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

/**
 * The value that a JSON Pointer names in `value`: `/items/0/name`, "" for the whole, `~1` for a slash and `~0` for
 * a tilde in a key; also as a URI's fragment, `#/items/0`. Borrowed: it lives as long as `value`. NULL
 * and `error` (HOOP_EPARSE, HOOP_EMISSING, HOOP_ENOMEM) if the pointer is none or nothing is there.
 * Source: RFC 6901.
 */
HOOP_API json_t *hoop_json_pointer_get(const json_t *value, const char *pointer, hoop_error *error);

/** What hoop_json_patch() takes. Zero means the default. */
typedef struct hoop_json_patch_options {
    uint64_t max_operations; /**< of a patch; 0: 1000; HOOP_OFF: no limit */
    uint64_t max_nodes; /**< values that a patch may add, copy or hold anew; 0: 1000000; HOOP_OFF */
} hoop_json_patch_options;

/** Applies a JSON Patch; see hoop_json_patch(). */
HOOP_API int hoop_json_patch_sized(json_t *document, const json_t *patch, json_t **ret_document,
                                   hoop_error *error, const hoop_json_patch_options *options,
                                   size_t options_size);

/**
 * Applies a JSON Patch (application/json-patch+json), an array of operations, with a
 * `const hoop_json_patch_options *` as the last argument. All or nothing: 0 and a new reference in
 * `*ret_document`, or a code, and neither `document` nor `*ret_document` was touched. The document is never
 * changed: the result shares with it, and with `patch`, what no operation changed, so don't change the one while
 * the other is in use. `error` names the operation, counted from 0, and its path: "operation 3 (remove
 * '/a/b'): nothing is there". HOOP_EPARSE: it is no patch (400); HOOP_EMISSING: a path leads nowhere, and
 * HOOP_ECONFLICT: a test failed (409 or 422); HOOP_EINVAL: the whole would be removed, or moved into itself;
 * HOOP_ETOOBIG: a limit, or over 2048 levels; HOOP_ENOMEM. `test` compares numbers by value: 1 is 1.0.
 * Source: RFC 6902.
 */
#define hoop_json_patch(document, patch, ret_document, error, ...)                     \
    hoop_json_patch_sized((document), (patch), (ret_document), (error), (__VA_ARGS__), \
                          sizeof(hoop_json_patch_options))

/**
 * Applies a JSON Merge Patch (application/merge-patch+json): members of `patch` replace those of `document`, null
 * removes, objects are merged member by member, all else replaces the whole. 0 and a new reference in
 * `*ret_document`; HOOP_ETOOBIG for over 2048 levels; HOOP_ENOMEM. The document (NULL: none yet) is
 * never changed; shared is what hoop_json_patch() shares. Source: RFC 7396.
 */
HOOP_API int hoop_json_merge_patch(json_t *document, json_t *patch, json_t **ret_document,
                                   hoop_error *error);

/** Continues with the parsed body. `value` is borrowed: it lives with the exchange. */
typedef const hoop_response *hoop_json_fn(const hoop_request *req, json_t *value, void *data);

/**
 * The body as a JSON value, parsed once and kept with the exchange; the handler finds it here at once,
 * a middleware that runs at the head uses hoop_read_json(). NULL if the body was not read, is empty, or
 * is no JSON: then `*ret_problem` is the 400 to return, application/problem+json with line,
 * column and what had to be there, so that `if (!value) return problem;` is all it takes. Out of memory, or with
 * the body not read, it is NULL and the reason is noted. Left alone on success.
 */
HOOP_API json_t *hoop_request_json(const hoop_request *req, const hoop_response **ret_problem);

/** Reads the body (hoop_read_body(), `limit` as there), parses it, and continues with the value. A
 * body that is no JSON is answered 400 without `fn`. */
HOOP_API const hoop_response *hoop_read_json(const hoop_request *req, uint64_t limit,
                                             hoop_json_fn *fn, void *data);

/**
 * A value of a tree as one of jansson's: the same as json_loadb() makes of the text, with members of one
 * name as there, the last one's value. The caller owns the reference. NULL and `error` for NULL (HOOP_EINVAL), if out
 * of memory (HOOP_ENOMEM), or, HOOP_ETOOBIG, if it has over 2048 levels or a number does not fit: an integer beyond
 * 64 bits, or a real beyond a double, which is named.
 */
HOOP_API json_t *hoop_doc_to_json(const hoop_json_node *node, hoop_error *error);

/**
 * The other way: a tree in `arena` of a value, of which it keeps nothing. 0 and `*ret_doc`; HOOP_EINVAL, with the place
 * in `error`, for what has no text (see hoop_json_dump()); HOOP_ETOOBIG for 4 GiB of it; HOOP_ENOMEM.
 */
HOOP_API int hoop_doc_from_json(hoop_arena *arena, const json_t *value,
                                const hoop_json_doc **ret_doc, hoop_error *error);

/**
 * A request as a JSON value: method, scheme, protocol, uri, query_string, headers (an array of
 * [name, value] in order), remote_addr, remote_port, and the body if it was read. Bytes that are no
 * UTF-8 (or have a NUL) become {"base64": "..."}. Absent strings and an empty body are left out. The caller owns
 * the reference. NULL if out of memory.
 */
HOOP_API json_t *hoop_request_to_json(const hoop_request *req);

/** A response likewise: status, headers, body; a stream's body is {"stream": true}. NULL for pending
 * and pass. */
HOOP_API json_t *hoop_response_to_json(const hoop_response *res);

/**
 * The request that hoop_request_to_json() wrote, in `arena`, as by hoop_mock(); only method
 * and uri are required. Unknown keys, wrong types and values that can't stand in a request are refused and named. 0
 * and `*ret_request`.
 */
HOOP_API int hoop_request_from_json(hoop_arena *arena, const json_t *value,
                                    const hoop_request **ret_request, hoop_error *error);

/** The response likewise; one whose body was a stream is refused with HOOP_EUNSUPPORTED. */
HOOP_API int hoop_response_from_json(hoop_arena *arena, const json_t *value,
                                     const hoop_response **ret_response, hoop_error *error);

/**
 * The session's value under `key` (hoop_session_get()), read as JSON: what hoop_with_session_json() has set. It is read
 * anew each time. Borrowed: it lives with the arena of `req`. NULL if there is none under that name; NULL, and noted,
 * if that is no JSON (HOOP_EPARSE) or memory is short. Threads: any that may use `req`.
 */
HOOP_API json_t *hoop_session_json(const hoop_request *req, const char *key);

/**
 * The response that sets a value in the session to the text of a JSON value, of any type; takes the reference to
 * `value` over, also on failure. Else as hoop_with_session_value(), by which it is removed. NULL (noted) if `value`
 * is NULL or has no text.
 */
HOOP_API const hoop_response *hoop_with_session_json(const hoop_request *req,
                                                     const hoop_response *res, const char *key,
                                                     json_t *value);

/**
 * All values of the session as an object of strings, as they are stored: a JSON value is its text, and bytes
 * that are no UTF-8 are {"base64": "..."}. Empty if there is no session. The caller owns the reference. NULL if out of
 * memory.
 */
HOOP_API json_t *hoop_session_to_json(const hoop_request *req);

/** `req` with `value` written as its body, and application/json; takes the reference over. */
HOOP_API const hoop_request *hoop_mock_json(const hoop_request *req, json_t *value);

HOOP_END_DECLS

#endif
