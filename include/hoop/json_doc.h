/** @file
 * JSON read into a tree that can't be changed, in an arena. It needs no jansson; see json.h for that.
 */
#ifndef HOOP_JSON_DOC_H
#define HOOP_JSON_DOC_H

#include <hoop/arena.h>
#include <hoop/error.h>
#include <hoop/export.h>
#include <hoop/request.h>
#include <hoop/response.h>
#include <hoop/str.h>

HOOP_BEGIN_DECLS

/**
 * A JSON text as a tree. Strings and numbers are slices of the text that was read, so that text must
 * stay as long as the tree; only strings with escapes are copied. Nothing changes once it is made: any
 * thread may read it.
 */
typedef struct hoop_json_doc hoop_json_doc;

/** A value in a tree; lives as long as that. All functions take NULL for a value that is not there. */
typedef struct hoop_json_node hoop_json_node;

/** What hoop_doc_type() tells. */
#define HOOP_DOC_NULL   1u /**< null */
#define HOOP_DOC_FALSE  2u /**< false */
#define HOOP_DOC_TRUE   3u /**< true */
#define HOOP_DOC_NUMBER 4u /**< a number, kept as its text */
#define HOOP_DOC_STRING 5u /**< a string */
#define HOOP_DOC_ARRAY  6u /**< an array */
#define HOOP_DOC_OBJECT 7u /**< an object */

/** What becomes of an object with two members of one name. */
#define HOOP_DOC_REFUSE 0u /**< the text is refused: two programs may read different ones of them */
#define HOOP_DOC_FIRST  1u /**< a look-up gives the first */
#define HOOP_DOC_LAST   2u /**< a look-up gives the last, as jansson, Python and JavaScript do */

/** What hoop_doc_parse() takes. Zero means the default. */
typedef struct hoop_doc_options {
    uint64_t max_bytes;  /**< of the text: 64 MiB; never 4 GiB or more */
    uint64_t max_values; /**< in all, the text's own counted: 1,048,576 */
    uint64_t max_depth;  /**< arrays and objects within each other: 2048 */
    uint32_t duplicates; /**< HOOP_DOC_REFUSE, _FIRST or _LAST */
    uint32_t
        allow_nul; /**< nonzero: `\u0000` may stand in strings, which may then have a NUL within */
} hoop_doc_options;

/** Why and where a text was refused. */
typedef struct hoop_json_error {
    uint64_t offset; /**< of the byte at fault, the first that can't stand where it is; from 0 */
    uint64_t line;   /**< its line, from 1 */
    uint64_t column; /**< its column, in characters from 1 */
    int32_t code;    /**< HOOP_EPARSE, HOOP_ETOOBIG at a limit, HOOP_ENOMEM, or HOOP_EINVAL */
    char text[252];  /**< "line 2, column 6: expected a value, found '}'" */
} hoop_json_error;

/** The same as hoop_doc_parse(), for bindings. */
HOOP_API int hoop_doc_parse_sized(hoop_arena *arena, hoop_str text, const hoop_json_doc **ret_doc,
                                  hoop_json_error *error, const hoop_doc_options *options,
                                  size_t options_size);

/**
 * Reads `text`, one JSON value with white space around, by the letter of RFC 8259: UTF-8 without a byte
 * order mark, no lone surrogates, nothing behind the value. Numbers of any size are taken; what does not
 * fit a type is told when they are read as one. The tree lies in `arena`, and needs 16 bytes for each
 * value and each name. `error` may be NULL. The last argument is a `const hoop_doc_options *`, or NULL.
 * 0 and `*ret_doc`, or the code that is in the error. Threads: any that may use the arena.
 */
#define hoop_doc_parse(arena, text, ret_doc, error, ...)                     \
    hoop_doc_parse_sized((arena), (text), (ret_doc), (error), (__VA_ARGS__), \
                         sizeof(hoop_doc_options))

/** The value of the text; NULL for NULL. */
HOOP_API const hoop_json_node *hoop_doc_root(const hoop_json_doc *doc);

/** One of HOOP_DOC_NULL to HOOP_DOC_OBJECT; 0 for NULL. */
HOOP_API uint32_t hoop_doc_type(const hoop_json_node *node);

/** The members of an object or elements of an array; 0 for all else. */
HOOP_API size_t hoop_doc_size(const hoop_json_node *node);

/**
 * The value of an object's member, or NULL. Objects with more than 32 members have a hash table, made
 * when they were read with a secret seed, so nobody can choose names that make it slow.
 */
HOOP_API const hoop_json_node *hoop_doc_get(const hoop_json_node *object, const char *key);

/** The same by a key that need not end with a NUL. */
HOOP_API const hoop_json_node *hoop_doc_get_str(const hoop_json_node *object, hoop_str key);

/** The `index`-th element of an array, from 0, in constant time; NULL behind the last. */
HOOP_API const hoop_json_node *hoop_doc_at(const hoop_json_node *array, size_t index);

/**
 * The value at a JSON Pointer below `node`: "/users/0/name"; "" is the node itself. NULL if there is none,
 * or the pointer is wrong. Source: RFC 6901.
 */
HOOP_API const hoop_json_node *hoop_doc_find(const hoop_json_node *node, const char *pointer);

/**
 * The JSON Pointer of a node of `doc`, in `arena`, for messages. It goes through the tree, so it is not
 * for each of many nodes. The absent string if the node is none of the tree's, or out of memory.
 */
HOOP_API hoop_str hoop_doc_pointer(hoop_arena *arena, const hoop_json_doc *doc,
                                   const hoop_json_node *node);

/** A place among the members or elements of a node; hoop_doc_iter() makes it. */
typedef struct hoop_json_iter {
    const hoop_json_node *at; /**< the library's own */
    uint64_t left;            /**< how many are still to come */
} hoop_json_iter;

/** Begins to go through an object or array, in the order of the text; all else has nothing. */
HOOP_API hoop_json_iter hoop_doc_iter(const hoop_json_node *node);

/**
 * Goes on to the next:
 *
 *     hoop_str key;
 *     const hoop_json_node *value;
 *     hoop_json_iter i = hoop_doc_iter(object);
 *     while (hoop_doc_next(&i, &key, &value))
 *
 * 1, or 0 behind the last, with nothing written. `ret_key` may be NULL; with arrays it is the absent
 * string. Members of one name come each (hoop_doc_options, duplicates).
 */
HOOP_API int hoop_doc_next(hoop_json_iter *iter, hoop_str *ret_key,
                           const hoop_json_node **ret_value);

/** A string's text, without a NUL behind it (hoop_strdup() and kin make one); absent for all else. */
HOOP_API hoop_str hoop_doc_str(const hoop_json_node *node);

/** A number as it was written; absent for all else. */
HOOP_API hoop_str hoop_doc_number(const hoop_json_node *node);

/**
 * A number without fraction and exponent, exactly. 0; HOOP_EINVAL if it is no such number;
 * HOOP_ETOOBIG if it does not fit; `*ret_value` is untouched then.
 */
HOOP_API int hoop_doc_to_int64(const hoop_json_node *node, int64_t *ret_value);

/** The same within 0 to 2^64-1. */
HOOP_API int hoop_doc_to_uint64(const hoop_json_node *node, uint64_t *ret_value);

/** A number as the nearest double, in any locale; HOOP_ETOOBIG if it is beyond them. */
HOOP_API int hoop_doc_to_double(const hoop_json_node *node, double *ret_value);

/** 1 for true, 0 for false; HOOP_EINVAL for all else. */
HOOP_API int hoop_doc_to_bool(const hoop_json_node *node, int *ret_value);

/**
 * The request's body as a tree, read once and kept with the exchange; max_body is the limit of its bytes.
 * A plain handler finds it here at once, a middleware that runs at the head uses hoop_read_doc(). NULL if
 * the body was not read, is empty, or is no JSON: then `*ret_problem` is the 400 to return,
 * application/problem+json with line and column. Out of memory, or with the body not read, it is NULL and
 * the reason is noted. Left alone on success. Members of one name are refused.
 */
HOOP_API const hoop_json_doc *hoop_request_doc(const hoop_request *req,
                                               const hoop_response **ret_problem);

/** Continues with the body that was read. `doc` lives with the exchange. */
typedef const hoop_response *hoop_doc_fn(const hoop_request *req, const hoop_json_doc *doc,
                                         void *data);

/** Reads the body (hoop_read_body(), `limit` as there), and continues with its tree. A body that is no
 * JSON is answered 400 without `fn`. */
HOOP_API const hoop_response *hoop_read_doc(const hoop_request *req, uint64_t limit,
                                            hoop_doc_fn *fn, void *data);

/**
 * Reads the value at a JSON Pointer below `node` as an integer:
 *
 *     int64_t limit = 20;
 *     const hoop_response *bad = NULL;
 *     hoop_doc_read_int64(req, hoop_doc_root(doc), 0, "/limit", &limit, &bad);
 *     if (bad)
 *         return bad;
 *
 * `flags` is 0 or HOOP_REQUIRED (param.h). 1 and `*value` if it is there and right. 0 if it is absent or
 * null: `*value` stays what it was, the default. If it is wrong, or missing though required, a code
 * (HOOP_EPARSE, HOOP_EMISSING), and `*bad` is the answer to return: 400, application/problem+json, whose
 * "errors" has an object with "in" ("body"), "pointer", "value" and "expected" for each value that was found
 * wrong with the same `bad`, which is NULL before the first; hoop_param_int64() and kin may add to the same
 * list, which ends at 32. The pointer is that from the root if `node` is one of hoop_request_doc()'s, else
 * that from `node`.
 */
HOOP_API int hoop_doc_read_int64(const hoop_request *req, const hoop_json_node *node,
                                 uint32_t flags, const char *pointer, int64_t *value,
                                 const hoop_response **bad);

/** The same from 0 to 2^64-1. */
HOOP_API int hoop_doc_read_uint64(const hoop_request *req, const hoop_json_node *node,
                                  uint32_t flags, const char *pointer, uint64_t *value,
                                  const hoop_response **bad);

/** The same for any number within the range of a double, the nearest one. */
HOOP_API int hoop_doc_read_double(const hoop_request *req, const hoop_json_node *node,
                                  uint32_t flags, const char *pointer, double *value,
                                  const hoop_response **bad);

/** The same for true (1) and false (0). */
HOOP_API int hoop_doc_read_bool(const hoop_request *req, const hoop_json_node *node, uint32_t flags,
                                const char *pointer, int *value, const hoop_response **bad);

/** The same for a string, copied to the exchange with a NUL behind it; "" counts as being there. */
HOOP_API int hoop_doc_read_str(const hoop_request *req, const hoop_json_node *node, uint32_t flags,
                               const char *pointer, hoop_str *value, const hoop_response **bad);

/** The same for an array, to go through. */
HOOP_API int hoop_doc_read_array(const hoop_request *req, const hoop_json_node *node,
                                 uint32_t flags, const char *pointer, const hoop_json_node **value,
                                 const hoop_response **bad);

/** The same for an object. */
HOOP_API int hoop_doc_read_object(const hoop_request *req, const hoop_json_node *node,
                                  uint32_t flags, const char *pointer, const hoop_json_node **value,
                                  const hoop_response **bad);

/**
 * Says that the value at `pointer` below `node` is not what it should be, for checks of the program's own:
 * `hoop_doc_refuse(req, root, "/limit", "1 to 100", &bad)`. HOOP_EPARSE, or HOOP_EMISSING if nothing is
 * there. `expected` is copied.
 */
HOOP_API int hoop_doc_refuse(const hoop_request *req, const hoop_json_node *node,
                             const char *pointer, const char *expected, const hoop_response **bad);

HOOP_END_DECLS

#endif
